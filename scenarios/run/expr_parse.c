/*
 * Recursive descent over one line of text.  Nesting is bounded, so that a file cannot overrun the
 * stack.
 */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/run/expr.h"

#define DEPTH_MAX 100

struct parser {
    const char *at;
    char *err;
    uint32_t err_size, depth;
};

static struct expr *parse_sum(struct parser *p);

static void skip(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static struct expr *fail(struct parser *p, const char *expected)
{
    if (*p->at)
        snprintf(p->err, p->err_size, "'%s': %s was expected", p->at, expected);
    else
        snprintf(p->err, p->err_size, "the line ends where %s was expected", expected);
    return NULL;
}

static struct expr *new_node(enum expr_kind kind)
{
    struct expr *e = g_new0(struct expr, 1);
    e->kind = kind;
    return e;
}

void expr_free(struct expr *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; i < e->selects; i++) {
        g_free(e->select[i].key);
        g_free(e->select[i].value);
    }
    expr_free(e->left);
    expr_free(e->right);
    g_free(e->select);
    g_free(e->name);
    g_free(e->row);
    g_free(e->column);
    g_free(e);
}

static bool take(struct parser *p, char c)
{
    skip(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

/* The text up to one of `ends`, trimmed; NULL if it is empty or the line ends first. */
static char *take_until(struct parser *p, const char *ends)
{
    size_t len = strcspn(p->at, ends);
    char *text = g_strstrip(g_strndup(p->at, len));
    if (!p->at[len] || !*text) {
        g_free(text);
        return NULL;
    }
    p->at += len;
    return text;
}

static bool parse_select(struct parser *p, struct expr *e)
{
    struct expr_select s = {0};
    s.key = take_until(p, "=,]");
    if (s.key && take(p, '='))
        s.value = take_until(p, ",]");
    if (!s.value) {
        g_free(s.key);
        fail(p, "key=value");
        return false;
    }
    e->select = g_renew(struct expr_select, e->select, e->selects + 1);
    e->select[e->selects++] = s;
    return true;
}

static bool parse_selects(struct parser *p, struct expr *e)
{
    do {
        if (!parse_select(p, e))
            return false;
    } while (take(p, ','));
    if (take(p, ']'))
        return true;
    fail(p, "']'");
    return false;
}

static bool parse_ref(struct parser *p, struct expr *e)
{
    e->name = take_until(p, ",)");
    if (e->name && take(p, ','))
        e->row = take_until(p, ",)");
    if (e->row && take(p, ','))
        e->column = take_until(p, ")");
    if (e->column && take(p, ')'))
        return true;
    fail(p, "ref(FILE,ROW,COLUMN)");
    return false;
}

/* mean( min( max( ref( ; the argument and the closing bracket. */
static struct expr *parse_call(struct parser *p, char *name)
{
    static const struct {
        const char *name;
        enum expr_kind kind;
    } calls[] = {{"mean", EXPR_MEAN}, {"min", EXPR_MIN}, {"max", EXPR_MAX}, {"ref", EXPR_REF}};
    struct expr *e = NULL;
    bool ok = false;
    for (uint32_t i = 0; i < G_N_ELEMENTS(calls); i++)
        if (strcmp(name, calls[i].name) == 0)
            e = new_node(calls[i].kind);
    if (!e)
        snprintf(p->err, p->err_size, "'%s(': the functions are mean, min, max and ref", name);
    else if (e->kind == EXPR_REF)
        ok = parse_ref(p, e);
    else {
        e->left = parse_sum(p);
        ok = e->left && (take(p, ')') || fail(p, "')'"));
    }
    g_free(name);
    if (ok)
        return e;
    expr_free(e);
    return NULL;
}

static struct expr *parse_name(struct parser *p)
{
    size_t len = 0;
    while (g_ascii_isalnum(p->at[len]) || p->at[len] == '_' || p->at[len] == '.')
        len++;
    char *name = g_strndup(p->at, len);
    p->at += len;
    if (take(p, '('))
        return parse_call(p, name);
    struct expr *e = new_node(EXPR_COLUMN);
    e->name = name;
    if (!take(p, '[') || parse_selects(p, e))
        return e;
    expr_free(e);
    return NULL;
}

static struct expr *parse_number(struct parser *p)
{
    char *end;
    double v = g_ascii_strtod(p->at, &end);
    if (end == p->at || g_ascii_isalpha(*end) || *end == '_')
        return fail(p, "a plain number (no unit)");
    if (!isfinite(v))
        return fail(p, "a number below 1.8e308");
    p->at = end;
    struct expr *e = new_node(EXPR_NUMBER);
    e->number = v;
    return e;
}

static struct expr *parse_bracket(struct parser *p)
{
    struct expr *e = parse_sum(p);
    if (!e || take(p, ')'))
        return e;
    expr_free(e);
    return fail(p, "')'");
}

static struct expr *join(enum expr_kind kind, struct expr *left, struct expr *right)
{
    if (!right) {
        expr_free(left);
        return NULL;
    }
    struct expr *e = new_node(kind);
    e->left = left;
    e->right = right;
    return e;
}

static struct expr *parse_factor(struct parser *p);

static struct expr *parse_atom(struct parser *p)
{
    if (take(p, '('))
        return parse_bracket(p);
    if (g_ascii_isalpha(*p->at) || *p->at == '_')
        return parse_name(p);
    if (g_ascii_isdigit(*p->at) || *p->at == '.')
        return parse_number(p);
    return fail(p, "a number, a metric or '('");
}

/* The power binds tighter than a sign before it and looser than one behind: -2^-1 = -(2^(-1)). */
static struct expr *parse_power(struct parser *p)
{
    struct expr *e = parse_atom(p);
    if (e && take(p, '^'))
        e = join(EXPR_POWER, e, parse_factor(p));
    return e;
}

static struct expr *parse_factor(struct parser *p)
{
    struct expr *e = NULL;
    if (p->depth >= DEPTH_MAX)
        return fail(p, "less nesting");
    p->depth++;
    skip(p);
    if (take(p, '-')) {
        struct expr *of = parse_factor(p);
        if (of) {
            e = new_node(EXPR_NEGATE);
            e->left = of;
        }
    } else
        e = parse_power(p);
    p->depth--;
    return e;
}

static struct expr *parse_product(struct parser *p)
{
    struct expr *e = parse_factor(p);
    while (e) {
        if (take(p, '*'))
            e = join(EXPR_MULTIPLY, e, parse_factor(p));
        else if (take(p, '/'))
            e = join(EXPR_DIVIDE, e, parse_factor(p));
        else
            break;
    }
    return e;
}

static struct expr *parse_sum(struct parser *p)
{
    struct expr *e = parse_product(p);
    while (e) {
        skip(p);
        if (g_str_has_prefix(p->at, "+-")) /* the tolerance of an expectation */
            break;
        if (take(p, '+'))
            e = join(EXPR_ADD, e, parse_product(p));
        else if (take(p, '-'))
            e = join(EXPR_SUBTRACT, e, parse_product(p));
        else
            break;
    }
    return e;
}

struct expr *expr_parse(const char **text, char *err, uint32_t err_size)
{
    struct parser p = {.at = *text, .err = err, .err_size = err_size};
    struct expr *e = parse_sum(&p);
    if (e) {
        skip(&p);
        *text = p.at;
    }
    return e;
}

struct expr *expr_parse_file(const char *text, char *err, uint32_t err_size)
{
    struct parser p = {.at = text, .err = err, .err_size = err_size};
    size_t len = strcspn(text, "[");
    struct expr *e = new_node(EXPR_COLUMN);
    bool ok;
    e->name = g_strstrip(g_strndup(text, len));
    p.at += len;
    ok = *e->name || fail(&p, "the name of a file");
    ok = ok && (!take(&p, '[') || parse_selects(&p, e));
    skip(&p);
    if (ok && (!*p.at || fail(&p, "the end of the line")))
        return e;
    expr_free(e);
    return NULL;
}

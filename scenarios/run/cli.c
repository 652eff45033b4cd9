/*
 * Options by table.
 */
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/nearest.h"
#include "scenarios/reader/value.h"
#include "scenarios/run/cli.h"

void cli_sets_clear(struct cli_sets *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        g_free(s->ov[i].name);
        g_free(s->ov[i].value);
    }
    g_free(s->ov);
    *s = (struct cli_sets){0};
}

static void append(struct cli_sets *s, struct sc_override ov)
{
    s->ov = g_renew(struct sc_override, s->ov, s->n + 1);
    s->ov[s->n++] = ov;
}

static void print_help(const struct cli_command *c)
{
    printf("usage: rdmasim %s%s%s%s\n\n%s\n", c->name, *c->arguments ? " " : "", c->arguments,
           c->option && c->option->name ? " [options]" : "", c->help);
    for (const struct cli_option *o = c->option; o && o->name; o++) {
        char *left = g_strconcat(o->name, o->argument ? " " : "", o->argument, NULL);
        printf("%s  %-24s %s\n", o == c->option ? "\noptions:\n" : "", left, o->help);
        g_free(left);
    }
}

static bool wrong(const struct cli_command *c, const char *what, const char *word)
{
    fprintf(stderr, "rdmasim %s: %s%s%s; see rdmasim %s --help\n", c->name, what, *word ? " " : "",
            word, c->name);
    return false;
}

static bool unknown_option(const struct cli_command *c, const char *word)
{
    struct nearest n = nearest_to(word);
    for (const struct cli_option *o = c->option; o && o->name; o++)
        nearest_try(&n, o->name);
    char *hint = n.best ? g_strdup_printf("%s: did you mean %s?", word, n.best) : g_strdup(word);
    wrong(c, "unknown option", hint);
    g_free(hint);
    return false;
}

static bool number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    if (!g_ascii_isdigit(text[0]))
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == 0 && *out >= least && *out <= most;
}

static bool time_span(const char *text, tm_ps *out)
{
    uint64_t v = 0;
    if (value_with_unit(text, &unit_time, &v) != VALUE_OK || v == 0 || v > INT64_MAX)
        return false;
    *out = (tm_ps)v;
    return true;
}

static bool take_set(struct cli_sets *sets, const char *text)
{
    struct sc_override ov;
    struct sc_error err;
    if (sc_override_parse(text, &ov, &err)) {
        append(sets, ov);
        return true;
    }
    fprintf(stderr, "rdmasim: %s\n", err.text);
    return false;
}

/* value: NULL when the option takes none. */
static bool take_value(const struct cli_command *c, const struct cli_option *o, const char *value)
{
    uint64_t v = 0;
    switch (o->kind) {
    case CLI_FLAG:
        *(bool *)o->to = true;
        return true;
    case CLI_TEXT:
        *(const char **)o->to = value;
        return *value != 0 || wrong(c, "nothing was given for", o->name);
    case CLI_COUNT:
        if (!number(value, 1, 100000, &v))
            return wrong(c, "a number from 1 to 100000 was expected behind", o->name);
        *(uint32_t *)o->to = (uint32_t)v;
        return true;
    case CLI_SET:
        return take_set(o->to, value);
    case CLI_SEED:
        if (!number(value, 0, UINT64_MAX, &v))
            return wrong(c, "a whole number was expected behind", o->name);
        append(o->to, (struct sc_override){g_strdup("scenario.seed"), g_strdup(value), "--seed"});
        return true;
    case CLI_FILE:
        *(struct cli_file *)o->to =
            (struct cli_file){((struct cli_file *)o->to)->suffix, true, value};
        return !value || *value != 0 || wrong(c, "nothing was given for", o->name);
    case CLI_TIME:
        return time_span(value, o->to) ||
               wrong(c, "a time with its unit, such as 10us, was expected behind", o->name);
    }
    return false;
}

/* The option that a word names ("--jobs", "--jobs=4"); *value is what follows the '='. */
static const struct cli_option *find_option(const struct cli_command *c, const char *word,
                                            const char **value)
{
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    *value = equals ? equals + 1 : NULL;
    for (const struct cli_option *o = c->option; o && o->name; o++)
        if (strlen(o->name) == len && strncmp(o->name, word, len) == 0)
            return o;
    return NULL;
}

/* Is the word behind an option that may stand alone its file? */
static bool is_its_file(const struct cli_option *o, const char *word)
{
    const struct cli_file *f = o->to;
    return word && word[0] != '-' && g_str_has_suffix(word, f->suffix);
}

/* Takes the option at argv[*i] and its value; leaves *i at the last word used. */
static bool take_option(const struct cli_command *c, int argc, char **argv, int *i)
{
    const char *value;
    const struct cli_option *o = find_option(c, argv[*i], &value);
    if (!o)
        return unknown_option(c, argv[*i]);
    if (o->kind == CLI_FLAG && value)
        return wrong(c, "no value belongs to", o->name);
    if (o->kind == CLI_FILE && !value && is_its_file(o, *i + 1 < argc ? argv[*i + 1] : NULL))
        value = argv[++*i];
    if (o->kind != CLI_FLAG && o->kind != CLI_FILE && !value) {
        if (*i + 1 >= argc)
            return wrong(c, "a value is missing behind", o->name);
        value = argv[++*i];
    }
    return take_value(c, o, value);
}

static bool enough_words(const struct cli_command *c, int words, char **argv)
{
    if (words < c->words_min)
        return wrong(c, "an argument is missing:", c->arguments);
    if (words > c->words_max)
        return wrong(c, "one argument too many:", argv[c->words_max + 1]);
    return true;
}

enum cli_parsed cli_parse(const struct cli_command *c, int argc, char **argv, int *words)
{
    bool options_end = false;
    *words = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(c);
            return CLI_HELP;
        } else if (!options_end && word[0] == '-' && word[1]) {
            if (!take_option(c, argc, argv, &i))
                return CLI_WRONG;
        } else
            argv[++*words] = argv[i];
    }
    return enough_words(c, *words, argv) ? CLI_OK : CLI_WRONG;
}

int cli_exit_code(enum cli_parsed parsed) { return parsed == CLI_WRONG ? 2 : 0; }

struct sc_file *cli_load(const char *command, const char *path)
{
    struct sc_error err = {""};
    struct sc_file *f = sc_file_load(path, &err);
    if (!f)
        fprintf(stderr, "rdmasim %s: %s\n", command, err.text);
    return f;
}

void cli_unload(struct sc_file *f)
{
    if (f)
        sc_file_free(f);
}

/*
 * The points of a sweep: the cross product of the lines of [sweep], the first slowest.
 *
 * A key that --set or [check] fixes keeps its column, with one value: the shape of results.csv does
 * not depend on the command line.
 */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/file.h"
#include "scenarios/reader/keys.h"
#include "scenarios/reader/sweep.h"

#define POINTS_MAX 100000u

/* What is being laid out; fixed: [check], then --set. */
struct planner {
    const struct sc_file *f;
    GArray *axis;  /* struct sweep_axis */
    GArray *line;  /* of each axis: index in f->line */
    GArray *fixed; /* struct sc_override, owned */
    struct sc_error *err;
};

static void add_override(GArray *to, const char *name, const char *value, const char *origin)
{
    struct sc_override o = {g_strdup(name), g_strdup(value), origin};
    g_array_append_val(to, o);
}

static void clear_overrides(struct sc_override *o, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_free(o[i].name);
        g_free(o[i].value);
    }
}

/* The last of the fixed values of a key; NULL: none. */
static const struct sc_override *fixed_value(const struct planner *p, const char *name)
{
    const struct sc_override *found = NULL;
    for (guint i = 0; i < p->fixed->len; i++) {
        const struct sc_override *o = &g_array_index(p->fixed, struct sc_override, i);
        if (strcmp(o->name, name) == 0)
            found = o;
    }
    return found;
}

static bool key_is_swept(const struct planner *p, const char *name)
{
    for (guint i = 0; i < p->axis->len; i++) {
        const struct sweep_axis *a = &g_array_index(p->axis, struct sweep_axis, i);
        for (uint32_t k = 0; k < a->keys; k++)
            if (strcmp(a->key[k], name) == 0)
                return true;
    }
    return false;
}

/* Replaces the swept values of fixed keys; an axis with no free key shrinks to one step. */
static void fix_axis(const struct planner *p, struct sweep_axis *a)
{
    uint32_t free_keys = a->keys;
    for (uint32_t k = 0; k < a->keys; k++) {
        const struct sc_override *o = fixed_value(p, a->key[k]);
        if (!o)
            continue;
        free_keys--;
        for (uint32_t v = 0; v < a->values; v++) {
            g_free(a->value[v * a->keys + k]);
            a->value[v * a->keys + k] = g_strdup(o->value);
        }
    }
    if (free_keys > 0)
        return;
    for (uint32_t i = a->keys; i < a->values * a->keys; i++) {
        g_free(a->value[i]);
        a->value[i] = NULL;
    }
    a->values = 1;
}

static bool take_axis(struct planner *p, uint32_t line)
{
    const struct sc_line *l = &p->f->line[line];
    struct sweep_axis a;
    if (!sweep_axis_parse(l->key, l->value, &a, p->err))
        return file_fail_at(p->f, l, p->err);
    for (uint32_t k = 0; k < a.keys; k++) {
        if (!key_is_swept(p, a.key[k]))
            continue;
        sc_fail(p->err, "%s is swept on another line too; sweep it once", a.key[k]);
        sweep_axis_clear(&a);
        return file_fail_at(p->f, l, p->err);
    }
    fix_axis(p, &a);
    g_array_append_val(p->axis, a);
    g_array_append_val(p->line, line);
    return true;
}

static bool take_axes(struct planner *p)
{
    const struct sc_line *l;
    uint32_t n = sc_lines(p->f, "sweep", &l);
    for (uint32_t i = 0; i < n; i++)
        if (!take_axis(p, (uint32_t)(l - p->f->line) + i))
            return false;
    return true;
}

static void take_fixed(struct planner *p, const struct sc_override *extra, uint32_t extras,
                       bool check)
{
    const struct sc_line *l;
    uint32_t n = check ? sc_lines(p->f, "check", &l) : 0;
    for (uint32_t i = 0; i < n; i++)
        add_override(p->fixed, l[i].key, l[i].value, p->f->origin[l + i - p->f->line]);
    for (uint32_t i = 0; i < extras; i++)
        add_override(p->fixed, extra[i].name, extra[i].value, extra[i].origin);
}

static bool count_points(const struct planner *p, uint32_t *out)
{
    uint64_t n = 1;
    for (guint i = 0; i < p->axis->len; i++) {
        n *= g_array_index(p->axis, struct sweep_axis, i).values;
        if (n > POINTS_MAX)
            return sc_fail(p->err, "%s: the sweep has more than %u points; sweep less", p->f->path,
                           POINTS_MAX);
    }
    *out = (uint32_t)n;
    return true;
}

/* The point's step on every axis, the last axis fastest; then the fixed values. */
static struct sc_point make_point(const struct planner *p, uint32_t number)
{
    GArray *set = g_array_new(FALSE, FALSE, sizeof(struct sc_override));
    uint64_t below = 1;
    for (guint i = 0; i < p->axis->len; i++)
        below *= g_array_index(p->axis, struct sweep_axis, i).values;
    for (guint i = 0; i < p->axis->len; i++) {
        const struct sweep_axis *a = &g_array_index(p->axis, struct sweep_axis, i);
        below /= a->values;
        uint32_t step = (uint32_t)(number / below % a->values);
        const char *origin = p->f->origin[g_array_index(p->line, uint32_t, i)];
        for (uint32_t k = 0; k < a->keys; k++)
            add_override(set, a->key[k], a->value[step * a->keys + k], origin);
    }
    for (guint i = 0; i < p->fixed->len; i++) {
        const struct sc_override *o = &g_array_index(p->fixed, struct sc_override, i);
        add_override(set, o->name, o->value, o->origin);
    }
    struct sc_point point = {NULL, set->len};
    point.set = (struct sc_override *)(void *)g_array_free(set, FALSE);
    return point;
}

static void make_columns(const struct planner *p, struct sc_plan *plan)
{
    GPtrArray *name = g_ptr_array_new();
    for (guint i = 0; i < p->axis->len; i++) {
        const struct sweep_axis *a = &g_array_index(p->axis, struct sweep_axis, i);
        for (uint32_t k = 0; k < a->keys; k++)
            g_ptr_array_add(name, g_strdup(a->key[k]));
    }
    plan->columns = name->len;
    plan->column = (char **)g_ptr_array_free(name, FALSE);
}

/* "…; at the point qp.timeout=8, fabric.loss.rate=1e-3" */
static bool say_point(const struct sc_plan *plan, const struct sc_point *point,
                      struct sc_error *err)
{
    GString *s = g_string_new(err->text);
    for (uint32_t i = 0; i < plan->columns; i++)
        g_string_append_printf(s, "%s%s=%s", i == 0 ? " (at the point " : ", ", point->set[i].name,
                               point->set[i].value);
    if (plan->columns > 0)
        g_string_append_c(s, ')');
    sc_fail(err, "%s", s->str);
    g_string_free(s, TRUE);
    return false;
}

static bool resolve_points(const struct planner *p, const struct sc_plan *plan)
{
    for (uint32_t i = 0; i < plan->points; i++) {
        struct scenario s = {0};
        if (!sc_resolve(p->f, plan->point[i].set, plan->point[i].sets, &s, p->err))
            return say_point(plan, &plan->point[i], p->err);
        scenario_clear(&s);
    }
    return true;
}

static bool make_points(const struct planner *p, struct sc_plan *plan)
{
    uint32_t n = 0;
    if (!count_points(p, &n))
        return false;
    make_columns(p, plan);
    plan->points = n;
    plan->point = g_new0(struct sc_point, n);
    for (uint32_t i = 0; i < n; i++)
        plan->point[i] = make_point(p, i);
    return resolve_points(p, plan);
}

static void planner_fini(struct planner *p)
{
    for (guint i = 0; i < p->axis->len; i++)
        sweep_axis_clear(&g_array_index(p->axis, struct sweep_axis, i));
    clear_overrides((struct sc_override *)(void *)p->fixed->data, p->fixed->len);
    g_array_free(p->axis, TRUE);
    g_array_free(p->line, TRUE);
    g_array_free(p->fixed, TRUE);
}

bool sc_plan_make(const struct sc_file *f, const struct sc_override *extra, uint32_t extras,
                  bool check, struct sc_plan *out, struct sc_error *err)
{
    struct planner p = {f, g_array_new(FALSE, FALSE, sizeof(struct sweep_axis)),
                        g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                        g_array_new(FALSE, FALSE, sizeof(struct sc_override)), err};
    struct sc_plan plan = {0};
    take_fixed(&p, extra, extras, check);
    bool ok = take_axes(&p) && make_points(&p, &plan);
    planner_fini(&p);
    if (ok)
        *out = plan;
    else
        sc_plan_clear(&plan);
    return ok;
}

void sc_plan_clear(struct sc_plan *p)
{
    for (uint32_t i = 0; i < p->columns; i++)
        g_free(p->column[i]);
    for (uint32_t i = 0; i < p->points; i++) {
        clear_overrides(p->point[i].set, p->point[i].sets);
        g_free(p->point[i].set);
    }
    g_free(p->column);
    g_free(p->point);
    *p = (struct sc_plan){0};
}

/*
 * `rdmasim explore`: every placement of a few faults over a small exchange, or one placement again.
 *
 * A breach is shown with its faults, as few as lead to one, and what happened; a scenario that
 * replays it is written beside the other results.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/explore/explore.h"
#include "scenarios/reader/explore_keys.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/explore_ladder.h"
#include "scenarios/run/out_dir.h"

struct explore_command {
    struct cli_sets sets;
    const char *faults, *kinds, *out;
};

static void add_set(struct cli_sets *s, const char *name, const char *value, const char *origin)
{
    s->ov = g_renew(struct sc_override, s->ov, s->n + 1);
    s->ov[s->n++] = (struct sc_override){g_strdup(name), g_strdup(value), origin};
}

/* ---- what is shown --------------------------------------------------------------------------- */

static bool show_row(void *who, const struct explore_result *r)
{
    if (r->breach == LEDGER_SOUND)
        printf("  %6u %13" PRIu64 " %13" PRIu64 " %13" PRIu64 "\n", r->faults, r->schedules,
               r->states, r->events);
    fflush(stdout);
    return true;
}

static char *faults_joined(const struct explore_list *list)
{
    GString *text = g_string_new(list->faults ? "" : "none");
    char one[40];
    for (uint32_t i = 0; i < list->faults; i++) {
        fault_text(&list->fault[i], one, sizeof one);
        g_string_append_printf(text, "%s%s", i ? ", " : "", one);
    }
    return g_string_free(text, FALSE);
}

static void show_breach(enum ledger_rule rule, const char *what, const char *faults)
{
    printf("\nbroken: %s\n  %s\n  faults: %s\n\n", ledger_rule_text(rule), what, faults);
}

/* ---- the replay file ------------------------------------------------------------------------- */

/* The scenario with this list of faults.  false after a message. */
static bool write_replay(struct explore_command *c, const struct sc_file *f, const char *faults,
                         const char *path)
{
    char *dir = g_path_get_dirname(path);
    bool made = g_mkdir_with_parents(dir, 0777) == 0;
    FILE *to = made ? fopen(path, "w") : NULL;
    add_set(&c->sets, "explore.faults", faults, "explore");
    bool ok = to != NULL;
    if (ok) {
        fprintf(to, "# What breaks it?  `rdmasim explore` on this file replays one schedule.\n");
        ok = sc_manifest_write(f, c->sets.ov, c->sets.n, to);
        ok = fclose(to) == 0 && ok;
    }
    if (!ok)
        fprintf(stderr, "rdmasim explore: %s: cannot be written\n", path);
    g_free(dir);
    return ok;
}

static int tell_breach(struct explore_command *c, const struct sc_file *f,
                       const struct explore_cfg *cfg, const struct explore_result *r)
{
    const struct explore_list list = {r->fault, r->faults};
    struct explore_replayed again;
    const char *why;
    char *faults = faults_joined(&list), *stem = scenario_stem(sc_file_path(f));
    char *path = c->out ? g_strdup(c->out) : g_strdup_printf("out/%s/replay.ini", stem);
    show_breach(r->breach, r->what, faults);
    if (explore_replay(cfg, &list, &again, &why)) {
        explore_ladder(&again.story, stdout);
        story_clear(&again.story);
    }
    int code = write_replay(c, f, faults, path) ? 1 : 3;
    if (code == 1)
        printf("\nreplay: rdmasim explore %s\n", path);
    g_free(path);
    g_free(stem);
    g_free(faults);
    return code;
}

/* ---- the two ways ---------------------------------------------------------------------------- */

static int search(struct explore_command *c, const struct sc_file *f, const struct scenario *s)
{
    struct explore_cfg cfg;
    struct explore_result r;
    const char *why;
    explore_config(s, &cfg);
    printf("  faults     schedules        states        events\n");
    if (!explore(&cfg, show_row, NULL, &r, &why)) {
        fprintf(stderr, "rdmasim explore: %s: [explore] %s\n", sc_file_path(f), why);
        return 2;
    }
    if (r.breach != LEDGER_SOUND)
        return tell_breach(c, f, &cfg, &r);
    printf("\nno rule is broken in %" PRIu64 " schedules of up to %u faults; %" PRIu64
           " distinct states\n",
           r.schedules, r.faults, r.states);
    return 0;
}

static int replay(const struct sc_file *f, const struct scenario *s)
{
    struct explore_cfg cfg;
    struct explore_replayed again;
    const struct explore_list list = {s->explore.fault, s->explore.faults};
    const char *why;
    explore_config(s, &cfg);
    if (!explore_replay(&cfg, &list, &again, &why)) {
        fprintf(stderr, "rdmasim explore: %s: [explore] %s\n", sc_file_path(f), why);
        return 2;
    }
    explore_ladder(&again.story, stdout);
    story_clear(&again.story);
    if (again.breach != LEDGER_SOUND) {
        char *faults = faults_joined(&list);
        show_breach(again.breach, again.what, faults);
        g_free(faults);
        return 1;
    }
    if (again.met < list.faults) {
        char one[40];
        fault_text(&list.fault[again.met], one, sizeof one);
        fprintf(stderr, "rdmasim explore: %s: [explore] faults: '%s' finds no packet\n",
                sc_file_path(f), one);
        return 2;
    }
    printf("\nno rule is broken\n");
    return 0;
}

static int explore_file(struct explore_command *c, const struct sc_file *f)
{
    struct scenario s = {0};
    struct sc_error err = {""};
    if (c->faults)
        add_set(&c->sets, "explore.max_faults", c->faults, "--faults");
    if (c->kinds)
        add_set(&c->sets, "explore.kinds", c->kinds, "--kinds");
    if (!sc_resolve(f, c->sets.ov, c->sets.n, &s, &err)) {
        fprintf(stderr, "rdmasim explore: %s\n", err.text);
        return 2;
    }
    if (s.title && *s.title)
        printf("%s\n", s.title);
    int code = s.explore.is_fixed ? replay(f, &s) : search(c, f, &s);
    scenario_clear(&s);
    return code;
}

int cmd_explore(int argc, char **argv)
{
    struct explore_command c = {0};
    int words, code = 2;
    const struct cli_option options[] = {
        {"--faults", CLI_TEXT, &c.faults, "K", "up to K faults (explore.max_faults)"},
        {"--kinds", CLI_TEXT, &c.kinds, "drop,dup", "kinds of faults (explore.kinds)"},
        {"--set", CLI_SET, &c.sets, "group.key=value",
         "overrides a key of the scenario; repeatable"},
        {"--out", CLI_TEXT, &c.out, "FILE",
         "the scenario that replays a breach (out/<name of the scenario>/replay.ini)"},
        {0}};
    const struct cli_command command = {
        "explore", "FILE", "Tries every placement of a few faults over a small exchange.",
        options,   1,      1};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);
    struct sc_file *f = parsed == CLI_OK ? cli_load("explore", argv[1]) : NULL;
    if (f)
        code = explore_file(&c, f);
    else if (parsed != CLI_OK)
        code = cli_exit_code(parsed);
    cli_unload(f);
    cli_sets_clear(&c.sets);
    return code;
}

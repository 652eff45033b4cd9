/*
 * What a key is for: two values, two results.
 *
 * The rows are in key_effect_rows.c, adapter_effect_rows.c, fault_effect_rows.c and inject_effect_rows.c; here they are run, and
 * both the key table and the grammar of [inject] are searched for what has no row.  A key that no result shows
 * yet stands in `without_effect`, and is checked to have none.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/explore_keys.h"
#include "scenarios/reader/keys.h"
#include "scenarios/run/out_dir.h"
#include "scenarios/run/plot_fill.h"
#include "scenarios/run/sweep_plan.h"
#include "tests/suite.h"
#include "tests/unit/key_effect_rows.h"
#include "tests/unit/run_text.h"
#include "tests/unit/sctest.h"

#define ARRIVES "arrive,h0-h1,,0,,"
/* Columns dqpn, pkey, mig, fecn, becn, ecn, len of the WRITE's rows. */
#define END(mig, ecn) "2,65535," #mig ",0,0," #ecn ",1122"
static const struct trace_effect trace_effects[] = {
    {"hca.read_resume", "first", "middle", "arrive,h1-h0,,1,,RC_READ_RESP_FIRST,1,",
     "arrive,h1-h0,,1,,RC_READ_RESP_MIDDLE,1,",
     "[workload]\nop = read\nsize = 4KiB\nmessages = 1\n[inject]\n"
     "r = drop psn=+1 class=read_resp\n"},
    {"connect.mode", "instantaneous", "simulated", "0.000000,state,,RTS,0,2",
     "send,h0-h1,REQ,0,,UD_SEND_ONLY,0,", ONE_WRITE},
    {"hca.migreq", "on", "off", END(1, 0), END(0, 0), ONE_WRITE},
    {"qp.sq_psn", "0", "16777215", ARRIVES "RC_WRITE_ONLY,0,", ARRIVES "RC_WRITE_ONLY,16777215,",
     ONE_WRITE},
    /* as it leaves it is not marked yet: only the arrival differs */
    {"inject.mark", "rewrite ecn=2 class=data", "mark class=data", END(1, 2), END(1, 3), ONE_WRITE},
    {"inject.ecn", "rewrite ecn=1 class=data", "rewrite ecn=2 class=data", END(1, 1), END(1, 2),
     ONE_WRITE},
    {"inject.se", "rewrite se=0 class=data", "rewrite se=1 class=data",
     ARRIVES "RC_SEND_ONLY,0,1,0,1024", ARRIVES "RC_SEND_ONLY,0,1,1,1024", ONE_SEND},
    {"inject.imm", "rewrite imm=7 class=data", "rewrite imm=8 class=data", ",1024,0,,,,,7,2,",
     ",1024,0,,,,,8,2,", "[workload]\nop = send_imm\nsize = 1KiB\nmessages = 1\n"},
    {"inject.msn", "rewrite msn=1 class=ack", "rewrite msn=77 class=ack",
     "arrive,h1-h0,,1,,RC_ACKNOWLEDGE,0,0,0,0,0,ACK:credit31,1,",
     "arrive,h1-h0,,1,,RC_ACKNOWLEDGE,0,0,0,0,0,ACK:credit31,77,", ONE_WRITE},
};

static const struct no_effect without_effect[] = {
    {"hca.dup_ack", "before_read", "newest", ONE_WRITE,
     "no load puts a READ or atomic behind a SEND or WRITE that could be repeated"},
    {"hca.error_psn", "next", "refused", ONE_WRITE,
     "a query of the QP alone shows it, and no result holds one"},
    {"hca.err_recv", "flush", "keep", ONE_WRITE, "the load posts no receive to a QP in ERR"},
};

/* ---- two runs ------------------------------------------------------------------------------ */

/* A failure that names the key. */
static void expect(bool ok, const char *key, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void expect(bool ok, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *what = g_strdup_vprintf(format, args);
    char *text = g_strdup_printf("%s: %s", key, what);
    va_end(args);
    CU_assertImplementation(ok, __LINE__, text, __FILE__, "", CU_FALSE);
    g_free(text);
    g_free(what);
}

/* The scenario with one more line at its end; in [inject] the line is named r. */
static char *with_value(const char *base, const char *key, const char *value)
{
    const char *name = strchr(key, '.') + 1;
    char *group = g_strndup(key, (gsize)(name - 1 - key));
    bool is_rule = strcmp(group, "inject") == 0;
    char *text = g_strdup_printf("%s[%s]\n%s = %s\n", base, group, is_rule ? "r" : name, value);
    g_free(group);
    return text;
}

static bool run_with(const char *base, const char *key, const char *value, const char *dir,
                     struct text_run *out)
{
    char *text = with_value(base, key, value);
    g_setenv("RDMASIM_PATH", "scenarios", FALSE);
    run_text(text, 1, dir, out);
    expect(out->outcome == RUN_DONE, key, "%s: %s", value, out->err.text);
    g_free(text);
    return out->outcome == RUN_DONE;
}

static void expect_text(const struct effect *e, const char *value, const struct text_run *r,
                        const char *want)
{
    const char *got = metric_of(r, e->metric);
    expect(strcmp(got, want) == 0, e->key, "with '%s' %s is '%s', not '%s'", value,
           metric_table[e->metric].name, got, want);
}

static void expect_order(const struct effect *e, const struct text_run *a, const struct text_run *b)
{
    int64_t x = a->m.v[e->metric], y = b->m.v[e->metric];
    bool ok = e->how == RISES ? x < y : e->how == FALLS ? x > y : x != y;
    expect(ok && x != METRIC_NONE && y != METRIC_NONE, e->key, "%s: '%s' with '%s', '%s' with '%s'",
           metric_table[e->metric].name, metric_of(a, e->metric), e->a, metric_of(b, e->metric),
           e->b);
}

static void check_effect(const struct effect *e)
{
    struct text_run a, b;
    if (!run_with(e->base, e->key, e->a, NULL, &a) || !run_with(e->base, e->key, e->b, NULL, &b))
        return;
    if (e->how != EXACTLY) {
        expect_order(e, &a, &b);
        return;
    }
    expect(strcmp(e->want_a, e->want_b) != 0, e->key, "the row wants the same of both values");
    expect_text(e, e->a, &a, e->want_a);
    expect_text(e, e->b, &b, e->want_b);
}

static void key_effect_of_each_key_shows_in_its_metric(void)
{
    for (size_t i = 0; i < key_effect_count; i++)
        check_effect(&key_effects[i]);
    for (size_t i = 0; i < adapter_effect_count; i++)
        check_effect(&adapter_effects[i]);
    for (size_t i = 0; i < fault_effect_count; i++)
        check_effect(&fault_effects[i]);
}

static void key_effect_of_each_word_of_inject_shows_in_its_metric(void)
{
    for (size_t i = 0; i < inject_effect_count; i++)
        check_effect(&inject_effects[i]);
}

/* ---- packets.csv --------------------------------------------------------------------------- */

/* packets.csv of a run; g_free. */
static char *trace_of(const char *base, const char *key, const char *value)
{
    struct text_run r;
    char *dir = g_dir_make_tmp("key-effect-XXXXXX", NULL), *text = NULL;
    char *path = g_build_filename(dir, "packets.csv", NULL);
    run_with(base, key, value, dir, &r);
    if (!g_file_get_contents(path, &text, NULL, NULL))
        text = g_strdup("");
    out_dir_remove(dir);
    g_free(path);
    g_free(dir);
    return text;
}

static void key_effect_that_no_metric_shows_is_in_the_trace(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(trace_effects); i++) {
        const struct trace_effect *e = &trace_effects[i];
        char *a = trace_of(e->base, e->key, e->a), *b = trace_of(e->base, e->key, e->b);
        expect(strstr(a, e->only_a) && !strstr(a, e->only_b), e->key, "'%s': packets.csv is\n%s",
               e->a, a);
        expect(strstr(b, e->only_b) && !strstr(b, e->only_a), e->key, "'%s': packets.csv is\n%s",
               e->b, b);
        g_free(a);
        g_free(b);
    }
}

/* The day one of them has an effect, it wants a row instead. */
static void key_effect_that_does_not_show_yet_is_none(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(without_effect); i++) {
        const struct no_effect *e = &without_effect[i];
        struct text_run a, b;
        run_with(e->base, e->key, e->a, NULL, &a);
        run_with(e->base, e->key, e->b, NULL, &b);
        expect(memcmp(&a.m, &b.m, sizeof a.m) == 0, e->key, "it has an effect now (was: %s)",
               e->why);
        char *x = trace_of(e->base, e->key, e->a), *y = trace_of(e->base, e->key, e->b);
        expect(strcmp(x, y) == 0, e->key, "packets.csv shows it now (was: %s)", e->why);
        g_free(x);
        g_free(y);
    }
}

/* ---- keys with effects of their own kind --------------------------------------------------- */

/* The title of a figure of this scenario; g_free. */
static char *figure_title(const char *text)
{
    static const struct sc_line line[] = {{(char *)"plot p", (char *)"x", (char *)"qp.mtu", 1},
                                          {(char *)"plot p", (char *)"y", (char *)"acks", 2}};
    struct sc_error err = {""};
    struct results results;
    struct plot_spec spec;
    struct plot plot;
    char why[300];
    struct sc_file *f = sctest_load(text, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    struct csv_table *t =
        csv_table_parse("qp.mtu,seed,acks\n256,1,5\n", "results.csv", why, sizeof why);
    CU_ASSERT_TRUE_FATAL(results_from_table(t, &results, why, sizeof why));
    CU_ASSERT_TRUE_FATAL(plot_spec_parse(line, 2, "t.ini", &spec, &err));
    CU_ASSERT_TRUE(plot_fill(&spec, &results, f, &plot, &err));
    char *title = g_strdup(plot.title);
    plot_fill_clear(&plot);
    plot_spec_clear(&spec);
    results_clear(&results);
    sc_file_free(f);
    return title;
}

static char *manifest_of(const char *text)
{
    struct sc_error err = {""};
    struct sc_file *f = sctest_load(text, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    char *manifest = manifest_text(f, NULL, 0, "t", false);
    sc_file_free(f);
    return manifest;
}

static void check_heading(const char *key)
{
    char *a = with_value("", key, "Which way?"), *b = with_value("", key, "How long?");
    char *x = figure_title(a), *y = figure_title(b), *in_b = manifest_of(b);
    expect(strcmp(x, "Which way?") == 0 && strcmp(y, "How long?") == 0, key, "figures: '%s', '%s'",
           x, y);
    expect(strstr(in_b, " = How long?\n") != NULL, key, "not in the manifest:\n%s", in_b);
    g_free(a);
    g_free(b);
    g_free(x);
    g_free(y);
    g_free(in_b);
}

static void key_effect_of_title_is_the_heading_without_a_question(void)
{
    check_heading("scenario.title");
}

static void key_effect_of_question_is_the_heading(void) { check_heading("scenario.question"); }

/* Runs of a sweep over two points, and the seed of the last. */
static uint32_t planned(const char *repetitions, uint64_t *last_seed)
{
    struct sc_error err = {""};
    struct sweep_plan plan;
    char *text = with_value("[sweep]\nqp.mtu = 256; 512\n", "scenario.repetitions", repetitions);
    struct sc_file *f = sctest_load(text, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    struct sweep_request q = {
        .file = f, .stem = "t", .dir = "/nonexistent", .workers = 1, .domains = 1};
    CU_ASSERT_TRUE_FATAL(sweep_plan_make(&q, &plan, &err));
    uint32_t jobs = plan.jobs;
    *last_seed = plan.job[jobs - 1].seed;
    sweep_plan_clear(&plan);
    sc_file_free(f);
    g_free(text);
    return jobs;
}

static void key_effect_of_repetitions_is_the_number_of_runs(void)
{
    uint64_t seed;
    CU_ASSERT_EQUAL(planned("1", &seed), 2);
    CU_ASSERT_EQUAL(seed, 1);
    CU_ASSERT_EQUAL(planned("3", &seed), 6);
    CU_ASSERT_EQUAL(seed, 3);
}

/* A second profile, that asks for every packet's acknowledgement; the tree's own stays in reach. */
static void key_effect_of_profile_is_what_it_sets(void)
{
    const struct effect e = {
        "hca.profile", "spec", "eager", EXACTLY,
        METRIC_acks,   "1",    "4",     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\n"};
    char *dir = g_dir_make_tmp("key-effect-XXXXXX", NULL);
    char *profiles = g_build_filename(dir, "profiles", NULL);
    char *file = g_build_filename(profiles, "eager.ini", NULL);
    char *before = g_strdup(g_getenv("RDMASIM_PATH"));
    char *path = g_strdup_printf("%s:scenarios", dir);
    g_mkdir(profiles, 0777);
    g_file_set_contents(file, "[hca]\nackreq_packets = 1\n", -1, NULL);
    g_setenv("RDMASIM_PATH", path, TRUE);
    check_effect(&e);
    g_setenv("RDMASIM_PATH", before ? before : "scenarios", TRUE);
    out_dir_remove(dir);
    g_free(path);
    g_free(before);
    g_free(file);
    g_free(profiles);
    g_free(dir);
}

static void key_effect_of_max_qp_wr_is_a_refusal(void)
{
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_qp_wr = 128\n"), "");
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_qp_wr = 127\n"),
                           "t.ini:2: [hca] max_qp_wr: 127 is less than qp.sq_depth (128); give at "
                           "least that, or lower qp.sq_depth");
}

static void key_effect_of_max_qp_and_max_cqe_is_a_refusal(void)
{
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_qp = 2\n[workload]\nqps = 2\n"), "");
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_qp = 1\n[workload]\nqps = 2\n"),
                           "t.ini:2: [hca] max_qp: a host has 2 QPs; give at least that, or lower "
                           "workload.qps");
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_cqe = 256\n"), "");
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_cqe = 255\n"),
                           "t.ini:2: [hca] max_cqe: the queues of a host hold 256 work requests; "
                           "give at least that, or lower qp.sq_depth or qp.rq_depth");
}

static void key_effect_of_max_qp_init_rd_atom_is_a_refusal(void)
{
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_qp_init_rd_atom = 16\n"), "");
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[hca]\nmax_qp_init_rd_atom = 15\n"),
                           "t.ini:2: [hca] max_qp_init_rd_atom: 15 is less than qp.max_rd_atomic "
                           "(16); give at least that, or lower qp.max_rd_atomic");
}

static void key_effect_of_max_qp_rd_atom_is_a_refusal(void)
{
    CU_ASSERT_STRING_EQUAL(
        sctest_refusal("[hca]\nmax_qp_rd_atom = 8\n[qp]\nmax_dest_rd_atomic = 8\n"), "");
    CU_ASSERT_STRING_EQUAL(
        sctest_refusal("[hca]\nmax_qp_rd_atom = 8\n[qp]\nmax_dest_rd_atomic = 9\n"),
        "t.ini:4: [qp] max_dest_rd_atomic: 9 is over the adapter's limit; give at most 8 "
        "(hca.max_qp_rd_atom)");
}

static void key_effect_of_buckets_is_a_row_of_slowdown_each(void)
{
    static const char base[] = "[workload]\nop = write\nsize = 1KiB, 4KiB, 64KiB\nmessages = 5\n"
                               "slowdown = on\n";
    struct text_run none, two;
    run_with(base, "workload.buckets", "none", NULL, &none);
    run_with(base, "workload.buckets", "2KiB, 8KiB", NULL, &two);
    CU_ASSERT_EQUAL(none.m.buckets, 0);
    CU_ASSERT_EQUAL_FATAL(two.m.buckets, 3);
    CU_ASSERT_EQUAL(two.m.bucket[0].messages, 2);
    CU_ASSERT_EQUAL(two.m.bucket[0].max_bytes, 2048);
    CU_ASSERT_EQUAL(two.m.bucket[1].messages, 2);
    CU_ASSERT_EQUAL(two.m.bucket[1].max_bytes, 8192);
    CU_ASSERT_EQUAL(two.m.bucket[2].messages, 1);
    CU_ASSERT_EQUAL(two.m.bucket[2].min_bytes, 8193);
}

/* Schedules of an exploration, events of a replayed one. */
static uint64_t explored(const char *base, const char *key, const char *value)
{
    struct sc_error err = {""};
    struct scenario s;
    struct explore_cfg cfg;
    struct explore_result found = {0};
    struct explore_replayed played = {0};
    const char *why;
    struct sc_file *f = sctest_load(base, &err);
    struct sc_override ov = {(char *)key, (char *)value, "test"};
    CU_ASSERT_TRUE_FATAL(f && sc_resolve(f, &ov, 1, &s, &err));
    const struct explore_list list = {s.explore.fault, s.explore.faults};
    explore_config(&s, &cfg);
    if (s.explore.is_fixed)
        CU_ASSERT_TRUE(explore_replay(&cfg, &list, &played, &why));
    if (!s.explore.is_fixed)
        CU_ASSERT_TRUE(explore(&cfg, NULL, NULL, &found, &why));
    uint64_t n = s.explore.is_fixed ? played.story.count : found.schedules;
    story_clear(&played.story);
    scenario_clear(&s);
    sc_file_free(f);
    return n;
}

#define ONE_FAULT "[explore]\noperations = send 100B\nmax_faults = 1\n"
/* The first message breaks off; a shared receive completes with it. */
#define BROKEN_OFF "[explore]\nservice = uc\noperations = send 2KiB, send 1B\nfaults = a2b 2 drop\n"

/* Packets of one SEND: two, with seven faults each; of two SENDs: four.  Replayed: sends, receives, completions. */
static void key_effect_of_explore_is_in_its_counts(void)
{
    static const struct {
        const char *base, *key, *a, *b;
        uint64_t want_a, want_b;
    } row[] = {
        {ONE_FAULT, "explore.service", "rc", "uc", 1 + 7 * 2, 1 + 7}, /* without an ACK */
        {BROKEN_OFF, "explore.srq", "off", "on", 8, 9},
        {ONE_FAULT, "explore.operations", "send 100B", "send 100B, send 9B", 1 + 7 * 2, 1 + 7 * 4},
        {ONE_FAULT, "explore.operations_back", "none", "write 1B", 1 + 7 * 2, 1 + 7 * 4},
        {ONE_FAULT, "explore.operations_beside", "none", "write 1B", 1 + 7 * 2, 1 + 7 * 4},
        {ONE_FAULT, "explore.max_faults", "0", "1", 1, 1 + 7 * 2},
        {ONE_FAULT, "explore.kinds", "drop", "drop, dup, delay", 1 + 1 * 2, 1 + 5 * 2},
        {ONE_FAULT, "explore.faults", "none", "a2b 1 dup", 6, 9},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(row); i++) {
        uint64_t a = explored(row[i].base, row[i].key, row[i].a),
                 b = explored(row[i].base, row[i].key, row[i].b);
        expect(a == row[i].want_a && b == row[i].want_b, row[i].key, "%llu and %llu",
               (unsigned long long)a, (unsigned long long)b);
    }
}

static const struct {
    const char *key;
    void (*test)(void);
} alone[] = {
    {"scenario.title", key_effect_of_title_is_the_heading_without_a_question},
    {"scenario.question", key_effect_of_question_is_the_heading},
    {"scenario.repetitions", key_effect_of_repetitions_is_the_number_of_runs},
    {"hca.profile", key_effect_of_profile_is_what_it_sets},
    {"hca.max_qp_wr", key_effect_of_max_qp_wr_is_a_refusal},
    {"hca.max_qp", key_effect_of_max_qp_and_max_cqe_is_a_refusal},
    {"hca.max_cqe", key_effect_of_max_qp_and_max_cqe_is_a_refusal},
    {"hca.max_qp_init_rd_atom", key_effect_of_max_qp_init_rd_atom_is_a_refusal},
    {"hca.max_qp_rd_atom", key_effect_of_max_qp_rd_atom_is_a_refusal},
    {"workload.buckets", key_effect_of_buckets_is_a_row_of_slowdown_each},
    {"explore.service", key_effect_of_explore_is_in_its_counts},
    {"explore.srq", key_effect_of_explore_is_in_its_counts},
    {"explore.operations", key_effect_of_explore_is_in_its_counts},
    {"explore.operations_back", key_effect_of_explore_is_in_its_counts},
    {"explore.operations_beside", key_effect_of_explore_is_in_its_counts},
    {"explore.max_faults", key_effect_of_explore_is_in_its_counts},
    {"explore.kinds", key_effect_of_explore_is_in_its_counts},
    {"explore.faults", key_effect_of_explore_is_in_its_counts},
};

/* ---- nothing is left out ------------------------------------------------------------------- */

static bool has_row(const char *key)
{
    bool found = false;
    for (size_t i = 0; i < key_effect_count; i++)
        found = found || strcmp(key_effects[i].key, key) == 0;
    for (size_t i = 0; i < adapter_effect_count; i++)
        found = found || strcmp(adapter_effects[i].key, key) == 0;
    for (size_t i = 0; i < fault_effect_count; i++)
        found = found || strcmp(fault_effects[i].key, key) == 0;
    for (size_t i = 0; i < inject_effect_count; i++)
        found = found || strcmp(inject_effects[i].key, key) == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(trace_effects); i++)
        found = found || strcmp(trace_effects[i].key, key) == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(without_effect); i++)
        found = found || strcmp(without_effect[i].key, key) == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(alone); i++)
        found = found || (strcmp(alone[i].key, key) == 0 && alone[i].test != NULL);
    return found;
}

static void key_effect_of_every_key_has_a_row(void)
{
    CU_ASSERT(key_count() > 0);
    for (uint32_t i = 0; i < key_count(); i++) {
        char *key = g_strdup_printf("%s.%s", key_at(i)->group, key_at(i)->name);
        expect(has_row(key), key, "there is no test row with two values of this key");
        g_free(key);
    }
    for (size_t i = 0; i < key_effect_count; i++)
        expect(key_find_dotted(key_effects[i].key) != NULL, key_effects[i].key, "no such key");
}

/* `rdmasim keys inject`; free. */
static char *inject_grammar(void)
{
    struct sc_error err;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    CU_ASSERT_TRUE(sc_keys_print(out, "inject", &err));
    fclose(out);
    return text;
}

static void expect_word(const char *word)
{
    char *key = g_strdup_printf("inject.%s", word);
    expect(has_row(key), key, "there is no test row with two values of this word");
    g_free(key);
}

/* Words of the grammar in small letters that end in '=', and those between FIELD and events. */
static void key_effect_of_every_word_of_inject_has_a_row(void)
{
    char *text = inject_grammar();
    char **word = g_strsplit_set(text, " \n[](),", -1);
    uint32_t fields = 0, keyed = 0;
    bool in_fields = false;
    for (char **w = word; *w; w++) {
        char *eq = strchr(*w, '=');
        if (eq && eq > *w && g_ascii_islower(**w)) {
            *eq = 0;
            expect_word(*w);
            keyed++;
        } else if (strcmp(*w, "FIELD:") == 0 || strcmp(*w, "events:") == 0) {
            in_fields = **w == 'F';
        } else if (in_fields && **w) {
            expect_word(*w);
            fields++;
        }
    }
    CU_ASSERT_EQUAL(fields, INJF_FIELDS);
    CU_ASSERT(keyed > 15);
    g_strfreev(word);
    free(text);
}

static void key_effect_of_every_action_of_inject_has_a_row(void)
{
    static const char *const action[] = {"drop",  "dup",    "delay", "corrupt", "mark",   "rewrite",
                                         "forge", "link",   "stall", "nopoll",  "stop",   "kill",
                                         "error", "rights", "spoil", "destroy"};
    char *text = inject_grammar();
    CU_ASSERT_EQUAL(G_N_ELEMENTS(action), INJ_ACT + LOAD_ACT_EXIT_REST);
    for (size_t i = 0; i < G_N_ELEMENTS(action); i++) {
        expect_word(action[i]);
        expect(strstr(text, action[i]) != NULL, action[i], "`rdmasim keys inject` leaves it out");
    }
    free(text);
}

static const struct test tests[] = {TEST(key_effect_of_each_key_shows_in_its_metric),
                                    TEST(key_effect_of_each_word_of_inject_shows_in_its_metric),
                                    TEST(key_effect_that_no_metric_shows_is_in_the_trace),
                                    TEST(key_effect_that_does_not_show_yet_is_none),
                                    TEST(key_effect_of_title_is_the_heading_without_a_question),
                                    TEST(key_effect_of_question_is_the_heading),
                                    TEST(key_effect_of_repetitions_is_the_number_of_runs),
                                    TEST(key_effect_of_profile_is_what_it_sets),
                                    TEST(key_effect_of_max_qp_wr_is_a_refusal),
                                    TEST(key_effect_of_max_qp_and_max_cqe_is_a_refusal),
                                    TEST(key_effect_of_max_qp_init_rd_atom_is_a_refusal),
                                    TEST(key_effect_of_max_qp_rd_atom_is_a_refusal),
                                    TEST(key_effect_of_buckets_is_a_row_of_slowdown_each),
    TEST(key_effect_of_explore_is_in_its_counts),
                                    TEST(key_effect_of_every_key_has_a_row),
                                    TEST(key_effect_of_every_word_of_inject_has_a_row),
                                    TEST(key_effect_of_every_action_of_inject_has_a_row),
                                    TESTS_END};
const struct suite suite_key_effect = {"key_effect", tests};

/* Result folders and manifests. */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/run/out_dir.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void out_dir_stem_comes_from_the_file_or_its_manifest(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "m.ini", "# scenario: incast\n[scenario]\n");
    cli_run_write(&r, "deep.v2.ini", "[scenario]\n");
    char *m = g_build_filename(r.dir, "m.ini", NULL),
         *deep = g_build_filename(r.dir, "deep.v2.ini", NULL);
    char *a = scenario_stem(m), *b = scenario_stem(deep), *c = scenario_stem("/nonexistent/x.ini");
    CU_ASSERT_STRING_EQUAL(a, "incast");
    CU_ASSERT_STRING_EQUAL(b, "deep.v2");
    CU_ASSERT_STRING_EQUAL(c, "x");
    g_free(a);
    g_free(b);
    g_free(c);
    g_free(m);
    g_free(deep);
    cli_run_done(&r);
}

/* What the manifest's [sweep] says when the overrides fix some of its keys. */
static void sweeps(const char *sweep, struct sc_override *ov, uint32_t n, const char *want)
{
    struct cli_run r;
    struct sc_error err = {""};
    cli_run_begin(&r);
    cli_run_write(&r, "s.ini", sweep);
    char *path = g_build_filename(r.dir, "s.ini", NULL);
    struct sc_file *f = sc_file_load(path, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    char *text = manifest_text(f, ov, n, "s", true);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_TRUE(g_str_has_prefix(text, "# scenario: s\n"));
    char *at = strstr(text, "\n[sweep]\n");
    CU_ASSERT_STRING_EQUAL(at ? at : "", want);
    g_free(text);
    sc_file_free(f);
    g_free(path);
    cli_run_done(&r);
}

static void out_dir_manifest_keeps_the_sweep_with_fixed_keys_fixed(void)
{
    static const char joint[] =
        "[sweep]\nqp.timeout = 8;14\nqp.mtu,qp.retry_cnt = 1024,3; 4096,7\n";
    static char mtu[] = "qp.mtu", retry[] = "qp.retry_cnt", timeout[] = "qp.timeout",
                v2048[] = "2048", v5[] = "5";
    struct sc_override one[] = {{mtu, v2048, "--set"}},
                       both[] = {{mtu, v2048, "--set"}, {retry, v5, "--set"}},
                       other[] = {{timeout, v5, "--set"}};
    sweeps(joint, NULL, 0, "\n[sweep]\nqp.timeout = 8;14\nqp.mtu,qp.retry_cnt = 1024,3; 4096,7\n");
    sweeps(joint, one, 1, "\n[sweep]\nqp.timeout = 8;14\nqp.mtu,qp.retry_cnt = 2048,3; 2048,7\n");
    sweeps(joint, both, 2, "\n[sweep]\nqp.timeout = 8;14\nqp.mtu,qp.retry_cnt = 2048,5\n");
    sweeps(joint, other, 1, "\n[sweep]\nqp.timeout = 5\nqp.mtu,qp.retry_cnt = 1024,3; 4096,7\n");
}

static void out_dir_remove_takes_all_of_it(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "a/b/c.txt", "x");
    char *a = g_build_filename(r.dir, "a", NULL);
    out_dir_remove(a);
    CU_ASSERT_FALSE(cli_run_exists(&r, "a"));
    g_free(a);
    cli_run_done(&r);
}

static void out_dir_lock_keeps_a_second_process_out(void)
{
    struct cli_run r;
    char err[300] = "";
    int lock = -1;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o --no-plot"), 0);
    char *dir = g_build_filename(r.dir, "o", NULL);
    char *before = cli_run_read(&r, "o/results.csv");
    CU_ASSERT_TRUE_FATAL(out_dir_lock(dir, &lock, err, sizeof err));
    CU_ASSERT_TRUE(lock >= 0);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --seed 5 --out o --no-plot"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "o: another rdmasim is writing to this folder"));
    char *after = cli_run_read(&r, "o/results.csv");
    CU_ASSERT_STRING_EQUAL(before, after);
    close(lock);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --seed 5 --out o --no-plot"), 0);
    g_free(before);
    g_free(after);
    g_free(dir);
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(out_dir_stem_comes_from_the_file_or_its_manifest),
                                    TEST(out_dir_manifest_keeps_the_sweep_with_fixed_keys_fixed),
                                    TEST(out_dir_remove_takes_all_of_it),
                                    TEST(out_dir_lock_keeps_a_second_process_out), TESTS_END};
const struct suite suite_out_dir = {"out_dir", tests};

/* `rdmasim explore`: what it prints, its exit codes, the scenario that replays a breach. */
#include <glib.h>
#include <string.h>

#include "tests/unit/cli_run.h"
#include "tests/unit/rig.h"

static const char sound[] = "[scenario]\ntitle = One\n[explore]\noperations = send 100B\n";

/* Soft-RoCE's way with repeated SENDs, and with an ACK that passes an atomic. */
static const char loses[] =
    "[qp]\ntimeout = 4\n[hca]\ndup_ack = newest\nrows = rc.ack_of_atomic: complete\n"
    "[explore]\noperations = send 100B, fetch_add\nmax_faults = 3\n";

static void cmd_explore_counts_schedules_of_each_number_of_faults(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "x.ini", sound);
    INT_IS(cli_run(&r, "explore x.ini --faults 1"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "One\n  faults     schedules"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "\n       1            15 "));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "no rule is broken in 15 schedules of up to 1 faults"));
    INT_IS(cli_run(&r, "explore x.ini --faults 1 --kinds drop"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "no rule is broken in 3 schedules"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "out"));
    cli_run_done(&r);
}

static void cmd_explore_breach_is_exit_1_with_a_replay(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "x.ini", loses);
    INT_IS(cli_run(&r, "explore x.ini"), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "broken: an atomic is executed once and returns what it "
                                         "found\n  atomic 1 returned "));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "  faults: a2b 1 dup-late, b2a 2 drop\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "replay: rdmasim explore out/x/replay.ini\n"));
    char *replay = cli_run_read(&r, "out/x/replay.ini");
    CU_ASSERT_PTR_NOT_NULL(strstr(replay, "\nfaults = a2b 1 dup-late, b2a 2 drop\n"));
    g_free(replay);
    INT_IS(cli_run(&r, "explore out/x/replay.ini"), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "broken: an atomic is executed once"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, " b2a 2 drop\n     2.000 |<---- RC_ACK"));
    /* the specification's adapter takes the same faults well */
    INT_IS(cli_run(&r, "explore out/x/replay.ini --set hca.dup_ack=before_read"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "\nno rule is broken\n"));
    cli_run_done(&r);
}

static void cmd_explore_wrong_use_is_exit_2(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "x.ini", sound);
    INT_IS(cli_run(&r, "explore x.ini --faults 9"), 2);
    TEXT_IS(r.err,
            "rdmasim explore: --faults explore.max_faults: '9' is out of range; give a whole "
            "number from 0 to 6\n");
    INT_IS(cli_run(&r, "explore x.ini --kinds lose"), 2);
    INT_IS(cli_run(&r, "explore x.ini --set qp.service=uc --set explore.operations=fetch_add"), 2);
    TEXT_IS(r.err, "rdmasim explore: x.ini: [explore] the service does not offer one of the "
                   "operations\n");
    cli_run_write(&r, "y.ini", "[explore]\noperations = send 1B\nfaults = b2a 7 drop\n");
    INT_IS(cli_run(&r, "explore y.ini"), 2);
    TEXT_IS(r.err, "rdmasim explore: y.ini: [explore] faults: 'b2a 7 drop' finds no packet\n");
    cli_run_write(&r, "z.ini", loses);
    INT_IS(cli_run(&r, "explore z.ini --out x.ini/replay.ini"), 3);
    TEXT_IS(r.err, "rdmasim explore: x.ini/replay.ini: cannot be written\n");
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(cmd_explore_counts_schedules_of_each_number_of_faults),
                                    TEST(cmd_explore_breach_is_exit_1_with_a_replay),
                                    TEST(cmd_explore_wrong_use_is_exit_2), TESTS_END};
const struct suite suite_cmd_explore = {"cmd_explore", tests};

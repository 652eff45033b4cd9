/* [explore]: what its texts come to, and what is said of those that are wrong. */
#include <string.h>

#include "scenarios/reader/explore_keys.h"
#include "tests/unit/rig.h"
#include "tests/unit/sctest.h"

static void explore_keys_become_operations_and_faults(void)
{
    struct scenario s;
    TEXT_IS(
        sctest_resolve("[qp]\nmtu = 512\ntimeout = 5\nsq_psn = 9\n[fabric]\ndelay = 3us\n"
                       "[workload]\nrecv_late = 7us\n[explore]\n"
                       "operations = send 1KiB, write_imm  0 silent,fetch_add fence silent\n"
                       "operations_back = write 50B, read 12B of 1, cmp_swap\nkinds = drop, delay\n"
                       "max_faults = 4\nfaults = a2b 3 drop, b2a 1 delay-late\n",
                       &s),
        "");
    struct explore_cfg c;
    explore_config(&s, &c);
    INT_IS(c.task.ops, 6);
    INT_IS(c.task.flows, 2);
    static const struct task_op want[] = {
        {XP_WR_SEND, 0, false, 1024, false, 0}, {XP_WR_WRITE_IMM, 0, true, 0, false, 0},
        {XP_WR_FETCH_ADD, 0, true, 8, true, 0}, {XP_WR_WRITE, 1, false, 50, false, 0},
        {XP_WR_READ, 1, false, 12, false, 4},   {XP_WR_CMP_SWAP, 1, false, 8, false, 0}};
    for (int i = 0; i < 6; i++)
        CU_ASSERT_TRUE(c.task.op[i].op == want[i].op && c.task.op[i].flow == want[i].flow &&
                       c.task.op[i].silent == want[i].silent && c.task.op[i].len == want[i].len &&
                       c.task.op[i].of == want[i].of && c.task.op[i].fence == want[i].fence);
    CU_ASSERT_TRUE(c.task.flow[1].from == 1 && c.task.flow[1].to == 0);
    INT_IS(c.kinds, FAULT_DROP | FAULT_DELAY);
    INT_IS(c.max_faults, 4);
    INT_IS(s.explore.faults, 2);
    INT_IS(s.explore.fault[1].fate, FATE_DELAY_LATE);
    CU_ASSERT_TRUE(s.explore.is_fixed);
    INT_IS(c.stage.mtu, 512);
    INT_IS(c.stage.timeout, 5);
    INT_IS(c.stage.first_psn.v, 9);
    INT_IS(c.stage.delay_ps, 3 * TM_US);
    INT_IS(c.stage.recv_late_ps, 7 * TM_US);
    INT_IS(c.stage.limit_ps, 1000 * TM_S);
    scenario_clear(&s);
}

/* Flows are numbered as they are given: that of the further QPs comes last, whatever there is before. */
static void explore_keys_of_further_qps_are_a_flow_of_their_own(void)
{
    struct scenario s;
    struct explore_cfg c;
    TEXT_IS(sctest_resolve("[explore]\nservice = rd\noperations = send 1B\n"
                           "operations_beside = send 2B, write 3B\nmax_faults = 3\n",
                           &s),
            "");
    explore_config(&s, &c);
    INT_IS(c.task.flows, 2);
    CU_ASSERT_TRUE(c.task.flow[1].from == 0 && c.task.flow[1].to == 1);
    INT_IS(c.task.op[1].flow, 1);
    INT_IS(c.task.op[2].len, 3);
    CU_ASSERT_TRUE(c.task.acked && c.task.joined && c.task.shared);
    INT_IS(c.task.spare, 3);
    scenario_clear(&s);
}

static void explore_keys_search_unless_faults_are_given(void)
{
    struct scenario s;
    TEXT_IS(sctest_resolve("[explore]\nfaults = none\n[scenario]\nduration = 2ms\n", &s), "");
    struct explore_cfg c;
    explore_config(&s, &c);
    CU_ASSERT_TRUE(s.explore.is_fixed);
    INT_IS(s.explore.faults, 0);
    INT_IS(c.stage.limit_ps, 2 * TM_MS);
    scenario_clear(&s);
    TEXT_IS(sctest_resolve("[qp]\nmtu = 512\n", &s), "");
    CU_ASSERT_FALSE(s.explore.is_fixed);
    INT_IS(s.explore.task.ops, 2);
    scenario_clear(&s);
}

/* What the service has of its own goes into the exchange. */
static void explore_keys_service_and_srq_shape_the_exchange(void)
{
    static const struct {
        const char *text;
        bool acked, shared;
        uint32_t head;
    } row[] = {{"[qp]\nservice = uc\n", false, false, 0},
               {"[explore]\nservice = rc\nsrq = on\n", true, true, 0},
               {"[explore]\nservice = ud\n", false, false, 40},
               {"[explore]\nservice = xrc_ini\n", true, true, 0}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct scenario s;
        struct explore_cfg c;
        TEXT_IS(sctest_resolve(row[i].text, &s), "");
        explore_config(&s, &c);
        ROW_INT(row[i].text, c.task.acked, row[i].acked);
        ROW_INT(row[i].text, c.task.shared, row[i].shared);
        ROW_INT(row[i].text, c.task.head, row[i].head);
        scenario_clear(&s);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(sctest_refusal("[explore]\nservice = rcc\n"),
                                  "t.ini:2: [explore] service: 'rcc' is not a service that sends; "
                                  "give same, rc, uc, ud"));
}

static void refused(const char *line, const char *message)
{
    char text[300];
    snprintf(text, sizeof text, "[explore]\n%s\n", line);
    TEXT_IS(sctest_refusal(text), message);
}

static void explore_keys_srq_where_there_is_none_is_refused(void)
{
    refused("service = rd\nsrq = on",
            "t.ini:3: [explore] srq: QPs of rd take no receives from a shared queue; leave it off");
    refused("service = eec", "t.ini:2: [explore] service: 'eec' is not a service that sends; give "
                             "same, rc, uc, ud, xrc_ini, rd");
}

static void explore_keys_wrong_texts_are_refused(void)
{
    refused("operations = snd 1B",
            "t.ini:2: [explore] operations: there is no operation 'snd'; did you mean 'send'?");
    refused("operations = erase",
            "t.ini:2: [explore] operations: there is no operation 'erase'; give send, send_imm, "
            "write, write_imm, read, cmp_swap or fetch_add");
    refused("operations = send", "t.ini:2: [explore] operations: 'send' needs a size: '' is empty; "
                                 "write send 100B");
    refused(
        "operations = send 12",
        "t.ini:2: [explore] operations: 'send' needs a size: '12' has no unit; write send 100B");
    refused("operations = read 1MiB", "t.ini:2: [explore] operations: 'read' of 1MiB is too long; "
                                      "all messages together must fit 32 KiB at each end");
    refused("operations = fetch_add 8B",
            "t.ini:2: [explore] operations: '8B' is not understood behind an operation; silent and "
            "fence are");
    refused("operations = write 1B, read 1B of 0",
            "t.ini:2: [explore] operations: 'of' needs the number of a write before it; write read "
            "100B of 1");
    refused("operations_back = send 1B,",
            "t.ini:2: [explore] operations_back: an operation is missing beside a comma");
    refused("faults = a2b drop",
            "t.ini:2: [explore] faults: 'a2b drop' is not a fault; write a2b or b2a, which packet "
            "of that direction (from 1), and drop, corrupt, dup, dup-late, reorder, delay or "
            "delay-late: a2b 3 drop");
    refused("operations = fetch_add,fetch_add,fetch_add,fetch_add,fetch_add,fetch_add,fetch_add,"
            "fetch_add,fetch_add,fetch_add,fetch_add,fetch_add,fetch_add",
            "t.ini:2: [explore] operations: more than 12 operations");
}

static const struct test tests[] = {TEST(explore_keys_become_operations_and_faults),
                                    TEST(explore_keys_of_further_qps_are_a_flow_of_their_own),
                                    TEST(explore_keys_srq_where_there_is_none_is_refused),
                                    TEST(explore_keys_search_unless_faults_are_given),
                                    TEST(explore_keys_service_and_srq_shape_the_exchange),
                                    TEST(explore_keys_wrong_texts_are_refused),
                                    TESTS_END};
const struct suite suite_explore_keys = {"explore_keys", tests};

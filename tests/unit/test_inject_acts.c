/* Events of [inject] that befall hosts, QPs and work requests; stall, kill and destroy alone are in test_inject_parse.c. */
#include <glib.h>

#include "models/transport/xp.h"
#include "scenarios/reader/inject_parse.h"
#include "tests/suite.h"
#include "tests/unit/edges.h"

static struct topo_edge cable[] = {EDGE(0, 1)};
static const struct topo a_cable = {2, 0, 1, cable};
static const struct inject_env pair = {&a_cable, 2, 100, true};

static struct load_act act_of(const char *text)
{
    struct inject_line l = {0};
    struct sc_error err = {""};
    bool ok = inject_parse("rule", text, &pair, &l, &err);
    if (!ok)
        printf("%s: %s\n", text, err.text);
    CU_ASSERT_TRUE(ok && l.is_act);
    CU_ASSERT_STRING_EQUAL(l.act.name, "rule");
    return l.act;
}

static void inject_acts_kill_has_an_order(void)
{
    struct load_act a = act_of("kill 1 3us");
    CU_ASSERT_EQUAL(a.order, LOAD_ORDER_HOST);
    a = act_of("kill 1 3us order=qp");
    CU_ASSERT(a.order == LOAD_ORDER_QP && a.gap_ps == TM_MS && a.when.from_ps == 3 * TM_US);
    a = act_of("kill 1 3us gap=5us order=mr");
    CU_ASSERT(a.order == LOAD_ORDER_MR && a.gap_ps == 5 * TM_US);
}

static void inject_acts_stop_may_repeat(void)
{
    struct load_act a = act_of("stop 1 3us..4us every=9us count=2");
    CU_ASSERT_EQUAL(a.kind, LOAD_ACT_STOP);
    CU_ASSERT(a.when.from_ps == 3 * TM_US && a.when.until_ps == 4 * TM_US);
    CU_ASSERT(a.when.every_ps == 9 * TM_US && a.when.count == 2);
}

static void inject_acts_of_a_qp(void)
{
    struct load_act a = act_of("error 1:7 3us");
    CU_ASSERT(a.kind == LOAD_ACT_ERROR && a.host == 1 && a.qp == 7);
    a = act_of("rights 0:1 0 none");
    CU_ASSERT(a.kind == LOAD_ACT_RIGHTS && a.rights == 0);
    a = act_of("rights 0:1 0 read,atomic");
    CU_ASSERT_EQUAL(a.rights, XP_REMOTE_READ | XP_REMOTE_ATOMIC);
    CU_ASSERT_EQUAL(act_of("rights 0:1 0 write").rights, XP_REMOTE_WRITE);
}

static void inject_acts_spoil_names_a_request(void)
{
    struct load_act a = act_of("spoil 0:1 range wr=3 inside=2048");
    CU_ASSERT(a.kind == LOAD_ACT_SPOIL && a.spoil == LOAD_SPOIL_RANGE && a.qp == 1);
    CU_ASSERT(a.wr == 3 && a.inside_bytes == 2048);
    a = act_of("spoil 0:1 lkey at=5us");
    CU_ASSERT(a.spoil == LOAD_SPOIL_LKEY && a.wr == LOAD_WR_BY_TIME && a.when.from_ps == 5 * TM_US);
}

static void inject_acts_refuse_what_is_incomplete(void)
{
    static const char *const wrong[][2] = {
        {"kill 1", "a kill is incomplete; write kill 0 1ms"},
        {"kill 1 1us order=first",
         "the order 'first' is unknown; give qp (the QPs go first) or mr (the memory "
         "region does)"},
        {"kill 1 1us gap=1us", "gap stands without order; write order=qp gap=1ms"},
        {"kill 1 1us order=qp order=mr", "order stands twice; give it once"},
        {"stop 1", "a stop is incomplete; write stop 0 1ms..2ms"},
        {"error 1:0",
         "error lacks its QP or its time; write error 0:2 1ms for the third QP of host 0"},
        {"error 1 1us", "'1' is not a QP of a host; write 0:2 for the third QP of host 0"},
        {"rights 1:0 1us", "rights lacks what is left; write rights 0:2 1ms none"},
        {"rights 1:0 1us all",
         "'all' is not a right; give none, or any of write, read, atomic with commas between"},
        {"spoil 1:0", "a spoil is incomplete; write spoil 0:0 rkey wr=3"},
        {"spoil 1:0 key wr=0",
         "'key' cannot be spoiled; give lkey, sge, local_write, rkey, range or remote_access"},
        {"spoil 1:0 rkey", "a spoil needs either at=T or wr=N"},
        {"spoil 1:0 rkey wr=0 at=1us", "a spoil needs either at=T or wr=N"},
        {"spoil 1:0 rkey wr=0 inside=1", "inside has a meaning only with sge and range"},
        {"spoil 1:0 rkey wr=0 often=1",
         "'often=1' is not understood here; write spoil 0:0 range wr=3 inside=2048"},
        {"spoil 9:0 rkey wr=0", "'9' is not a host of this fabric; give a number from 0 to 1"},
    };
    struct sc_error err;
    struct inject_line l;
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        CU_ASSERT_FALSE(inject_parse("rule", wrong[i][0], &pair, &l, &err));
        if (strcmp(err.text, wrong[i][1]) != 0)
            printf("%s: %s\n", wrong[i][0], err.text);
        CU_ASSERT_STRING_EQUAL(err.text, wrong[i][1]);
    }
}

static const struct test tests[] = {TEST(inject_acts_kill_has_an_order),
                                    TEST(inject_acts_stop_may_repeat),
                                    TEST(inject_acts_of_a_qp),
                                    TEST(inject_acts_spoil_names_a_request),
                                    TEST(inject_acts_refuse_what_is_incomplete),
                                    TESTS_END};
const struct suite suite_inject_acts = {"inject_acts", tests};

/*
 * What a load refuses, and why; what it makes of the rest.
 */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/bed.h"

static void is_refused(const struct bed_cfg *c, const char *why)
{
    struct bed *b = bed_new(c);
    CU_ASSERT_PTR_NULL(b->load);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b->why);
    CU_ASSERT_STRING_EQUAL(b->why, why);
    bed_free(b);
}

static void setup_operations_are_asked_of_the_service(void)
{
    struct bed_cfg c = bed_cfg();
    c.qp.service = XP_UC;
    c.load.op = XP_WR_READ;
    is_refused(&c, "the service does not offer the operation");
    c.load.op = XP_WR_FETCH_ADD;
    is_refused(&c, "atomics are of 8 bytes; give size = 8");
    c.load.op = XP_WR_SEND_INV;
    is_refused(&c, "this operation is not among those that a load can post");
}

static void setup_endless_loads_are_refused(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.messages = 0;
    is_refused(&c, "neither a number of messages nor a duration bounds the load");
    c.load.messages = 1;
    c.load.load_ppm = 1;
    is_refused(&c, "an open-loop load needs a duration");
}

static void setup_amounts_out_of_range_are_refused(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.depth = 0;
    is_refused(&c, "a closed loop needs a depth above 0");
    c = bed_cfg();
    c.qp.rq_depth = 0;
    is_refused(&c, "qps, sq_depth and rq_depth must be above 0");
    c = bed_cfg();
    c.bytes = (1ull << 31) + 1;
    is_refused(&c, "a message is longer than 2^31 bytes");
    c = bed_cfg();
    c.bytes = 0;
    c.duration_ps = TM_MS;
    c.load.load_ppm = 1000;
    is_refused(&c, "the offered load makes no message, or one in years");
    c = bed_cfg();
    c.load.retry.on_error = LOAD_RECONNECT;
    is_refused(&c, "the time to reconnect must be above 0");
    c = bed_cfg();
    c.qp.timeout = 32;
    is_refused(&c, "the device refused the QP attributes");
}

static void setup_hosts_must_be_there(void)
{
    struct load_flow flow = {0, 2, 1, 0};
    struct bed_cfg c = bed_star(2, LOAD_INCAST);
    c.load.target = 2;
    is_refused(&c, "the target is not there");
    c = bed_cfg();
    c.act[c.act_count++] = (struct load_act){.kind = LOAD_ACT_KILL, .host = 2};
    is_refused(&c, "an event names a host that is not there");
    c.act[0] = (struct load_act){.kind = LOAD_ACT_DESTROY, .host = 1, .qp = 1};
    is_refused(&c, "destroy names a QP that is not there");
    /* A pair's traffic needs hosts 0 and 1; the third host of the trace is not there. */
    c = bed_star(3, LOAD_TRACE);
    flow.dst = 0;
    c.load.flow = &flow;
    c.load.flow_count = 1;
    is_refused(&c, "a trace flow's hosts are the same or not there");
}

static void setup_services_get_what_they_require(void)
{
    struct bed_cfg c = bed_cfg();
    CU_ASSERT_EQUAL(bed_result(&c).n.packets_sent, 20);
    c.qp.service = XP_UC;
    CU_ASSERT_EQUAL(bed_result(&c).n.packets_sent, 10);
}

static void note_entropy(void *self, const char *kind, const char *reason, const struct link *where,
                         const struct pkt *p, tm_ps now)
{
    uint64_t *sides = self;
    (void)reason, (void)where, (void)now;
    if (strcmp(kind, "send") == 0)
        sides[p->src_host] = p->entropy;
}

/* Both directions of a connection have one UDP source port, of the dynamic range. */
static void setup_entropy_belongs_to_the_connection(void)
{
    uint64_t side[2] = {0, 0};
    struct fab_tap tap = {note_entropy, side};
    struct bed_cfg c = bed_cfg();
    c.fab_tap = &tap;
    bed_result(&c);
    CU_ASSERT(side[0] >= 0xc000 && side[0] <= 0xffff);
    CU_ASSERT_EQUAL(side[0], side[1]);
}

static const struct test tests[] = {TEST(setup_operations_are_asked_of_the_service),
                                    TEST(setup_endless_loads_are_refused),
                                    TEST(setup_amounts_out_of_range_are_refused),
                                    TEST(setup_hosts_must_be_there),
                                    TEST(setup_services_get_what_they_require),
                                    TEST(setup_entropy_belongs_to_the_connection),
                                    TESTS_END};
const struct suite suite_setup = {"setup", tests};

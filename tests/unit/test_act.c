/*
 * Events from outside: their order, and where stalls end.
 */
#include <glib.h>

#include "models/load/host.h"
#include "tests/suite.h"
#include "tests/unit/bed.h"

#define ONCE(from, until)                                                                          \
    {                                                                                              \
        from, until, 0, 0                                                                          \
    }

/* Acts of two hosts out of order; host 1's stalls are [10, 20), [20, 30) and [50, 60). */
static struct load_act acts[5] = {
    {.kind = LOAD_ACT_STALL, .host = 1, .qp = 0, .when = ONCE(50, 60)},
    {.kind = LOAD_ACT_KILL, .host = 0, .qp = 0, .when = ONCE(5, 0)},
    {.kind = LOAD_ACT_STALL, .host = 1, .qp = 0, .when = ONCE(20, 30)},
    {.kind = LOAD_ACT_STALL, .host = 1, .qp = 0, .when = ONCE(10, 20)},
    {.kind = LOAD_ACT_STALL, .host = 0, .qp = 0, .when = ONCE(1, 99)},
};

static void act_stall_ends_where_the_last_of_a_row_ends(void)
{
    static const tm_ps at[8] = {9, 10, 19, 25, 30, 49, 50, 60};
    static const tm_ps want[8] = {9, 30, 30, 30, 30, 49, 60, 60};
    struct host host[3] = {{.id = 0}};
    struct load l = {.host = host, .env = {.hosts = 3, .act = acts, .act_count = 5}};
    for (int i = 0; i < 3; i++)
        host[i].load = &l;
    act_init(&l);
    for (int i = 0; i < 8; i++)
        CU_ASSERT_EQUAL(act_after_stall(&host[1], at[i]), want[i]);
    CU_ASSERT_EQUAL(act_after_stall(&host[2], 15), 15);
    CU_ASSERT_EQUAL(act_next(&host[0]), 1);
    CU_ASSERT_EQUAL(act_next(&host[1]), 10);
    CU_ASSERT_EQUAL(act_next(&host[2]), TM_NEVER);
    act_fini(&l);
}

/* [10, 14) and [20, 24) and [30, 34), and [24, 30) beside: each ends where the other begins. */
static void act_stall_that_comes_again_ends_each_time(void)
{
    static struct load_act again[3] = {
        {.kind = LOAD_ACT_STALL, .host = 0, .qp = 0, .when = {10, 14, 10, 3}},
        {.kind = LOAD_ACT_STALL, .host = 0, .qp = 0, .when = ONCE(24, 30)},
        {.kind = LOAD_ACT_NOPOLL, .host = 0, .qp = 0, .when = ONCE(11, 99)}};
    static const tm_ps at[7] = {9, 10, 14, 23, 30, 34, 40}, want[7] = {9, 14, 14, 34, 34, 34, 40};
    struct host host = {.id = 0};
    struct load l = {.host = &host, .env = {.hosts = 1, .act = again, .act_count = 3}};
    host.load = &l;
    act_init(&l);
    for (int i = 0; i < 7; i++)
        CU_ASSERT_EQUAL(act_after_stall(&host, at[i]), want[i]);
    CU_ASSERT_EQUAL(act_after_nopoll(&host, 10), 10);
    CU_ASSERT_EQUAL(act_after_nopoll(&host, 30), 99);
    act_fini(&l);
}

/* A dead client's requests end; what other hosts do goes on. */
static void act_kill_stops_one_host_alone(void)
{
    struct bed_cfg c = bed_star(4, LOAD_INCAST);
    c.load.messages = 100;
    c.act[c.act_count++] =
        (struct load_act){.kind = LOAD_ACT_KILL, .host = 2, .when.from_ps = 20000000};
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(bed_posted_by(b, 1), 100);
    CU_ASSERT_EQUAL(bed_posted_by(b, 3), 100);
    CU_ASSERT(bed_posted_by(b, 2) > 2 && bed_posted_by(b, 2) < 20);
    CU_ASSERT_EQUAL(b->sum.n.messages_failed, 0);
    bed_free(b);
}

/* Only the QP named goes: the other one of its host delivers everything. */
static void act_destroy_takes_the_qp_it_names(void)
{
    for (uint32_t qp = 0; qp < 2; qp++) {
        struct bed_cfg c = bed_cfg();
        struct load_qp_row row[2];
        c.load.qps = 2;
        c.act[c.act_count++] = (struct load_act){
            .kind = LOAD_ACT_DESTROY, .host = 0, .qp = qp, .when.from_ps = 6000000};
        struct bed *b = bed_new(&c);
        bed_run(b);
        load_qp_row(b->load, 0, &row[0]);
        load_qp_row(b->load, 1, &row[1]);
        CU_ASSERT_EQUAL(row[1 - qp].succeeded, 10);
        CU_ASSERT(row[qp].succeeded < 4);
        bed_free(b);
    }
}

static const struct test tests[] = {TEST(act_stall_ends_where_the_last_of_a_row_ends),
                                    TEST(act_stall_that_comes_again_ends_each_time),
                                    TEST(act_kill_stops_one_host_alone),
                                    TEST(act_destroy_takes_the_qp_it_names), TESTS_END};
const struct suite suite_act = {"act", tests};

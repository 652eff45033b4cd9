/* Packets come out by time, equal ones in the order in which they went in. */
#include <string.h>

#include "models/hca/lane.h"
#include "sim/base/rng.h"
#include "tests/unit/rig.h"

static void put(struct lane *l, uint32_t msgno, tm_ps at)
{
    struct pkt p = {.msgno = msgno, .wire_bytes = 100};
    lane_put(l, &p, at);
}

static void lane_gives_packets_by_time_and_equal_ones_in_order(void)
{
    struct lane l = {0};
    struct pkt p;
    char got[16] = "";
    CU_ASSERT_EQUAL(lane_next(&l), TM_NEVER);
    put(&l, 'c', 30);
    put(&l, 'a', 10);
    put(&l, 'b', 10);
    put(&l, 'd', 30);
    CU_ASSERT_EQUAL(lane_next(&l), 10);
    CU_ASSERT_EQUAL(l.bytes, 400);
    CU_ASSERT_FALSE(lane_take(&l, 9, &p));
    while (lane_take(&l, 30, &p))
        got[strlen(got)] = (char)p.msgno;
    TEXT_IS(got, "abcd");
    CU_ASSERT_EQUAL(l.bytes, 0);
    lane_fini(&l);
}

static void lane_of_many_stays_sorted(void)
{
    struct lane l = {0};
    struct rng_stream r = rng_stream(1, RNG_HOST, 0, 0);
    struct pkt p;
    uint32_t taken = 0, wrong = 0, number = 0;
    tm_ps now = 0;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 37; i++)
            put(&l, number++, now + 1 + (tm_ps)rng_below(&r, 50));
        now += 20;
        tm_ps last = 0;
        for (tm_ps next = lane_next(&l); lane_take(&l, now, &p); next = lane_next(&l)) {
            wrong += next < last;
            last = next;
            taken++;
        }
        wrong += lane_next(&l) <= now;
    }
    while (lane_take(&l, TM_NEVER, &p))
        taken++;
    CU_ASSERT_EQUAL(taken, 200 * 37);
    CU_ASSERT_EQUAL(wrong, 0);
    lane_fini(&l);
}

static const struct test tests[] = {TEST(lane_gives_packets_by_time_and_equal_ones_in_order),
                                    TEST(lane_of_many_stays_sorted), TESTS_END};
const struct suite suite_lane = {"lane", tests};

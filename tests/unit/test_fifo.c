/*
 * Rings of things due.
 */
#include "models/load/fifo.h"
#include "tests/suite.h"

static struct due at(tm_ps t, uint32_t end) { return (struct due){.at = t, .end = end}; }

static void fifo_empty_has_no_time(void)
{
    struct fifo f = {0};
    struct due d;
    CU_ASSERT_EQUAL(fifo_at(&f), TM_NEVER);
    CU_ASSERT_FALSE(fifo_take(&f, TM_NEVER, &d));
}

static void fifo_take_waits_for_the_time(void)
{
    struct fifo f = {0};
    struct due d = {0};
    fifo_put(&f, at(50, 7));
    CU_ASSERT_EQUAL(fifo_at(&f), 50);
    CU_ASSERT_FALSE(fifo_take(&f, 49, &d));
    CU_ASSERT_TRUE(fifo_take(&f, 50, &d));
    CU_ASSERT_EQUAL(d.end, 7);
    CU_ASSERT_FALSE(fifo_take(&f, 50, &d));
    fifo_fini(&f);
}

/* Grows from 8 while the head is in the middle of the ring. */
static void fifo_order_survives_growth(void)
{
    struct fifo f = {0};
    struct due d = {0};
    uint32_t put = 0, taken = 0;
    for (; put < 6; put++)
        fifo_put(&f, at(put, put));
    for (; taken < 5; taken++)
        CU_ASSERT_TRUE(fifo_take(&f, 100, &d) && d.end == taken);
    for (; put < 100; put++)
        fifo_put(&f, at(put, put));
    for (; taken < 100; taken++)
        CU_ASSERT_TRUE(fifo_take(&f, 100, &d) && d.end == taken);
    CU_ASSERT_EQUAL(f.count, 0);
    fifo_fini(&f);
}

static const struct test tests[] = {TEST(fifo_empty_has_no_time),
                                    TEST(fifo_take_waits_for_the_time),
                                    TEST(fifo_order_survives_growth), TESTS_END};
const struct suite suite_fifo = {"fifo", tests};

/*
 * Queues of outstanding READs.
 */
#include "models/hca/reads.h"
#include "tests/suite.h"

static void reads_queues_keep_apart_and_in_order(void)
{
    struct reads_item memory[9], out = {0};
    struct reads r;
    struct reads_fifo a = {0}, b = {0};
    reads_init(&r, memory, 8);
    for (uint32_t i = 0; i < 4; i++) {
        reads_put(&r, &a, (struct reads_item){100 + i, i, 0});
        reads_put(&r, &b, (struct reads_item){200 + i, i, 0});
    }
    for (uint32_t i = 0; i < 4; i++) {
        CU_ASSERT_TRUE(reads_take(&r, &b, &out) && out.tag == 200 + i && out.msgno == i);
        CU_ASSERT_TRUE(reads_take(&r, &a, &out) && out.tag == 100 + i && out.msgno == i);
    }
    CU_ASSERT_FALSE(reads_take(&r, &a, &out));
    CU_ASSERT_FALSE(reads_take(&r, &b, &out));
}

/* The pool holds 2: a hundred pass through it, and a cleared queue gives its slots back. */
static void reads_slots_are_used_again(void)
{
    struct reads_item memory[3], out = {0};
    struct reads r;
    struct reads_fifo q = {0};
    reads_init(&r, memory, 2);
    for (uint32_t i = 0; i < 100; i++) {
        reads_put(&r, &q, (struct reads_item){i, i, 0});
        reads_put(&r, &q, (struct reads_item){i, i + 1, 0});
        if (i % 3 == 0) {
            reads_clear(&r, &q);
            CU_ASSERT_FALSE(reads_take(&r, &q, &out));
            continue;
        }
        CU_ASSERT_TRUE(reads_take(&r, &q, &out) && out.msgno == i);
        CU_ASSERT_TRUE(reads_take(&r, &q, &out) && out.msgno == i + 1);
    }
    CU_ASSERT_EQUAL(r.used, 2);
}

static const struct test tests[] = {
    TEST(reads_queues_keep_apart_and_in_order),
    TEST(reads_slots_are_used_again),
    TESTS_END};
const struct suite suite_reads = {"reads", tests};

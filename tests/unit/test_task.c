/* The layout of an exchange: areas apart, bytes apart, values of atomics, refusals. */
#include <string.h>

#include "models/explore/task.h"
#include "tests/unit/rig.h"

static struct task task;

static struct task_spec spec_of(uint8_t op, uint32_t len)
{
    struct task_spec s = {.acked = true, .mtu = 256, .flows = 1, .flow = {{0, 1}}, .ops = 1};
    s.op[0] = (struct task_op){.op = op, .len = len};
    return s;
}

static void task_areas_lie_apart_with_guards(void)
{
    struct task_spec s = spec_of(XP_WR_SEND, 100);
    s.op[s.ops++] = (struct task_op){XP_WR_WRITE_IMM, 0, false, 700, false, 0};
    s.op[s.ops++] = (struct task_op){XP_WR_READ, 0, false, 5, false, 0};
    s.op[s.ops++] = (struct task_op){XP_WR_SEND, 0, true, 0, false, 0};
    CU_ASSERT_PTR_NULL(task_make(&s, &task));
    INT_IS(task.areas, 1 + 4 + 2 + 3); /* word, local ones, remote ones, receives */
    INT_IS(task.recvs, 3);
    for (uint32_t i = 0; i < task.areas; i++) {
        const struct task_area *a = &task.area[i];
        CU_ASSERT_TRUE(a->at >= TASK_GUARD && a->at + a->len + TASK_GUARD <= task.arena_bytes);
        for (uint32_t k = 0; k < i; k++) {
            const struct task_area *b = &task.area[k];
            CU_ASSERT_TRUE(a->end != b->end || a->at >= b->at + b->len + TASK_GUARD);
        }
    }
    INT_IS(task.area[task.recv[1].area].len, 100); /* all receives hold the longest SEND */
    INT_IS(task.area[task.recv[2].area].len, 100);
    INT_IS(task.message[1].packets, 3);
    INT_IS(task.message[3].packets, 1);
    INT_IS(task.message[1].imm, 0x1001);
    INT_IS(task.message[3].signalled, 0);
}

/* No eight bytes stand twice: neither at another place nor at the other time. */
static void task_images_differ_everywhere(void)
{
    struct task_spec s = spec_of(XP_WR_SEND, 1000);
    CU_ASSERT_PTR_NULL(task_make(&s, &task));
    uint32_t alike = 0;
    for (uint32_t i = 0; i < 200; i++)
        for (uint32_t k = 0; k < 200; k++) {
            alike += i != k && memcmp(task.filled[0] + 8 * i, task.filled[0] + 8 * k, 8) == 0;
            alike += memcmp(task.filled[0] + 8 * i, task.filled[1] + 8 * k, 8) == 0;
            alike += memcmp(task.filled[0] + 8 * i, task.used[0] + 8 * k, 8) == 0;
        }
    INT_IS(alike, 0);
}

static void task_atomics_follow_each_other(void)
{
    struct task_spec s = spec_of(XP_WR_FETCH_ADD, 77);
    s.op[s.ops++] = (struct task_op){XP_WR_CMP_SWAP, 0, false, 0, false, 0};
    s.op[s.ops++] = (struct task_op){XP_WR_FETCH_ADD, 0, false, 0, false, 0};
    CU_ASSERT_PTR_NULL(task_make(&s, &task));
    INT_IS(task.message[0].len, 8);
    INT_IS(task.atomics[0], 3);
    uint64_t first;
    memcpy(&first, task.filled[1] + task.area[task.word[0]].at, 8);
    CU_ASSERT_TRUE(task.value[0][0] == first);
    CU_ASSERT_TRUE(task.value[0][1] == first + task.message[0].operand);
    CU_ASSERT_TRUE(task.message[1].compare == task.value[0][1]);
    CU_ASSERT_TRUE(task.value[0][2] == task.message[1].operand);
    CU_ASSERT_TRUE(task.value[0][3] == task.value[0][2] + task.message[2].operand);
    INT_IS(task.message[2].remote, task.word[0]);
}

static void task_head_stands_before_each_receive(void)
{
    struct task_spec s = spec_of(XP_WR_SEND, 100);
    s.head = 40;
    CU_ASSERT_PTR_NULL(task_make(&s, &task));
    INT_IS(task.area[task.recv[0].area].len, 140);
}

static void task_that_does_not_fit_is_refused(void)
{
    struct task_spec s = spec_of(XP_WR_SEND, 0);
    s.ops = 0;
    TEXT_IS(task_make(&s, &task), "nothing is posted");
    s.ops = TASK_MESSAGES + 1;
    TEXT_IS(task_make(&s, &task), "more than 12 operations");
    s = spec_of(XP_WR_SEND, TASK_ARENA);
    TEXT_IS(task_make(&s, &task),
            "a message is too long: all of them together must fit 32 KiB at each end");
    s = spec_of(XP_WR_WRITE, 20000);
    s.op[s.ops++] = s.op[0];
    TEXT_IS(task_make(&s, &task), "the messages do not fit 32 KiB at each end");
    s = spec_of(XP_WR_WRITE, 100);
    s.op[s.ops++] = (struct task_op){.op = XP_WR_READ, .len = 100, .of = 1};
    CU_ASSERT_PTR_NULL(task_make(&s, &task));
    INT_IS(task.message[1].remote, task.message[0].remote);
    s.op[1].len = 101;
    TEXT_IS(task_make(&s, &task),
            "a READ of a message needs a WRITE, at least as long, before it in its queue");
}

static const struct test tests[] = {
    TEST(task_areas_lie_apart_with_guards),  TEST(task_images_differ_everywhere),
    TEST(task_atomics_follow_each_other),    TEST(task_head_stands_before_each_receive),
    TEST(task_that_does_not_fit_is_refused), TESTS_END};
const struct suite suite_task = {"task", tests};

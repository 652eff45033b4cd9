/* The heap against a table that is searched from end to end, and its order on literals. */
#include "sim/base/heap.h"
#include "sim/base/rng.h"
#include "tests/suite.h"

#define IDS 61
#define STEPS 20000

struct fixture {
    struct heap_item item[IDS];
    uint32_t pos[IDS];
    struct heap heap;
};

static void fixture_init(struct fixture *f)
{
    *f = (struct fixture){.heap = {.cap = IDS}};
    f->heap.item = f->item;
    f->heap.pos = f->pos;
}

/* Takes everything out; the ids in the order they came, as one number in base 10. */
static uint64_t drained(struct heap *h)
{
    uint64_t seen = 0;
    while (h->count > 0) {
        uint32_t id = heap_top(h)->id;
        seen = seen * 10 + id;
        heap_remove(h, id);
    }
    return seen;
}

static void heap_empty_has_no_top(void)
{
    struct fixture f;
    fixture_init(&f);
    CU_ASSERT_PTR_NULL(heap_top(&f.heap));
    heap_remove(&f.heap, 3);
    CU_ASSERT_EQUAL(f.heap.count, 0);
    CU_ASSERT_FALSE(heap_has(&f.heap, 3));
}

static void heap_equal_times_come_by_order(void)
{
    struct fixture f;
    fixture_init(&f);
    heap_set(&f.heap, 1, 50, 9);
    heap_set(&f.heap, 2, 50, 7);
    heap_set(&f.heap, 3, 49, 0x80000000u);
    heap_set(&f.heap, 4, 50, 0xffffffffu);
    heap_set(&f.heap, 5, 51, 0);
    CU_ASSERT_EQUAL(drained(&f.heap), 32145);
}

static void heap_set_again_moves_both_ways(void)
{
    struct fixture f;
    fixture_init(&f);
    for (uint32_t id = 1; id <= 6; id++)
        heap_set(&f.heap, id, 10 * id, id);
    heap_set(&f.heap, 6, 5, 6);
    heap_set(&f.heap, 1, 55, 1);
    CU_ASSERT_EQUAL(f.heap.count, 6);
    CU_ASSERT_EQUAL(drained(&f.heap), 623451);
}

static void heap_delayed_top_is_found_at_its_new_time(void)
{
    struct fixture f;
    fixture_init(&f);
    for (uint32_t id = 1; id <= 7; id++)
        heap_set(&f.heap, id, 10 * id, id);
    heap_delay_top(&f.heap, 45);
    CU_ASSERT_EQUAL(f.heap.item[f.pos[1] - 1].at, 45);
    CU_ASSERT_EQUAL(drained(&f.heap), 2341567);
}

static void heap_removed_middle_is_gone(void)
{
    struct fixture f;
    fixture_init(&f);
    for (uint32_t id = 1; id <= 7; id++)
        heap_set(&f.heap, id, 10 * (8 - id), id);
    heap_remove(&f.heap, 4);
    CU_ASSERT_FALSE(heap_has(&f.heap, 4));
    CU_ASSERT_EQUAL(drained(&f.heap), 765321);
}

/* ---- the same steps on a table --------------------------------------------------------------- */

struct model {
    tm_ps at[IDS]; /* -1: absent */
};

/* order = 1000 - id: never the order of the ids. */
static int model_least(const struct model *m)
{
    int least = -1;
    for (int i = 0; i < IDS; i++) {
        if (m->at[i] >= 0 && (least < 0 || m->at[i] <= m->at[least]))
            least = i;
    }
    return least;
}

static void step(struct fixture *f, struct model *m, struct rng_stream *r)
{
    uint32_t id = (uint32_t)rng_below(r, IDS);
    tm_ps at = (tm_ps)rng_below(r, 40);
    int least = model_least(m);
    switch (rng_below(r, 4)) {
    case 0:
    case 1:
        heap_set(&f->heap, id, at, 1000 - id);
        m->at[id] = at;
        break;
    case 2:
        heap_remove(&f->heap, id);
        m->at[id] = -1;
        break;
    default:
        if (least < 0)
            break;
        m->at[least] += at;
        heap_delay_top(&f->heap, m->at[least]);
    }
}

static bool same(const struct fixture *f, const struct model *m)
{
    int least = model_least(m);
    const struct heap_item *top = heap_top(&f->heap);
    if ((least < 0) != (top == NULL) || (top && top->id != (uint32_t)least))
        return false;
    for (uint32_t id = 0; id < IDS; id++) {
        if (heap_has(&f->heap, id) != (m->at[id] >= 0))
            return false;
        if (m->at[id] < 0)
            continue;
        const struct heap_item *it = &f->item[f->pos[id] - 1];
        if (it->id != id || it->at != m->at[id] || it->order != 1000 - id)
            return false;
    }
    return true;
}

static void heap_random_steps_agree_with_a_table(void)
{
    struct fixture f;
    struct model m;
    struct rng_stream r = rng_stream(1, RNG_RUN, 0, 1);
    fixture_init(&f);
    for (int i = 0; i < IDS; i++)
        m.at[i] = -1;
    int bad = 0;
    for (int i = 0; i < STEPS && bad == 0; i++) {
        step(&f, &m, &r);
        if (!same(&f, &m))
            bad = i + 1;
    }
    CU_ASSERT_EQUAL(bad, 0);
}

static const struct test tests[] = {TEST(heap_empty_has_no_top),
                                    TEST(heap_equal_times_come_by_order),
                                    TEST(heap_set_again_moves_both_ways),
                                    TEST(heap_delayed_top_is_found_at_its_new_time),
                                    TEST(heap_removed_middle_is_gone),
                                    TEST(heap_random_steps_agree_with_a_table),
                                    TESTS_END};
const struct suite suite_heap = {"heap", tests};

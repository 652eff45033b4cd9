/* The table of states: what was put in is found, and nothing else. */
#include "models/explore/seen.h"
#include "tests/unit/rig.h"

static void seen_pair_is_found_with_its_count(void)
{
    struct seen s;
    seen_init(&s);
    seen_put(&s, 7, 2, 15);
    INT_IS(seen_find(&s, 7, 2), 15);
    INT_IS(seen_find(&s, 7, 1), 0); /* with fewer faults left it is another question */
    INT_IS(seen_find(&s, 8, 2), 0);
    seen_fini(&s);
}

static void seen_holds_through_growth(void)
{
    struct seen s;
    uint64_t wrong = 0;
    seen_init(&s);
    for (uint64_t i = 0; i < 20000; i++)
        seen_put(&s, i * i, (uint32_t)(i % 3), i + 1);
    for (uint64_t i = 0; i < 20000; i++)
        wrong += seen_find(&s, i * i, (uint32_t)(i % 3)) != i + 1;
    INT_IS(wrong, 0);
    INT_IS(s.used, 20000);
    seen_fini(&s);
}

static const struct test tests[] = {TEST(seen_pair_is_found_with_its_count),
                                    TEST(seen_holds_through_growth), TESTS_END};
const struct suite suite_seen = {"seen", tests};

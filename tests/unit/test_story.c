/* The record of a schedule: all events, in order, through its growth. */
#include "models/explore/story.h"
#include "tests/unit/rig.h"

static void story_keeps_all_events_in_order(void)
{
    struct story s = {0};
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        struct story_event e = {.at = i};
        story_add(&s, &e);
    }
    for (uint32_t i = 0; i < 1000; i++)
        wrong += s.event[i].at != i;
    INT_IS(s.count, 1000);
    INT_IS(wrong, 0);
    story_clear(&s);
    INT_IS(s.count, 0);
}

static const struct test tests[] = {TEST(story_keeps_all_events_in_order), TESTS_END};
const struct suite suite_story = {"story", tests};

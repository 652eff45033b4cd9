/* A schedule as lines. */
#include "models/explore/story.h"
#include <string.h>

#include "tests/unit/rig.h"

static void line_is(const struct story_event *e, const char *want)
{
    char line[480];
    INT_IS(story_text(e, line, sizeof line), strlen(want));
    TEXT_IS(line, want);
    INT_IS(story_text(e, line, strlen(want)), 0);
}

static void story_events_are_lines(void)
{
    struct story_event e = {.at = 12 * TM_US + 5, .kind = STORY_LEFT, .end = 1};
    e.h.opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY);
    e.h.flags = WIRE_MIGREQ;
    e.h.pkey = 0xffff;
    e.h.psn = psn(7);
    e.h.dest_qp = 3;
    line_is(&e, "     12.000005 us  b  sends    RC_SEND_ONLY psn=7 qp=3 len=0");
    e.fault = (struct fault){1, 0, FATE_DUP_LATE, 4};
    line_is(&e,
            "     12.000005 us  b  sends    RC_SEND_ONLY psn=7 qp=3 len=0   <-- b2a 5 dup-late");
    e.kind = STORY_ARRIVED;
    line_is(&e, "     12.000005 us  b  receives RC_SEND_ONLY psn=7 qp=3 len=0");
    e.kind = STORY_TIMER;
    line_is(&e, "     12.000005 us  b  ACK timer fires");
    e.wc = (struct xp_wc){.wr_id = 9, .status = XP_WC_RETRY_EXC_ERR, .byte_len = 11};
    e.kind = STORY_DONE;
    line_is(&e, "     12.000005 us  b  request 9 completes: RETRY_EXC_ERR");
    e.kind = STORY_RECEIVED;
    line_is(&e, "     12.000005 us  b  receive 9 completes: RETRY_EXC_ERR, 11 bytes");
}

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

static const struct test tests[] = {TEST(story_events_are_lines),
                                    TEST(story_keeps_all_events_in_order), TESTS_END};
const struct suite suite_story = {"story", tests};

/* A story as a ladder, compared whole. */
#include <stdlib.h>
#include <string.h>

#include "scenarios/run/explore_ladder.h"
#include "tests/unit/rig.h"

static struct story story;

static void packet(enum story_kind kind, tm_ps at, uint8_t from, uint64_t number, enum wire_op op)
{
    struct story_event e = {.at = at, .kind = kind, .packet = number};
    e.end = kind == STORY_LEFT ? from : (uint8_t)!from;
    e.fault = (struct fault){from, (uint8_t)!from, FATE_NONE, (uint32_t)number};
    e.h.opcode = wire_opcode(WIRE_RC, op);
    e.h.psn = psn(7);
    e.h.payload_bytes = op == OP_SEND_ONLY ? 100 : 0;
    e.h.flags = op == OP_SEND_ONLY ? WIRE_ACKREQ : 0;
    e.h.syndrome = aeth_syndrome(AETH_ACK, AETH_CREDIT_NONE);
    story_add(&story, &e);
}

static void happens(enum story_kind kind, tm_ps at, uint8_t end)
{
    struct story_event e = {.at = at, .kind = kind, .end = end};
    e.wc.wr_id = 3;
    e.wc.byte_len = 100;
    story_add(&story, &e);
}

static void ladder_is(const char *want)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    explore_ladder(&story, out);
    fclose(out);
    TEXT_IS(text, want);
    free(text);
    story_clear(&story);
}

static void explore_ladder_shows_packets_where_they_arrive(void)
{
    packet(STORY_LEFT, 0, 0, 0, OP_SEND_ONLY);
    story.event[0].fault.fate = FATE_DROP;
    packet(STORY_LEFT, TM_US / 2, 0, 1, OP_SEND_ONLY);
    story.event[1].fault.fate = FATE_DUP;
    packet(STORY_ARRIVED, 1500 * TM_NS, 0, 1, OP_SEND_ONLY);
    happens(STORY_RECEIVED, 1500 * TM_NS, 1);
    packet(STORY_LEFT, 2 * TM_US, 1, 2, OP_ACKNOWLEDGE);
    packet(STORY_ARRIVED, 2 * TM_US, 0, 1, OP_SEND_ONLY); /* the copy */
    packet(STORY_LEFT, 2 * TM_US, 1, 3, OP_ACKNOWLEDGE);
    story.event[story.count - 1].fault.fate = FATE_CORRUPT;
    packet(STORY_ARRIVED, 3 * TM_US, 1, 2, OP_ACKNOWLEDGE);
    happens(STORY_DONE, 3 * TM_US, 0);
    happens(STORY_TIMER, 70 * TM_US, 0);
    ladder_is(
        "        us a                                                          b\n"
        "     0.000 |- RC_SEND_ONLY 7 100B ! ------------------------------X   |             a2b 1 drop\n"
        "     0.500 |- RC_SEND_ONLY 7 100B ! --------------------------------->| 1.500       a2b 2 dup\n"
        "           |                            receive 3: SUCCESS, 100 bytes * 1.500\n"
        "     0.500 |- RC_SEND_ONLY 7 100B ! --------------------------------->| 2.000       a2b 2 dup\n"
        "           |   X- RC_ACKNOWLEDGE 7 ACK:credit31 ----------------------| 2.000       b2a 4 corrupt\n"
        "     3.000 |<---- RC_ACKNOWLEDGE 7 ACK:credit31 ----------------------| 2.000\n"
        "     3.000 * request 3: SUCCESS                                       |\n"
        "    70.000 * ACK timer fires                                          |\n");
}

static const struct test tests[] = {TEST(explore_ladder_shows_packets_where_they_arrive),
                                    TESTS_END};
const struct suite suite_explore_ladder = {"explore_ladder", tests};

/* Bytes between memory and packets: lists of segments, values, atomics. */
#include <string.h>

#include "models/hca/move.h"
#include "tests/unit/rig.h"

static uint8_t memory[256];
static const struct hca_bytes bytes = {.at = memory, .base = 0x1000, .bytes = sizeof memory};

static void fill(void)
{
    for (int i = 0; i < 256; i++)
        memory[i] = (uint8_t)i;
}

static void move_gathers_the_segments_of_a_packet(void)
{
    uint8_t out[MOVE_PAYLOAD_MAX] = {0};
    struct xp_tx tx = {.seg = {.addr = 0x1004, .len = 3}, .segs = 3};
    static const uint8_t wanted[] = {4, 5, 6, 255, 16, 17};
    tx.rest[0] = (struct xp_seg){.addr = 0x10ff, .len = 1};
    tx.rest[1] = (struct xp_seg){.addr = 0x1010, .len = 2};
    fill();
    move_gather(&bytes, &tx, out);
    INT_IS(memcmp(out, wanted, 6), 0);
    INT_IS(out[6], 0);
}

static void move_scatters_over_segments_and_touches_nothing_else(void)
{
    static const uint8_t payload[] = {91, 92, 93};
    struct xp_rx rx = {.deed = XP_PLACE, .seg = {.addr = 0x1000, .len = 1}, .segs = 2};
    rx.rest[0] = (struct xp_seg){.addr = 0x1080, .len = 2};
    fill();
    INT_IS(move_place(&bytes, &rx, payload), 0);
    for (int i = 0; i < 256; i++)
        INT_IS(memory[i], i == 0 ? 91 : i == 0x80 ? 92 : i == 0x81 ? 93 : i);
}

static void move_puts_a_value_in_host_order(void)
{
    struct xp_rx rx = {
        .deed = XP_PLACE_VALUE, .seg = {.addr = 0x1008, .len = 8}, .segs = 1, .value = 77};
    uint64_t found;
    fill();
    move_place(&bytes, &rx, NULL);
    memcpy(&found, memory + 8, 8);
    INT_IS(found, 77);
}

static void move_does_atomics_and_tells_what_was_there(void)
{
    static const struct {
        bool swap;
        uint64_t before, operand, compare, after;
    } rows[] = {
        {false, 5, 3, 0, 8}, {false, UINT64_MAX, 2, 0, 1}, {true, 5, 9, 5, 9}, {true, 5, 9, 6, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xp_rx rx = {.deed = XP_ATOMIC,
                           .seg = {.addr = 0x1010, .len = 8},
                           .segs = 1,
                           .is_cmp_swap = rows[i].swap,
                           .swap_or_add = rows[i].operand,
                           .compare = rows[i].compare};
        uint64_t after;
        memcpy(memory + 16, &rows[i].before, 8);
        INT_IS(move_place(&bytes, &rx, NULL) == rows[i].before, true);
        memcpy(&after, memory + 16, 8);
        INT_IS(after == rows[i].after, true);
    }
}

static void move_of_nothing_changes_nothing(void)
{
    struct xp_rx nothing = {.deed = XP_NOTHING}, held = {.deed = XP_HOLD, .slot = 1};
    fill();
    move_place(&bytes, &nothing, NULL);
    move_place(&bytes, &held, NULL);
    for (int i = 0; i < 256; i++)
        INT_IS(memory[i], i);
}

static const struct test tests[] = {TEST(move_gathers_the_segments_of_a_packet),
                                    TEST(move_scatters_over_segments_and_touches_nothing_else),
                                    TEST(move_puts_a_value_in_host_order),
                                    TEST(move_does_atomics_and_tells_what_was_there),
                                    TEST(move_of_nothing_changes_nothing),
                                    TESTS_END};
const struct suite suite_move = {"move", tests};

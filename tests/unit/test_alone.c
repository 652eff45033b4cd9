/*
 * The cache before fab_alone_ps: whatever it forgets, what it says is right.
 */
#include "models/hca/alone.h"
#include "tests/suite.h"
#include "tests/unit/bed.h"

static struct pkt last_packet(uint16_t src, enum wire_op op)
{
    return (struct pkt){.h = {.opcode = wire_opcode(WIRE_RC, op)}, .src_host = src, .dst_host = 3};
}

static void alone_headers_come_from_the_last_packet(void)
{
    static const struct {
        enum wire_op op;
        uint32_t bytes, first_headers;
    } row[] = {
        {OP_SEND_ONLY, 100, 12},      {OP_SEND_ONLY_IMM, 100, 16},   {OP_WRITE_ONLY, 100, 28},
        {OP_WRITE_ONLY_IMM, 100, 32}, {OP_SEND_LAST, 9000, 12},      {OP_SEND_LAST_IMM, 9000, 12},
        {OP_WRITE_LAST, 9000, 28},    {OP_WRITE_LAST_IMM, 9000, 28},
    };
    struct bed_cfg c = bed_star(4, LOAD_RING);
    struct bed *b = bed_new(&c);
    struct alone *a = alone_new(4096);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct pkt p = last_packet(1, row[i].op);
        CU_ASSERT_EQUAL(alone_ps(a, b->fab, &p, row[i].bytes),
                        fab_alone_ps(b->fab, 1, 3, row[i].bytes, 4096, row[i].first_headers, 12));
    }
    alone_free(a);
    bed_free(b);
}

/* Five thousand lengths pass through a thousand places twice; sources of different delay apart. */
static void alone_collisions_do_not_mix(void)
{
    struct bed_cfg c = bed_star(4, LOAD_RING);
    c.fab.topology = FAB_DUMBBELL;
    struct bed *b = bed_new(&c);
    struct alone *a = alone_new(1024);
    uint32_t wrong = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t bytes = 1; bytes <= 5000; bytes++) {
            uint16_t src = bytes % 2 ? 0 : 2; /* over the trunk; beside host 3 */
            struct pkt p = last_packet(src, bytes <= 1024 ? OP_WRITE_ONLY : OP_WRITE_LAST);
            wrong +=
                alone_ps(a, b->fab, &p, bytes) != fab_alone_ps(b->fab, src, 3, bytes, 1024, 28, 12);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    alone_free(a);
    bed_free(b);
}

static const struct test tests[] = {TEST(alone_headers_come_from_the_last_packet),
                                    TEST(alone_collisions_do_not_mix), TESTS_END};
const struct suite suite_alone = {"alone", tests};

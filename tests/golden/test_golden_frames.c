/*
 * Frames that Linux Soft-RoCE sent (README.md tells how they were collected): each must come
 * apart into the fields that the capture's own list gives, and go together again byte for byte.
 *
 * A line of frames.txt: case, record, opcode, icrc_ok, the fields of `columns` below, the frame
 * in hexadecimal; `-` for what the packet does not have.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/frame.h"
#include "models/wire/text.h"
#include "tests/suite.h"
#include "tests/unit/wire_random.h"

#define FRAME_MAX 4352
#define LINE_MAX_BYTES (2 * FRAME_MAX + 1024)
#define MANY_FRAMES 100

/* The columns between icrc_ok and the frame. */
enum column {
    C_PSN,
    C_ACKREQ,
    C_SE,
    C_PAYLEN,
    C_PAD,
    C_SYNDROME,
    C_MSN,
    C_DMALEN,
    C_SWAP_ADD,
    C_COMPARE,
    C_ORIG,
    C_IMM,
    C_QKEY,
    C_SQPN,
    C_DQPN,
    C_PKEY,
    C_MIG,
    C_FECN,
    C_BECN,
    C_TOS,
    C_TTL,
    C_SPORT,
    COLUMNS
};

struct golden {
    const char *name, *record, *opcode, *icrc_ok;
    const char *column[COLUMNS];
    uint8_t frame[FRAME_MAX];
    size_t len;
};

struct taken {
    struct wire_hdr h;
    struct wire_ext e;
    struct wire_addr a;
    const uint8_t *payload;
};

static bool read_hex(const char *text, uint8_t *out, size_t *len)
{
    unsigned byte;
    for (*len = 0; *len < FRAME_MAX && sscanf(text, "%2x", &byte) == 1; text += 2)
        out[(*len)++] = (uint8_t)byte;
    return *text == 0 && *len > 0;
}

/* Cuts the line into its words; false when there are not as many as there must be. */
static bool read_line(char *line, struct golden *g)
{
    const char *words[4 + COLUMNS + 1];
    unsigned n = 0;
    for (char *w = strtok(line, " \n"); w; w = strtok(NULL, " \n")) {
        if (n == sizeof words / sizeof words[0])
            return false;
        words[n++] = w;
    }
    if (n != sizeof words / sizeof words[0])
        return false;
    g->name = words[0];
    g->record = words[1];
    g->opcode = words[2];
    g->icrc_ok = words[3];
    memcpy(g->column, words + 4, sizeof g->column);
    return read_hex(words[4 + COLUMNS], g->frame, &g->len);
}

/* The value that the packet has in a column; what its opcode has no header for is 0. */
static uint64_t value_of(enum column c, const struct taken *t)
{
    const uint64_t values[COLUMNS] = {
        [C_PSN] = t->h.psn.v,
        [C_ACKREQ] = (t->h.flags & WIRE_ACKREQ) != 0,
        [C_SE] = (t->h.flags & WIRE_SE) != 0,
        [C_PAYLEN] = t->h.payload_bytes,
        [C_PAD] = wire_pad(t->h.payload_bytes),
        [C_SYNDROME] = t->h.syndrome,
        [C_MSN] = t->h.msn,
        [C_DMALEN] = t->h.dmalen,
        [C_SWAP_ADD] = t->e.swap_or_add,
        [C_COMPARE] = t->e.compare,
        [C_ORIG] = t->e.original,
        [C_IMM] = wire_headers_of(t->h.opcode).set & HDR_IMM ? t->h.imm : 0,
        [C_QKEY] = t->e.qkey,
        [C_SQPN] = t->e.src_qp,
        [C_DQPN] = t->h.dest_qp,
        [C_PKEY] = t->h.pkey,
        [C_MIG] = (t->h.flags & WIRE_MIGREQ) != 0,
        [C_FECN] = (t->h.flags & WIRE_FECN) != 0,
        [C_BECN] = (t->h.flags & WIRE_BECN) != 0,
        [C_TOS] = t->a.tos,
        [C_TTL] = t->a.ttl,
        [C_SPORT] = t->a.src_port,
    };
    return values[c];
}

/* The first column in which packet and list differ, COLUMNS when none does. */
static unsigned differing_column(const struct golden *g, const struct taken *t)
{
    for (unsigned c = 0; c < COLUMNS; c++) {
        const char *want = g->column[c];
        uint8_t syndrome = 0;
        if (strcmp(want, "-") == 0) {
            if (value_of((enum column)c, t) != 0)
                return c;
        } else if (c == C_SYNDROME) {
            if (!wire_syndrome_parse(want, &syndrome) || syndrome != t->h.syndrome)
                return c;
        } else if (strtoull(want, NULL, 10) != value_of((enum column)c, t)) {
            return c;
        }
    }
    return COLUMNS;
}

/* Whether the frame goes together again; of one with a wrong ICRC all but those 4 bytes. */
static bool rebuilds(const struct golden *g, const struct taken *t, bool icrc_ok)
{
    uint8_t out[FRAME_MAX];
    size_t len = wire_frame_build(&t->h, &t->e, t->payload, &t->a, ENCAP_ROCEV2, out, sizeof out);
    return len == g->len && memcmp(out, g->frame, len - (icrc_ok ? 0 : 4)) == 0 &&
           (icrc_ok || memcmp(out + len - 4, g->frame + len - 4, 4) != 0);
}

static bool reads_back_as_text(const struct taken *t)
{
    char line[WIRE_TEXT_MAX];
    struct taken again;
    return wire_text(&t->h, &t->e, line, sizeof line) > 0 &&
           wire_text_parse(line, &again.h, &again.e) && wire_hdr_equal(&t->h, &again.h) &&
           wire_ext_equal(&t->e, &again.e);
}

/* What is wrong with our reading of the frame, NULL when nothing is. */
static const char *complaint(const struct golden *g)
{
    struct taken t;
    struct wire_opcode opcode;
    bool icrc_ok = strcmp(g->icrc_ok, "1") == 0;
    enum wire_frame_fault want = icrc_ok ? FRAME_OK : FRAME_BAD_ICRC;
    if (wire_frame_parse(g->frame, g->len, &t.h, &t.e, &t.a, &t.payload) != want)
        return "verdict";
    if (!wire_opcode_parse(g->opcode, &opcode) || opcode.v != t.h.opcode.v)
        return "opcode";
    if (differing_column(g, &t) != COLUMNS)
        return "a field";
    if (wire_bytes(&t.h, ENCAP_ROCEV2) != g->len + 24)
        return "bytes on the wire";
    if (!rebuilds(g, &t, icrc_ok))
        return "rebuilt frame";
    return reads_back_as_text(&t) ? NULL : "text";
}

static FILE *open_frames(void)
{
    char path[1024];
    const char *tests = getenv("RDMASIM_TESTS");
    snprintf(path, sizeof path, "%s/golden/frames.txt", tests ? tests : "tests");
    return fopen(path, "r");
}

static void golden_frames_of_soft_roce_come_apart_and_together_again(void)
{
    static char line[LINE_MAX_BYTES];
    static struct golden g;
    unsigned frames = 0, corrupt = 0;
    FILE *f = open_frames();
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            continue;
        const char *wrong = read_line(line, &g) ? complaint(&g) : "line";
        if (wrong)
            printf("frames.txt: %s record %s: %s\n", g.name, g.record, wrong);
        CU_ASSERT_PTR_NULL(wrong);
        frames++;
        corrupt += strcmp(g.icrc_ok, "0") == 0;
    }
    fclose(f);
    CU_ASSERT_TRUE(frames > MANY_FRAMES);
    CU_ASSERT_TRUE(corrupt > 0);
}

static const struct test tests[] = {
    TEST(golden_frames_of_soft_roce_come_apart_and_together_again),
    TESTS_END,
};

const struct suite suite_golden_frames = {"golden_frames", tests};

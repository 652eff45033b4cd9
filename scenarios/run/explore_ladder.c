/*
 * Rows of fixed width: the time at a, a's line, what happens, b's line, the time at b, the fault.
 */
#include "scenarios/run/explore_ladder.h"

#include <string.h>

#include "models/wire/text.h"

enum { MIDDLE = 58, WHAT_MAX = 120 };

static const struct story_event *find_left(const struct story *s, uint64_t packet)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->event[i].kind == STORY_LEFT && s->event[i].packet == packet)
            return &s->event[i];
    return NULL;
}

static bool arrived_since(const struct story *s, uint32_t from, uint64_t packet)
{
    for (uint32_t i = from; i < s->count; i++)
        if (s->event[i].kind == STORY_ARRIVED && s->event[i].packet == packet)
            return true;
    return false;
}

/* "RC_SEND_ONLY 7 100B !", "RC_ACKNOWLEDGE 7 NAK:PSN_SEQ": opcode, PSN, payload, AckReq, AETH. */
static void packet_text(const struct wire_hdr *h, char *out, size_t size)
{
    char name[WIRE_OPCODE_NAME_MAX] = "?", aeth[40] = "", bytes[16] = "";
    wire_opcode_name(h->opcode, name, sizeof name);
    if (wire_headers_of(h->opcode).set & HDR_AETH)
        wire_syndrome_text(h->syndrome, aeth, sizeof aeth);
    if (h->payload_bytes)
        snprintf(bytes, sizeof bytes, " %uB", h->payload_bytes);
    snprintf(out, size, "%s %u%s%s%s%s", name, h->psn.v, bytes, h->flags & WIRE_ACKREQ ? " !" : "",
             *aeth ? " " : "", aeth);
}

static void time_text(tm_ps t, char out[24])
{
    snprintf(out, 24, "%lld.%03lld", (long long)(t / TM_US), (long long)(t % TM_US / TM_NS));
}

/* The arrow with the packet's text on it, from the left or from the right; lost: it ends half way. */
static void arrow(char out[MIDDLE + 1], const char *text, bool rightward, bool lost)
{
    size_t n = strlen(text), most = MIDDLE - 12, at = rightward ? 2 : 6;
    n = n < most ? n : most;
    memset(out, '-', MIDDLE);
    out[MIDDLE] = 0;
    out[at - 1] = out[at + n] = ' ';
    memcpy(out + at, text, n);
    if (lost)
        memcpy(rightward ? out + MIDDLE - 4 : out, rightward ? "X   " : "   X", 4);
    else
        out[rightward ? MIDDLE - 1 : 0] = rightward ? '>' : '<';
}

static void packet_row(const struct story_event *left, const struct story_event *e, FILE *out)
{
    char text[WHAT_MAX], middle[MIDDLE + 1], here[24], there[24] = "", fault[40] = "";
    bool rightward = left->end == 0, lost = e == left;
    packet_text(&e->h, text, sizeof text);
    arrow(middle, text, rightward, lost);
    time_text(left->at, here);
    if (!lost)
        time_text(e->at, there);
    fprintf(out, "%10s |%s| ", rightward ? here : there, middle);
    if (left->fault.fate != FATE_NONE) {
        fault_text(&left->fault, fault, sizeof fault);
        fprintf(out, "%-11s %s\n", rightward ? there : here, fault);
    } else
        fprintf(out, "%s\n", rightward ? there : here);
}

static void side_row(const struct story_event *e, const char *text, FILE *out)
{
    char at[24];
    time_text(e->at, at);
    if (e->end == 0)
        fprintf(out, "%10s * %-*s|\n", at, MIDDLE - 1, text);
    else
        fprintf(out, "%10s |%*s * %s\n", "", MIDDLE - 1, text, at);
}

static void row(const struct story *s, uint32_t i, FILE *out)
{
    const struct story_event *e = &s->event[i];
    const char *status = xp_status_name((enum xp_status)e->wc.status);
    char text[WHAT_MAX];
    switch (e->kind) {
    case STORY_LEFT:
        if (!arrived_since(s, i, e->packet))
            packet_row(e, e, out);
        return;
    case STORY_ARRIVED:
        packet_row(find_left(s, e->packet), e, out);
        return;
    case STORY_TIMER:
        snprintf(text, sizeof text, "ACK timer fires");
        break;
    case STORY_DONE:
        snprintf(text, sizeof text, "request %u: %s", (unsigned)e->wc.wr_id, status);
        break;
    case STORY_RECEIVED:
        snprintf(text, sizeof text, "receive %u: %s, %u bytes", (unsigned)e->wc.wr_id, status,
                 e->wc.byte_len);
        break;
    }
    side_row(e, text, out);
}

void explore_ladder(const struct story *s, FILE *out)
{
    fprintf(out, "%10s a%*s\n", "us", MIDDLE + 1, "b");
    for (uint32_t i = 0; i < s->count; i++)
        row(s, i, out);
}

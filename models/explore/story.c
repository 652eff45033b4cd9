/*
 * The record of one schedule, and its lines.
 */
#include "models/explore/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/text.h"
#include "sim/base/check.h"

void story_add(struct story *s, const struct story_event *e)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 64;
        s->event = realloc(s->event, s->cap * sizeof *s->event);
        CHECK(s->event != NULL);
    }
    s->event[s->count++] = *e;
}

void story_clear(struct story *s)
{
    free(s->event);
    *s = (struct story){0};
}

static const char *packet_text(const struct story_event *e, char out[WIRE_TEXT_MAX])
{
    if (wire_text(&e->h, &e->e, out, WIRE_TEXT_MAX) == 0)
        snprintf(out, WIRE_TEXT_MAX, "opcode 0x%02x", e->h.opcode.v);
    return out;
}

static void what_text(const struct story_event *e, char *out, size_t size)
{
    char packet[WIRE_TEXT_MAX], fault[40];
    switch (e->kind) {
    case STORY_LEFT:
        fault_text(&e->fault, fault, sizeof fault);
        snprintf(out, size, "sends    %s%s%s", packet_text(e, packet),
                 e->fault.fate == FATE_NONE ? "" : "   <-- ",
                 e->fault.fate == FATE_NONE ? "" : fault);
        break;
    case STORY_ARRIVED:
        snprintf(out, size, "receives %s", packet_text(e, packet));
        break;
    case STORY_TIMER:
        snprintf(out, size, "ACK timer fires");
        break;
    case STORY_DONE:
        snprintf(out, size, "request %llu completes: %s", (unsigned long long)e->wc.wr_id,
                 xp_status_name((enum xp_status)e->wc.status));
        break;
    case STORY_RECEIVED:
        snprintf(out, size, "receive %llu completes: %s, %u bytes", (unsigned long long)e->wc.wr_id,
                 xp_status_name((enum xp_status)e->wc.status), e->wc.byte_len);
        break;
    }
}

size_t story_text(const struct story_event *e, char *out, size_t size)
{
    char what[WIRE_TEXT_MAX + 80];
    what_text(e, what, sizeof what);
    int n = snprintf(out, size, "%7lld.%06lld us  %c  %s", (long long)(e->at / TM_US),
                     (long long)(e->at % TM_US), 'a' + e->end, what);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

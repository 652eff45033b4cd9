/*
 * Fates of packets: what a decision does to those in flight.
 *
 * Times come from the requester's own timer: a delayed packet arrives half a way after it has fired,
 * when the repetition is on its way, or three ways after, when it has been answered.
 */
#include <stdlib.h>
#include <string.h>

#include "models/explore/flight.h"
#include "models/explore/stage.h"
#include "sim/base/check.h"

#define COPY_LATE_HALVES 5 /* of the delay: the exchange that followed is over */
#define PAST_HALVES 1
#define ANSWERED_HALVES 6
#define NO_TIMER_WAYS 4 /* services without a timer */

/* Index in flight of the oldest packet without a fate; l->flights: none. */
static uint32_t find_pending(const struct stage *s)
{
    const struct loop *l = s->loop;
    uint32_t found = l->flights;
    for (uint32_t i = 0; i < l->flights; i++)
        if (l->flight[i].order >= s->decided &&
            (found == l->flights || l->flight[i].order < l->flight[found].order))
            found = i;
    return found;
}

bool stage_pending(const struct stage *s, struct fault *which)
{
    uint32_t i = find_pending(s);
    if (i == s->loop->flights)
        return false;
    const struct loop_packet *p = &s->loop->flight[i];
    *which = (struct fault){(uint8_t)p->from, (uint8_t)p->to, FATE_NONE, s->sent[p->from][p->to]};
    return true;
}

/* Behind the packets that arrive before it or with it. */
static void put_by_time(struct loop *l, struct loop_packet p)
{
    uint32_t i = l->flights;
    while (i > 0 && l->flight[i - 1].at > p.at)
        i--;
    flight_put(l, i, p);
}

static struct loop_packet copy_of(const struct stage *s, const struct loop_packet *p)
{
    struct loop_packet c = *p;
    if (p->payload) {
        c.payload = malloc(p->h.payload_bytes);
        CHECK(c.payload != NULL);
        memcpy(c.payload, p->payload, p->h.payload_bytes);
    }
    if (s->spec->spoil_copy)
        s->spec->spoil_copy(&c.h);
    return c;
}

/* When the timer that waits for this packet, or for its answer, fires. */
static tm_ps timer_of(const struct stage *s, const struct loop_packet *p)
{
    const struct wire_op_row *row = wire_op_row(p->h.opcode);
    uint16_t requester = row && row->response ? p->to : p->from;
    tm_ps at = xp_deadline(s->loop->end[requester].core);
    return at == TM_NEVER ? s->loop->now + NO_TIMER_WAYS * s->spec->delay_ps : at;
}

/* The message of which this is a packet; TASK_MESSAGES: none (a response). */
static uint32_t message_of(const struct stage *s, const struct loop_packet *p)
{
    const struct wire_op_row *row = wire_op_row(p->h.opcode);
    int64_t at = psn_diff(p->h.psn, s->spec->first_psn);
    for (uint32_t i = 0; i < s->task->spec.ops && row && !row->response; i++) {
        const struct task_message *m = &s->task->message[i];
        if (s->flow[m->flow].from != p->from || s->flow[m->flow].recv_qp != p->h.dest_qp)
            continue;
        if (at < m->packets)
            return i;
        at -= m->packets;
    }
    return TASK_MESSAGES;
}

static void note_repeated(struct stage *s, const struct loop_packet *p)
{
    uint32_t i = message_of(s, p);
    if (i < TASK_MESSAGES)
        ledger_repeated(&s->ledger, i);
}

/* Those that waited for a packet of this direction follow it. */
static void release_behind(struct stage *s, uint16_t from, uint16_t to, tm_ps at)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->helds; i++) {
        struct loop_packet p = s->held[i];
        if (p.from != from || p.to != to) {
            s->held[kept++] = p;
            continue;
        }
        /* right behind: packets that left later, at the same moment, come after both */
        uint32_t k = 0;
        while (k < s->loop->flights &&
               (s->loop->flight[k].at < at ||
                (s->loop->flight[k].at == at && s->loop->flight[k].order < s->decided)))
            k++;
        p.at = at;
        flight_put(s->loop, k, p);
    }
    s->helds = kept;
}

static void put_later(struct stage *s, uint32_t i, tm_ps at)
{
    struct loop_packet p = flight_take(s->loop, i);
    ledger_reordered(&s->ledger);
    p.at = tm_max(at, p.at);
    put_by_time(s->loop, p);
    release_behind(s, p.from, p.to, p.at);
}

static void hold(struct stage *s, uint32_t i)
{
    CHECK(s->helds < STAGE_HELD);
    ledger_reordered(&s->ledger);
    s->held[s->helds++] = flight_take(s->loop, i);
}

static void tell_leaving(struct stage *s, const struct loop_packet *p, enum fate f)
{
    struct story_event e = {
        .at = s->loop->now,
        .kind = STORY_LEFT,
        .end = (uint8_t)p->from,
        .fault = {(uint8_t)p->from, (uint8_t)p->to, (uint8_t)f, s->sent[p->from][p->to]},
        .packet = p->order,
        .h = p->h,
        .e = p->e};
    if (s->story)
        story_add(s->story, &e);
}

void stage_decide(struct stage *s, enum fate f)
{
    uint32_t i = find_pending(s);
    CHECK(i < s->loop->flights);
    struct loop_packet *p = &s->loop->flight[i], copy;
    tm_ps half = s->spec->delay_ps / 2, timer = timer_of(s, p), at = p->at;
    uint16_t from = p->from, to = p->to;
    tell_leaving(s, p, f);
    s->sent[from][to]++;
    s->decided = p->order + 1;
    switch (f) {
    case FATE_NONE:
        release_behind(s, from, to, at);
        break;
    case FATE_DROP:
    case FATE_CORRUPT:
        free(flight_take(s->loop, i).payload);
        break;
    case FATE_DUP:
        copy = copy_of(s, p);
        note_repeated(s, p);
        flight_put(s->loop, i + 1, copy);
        release_behind(s, from, to, at);
        break;
    case FATE_DUP_LATE:
        copy = copy_of(s, p);
        note_repeated(s, p);
        copy.at += COPY_LATE_HALVES * half;
        put_by_time(s->loop, copy);
        release_behind(s, from, to, at);
        break;
    case FATE_REORDER:
        hold(s, i);
        break;
    case FATE_DELAY:
        put_later(s, i, timer + PAST_HALVES * half);
        break;
    case FATE_DELAY_LATE:
        put_later(s, i, timer + ANSWERED_HALVES * half);
        break;
    case FATES:
        CHECK(f != FATES);
    }
}

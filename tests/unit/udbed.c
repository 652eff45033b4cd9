#include "tests/unit/udbed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

struct udack_cfg udbed_cfg(void)
{
    return (struct udack_cfg){.mtu_bytes = 1016,
                              .window = 8,
                              .reorder = 7,
                              .ack_every = 1,
                              .ask_last = true,
                              .retries = 2,
                              .fast_after = 3,
                              .recovery = UDACK_SELECTIVE,
                              .ack_delay_ps = 0,
                              .rto_ps = 100 * TM_US,
                              .rto_min_ps = 10 * TM_US,
                              .rto_max_ps = 10 * TM_MS};
}

uint32_t udbed_session(uint32_t from, uint32_t to) { return to > from ? to - 1 : to; }

void udbed_init(struct udbed *b, uint32_t ends, const struct udack_cfg *cfg)
{
    struct udack_limits lim = {.sessions = ends - 1, .active = ends - 1, .messages = 1000};
    CHECK(ends <= UDBED_ENDS);
    memset(b, 0, sizeof(*b));
    b->ends = ends;
    b->delay_ps = TM_US;
    for (uint32_t i = 0; i < ends; i++) {
        void *block = calloc(1, udack_size(cfg, &lim));
        b->end[i] = udack_init(block, cfg, &lim);
        for (uint32_t j = 0; j < ends; j++) {
            uint32_t session;
            if (j != i)
                CHECK(udack_open(b->end[i], j, udbed_session(j, i), &session) == UDACK_OK &&
                      session == udbed_session(i, j));
        }
    }
}

void udbed_fini(struct udbed *b)
{
    for (uint32_t i = 0; i < b->ends; i++)
        free(b->end[i]);
}

static void __attribute__((format(printf, 3, 4)))
say(const struct udbed *b, char *text, const char *format, ...)
{
    va_list args;
    size_t len = strlen(text);
    if (b->silent)
        return;
    va_start(args, format);
    vsnprintf(text + len, UDBED_TEXT - len, format, args);
    va_end(args);
}

static const char *when(tm_ps now, char *room)
{
    if (now % TM_US)
        sprintf(room, "%lld.%06lld", (long long)(now / TM_US), (long long)(now % TM_US));
    else
        sprintf(room, "%lld", (long long)(now / TM_US));
    return room;
}

static void say_sent(struct udbed *b, uint32_t from, const struct udack_tx *tx, bool lost)
{
    const struct udack_hdr *h = &tx->hdr;
    char at[40];
    say(b, b->wire, "%s %c%c", when(b->now, at), 'A' + (int)from, 'A' + (int)tx->peer);
    if (!(h->flags & UDACK_ACK))
        say(b, b->wire, " d%u m%u.%u %s%s%s", h->seq, h->message, h->fragment,
            h->flags & UDACK_LAST ? "L" : "-", h->flags & UDACK_ASK ? "?" : "",
            tx->retransmit ? "*" : "");
    say(b, b->wire, " a%u", h->ack);
    if (h->sack)
        say(b, b->wire, " s%llx", (unsigned long long)h->sack);
    if (h->incarnation)
        say(b, b->wire, " i%u", h->incarnation);
    say(b, b->wire, "%s%s\n", h->flags & UDACK_GAP ? " !" : "", lost ? " x" : "");
}

static void fly(struct udbed *b, uint32_t from, const struct udack_tx *tx, tm_ps late_ps)
{
    CHECK(b->flights < UDBED_FLIGHTS);
    struct udbed_flight *f = &b->flight[b->flights++];
    *f = (struct udbed_flight){.at = b->now + b->delay_ps + late_ps,
                               .bytes = tx->bytes,
                               .order = b->sent,
                               .from = (uint8_t)from,
                               .to = (uint8_t)tx->peer};
    udack_pack(&tx->hdr, f->hdr);
}

static void send(struct udbed *b, uint32_t from, const struct udack_tx *tx)
{
    uint64_t bit = b->sent < 64 ? (uint64_t)1 << b->sent : 0;
    tm_ps late_ps = b->late & bit ? b->late_ps : 0;
    uint32_t copies = b->drop & bit ? 0 : b->copy & bit ? 2 : 1;
    if (b->fate)
        copies = b->fate(b->self, from, tx->peer, &late_ps);
    say_sent(b, from, tx, copies == 0);
    for (uint32_t i = 0; i < copies; i++)
        fly(b, from, tx, late_ps);
    b->sent++;
}

static void take_all(struct udbed *b, uint32_t end)
{
    struct udack_piece p;
    struct udack_done d;
    uint32_t buffer;
    char at[40];
    while (udack_take_piece(b->end[end], &p)) {
        b->buffers--;
        if (b->piece)
            b->piece(b->self, end, &p);
        if (p.last)
            say(b, b->got, "%s %c m%u %u\n", when(b->now, at), 'A' + (int)end, p.message,
                p.message_bytes);
    }
    while (udack_take_freed(b->end[end], &buffer))
        b->buffers--;
    while (udack_take_done(b->end[end], &d)) {
        if (b->done)
            b->done(b->self, end, &d);
        say(b, b->got, "%s %c %llu %s\n", when(b->now, at), 'A' + (int)end,
            (unsigned long long)d.id, udack_status_name(d.status));
    }
}

struct udack_rx udbed_arrive(struct udbed *b, uint32_t from, uint32_t to, struct udack_hdr h,
                             uint32_t bytes)
{
    struct udack_rx rx = udack_recv(b->end[to], &h, from, bytes, b->sent, b->now);
    b->buffers += rx.verdict == UDACK_ACCEPTED || rx.verdict == UDACK_HELD;
    if (rx.peer_reset && b->peer_reset)
        b->peer_reset(b->self, to, rx.session);
    take_all(b, to);
    return rx;
}

void udbed_reset(struct udbed *b, uint32_t from, uint32_t to)
{
    CHECK(udack_reset(b->end[from], udbed_session(from, to), b->now) == UDACK_OK);
    take_all(b, from);
}

static void send_all(struct udbed *b)
{
    struct udack_tx tx;
    for (uint32_t i = 0; i < b->ends; i++)
        while (udack_pull(b->end[i], b->now, &tx))
            send(b, i, &tx);
}

/* Index of the earliest arrival, in the order of sending; flights if there is none. */
static uint32_t earliest(const struct udbed *b)
{
    uint32_t best = b->flights;
    for (uint32_t i = 0; i < b->flights; i++)
        if (best == b->flights || b->flight[i].at < b->flight[best].at ||
            (b->flight[i].at == b->flight[best].at && b->flight[i].order < b->flight[best].order))
            best = i;
    return best;
}

static void land(struct udbed *b, uint32_t i)
{
    struct udbed_flight f = b->flight[i];
    b->flight[i] = b->flight[--b->flights];
    udbed_arrive(b, f.from, f.to, udack_unpack(f.hdr), f.bytes);
}

static tm_ps next_deadline(const struct udbed *b)
{
    tm_ps at = TM_NEVER;
    for (uint32_t i = 0; i < b->ends; i++)
        at = tm_min(at, udack_deadline(b->end[i]));
    return at;
}

static void play(struct udbed *b, tm_ps until)
{
    for (;;) {
        send_all(b);
        uint32_t i = earliest(b);
        tm_ps arrival = i < b->flights ? b->flight[i].at : TM_NEVER, deadline = next_deadline(b);
        if (tm_min(arrival, deadline) > until || tm_min(arrival, deadline) == TM_NEVER)
            break;
        b->now = tm_max(b->now, tm_min(arrival, deadline));
        if (arrival <= deadline) {
            land(b, i);
            continue;
        }
        for (uint32_t e = 0; e < b->ends; e++) {
            udack_expire(b->end[e], b->now);
            take_all(b, e);
        }
    }
}

void udbed_run(struct udbed *b, tm_ps until)
{
    play(b, until);
    b->now = until;
}

void udbed_settle(struct udbed *b)
{
    play(b, b->now + 10 * TM_S);
    CHECK(b->flights == 0 && next_deadline(b) == TM_NEVER);
}

int udbed_post(struct udbed *b, uint32_t from, uint32_t to, uint32_t bytes)
{
    struct udack_query q;
    CHECK(udack_query(b->end[from], udbed_session(from, to), &q) == UDACK_OK);
    return udack_post(b->end[from], udbed_session(from, to), 1000u * from + q.posted, bytes,
                      b->now);
}

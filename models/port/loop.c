/*
 * The in-memory driver; loop.h tells what it is for.
 *
 * Invariant: `flight` is sorted by (at, order), so its first packet is the next arrival; a QP
 * stands in an end's `ready` at most once and leaves it when it has no more to pull.
 */
#include "models/port/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/text.h"
#include "sim/base/check.h"

enum { LOOP_DRAW = 1 }; /* purpose of the draws of a direction */

/* ---- birth and death ------------------------------------------------------------------------- */

static bool end_init(struct loop_end *e, const struct loop_config *cfg, uint32_t i)
{
    e->size = xp_size(&cfg->limits);
    if (e->size == 0)
        return false;
    e->size = (e->size + 63) / 64 * 64;
    e->block = aligned_alloc(64, e->size);
    e->arena = calloc(1, cfg->arena_bytes ? cfg->arena_bytes : 1);
    e->ready_cap = cfg->limits.qp;
    e->ready = calloc(e->ready_cap + 1, sizeof *e->ready);
    e->hold_bytes = cfg->limits.hold ? (cfg->limits.hold + 1) * (size_t)LOOP_HOLD_BYTES : 0;
    e->hold = e->hold_bytes ? calloc(1, e->hold_bytes) : NULL;
    if (!e->block || !e->arena || !e->ready || (e->hold_bytes && !e->hold))
        return false;
    memset(e->block, 0, e->size);
    e->core = xp_init(e->block, e->size, &cfg->limits, &cfg->profile, cfg->seed + i);
    return e->core != NULL;
}

struct loop *loop_new(const struct loop_config *cfg)
{
    CHECK(cfg->ends >= 1 && cfg->ends <= LOOP_ENDS_MAX && cfg->delay_ps >= 1);
    struct loop *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->ends = cfg->ends;
    l->gap_ps = cfg->gap_ps;
    l->arena_bytes = cfg->arena_bytes;
    for (uint32_t i = 0; i < l->ends; i++) {
        for (uint32_t k = 0; k < l->ends; k++)
            l->dir[i][k].delay_ps = cfg->delay_ps;
        if (!end_init(&l->end[i], cfg, i)) {
            loop_free(l);
            return NULL;
        }
    }
    return l;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->ends; i++) {
        free(l->end[i].block);
        free(l->end[i].arena);
        free(l->end[i].ready);
        free(l->end[i].hold);
    }
    for (uint32_t i = 0; i < l->flights; i++)
        free(l->flight[i].payload);
    free(l->flight);
    free(l->record);
    free(l);
}

static void *copy_of(const void *from, size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 64) / 64 * 64);
    CHECK(p != NULL);
    if (bytes)
        memcpy(p, from, bytes);
    return p;
}

struct loop *loop_clone(const struct loop *l)
{
    struct loop *c = copy_of(l, sizeof *l);
    for (uint32_t i = 0; i < l->ends; i++) {
        const struct loop_end *e = &l->end[i];
        c->end[i].block = copy_of(e->block, e->size);
        c->end[i].core =
            (struct xp *)((char *)c->end[i].block + ((char *)e->core - (char *)e->block));
        c->end[i].arena = copy_of(e->arena, l->arena_bytes);
        c->end[i].hold = e->hold ? copy_of(e->hold, e->hold_bytes) : NULL;
        c->end[i].ready = copy_of(e->ready, (e->ready_cap + 1) * sizeof *e->ready);
    }
    c->flight = copy_of(l->flight, l->flight_cap * sizeof *l->flight);
    for (uint32_t i = 0; i < l->flights; i++)
        if (l->flight[i].payload)
            c->flight[i].payload = copy_of(l->flight[i].payload, l->flight[i].h.payload_bytes);
    c->record = NULL;
    c->records = c->record_cap = 0;
    return c;
}

void loop_script(struct loop *l, struct loop_fault f)
{
    CHECK(l->faults < LOOP_FAULTS_MAX && f.from < l->ends && f.to < l->ends);
    l->fault[l->faults++] = f;
}

void loop_set_chance(struct loop *l, uint16_t from, uint16_t to, struct loop_chance c,
                     uint64_t seed)
{
    CHECK(from < l->ends && to < l->ends && (c.delay_max_ps > 0 || (c.dup == 0 && c.delay == 0)));
    l->dir[from][to].chance = c;
    l->dir[from][to].draw = rng_stream(seed, RNG_LINK, from * LOOP_ENDS_MAX + to, LOOP_DRAW);
}

/* ---- sending --------------------------------------------------------------------------------- */

/* What the script and the dice say about one packet. */
struct outcome {
    uint8_t fate;
    tm_ps late_ps, copy_ps;
};

static void apply_fault(struct outcome *o, const struct loop_fault *f, struct xp_tx *tx)
{
    switch (f->action) {
    case LOOP_DROP:
        o->fate |= LOOP_LOST;
        break;
    case LOOP_CORRUPT:
        o->fate |= LOOP_CORRUPTED;
        break;
    case LOOP_DUP:
        o->fate |= LOOP_DOUBLED;
        o->copy_ps = f->delay_ps;
        break;
    case LOOP_DELAY:
        o->fate |= LOOP_LATE;
        o->late_ps += f->delay_ps;
        break;
    case LOOP_REWRITE:
        o->fate |= LOOP_REWRITTEN;
        f->rewrite(&tx->hdr, &tx->ext);
        break;
    }
}

static tm_ps draw_delay(struct loop_direction *d)
{
    return 1 + (tm_ps)rng_below(&d->draw, (uint64_t)d->chance.delay_max_ps);
}

static struct outcome judge(struct loop *l, uint16_t from, uint16_t to, struct xp_tx *tx)
{
    struct loop_direction *d = &l->dir[from][to];
    struct outcome o = {LOOP_SENT, 0, 0};
    uint64_t nth = d->sent++;
    if (nth < 64 && (d->drop_mask >> nth & 1))
        o.fate |= LOOP_LOST;
    for (uint32_t i = 0; i < l->faults; i++) {
        const struct loop_fault *f = &l->fault[i];
        if (f->from == from && f->to == to && f->nth == nth)
            apply_fault(&o, f, tx);
    }
    if (rng_hits(&d->draw, d->chance.drop))
        o.fate |= LOOP_LOST;
    if (rng_hits(&d->draw, d->chance.dup)) {
        o.fate |= LOOP_DOUBLED;
        o.copy_ps = draw_delay(d);
    }
    if (rng_hits(&d->draw, d->chance.delay)) {
        o.fate |= LOOP_LATE;
        o.late_ps += draw_delay(d);
    }
    return o;
}

static void *grown(void *array, uint32_t *cap, size_t item)
{
    *cap = *cap ? *cap * 2 : 64;
    void *p = realloc(array, *cap * item);
    CHECK(p != NULL);
    return p;
}

/* Puts a packet among those in flight; from the end, since most packets come last. */
static void launch(struct loop *l, struct loop_packet p)
{
    if (l->flights == l->flight_cap)
        l->flight = grown(l->flight, &l->flight_cap, sizeof *l->flight);
    uint32_t i = l->flights++;
    p.order = l->order++;
    for (; i > 0 && l->flight[i - 1].at > p.at; i--)
        l->flight[i] = l->flight[i - 1];
    l->flight[i] = p;
}

/* The payload as it is in memory now; a rewritten length is cut or filled up with zeros. */
static uint8_t *gather(const struct loop *l, uint16_t from, const struct xp_tx *tx)
{
    size_t want = tx->hdr.payload_bytes, done = 0;
    if (want == 0)
        return NULL;
    uint8_t *bytes = calloc(1, want);
    CHECK(bytes != NULL);
    for (uint32_t i = 0; i < tx->segs && done < want; i++) {
        const struct xp_seg *s = i ? &tx->rest[i - 1] : &tx->seg;
        size_t have = s->len < want - done ? s->len : want - done;
        CHECK(s->addr <= l->arena_bytes && have <= l->arena_bytes - s->addr);
        memcpy(bytes + done, l->end[from].arena + s->addr, have);
        done += have;
    }
    return bytes;
}

static void keep_record(struct loop *l, uint16_t from, uint16_t to, const struct xp_tx *tx,
                        uint8_t fate)
{
    if (!l->recording)
        return;
    if (l->records == l->record_cap)
        l->record = grown(l->record, &l->record_cap, sizeof *l->record);
    l->record[l->records++] = (struct loop_record){l->now,         from,         to,      fate,
                                                   tx->retransmit, tx->response, tx->hdr, tx->ext};
}

static size_t bytes_of(const struct xp_seg *seg, const struct xp_seg *rest, uint32_t segs)
{
    size_t bytes = seg->len;
    CHECK(segs >= 1 && segs <= XP_SGE_MAX);
    for (uint32_t i = 0; i + 1 < segs; i++)
        bytes += rest[i].len;
    return bytes;
}

/* One copy of a packet on its way to an end, as the script and the dice have it. */
static void send_to(struct loop *l, uint16_t from, uint16_t to, struct xp_tx *tx)
{
    struct outcome o = judge(l, from, to, tx);
    keep_record(l, from, to, tx, o.fate);
    if (o.fate & (LOOP_LOST | LOOP_CORRUPTED))
        return;
    struct loop_packet p = {.from = from,
                            .to = to,
                            .group = tx->path.host,
                            .entropy = tx->path.entropy,
                            .h = tx->hdr,
                            .e = tx->ext};
    tm_ps at = l->now + l->dir[from][to].delay_ps + o.late_ps;
    p.at = at;
    p.payload = gather(l, from, tx);
    launch(l, p);
    if (o.fate & LOOP_DOUBLED) {
        p.at = at + o.copy_ps;
        p.payload = gather(l, from, tx);
        launch(l, p);
    }
}

/* A group's packets go to every end, the sender's included; who is a member is seen there. */
static void send_packet(struct loop *l, uint16_t from, struct xp_tx *tx)
{
    CHECK(bytes_of(&tx->seg, tx->rest, tx->segs) == tx->hdr.payload_bytes);
    if (tx->path.host < XP_GROUP_FIRST) {
        CHECK(tx->path.host < l->ends);
        send_to(l, from, tx->path.host, tx);
        return;
    }
    for (uint16_t to = 0; to < l->ends; to++) {
        struct xp_tx copy = *tx;
        send_to(l, from, to, &copy);
    }
}

static void collect_woken(struct loop_end *e)
{
    uint32_t qpn, i;
    while (xp_woken(e->core, &qpn)) {
        for (i = 0; i < e->ready_count && e->ready[i] != qpn; i++)
            ;
        if (i < e->ready_count)
            continue;
        CHECK(e->ready_count < e->ready_cap);
        e->ready[e->ready_count++] = qpn;
    }
}

/* The next packet of the QP whose turn it is; the QP goes to the back.  false: none has any. */
static bool pull_one(struct loop *l, uint16_t i)
{
    struct loop_end *e = &l->end[i];
    while (e->ready_count > 0) {
        uint32_t qpn = e->ready[0];
        struct xp_tx tx;
        memset(&tx, 0, offsetof(struct xp_tx, rest));
        memmove(e->ready, e->ready + 1, --e->ready_count * sizeof *e->ready);
        if (xp_pull(e->core, qpn, l->now, &tx) == XP_PULLED) {
            if (tx.more)
                e->ready[e->ready_count++] = qpn;
            send_packet(l, i, &tx);
            return true;
        }
    }
    return false;
}

static void pull_due(struct loop *l, uint16_t i)
{
    struct loop_end *e = &l->end[i];
    collect_woken(e);
    while (l->now >= e->free_at && pull_one(l, i)) {
        e->free_at = l->now + l->gap_ps;
        collect_woken(e);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

/* The 8 bytes of an atomic lie in memory in host order; sum wraps, as the hardware's does. */
static void do_atomic(struct loop_end *e, const struct xp_rx *rx)
{
    uint8_t *at = e->arena + rx->seg.addr;
    uint64_t original, next;
    memcpy(&original, at, sizeof original);
    if (rx->is_cmp_swap)
        next = original == rx->compare ? rx->swap_or_add : original;
    else
        next = original + rx->swap_or_add;
    memcpy(at, &next, sizeof next);
    xp_atomic_done(e->core, rx, original);
}

static void scatter(struct loop_end *e, const uint8_t *payload, uint32_t bytes)
{
    const struct xp_rx *rx = &e->rx;
    size_t done = 0;
    CHECK(bytes_of(&rx->seg, rx->rest, rx->segs) <= bytes);
    for (uint32_t i = 0; i < rx->segs; i++) {
        const struct xp_seg *s = i ? &rx->rest[i - 1] : &rx->seg;
        if (s->len)
            memcpy(e->arena + s->addr, payload + done, s->len);
        done += s->len;
    }
}

static uint8_t *hold_of(const struct loop_end *e, uint32_t slot)
{
    return e->hold + (size_t)slot * LOOP_HOLD_BYTES;
}

static void place(struct loop_end *e, const uint8_t *payload, uint32_t bytes)
{
    const struct xp_rx *rx = &e->rx;
    switch (rx->deed) {
    case XP_NOTHING:
        return;
    case XP_PLACE:
        scatter(e, payload, bytes);
        break;
    case XP_PLACE_VALUE:
        CHECK(rx->seg.len == sizeof rx->value);
        memcpy(e->arena + rx->seg.addr, &rx->value, sizeof rx->value);
        break;
    case XP_ATOMIC:
        do_atomic(e, rx);
        break;
    case XP_HOLD:
        if (bytes)
            memcpy(hold_of(e, rx->slot), payload, bytes);
        return;
    }
    e->bytes_placed += bytes_of(&rx->seg, rx->rest, rx->segs);
}

static void check_inside(const struct loop *l, const struct xp_rx *rx)
{
    for (uint32_t i = 0; rx->deed != XP_NOTHING && rx->deed != XP_HOLD && i < rx->segs; i++) {
        const struct xp_seg *s = i ? &rx->rest[i - 1] : &rx->seg;
        CHECK(s->addr <= l->arena_bytes && s->len <= l->arena_bytes - s->addr);
    }
}

static void deliver(struct loop *l, const struct loop_packet *p)
{
    struct loop_end *e = &l->end[p->to];
    struct xp_rx *rx = &e->rx;
    memset(rx, 0, offsetof(struct xp_rx, rest));
    xp_recv(e->core, &p->h, &p->e, (struct xp_path){p->from, p->entropy}, l->now, rx);
    check_inside(l, rx);
    place(e, p->payload, p->h.payload_bytes);
    uint32_t slot;
    while (xp_take_held(e->core, l->now, rx, &slot)) {
        check_inside(l, rx);
        place(e, hold_of(e, slot), LOOP_HOLD_BYTES);
    }
}

static void deliver_first(struct loop *l)
{
    struct loop_packet p = l->flight[0];
    uint32_t cursor = 0;
    memmove(l->flight, l->flight + 1, --l->flights * sizeof *l->flight);
    if (p.group < XP_GROUP_FIRST)
        deliver(l, &p);
    else
        while (xp_mcast_next(l->end[p.to].core, p.group, &cursor, &p.h.dest_qp))
            deliver(l, &p);
    free(p.payload);
}

static void expire_due(struct loop *l)
{
    for (uint32_t i = 0; i < l->ends; i++) {
        struct xp *core = l->end[i].core;
        if (xp_deadline(core) > l->now)
            continue;
        xp_expire(core, l->now);
        CHECK(xp_deadline(core) > l->now);
    }
}

/* When something happens next, given that all that could leave now has left. */
static tm_ps next_time(const struct loop *l)
{
    tm_ps t = l->flights ? l->flight[0].at : TM_NEVER;
    for (uint32_t i = 0; i < l->ends; i++) {
        const struct loop_end *e = &l->end[i];
        t = tm_min(t, xp_deadline(e->core));
        if (e->ready_count > 0)
            t = tm_min(t, e->free_at);
    }
    return tm_max(t, l->now);
}

bool loop_step(struct loop *l, tm_ps limit)
{
    for (uint32_t i = 0; i < l->ends; i++)
        pull_due(l, (uint16_t)i);
    tm_ps t = next_time(l);
    if (t == TM_NEVER || t > limit)
        return false;
    l->now = t;
    for (uint32_t i = 0; i < l->ends; i++)
        if (l->end[i].ready_count > 0 && l->end[i].free_at <= t)
            return true; /* what may leave now goes before what arrives now */
    if (l->flights && l->flight[0].at == t)
        deliver_first(l);
    else
        expire_due(l);
    return true;
}

void loop_run_until(struct loop *l, tm_ps t)
{
    while (loop_step(l, t))
        ;
    l->now = tm_max(l->now, t);
}

bool loop_run_quiet(struct loop *l, tm_ps limit)
{
    while (loop_step(l, limit))
        ;
    return next_time(l) == TM_NEVER;
}

size_t loop_record_text(const struct loop_record *r, char *out, size_t size)
{
    static const char *const word[] = {" lost", " corrupted", " doubled", " late", " rewritten"};
    char packet[WIRE_TEXT_MAX];
    if (wire_text(&r->h, &r->e, packet, sizeof packet) == 0)
        snprintf(packet, sizeof packet, "0x%02x", r->h.opcode.v);
    int n = snprintf(out, size, "%lld %u>%u %s%s", (long long)r->at, r->from, r->to, packet,
                     r->retransmit ? " again" : "");
    for (unsigned i = 0; i < sizeof word / sizeof word[0] && n > 0 && (size_t)n < size; i++)
        if (r->fate >> i & 1)
            n += snprintf(out + n, size - (size_t)n, "%s", word[i]);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

/*
 * The storm itself; swarm.h says what it is for.  All draws come from one stream: a seed is a run.
 */
#include "tests/property/swarm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

enum { SWARM_PURPOSE = 77, RECV_BASE = SWARM_MESSAGES * SWARM_SLOT };

static uint32_t below(struct swarm *s, uint32_t n) { return (uint32_t)rng_below(&s->draw, n); }
static bool coin(struct swarm *s) { return below(s, 2) == 0; }
static uint64_t per_mille(uint32_t p) { return UINT64_MAX / 1000 * p; }

/* Off in half of the runs. */
static uint32_t maybe(struct swarm *s, uint32_t a, uint32_t b)
{
    uint32_t p = coin(s) ? a : b;
    return coin(s) ? p : 0;
}

bool swarm_takes_receive(const struct swarm_message *m) { return m->op != XP_WR_WRITE; }

bool swarm_intact(const struct swarm *s, uint32_t i, uint32_t recv_slot)
{
    const struct swarm_message *m = &s->m[i];
    bool is_write = m->op == XP_WR_WRITE || m->op == XP_WR_WRITE_IMM;
    uint32_t at = is_write ? i * SWARM_SLOT : RECV_BASE + recv_slot * SWARM_SLOT;
    return rig_same_bytes(s->r, i * SWARM_SLOT, at, m->len);
}

/* ---- what a seed means ----------------------------------------------------------------------- */

static struct rig_spec draw_spec(struct swarm *s, enum xp_service_id service)
{
    static const uint16_t mtu[] = {256, 512, 1024};
    static const uint32_t window[] = {1, 2, 5, 16, 1000};
    static const uint32_t first_psn[] = {0, 100, 0xfffff8, 0xffffff, 0x7ffffa};
    struct rig_spec spec = rig_spec();
    spec.service = service;
    spec.mtu = mtu[below(s, 3)];
    spec.timeout = coin(s) ? 4 : 7;
    spec.retry_cnt = coin(s) ? 7 : (uint8_t)below(s, 3);
    spec.rnr_retry = coin(s) ? 7 : (uint8_t)below(s, 3);
    spec.min_rnr = (uint8_t)(1 + below(s, 5));
    spec.psn_a = first_psn[below(s, 5)];
    spec.gap_ps = coin(s) ? 0 : 50 * TM_NS;
    spec.profile.window_packets = window[below(s, 5)];
    spec.profile.ackreq_packets = 1 + below(s, 4);
    spec.profile.ack_coalesce = coin(s);
    return spec;
}

/* One draw per statement: the order of draws must not be the compiler's choice. */
static struct loop_chance draw_chance(struct swarm *s)
{
    struct loop_chance c = {0};
    c.drop = per_mille(maybe(s, 20, 200));
    c.dup = per_mille(maybe(s, 20, 100));
    c.delay = per_mille(maybe(s, 50, 200));
    tm_ps unit = coin(s) ? TM_NS : TM_US;
    c.delay_max_ps = 1 + (tm_ps)below(s, 1000) * unit;
    return c;
}

static void draw_messages(struct swarm *s)
{
    static const enum xp_wr_op ops[] = {XP_WR_SEND, XP_WR_SEND_IMM, XP_WR_WRITE, XP_WR_WRITE_IMM};
    uint32_t allowed = 1 + below(s, 15), mtu = s->r->spec.mtu;
    s->messages = 3 + below(s, SWARM_MESSAGES - 2);
    for (uint32_t i = 0; i < s->messages; i++) {
        struct swarm_message *m = &s->m[i];
        uint32_t k = below(s, 4);
        while (!(allowed >> k & 1))
            k = (k + 1) % 4;
        m->op = ops[k];
        m->len = coin(s) ? below(s, 4 * mtu + 1) : below(s, 5) * mtu;
        m->imm = k & 1 ? i + 1 : 0;
        m->signalled = below(s, 4) != 0;
        s->recvs_wanted += swarm_takes_receive(m);
        s->status[i] = 0xff;
    }
}

static struct swarm *swarm_new(enum xp_service_id service, uint32_t seed)
{
    struct swarm *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    s->seed = seed;
    s->last_completed = -1;
    s->draw = rng_stream(seed, RNG_RUN, 0, SWARM_PURPOSE);
    snprintf(s->where, sizeof s->where, "%s seed %u", service == XP_RC ? "rc" : "uc", seed);
    struct rig_spec spec = draw_spec(s, service);
    s->r = rig_new(&spec);
    s->r->loop->recording = false;
    draw_messages(s);
    s->receives = (enum swarm_receives)below(s, 3);
    struct loop_chance there = draw_chance(s);
    struct loop_chance back = draw_chance(s);
    s->reorders = there.dup != 0 || there.delay != 0;
    loop_set_chance(s->r->loop, A, B, there, seed);
    loop_set_chance(s->r->loop, B, A, back, seed);
    return s;
}

void swarm_free(struct swarm *s)
{
    rig_free(s->r);
    free(s);
}

/* ---- playing it ------------------------------------------------------------------------------ */

static void post_recv(struct swarm *s)
{
    if (s->recvs_posted == s->recvs_wanted)
        return;
    uint32_t slot = s->recvs_posted++;
    CHECK(rig_recv(s->r, slot, RECV_BASE + slot * SWARM_SLOT, SWARM_SLOT) == XP_OK);
}

static void post_next(struct swarm *s)
{
    uint32_t i = s->posted;
    const struct swarm_message *m = &s->m[i];
    if (i == s->messages)
        return;
    CHECK(rig_post(s->r, (struct rig_op){.id = i,
                                         .op = m->op,
                                         .len = m->len,
                                         .src = i * SWARM_SLOT,
                                         .dst = i * SWARM_SLOT,
                                         .imm = m->imm,
                                         .unsignalled = !m->signalled}) == XP_OK);
    s->posted++;
}

/* Completions come in posting order, each once; between two, only unsignalled ones are left out. */
static void take_completion(struct swarm *s, const struct xp_wc *wc)
{
    CHECK(wc->wr_id < s->messages);
    int64_t i = (int64_t)wc->wr_id;
    ROW_INT(s->where, i > s->last_completed, 1);
    for (int64_t k = s->last_completed + 1; k < i; k++)
        ROW_INT(s->where, s->m[k].signalled, 0);
    if (wc->status == XP_WC_SUCCESS)
        ROW_INT(s->where, s->m[i].signalled, 1);
    s->last_completed = i;
    s->status[i] = wc->status;
    s->completions++;
    s->successes += wc->status == XP_WC_SUCCESS;
}

/* Receives complete in posting order. */
static void take_receive(struct swarm *s, const struct xp_wc *wc)
{
    ROW_INT(s->where, wc->status, XP_WC_SUCCESS);
    ROW_INT(s->where, wc->wr_id, s->received);
    CHECK(s->received < SWARM_MESSAGES);
    s->got[s->received++] = (struct swarm_received){.byte_len = wc->byte_len,
                                                    .imm = wc->imm,
                                                    .slot = (uint32_t)wc->wr_id,
                                                    .with_imm = wc->flags & XP_WC_WITH_IMM,
                                                    .is_write = wc->op == XP_WC_RECV_WRITE_IMM};
}

static void poll_all(struct swarm *s)
{
    struct xp_wc wc;
    while (xp_poll_cq(s->r->loop->end[A].core, s->r->scq[A], &wc, 1) == 1)
        take_completion(s, &wc);
    while (xp_poll_cq(s->r->loop->end[B].core, s->r->rcq[B], &wc, 1) == 1)
        take_receive(s, &wc);
}

struct swarm *swarm_run(enum xp_service_id service, uint32_t seed)
{
    struct swarm *s = swarm_new(service, seed);
    uint32_t late = s->receives == RECV_LATE ? below(s, 30) : 0;
    while (s->receives == RECV_READY && s->recvs_posted < s->recvs_wanted)
        post_recv(s);
    for (uint32_t turn = 0; s->posted < s->messages || turn < 40; turn++) {
        for (uint32_t n = below(s, 4); n > 0; n--)
            post_next(s);
        for (uint32_t n = below(s, 3); n > 0 && turn >= late; n--)
            post_recv(s);
        tm_ps unit = coin(s) ? TM_US : TM_US / 100;
        rig_run_for(s->r, 1 + (tm_ps)below(s, 30) * unit);
        if (coin(s))
            poll_all(s);
    }
    while (s->receives != RECV_SCARCE && s->recvs_posted < s->recvs_wanted)
        post_recv(s);
    if (s->receives == RECV_SCARCE && s->r->spec.rnr_retry == 7)
        while (s->recvs_posted < s->recvs_wanted)
            post_recv(s); /* or it would wait for ever */
    ROW_INT(s->where, loop_run_quiet(s->r->loop, s->r->loop->now + 100 * TM_S), 1);
    poll_all(s);
    return s;
}

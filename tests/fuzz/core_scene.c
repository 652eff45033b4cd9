/* See core_scene.h.  Completions are polled before whatever drops requests, so that none is ambiguous. */
#include "tests/fuzz/core_scene.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

enum { PD = 1, XRCD = 3, RDD = 4, REGION = 1 << 16, DEPTH = 32, TAG = 99 };

static const enum xp_service_id services[SCENE_QPS] = {XP_RC,      XP_UC, XP_UD, XP_XRC_INI,
                                                       XP_XRC_TGT, XP_RD, XP_RD, XP_EEC};

uint8_t scene_byte(struct scene *s) { return s->data < s->stop ? *s->data++ : 0; }

bool scene_is_over(const struct scene *s) { return s->data == s->stop || s->next_id == SCENE_IDS; }

/* ---- completions ---- */

static void take_completions(struct scene *s, struct end *e)
{
    struct xp_wc wc;
    struct xp_event event;
    while (xp_poll_cq(e->core, e->cq, &wc, 1) == 1) {
        CHECK(wc.wr_id < s->next_id);
        struct request *r = &s->request[wc.wr_id];
        CHECK(r->end == e->index && wc.status < XP_WC_STATUSES);
        CHECK(r->owed == OWED || r->owed == OWED_IF_FAILED);
        CHECK(r->slot == SCENE_QPS || wc.qpn == e->qp[r->slot]);
        r->owed = COMPLETED;
    }
    while (xp_take_event(e->core, &event))
        CHECK(event.kind != XP_EV_CQ_ERR);
}

void scene_posted(struct scene *s, struct end *e, uint32_t slot, enum owed owed)
{
    s->request[s->next_id++] = (struct request){(uint8_t)owed, e->index, (uint8_t)slot};
}

static void drop_requests(struct scene *s, const struct end *e, uint32_t slot)
{
    for (uint32_t i = 0; i < s->next_id; i++) {
        struct request *r = &s->request[i];
        if (r->end == e->index && r->slot == slot && r->owed != COMPLETED)
            r->owed = DROPPED;
    }
}

/* ---- QPs ---- */

/* Whom a QP of the slot is joined with. */
static uint32_t partner(const struct scene *s, const struct end *e, uint32_t slot)
{
    static const uint8_t of[SCENE_QPS] = {0, 1, 2, 4, 3, 5, 6, 7};
    return s->end[!e->index].qp[of[slot]];
}

void scene_make(struct scene *s, struct end *e, uint32_t slot)
{
    enum xp_service_id id = services[slot];
    bool sends = xp_service_offers(id, XP_WR_SEND), receives = id != XP_XRC_INI && sends;
    bool shares = s->with_srq && (id == XP_RC || id == XP_UC || id == XP_UD);
    struct xp_qp_init init = {.service = id,
                              .pd = PD,
                              .send_cq = sends ? e->cq : 0,
                              .recv_cq = receives ? e->cq : 0,
                              .sq_depth = sends ? DEPTH : 0,
                              .rq_depth = receives && !shares ? DEPTH : 0,
                              .srq = shares ? e->srq : 0,
                              .xrcd = id == XP_XRC_TGT ? XRCD : 0,
                              .rdd = id == XP_RD || id == XP_EEC ? RDD : 0};
    CHECK(xp_qp_create(e->core, &init, &e->qp[slot]) == XP_OK);
}

void scene_destroy(struct scene *s, struct end *e, uint32_t slot)
{
    take_completions(s, e);
    drop_requests(s, e, slot);
    uint32_t qpn = e->qp[slot];
    CHECK(xp_qp_destroy(e->core, qpn, s->now) == XP_OK);
    take_completions(s, e);
    e->qp[slot] = 0;
}

void scene_connect(struct scene *s, struct end *e, uint32_t slot)
{
    struct xp_qp_attr a = {.path = {(uint16_t)!e->index, 1},
                           .dest_qp = partner(s, e, slot),
                           .rq_psn = psn(SCENE_PSN),
                           .sq_psn = psn(SCENE_PSN),
                           .access = XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC,
                           .qkey = SCENE_QKEY,
                           .path_mtu = 256,
                           .pkey = 0xffff,
                           .port = 1,
                           .timeout = 1,
                           .retry_cnt = 2,
                           .rnr_retry = 2,
                           .min_rnr_timer = 1,
                           .max_rd_atomic = 2,
                           .max_dest_rd_atomic = 2};
    for (int to = XP_INIT; to <= XP_RTS; to++) {
        enum xp_state from = to == XP_INIT ? XP_RESET : (enum xp_state)(to - 1);
        struct xp_transition t = xp_transition_check(services[slot], from, (enum xp_state)to, 0);
        uint32_t mask = XP_A_STATE | t.missing;
        if (to == XP_INIT &&
            !xp_transition_check(services[slot], from, XP_INIT, XP_A_ACCESS).excess)
            mask |= XP_A_ACCESS;
        a.state = (enum xp_state)to;
        if (xp_qp_modify(e->core, e->qp[slot], &a, mask, s->now) != XP_OK)
            return;
    }
}

void scene_set_state(struct scene *s, struct end *e, uint32_t slot, enum xp_state to)
{
    struct xp_qp_attr a = {.state = to};
    take_completions(s, e);
    int rc = xp_qp_modify(e->core, e->qp[slot], &a, XP_A_STATE, s->now);
    if (rc == XP_OK && to == XP_RESET)
        drop_requests(s, e, slot);
    take_completions(s, e);
}

void scene_renew_region(struct end *e)
{
    const uint32_t all = XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC;
    CHECK(!e->key || xp_mr_remove(e->core, e->key) == XP_OK);
    CHECK(xp_mr_add(e->core, PD, SCENE_BASE, REGION, all, TAG, &e->key) == XP_OK);
}

/* ---- the wire ---- */

static void check_segments(const struct xp_seg *first, const struct xp_seg *rest, uint32_t segs)
{
    for (uint32_t i = 0; i < segs; i++) {
        const struct xp_seg *g = i ? &rest[i - 1] : first;
        bool inside =
            g->tag == TAG && g->addr >= SCENE_BASE && g->addr + g->len <= SCENE_BASE + REGION;
        CHECK(g->len == 0 || inside);
    }
}

bool scene_pull_qpn(struct scene *s, struct end *e, uint32_t qpn)
{
    struct xp_tx tx;
    memset(&tx, 0xff, sizeof tx);
    if (xp_pull(e->core, qpn, s->now, &tx) != XP_PULLED)
        return false;
    CHECK(wire_opcode_known(tx.hdr.opcode) && tx.path.host == !e->index);
    CHECK(tx.seg.len == tx.hdr.payload_bytes || tx.segs > 1);
    check_segments(&tx.seg, tx.rest, tx.segs);
    if (s->flights == SCENE_FLIGHTS)
        scene_take_out(s, 0);
    struct packet *p = &s->flight[s->flights++];
    *p = (struct packet){.to = !e->index, .h = tx.hdr};
    if (wire_headers_of(tx.hdr.opcode).set & WIRE_EXT_HEADERS)
        p->e = tx.ext;
    return true;
}

bool scene_pull(struct scene *s, struct end *e, uint32_t slot)
{
    return scene_pull_qpn(s, e, e->qp[slot]);
}

void scene_take_out(struct scene *s, uint32_t i)
{
    memmove(&s->flight[i], &s->flight[i + 1], (--s->flights - i) * sizeof s->flight[0]);
}

void scene_arrive(struct scene *s, const struct packet *p)
{
    struct end *e = &s->end[p->to];
    struct xp_rx rx;
    memset(&rx, 0xff, sizeof rx);
    bool has_ext = wire_headers_of(p->h.opcode).set & WIRE_EXT_HEADERS;
    uint32_t slot;
    xp_recv(e->core, &p->h, has_ext ? &p->e : NULL, (struct xp_path){(uint16_t)!p->to, 1}, s->now,
            &rx);
    do {
        CHECK(rx.verdict < V_COUNT);
        if (rx.deed != XP_NOTHING && rx.deed != XP_HOLD)
            check_segments(&rx.seg, rx.rest, rx.segs);
        if (rx.deed == XP_ATOMIC)
            xp_atomic_done(e->core, &rx, 5);
    } while (xp_take_held(e->core, s->now, &rx, &slot));
}

/* ---- looking ---- */

static void check_copy(const struct scene *s, const struct end *e)
{
    void *copy = aligned_alloc(64, e->bytes);
    CHECK(copy);
    memcpy(copy, e->core, e->bytes);
    CHECK(xp_digest(copy, s->now) == xp_digest(e->core, s->now));
    free(copy);
}

void scene_look(struct scene *s)
{
    for (int i = 0; i < 2; i++) {
        struct end *e = &s->end[i];
        take_completions(s, e);
        CHECK(!xp_exhausted(e->core));
        CHECK(xp_deadline(e->core) > 0);
        if (++s->looks % 64 == 0)
            check_copy(s, e);
    }
}

/* ---- birth and end ---- */

static struct xp_profile profile_of(struct scene *s)
{
    struct xp_profile p = xp_profile_spec();
    uint8_t a = scene_byte(s), b = scene_byte(s);
    p.credits = a & 1;
    p.ack_coalesce = a & 2;
    p.recovery = (enum xp_recovery)((a >> 2 & 1) + (a >> 6 & 1));
    p.window_packets = a & 8 ? 4 : 1000;
    p.ackreq_packets = a & 16 ? 2 : 1;
    s->with_srq = a & 32;
    for (int i = 0; i < XP_POLICIES && i < 8; i++)
        p.policy[i] = i == XP_P_ERR_RECV || i == XP_P_READ_RESUME ? 0 : b >> i & 1;
    return p;
}

static void open_end(struct scene *s, struct end *e, const struct xp_profile *profile)
{
    const struct xp_limits limits = {.qp = SCENE_QPS,
                                     .cq = 1,
                                     .mr = 4,
                                     .send_wqe = SCENE_QPS * DEPTH + 1,
                                     .recv_wqe = SCENE_QPS * DEPTH,
                                     .cqe = 2048,
                                     .active = SCENE_QPS,
                                     .answer = SCENE_QPS * 256,
                                     .attr_set = 2 * SCENE_QPS,
                                     .resource = SCENE_QPS * 8,
                                     .srq = 1,
                                     .hold = profile->recovery == XP_SELECTIVE ? 24 : 0};
    e->bytes = (xp_size(&limits) + 63) / 64 * 64;
    void *block = aligned_alloc(64, e->bytes);
    CHECK(e->bytes && block);
    memset(block, 0, e->bytes);
    e->core = xp_init(block, e->bytes, &limits, profile, 1);
    CHECK(e->core && xp_cq_create(e->core, 2048, &e->cq) == XP_OK);
    struct xp_srq_init srq = {
        .pd = PD, .depth = DEPTH, .cq = s->with_srq ? 0 : e->cq, .xrcd = s->with_srq ? 0 : XRCD};
    CHECK(xp_srq_create(e->core, &srq, &e->srq) == XP_OK);
    scene_renew_region(e);
    for (uint32_t slot = 0; slot < SCENE_QPS; slot++)
        scene_make(s, e, slot);
}

void scene_init(struct scene *s, const uint8_t *data, size_t size)
{
    memset(s, 0, sizeof *s);
    s->data = data;
    s->stop = data + size;
    struct xp_profile profile = profile_of(s);
    for (uint8_t i = 0; i < 2; i++) {
        s->end[i].index = i;
        open_end(s, &s->end[i], &profile);
    }
    for (uint8_t i = 0; i < 2; i++)
        for (uint32_t slot = 0; slot < SCENE_QPS; slot++)
            scene_connect(s, &s->end[i], slot);
}

/* Nobody is left without an answer. */
static void flush(struct scene *s, struct end *e)
{
    for (uint32_t slot = 0; slot < SCENE_QPS; slot++)
        if (e->qp[slot])
            scene_set_state(s, e, slot, XP_ERR);
    for (uint32_t i = 0; i < s->next_id; i++)
        CHECK(s->request[i].end != e->index || s->request[i].owed != OWED);
}

void scene_fini(struct scene *s)
{
    for (int i = 0; i < 2; i++) {
        struct end *e = &s->end[i];
        flush(s, e);
        for (uint32_t slot = 0; slot < SCENE_QPS; slot++)
            if (e->qp[slot])
                scene_destroy(s, e, slot);
        CHECK(xp_srq_destroy(e->core, e->srq) == XP_OK);
        CHECK(xp_cq_destroy(e->core, e->cq) == XP_OK);
        CHECK(xp_outstanding(e->core) == 0);
        free(e->core);
    }
}

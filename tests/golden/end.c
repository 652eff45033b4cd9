/* One end; end.h tells what it is for. */
#include "tests/golden/end.h"

#include <stdlib.h>
#include <string.h>

#include "models/wire/frame.h"
#include "sim/base/check.h"

/* Between memory regions, so that an access past one hits none. */
#define REGION_GAP (1u << 20)
#define CQ_DEPTH 1024
#define SRQ_DEPTH 256
#define LINK_PORT 1
#define PKEY_DEFAULT 0xffff

static const struct xp_limits limits = {
    .qp = 2,
    .cq = CQS,
    .mr = REGIONS_MAX,
    .send_wqe = 8192,
    .recv_wqe = 8192,
    .cqe = CQS * CQ_DEPTH,
    .active = 2,
    .answer = 4096,
    .attr_set = 8,
    .resource = 1024,
    .srq = 1,
};

/* ---- birth ------------------------------------------------------------------------------------ */

static void add_regions(struct end *e, const struct side *s)
{
    uint64_t at = REGION_GAP;
    for (uint32_t i = 0; i < s->mrs; i++) {
        e->base[i] = at;
        at += s->mr[i].size + REGION_GAP - s->mr[i].size % REGION_GAP;
    }
    e->arena = calloc(1, at);
    CHECK(e->arena != NULL);
    for (uint32_t i = 0; i < s->mrs; i++) {
        for (uint64_t k = 0; k < s->mr[i].size; k++)
            e->arena[e->base[i] + k] = fill_byte(s->mr[i].seed, k);
        CHECK(xp_mr_add(e->core, 0, e->base[i], s->mr[i].size, s->mr[i].access, 0, &e->key[i]) ==
              XP_OK);
    }
}

static bool end_init(struct end *e, const struct xp_profile *profile, struct trouble *why)
{
    const struct side *s = &e->c->side[e->side];
    enum xp_service_id service;
    size_t size = (xp_size(&limits) + 63) / 64 * 64;

    if (!xp_service_parse(e->c->service, &service))
        return trouble_say(why, "the core has no service %s", e->c->service);
    e->paired = xp_service_pairs(service);
    CHECK(size > 0);
    e->block = calloc(1, size + 64);
    CHECK(e->block != NULL);
    e->core = xp_init((char *)e->block + (64 - (uintptr_t)e->block % 64), size, &limits, profile,
                      1 + e->side);
    add_regions(e, s);
    for (int i = 0; i < CQS; i++)
        CHECK(xp_cq_create(e->core, CQ_DEPTH, &e->cq[i]) == XP_OK);
    const struct xp_srq_init shared = {.depth = SRQ_DEPTH};
    if (s->srq && xp_srq_create(e->core, &shared, &e->srqn) != XP_OK)
        return trouble_say(why, "the core refuses the shared receive queue of side %c",
                           "ab"[e->side]);
    enum { MAX_INLINE = 4096 };
    struct xp_qp_init init = {.service = service,
                              .srq = e->srqn,
                              .send_cq = e->cq[CQ_SEND],
                              .recv_cq = e->cq[CQ_RECV],
                              .sq_depth = s->sq_depth,
                              .rq_depth = s->srq ? 0 : s->rq_depth,
                              .max_inline_data = MAX_INLINE};
    return xp_qp_create(e->core, &init, &e->qpn) == XP_OK ||
           trouble_say(why, "the core refuses the QP of side %c", "ab"[e->side]);
}

/* To the next state with every attribute that the transition takes. */
static bool advance(struct end *e, const struct xp_qp_attr *attr, enum xp_state from)
{
    enum xp_service_id service;
    CHECK(xp_service_parse(e->c->service, &service));
    uint32_t all = XP_A_PKEY | XP_A_PORT | XP_A_ACCESS | XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP |
                   XP_A_RQ_PSN | XP_A_MAX_DEST_RD | XP_A_MIN_RNR | XP_A_SQ_PSN | XP_A_TIMEOUT |
                   XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD | XP_A_QKEY | XP_A_STATE;
    uint32_t excess = xp_transition_check(service, from, attr->state, all).excess;
    return xp_qp_modify(e->core, e->qpn, attr, all & ~excess, 0) == XP_OK;
}

static bool connect_end(struct end *e, struct trouble *why)
{
    const struct side *s = &e->c->side[e->side];
    static const enum xp_state way[] = {XP_RESET, XP_INIT, XP_RTR, XP_RTS};
    struct xp_qp_attr attr = {
        .path = {.host = (uint16_t)other_side(e->side)},
        .dest_qp = e->peer->qpn + (uint32_t)s->dqpn_add,
        .rq_psn = psn(s->rq_psn),
        .sq_psn = psn(s->sq_psn),
        .access = s->qp_access,
        .qkey = s->qkey,
        .path_mtu = (uint16_t)s->mtu,
        .pkey = PKEY_DEFAULT,
        .port = LINK_PORT,
        .timeout = (uint8_t)s->timeout,
        .retry_cnt = (uint8_t)s->retry_cnt,
        .rnr_retry = (uint8_t)s->rnr_retry,
        .min_rnr_timer = (uint8_t)s->min_rnr_timer,
        .max_rd_atomic = (uint8_t)s->max_rd_atomic,
        .max_dest_rd_atomic = (uint8_t)s->max_dest_rd_atomic,
    };
    for (int i = 1; i < 4 && strcmp(xp_state_name(way[i - 1]), s->state) != 0; i++) {
        attr.state = way[i];
        if (!advance(e, &attr, way[i - 1]))
            return trouble_say(why, "the core refuses side %c's attributes on the way to %s",
                               "ab"[e->side], xp_state_name(way[i]));
    }
    return true;
}

bool ends_init(struct end end[SIDES], const struct capture *c, const struct xp_profile *profile,
               struct trouble *why)
{
    memset(end, 0, SIDES * sizeof *end);
    for (unsigned s = 0; s < SIDES; s++) {
        end[s].c = c;
        end[s].side = s;
        end[s].peer = &end[other_side(s)];
    }
    return end_init(&end[SIDE_A], profile, why) && end_init(&end[SIDE_B], profile, why) &&
           connect_end(&end[SIDE_A], why) && connect_end(&end[SIDE_B], why);
}

void ends_fini(struct end end[SIDES])
{
    for (unsigned s = 0; s < SIDES; s++) {
        free(end[s].block);
        free(end[s].arena);
        free(end[s].done);
    }
}

/* ---- completions ------------------------------------------------------------------------------ */

static struct completion completion_of(const struct end *e, int cq, const struct xp_wc *wc)
{
    struct completion q = {.side = e->side};
    bool received = wc->status == XP_WC_SUCCESS && cq == CQ_RECV;

    q.field[CQE_CQ] = cq;
    q.field[CQE_WR_ID] = (int64_t)wc->wr_id;
    q.field[CQE_STATUS] = wc->status;
    q.field[CQE_OPCODE] = wc->status == XP_WC_SUCCESS ? wc->op : NONE;
    q.field[CQE_BYTE_LEN] = received ? wc->byte_len : NONE;
    q.field[CQE_IMM] = received && (wc->flags & XP_WC_WITH_IMM) ? wc->imm : NONE;
    q.field[CQE_SRC_OK] = received && !e->paired ? wc->src_qp == e->peer->qpn : NONE;
    return q;
}

static void take_completions(struct end *e, tm_ps now)
{
    struct xp_wc wc;
    for (int i = 0; i < CQS; i++)
        while (xp_poll_cq(e->core, e->cq[i], &wc, 1) == 1) {
            if (e->dones == e->room) {
                e->room = 2 * e->room + 16;
                e->done = realloc(e->done, e->room * sizeof *e->done);
                CHECK(e->done != NULL);
            }
            e->done[e->dones] = completion_of(e, i, &wc);
            e->done[e->dones++].at = now;
        }
}

static void look_after(struct end *e, tm_ps now)
{
    uint32_t qpn;
    while (xp_woken(e->core, &qpn))
        e->ready = true;
    take_completions(e, now);
    CHECK(xp_exhausted(e->core) == NULL);
}

/* ---- work ------------------------------------------------------------------------------------- */

static struct xp_sge segment(const struct end *e, uint32_t mr, uint64_t off, uint32_t len,
                             uint32_t lkey_add)
{
    CHECK(mr < e->c->side[e->side].mrs);
    return (struct xp_sge){e->base[mr] + off, len, e->key[mr] + lkey_add};
}

static int post_send(struct end *e, const struct wr *w, tm_ps now)
{
    CHECK(w->rmr < e->c->side[other_side(e->side)].mrs);
    uint32_t rkey = e->peer->key[w->rmr] + w->rkey_add;
    struct xp_send_wr wr = {
        .wr_id = w->id,
        .sge = segment(e, w->mr, w->off, w->nsge ? w->len : 0, w->lkey_add),
        .remote_addr = e->peer->base[w->rmr] + w->roff,
        .rkey = rkey,
        .imm = w->op == XP_WR_SEND_INV ? rkey : w->imm,
        .op = w->op,
        .flags = (uint8_t)((w->unsignalled ? 0 : XP_SIGNALED) | (w->solicited ? XP_SOLICITED : 0) |
                           (w->fence ? XP_FENCE : 0) | (w->is_inline ? XP_INLINE : 0)),
        .swap_or_add = w->swap_or_add,
        .compare = w->compare,
        .path = {.host = (uint16_t)other_side(e->side)},
        .remote_qpn = e->peer->qpn + (uint32_t)w->dqpn_add,
        .remote_qkey = w->qkey,
    };
    return xp_post_send(e->core, e->qpn, &wr, now);
}

/*
 * A list of work requests up to the one that was refused when it was recorded: the verbs library
 * refuses some, which no adapter gets to see.
 */
static int do_posts(struct end *e, const struct step *s, tm_ps now)
{
    int rc = XP_OK;
    for (uint32_t i = 0; rc == XP_OK && i < s->wrs; i++) {
        if (s->rc != 0 && s->wr[i].id == s->bad)
            return XP_EINVAL;
        rc = post_send(e, &s->wr[i], now);
    }
    return rc;
}

static int do_recvs(struct end *e, const struct step *s, tm_ps now)
{
    int rc = XP_OK;
    for (uint32_t i = 0; rc == XP_OK && i < s->count; i++) {
        struct xp_recv_wr wr = {.wr_id = s->id + i,
                                .sge = segment(e, s->mr, s->off + (uint64_t)i * s->stride,
                                               s->nsge ? s->len : 0, s->lkey_add)};
        rc = e->srqn ? xp_srq_post_recv(e->core, e->srqn, &wr)
                     : xp_post_recv(e->core, e->qpn, &wr, now);
    }
    return rc;
}

static int do_state(struct end *e, enum xp_state to, tm_ps now)
{
    struct xp_qp_attr attr = {.state = to};
    return xp_qp_modify(e->core, e->qpn, &attr, XP_A_STATE, now);
}

static int do_set64(struct end *e, const struct step *s)
{
    CHECK(s->mr < e->c->side[e->side].mrs);
    CHECK(s->off + sizeof s->value <= e->c->side[e->side].mr[s->mr].size);
    memcpy(e->arena + e->base[s->mr] + s->off, &s->value, sizeof s->value);
    return XP_OK;
}

bool end_do(struct end *e, const struct step *s, tm_ps now, struct trouble *why)
{
    int rc = XP_OK;
    switch (s->kind) {
    case STEP_RECV:
        rc = do_recvs(e, s, now);
        break;
    case STEP_POST:
        rc = do_posts(e, s, now);
        break;
    case STEP_SET64:
        rc = do_set64(e, s);
        break;
    case STEP_ERR:
        rc = do_state(e, XP_ERR, now);
        break;
    case STEP_RESET:
        rc = do_state(e, XP_RESET, now);
        break;
    case STEP_KINDS:
        CHECK(false);
    }
    look_after(e, now);
    e->not_offered = rc == XP_EOPNOTSUPP;
    if (e->not_offered)
        return trouble_say(why, "service %s of the core does not offer an operation of step %u",
                           e->c->service, s->number);
    return (rc == XP_OK) == (s->rc == 0) ||
           trouble_say(why, "step %u (%s) returned %d, recorded %lld", s->number,
                       step_name[s->kind], rc, (long long)s->rc);
}

/* ---- packets ---------------------------------------------------------------------------------- */

static void do_atomic(struct end *e, const struct xp_rx *rx)
{
    uint64_t original, next;
    memcpy(&original, e->arena + rx->seg.addr, sizeof original);
    if (rx->is_cmp_swap)
        next = original == rx->compare ? rx->swap_or_add : original;
    else
        next = original + rx->swap_or_add;
    memcpy(e->arena + rx->seg.addr, &next, sizeof next);
    xp_atomic_done(e->core, rx, original);
}

void end_deliver(struct end *e, const struct flight *f, tm_ps now)
{
    struct xp_rx rx;
    memset(&rx, 0, sizeof rx);
    if (f->unreadable)
        return;
    xp_recv(e->core, &f->h, &f->e, (struct xp_path){(uint16_t)other_side(e->side), 0}, now, &rx);
    switch (rx.deed) {
    case XP_NOTHING:
        break;
    case XP_PLACE:
        CHECK(rx.seg.len <= f->h.payload_bytes);
        memcpy(e->arena + rx.seg.addr, f->payload, rx.seg.len);
        break;
    case XP_PLACE_VALUE:
        memcpy(e->arena + rx.seg.addr, &rx.value, sizeof rx.value);
        break;
    case XP_ATOMIC:
        do_atomic(e, &rx);
        break;
    case XP_HOLD:
        CHECK(!"the captured implementation keeps nothing out of order");
        break;
    }
    look_after(e, now);
}

bool end_pull(struct end *e, tm_ps now, struct flight *out)
{
    struct xp_tx tx;
    memset(&tx, 0, sizeof tx);
    look_after(e, now);
    if (!e->ready)
        return false;
    bool pulled = xp_pull(e->core, e->qpn, now, &tx) == XP_PULLED;
    e->ready = pulled && tx.more;
    look_after(e, now);
    if (!pulled)
        return false;
    CHECK(tx.seg.len <= PAYLOAD_MAX);
    memset(out, 0, sizeof *out);
    out->h = tx.hdr;
    out->e = tx.ext;
    memcpy(out->payload, e->arena + tx.seg.addr, tx.seg.len);
    return true;
}

void end_expire(struct end *e, tm_ps now)
{
    if (xp_deadline(e->core) <= now)
        xp_expire(e->core, now);
    look_after(e, now);
}

static bool knows_key(const struct end *e, uint32_t key)
{
    for (uint32_t i = 0; i < e->c->side[e->side].mrs; i++)
        if (e->key[i] == key)
            return true;
    return false;
}

struct packet end_describe(const struct end *from, const struct flight *f)
{
    const struct wire_hdr *h = &f->h;
    const struct wire_op_row *row = wire_op_row(h->opcode);
    unsigned has = row ? wire_headers_of(h->opcode).set : 0;
    struct packet p = {.from = from->side, .at = TM_NEVER, .out = TM_NEVER, .intact = true};
    p.flow = row && row->response ? other_side(from->side) : from->side;
    const struct end *target = p.flow == from->side ? from->peer : from;
    int64_t rel = (int64_t)((h->psn.v - from->c->side[p.flow].sq_psn) & PSN_MASK);
    bool remote = has & (HDR_RETH | HDR_ATOMICETH);
    const int64_t col[COLUMNS] = {
        [COL_OPCODE] = h->opcode.v,
        [COL_PSN_REL] = rel > 1 << 23 ? rel - (1 << 24) : rel,
        [COL_ACKREQ] = (h->flags & WIRE_ACKREQ) != 0,
        [COL_SE] = (h->flags & WIRE_SE) != 0,
        [COL_PAYLEN] = h->payload_bytes,
        [COL_SYNDROME] = has & HDR_AETH ? h->syndrome : NONE,
        [COL_MSN] = has & HDR_AETH ? (int64_t)h->msn : NONE,
        [COL_ROFF] = remote && h->va ? (int64_t)(h->va - target->base[0]) : NONE,
        [COL_RKEY_OK] = remote ? knows_key(target, h->rkey) : NONE,
        [COL_DMALEN] = has & HDR_RETH ? (int64_t)h->dmalen : NONE,
        [COL_SWAP_ADD] = has & HDR_ATOMICETH ? (int64_t)f->e.swap_or_add : NONE,
        [COL_COMPARE] = has & HDR_ATOMICETH ? (int64_t)f->e.compare : NONE,
        [COL_ORIG] = has & HDR_ATOMICACKETH ? (int64_t)f->e.original : NONE,
        [COL_IMM] = has & HDR_IMM ? (int64_t)h->imm : NONE,
        [COL_QKEY] = has & HDR_DETH ? (int64_t)f->e.qkey : NONE,
        [COL_PKEY] = h->pkey,
        [COL_MIG] = (h->flags & WIRE_MIGREQ) != 0,
        [COL_ACTION] = ACT_FWD,
    };
    memcpy(p.col, col, sizeof col);
    return p;
}

/* The recorded address or key of a region of `at`, as it is here. */
static void translate_remote(const struct end *at, struct wire_hdr *h)
{
    const struct recorded_end *was = &at->c->recorded[at->side];
    h->va = h->va - was->mr[0].addr + at->base[0];
    for (uint32_t i = 0; i < at->c->side[at->side].mrs; i++)
        if (was->mr[i].key == h->rkey) {
            h->rkey = at->key[i];
            return;
        }
    h->rkey = h->rkey - was->mr[0].key + at->key[0];
    if (knows_key(at, h->rkey)) /* wrong there and right here: any wrong one does */
        h->rkey = 0;
}

bool end_translate(const struct end *to, const struct packet *p, struct flight *out)
{
    struct wire_addr addr;
    const uint8_t *payload = NULL;
    memset(out, 0, sizeof *out);
    enum wire_frame_fault fault =
        wire_frame_parse(p->frame, p->frame_bytes, &out->h, &out->e, &addr, &payload);
    bool known = wire_opcode_known(out->h.opcode);
    if (fault != FRAME_OK && (fault != FRAME_BAD_HEADER || known))
        return false;
    if (fault == FRAME_OK && out->h.payload_bytes <= PAYLOAD_MAX)
        memcpy(out->payload, payload, out->h.payload_bytes);
    out->h.dest_qp = (out->h.dest_qp - to->c->recorded[to->side].qpn + to->qpn) & PSN_MASK;
    unsigned has = known ? wire_headers_of(out->h.opcode).set : 0;
    if (has & (HDR_RETH | HDR_ATOMICETH))
        translate_remote(to, &out->h);
    if (has & HDR_IETH) {
        struct wire_hdr key = {.rkey = out->h.imm};
        translate_remote(to, &key);
        out->h.imm = key.rkey;
    }
    if (has & HDR_DETH)
        out->e.src_qp = out->e.src_qp - to->c->recorded[other_side(to->side)].qpn + to->peer->qpn;
    return true;
}

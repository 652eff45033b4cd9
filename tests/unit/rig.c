/*
 * The bench of the transport tests; rig.h says what it holds.  Every set-up call is CHECKed: a test
 * whose scene cannot be built must not look like one that passed.
 */
#include "tests/unit/rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

/* ---- scene ----------------------------------------------------------------------------------- */

struct rig_spec rig_spec(void)
{
    struct rig_spec s = {.service = XP_RC,
                         .mtu = 256,
                         .timeout = 14,
                         .retry_cnt = 7,
                         .rnr_retry = 7,
                         .min_rnr = 12,
                         .access_b = XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC,
                         .rd_atomic = 4,
                         .dest_rd_atomic = 4,
                         .depth = 64,
                         .cq_depth = 256,
                         .max_sge = 1,
                         .psn_a = 100,
                         .psn_b = 5000,
                         .state_a = XP_RTS,
                         .state_b = XP_RTS,
                         .profile = xp_profile_spec()};
    return s;
}

struct rig_spec rig_spec_uc(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_UC;
    return s;
}

/* What of a QP the spec does not say. */
static struct xp_qp_init init_of(const struct rig *r, int end)
{
    const struct rig_spec *s = &r->spec;
    if (s->service == XP_XRC_INI && end == A)
        return (struct xp_qp_init){.service = XP_XRC_INI,
                                   .pd = RIG_PD,
                                   .send_cq = r->scq[A],
                                   .sq_depth = s->depth,
                                   .max_send_sge = s->max_sge};
    if (s->service == XP_XRC_INI)
        return (struct xp_qp_init){.service = XP_XRC_TGT, .pd = RIG_PD, .xrcd = RIG_XRCD};
    return (struct xp_qp_init){.service = s->service,
                               .pd = RIG_PD,
                               .send_cq = r->scq[end],
                               .recv_cq = r->rcq[end],
                               .sq_depth = s->depth,
                               .rq_depth = s->srq_depth ? 0 : s->depth,
                               .srq = r->srq[end],
                               .rdd = s->service == XP_RD ? RIG_RDD : 0,
                               .max_send_sge = s->max_sge,
                               .max_recv_sge = s->max_sge,
                               .max_inline_data = s->max_inline};
}

static const struct xp_qp_init context = {.service = XP_EEC, .rdd = RIG_RDD};

static void make_end(struct rig *r, int end)
{
    struct xp *x = r->loop->end[end].core;
    const struct rig_spec *s = &r->spec;
    CHECK(xp_cq_create(x, s->cq_depth, &r->scq[end]) == XP_OK);
    CHECK(xp_cq_create(x, s->cq_depth, &r->rcq[end]) == XP_OK);
    if (s->srq_depth) {
        struct xp_srq_init srq = {
            .pd = RIG_PD, .depth = s->srq_depth, .limit = s->srq_limit, .max_sge = s->max_sge};
        srq.cq = s->service == XP_XRC_INI ? r->rcq[end] : 0;
        srq.xrcd = s->service == XP_XRC_INI ? RIG_XRCD : 0;
        CHECK(xp_srq_create(x, &srq, &r->srq[end]) == XP_OK);
    }
    struct xp_qp_init init = init_of(r, end);
    CHECK(xp_qp_create(x, &init, &r->qp[end]) == XP_OK);
    if (s->service == XP_RD)
        CHECK(xp_qp_create(x, &context, &r->eec[end]) == XP_OK);
    CHECK(xp_mr_add(x, RIG_PD, RIG_BASE, RIG_REGION,
                    XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC, 0,
                    &r->key[end]) == XP_OK);
}

struct rig *rig_new(const struct rig_spec *spec)
{
    struct rig *r = calloc(1, sizeof *r);
    CHECK(r != NULL);
    r->spec = *spec;
    struct loop_config cfg = {.ends = 2,
                              .limits = {.qp = spec->service == XP_RD ? 12 : 4,
                                         .cq = 6,
                                         .mr = 8,
                                         .send_wqe = 256,
                                         .recv_wqe = 256,
                                         .cqe = 1024,
                                         .active = spec->service == XP_RD ? 12 : 4,
                                         .answer = 1024,
                                         .attr_set = 16,
                                         .resource = 64,
                                         .srq = 2,
                                         .mcast = 4,
                                         .sge = 512,
                                         .hold = spec->profile.recovery == XP_SELECTIVE ? 32 : 0},
                              .profile = spec->profile,
                              .seed = 1,
                              .arena_bytes = RIG_ARENA,
                              .delay_ps = RIG_DELAY,
                              .gap_ps = spec->gap_ps};
    r->loop = loop_new(&cfg);
    CHECK(r->loop != NULL);
    r->loop->recording = true;
    make_end(r, A);
    make_end(r, B);
    rig_connect(r, A, spec->state_a);
    rig_connect(r, B, spec->state_b);
    for (uint32_t i = 0; i < RIG_ARENA; i++)
        r->loop->end[A].arena[i] = (uint8_t)(i * 7 + (i >> 8) * 13 + (i >> 16) * 29 + 1);
    return r;
}

struct rig *rig_clone(const struct rig *r)
{
    struct rig *c = malloc(sizeof *c);
    CHECK(c != NULL);
    *c = *r;
    c->loop = loop_clone(r->loop);
    return c;
}

void rig_free(struct rig *r)
{
    for (int end = A; end <= B; end++) {
        struct xp *x = r->loop->end[end].core;
        struct xp_wc wc;
        CU_ASSERT_PTR_NULL(xp_exhausted(x));
        rig_state(r, end, XP_RESET);
        for (int i = 0; i < RIG_MORE && r->more[end][i]; i++)
            xp_qp_destroy(x, r->more[end][i], r->loop->now);
        if (r->eec[end])
            xp_qp_destroy(x, r->eec[end], r->loop->now);
        if (r->srq[end] && xp_qp_destroy(x, r->qp[end], r->loop->now) == XP_OK)
            xp_srq_destroy(x, r->srq[end]);
        while (xp_poll_cq(x, r->scq[end], &wc, 1) == 1 || xp_poll_cq(x, r->rcq[end], &wc, 1) == 1)
            ;
        INT_IS(xp_outstanding(x), 0);
    }
    loop_free(r->loop);
    free(r);
}

int rig_state(struct rig *r, int end, enum xp_state to)
{
    struct xp_qp_attr attr = {.state = to};
    return xp_qp_modify(r->loop->end[end].core, r->qp[end], &attr, XP_A_STATE, r->loop->now);
}

/* What each step of the way wants, as the reference's table has it. */
static uint32_t step_mask(enum xp_service_id service, enum xp_state to)
{
    const uint32_t connected = XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN;
    const uint32_t retries =
        XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD;
    const uint32_t ready = XP_A_MAX_DEST_RD | XP_A_MIN_RNR;
    static const uint32_t none = 0;
    const struct {
        uint32_t init, rtr, rts;
    } extra[XP_SERVICES] = {
        [XP_RC] = {XP_A_ACCESS, connected | ready, retries},
        [XP_UC] = {XP_A_ACCESS, connected, XP_A_SQ_PSN},
        [XP_UD] = {XP_A_QKEY, none, XP_A_SQ_PSN},
        [XP_XRC_INI] = {XP_A_ACCESS, connected, retries},
        [XP_XRC_TGT] = {XP_A_ACCESS, connected | ready, XP_A_SQ_PSN | XP_A_TIMEOUT},
        [XP_RD] = {XP_A_QKEY | XP_A_ACCESS, XP_A_MIN_RNR, none},
        [XP_EEC] = {none, connected | XP_A_MAX_DEST_RD, retries},
    };
    if (to == XP_INIT)
        return XP_A_STATE | XP_A_PKEY | XP_A_PORT | extra[service].init;
    return XP_A_STATE | (to == XP_RTR ? extra[service].rtr : extra[service].rts);
}

/* From RESET along the path; whatever the service of `qpn` is. */
static void walk(struct rig *r, int end, uint32_t qpn, uint32_t dest, enum xp_state to)
{
    const struct rig_spec *s = &r->spec;
    struct xp_qp_query q = {.service = XP_SERVICES};
    struct xp_qp_attr attr = {
        .path = {(uint16_t)!end, 7},
        .dest_qp = dest,
        .rq_psn = psn(end == A ? s->psn_b : s->psn_a),
        .sq_psn = psn(end == A ? s->psn_a : s->psn_b),
        .access = end == B ? s->access_b : XP_REMOTE_WRITE,
        .path_mtu = s->mtu,
        .pkey = 0xffff,
        .qkey = RIG_QKEY,
        .port = 1,
        .timeout = s->timeout,
        .retry_cnt = s->retry_cnt,
        .rnr_retry = s->rnr_retry,
        .min_rnr_timer = s->min_rnr,
        .max_rd_atomic = s->rd_atomic,
        .max_dest_rd_atomic = s->dest_rd_atomic,
    };
    CHECK(xp_qp_query(r->loop->end[end].core, qpn, &q) == XP_OK);
    for (int state = XP_INIT; state <= (int)to && state <= XP_RTS; state++) {
        attr.state = (enum xp_state)state;
        CHECK(xp_qp_modify(r->loop->end[end].core, qpn, &attr, step_mask(q.service, attr.state),
                           r->loop->now) == XP_OK);
    }
}

void rig_connect(struct rig *r, int end, enum xp_state to)
{
    if (r->eec[end])
        rig_join(r, end, r->eec[end], r->eec[!end]);
    walk(r, end, r->qp[end], r->qp[!end], to);
}

uint32_t rig_more(struct rig *r, int end, enum xp_service_id service)
{
    struct xp_qp_init init = service == XP_EEC ? context : init_of(r, end);
    int i = 0;
    while (r->more[end][i])
        CHECK(++i < RIG_MORE);
    CHECK(xp_qp_create(r->loop->end[end].core, &init, &r->more[end][i]) == XP_OK);
    if (service != XP_EEC)
        walk(r, end, r->more[end][i], 0, XP_RTS);
    return r->more[end][i];
}

void rig_join(struct rig *r, int end, uint32_t own, uint32_t other)
{
    walk(r, end, own, other, XP_RTS);
}

struct xp_qp_query rig_query(struct rig *r, int end)
{
    struct xp_qp_query q;
    memset(&q, 0, sizeof q);
    CHECK(xp_qp_query(r->loop->end[end].core, r->qp[end], &q) == XP_OK);
    return q;
}

enum xp_state rig_state_of(struct rig *r, int end) { return rig_query(r, end).state; }

/* ---- work ------------------------------------------------------------------------------------ */

struct xp_send_wr rig_wr(const struct rig *r, int end, struct rig_op op)
{
    return (struct xp_send_wr){.wr_id = op.id,
                               .sge = {RIG_BASE + op.src, op.len, r->key[end]},
                               .remote_addr = RIG_BASE + op.dst,
                               .rkey = r->key[!end],
                               .imm = op.imm,
                               .tag = op.id + 1000,
                               .msgno = (uint32_t)op.id,
                               .op = (uint8_t)op.op,
                               .path = {(uint16_t)!end, 7},
                               .remote_qpn = r->qp[!end],
                               .remote_qkey = RIG_QKEY,
                               .srqn = r->srq[!end],
                               .eecn = r->eec[end],
                               .swap_or_add = op.swap_or_add,
                               .compare = op.compare,
                               .flags = (uint8_t)((op.unsignalled ? 0 : XP_SIGNALED) |
                                                  (op.solicited ? XP_SOLICITED : 0) |
                                                  (op.fence ? XP_FENCE : 0))};
}

int rig_post(struct rig *r, struct rig_op op)
{
    struct xp_send_wr wr = rig_wr(r, A, op);
    return xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now);
}

void rig_sends(struct rig *r, uint64_t first_id, int count, uint32_t len)
{
    for (int i = 0; i < count; i++)
        CHECK(rig_post(r, (struct rig_op){.id = first_id + (uint64_t)i,
                                          .op = XP_WR_SEND,
                                          .len = len,
                                          .src = (uint32_t)i * len}) == XP_OK);
}

int rig_recv(struct rig *r, uint64_t id, uint32_t at, uint32_t len)
{
    struct xp_recv_wr wr = {.wr_id = id, .sge = {RIG_BASE + at, len, r->key[B]}};
    if (r->srq[B])
        return xp_srq_post_recv(r->loop->end[B].core, r->srq[B], &wr);
    return xp_post_recv(r->loop->end[B].core, r->qp[B], &wr, r->loop->now);
}

void rig_recvs(struct rig *r, uint64_t first_id, int count, uint32_t len)
{
    for (int i = 0; i < count; i++)
        CHECK(rig_recv(r, first_id + (uint64_t)i, (uint32_t)i * len, len) == XP_OK);
}

void rig_run(struct rig *r) { CU_ASSERT_TRUE(loop_run_quiet(r->loop, r->loop->now + 100 * TM_S)); }

void rig_run_for(struct rig *r, tm_ps t) { loop_run_until(r->loop, r->loop->now + t); }

struct xp_rx rig_inject(struct rig *r, int to, struct wire_hdr h)
{
    struct xp_rx rx;
    struct wire_ext e;
    memset(&rx, 0xff, sizeof rx); /* whatever was there, the core writes it all */
    memset(&e, 0, sizeof e);
    xp_recv(r->loop->end[to].core, &h, &e, (struct xp_path){(uint16_t)!to, 7}, r->loop->now, &rx);
    return rx;
}

struct wire_hdr rig_answer(const struct rig *r, uint8_t syndrome, uint32_t psn_v, uint32_t msn)
{
    return (struct wire_hdr){.opcode = wire_opcode(WIRE_RC, OP_ACKNOWLEDGE),
                             .syndrome = syndrome,
                             .flags = WIRE_MIGREQ,
                             .pkey = 0xffff,
                             .dest_qp = r->qp[A],
                             .psn = psn(psn_v),
                             .msn = msn};
}

struct wire_hdr rig_request(const struct rig *r, enum wire_op op, uint32_t psn_v, uint16_t len)
{
    return (struct wire_hdr){
        .opcode = wire_opcode(r->spec.service == XP_RC ? WIRE_RC : WIRE_UC, op),
        .flags = (uint8_t)(WIRE_MIGREQ | (r->spec.service == XP_RC ? WIRE_ACKREQ : 0)),
        .pkey = 0xffff,
        .payload_bytes = len,
        .dest_qp = r->qp[B],
        .psn = psn(psn_v),
        .va = RIG_BASE,
        .rkey = r->key[B],
        .dmalen = len};
}

/* ---- texts ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void put(struct rig *r, const char *form, ...)
{
    size_t at = strlen(r->text);
    va_list va;
    va_start(va, form);
    int n = vsnprintf(r->text + at, sizeof r->text - at, form, va);
    va_end(va);
    CHECK(n >= 0 && at + (size_t)n < sizeof r->text);
}

/* "@0" behind a completion of the first further QP. */
static void put_whose(struct rig *r, int end, const struct xp_wc *wc)
{
    for (int i = 0; i < RIG_MORE && r->more[end][i]; i++) {
        if (wc->qpn == r->more[end][i]) {
            put(r, "@%d", i);
            return;
        }
    }
    if (wc->qpn != r->qp[end])
        put(r, " WRONG_QP");
}

static void put_wc(struct rig *r, const struct xp_wc *wc, bool receive)
{
    put(r, "%s%llu:%u", r->text[0] ? " " : "", (unsigned long long)wc->wr_id, wc->status);
    if (!receive || wc->status != XP_WC_SUCCESS)
        return;
    put(r, "/%u", wc->byte_len);
    if (wc->flags & XP_WC_WITH_IMM)
        put(r, "#%u", wc->imm);
}

static const char *take_wcs(struct rig *r, int end, uint32_t cq, bool receive)
{
    struct xp_wc wc;
    r->text[0] = 0;
    while (xp_poll_cq(r->loop->end[end].core, cq, &wc, 1) == 1) {
        r->polled[end]++;
        put_wc(r, &wc, receive);
        put_whose(r, end, &wc);
    }
    return r->text;
}

const char *rig_wcs(struct rig *r, int end) { return take_wcs(r, end, r->scq[end], false); }
const char *rig_rcs(struct rig *r, int end) { return take_wcs(r, end, r->rcq[end], true); }

const char *rig_events(struct rig *r, int end)
{
    static const char *const name[] = {"COMM_EST", "SQ_DRAINED", "QP_REQ_ERR", "QP_ACCESS_ERR",
                                       "QP_FATAL", "CQ_ERR",     "LAST_WQE",   "SRQ_LIMIT"};
    struct xp_event ev;
    r->text[0] = 0;
    while (xp_take_event(r->loop->end[end].core, &ev))
        put(r, "%s%s", r->text[0] ? " " : "", name[ev.kind]);
    return r->text;
}

static void put_answer(struct rig *r, const struct loop_record *p)
{
    enum wire_op op = wire_op_of(p->h.opcode);
    if (op != OP_ACKNOWLEDGE) {
        put(r, "%s.%u", wire_op_table[op].name, p->h.psn.v);
        if (wire_op_table[op].payload)
            put(r, "+%u", p->h.payload_bytes);
        if (wire_op_table[op].headers & HDR_AETH)
            put(r, "/%u", p->h.msn);
        return;
    }
    unsigned low = aeth_low5(p->h.syndrome);
    switch (aeth_kind(p->h.syndrome)) {
    case AETH_ACK:
        put(r, low == AETH_CREDIT_NONE ? "ack" : "ackcredit%u", low);
        break;
    case AETH_RNR:
        put(r, "rnr%u", low);
        break;
    case AETH_NAK:
        put(r, "nak%u", low);
        break;
    case AETH_RESERVED:
        put(r, "reserved%u", low);
        break;
    }
    put(r, ".%u/%u%s", p->h.psn.v, p->h.msn, p->retransmit ? "r" : "");
}

static void put_request(struct rig *r, const struct loop_record *p, unsigned show)
{
    enum wire_op op = wire_op_of(p->h.opcode);
    unsigned headers = wire_op_table[op].headers;
    put(r, "%s.%u+%u", wire_op_table[op].name, p->h.psn.v, p->h.payload_bytes);
    if ((show & SHOW_ACKREQ) && (p->h.flags & WIRE_ACKREQ))
        put(r, "!");
    if (p->h.flags & WIRE_SE)
        put(r, "s");
    if (headers & HDR_IMM)
        put(r, "#%u", p->h.imm);
    if (headers & HDR_RETH)
        put(r, "@%lld:%u", (long long)(p->h.va - RIG_BASE), p->h.dmalen);
    if (p->retransmit)
        put(r, "r");
}

const char *rig_packets(struct rig *r, unsigned show)
{
    struct loop *l = r->loop;
    r->text[0] = 0;
    for (uint32_t i = 0; i < l->records; i++) {
        const struct loop_record *p = &l->record[i];
        if (!(show & (p->response ? SHOW_ANSWERS : SHOW_REQUESTS)))
            continue;
        put(r, "%s", r->text[0] ? " " : "");
        if (show & SHOW_TIME)
            put(r, "%lld ", (long long)p->at);
        if (p->response)
            put_answer(r, p);
        else
            put_request(r, p, show);
        if (p->fate & (LOOP_LOST | LOOP_CORRUPTED))
            put(r, "x");
    }
    l->records = 0;
    return r->text;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

bool rig_same_bytes(const struct rig *r, uint32_t src, uint32_t dst, uint32_t len)
{
    return memcmp(r->loop->end[A].arena + RIG_BASE + src, r->loop->end[B].arena + RIG_BASE + dst,
                  len) == 0;
}

bool rig_untouched(const struct rig *r, uint32_t dst, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (r->loop->end[B].arena[RIG_BASE + dst + i] != 0)
            return false;
    return true;
}

void rig_text_is(const char *found, const char *wanted, const char *where, int line)
{
    char say[700];
    bool same = strcmp(found, wanted) == 0;
    snprintf(say, sizeof say, "%s\n       found  \"%.300s\"\n       wanted \"%.300s\"", where,
             found, wanted);
    CU_assertImplementation(same, (unsigned)line, say, "", "", CU_FALSE);
}

void rig_int_is(long long found, long long wanted, const char *where, int line)
{
    char say[300];
    snprintf(say, sizeof say, "%.200s found %lld wanted %lld", where, found, wanted);
    CU_assertImplementation(found == wanted, (unsigned)line, say, "", "", CU_FALSE);
}

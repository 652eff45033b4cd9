/*
 * MADs that arrive: which connection they mean, and what they do in its state.
 *
 * A REQ is found by what its sender calls the connection; everything else by our own communication
 * id, and only if the sender's host and id are those that we know.  So a MAD that was under way for
 * too long can neither join two QPs that did not ask for each other nor break a later connection.
 * What fits no connection: a REP is rejected, a DREQ answered, the rest ignored.
 */
#include <string.h>

#include "models/cm/cm_state.h"

typedef void handler(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now);

static void answer_stray(struct cm *cm, uint32_t peer, const struct cm_mad *m, struct stray s)
{
    struct stray_ring *r = &cm->stray;
    if (r->tail - r->head == STRAYS)
        return;
    s.peer = peer;
    s.tid = m->tid;
    s.remote_id = m->local_id;
    r->item[r->tail++ % STRAYS] = s;
}

static void reject_stray(struct cm *cm, uint32_t peer, const struct cm_mad *m, enum cm_answered of,
                         enum cm_reason why)
{
    answer_stray(cm, peer, m,
                 (struct stray){.kind = CM_REJ, .of = (uint8_t)of, .reason = (uint16_t)why});
}

/* ---- REQ ----------------------------------------------------------------------------------------- */

static bool listens(const struct cm *cm, const struct cm_mad *m, enum cm_reason *why)
{
    *why = CM_REJ_INVALID_SERVICE_ID;
    for (uint32_t i = 0; i < cm->listens; i++) {
        if (cm->listen[i].service_id != m->req.service_id)
            continue;
        if (cm->listen[i].transport == m->req.transport)
            return true;
        *why = CM_REJ_INVALID_TRANSPORT;
    }
    return false;
}

static void repeat_answer(struct cm *cm, struct conn *c)
{
    if (c->state == C_REP_SENT)
        cm__send(cm, c, CM_REP);
    else if (c->state == C_REQ_RCVD && (c->flags & CF_MRA_SENT))
        cm__send(cm, c, CM_MRA);
    else
        cm->counts.stray++;
}

static void fill_passive(struct conn *c, uint32_t from, const struct cm_mad *m, tm_ps now)
{
    c->state = C_REQ_RCVD;
    c->begun_ps = now;
    c->peer = from;
    c->tid = m->tid;
    c->remote_id = m->local_id;
    c->remote = m->offer;
    c->service_id = m->req.service_id;
    c->ask.mtu = m->req.mtu;
    c->ask.timeout = m->req.path.ack_timeout;
    c->ask.retry_cnt = m->req.retry_cnt;
    c->wait_code = m->req.local_timeout;
    c->tries_left = m->req.max_cm_retries;
    memcpy(c->note, m->private_data, CM_NOTE_BYTES);
}

/*
 * The other side connects a QP anew that we still hold for connected: it has lost the connection
 * without a DREQ that reached us.  Ours ends; the REQ is rejected, and may be tried again.
 */
static bool is_stale(struct cm *cm, uint32_t from, const struct cm_mad *m, tm_ps now)
{
    struct conn *old = cm__key_find(cm, BY_QPN, from, m->offer.qpn);
    if (!old)
        return false;
    if (old->state == C_ESTABLISHED) {
        old->reason = CM_REJ_STALE_CONN;
        cm__tell(cm, old, CM_EV_DISCONNECTED);
        cm__to_timewait(cm, old, now);
    }
    return true;
}

static void recv_req(struct cm *cm, uint32_t from, const struct cm_mad *m, tm_ps now)
{
    struct conn *c = cm__key_find(cm, BY_ID, from, m->local_id);
    enum cm_reason why;
    if (c) {
        repeat_answer(cm, c);
        return;
    }
    if (!listens(cm, m, &why)) {
        reject_stray(cm, from, m, CM_OF_REQ, why);
        return;
    }
    if (is_stale(cm, from, m, now)) {
        reject_stray(cm, from, m, CM_OF_REQ, CM_REJ_STALE_CONN);
        return;
    }
    if (m->req.mtu < 1 || m->req.mtu > 5) {
        reject_stray(cm, from, m, CM_OF_REQ, CM_REJ_INVALID_MTU);
        return;
    }
    c = cm__alloc(cm);
    if (!c) {
        reject_stray(cm, from, m, CM_OF_REQ, CM_REJ_NO_RESOURCES);
        return;
    }
    fill_passive(c, from, m, now);
    cm__key_add(cm, c, BY_ID);
    cm__key_add(cm, c, BY_QPN);
    cm__tell(cm, c, CM_EV_REQUEST);
}

/* ---- answers to REQ and REP ------------------------------------------------------------------------- */

static void prolong(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    unsigned of = c->state == C_REQ_SENT ? CM_OF_REQ : CM_OF_REP;
    if (m->mra.of != of)
        return;
    tm_ps until = tm_add(now, cm_wait_ps(m->mra.service_timeout));
    cm__wait(cm, c, tm_max(until, cm__wait_end(cm, c)));
}

static void replied(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    if (cm__key_find(cm, BY_QPN, c->peer, m->offer.qpn)) {
        reject_stray(cm, c->peer, m, CM_OF_REP, CM_REJ_STALE_CONN);
        cm__fail(cm, c, CM_REJ_STALE_CONN, now);
        return;
    }
    c->state = C_REP_RCVD;
    c->remote_id = m->local_id;
    c->remote = m->offer;
    memcpy(c->note, m->private_data, CM_NOTE_BYTES);
    cm__key_add(cm, c, BY_QPN);
    cm__wait_no_more(cm, c);
    cm__tell(cm, c, CM_EV_TO_RTR);
    cm__tell(cm, c, CM_EV_TO_RTS);
}

static void replied_again(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    if (c->state == C_ESTABLISHED)
        cm__send(cm, c, CM_RTU);
    else if (c->flags & CF_MRA_SENT)
        cm__send(cm, c, CM_MRA);
}

static void confirmed(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    cm__established(cm, c);
    cm__tell(cm, c, CM_EV_TO_RTS);
}

static void rejected(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    cm__fail(cm, c, (enum cm_reason)m->rej.reason, now);
}

/* ---- the end ------------------------------------------------------------------------------------------ */

/* A REJ for an established connection: the other side gave up, as when every RTU was lost. */
static void cut(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    c->reason = m->rej.reason;
    if (c->state == C_ESTABLISHED)
        cm__tell(cm, c, CM_EV_DISCONNECTED);
    cm__to_timewait(cm, c, now);
}

static void left(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    if (m->remote_qpn != c->own.qpn)
        return;
    c->tid = m->tid;
    if (c->state != C_DREQ_SENT && c->state != C_TIMEWAIT)
        cm__tell(cm, c, CM_EV_DISCONNECTED);
    if (c->state != C_TIMEWAIT)
        cm__to_timewait(cm, c, now);
    cm__send(cm, c, CM_DREP);
}

static void let_go(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    cm__to_timewait(cm, c, now);
}

/* ---- datagrams ---------------------------------------------------------------------------------------- */

/* The answer needs no record: a repeated question is answered again. */
static void recv_sidr_req(struct cm *cm, uint32_t from, const struct cm_mad *m)
{
    struct stray s = {.kind = CM_SIDR_REP,
                      .local_id = m->local_id,
                      .status = CM_SIDR_NO_SERVICE,
                      .service_id = m->sidr.service_id};
    for (uint32_t i = 0; i < cm->serves; i++)
        if (cm->serve[i].service_id == m->sidr.service_id) {
            s.status = CM_SIDR_VALID;
            s.service = (uint8_t)i;
        }
    answer_stray(cm, from, m, s);
}

static void resolved(struct cm *cm, struct conn *c, const struct cm_mad *m, tm_ps now)
{
    if (m->sidr.status != CM_SIDR_VALID) {
        cm__fail(cm, c,
                 m->sidr.status == CM_SIDR_NO_SERVICE ? CM_REJ_INVALID_SERVICE_ID : CM_REJ_CONSUMER,
                 now);
        return;
    }
    c->remote.qpn = m->sidr.qpn;
    c->remote.qkey = m->sidr.qkey;
    cm__tell(cm, c, CM_EV_RESOLVED);
    cm__close(cm, c);
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

/* clang-format off */
static handler *const table[CM_KINDS][C_STATES] = {
    [CM_MRA] = {[C_REQ_SENT] = prolong, [C_REP_SENT] = prolong},
    [CM_REJ] = {[C_REQ_SENT] = rejected, [C_REQ_RCVD] = rejected, [C_REP_SENT] = rejected,
                [C_REP_RCVD] = rejected, [C_ESTABLISHED] = cut, [C_DREQ_SENT] = cut},
    [CM_REP] = {[C_REQ_SENT] = replied, [C_REP_RCVD] = replied_again,
                [C_ESTABLISHED] = replied_again},
    [CM_RTU] = {[C_REP_SENT] = confirmed},
    [CM_DREQ] = {[C_REP_SENT] = left, [C_REP_RCVD] = left, [C_ESTABLISHED] = left,
                 [C_DREQ_SENT] = left, [C_TIMEWAIT] = left},
    [CM_DREP] = {[C_DREQ_SENT] = let_go},
    [CM_SIDR_REP] = {[C_SIDR_SENT] = resolved},
};
/* clang-format on */

/* A REJ for a timeout may come from one that never learned our id: it names its own alone. */
static struct conn *meant_by(const struct cm *cm, uint32_t from, const struct cm_mad *m)
{
    if (m->kind == CM_REJ && m->remote_id == 0)
        return cm__key_find(cm, BY_ID, from, m->local_id);
    bool is_sidr = m->kind == CM_SIDR_REP; /* names the question, which is all there is */
    struct conn *c = cm__by_local_id(cm, is_sidr ? m->local_id : m->remote_id);
    if (!c || c->peer != from)
        return NULL;
    if (is_sidr)
        return c;
    bool names_itself = m->kind == CM_REP || m->kind == CM_MRA || m->kind == CM_REJ;
    if (c->state == C_REQ_SENT && c->remote_id == 0 && names_itself)
        return c;
    return c->remote_id == m->local_id ? c : NULL;
}

static void refuse(struct cm *cm, uint32_t from, const struct cm_mad *m)
{
    cm->counts.stray++;
    if (m->kind == CM_REP)
        reject_stray(cm, from, m, CM_OF_REP, CM_REJ_INVALID_COMM_ID);
    else if (m->kind == CM_DREQ)
        answer_stray(cm, from, m, (struct stray){.kind = CM_DREP, .local_id = m->remote_id});
}

void cm_recv(struct cm *cm, uint32_t from, const struct cm_mad *m, tm_ps now)
{
    cm->now = now;
    cm->counts.received[m->kind]++;
    if (m->kind == CM_REQ) {
        recv_req(cm, from, m, now);
        return;
    }
    if (m->kind == CM_SIDR_REQ) {
        recv_sidr_req(cm, from, m);
        return;
    }
    struct conn *c = meant_by(cm, from, m);
    handler *h = c ? table[m->kind][c->state] : NULL;
    if (h)
        h(cm, c, m, now);
    else
        refuse(cm, from, m);
}

/*
 * MADs that leave: what waits to be sent, made when it is pulled.
 *
 * A record keeps only which kinds wait.  What its state has overtaken meanwhile (a REQ to be sent
 * again although the REJ has come) is left out: a MAD never leaves a connection that is past it.
 */
#include <string.h>

#include "models/cm/cm_state.h"

/* States in which a MAD of that kind still means something. */
static const uint16_t fit[CM_KINDS] = {
    [CM_REQ] = 1u << C_REQ_SENT,
    [CM_MRA] = 1u << C_REQ_RCVD | 1u << C_REP_RCVD,
    [CM_REJ] = UINT16_MAX,
    [CM_REP] = 1u << C_REP_SENT,
    [CM_RTU] = 1u << C_ESTABLISHED,
    [CM_DREQ] = 1u << C_DREQ_SENT,
    [CM_DREP] = 1u << C_TIMEWAIT | 1u << C_CLOSED,
    [CM_SIDR_REQ] = 1u << C_SIDR_SENT,
};

static void fill_req(const struct cm *cm, const struct conn *c, struct cm_mad *m)
{
    m->remote_id = 0;
    m->offer = c->own;
    m->req = (struct cm_req){
        .service_id = c->service_id,
        .remote_timeout = cm->cfg.timeout,
        .local_timeout = cm->cfg.timeout,
        .transport = c->ask.transport,
        .retry_cnt = c->ask.retry_cnt,
        .pkey = 0xffff,
        .mtu = c->ask.mtu,
        .max_cm_retries = cm->cfg.retries,
        .path = {.local_lid = 0xffff,
                 .remote_lid = 0xffff,
                 .hop_limit = 64,
                 .ack_timeout = c->ask.timeout},
    };
    memcpy(m->private_data, c->ask.own.note, CM_NOTE_BYTES);
}

static void fill(const struct cm *cm, const struct conn *c, struct cm_mad *m)
{
    switch ((enum cm_kind)m->kind) {
    case CM_REQ:
        fill_req(cm, c, m);
        break;
    case CM_REP:
        m->offer = c->own;
        memcpy(m->private_data, c->ask.own.note, CM_NOTE_BYTES);
        break;
    case CM_MRA:
        m->mra = c->mra;
        break;
    case CM_REJ:
        m->rej.of = c->rej_of;
        m->rej.reason = c->reason;
        break;
    case CM_DREQ:
        m->remote_qpn = c->remote.qpn;
        break;
    case CM_SIDR_REQ:
        m->sidr.service_id = c->service_id;
        m->sidr.pkey = 0xffff;
        break;
    case CM_RTU:
    case CM_DREP:
    case CM_SIDR_REP:
    case CM_KINDS:
        break;
    }
}

static void put_stray(struct cm *cm, struct cm_tx *out)
{
    const struct stray *s = &cm->stray.item[cm->stray.head++ % STRAYS];
    *out = (struct cm_tx){.peer = s->peer};
    out->mad.kind = s->kind;
    out->mad.tid = s->tid;
    out->mad.local_id = s->local_id;
    out->mad.remote_id = s->remote_id;
    out->mad.rej.of = s->of;
    out->mad.rej.reason = s->reason;
    out->mad.sidr.status = s->status;
    out->mad.sidr.service_id = s->service_id;
    if (s->kind == CM_SIDR_REP && s->status == CM_SIDR_VALID) {
        out->mad.sidr.qpn = cm->serve[s->service].qpn;
        out->mad.sidr.qkey = cm->serve[s->service].qkey;
    }
}

static void count(struct cm *cm, const struct cm_tx *tx)
{
    cm->counts.sent[tx->mad.kind]++;
    cm->counts.again[tx->mad.kind] += tx->again;
}

bool cm_pull(struct cm *cm, struct cm_tx *out)
{
    struct conn *c;
    while ((c = cm__first_send(cm))) {
        unsigned kind = (unsigned)__builtin_ctz(c->sends);
        bool fits = fit[kind] >> c->state & 1;
        if (fits) {
            *out = (struct cm_tx){.peer = c->peer, .again = (c->sent >> kind & 1) != 0};
            out->mad.kind = (uint8_t)kind;
            out->mad.tid = c->tid;
            out->mad.local_id = c->local_id;
            out->mad.remote_id = c->remote_id;
            fill(cm, c, &out->mad);
            c->sent |= (uint16_t)(1u << kind);
            count(cm, out);
        }
        cm__send_taken(cm, c, (enum cm_kind)kind);
        if (fits)
            return true;
    }
    if (cm->stray.head == cm->stray.tail)
        return false;
    put_stray(cm, out);
    count(cm, out);
    return true;
}

/*
 * Connections made by connection management: the load as its user.
 *
 * One connection manager a host.  At time 0 each host asks for the connections that begin at it;
 * its limit of handshakes decides which REQs leave.  A REQ carries the number of the end that is
 * meant, as applications do in private data.  The side that is asked has one worker that takes
 * accept_ps per REQ.  A connection's events move its QP; only then flows post.
 *
 * Invariants: of_conn names the end of each connection that has one, and the end's `conn` names it
 * back; what waits in a fifo for a connection counts only if both still say so.
 *
 * Left out: costs of the moves themselves; who is asked for which port.
 */
#include <glib.h>

#include "models/cm/cm.h"
#include "models/load/host.h"
#include "sim/base/check.h"

#define SERVICE_ID 0x01060001u /* RDMA_PS_TCP, port 1 */
#define NOBODY UINT32_MAX
#define SPARE_CONNS 8u

struct join {
    uint32_t conn;    /* NOBODY: none */
    uint16_t attempt; /* tells those in a fifo from later ones */
    bool rtr_waits, rts_waits;
};

struct joins {
    struct cm *cm;
    struct join *join; /* of own ends */
    uint32_t *of_conn; /* end, or NOBODY */
    struct fifo accepts, rtrs, asks;
    struct fifo ready; /* established in this step: flows begin behind the RTU */
    tm_ps worker_free_ps;
    bool begun;
};

static struct join *join_of(struct host *h, uint32_t e)
{
    return &h->ends.joins->join[e - h->ends.first];
}

/* ---- asking and answering --------------------------------------------------------------------- */

static void put_number(uint8_t *to, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(n >> (24 - 8 * i));
}

static uint32_t get_number(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static struct cm_own own_of(const struct host *h, uint32_t e)
{
    const struct load *l = h->load;
    struct xp_qp_attr attr = setup_attributes(l, e);
    return (struct cm_own){.qpn = l->end[e].qpn,
                           .psn = attr.sq_psn.v,
                           .responder_resources = attr.max_dest_rd_atomic,
                           .initiator_depth = attr.max_rd_atomic,
                           .rnr_retry = attr.rnr_retry};
}

static enum cm_transport transport(const struct load *l)
{
    return load_is_acked(l->qp.service) ? CM_TRANSPORT_RC : CM_TRANSPORT_UC;
}

static void tie(struct host *h, uint32_t e, uint32_t conn)
{
    struct join *j = join_of(h, e);
    *j = (struct join){.conn = conn, .attempt = (uint16_t)(j->attempt + 1)};
    h->ends.joins->of_conn[conn] = e;
}

static void ask(struct host *h, uint32_t e, tm_ps now)
{
    const struct load *l = h->load;
    uint32_t conn;
    struct cm_ask a = {.peer = l->end[e].peer,
                       .service_id = SERVICE_ID,
                       .transport = (uint8_t)transport(l),
                       .mtu = (uint8_t)(__builtin_ctz(l->qp.mtu) - 7),
                       .timeout = l->qp.timeout,
                       .retry_cnt = l->qp.retry_cnt,
                       .own = own_of(h, e)};
    put_number(a.own.note, l->end[e].peer_end);
    int rc = cm_connect(h->ends.joins->cm, &a, now, &conn);
    CHECK(rc == CM_OK);
    tie(h, e, conn);
}

static void accept_one(struct host *h, uint32_t e, tm_ps now)
{
    struct cm_own own = own_of(h, e);
    /* CM_ESTATE: the other side has given up meanwhile; the event tells so */
    cm_accept(h->ends.joins->cm, join_of(h, e)->conn, &own, now);
}

/* Is this an end of ours that waits to be joined with one of that host? */
static bool is_awaited(struct host *h, uint32_t e, uint32_t from)
{
    const struct end *end = &h->load->end[e];
    return e >= h->ends.first && e < h->ends.first + h->ends.count && end->peer == from &&
           end->state == END_JOINING && !(end->role & END_ASKS) && join_of(h, e)->conn == NOBODY;
}

static void on_request(struct host *h, uint32_t none, const struct cm_event *ev, tm_ps now)
{
    const struct load_connect *how = &h->load->cfg.connect;
    struct joins *js = h->ends.joins;
    uint32_t e = get_number(ev->note);
    if (!is_awaited(h, e, ev->attr.peer)) {
        cm_reject(js->cm, ev->conn, CM_REJ_CONSUMER, now);
        return;
    }
    tie(h, e, ev->conn);
    if (how->mra != LOAD_NO_MRA)
        cm_delay(js->cm, ev->conn, how->mra, now);
    js->worker_free_ps = tm_add(tm_max(now, js->worker_free_ps), how->accept_ps);
    if (js->worker_free_ps <= now)
        accept_one(h, e, now);
    else
        fifo_put(
            &js->accepts,
            (struct due){.at = js->worker_free_ps, .end = e, .generation = join_of(h, e)->attempt});
}

/* ---- moving the QP ---------------------------------------------------------------------------- */

static void move(struct host *h, uint32_t e, const struct cm_attr *a, enum xp_state to, tm_ps now)
{
    struct xp_qp_attr attr = setup_attributes(h->load, e);
    attr.dest_qp = a->dest_qpn;
    attr.rq_psn = psn(a->rq_psn);
    attr.sq_psn = psn(a->sq_psn);
    attr.path_mtu = (uint16_t)(128u << a->mtu);
    attr.timeout = a->timeout;
    attr.retry_cnt = a->retry_cnt;
    attr.rnr_retry = a->rnr_retry;
    attr.max_rd_atomic = a->max_rd_atomic;
    attr.max_dest_rd_atomic = a->max_dest_rd_atomic;
    h->load->end[e].peer_qpn = a->dest_qpn;
    int rc = setup_move(h->load, h, e, &attr, to, now);
    CHECK(rc == XP_OK);
}

static void leave_to(struct host *h, uint32_t e, enum xp_state to, tm_ps now)
{
    struct xp_qp_attr attr = {.state = to};
    int rc = h->vb.ops->qp_modify(h->vb.dev, h->load->end[e].qpn, &attr, XP_A_STATE, now);
    CHECK(rc == XP_OK);
}

static void to_rts(struct host *h, uint32_t e, const struct cm_attr *attr, tm_ps now)
{
    move(h, e, attr, XP_RTS, now);
    h->load->end[e].state = END_UP;
    fifo_put(&h->ends.joins->ready, (struct due){.at = now, .end = e});
}

static void on_to_rtr(struct host *h, uint32_t e, const struct cm_event *ev, tm_ps now)
{
    tm_ps late_ps = h->load->cfg.connect.rtr_late_ps;
    struct join *j = join_of(h, e);
    if (h->load->end[e].state != END_JOINING)
        return;
    if (ev->active || late_ps == 0) {
        move(h, e, &ev->attr, XP_RTR, now);
        return;
    }
    j->rtr_waits = true;
    fifo_put(&h->ends.joins->rtrs,
             (struct due){.at = tm_add(now, late_ps), .end = e, .generation = j->attempt});
}

static void on_to_rts(struct host *h, uint32_t e, const struct cm_event *ev, tm_ps now)
{
    if (h->load->end[e].state != END_JOINING) {
        if (cm_reject(h->ends.joins->cm, ev->conn, CM_REJ_CONSUMER, now) != CM_OK)
            cm_disconnect(h->ends.joins->cm, ev->conn, now);
        return;
    }
    if (join_of(h, e)->rtr_waits) {
        join_of(h, e)->rts_waits = true;
        return;
    }
    if (ev->active) {
        cm_confirm(h->ends.joins->cm, ev->conn, now);
        meter_connected(h->meter, ev->begun_ps, now);
    }
    to_rts(h, e, &ev->attr, now);
}

/* The QP was late: it follows now, to where it should be. */
static void catch_up(struct host *h, uint32_t e, tm_ps now)
{
    struct join *j = join_of(h, e);
    struct cm_attr attr;
    if (h->load->end[e].state != END_JOINING || !cm_attributes(h->ends.joins->cm, j->conn, &attr))
        return;
    j->rtr_waits = false;
    move(h, e, &attr, XP_RTR, now);
    if (j->rts_waits)
        to_rts(h, e, &attr, now);
}

/* ---- the end ------------------------------------------------------------------------------------ */

/* Not established: what waits for it is given up, unless it is asked for again. */
static void lose(struct host *h, uint32_t e, tm_ps now)
{
    struct end *end = &h->load->end[e];
    if (end->state != END_JOINING)
        return;
    h->meter->n.connects_failed++;
    leave_to(h, e, XP_RESET, now);
    if (h->load->cfg.retry.on_error == LOAD_STOP)
        reconnect_end(h, e, now);
    else
        end->state = END_BROKEN;
}

static void on_failed(struct host *h, uint32_t e, const struct cm_event *ev, tm_ps now)
{
    lose(h, e, now);
}

/* What the QP holds comes back flushed. */
static void on_disconnected(struct host *h, uint32_t e, const struct cm_event *ev, tm_ps now)
{
    if (h->load->end[e].state == END_JOINING) {
        lose(h, e, now);
        return;
    }
    if (h->load->end[e].state != END_UP)
        return;
    leave_to(h, e, XP_ERR, now);
    reconnect_break(h, e, now);
}

static void on_closed(struct host *h, uint32_t e, const struct cm_event *ev, tm_ps now)
{
    struct join *j = join_of(h, e);
    h->ends.joins->of_conn[ev->conn] = NOBODY;
    j->conn = NOBODY;
    if (h->load->cfg.retry.on_error != LOAD_RECONNECT || !reconnect_rejoin(h, e, now))
        return;
    if (h->load->end[e].role & END_ASKS)
        fifo_put(&h->ends.joins->asks,
                 (struct due){.at = tm_add(now, h->load->cfg.retry.reconnect_ps), .end = e});
}

void join_leave(struct host *h, uint32_t e, tm_ps now)
{
    if (join_of(h, e)->conn != NOBODY)
        cm_disconnect(h->ends.joins->cm, join_of(h, e)->conn, now);
}

/* ---- events of all kinds ------------------------------------------------------------------------ */

static void take_cm_events(struct host *h, tm_ps now)
{
    static void (*const on[CM_EVENTS])(struct host *, uint32_t, const struct cm_event *, tm_ps) = {
        [CM_EV_TO_RTR] = on_to_rtr,
        [CM_EV_TO_RTS] = on_to_rts,
        [CM_EV_DISCONNECTED] = on_disconnected,
        [CM_EV_FAILED] = on_failed,
        [CM_EV_CLOSED] = on_closed,
    };
    struct cm_event ev;
    while (cm_take_event(h->ends.joins->cm, &ev)) {
        uint32_t e = h->ends.joins->of_conn[ev.conn];
        if (ev.kind == CM_EV_REQUEST)
            on_request(h, e, &ev, now);
        else if (e != NOBODY)
            on[ev.kind](h, e, &ev, now);
    }
}

/* The first data of a connection whose RTU has not come. */
static void take_device_events(struct host *h, tm_ps now)
{
    struct xp_event ev;
    while (h->vb.ops->take_event(h->vb.dev, &ev)) {
        if (ev.kind != XP_EV_COMM_EST)
            continue;
        for (uint32_t i = 0; i < h->ends.count; i++)
            if (h->load->end[h->ends.first + i].qpn == ev.qpn &&
                h->ends.joins->join[i].conn != NOBODY)
                cm_comm_est(h->ends.joins->cm, h->ends.joins->join[i].conn, now);
    }
}

static void take_mads(struct host *h, tm_ps now)
{
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_mad m;
    uint32_t from;
    while (h->vb.ops->mad_take(h->vb.dev, &from, bytes))
        if (cm_mad_decode(bytes, &m))
            cm_recv(h->ends.joins->cm, from, &m, now);
}

static void send_mads(struct host *h, tm_ps now)
{
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_tx tx;
    while (cm_pull(h->ends.joins->cm, &tx)) {
        cm_mad_encode(&tx.mad, bytes);
        h->vb.ops->mad_send(h->vb.dev, tx.peer, bytes, tx.again, now);
    }
}

static bool is_current(struct host *h, const struct due *d)
{
    const struct join *j = join_of(h, d->end);
    return j->conn != NOBODY && j->attempt == d->generation;
}

static void do_what_is_due(struct host *h, tm_ps now)
{
    struct joins *js = h->ends.joins;
    struct due d;
    while (fifo_take(&js->accepts, now, &d))
        if (is_current(h, &d))
            accept_one(h, d.end, now);
    while (fifo_take(&js->rtrs, now, &d))
        if (is_current(h, &d))
            catch_up(h, d.end, now);
    while (fifo_take(&js->asks, now, &d))
        if (h->load->end[d.end].state == END_JOINING)
            ask(h, d.end, now);
    if (cm_deadline(js->cm) <= now)
        cm_expire(js->cm, now);
}

static void ask_for_all(struct host *h, tm_ps now)
{
    h->ends.joins->begun = true;
    for (uint32_t e = h->ends.first; e < h->ends.first + h->ends.count; e++)
        if (h->load->end[e].role & END_ASKS)
            ask(h, e, now);
}

/* Events before MADs: a REP leaves when its QP has moved.  Data after MADs. */
void join_step(struct host *h, tm_ps now)
{
    struct due d;
    if (!h->ends.joins->begun)
        ask_for_all(h, now);
    take_mads(h, now);
    take_device_events(h, now);
    do_what_is_due(h, now);
    while (cm_is_busy(h->ends.joins->cm)) {
        take_cm_events(h, now);
        send_mads(h, now);
    }
    while (fifo_take(&h->ends.joins->ready, now, &d))
        flow_refill(h, d.end, now);
}

tm_ps join_next(const struct host *h)
{
    const struct joins *js = h->ends.joins;
    if (!js->begun || cm_is_busy(js->cm))
        return 0;
    tm_ps t = tm_min(cm_deadline(js->cm), fifo_at(&js->accepts));
    return tm_min(t, tm_min(fifo_at(&js->rtrs), fifo_at(&js->asks)));
}

/* ---- birth ----------------------------------------------------------------------------------------- */

static struct joins *joins_new(struct host *h)
{
    const struct load_connect *how = &h->load->cfg.connect;
    struct joins *js = g_new0(struct joins, 1);
    struct cm_cfg cfg = {.conns = 2 * h->ends.count + SPARE_CONNS,
                         .handshakes = how->handshakes,
                         .timeout = how->cm_timeout,
                         .retries = how->cm_retries,
                         .guid = h->id + 1,
                         .timewait_ps = how->timewait_ps};
    js->join = g_new0(struct join, h->ends.count);
    js->of_conn = g_new(uint32_t, cfg.conns);
    for (uint32_t i = 0; i < cfg.conns; i++)
        js->of_conn[i] = NOBODY;
    for (uint32_t i = 0; i < h->ends.count; i++)
        js->join[i].conn = NOBODY;
    size_t size = cm_size(&cfg);
    CHECK(size > 0);
    js->cm = cm_init(g_malloc0(size), size, &cfg, h->load->env.seed + h->id);
    cm_listen(js->cm, SERVICE_ID, transport(h->load));
    return js;
}

void join_init(struct load *l)
{
    if (l->cfg.connect.mode != LOAD_CONNECT_SIMULATED)
        return;
    for (uint32_t id = 0; id < l->env.hosts; id++) {
        struct host *h = &l->host[id];
        if (h->ends.count == 0)
            continue;
        h->ends.joins = joins_new(h);
        h->vb.ops->mads_open(h->vb.dev);
    }
}

void join_fini(struct load *l)
{
    for (uint32_t id = 0; id < l->env.hosts; id++) {
        struct joins *js = l->host[id].ends.joins;
        if (!js)
            continue;
        fifo_fini(&js->accepts);
        fifo_fini(&js->rtrs);
        fifo_fini(&js->asks);
        fifo_fini(&js->ready);
        g_free(js->join);
        g_free(js->of_conn);
        g_free(js->cm);
        g_free(js);
    }
}

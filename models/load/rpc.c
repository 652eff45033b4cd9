/*
 * Remote procedure calls: request, service, data, response.
 *
 * A server has one worker: requests of all its clients are served in the order of their arrival, service_ps
 * each.  A request lives in the client's list until its response: answers of a connection come
 * in order, so the oldest is meant.  A connection made anew loses what the server held of it, and the
 * client asks again.
 */
#include "models/load/host.h"

void rpc_request(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    tm_ps at = tm_add(tm_max(now, h->free.server_ps), l->cfg.rpc.service_ps);
    h->free.server_ps = at;
    fifo_put(&h->served, (struct due){.at = at, .end = e, .generation = l->end[e].generation});
}

void rpc_response(struct host *h, uint32_t e, tm_ps now)
{
    struct flow *f = flow_of(h->load, e);
    if (f->head == 0 || f->head == f->next)
        return;
    meter_answered(h->meter, h->messages.item[f->head - 1].post_ps, now);
    flow_succeed(h, e, now);
    flow_refill(h, e, now);
}

/* The response waits for the data that a READ fetches; a WRITE's is ahead of it on the wire. */
static void answer(struct host *h, uint32_t e, tm_ps now)
{
    const struct load_rpc *rpc = &h->load->cfg.rpc;
    struct flow *f = flow_of(h->load, e);
    bool reads = rpc->data == LOAD_RPC_READ;
    if (rpc->data != LOAD_RPC_NONE)
        flow_add(h, e,
                 (struct message){.post_ps = now,
                                  .bytes = flow_draw_bytes(h, f->answered),
                                  .op = reads ? XP_WR_READ : XP_WR_WRITE},
                 now);
    flow_add(h, e,
             (struct message){.post_ps = now,
                              .bytes = (uint32_t)rpc->response_bytes,
                              .op = XP_WR_SEND,
                              .flags = reads ? XP_FENCE : 0},
             now);
    f->answered++;
    flow_push(h, e, now);
}

void rpc_step(struct host *h, tm_ps now)
{
    struct due d;
    while (fifo_take(&h->served, now, &d)) {
        const struct end *end = &h->load->end[d.end];
        if (end->state != END_UP || end->generation != d.generation) {
            recv_wasted(h, d.end, now);
            continue;
        }
        answer(h, d.end, now);
        recv_consumed(h, d.end, now, now);
    }
}

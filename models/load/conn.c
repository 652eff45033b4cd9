/*
 * Patterns as lists of connections.
 *
 * A pattern is a function that visits its connections in a fixed order; counting (load_need) and
 * building walk the same list, so they cannot disagree.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "models/load/host.h"

struct walk {
    const struct load_cfg *cfg;
    uint32_t hosts;
    uint64_t seed;
    void (*visit)(void *self, const struct conn *c);
    void *self;
};

/* The connections of one communicating pair. */
static void meet(const struct walk *w, struct conn c)
{
    for (uint32_t k = 0; k < w->cfg->qps; k++)
        w->visit(w->self, &c);
}

static void walk_pair(const struct walk *w)
{
    meet(w, (struct conn){0, 1, true, w->cfg->bidirectional});
}

/* Incast and RPC: everyone has one connection with the target. */
static void walk_star(const struct walk *w)
{
    for (uint32_t h = 0; h < w->hosts; h++)
        if (h != w->cfg->target)
            meet(w, (struct conn){h, w->cfg->target, true, false});
}

static void walk_all(const struct walk *w)
{
    for (uint32_t a = 0; a < w->hosts; a++)
        for (uint32_t b = a + 1; b < w->hosts; b++)
            meet(w, (struct conn){a, b, true, true});
}

static void walk_ring(const struct walk *w)
{
    for (uint32_t h = 0; h < w->hosts; h++)
        meet(w, (struct conn){h, (h + 1) % w->hosts, true, w->cfg->bidirectional});
}

/* One cycle through all hosts in random order: nobody is its own successor. */
void conn_cycle(uint32_t hosts, uint64_t seed, uint32_t *out)
{
    struct rng_stream r = rng_stream(seed, RNG_RUN, 0, 1);
    uint32_t *order = g_new(uint32_t, hosts);
    for (uint32_t i = 0; i < hosts; i++)
        order[i] = i;
    for (uint32_t i = hosts - 1; i > 0; i--) {
        uint32_t j = (uint32_t)rng_below(&r, i + 1), held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
    for (uint32_t i = 0; i < hosts; i++)
        out[order[i]] = order[(i + 1) % hosts];
    g_free(order);
}

static void walk_permutation(const struct walk *w)
{
    uint32_t *to = g_new(uint32_t, w->hosts);
    conn_cycle(w->hosts, w->seed, to);
    for (uint32_t h = 0; h < w->hosts; h++)
        meet(w, (struct conn){h, to[h], true, w->cfg->bidirectional});
    g_free(to);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Pairs in order of (lower host, higher host); the lowest bit tells the direction. */
static void walk_trace(const struct walk *w)
{
    uint32_t n = w->cfg->flow_count;
    uint64_t *key = g_new(uint64_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t src = w->cfg->flow[i].src, dst = w->cfg->flow[i].dst;
        key[i] = src < dst ? src << 33 | dst << 1 : dst << 33 | src << 1 | 1;
    }
    qsort(key, n, sizeof(*key), by_value);
    for (uint32_t i = 0; i < n;) {
        struct conn c = {(uint32_t)(key[i] >> 33), (uint32_t)key[i] >> 1, false, false};
        uint64_t pair = key[i] >> 1;
        for (; i < n && key[i] >> 1 == pair; i++)
            *(key[i] & 1 ? &c.backward : &c.forward) = true;
        meet(w, c);
    }
    g_free(key);
}

void conn_each(const struct load_cfg *cfg, uint32_t hosts, uint64_t seed,
               void (*visit)(void *self, const struct conn *c), void *self)
{
    static void (*const walks[LOAD_PATTERNS])(const struct walk *) = {
        [LOAD_PAIR] = walk_pair,   [LOAD_INCAST] = walk_star, [LOAD_ALL_TO_ALL] = walk_all,
        [LOAD_RING] = walk_ring,   [LOAD_RPC] = walk_star,    [LOAD_PERMUTATION] = walk_permutation,
        [LOAD_TRACE] = walk_trace,
    };
    struct walk w = {cfg, hosts, seed, visit, self};
    walks[cfg->pattern](&w);
}

bool conn_takes_recv(enum xp_wr_op op)
{
    return op == XP_WR_SEND || op == XP_WR_SEND_IMM || op == XP_WR_SEND_INV ||
           op == XP_WR_WRITE_IMM;
}

void conn_roles(const struct load_cfg *cfg, const struct conn *c, uint8_t *a, uint8_t *b)
{
    const uint8_t both = END_SENDS | END_RECEIVES;
    if (cfg->pattern == LOAD_RPC) {
        *a = both | END_FLOW | END_CLIENT;
        *b = both | END_SERVER;
        return;
    }
    const uint8_t from = END_FLOW | END_SENDS;
    const uint8_t to = conn_takes_recv(cfg->op) ? END_RECEIVES : 0;
    *a = (uint8_t)((c->forward ? from : 0) | (c->backward ? to : 0));
    *b = (uint8_t)((c->backward ? from : 0) | (c->forward ? to : 0));
}

uint64_t load_ends_bound(const struct load_cfg *cfg, uint32_t hosts)
{
    uint64_t all = (uint64_t)hosts * (hosts - 1) / 2;
    uint64_t pairs = hosts;

    if (cfg->pattern == LOAD_ALL_TO_ALL)
        pairs = all;
    else if (cfg->pattern == LOAD_TRACE)
        pairs = MIN(cfg->flow_count, all);
    return 2 * pairs * cfg->qps;
}

/* ---- load_need -------------------------------------------------------------------------------- */

struct tally_host {
    uint32_t ends, senders, receivers;
};

struct tally {
    const struct load_cfg *cfg;
    struct tally_host *host;
    uint32_t hosts, flows;
};

/* A host that is not there is load_new's to refuse. */
static void tally_end(struct tally *t, uint32_t host, uint8_t role)
{
    if (host >= t->hosts)
        return;
    struct tally_host *h = &t->host[host];
    h->ends++;
    h->senders += (role & END_SENDS) != 0;
    h->receivers += (role & END_RECEIVES) != 0;
    t->flows += (role & END_FLOW) != 0;
}

static void tally_conn(void *self, const struct conn *c)
{
    struct tally *t = self;
    uint8_t a, b;
    conn_roles(t->cfg, c, &a, &b);
    tally_end(t, c->a, a);
    tally_end(t, c->b, b);
}

/* All ends of a host are sessions over one QP. */
static void need_datagrams(struct load_need *need, const struct tally *t,
                           const struct load_qp_cfg *qp)
{
    need->qps = 0;
    for (uint32_t h = 0; h < t->hosts; h++)
        need->qps += t->host[h].ends > 0;
    need->qps_host_max = need->active_host_max = need->qps > 0;
    need->send_wqe_host_max = qp->sq_depth;
    need->recv_wqe_host_max = qp->rq_depth;
}

struct load_need load_need(const struct load_cfg *cfg, const struct load_qp_cfg *qp, uint32_t hosts)
{
    struct load_need need = {0};
    struct tally t = {.cfg = cfg, .host = g_new0(struct tally_host, hosts), .hosts = hosts};
    conn_each(cfg, hosts, 0, tally_conn, &t);
    need.flows = t.flows;
    for (uint32_t h = 0; h < hosts; h++) {
        const struct tally_host *of = &t.host[h];
        need.qps += of->ends;
        need.qps_host_max = MAX(need.qps_host_max, of->ends);
        need.send_wqe_host_max = MAX(need.send_wqe_host_max, (uint64_t)of->senders * qp->sq_depth);
        need.recv_wqe_host_max =
            MAX(need.recv_wqe_host_max, (uint64_t)of->receivers * qp->rq_depth);
    }
    need.qps *= load_qp_halves(qp);
    need.qps_host_max *= load_qp_halves(qp);
    if (load_qp_is_joined(qp)) { /* a context for each other host, and its RESYNC */
        need.qps_host_max += hosts - 1;
        need.send_wqe_host_max += hosts;
    }
    need.active_host_max = need.qps_host_max;
    need.srqs_host_max = qp->srq;
    if (qp->srq && need.recv_wqe_host_max)
        need.recv_wqe_host_max = qp->srq_depth;
    uint64_t sends = (uint64_t)need.qps_host_max / load_qp_halves(qp) * qp->sq_depth;
    if (qp->udack.on || load_qp_is_datagram(qp))
        need_datagrams(&need, &t, qp);
    if (load_qp_is_datagram(qp))
        need.send_wqe_host_max = sends;
    g_free(t.host);
    return need;
}

struct tally_one {
    uint32_t host, ends;
};

static void tally_one_conn(void *self, const struct conn *c)
{
    struct tally_one *t = self;
    t->ends += (c->a == t->host) + (c->b == t->host);
}

/* Which hosts a permutation joins depends on the seed, how often each is joined does not. */
uint32_t load_host_qps(const struct load_cfg *cfg, uint32_t hosts, uint32_t host)
{
    struct tally_one t = {host, 0};
    conn_each(cfg, hosts, 0, tally_one_conn, &t);
    return t.ends;
}

#include "tests/unit/dgwire.h"

#include <stdlib.h>

#include "sim/base/check.h"
#include "tests/unit/udbed.h"

struct dgwire_cfg dgwire_cfg(void)
{
    struct dgwire_cfg c = {.hosts = 2, .bytes = 4000, .delay_ps = TM_US, .slot_ps = 100 * TM_NS};
    c.qp = (struct load_qp_cfg){.mtu = 1016, .sq_depth = 16, .rq_depth = 64};
    c.qp.udack.on = true;
    c.qp.udack.cfg = udbed_cfg();
    c.load = (struct load_cfg){.pattern = LOAD_PAIR,
                               .op = XP_WR_SEND,
                               .depth = 1,
                               .messages = 10,
                               .qps = 1,
                               .signal_every = 1};
    return c;
}

static bool has_room(void *self) { return true; }

static void deliver(struct dgwire_host *to, const struct datagram *d, tm_ps at)
{
    CHECK(to->flight_count < DGWIRE_FLIGHTS);
    uint32_t i = (to->flight_head + to->flight_count++) % DGWIRE_FLIGHTS;
    /* Senders have their own clocks: keep the order of arrival. */
    for (uint32_t n = to->flight_count - 1; n > 0; n--) {
        uint32_t before = (i + DGWIRE_FLIGHTS - 1) % DGWIRE_FLIGHTS;
        if (to->flight[before].at <= at)
            break;
        to->flight[i] = to->flight[before];
        i = before;
    }
    to->flight[i].at = at;
    to->flight[i].d = *d;
    ev_arm(to->wire->ev, to->arrivals, to->flight[to->flight_head].at);
}

static void send(void *self, const struct datagram *d, tm_ps now)
{
    struct dgwire_host *h = self;
    struct dgwire *w = h->wire;
    uint64_t bit = w->sent < 64 ? (uint64_t)1 << w->sent : 0;
    struct datagram copy = *d;
    w->sent++;
    h->free_ps = tm_max(h->free_ps, now) + w->cfg.slot_ps;
    copy.host = h->id;
    if ((w->cfg.drop & bit) || rng_below(&w->luck, 1000) < w->cfg.loss_per_mille)
        return;
    deliver(&w->host[d->host], &copy, h->free_ps + w->cfg.delay_ps);
}

static bool waits(void *self) { return ((struct dgwire_host *)self)->got_count > 0; }

static bool take(void *self, struct datagram *d, tm_ps now)
{
    struct dgwire_host *h = self;
    if (h->got_count == 0)
        return false;
    *d = h->got[h->got_head];
    h->got_head = (h->got_head + 1) % DGWIRE_FLIGHTS;
    h->got_count--;
    return true;
}

static void kill_host(void *self, tm_ps now) {}

static tm_ps arrive(void *self, tm_ps now)
{
    struct dgwire_host *h = self;
    while (h->flight_count > 0 && h->flight[h->flight_head].at <= now) {
        struct datagram d = h->flight[h->flight_head].d;
        h->flight_head = (h->flight_head + 1) % DGWIRE_FLIGHTS;
        h->flight_count--;
        if (h->got_count == h->wire->cfg.qp.rq_depth) {
            h->no_buffer++;
            continue;
        }
        h->got[(h->got_head + h->got_count++) % DGWIRE_FLIGHTS] = d;
    }
    if (h->got_count > 0)
        ev_arm(h->wire->ev, load_entity(h->wire->load, h->id), now);
    return h->flight_count > 0 ? h->flight[h->flight_head].at : TM_NEVER;
}

static void make_host(struct dgwire *w, uint32_t id)
{
    struct dgwire_host *h = &w->host[id];
    h->wire = w;
    h->id = id;
    h->arrivals = ev_add(w->ev, 0, EV_ARRIVE, arrive, h);
    w->meter_of[id] = &w->meter;
    w->port[id] = (struct datagram_port){has_room, send, take, waits, kill_host, h};
}

struct dgwire *dgwire_new(const struct dgwire_cfg *cfg)
{
    struct dgwire *w = calloc(1, sizeof(*w));
    CHECK(w != NULL && cfg->hosts <= DGWIRE_HOSTS);
    w->cfg = *cfg;
    w->luck = rng_stream(1, RNG_RUN, 0, 5);
    if (w->cfg.load.size.count == 0)
        w->cfg.load.size =
            (struct load_size){.kind = LOAD_SIZE_FIXED, .count = 1, .bytes = &w->cfg.bytes};
    w->ev = ev_new(cfg->hosts + load_entities(cfg->hosts) + 4, 1);
    meter_init(&w->meter, 0, NULL, 0);
    for (uint32_t i = 0; i < cfg->hosts; i++)
        make_host(w, i);
    struct load_env env = {.ev = w->ev,
                           .hosts = cfg->hosts,
                           .vb = w->vb,
                           .port = w->port,
                           .meter = w->meter_of,
                           .domain = w->domain,
                           .link_rate_bps = 100000000000u,
                           .seed = 1,
                           .duration_ps = TM_NEVER,
                           .act = &w->cfg.act,
                           .act_count = cfg->act_count};
    w->load = load_new(&w->cfg.load, &w->cfg.qp, &env, &w->why);
    return w;
}

void dgwire_run(struct dgwire *w, tm_ps until) { ev_run(w->ev, until, NULL); }

void dgwire_free(struct dgwire *w)
{
    load_free(w->load);
    ev_free(w->ev);
    meter_fini(&w->meter);
    free(w);
}

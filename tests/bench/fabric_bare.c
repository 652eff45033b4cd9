/*
 * The bare loop: what it costs to move packets through a fabric, with nothing at its ends.
 *
 * Each host sends packets whenever its wire is free (an event a packet, as an HCA does) and
 * counts what arrives.  The transport's cost per packet-hop is measured against this.
 * usage: fabric_bare [packets per host, default 2000000] [case]; prints one CSV row per case.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/fabric/fab.h"
#include "sim/base/check.h"

#define HOSTS_MAX 1024

struct blaster {
    struct link *uplink;
    struct pkt next;
    uint64_t left, arrived;
};

struct bare_case {
    const char *name;
    enum fab_topology topology;
    uint32_t hosts;
};

static const struct bare_case cases[] = {
    {"pair", FAB_PAIR, 2},     {"star-2", FAB_STAR, 2},       {"star-16", FAB_STAR, 16},
    {"star-64", FAB_STAR, 64}, {"star-1024", FAB_STAR, 1024}, {"dumbbell-16", FAB_DUMBBELL, 16},
};

static tm_ps egress_fire(void *self, tm_ps now)
{
    struct blaster *b = self;
    struct pkt p = b->next;
    link_send(b->uplink, &p, now);
    b->next.h.psn = psn_add(b->next.h.psn, 1);
    return --b->left ? link_free_at(b->uplink) : TM_NEVER;
}

static void arrive(void *host, const struct pkt *p, tm_ps now)
{
    struct blaster *b = host;
    b->arrived++;
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Host i sends to the host half way round: in the star and the dumbbell no port is shared. */
static void start(struct ev *ev, struct fab *f, struct blaster *b, uint32_t i, uint32_t hosts)
{
    b->uplink = fab_uplink(f, i);
    b->next.src_host = (uint16_t)i;
    b->next.dst_host = (uint16_t)((i + hosts / 2) % hosts);
    b->next.wire_bytes = 1106;
    fab_attach(f, i, arrive, b);
    ev_arm(ev, ev_add(ev, 0, EV_DEPART, egress_fire, b), (tm_ps)i * 777);
}

static void run(const struct bare_case *c, uint64_t packets)
{
    static struct blaster b[HOSTS_MAX];
    struct fab_cfg cfg = {.topology = c->topology,
                          .hosts = c->hosts,
                          .rate_bps = 100000000000,
                          .trunk_rate_bps = 100000000000 * (c->hosts / 2),
                          .delay_ps = 500 * TM_NS,
                          .encap = ENCAP_ROCEV2};
    struct fab_counts counts;
    memset(b, 0, sizeof b);
    struct ev *ev = ev_new(fab_entities(&cfg) + c->hosts, 1);
    struct fab *f = fab_new(&cfg, 0, 0, NULL, ev, 1, NULL);
    for (uint32_t i = 0; i < c->hosts; i++) {
        b[i].left = packets;
        start(ev, f, &b[i], i, c->hosts);
    }
    double before = cpu_ns();
    ev_run(ev, TM_NEVER, NULL);
    double ns = cpu_ns() - before;
    fab_counts(f, &counts);
    CHECK(counts.in_flight == 0);
    printf("%s,%llu,%llu,%.2f,%.2f\n", c->name, (unsigned long long)counts.arrived,
           (unsigned long long)ev_count(ev), ns / (double)counts.arrived,
           (double)counts.arrived / ns * 1e3);
    fab_free(f);
    ev_free(ev);
}

int main(int argc, char **argv)
{
    uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
    printf("case,packet_hops,events,ns_per_hop,mhops_per_s\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc <= 2 || strcmp(argv[2], cases[i].name) == 0)
            run(&cases[i], packets * 2 / cases[i].hosts + 1);
    }
    return 0;
}

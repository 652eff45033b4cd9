/* Multicast: one QP sends, switches copy, each member has it once; datagrams to single QPs go on beside it. */
#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/bed.h"
#include "tests/unit/rig.h"

enum { HOSTS = 4, GROUP = 0xc005, QKEY = 0x77 };

/* A star or a dumbbell without a load: a UD QP on each host. */
struct scene {
    struct bed *bed;
    uint32_t qp[HOSTS], cq[HOSTS], key[HOSTS];
};

static void bring_up(struct scene *s, uint32_t h)
{
    struct xp *x = hca_core(s->bed->hca[h]);
    struct xp_qp_init init = {.service = XP_UD, .pd = 1, .sq_depth = 8, .rq_depth = 8};
    struct xp_qp_attr a = {.pkey = 0xffff, .port = 1, .qkey = QKEY};
    CHECK(xp_cq_create(x, 64, &s->cq[h]) == XP_OK);
    CHECK(xp_mr_add(x, 1, 0x1000, 0x1000, XP_LOCAL_WRITE, 0, &s->key[h]) == XP_OK);
    init.send_cq = init.recv_cq = s->cq[h];
    CHECK(xp_qp_create(x, &init, &s->qp[h]) == XP_OK);
    for (int to = XP_INIT; to <= XP_RTS; to++) {
        enum xp_state from = to == XP_INIT ? XP_RESET : (enum xp_state)(to - 1);
        a.state = (enum xp_state)to;
        uint32_t mask = XP_A_STATE | xp_transition_check(XP_UD, from, a.state, XP_A_STATE).missing;
        CHECK(xp_qp_modify(x, s->qp[h], &a, mask, 0) == XP_OK);
    }
    for (uint64_t i = 0; i < 4; i++) {
        struct xp_recv_wr wr = {.wr_id = i, .sge = {0x1000, 1000, s->key[h]}};
        CHECK(xp_post_recv(x, s->qp[h], &wr, 0) == XP_OK);
    }
}

static struct scene scene_new(enum fab_topology topology)
{
    struct scene s = {0};
    struct bed_cfg c = bed_star(HOSTS, LOAD_RING);
    c.fab.topology = topology;
    c.fab.trunk_rate_bps = c.fab.rate_bps;
    c.load.messages = 1;
    c.own_qps = 2;
    s.bed = bed_new(&c);
    CHECK(s.bed->why == NULL);
    for (uint32_t h = 0; h < HOSTS; h++)
        bring_up(&s, h);
    return s;
}

static void send(struct scene *s, uint32_t from)
{
    struct xp_send_wr wr = {.wr_id = 9,
                            .sge = {0x1000, 100, s->key[from]},
                            .op = XP_WR_SEND,
                            .flags = XP_SIGNALED,
                            .path = {GROUP, 7},
                            .remote_qpn = XP_MULTICAST_QPN,
                            .remote_qkey = QKEY};
    CHECK(hca_post_send(s->bed->hca[from], s->qp[from], &wr, 0) == XP_OK);
}

/* "140 - 140 140": bytes that each host's QP has received, "-" if it has not, "+" if more than once. */
static const char *received(struct scene *s)
{
    static char text[80];
    text[0] = 0;
    for (uint32_t h = 0; h < HOSTS; h++) {
        struct xp_wc wc;
        uint32_t bytes = 0, times = 0;
        while (xp_poll_cq(hca_core(s->bed->hca[h]), s->cq[h], &wc, 1) == 1) {
            times += wc.op == XP_WC_RECV;
            bytes = wc.op == XP_WC_RECV ? wc.byte_len : bytes;
        }
        char one[24];
        snprintf(one, sizeof one, "%s%s%.0u%s", h ? " " : "", times ? "" : "-", bytes,
                 times > 1 ? "+" : "");
        strcat(text, one);
    }
    return text;
}

static void to_members(enum fab_topology topology, uint32_t members, uint32_t from,
                       const char *wanted, uint64_t hops)
{
    struct scene s = scene_new(topology);
    struct fab_counts before, after;
    for (uint32_t h = 0; h < HOSTS; h++)
        if (members >> h & 1)
            CHECK(hca_mcast_attach(s.bed->hca[h], s.qp[h], GROUP) == XP_OK);
    fab_counts(s.bed->fab, &before);
    send(&s, from);
    bed_run(s.bed);
    fab_counts(s.bed->fab, &after);
    TEXT_IS(received(&s), wanted);
    /* the load's four WRITEs and their ACKs cross two links each, or three over the trunk */
    INT_IS(after.arrived - before.arrived - hops, topology == FAB_STAR ? 16 : 20);
    bed_free(s.bed);
}

/* One hop to the switch, one from it to each member. */
static void group_of_a_star_is_reached_once_each(void)
{
    to_members(FAB_STAR, 0xe, 0, "- 140 140 140", 4);
    to_members(FAB_STAR, 0xa, 0, "- 140 - 140", 3);
    to_members(FAB_STAR, 0x4, 3, "- - 140 -", 2);
}

/* What a host sends does not come back to its own members. */
static void group_does_not_return_to_its_sender(void)
{
    to_members(FAB_STAR, 0xf, 1, "140 - 140 140", 4);
}

static void group_without_members_ends_at_the_switch(void)
{
    to_members(FAB_STAR, 0, 0, "- - - -", 1);
}

/* The trunk carries one copy, whatever the number of members behind it. */
static void group_of_a_dumbbell_crosses_the_trunk_once(void)
{
    to_members(FAB_DUMBBELL, 0xe, 0, "- 140 140 140", 1 + 1 + 1 + 2);
    to_members(FAB_DUMBBELL, 0x2, 0, "- 140 - -", 2);
}

/* Two QPs of one host are members: the switch sends one copy, the adapter gives it to both. */
static void group_serves_each_member_of_a_host(void)
{
    struct scene s = scene_new(FAB_STAR);
    uint32_t first = s.qp[2], second;
    CHECK(hca_mcast_attach(s.bed->hca[2], first, GROUP) == XP_OK);
    uint32_t cq = s.cq[2];
    bring_up(&s, 2);
    second = s.qp[2];
    CHECK(hca_mcast_attach(s.bed->hca[2], second, GROUP) == XP_OK);
    send(&s, 0);
    bed_run(s.bed);
    TEXT_IS(received(&s), "- - 140 -");
    s.cq[2] = cq;
    TEXT_IS(received(&s), "- - 140 -");
    bed_free(s.bed);
}

static const struct test tests[] = {TEST(group_of_a_star_is_reached_once_each),
                                    TEST(group_does_not_return_to_its_sender),
                                    TEST(group_without_members_ends_at_the_switch),
                                    TEST(group_of_a_dumbbell_crosses_the_trunk_once),
                                    TEST(group_serves_each_member_of_a_host),
                                    TESTS_END};
const struct suite suite_group = {"group", tests};

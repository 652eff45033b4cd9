/*
 * QP 1: MADs as packets, and how they share the wire with QPs.
 */
#include "models/hca/gsi.h"

#include <stdio.h>
#include <string.h>

#include "models/fabric/side.h"
#include "tests/suite.h"
#include "sim/engine/ev.h"
#include "tests/unit/bed.h"

static void fill(uint8_t bytes[CM_MAD_BYTES], uint8_t with) { memset(bytes, with, CM_MAD_BYTES); }

static void gsi_packet_is_a_datagram_to_qp_1(void)
{
    struct gsi *g = gsi_new();
    uint8_t bytes[CM_MAD_BYTES];
    struct pkt p;
    struct wire_ext e;
    fill(bytes, 7);
    CU_ASSERT_FALSE(gsi_next_packet(g, 4, &p));
    gsi_put(&g->out, 9, bytes);
    CU_ASSERT_TRUE_FATAL(gsi_next_packet(g, 4, &p));
    CU_ASSERT_EQUAL(p.h.opcode.v, 0x64); /* UD SEND_ONLY */
    CU_ASSERT_EQUAL(p.h.dest_qp, 1);
    CU_ASSERT_EQUAL(p.h.payload_bytes, 256);
    CU_ASSERT_EQUAL(p.h.pkey, 0xffff);
    CU_ASSERT_EQUAL(wire_ib_bytes(&p.h), 12 + 8 + 256);
    CU_ASSERT_EQUAL(p.src_host, 4);
    CU_ASSERT_EQUAL(p.dst_host, 9);
    struct pkt plain;
    const uint8_t *payload = side_look(&p, &plain, &e);
    CU_ASSERT_EQUAL(e.qkey, 0x80010000);
    CU_ASSERT_EQUAL(e.src_qp, 1);
    CU_ASSERT_EQUAL(memcmp(payload, bytes, CM_MAD_BYTES), 0);
    CU_ASSERT_TRUE(gsi_is_mad(&p));
    side_drop(&p);
    gsi_free(g);
}

static void gsi_psn_counts_and_order_is_kept_while_it_grows(void)
{
    struct gsi *g = gsi_new();
    uint8_t bytes[CM_MAD_BYTES];
    struct pkt p;
    uint16_t sent = 0, next = 0;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 7; i++) {
            fill(bytes, (uint8_t)sent);
            gsi_put(&g->out, sent++, bytes);
        }
        for (int i = 0; i < 4; i++) {
            CU_ASSERT_TRUE_FATAL(gsi_next_packet(g, 0, &p));
            CU_ASSERT_EQUAL(p.dst_host, next);
            CU_ASSERT_EQUAL(p.h.psn.v, next++);
            side_drop(&p);
        }
    }
    CU_ASSERT_EQUAL(g->out.count, 30);
    gsi_free(g);
}

static void gsi_arrived_keeps_the_bytes_and_their_sender(void)
{
    struct gsi *a = gsi_new(), *b = gsi_new();
    uint8_t bytes[CM_MAD_BYTES];
    struct gsi_mad m;
    struct pkt p;
    fill(bytes, 0x5a);
    gsi_put(&a->out, 2, bytes);
    gsi_next_packet(a, 1, &p);
    CU_ASSERT_TRUE(gsi_arrived(b, &p));
    side_drop(&p);
    CU_ASSERT_TRUE_FATAL(gsi_take(&b->in, &m));
    CU_ASSERT_EQUAL(m.host, 1);
    CU_ASSERT_EQUAL(memcmp(m.bytes, bytes, CM_MAD_BYTES), 0);
    CU_ASSERT_FALSE(gsi_take(&b->in, &m));
    gsi_free(a);
    gsi_free(b);
}

/* Without bytes, as a forged packet is; with another Q_Key; to another QP. */
static void gsi_other_packets_are_refused(void)
{
    struct gsi *g = gsi_new();
    struct wire_ext e = {.qkey = 0x80010001, .src_qp = 1};
    uint8_t bytes[CM_MAD_BYTES] = {0};
    struct pkt p = {.h = {.opcode = {0x64}, .dest_qp = 1, .payload_bytes = CM_MAD_BYTES}};
    CU_ASSERT_FALSE(gsi_arrived(g, &p));
    side_attach(&p, &e, bytes, CM_MAD_BYTES);
    CU_ASSERT_FALSE(gsi_arrived(g, &p));
    CU_ASSERT_STRING_EQUAL(gsi_mad_name(&p), ""); /* not CM's class */
    side_drop(&p);
    p.h.dest_qp = 2;
    CU_ASSERT_FALSE(gsi_is_mad(&p));
    gsi_free(g);
}

static void gsi_mad_name_is_that_of_the_message(void)
{
    struct gsi *g = gsi_new();
    struct cm_mad m = {.kind = CM_RTU};
    uint8_t bytes[CM_MAD_BYTES];
    struct pkt p;
    cm_mad_encode(&m, bytes);
    gsi_put(&g->out, 0, bytes);
    gsi_next_packet(g, 0, &p);
    CU_ASSERT_STRING_EQUAL(gsi_mad_name(&p), "RTU");
    side_drop(&p);
    gsi_free(g);
}

struct wire {
    char order[64];
};

static void see(void *self, const char *kind, const char *reason, const struct link *where,
                const struct pkt *p, tm_ps now)
{
    struct wire *w = self;
    size_t used = strlen(w->order);
    if (strcmp(kind, "send") == 0 && p->src_host == 0)
        snprintf(w->order + used, sizeof w->order - used, "%u ", p->h.dest_qp);
}

/* A WRITE of four packets is under way on QP 2 when two MADs come: each waits for its turn. */
static void gsi_takes_turns_with_qps(void)
{
    struct wire w = {""};
    struct fab_tap tap = {see, &w};
    struct bed_cfg c = bed_cfg();
    uint8_t bytes[CM_MAD_BYTES] = {0};
    c.bytes = 4 * 4096;
    c.load.messages = 1;
    c.load.start_ps = TM_S;
    c.fab_tap = &tap;
    struct bed *b = bed_new(&c);
    struct xp_send_wr wr = {
        .sge = {0x10000, 4 * 4096, 0}, .remote_addr = 0x10000, .op = XP_WR_WRITE};
    const struct vb *v = &b->vb[0];
    v->ops->mr_add(v->dev, 1, 0x10000, 4 * 4096, XP_LOCAL_WRITE, &wr.sge.lkey);
    v->ops->mads_open(v->dev);
    v->ops->post_send(v->dev, 2, &wr, 0);
    v->ops->mad_send(v->dev, 1, bytes, false, 0);
    v->ops->mad_send(v->dev, 1, bytes, true, 0);
    ev_run(b->ev, 5 * TM_US, NULL);
    CU_ASSERT_STRING_EQUAL(w.order, "2 2 1 2 1 2 ");
    CU_ASSERT_EQUAL(b->meter[0].n.mads_sent, 2);
    CU_ASSERT_EQUAL(b->meter[0].n.mads_repeated, 1);
    bed_free(b);
}

static const struct test tests[] = {TEST(gsi_packet_is_a_datagram_to_qp_1),
                                    TEST(gsi_psn_counts_and_order_is_kept_while_it_grows),
                                    TEST(gsi_arrived_keeps_the_bytes_and_their_sender),
                                    TEST(gsi_other_packets_are_refused),
                                    TEST(gsi_mad_name_is_that_of_the_message),
                                    TEST(gsi_takes_turns_with_qps),
                                    TESTS_END};
const struct suite suite_gsi = {"gsi", tests};

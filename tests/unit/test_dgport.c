/*
 * Datagrams over a verbs device that a test makes up: it delivers at once, completes when told.
 */
#include <string.h>

#include "models/load/dgport.h"
#include "tests/suite.h"

enum { RECVS = 4, SENDS = 8, CQES = 64 };

struct device {
    struct device *peer;
    struct dgport *port;
    uint32_t host;
    struct xp_recv_wr recv[CQES]; /* posted and not used */
    uint32_t recvs, posted_recvs;
    struct xp_wc cqe[CQES];
    uint32_t cqes;
    uint64_t last_sent; /* wr_id */
    bool refuses_qp, refuses_modify, refuses_cq, refuses_mr;
    uint32_t states;
    bool killed;
};

static int cq_create(void *dev, uint32_t depth, uint32_t *cq)
{
    CU_ASSERT_EQUAL(depth, RECVS + SENDS);
    *cq = 3;
    return ((struct device *)dev)->refuses_cq ? XP_ENOMEM : XP_OK;
}

static int qp_create(void *dev, const struct xp_qp_init *init, uint32_t *qpn)
{
    CU_ASSERT_TRUE(init->sq_depth == SENDS && init->rq_depth == RECVS && init->send_cq == 3);
    *qpn = 20 + ((struct device *)dev)->host;
    return ((struct device *)dev)->refuses_qp ? XP_ENOMEM : XP_OK;
}

static int qp_modify(void *dev, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask,
                     tm_ps now)
{
    struct device *d = dev;
    d->states = d->states * 10 + attr->state;
    return d->refuses_modify ? XP_EINVAL : XP_OK;
}

static int mr_add(void *dev, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access,
                  uint32_t *key)
{
    CU_ASSERT_EQUAL(len, (RECVS + SENDS) * (40 + 1024));
    *key = 9;
    return ((struct device *)dev)->refuses_mr ? XP_EINVAL : XP_OK;
}

static void complete(struct device *d, struct xp_wc wc) { d->cqe[d->cqes++] = wc; }

/* What an adapter does: gather as it leaves, place where a receive is. */
static int post_send(void *dev, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    struct device *d = dev, *to = d->peer;
    struct hca_head from = dgport_head(d->port), at = dgport_head(to->port);
    struct xp_tx tx = {.seg = {.addr = wr->sge.addr, .len = wr->sge.length}};
    struct pkt p = {.tag = wr->tag, .msgno = wr->msgno, .src_host = (uint16_t)d->host};
    CU_ASSERT_TRUE(qpn == 20 + d->host && wr->remote_qpn == 20 + to->host &&
                   wr->path.host == to->host && wr->sge.lkey == 9);
    if (wr->flags & XP_SIGNALED)
        d->last_sent = wr->wr_id;
    if (to->recvs == 0)
        return XP_OK;
    struct xp_recv_wr recv = to->recv[0];
    struct xp_rx rx = {.seg = {.addr = recv.sge.addr + 40}};
    memmove(to->recv, to->recv + 1, --to->recvs * sizeof(recv));
    at.place(at.self, &p, &rx, from.gather(from.self, &tx), 0);
    complete(
        to, (struct xp_wc){.wr_id = recv.wr_id, .op = XP_WC_RECV, .byte_len = 40 + wr->sge.length});
    return XP_OK;
}

static int post_recv(void *dev, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    struct device *d = dev;
    CU_ASSERT_EQUAL(wr->sge.length, 40 + 1024);
    d->recv[d->recvs++] = *wr;
    d->posted_recvs++;
    return XP_OK;
}

static int poll_cq(void *dev, uint32_t cq, struct xp_wc *wc, int max)
{
    struct device *d = dev;
    if (d->cqes == 0)
        return 0;
    *wc = d->cqe[0];
    memmove(d->cqe, d->cqe + 1, --d->cqes * sizeof(*wc));
    return 1;
}

static void kill_host(void *dev, tm_ps now) { ((struct device *)dev)->killed = true; }

static const struct vb_ops ops = {.cq_create = cq_create,
                                  .qp_create = qp_create,
                                  .qp_modify = qp_modify,
                                  .mr_add = mr_add,
                                  .post_send = post_send,
                                  .post_recv = post_recv,
                                  .poll = poll_cq,
                                  .kill = kill_host};
static const uint32_t qpns[2] = {20, 21};

static const char *open(struct device *d, uint32_t host, struct device *peer)
{
    struct dgport_cfg cfg = {.host = host, .mtu_bytes = 1024, .sq_depth = SENDS, .rq_depth = RECVS};
    const char *why;
    d->host = host;
    d->peer = peer;
    d->port = dgport_new((struct vb){&ops, d}, &cfg, &why);
    if (d->port)
        dgport_set_peers(d->port, qpns);
    return why;
}

static void dgport_birth_makes_a_qp_with_receives(void)
{
    struct device a = {0};
    CU_ASSERT_PTR_NULL(open(&a, 0, &a));
    CU_ASSERT_EQUAL(dgport_qpn(a.port), 20);
    CU_ASSERT_EQUAL(a.states, 123); /* INIT, RTR, RTS */
    CU_ASSERT_EQUAL(a.recvs, RECVS);
    CU_ASSERT_FALSE(a.recv[0].sge.addr == a.recv[1].sge.addr);
    dgport_free(a.port);
}

static void dgport_refusals_are_named(void)
{
    struct device cq = {.refuses_cq = true}, mr = {.refuses_mr = true}, qp = {.refuses_qp = true},
                  modify = {.refuses_modify = true};
    CU_ASSERT_STRING_EQUAL(open(&cq, 0, &cq), "the device refused a completion queue");
    CU_ASSERT_STRING_EQUAL(open(&mr, 0, &mr), "the device refused a memory region");
    CU_ASSERT_STRING_EQUAL(open(&qp, 0, &qp), "the device refused a datagram QP");
    CU_ASSERT_STRING_EQUAL(open(&modify, 0, &modify),
                           "the device refused the attributes of a datagram QP");
}

static void dgport_datagram_arrives_as_it_was_sent(void)
{
    struct device a = {0}, b = {0};
    struct datagram d = {.hdr = "123456789abcdef", .host = 1, .bytes = 77, .tag = 5, .msgno = 6};
    struct datagram got;
    open(&a, 0, &b);
    open(&b, 1, &a);
    struct datagram_port from = dgport_port(a.port), to = dgport_port(b.port);
    for (int i = 0; i < 20; i++) {
        d.tag++;
        d.hdr[0] = (uint8_t)i;
        from.send(from.self, &d, 0);
        complete(&a, (struct xp_wc){.wr_id = a.last_sent, .op = XP_WC_SEND});
        CU_ASSERT_TRUE(to.waits(to.self));
        CU_ASSERT_EQUAL(b.recvs, RECVS - 1); /* not before it is taken */
        CU_ASSERT_TRUE(to.take(to.self, &got, 0));
        CU_ASSERT_EQUAL(b.recvs, RECVS);
        CU_ASSERT_TRUE(memcmp(got.hdr, d.hdr, 16) == 0 && got.host == 0 && got.bytes == 77 &&
                       got.tag == d.tag && got.msgno == 6);
        CU_ASSERT_FALSE(to.waits(to.self));
        CU_ASSERT_TRUE(from.has_room(from.self));
    }
    dgport_free(a.port);
    dgport_free(b.port);
}

/* 8 sends, every second one signalled: the completion of the 4th frees four. */
static void dgport_room_comes_with_completions(void)
{
    struct device a = {0};
    struct datagram d = {.host = 0};
    open(&a, 0, &a);
    a.recvs = 0;
    struct datagram_port p = dgport_port(a.port);
    for (int i = 0; i < SENDS; i++) {
        CU_ASSERT_TRUE(p.has_room(p.self));
        p.send(p.self, &d, 0);
    }
    CU_ASSERT_FALSE(p.has_room(p.self));
    CU_ASSERT_EQUAL(a.last_sent, 7);
    complete(&a, (struct xp_wc){.wr_id = 3, .op = XP_WC_SEND});
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_TRUE(p.has_room(p.self));
        p.send(p.self, &d, 0);
    }
    CU_ASSERT_FALSE(p.has_room(p.self));
    dgport_free(a.port);
}

static void dgport_kill_reaches_the_device(void)
{
    struct device a = {0};
    open(&a, 0, &a);
    struct datagram_port p = dgport_port(a.port);
    p.kill(p.self, 0);
    CU_ASSERT_TRUE(a.killed);
    dgport_free(a.port);
}

static const struct test tests[] = {
    TEST(dgport_birth_makes_a_qp_with_receives),  TEST(dgport_refusals_are_named),
    TEST(dgport_datagram_arrives_as_it_was_sent), TEST(dgport_room_comes_with_completions),
    TEST(dgport_kill_reaches_the_device),         TESTS_END};
const struct suite suite_dgport = {"dgport", tests};

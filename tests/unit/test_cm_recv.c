/*
 * The connection manager against MADs that do not fit, that are old, or that Linux sent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/cm/cm.h"
#include "tests/suite.h"
#include "tests/unit/cm_captured.h"
#include "tests/unit/cm_pair.h"

#define LOG_IS(p, text) CU_ASSERT_STRING_EQUAL(pair_log(p), text)

static struct cm_pair *fresh(void)
{
    struct cm_cfg cfg = pair_cfg();
    return pair_new(&cfg);
}

static struct cm_pair *connected(void)
{
    struct cm_pair *p = fresh();
    pair_connect(p, 0);
    pair_run(p, 10 * TM_US);
    pair_log(p);
    return p;
}

/* ---- what is old ------------------------------------------------------------------------------------------- */

/* A connects a QP that B still holds for connected: B's old connection ends, the REQ is rejected. */
static void cm_recv_stale_connection_is_rejected_and_ended(void)
{
    struct cm_pair *p = connected();
    p->drop_mask = ~(uint64_t)0;
    cm_disconnect(p->cm[0], p->qp[0][0].conn, p->now);
    pair_run(p, 1300 * TM_US);
    pair_log(p);
    p->drop_mask = 0;
    p->qps[0] = 0;
    pair_connect(p, 0);
    pair_run(p, 2400 * TM_US);
    LOG_IS(p, "1300 A>B REQ\n1301 B disconnected: stale connection\n1301 B>A REJ\n"
              "1302 A failed: stale connection\n1302 A closed\n2301 B closed");
    p->qps[0] = 0;
    pair_connect(p, 0);
    pair_run(p, 2410 * TM_US);
    CU_ASSERT_EQUAL(p->qp[0][0].state, PQ_RTS);
    pair_free(p);
}

/* 1 .. 5 are 256 .. 4096 bytes; 4 bits travel. */
static void cm_recv_req_with_an_unknown_mtu_is_rejected(void)
{
    for (uint8_t mtu = 0; mtu < 16; mtu++) {
        struct cm_pair *p = fresh();
        struct cm_tx tx;
        struct cm_event ev;
        struct cm_mad m = {.kind = CM_REQ, .local_id = 77, .offer.qpn = 99};
        m.req.service_id = PAIR_SERVICE;
        m.req.mtu = mtu;
        cm_recv(p->cm[1], 0, &m, 0);
        bool good = mtu >= 1 && mtu <= 5;
        CU_ASSERT_EQUAL(cm_take_event(p->cm[1], &ev), good);
        CU_ASSERT_EQUAL(cm_pull(p->cm[1], &tx), !good);
        if (!good)
            CU_ASSERT_EQUAL(tx.mad.rej.reason, CM_REJ_INVALID_MTU);
        pair_free(p);
    }
}

/* Host and both ids: a MAD must fit the connection in all of them. */
static void cm_recv_rtu_of_another_host_or_id_is_ignored(void)
{
    struct cm_pair *p = fresh();
    struct cm_tx tx;
    uint32_t conn;
    struct cm_ask ask = {.peer = 1, .service_id = PAIR_SERVICE, .mtu = 3, .own.qpn = 0x11};
    cm_connect(p->cm[0], &ask, 0, &conn);
    CU_ASSERT_TRUE_FATAL(cm_pull(p->cm[0], &tx));
    cm_recv(p->cm[1], 0, &tx.mad, 0);
    struct cm_mad rtu = {.kind = CM_RTU, .local_id = tx.mad.local_id};
    pair_settle(p);
    pair_run(p, TM_US);
    CU_ASSERT_TRUE_FATAL(p->qp[0][0].state == PQ_FREE && p->qp[1][0].state == PQ_RTR);
    struct cm_mad rep;
    CU_ASSERT_TRUE_FATAL(p->flights == 0);
    CU_ASSERT_TRUE_FATAL(cm_mad_decode(p->flight[0].bytes, &rep));
    rtu.remote_id = rep.local_id;
    cm_recv(p->cm[1], 2, &rtu, p->now); /* from host 2 */
    rtu.local_id++;
    cm_recv(p->cm[1], 0, &rtu, p->now);
    CU_ASSERT_EQUAL(cm_counts(p->cm[1])->established, 0);
    rtu.local_id--;
    cm_recv(p->cm[1], 0, &rtu, p->now);
    CU_ASSERT_EQUAL(cm_counts(p->cm[1])->established, 1);
    CU_ASSERT_EQUAL(cm_counts(p->cm[1])->stray, 2);
    pair_free(p);
}

/* The wait is over at the very time at which the REJ comes: no REQ leaves behind it. */
static void cm_recv_overtaken_mads_do_not_leave(void)
{
    struct cm_pair *p = fresh();
    struct cm_tx tx;
    pair_connect(p, 0);
    CU_ASSERT_TRUE(cm_pull(p->cm[0], &tx));
    cm_expire(p->cm[0], cm_wait_ps(4));
    struct cm_mad rej = {.kind = CM_REJ, .local_id = 9, .remote_id = tx.mad.local_id};
    rej.rej.reason = CM_REJ_NO_RESOURCES;
    cm_recv(p->cm[0], 1, &rej, cm_wait_ps(4));
    CU_ASSERT_FALSE(cm_pull(p->cm[0], &tx));
    p->now = cm_wait_ps(4);
    pair_run(p, TM_S);
    LOG_IS(p, "65 A failed: no resources\n65 A closed");
    pair_free(p);
}

/* B's side is still in TIMEWAIT, A's is over it: A may connect the same QP with another one of B. */
static void cm_recv_qp_connects_anew_while_the_other_waits(void)
{
    struct cm_pair *p = connected();
    p->delay_ps = 100 * TM_US;
    cm_disconnect(p->cm[1], p->qp[1][0].conn, p->now); /* at 10: A waits from 110, B from 210 */
    pair_run(p, 1120 * TM_US);
    pair_log(p);
    CU_ASSERT_EQUAL(p->qp[0][0].state, PQ_CLOSED);
    p->qps[0] = 0;
    p->delay_ps = TM_US;
    pair_connect(p, 0);
    pair_run(p, 1123 * TM_US);
    LOG_IS(p, "1120 A>B REQ\n1121 B request\n1121 B to_rtr\n1121 B>A REP\n1122 A to_rtr\n"
              "1122 A to_rts\n1122 A>B RTU\n1123 B to_rts");
    CU_ASSERT_NOT_EQUAL(p->qp[1][0].state, PQ_CLOSED);
    pair_free(p);
}

/* A record is used again; a REP for its earlier user does not establish the present one. */
static void cm_recv_rep_for_an_earlier_user_of_the_record_is_rejected(void)
{
    struct cm_cfg cfg = pair_cfg();
    cfg.conns = 1;
    struct cm_pair *p = pair_new(&cfg);
    struct cm_tx first, second, rej;
    pair_connect(p, 0);
    CU_ASSERT_TRUE(cm_pull(p->cm[0], &first));
    p->drop_mask = ~(uint64_t)0;
    pair_run(p, TM_MS);
    pair_connect(p, 0);
    CU_ASSERT_TRUE(cm_pull(p->cm[0], &second));
    CU_ASSERT_EQUAL(p->qp[0][0].conn, p->qp[0][1].conn);
    CU_ASSERT_NOT_EQUAL(first.mad.local_id, second.mad.local_id);
    struct cm_mad rep = {.kind = CM_REP, .local_id = 9, .remote_id = first.mad.local_id};
    cm_recv(p->cm[0], 1, &rep, p->now);
    CU_ASSERT_TRUE(cm_pull(p->cm[0], &rej));
    CU_ASSERT_EQUAL(rej.mad.kind, CM_REJ);
    CU_ASSERT_EQUAL(rej.mad.rej.reason, CM_REJ_INVALID_COMM_ID);
    CU_ASSERT_EQUAL(rej.mad.remote_id, 9);
    CU_ASSERT_EQUAL(p->qp[0][1].state, PQ_ASKED);
    pair_free(p);
}

/* ---- against Linux --------------------------------------------------------------------------------------------- */

static struct cm_mad captured(const char *program, enum cm_kind kind, uint8_t bytes[CM_MAD_BYTES])
{
    struct cm_mad m = {0};
    memset(bytes, 0, CM_MAD_BYTES);
    for (unsigned i = 0; i < CM_CAPTURED; i++) {
        const char *hex = cm_captured[i].hex;
        if (cm_captured[i].kind != kind || strcmp(cm_captured[i].program, program) != 0)
            continue;
        for (unsigned k = 0; hex[2 * k]; k++)
            bytes[k] = (uint8_t)strtoul((char[]){hex[2 * k], hex[2 * k + 1], 0}, NULL, 16);
        CU_ASSERT_TRUE_FATAL(cm_mad_decode(bytes, &m));
    }
    return m;
}

/* Bytes of two MADs that differ, as "24 25 …" */
static const char *differing(const struct cm_mad *ours, const uint8_t theirs[CM_MAD_BYTES])
{
    static char text[256];
    uint8_t bytes[CM_MAD_BYTES];
    size_t used = 0;
    cm_mad_encode(ours, bytes);
    text[0] = 0;
    for (unsigned i = 0; i < CM_MAD_BYTES && used < 240; i++)
        if (bytes[i] != theirs[i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%u ", i);
    return text;
}

/*
 * The server of a captured rping, played by our CM: what it answers is what Linux answered, byte for
 * byte, but for its own communication id (bytes 24 to 27).
 */
static void cm_recv_plays_the_server_of_a_captured_exchange(void)
{
    struct cm_cfg cfg = pair_cfg();
    struct cm_pair *p = pair_new(&cfg);
    struct cm *cm = p->cm[1];
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_event ev;
    struct cm_tx tx;
    struct cm_mad req = captured("rping", CM_REQ, bytes);
    cm_listen(cm, req.req.service_id, CM_TRANSPORT_RC);
    cm_recv(cm, 0, &req, 0);
    CU_ASSERT_TRUE_FATAL(cm_take_event(cm, &ev) && ev.kind == CM_EV_REQUEST);
    CU_ASSERT_EQUAL(ev.attr.timeout, 19);
    struct cm_mad rep = captured("rping", CM_REP, bytes);
    struct cm_own own = {.qpn = 0x11,
                         .psn = 0x520009,
                         .responder_resources = 16,
                         .initiator_depth = 16,
                         .rnr_retry = 7};
    CU_ASSERT_EQUAL(cm_accept(cm, ev.conn, &own, 0), CM_OK);
    CU_ASSERT_TRUE_FATAL(cm_pull(cm, &tx));
    rep.rep.ack_delay = 0; /* we claim no delay, and give our own GUID */
    rep.offer.guid = 2;
    cm_mad_encode(&rep, bytes);
    CU_ASSERT_STRING_EQUAL(differing(&tx.mad, bytes), "24 25 26 27 ");
    struct cm_mad rtu = captured("rping", CM_RTU, bytes);
    uint32_t own_id = rtu.remote_id = tx.mad.local_id;
    cm_recv(cm, 0, &rtu, 0);
    CU_ASSERT_EQUAL(cm_counts(cm)->established, 1);
    struct cm_mad dreq = captured("rping", CM_DREQ, bytes);
    dreq.remote_id = own_id;
    cm_recv(cm, 0, &dreq, 0);
    CU_ASSERT_TRUE_FATAL(cm_pull(cm, &tx));
    captured("rping", CM_DREP, bytes);
    CU_ASSERT_STRING_EQUAL(differing(&tx.mad, bytes), "24 25 26 27 ");
    pair_free(p);
}

/* The client: our REQ with the same wishes; addresses, ids and rdma_cm's private data are its own. */
static void cm_recv_asks_as_a_captured_client_does(void)
{
    struct cm_cfg cfg = pair_cfg();
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_tx tx;
    uint32_t conn;
    cfg.timeout = 20;
    cfg.retries = 15;
    struct cm_pair *p = pair_new(&cfg);
    struct cm_mad req = captured("rping", CM_REQ, bytes);
    struct cm_ask ask = {.peer = 1,
                         .service_id = req.req.service_id,
                         .mtu = 5,
                         .timeout = 19,
                         .retry_cnt = 7,
                         .own = {.qpn = 0x11,
                                 .psn = 0xc3415c,
                                 .responder_resources = 1,
                                 .initiator_depth = 1,
                                 .rnr_retry = 7}};
    CU_ASSERT_EQUAL(cm_connect(p->cm[0], &ask, 0, &conn), CM_OK);
    CU_ASSERT_TRUE_FATAL(cm_pull(p->cm[0], &tx));
    req.tid = tx.mad.tid;
    req.local_id = tx.mad.local_id;
    req.offer.guid = 1;
    memset(req.req.path.local_gid, 0, 16);
    memset(req.req.path.remote_gid, 0, 16);
    req.req.path.flow_label = 0;
    memset(req.private_data, 0, sizeof req.private_data);
    cm_mad_encode(&req, bytes);
    CU_ASSERT_STRING_EQUAL(differing(&tx.mad, bytes), "");
    struct cm_mad rep = captured("rping", CM_REP, bytes), rtu;
    rep.remote_id = tx.mad.local_id;
    rep.tid = tx.mad.tid;
    cm_recv(p->cm[0], 1, &rep, 0);
    cm_confirm(p->cm[0], conn, 0);
    CU_ASSERT_TRUE_FATAL(cm_pull(p->cm[0], &tx));
    rtu = captured("rping", CM_RTU, bytes);
    rtu.tid = tx.mad.tid;
    rtu.local_id = tx.mad.local_id;
    cm_mad_encode(&rtu, bytes);
    CU_ASSERT_STRING_EQUAL(differing(&tx.mad, bytes), "");
    pair_free(p);
}

/* ---- datagrams ---------------------------------------------------------------------------------------------- */

/* The server of a captured udaddy: our answer is Linux' to the byte. */
static void cm_recv_sidr_answer_is_that_of_a_captured_server(void)
{
    struct cm_pair *p = fresh();
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_tx tx;
    struct cm_mad ask = captured("udaddy", CM_SIDR_REQ, bytes);
    CU_ASSERT_EQUAL(cm_serve(p->cm[1], 0x01111c06, 0x13, 0x01234567), CM_OK);
    cm_recv(p->cm[1], 0, &ask, 0);
    CU_ASSERT_TRUE_FATAL(cm_pull(p->cm[1], &tx));
    captured("udaddy", CM_SIDR_REP, bytes);
    CU_ASSERT_STRING_EQUAL(differing(&tx.mad, bytes), "");
    CU_ASSERT_FALSE(cm_pull(p->cm[1], &tx));
    pair_free(p);
}

/* Lost questions and answers are repeated; a service that is not there fails. */
static void cm_recv_sidr_looks_up_a_datagram_qp(void)
{
    struct cm_pair *p = fresh();
    struct cm_event ev;
    uint32_t conn;
    cm_serve(p->cm[1], 77, 0x99, 0x1234);
    p->drop_mask = 1 | 4; /* first question, first answer */
    CU_ASSERT_EQUAL(cm_resolve(p->cm[0], 1, 77, 5, 0, &conn), CM_OK);
    pair_run(p, 131 * TM_US);
    LOG_IS(p, "0 A>B SIDR_REQ lost\n65 A>B SIDR_REQ again\n66 B>A SIDR_REP lost");
    struct cm_tx tx;
    cm_expire(p->cm[0], cm_deadline(p->cm[0]));
    CU_ASSERT_TRUE_FATAL(cm_pull(p->cm[0], &tx));
    cm_recv(p->cm[1], 0, &tx.mad, 140 * TM_US);
    CU_ASSERT_TRUE_FATAL(cm_pull(p->cm[1], &tx));
    cm_recv(p->cm[0], 1, &tx.mad, 140 * TM_US);
    CU_ASSERT_TRUE_FATAL(cm_take_event(p->cm[0], &ev) && ev.kind == CM_EV_RESOLVED);
    CU_ASSERT_EQUAL(ev.user, 5);
    CU_ASSERT_EQUAL(ev.attr.dest_qpn, 0x99);
    CU_ASSERT_EQUAL(ev.qkey, 0x1234);
    CU_ASSERT_TRUE(cm_take_event(p->cm[0], &ev) && ev.kind == CM_EV_CLOSED);
    CU_ASSERT_EQUAL(cm_deadline(p->cm[0]), TM_NEVER);
    pair_free(p);
}

static void cm_recv_sidr_without_service_or_answer_fails(void)
{
    struct cm_pair *p = fresh();
    uint32_t conn;
    cm_resolve(p->cm[0], 1, 78, 0, 0, &conn);
    pair_run(p, 10 * TM_US);
    LOG_IS(p, "0 A>B SIDR_REQ\n1 B>A SIDR_REP\n2 A failed: invalid service id\n2 A closed");
    p->drop_mask = ~(uint64_t)0;
    cm_resolve(p->cm[0], 1, 78, 0, p->now, &conn);
    pair_run(p, TM_S);
    LOG_IS(p, "10 A>B SIDR_REQ lost\n75 A>B SIDR_REQ again lost\n141 A>B SIDR_REQ again lost\n"
              "206 A failed: timeout\n206 A closed");
    pair_free(p);
}

static const struct test tests[] = {TEST(cm_recv_stale_connection_is_rejected_and_ended),
                                    TEST(cm_recv_req_with_an_unknown_mtu_is_rejected),
                                    TEST(cm_recv_rtu_of_another_host_or_id_is_ignored),
                                    TEST(cm_recv_overtaken_mads_do_not_leave),
                                    TEST(cm_recv_qp_connects_anew_while_the_other_waits),
                                    TEST(cm_recv_rep_for_an_earlier_user_of_the_record_is_rejected),
                                    TEST(cm_recv_plays_the_server_of_a_captured_exchange),
                                    TEST(cm_recv_asks_as_a_captured_client_does),
                                    TEST(cm_recv_sidr_answer_is_that_of_a_captured_server),
                                    TEST(cm_recv_sidr_looks_up_a_datagram_qp),
                                    TEST(cm_recv_sidr_without_service_or_answer_fails),
                                    TESTS_END};
const struct suite suite_cm_recv = {"cm_recv", tests};

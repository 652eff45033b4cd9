/* How requests of reliable datagrams fail, and what then becomes of QPs, contexts and receives. */
#include "sim/base/check.h"
#include "tests/unit/rd_scene.h"

enum whose_fault { FAULT_QKEY, FAULT_ABSENT, FAULT_RDD, FAULT_NOT_RECEIVING, FAULT_CONTEXT };

/* NAK 4: the sending QP stops, the context carries others. */
static void rd_errors_destination_that_may_not_receive_is_status_15(void)
{
    static const struct {
        enum whose_fault fault;
        const char *name;
    } rows[] = {{FAULT_QKEY, "wrong Q_Key"},
                {FAULT_ABSENT, "no such QP"},
                {FAULT_RDD, "QP of another domain"},
                {FAULT_NOT_RECEIVING, "QP in RESET"},
                {FAULT_CONTEXT, "no QP but a context"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig *r = rd_scene();
        struct xp_qp_init init = {.service = XP_RD,
                                  .pd = RIG_PD,
                                  .send_cq = r->scq[B],
                                  .recv_cq = r->rcq[B],
                                  .sq_depth = 1,
                                  .rq_depth = 1,
                                  .rdd = rows[i].fault == FAULT_RDD ? RIG_RDD + 1 : RIG_RDD};
        uint32_t p = rig_more(r, A, XP_RD), q;
        CHECK(xp_qp_create(r->loop->end[B].core, &init, &q) == XP_OK);
        rig_recvs(r, 11, 2, 64);
        struct rd_op o = {.to = q, .op = {.id = 1, .op = XP_WR_SEND, .len = 16}};
        if (rows[i].fault == FAULT_QKEY)
            o = (struct rd_op){.qkey = 99, .op = o.op};
        if (rows[i].fault == FAULT_ABSENT)
            o.to = 4000;
        if (rows[i].fault == FAULT_CONTEXT)
            o.to = r->eec[B];
        CHECK(rd_post(r, o) == XP_OK);
        rd_send(r, 2, 0, 0, 16);
        rd_send(r, 3, p, 0, 16);
        rig_run(r);
        ROW_TEXT(rows[i].name, rd_packets(r),
                 "a:SEND_ONLY.100 a:nak4.100 a:RESYNC.101 a:ack.101 0:SEND_ONLY.102 0:ack.102");
        ROW_TEXT(rows[i].name, rig_wcs(r, A), "1:15 2:5 3:0@0");
        ROW_TEXT(rows[i].name, rig_rcs(r, B), "11:0/16");
        ROW_INT(rows[i].name, rd_state(r, A, r->qp[A]), XP_SQE);
        ROW_INT(rows[i].name, rd_state(r, A, r->eec[A]), XP_RTS);
        ROW_INT(rows[i].name, rd_state(r, B, r->qp[B]), XP_RTS);
        CHECK(xp_qp_destroy(r->loop->end[B].core, q, r->loop->now) == XP_OK);
        rig_free(r);
    }
}

/* NAKs 1, 2, 3: the responding QP is of no use any more, the contexts are. */
static void rd_errors_refusal_ends_both_qps_and_no_context(void)
{
    static const struct {
        struct rig_op op;
        uint32_t recv;
        int send_status, recv_status;
        const char *events;
    } rows[] = {
        {{.id = 1, .op = XP_WR_SEND, .len = 65}, 64, 9, 1, ""},
        {{.id = 1, .op = XP_WR_WRITE, .len = 16, .dst = RIG_REGION}, 64, 10, 5, "QP_ACCESS_ERR"},
        {{.id = 1, .op = XP_WR_READ, .len = 16, .dst = RIG_REGION}, 64, 10, 5, "QP_ACCESS_ERR"},
        {{.id = 1, .op = XP_WR_FETCH_ADD, .len = 8, .dst = 4}, 64, 9, 5, "QP_REQ_ERR"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig *r = rd_scene();
        uint32_t p = rig_more(r, A, XP_RD), q = rig_more(r, B, XP_RD);
        rig_events(r, B);
        CHECK(rig_recv(r, 11, 0, rows[i].recv) == XP_OK);
        rd_recv(r, q, 21, 64);
        CHECK(rd_post(r, (struct rd_op){.op = rows[i].op}) == XP_OK);
        rd_send(r, 2, p, q, 16);
        rig_run(r);
        char name[8] = {(char)('0' + i), 0};
        struct xp_wc wc;
        CHECK(xp_poll_cq(r->loop->end[A].core, r->scq[A], &wc, 1) == 1);
        ROW_INT(name, wc.status, rows[i].send_status);
        ROW_TEXT(name, rig_wcs(r, A), "2:0@0");
        ROW_INT(name, rd_state(r, A, r->qp[A]), XP_SQE);
        ROW_INT(name, rd_state(r, B, r->qp[B]), XP_ERR);
        ROW_INT(name, rd_state(r, A, r->eec[A]), XP_RTS);
        ROW_INT(name, rd_state(r, B, r->eec[B]), XP_RTS);
        ROW_TEXT(name, rig_events(r, B), rows[i].events);
        CHECK(xp_poll_cq(r->loop->end[B].core, r->rcq[B], &wc, 1) == 1);
        ROW_INT(name, wc.status, rows[i].recv_status);
        ROW_TEXT(name, rig_rcs(r, B), "21:0/16@0");
        rig_free(r);
    }
}

/* The region of the receive is gone when the message comes. */
static void rd_errors_receive_without_its_region_is_status_11(void)
{
    struct rig *r = rd_scene();
    struct xp_recv_wr wr = {.wr_id = 11, .sge = {RIG_BASE, 64, r->key[B] + 256}};
    CHECK(xp_post_recv(r->loop->end[B].core, r->qp[B], &wr, 0) == XP_OK);
    rd_send(r, 1, 0, 0, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:11");
    TEXT_IS(rig_rcs(r, B), "11:4");
    INT_IS(rd_state(r, B, r->qp[B]), XP_ERR);
    INT_IS(rd_state(r, B, r->eec[B]), XP_RTS);
    rig_free(r);
}

static struct rig *with_rnr_retry(uint8_t rnr_retry)
{
    struct rig_spec s = rig_spec();
    s.service = XP_RD;
    s.rnr_retry = rnr_retry;
    return rig_new(&s);
}

static void rd_errors_rnr_retries_used_up_is_status_13(void)
{
    struct rig *r = with_rnr_retry(2);
    uint32_t p = rig_more(r, A, XP_RD), q = rig_more(r, B, XP_RD);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, 0, 0, 16);
    rig_run(r);
    TEXT_IS(rd_packets(r),
            "a:SEND_ONLY.100 a:rnr12.100 a:RESYNC.101 a:ack.101 a:SEND_ONLY.102 a:rnr12.102 "
            "a:RESYNC.103 a:ack.103 a:SEND_ONLY.104 a:rnr12.104 a:RESYNC.105 a:ack.105");
    TEXT_IS(rig_wcs(r, A), "1:13 2:5");
    INT_IS(rd_state(r, A, r->qp[A]), XP_SQE);
    INT_IS(rd_state(r, A, r->eec[A]), XP_RTS);
    rd_recv(r, q, 21, 64);
    rd_send(r, 3, p, q, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "3:0@0");
    rig_free(r);
}

/* Each message has the whole count; those of another QP in between take none of it. */
static void rd_errors_rnr_count_belongs_to_the_message(void)
{
    struct rig *r = with_rnr_retry(1);
    uint32_t p = rig_more(r, A, XP_RD);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, p, 0, 16);
    rig_run_for(r, 20 * TM_US);
    rig_recvs(r, 11, 2, 64);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0@0");
    rd_send(r, 3, 0, 0, 16);
    rig_run_for(r, 20 * TM_US);
    rig_recvs(r, 13, 1, 64);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "3:0");
    rig_free(r);
}

static void lose_all(struct rig *r) { r->loop->dir[A][B].drop_mask = UINT64_MAX; }

/* A dead peer ends the context, and with it what it carries and what waits for it. */
static void rd_errors_retries_used_up_is_status_12_and_ends_the_context(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD);
    lose_all(r);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, 0, 0, 16);
    rd_send(r, 3, p, 0, 16);
    rd_send(r, 4, p, 0, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:12 2:5 3:18@0 4:5@0");
    INT_IS(rd_state(r, A, r->qp[A]), XP_SQE);
    INT_IS(rd_state(r, A, p), XP_SQE);
    INT_IS(rd_state(r, A, r->eec[A]), XP_ERR);
    INT_IS(r->loop->dir[A][B].sent, 8);
    rig_free(r);
}

/* The peer dies behind an RNR NAK: it is RESYNC that is not answered; the message waits, and fails. */
static void rd_errors_lost_resync_ends_the_context(void)
{
    struct rig *r = rd_scene();
    r->loop->dir[A][B].drop_mask = UINT64_MAX & ~1ull;
    rd_send(r, 1, 0, 0, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:18");
    INT_IS(rd_state(r, A, r->qp[A]), XP_SQE);
    INT_IS(rd_state(r, A, r->eec[A]), XP_ERR);
    rig_free(r);
}

static void rd_errors_context_of_another_domain_unknown_or_not_ready(void)
{
    static const struct {
        const char *name;
        int kind;
        const char *sends;
    } rows[] = {{"another domain", 0, "1:14"},
                {"unknown", 1, "1:17"},
                {"a QP", 2, "1:17"},
                {"in RESET", 3, "1:18"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig *r = rd_scene();
        struct xp_qp_init init = {.service = XP_EEC, .rdd = RIG_RDD + 1};
        uint32_t other, fresh = rig_more(r, A, XP_EEC);
        CHECK(xp_qp_create(r->loop->end[A].core, &init, &other) == XP_OK);
        uint32_t eecn[] = {other, 4000, r->qp[A], fresh};
        CHECK(rd_post(r, (struct rd_op){.eecn = eecn[rows[i].kind],
                                        .op = {.id = 1, .op = XP_WR_SEND, .len = 16}}) == XP_OK);
        rig_run(r);
        ROW_TEXT(rows[i].name, rd_packets(r), "");
        ROW_TEXT(rows[i].name, rig_wcs(r, A), rows[i].sends);
        ROW_INT(rows[i].name, rd_state(r, A, r->qp[A]), XP_SQE);
        ROW_INT(rows[i].name, rd_state(r, A, r->eec[A]), XP_RTS);
        CHECK(xp_qp_destroy(r->loop->end[A].core, other, r->loop->now) == XP_OK);
        rig_free(r);
    }
}

/* Only when its turn comes is the request looked at: earlier ones end before it. */
static void rd_errors_bad_context_fails_in_its_turn(void)
{
    struct rig *r = rd_scene();
    rig_recvs(r, 11, 1, 64);
    rd_send(r, 1, 0, 0, 16);
    CHECK(rd_post(r, (struct rd_op){.eecn = 4000, .op = {.id = 2, .op = XP_WR_SEND, .len = 16}}) ==
          XP_OK);
    rd_send(r, 3, 0, 0, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:17 3:5");
    rig_free(r);
}

static void rd_errors_local_faults_stop_the_qp_alone(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD);
    rig_recvs(r, 11, 2, 64);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 16});
    wr.sge.lkey += 256;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    rd_send(r, 2, p, 0, 16);
    rig_run(r);
    TEXT_IS(rd_packets(r), "0:SEND_ONLY.100 0:ack.100");
    TEXT_IS(rig_wcs(r, A), "1:4 2:0@0");
    INT_IS(rd_state(r, A, r->qp[A]), XP_SQE);
    INT_IS(rd_state(r, A, r->eec[A]), XP_RTS);
    rig_free(r);
}

/* A READ's landing place is gone while it is out: the other end has heard of it, so RESYNC follows. */
static void rd_errors_read_without_room_is_followed_by_a_resync(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 16});
    wr.sge.lkey += 256;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    CHECK(rd_post(r, (struct rd_op){.from = p, .op = {.id = 2, .op = XP_WR_READ, .len = 16}}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:4 2:0@0");
    INT_IS(rd_state(r, A, r->eec[A]), XP_RTS);
    rig_free(r);
}

static void rd_errors_read_through_a_context_without_depth_is_status_2(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_RD;
    s.rd_atomic = 0;
    struct rig *r = rig_new(&s);
    CHECK(rd_post(r, (struct rd_op){.op = {.id = 1, .op = XP_WR_READ, .len = 16}}) == XP_OK);
    rig_run(r);
    TEXT_IS(rd_packets(r), "");
    TEXT_IS(rig_wcs(r, A), "1:2");
    INT_IS(rd_state(r, A, r->eec[A]), XP_RTS);
    rig_free(r);
}

/* IBA 10.3.1: from SQE a QP goes back to RTS, and sends again. */
static void rd_errors_qp_in_sqe_can_be_revived(void)
{
    struct rig *r = rd_scene();
    struct xp_qp_attr attr = {.state = XP_RTS, .cur_state = XP_SQE};
    CHECK(rd_post(r, (struct rd_op){.qkey = 99, .op = {.id = 1, .op = XP_WR_SEND, .len = 16}}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:15");
    INT_IS(rd_state(r, A, r->qp[A]), XP_SQE);
    INT_IS(xp_qp_modify(r->loop->end[A].core, r->qp[A], &attr, XP_A_STATE, r->loop->now), XP_OK);
    rig_recvs(r, 11, 1, 64);
    rd_send(r, 2, 0, 0, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:0");
    rig_free(r);
}

static void rd_errors_cq_overrun_ends_the_qp_and_not_the_context(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_RD;
    s.cq_depth = 1;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 64);
    for (uint64_t id = 1; id <= 3; id++)
        CHECK(rd_post(r, (struct rd_op){.op = {.id = id, .op = XP_WR_WRITE, .len = 16}}) == XP_OK);
    rig_run(r);
    INT_IS(rd_state(r, A, r->qp[A]), XP_ERR);
    INT_IS(rd_state(r, A, r->eec[A]), XP_RTS);
    rig_free(r);
}

static const struct test tests[] = {
    TEST(rd_errors_destination_that_may_not_receive_is_status_15),
    TEST(rd_errors_refusal_ends_both_qps_and_no_context),
    TEST(rd_errors_receive_without_its_region_is_status_11),
    TEST(rd_errors_rnr_retries_used_up_is_status_13),
    TEST(rd_errors_rnr_count_belongs_to_the_message),
    TEST(rd_errors_retries_used_up_is_status_12_and_ends_the_context),
    TEST(rd_errors_lost_resync_ends_the_context),
    TEST(rd_errors_context_of_another_domain_unknown_or_not_ready),
    TEST(rd_errors_bad_context_fails_in_its_turn),
    TEST(rd_errors_local_faults_stop_the_qp_alone),
    TEST(rd_errors_read_without_room_is_followed_by_a_resync),
    TEST(rd_errors_read_through_a_context_without_depth_is_status_2),
    TEST(rd_errors_qp_in_sqe_can_be_revived),
    TEST(rd_errors_cq_overrun_ends_the_qp_and_not_the_context),
    TESTS_END};
const struct suite suite_rd_errors = {"rd_errors", tests};

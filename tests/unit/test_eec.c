/* EE contexts: their life cycle, RESYNC, and messages that end half way (IBA 9.7.8, 10.2.7). */
#include "sim/base/check.h"
#include "tests/unit/rd_scene.h"

/* ---- life ---- */

static void eec_qps_and_contexts_want_a_domain_and_no_srq(void)
{
    struct rig *r = rd_scene();
    struct xp *x = r->loop->end[A].core;
    uint32_t n, srqn;
    struct xp_srq_init srq = {.pd = RIG_PD, .depth = 4};
    CHECK(xp_srq_create(x, &srq, &srqn) == XP_OK);
    const struct {
        const char *name;
        struct xp_qp_init init;
        int rc;
    } rows[] = {
        {"context", {.service = XP_EEC, .rdd = 1}, XP_OK},
        {"context without a domain", {.service = XP_EEC}, XP_EINVAL},
        {"context with a send queue", {.service = XP_EEC, .rdd = 1, .sq_depth = 1}, XP_EINVAL},
        {"context with a receive queue", {.service = XP_EEC, .rdd = 1, .rq_depth = 1}, XP_EINVAL},
        {"QP",
         {.service = XP_RD,
          .rdd = 1,
          .send_cq = r->scq[A],
          .recv_cq = r->rcq[A],
          .sq_depth = 1,
          .rq_depth = 1},
         XP_OK},
        {"QP without a domain",
         {.service = XP_RD,
          .send_cq = r->scq[A],
          .recv_cq = r->rcq[A],
          .sq_depth = 1,
          .rq_depth = 1},
         XP_EINVAL},
        {"QP without a CQ", {.service = XP_RD, .rdd = 1, .sq_depth = 1, .rq_depth = 1}, XP_EINVAL},
        {"QP with an SRQ",
         {.service = XP_RD,
          .rdd = 1,
          .send_cq = r->scq[A],
          .recv_cq = r->rcq[A],
          .sq_depth = 1,
          .srq = srqn},
         XP_EINVAL},
        {"RC QP with a domain",
         {.service = XP_RC,
          .rdd = 1,
          .send_cq = r->scq[A],
          .recv_cq = r->rcq[A],
          .sq_depth = 1,
          .rq_depth = 1},
         XP_EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ROW_INT(rows[i].name, xp_qp_create(x, &rows[i].init, &n), rows[i].rc);
        if (rows[i].rc == XP_OK)
            CHECK(xp_qp_destroy(x, n, 0) == XP_OK);
    }
    CHECK(xp_srq_destroy(x, srqn) == XP_OK);
    rig_free(r);
}

static void eec_nothing_can_be_posted_to_a_context(void)
{
    struct rig *r = rd_scene();
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 16});
    struct xp_recv_wr recv = {.wr_id = 1, .sge = {RIG_BASE, 16, r->key[A]}};
    INT_IS(xp_post_send(r->loop->end[A].core, r->eec[A], &wr, 0), XP_EOPNOTSUPP);
    INT_IS(xp_post_recv(r->loop->end[A].core, r->eec[A], &recv, 0), XP_EOPNOTSUPP);
    rig_free(r);
}

/* What a step lacks or has too much of; the whole table is in test_lifecycle. */
static void eec_steps_of_qp_and_context_share_the_attributes(void)
{
    const struct {
        const char *name;
        enum xp_service_id service;
        enum xp_state from, to;
        uint32_t mask, missing, excess;
    } rows[] = {
        {"context INIT", XP_EEC, XP_RESET, XP_INIT, XP_A_STATE | XP_A_PKEY | XP_A_PORT, 0, 0},
        {"context INIT Q_Key", XP_EEC, XP_RESET, XP_INIT,
         XP_A_STATE | XP_A_PKEY | XP_A_PORT | XP_A_QKEY, 0, XP_A_QKEY},
        {"context RTR", XP_EEC, XP_INIT, XP_RTR, XP_A_STATE,
         XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN | XP_A_MAX_DEST_RD, 0},
        {"context RTS", XP_EEC, XP_RTR, XP_RTS, XP_A_STATE,
         XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD, 0},
        {"QP INIT", XP_RD, XP_RESET, XP_INIT, XP_A_STATE, XP_A_PKEY | XP_A_PORT | XP_A_QKEY, 0},
        {"QP RTR", XP_RD, XP_INIT, XP_RTR, XP_A_STATE | XP_A_DEST_QP, XP_A_MIN_RNR, XP_A_DEST_QP},
        {"QP RTS", XP_RD, XP_RTR, XP_RTS, XP_A_STATE | XP_A_SQ_PSN, 0, XP_A_SQ_PSN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct xp_transition t =
            xp_transition_check(rows[i].service, rows[i].from, rows[i].to, rows[i].mask);
        ROW_INT(rows[i].name, t.valid, true);
        ROW_INT(rows[i].name, t.missing, rows[i].missing);
        ROW_INT(rows[i].name, t.excess, rows[i].excess);
    }
    INT_IS(xp_transition_check(XP_EEC, XP_SQE, XP_RTS, XP_A_STATE).valid, false);
    INT_IS(xp_transition_check(XP_RD, XP_SQE, XP_RTS, XP_A_STATE).valid, true);
}

/* ---- SQD ---- */

/* What the context carries ends; who stands in line waits until it goes on. */
static void eec_in_sqd_takes_no_further_message(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD);
    rig_recvs(r, 11, 3, 64);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, p, 0, 16);
    loop_run_until(r->loop, 500 * TM_NS);
    INT_IS(rd_modify(r, A, r->eec[A], XP_SQD), XP_OK);
    TEXT_IS(rig_events(r, A), "");
    rig_run(r);
    TEXT_IS(rig_events(r, A), "SQ_DRAINED");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rd_send(r, 3, 0, 0, 16); /* it lines up all the same */
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "");
    INT_IS(rd_modify(r, A, r->eec[A], XP_RTS), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:0@0 3:0");
    rig_free(r);
}

static void eec_qp_in_sqd_ends_what_is_out_and_begins_nothing(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, 0, 0, 16);
    rig_run_for(r, 10 * TM_US); /* its first message is suspended */
    INT_IS(rd_modify(r, A, r->qp[A], XP_SQD), XP_OK);
    TEXT_IS(rig_events(r, A), "");
    rig_recvs(r, 11, 3, 64);
    rig_run(r);
    TEXT_IS(rig_events(r, A), "SQ_DRAINED");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rd_send(r, 3, p, 0, 16); /* others do not wait for it */
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "3:0@0");
    INT_IS(rd_modify(r, A, r->qp[A], XP_RTS), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:0");
    rig_free(r);
}

static void eec_qp_in_sqd_leaves_the_line(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD), q = rig_more(r, A, XP_RD);
    rig_recvs(r, 11, 3, 64);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, p, 0, 16);
    rd_send(r, 3, q, 0, 16);
    loop_run_until(r->loop, 500 * TM_NS);
    INT_IS(rd_modify(r, A, p, XP_SQD), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 3:0@1");
    TEXT_IS(rig_events(r, A), "SQ_DRAINED");
    INT_IS(rd_modify(r, A, p, XP_RTS), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:0@0");
    rig_free(r);
}

/* ---- messages that end half way, seen from the sender ---- */

enum end_how { END_ERR, END_RESET, END_DESTROY };

/* The QP goes while its message is on the way: the context says RESYNC, and carries the next. */
static void eec_qp_that_leaves_its_message_is_followed_by_resync(void)
{
    static const struct {
        enum end_how how;
        const char *name, *sends;
    } rows[] = {{END_ERR, "ERR", "1:5 2:0@0"},
                {END_RESET, "RESET", "2:0@0"},
                {END_DESTROY, "destroyed", "2:0@0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig_spec s = rig_spec();
        s.service = XP_RD;
        s.gap_ps = TM_US;
        struct rig *r = rig_new(&s);
        uint32_t p = rig_more(r, A, XP_RD);
        rig_recvs(r, 11, 2, 1024);
        rd_send(r, 1, 0, 0, 1000);
        rd_send(r, 2, p, 0, 16);
        loop_run_until(r->loop, 1500 * TM_NS); /* two packets of four have left */
        if (rows[i].how == END_DESTROY) {
            CHECK(xp_qp_destroy(r->loop->end[A].core, r->qp[A], r->loop->now) == XP_OK);
        } else {
            CHECK(rd_modify(r, A, r->qp[A], rows[i].how == END_ERR ? XP_ERR : XP_RESET) == XP_OK);
        }
        rig_run(r);
        ROW_TEXT(
            rows[i].name, rd_packets(r),
            "a:SEND_FIRST.100 a:SEND_MIDDLE.101 a:RESYNC.104 a:ack.104 0:SEND_ONLY.105 0:ack.105");
        ROW_TEXT(rows[i].name, rig_wcs(r, A), rows[i].sends);
        ROW_TEXT(rows[i].name, rig_rcs(r, B), "11:16 12:0/16");
        if (rows[i].how == END_DESTROY)
            CHECK(rig_more(r, A, XP_RD) == r->qp[A]); /* its number is free again */
        rig_free(r);
    }
}

/* Nothing of it has left: nobody needs to be told. */
static void eec_qp_that_leaves_before_a_packet_went_out_needs_no_resync(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD);
    rig_recvs(r, 11, 2, 64);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, p, 0, 16);
    CHECK(rd_modify(r, A, r->qp[A], XP_RESET) == XP_OK);
    rig_run(r);
    TEXT_IS(rd_packets(r), "0:SEND_ONLY.100 0:ack.100");
    TEXT_IS(rig_wcs(r, A), "2:0@0");
    rig_free(r);
}

/* The context goes: its message and those in line fail as requests of a context that is not in RTS. */
static void eec_that_leaves_fails_what_it_carries(void)
{
    static const struct {
        enum end_how how;
        const char *name, *sends;
    } rows[] = {{END_ERR, "ERR", "1:3 2:18@0"},
                {END_RESET, "RESET", "1:18 2:18@0"},
                {END_DESTROY, "destroyed", "1:18 2:18@0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig *r = rd_scene();
        uint32_t p = rig_more(r, A, XP_RD);
        rig_recvs(r, 11, 2, 64);
        rd_send(r, 1, 0, 0, 16);
        rd_send(r, 2, p, 0, 16);
        loop_run_until(r->loop, 500 * TM_NS);
        if (rows[i].how == END_DESTROY)
            CHECK(xp_qp_destroy(r->loop->end[A].core, r->eec[A], r->loop->now) == XP_OK);
        else
            CHECK(rd_modify(r, A, r->eec[A], rows[i].how == END_ERR ? XP_ERR : XP_RESET) == XP_OK);
        rig_run(r);
        ROW_TEXT(rows[i].name, rig_wcs(r, A), rows[i].sends);
        ROW_INT(rows[i].name, rd_state(r, A, r->qp[A]), XP_SQE);
        ROW_INT(rows[i].name, rd_state(r, A, p), XP_SQE);
        if (rows[i].how == END_DESTROY)
            CHECK(rig_more(r, A, XP_EEC) == r->eec[A]);
        rig_free(r);
    }
}

/* Its messages' completions find no room: what follows from an overrun follows here too. */
static void eec_destroyed_with_a_full_cq_ends_the_qps(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_RD;
    s.cq_depth = 1;
    struct rig *r = rig_new(&s);
    uint32_t p = rig_more(r, A, XP_RD);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, p, 0, 16);
    loop_run_until(r->loop, 500 * TM_NS);
    CHECK(xp_qp_destroy(r->loop->end[A].core, r->eec[A], r->loop->now) == XP_OK);
    INT_IS(rd_state(r, A, r->qp[A]), XP_ERR);
    INT_IS(rd_state(r, A, p), XP_ERR);
    CHECK(rig_more(r, A, XP_EEC) == r->eec[A]);
    rig_free(r);
}

/* ---- messages that end half way, seen from the receiver ---- */

static struct rig *half_received(uint64_t lost)
{
    struct rig *r = rd_scene();
    loop_script(r->loop, (struct loop_fault){.from = A, .to = B, .nth = lost, .action = LOOP_DROP});
    rig_recvs(r, 11, 2, 1024);
    rd_send(r, 1, 0, 0, 600);
    rig_run_for(r, 2 * TM_US);
    return r;
}

/* It had taken a receive, which the QP gives back as it does those that wait. */
static void eec_receiver_in_err_flushes_what_it_had_half_received(void)
{
    struct rig *r = half_received(2);
    CHECK(rd_modify(r, B, r->qp[B], XP_ERR) == XP_OK);
    TEXT_IS(rig_rcs(r, B), "11:5 12:5");
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:15");
    INT_IS(rd_state(r, A, r->eec[A]), XP_RTS);
    rig_free(r);
}

static void eec_receiver_in_reset_loses_what_it_had_half_received(void)
{
    struct rig *r = half_received(2);
    CHECK(rd_modify(r, B, r->qp[B], XP_RESET) == XP_OK);
    TEXT_IS(rig_rcs(r, B), "");
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:15");
    rig_free(r);
}

/* What goes is another QP of that end: the half message is none of its business. */
static void eec_receiver_beside_one_that_leaves_is_unharmed(void)
{
    struct rig *r = half_received(2);
    uint32_t q = rig_more(r, B, XP_RD);
    CHECK(rd_modify(r, B, q, XP_ERR) == XP_OK);
    CHECK(rd_modify(r, B, q, XP_RESET) == XP_OK);
    TEXT_IS(rig_rcs(r, B), "");
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/600");
    rig_free(r);
}

/* The context goes: the half message's receive completes, for its QP lives on. */
static void eec_at_the_receiver_gives_half_messages_back(void)
{
    static const struct {
        enum end_how how;
        const char *name;
    } rows[] = {{END_ERR, "ERR"}, {END_RESET, "RESET"}, {END_DESTROY, "destroyed"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig *r = half_received(2);
        if (rows[i].how == END_DESTROY)
            CHECK(xp_qp_destroy(r->loop->end[B].core, r->eec[B], r->loop->now) == XP_OK);
        else
            CHECK(rd_modify(r, B, r->eec[B], rows[i].how == END_ERR ? XP_ERR : XP_RESET) == XP_OK);
        ROW_TEXT(rows[i].name, rig_rcs(r, B), "11:16");
        INT_IS(rig_query(r, B).recvs_waiting, 1);
        rig_run(r);
        ROW_TEXT(rows[i].name, rig_wcs(r, A), "1:12");
        if (rows[i].how == END_DESTROY)
            CHECK(rig_more(r, B, XP_EEC) == r->eec[B]);
        rig_free(r);
    }
}

/*
 * Found by the random faults of test_prop_faults: under go-back-0 a message that began again took a
 * second receive, and the first was never completed.
 */
static void eec_message_that_begins_again_keeps_its_receive(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_RD;
    s.profile.recovery = XP_GO_BACK_0;
    struct rig *r = rig_new(&s);
    loop_script(r->loop, (struct loop_fault){.from = A, .to = B, .nth = 1, .action = LOOP_DROP});
    rig_recvs(r, 11, 2, 1024);
    rd_send(r, 1, 0, 0, 600);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/600");
    INT_IS(rig_query(r, B).recvs_waiting, 1);
    rig_free(r);
}

/* ---- RESYNC on the wire ---- */

static struct xp_rx inject(struct rig *r, enum wire_op op, uint32_t psn_v, uint32_t to,
                           uint32_t from)
{
    struct xp_rx rx;
    struct wire_hdr h = {.opcode = wire_opcode(WIRE_RD, op),
                         .flags = WIRE_MIGREQ | WIRE_ACKREQ,
                         .pkey = 0xffff,
                         .payload_bytes = op == OP_SEND_FIRST ? 256 : 0,
                         .dest_qp = to,
                         .psn = psn(psn_v)};
    struct wire_ext e = {.eec = r->eec[B], .qkey = RIG_QKEY, .src_qp = from};
    xp_recv(r->loop->end[B].core, &h, &e, (struct xp_path){A, 7}, r->loop->now, &rx);
    return rx;
}

static void eec_resync_ahead_sets_the_expected_number(void)
{
    struct rig *r = rd_scene();
    rig_recvs(r, 11, 1, 1024);
    INT_IS(inject(r, OP_SEND_FIRST, 100, r->qp[B], r->qp[A]).verdict, V_ACCEPT);
    INT_IS(inject(r, OP_RESYNC, 4000, r->qp[B], r->qp[A]).verdict, V_RESYNC);
    TEXT_IS(rig_rcs(r, B), "11:16");
    struct xp_qp_query q;
    CHECK(xp_qp_query(r->loop->end[B].core, r->eec[B], &q) == XP_OK);
    INT_IS(q.rq_psn.v, 4001);
    INT_IS(q.msn, 0);
    /* once more: it is old now, and acknowledged again */
    INT_IS(inject(r, OP_RESYNC, 4000, r->qp[B], r->qp[A]).verdict, V_DUPLICATE);
    rig_run(r);
    TEXT_IS(rd_packets(r), "a:ack.4000");
    rig_free(r);
}

/* It needs no destination: that may be gone, and be the very reason. */
static void eec_resync_for_a_qp_that_is_gone_is_acknowledged(void)
{
    struct rig *r = rd_scene();
    INT_IS(inject(r, OP_RESYNC, 100, 4000, r->qp[A]).verdict, V_RESYNC);
    rig_run(r);
    TEXT_IS(rd_packets(r), "a:ack.100");
    rig_free(r);
}

/* A message has one destination and one sender from its first packet to its last. */
static void eec_message_that_changes_its_qp_is_refused(void)
{
    struct rig *r = rd_scene();
    uint32_t q = rig_more(r, B, XP_RD);
    rig_recvs(r, 11, 1, 1024);
    rd_recv(r, q, 21, 1024);
    INT_IS(inject(r, OP_SEND_FIRST, 100, r->qp[B], r->qp[A]).verdict, V_ACCEPT);
    INT_IS(inject(r, OP_SEND_LAST, 101, q, r->qp[A]).verdict, V_BAD_ORDER);
    rig_free(r);
}

static void eec_packet_that_names_no_context_is_dropped(void)
{
    struct rig *r = rd_scene();
    struct xp_rx rx;
    struct wire_hdr h = {.opcode = wire_opcode(WIRE_RD, OP_SEND_ONLY),
                         .pkey = 0xffff,
                         .dest_qp = r->qp[B],
                         .psn = psn(100)};
    struct wire_ext e = {.eec = 4000, .qkey = RIG_QKEY, .src_qp = r->qp[A]};
    xp_recv(r->loop->end[B].core, &h, &e, (struct xp_path){A, 7}, 0, &rx);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    e.eec = r->qp[B]; /* a QP is no context */
    xp_recv(r->loop->end[B].core, &h, &e, (struct xp_path){A, 7}, 0, &rx);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    xp_recv(r->loop->end[B].core, &h, 0, (struct xp_path){A, 7}, 0, &rx);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    h.opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY); /* nor do RC packets reach RD QPs or contexts */
    xp_recv(r->loop->end[B].core, &h, 0, (struct xp_path){A, 7}, 0, &rx);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    h.dest_qp = r->eec[B];
    xp_recv(r->loop->end[B].core, &h, 0, (struct xp_path){A, 7}, 0, &rx);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    rig_run(r);
    TEXT_IS(rd_packets(r), "");
    rig_free(r);
}

/* An acknowledgement for a QP whose message it cannot be changes nothing. */
static void eec_answer_for_another_qp_is_dropped(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD);
    struct xp_rx rx;
    rd_send(r, 1, 0, 0, 16);
    loop_run_until(r->loop, 100 * TM_NS);
    struct wire_hdr h = rig_answer(r, aeth_syndrome(AETH_ACK, AETH_CREDIT_NONE), 100, 1);
    struct wire_ext e = {.eec = r->eec[A]};
    h.opcode = wire_opcode(WIRE_RD, OP_ACKNOWLEDGE);
    h.dest_qp = p;
    xp_recv(r->loop->end[A].core, &h, &e, (struct xp_path){B, 7}, r->loop->now, &rx);
    INT_IS(rx.verdict, V_ANSWER_ASTRAY);
    TEXT_IS(rig_wcs(r, A), "");
    h.dest_qp = r->qp[A];
    xp_recv(r->loop->end[A].core, &h, &e, (struct xp_path){B, 7}, r->loop->now, &rx);
    INT_IS(rx.verdict, V_ANSWER);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static const struct test tests[] = {
    TEST(eec_qps_and_contexts_want_a_domain_and_no_srq),
    TEST(eec_nothing_can_be_posted_to_a_context),
    TEST(eec_steps_of_qp_and_context_share_the_attributes),
    TEST(eec_in_sqd_takes_no_further_message),
    TEST(eec_qp_in_sqd_ends_what_is_out_and_begins_nothing),
    TEST(eec_qp_in_sqd_leaves_the_line),
    TEST(eec_qp_that_leaves_its_message_is_followed_by_resync),
    TEST(eec_qp_that_leaves_before_a_packet_went_out_needs_no_resync),
    TEST(eec_that_leaves_fails_what_it_carries),
    TEST(eec_destroyed_with_a_full_cq_ends_the_qps),
    TEST(eec_receiver_in_err_flushes_what_it_had_half_received),
    TEST(eec_receiver_in_reset_loses_what_it_had_half_received),
    TEST(eec_receiver_beside_one_that_leaves_is_unharmed),
    TEST(eec_at_the_receiver_gives_half_messages_back),
    TEST(eec_message_that_begins_again_keeps_its_receive),
    TEST(eec_resync_ahead_sets_the_expected_number),
    TEST(eec_resync_for_a_qp_that_is_gone_is_acknowledged),
    TEST(eec_message_that_changes_its_qp_is_refused),
    TEST(eec_packet_that_names_no_context_is_dropped),
    TEST(eec_answer_for_another_qp_is_dropped),
    TESTS_END};
const struct suite suite_eec = {"eec", tests};

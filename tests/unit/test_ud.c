/*
 * UD: destinations by request, Q_Keys, the 40 bytes in front, silent drops, multicast groups (IBA
 * 9.8.3, 10.2.5, 10.5).
 */
#include "tests/unit/rig.h"

#include <string.h>

#include "sim/base/check.h"

static struct rig_spec spec_ud(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_UD;
    s.profile.port_mtu = 256;
    return s;
}

static void send_to(struct rig *r, uint64_t id, uint32_t len, uint32_t qpn, uint32_t qkey)
{
    struct xp_send_wr wr =
        rig_wr(r, A, (struct rig_op){.id = id, .op = XP_WR_SEND, .len = len, .src = 0});
    wr.remote_qpn = qpn;
    wr.remote_qkey = qkey;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
}

static void ud_datagram_lies_behind_forty_bytes(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    struct xp_wc wc;
    CHECK(rig_recv(r, 11, 0, 296) == XP_OK);
    rig_sends(r, 1, 1, 256);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+256");
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(xp_poll_cq(r->loop->end[B].core, r->rcq[B], &wc, 1), 1);
    INT_IS(wc.byte_len, 296);
    INT_IS(wc.src_qp, r->qp[A]);
    INT_IS(wc.flags, XP_WC_GRH);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 40, 256));
    CU_ASSERT_TRUE(rig_untouched(r, 0, 40));
    rig_free(r);
}

static void ud_immediate_and_no_bytes_count_forty(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    CHECK(rig_recv(r, 11, 0, 40) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND_IMM, .imm = 9}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY_IMM.100+0#9");
    TEXT_IS(rig_rcs(r, B), "11:0/40#9");
    rig_free(r);
}

/* None of them takes the receive: the next good datagram does. */
static void ud_what_does_not_fit_leaves_the_receive(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    CHECK(rig_recv(r, 11, 0, 139) == XP_OK);
    send_to(r, 1, 16, r->qp[B] + 1, RIG_QKEY);
    send_to(r, 2, 16, r->qp[B], RIG_QKEY + 1);
    send_to(r, 3, 100, r->qp[B], RIG_QKEY);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(xp_counts(r->loop->end[B].core)->bad_qkey, 1);
    send_to(r, 4, 99, r->qp[B], RIG_QKEY);
    send_to(r, 5, 1, r->qp[B], RIG_QKEY);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/139");
    INT_IS(xp_counts(r->loop->end[B].core)->no_recv, 1);
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void ud_qkey_with_the_high_bit_means_the_qps_own(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    CHECK(rig_recv(r, 11, 0, 139) == XP_OK);
    send_to(r, 1, 16, r->qp[B], 0x80000001);
    rig_run(r);
    INT_IS(r->loop->record[0].e.qkey, RIG_QKEY);
    TEXT_IS(rig_rcs(r, B), "11:0/56");
    send_to(r, 2, 16, r->qp[B], 0x40000001); /* the bit below means nothing */
    rig_run(r);
    INT_IS(r->loop->record[1].e.qkey, 0x40000001);
    rig_free(r);
}

static void ud_copy_is_delivered_again(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 3, 100);
    loop_script(r->loop, (struct loop_fault){.from = A, .to = B, .nth = 0, .action = LOOP_DUP});
    rig_sends(r, 1, 2, 8);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/48 12:0/48 13:0/48");
    rig_free(r);
}

/* By name of the policy or row: success without a packet, an error, or a refusal. */
static void ud_datagram_over_the_mtu_goes_three_ways(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 1024);
    rig_sends(r, 1, 1, 257);
    rig_sends(r, 2, 1, 256);
    rig_run(r);
    /* The long one leaves its number behind. */
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.101+256");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/296");
    rig_free(r);

    const char *row = "ud.local_length: fail status=LOC_LEN_ERR", *why;
    CHECK(xp_override_parse(&row, &s.profile.override[0], &why));
    s.profile.overrides = 1;
    r = rig_new(&s);
    rig_sends(r, 1, 1, 257);
    rig_sends(r, 2, 1, 256);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:1 2:5");
    INT_IS(rig_state_of(r, A), XP_SQE);
    rig_free(r);

    s.profile.policy[XP_P_LONG_DATAGRAM] = XP_LONG_DATAGRAM_REFUSED;
    r = rig_new(&s);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 257}), XP_EINVAL);
    rig_free(r);
}

static void ud_failing_send_stops_the_send_queue_alone(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 8});
    wr.sge.lkey = 77;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
    rig_run(r);
    INT_IS(rig_state_of(r, A), XP_SQE);
    rig_sends(r, 2, 1, 8);
    TEXT_IS(rig_wcs(r, A), "1:4 2:5");
    INT_IS(rig_state(r, A, XP_RTS), XP_OK);
    CHECK(rig_recv(r, 11, 0, 100) == XP_OK);
    rig_sends(r, 3, 1, 8);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/48");
    rig_free(r);
}

static void ud_offers_sends_alone(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    for (int op = XP_WR_WRITE; op <= XP_WR_FETCH_ADD; op++)
        INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = (enum xp_wr_op)op, .len = 8}),
               XP_EOPNOTSUPP);
    rig_free(r);
}

static void send_group(struct rig *r, int from, uint64_t id, uint16_t group)
{
    struct xp_send_wr wr = rig_wr(r, from, (struct rig_op){.id = id, .op = XP_WR_SEND, .len = 8});
    wr.path.host = group;
    wr.remote_qpn = XP_MULTICAST_QPN;
    CHECK(xp_post_send(r->loop->end[from].core, r->qp[from], &wr, r->loop->now) == XP_OK);
}

static void ud_multicast_reaches_each_member_once(void)
{
    struct rig_spec s = spec_ud();
    struct rig *r = rig_new(&s);
    struct xp *a = r->loop->end[A].core, *b = r->loop->end[B].core;
    struct xp_recv_wr at_a = {.wr_id = 21, .sge = {RIG_BASE + 4096, 100, r->key[A]}};
    rig_recvs(r, 11, 3, 100);
    CHECK(xp_post_recv(a, r->qp[A], &at_a, r->loop->now) == XP_OK);
    INT_IS(xp_mcast_attach(b, r->qp[B], XP_GROUP_FIRST + 3), XP_OK);
    INT_IS(xp_mcast_attach(b, r->qp[B], XP_GROUP_FIRST + 3), XP_EINVAL);
    INT_IS(xp_mcast_attach(b, r->qp[B], 7), XP_EINVAL);
    send_group(r, A, 1, XP_GROUP_FIRST + 3);
    send_group(r, A, 2, XP_GROUP_FIRST + 4);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/48");
    TEXT_IS(rig_rcs(r, A), "");
    /* the sender too, once it is a member; its ACK is none */
    INT_IS(xp_mcast_attach(a, r->qp[A], XP_GROUP_FIRST + 3), XP_OK);
    send_group(r, A, 3, XP_GROUP_FIRST + 3);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "12:0/48");
    TEXT_IS(rig_rcs(r, A), "21:0/48");
    INT_IS(xp_mcast_detach(b, r->qp[B], XP_GROUP_FIRST + 3), XP_OK);
    INT_IS(xp_mcast_detach(b, r->qp[B], XP_GROUP_FIRST + 3), XP_EINVAL);
    send_group(r, A, 4, XP_GROUP_FIRST + 3);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "");
    rig_free(r);
}

/* ---- further rows of the table ----------------------------------------------------------------- */

static struct rig *rig_ud(void)
{
    struct rig_spec s = spec_ud();
    s.profile.port_mtu = 4096;
    return rig_new(&s);
}

/* A datagram from A's QP arrives with the right Q_Key. */
static struct xp_rx arrive(struct rig *r, int to, struct wire_hdr h)
{
    struct wire_ext e = {.qkey = RIG_QKEY, .src_qp = r->qp[A]};
    struct xp_rx rx;
    h.opcode = wire_opcode(WIRE_UD, wire_op_of(h.opcode));
    h.dest_qp = r->qp[to];
    xp_recv(r->loop->end[to].core, &h, &e, (struct xp_path){A, 7}, r->loop->now, &rx);
    return rx;
}

static void ud_without_a_grh_the_room_stays_and_the_flag_goes(void)
{
    struct rig_spec s = spec_ud();
    struct xp_wc wc;
    s.profile.grh = false;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 400);
    rig_sends(r, 1, 1, 5);
    rig_run(r);
    INT_IS(xp_poll_cq(r->loop->end[B].core, r->rcq[B], &wc, 1), 1);
    INT_IS(wc.byte_len, 45);
    INT_IS(wc.flags, 0);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 40, 5));
    rig_free(r);
}

static void ud_rx_tells_the_bytes_of_the_message(void)
{
    struct rig *r = rig_ud();
    rig_recvs(r, 11, 1, 400);
    struct xp_rx rx = arrive(r, B, rig_request(r, OP_SEND_ONLY, 9, 100));
    INT_IS(rx.verdict, V_ACCEPT);
    CU_ASSERT_TRUE(rx.message_done);
    INT_IS(rx.message_bytes, 100);
    INT_IS(rx.seg.addr, RIG_BASE + 40);
    INT_IS(rx.seg.len, 100);
    rig_free(r);
}

static void ud_port_mtu_is_no_matter_of_the_path(void)
{
    struct rig_spec s = spec_ud();
    s.profile.port_mtu = 1024; /* the rig's path MTU is 256 */
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 2000);
    rig_sends(r, 1, 1, 1024);
    rig_sends(r, 2, 1, 1025);
    rig_sends(r, 3, 1, 7);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+1024 SEND_ONLY.102+7");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/1064 12:0/47");
    rig_free(r);
}

static void ud_port_without_datagrams_has_no_such_qp(void)
{
    struct rig_spec s = rig_spec();
    s.profile.port_mtu = 0;
    struct rig *r = rig_new(&s); /* RC is not concerned */
    struct xp_qp_init init = {
        .service = XP_UD, .pd = RIG_PD, .send_cq = r->scq[A], .recv_cq = r->rcq[A]};
    uint32_t qpn;
    INT_IS(xp_qp_create(r->loop->end[A].core, &init, &qpn), XP_EINVAL);
    rig_free(r);
}

static void ud_unsignalled_oversize_completes_not_at_all(void)
{
    struct rig *r = rig_ud();
    CHECK(rig_post(r, (struct rig_op){
                          .id = 1, .op = XP_WR_SEND, .len = 4097, .unsignalled = true}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "");
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    INT_IS(rig_query(r, A).sends_waiting, 0);
    rig_free(r);
}

static void ud_each_request_has_its_own_destination(void)
{
    struct rig *r = rig_ud();
    struct xp *x = r->loop->end[B].core;
    struct xp_qp_init init = {.service = XP_UD,
                              .pd = RIG_PD,
                              .send_cq = r->scq[B],
                              .recv_cq = r->rcq[B],
                              .sq_depth = 4,
                              .rq_depth = 4};
    uint32_t first = r->qp[B], second;
    CHECK(xp_qp_create(x, &init, &second) == XP_OK);
    r->qp[B] = second;
    rig_connect(r, B, XP_RTS);
    rig_recv(r, 21, 1000, 100);
    send_to(r, 2, 9, second, RIG_QKEY);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "21:0/49");
    CHECK(xp_qp_destroy(x, second, r->loop->now) == XP_OK);
    r->qp[B] = first;
    rig_recv(r, 11, 0, 100);
    send_to(r, 1, 8, first, RIG_QKEY);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 3, .op = XP_WR_SEND, .len = 8});
    wr.path.host = A; /* and to itself */
    wr.remote_qpn = r->qp[A];
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
    struct xp_recv_wr own = {.wr_id = 31, .sge = {RIG_BASE + 50000, 100, r->key[A]}};
    CHECK(xp_post_recv(r->loop->end[A].core, r->qp[A], &own, r->loop->now) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/48");
    TEXT_IS(rig_rcs(r, A), "31:0/48");
    rig_free(r);
}

static void break_qkey(struct wire_hdr *h, struct wire_ext *e) { e->qkey ^= 1; }
static void break_pkey(struct wire_hdr *h, struct wire_ext *e) { h->pkey ^= 1; }
static void break_tver(struct wire_hdr *h, struct wire_ext *e) { h->tver = 1; }
static void break_qpn(struct wire_hdr *h, struct wire_ext *e) { h->dest_qp += 1; }
static void make_rc(struct wire_hdr *h, struct wire_ext *e)
{
    h->opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY);
}
static void make_long(struct wire_hdr *h, struct wire_ext *e) { h->payload_bytes = 4098; }

static void ud_what_does_not_fit_is_dropped_and_takes_no_receive(void)
{
    static const struct {
        const char *what;
        void (*rewrite)(struct wire_hdr *h, struct wire_ext *e);
        enum xp_verdict verdict;
        uint64_t pkeys, qkeys;
    } rows[] = {{"q_key", break_qkey, V_BAD_QKEY, 0, 1},
                {"p_key", break_pkey, V_BAD_PKEY, 1, 0},
                {"tver", break_tver, V_BAD_TVER, 0, 0},
                {"qpn", break_qpn, V_UNKNOWN_QP, 0, 0},
                {"transport", make_rc, V_WRONG_SERVICE, 0, 0},
                {"over the MTU", make_long, V_BAD_LENGTH, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = rig_ud();
        struct loop_fault f = {
            .from = A, .to = B, .nth = 0, .action = LOOP_REWRITE, .rewrite = rows[i].rewrite};
        loop_script(r->loop, f);
        rig_recvs(r, 11, 1, 5000);
        rig_sends(r, 1, 1, 30);
        rig_run(r);
        const struct xp_counts *n = xp_counts(r->loop->end[B].core);
        ROW_INT(rows[i].what, r->loop->end[B].rx.verdict, rows[i].verdict);
        ROW_INT(rows[i].what, n->dropped, 1);
        ROW_INT(rows[i].what, n->bad_pkey, rows[i].pkeys);
        ROW_INT(rows[i].what, n->bad_qkey, rows[i].qkeys);
        ROW_TEXT(rows[i].what, rig_wcs(r, A), "1:0");
        ROW_TEXT(rows[i].what, rig_rcs(r, B), "");
        ROW_INT(rows[i].what, rig_state_of(r, B), XP_RTS);
        rig_sends(r, 2, 1, 30); /* the next good one takes it */
        rig_run(r);
        ROW_TEXT(rows[i].what, rig_rcs(r, B), "11:0/70");
        rig_free(r);
    }
}

static void ud_receive_too_small_stays_for_the_next(void)
{
    static const struct {
        uint32_t room, len;
        const char *received;
    } rows[] = {{139, 100, ""}, {140, 100, "11:0/140"}, {39, 0, ""}, {40, 0, "11:0/40"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = rig_ud();
        rig_recvs(r, 11, 1, rows[i].room);
        rig_sends(r, 1, 1, rows[i].len);
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), "1:0");
        TEXT_IS(rig_rcs(r, B), rows[i].received);
        INT_IS(rig_query(r, B).recvs_waiting, rows[i].received[0] ? 0 : 1);
        CU_ASSERT_TRUE(rig_untouched(r, 0, 40));
        INT_IS(rig_state_of(r, B), XP_RTS);
        rig_free(r);
    }
}

static void ud_bad_lkey_in_the_receive_is_a_local_fault(void)
{
    struct rig *r = rig_ud();
    rig_recvs(r, 11, 2, 140);
    CHECK(xp_mr_remove(r->loop->end[B].core, r->key[B]) == XP_OK);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:4 12:5");
    INT_IS(rig_state_of(r, B), XP_ERR);
    rig_free(r);
}

static void ud_any_psn_is_delivered(void)
{
    static const uint32_t psns[] = {100, 100, 7, 0xffffff, 0x800000};
    struct rig *r = rig_ud();
    rig_recvs(r, 11, 5, 60);
    for (size_t i = 0; i < 5; i++)
        INT_IS(arrive(r, B, rig_request(r, OP_SEND_ONLY, psns[i], 20)).verdict, V_ACCEPT);
    TEXT_IS(rig_rcs(r, B), "11:0/60 12:0/60 13:0/60 14:0/60 15:0/60");
    INT_IS(xp_counts(r->loop->end[B].core)->duplicates, 0);
    rig_free(r);
}

static void ud_other_opcodes_are_dropped(void)
{
    struct rig *r = rig_ud();
    rig_recvs(r, 11, 1, 400);
    for (int op = 0; op < OP_COUNT; op++) {
        if (op == OP_SEND_ONLY || op == OP_SEND_ONLY_IMM)
            continue;
        struct xp_rx rx = arrive(r, B, rig_request(r, (enum wire_op)op, 100, 0));
        INT_IS(rx.deed, XP_NOTHING);
        CU_ASSERT_TRUE(rx.verdict == V_BAD_OPCODE || wire_op_table[op].response);
    }
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void ud_receives_go_on_in_sqe_and_psns_after_it(void)
{
    struct rig *r = rig_ud();
    struct xp *x = r->loop->end[A].core;
    struct xp_recv_wr own = {.wr_id = 31, .sge = {RIG_BASE, 100, r->key[A]}};
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 100});
    rig_sends(r, 1, 1, 100);
    wr.sge.lkey ^= 0x100;
    CHECK(xp_post_send(x, r->qp[A], &wr, 0) == XP_OK);
    rig_sends(r, 3, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:4 3:5");
    CHECK(xp_post_recv(x, r->qp[A], &own, r->loop->now) == XP_OK);
    INT_IS(arrive(r, A, rig_request(r, OP_SEND_ONLY, 1, 10)).verdict, V_ACCEPT);
    TEXT_IS(rig_rcs(r, A), "31:0/50");
    struct xp_qp_attr attr = {.state = XP_RTS, .cur_state = XP_SQE, .qkey = RIG_QKEY};
    INT_IS(xp_qp_modify(x, r->qp[A], &attr, XP_A_STATE | XP_A_CUR_STATE | XP_A_QKEY, r->loop->now),
           XP_OK);
    rig_packets(r, SHOW_ALL);
    rig_sends(r, 5, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.101+100");
    rig_free(r);
}

static void ud_changed_qkey_counts_from_then_on(void)
{
    struct rig *r = rig_ud();
    struct xp_qp_attr attr = {.state = XP_RTS, .qkey = 99};
    rig_recvs(r, 11, 2, 60);
    CHECK(xp_qp_modify(r->loop->end[B].core, r->qp[B], &attr, XP_A_QKEY, 0) == XP_OK);
    INT_IS(arrive(r, B, rig_request(r, OP_SEND_ONLY, 100, 20)).verdict, V_BAD_QKEY);
    attr.qkey = RIG_QKEY;
    CHECK(xp_qp_modify(r->loop->end[B].core, r->qp[B], &attr, XP_A_QKEY, 0) == XP_OK);
    INT_IS(arrive(r, B, rig_request(r, OP_SEND_ONLY, 100, 20)).verdict, V_ACCEPT);
    rig_free(r);
}

static void ud_digest_tells_address_and_group(void)
{
    struct rig *r = rig_ud();
    struct xp *x = r->loop->end[A].core, *b = r->loop->end[B].core;
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 20});
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    struct rig *same = rig_clone(r), *other = rig_clone(r);
    CHECK(xp_post_send(same->loop->end[A].core, same->qp[A], &wr, 0) == XP_OK);
    wr.remote_qkey++;
    CHECK(xp_post_send(other->loop->end[A].core, other->qp[A], &wr, 0) == XP_OK);
    wr.remote_qkey--;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    INT_IS(xp_digest(x, 0) == xp_digest(same->loop->end[A].core, 0), true);
    INT_IS(xp_digest(x, 0) == xp_digest(other->loop->end[A].core, 0), false);
    uint64_t before = xp_digest(b, 0);
    CHECK(xp_mcast_attach(b, r->qp[B], XP_GROUP_FIRST) == XP_OK);
    INT_IS(xp_digest(b, 0) == before, false);
    CHECK(xp_mcast_detach(b, r->qp[B], XP_GROUP_FIRST) == XP_OK);
    INT_IS(xp_digest(b, 0) == before, true);
    rig_free(r);
    rig_free(same);
    rig_free(other);
}

static void ud_destroyed_qp_leaves_its_groups(void)
{
    struct rig *r = rig_ud();
    struct xp *b = r->loop->end[B].core;
    uint32_t cursor = 0, qpn = 0;
    CHECK(xp_mcast_attach(b, r->qp[B], XP_GROUP_FIRST) == XP_OK);
    CHECK(xp_mcast_attach(b, r->qp[B], XP_GROUP_FIRST + 1) == XP_OK);
    CU_ASSERT_TRUE(xp_mcast_next(b, XP_GROUP_FIRST + 1, &cursor, &qpn));
    INT_IS(qpn, r->qp[B]);
    struct xp_qp_init init = {.service = XP_UD,
                              .pd = RIG_PD,
                              .send_cq = r->scq[B],
                              .recv_cq = r->rcq[B],
                              .sq_depth = 4,
                              .rq_depth = 4};
    CHECK(xp_qp_destroy(b, r->qp[B], 0) == XP_OK);
    CHECK(xp_qp_create(b, &init, &r->qp[B]) == XP_OK);
    cursor = 0;
    CU_ASSERT_FALSE(xp_mcast_next(b, XP_GROUP_FIRST, &cursor, &qpn));
    cursor = 0;
    CU_ASSERT_FALSE(xp_mcast_next(b, XP_GROUP_FIRST + 1, &cursor, &qpn));
    rig_free(r);
}

static const struct test tests[] = {TEST(ud_datagram_lies_behind_forty_bytes),
                                    TEST(ud_immediate_and_no_bytes_count_forty),
                                    TEST(ud_what_does_not_fit_leaves_the_receive),
                                    TEST(ud_qkey_with_the_high_bit_means_the_qps_own),
                                    TEST(ud_copy_is_delivered_again),
                                    TEST(ud_datagram_over_the_mtu_goes_three_ways),
                                    TEST(ud_failing_send_stops_the_send_queue_alone),
                                    TEST(ud_offers_sends_alone),
                                    TEST(ud_multicast_reaches_each_member_once),
                                    TEST(ud_without_a_grh_the_room_stays_and_the_flag_goes),
                                    TEST(ud_rx_tells_the_bytes_of_the_message),
                                    TEST(ud_port_mtu_is_no_matter_of_the_path),
                                    TEST(ud_port_without_datagrams_has_no_such_qp),
                                    TEST(ud_unsignalled_oversize_completes_not_at_all),
                                    TEST(ud_each_request_has_its_own_destination),
                                    TEST(ud_what_does_not_fit_is_dropped_and_takes_no_receive),
                                    TEST(ud_receive_too_small_stays_for_the_next),
                                    TEST(ud_bad_lkey_in_the_receive_is_a_local_fault),
                                    TEST(ud_any_psn_is_delivered),
                                    TEST(ud_other_opcodes_are_dropped),
                                    TEST(ud_receives_go_on_in_sqe_and_psns_after_it),
                                    TEST(ud_changed_qkey_counts_from_then_on),
                                    TEST(ud_digest_tells_address_and_group),
                                    TEST(ud_destroyed_qp_leaves_its_groups),
                                    TESTS_END};
const struct suite suite_ud = {"ud", tests};

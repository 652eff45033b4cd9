/*
 * UD: one packet, an address in each request, silence about everything that does not fit.  Each row
 * of ib-transport "UD" and of what a verbs user sees of it.
 */
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

static struct rig *rig_ud(void)
{
    struct rig_spec s = rig_spec_ud();
    return rig_new(&s);
}

static struct rig *rig_oversize(enum xp_policy_ud_oversize how, uint16_t port_mtu)
{
    struct rig_spec s = rig_spec_ud();
    s.profile.policy[XP_P_UD_OVERSIZE] = (uint8_t)how;
    s.profile.port_mtu = port_mtu;
    return rig_new(&s);
}

static struct xp_send_wr ud_wr(struct rig *r, uint64_t id, uint32_t len)
{
    return rig_wr(r, A, (struct rig_op){.id = id, .op = XP_WR_SEND, .len = len});
}

static int post(struct rig *r, const struct xp_send_wr *wr)
{
    return xp_post_send(r->loop->end[A].core, r->qp[A], wr, r->loop->now);
}

static void ud_send_lands_behind_the_room_for_a_grh(void)
{
    struct rig *r = rig_ud();
    struct xp_wc wc[2];
    rig_recvs(r, 11, 2, 400);
    rig_sends(r, 1, 1, 300);
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 2, .op = XP_WR_SEND_IMM, .len = 0, .imm = 77, .solicited = true}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_ACKREQ), "SEND_ONLY.100+300 SEND_ONLY_IMM.101+0s#77");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    INT_IS(xp_poll_cq(r->loop->end[B].core, r->rcq[B], wc, 2), 2);
    INT_IS(wc[0].wr_id, 11);
    INT_IS(wc[0].byte_len, 340);
    INT_IS(wc[0].src_qp, r->qp[A]);
    INT_IS(wc[0].flags, XP_WC_GRH);
    INT_IS(wc[1].byte_len, 40);
    INT_IS(wc[1].imm, 77);
    INT_IS(wc[1].flags, XP_WC_GRH | XP_WC_WITH_IMM);
    CU_ASSERT_TRUE(rig_untouched(r, 0, 40));
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 40, 300));
    CU_ASSERT_TRUE(rig_untouched(r, 340, 460));
    INT_IS(xp_deadline(r->loop->end[A].core), TM_NEVER);
    rig_free(r);
}

static void ud_without_a_grh_the_room_stays_and_the_flag_goes(void)
{
    struct rig_spec s = rig_spec_ud();
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
    struct xp_rx rx = rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 9, 100));
    INT_IS(rx.verdict, V_ACCEPT);
    CU_ASSERT_TRUE(rx.message_done);
    INT_IS(rx.message_bytes, 100);
    INT_IS(rx.seg.addr, RIG_BASE + 40);
    INT_IS(rx.seg.len, 100);
    rig_free(r);
}

/* ---- the port's MTU -------------------------------------------------------------------------- */

static void ud_port_mtu_is_the_longest_datagram(void)
{
    struct rig *r = rig_oversize(XP_UD_OVERSIZE_SUCCESS, 1024);
    rig_recvs(r, 11, 2, 2000);
    rig_sends(r, 1, 1, 1024); /* the rig's path MTU is 256 */
    rig_sends(r, 2, 1, 1025);
    rig_sends(r, 3, 1, 7);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+1024 SEND_ONLY.101+7");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/1064 12:0/47");
    INT_IS(rig_state_of(r, A), XP_RTS);
    rig_free(r);
}

static void ud_oversize_may_complete_in_error_instead(void)
{
    struct rig *r = rig_oversize(XP_UD_OVERSIZE_LOC_LEN, 4096);
    rig_sends(r, 1, 1, 10);
    rig_sends(r, 2, 1, 4097);
    rig_sends(r, 3, 1, 10);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:1 3:5");
    INT_IS(rig_state_of(r, A), XP_SQE);
    rig_free(r);
}

static void ud_oversize_may_be_refused_when_posted(void)
{
    struct rig *r = rig_oversize(XP_UD_OVERSIZE_EINVAL, 4096);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 4097}), XP_EINVAL);
    INT_IS(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 4096}), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:0");
    rig_free(r);
}

static void ud_unsignalled_oversize_completes_not_at_all(void)
{
    struct rig *r = rig_oversize(XP_UD_OVERSIZE_SUCCESS, 256);
    CHECK(rig_post(r, (struct rig_op){
                          .id = 1, .op = XP_WR_SEND, .len = 257, .unsignalled = true}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "");
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    INT_IS(rig_query(r, A).sends_waiting, 0);
    rig_free(r);
}

/* ---- addresses and keys ---------------------------------------------------------------------- */

static void ud_high_bit_sends_the_qkey_of_the_qp(void)
{
    static const struct {
        uint32_t wr, sent;
    } rows[] = {{0x1234, 0x1234},
                {0x7fffffff, 0x7fffffff},
                {0x80000000, RIG_QKEY},
                {0xffffffff, RIG_QKEY},
                {0x80010000, RIG_QKEY}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = rig_ud();
        struct xp_send_wr wr = ud_wr(r, 1, 4);
        wr.remote_qkey = rows[i].wr;
        CHECK(post(r, &wr) == XP_OK);
        rig_run(r);
        INT_IS(r->loop->records, 1);
        INT_IS(r->loop->record[0].e.qkey, rows[i].sent);
        INT_IS(r->loop->record[0].e.src_qp, r->qp[A]);
        INT_IS(wire_prefix_of(r->loop->record[0].h.opcode), WIRE_UD);
        rig_free(r);
    }
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
    struct xp_send_wr wr = ud_wr(r, 2, 9);
    CHECK(post(r, &wr) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "21:0/49");
    CHECK(xp_qp_destroy(x, second, r->loop->now) == XP_OK);
    r->qp[B] = first;
    rig_recv(r, 11, 0, 100);
    wr = ud_wr(r, 1, 8);
    CHECK(post(r, &wr) == XP_OK);
    wr = ud_wr(r, 3, 8);
    wr.path.host = A; /* and to itself */
    wr.remote_qpn = r->qp[A];
    CHECK(post(r, &wr) == XP_OK);
    struct xp_recv_wr own = {31, {RIG_BASE + 50000, 100, r->key[A]}};
    CHECK(xp_post_recv(r->loop->end[A].core, r->qp[A], &own, r->loop->now) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/48");
    TEXT_IS(rig_rcs(r, A), "31:0/48");
    rig_free(r);
}

/* ---- what does not fit ----------------------------------------------------------------------- */

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
        ROW_INT(rows[i].what, n->pkey_violations, rows[i].pkeys);
        ROW_INT(rows[i].what, n->qkey_violations, rows[i].qkeys);
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

static void ud_no_receive_loses_the_message_and_is_counted(void)
{
    struct rig *r = rig_ud();
    struct xp_qp_counts n;
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    rig_recvs(r, 11, 1, 140);
    rig_sends(r, 2, 1, 50);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/90");
    xp_qp_counts(r->loop->end[B].core, r->qp[B], &n);
    INT_IS(n.out_of_buffer, 1);
    rig_free(r);
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

static void ud_duplicates_and_any_psn_are_delivered(void)
{
    static const uint32_t psns[] = {100, 100, 7, 0xffffff, 0x800000};
    struct rig *r = rig_ud();
    rig_recvs(r, 11, 5, 60);
    for (size_t i = 0; i < 5; i++)
        INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, psns[i], 20)).verdict, V_ACCEPT);
    TEXT_IS(rig_rcs(r, B), "11:0/60 12:0/60 13:0/60 14:0/60 15:0/60");
    INT_IS(xp_counts(r->loop->end[B].core)->duplicates, 0);
    rig_free(r);
}

static void ud_other_operations_are_refused_at_once(void)
{
    static const enum xp_wr_op ops[] = {XP_WR_WRITE,    XP_WR_WRITE_IMM, XP_WR_READ,
                                        XP_WR_CMP_SWAP, XP_WR_FETCH_ADD, XP_WR_SEND_INV};
    struct rig *r = rig_ud();
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = ops[i], .len = 8}), XP_EOPNOTSUPP);
    for (int op = 0; op < OP_COUNT; op++) {
        if (op == OP_SEND_ONLY || op == OP_SEND_ONLY_IMM)
            continue;
        struct xp_rx rx = rig_inject(r, B, rig_request(r, (enum wire_op)op, 100, 0));
        INT_IS(rx.deed, XP_NOTHING);
        CU_ASSERT_TRUE(rx.verdict == V_BAD_OPCODE || rx.verdict == V_ANSWER_STALE ||
                       rx.verdict == V_ANSWER_UNSENT);
    }
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

/* ---- states ---------------------------------------------------------------------------------- */

static void ud_failing_send_stops_the_send_queue_alone(void)
{
    struct rig *r = rig_ud();
    struct xp *x = r->loop->end[A].core;
    struct xp_send_wr wr = ud_wr(r, 2, 100);
    rig_sends(r, 1, 1, 100);
    wr.sge.lkey ^= 0x100;
    CHECK(post(r, &wr) == XP_OK);
    rig_sends(r, 3, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:4 3:5");
    INT_IS(rig_state_of(r, A), XP_SQE);
    rig_sends(r, 4, 1, 100);
    TEXT_IS(rig_wcs(r, A), "4:5");
    struct xp_recv_wr own = {31, {RIG_BASE, 100, r->key[A]}};
    CHECK(xp_post_recv(x, r->qp[A], &own, r->loop->now) == XP_OK);
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 1, 10);
    h.dest_qp = r->qp[A];
    INT_IS(rig_inject(r, A, h).verdict, V_ACCEPT);
    TEXT_IS(rig_rcs(r, A), "31:0/50");
    struct xp_qp_attr attr = {.state = XP_RTS, .cur_state = XP_SQE, .qkey = RIG_QKEY};
    INT_IS(xp_qp_modify(x, r->qp[A], &attr, XP_A_STATE | XP_A_CUR_STATE | XP_A_QKEY, r->loop->now),
           XP_OK);
    rig_packets(r, SHOW_ALL);
    rig_sends(r, 5, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "5:0");
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.101+100");
    rig_free(r);
}

static void ud_changed_qkey_counts_from_then_on(void)
{
    struct rig *r = rig_ud();
    struct xp_qp_attr attr = {.state = XP_RTS, .qkey = 99};
    rig_recvs(r, 11, 2, 60);
    CHECK(xp_qp_modify(r->loop->end[B].core, r->qp[B], &attr, XP_A_QKEY, 0) == XP_OK);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 20)).verdict, V_BAD_QKEY);
    attr.qkey = RIG_QKEY;
    CHECK(xp_qp_modify(r->loop->end[B].core, r->qp[B], &attr, XP_A_QKEY, 0) == XP_OK);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 20)).verdict, V_ACCEPT);
    rig_free(r);
}

/* ---- multicast ------------------------------------------------------------------------------- */

enum { GROUP = XP_GROUP_FIRST + 5 };

static void post_to_group(struct rig *r, uint64_t id)
{
    struct xp_send_wr wr = ud_wr(r, id, 20);
    wr.path.host = GROUP;
    wr.remote_qpn = XP_MCAST_QPN;
    CHECK(post(r, &wr) == XP_OK);
}

static void ud_multicast_reaches_each_attached_qp_the_senders_too(void)
{
    struct rig *r = rig_ud();
    struct xp *a = r->loop->end[A].core, *b = r->loop->end[B].core;
    struct xp_recv_wr own = {31, {RIG_BASE + 50000, 100, r->key[A]}};
    CHECK(xp_post_recv(a, r->qp[A], &own, 0) == XP_OK);
    rig_recvs(r, 11, 3, 60);
    post_to_group(r, 1); /* nobody is there */
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "");
    CHECK(xp_mcast_attach(b, r->qp[B], GROUP) == XP_OK);
    CHECK(xp_mcast_attach(b, r->qp[B], GROUP + 1) == XP_OK);
    post_to_group(r, 2);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/60");
    TEXT_IS(rig_rcs(r, A), "");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 40, 20));
    CHECK(xp_mcast_attach(a, r->qp[A], GROUP) == XP_OK);
    post_to_group(r, 3);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "12:0/60");
    TEXT_IS(rig_rcs(r, A), "31:0/60");
    CHECK(xp_mcast_detach(b, r->qp[B], GROUP) == XP_OK);
    post_to_group(r, 4);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0");
    rig_free(r);
}

static void ud_descriptor_is_complete(void)
{
    enum xp_service_id id;
    CU_ASSERT_TRUE(xp_service_parse("ud", &id));
    INT_IS(id, XP_UD);
    CU_ASSERT_FALSE(xp_service_is_connected(XP_UD));
    CU_ASSERT_TRUE(xp_service_offers(XP_UD, XP_WR_SEND));
    CU_ASSERT_FALSE(xp_service_offers(XP_UD, XP_WR_READ));
}

static void ud_digest_tells_address_and_source(void)
{
    struct rig *r = rig_ud();
    struct xp *x = r->loop->end[A].core, *b = r->loop->end[B].core;
    struct xp_send_wr wr = ud_wr(r, 1, 20);
    CHECK(post(r, &wr) == XP_OK);
    struct rig *same = rig_clone(r), *other = rig_clone(r);
    CHECK(post(same, &wr) == XP_OK);
    wr.remote_qkey++;
    CHECK(post(other, &wr) == XP_OK);
    wr.remote_qkey--;
    CHECK(post(r, &wr) == XP_OK);
    INT_IS(xp_digest(x, 0) == xp_digest(same->loop->end[A].core, 0), true);
    INT_IS(xp_digest(x, 0) == xp_digest(other->loop->end[A].core, 0), false);
    uint64_t before = xp_digest(b, 0);
    CHECK(xp_mcast_attach(b, r->qp[B], GROUP) == XP_OK);
    INT_IS(xp_digest(b, 0) == before, false);
    CHECK(xp_mcast_detach(b, r->qp[B], GROUP) == XP_OK);
    INT_IS(xp_digest(b, 0) == before, true);
    rig_free(r);
    rig_free(same);
    rig_free(other);
}

static const struct test tests[] = {TEST(ud_send_lands_behind_the_room_for_a_grh),
                                    TEST(ud_without_a_grh_the_room_stays_and_the_flag_goes),
                                    TEST(ud_rx_tells_the_bytes_of_the_message),
                                    TEST(ud_port_mtu_is_the_longest_datagram),
                                    TEST(ud_oversize_may_complete_in_error_instead),
                                    TEST(ud_oversize_may_be_refused_when_posted),
                                    TEST(ud_unsignalled_oversize_completes_not_at_all),
                                    TEST(ud_high_bit_sends_the_qkey_of_the_qp),
                                    TEST(ud_each_request_has_its_own_destination),
                                    TEST(ud_what_does_not_fit_is_dropped_and_takes_no_receive),
                                    TEST(ud_receive_too_small_stays_for_the_next),
                                    TEST(ud_no_receive_loses_the_message_and_is_counted),
                                    TEST(ud_bad_lkey_in_the_receive_is_a_local_fault),
                                    TEST(ud_duplicates_and_any_psn_are_delivered),
                                    TEST(ud_other_operations_are_refused_at_once),
                                    TEST(ud_failing_send_stops_the_send_queue_alone),
                                    TEST(ud_changed_qkey_counts_from_then_on),
                                    TEST(ud_multicast_reaches_each_attached_qp_the_senders_too),
                                    TEST(ud_descriptor_is_complete),
                                    TEST(ud_digest_tells_address_and_source),
                                    TESTS_END};
const struct suite suite_ud = {"ud", tests};

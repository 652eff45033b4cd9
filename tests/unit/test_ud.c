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
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+256");
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

static const struct test tests[] = {TEST(ud_datagram_lies_behind_forty_bytes),
                                    TEST(ud_immediate_and_no_bytes_count_forty),
                                    TEST(ud_what_does_not_fit_leaves_the_receive),
                                    TEST(ud_qkey_with_the_high_bit_means_the_qps_own),
                                    TEST(ud_copy_is_delivered_again),
                                    TEST(ud_datagram_over_the_mtu_goes_three_ways),
                                    TEST(ud_failing_send_stops_the_send_queue_alone),
                                    TEST(ud_offers_sends_alone),
                                    TEST(ud_multicast_reaches_each_member_once),
                                    TESTS_END};
const struct suite suite_ud = {"ud", tests};

/* Reliable datagrams: QPs that send through EE contexts, where all goes well or is made good (IBA 9.7.8). */
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rd_scene.h"

static void rd_packets_name_both_qps_and_the_context(void)
{
    struct rig *r = rd_scene();
    uint32_t second = rig_more(r, B, XP_RD);
    rd_recv(r, second, 11, 1024);
    rd_send(r, 1, 0, second, 300);
    rig_run(r);
    INT_IS(r->loop->records, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct loop_record *p = &r->loop->record[i];
        INT_IS(wire_prefix_of(p->h.opcode), WIRE_RD);
        INT_IS(p->e.eec, r->eec[p->to]);
        INT_IS(p->h.dest_qp, p->response ? r->qp[A] : second);
        if (!p->response) {
            INT_IS(p->e.src_qp, r->qp[A]);
            INT_IS(p->e.qkey, RIG_QKEY);
        }
    }
    struct xp_wc wc;
    CHECK(xp_poll_cq(r->loop->end[B].core, r->rcq[B], &wc, 1) == 1);
    INT_IS(wc.wr_id, 11);
    INT_IS(wc.qpn, second);
    INT_IS(wc.src_qp, r->qp[A]);
    INT_IS(wc.byte_len, 300);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

/* The high bit of the request's Q_Key stands for the QP's own, as with datagrams. */
static void rd_qkey_with_its_high_bit_is_the_qps_own(void)
{
    struct rig *r = rd_scene();
    rig_recvs(r, 11, 1, 64);
    CHECK(rd_post(r, (struct rd_op){.qkey = 0x80000000,
                                    .op = {.id = 1, .op = XP_WR_SEND, .len = 16}}) == XP_OK);
    rig_run(r);
    INT_IS(r->loop->record[0].e.qkey, RIG_QKEY);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void post_one_of_each(struct rig *r)
{
    static const struct rig_op ops[] = {
        {.id = 1, .op = XP_WR_SEND, .len = 600},
        {.id = 2, .op = XP_WR_SEND_IMM, .len = 16, .imm = 7},
        {.id = 3, .op = XP_WR_WRITE, .len = 300, .dst = 8192},
        {.id = 4, .op = XP_WR_WRITE_IMM, .len = 100, .dst = 12288, .imm = 9},
        {.id = 5, .op = XP_WR_READ, .len = 600, .src = 16384, .dst = 8192},
        {.id = 6, .op = XP_WR_FETCH_ADD, .len = 8, .src = 20000, .dst = 64000, .swap_or_add = 5},
        {.id = 7,
         .op = XP_WR_CMP_SWAP,
         .len = 8,
         .src = 20008,
         .dst = 64000,
         .compare = 5,
         .swap_or_add = 77},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        CHECK(rd_post(r, (struct rd_op){.op = ops[i]}) == XP_OK);
}

static void rd_every_operation_arrives(void)
{
    struct rig *r = rd_scene();
    uint64_t value;
    rig_recvs(r, 11, 3, 1024);
    post_one_of_each(r);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_LAST.102+88 ack.102/1 "
            "SEND_ONLY_IMM.103+16#7 ack.103/2 "
            "WRITE_FIRST.104+256@8192:300 WRITE_LAST.105+44 ack.105/3 "
            "WRITE_ONLY_IMM.106+100#9@12288:100 ack.106/4 "
            "READ_REQUEST.107+0@8192:600 READ_RESP_FIRST.107+256/5 READ_RESP_MIDDLE.108+256 "
            "READ_RESP_LAST.109+88/5 "
            "FETCH_ADD.110+0 ATOMIC_ACK.110/6 CMP_SWAP.111+0 ATOMIC_ACK.111/7");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0 5:0 6:0 7:0");
    TEXT_IS(rig_rcs(r, B), "11:0/600 12:0/16#7 13:0/100#9");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 8192, 300));
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 8192, 600));
    memcpy(&value, r->loop->end[B].arena + RIG_BASE + 64000, 8);
    INT_IS(value, 77);
    memcpy(&value, r->loop->end[A].arena + RIG_BASE + 20008, 8);
    INT_IS(value, 5);
    rig_free(r);
}

/* Each direction has its own numbers: an answer under way does not stop the other end's request. */
static void rd_both_ends_send_through_one_pair_of_contexts(void)
{
    struct rig *r = rd_scene();
    struct xp_send_wr wr = rig_wr(r, B, (struct rig_op){.id = 21, .op = XP_WR_WRITE, .len = 300});
    rd_recv(r, r->qp[B], 11, 1024);
    rd_send(r, 1, 0, 0, 300);
    CHECK(xp_post_send(r->loop->end[B].core, r->qp[B], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rd_packets(r), "a:SEND_FIRST.100 a:SEND_LAST.101 b:WRITE_FIRST.5000 b:WRITE_LAST.5001 "
                           "a:ack.101 b:ack.5001");
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_wcs(r, B), "21:0");
    rig_free(r);
}

static void rd_one_message_is_outstanding_per_context(void)
{
    struct rig *r = rd_scene();
    rig_recvs(r, 11, 2, 64);
    rig_sends(r, 1, 2, 16);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 SEND_ONLY.100+16 1000000 ack.100/1 2000000 SEND_ONLY.101+16 3000000 ack.101/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

/* The newcomers do not wait for all of the first QP's requests, nor does that for all of theirs. */
static void rd_qps_of_a_context_are_served_in_turn(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD), q = rig_more(r, A, XP_RD);
    rig_recvs(r, 11, 8, 64);
    rig_sends(r, 1, 3, 16);
    rd_send(r, 4, p, 0, 16);
    rd_send(r, 5, p, 0, 16);
    rd_send(r, 6, q, 0, 16);
    rig_run(r);
    TEXT_IS(rd_packets(r),
            "a:SEND_ONLY.100 a:ack.100 0:SEND_ONLY.101 0:ack.101 1:SEND_ONLY.102 1:ack.102 "
            "a:SEND_ONLY.103 a:ack.103 0:SEND_ONLY.104 0:ack.104 a:SEND_ONLY.105 a:ack.105");
    TEXT_IS(rig_wcs(r, A), "1:0 4:0@0 6:0@1 2:0 5:0@0 3:0");
    rig_free(r);
}

/* Through another context the next request could go at once; the queue completes in order, though. */
static void rd_qp_with_two_contexts_sends_one_message_at_a_time(void)
{
    struct rig *r = rd_scene();
    uint32_t own = rig_more(r, A, XP_EEC), other = rig_more(r, B, XP_EEC);
    rig_join(r, A, own, other);
    rig_join(r, B, other, own);
    rig_recvs(r, 11, 3, 64);
    loop_script(r->loop, (struct loop_fault){.from = A, .to = B, .nth = 0, .action = LOOP_DROP});
    rd_send(r, 1, 0, 0, 16);
    CHECK(rd_post(r, (struct rd_op){.eecn = own, .op = {.id = 2, .op = XP_WR_SEND, .len = 16}}) ==
          XP_OK);
    rd_send(r, 3, 0, 0, 16);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_ONLY.100+16x SEND_ONLY.100+16r ack.100/1 SEND_ONLY.100+16 "
            "ack.100/1 SEND_ONLY.101+16 ack.101/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

/* While one destination has no receive, the context carries the messages of other QPs. */
static void rd_rnr_of_one_destination_does_not_block_others(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD), full = rig_more(r, B, XP_RD);
    rd_recv(r, full, 21, 64);
    rd_recv(r, full, 22, 64);
    rd_send(r, 1, 0, 0, 16); /* B's own QP: no receive yet */
    rd_send(r, 2, 0, full, 16);
    rd_send(r, 3, p, full, 16);
    rig_run_for(r, 10 * TM_US);
    TEXT_IS(rig_wcs(r, A), "3:0@0");
    rig_recvs(r, 11, 1, 64);
    rig_run(r);
    TEXT_IS(rd_packets(r),
            "a:SEND_ONLY.100 a:rnr12.100 a:RESYNC.101 a:ack.101 0:SEND_ONLY.102 0:ack.102 "
            "a:SEND_ONLY.103 a:ack.103 a:SEND_ONLY.104 a:ack.104");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "21:0/16@0 11:0/16 22:0/16@0");
    rig_free(r);
}

/* The NAK comes with the last packet; the whole message goes again, under new numbers. */
static void rd_suspended_message_starts_from_its_beginning(void)
{
    struct rig *r = rd_scene();
    CHECK(rd_post(r,
                  (struct rd_op){
                      .op = {.id = 1, .op = XP_WR_WRITE_IMM, .len = 600, .dst = 4096, .imm = 3}}) ==
          XP_OK);
    rig_run_for(r, 20 * TM_US);
    rig_recvs(r, 11, 1, 64);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.100+256@4096:600 WRITE_MIDDLE.101+256 WRITE_LAST_IMM.102+88#3 rnr12.102/0 "
            "RESYNC.103+0 ack.103/0 WRITE_FIRST.104+256@4096:600 WRITE_MIDDLE.105+256 "
            "WRITE_LAST_IMM.106+88#3 ack.106/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/600#3");
    rig_free(r);
}

static void lose(struct rig *r, int from, uint64_t nth)
{
    loop_script(r->loop, (struct loop_fault){.from = (uint16_t)from,
                                             .to = (uint16_t)!from,
                                             .nth = nth,
                                             .action = LOOP_DROP});
}

static void rd_loss_of_any_packet_is_made_good(void)
{
    for (int from = A; from <= B; from++) {
        for (uint64_t nth = 0; nth < 9; nth++) {
            struct rig *r = rd_scene();
            uint64_t value;
            rig_recvs(r, 11, 3, 1024);
            lose(r, from, nth);
            post_one_of_each(r);
            rig_run(r);
            TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0 5:0 6:0 7:0");
            TEXT_IS(rig_rcs(r, B), "11:0/600 12:0/16#7 13:0/100#9");
            CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 8192, 600));
            memcpy(&value, r->loop->end[A].arena + RIG_BASE + 20008, 8);
            INT_IS(value, 5); /* the add was done once */
            rig_free(r);
        }
    }
}

/* RNR NAK, RESYNC, its acknowledgement: each may be lost. */
static void rd_loss_around_a_suspension_is_made_good(void)
{
    for (int from = A; from <= B; from++) {
        for (uint64_t nth = 0; nth < 3; nth++) {
            struct rig *r = rd_scene();
            uint32_t p = rig_more(r, A, XP_RD);
            lose(r, from, nth);
            rd_send(r, 1, 0, 0, 300);
            CHECK(rd_post(r,
                          (struct rd_op){
                              .from = p,
                              .op = {.id = 2, .op = XP_WR_WRITE, .len = 300, .dst = 4096}}) ==
                  XP_OK);
            rig_run_for(r, 100 * TM_MS);
            rig_recvs(r, 11, 1, 512);
            rig_run(r);
            TEXT_IS(rig_wcs(r, A), "2:0@0 1:0");
            TEXT_IS(rig_rcs(r, B), "11:0/300");
            CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 300));
            CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 300));
            rig_free(r);
        }
    }
}

/*
 * Found by exploration: an RNR NAK that comes after a repetition of its message has been delivered
 * suspended the message, which was then delivered a second time.  Its MSN, beside that of RESYNC's
 * acknowledgement, tells.
 */
static void rd_message_delivered_before_its_rnr_nak_comes_is_done(void)
{
    struct rig *r = rd_scene();
    uint32_t p = rig_more(r, A, XP_RD), q = rig_more(r, B, XP_RD);
    loop_script(
        r->loop,
        (struct loop_fault){
            .from = B, .to = A, .nth = 0, .action = LOOP_DELAY, .delay_ps = 67108300 * TM_NS});
    rd_recv(r, q, 21, 64);
    rd_send(r, 1, 0, 0, 16);
    rd_send(r, 2, p, q, 16);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 11, 2, 64);
    rig_run(r);
    TEXT_IS(rd_packets(r), "a:SEND_ONLY.100 a:rnr12.100 a:SEND_ONLY.100 a:ack.100 a:RESYNC.101 "
                           "a:ack.101 0:SEND_ONLY.102 0:ack.102");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0@0");
    TEXT_IS(rig_rcs(r, B), "11:0/16 21:0/16@0");
    rig_free(r);
}

static void rd_clone_in_the_middle_goes_on_alike(void)
{
    struct rig *r = rd_scene();
    rig_more(r, A, XP_RD);
    rd_send(r, 1, 0, 0, 300);
    rd_send(r, 2, r->more[A][0], 0, 300);
    rig_run_for(r, 3 * TM_US);
    struct rig *c = rig_clone(r);
    INT_IS(xp_digest(c->loop->end[A].core, c->loop->now) ==
               xp_digest(r->loop->end[A].core, r->loop->now),
           true);
    rig_recvs(r, 11, 2, 512);
    rig_recvs(c, 11, 2, 512);
    rig_run(r);
    rig_run(c);
    INT_IS(xp_digest(c->loop->end[A].core, c->loop->now) ==
               xp_digest(r->loop->end[A].core, r->loop->now),
           true);
    INT_IS(xp_digest(c->loop->end[B].core, c->loop->now) ==
               xp_digest(r->loop->end[B].core, r->loop->now),
           true);
    TEXT_IS(rig_wcs(r, A), "2:0@0 1:0");
    TEXT_IS(rig_wcs(c, A), "2:0@0 1:0");
    rig_free(r);
    rig_free(c);
}

static const struct test tests[] = {TEST(rd_packets_name_both_qps_and_the_context),
                                    TEST(rd_qkey_with_its_high_bit_is_the_qps_own),
                                    TEST(rd_every_operation_arrives),
                                    TEST(rd_both_ends_send_through_one_pair_of_contexts),
                                    TEST(rd_one_message_is_outstanding_per_context),
                                    TEST(rd_qps_of_a_context_are_served_in_turn),
                                    TEST(rd_qp_with_two_contexts_sends_one_message_at_a_time),
                                    TEST(rd_rnr_of_one_destination_does_not_block_others),
                                    TEST(rd_suspended_message_starts_from_its_beginning),
                                    TEST(rd_loss_of_any_packet_is_made_good),
                                    TEST(rd_loss_around_a_suspension_is_made_good),
                                    TEST(rd_message_delivered_before_its_rnr_nak_comes_is_done),
                                    TEST(rd_clone_in_the_middle_goes_on_alike),
                                    TESTS_END};
const struct suite suite_rd = {"rd", tests};

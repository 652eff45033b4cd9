/*
 * "What fails a request" of ib-transport, row by row, for SEND and WRITE: packets are rewritten on
 * their way; the answer, the statuses at both ends, the event and the states are compared.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

typedef void rewriter(struct wire_hdr *h, struct wire_ext *e);

#define SET_OP(name, op)                                                                           \
    static void name(struct wire_hdr *h, struct wire_ext *e)                                       \
    {                                                                                              \
        h->opcode = wire_opcode(WIRE_RC, op);                                                      \
    }
#define SET_FIELD(name, field, value)                                                              \
    static void name(struct wire_hdr *h, struct wire_ext *e) { h->field = (value); }

SET_OP(to_send_first, OP_SEND_FIRST)
SET_OP(to_send_middle, OP_SEND_MIDDLE)
SET_OP(to_send_last, OP_SEND_LAST)
SET_OP(to_send_only, OP_SEND_ONLY)
SET_OP(to_write_first, OP_WRITE_FIRST)
SET_OP(to_write_middle, OP_WRITE_MIDDLE)
SET_OP(to_write_last, OP_WRITE_LAST)
SET_OP(to_resync, OP_RESYNC)
SET_OP(to_read, OP_READ_REQUEST)
SET_OP(to_cmp_swap, OP_CMP_SWAP)
SET_FIELD(to_1c, opcode, (struct wire_opcode){0x1c})
SET_FIELD(to_1f, opcode, (struct wire_opcode){0x1f})
SET_FIELD(len_0, payload_bytes, 0)
SET_FIELD(len_100, payload_bytes, 100)
SET_FIELD(len_255, payload_bytes, 255)
SET_FIELD(len_257, payload_bytes, 257)
SET_FIELD(dma_255, dmalen, 255)
SET_FIELD(dma_257, dmalen, 257)
SET_FIELD(dma_512, dmalen, 512)
SET_FIELD(dma_1023, dmalen, 1023)
SET_FIELD(dma_1025, dmalen, 1025)
SET_FIELD(dma_over_2g, dmalen, 0x80000001u)
SET_FIELD(key_wrong, rkey, h->rkey ^ 0x100)
SET_FIELD(key_0, rkey, 0)
SET_FIELD(va_below, va, RIG_BASE - 1)
SET_FIELD(va_above, va, RIG_BASE + RIG_REGION)
SET_FIELD(va_straddles, va, RIG_BASE + RIG_REGION - 1000)
SET_FIELD(va_wraps, va, 0xffffffffffffff80u)
SET_FIELD(pkey_other, pkey, 0x9234)
SET_FIELD(tver_1, tver, 1)
SET_FIELD(qpn_other, dest_qp, h->dest_qp + 1000)
SET_FIELD(service_uc, opcode, wire_opcode(WIRE_UC, wire_op_of(h->opcode)))
SET_FIELD(service_xrc, opcode, wire_opcode(WIRE_XRC, wire_op_of(h->opcode)))

struct row {
    const char *what;
    enum xp_wr_op op;
    uint32_t len;
    uint64_t nth; /* packet rewritten */
    rewriter *fault;
    unsigned nak;
    const char *sends, *recvs, *events; /* "…:?" any error status; NULL: not looked at */
};

#define NAK1 "1:9 2:5"
#define NAK2 "1:10 2:5"
#define FLUSHED "11:5 12:5"
#define IN_PROGRESS "11:? 12:5"

static const struct row nak_rows[] = {
    {"Middle without First", XP_WR_SEND, 256, 0, to_send_middle, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"Last without First", XP_WR_SEND, 256, 0, to_send_last, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"WRITE Middle without First", XP_WR_WRITE, 256, 0, to_write_middle, 1, NAK1, FLUSHED,
     "QP_REQ_ERR"},
    {"WRITE Last without First", XP_WR_WRITE, 256, 0, to_write_last, 1, NAK1, FLUSHED,
     "QP_REQ_ERR"},
    {"First inside a message", XP_WR_SEND, 1024, 1, to_send_first, 1, NAK1, IN_PROGRESS, NULL},
    {"Only inside a message", XP_WR_SEND, 1024, 2, to_send_only, 1, NAK1, IN_PROGRESS, NULL},
    {"WRITE Middle inside a SEND", XP_WR_SEND, 1024, 1, to_write_middle, 1, NAK1, IN_PROGRESS,
     NULL},
    {"WRITE Last inside a SEND", XP_WR_SEND, 1024, 3, to_write_last, 1, NAK1, IN_PROGRESS, NULL},
    {"SEND Middle inside a WRITE", XP_WR_WRITE, 1024, 1, to_send_middle, 1, NAK1, FLUSHED,
     "QP_REQ_ERR"},
    {"First inside a WRITE", XP_WR_WRITE, 1024, 2, to_write_first, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"opcode RESYNC", XP_WR_SEND, 256, 0, to_resync, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"opcode 0x1c", XP_WR_SEND, 256, 0, to_1c, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"opcode 0x1f", XP_WR_SEND, 256, 0, to_1f, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"READ, access flag off", XP_WR_WRITE, 0, 0, to_read, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"atomic, access flag off", XP_WR_WRITE, 0, 0, to_cmp_swap, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"First of 255", XP_WR_SEND, 1024, 0, len_255, 1, NAK1, NULL, NULL},
    {"First of 257", XP_WR_SEND, 1024, 0, len_257, 1, NAK1, NULL, NULL},
    {"Middle of 100", XP_WR_SEND, 1024, 1, len_100, 1, NAK1, IN_PROGRESS, NULL},
    {"Middle of 257", XP_WR_SEND, 1024, 2, len_257, 1, NAK1, IN_PROGRESS, NULL},
    {"Last of 0", XP_WR_SEND, 1024, 3, len_0, 1, NAK1, IN_PROGRESS, NULL},
    {"Last of 257", XP_WR_SEND, 1024, 3, len_257, 1, NAK1, IN_PROGRESS, NULL},
    {"Only of 257", XP_WR_SEND, 256, 0, len_257, 1, NAK1, NULL, NULL},
    {"WRITE First of 255", XP_WR_WRITE, 1024, 0, len_255, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"WRITE Last of 0", XP_WR_WRITE, 1024, 3, len_0, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"Only of 256, DMALen 255", XP_WR_WRITE, 256, 0, dma_255, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"Only of 256, DMALen 257", XP_WR_WRITE, 256, 0, dma_257, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"4 packets, DMALen 512", XP_WR_WRITE, 1024, 0, dma_512, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"4 packets, DMALen 1023", XP_WR_WRITE, 1024, 0, dma_1023, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"4 packets, DMALen 1025", XP_WR_WRITE, 1024, 0, dma_1025, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"DMALen over 2^31", XP_WR_WRITE, 1024, 0, dma_over_2g, 1, NAK1, FLUSHED, "QP_REQ_ERR"},
    {"R_Key unknown", XP_WR_WRITE, 1024, 0, key_wrong, 2, NAK2, FLUSHED, "QP_ACCESS_ERR"},
    {"R_Key 0", XP_WR_WRITE, 1024, 0, key_0, 2, NAK2, FLUSHED, "QP_ACCESS_ERR"},
    {"one byte before the MR", XP_WR_WRITE, 1024, 0, va_below, 2, NAK2, FLUSHED, "QP_ACCESS_ERR"},
    {"after the MR", XP_WR_WRITE, 1, 0, va_above, 2, NAK2, FLUSHED, "QP_ACCESS_ERR"},
    {"out of the MR at the end", XP_WR_WRITE, 1024, 0, va_straddles, 2, NAK2, FLUSHED,
     "QP_ACCESS_ERR"},
    {"past the end of addresses", XP_WR_WRITE, 256, 0, va_wraps, 2, NAK2, FLUSHED, "QP_ACCESS_ERR"},
    {"WRITE_IMM, R_Key unknown", XP_WR_WRITE_IMM, 100, 0, key_wrong, 2, NAK2, FLUSHED,
     "QP_ACCESS_ERR"},
};

/* "11:?" in `wanted` stands for any status but 0 and 5 of that one. */
static void receives_are(const struct row *row, struct rig *r)
{
    struct xp_wc wc;
    if (!row->recvs)
        return;
    if (row->recvs[3] != '?') {
        ROW_TEXT(row->what, rig_rcs(r, B), row->recvs);
        return;
    }
    INT_IS(xp_poll_cq(r->loop->end[B].core, r->rcq[B], &wc, 1), 1);
    ROW_INT(row->what, wc.wr_id, 11);
    CU_ASSERT_TRUE(wc.status != XP_WC_SUCCESS && wc.status != XP_WC_WR_FLUSH_ERR);
    ROW_TEXT(row->what, rig_rcs(r, B), "12:5");
}

static struct rig *faulted(const struct row *row)
{
    struct rig_spec s = rig_spec();
    s.access_b = XP_REMOTE_WRITE;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 2048);
    if (row->fault)
        loop_script(r->loop, (struct loop_fault){.from = A,
                                                 .to = B,
                                                 .nth = row->nth,
                                                 .action = LOOP_REWRITE,
                                                 .rewrite = row->fault});
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = row->op, .len = row->len, .dst = 4096}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 64, .dst = 65536}) ==
          XP_OK);
    rig_run(r);
    return r;
}

static void rc_errors_each_fault_is_refused_as_listed(void)
{
    for (size_t i = 0; i < sizeof nak_rows / sizeof nak_rows[0]; i++) {
        const struct row *row = &nak_rows[i];
        struct rig *r = faulted(row);
        const struct loop_record *last = &r->loop->record[r->loop->records - 1];
        ROW_INT(row->what, last->h.syndrome, aeth_syndrome(AETH_NAK, row->nak));
        ROW_INT(row->what, last->h.msn, 0);
        ROW_TEXT(row->what, rig_wcs(r, A), row->sends);
        receives_are(row, r);
        if (row->events)
            ROW_TEXT(row->what, rig_events(r, B), row->events);
        ROW_INT(row->what, rig_state_of(r, A), XP_ERR);
        ROW_INT(row->what, rig_state_of(r, B), XP_ERR);
        ROW_INT(row->what, xp_counts(r->loop->end[B].core)->naks_sent, 1);
        CU_ASSERT_TRUE(rig_untouched(r, 65536, 64)); /* a WR after an error */
        rig_free(r);
    }
}

static void rc_errors_out_of_range_write_of_several_packets_writes_nothing(void)
{
    static const struct row row = {"", XP_WR_WRITE, 1024, 0, va_straddles, 2, NAK2, FLUSHED, ""};
    struct rig *r = faulted(&row);
    INT_IS(r->loop->end[B].bytes_placed, 0);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "nak2.100/0");
    rig_free(r);
}

/* ---- dropped without a word ------------------------------------------------------------------ */

static const struct {
    const char *what;
    rewriter *fault;
    enum xp_verdict verdict;
} drop_rows[] = {
    {"P_Key", pkey_other, V_BAD_PKEY},
    {"TVer", tver_1, V_BAD_TVER},
    {"QP number", qpn_other, V_UNKNOWN_QP},
    {"transport UC", service_uc, V_WRONG_SERVICE},
    {"transport XRC", service_xrc, V_WRONG_SERVICE},
};

static void rc_errors_foreign_packets_are_dropped_and_counted(void)
{
    for (size_t i = 0; i < sizeof drop_rows / sizeof drop_rows[0]; i++) {
        const char *what = drop_rows[i].what;
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        struct wire_ext e = {0};
        rig_recvs(r, 11, 1, 256);
        struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100, 100);
        drop_rows[i].fault(&h, &e);
        struct xp_rx rx = rig_inject(r, B, h);
        ROW_INT(what, rx.verdict, drop_rows[i].verdict);
        ROW_INT(what, rx.deed, XP_NOTHING);
        rig_run(r);
        ROW_TEXT(what, rig_packets(r, SHOW_ALL), "");
        ROW_INT(what, xp_counts(r->loop->end[B].core)->dropped, 1);
        ROW_INT(what, rig_query(r, B).rq_psn.v, 100);
        ROW_INT(what, rig_query(r, B).recvs_waiting, 1);
        ROW_INT(what, rig_state_of(r, B), XP_RTS);
        rig_free(r);
    }
}

static void rc_errors_dropped_packet_is_recovered_like_a_lost_one(void)
{
    for (size_t i = 0; i < sizeof drop_rows / sizeof drop_rows[0]; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        loop_script(r->loop, (struct loop_fault){.from = A,
                                                 .to = B,
                                                 .nth = 0,
                                                 .action = LOOP_REWRITE,
                                                 .rewrite = drop_rows[i].fault});
        rig_recvs(r, 11, 2, 100);
        rig_sends(r, 1, 2, 100);
        rig_run(r);
        ROW_TEXT(drop_rows[i].what, rig_packets(r, SHOW_ANSWERS), "nak0.100/0 ack.100/1 ack.101/2");
        ROW_TEXT(drop_rows[i].what, rig_wcs(r, A), "1:0 2:0");
        rig_free(r);
    }
}

static void rc_errors_p_keys_match_in_15_bits_with_one_full_member(void)
{
    static const struct {
        uint16_t qp, packet;
        bool match;
    } rows[] = {{0xffff, 0xffff, true},  {0xffff, 0x7fff, true},  {0x7fff, 0xffff, true},
                {0x7fff, 0x7fff, false}, {0x8001, 0x8002, false}, {0x8001, 0x0001, true},
                {0x0001, 0x8001, true},  {0x0001, 0x0001, false}, {0xffff, 0x8001, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[40];
        snprintf(where, sizeof where, "QP %04x packet %04x", rows[i].qp, rows[i].packet);
        struct rig_spec s = rig_spec();
        s.state_b = XP_INIT;
        struct rig *r = rig_new(&s);
        struct xp_qp_attr attr = {.state = XP_RTR,
                                  .path = {A, 7},
                                  .dest_qp = r->qp[A],
                                  .rq_psn = {100},
                                  .path_mtu = 256,
                                  .pkey = rows[i].qp};
        CHECK(xp_qp_modify(r->loop->end[B].core, r->qp[B], &attr,
                           XP_A_STATE | XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN |
                               XP_A_MAX_DEST_RD | XP_A_MIN_RNR | XP_A_PKEY,
                           0) == XP_OK);
        rig_recvs(r, 11, 1, 256);
        struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100, 100);
        h.pkey = rows[i].packet;
        ROW_INT(where, rig_inject(r, B, h).verdict, rows[i].match ? V_ACCEPT : V_BAD_PKEY);
        rig_free(r);
    }
}

static void rc_errors_foreign_answers_are_dropped_too(void)
{
    for (size_t i = 0; i < sizeof drop_rows / sizeof drop_rows[0]; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        struct wire_ext e = {0};
        rig_sends(r, 1, 1, 100);
        rig_run_for(r, TM_NS);
        struct wire_hdr h = rig_answer(r, 0x1f, 100, 1);
        drop_rows[i].fault(&h, &e);
        ROW_INT(drop_rows[i].what, rig_inject(r, A, h).verdict, drop_rows[i].verdict);
        ROW_TEXT(drop_rows[i].what, rig_wcs(r, A), "");
        rig_free(r);
    }
}

/* ---- at the receive -------------------------------------------------------------------------- */

static void rc_errors_receive_too_small_is_1_there_and_9_here(void)
{
    static const struct {
        uint32_t room, len;
    } rows[] = {{99, 100}, {0, 1}, {256, 257}, {1023, 1024}, {300, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[30];
        snprintf(where, sizeof where, "%u into %u", rows[i].len, rows[i].room);
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        CHECK(rig_recv(r, 11, 0, rows[i].room) == XP_OK);
        CHECK(rig_recv(r, 12, 8192, 2048) == XP_OK);
        CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = rows[i].len}) == XP_OK);
        CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 8}) == XP_OK);
        rig_run(r);
        ROW_TEXT(where, rig_wcs(r, A), "1:9 2:5");
        ROW_TEXT(where, rig_rcs(r, B), "11:1 12:5");
        ROW_INT(where, rig_state_of(r, A), XP_ERR);
        ROW_INT(where, rig_state_of(r, B), XP_ERR);
        CU_ASSERT_TRUE(rig_untouched(r, rows[i].room, 64)); /* not a byte beyond */
        rig_free(r);
    }
}

static void rc_errors_receive_that_cannot_be_written_is_4_there_and_11_here(void)
{
    static const char *const what[] = {"bad lkey", "other PD", "beyond the MR", "no local write"};
    for (int i = 0; i < 4; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        struct xp *x = r->loop->end[B].core;
        struct xp_recv_wr wr = {.wr_id = 11, .sge = {RIG_BASE, 512, r->key[B]}};
        uint32_t other, plain;
        CHECK(xp_mr_add(x, RIG_PD + 1, RIG_BASE, 4096, XP_LOCAL_WRITE, 0, &other) == XP_OK);
        CHECK(xp_mr_add(x, RIG_PD, RIG_BASE, 4096, 0, 0, &plain) == XP_OK);
        wr.sge.lkey = i == 0 ? r->key[B] ^ 0x5000 : i == 1 ? other : i == 3 ? plain : r->key[B];
        wr.sge.addr = i == 2 ? RIG_BASE + RIG_REGION - 100 : RIG_BASE;
        CHECK(xp_post_recv(x, r->qp[B], &wr, 0) == XP_OK);
        CHECK(rig_recv(r, 12, 0, 512) == XP_OK);
        rig_sends(r, 1, 2, 300);
        rig_run(r);
        ROW_TEXT(what[i], rig_packets(r, SHOW_ANSWERS), "nak3.100/0");
        ROW_TEXT(what[i], rig_wcs(r, A), "1:11 2:5");
        ROW_TEXT(what[i], rig_rcs(r, B), "11:4 12:5");
        ROW_INT(what[i], rig_state_of(r, B), XP_ERR);
        INT_IS(r->loop->end[B].bytes_placed, 0);
        rig_free(r);
    }
}

static void rc_errors_access_flag_of_the_qp_off_is_9(void)
{
    static const enum xp_wr_op ops[] = {XP_WR_WRITE, XP_WR_WRITE_IMM};
    for (int i = 0; i < 2; i++) {
        struct rig_spec s = rig_spec();
        s.access_b = XP_REMOTE_READ | XP_REMOTE_ATOMIC;
        struct rig *r = rig_new(&s);
        rig_recvs(r, 11, 2, 100);
        CHECK(rig_post(r, (struct rig_op){.id = 1, .op = ops[i], .len = 100}) == XP_OK);
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), "1:9");
        TEXT_IS(rig_rcs(r, B), "11:5 12:5");
        TEXT_IS(rig_events(r, B), "QP_REQ_ERR");
        CU_ASSERT_TRUE(rig_untouched(r, 0, 100));
        rig_free(r);
    }
}

static const struct test tests[] = {
    TEST(rc_errors_each_fault_is_refused_as_listed),
    TEST(rc_errors_out_of_range_write_of_several_packets_writes_nothing),
    TEST(rc_errors_foreign_packets_are_dropped_and_counted),
    TEST(rc_errors_dropped_packet_is_recovered_like_a_lost_one),
    TEST(rc_errors_p_keys_match_in_15_bits_with_one_full_member),
    TEST(rc_errors_foreign_answers_are_dropped_too),
    TEST(rc_errors_receive_too_small_is_1_there_and_9_here),
    TEST(rc_errors_receive_that_cannot_be_written_is_4_there_and_11_here),
    TEST(rc_errors_access_flag_of_the_qp_off_is_9),
    TESTS_END};
const struct suite suite_rc_errors = {"rc_errors", tests};

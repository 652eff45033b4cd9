/*
 * The life of a QP, as literal rows: which transition wants and allows which attributes, what a
 * refused one leaves behind, what each state does with posted work and with packets.
 * The rows are ib-transport "QP state machine and modify attributes", written out.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

#define ALL_BITS ((1u << 20) - 1)
#define THREE (XP_A_PKEY | XP_A_PORT | XP_A_ACCESS)
#define RTS_OPT_UC (XP_A_CUR_STATE | XP_A_ACCESS | XP_A_ALT_PATH | XP_A_MIG_STATE)
#define RTS_OPT_RC (RTS_OPT_UC | XP_A_MIN_RNR)
#define SQD_OPT_UC (XP_A_PKEY | XP_A_AV | XP_A_ALT_PATH | XP_A_ACCESS | XP_A_MIG_STATE)
#define SQD_OPT_RC                                                                                 \
    (SQD_OPT_UC | XP_A_PORT | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD |       \
     XP_A_MAX_DEST_RD | XP_A_MIN_RNR)
#define RTR_OPT (XP_A_ALT_PATH | XP_A_ACCESS | XP_A_PKEY)

/* XP_A_STATE itself belongs to every transition and is in no column. */
struct row {
    enum xp_state from, to;
    uint32_t required, optional;
};

static const struct row rc_rows[] = {
    {XP_RESET, XP_INIT, THREE, 0},
    {XP_INIT, XP_INIT, 0, THREE},
    {XP_INIT, XP_RTR,
     XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN | XP_A_MAX_DEST_RD | XP_A_MIN_RNR,
     RTR_OPT},
    {XP_RTR, XP_RTS, XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD,
     RTS_OPT_RC},
    {XP_RTS, XP_RTS, 0, RTS_OPT_RC},
    {XP_SQD, XP_RTS, 0, RTS_OPT_RC},
    {XP_RTS, XP_SQD, 0, XP_A_SQD_NOTIFY},
    {XP_SQD, XP_SQD, 0, SQD_OPT_RC},
};
#define RC_ROWS (sizeof rc_rows / sizeof rc_rows[0])

static const struct row uc_rows[] = {
    {XP_RESET, XP_INIT, THREE, 0},
    {XP_INIT, XP_INIT, 0, THREE},
    {XP_INIT, XP_RTR, XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN, RTR_OPT},
    {XP_RTR, XP_RTS, XP_A_SQ_PSN, RTS_OPT_UC},
    {XP_RTS, XP_RTS, 0, RTS_OPT_UC},
    {XP_SQD, XP_RTS, 0, RTS_OPT_UC},
    {XP_RTS, XP_SQD, 0, XP_A_SQD_NOTIFY},
    {XP_SQD, XP_SQD, 0, SQD_OPT_UC},
    {XP_SQE, XP_RTS, 0, XP_A_CUR_STATE | XP_A_ACCESS},
};
#define UC_ROWS (sizeof uc_rows / sizeof uc_rows[0])

#define UD_THREE (XP_A_PKEY | XP_A_PORT | XP_A_QKEY)
#define UD_LATE (XP_A_CUR_STATE | XP_A_QKEY)
static const struct row ud_rows[] = {
    {XP_RESET, XP_INIT, UD_THREE, 0},
    {XP_INIT, XP_INIT, 0, UD_THREE},
    {XP_INIT, XP_RTR, 0, XP_A_PKEY | XP_A_QKEY},
    {XP_RTR, XP_RTS, XP_A_SQ_PSN, UD_LATE},
    {XP_RTS, XP_RTS, 0, UD_LATE},
    {XP_SQD, XP_RTS, 0, UD_LATE},
    {XP_RTS, XP_SQD, 0, XP_A_SQD_NOTIFY},
    {XP_SQD, XP_SQD, 0, XP_A_PKEY | XP_A_QKEY},
    {XP_SQE, XP_RTS, 0, UD_LATE},
};
#define UD_ROWS (sizeof ud_rows / sizeof ud_rows[0])

static const struct row ini_rows[] = {
    {XP_RESET, XP_INIT, THREE, 0},
    {XP_INIT, XP_INIT, 0, THREE},
    {XP_INIT, XP_RTR, XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN, RTR_OPT},
    {XP_RTR, XP_RTS, XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD,
     RTS_OPT_UC},
    {XP_RTS, XP_RTS, 0, RTS_OPT_UC},
    {XP_SQD, XP_RTS, 0, RTS_OPT_UC},
    {XP_RTS, XP_SQD, 0, XP_A_SQD_NOTIFY},
    {XP_SQD, XP_SQD, 0,
     SQD_OPT_UC | XP_A_PORT | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD},
};
#define INI_ROWS (sizeof ini_rows / sizeof ini_rows[0])

static const struct row tgt_rows[] = {
    {XP_RESET, XP_INIT, THREE, 0},
    {XP_INIT, XP_INIT, 0, THREE},
    {XP_INIT, XP_RTR,
     XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN | XP_A_MAX_DEST_RD | XP_A_MIN_RNR,
     RTR_OPT},
    {XP_RTR, XP_RTS, XP_A_SQ_PSN | XP_A_TIMEOUT, RTS_OPT_RC},
    {XP_RTS, XP_RTS, 0, RTS_OPT_RC},
    {XP_SQD, XP_RTS, 0, RTS_OPT_RC},
    {XP_RTS, XP_SQD, 0, XP_A_SQD_NOTIFY},
    {XP_SQD, XP_SQD, 0, SQD_OPT_UC | XP_A_PORT | XP_A_TIMEOUT | XP_A_MAX_DEST_RD | XP_A_MIN_RNR},
};
#define TGT_ROWS (sizeof tgt_rows / sizeof tgt_rows[0])

/* "any but RESET->ERR; any->RESET", neither with attributes; then the rows. */
static bool wanted_row(const struct row *rows, size_t n, enum xp_state from, enum xp_state to,
                       struct row *out)
{
    *out = (struct row){from, to, 0, 0};
    if (to == XP_RESET)
        return true;
    if (to == XP_ERR)
        return from != XP_RESET;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].from == from && rows[i].to == to) {
            *out = rows[i];
            return true;
        }
    }
    return false;
}

static void check_cell(enum xp_service_id s, const struct row *row, bool valid)
{
    char where[64];
    snprintf(where, sizeof where, "%s %s->%s", xp_service_name(s), xp_state_name(row->from),
             xp_state_name(row->to));
    struct xp_transition t = xp_transition_check(s, row->from, row->to, XP_A_STATE | row->required);
    ROW_INT(where, t.valid, valid);
    if (!valid)
        return;
    ROW_INT(where, t.missing, 0);
    ROW_INT(where, t.excess, 0);
    t = xp_transition_check(s, row->from, row->to, XP_A_STATE);
    ROW_INT(where, t.missing, row->required);
    t = xp_transition_check(s, row->from, row->to, ALL_BITS);
    ROW_INT(where, t.missing, 0);
    ROW_INT(where, t.excess, ALL_BITS & ~(XP_A_STATE | row->required | row->optional));
}

static void check_matrix(enum xp_service_id s, const struct row *rows, size_t n)
{
    bool has_sqe = s == XP_UC || s == XP_UD;
    for (int from = 0; from < XP_STATES; from++) {
        for (int to = 0; to < XP_STATES; to++) {
            struct row row;
            if (!has_sqe && from == XP_SQE && (to == XP_RESET || to == XP_ERR))
                continue; /* there is no SQE; what leads out of it is moot */
            bool valid = wanted_row(rows, n, (enum xp_state)from, (enum xp_state)to, &row);
            check_cell(s, &row, valid);
        }
    }
}

static void lifecycle_rc_matrix_is_the_table(void) { check_matrix(XP_RC, rc_rows, RC_ROWS); }
static void lifecycle_uc_matrix_is_the_table(void) { check_matrix(XP_UC, uc_rows, UC_ROWS); }
static void lifecycle_ud_matrix_is_the_table(void) { check_matrix(XP_UD, ud_rows, UD_ROWS); }
static void lifecycle_xrc_matrices_are_the_table(void)
{
    check_matrix(XP_XRC_INI, ini_rows, INI_ROWS);
    check_matrix(XP_XRC_TGT, tgt_rows, TGT_ROWS);
}

static void lifecycle_each_missing_attribute_is_named(void)
{
    uint32_t mask = XP_A_STATE | rc_rows[2].required;
    static const struct {
        uint32_t bit;
        const char *name;
    } rows[] = {{XP_A_AV, "av"},
                {XP_A_PATH_MTU, "path_mtu"},
                {XP_A_DEST_QP, "dest_qp"},
                {XP_A_RQ_PSN, "rq_psn"},
                {XP_A_MIN_RNR, "min_rnr_timer"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xp_transition t = xp_transition_check(XP_RC, XP_INIT, XP_RTR, mask & ~rows[i].bit);
        ROW_INT(rows[i].name, t.missing, rows[i].bit);
        ROW_INT(rows[i].name, t.excess, 0);
        ROW_TEXT(rows[i].name, xp_attr_name((enum xp_attr_bit)rows[i].bit), rows[i].name);
    }
}

static void lifecycle_names_round_trip(void)
{
    static const char *const state[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
    enum xp_service_id id = XP_SERVICES;
    for (int s = 0; s < XP_STATES; s++)
        TEXT_IS(xp_state_name((enum xp_state)s), state[s]);
    CU_ASSERT_TRUE(xp_service_parse("uc", &id));
    INT_IS(id, XP_UC);
    CU_ASSERT_TRUE(xp_service_parse("rc", &id));
    INT_IS(id, XP_RC);
    CU_ASSERT_FALSE(xp_service_parse("tcp", &id));
    TEXT_IS(xp_service_name(XP_RC), "rc");
}

/* ---- refused: nothing changes ---------------------------------------------------------------- */

/* Good attributes for any step. */
static struct xp_qp_attr good(void)
{
    return (struct xp_qp_attr){.path = {B, 7},
                               .dest_qp = 17,
                               .rq_psn = {1},
                               .sq_psn = {2},
                               .path_mtu = 1024,
                               .pkey = 0xffff,
                               .port = 1,
                               .timeout = 14,
                               .retry_cnt = 7,
                               .rnr_retry = 7,
                               .min_rnr_timer = 12};
}

static void refused(struct rig *r, const struct xp_qp_attr *attr, uint32_t mask, const char *where)
{
    struct xp *x = r->loop->end[A].core;
    enum xp_state before = rig_state_of(r, A);
    uint64_t digest = xp_digest(x, 0);
    ROW_INT(where, xp_qp_modify(x, r->qp[A], attr, mask, 0), XP_EINVAL);
    ROW_INT(where, rig_state_of(r, A), before);
    CU_ASSERT_TRUE(xp_digest(x, 0) == digest);
}

static struct rig *rig_in(enum xp_service_id service, enum xp_state a)
{
    struct rig_spec s = rig_spec();
    s.service = service;
    s.state_a = a;
    return rig_new(&s);
}

static void lifecycle_wrong_transitions_are_einval_and_change_nothing(void)
{
    static const struct {
        enum xp_state from, to;
        uint32_t mask;
        const char *where;
    } rows[] = {
        {XP_RESET, XP_RTR, ALL_BITS & ~XP_A_QKEY, "RESET->RTR"},
        {XP_RESET, XP_ERR, 0, "RESET->ERR"},
        {XP_RESET, XP_RTS, ALL_BITS & ~XP_A_QKEY, "RESET->RTS"},
        {XP_RESET, XP_INIT, XP_A_PKEY | XP_A_PORT, "RESET->INIT without access"},
        {XP_RESET, XP_INIT, THREE | XP_A_QKEY, "RESET->INIT with qkey"},
        {XP_INIT, XP_RTS, ALL_BITS & ~XP_A_QKEY, "INIT->RTS"},
        {XP_INIT, XP_RTR, XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN, "RTR as for UC"},
        {XP_RTR, XP_RTR, 0, "RTR->RTR"},
        {XP_RTR, XP_SQD, 0, "RTR->SQD"},
        {XP_RTR, XP_RTS, XP_A_SQ_PSN, "RTS as for UC"},
        {XP_RTS, XP_RTR, 0, "RTS->RTR"},
        {XP_RTS, XP_INIT, THREE, "RTS->INIT"},
        {XP_RTS, XP_RTS, XP_A_SQ_PSN, "RTS->RTS with sq_psn"},
        {XP_RTS, XP_SQE, 0, "RTS->SQE"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = rig_in(XP_RC, rows[i].from);
        struct xp_qp_attr attr = good();
        attr.state = rows[i].to;
        refused(r, &attr, XP_A_STATE | rows[i].mask, rows[i].where);
        rig_free(r);
    }
}

static void lifecycle_values_out_of_range_are_einval_and_change_nothing(void)
{
    struct xp_qp_attr attr = good();
    struct rig *r = rig_in(XP_RC, XP_INIT);
    uint32_t rtr = XP_A_STATE | rc_rows[2].required;
    attr.state = XP_RTR;
    attr.min_rnr_timer = 32;
    refused(r, &attr, rtr, "min_rnr_timer 32");
    attr = good(), attr.state = XP_RTR, attr.path_mtu = 1000;
    refused(r, &attr, rtr, "path_mtu 1000");
    attr = good(), attr.state = XP_RTR, attr.path_mtu = 8192;
    refused(r, &attr, rtr, "path_mtu 8192");
    attr = good(), attr.state = XP_RTR, attr.dest_qp = 1u << 24;
    refused(r, &attr, rtr, "dest_qp of 25 bits");
    rig_free(r);

    r = rig_in(XP_RC, XP_RTR);
    uint32_t rts = XP_A_STATE | rc_rows[3].required;
    attr = good(), attr.state = XP_RTS, attr.timeout = 32;
    refused(r, &attr, rts, "timeout 32");
    attr = good(), attr.state = XP_RTS, attr.retry_cnt = 8;
    refused(r, &attr, rts, "retry_cnt 8");
    attr = good(), attr.state = XP_RTS, attr.rnr_retry = 8;
    refused(r, &attr, rts, "rnr_retry 8");
    rig_free(r);
}

static void lifecycle_cur_state_must_be_the_state(void)
{
    struct rig *r = rig_in(XP_RC, XP_RTS);
    struct xp_qp_attr attr = good();
    attr.state = XP_RTS;
    attr.cur_state = XP_SQD;
    refused(r, &attr, XP_A_STATE | XP_A_CUR_STATE, "cur_state SQD in RTS");
    attr.cur_state = XP_RTS;
    INT_IS(xp_qp_modify(r->loop->end[A].core, r->qp[A], &attr, XP_A_STATE | XP_A_CUR_STATE, 0),
           XP_OK);
    attr.access = 1u << 9;
    refused(r, &attr, XP_A_STATE | XP_A_ACCESS, "access bit unknown");
    rig_free(r);
}

static void lifecycle_unknown_qp_and_cq_are_einval(void)
{
    struct rig *r = rig_in(XP_RC, XP_RESET);
    struct xp *x = r->loop->end[A].core;
    struct xp_qp_attr attr = good();
    struct xp_qp_query q;
    uint32_t qpn;
    attr.state = XP_INIT;
    INT_IS(xp_qp_modify(x, r->qp[A] + 77, &attr, XP_A_STATE | THREE, 0), XP_EINVAL);
    INT_IS(xp_qp_query(x, r->qp[A] + 77, &q), XP_EINVAL);
    INT_IS(xp_qp_destroy(x, r->qp[A] + 77, 0), XP_EINVAL);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 8});
    struct xp_recv_wr rwr = {.wr_id = 2, .sge = {RIG_BASE, 8, r->key[A]}};
    INT_IS(xp_post_send(x, r->qp[A] + 77, &wr, 0), XP_EINVAL);
    INT_IS(xp_post_recv(x, r->qp[A] + 77, &rwr, 0), XP_EINVAL);
    struct xp_qp_init init = {.service = XP_RC,
                              .pd = RIG_PD,
                              .send_cq = 9999,
                              .recv_cq = r->rcq[A],
                              .sq_depth = 8,
                              .rq_depth = 8};
    INT_IS(xp_qp_create(x, &init, &qpn), XP_EINVAL);
    rig_free(r);
}

/* ---- what states do with posted work --------------------------------------------------------- */

static void lifecycle_posting_by_state_is_the_table(void)
{
    static const struct {
        enum xp_service_id service;
        enum xp_state state;
        int send, recv;
        const char *where;
    } rows[] = {
        {XP_RC, XP_RESET, XP_ESTATE, XP_ESTATE, "rc RESET"},
        {XP_RC, XP_INIT, XP_ESTATE, XP_OK, "rc INIT"},
        {XP_RC, XP_RTR, XP_ESTATE, XP_OK, "rc RTR"},
        {XP_RC, XP_RTS, XP_OK, XP_OK, "rc RTS"},
        {XP_RC, XP_SQD, XP_OK, XP_OK, "rc SQD"},
        {XP_RC, XP_ERR, XP_OK, XP_OK, "rc ERR"},
        {XP_UC, XP_RESET, XP_ESTATE, XP_ESTATE, "uc RESET"},
        {XP_UC, XP_INIT, XP_ESTATE, XP_OK, "uc INIT"},
        {XP_UC, XP_RTR, XP_ESTATE, XP_OK, "uc RTR"},
        {XP_UC, XP_RTS, XP_OK, XP_OK, "uc RTS"},
        {XP_UC, XP_SQD, XP_OK, XP_OK, "uc SQD"},
        {XP_UC, XP_ERR, XP_OK, XP_OK, "uc ERR"},
        {XP_UD, XP_RESET, XP_ESTATE, XP_ESTATE, "ud RESET"},
        {XP_UD, XP_INIT, XP_ESTATE, XP_OK, "ud INIT"},
        {XP_UD, XP_RTR, XP_ESTATE, XP_OK, "ud RTR"},
        {XP_UD, XP_RTS, XP_OK, XP_OK, "ud RTS"},
        {XP_UD, XP_SQD, XP_OK, XP_OK, "ud SQD"},
        {XP_UD, XP_ERR, XP_OK, XP_OK, "ud ERR"},
        {XP_XRC_INI, XP_RTR, XP_ESTATE, XP_EOPNOTSUPP, "xrc_ini RTR"},
        {XP_XRC_INI, XP_RTS, XP_OK, XP_EOPNOTSUPP, "xrc_ini RTS"},
        {XP_XRC_INI, XP_ERR, XP_OK, XP_EOPNOTSUPP, "xrc_ini ERR"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool far = rows[i].state > XP_RTS;
        struct rig *r = rig_in(rows[i].service, far ? XP_RTS : rows[i].state);
        struct xp *x = r->loop->end[A].core;
        if (far)
            CHECK(rig_state(r, A, rows[i].state) == XP_OK);
        ROW_INT(rows[i].where, rig_state_of(r, A), rows[i].state);
        struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 8});
        struct xp_recv_wr rwr = {.wr_id = 2, .sge = {RIG_BASE, 8, r->key[A]}};
        ROW_INT(rows[i].where, xp_post_send(x, r->qp[A], &wr, 0), rows[i].send);
        ROW_INT(rows[i].where, xp_post_recv(x, r->qp[A], &rwr, 0), rows[i].recv);
        if (rows[i].state == XP_ERR) {
            ROW_TEXT(rows[i].where, rig_wcs(r, A), "1:5");
            ROW_TEXT(rows[i].where, rig_rcs(r, A), rows[i].recv == XP_OK ? "2:5" : "");
        }
        rig_free(r);
    }
}

static void lifecycle_one_more_than_the_queue_holds_is_enomem(void)
{
    struct rig_spec s = rig_spec();
    s.depth = 3;
    struct rig *r = rig_new(&s);
    for (int i = 0; i < 3; i++) {
        INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 8}), XP_OK);
        INT_IS(rig_recv(r, 2, 0, 8), XP_OK);
    }
    INT_IS(rig_post(r, (struct rig_op){.id = 9, .op = XP_WR_SEND, .len = 8}), XP_ENOMEM);
    INT_IS(rig_recv(r, 9, 0, 8), XP_ENOMEM);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 1:0 1:0");
    INT_IS(rig_post(r, (struct rig_op){.id = 4, .op = XP_WR_WRITE, .len = 8}), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "4:0");
    rig_free(r);
}

static void lifecycle_posting_what_cannot_be_is_refused(void)
{
    struct rig_spec s = rig_spec_uc();
    struct rig *r = rig_new(&s);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 8}), XP_EOPNOTSUPP);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_CMP_SWAP, .len = 8}), XP_EOPNOTSUPP);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_FETCH_ADD, .len = 8}), XP_EOPNOTSUPP);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 0x80000001u}), XP_EINVAL);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    TEXT_IS(rig_wcs(r, A), "");
    rig_free(r);
}

/* ---- states on the wire ---------------------------------------------------------------------- */

static void lifecycle_rtr_answers_and_reports_the_first_packet(void)
{
    struct rig_spec s = rig_spec();
    s.state_b = XP_RTR;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 256);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/100");
    TEXT_IS(rig_events(r, B), "COMM_EST");
    INT_IS(rig_state_of(r, B), XP_RTR);
    rig_free(r);
}

static void lifecycle_rts_raises_no_comm_est(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 256);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_events(r, B), "");
    rig_free(r);
}

static void lifecycle_reset_init_err_drop_and_the_requester_ends_with_12(void)
{
    static const enum xp_state states[] = {XP_RESET, XP_INIT, XP_ERR};
    for (int i = 0; i < 3; i++) {
        struct rig_spec s = rig_spec();
        s.state_b = i == 2 ? XP_RTS : states[i];
        s.retry_cnt = 1;
        struct rig *r = rig_new(&s);
        if (i == 2)
            CHECK(rig_state(r, B, XP_ERR) == XP_OK);
        rig_sends(r, 1, 2, 100);
        rig_run_for(r, RIG_DELAY);
        ROW_INT(xp_state_name(states[i]), r->loop->end[B].rx.verdict, V_BAD_STATE);
        rig_run(r);
        ROW_TEXT(xp_state_name(states[i]), rig_packets(r, SHOW_ANSWERS), "");
        ROW_TEXT(xp_state_name(states[i]), rig_wcs(r, A), "1:12 2:5");
        ROW_INT(xp_state_name(states[i]), rig_state_of(r, B), states[i]);
        rig_free(r);
    }
}

static void lifecycle_reconnect_after_err_starts_anew(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 2, 100);
    rig_run_for(r, TM_NS);
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    TEXT_IS(rig_wcs(r, A), "1:5 2:5");
    CHECK(rig_state(r, A, XP_RESET) == XP_OK && rig_state(r, B, XP_RESET) == XP_OK);
    rig_run(r); /* packets of the former life meet RESET */
    rig_connect(r, A, XP_RTS);
    rig_connect(r, B, XP_RTS);
    rig_packets(r, SHOW_ALL);
    rig_recvs(r, 11, 1, 256);
    rig_sends(r, 3, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+100 ack.100/1");
    TEXT_IS(rig_wcs(r, A), "3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    rig_free(r);
}

static const struct test tests[] = {
    TEST(lifecycle_rc_matrix_is_the_table),
    TEST(lifecycle_uc_matrix_is_the_table),
    TEST(lifecycle_ud_matrix_is_the_table),
    TEST(lifecycle_xrc_matrices_are_the_table),
    TEST(lifecycle_each_missing_attribute_is_named),
    TEST(lifecycle_names_round_trip),
    TEST(lifecycle_wrong_transitions_are_einval_and_change_nothing),
    TEST(lifecycle_values_out_of_range_are_einval_and_change_nothing),
    TEST(lifecycle_cur_state_must_be_the_state),
    TEST(lifecycle_unknown_qp_and_cq_are_einval),
    TEST(lifecycle_posting_by_state_is_the_table),
    TEST(lifecycle_one_more_than_the_queue_holds_is_enomem),
    TEST(lifecycle_posting_what_cannot_be_is_refused),
    TEST(lifecycle_rtr_answers_and_reports_the_first_packet),
    TEST(lifecycle_rts_raises_no_comm_est),
    TEST(lifecycle_reset_init_err_drop_and_the_requester_ends_with_12),
    TEST(lifecycle_reconnect_after_err_starts_anew),
    TESTS_END};
const struct suite suite_lifecycle = {"lifecycle", tests};

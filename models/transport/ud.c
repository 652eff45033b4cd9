/*
 * UD, the unreliable datagram: its descriptor, and what a datagram has that no other packet has: an
 * address of its own, a Q_Key, a source, room for a GRH in the receive (IBA 9.8.3, 10.2.2.3).
 *
 * What does not fit is dropped in silence and uses up no receive; PSNs mean nothing.  The MTU is the
 * port's.  Left out: the bytes of the GRH, which the driver may write.
 */
#include "models/transport/service.h"

#define QKEY_OF_QP 0x80000000u

enum xp_verdict xp__check_qkey(struct xp_ctx *c)
{
    return c->e && c->e->qkey == c->at->qkey ? V_ACCEPT : V_BAD_QKEY;
}

/* By enum xp_policy_ud_oversize: what becomes of a send that no packet can hold. */
static const struct {
    bool refused; /* when posted */
    bool fails;   /* when its turn comes */
} oversize[] = {
    [XP_UD_OVERSIZE_SUCCESS] = {false, false},
    [XP_UD_OVERSIZE_LOC_LEN] = {false, true},
    [XP_UD_OVERSIZE_EINVAL] = {true, true},
};

bool xp__datagram_refused(const struct xp *x, const struct xp_qp *qp, uint32_t length)
{
    return xp__has_trait(qp, TRAIT_DATAGRAM) && length > x->profile.port_mtu &&
           oversize[x->profile.policy[XP_P_UD_OVERSIZE]].refused;
}

void xp__datagram_oversize(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    if (!oversize[x->profile.policy[XP_P_UD_OVERSIZE]].fails)
        xp__send_done(x, qp, a, XP_WC_SUCCESS);
    else
        xp__send_failed(x, qp,
                        (enum xp_status)xp__answer_remedy(x, qp, ANSWER_LOCAL_LENGTH)->status);
}

void xp__datagram_address(const struct xp *x, const struct xp_qp *qp, uint32_t i, struct xp_tx *tx)
{
    const struct xp_send_ext *to = xp__send_ext(x, i);
    bool own = to->remote_qkey & QKEY_OF_QP;

    tx->path = to->path;
    tx->hdr.dest_qp = to->remote_qpn;
    tx->ext = (struct wire_ext){
        .qkey = own ? xp__attrs(x, qp)->qkey : to->remote_qkey,
        .src_qp = xp__qpn(x, qp),
    };
}

void xp__datagram_source(const struct xp_ctx *c, struct xp_wc *wc)
{
    wc->src_qp = c->e->src_qp;
    wc->flags |= c->x->profile.grh ? XP_WC_GRH : 0;
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const resp_check checks[] = {
    xp__check_receiving,
    xp__check_header,
    xp__check_opcode,
    xp__check_qkey,
    xp__check_length,
    xp__check_recv,
    0,
};

static const resp_check answer_checks[] = {xp__check_receiving, xp__check_header, 0};

#define DROPPED                                                                                    \
    {                                                                                              \
        .deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_DROPPED                               \
    }

const struct xp_service xp__service_ud = {
    .name = "ud",
    .prefix = WIRE_UD,
    .traits = TRAIT_DATAGRAM,
    .headroom = XP_GRH_BYTES,
    .wr_ops = 1u << XP_WR_SEND | 1u << XP_WR_SEND_IMM,
    .request_ops = 1u << OP_SEND_ONLY | 1u << OP_SEND_ONLY_IMM,
    .send_error_state = XP_SQE,
    .checks = checks,
    .answer_checks = answer_checks,
    .remedy =
        {
            [V_ACCEPT] = {.deed = DEED_EXECUTE, .event = NO_EVENT},
            [V_DUPLICATE] = DROPPED,
            [V_GAP] = DROPPED,
            [V_GAP_AGAIN] = DROPPED,
            [V_BAD_ORDER] = DROPPED,
            [V_BAD_OPCODE] = DROPPED,
            [V_BAD_LENGTH] = DROPPED,
            [V_NO_RIGHT] = DROPPED,
            [V_BAD_KEY] = DROPPED,
            [V_NO_RECV] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_NO_RECV},
            [V_RECV_SHORT] = DROPPED,
            [V_RECV_BAD_KEY] = {.deed = DEED_DROP,
                                .recv_status = XP_WC_LOC_PROT_ERR,
                                .fatal = true,
                                .event = NO_EVENT,
                                .count = COUNT_DROPPED},
            [V_TOO_MANY_RD] = DROPPED,
            [V_SHORT_WRITE] = DROPPED,
            [V_RESTART] = DROPPED,
            [V_RESTART_WRITE] = DROPPED,
            [V_REPLAY] = DROPPED,
            [V_REPLAY_GONE] = DROPPED,
            [V_REPLAY_BAD_KEY] = DROPPED,
            [V_BAD_STATE] = DROPPED,
            [V_BAD_PKEY] = DROPPED,
            [V_BAD_QKEY] = DROPPED,
            [V_UNKNOWN_QP] = DROPPED,
            [V_WRONG_SERVICE] = DROPPED,
            [V_BAD_TVER] = DROPPED,
            [V_ANSWER] = DROPPED,
            [V_ANSWER_STALE] = DROPPED,
            [V_ANSWER_UNSENT] = DROPPED,
            [V_ANSWER_RESERVED] = DROPPED,
        },
    .answers = {[ANSWER_LOCAL_KEY] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_PROT_ERR},
                [ANSWER_LOCAL_LENGTH] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_LEN_ERR}},
    .life =
        {
            [LIFE_TO_INIT] = {true, XP_A_PKEY | XP_A_PORT | XP_A_QKEY, 0},
            [LIFE_IN_INIT] = {true, 0, XP_A_PKEY | XP_A_PORT | XP_A_QKEY},
            [LIFE_TO_RTR] = {true, 0, XP_A_PKEY | XP_A_QKEY},
            [LIFE_TO_RTS] = {true, XP_A_SQ_PSN, XP_A_CUR_STATE | XP_A_QKEY},
            [LIFE_IN_RTS] = {true, 0, XP_A_CUR_STATE | XP_A_QKEY},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0, XP_A_PKEY | XP_A_QKEY},
            [LIFE_SQE_TO_RTS] = {true, 0, XP_A_CUR_STATE | XP_A_QKEY},
            [LIFE_BARE] = {true, 0, 0},
        },
};

/*
 * UD, unreliable datagrams: its descriptor and the check that no other service has.
 *
 * Every request names its destination.  What does not fit is dropped without a word, and uses up no
 * receive; sequence numbers are counted but not looked at, so a copy is delivered again (IBA 9.8.3).
 */
#include "models/transport/service.h"

enum xp_verdict xp__check_qkey(struct xp_ctx *c)
{
    return c->e->qkey == c->at->qkey ? V_ACCEPT : V_BAD_QKEY;
}

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
    .recv_offset = XP_GRH_BYTES,
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
            [V_AHEAD] = DROPPED,
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
            [V_BAD_STATE] = DROPPED,
            [V_BAD_PKEY] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_BAD_PKEY},
            [V_UNKNOWN_QP] = DROPPED,
            [V_WRONG_SERVICE] = DROPPED,
            [V_BAD_TVER] = DROPPED,
            [V_TOO_MANY_RD] = DROPPED,
            [V_REPLAY] = DROPPED,
            [V_REPLAY_GONE] = DROPPED,
            [V_REPLAY_BAD_KEY] = DROPPED,
            [V_SHORT_WRITE] = DROPPED,
            [V_RESTART] = DROPPED,
            [V_RESTART_WRITE] = DROPPED,
            [V_RESTART_SRQ] = DROPPED,
            [V_BAD_QKEY] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_BAD_QKEY},
            [V_BAD_SRQ] = DROPPED,
            [V_BAD_INVALIDATE] = DROPPED,
            [V_BAD_RDD] = DROPPED,
            [V_RESYNC] = DROPPED,
            [V_ANSWER_ASTRAY] = DROPPED,
            [V_ANSWER] = DROPPED,
            [V_ANSWER_STALE] = DROPPED,
            [V_ANSWER_UNSENT] = DROPPED,
            [V_ANSWER_RESERVED] = DROPPED,
        },
    .answers =
        {
            [ANSWER_LOCAL_KEY] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_PROT_ERR},
            /* C10-93.1.1: nothing is sent and nothing is said */
            [ANSWER_LOCAL_LENGTH] = {.deed = ANSWER_COMPLETE},
        },
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

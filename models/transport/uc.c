/*
 * UC, the unreliable connection: its descriptor.
 *
 * Nothing is acknowledged or retried; what does not fit drops the message in progress, and the
 * next First or Only packet starts anew whatever its PSN.  A failing send stops the send queue
 * alone (SQE).
 */
#include "models/transport/service.h"

static const resp_check checks[] = {
    xp__check_receiving, xp__check_header, xp__check_opcode,
    xp__check_restart,   xp__check_length, xp__check_right,
    xp__check_recv,      xp__check_key,    0,
};

static const resp_check answer_checks[] = {xp__check_receiving, xp__check_header, 0};

#define DROPPED                                                                                    \
    {                                                                                              \
        .deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_DROPPED                               \
    }
#define LOST                                                                                       \
    {                                                                                              \
        .deed = DEED_DROP_MESSAGE, .event = NO_EVENT, .count = COUNT_DROPPED                       \
    }

const struct xp_service xp__service_uc = {
    .name = "uc",
    .prefix = WIRE_UC,
    .wr_ops = 1u << XP_WR_SEND | 1u << XP_WR_SEND_IMM | 1u << XP_WR_WRITE | 1u << XP_WR_WRITE_IMM |
              1u << XP_WR_BIND_MW | 1u << XP_WR_LOCAL_INV,
    .request_ops = (1u << (OP_WRITE_ONLY_IMM + 1)) - 1,
    .send_error_state = XP_SQE,
    .checks = checks,
    .answer_checks = answer_checks,
    .remedy =
        {
            [V_ACCEPT] = {.deed = DEED_EXECUTE, .event = NO_EVENT},
            [V_DUPLICATE] = LOST,
            [V_GAP] = {.deed = DEED_DROP_MESSAGE, .event = NO_EVENT, .count = COUNT_AHEAD},
            [V_GAP_AGAIN] = LOST,
            [V_AHEAD] = LOST,
            [V_BAD_ORDER] = LOST,
            [V_BAD_OPCODE] = LOST,
            [V_BAD_LENGTH] = LOST,
            [V_NO_RIGHT] = LOST,
            [V_BAD_KEY] = LOST,
            [V_NO_RECV] = {.deed = DEED_DROP_MESSAGE, .event = NO_EVENT, .count = COUNT_NO_RECV},
            [V_RECV_SHORT] = LOST,
            [V_RECV_BAD_KEY] = {.deed = DEED_DROP_MESSAGE,
                                .recv_status = XP_WC_LOC_PROT_ERR,
                                .fatal = true,
                                .event = NO_EVENT,
                                .count = COUNT_DROPPED},
            [V_BAD_QKEY] = DROPPED,
            [V_BAD_SRQ] = DROPPED,
            [V_TOO_MANY_RD] = LOST,
            [V_SHORT_WRITE] = LOST,
            [V_RESTART] = {.deed = DEED_EXECUTE, .event = NO_EVENT},
            [V_RESTART_WRITE] = {.deed = DEED_EXECUTE, .event = NO_EVENT},
            [V_RESTART_SRQ] = {.deed = DEED_EXECUTE, .event = NO_EVENT},
            [V_REPLAY] = DROPPED,
            [V_REPLAY_GONE] = DROPPED,
            [V_REPLAY_BAD_KEY] = DROPPED,
            [V_BAD_STATE] = DROPPED,
            [V_BAD_PKEY] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_BAD_PKEY},
            [V_UNKNOWN_QP] = DROPPED,
            [V_WRONG_SERVICE] = DROPPED,
            [V_BAD_TVER] = DROPPED,
            [V_BAD_INVALIDATE] = LOST,
            [V_BAD_RDD] = DROPPED,
            [V_RESYNC] = DROPPED,
            [V_ANSWER_ASTRAY] = DROPPED,
            [V_ANSWER] = DROPPED,
            [V_ANSWER_STALE] = DROPPED,
            [V_ANSWER_UNSENT] = DROPPED,
            [V_ANSWER_RESERVED] = DROPPED,
        },
    .answers = {[ANSWER_LOCAL_KEY] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_PROT_ERR},
                [ANSWER_LOCAL_LENGTH] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_LEN_ERR}},
    .life =
        {
            [LIFE_TO_INIT] = {true, XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0},
            [LIFE_IN_INIT] = {true, 0, XP_A_PKEY | XP_A_PORT | XP_A_ACCESS},
            [LIFE_TO_RTR] = {true, XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN,
                             XP_A_ALT_PATH | XP_A_ACCESS | XP_A_PKEY},
            [LIFE_TO_RTS] = {true, XP_A_SQ_PSN,
                             XP_A_CUR_STATE | XP_A_ACCESS | XP_A_ALT_PATH | XP_A_MIG_STATE},
            [LIFE_IN_RTS] = {true, 0,
                             XP_A_CUR_STATE | XP_A_ACCESS | XP_A_ALT_PATH | XP_A_MIG_STATE},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0,
                             XP_A_PKEY | XP_A_AV | XP_A_ALT_PATH | XP_A_ACCESS | XP_A_MIG_STATE},
            [LIFE_SQE_TO_RTS] = {true, 0, XP_A_CUR_STATE | XP_A_ACCESS},
            [LIFE_BARE] = {true, 0, 0},
        },
};

/*
 * RC, the reliable connection: its descriptor.
 *
 * The remedies are the responder-error table of IBA 9.9.3 ("What fails a request"); the answers
 * are the requester's of 9.9.2.
 */
#include "models/transport/service.h"

static const resp_check checks[] = {
    xp__check_receiving,
    xp__check_header,
    xp__check_psn,
    xp__check_opcode,
    xp__check_order,
    xp__check_length,
    xp__check_right,
    xp__check_recv,
    xp__check_key,
    xp__check_resources,
    0,
};

static const resp_check answer_checks[] = {xp__check_sending, xp__check_header, 0};

#define DROPPED                                                                                    \
    {                                                                                              \
        .deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_DROPPED                               \
    }
#define INVALID_REQUEST                                                                            \
    {                                                                                              \
        .deed = DEED_NAK, .nak = NAK_INV_REQ, .recv_status = XP_WC_REM_INV_REQ_ERR, .fatal = true, \
        .event = XP_EV_QP_REQ_ERR                                                                  \
    }

const struct xp_service xp__service_rc = {
    .name = "rc",
    .prefix = WIRE_RC,
    .traits = TRAIT_ACKED | TRAIT_CREDITS,
    .wr_ops = 1u << XP_WR_SEND | 1u << XP_WR_SEND_IMM | 1u << XP_WR_WRITE | 1u << XP_WR_WRITE_IMM |
              1u << XP_WR_READ | 1u << XP_WR_CMP_SWAP | 1u << XP_WR_FETCH_ADD,
    .request_ops = ((1u << (OP_READ_REQUEST + 1)) - 1) | 1u << OP_CMP_SWAP | 1u << OP_FETCH_ADD,
    .send_error_state = XP_ERR,
    .checks = checks,
    .answer_checks = answer_checks,
    .remedy =
        {
            [V_ACCEPT] = {.deed = DEED_EXECUTE, .event = NO_EVENT},
            [V_DUPLICATE] = {.deed = DEED_ACK_AGAIN, .event = NO_EVENT, .count = COUNT_DUPLICATE},
            [V_GAP] =
                {.deed = DEED_NAK, .nak = NAK_PSN_SEQ, .event = NO_EVENT, .count = COUNT_AHEAD},
            [V_GAP_AGAIN] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_AHEAD},
            [V_BAD_ORDER] = INVALID_REQUEST,
            [V_BAD_OPCODE] = INVALID_REQUEST,
            [V_BAD_LENGTH] = INVALID_REQUEST,
            [V_NO_RIGHT] = INVALID_REQUEST,
            [V_BAD_KEY] = {.deed = DEED_NAK,
                           .nak = NAK_REM_ACCESS,
                           .fatal = true,
                           .event = XP_EV_QP_ACCESS_ERR},
            [V_NO_RECV] = {.deed = DEED_RNR_NAK, .event = NO_EVENT, .count = COUNT_NO_RECV},
            [V_RECV_SHORT] = {.deed = DEED_NAK,
                              .nak = NAK_INV_REQ,
                              .recv_status = XP_WC_LOC_LEN_ERR,
                              .fatal = true,
                              .event = NO_EVENT},
            [V_RECV_BAD_KEY] = {.deed = DEED_NAK,
                                .nak = NAK_REM_OP,
                                .recv_status = XP_WC_LOC_PROT_ERR,
                                .fatal = true,
                                .event = NO_EVENT},
            [V_TOO_MANY_RD] = INVALID_REQUEST,
            [V_SHORT_WRITE] = INVALID_REQUEST,
            [V_RESTART] = INVALID_REQUEST,
            [V_RESTART_WRITE] = INVALID_REQUEST,
            [V_REPLAY] = {.deed = DEED_REPLAY, .event = NO_EVENT, .count = COUNT_DUPLICATE},
            [V_REPLAY_GONE] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_DUPLICATE},
            [V_REPLAY_BAD_KEY] = {.deed = DEED_NAK,
                                  .nak = NAK_REM_ACCESS,
                                  .fatal = true,
                                  .event = XP_EV_QP_ACCESS_ERR,
                                  .count = COUNT_DUPLICATE},
            [V_BAD_STATE] = DROPPED,
            [V_BAD_PKEY] = DROPPED,
            [V_UNKNOWN_QP] = DROPPED,
            [V_WRONG_SERVICE] = DROPPED,
            [V_BAD_TVER] = DROPPED,
            [V_ANSWER] = {.deed = DEED_DROP, .event = NO_EVENT},
            [V_ANSWER_STALE] = DROPPED,
            [V_ANSWER_UNSENT] = DROPPED,
            [V_ANSWER_RESERVED] = DROPPED,
        },
    .answers =
        {
            [ANSWER_ACK] = {.deed = ANSWER_COMPLETE},
            [ANSWER_RNR_NAK] = {.deed = ANSWER_WAIT},
            [ANSWER_NAK_PSN_SEQ] = {.deed = ANSWER_RETRY},
            [ANSWER_NAK_INV_REQ] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_INV_REQ_ERR},
            [ANSWER_NAK_REM_ACCESS] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_ACCESS_ERR},
            [ANSWER_NAK_REM_OP] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_OP_ERR},
            [ANSWER_NAK_INV_RD] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_INV_RD_REQ_ERR},
            [ANSWER_UNSENT] = {.deed = ANSWER_IGNORE},
            [ANSWER_DATA] = {.deed = ANSWER_TAKE},
            [ANSWER_WRONG_LENGTH] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_LEN_ERR},
            [ANSWER_NO_ROOM] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_PROT_ERR},
            [ANSWER_HOLE] = {.deed = ANSWER_IMPLY},
            [ANSWER_HOLE_WITHIN] = {.deed = ANSWER_IMPLY},
            [ANSWER_ACK_OF_ATOMIC] = {.deed = ANSWER_IMPLY},
            [ANSWER_UNEXPECTED] = {.deed = ANSWER_FAIL, .status = XP_WC_BAD_RESP_ERR},
            [ANSWER_RESERVED] = {.deed = ANSWER_IGNORE},
            [ANSWER_LOCAL_KEY] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_PROT_ERR},
            [ANSWER_LOCAL_LENGTH] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_LEN_ERR},
        },
    .life =
        {
            [LIFE_TO_INIT] = {true, XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0},
            [LIFE_IN_INIT] = {true, 0, XP_A_PKEY | XP_A_PORT | XP_A_ACCESS},
            [LIFE_TO_RTR] = {true,
                             XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN |
                                 XP_A_MAX_DEST_RD | XP_A_MIN_RNR,
                             XP_A_ALT_PATH | XP_A_ACCESS | XP_A_PKEY},
            [LIFE_TO_RTS] =
                {true, XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD,
                 XP_A_CUR_STATE | XP_A_ACCESS | XP_A_ALT_PATH | XP_A_MIG_STATE | XP_A_MIN_RNR},
            [LIFE_IN_RTS] = {true, 0,
                             XP_A_CUR_STATE | XP_A_ACCESS |
                                 XP_A_ALT_PATH | XP_A_MIG_STATE | XP_A_MIN_RNR},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0,
                             XP_A_PKEY | XP_A_AV | XP_A_ALT_PATH | XP_A_ACCESS |
                                 XP_A_MIG_STATE | XP_A_PORT | XP_A_TIMEOUT |
                                 XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD | XP_A_MAX_DEST_RD |
                                 XP_A_MIN_RNR},
            [LIFE_BARE] = {true, 0, 0},
        },
};

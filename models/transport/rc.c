/*
 * RC, the reliable connection: its descriptor.
 *
 * The remedies are the responder-error table of IBA 9.9.3 ("What fails a request"); the answers
 * are the requester's of 9.9.2.
 */
#include "models/transport/reliable.h"
#include "models/transport/service.h"

static const resp_check checks[] = {xp__check_request, 0};

static const resp_check answer_checks[] = {xp__check_answer, 0};

const struct xp_service xp__service_rc = {
    .name = "rc",
    .prefix = WIRE_RC,
    .traits = TRAIT_ACKED | TRAIT_CREDITS,
    .wr_ops = 1u << XP_WR_SEND | 1u << XP_WR_SEND_IMM | 1u << XP_WR_WRITE | 1u << XP_WR_WRITE_IMM |
              1u << XP_WR_READ | 1u << XP_WR_CMP_SWAP | 1u << XP_WR_FETCH_ADD |
              1u << XP_WR_SEND_INV | 1u << XP_WR_BIND_MW | 1u << XP_WR_LOCAL_INV,
    .request_ops = ((1u << (OP_READ_REQUEST + 1)) - 1) | 1u << OP_CMP_SWAP | 1u << OP_FETCH_ADD |
                   1u << OP_SEND_LAST_INV | 1u << OP_SEND_ONLY_INV,
    .send_error_state = XP_ERR,
    .checks = checks,
    .answer_checks = answer_checks,
    .remedy = {RELIABLE_REMEDIES},
    .answers = {RELIABLE_ANSWERS},
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
                             XP_A_CUR_STATE | XP_A_ACCESS | XP_A_ALT_PATH | XP_A_MIG_STATE |
                                 XP_A_MIN_RNR},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0,
                             XP_A_PKEY | XP_A_AV | XP_A_ALT_PATH | XP_A_ACCESS | XP_A_MIG_STATE |
                                 XP_A_PORT | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY |
                                 XP_A_MAX_RD | XP_A_MAX_DEST_RD | XP_A_MIN_RNR},
            [LIFE_BARE] = {true, 0, 0},
        },
};

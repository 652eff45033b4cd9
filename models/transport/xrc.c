/*
 * XRC, the extended reliable connection: descriptors of its two kinds of QP (IBA annex A14).
 *
 * An initiator sends and hears answers; a target hears requests, each of which names the shared
 * receive queue whose protection domain governs it and whose receives it takes.  In between it is a
 * reliable connection like RC, without credits.
 */
#include "models/transport/reliable.h"
#include "models/transport/service.h"

static enum xp_verdict check_nothing_comes(struct xp_ctx *c) { return V_WRONG_SERVICE; }

static const resp_check nothing[] = {check_nothing_comes, 0};

static const resp_check requests[] = {
    xp__check_receiving,
    xp__check_header,
    xp__check_psn,
    xp__check_opcode,
    xp__check_order,
    xp__check_length,
    xp__check_right,
    xp__check_srq,
    xp__check_recv,
    xp__check_key,
    0,
};

static const resp_check answers[] = {xp__check_sending, xp__check_header, 0};

#define CHANGEABLE (XP_A_CUR_STATE | XP_A_ACCESS | XP_A_ALT_PATH | XP_A_MIG_STATE)
#define DRAINED                                                                                    \
    (XP_A_PKEY | XP_A_AV | XP_A_ALT_PATH | XP_A_ACCESS | XP_A_MIG_STATE | XP_A_PORT | XP_A_TIMEOUT)

const struct xp_service xp__service_xrc_ini = {
    .name = "xrc_ini",
    .family = "xrc",
    .prefix = WIRE_XRC,
    .traits = TRAIT_ACKED | TRAIT_SRQ_BY_NUMBER | TRAIT_NO_RECV,
    .wr_ops = 1u << XP_WR_SEND | 1u << XP_WR_SEND_IMM | 1u << XP_WR_WRITE | 1u << XP_WR_WRITE_IMM |
              1u << XP_WR_READ | 1u << XP_WR_CMP_SWAP | 1u << XP_WR_FETCH_ADD |
              1u << XP_WR_SEND_INV | 1u << XP_WR_BIND_MW | 1u << XP_WR_LOCAL_INV,
    .send_error_state = XP_ERR,
    .checks = nothing,
    .answer_checks = answers,
    .remedy = {RELIABLE_REMEDIES},
    .answers = {RELIABLE_ANSWERS},
    .life =
        {
            [LIFE_TO_INIT] = {true, XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0},
            [LIFE_IN_INIT] = {true, 0, XP_A_PKEY | XP_A_PORT | XP_A_ACCESS},
            [LIFE_TO_RTR] = {true, XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN,
                             XP_A_ALT_PATH | XP_A_ACCESS | XP_A_PKEY},
            [LIFE_TO_RTS] = {true,
                             XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY |
                                 XP_A_MAX_RD,
                             CHANGEABLE},
            [LIFE_IN_RTS] = {true, 0, CHANGEABLE},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0, DRAINED | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD},
            [LIFE_BARE] = {true, 0, 0},
        },
};

const struct xp_service xp__service_xrc_tgt = {
    .name = "xrc_tgt",
    .family = "xrc",
    .prefix = WIRE_XRC,
    .traits = TRAIT_ACKED | TRAIT_SRQ_BY_NUMBER | TRAIT_NO_RECV,
    .request_ops = ((1u << (OP_READ_REQUEST + 1)) - 1) | 1u << OP_CMP_SWAP | 1u << OP_FETCH_ADD |
                   1u << OP_SEND_LAST_INV | 1u << OP_SEND_ONLY_INV,
    .send_error_state = XP_ERR,
    .checks = requests,
    .answer_checks = nothing,
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
            [LIFE_TO_RTS] = {true, XP_A_SQ_PSN | XP_A_TIMEOUT, CHANGEABLE | XP_A_MIN_RNR},
            [LIFE_IN_RTS] = {true, 0, CHANGEABLE | XP_A_MIN_RNR},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0, DRAINED | XP_A_MAX_DEST_RD | XP_A_MIN_RNR},
            [LIFE_BARE] = {true, 0, 0},
        },
};

/*
 * The rows that all reliable connections share: what follows from a request's verdict (IBA 9.9.3,
 * "What fails a request") and from an answer (9.9.2).
 */
#ifndef XP_RELIABLE_H
#define XP_RELIABLE_H

#define RELIABLE_DROPPED                                                                           \
    {                                                                                              \
        .deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_DROPPED                               \
    }
#define RELIABLE_REFUSED                                                                           \
    {                                                                                              \
        .deed = DEED_NAK, .nak = NAK_INV_REQ, .recv_status = XP_WC_REM_INV_REQ_ERR, .fatal = true, \
        .event = XP_EV_QP_REQ_ERR                                                                  \
    }

#define RELIABLE_COMMON_REMEDIES                                                                          \
    [V_ACCEPT] = {.deed = DEED_EXECUTE, .event = NO_EVENT},                                        \
    [V_DUPLICATE] = {.deed = DEED_ACK_AGAIN, .event = NO_EVENT, .count = COUNT_DUPLICATE},         \
    [V_GAP] = {.deed = DEED_NAK, .nak = NAK_PSN_SEQ, .event = NO_EVENT, .count = COUNT_AHEAD},     \
    [V_GAP_AGAIN] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_AHEAD},                  \
    [V_BAD_ORDER] = RELIABLE_REFUSED, [V_BAD_OPCODE] = RELIABLE_REFUSED,                           \
    [V_BAD_LENGTH] = RELIABLE_REFUSED, [V_NO_RIGHT] = RELIABLE_REFUSED,                            \
    [V_BAD_KEY] = {.deed = DEED_NAK,                                                               \
                   .nak = NAK_REM_ACCESS,                                                          \
                   .fatal = true,                                                                  \
                   .event = XP_EV_QP_ACCESS_ERR},                                                  \
    [V_NO_RECV] = {.deed = DEED_RNR_NAK, .event = NO_EVENT, .count = COUNT_NO_RECV},               \
    [V_RECV_SHORT] = {.deed = DEED_NAK,                                                            \
                      .nak = NAK_INV_REQ,                                                          \
                      .recv_status = XP_WC_LOC_LEN_ERR,                                            \
                      .fatal = true,                                                               \
                      .event = NO_EVENT},                                                          \
    [V_RECV_BAD_KEY] = {.deed = DEED_NAK,                                                          \
                        .nak = NAK_REM_OP,                                                         \
                        .recv_status = XP_WC_LOC_PROT_ERR,                                         \
                        .fatal = true,                                                             \
                        .event = NO_EVENT},                                                        \
    [V_TOO_MANY_RD] = RELIABLE_REFUSED, [V_SHORT_WRITE] = RELIABLE_REFUSED,                        \
    [V_AHEAD] = {.deed = DEED_HOLD, .nak = NAK_PSN_SEQ, .event = NO_EVENT, .count = COUNT_AHEAD},  \
    [V_RESTART] = RELIABLE_REFUSED, [V_RESTART_WRITE] = RELIABLE_REFUSED,                          \
    [V_RESTART_SRQ] = RELIABLE_REFUSED,                                                            \
    [V_REPLAY] = {.deed = DEED_REPLAY, .event = NO_EVENT, .count = COUNT_DUPLICATE},               \
    [V_REPLAY_GONE] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_DUPLICATE},            \
    [V_REPLAY_BAD_KEY] = {.deed = DEED_NAK,                                                        \
                          .nak = NAK_REM_ACCESS,                                                   \
                          .fatal = true,                                                           \
                          .event = XP_EV_QP_ACCESS_ERR,                                            \
                          .count = COUNT_DUPLICATE},                                               \
    [V_BAD_INVALIDATE] = {.deed = DEED_DROP,                                                        \
                          .recv_status = XP_WC_MW_BIND_ERR,                                         \
                          .fatal = true,                                                            \
                          .event = NO_EVENT},                                                       \
    [V_BAD_SRQ] = RELIABLE_REFUSED,                                                                \
    [V_BAD_STATE] = RELIABLE_DROPPED,                                                              \
    [V_BAD_PKEY] = {.deed = DEED_DROP, .event = NO_EVENT, .count = COUNT_BAD_PKEY},                \
    [V_UNKNOWN_QP] = RELIABLE_DROPPED, [V_WRONG_SERVICE] = RELIABLE_DROPPED,                       \
    [V_BAD_TVER] = RELIABLE_DROPPED, [V_ANSWER] = {.deed = DEED_DROP, .event = NO_EVENT},          \
    [V_ANSWER_STALE] = RELIABLE_DROPPED, [V_ANSWER_UNSENT] = RELIABLE_DROPPED,                     \
    [V_ANSWER_RESERVED] = RELIABLE_DROPPED,

#define RELIABLE_COMMON_ANSWERS                                                                           \
    [ANSWER_ACK] = {.deed = ANSWER_COMPLETE},                                                      \
    [ANSWER_NAK_PSN_SEQ] = {.deed = ANSWER_RETRY},                                                 \
    [ANSWER_NAK_INV_REQ] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_INV_REQ_ERR},                 \
    [ANSWER_NAK_REM_ACCESS] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_ACCESS_ERR},               \
    [ANSWER_NAK_REM_OP] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_OP_ERR},                       \
    [ANSWER_NAK_INV_RD] = {.deed = ANSWER_FAIL, .status = XP_WC_REM_INV_RD_REQ_ERR},               \
    [ANSWER_UNSENT] = {.deed = ANSWER_IGNORE}, [ANSWER_DATA] = {.deed = ANSWER_TAKE},              \
    [ANSWER_WRONG_LENGTH] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_LEN_ERR},                    \
    [ANSWER_NO_ROOM] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_PROT_ERR},                        \
    [ANSWER_HOLE] = {.deed = ANSWER_IMPLY}, [ANSWER_HOLE_WITHIN] = {.deed = ANSWER_IMPLY},         \
    [ANSWER_ACK_OF_ATOMIC] = {.deed = ANSWER_IMPLY},                                               \
    [ANSWER_UNEXPECTED] = {.deed = ANSWER_FAIL, .status = XP_WC_BAD_RESP_ERR},                     \
    [ANSWER_RESERVED] = {.deed = ANSWER_IGNORE},                                                   \
    [ANSWER_NAK_RESERVED] = {.deed = ANSWER_IGNORE},                                               \
    [ANSWER_LOCAL_KEY] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_PROT_ERR},                      \
    [ANSWER_LOCAL_LENGTH] = {.deed = ANSWER_FAIL, .status = XP_WC_LOC_LEN_ERR},

/* Where the connection is the QP's own. */
#define RELIABLE_REMEDIES                                                                          \
    RELIABLE_COMMON_REMEDIES                                                                       \
    [V_BAD_QKEY] = RELIABLE_DROPPED, [V_BAD_RDD] = RELIABLE_DROPPED,                               \
    [V_RESYNC] = RELIABLE_DROPPED, [V_ANSWER_ASTRAY] = RELIABLE_DROPPED,

#define RELIABLE_ANSWERS                                                                           \
    RELIABLE_COMMON_ANSWERS                                                                        \
    [ANSWER_RNR_NAK] = {.deed = ANSWER_WAIT},

#endif

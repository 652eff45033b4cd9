/* Names of states, attributes, statuses and verdicts, for messages, traces and result files. */
#include "models/transport/xp.h"

static const char *const state_names[XP_STATES] = {"RESET", "INIT", "RTR", "RTS",
                                                   "SQD",   "SQE",  "ERR"};

/* By bit number of enum xp_attr_bit. */
static const char *const attr_names[] = {
    "state",          "cur_state",
    "pkey",           "port",
    "access",         "av",
    "path_mtu",       "dest_qp",
    "rq_psn",         "max_dest_rd_atomic",
    "min_rnr_timer",  "sq_psn",
    "timeout",        "retry_cnt",
    "rnr_retry",      "max_rd_atomic",
    "qkey",           "alt_path",
    "path_mig_state", "en_sqd_async_notify",
};

static const char *const status_names[XP_WC_STATUSES] = {
    "SUCCESS",          "LOC_LEN_ERR",       "LOC_QP_OP_ERR",     "LOC_EEC_OP_ERR",
    "LOC_PROT_ERR",     "WR_FLUSH_ERR",      "MW_BIND_ERR",       "BAD_RESP_ERR",
    "LOC_ACCESS_ERR",   "REM_INV_REQ_ERR",   "REM_ACCESS_ERR",    "REM_OP_ERR",
    "RETRY_EXC_ERR",    "RNR_RETRY_EXC_ERR", "LOC_RDD_VIOL_ERR",  "REM_INV_RD_REQ_ERR",
    "REM_ABORT_ERR",    "INV_EECN_ERR",      "INV_EEC_STATE_ERR", "FATAL_ERR",
    "RESP_TIMEOUT_ERR", "GENERAL_ERR",
};

static const char *const verdict_names[V_COUNT] = {
    [V_ACCEPT] = "accept",
    [V_DUPLICATE] = "duplicate",
    [V_GAP] = "gap",
    [V_GAP_AGAIN] = "gap_again",
    [V_BAD_ORDER] = "bad_order",
    [V_BAD_OPCODE] = "bad_opcode",
    [V_BAD_LENGTH] = "bad_length",
    [V_NO_RIGHT] = "no_right",
    [V_BAD_KEY] = "bad_key",
    [V_NO_RECV] = "no_recv",
    [V_RECV_SHORT] = "recv_short",
    [V_RECV_BAD_KEY] = "recv_bad_key",
    [V_BAD_STATE] = "bad_state",
    [V_BAD_PKEY] = "bad_pkey",
    [V_UNKNOWN_QP] = "unknown_qp",
    [V_WRONG_SERVICE] = "wrong_service",
    [V_BAD_TVER] = "bad_tver",
    [V_TOO_MANY_RD] = "too_many_rd",
    [V_REPLAY] = "replay",
    [V_REPLAY_GONE] = "replay_gone",
    [V_REPLAY_BAD_KEY] = "replay_bad_key",
    [V_SHORT_WRITE] = "short_write",
    [V_AHEAD] = "ahead",
    [V_RESTART] = "restart",
    [V_RESTART_WRITE] = "restart_write",
    [V_BAD_INVALIDATE] = "bad_invalidate",
    [V_BAD_RDD] = "bad_rdd",
    [V_RESYNC] = "resync",
    [V_ANSWER_ASTRAY] = "answer_astray",
    [V_RESTART_SRQ] = "restart_srq",
    [V_BAD_QKEY] = "bad_qkey",
    [V_BAD_SRQ] = "bad_srq",
    [V_ANSWER] = "answer",
    [V_ANSWER_STALE] = "answer_stale",
    [V_ANSWER_UNSENT] = "answer_unsent",
    [V_ANSWER_RESERVED] = "answer_reserved",
};

const char *xp_state_name(enum xp_state s) { return (unsigned)s < XP_STATES ? state_names[s] : 0; }

const char *xp_attr_name(enum xp_attr_bit bit)
{
    for (unsigned i = 0; i < sizeof attr_names / sizeof attr_names[0]; i++) {
        if ((unsigned)bit == 1u << i)
            return attr_names[i];
    }
    return 0;
}

const char *xp_status_name(enum xp_status s)
{
    return (unsigned)s < XP_WC_STATUSES ? status_names[s] : 0;
}

const char *xp_verdict_name(enum xp_verdict v)
{
    return (unsigned)v < V_COUNT ? verdict_names[v] : 0;
}

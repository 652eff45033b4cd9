/*
 * Counts of a core and of its QPs: statistics, not state.  Part of xp.h, which includes it.
 */
#ifndef XP_COUNTS_H
#define XP_COUNTS_H

#include "models/transport/xp.h"

/* Counts of one core since birth; statistics, not state. */
struct xp_counts {
    uint64_t request_packets, requests_retransmitted; /* pulled */
    uint64_t acks_sent, naks_sent, rnr_naks_sent;
    uint64_t acks_received, naks_received, rnr_naks_received;
    uint64_t responses_received;
    uint64_t ack_timeouts, early_retransmissions;
    uint64_t duplicates, out_of_sequence, no_recv, dropped;
    uint64_t responses_repeated; /* answers to duplicates, when they are made */
    uint64_t retry_exceeded, rnr_exceeded;
    uint64_t bad_qkey, bad_pkey;
    uint64_t accepted[CLASS_COUNT];         /* requests, as the QP sees them: before their key is looked at */
    uint64_t key_refused;                   /* of them */
    uint64_t sends_ended[XP_WC_STATUSES], recvs_ended[XP_WC_STATUSES]; /* completions in error */
    uint64_t sends_to_dead;                 /* of those: posted where all flush */
};
const struct xp_counts *xp_counts(const struct xp *x);

/* The part of them that one QP moved; zeroes for a QP that never met trouble. */
struct xp_qp_counts {
    uint32_t packet_seq_err, implied_nak_seq_err, rnr_nak_retry_err, local_ack_timeout_err, out_of_sequence, duplicate_request,
        out_of_buffer, retransmitted, roce_adp_retrans;
};
void xp_qp_counts(const struct xp *x, uint32_t qpn, struct xp_qp_counts *out);
/* The sum over all QPs there are. */
void xp_qp_counts_sum(const struct xp *x, struct xp_qp_counts *out);

#endif

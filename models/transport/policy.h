/*
 * What adapters choose by name.  Part of xp.h, which includes it.
 *
 * A policy is a number that indexes a table in the file that asks: no code names an adapter.  What a
 * row of a service's table says is not here.
 */
#ifndef XP_POLICY_H
#define XP_POLICY_H

/*
 * Choices by name where adapters differ and no row of a table says it.  The first of each is what
 * the specification says.
 */
enum xp_policy {
    XP_P_DUP_ACK,      /* what a repeated SEND or WRITE is acknowledged with: before_read, newest */
    XP_P_DUP_ACK_WHEN, /* if it asks, or always: asked, always */
    XP_P_READ_RESUME,  /* a READ asked for from its middle starts with FIRST, or goes on: first, middle */
    XP_P_READ_AGAIN,   /* a READ asked for again is answered in its place, or behind all: in_place, behind */
    XP_P_RNR_TIMER,    /* the ACK timer during an RNR wait: stops, runs */
    XP_P_ERR_RECV,     /* a receive posted in ERR: flush, keep */
    XP_P_RNR_SILENCE,  /* a gap behind an RNR NAK is not NAKed, or is: kept, broken */
    XP_P_LONG_DATAGRAM, /* one over the port's MTU, when posted: taken, refused */
    XP_P_NAK_PROGRESS, /* a NAK that acknowledges a part of its message: restores retries, or none */
    XP_P_NAK,          /* a gap is NAKed once, or with every packet behind it: once, repeated */
    XP_P_WRITE_CHECK,  /* the range of a WRITE of several packets: whole, packet */
    XP_P_ERROR_PSN,    /* sq_psn of a QP that a NAK has ended: next, refused */
    XP_POLICIES
};
enum xp_policy_dup_ack { XP_DUP_ACK_BEFORE_READ, XP_DUP_ACK_NEWEST };
enum xp_policy_dup_ack_when { XP_DUP_ACK_ASKED, XP_DUP_ACK_ALWAYS };
enum xp_policy_nak { XP_NAK_ONCE, XP_NAK_REPEATED };
enum xp_policy_nak_progress { XP_NAK_PROGRESS_RESTORES, XP_NAK_PROGRESS_NONE };
enum xp_policy_rnr_silence { XP_RNR_SILENCE_KEPT, XP_RNR_SILENCE_BROKEN };
enum xp_policy_long_datagram { XP_LONG_DATAGRAM_TAKEN, XP_LONG_DATAGRAM_REFUSED };
enum xp_policy_rnr_timer { XP_RNR_TIMER_STOPS, XP_RNR_TIMER_RUNS };
enum xp_policy_err_recv { XP_ERR_RECV_FLUSH, XP_ERR_RECV_KEEP };
enum xp_policy_read_again { XP_READ_AGAIN_IN_PLACE, XP_READ_AGAIN_BEHIND };
enum xp_policy_read_resume { XP_READ_RESUME_FIRST, XP_READ_RESUME_MIDDLE };
enum xp_policy_error_psn { XP_ERROR_PSN_NEXT, XP_ERROR_PSN_REFUSED };
enum xp_policy_write_check { XP_WRITE_CHECK_WHOLE, XP_WRITE_CHECK_PACKET };

#endif

/*
 * What the core's files offer each other.  Their callers are in this folder alone; the rules that
 * all keep are state.h's.
 */
#ifndef XP_PARTS_H
#define XP_PARTS_H

#include "models/transport/state.h"

/* Apart from the code that runs for every packet, so that it does not weigh on that. */
#define RARE __attribute__((noinline, cold))

/* core.c */
void xp__event(struct xp *x, enum xp_event_kind kind, uint32_t qpn);
void xp__note_add(struct xp *x, enum xp_note_kind kind, uint32_t qpn, tm_ps until, uint32_t value);
static inline void xp__note(struct xp *x, enum xp_note_kind kind, uint32_t qpn, tm_ps until,
                            uint32_t value)
{
    if (__builtin_expect(x->notes_on, 0))
        xp__note_add(x, kind, qpn, until, value);
}

/* attrs.c */
/* The set equal to *a, with one more reference; 0: pool exhausted. */
uint32_t xp__attrs_intern(struct xp *x, const struct xp_attrs *a);
void xp__attrs_release(struct xp *x, uint32_t set);

/* active.c */
struct xp_active *xp__take_active(struct xp *x, struct xp_qp *qp);
/* The QP's active part, taken if it has none; NULL: pool exhausted. */
static inline struct xp_active *xp__activate(struct xp *x, struct xp_qp *qp)
{
    return qp->active ? xp__active(x, qp->active) : xp__take_active(x, qp);
}
void xp__settle_active(struct xp *x, struct xp_qp *qp, struct xp_active *a);
/* To be called when a QP may have come to rest or to have work: returns or lists it. */
static inline void xp__settle(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *a = xp__active_of(x, qp);
    /* Busy, and the driver knows: the common case in the middle of a transfer. */
    if (a && !(qp->wake != WAKE_ASLEEP && (a->req.head || a->answer_head)))
        xp__settle_active(x, qp, a);
}
void xp__drop_answers(struct xp *x, struct xp_active *a);
/* Forgets all work, without completions. */
void xp__deactivate(struct xp *x, struct xp_qp *qp);

/* sge.c */
/* What a request's segments come to; `list` if there are two or more that are not empty. */
struct xp_sges {
    uint64_t bytes;
    struct xp_sge one; /* the only one, if it is no list */
    bool list;
};
struct xp_sges xp__sges(const struct xp_sge *first, const struct xp_sge *rest, uint32_t rest_count);
/* The segments as a list; 0: pool exhausted. */
uint32_t xp__list_make(struct xp *x, const struct xp_sge *first, const struct xp_sge *rest,
                       uint32_t rest_count);
void xp__list_drop(struct xp *x, uint32_t list);
/* Each segment may be used so, whole. */
bool xp__list_check(const struct xp *x, uint32_t list, uint32_t pd, uint32_t use);
/* Bytes [offset, offset + bytes) of a list: into *seg and then rest[]; how many they are, at least 1. */
uint32_t xp__segments(const struct xp *x, uint32_t list, uint32_t offset, uint32_t bytes,
                      struct xp_seg *seg, struct xp_seg *rest);
static inline void xp__send_give(struct xp *x, uint32_t i)
{
    if (__builtin_expect(xp__send(x, i)->flags & WQE_LIST, 0))
        xp__list_drop(x, xp__send(x, i)->lkey);
    xp__give(x, POOL_SEND_WQE, i);
}
static inline void xp__recv_give(struct xp *x, uint32_t i)
{
    if (__builtin_expect(xp__recv(x, i)->list, 0))
        xp__list_drop(x, xp__recv(x, i)->lkey);
    xp__give(x, POOL_RECV_WQE, i);
}

/* queue.c */
/* A send WQE leaves its queue with a completion (successes: if signalled). */
void xp__send_done(struct xp *x, struct xp_qp *qp, struct xp_active *a, enum xp_status status);
/* The receive of a message completes with *wc (wr_id and qpn are filled in); false: overrun. */
bool xp__recv_done(struct xp *x, struct xp_qp *qp, struct xp_msg *m, struct xp_wc *wc);
/* A receive WQE for *wr, in no queue yet; 0: pool exhausted. */
uint32_t xp__recv_new(struct xp *x, const struct xp_recv_wr *wr, const struct xp_sges *sges);
/* xp_post_send, with what xp_mw_bind posts besides. */
int xp__post(struct xp *x, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now);
void xp__flush_sends(struct xp *x, struct xp_qp *qp);
void xp__flush_recvs(struct xp *x, struct xp_qp *qp);
void xp__drop_sends(struct xp *x, struct xp_active *a);
void xp__drop_recvs(struct xp *x, struct xp_qp *qp);

/* A send that is in no queue any more completes on its QP's CQ (successes: if signalled). */
void xp__send_complete(struct xp *x, struct xp_qp *qp, uint32_t send, enum xp_status status);
/* A receive leaves its QP's queue, for a message of a context. */
void xp__recv_hand_over(struct xp *x, struct xp_qp *qp, struct xp_msg *m);
/* It is the queue's oldest again: its message begins once more. */
void xp__recv_hand_back(struct xp *x, struct xp_qp *qp, struct xp_msg *m);

/* rd.c: the turn of an RD QP's oldest send */
/* It lines up at its context, if it may begin. */
void xp__turn_seek(struct xp *x, struct xp_qp *qp);
/* The send with the context is the QP's oldest again: it must wait, or has been given up. */
void xp__turn_back(struct xp *x, struct xp_qp *qp, bool suspended);
/* The send with the context has ended. */
void xp__turn_done(struct xp *x, struct xp_qp *qp, enum xp_status status);
/* The suspended send was delivered all the same. */
void xp__turn_delivered(struct xp *x, struct xp_qp *qp);
/* The wait that an RNR NAK asked for is over. */
void xp__turn_resume(struct xp *x, struct xp_qp *qp);
/* The QP's oldest send fails, and the others flush. */
void xp__turn_fail(struct xp *x, struct xp_qp *qp, enum xp_status status);
/* Its context hears no more of it. */
void xp__turn_end(struct xp *x, struct xp_qp *qp);
/* SQD: what has not begun does not begin. */
void xp__turn_hold(struct xp *x, struct xp_qp *qp);
bool xp__turn_is_begun(const struct xp_active *q);

/* eec.c */
/* The next of those that wait begins, if the context is free. */
void xp__context_next(struct xp *x, struct xp_qp *eec);
/* The send at the head has been acknowledged. */
void xp__context_done(struct xp *x, struct xp_qp *eec);
/* It fails. */
void xp__context_failed(struct xp *x, struct xp_qp *eec, enum xp_status status);
/* It waits for its receiver, and others go on.  `msn`: the NAK's. */
void xp__context_suspend(struct xp *x, struct xp_qp *eec, unsigned rnr_code, uint32_t msn);
/* Its QP takes it back, or has been lost. */
void xp__context_abandon(struct xp *x, struct xp_qp *eec);
/* The context is of no use any more: its message fails with `status`, those who wait at it for that. */
void xp__context_end(struct xp *x, struct xp_qp *eec, enum xp_status status);
/* A receiving QP leaves the states in which it receives: messages that come to it are no more. */
void xp__context_forget(struct xp *x, uint32_t qpn, bool flush);

/* srq.c */
/* The SRQ's oldest receive leaves it, for a message: m->srq tells from then on. */
void xp__srq_take(struct xp *x, uint32_t srqn, struct xp_msg *m);
/* The receive that the message had taken is the SRQ's oldest again. */
void xp__srq_put_back(struct xp *x, struct xp_msg *m);
/* ... is no more; its wr_id. */
uint64_t xp__srq_spend(struct xp *x, struct xp_msg *m);
/* Does a CQ get completions of SRQs of this domain? */
bool xp__srq_completes_on(const struct xp *x, uint32_t xrcd, uint32_t cq);

/* mcast.c */
void xp__mcast_leave(struct xp *x, uint32_t qpn);

/* limits.c */
enum xp_object { OBJECT_QP, OBJECT_CQ, OBJECT_MR, OBJECT_MW, OBJECT_SRQ };
void xp__limits_init(struct xp *x);
/* One more of these: XP_OK or XP_ENOMEM. */
int xp__allows(const struct xp *x, enum xp_object what);

/* mem.c */
enum xp_mr_use {
    USE_LOCAL_READ = XP_LOCAL_READ,
    USE_LOCAL_WRITE = XP_LOCAL_WRITE,
    USE_REMOTE_WRITE = XP_REMOTE_WRITE,
    USE_REMOTE_READ = XP_REMOTE_READ,
    USE_REMOTE_ATOMIC = XP_REMOTE_ATOMIC
};
/* The MR behind `key` if [addr, addr+len) of `pd` may be used so; NULL otherwise. */
const struct xp_mr *xp__mr_check(const struct xp *x, uint32_t key, uint32_t pd, uint64_t addr,
                                 uint64_t len, uint32_t use);

/* What a remote access found may be used by this QP. */
static inline bool xp__is_open_to(const struct xp_mr *mr, uint32_t qpn)
{
    return mr && (!mr->qpn || mr->qpn == qpn);
}
/* The valid region or window of `key`; NULL: none. */
struct xp_mr *xp__mr_find(const struct xp *x, uint32_t key);
/* The tag of the MR behind `key`; 0: there is none. */
uint64_t xp__mr_tag(const struct xp *x, uint32_t key);

/* mw.c */
/* BIND_MW or LOCAL_INV is carried out. */
enum xp_status xp__local_deed(struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w);
/* Could it be, as far as the post can tell? */
bool xp__is_type_2(const struct xp *x, uint32_t key);
bool xp__local_ok(const struct xp *x, const struct xp_send_wr *wr);
void xp__local_fill(struct xp_send_wqe *w, const struct xp_send_wr *wr);
/* The QP's own type 2 window of `key`, bound; NULL: there is none. */
struct xp_mr *xp__own_window(const struct xp *x, uint32_t key, uint32_t qpn);
void xp__unbind(struct xp *x, struct xp_mr *mw);
void xp__unbind_of_mr(struct xp *x, uint32_t mr);
void xp__unbind_of_qp(struct xp *x, uint32_t qpn);

/* early.c */
#define XP_TIMEOUT_UNIT_PS ((tm_ps)4096000) /* 4.096 us */
/* M of timing.h. */
tm_ps xp__timer_base(const struct xp_profile *p, unsigned timeout);
/* Does anything come before the first interval? */
static inline bool xp__begins_early(const struct xp *x)
{
    return __builtin_expect(x->profile.timing.first.high_milli | x->profile.ladder.rungs, 0);
}
/* How long the ACK timer that starts now runs. */
tm_ps xp__early_interval(struct xp *x, struct xp_qp *qp, unsigned rung, tm_ps interval);
/* What it is that has run out; *rung moves on. */
enum xp_expiry { EXPIRY_REGULAR, EXPIRY_SILENT, EXPIRY_EARLY, EXPIRY_LAST_EARLY };
enum xp_expiry xp__early_expiry(const struct xp *x, const struct xp_qp *qp, uint8_t *rung);

/* fault.c */
/* What the status alone tells of the cause. */
enum xp_fault xp__fault_of(enum xp_status status);
/* What is wrong with the memory of a send, for this use; XP_F_OTHER: nothing. */
enum xp_fault xp__local_fault(const struct xp *x, const struct xp_send_wqe *w, uint32_t pd,
                              uint32_t use);
/* The send at the queue's head fails once the adapter has had its time. */
void xp__fault(struct xp *x, struct xp_qp *qp, struct xp_active *a, enum xp_status status,
               enum xp_fault fault);
/* Sends that wait where all flush do so later.  False: the adapter takes no time, or there are none. */
bool xp__flush_waits(struct xp *x, struct xp_qp *qp);
/* That time is over. */
void xp__fault_due(struct xp *x, struct xp_qp *qp, struct xp_active *a);

/* retry.c */
void xp__timer_set(struct xp *x, struct xp_qp *qp, struct xp_active *a, enum xp_timer kind,
                   tm_ps at);
void xp__timer_off(struct xp *x, struct xp_active *a);
/* The ACK timer starts at `from`; nothing happens if the QP has none. */
void xp__timer_start(struct xp *x, struct xp_qp *qp, struct xp_active *a, tm_ps from);
/* Something new was acknowledged. */
void xp__progress(struct xp *x, struct xp_qp *qp, struct xp_active *a);
/*
 * A sequence NAK for `una` came, or an answer that implies one: go back, unless this loss has been
 * dealt with.
 */
void xp__retry_nak(struct xp *x, struct xp_qp *qp, struct xp_active *a, bool implied);
/* No packet leaves for as long as the code of an RNR NAK says. */
void xp__wait_for_receiver(struct xp *x, struct xp_qp *qp, struct xp_active *a, unsigned code);
void xp__rnr_nak(struct xp *x, struct xp_qp *qp, struct xp_active *a, unsigned code, bool fresh);

/* sr.c, hold.c: selective repeat */
static inline struct xp_hold *xp__hold(const struct xp *x, uint32_t i)
{
    return (struct xp_hold *)xp__base(x, x->pool[POOL_HOLD].at) + i;
}
static inline struct xp_sack *xp__sack(const struct xp *x, uint32_t active)
{
    return (struct xp_sack *)xp__base(x, x->at.sack) + active;
}
static inline bool xp__is_selective(const struct xp *x)
{
    return __builtin_expect(x->profile.recovery == XP_SELECTIVE, 0);
}
/* A new entry of POOL_ACTIVE knows of no gap. */
void xp__sack_clear(struct xp *x, uint32_t active);
/* What its requester had sent is no more. */
void xp__sack_forget(struct xp *x, uint32_t active);
/* `una` has moved on by so many PSNs. */
void xp__sack_advance(struct xp *x, struct xp_qp *qp, struct xp_active *a, uint32_t packets);
/* All that has not been got, and the oldest in any case, is sent again. */
void xp__sack_restart(struct xp *x, struct xp_qp *qp, struct xp_active *a);
/* Only the oldest is sent again. */
void xp__sack_oldest(struct xp *x, struct xp_qp *qp, struct xp_active *a);
/*
 * What an answer acknowledges beyond a READ or atomic whose response is missing holds once that is
 * there: how many PSNs from `una` on.
 */
uint32_t xp__sack_noted(const struct xp *x, const struct xp_qp *qp, struct psn24 una);
/*
 * Of the `psns` responses of a READ that are left from `from` on, so many are missing before the first that
 * has come.  None has where the READ may not have been executed: then it is asked for whole.
 */
uint32_t xp__sack_run(const struct xp *x, const struct xp_qp *qp, struct psn24 from, uint32_t psns);
/* A repetition has left. */
void xp__sack_sent(struct xp *x, struct xp_qp *qp, struct xp_active *a);
/* The first interval of the ACK timer whose whole one is `interval`. */
tm_ps xp__sack_interval(struct xp *x, struct xp_qp *qp, tm_ps interval);
/* What the timer runs on when that is over; 0: it has run out. */
tm_ps xp__sack_extension(struct xp *x, const struct xp_qp *qp, const struct xp_active *a);
void xp__held_drop(struct xp *x, struct xp_held *l);
/* Those before `at`. */
void xp__held_drop_before(struct xp *x, struct xp_held *l, struct psn24 at);
/* What a QP keeps in either role. */
void xp__held_drop_all(struct xp *x, struct xp_qp *qp);
/* Has the oldest packet that is kept its turn? */
bool xp__held_is_due(struct xp *x, const struct xp_qp *qp);

/* resource.c */
/* Keeps an executed READ or atomic; the oldest beyond `most` go.  0: pool exhausted. */
uint32_t xp__keep(struct xp *x, struct xp_qp *qp, const struct xp_resource *r, uint32_t most);
/* The kept one that packet `psn` repeats; NULL: none. */
const struct xp_resource *xp__kept_at(const struct xp *x, const struct xp_qp *qp, struct psn24 psn,
                                      unsigned mtu_shift);
/* First PSN of the oldest kept one that came after `psn`; `otherwise` if none did. */
struct psn24 xp__kept_after(const struct xp *x, const struct xp_qp *qp, struct psn24 psn,
                            struct psn24 otherwise);
void xp__drop_kept(struct xp *x, struct xp_qp *qp);
void xp__age_kept(struct xp *x, struct xp_qp *qp);
/* A request that takes `psns` PSNs has been executed. */
static inline void xp__advance(struct xp *x, struct xp_qp *qp, struct psn24 from, uint32_t psns)
{
    qp->conn.epsn = psn_add(from, psns);
    if (qp->kept && ((from.v ^ qp->conn.epsn.v) & ~(XP_PSNS_MAX - 1)))
        xp__age_kept(x, qp);
}

/* PSNs that a message, or the responses of a READ, take: at least one. */
static inline uint32_t xp__psns(uint32_t length, unsigned mtu_shift)
{
    uint32_t n = (length >> mtu_shift) + ((length & ((1u << mtu_shift) - 1)) != 0);
    return n ? n : 1;
}

/* A request that no consumer posts: RESYNC of an EE context. */
#define WR_RESYNC XP_WR_OPS

/* requester.c */
/* Operations without packets, and those whose completion is an answer of their own, as bits. */
#define WR_LOCAL_OPS (1u << XP_WR_BIND_MW | 1u << XP_WR_LOCAL_INV)
#define WR_AWAITING (1u << XP_WR_READ | 1u << XP_WR_CMP_SWAP | 1u << XP_WR_FETCH_ADD)
static inline bool xp__is_local(uint8_t op) { return WR_LOCAL_OPS >> op & 1; }
static inline bool xp__awaits_answer(const struct xp_send_wqe *w)
{
    return WR_AWAITING >> w->op & 1;
}
/* PSNs that a send takes. */
static inline uint32_t xp__packets(const struct xp_send_wqe *w, unsigned mtu_shift)
{
    return xp__is_local(w->op) ? 0 : xp__psns(w->length, mtu_shift);
}
/* The next packet is the oldest unacknowledged one. */
void xp__go_back(struct xp *x, struct xp_qp *qp, struct xp_active *a);
/* After a loss: the same, or the first of its message. */
void xp__restart(struct xp *x, struct xp_qp *qp, struct xp_active *a);
/* Does the profile's recovery begin with the first packet of a message? */
bool xp__restarts_messages(const struct xp *x);
/* May a request packet leave now (or its failure be found)? */
bool xp__may_request(const struct xp *x, const struct xp_qp *qp, const struct xp_active *a);
/* The send at the queue's head fails. */
void xp__send_failed(struct xp *x, struct xp_qp *qp, enum xp_status status);
/* SQD: raises SQ_DRAINED once nothing begun is left. */
void xp__check_drained(struct xp *x, struct xp_qp *qp);

/* qp.c */
bool xp__is_mtu(uint32_t mtu);
void xp__set_state(struct xp *x, struct xp_qp *qp, enum xp_state to);
/* To ERR: sends flush, then receives.  Answers that wait still leave. */
void xp__qp_error(struct xp *x, struct xp_qp *qp);
/* QPs of CQs that overran go to ERR.  Entry points that complete something end with it. */
void xp__fail_overruns(struct xp *x);
static inline void xp__fail_overrun(struct xp *x)
{
    if (__builtin_expect(x->cq_overrun, 0))
        xp__fail_overruns(x);
}

#endif

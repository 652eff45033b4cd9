/*
 * What tests of the transport core share: two ends joined by a loop, one connected QP on each, one
 * memory region on each, and everything that comes out as short text that a test compares whole.
 *
 * End A (0) is the requester of most tests, B (1) the responder.  Both arenas hold RIG_ARENA bytes;
 * the regions cover [RIG_BASE, RIG_BASE + RIG_REGION).  A's memory is a pattern, B's is zero.
 */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include "models/port/loop.h"
#include "tests/suite.h"

enum { A = 0, B = 1 };
enum { RIG_XRCD = 5, RIG_QKEY = 0x1234, RIG_RDD = 6 };
enum { RIG_MORE = 4 };
enum { RIG_PD = 1, RIG_ARENA = 1 << 18, RIG_BASE = 0x1000, RIG_REGION = 0x3e000 };
enum { RIG_TEXT = 1 << 16 };
#define RIG_DELAY TM_US

struct rig_spec {
    enum xp_service_id service;
    uint16_t mtu;
    uint8_t timeout, retry_cnt, rnr_retry, min_rnr;
    uint32_t access_b; /* of B's QP */
    uint8_t rd_atomic, dest_rd_atomic;
    uint32_t depth;    /* of every queue */
    uint32_t srq_depth, srq_limit; /* receives come from an SRQ; XRC: always */
    uint32_t cq_depth;
    uint32_t max_sge, max_inline; /* of every QP */
    uint32_t psn_a, psn_b;          /* first PSN of each requester */
    enum xp_state state_a, state_b; /* XP_RTS; any of the path there */
    tm_ps gap_ps;
    struct xp_profile profile;
};

struct rig {
    struct loop *loop;
    struct rig_spec spec;
    uint32_t qp[2], scq[2], rcq[2], key[2], srq[2];
    uint32_t eec[2]; /* RD: the context that joins the two ends */
    uint32_t more[2][RIG_MORE]; /* further QPs and contexts of a test, 0: none */
    uint32_t polled[2]; /* completions taken so far */
    char text[RIG_TEXT];
};

/* RC, MTU 256, timeout 14, counts of 7, min_rnr_timer 12, depth 64, PSNs 100 and 5000, in RTS. */
struct rig_spec rig_spec(void);
/* The same for UC. */
struct rig_spec rig_spec_uc(void);

struct rig *rig_new(const struct rig_spec *spec);
struct rig *rig_clone(const struct rig *r);
/* Also checks that, once both QPs are in RESET, no pool entry is in use and no pool ran out. */
void rig_free(struct rig *r);

/* ERR, RESET, SQD and back: xp_qp_modify with nothing but the state. */
int rig_state(struct rig *r, int end, enum xp_state to);
/* From RESET along the path up to `to` with the spec's attributes. */
void rig_connect(struct rig *r, int end, enum xp_state to);
enum xp_state rig_state_of(struct rig *r, int end);
/* One more RD QP (service XP_RD, in RTS) or EE context (XP_EEC, in RESET) of an end. */
uint32_t rig_more(struct rig *r, int end, enum xp_service_id service);
/* Joins EE context `own` of an end with `other` of the other end. */
void rig_join(struct rig *r, int end, uint32_t own, uint32_t other);

/* A request of A's; src and dst are offsets from RIG_BASE. */
struct rig_op {
    uint64_t id;
    enum xp_wr_op op;
    uint32_t len;
    uint32_t src, dst;
    uint32_t imm;
    bool solicited, unsignalled, fence;
    uint64_t swap_or_add, compare;
};
struct xp_send_wr rig_wr(const struct rig *r, int end, struct rig_op op);
int rig_post(struct rig *r, struct rig_op op);                             /* at A */
void rig_sends(struct rig *r, uint64_t first_id, int count, uint32_t len); /* SENDs, each CHECKed */
int rig_recv(struct rig *r, uint64_t id, uint32_t at, uint32_t len);       /* at B */
void rig_recvs(struct rig *r, uint64_t first_id, int count,
               uint32_t len); /* one after the other from 0 */

void rig_run(struct rig *r); /* until quiet; 100 s at most, which fails the test */
void rig_run_for(struct rig *r, tm_ps t);

/* Hands a packet to an end as if it had arrived now from the other. */
struct xp_rx rig_inject(struct rig *r, int to, struct wire_hdr h);
/* An acknowledgement for A's QP. */
struct wire_hdr rig_answer(const struct rig *r, uint8_t syndrome, uint32_t psn, uint32_t msn);
/* A request for B's QP. */
struct wire_hdr rig_request(const struct rig *r, enum wire_op op, uint32_t psn, uint16_t len);

/* Texts: valid until the next call on the same rig. */

/*
 * "1:0 2:12 3:5": wr_id:status of all completions of A's (an end's) send CQ not yet taken; "@0" behind
 * one of a further QP.
 */
const char *rig_wcs(struct rig *r, int end);
/* "11:0/256 12:0/8#7 13:5": wr_id:status/byte_len#imm of receives. */
const char *rig_rcs(struct rig *r, int end);
/* "COMM_EST SQ_DRAINED" */
const char *rig_events(struct rig *r, int end);

enum rig_show { SHOW_REQUESTS = 1, SHOW_ANSWERS = 2, SHOW_ALL = 3, SHOW_ACKREQ = 4, SHOW_TIME = 8 };
/*
 * The packets pulled since the last call, one word each:
 *   requests  "SEND_FIRST.100+256"   op.PSN+payload; then ! AckReq (with SHOW_ACKREQ), s SE,
 *             "#imm", "@va:dmalen" of the RETH (va from RIG_BASE), "r" sent again, "x" lost
 *   answers   "ack.103/1" PSN/MSN, "nak0.100/0", "rnr12.100/0", "READ_RESP_LAST.102+88/1"; "x" lost
 */
const char *rig_packets(struct rig *r, unsigned show);

/* Bytes at dst of B equal those at src of A (offsets from RIG_BASE). */
bool rig_same_bytes(const struct rig *r, uint32_t src, uint32_t dst, uint32_t len);
/* Bytes at dst of B are all zero still. */
bool rig_untouched(const struct rig *r, uint32_t dst, uint32_t len);

struct xp_qp_query rig_query(struct rig *r, int end);

/* Assertions that say what they found; `where` names the row of a table, "" if there is none. */
void rig_text_is(const char *found, const char *wanted, const char *where, int line);
void rig_int_is(long long found, long long wanted, const char *where, int line);
#define TEXT_IS(found, wanted) rig_text_is((found), (wanted), "", __LINE__)
#define INT_IS(found, wanted) rig_int_is((long long)(found), (long long)(wanted), "", __LINE__)
#define ROW_TEXT(row, found, wanted) rig_text_is((found), (wanted), (row), __LINE__)
#define ROW_INT(row, found, wanted)                                                                \
    rig_int_is((long long)(found), (long long)(wanted), (row), __LINE__)

#endif

/*
 * What a service is: data that the role files (requester, responder, completer, retry) read.
 *
 * Role code asks for a trait or looks up a row, never for a service's identity.  The responder
 * runs the service's checks in order; the first verdict but V_ACCEPT decides, and the service's
 * remedy for it says what happens at this end.  The requester has the same for answers.  A new
 * service is a file with a descriptor and a line in service.c.
 */
#ifndef XP_SERVICE_H
#define XP_SERVICE_H

#include "models/transport/parts.h"

/*
 * acked: AckReq, ACK timer, window, retries; otherwise a send is done when it has left.
 * credits: may have end-to-end flow control.
 * datagram: each send names its destination, and is one packet.
 * srq by number: requests name the SRQ that serves them.
 * no recv: nothing can be posted to receive into.
 * via context: its sends name their destination, and the EE context that carries them.
 * context: it carries the messages of others, one at a time, and answers for those it brings.
 */
enum xp_trait {
    TRAIT_ACKED = 1,
    TRAIT_CREDITS = 2,
    TRAIT_DATAGRAM = 4,
    TRAIT_SRQ_BY_NUMBER = 8,
    TRAIT_NO_RECV = 16,
    TRAIT_VIA_CONTEXT = 32,
    TRAIT_CONTEXT = 64
};
#define TRAITS_RD (TRAIT_VIA_CONTEXT | TRAIT_CONTEXT)
/* Its sends have more to say than a WQE holds. */
#define TRAITS_WITH_EXT (TRAIT_DATAGRAM | TRAIT_SRQ_BY_NUMBER | TRAITS_RD)

/*
 * One packet's way through this end.  `qp` has the connection: sequence numbers, messages, answers;
 * `to` the rights and receives.  They are two only where a context carries the packet.
 */
struct xp_ctx {
    struct xp *x;
    struct xp_qp *qp;
    struct xp_qp *to;    /* NULL: the context is there, and no such QP */
    struct xp_active *a; /* the connection's; NULL: quiet */
    const struct xp_attrs *at;     /* the connection's */
    const struct xp_attrs *rights; /* of `to`; the connection's own if that is NULL */
    const struct xp_service *svc;
    const struct wire_hdr *h;
    const struct wire_ext *e; /* NULL: the packet brought none */
    const struct wire_op_row *row;
    struct xp_rx *out;
    struct xp_msg *msg;  /* the message in progress, or `fresh` */
    struct xp_msg fresh; /* of a packet that starts one */
    uint64_t tag;        /* MR that the payload goes to */
    struct xp_resource replay; /* of V_REPLAY: what is to be answered again, in part */
    bool resumed;              /* from a later packet than its first */
    uint32_t qpn; /* of `to`; the connection's number if that is NULL */
    uint32_t srq; /* receives come from there; 0: from the QP's own queue */
    uint32_t recv; /* that this packet would take */
    uint32_t pd;  /* that governs the request */
};

static inline bool xp__starts(const struct xp_ctx *c)
{
    return c->row->position == POS_FIRST || c->row->position == POS_ONLY;
}
static inline bool xp__ends(const struct xp_ctx *c)
{
    return c->row->position == POS_LAST || c->row->position == POS_ONLY;
}
static inline bool xp__is_rd(const struct wire_op_row *row)
{
    return row->cls == CLASS_READ || row->cls == CLASS_ATOMIC;
}
static inline bool xp__message_open(const struct xp_ctx *c) { return c->a && c->a->resp.msg.open; }

typedef enum xp_verdict (*resp_check)(struct xp_ctx *c);

/* Steps of the life cycle whose attributes differ by service. */
enum life_step {
    LIFE_NONE, /* no such transition */
    LIFE_TO_INIT,
    LIFE_IN_INIT,
    LIFE_TO_RTR,
    LIFE_TO_RTS,
    LIFE_IN_RTS,
    LIFE_TO_SQD,
    LIFE_IN_SQD,
    LIFE_SQE_TO_RTS,
    LIFE_BARE, /* to RESET and ERR: no attributes */
    LIFE_STEPS
};

struct life_attrs {
    bool valid;
    uint32_t required, optional; /* enum xp_attr_bit, without XP_A_STATE */
};

struct xp_service {
    const char *name;
    const char *family; /* of those whose QPs have different roles; NULL: the name */
    enum wire_prefix prefix;
    uint8_t recv_offset;  /* bytes of a receive before the payload */
    uint32_t traits;      /* enum xp_trait */
    uint32_t wr_ops;      /* bits 1 << enum xp_wr_op */
    uint32_t request_ops; /* bits 1 << enum wire_op */
    enum xp_state send_error_state;
    const resp_check *checks;        /* NULL-terminated */
    const resp_check *answer_checks; /* NULL-terminated */
    struct remedy remedy[V_COUNT];
    struct answer_remedy answers[ANSWER_KINDS];
    struct life_attrs life[LIFE_STEPS];
};

/* service.c: indexed by enum xp_service_id */
extern const struct xp_service *const xp__services[XP_SERVICES];
extern const struct xp_service xp__service_rc, xp__service_uc, xp__service_ud, xp__service_xrc_ini,
    xp__service_xrc_tgt, xp__service_rd, xp__service_eec;

static inline const struct xp_service *xp__service_of(const struct xp_qp *qp)
{
    return xp__services[qp->service];
}
static inline bool xp__has_trait(const struct xp_qp *qp, enum xp_trait t)
{
    return (xp__service_of(qp)->traits & t) != 0;
}

/* The one place where a verdict becomes a remedy: the service's row, or the profile's in its place. */
static inline const struct remedy *xp__remedy(const struct xp *x, const struct xp_qp *qp,
                                              enum xp_verdict v)
{
    return &x->remedy[qp->service][v];
}
static inline const struct answer_remedy *xp__answer_remedy(const struct xp *x,
                                                            const struct xp_qp *qp,
                                                            enum answer_kind kind)
{
    return &x->answers[qp->service][kind];
}

/* A departure that the profile has executed is none. */
static inline enum xp_verdict xp__unless_tolerated(const struct xp_ctx *c, enum xp_verdict v)
{
    return xp__remedy(c->x, c->qp, v)->deed == DEED_EXECUTE ? V_ACCEPT : v;
}

/* resp_check.c, in the order of IBA 9.7.4.1 */
enum xp_verdict xp__check_header(struct xp_ctx *c);    /* TVer and P_Key */
enum xp_verdict xp__check_receiving(struct xp_ctx *c); /* a state that takes requests */
enum xp_verdict xp__check_sending(struct xp_ctx *c);   /* a state that takes answers */
enum xp_verdict xp__check_psn(struct xp_ctx *c);       /* ordered and acknowledged */
enum xp_verdict xp__check_restart(struct xp_ctx *c);   /* unacknowledged: PSN and order in one */
enum xp_verdict xp__check_opcode(struct xp_ctx *c);
enum xp_verdict xp__check_order(struct xp_ctx *c);
enum xp_verdict xp__check_length(struct xp_ctx *c);
enum xp_verdict xp__check_right(struct xp_ctx *c);
enum xp_verdict xp__check_recv(struct xp_ctx *c);
enum xp_verdict xp__check_key(struct xp_ctx *c);
/* Receiving, header, PSN, opcode, order, length, right, receive, key: all of them. */
enum xp_verdict xp__check_request(struct xp_ctx *c);
/* Sending and header. */
enum xp_verdict xp__check_answer(struct xp_ctx *c);

/* completer.c */
enum xp_verdict xp__take_answer(struct xp_ctx *c);

/* ud.c */
enum xp_verdict xp__check_qkey(struct xp_ctx *c);

/* eec.c */
/* The context that the packet names, and the QP at this end of it; false: there is no such context. */
bool xp__find_context(struct xp_ctx *c);
enum xp_verdict xp__check_destination(struct xp_ctx *c);
enum xp_verdict xp__check_resync(struct xp_ctx *c);
enum xp_verdict xp__check_astray(struct xp_ctx *c);
void xp__context_resync(struct xp_ctx *c);

/* hold.c, sr.c, selective repeat: */
/* The packet that came before its turn is kept, if it is not there, and the requester told. */
void xp__hold_packet(struct xp_ctx *c);
/* The response that came before its turn is kept.  False: it cannot be. */
bool xp__hold_answer(struct xp_ctx *c, struct xp_held *l);
/* An answer that names a packet beyond the missing one. */
void xp__sack_take(struct xp_ctx *c);
/* An answer that passes a READ or atomic whose response is missing, to something that was sent. */
void xp__sack_imply(struct xp_ctx *c);
/* Does a packet `ahead` of the expected one find a place? */
bool xp__may_hold(const struct xp_ctx *c, uint32_t ahead);

/* responder.c: a packet's whole way; `out` has been cleared. */
void xp__receive(struct xp *x, const struct wire_hdr *h, const struct wire_ext *e, struct xp_rx *out);
/* The message in progress is given up. */
void xp__give_up_message(struct xp *x, struct xp_qp *conn);

/* srq.c */
/* The SRQ that the request names, if it is of the QP's domain. */
void xp__find_srq(struct xp_ctx *c);
enum xp_verdict xp__check_srq(struct xp_ctx *c);

/* answer.c */
/* An acknowledgement or NAK waits to leave. */
void xp__answer_add(struct xp_ctx *c, uint8_t syndrome, struct psn24 at);
/* The responses of a READ, or the answer of an atomic. */
void xp__answer_rd(struct xp_ctx *c, const struct xp_resource *r, bool repeated, bool resumed);
/* The packet asks for an acknowledgement: it gets one of `newest`. */
bool xp__acknowledge(struct xp_ctx *c, struct psn24 newest);
/* ... and so does a repeated SEND or WRITE. */
bool xp__acknowledge_again(struct xp_ctx *c);

/* credit.c */
/* An ACK's syndrome with what credit there is. */
uint8_t xp__credit_syndrome(const struct xp *x, const struct xp_qp *qp);
/* Must the next send wait for credit? */
bool xp__credit_holds_back(const struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w);
void xp__credit_begin(struct xp *x, const struct xp_qp *qp);
/* An ACK or response has come. */
void xp__credit_take(struct xp *x, const struct xp_qp *qp, const struct wire_hdr *h);
void xp__credit_reset(struct xp *x, const struct xp_qp *qp);
/* A receive has been posted: an ACK tells so, unasked, if there was none. */
void xp__credit_offer(struct xp *x, struct xp_qp *qp);

/* override.c */
/* The services' rows, and the profile's over them. */
void xp__tables_init(struct xp *x);

/* responder.c */
enum xp_verdict xp__run_checks(struct xp_ctx *c, const resp_check *checks);
bool xp__pull_answer(struct xp *x, struct xp_qp *qp, struct xp_active *a, struct xp_tx *tx);

/* requester.c */
bool xp__pull_request(struct xp *x, struct xp_qp *qp, struct xp_active *a, struct xp_tx *tx);

#endif

/*
 * What follows from a verdict on a request, and from an answer: the rows of a service's tables.  Part of
 * state.h, which includes it; the tables themselves are service.h's.
 */
#ifndef XP_REMEDY_H
#define XP_REMEDY_H

#include <stdbool.h>
#include <stdint.h>

enum remedy_deed {
    DEED_DROP,         /* the packet */
    DEED_MUTE,         /* and all that follows up to the next First or Only; the message stays */
    DEED_DROP_MESSAGE, /* and what has arrived of its message; a receive stays for the next */
    DEED_EXECUTE,
    DEED_ACK,       /* not executed, yet acknowledged */
    DEED_ACK_AGAIN, /* a duplicate: tell the newest PSN executed */
    DEED_REPLAY,    /* a duplicate READ or atomic: answer it again */
    DEED_NAK,
    DEED_RNR_NAK,
    DEED_HOLD,  /* too early: kept, and the requester learns what is missing and what is not */
    DEED_RESYNC /* the message in progress is no more; the next number is told */
};

enum remedy_count {
    COUNT_NONE,
    COUNT_DUPLICATE,
    COUNT_AHEAD,
    COUNT_NO_RECV,
    COUNT_DROPPED,
    COUNT_BAD_QKEY,
    COUNT_BAD_PKEY
};

#define NO_EVENT UINT8_MAX

struct remedy {
    uint8_t deed;        /* enum remedy_deed */
    uint8_t nak;         /* enum nak_code, of DEED_NAK */
    uint8_t recv_status; /* enum xp_status of the SEND's receive; 0: none completes */
    bool fatal;          /* the QP goes to ERR */
    uint8_t event;       /* enum xp_event_kind, NO_EVENT */
    uint8_t count;       /* enum remedy_count */
};

/* Answers, as the requester tells them apart. */
enum answer_kind {
    ANSWER_ACK,
    ANSWER_RNR_NAK,
    ANSWER_NAK_PSN_SEQ,
    ANSWER_NAK_INV_REQ,
    ANSWER_NAK_REM_ACCESS,
    ANSWER_NAK_REM_OP,
    ANSWER_NAK_INV_RD,
    ANSWER_NAK_RESERVED, /* a code of no meaning */
    ANSWER_RESERVED,
    ANSWER_UNSENT,       /* of a PSN that has not been sent */
    ANSWER_DATA,         /* the response that is awaited */
    ANSWER_UNEXPECTED,   /* a response that no request asked for, or another than is awaited */
    ANSWER_WRONG_LENGTH, /* READ response longer or shorter than its place in the READ */
    ANSWER_NO_ROOM,      /* the memory for it may not be written */
    ANSWER_HOLE,         /* passes a READ or atomic whose response is missing */
    ANSWER_HOLE_WITHIN,  /* a later response of the READ that is awaited */
    ANSWER_ACK_OF_ATOMIC, /* an ACK of an atomic whose response is missing */
    ANSWER_LOCAL_KEY,    /* no answer: the request cannot be sent, by its memory */
    ANSWER_LOCAL_LENGTH, /* ... by its length */
    ANSWER_KINDS
};

/*
 * An answer acknowledges what comes before it: COMPLETE and TAKE also its own PSN, IMPLY (a NAK
 * without a packet) only what comes before the missing response.
 */
enum answer_deed {
    ANSWER_IGNORE,
    ANSWER_COMPLETE,
    ANSWER_TAKE,
    ANSWER_RETRY,
    ANSWER_IMPLY,
    ANSWER_WAIT,
    ANSWER_WAIT_MESSAGE, /* acknowledges whole messages alone */
    ANSWER_SUSPEND,      /* waits while others go on */
    ANSWER_FAIL
};

struct answer_remedy {
    uint8_t deed;   /* enum answer_deed */
    uint8_t status; /* enum xp_status, of ANSWER_FAIL */
    bool fatal;     /* the QP goes to ERR all the same */
};

#endif

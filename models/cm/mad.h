/*
 * Communication management datagrams (MADs) as values, and their 256 bytes.
 *
 * A MAD travels as the payload of one UD SEND_ONLY from QP 1 to QP 1: 24 bytes of common header
 * (class 7, version 2, method Send), 232 of the message.  Which fields a message has is a table in
 * mad.c, which both directions walk; fields that a message has not are 0 after decoding.
 * IBA chapter 12.6 (REQ .. DREP) and 12.11 (SIDR); LAP and APR, which move a path, are left out.
 */
#ifndef CM_MAD_H
#define CM_MAD_H

#include <stdbool.h>
#include <stdint.h>

#define CM_MAD_BYTES 256
#define CM_GSI_QPN 1u
#define CM_GSI_QKEY 0x80010000u
#define CM_PRIVATE_MAX 224

/* The attribute IDs are 0x10 and on. */
enum cm_kind { CM_REQ, CM_MRA, CM_REJ, CM_REP, CM_RTU, CM_DREQ, CM_DREP, CM_SIDR_REQ, CM_SIDR_REP,
               CM_KINDS };
#define CM_ATTRIBUTE(kind) (0x10u + (unsigned)(kind))

enum cm_transport { CM_TRANSPORT_RC, CM_TRANSPORT_UC, CM_TRANSPORT_RD, CM_TRANSPORT_EXTENDED };

/* Which message an MRA or REJ answers. */
enum cm_answered { CM_OF_REQ, CM_OF_REP, CM_OF_NONE };

/* REJ reasons of IBA 12.6.7.2 that this model gives or understands. */
enum cm_reason {
    CM_REJ_NO_QP = 1, CM_REJ_NO_EEC = 2, CM_REJ_NO_RESOURCES = 3, CM_REJ_TIMEOUT = 4,
    CM_REJ_UNSUPPORTED = 5, CM_REJ_INVALID_COMM_ID = 6, CM_REJ_INVALID_COMM_INSTANCE = 7,
    CM_REJ_INVALID_SERVICE_ID = 8, CM_REJ_INVALID_TRANSPORT = 9, CM_REJ_STALE_CONN = 10,
    CM_REJ_INVALID_MTU = 26, CM_REJ_CONSUMER = 28
};

/* SIDR_REP: what became of the question. */
enum cm_sidr_status { CM_SIDR_VALID, CM_SIDR_NO_SERVICE, CM_SIDR_REJECTED, CM_SIDR_NO_QP };

/* What each side says of its own QP: in REQ and REP. */
struct cm_offer {
    uint64_t guid;
    uint32_t qpn;  /* 24 bits */
    uint32_t qkey; /* RD */
    uint32_t eecn; /* RD, 24 bits */
    uint32_t psn;  /* 24 bits: of the first packet that this side sends */
    uint8_t responder_resources, initiator_depth;
    uint8_t rnr_retry;
    uint8_t srq, flow_control; /* 1 bit each */
};

struct cm_path {
    uint8_t local_gid[16], remote_gid[16];
    uint16_t local_lid, remote_lid;
    uint32_t flow_label; /* 20 bits */
    uint8_t rate;        /* 6 bits */
    uint8_t traffic_class, hop_limit;
    uint8_t sl;           /* 4 bits */
    uint8_t subnet_local; /* 1 bit */
    uint8_t ack_timeout;  /* 5 bits: what the sender of the REQ proposes as the QP's timeout */
};

/* What a REQ has beside its offer. */
struct cm_req {
    uint64_t service_id;
    uint32_t remote_eecn;
    uint8_t remote_timeout; /* 5 bits: in it the passive side should answer */
    uint8_t local_timeout;  /* 5 bits: in it the active side answers a REP */
    uint8_t transport, extended_transport;
    uint8_t retry_cnt;      /* 3 bits */
    uint16_t pkey;
    uint8_t mtu;            /* 4 bits: 1 .. 5 is 256 .. 4096 */
    uint8_t rdc_exists;
    uint8_t max_cm_retries; /* 4 bits */
    struct cm_path path, alternate;
};

struct cm_rep {
    uint8_t ack_delay; /* 5 bits */
    uint8_t failover;  /* 2 bits */
};

struct cm_mra {
    uint8_t of;              /* enum cm_answered */
    uint8_t service_timeout; /* 5 bits */
};

struct cm_rej {
    uint8_t of; /* enum cm_answered */
    uint8_t info_length;
    uint16_t reason; /* enum cm_reason */
    uint8_t info[72];
};

struct cm_sidr {
    uint64_t service_id;
    uint32_t qpn, qkey;
    uint16_t pkey;
    uint8_t status, info_length;
    uint8_t info[72];
};

struct cm_mad {
    uint64_t tid;
    uint32_t local_id;  /* SIDR: the request's number */
    uint32_t remote_id;
    uint32_t remote_qpn; /* DREQ */
    uint8_t kind;        /* enum cm_kind */
    struct cm_offer offer; /* REQ, REP */
    struct cm_req req;
    struct cm_rep rep;
    struct cm_mra mra;
    struct cm_rej rej;
    struct cm_sidr sidr;
    uint8_t private_data[CM_PRIVATE_MAX]; /* cm_private_bytes of them travel */
};

/* Bytes of private data that a message of this kind carries: REQ 92 … */
unsigned cm_private_bytes(enum cm_kind kind);
const char *cm_kind_name(enum cm_kind kind);     /* "REQ" */
const char *cm_reason_name(enum cm_reason why);  /* "timeout"; "reason ?" if not listed above */

/* Writes the MAD.  Fields wider than their bits are CHECKed; reserved bits are 0. */
void cm_mad_encode(const struct cm_mad *m, uint8_t out[CM_MAD_BYTES]);

/* False: base version, class, class version, method or attribute is not one of a CM message here. */
bool cm_mad_decode(const uint8_t bytes[CM_MAD_BYTES], struct cm_mad *out);

#endif

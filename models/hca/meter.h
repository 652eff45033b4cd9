/*
 * What is measured while it happens: one meter a domain, added up at the end.
 *
 * Every field adds up or takes a minimum or maximum, so totals do not depend on how
 * hosts were spread over domains.  Nothing here grows with the run.
 */
#ifndef HCA_METER_H
#define HCA_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/hist.h"
#include "sim/base/tm.h"

#define METER_BUCKETS_MAX 12
#define METER_MESSAGE_MAX (UINT64_C(1) << 31) /* no message is longer */
#define METER_STATUSES 24
#define METER_SLOWDOWN_ONE 1000 /* slowdown is kept in thousandths */

struct meter_counts {
    uint64_t messages_posted, messages_delivered, messages_completed; /* completed: status 0 */
    uint64_t messages_failed, messages_flushed;
    uint64_t bytes_delivered;
    uint64_t packets_sent;       /* by hosts */
    uint64_t packets_retransmitted;
    uint64_t status[METER_STATUSES];         /* completions by ibv_wc_status, both queues */
    uint64_t reconnects, reconnect_give_ups;
    uint64_t recvs_completed;
    uint64_t mads_sent, mads_repeated, mads_received; /* repeated: of those sent */
    uint64_t connects_failed; /* QP ends whose connection was not established */
};

/* A send request that completed in error. */
struct meter_error {
    tm_ps post_ps, at_ps;
    uint32_t host;
    uint8_t status; /* 0: there was none */
    uint8_t vendor_err;
};

struct meter {
    struct meter_counts n;
    tm_ps first_post_ps;         /* TM_NEVER: none */
    tm_ps last_delivery_ps;      /* -1: none */
    tm_ps io_stall_max_ps;       /* longest time a flow with work waiting delivered nothing */
    struct hist latency;         /* post to delivered, ps */
    struct hist completion;      /* post to completion at the requester, successes, ps */
    struct hist fail_time;       /* post of the first failing WR to its completion, per QP, ps */
    struct hist slowdown;        /* thousandths */
    struct hist rpc;             /* request posted to response received, ps */
    struct hist connect;         /* asked for to established, at the side that asked, ps */
    struct hist recovery;        /* error to a connection made anew, at the side that met it, ps */
    struct meter_error error;    /* the first; one that was flushed only if all were */
    tm_ps setup_ps;              /* when the last connection was first established; 0: none */
    struct hist *bucket;         /* slowdown per size bucket: bucket_count of them, or NULL */
    /* upper edges, ascending; one for the rest is added behind those that were asked for */
    uint64_t bucket_edge_bytes[METER_BUCKETS_MAX + 1];
    uint32_t bucket_count;
    tm_ps warmup_ps;             /* messages posted before it are not counted */
};

void meter_init(struct meter *m, tm_ps warmup_ps, const uint64_t *edges, uint32_t edge_count);
void meter_fini(struct meter *m);
void meter_merge(struct meter *into, const struct meter *from);

/* A message of `bytes` posted at post_ps was delivered; alone_ps 0: slowdown is not measured. */
void meter_delivered(struct meter *m, uint64_t bytes, tm_ps post_ps, tm_ps now, tm_ps alone_ps);
/* A send request's completion became available. */
void meter_completed(struct meter *m, uint8_t status, tm_ps post_ps, tm_ps now);

/* A message was handed to its flow at post_ps. */
void meter_posted(struct meter *m, tm_ps post_ps);
/* An unsignalled send request is known to have succeeded: no time of its own is known. */
void meter_implied(struct meter *m, tm_ps post_ps);
/* A receive completed. */
void meter_received(struct meter *m, uint8_t status);
/* A QP's first failing send request, posted at post_ps, completed in error. */
void meter_failed(struct meter *m, tm_ps post_ps, tm_ps now);
/* A send request completed in error. */
void meter_error(struct meter *m, const struct meter_error *e);
/* A connection that broke at broken_ps has been made anew. */
void meter_recovered(struct meter *m, tm_ps broken_ps, tm_ps now);
/* An RPC's response arrived; its request was posted at post_ps. */
void meter_answered(struct meter *m, tm_ps post_ps, tm_ps now);
/* A connection that was asked for at asked_ps is established. */
void meter_connected(struct meter *m, tm_ps asked_ps, tm_ps now);
/* A flow with work had made no progress from since_ps to now. */
void meter_stalled(struct meter *m, tm_ps since_ps, tm_ps now);

#endif

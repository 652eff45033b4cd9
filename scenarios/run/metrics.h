/*
 * The metrics: one table gives names, units, order of columns and meaning.
 *
 * Values are integers, in the unit or in millionths of it, so printing needs no floating point and
 * results are the same bytes everywhere.  The list below is the only place that names a metric:
 * the table, the indices METRIC_<name> and the columns of every result file come from it.
 */
#ifndef RUN_METRICS_H
#define RUN_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "models/hca/meter.h"

#define METRIC_NONE INT64_MIN /* nothing to measure: an empty cell */

/* A time's distribution; the integers are picoseconds, which are millionths of a microsecond. */
#define METRIC_TIMES(X, name, what)                                                                \
    X(name##_min_us, true, "least " what ", us")                                                   \
    X(name##_mean_us, true, "mean " what ", us")                                                   \
    X(name##_p50_us, true, "median " what ", us")                                                  \
    X(name##_p99_us, true, "99th percentile of " what ", us")                                      \
    X(name##_p999_us, true, "99.9th percentile of " what ", us")                                   \
    X(name##_max_us, true, "greatest " what ", us")

/* X(name, counts millionths, meaning), in the order of the columns. */
#define METRIC_LIST(X)                                                                             \
    X(messages_posted, false, "messages whose work request was posted")                            \
    X(messages_delivered, false, "messages whose last byte has been placed")                       \
    X(messages_completed, false, "send completions with status 0")                                 \
    X(messages_failed, false, "send completions with an error status other than 5")                \
    X(messages_flushed, false, "send completions with status 5 (flushed)")                         \
    X(messages_lost, false, "success at the sender, never delivered (UC, UD)")                     \
    X(bytes_delivered, false, "payload of delivered messages, bytes")                              \
    X(payload_verified, false, "bytes that were compared with what was sent, and right (workload.payload)") \
    X(payload_mismatches, false, "messages that were delivered wrong, or to the wrong place")      \
    X(goodput_gbps, true, "8 * bytes_delivered / time, Gb/s")                                      \
    X(message_rate_mps, true, "delivered messages per second")                                     \
    X(iops, true, "completed messages (rpc: responses) per second")                                \
    METRIC_TIMES(X, latency, "time from post to delivered")                                        \
    METRIC_TIMES(X, completion,                                                                    \
                 "time from post to successful completion (of an unacknowledged send: to its "     \
                 "last packet's hand-over to the wire)")                                           \
    METRIC_TIMES(X, rpc, "time from request posted to response received")                          \
    X(fail_time_min_us, true, "least time from post of a QP's first failing WR to its error, us")  \
    X(fail_time_mean_us, true, "mean time from post of a QP's first failing WR to its error, us")  \
    X(fail_time_max_us, true,                                                                      \
      "greatest time from post of a QP's first failing WR to its error, us")                       \
    X(first_status, false, "status of the first send completion in error; of flushed ones only if all were")   \
    X(first_vendor_err, false, "its vendor_err (hca.faults)")                                      \
    X(partial_bytes, false, "bytes of failed WRITEs that their targets hold (payload = verify)")   \
    X(slowdown_mean, true, "mean of latency / latency of the same message alone")                  \
    X(slowdown_p50, true, "median of latency / latency of the same message alone")                 \
    X(slowdown_p99, true, "99th percentile of latency / latency of the same message alone")        \
    X(packets_sent, false, "packets sent by HCAs")                                                 \
    X(packets_retransmitted, false, "request packets whose PSN had been sent before")              \
    X(responses_repeated, false, "answers to duplicate requests")                                    \
    X(acks, false, "ACKs sent")                                                                    \
    X(naks, false, "NAKs sent, RNR NAKs apart")                                                    \
    X(rnr_naks, false, "RNR NAKs sent")                                                            \
    X(ack_timeouts, false, "expiries of the ACK timer")                                            \
    X(early_retransmissions, false,                                                                \
      "times that a requester repeated before an ACK timeout (hca.timer_ladder)")                  \
    X(packets_dropped, false, "packets that did not arrive, whatever the reason")                  \
    X(dropped_loss, false, "packets taken by random loss")                                         \
    X(dropped_buffer, false, "packets that found a buffer full")                                   \
    X(dropped_inject, false, "packets taken by [inject] rules")                                    \
    X(dropped_icrc, false, "packets refused for a wrong ICRC")                                     \
    X(dropped_link_down, false, "packets lost on a link that was down or at a dead host")          \
    X(dropped_rx_buffer, false, "packets that found an adapter's receive buffer full (hca.rx_buffer)")  \
    X(ctx_touches, false, "packets that asked an adapter for a QP's context (hca.units)")              \
    X(ctx_misses, false, "those of them that found it not in its cache")                               \
    X(ctx_miss_ratio, true, "ctx_misses / ctx_touches")                                                \
    X(read_miss_ratio, true, "READs and atomics under way that had to be fetched / those touched")     \
    X(mtt_miss_ratio, true, "translations that had to be fetched / those touched")                     \
    X(wqe_miss_ratio, true, "send queues whose requests were gone from the adapter / those asked for") \
    X(pcie_read_bytes, false, "bytes that adapters read from their hosts' memory")                     \
    X(pcie_written_bytes, false, "bytes that adapters wrote there")                                    \
    X(packet_hops, false, "arrivals at the end of one link, host links included")                  \
    X(queue_bytes_max, false, "greatest queue of any port, bytes")                                 \
    X(flows, false, "flows of messages")                                                           \
    X(qps, false, "QP ends created")                                                               \
    X(qps_in_error, false, "QP ends in the error state at the end")                                \
    X(host_memory_bytes, false,                                                                    \
      "memory of the busiest host's QPs as drivers allocate it: contexts and queues (ud-ack: of "   \
      "one QP, and its sessions), bytes")                                                                  \
    X(reconnects, false, "connections made anew after an error")                                   \
    METRIC_TIMES(X, recovery, "time from an error to the connection made anew")                    \
    X(setup_us, true, "time at which the last connection was established, us")                     \
    METRIC_TIMES(X, connect, "time from asking for a connection to its being established")         \
    X(connects_failed, false, "attempts at a connection that failed, at each of its ends")                      \
    X(mads_sent, false, "datagrams of connection management sent")                                 \
    X(mads_repeated, false, "those of them that had been sent before")                             \
    X(mads_lost, false, "those of them that did not arrive")                                       \
    X(io_stall_max_us, true, "longest time a flow with work waiting delivered nothing, us")        \
    X(jain_index, true, "Jain's fairness index over bytes delivered per flow")                     \
    X(completions_1, false, "completions with status 1, local length error")                       \
    X(completions_2, false, "completions with status 2, local QP operation error")                 \
    X(completions_4, false, "completions with status 4, local protection error")                   \
    X(completions_5, false, "completions with status 5, flushed; receives included")               \
    X(completions_8, false, "completions with status 8, local access error")                       \
    X(completions_9, false, "completions with status 9, remote invalid request")                   \
    X(completions_10, false, "completions with status 10, remote access error")                    \
    X(completions_11, false, "completions with status 11, remote operation error")                 \
    X(completions_12, false, "completions with status 12, transport retries exceeded")             \
    X(completions_13, false, "completions with status 13, RNR retries exceeded")

#define METRIC_ENUM(name, micro, meaning) METRIC_##name,
enum metric { METRIC_LIST(METRIC_ENUM) METRICS };
#undef METRIC_ENUM

struct metric_def {
    const char *name; /* "latency_p99_us" */
    bool micro;       /* the integer counts millionths */
    const char *meaning;
};

#define METRICS_MAX 128
extern const struct metric_def metric_table[];
extern const uint32_t metric_count;

struct metrics {
    int64_t v[METRICS_MAX]; /* metric_table order */
    /* one row per size bucket, when the scenario asks for slowdown by size */
    uint32_t buckets;
    struct metric_bucket {
        uint64_t min_bytes, max_bytes, messages;
        int64_t slowdown_mean, slowdown_p50, slowdown_p99; /* millionths */
    } bucket[METER_BUCKETS_MAX + 1];
};

/* Index in metric_table, -1 if there is none of that name. */
int metric_find(const char *name);
/* "12.345678", "7", "" (METRIC_NONE).  Exact: from integers alone.  size >= 32 is always enough. */
void metric_text(const struct metric_def *d, int64_t v, char *out, size_t size);
/* The same for a value in millionths that is not in the table (buckets). */
void metric_text_micro(int64_t v, char *out, size_t size);

#endif

/*
 * Adds up what happens.
 *
 * Every function takes the time a message was posted and looks at the warm-up itself, so that
 * callers cannot count a message in one place and forget it in another.
 *
 * Left out: rates, quantiles and everything else that is computed once, when the run has ended.
 */
#include "models/hca/meter.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

#define STATUS_SUCCESS 0
#define STATUS_FLUSHED 5

static bool counts(const struct meter *m, tm_ps post_ps) { return post_ps >= m->warmup_ps; }

void meter_init(struct meter *m, tm_ps warmup_ps, const uint64_t *edges, uint32_t edge_count)
{
    bool has_rest = edge_count > 0 && edges[edge_count - 1] < METER_MESSAGE_MAX;
    CHECK(edge_count + has_rest <= METER_BUCKETS_MAX + 1);
    memset(m, 0, sizeof(*m));
    m->first_post_ps = TM_NEVER;
    m->last_delivery_ps = -1;
    m->warmup_ps = warmup_ps;
    m->bucket_count = edge_count + has_rest;
    if (edge_count == 0)
        return;
    memcpy(m->bucket_edge_bytes, edges, edge_count * sizeof(*edges));
    if (has_rest)
        m->bucket_edge_bytes[edge_count] = METER_MESSAGE_MAX;
    m->bucket = calloc(m->bucket_count, sizeof(*m->bucket));
    CHECK(m->bucket != NULL);
}

void meter_fini(struct meter *m)
{
    free(m->bucket);
    m->bucket = NULL;
    m->bucket_count = 0;
}

static void merge_counts(struct meter_counts *into, const struct meter_counts *from)
{
    into->messages_posted += from->messages_posted;
    into->messages_delivered += from->messages_delivered;
    into->messages_completed += from->messages_completed;
    into->messages_failed += from->messages_failed;
    into->messages_flushed += from->messages_flushed;
    into->bytes_delivered += from->bytes_delivered;
    into->packets_sent += from->packets_sent;
    into->packets_retransmitted += from->packets_retransmitted;
    for (size_t i = 0; i < METER_STATUSES; i++)
        into->status[i] += from->status[i];
    into->reconnects += from->reconnects;
    into->reconnect_give_ups += from->reconnect_give_ups;
    into->recvs_completed += from->recvs_completed;
    into->mads_sent += from->mads_sent;
    into->mads_repeated += from->mads_repeated;
    into->mads_received += from->mads_received;
    into->connects_failed += from->connects_failed;
}

/* A cause before what it flushed; then by time; then by host. */
static bool comes_before(const struct meter_error *a, const struct meter_error *b)
{
    bool a_flushed = a->status == STATUS_FLUSHED, b_flushed = b->status == STATUS_FLUSHED;
    if (a_flushed != b_flushed)
        return b_flushed;
    return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->host < b->host;
}

static void keep_first(struct meter_error *kept, const struct meter_error *e)
{
    if (e->status != STATUS_SUCCESS && (kept->status == STATUS_SUCCESS || comes_before(e, kept)))
        *kept = *e;
}

void meter_merge(struct meter *into, const struct meter *from)
{
    CHECK(into->bucket_count == from->bucket_count);
    merge_counts(&into->n, &from->n);
    into->first_post_ps = tm_min(into->first_post_ps, from->first_post_ps);
    into->last_delivery_ps = tm_max(into->last_delivery_ps, from->last_delivery_ps);
    into->io_stall_max_ps = tm_max(into->io_stall_max_ps, from->io_stall_max_ps);
    hist_merge(&into->latency, &from->latency);
    hist_merge(&into->completion, &from->completion);
    hist_merge(&into->fail_time, &from->fail_time);
    hist_merge(&into->slowdown, &from->slowdown);
    hist_merge(&into->rpc, &from->rpc);
    hist_merge(&into->connect, &from->connect);
    hist_merge(&into->recovery, &from->recovery);
    keep_first(&into->error, &from->error);
    into->setup_ps = tm_max(into->setup_ps, from->setup_ps);
    for (uint32_t i = 0; i < into->bucket_count; i++)
        hist_merge(&into->bucket[i], &from->bucket[i]);
}

void meter_posted(struct meter *m, tm_ps post_ps)
{
    if (!counts(m, post_ps))
        return;
    m->n.messages_posted++;
    m->first_post_ps = tm_min(m->first_post_ps, post_ps);
}

static void add_slowdown(struct meter *m, uint64_t bytes, tm_ps latency_ps, tm_ps alone_ps)
{
    int64_t times =
        (int64_t)(((unsigned __int128)latency_ps * METER_SLOWDOWN_ONE + (uint64_t)alone_ps / 2) /
                  (uint64_t)alone_ps);
    hist_add(&m->slowdown, times);
    if (m->bucket_count == 0)
        return;
    uint32_t i = 0;
    while (i + 1 < m->bucket_count && bytes > m->bucket_edge_bytes[i])
        i++;
    hist_add(&m->bucket[i], times);
}

void meter_delivered(struct meter *m, uint64_t bytes, tm_ps post_ps, tm_ps now, tm_ps alone_ps)
{
    if (!counts(m, post_ps))
        return;
    m->n.messages_delivered++;
    m->n.bytes_delivered += bytes;
    m->last_delivery_ps = tm_max(m->last_delivery_ps, now);
    hist_add(&m->latency, now - post_ps);
    if (alone_ps > 0)
        add_slowdown(m, bytes, now - post_ps, alone_ps);
}

void meter_completed(struct meter *m, uint8_t status, tm_ps post_ps, tm_ps now)
{
    CHECK(status < METER_STATUSES);
    if (!counts(m, post_ps))
        return;
    m->n.status[status]++;
    if (status == STATUS_SUCCESS) {
        m->n.messages_completed++;
        hist_add(&m->completion, now - post_ps);
    } else if (status == STATUS_FLUSHED) {
        m->n.messages_flushed++;
    } else {
        m->n.messages_failed++;
    }
}

void meter_implied(struct meter *m, tm_ps post_ps)
{
    if (counts(m, post_ps))
        m->n.messages_completed++;
}

void meter_received(struct meter *m, uint8_t status)
{
    CHECK(status < METER_STATUSES);
    m->n.status[status]++;
    m->n.recvs_completed += status == STATUS_SUCCESS;
}

void meter_failed(struct meter *m, tm_ps post_ps, tm_ps now)
{
    if (counts(m, post_ps))
        hist_add(&m->fail_time, now - post_ps);
}

void meter_error(struct meter *m, const struct meter_error *e)
{
    if (counts(m, e->post_ps))
        keep_first(&m->error, e);
}

void meter_recovered(struct meter *m, tm_ps broken_ps, tm_ps now)
{
    hist_add(&m->recovery, now - broken_ps);
}

void meter_answered(struct meter *m, tm_ps post_ps, tm_ps now)
{
    if (counts(m, post_ps))
        hist_add(&m->rpc, now - post_ps);
}

void meter_connected(struct meter *m, tm_ps asked_ps, tm_ps now)
{
    hist_add(&m->connect, now - asked_ps);
    m->setup_ps = tm_max(m->setup_ps, now);
}

void meter_stalled(struct meter *m, tm_ps since_ps, tm_ps now)
{
    m->io_stall_max_ps = tm_max(m->io_stall_max_ps, now - since_ps);
}

/*
 * From counts to metrics (formats.md "Metrics"), in integers: millionths where a metric has
 * decimals.  Every quotient is rounded down, so the last digit is the same everywhere.
 */
#include "scenarios/run/collect.h"

#include <glib.h>
#include <string.h>

typedef unsigned __int128 u128;

#define MICRO 1000000u

/* value * num / den without overflow; METRIC_NONE when den is 0. */
static int64_t ratio(u128 value, u128 num, u128 den)
{
    if (den == 0)
        return METRIC_NONE;
    return (int64_t)(value * num / den);
}

/* A time's distribution fills the six metrics that begin at `first`. */
static void put_times(struct metrics *m, enum metric first, const struct hist *h)
{
    int64_t *v = &m->v[first];

    if (h->count == 0)
        return;
    v[0] = h->min;
    v[1] = hist_mean(h);
    v[2] = hist_quantile(h, 1, 2);
    v[3] = hist_quantile(h, 99, 100);
    v[4] = hist_quantile(h, 999, 1000);
    v[5] = h->max;
}

/* Slowdowns are kept in thousandths, printed in millionths. */
static int64_t slowdown_micro(int64_t thousandths) { return thousandths * 1000; }

static void put_slowdown(struct metrics *m, const struct meter *t)
{
    uint64_t below = 0;

    if (t->slowdown.count) {
        m->v[METRIC_slowdown_mean] = slowdown_micro(hist_mean(&t->slowdown));
        m->v[METRIC_slowdown_p50] = slowdown_micro(hist_quantile(&t->slowdown, 1, 2));
        m->v[METRIC_slowdown_p99] = slowdown_micro(hist_quantile(&t->slowdown, 99, 100));
    }
    m->buckets = t->bucket ? t->bucket_count : 0;
    for (uint32_t i = 0; i < m->buckets; i++) {
        const struct hist *h = &t->bucket[i];
        struct metric_bucket *b = &m->bucket[i];
        b->min_bytes = below;
        b->max_bytes = t->bucket_edge_bytes[i];
        b->messages = h->count;
        b->slowdown_mean = h->count ? slowdown_micro(hist_mean(h)) : METRIC_NONE;
        b->slowdown_p50 = h->count ? slowdown_micro(hist_quantile(h, 1, 2)) : METRIC_NONE;
        b->slowdown_p99 = h->count ? slowdown_micro(hist_quantile(h, 99, 100)) : METRIC_NONE;
        below = b->max_bytes + 1;
    }
    /* The class for the rest shows only if there was a rest. */
    if (m->buckets && m->bucket[m->buckets - 1].max_bytes == METER_MESSAGE_MAX &&
        m->bucket[m->buckets - 1].messages == 0)
        m->buckets--;
}

static void put_messages(struct metrics *m, const struct meter *t)
{
    const struct meter_counts *n = &t->n;

    m->v[METRIC_messages_posted] = (int64_t)n->messages_posted;
    m->v[METRIC_messages_delivered] = (int64_t)n->messages_delivered;
    m->v[METRIC_messages_completed] = (int64_t)n->messages_completed;
    m->v[METRIC_messages_failed] = (int64_t)n->messages_failed;
    m->v[METRIC_messages_flushed] = (int64_t)n->messages_flushed;
    m->v[METRIC_bytes_delivered] = (int64_t)n->bytes_delivered;
    m->v[METRIC_packets_sent] = (int64_t)n->packets_sent;
    m->v[METRIC_packets_retransmitted] = (int64_t)n->packets_retransmitted;
    m->v[METRIC_reconnects] = (int64_t)n->reconnects;
    m->v[METRIC_io_stall_max_us] = t->io_stall_max_ps;
    put_times(m, METRIC_latency_min_us, &t->latency);
    put_times(m, METRIC_completion_min_us, &t->completion);
    put_times(m, METRIC_rpc_min_us, &t->rpc);
    if (t->fail_time.count) {
        m->v[METRIC_fail_time_min_us] = t->fail_time.min;
        m->v[METRIC_fail_time_mean_us] = hist_mean(&t->fail_time);
        m->v[METRIC_fail_time_max_us] = t->fail_time.max;
    }
    if (t->error.status != XP_WC_SUCCESS) {
        m->v[METRIC_first_status] = t->error.status;
        m->v[METRIC_first_vendor_err] = t->error.vendor_err;
    }
    put_times(m, METRIC_recovery_min_us, &t->recovery);
}

/* Where connections are assumed there are no MADs, and no times. */
static void put_connections(struct metrics *m, const struct scenario *s, const struct meter *t)
{
    const struct meter_counts *n = &t->n;

    if (s->load.connect.mode != LOAD_CONNECT_SIMULATED)
        return;
    m->v[METRIC_mads_sent] = (int64_t)n->mads_sent;
    m->v[METRIC_mads_repeated] = (int64_t)n->mads_repeated;
    m->v[METRIC_mads_lost] = MAX((int64_t)(n->mads_sent - n->mads_received), 0);
    m->v[METRIC_connects_failed] = (int64_t)n->connects_failed;
    put_times(m, METRIC_connect_min_us, &t->connect);
    if (t->connect.count)
        m->v[METRIC_setup_us] = t->setup_ps;
}

static void put_statuses(struct metrics *m, const struct meter *t)
{
    static const struct {
        enum metric metric;
        enum xp_status status;
    } row[] = {
        {METRIC_completions_1, XP_WC_LOC_LEN_ERR},
        {METRIC_completions_2, XP_WC_LOC_QP_OP_ERR},
        {METRIC_completions_4, XP_WC_LOC_PROT_ERR},
        {METRIC_completions_5, XP_WC_WR_FLUSH_ERR},
        {METRIC_completions_8, XP_WC_LOC_ACCESS_ERR},
        {METRIC_completions_9, XP_WC_REM_INV_REQ_ERR},
        {METRIC_completions_10, XP_WC_REM_ACCESS_ERR},
        {METRIC_completions_11, XP_WC_REM_OP_ERR},
        {METRIC_completions_12, XP_WC_RETRY_EXC_ERR},
        {METRIC_completions_13, XP_WC_RNR_RETRY_EXC_ERR},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(row); i++)
        m->v[row[i].metric] = (int64_t)t->n.status[row[i].status];
}

/* The time over which rates are taken: the duration less the warm-up, or first post to last delivery. */
static tm_ps measured_ps(const struct scenario *s, const struct meter *t)
{
    if (s->duration_ps != TM_NEVER)
        return s->duration_ps - s->warmup_ps;
    if (t->first_post_ps == TM_NEVER || t->last_delivery_ps < 0)
        return 0;
    return t->last_delivery_ps - t->first_post_ps;
}

static void put_rates(struct metrics *m, const struct scenario *s, const struct meter *t)
{
    u128 time_ps = (u128)measured_ps(s, t);
    u128 done = t->rpc.count ? t->rpc.count : t->n.messages_completed;

    /* One byte per ps is 8 Tb/s = 8000 Gb/s. */
    m->v[METRIC_goodput_gbps] = ratio(t->n.bytes_delivered, (u128)8000 * MICRO, time_ps);
    m->v[METRIC_message_rate_mps] = ratio(t->n.messages_delivered, (u128)TM_S * MICRO, time_ps);
    m->v[METRIC_iops] = ratio(done, (u128)TM_S * MICRO, time_ps);
}

static void put_transport(const struct world *w, struct metrics *m)
{
    uint64_t acks = 0, naks = 0, rnr = 0, timeouts = 0, early = 0, repeated = 0;

    for (uint32_t h = 0; h < w->hosts; h++) {
        const struct xp_counts *c = xp_counts(hca_core(w->hca[h]));
        acks += c->acks_sent;
        naks += c->naks_sent;
        rnr += c->rnr_naks_sent;
        timeouts += c->ack_timeouts;
        early += c->early_retransmissions;
        repeated += c->responses_repeated;
        const struct udack_counts *u = load_udack_counts(w->load, h);
        acks += u ? u->acks_alone : 0;
        timeouts += u ? u->timeouts : 0;
    }
    m->v[METRIC_acks] = (int64_t)acks;
    m->v[METRIC_naks] = (int64_t)naks;
    m->v[METRIC_rnr_naks] = (int64_t)rnr;
    m->v[METRIC_ack_timeouts] = (int64_t)timeouts;
    m->v[METRIC_early_retransmissions] = (int64_t)early;
    m->v[METRIC_responses_repeated] = (int64_t)repeated;
}

static void add_cache(struct cache_counts *sum, const struct cache_counts *one)
{
    sum->touches += one->touches;
    sum->misses += one->misses;
}

static int64_t miss_ratio(const struct cache_counts *n)
{
    return ratio(n->misses, MICRO, n->touches);
}

/* Of all hosts together.  Returns the packets that adapters discarded. */
static uint64_t put_adapters(const struct world *w, const struct scenario *s, struct metrics *m)
{
    struct hca_cost_counts all = {0}, one;

    if (s->hca.cost.units == 0)
        return 0;
    for (uint32_t h = 0; h < w->hosts; h++) {
        hca_cost_counts(w->hca[h], &one);
        add_cache(&all.ctx, &one.ctx);
        add_cache(&all.read, &one.read);
        add_cache(&all.mtt, &one.mtt);
        add_cache(&all.wqe, &one.wqe);
        all.pcie_read_bytes += one.pcie_read_bytes;
        all.pcie_written_bytes += one.pcie_written_bytes;
        all.discarded += one.discarded;
    }
    m->v[METRIC_dropped_rx_buffer] = (int64_t)all.discarded;
    m->v[METRIC_ctx_touches] = (int64_t)all.ctx.touches;
    m->v[METRIC_ctx_misses] = (int64_t)all.ctx.misses;
    m->v[METRIC_ctx_miss_ratio] = miss_ratio(&all.ctx);
    m->v[METRIC_read_miss_ratio] = miss_ratio(&all.read);
    m->v[METRIC_mtt_miss_ratio] = miss_ratio(&all.mtt);
    m->v[METRIC_wqe_miss_ratio] = miss_ratio(&all.wqe);
    m->v[METRIC_pcie_read_bytes] = (int64_t)all.pcie_read_bytes;
    m->v[METRIC_pcie_written_bytes] = (int64_t)all.pcie_written_bytes;
    return all.discarded;
}

static void put_fabric(const struct world *w, const struct scenario *s, struct metrics *m)
{
    struct fab_counts c;
    uint64_t dropped = put_adapters(w, s, m);

    fab_counts(w->fab, &c);
    for (int i = 0; i < FAB_DROPS; i++)
        dropped += c.dropped[i];
    m->v[METRIC_packets_dropped] = (int64_t)dropped;
    m->v[METRIC_dropped_loss] = (int64_t)c.dropped[FAB_DROP_LOSS];
    m->v[METRIC_dropped_buffer] = (int64_t)c.dropped[FAB_DROP_BUFFER];
    m->v[METRIC_dropped_inject] = (int64_t)c.dropped[FAB_DROP_INJECT];
    m->v[METRIC_dropped_icrc] = (int64_t)c.dropped[FAB_DROP_CORRUPT];
    m->v[METRIC_dropped_link_down] = (int64_t)c.dropped[FAB_DROP_DOWN];
    m->v[METRIC_packet_hops] = (int64_t)c.arrived;
    m->v[METRIC_queue_bytes_max] = (int64_t)c.queue_bytes_max;
}

/*
 * Messages that their sender holds for done and the receiver never had.  When the run ended quiet
 * that is all that is missing; when the clock ended it, what is behind the last delivery may
 * still be on its way and is not counted.
 */
static uint64_t flow_lost(const struct world *w, const struct load_qp_row *row)
{
    if (row->is_session) {
        uint64_t last = w->quiet ? row->succeeded : MIN(row->succeeded, row->got_end);
        return last > row->got_messages ? last - row->got_messages : 0;
    }
    const struct hca *peer = w->hca[row->peer];
    uint64_t delivered =
        hca_qp_delivered(peer, row->peer_qpn) + hca_qp_reads(w->hca[row->host], row->qpn);
    uint64_t end = w->quiet ? row->succeeded : hca_qp_last_msgno(peer, row->peer_qpn);

    end = MIN(end, row->succeeded);
    return end > delivered ? end - delivered : 0;
}

static u128 flow_bytes(const struct world *w, const struct load_qp_row *row)
{
    if (row->is_session)
        return row->got_bytes;
    return hca_qp_bytes(w->hca[row->peer], row->peer_qpn) +
           (u128)hca_qp_read_bytes(w->hca[row->host], row->qpn);
}

static bool is_in_error(const struct world *w, const struct load_qp_row *row)
{
    struct xp_qp_query q = {.state = row->session_state};
    if (!row->is_session && xp_qp_query(hca_core(w->hca[row->host]), row->qpn, &q) != XP_OK)
        return false;
    return q.state == XP_ERR || q.state == XP_SQE;
}

static void put_payload(const struct world *w, const struct scenario *s, struct metrics *m)
{
    uint64_t bytes, mismatches;

    if (s->load.payload == LOAD_PAYLOAD_OFF)
        return;
    load_verified(w->load, &bytes, &mismatches);
    m->v[METRIC_payload_verified] = (int64_t)bytes;
    m->v[METRIC_payload_mismatches] = (int64_t)mismatches;
    if (load_partial_bytes(w->load, &bytes))
        m->v[METRIC_partial_bytes] = (int64_t)bytes;
}

static void put_flows(const struct world *w, struct metrics *m)
{
    uint32_t qps = load_qp_count(w->load);
    uint64_t flows = 0, lost = 0, in_error = 0;
    u128 sum = 0, squares = 0;

    for (uint32_t i = 0; i < qps; i++) {
        struct load_qp_row row;
        load_qp_row(w->load, i, &row);
        in_error += is_in_error(w, &row);
        if (!row.is_flow)
            continue;
        u128 bytes = flow_bytes(w, &row);
        flows++;
        sum += bytes;
        squares += bytes * bytes;
        lost += flow_lost(w, &row);
    }
    m->v[METRIC_qps] = (int64_t)load_real_qps(w->load);
    m->v[METRIC_host_memory_bytes] = (int64_t)load_host_memory_bytes(w->load);
    m->v[METRIC_flows] = (int64_t)flows;
    m->v[METRIC_qps_in_error] = (int64_t)in_error;
    m->v[METRIC_messages_lost] = (int64_t)lost;
    /* 10^15 bytes squared times a million stay within 128 bits. */
    m->v[METRIC_jain_index] = flows ? ratio(sum * sum / flows, MICRO, squares) : METRIC_NONE;
}

static void merged_meter(const struct world *w, struct meter *all)
{
    meter_init(all, w->meter[0].warmup_ps, w->meter[0].bucket_edge_bytes, w->meter[0].bucket_count);
    for (uint32_t d = 0; d < w->domains; d++)
        meter_merge(all, &w->meter[d]);
}

void collect_metrics(const struct world *w, const struct scenario *s, struct metrics *m)
{
    struct meter *all = g_new0(struct meter, 1);

    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < METRICS; i++)
        m->v[i] = METRIC_NONE;
    merged_meter(w, all);
    put_messages(m, all);
    put_connections(m, s, all);
    put_statuses(m, all);
    put_slowdown(m, all);
    put_rates(m, s, all);
    put_transport(w, m);
    put_fabric(w, s, m);
    put_payload(w, s, m);
    put_flows(w, m);
    meter_fini(all);
    g_free(all);
}

uint64_t collect_endpoint_packets(const struct world *w)
{
    uint64_t n = 0;

    for (uint32_t h = 0; h < w->hosts; h++) {
        const struct xp_counts *c = xp_counts(hca_core(w->hca[h]));
        n += c->request_packets + c->acks_sent + c->naks_sent + c->rnr_naks_sent;
    }
    return n;
}

/*
 * Notes: what a user should know about a scenario that resolves.
 *
 * Most are keys that were given and that another key makes ineffective.  They are not refused: a
 * sweep may make them effective at another of its points, and then nothing is said.  A key given
 * its default says nothing either: a manifest gives all of them.
 */
#include <string.h>

#include "scenarios/reader/resolve.h"

/* ---- when keys have an effect ----------------------------------------------------------------- */

static bool reads(const struct scenario *s)
{
    return xp_wr_awaits_answer(s->load.op) || s->load.rpc.data == LOAD_RPC_READ;
}
static bool is_rpc(const struct scenario *s) { return s->load.pattern == LOAD_RPC; }
static bool is_no_trace(const struct scenario *s) { return s->load.pattern != LOAD_TRACE; }
static bool has_target(const struct scenario *s)
{
    return s->load.pattern == LOAD_INCAST || s->load.pattern == LOAD_RPC;
}
static bool has_data(const struct scenario *s)
{
    return s->load.pattern != LOAD_RPC || s->load.rpc.data != LOAD_RPC_NONE;
}
static bool takes_receives(const struct scenario *s)
{
    return s->load.op == XP_WR_SEND || s->load.op == XP_WR_SEND_IMM ||
           s->load.op == XP_WR_WRITE_IMM;
}
static bool has_srq(const struct scenario *s) { return s->qp.srq; }
static bool has_queues_of_own(const struct scenario *s) { return !s->qp.srq; }
static bool reconnects(const struct scenario *s)
{
    return s->load.retry.on_error == LOAD_RECONNECT;
}
static bool has_switch(const struct scenario *s) { return s->fabric.topology != FAB_PAIR; }
static bool is_acked(const struct scenario *s) { return load_is_acked(s->qp.service); }
static bool joins(const struct scenario *s)
{
    return s->load.connect.mode == LOAD_CONNECT_SIMULATED;
}
static bool has_connections(const struct scenario *s) { return load_is_connected(s->qp.service); }
static bool is_udack(const struct scenario *s) { return s->qp.udack.on; }
static bool adapts(const struct scenario *s) { return s->qp.udack.on && s->qp.udack.cfg.adaptive; }
static bool has_timer(const struct scenario *s) { return s->qp.timeout != 0; }
static bool has_units(const struct scenario *s) { return s->hca.cost.units != 0; }
static bool has_flow_depth(const struct scenario *s) { return s->load.host_depth == 0; }
static bool has_rate(const struct scenario *s)
{
    return s->fabric.loss.model == LOSS_BERNOULLI ||
           (s->fabric.loss.model == LOSS_GILBERT_ELLIOTT && s->fabric.loss.burst_milli);
}
static bool has_loss(const struct scenario *s)
{
    return s->fabric.loss.model != LOSS_BERNOULLI || s->fabric.loss_threshold != 0;
}
static bool has_states(const struct scenario *s)
{
    return s->fabric.loss.model == LOSS_GILBERT_ELLIOTT;
}
static bool has_p(const struct scenario *s) { return s->fabric.loss.burst_milli == 0; }
static bool has_bits(const struct scenario *s) { return s->fabric.loss.model == LOSS_BER; }

struct idle_row {
    const char *key;
    bool (*has_effect)(const struct scenario *s);
    const char *because; /* the key that decides; NULL: none does */
};

static const struct idle_row rows[] = {
    {"workload.target", has_target, "workload.pattern"},
    {"workload.request_size", is_rpc, "workload.pattern"},
    {"workload.response_size", is_rpc, "workload.pattern"},
    {"workload.size", has_data, "workload.data"},
    {"workload.size", is_no_trace, "workload.pattern"},
    {"workload.messages", is_no_trace, "workload.pattern"},
    {"workload.recv_late", takes_receives, "workload.op"},
    {"workload.recv_repost", takes_receives, "workload.op"},
    {"workload.recv_serial", takes_receives, "workload.op"},
    {"qp.rq_depth", takes_receives, "workload.op"},
    {"qp.rq_depth", has_queues_of_own, "qp.srq"},
    {"qp.srq", takes_receives, "workload.op"},
    {"qp.srq_depth", takes_receives, "workload.op"},
    {"qp.srq_depth", has_srq, "qp.srq"},
    {"workload.reconnect_delay", reconnects, "workload.on_error"},
    {"workload.reconnect_give_up", reconnects, "workload.on_error"},
    {"fabric.switch_delay", has_switch, "fabric.topology"},
    {"fabric.buffer", has_switch, "fabric.topology"},
    {"fabric.loss.class", has_loss, "fabric.loss.rate"},
    {"fabric.loss.rate", has_rate, "fabric.loss.model"},
    {"fabric.loss.burst", has_states, "fabric.loss.model"},
    {"fabric.loss.p", has_states, "fabric.loss.model"},
    {"fabric.loss.r", has_states, "fabric.loss.model"},
    {"fabric.loss.p", has_p, "fabric.loss.burst"},
    {"fabric.loss.r", has_p, "fabric.loss.burst"},
    {"fabric.loss.good", has_states, "fabric.loss.model"},
    {"fabric.loss.bad", has_states, "fabric.loss.model"},
    {"fabric.loss.ber", has_bits, "fabric.loss.model"},
    {"qp.timeout", is_acked, "qp.service"},
    {"qp.retry_cnt", is_acked, "qp.service"},
    {"qp.rnr_retry", is_acked, "qp.service"},
    {"qp.min_rnr_timer", is_acked, "qp.service"},
    {"workload.slowdown", has_connections, "qp.service"},
    {"udack.window", is_udack, "qp.service"},
    {"udack.reorder", is_udack, "qp.service"},
    {"udack.recovery", is_udack, "qp.service"},
    {"udack.fast_after", is_udack, "qp.service"},
    {"udack.ack_every", is_udack, "qp.service"},
    {"udack.ack_delay", is_udack, "qp.service"},
    {"udack.ask_last", is_udack, "qp.service"},
    {"udack.retries", is_udack, "qp.service"},
    {"udack.rto", is_udack, "qp.service"},
    {"udack.adaptive", is_udack, "qp.service"},
    {"udack.rto_min", adapts, "udack.adaptive"},
    {"udack.rto_max", adapts, "udack.adaptive"},
    {"udack.cpu", is_udack, "qp.service"},
    {"hca.timer_slack", has_timer, "qp.timeout"},
    {"hca.timer_floor", has_timer, "qp.timeout"},
    {"hca.timer_factor", has_timer, "qp.timeout"},
    {"hca.timer_ladder", has_timer, "qp.timeout"},
    {"hca.timer_first", has_timer, "qp.timeout"},
    {"qp.max_rd_atomic", reads, "workload.op"},
    {"qp.max_dest_rd_atomic", reads, "workload.op"},
    {"hca.read_resume", reads, "workload.op"},
    {"hca.read_again", reads, "workload.op"},
    {"hca.dup_ack", reads, "workload.op"},
    {"connect.cm_timeout", joins, "connect.mode"},
    {"connect.cm_retries", joins, "connect.mode"},
    {"connect.handshakes", joins, "connect.mode"},
    {"connect.accept_time", joins, "connect.mode"},
    {"connect.mra", joins, "connect.mode"},
    {"connect.rtr_late", joins, "connect.mode"},
    {"connect.timewait", joins, "connect.mode"},
    {"connect.timewait", reconnects, "workload.on_error"},
    {"hca.unit_time", has_units, "hca.units"},
    {"hca.read_time", has_units, "hca.units"},
    {"hca.ack_time", has_units, "hca.units"},
    {"hca.nak_delay", has_units, "hca.units"},
    {"hca.nak_reaction", has_units, "hca.units"},
    {"hca.ctx_entries", has_units, "hca.units"},
    {"hca.ctx_ways", has_units, "hca.units"},
    {"hca.ctx_replace", has_units, "hca.units"},
    {"hca.ctx_bytes", has_units, "hca.units"},
    {"hca.ctx_fetch", has_units, "hca.units"},
    {"hca.ctx_fetches", has_units, "hca.units"},
    {"hca.read_entries", has_units, "hca.units"},
    {"hca.read_ways", has_units, "hca.units"},
    {"hca.read_replace", has_units, "hca.units"},
    {"hca.read_fetch", has_units, "hca.units"},
    {"hca.wqe_batch", has_units, "hca.units"},
    {"hca.wqe_entries", has_units, "hca.units"},
    {"hca.mtt_entries", has_units, "hca.units"},
    {"hca.mtt_ways", has_units, "hca.units"},
    {"hca.page", has_units, "hca.units"},
    {"hca.pcie_latency", has_units, "hca.units"},
    {"hca.pcie_rate", has_units, "hca.units"},
    {"hca.pcie_reads", has_units, "hca.units"},
    {"hca.doorbell", has_units, "hca.units"},
    {"hca.inline", has_units, "hca.units"},
    {"hca.tx_fifo", has_units, "hca.units"},
    {"hca.rx_buffer", has_units, "hca.units"},
    {"hca.read_time", reads, "workload.op"},
    {"hca.read_entries", reads, "workload.op"},
    {"hca.read_ways", reads, "workload.op"},
    {"hca.read_replace", reads, "workload.op"},
    {"hca.read_fetch", reads, "workload.op"},
    {"workload.depth", has_flow_depth, "workload.host_depth"},
};
G_STATIC_ASSERT(G_N_ELEMENTS(rows) <= NOTES_IDLE_MAX);

/* In base units: "0" and "0ns" are the same. */
static char *value_text(const struct key *k, const char *text)
{
    struct value v;
    struct sc_error err;
    GString *out = g_string_new(NULL);
    if (key_parse(k, text, &v, &err)) {
        key_print(k, &v, true, out);
        value_clear(&v);
    }
    return g_string_free(out, FALSE);
}

static bool is_given(const struct resolving *r, const char *dotted)
{
    const struct cell *c = resolve_cell(r, dotted);
    const struct key *k = key_find_dotted(dotted);
    char *is = value_text(k, c->text), *standard = value_text(k, key_standard(k));
    bool given = c->given && strcmp(is, standard) != 0;
    g_free(is);
    g_free(standard);
    return given;
}

static char *idle_text(const struct resolving *r, const struct idle_row *row)
{
    return g_strdup_printf("%s has no effect with %s = %s", row->key, row->because,
                           resolve_cell(r, row->because)->text);
}

static void note_idle(struct resolving *r)
{
    struct notes *n = r->notes;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].has_effect(&r->s))
            n->effective[i] = true;
        else if (!n->idle[i] && is_given(r, rows[i].key))
            n->idle[i] = idle_text(r, &rows[i]);
    }
}

/* Where nothing gets through, an error follows every new connection, without end. */
static bool may_never_end(const struct scenario *s)
{
    return reconnects(s) && s->duration_ps == TM_NEVER && s->load.retry.give_up_ps == 0;
}

/* The ninth READ of a queue meets a responder that keeps eight: refused, and the connection is gone. */
static void note_read_depth(struct resolving *r)
{
    const struct load_qp_cfg *qp = &r->s.qp;
    if (reads(&r->s) && qp->max_rd_atomic > qp->max_dest_rd_atomic)
        g_ptr_array_add(r->notes->text,
                        g_strdup_printf("qp.max_rd_atomic %u is more than qp.max_dest_rd_atomic "
                                        "%u: a READ or atomic beyond that many outstanding may end "
                                        "in status 9",
                                        qp->max_rd_atomic, qp->max_dest_rd_atomic));
}

/* From here on a user takes a peer that is gone, or a teardown, for a hang. */
#define LONG_RETRY_S 4

static void note_retry_time(struct resolving *r)
{
    const struct load_qp_cfg *qp = &r->s.qp;
    double wait_s = 4.096e-6 * (double)((uint64_t)1 << qp->timeout);
    double all_s = (qp->retry_cnt + 1) * wait_s;
    if (is_acked(&r->s) && !qp->udack.on && has_timer(&r->s) && all_s >= LONG_RETRY_S &&
        qp->retry_cnt != r->s.hca.xp.endless_retry_cnt)
        g_ptr_array_add(r->notes->text,
                        g_strdup_printf("a silent peer is reported (status 12) after %.2f s: "
                                        "qp.retry_cnt + 1 = %u waits of %.2f s",
                                        all_s, qp->retry_cnt + 1U, wait_s));
}

void notes_take(struct resolving *r)
{
    if (r->notes->text && may_never_end(&r->s))
        g_ptr_array_add(r->notes->text,
                        g_strdup("with on_error = reconnect, no duration and no "
                                 "reconnect_give_up, a run in which nothing gets through does "
                                 "not end"));
    if (r->notes->text && r->s.qp.min_rnr_timer == 0)
        g_ptr_array_add(r->notes->text,
                        g_strdup("qp.min_rnr_timer 0 is the longest wait, 655.36 ms for "
                                 "each RNR NAK, not the shortest (1: 0.01 ms)"));
    if (r->notes->text) {
        note_read_depth(r);
        note_retry_time(r);
    }
    note_idle(r);
}

/* ---- printing --------------------------------------------------------------------------------- */

static void take_points(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                        struct notes *notes)
{
    struct sc_plan plan = {0};
    struct sc_error err;
    bool ok = sc_plan_make(f, ov, n, false, &plan, &err);
    for (uint32_t i = 0; ok && i < plan.points; i++) {
        struct scenario s = {0};
        resolve_scenario(f, plan.point[i].set, plan.point[i].sets, &s, notes, &err);
        scenario_clear(&s);
    }
    sc_plan_clear(&plan);
}

void sc_notes_print(const struct sc_file *f, const struct sc_override *ov, uint32_t n, FILE *out)
{
    GPtrArray *text = g_ptr_array_new_with_free_func(g_free);
    struct notes notes = {.text = text};
    struct scenario s = {0};
    struct sc_error err;
    if (resolve_scenario(f, ov, n, &s, &notes, &err))
        for (guint i = 0; i < text->len; i++)
            fprintf(out, "note: %s\n", (const char *)g_ptr_array_index(text, i));
    scenario_clear(&s);
    notes.text = NULL;
    take_points(f, ov, n, &notes);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (notes.idle[i] && !notes.effective[i])
            fprintf(out, "note: %s\n", notes.idle[i]);
        g_free(notes.idle[i]);
    }
    g_ptr_array_free(text, TRUE);
}

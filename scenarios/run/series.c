/*
 * A run in steps: between two calls of ev_run the counters are read and a row is written.  The
 * engine sees no event of it, so the run is the same with and without.
 *
 * Intervals in which nothing happened are held back until something does; a run without duration
 * thus ends its series with the last interval in which something did, whatever stale timer ends the
 * run itself.  Stretches in which no entry is due are not stepped through at all.
 */
#include "scenarios/run/series.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "scenarios/reader/fail.h"
#include "scenarios/reader/value.h"
#include "scenarios/run/csv_out.h"

enum count { BYTES, MESSAGES, RETRANSMITTED, DROPPED, TIMEOUTS, RNR_NAKS, COUNTS };

static const char *const columns[] = {"t_us",
                                      "bytes_delivered",
                                      "messages_delivered",
                                      "packets_retransmitted",
                                      "packets_dropped",
                                      "ack_timeouts",
                                      "rnr_naks",
                                      "goodput_gbps",
                                      "queue_bytes",
                                      "queue_bytes_max_now"};
static const char *const port_columns[] = {"t_us", "link", "xmit_gbps", "queue_bytes", "dropped"};

/* What an interval brought. */
struct row {
    uint64_t count[COUNTS];
    uint64_t queue_bytes, queue_bytes_max;
};
struct port_row {
    uint64_t bytes, queue_bytes, dropped;
    bool is_switch_port;
};

struct series {
    const struct world *w;
    tm_ps every_ps, until_ps;
    tm_ps at_ps, written_ps; /* end of the last interval seen, written */
    struct csv_out all, by_port;
    bool ports, still; /* still: every port has sent all it had */
    uint32_t links;
    uint64_t written; /* intervals */
    uint64_t before[COUNTS];
    struct link_moment *moment;
    struct port_row *port;
};

/* ---- limits ----------------------------------------------------------------------------------- */

static bool too_long(tm_ps every_ps, bool ports, struct sc_error *err)
{
    char text[32];

    value_print_unit((uint64_t)every_ps, &unit_time, false, text, sizeof text);
    return sc_fail(err,
                   "%s would have more than %" PRIu64 " rows at --series %s; "
                   "choose a longer interval",
                   ports ? "series_ports.csv" : "series.csv", SERIES_ROWS_MAX, text);
}

static bool intervals_fit(uint64_t intervals, uint32_t links, bool ports)
{
    return intervals <= SERIES_ROWS_MAX / (ports ? links : 1);
}

bool series_fits(const struct scenario *s, const struct run_options *o, struct sc_error *err)
{
    if (o->series_ps == 0 || s->duration_ps == TM_NEVER)
        return true;
    uint64_t intervals = ((uint64_t)s->duration_ps - 1) / (uint64_t)o->series_ps + 1;
    return intervals_fit(intervals, fab_cfg_links(&s->fabric), o->ports) ||
           too_long(o->series_ps, o->ports, err);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static void read_counts(const struct world *w, uint64_t count[COUNTS])
{
    memset(count, 0, COUNTS * sizeof *count);
    for (uint32_t d = 0; d < w->domains; d++) {
        const struct meter_counts *n = &w->meter[d].n;
        count[BYTES] += n->bytes_delivered;
        count[MESSAGES] += n->messages_delivered;
        count[RETRANSMITTED] += n->packets_retransmitted;
    }
    for (uint32_t h = 0; h < w->hosts; h++) {
        const struct xp_counts *c = xp_counts(hca_core(w->hca[h]));
        count[TIMEOUTS] += c->ack_timeouts;
        count[RNR_NAKS] += c->rnr_naks_sent;
    }
}

/* Adds a port to the row; true if it moved or holds anything. */
static bool read_port(struct series *s, uint32_t i, struct row *r, uint64_t *dropped)
{
    struct link_moment now, *old = &s->moment[i];
    struct port_row *p = &s->port[i];

    fab_link_moment(s->w->fab, i, s->at_ps, &now);
    /* A rate that does not divide may take back a byte that was rounded down before. */
    now.gone_bytes = MAX(now.gone_bytes, old->gone_bytes);
    p->bytes = now.gone_bytes - old->gone_bytes;
    p->dropped = now.dropped - old->dropped;
    p->queue_bytes = now.queue_bytes;
    *old = now;
    *dropped += now.dropped;
    s->still = s->still && now.queue_bytes == 0;
    if (p->is_switch_port) {
        r->queue_bytes += now.queue_bytes;
        r->queue_bytes_max = MAX(r->queue_bytes_max, now.queue_bytes);
    }
    return p->bytes || p->dropped || p->queue_bytes;
}

/* The interval that ends at at_ps; false if nothing happened in it. */
static bool read_row(struct series *s, struct row *r)
{
    uint64_t count[COUNTS];
    bool moved = false;

    memset(r, 0, sizeof *r);
    read_counts(s->w, count);
    s->still = true;
    for (uint32_t i = 0; i < s->links; i++)
        moved |= read_port(s, i, r, &count[DROPPED]);
    for (int k = 0; k < COUNTS; k++) {
        r->count[k] = count[k] - s->before[k];
        moved |= r->count[k] != 0;
    }
    memcpy(s->before, count, sizeof count);
    return moved;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void put_micro(struct csv_out *c, int64_t v)
{
    char text[32];

    metric_text_micro(v, text, sizeof text);
    csv_out_text(c, text);
}

/* One byte per ps is 8 Tb/s = 8000 Gb/s. */
static int64_t gbps_micro(uint64_t bytes, tm_ps time_ps)
{
    return (int64_t)((unsigned __int128)bytes * 8000 * 1000000 / (uint64_t)time_ps);
}

static void put_ports(struct series *s, tm_ps t, tm_ps time_ps, bool idle)
{
    struct csv_out *c = &s->by_port;

    for (uint32_t i = 0; i < s->links; i++) {
        const struct port_row *p = &s->port[i];
        put_micro(c, t);
        csv_out_text(c, link_name(fab_link(s->w->fab, i)));
        put_micro(c, gbps_micro(idle ? 0 : p->bytes, time_ps));
        if (p->is_switch_port)
            csv_out_u64(c, idle ? 0 : p->queue_bytes);
        else
            csv_out_text(c, "");
        csv_out_u64(c, idle ? 0 : p->dropped);
        csv_out_end_row(c);
    }
}

/* The next interval, up to t.  r NULL: nothing happened in it. */
static void put_row(struct series *s, tm_ps t, const struct row *r)
{
    static const struct row nothing;
    tm_ps time_ps = t - s->written_ps;
    struct csv_out *c = &s->all;
    const struct row *v = r ? r : &nothing;

    put_micro(c, t);
    for (int k = 0; k < COUNTS; k++)
        csv_out_u64(c, v->count[k]);
    put_micro(c, gbps_micro(v->count[BYTES], time_ps));
    csv_out_u64(c, v->queue_bytes);
    csv_out_u64(c, v->queue_bytes_max);
    csv_out_end_row(c);
    if (s->ports)
        put_ports(s, t, time_ps, r == NULL);
    s->written_ps = t;
    s->written++;
}

/* The intervals held back, and with r the one that ends at at_ps. */
static bool put_up_to_now(struct series *s, const struct row *r, struct sc_error *err)
{
    uint64_t due = (uint64_t)((s->at_ps - s->written_ps - 1) / s->every_ps) + 1;

    if (!intervals_fit(s->written + due, s->links, s->ports))
        return too_long(s->every_ps, s->ports, err);
    for (; due > 1; due--)
        put_row(s, s->written_ps + s->every_ps, NULL);
    put_row(s, s->at_ps, r);
    return true;
}

/* ---- the run ---------------------------------------------------------------------------------- */

/* Passes over the whole intervals before the next entry, when no port has anything to send. */
static void skip_idle(struct series *s)
{
    tm_ps end = tm_min(ev_next(s->w->ev) - 1, s->until_ps);

    if (s->still && end > s->at_ps)
        s->at_ps += (end - s->at_ps) / s->every_ps * s->every_ps;
}

static bool is_over(const struct series *s)
{
    return s->at_ps >= s->until_ps || (s->w->quiet && s->still && ev_next(s->w->ev) == TM_NEVER);
}

static enum run_outcome step_through(struct series *s, const struct run_options *o,
                                     struct sc_error *err)
{
    while (!is_over(s)) {
        struct row r;
        skip_idle(s);
        tm_ps next = tm_min(tm_add(s->at_ps, s->every_ps), s->until_ps);
        if (next == s->at_ps)
            break;
        if (!ev_run(s->w->ev, next, o->stop))
            return RUN_STOPPED;
        s->at_ps = next;
        if (read_row(s, &r) && !put_up_to_now(s, &r, err))
            return RUN_FAILED;
    }
    if (!s->w->quiet && s->written_ps < s->at_ps && !put_up_to_now(s, NULL, err))
        return RUN_FAILED;
    return RUN_DONE;
}

static bool open_in(struct csv_out *c, const char *dir, const char *name, struct sc_error *err)
{
    char *path = g_build_filename(dir, name, NULL);
    bool ok = csv_out_open(c, path, err->text, sizeof err->text);

    g_free(path);
    return ok;
}

static bool series_open(struct series *s, const char *dir, struct sc_error *err)
{
    if (!open_in(&s->all, dir, "series.csv", err))
        return false;
    if (s->ports && !open_in(&s->by_port, dir, "series_ports.csv", err)) {
        csv_out_drop(&s->all);
        return false;
    }
    csv_out_row(&s->all, columns, G_N_ELEMENTS(columns));
    if (s->ports)
        csv_out_row(&s->by_port, port_columns, G_N_ELEMENTS(port_columns));
    return true;
}

static bool series_close(struct series *s, bool whole, struct sc_error *err)
{
    if (whole)
        whole = csv_out_commit(&s->all, err->text, sizeof err->text);
    else
        csv_out_drop(&s->all);
    if (!s->ports)
        return whole;
    if (whole)
        return csv_out_commit(&s->by_port, err->text, sizeof err->text);
    csv_out_drop(&s->by_port);
    return false;
}

enum run_outcome series_run(const struct world *w, tm_ps until, const struct run_options *o,
                            struct sc_error *err)
{
    struct series s = {.w = w,
                       .every_ps = o->series_ps,
                       .until_ps = until,
                       .ports = o->ports,
                       .links = fab_links(w->fab)};

    if (!series_open(&s, o->dir, err))
        return RUN_FAILED;
    s.moment = g_new0(struct link_moment, s.links);
    s.port = g_new0(struct port_row, s.links);
    for (uint32_t i = 0; i < s.links; i++) {
        struct link_counts c;
        fab_link_counts(w->fab, i, &c);
        s.port[i].is_switch_port = c.is_switch_port;
    }
    enum run_outcome outcome = step_through(&s, o, err);
    if (!series_close(&s, outcome == RUN_DONE, err) && outcome == RUN_DONE)
        outcome = RUN_FAILED;
    g_free(s.moment);
    g_free(s.port);
    return outcome;
}

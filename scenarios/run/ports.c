/*
 * A port is one end of a cable: it sends on one link and receives on the way back of it.  A row per
 * link, in the order of the links, is therefore a row per port, and its counters are those that
 * Linux shows below `ports/1/counters`.
 *
 * port_*_data counts 4-byte words of the InfiniBand packet, BTH to ICRC, whatever carries it.
 * Nothing waits here while its wire is free, so port_xmit_wait has no column before there is flow
 * control; what waits shows in queue_bytes_max.
 */
#include "scenarios/run/ports.h"

#include <glib.h>

#include "models/wire/frame.h"
#include "scenarios/run/csv_out.h"

#define ICRC_BYTES 4u
#define MICRO 1000000u

static const char *const columns[] = {"link",
                                      "node",
                                      "peer",
                                      "port_xmit_packets",
                                      "port_xmit_data",
                                      "port_rcv_packets",
                                      "port_rcv_data",
                                      "port_xmit_discards",
                                      "port_rcv_errors",
                                      "dropped_loss",
                                      "dropped_inject",
                                      "dropped_link_down",
                                      "duplicated",
                                      "in_flight",
                                      "queue_bytes_max",
                                      "utilisation"};

/* Words from BTH to ICRC in so many packets of so many bytes on the wire. */
static uint64_t words(uint64_t wire_bytes, uint64_t packets, enum wire_encap encap)
{
    return (wire_bytes - packets * (wire_overhead_bytes(encap) - ICRC_BYTES)) / 4;
}

/* Bits that left the port over those that could have, in millionths. */
static int64_t utilisation(uint64_t gone_bytes, uint64_t rate_bps, tm_ps time_ps)
{
    unsigned __int128 gone = (unsigned __int128)gone_bytes * 8 * (uint64_t)TM_S * MICRO;

    return time_ps > 0 ? (int64_t)(gone / ((unsigned __int128)rate_bps * (uint64_t)time_ps))
                       : METRIC_NONE;
}

static void put_port(struct csv_out *c, const struct world *w, uint32_t i, enum wire_encap encap,
                     tm_ps end)
{
    struct link_counts out, in;
    struct link_moment m;
    char text[32];

    fab_link_counts(w->fab, i, &out);
    fab_link_counts(w->fab, i ^ 1, &in);
    fab_link_moment(w->fab, i, end, &m);
    const uint64_t count[] = {out.sent,
                              words(out.sent_bytes, out.sent, encap),
                              in.arrived,
                              words(in.arrived_bytes, in.arrived, encap),
                              out.dropped[FAB_DROP_BUFFER],
                              in.dropped[FAB_DROP_CORRUPT],
                              out.dropped[FAB_DROP_LOSS],
                              out.dropped[FAB_DROP_INJECT],
                              out.dropped[FAB_DROP_DOWN],
                              out.copies,
                              out.in_flight};
    csv_out_text(c, link_name(fab_link(w->fab, i)));
    csv_out_text(c, out.node);
    csv_out_text(c, out.peer);
    for (size_t k = 0; k < G_N_ELEMENTS(count); k++)
        csv_out_u64(c, count[k]);
    if (out.is_switch_port)
        csv_out_u64(c, out.queue_bytes_max);
    else
        csv_out_text(c, "");
    metric_text_micro(utilisation(m.gone_bytes, out.rate_bps, end), text, sizeof text);
    csv_out_text(c, text);
    csv_out_end_row(c);
}

bool ports_write(const struct world *w, const struct scenario *s, const char *dir,
                 struct sc_error *err)
{
    struct csv_out c;
    char *path = g_build_filename(dir, "ports.csv", NULL);
    bool ok = csv_out_open(&c, path, err->text, sizeof err->text);
    tm_ps end = w->quiet ? fab_busy_until(w->fab) : s->duration_ps;

    g_free(path);
    if (!ok)
        return false;
    csv_out_row(&c, columns, G_N_ELEMENTS(columns));
    for (uint32_t i = 0; i < fab_links(w->fab); i++)
        put_port(&c, w, i, s->fabric.encap, end);
    return csv_out_commit(&c, err->text, sizeof err->text);
}

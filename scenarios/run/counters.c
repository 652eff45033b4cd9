/*
 * An adapter's counters are claims: each moves when its maker let it move.  The names are mlx5's, and
 * so is what they count, where that has been measured: a NAK for a bad key moves no error counter of
 * the responder, a request posted in ERR moves req_cqe_error and not req_cqe_flush_error.  The columns
 * behind `truth_` are what the simulator knows.
 *
 * Left out, since nothing here would move them: rx_dct_connect, roce_adp_retrans_to, roce_slow_restart*,
 * np_* and rp_*; resp_remote_access_errors, which has been seen not to move; lifespan, which is no count.
 */
#include "scenarios/run/counters.h"

#include <glib.h>

#include "scenarios/run/csv_out.h"

#define VIOLATIONS_MAX UINT64_C(0xffff) /* 16 bits, which stay at the top */

enum { COUNTERS = 27 };

struct cell {
    const char *name;
    uint64_t value;
};

static uint64_t sum(const uint64_t *of, enum xp_status from)
{
    uint64_t n = 0;
    for (int s = from; s < XP_WC_STATUSES; s++)
        n += of[s];
    return n;
}

/* What the fabric dropped of the host's packets at the host's own port: a wrong ICRC. */
static uint64_t bad_icrc(const struct world *w, uint32_t host)
{
    struct link_counts c;
    uint64_t n = 0;
    char name[16];
    g_snprintf(name, sizeof name, "h%u", host);
    for (uint32_t i = 0; i < fab_links(w->fab); i++) {
        fab_link_counts(w->fab, i, &c);
        if (g_strcmp0(c.peer, name) == 0)
            n += c.dropped[FAB_DROP_CORRUPT];
    }
    return n;
}

static void take(const struct world *w, uint32_t host, struct cell cell[COUNTERS])
{
    const struct xp_counts *n = xp_counts(hca_core(w->hca[host]));
    struct xp_qp_counts q;
    xp_qp_counts_sum(hca_core(w->hca[host]), &q);
    const uint64_t *sent = n->sends_ended, *got = n->recvs_ended;
    const struct cell all[COUNTERS] = {
        {"rx_write_requests", n->accepted[CLASS_WRITE]},
        {"rx_read_requests", n->accepted[CLASS_READ]},
        {"rx_atomic_requests", n->accepted[CLASS_ATOMIC]},
        {"out_of_buffer", n->no_recv},
        {"out_of_sequence", n->out_of_sequence},
        {"duplicate_request", n->duplicates},
        {"resp_local_length_error", got[XP_WC_LOC_LEN_ERR]},
        {"resp_cqe_error", sum(got, XP_WC_LOC_LEN_ERR)},
        {"resp_cqe_flush_error", got[XP_WC_WR_FLUSH_ERR]},
        {"rnr_nak_retry_err", q.rnr_nak_retry_err},
        {"packet_seq_err", q.packet_seq_err},
        {"implied_nak_seq_err", q.implied_nak_seq_err},
        {"local_ack_timeout_err", q.local_ack_timeout_err},
        {"roce_adp_retrans", q.roce_adp_retrans},
        {"req_cqe_error", sum(sent, XP_WC_LOC_LEN_ERR)},
        {"req_cqe_flush_error", sent[XP_WC_WR_FLUSH_ERR] - n->sends_to_dead},
        {"req_remote_invalid_request", sent[XP_WC_REM_INV_REQ_ERR]},
        {"req_remote_access_errors", sent[XP_WC_REM_ACCESS_ERR]},
        {"req_transport_retries_exceeded", n->retry_exceeded},
        {"req_rnr_retries_exceeded", n->rnr_exceeded},
        {"rx_icrc_encapsulated", bad_icrc(w, host)},
        {"pkey_violations", MIN(n->bad_pkey, VIOLATIONS_MAX)},
        {"qkey_violations", MIN(n->bad_qkey, VIOLATIONS_MAX)},
        {"truth_requests_sent", n->request_packets},
        {"truth_requests_sent_again", n->requests_retransmitted},
        {"truth_packets_lost", fab_lost_of(w->fab, host)},
        {"truth_key_refused", n->key_refused},
    };
    for (int i = 0; i < COUNTERS; i++)
        cell[i] = all[i];
}

bool counters_write(const struct world *w, const char *dir, struct sc_error *err)
{
    struct csv_out c;
    struct cell cell[COUNTERS];
    char *path = g_build_filename(dir, "counters.csv", NULL);
    bool ok = csv_out_open(&c, path, err->text, sizeof err->text);
    g_free(path);
    if (!ok)
        return false;
    take(w, 0, cell);
    csv_out_text(&c, "host");
    for (int i = 0; i < COUNTERS; i++)
        csv_out_text(&c, cell[i].name);
    csv_out_end_row(&c);
    for (uint32_t h = 0; h < w->hosts; h++) {
        take(w, h, cell);
        csv_out_u64(&c, h);
        for (int i = 0; i < COUNTERS; i++)
            csv_out_u64(&c, cell[i].value);
        csv_out_end_row(&c);
    }
    return csv_out_commit(&c, err->text, sizeof err->text);
}

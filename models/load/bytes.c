/* See bytes.h.  Memory is reserved, and backed where it is touched. */
#include "models/load/bytes.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/check.h"

/* A message begins at one of so many places of the pattern. */
#define WINDOW_BYTES 4096u
#define LINE_BYTES 64u
#define MEMORY_MAX (UINT64_C(8) << 30)

struct memory {
    uint8_t *at;
    uint64_t bytes;
    struct bytes_counts n;
};

struct bytes {
    struct load *load;
    struct memory *of;  /* by host */
    uint32_t *receives; /* by end: posted so far */
    uint64_t pattern_bytes, stride_bytes;
    uint32_t slots;
};

static uint64_t lines(uint64_t bytes) { return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES; }

static uint64_t longest(const struct load_cfg *cfg)
{
    uint64_t most = cfg->pattern == LOAD_TRACE ? 0 : load_size_max(&cfg->size);
    for (uint32_t i = 0; cfg->pattern == LOAD_TRACE && i < cfg->flow_count; i++)
        most = MAX(most, cfg->flow[i].bytes);
    return MAX(most, 8);
}

static uint64_t pattern_of(const struct load_cfg *cfg)
{
    return lines(longest(cfg) + WINDOW_BYTES);
}

static uint32_t slots_of(const struct load_qp_cfg *qp) { return MAX(qp->sq_depth, qp->rq_depth); }

/* The word of its atomics, then the places where messages land. */
static uint64_t end_bytes(const struct load_cfg *cfg, const struct load_qp_cfg *qp)
{
    return LINE_BYTES + slots_of(qp) * lines(longest(cfg));
}

uint64_t bytes_region(const struct load_cfg *cfg, const struct load_qp_cfg *qp, uint32_t ends)
{
    return pattern_of(cfg) + ends * end_bytes(cfg, qp);
}

static bool is_atomic(const struct load_cfg *cfg)
{
    return cfg->op == XP_WR_CMP_SWAP || cfg->op == XP_WR_FETCH_ADD;
}

const char *load_payload_refuse(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                                uint32_t hosts)
{
    if (qp->udack.on || !load_is_connected(qp->service) || qp->srq)
        return "payload is moved over connections that have receive queues of their own";
    if (cfg->pattern == LOAD_RPC)
        return "payload is not moved with pattern rpc";
    if (is_atomic(cfg) && cfg->retry.on_error == LOAD_RECONNECT)
        return "atomics that are repeated over a new connection cannot be verified";
    uint64_t all = load_ends_bound(cfg, hosts) * end_bytes(cfg, qp) + hosts * pattern_of(cfg);
    return all > MEMORY_MAX ? "the messages that can be outstanding do not fit 8 GiB of memory"
                            : NULL;
}

/* ---- the pattern ------------------------------------------------------------------------------- */

static uint64_t word_at(uint32_t host, uint64_t index)
{
    return rng_mix((uint64_t)(host + 1) << 40 ^ (index + 1) * 0x9e3779b97f4a7c15u);
}

static void fill(uint8_t *at, uint32_t host, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes / 8; i++) {
        uint64_t word = word_at(host, i);
        memcpy(at + i * 8, &word, 8);
    }
}

/* Are these bytes the pattern's from `from` on? */
static bool is_pattern(const uint8_t *at, uint32_t host, uint64_t from, uint64_t len)
{
    uint64_t word = word_at(host, from / 8);
    for (uint64_t i = 0; i < len; i++) {
        if (i && (from + i) % 8 == 0)
            word = word_at(host, (from + i) / 8);
        if (at[i] != (uint8_t)(word >> (from + i) % 8 * 8))
            return false;
    }
    return true;
}

/* ---- places ------------------------------------------------------------------------------------ */

/* Messages of one flow, and the same of different flows, begin at different bytes. */
static uint64_t offset_of(uint32_t e, uint32_t msgno)
{
    return rng_mix((uint64_t)e << 32 | msgno) % WINDOW_BYTES;
}

static uint64_t landing(const struct bytes *b, uint32_t host, uint32_t e)
{
    uint32_t index = e - b->load->host[host].ends.first;
    return LOAD_MR_ADDR + b->pattern_bytes + index * (LINE_BYTES + b->slots * b->stride_bytes);
}

static uint64_t slot(const struct bytes *b, uint32_t host, uint32_t e, uint32_t number)
{
    return landing(b, host, e) + LINE_BYTES + number % b->slots * b->stride_bytes;
}

static uint32_t host_of(const struct bytes *b, uint32_t e)
{
    const struct end *end = b->load->end;
    return end[end[e].peer_end].peer;
}

struct bytes_places bytes_places(const struct bytes *b, uint32_t e, uint32_t msgno, uint32_t len)
{
    const struct load *l = b->load;
    const struct end *end = &l->end[e];
    uint64_t pattern = LOAD_MR_ADDR + offset_of(e, msgno);
    uint64_t own = slot(b, host_of(b, e), e, msgno);
    if (is_atomic(&l->cfg))
        return (struct bytes_places){own, landing(b, end->peer, end->peer_end)};
    if (l->cfg.op == XP_WR_READ)
        return (struct bytes_places){own, pattern};
    return (struct bytes_places){pattern, slot(b, end->peer, end->peer_end, msgno)};
}

uint64_t bytes_receive(struct bytes *b, uint32_t e)
{
    return slot(b, host_of(b, e), e, b->receives[e]++);
}

/* ---- judgement --------------------------------------------------------------------------------- */

static uint8_t *at_address(const struct memory *m, uint64_t address, uint64_t len)
{
    uint64_t offset = address - LOAD_MR_ADDR;
    return offset <= m->bytes && len <= m->bytes - offset ? m->at + offset : NULL;
}

static void judge(struct memory *m, uint64_t address, uint64_t wanted, uint32_t from_host,
                  uint64_t offset, uint32_t len)
{
    const uint8_t *at = at_address(m, address, len);
    if (at && address == wanted && is_pattern(at, from_host, offset, len))
        m->n.verified += len;
    else
        m->n.mismatches++;
}

/* Atomics of one flow find what the one before has left: it adds 1, or swaps 0 for 1. */
static void judge_atomic(struct memory *m, enum xp_wr_op op, uint64_t address, uint32_t msgno)
{
    uint64_t found, wanted = op == XP_WR_FETCH_ADD ? msgno : msgno != 0;
    memcpy(&found, at_address(m, address, sizeof found), sizeof found);
    if (found == wanted)
        m->n.verified += sizeof found;
    else
        m->n.mismatches++;
}

static void judge_read(struct bytes *b, struct memory *m, uint32_t e, const struct xp_rx *rx)
{
    const struct bytes_places p = bytes_places(b, e, rx->msgno, rx->message_bytes);
    if (is_atomic(&b->load->cfg))
        judge_atomic(m, b->load->cfg.op, p.local, rx->msgno);
    else
        judge(m, p.local, p.local, b->load->end[e].peer, offset_of(e, rx->msgno),
              rx->message_bytes);
}

static void landed(void *self, uint32_t host, const struct pkt *last, const struct xp_rx *rx)
{
    struct bytes *b = self;
    struct memory *m = &b->of[host];
    uint32_t e = load_end_of(&b->load->host[host], rx->qpn), len = rx->message_bytes;
    if (rx->read_done) {
        judge_read(b, m, e, rx);
        return;
    }
    if (len == 0)
        return;
    uint32_t sender = b->load->end[e].peer_end;
    uint64_t address = rx->seg.addr + rx->seg.len - len;
    uint64_t wanted = bytes_places(b, sender, last->msgno, len).remote;
    bool into_receive = b->load->cfg.op == XP_WR_SEND || b->load->cfg.op == XP_WR_SEND_IMM;
    judge(m, address, into_receive ? address : wanted, b->load->end[e].peer,
          offset_of(sender, last->msgno), len);
}

/* ---- birth ------------------------------------------------------------------------------------- */

struct bytes *bytes_new(struct load *l)
{
    struct bytes *b = g_new0(struct bytes, 1);
    b->load = l;
    b->of = g_new0(struct memory, l->env.hosts);
    b->receives = g_new0(uint32_t, l->ends);
    b->pattern_bytes = pattern_of(&l->cfg);
    b->stride_bytes = lines(longest(&l->cfg));
    b->slots = slots_of(&l->qp);
    for (uint32_t h = 0; h < l->env.hosts; h++) {
        struct memory *m = &b->of[h];
        m->bytes = bytes_region(&l->cfg, &l->qp, l->host[h].ends.count);
        m->at = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        CHECK(m->at != MAP_FAILED);
        fill(m->at, h, b->pattern_bytes);
    }
    return b;
}

void bytes_free(struct bytes *b)
{
    if (!b)
        return;
    for (uint32_t h = 0; h < b->load->env.hosts; h++)
        munmap(b->of[h].at, b->of[h].bytes);
    g_free(b->of);
    g_free(b->receives);
    g_free(b);
}

bool load_bytes(const struct load *l, uint32_t host, struct hca_bytes *out)
{
    if (!l->bytes)
        return false;
    const struct memory *m = &l->bytes->of[host];
    *out = (struct hca_bytes){m->at, LOAD_MR_ADDR, m->bytes, landed, l->bytes};
    return true;
}

/* Words of the message at `address` that its sender's are, as far as all before them are. */
static uint64_t held(const struct bytes *b, uint32_t e, uint64_t address, uint32_t msgno, uint32_t len)
{
    const struct end *end = &b->load->end[e];
    uint64_t n = 0;
    while (n < len) {
        uint64_t word = MIN(len - n, 8);
        const uint8_t *at = at_address(&b->of[end->peer], address + n, word);
        if (!at || !is_pattern(at, host_of(b, e), offset_of(e, msgno) + n, word))
            break;
        n += word;
    }
    return n;
}

bool load_partial_bytes(const struct load *l, uint64_t *bytes)
{
    bool writes = l->cfg.op == XP_WR_WRITE || l->cfg.op == XP_WR_WRITE_IMM, any = false;
    *bytes = 0;
    for (uint32_t i = 0; l->bytes && writes && i < l->flows; i++) {
        uint32_t e = l->flow_end[i];
        const struct flow_error *f = &l->flow[e].error;
        if (f->status == XP_WC_SUCCESS)
            continue;
        uint64_t address = bytes_places(l->bytes, e, (uint32_t)f->wr, f->bytes).remote;
        spoil_place(l, e, f->wr, &address);
        *bytes += held(l->bytes, e, address, (uint32_t)f->wr, f->bytes);
        any = true;
    }
    return any;
}

void load_verified(const struct load *l, uint64_t *bytes, uint64_t *mismatches)
{
    *bytes = *mismatches = 0;
    for (uint32_t h = 0; l->bytes && h < l->env.hosts; h++) {
        *bytes += l->bytes->of[h].n.verified;
        *mismatches += l->bytes->of[h].n.mismatches;
    }
}

/*
 * Endpoints and sessions: layout of the block, working blocks, the ready list, resets.
 *
 * Nothing is written at birth but the record itself: pools are valid when zero, so reserved
 * memory is touched only as far as it is used.
 */
#include "models/udack/udack_state.h"

#define SESSIONS_MAX (UINT32_C(1) << 20) /* what the header can name */
#define POOL_MAX (UINT32_C(1) << 28)
#define MTU_MIN 64u
#define MTU_MAX 65535u

/* ---- birth -------------------------------------------------------------------------------------- */

static const char *refuse_times(const struct udack_cfg *cfg)
{
    if (cfg->rto_ps <= 0)
        return "the timeout must be above 0";
    if (cfg->adaptive && (cfg->rto_min_ps <= 0 || cfg->rto_max_ps < cfg->rto_min_ps))
        return "the adaptive timeout's bounds must be above 0, the upper not below the lower";
    if (cfg->ack_delay_ps < 0)
        return "the delay of an acknowledgement is negative";
    return NULL;
}

const char *udack_refuse(const struct udack_cfg *cfg, const struct udack_limits *lim)
{
    if (cfg->mtu_bytes < MTU_MIN || cfg->mtu_bytes > MTU_MAX)
        return "the MTU is not in 64 .. 65535 bytes";
    if (cfg->window == 0 || cfg->window > UDACK_WINDOW_MAX)
        return "the window is not in 1 .. 64 datagrams";
    if (cfg->reorder >= UDACK_WINDOW_MAX)
        return "the reordering buffer is not in 0 .. 63 datagrams";
    if (cfg->ack_every == 0)
        return "acknowledgements are due every 1 .. 255 datagrams";
    if (cfg->recovery >= UDACK_RECOVERIES)
        return "no such recovery";
    if (lim->sessions > SESSIONS_MAX || lim->active > POOL_MAX || lim->messages > POOL_MAX)
        return "more than 2^20 sessions, or 2^28 at work or messages";
    return refuse_times(cfg);
}

static uint32_t ring_mask(uint32_t entries)
{
    uint32_t mask = 0;
    while (mask + 1 < entries)
        mask = mask << 1 | 1;
    return mask;
}

static uint32_t place(size_t *size, uint64_t count, size_t each)
{
    uint32_t at = (uint32_t)(*size / 8);
    *size += (count * each + 7) / 8 * 8;
    return at;
}

static size_t lay_out(struct udack *u)
{
    size_t size = (sizeof(*u) + 7) / 8 * 8;
    uint64_t active = u->lim.active;
    u->sent_mask = ring_mask(u->cfg.window);
    u->arrived_mask = ring_mask(u->cfg.reorder + 1u);
    u->at.active = place(&size, active, sizeof(struct ua_active));
    u->at.sent = place(&size, active * (u->sent_mask + 1), sizeof(struct ua_sent));
    u->at.arrived = place(&size, active * (u->arrived_mask + 1), sizeof(struct ua_arrived));
    u->at.item = place(&size, active + 1, sizeof(struct heap_item));
    u->at.pos = place(&size, active, sizeof(uint32_t));
    u->at.freed = place(&size, u->arrived_mask + 1, sizeof(uint32_t));
    u->at.message = place(&size, u->lim.messages, sizeof(struct ua_message));
    u->at.session = place(&size, u->lim.sessions, sizeof(struct ua_session));
    return size;
}

size_t udack_size(const struct udack_cfg *cfg, const struct udack_limits *lim)
{
    struct udack u = {.cfg = *cfg, .lim = *lim};
    return lay_out(&u);
}

size_t udack_used_bytes(const struct udack *u)
{
    struct udack used = {.cfg = u->cfg, .lim = {u->sessions, u->active.high, 0}};
    return lay_out(&used);
}

size_t udack_session_bytes(void) { return sizeof(struct ua_session); }

struct udack *udack_init(void *block, const struct udack_cfg *cfg, const struct udack_limits *lim)
{
    struct udack *u = block;
    CHECK(udack_refuse(cfg, lim) == NULL);
    u->cfg = *cfg;
    u->lim = *lim;
    u->payload_bytes = cfg->mtu_bytes - UDACK_HDR_BYTES;
    lay_out(u);
    return u;
}

/* ---- working blocks ------------------------------------------------------------------------------ */

static uint32_t index_of(const struct udack *u, const struct ua_active *a)
{
    return (uint32_t)(a - ua_active(u, 1)) + 1;
}

struct ua_active *ua_wake(struct udack *u, uint32_t session)
{
    struct ua_session *s = ua_session(u, session);
    if (s->active)
        return ua_active(u, s->active);
    uint32_t i = u->active.free;
    if (i)
        u->active.free = ua_active(u, i)->next;
    else if (u->active.high < u->lim.active)
        i = ++u->active.high;
    else
        return NULL;
    struct ua_active *a = ua_active(u, i);
    *a = (struct ua_active){.session = session + 1,
                            .out = {.una = s->next_seq, .rto_at = TM_NEVER},
                            .in = {.ack_at = TM_NEVER}};
    s->active = i;
    u->active.used++;
    return a;
}

static struct heap timers(const struct udack *u)
{
    return (struct heap){ua_at(u, u->at.item), ua_at(u, u->at.pos), u->heap_count, u->lim.active};
}

static void arm(struct udack *u, const struct ua_active *a)
{
    struct heap h = timers(u);
    tm_ps at = tm_min(a->out.rto_at, a->in.ack_at);
    if (at == TM_NEVER)
        heap_remove(&h, index_of(u, a) - 1);
    else
        heap_set(&h, index_of(u, a) - 1, at, a->session);
    u->heap_count = h.count;
}

static bool is_idle(const struct udack *u, const struct ua_active *a)
{
    return !a->ready && a->out.head == 0 && a->in.held == 0 && !a->in.inside && !a->in.ack_now &&
           a->in.ack_at == TM_NEVER;
}

static void retire(struct udack *u, struct ua_active *a)
{
    ua_session_of(u, a)->active = 0;
    a->session = 0;
    a->next = u->active.free;
    u->active.free = index_of(u, a);
    u->active.used--;
}

void ua_settle(struct udack *u, struct ua_active *a)
{
    arm(u, a);
    if (!a->ready && (a->in.ack_now || ua_can_send(u, a))) {
        uint32_t i = index_of(u, a);
        a->ready = true;
        a->next = 0;
        if (u->ready.tail)
            ua_active(u, u->ready.tail)->next = i;
        else
            u->ready.head = i;
        u->ready.tail = i;
    }
    if (is_idle(u, a))
        retire(u, a);
}

/* ---- sessions ------------------------------------------------------------------------------------- */

int udack_open(struct udack *u, uint32_t peer, uint32_t remote, uint32_t *session)
{
    if (remote >= SESSIONS_MAX)
        return UDACK_EINVAL;
    if (u->sessions == u->lim.sessions)
        return UDACK_ENOMEM;
    *session = u->sessions++;
    struct ua_session *s = ua_session(u, *session);
    s->peer = peer;
    s->remote = remote;
    return UDACK_OK;
}

int udack_point(struct udack *u, uint32_t session, uint32_t peer, uint32_t remote)
{
    if (session >= u->sessions || remote >= SESSIONS_MAX)
        return UDACK_EINVAL;
    ua_session(u, session)->peer = peer;
    ua_session(u, session)->remote = remote;
    return UDACK_OK;
}

static void free_held(struct udack *u, struct ua_active *a)
{
    struct ua_session *s = ua_session_of(u, a);
    uint32_t *freed = ua_at(u, u->at.freed);
    for (uint32_t i = 0; i <= u->cfg.reorder; i++)
        if (a->in.held >> i & 1)
            freed[u->freed_count++] = ua_arrived(u, a, psn_add(s->expected, i))->buffer;
}

void ua_begin_incarnation(struct udack *u, struct ua_active *a, uint8_t incarnation)
{
    struct ua_session *s = ua_session_of(u, a);
    u->counts.resets++;
    ua_give_up(u, a, UDACK_RESET, UDACK_RESET);
    free_held(u, a);
    s->incarnation = incarnation;
    s->next_seq = s->expected = psn(0);
    s->posted = s->delivered = 0;
    s->failed = false;
    a->out = (struct ua_out){.rto_at = TM_NEVER};
    a->in = (struct ua_in){.ack_at = TM_NEVER, .ack_now = true}; /* so that the peer hears of it */
}

int udack_reset(struct udack *u, uint32_t session, tm_ps now)
{
    CHECK(u->taking == 0 && u->freed_count == 0);
    if (session >= u->sessions)
        return UDACK_EINVAL;
    struct ua_active *a = ua_wake(u, session);
    if (!a)
        return UDACK_ENOMEM;
    ua_begin_incarnation(u, a, (uint8_t)(ua_session(u, session)->incarnation + 1));
    ua_settle(u, a);
    return UDACK_OK;
}

bool udack_take_freed(struct udack *u, uint32_t *buffer)
{
    const uint32_t *freed = ua_at(u, u->at.freed);
    if (u->freed_count == 0)
        return false;
    *buffer = freed[--u->freed_count];
    return true;
}

/* ---- looking in ------------------------------------------------------------------------------------ */

static uint32_t count_bits(uint64_t bits)
{
    uint32_t n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

int udack_query(const struct udack *u, uint32_t session, struct udack_query *out)
{
    if (session >= u->sessions)
        return UDACK_EINVAL;
    const struct ua_session *s = ua_session(u, session);
    const struct ua_active *a = s->active ? ua_active(u, s->active) : NULL;
    *out = (struct udack_query){
        .failed = s->failed,
        .incarnation = s->incarnation,
        .next_seq = s->next_seq.v,
        .expected = s->expected.v,
        .outstanding = a ? ua_outstanding(s, a) : 0,
        .held = a ? count_bits(a->in.held) : 0,
        .posted = s->posted,
        .delivered = s->delivered,
        .rto_ps = ua_rto(u, s),
    };
    return UDACK_OK;
}

const struct udack_counts *udack_counts(const struct udack *u) { return &u->counts; }

uint32_t udack_outstanding(const struct udack *u) { return u->active.used + u->message.used; }

const char *udack_status_name(enum udack_status s)
{
    static const char *const name[UDACK_STATUSES] = {"done", "retries exceeded", "flushed",
                                                     "reset"};
    return name[s];
}

const char *udack_verdict_name(enum udack_verdict v)
{
    static const char *const name[UDACK_VERDICTS] = {"accepted",  "held",      "heard",
                                                     "duplicate", "too early", "stale",
                                                     "stranger",  "malformed", "no room"};
    return name[v];
}

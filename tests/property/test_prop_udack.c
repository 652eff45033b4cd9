/*
 * Acknowledged datagrams under random losses, copies and delays, between two to four ends.
 *
 * The model is what was posted, in order.  Whatever the wire does: messages are handed over in the
 * order of their posts, whole, at most once; each completes once, in order; one that completes
 * as done was handed over before.  One that is reported as an error may have been handed over or
 * not: the sender cannot know, and the model allows both.  Nothing is left unreported.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/rng.h"
#include "tests/suite.h"
#include "tests/unit/udbed.h"

enum { POSTS = 24, SEEDS = 400 };

/* One direction between two ends, in its present incarnation. */
struct lane {
    uint32_t bytes[POSTS];
    uint32_t base; /* first message of the present incarnation */
    uint32_t posted, done;
    uint32_t delivered; /* whole messages of this incarnation */
    uint32_t offset;    /* pieces of the next one so far */
    uint32_t errors;
};

struct storm {
    struct udbed b;
    struct rng_stream draw;
    uint32_t loss_pct, copy_pct, late_pct; /* late enough to be overtaken */
    tm_ps late_ps;
    struct lane lane[UDBED_ENDS][UDBED_ENDS];
    uint32_t faults; /* of the endpoints, seen by the model */
    uint64_t resets;
};

static struct storm s;

static uint32_t below(uint32_t n) { return (uint32_t)rng_below(&s.draw, n); }

static uint32_t fate(void *self, uint32_t from, uint32_t to, tm_ps *late_ps)
{
    if (below(100) < s.loss_pct)
        return 0;
    if (below(100) < s.late_pct)
        *late_ps = 1 + below((uint32_t)(s.late_ps / TM_NS)) * TM_NS;
    return below(100) < s.copy_pct ? 2 : 1;
}

static uint32_t other(uint32_t end, uint32_t session)
{
    return session >= end ? session + 1 : session;
}

static void piece(void *self, uint32_t end, const struct udack_piece *p)
{
    struct lane *l = &s.lane[other(end, p->session)][end];
    uint32_t wanted = l->base + l->delivered;
    s.faults += wanted >= l->posted || p->message != l->delivered || p->offset != l->offset;
    l->offset += p->bytes;
    if (!p->last)
        return;
    s.faults += wanted < l->posted &&
                (p->message_bytes != l->bytes[wanted] || l->offset != l->bytes[wanted]);
    l->delivered++;
    l->offset = 0;
}

static void done(void *self, uint32_t end, const struct udack_done *d)
{
    struct lane *l = &s.lane[end][other(end, d->session)];
    s.faults += l->done >= l->posted || d->bytes != l->bytes[l->done];
    s.faults += d->status == UDACK_DONE && l->base + l->delivered <= l->done;
    l->errors += d->status != UDACK_DONE;
    l->done++;
}

/* Both directions count from 0 again: what was posted before belongs to another incarnation. */
static void peer_reset(void *self, uint32_t end, uint32_t session)
{
    struct lane *l = &s.lane[end][other(end, session)];
    l->base = l->posted;
}

static void post_one(uint32_t from, uint32_t to)
{
    static const uint32_t lengths[8] = {0, 1, 999, 1000, 1001, 2000, 5500, 17000};
    struct lane *l = &s.lane[from][to];
    uint32_t bytes = lengths[below(8)];
    if (l->posted == POSTS)
        return;
    l->bytes[l->posted] = bytes;
    if (udbed_post(&s.b, from, to, bytes) == UDACK_OK)
        l->posted++;
}

static struct udack_cfg draw_cfg(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.recovery = below(2) ? UDACK_SELECTIVE : UDACK_GO_BACK_N;
    cfg.window = (uint8_t)(1 + below(64));
    cfg.reorder = (uint8_t)(below(2) ? below(64) : 0);
    cfg.ack_every = (uint8_t)(1 + below(8));
    cfg.ack_delay_ps = below(2) ? 3 * TM_US : 0;
    cfg.ask_last = below(2);
    cfg.fast_after = (uint8_t)below(4);
    cfg.adaptive = below(2);
    cfg.rto_ps = 40 * TM_US;
    cfg.retries = 30;
    return cfg;
}

/* Seeds with one bit of luck set have none of that trouble: swarms go deeper than storms. */
static void begin(uint32_t seed, uint8_t retries)
{
    memset(&s, 0, sizeof(s));
    s.draw = rng_stream(seed, RNG_RUN, 0, 91);
    struct udack_cfg cfg = draw_cfg();
    if (retries != 0xff)
        cfg.retries = retries;
    udbed_init(&s.b, 2 + below(3), &cfg);
    s.b.silent = true;
    s.b.fate = fate;
    s.b.piece = piece;
    s.b.done = done;
    s.b.peer_reset = peer_reset;
    s.loss_pct = below(3) ? 1 + below(25) : 0;
    s.copy_pct = below(2) ? 1 + below(20) : 0;
    s.late_pct = below(2) ? 1 + below(30) : 0;
    s.late_ps = 1 + below(100) * TM_US;
}

static void post_some(uint32_t rounds)
{
    for (uint32_t n = 0; n < rounds; n++) {
        uint32_t from = below(s.b.ends), to = below(s.b.ends);
        if (from != to)
            post_one(from, to);
        if (below(3) == 0)
            udbed_run(&s.b, s.b.now + 1 + below(30) * TM_US);
    }
}

static uint32_t left(void)
{
    uint32_t n = s.b.buffers;
    for (uint32_t i = 0; i < s.b.ends; i++)
        n += udack_outstanding(s.b.end[i]);
    return n;
}

/* Every post was answered, and nobody saw what must not be. */
static void check_answered(uint32_t seed)
{
    uint32_t unanswered = 0;
    for (uint32_t i = 0; i < s.b.ends; i++)
        for (uint32_t j = 0; j < s.b.ends; j++)
            unanswered += s.lane[i][j].posted - s.lane[i][j].done;
    if (s.faults || unanswered)
        printf("seed %u: %u faults, %u unanswered\n", seed, s.faults, unanswered);
    CU_ASSERT_EQUAL(s.faults, 0);
    CU_ASSERT_EQUAL(unanswered, 0);
}

/* Enough retries: everything arrives, in order, once. */
static void prop_udack_patient_sessions_deliver_everything_once(void)
{
    uint64_t lost = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        begin(seed, 0xff);
        post_some(60);
        udbed_settle(&s.b);
        check_answered(seed);
        CU_ASSERT_EQUAL(left(), 0);
        for (uint32_t i = 0; i < s.b.ends; i++)
            for (uint32_t j = 0; j < s.b.ends; j++)
                CU_ASSERT_TRUE(s.lane[i][j].errors == 0 &&
                               s.lane[i][j].delivered == s.lane[i][j].posted);
        for (uint32_t i = 0; i < s.b.ends; i++)
            lost += udack_counts(s.b.end[i])->data_retransmitted;
        udbed_fini(&s.b);
    }
    CU_ASSERT_TRUE(lost > 10000); /* the storm was one */
}

static void start_anew(uint32_t from, uint32_t to)
{
    struct lane *out = &s.lane[from][to], *in = &s.lane[to][from];
    udbed_reset(&s.b, from, to);
    out->base = out->posted;
    in->base = in->posted;
    out->delivered = out->offset = in->delivered = in->offset = 0;
    s.resets++;
}

static void mend(bool all)
{
    struct udack_query q;
    for (uint32_t i = 0; i < s.b.ends; i++)
        for (uint32_t j = 0; j < s.b.ends; j++) {
            if (i == j)
                continue;
            udack_query(s.b.end[i], udbed_session(i, j), &q);
            if (q.failed || (all && i < j))
                start_anew(i, j);
        }
}

static uint32_t errors_seen(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s.b.ends; i++)
        for (uint32_t j = 0; j < s.b.ends; j++)
            n += s.lane[i][j].errors;
    return n;
}

/*
 * Few retries: sessions fail, what is open is reported, and after a reset messages flow again.  A
 * receiver holds what it has of a failed session until it hears of the reset.
 */
static void prop_udack_impatient_sessions_report_what_they_lose(void)
{
    uint32_t errors = 0;
    uint64_t resets = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        begin(seed, (uint8_t)(seed % 3));
        for (uint32_t round = 0; round < 4; round++) {
            post_some(20);
            udbed_settle(&s.b);
            check_answered(seed);
            mend(false);
        }
        s.loss_pct = 0;
        mend(true);
        udbed_settle(&s.b);
        check_answered(seed);
        CU_ASSERT_EQUAL(left(), 0);
        errors += errors_seen();
        resets += s.resets;
        udbed_fini(&s.b);
    }
    CU_ASSERT_TRUE(errors > 100);
    CU_ASSERT_TRUE(resets > 50);
}

static const struct test tests[] = {TEST(prop_udack_patient_sessions_deliver_everything_once),
                                    TEST(prop_udack_impatient_sessions_report_what_they_lose),
                                    TESTS_END};
const struct suite suite_prop_udack = {"prop_udack", tests};

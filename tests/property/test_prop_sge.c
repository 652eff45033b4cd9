/*
 * Random lists of segments at both ends under random losses: a message that succeeds has carried
 * each byte from its place to its place, and no byte beside them has changed.
 *
 * The model is a copy of B's memory (READs: of A's) into which each message is copied byte by byte.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

enum { SEEDS = 200, MOST = 6, MESSAGES = 12, PURPOSE = 78, SLOT = 8192 };

struct list {
    struct xp_sge s[MOST];
    uint32_t count, bytes;
};

/* Up to MOST segments that do not overlap, within the message's slot. */
static struct list draw_list(struct rng_stream *d, uint32_t slot, uint32_t key)
{
    struct list l = {.count = 1 + (uint32_t)rng_below(d, MOST)};
    uint32_t at = RIG_BASE + slot * SLOT;
    for (uint32_t i = 0; i < l.count; i++) {
        uint32_t most = rng_below(d, 4) ? 400 : 3;
        at += (uint32_t)rng_below(d, 500);
        l.s[i] = (struct xp_sge){at, (uint32_t)rng_below(d, most), key};
        at += l.s[i].length;
        l.bytes += l.s[i].length;
    }
    return l;
}

static uint64_t place_of(const struct list *l, uint32_t n)
{
    uint32_t i = 0;
    while (n >= l->s[i].length)
        n -= l->s[i++].length;
    return l->s[i].addr + n;
}

struct play {
    struct rig *r;
    struct rng_stream draw;
    uint8_t want[2][RIG_ARENA];
};

static void post_read(struct play *p, struct xp_send_wr *wr, const struct list *a)
{
    wr->op = XP_WR_READ;
    for (uint32_t n = 0; n < a->bytes; n++)
        p->want[A][place_of(a, n)] = p->want[B][wr->remote_addr + n];
}

static void post_send(struct play *p, struct xp_send_wr *wr, const struct list *a, uint32_t slot)
{
    struct xp *x = p->r->loop->end[B].core;
    struct list b = draw_list(&p->draw, slot, p->r->key[B]);
    while (b.bytes < a->bytes)
        b = draw_list(&p->draw, slot, p->r->key[B]);
    struct xp_recv_wr rwr = {
        .wr_id = slot, .sge = b.s[0], .rest = b.s + 1, .rest_count = b.count - 1};
    CHECK(xp_post_recv(x, p->r->qp[B], &rwr, p->r->loop->now) == XP_OK);
    wr->op = XP_WR_SEND;
    for (uint32_t n = 0; n < a->bytes; n++)
        p->want[B][place_of(&b, n)] = p->want[A][place_of(a, n)];
}

static void post_write(struct play *p, struct xp_send_wr *wr, const struct list *a)
{
    wr->op = XP_WR_WRITE;
    for (uint32_t n = 0; n < a->bytes; n++)
        p->want[B][wr->remote_addr + n] = p->want[A][place_of(a, n)];
}

static void post_one(struct play *p, uint32_t slot)
{
    struct rig *r = p->r;
    struct list a = draw_list(&p->draw, slot, r->key[A]);
    struct xp_send_wr wr = {.wr_id = slot,
                            .sge = a.s[0],
                            .rest = a.s + 1,
                            .rest_count = a.count - 1,
                            .remote_addr = RIG_BASE + slot * SLOT + rng_below(&p->draw, 100),
                            .rkey = r->key[B],
                            .flags = XP_SIGNALED};
    uint64_t op = rng_below(&p->draw, 3);
    if (op == 0)
        post_read(p, &wr, &a);
    else if (op == 1)
        post_write(p, &wr, &a);
    else
        post_send(p, &wr, &a, slot);
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
}

static void fill_memory(struct play *p)
{
    for (int end = A; end <= B; end++) {
        for (uint32_t i = 0; i < RIG_ARENA; i++)
            p->r->loop->end[end].arena[i] = (uint8_t)(i * (5 + 2u * (unsigned)end) + (i >> 8) * 11);
        memcpy(p->want[end], p->r->loop->end[end].arena, RIG_ARENA);
    }
}

/* True if all of it went through. */
static bool play(uint32_t seed)
{
    struct play *p = calloc(1, sizeof *p);
    struct rig_spec spec = rig_spec();
    CHECK(p != NULL);
    spec.max_sge = MOST;
    spec.timeout = 4;
    p->draw = rng_stream(seed, RNG_RUN, 0, PURPOSE);
    p->r = rig_new(&spec);
    p->r->loop->recording = false;
    fill_memory(p);
    struct loop_chance c = {.drop = UINT64_MAX / 100 * rng_below(&p->draw, 20),
                            .dup = UINT64_MAX / 100 * rng_below(&p->draw, 10),
                            .delay_max_ps = TM_US};
    loop_set_chance(p->r->loop, A, B, c, seed);
    loop_set_chance(p->r->loop, B, A, c, seed + 1);
    for (uint32_t i = 0; i < MESSAGES; i++)
        post_one(p, i);
    rig_run(p->r);
    bool well = rig_state_of(p->r, A) == XP_RTS;
    if (well) {
        INT_IS(memcmp(p->want[A], p->r->loop->end[A].arena, RIG_ARENA), 0);
        INT_IS(memcmp(p->want[B], p->r->loop->end[B].arena, RIG_ARENA), 0);
    }
    rig_free(p->r);
    free(p);
    return well;
}

static void prop_sge_bytes_arrive_where_the_lists_say(void)
{
    int well = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++)
        well += play(seed);
    CU_ASSERT_TRUE(well > SEEDS * 3 / 4);
}

static const struct test tests[] = {TEST(prop_sge_bytes_arrive_where_the_lists_say), TESTS_END};
const struct suite suite_prop_sge = {"prop_sge", tests};

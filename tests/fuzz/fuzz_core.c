/*
 * Any bytes into the transport core: they drive the wire and the consumer of two ends at once.
 *
 * Both ends have a QP of every service.  Each step of the input is a call of the consumer (post, poll,
 * modify, destroy, make again), a fate of a packet on the wire (delivered, lost, doubled, out of turn,
 * with a field spoilt, made up), or time.  After every step: no request completes twice or without having
 * been posted; what the core tells the driver to touch lies in a region; a copy of the core has its
 * digest.  At the end all QPs go to ERR, and every signalled request that was neither completed nor
 * dropped by RESET or destruction must complete; then everything is destroyed and nothing may be left.
 *
 * Left out: payload bytes, for which there are `rdmasim explore` and the property tests.
 */
#include "tests/fuzz/core_scene.h"

#include <string.h>

#include "sim/base/check.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t pick(struct scene *s, uint32_t n) { return scene_byte(s) % n; }

static struct end *some_end(struct scene *s) { return &s->end[pick(s, 2)]; }

/* ---- the consumer ---- */

static void post_send(struct scene *s)
{
    static const uint32_t lengths[] = {0, 1, 8, 255, 256, 257, 600, 5000};
    struct end *e = some_end(s);
    uint32_t slot = pick(s, SCENE_QPS), how = scene_byte(s);
    uint32_t len = lengths[pick(s, sizeof lengths / sizeof *lengths)];
    struct xp_send_wr wr = {
        .wr_id = s->next_id,
        .sge = {SCENE_BASE + 64 * pick(s, 32), len, how & 1 && how & 2 ? 77 : e->key},
        .remote_addr = SCENE_BASE + 8 * pick(s, 64),
        .rkey = s->end[!e->index].key + (how % 13 == 0),
        .imm = how % 7 ? 5 : s->end[!e->index].key,
        .op = (uint8_t)pick(s, XP_WR_BIND_MW),
        .flags = (uint8_t)(scene_byte(s) & (XP_SIGNALED | XP_SOLICITED | XP_FENCE)),
        .swap_or_add = 3,
        .compare = 0,
        .path = {(uint16_t)!e->index, 1},
        .remote_qpn = s->end[!e->index].qp[slot],
        .remote_qkey = how % 11 ? SCENE_QKEY : 1,
        .srqn = s->end[!e->index].srq,
        .eecn = e->qp[how % 17 ? SCENE_EEC : slot]};
    bool is_atomic = wr.op == XP_WR_CMP_SWAP || wr.op == XP_WR_FETCH_ADD;
    if (is_atomic)
        wr.sge.length = 8;
    if (e->qp[slot] && xp_post_send(e->core, e->qp[slot], &wr, s->now) == XP_OK)
        scene_posted(s, e, slot, wr.flags & XP_SIGNALED ? OWED : OWED_IF_FAILED);
}

static void post_recv(struct scene *s)
{
    struct end *e = some_end(s);
    uint32_t slot = pick(s, SCENE_QPS);
    struct xp_recv_wr wr = {.wr_id = s->next_id, .sge = {SCENE_BASE, 256 * pick(s, 24), e->key}};
    if (pick(s, 5) == 0) {
        if (e->srq && xp_srq_post_recv(e->core, e->srq, &wr) == XP_OK)
            scene_posted(s, e, SCENE_QPS, OWED_IF_FAILED);
    } else if (e->qp[slot] && xp_post_recv(e->core, e->qp[slot], &wr, s->now) == XP_OK) {
        scene_posted(s, e, slot, OWED);
    }
}

static void modify(struct scene *s)
{
    struct end *e = some_end(s);
    uint32_t slot = pick(s, SCENE_QPS), to = pick(s, XP_STATES + 2);
    if (!e->qp[slot])
        return;
    if (to >= XP_STATES)
        scene_connect(s, e, slot);
    else
        scene_set_state(s, e, slot, (enum xp_state)to);
}

static void remake(struct scene *s)
{
    struct end *e = some_end(s);
    uint32_t slot = pick(s, SCENE_QPS);
    if (pick(s, 4))
        return;
    if (e->qp[slot])
        scene_destroy(s, e, slot);
    else
        scene_make(s, e, slot);
}

static void renew_region(struct scene *s)
{
    struct end *e = some_end(s);
    if (pick(s, 8) == 0)
        scene_renew_region(e);
}

/* ---- the wire ---- */

static void pull(struct scene *s)
{
    struct end *e = some_end(s);
    uint32_t slot = pick(s, SCENE_QPS);
    for (uint32_t n = 1 + pick(s, 4); n > 0 && e->qp[slot] && scene_pull(s, e, slot); n--)
        ;
}

static void pull_woken(struct scene *s)
{
    struct end *e = some_end(s);
    uint32_t qpn;
    while (xp_woken(e->core, &qpn))
        while (scene_pull_qpn(s, e, qpn))
            ;
}

static void spoil(struct scene *s, struct packet *p)
{
    uint32_t v = scene_byte(s);
    switch (pick(s, 12)) {
    case 0:
        p->h.opcode.v = (uint8_t)v;
        break;
    case 1:
        p->h.psn = psn_add(p->h.psn, v < 128 ? v : v - 256);
        break;
    case 2:
        p->h.syndrome = (uint8_t)v;
        break;
    case 3:
        p->h.dest_qp = v;
        break;
    case 4:
        p->h.payload_bytes = (uint16_t)(v * 16);
        break;
    case 5:
        p->h.dmalen = v << (v & 24);
        break;
    case 6:
        p->h.rkey += v;
        break;
    case 7:
        p->h.msn = v;
        break;
    case 8:
        p->h.flags = (uint8_t)v;
        break;
    case 9:
        p->e.eec = v;
        break;
    case 10:
        p->e.srq = v;
        break;
    default:
        p->e.src_qp = v;
        break;
    }
}

static void deliver(struct scene *s)
{
    uint32_t how = scene_byte(s);
    if (!s->flights)
        return;
    uint32_t i = how & 0x80 ? 0 : (how >> 3) % s->flights;
    struct packet p = s->flight[i];
    switch (how & 7) {
    case 0:
        scene_take_out(s, i); /* lost */
        return;
    case 1:
        break; /* it comes again, later */
    case 2:
        spoil(s, &p);
        break;
    default:
        scene_take_out(s, i);
        break;
    }
    scene_arrive(s, &p);
}

/* Nobody has sent it. */
static void forge(struct scene *s)
{
    struct packet p = {.to = (uint8_t)pick(s, 2)};
    p.h = (struct wire_hdr){.opcode = {scene_byte(s)},
                            .flags = WIRE_MIGREQ | WIRE_ACKREQ,
                            .pkey = 0xffff,
                            .dest_qp = scene_byte(s) % (SCENE_QPS + 4),
                            .psn = psn(SCENE_PSN + scene_byte(s)),
                            .syndrome = scene_byte(s),
                            .payload_bytes = (uint16_t)(scene_byte(s) * 4),
                            .va = SCENE_BASE,
                            .rkey = s->end[p.to].key,
                            .dmalen = scene_byte(s)};
    p.e = (struct wire_ext){.qkey = SCENE_QKEY,
                            .src_qp = 3,
                            .eec = s->end[p.to].qp[SCENE_EEC],
                            .srq = s->end[p.to].srq};
    scene_arrive(s, &p);
}

static void wait_a_while(struct scene *s)
{
    uint32_t v = scene_byte(s);
    tm_ps due = tm_min(xp_deadline(s->end[0].core), xp_deadline(s->end[1].core));
    s->now += v & 1 && due != TM_NEVER && due > s->now ? due - s->now : (tm_ps)v * TM_US;
    for (int i = 0; i < 2; i++)
        xp_expire(s->end[i].core, s->now);
}

/* ---- one input ---- */

typedef void step(struct scene *s);
static step *const steps[] = {post_send,  post_send, post_recv,    post_recv,   pull,    pull_woken,
                              pull_woken, deliver,   deliver,      deliver,     deliver, modify,
                              remake,     forge,     wait_a_while, renew_region};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scene s;
    scene_init(&s, data, size < 4096 ? size : 4096);
    while (!scene_is_over(&s)) {
        steps[pick(&s, sizeof steps / sizeof *steps)](&s);
        scene_look(&s);
    }
    scene_fini(&s);
    return 0;
}

FUZZ_MAIN

/*
 * The layout of memory and the values that atomics must find; task.h says what it is for.
 */
#include "models/explore/task.h"

#include <string.h>

#include "sim/base/rng.h"

enum { AREA_ALIGN = 32 };

bool task_takes_recv(const struct task_message *m)
{
    return m->op == XP_WR_SEND || m->op == XP_WR_SEND_IMM || m->op == XP_WR_SEND_INV ||
           m->op == XP_WR_WRITE_IMM;
}

bool task_is_write(const struct task_message *m)
{
    return m->op == XP_WR_WRITE || m->op == XP_WR_WRITE_IMM;
}

bool task_is_atomic(const struct task_message *m)
{
    return m->op == XP_WR_CMP_SWAP || m->op == XP_WR_FETCH_ADD;
}

static uint8_t byte_of(uint32_t end, uint32_t layer, uint32_t at)
{
    uint64_t word = rng_mix((uint64_t)(end + 1) << 48 | (uint64_t)(layer + 1) << 32 | at / 8);
    return (uint8_t)(word >> at % 8 * 8);
}

static void fill(struct task *p)
{
    for (uint32_t e = 0; e < TASK_ENDS; e++)
        for (uint32_t i = 0; i < TASK_ARENA; i++) {
            p->filled[e][i] = byte_of(e, 0, i);
            p->used[e][i] = byte_of(e, 1, i);
        }
}

/* An area behind all others of its end; a guard stays free on either side.  false: no room. */
static bool add_area(struct task *p, uint32_t next[TASK_ENDS], uint8_t end, uint32_t len,
                     uint8_t *out)
{
    uint32_t at = next[end];
    if (len > TASK_ARENA - TASK_GUARD - at)
        return false;
    *out = (uint8_t)p->areas;
    p->area[p->areas++] = (struct task_area){end, at, len};
    next[end] = (at + len + TASK_GUARD + AREA_ALIGN - 1) / AREA_ALIGN * AREA_ALIGN;
    return next[end] <= TASK_ARENA - TASK_GUARD;
}

/* The adds differ in every byte that one could mistake for another. */
static void task_atomic(struct task *p, struct task_message *m)
{
    uint32_t f = m->flow, n = p->atomics[f]++;
    uint64_t before = p->value[f][n];
    m->atomic = (uint8_t)n;
    m->compare = m->op == XP_WR_CMP_SWAP ? before : 0;
    m->operand = m->op == XP_WR_CMP_SWAP ? rng_mix(before + n + 1) : 0x10001u + n * 0x100u;
    p->value[f][n + 1] = m->op == XP_WR_CMP_SWAP ? m->operand : before + m->operand;
}

/* Where messages get lost a receive may come to hold any of its flow: all are as long as the
 * longest. */
static uint32_t recv_room(const struct task_spec *s, uint32_t flow)
{
    uint32_t room = 0;
    for (uint32_t i = 0; i < s->ops; i++) {
        bool is_send = s->op[i].op == XP_WR_SEND || s->op[i].op == XP_WR_SEND_IMM;
        if (is_send && s->op[i].flow == flow && s->op[i].len > room)
            room = s->op[i].len;
    }
    return room;
}

static bool add_recv(struct task *p, uint32_t next[TASK_ENDS], uint8_t flow)
{
    struct task_recv *r = &p->recv[p->recvs++];
    r->flow = flow;
    return add_area(p, next, p->spec.flow[flow].to, p->spec.head + recv_room(&p->spec, flow),
                    &r->area);
}

static bool takes_recvs(const struct task *p, uint32_t flow)
{
    for (uint32_t i = 0; i < p->recvs; i++)
        if (p->recv[i].flow == flow)
            return true;
    return false;
}

static bool task_one(struct task *p, uint32_t next[TASK_ENDS], uint32_t i)
{
    const struct task_op *op = &p->spec.op[i];
    struct task_message *m = &p->message[i];
    uint8_t from = p->spec.flow[op->flow].from, to = p->spec.flow[op->flow].to;
    *m = (struct task_message){.op = op->op,
                               .flow = op->flow,
                               .signalled = !op->silent,
                               .fence = op->fence,
                               .of = op->of,
                               .recv = TASK_NO_RECV};
    m->len = task_is_atomic(m) ? 8 : op->len;
    m->packets = m->len == 0 ? 1 : (m->len + p->spec.mtu - 1) / p->spec.mtu;
    if (op->op == XP_WR_SEND_IMM || op->op == XP_WR_WRITE_IMM)
        m->imm = 0x1000 + i;
    bool ok = add_area(p, next, from, m->len, &m->local);
    m->remote = m->local;
    if (task_is_atomic(m)) {
        m->remote = p->word[m->flow];
        task_atomic(p, m);
    } else if (m->of) {
        m->remote = p->message[m->of - 1].remote;
    } else if (task_is_write(m) || m->op == XP_WR_READ) {
        ok = ok && add_area(p, next, to, m->len, &m->remote);
    }
    if (task_takes_recv(m)) {
        m->recv = (uint8_t)p->recvs;
        ok = ok && add_recv(p, next, m->flow);
    }
    return ok;
}

static bool reads_a_write(const struct task_spec *s, uint32_t i)
{
    const struct task_op *op = &s->op[i], *of = &s->op[op->of - 1];
    return op->op == XP_WR_READ && op->of <= i && of->flow == op->flow && of->len >= op->len &&
           (of->op == XP_WR_WRITE || of->op == XP_WR_WRITE_IMM);
}

static const char *refuse(const struct task_spec *s)
{
    if (s->ops == 0)
        return "nothing is posted";
    if (s->ops > TASK_MESSAGES)
        return "more than 12 operations";
    for (uint32_t i = 0; i < s->ops; i++)
        if (s->op[i].len >= TASK_ARENA)
            return "a message is too long: all of them together must fit 32 KiB at each end";
    for (uint32_t i = 0; i < s->ops; i++)
        if (s->op[i].of && !reads_a_write(s, i))
            return "a READ of a message needs a WRITE, at least as long, before it in its queue";
    return NULL;
}

const char *task_make(const struct task_spec *spec, struct task *p)
{
    uint32_t next[TASK_ENDS] = {TASK_GUARD, TASK_GUARD};
    const char *why = refuse(spec);
    bool ok = true;
    if (why)
        return why;
    memset(p, 0, sizeof *p);
    p->spec = *spec;
    fill(p);
    for (uint32_t f = 0; f < spec->flows; f++) {
        uint8_t to = spec->flow[f].to;
        ok = ok && add_area(p, next, to, 8, &p->word[f]);
        memcpy(&p->value[f][0], p->filled[to] + p->area[p->word[f]].at, 8);
    }
    for (uint32_t i = 0; i < spec->ops && ok; i++)
        ok = task_one(p, next, i);
    for (uint8_t f = 0; f < spec->flows; f++)
        for (uint32_t i = 0; ok && takes_recvs(p, f) && i < spec->spare; i++)
            ok = add_recv(p, next, f);
    p->arena_bytes = next[0] > next[1] ? next[0] : next[1];
    return ok ? NULL : "the messages do not fit 32 KiB at each end";
}

const uint8_t *task_payload(const struct task *p, const struct task_message *m)
{
    if (m->of)
        m = &p->message[m->of - 1];
    const struct task_area *a = &p->area[m->op == XP_WR_READ ? m->remote : m->local];
    return p->filled[a->end] + a->at;
}

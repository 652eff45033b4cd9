/*
 * Messages and completions; ledger.h says what is checked.  Memory is ledger_memory.c's.
 *
 * Two kinds of service: one that acknowledges delivers each message once, in order, and tells of
 * it; the others deliver whole messages or none, once for every time the network brought one.
 */
#include "models/explore/ledger.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/explore/ledger_memory.h"
#include "sim/base/rng.h"

const char *ledger_rule_text(enum ledger_rule r)
{
    static const char *const text[LEDGER_RULES] = {
        [LEDGER_SOUND] = "no rule is broken",
        [LEDGER_ORDER] = "messages are delivered in order",
        [LEDGER_TWICE] = "a message is delivered at most once",
        [LEDGER_FOREIGN] = "a receive holds a message that was sent, whole",
        [LEDGER_PAYLOAD] = "a message is delivered with its own bytes",
        [LEDGER_STRAY] = "nothing else in memory changes",
        [LEDGER_COMPLETION] = "requests complete once, in the order of posting",
        [LEDGER_STATUS] = "a request fails only for want of an answer",
        [LEDGER_GAVE_UP] = "a few faults do not use up many retries",
        [LEDGER_UNDELIVERED] = "success is reported only for what was delivered",
        [LEDGER_ATOMIC] = "an atomic is executed once and returns what it found",
        [LEDGER_RECV_KEPT] = "a receive is used up by a message and by nothing else",
        [LEDGER_BACKWARDS] = "PSN and MSN only grow, as far as there are messages",
        [LEDGER_RESOURCES] = "what a connection needs is bounded and given back",
        [LEDGER_STUCK] = "every request completes once the network is well again",
    };
    return text[r];
}

void ledger_breach(struct ledger *l, enum ledger_rule rule, const char *format, ...)
{
    va_list args;
    if (l->breach != LEDGER_SOUND)
        return;
    l->breach = rule;
    va_start(args, format);
    vsnprintf(l->what, sizeof l->what, format, args);
    va_end(args);
}

void ledger_init(struct ledger *l, const struct task *p, uint8_t *const memory[TASK_ENDS])
{
    memset(l, 0, sizeof *l);
    l->task = p;
    for (uint32_t e = 0; e < TASK_ENDS; e++)
        memcpy(memory[e], p->filled[e], p->arena_bytes);
    for (uint32_t f = 0; f < p->spec.flows; f++)
        l->area[p->word[f]] = AREA_OPEN; /* judged by its value */
}

void ledger_posted(struct ledger *l, uint32_t message)
{
    const struct task_message *m = &l->task->message[message];
    l->posted[m->flow] = (uint8_t)(message + 1);
    if (task_is_write(m))
        l->area[m->remote] = AREA_OPEN;
    if (m->op == XP_WR_READ || task_is_atomic(m))
        l->area[m->local] = AREA_OPEN;
}

void ledger_recv_posted(struct ledger *l, uint32_t recv)
{
    l->area[l->task->recv[recv].area] = AREA_OPEN;
}

void ledger_repeated(struct ledger *l, uint32_t message)
{
    if (l->task->spec.acked)
        return; /* it must make no difference */
    l->copies[message]++;
    l->reordered = true;
}

void ledger_reordered(struct ledger *l) { l->reordered = !l->task->spec.acked; }

/* ---- receives -------------------------------------------------------------------------------- */

static bool looks_like(const struct task *p, const struct task_message *m, const struct xp_wc *wc)
{
    bool has_imm = m->op == XP_WR_SEND_IMM || m->op == XP_WR_WRITE_IMM;
    uint8_t op = m->op == XP_WR_WRITE_IMM ? XP_WC_RECV_WRITE_IMM : XP_WC_RECV;
    uint32_t head = m->op == XP_WR_WRITE_IMM ? 0 : p->spec.head;
    return wc->byte_len == m->len + head && wc->op == op &&
           (wc->flags & XP_WC_WITH_IMM) == (has_imm ? XP_WC_WITH_IMM : 0) &&
           (!has_imm || wc->imm == m->imm);
}

static bool is_candidate(const struct ledger *l, uint32_t flow, uint32_t i)
{
    const struct task_message *m = &l->task->message[i];
    return m->flow == flow && task_takes_recv(m) && i < l->posted[flow];
}

/* How often a message may be delivered: without acknowledgements as often as the network brought it. */
static uint32_t may_deliver(const struct ledger *l, uint32_t i)
{
    return l->task->spec.acked ? 1 : 1u + l->copies[i];
}

static bool is_out_of_turn(const struct ledger *l, uint32_t flow, uint32_t i)
{
    return !l->task->spec.acked && !l->reordered && i + 1u < l->newest[flow];
}

/*
 * The message that a receive holds: the first that looks and reads like it and may come now (short
 * ones can be alike), else any that does not.  TASK_MESSAGES: none.  *alike: one has its length and kind, not its bytes.
 */
static uint32_t identify(const struct ledger *l, uint32_t flow, const struct xp_wc *wc,
                         uint8_t *const memory[TASK_ENDS], bool *alike)
{
    uint32_t found = TASK_MESSAGES;
    *alike = false;
    for (uint32_t i = 0; i < l->task->spec.ops; i++) {
        if (!is_candidate(l, flow, i) || !looks_like(l->task, &l->task->message[i], wc))
            continue;
        *alike = true;
        if (!ledger_holds(l, i, (uint32_t)wc->wr_id, memory))
            continue;
        if (l->delivered[i] < may_deliver(l, i) && !is_out_of_turn(l, flow, i))
            return i;
        found = i;
    }
    return found;
}

/* The first message of the flow that takes a receive and has not been delivered. */
static uint32_t next_undelivered(const struct ledger *l, uint32_t flow)
{
    uint32_t i = 0;
    while (i < l->task->spec.ops && !(is_candidate(l, flow, i) && l->delivered[i] == 0))
        i++;
    return i;
}

/* WRITEs before a message that has been received are in memory: the receiver counts on it. */
static void check_writes_before(struct ledger *l, uint32_t flow, uint32_t i,
                                uint8_t *const memory[TASK_ENDS])
{
    for (uint32_t k = 0; k < i; k++) {
        const struct task_message *m = &l->task->message[k];
        if (m->flow == flow && m->op == XP_WR_WRITE && l->area[m->remote] == AREA_OPEN &&
            !ledger_is_placed(l, k, memory))
            ledger_breach(l, LEDGER_ORDER,
                          "message %u was received, and WRITE %u before it is not in memory", i, k);
    }
}

/* A fenced message begins when all that was to be fetched before it has been. */
static void check_fence(struct ledger *l, uint32_t flow, uint32_t i,
                        uint8_t *const memory[TASK_ENDS])
{
    for (uint32_t k = 0; k < i && l->task->message[i].fence; k++) {
        const struct task_message *m = &l->task->message[k];
        if (m->flow != flow || k < l->completed[flow])
            continue;
        bool is_missing = m->op == XP_WR_READ
                              ? !ledger_is_placed(l, k, memory)
                              : task_is_atomic(m) && !ledger_is_fetched(l, k, memory);
        if (is_missing)
            ledger_breach(l, LEDGER_ORDER, "message %u, fenced, was received before %u was done", i,
                          k);
    }
}

static void judge_delivery(struct ledger *l, uint32_t flow, uint32_t i)
{
    if (l->delivered[i] >= may_deliver(l, i))
        ledger_breach(l, LEDGER_TWICE, "message %u was received again", i);
    else if (l->task->spec.acked && i != next_undelivered(l, flow))
        ledger_breach(l, LEDGER_ORDER, "message %u was received before message %u", i,
                      next_undelivered(l, flow));
    else if (is_out_of_turn(l, flow, i))
        ledger_breach(l, LEDGER_ORDER, "message %u was received after message %u", i,
                      l->newest[flow] - 1u);
}

static void take_delivery(struct ledger *l, uint32_t flow, const struct xp_wc *wc,
                          uint8_t *const memory[TASK_ENDS])
{
    bool alike;
    uint32_t i = identify(l, flow, wc, memory, &alike), recv = (uint32_t)wc->wr_id;
    if (i == TASK_MESSAGES) {
        if (alike)
            ledger_breach(l, LEDGER_PAYLOAD,
                          "receive %u has the length of a message, not its bytes", recv);
        else
            ledger_breach(l, LEDGER_FOREIGN, "receive %u with %u bytes is no message that was sent",
                          recv, wc->byte_len);
        return;
    }
    judge_delivery(l, flow, i);
    l->delivered[i]++;
    l->newest[flow] = (uint8_t)(i + 1);
    if (l->task->spec.acked)
        check_writes_before(l, flow, i, memory);
    check_fence(l, flow, i, memory);
    ledger_received(l, i, recv, memory);
}

/* The message that a receive was taken for, from a queue that serves others too, broke off. */
static bool may_abort(const struct ledger *l, uint32_t status)
{
    return status == XP_WC_REM_ABORT_ERR && l->task->spec.shared &&
           (!l->task->spec.acked || l->task->spec.joined);
}

void ledger_recv_done(struct ledger *l, uint32_t flow, const struct xp_wc *wc,
                      uint8_t *const memory[TASK_ENDS])
{
    const struct task *p = l->task;
    uint64_t recv = wc->wr_id;
    uint32_t due = l->recvs_done[flow]++, at = 0;
    while (at < p->recvs && (p->recv[at].flow != flow || due-- > 0))
        at++;
    if (recv >= p->recvs || p->recv[recv].flow != flow || l->received[recv] || recv != at) {
        ledger_breach(l, LEDGER_COMPLETION, "receive %llu completed where %u was due",
                      (unsigned long long)recv, at);
        return;
    }
    l->received[recv] = 1;
    l->flushed[flow] = l->flushed[flow] || wc->status == XP_WC_WR_FLUSH_ERR;
    if (wc->status == XP_WC_SUCCESS)
        take_delivery(l, flow, wc, memory);
    else if (may_abort(l, wc->status))
        ledger_broken_off(l, (uint32_t)recv, memory);
    else if (wc->status != XP_WC_WR_FLUSH_ERR)
        ledger_breach(l, LEDGER_STATUS, "receive %llu completed with %s", (unsigned long long)recv,
                      xp_status_name((enum xp_status)wc->status));
}

/* ---- requests -------------------------------------------------------------------------------- */

/* What success promises, and what the sender does afterwards. */
static void succeed(struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS])
{
    const struct task_message *m = &l->task->message[i];
    if (l->task->spec.acked) {
        if (task_takes_recv(m) && l->delivered[i] == 0)
            ledger_breach(l, LEDGER_UNDELIVERED, "message %u succeeded and was never received", i);
        if (m->op == XP_WR_WRITE && !ledger_is_placed(l, i, memory))
            ledger_breach(l, LEDGER_UNDELIVERED, "WRITE %u succeeded and is not in memory", i);
        if (m->op == XP_WR_READ && !ledger_is_placed(l, i, memory))
            ledger_breach(l, LEDGER_UNDELIVERED, "READ %u succeeded without its bytes", i);
        if (task_is_atomic(m))
            ledger_check_atomic(l, i, memory);
    }
    ledger_sent(l, i, memory);
}

/* Who waits for a connection that another's failure has ended learns that. */
static bool may_fail_with(const struct ledger *l, uint32_t status)
{
    return status == XP_WC_RETRY_EXC_ERR || status == XP_WC_RNR_RETRY_EXC_ERR ||
           (l->task->spec.joined && status == XP_WC_INV_EEC_STATE_ERR);
}

static void fail(struct ledger *l, uint32_t flow, uint32_t i, uint32_t status)
{
    bool known = l->failed[flow] ? status == XP_WC_WR_FLUSH_ERR : may_fail_with(l, status);
    if (!known || !l->task->spec.acked)
        ledger_breach(l, LEDGER_STATUS, "message %u completed with %s", i,
                      xp_status_name((enum xp_status)status));
    if (l->task->spec.steadfast && !l->failed[flow] && status != XP_WC_RNR_RETRY_EXC_ERR)
        ledger_breach(l, LEDGER_GAVE_UP, "message %u gave up with retries enough for all faults",
                      i);
    l->failed[flow] = true;
}

/* Requests that the completion of another passed over: they were silent, and went well. */
static void pass_over(struct ledger *l, uint32_t flow, uint32_t to,
                      uint8_t *const memory[TASK_ENDS])
{
    for (uint32_t k = l->completed[flow]; k < to; k++) {
        if (l->task->message[k].flow != flow)
            continue;
        if (l->task->message[k].signalled || l->failed[flow])
            ledger_breach(l, LEDGER_COMPLETION, "message %u was passed over by message %u", k, to);
        succeed(l, k, memory);
    }
}

void ledger_send_done(struct ledger *l, uint32_t flow, const struct xp_wc *wc,
                      uint8_t *const memory[TASK_ENDS])
{
    uint32_t i = (uint32_t)wc->wr_id;
    if (wc->wr_id >= l->posted[flow] || l->task->message[i].flow != flow) {
        ledger_breach(l, LEDGER_COMPLETION, "a completion of message %llu, which was not posted",
                      (unsigned long long)wc->wr_id);
        return;
    }
    if (i < l->completed[flow]) {
        ledger_breach(l, LEDGER_COMPLETION, "message %u completed again", i);
        return;
    }
    pass_over(l, flow, i, memory);
    l->completed[flow] = (uint8_t)(i + 1);
    if (wc->status != XP_WC_SUCCESS) {
        fail(l, flow, i, wc->status);
        return;
    }
    if (l->failed[flow] || !l->task->message[i].signalled)
        ledger_breach(l, LEDGER_COMPLETION, "message %u: a success %s", i,
                      l->failed[flow] ? "after a failure" : "that nobody asked for");
    succeed(l, i, memory);
}

/* ---- numbers, the end ------------------------------------------------------------------------ */

/* The other direction's failure takes the QP, and with it these receives, to the error state. */
static bool may_flush(const struct ledger *l, uint32_t flow)
{
    const struct task_spec *s = &l->task->spec;
    for (uint32_t f = 0; f < s->flows; f++)
        if (l->failed[f] && s->flow[f].from == s->flow[flow].to)
            return true;
    return false;
}

/* That the flow's connection may carry. */
static uint32_t messages_of(const struct ledger *l, uint32_t flow)
{
    const struct task_spec *s = &l->task->spec;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->ops; i++) {
        uint32_t f = l->task->message[i].flow;
        bool on_it = f == flow || (s->joined && s->flow[f].from == s->flow[flow].from);
        n += on_it && i < l->posted[f];
    }
    return n;
}

void ledger_numbers(struct ledger *l, uint32_t flow, struct ledger_numbers n)
{
    int32_t more = psn_diff(psn(n.msn), psn(l->msn[flow]));
    bool anew = l->task->spec.restarts && more == 0;
    bool back = psn_diff(n.sq_psn, l->sq_psn[flow]) < 0 || more < 0 ||
                (psn_diff(n.rq_psn, l->rq_psn[flow]) < 0 && !anew);
    if (l->numbered[flow] && back && l->task->spec.acked)
        ledger_breach(l, LEDGER_BACKWARDS, "PSN %u/%u, MSN %u after %u/%u, %u", n.sq_psn.v,
                      n.rq_psn.v, n.msn, l->sq_psn[flow].v, l->rq_psn[flow].v, l->msn[flow]);
    if (l->task->spec.acked && psn_diff(n.rq_psn, n.sq_psn) > 0)
        ledger_breach(l, LEDGER_BACKWARDS, "PSN %u is expected, %u has not been sent", n.rq_psn.v,
                      n.sq_psn.v);
    if (l->task->spec.acked && n.msn > messages_of(l, flow))
        ledger_breach(l, LEDGER_BACKWARDS, "MSN %u after %u messages", n.msn, messages_of(l, flow));
    if (l->flushed[flow] && !may_flush(l, flow))
        ledger_breach(l, LEDGER_STATUS, "receives were flushed, and nothing had failed");
    l->numbered[flow] = true;
    l->sq_psn[flow] = n.sq_psn;
    l->rq_psn[flow] = n.rq_psn;
    l->msn[flow] = n.msn;
}

static void finish_flow(struct ledger *l, uint32_t flow, uint32_t recvs_left)
{
    uint32_t recvs = 0;
    for (uint32_t i = l->completed[flow]; i < l->task->spec.ops; i++) {
        const struct task_message *m = &l->task->message[i];
        if (m->flow == flow && (m->signalled || l->failed[flow]))
            ledger_breach(l, LEDGER_STUCK, "message %u never completed", i);
    }
    for (uint32_t i = 0; i < l->task->recvs; i++)
        recvs += l->task->recv[i].flow == flow;
    uint32_t taken = recvs - l->recvs_done[flow] - recvs_left; /* and not completed */
    bool may_break_off = l->task->spec.shared && (l->failed[flow] || !l->task->spec.acked);
    if (taken > may_break_off)
        ledger_breach(l, LEDGER_RECV_KEPT, "%u receives of %u completed and %u are left",
                      l->recvs_done[flow], recvs, recvs_left);
}

void ledger_finish(struct ledger *l, const uint32_t recvs_left[TASK_FLOWS])
{
    for (uint32_t f = 0; f < l->task->spec.flows; f++)
        finish_flow(l, f, recvs_left[f]);
}

static void add(uint64_t *hash, const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ b[i]) * 0x100000001b3u;
}

uint64_t ledger_digest(const struct ledger *l)
{
    const size_t from = offsetof(struct ledger, delivered), to = offsetof(struct ledger, breach);
    uint64_t hash = 0xcbf29ce484222325u;
    add(&hash, (const uint8_t *)l + from, to - from);
    return rng_mix(hash);
}

/*
 * Memory as the ledger sees it; ledger_memory.h.
 *
 * A WRITE's target is used up by whoever learns first that it is complete: the receiver of its
 * immediate, or the sender.  Where a message may be lost or delivered again no target is ever
 * closed, since a repetition may rightly write to it.
 */
#include "models/explore/ledger_memory.h"

#include <string.h>

static bool is_as(const uint8_t *image, const struct task_area *a, uint8_t *const memory[TASK_ENDS])
{
    return memcmp(memory[a->end] + a->at, image + a->at, a->len) == 0;
}

static void use_up(struct ledger *l, uint8_t area, uint8_t *const memory[TASK_ENDS])
{
    const struct task_area *a = &l->task->area[area];
    memcpy(memory[a->end] + a->at, l->task->used[a->end] + a->at, a->len);
    l->area[area] = AREA_USED;
}

/*
 * A READ of a WRITE's target finds what the WRITE put there, never what was there before; a packet that
 * was read after the target was used up may hold what it holds now.
 */
static bool is_read_in_time(const struct ledger *l, const struct task_message *m,
                            const uint8_t *bytes)
{
    const struct task *t = l->task;
    const struct task_area *target = &t->area[m->remote];
    const uint8_t *then = task_payload(t, m), *now = t->used[target->end] + target->at;
    for (uint32_t at = 0, n; at < m->len; at += n) {
        n = m->len - at < t->spec.mtu ? m->len - at : t->spec.mtu;
        bool is_new = l->area[m->remote] == AREA_USED && memcmp(bytes + at, now + at, n) == 0;
        if (!is_new && memcmp(bytes + at, then + at, n) != 0)
            return false;
    }
    return true;
}

bool ledger_is_placed(const struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS])
{
    const struct task_message *m = &l->task->message[i];
    uint8_t area = m->op == XP_WR_READ ? m->local : m->remote;
    const struct task_area *a = &l->task->area[area];
    if (m->of)
        return is_read_in_time(l, m, memory[a->end] + a->at);
    return l->area[area] == AREA_USED ||
           memcmp(memory[a->end] + a->at, task_payload(l->task, m), m->len) == 0;
}

bool ledger_holds(const struct ledger *l, uint32_t i, uint32_t recv,
                  uint8_t *const memory[TASK_ENDS])
{
    const struct task_message *m = &l->task->message[i];
    const struct task_area *a = &l->task->area[l->task->recv[recv].area];
    if (m->op == XP_WR_WRITE_IMM)
        return ledger_is_placed(l, i, memory);
    return memcmp(memory[a->end] + a->at + l->task->spec.head, task_payload(l->task, m), m->len) ==
           0;
}

bool ledger_is_fetched(const struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS])
{
    const struct task_message *m = &l->task->message[i];
    const struct task_area *local = &l->task->area[m->local];
    return memcmp(memory[local->end] + local->at, &l->task->value[m->flow][m->atomic], 8) == 0;
}

void ledger_check_atomic(struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS])
{
    const struct task_message *m = &l->task->message[i];
    const struct task_area *local = &l->task->area[m->local];
    uint64_t original;
    memcpy(&original, memory[local->end] + local->at, 8);
    if (l->executed[m->flow] <= m->atomic)
        ledger_breach(l, LEDGER_ATOMIC, "atomic %u succeeded and was not executed", i);
    else if (original != l->task->value[m->flow][m->atomic])
        ledger_breach(l, LEDGER_ATOMIC, "atomic %u returned %#llx where %#llx stood", i,
                      (unsigned long long)original,
                      (unsigned long long)l->task->value[m->flow][m->atomic]);
}

/* Of a SEND the rest of the receive's room is untouched, unless a broken message was there before. */
static void check_rest(struct ledger *l, const struct task_message *m, uint32_t recv,
                       uint8_t *const memory[TASK_ENDS])
{
    const struct task_area *a = &l->task->area[l->task->recv[recv].area];
    uint32_t used = m->op == XP_WR_WRITE_IMM ? 0 : l->task->spec.head + m->len;
    if (l->task->spec.acked && memcmp(memory[a->end] + a->at + used,
                                      l->task->filled[a->end] + a->at + used, a->len - used) != 0)
        ledger_breach(l, LEDGER_STRAY, "receive %u was written to beyond its message", recv);
}

void ledger_received(struct ledger *l, uint32_t i, uint32_t recv, uint8_t *const memory[TASK_ENDS])
{
    const struct task_message *m = &l->task->message[i];
    check_rest(l, m, recv, memory);
    use_up(l, l->task->recv[recv].area, memory);
    if (m->op == XP_WR_WRITE_IMM && l->task->spec.acked)
        use_up(l, m->remote, memory);
}

void ledger_broken_off(struct ledger *l, uint32_t recv, uint8_t *const memory[TASK_ENDS])
{
    use_up(l, l->task->recv[recv].area, memory);
}

void ledger_sent(struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS])
{
    const struct task_message *m = &l->task->message[i];
    use_up(l, m->local, memory);
    if (m->op == XP_WR_WRITE && l->task->spec.acked)
        use_up(l, m->remote, memory);
}

/* ---- after every event ----------------------------------------------------------------------- */

/* The word has the value after n atomics; n never shrinks. */
static void look_at_word(struct ledger *l, uint32_t flow, uint8_t *const memory[TASK_ENDS])
{
    const struct task_area *a = &l->task->area[l->task->word[flow]];
    uint64_t word;
    memcpy(&word, memory[a->end] + a->at, 8);
    for (uint32_t n = l->executed[flow]; n <= l->task->atomics[flow]; n++) {
        if (word == l->task->value[flow][n]) {
            l->executed[flow] = (uint8_t)n;
            return;
        }
    }
    ledger_breach(l, LEDGER_ATOMIC, "the atomics' target holds %#llx after %u of them",
                  (unsigned long long)word, l->executed[flow]);
}

static void look_at_area(struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS])
{
    const struct task_area *a = &l->task->area[i];
    const uint8_t *image =
        l->area[i] == AREA_USED ? l->task->used[a->end] : l->task->filled[a->end];
    if (l->area[i] != AREA_OPEN && !is_as(image, a, memory))
        ledger_breach(l, LEDGER_STRAY, "memory of end %u at %u changed when it was %s", a->end,
                      a->at, l->area[i] == AREA_USED ? "in other use" : "not to be written");
    const struct task_area guard = {a->end, a->at - TASK_GUARD, TASK_GUARD};
    if (!is_as(l->task->filled[a->end], &guard, memory))
        ledger_breach(l, LEDGER_STRAY, "memory of end %u before %u was written to", a->end, a->at);
}

void ledger_look(struct ledger *l, uint8_t *const memory[TASK_ENDS])
{
    for (uint32_t i = 0; i < l->task->areas; i++)
        look_at_area(l, i, memory);
    for (uint32_t f = 0; f < l->task->spec.flows; f++)
        look_at_word(l, f, memory);
}

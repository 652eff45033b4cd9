/*
 * The slow path of link_send: what observers, dead hosts, rules and random loss do to a packet.
 *
 * The wire is already taken for its serialisation: a packet that is lost was sent all the same.
 * Order: a dead end or a link that is down, then the rules, then loss; a packet that is lost is not
 * also duplicated or delayed.  A rule's copy meets neither rules nor loss on this link.
 */
#include "models/fabric/link.h"
#include "models/fabric/side.h"
#include "sim/base/check.h"

static void drop(struct link *l, const struct pkt *p, enum fab_drop why, tm_ps now)
{
    link_count_drop(l, p, why);
    l->cold->lost_bytes += p->wire_bytes;
    if (l->watch & WATCH_TAP)
        link_note(l, "drop", fab_drop_name(why), p, now);
    side_drop(p);
}

/* The cable's own loss hits all kinds of packets. */
static bool lost(struct link *l, const struct pkt *p)
{
    const struct fab_cfg *cfg = &l->fab->cfg;
    if (l->cold->own_loss && rng_hits(&l->cold->own_draw, l->cold->own_loss))
        return true;
    return (l->watch & WATCH_LOSS) && (cfg->loss_classes >> fab_class_of(&p->h) & 1) &&
           loss_hits(&l->fab->loss, &l->cold->loss, p->wire_bytes);
}

static void duplicate(struct link *l, const struct pkt *p, tm_ps at, tm_ps delay_ps, tm_ps now)
{
    struct pkt copy = *p;
    copy.note |= PKT_INJECTED;
    side_copy(&copy);
    l->sent++;
    l->cold->injected++;
    l->cold->copies++;
    l->cold->lost_bytes -= copy.wire_bytes;
    if (l->watch & WATCH_TAP)
        link_note(l, "dup", "", &copy, now);
    link_enqueue(l, p, at);
    if (delay_ps > 0)
        link_enqueue_late(l, &copy, at + delay_ps);
    else
        link_enqueue(l, &copy, at + 1);
}

/*
 * Does the ICRC catch a bit turned over at this byte, counted from the BTH?  It covers all up to
 * itself but BTH resv8a (byte 4: FECN, BECN); behind it there is no byte of the packet.
 */
static bool corruption_shows(const struct pkt *p, uint32_t at_byte)
{
    return at_byte != 4 && at_byte < wire_ib_bytes(&p->h) + 4;
}

/* Carries out a rule that leaves the packet alive.  False: it has been queued here. */
static bool act(struct link *l, const struct inject_rule *rule, struct pkt *p, tm_ps at, tm_ps now)
{
    switch (rule->action) {
    case INJ_DUP:
        duplicate(l, p, at, rule->delay_ps, now);
        return false;
    case INJ_DELAY:
        if (rule->delay_ps == 0)
            return true;
        link_enqueue_late(l, p, at + rule->delay_ps);
        return false;
    case INJ_CORRUPT:
        if (corruption_shows(p, rule->at_byte))
            p->note |= PKT_CORRUPT;
        return true;
    case INJ_MARK:
        p->h.flags |= WIRE_ECN_LO | WIRE_ECN_HI;
        return true;
    case INJ_REWRITE:
        l->cold->lost_bytes += p->wire_bytes;
        inject_rewrite(rule, p, l->fab->cfg.encap);
        l->cold->lost_bytes -= p->wire_bytes;
        return true;
    case INJ_DROP:
    case INJ_FORGE:
    case INJ_LINK_DOWN:
    case INJ_ACT:
        break;
    }
    CHECK(!"a rule that does not alter packets");
    return true;
}

bool link_watch_send(struct link *l, struct pkt *p, tm_ps at, tm_ps now)
{
    struct link_cold *c = l->cold;
    const struct inject_rule *rule = NULL;
    if (l->watch & WATCH_IP_ID)
        p->ip_id = c->next_ip_id++;
    if (l->watch & WATCH_TAP)
        link_note(l, "send", "", p, now);
    if (l->watch & WATCH_DEAD) {
        drop(l, p, FAB_DROP_DOWN, now);
        return false;
    }
    if (l->watch & WATCH_RULES)
        rule = inject_judge(l->fab->inject, c->rule, c->rules, p, now + c->before_ps,
                            at - c->after_ps);
    if (rule && rule->action == INJ_LINK_DOWN) {
        drop(l, p, FAB_DROP_DOWN, now);
        return false;
    }
    if (rule && rule->action == INJ_DROP) {
        drop(l, p, FAB_DROP_INJECT, now);
        return false;
    }
    if (lost(l, p)) {
        drop(l, p, FAB_DROP_LOSS, now);
        return false;
    }
    return rule ? act(l, rule, p, at, now) : true;
}

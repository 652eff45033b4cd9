/*
 * Work requests that name memory they must not: what a program that is wrong posts.
 *
 * Each rule spoils one request, the message of its number or the first one from a time on; posted again
 * over a new connection it is right.  Left out: receives.
 */
#include <glib.h>

#include "models/load/host.h"

struct spoils {
    uint32_t count;
    struct spoiled {
        const struct load_act *act;
        uint32_t number; /* in the environment */
        uint64_t wr, remote;
        bool done;
    } of[];
};

#define STALE_KEY 0x80u /* of a key's low byte: one that was, or will be */

static bool wants_bare(enum load_spoil s)
{
    return s == LOAD_SPOIL_LOCAL_WRITE || s == LOAD_SPOIL_REMOTE_ACCESS;
}

bool spoil_wants_bare(const struct load_env *env)
{
    for (uint32_t i = 0; i < env->act_count; i++)
        if (env->act[i].kind == LOAD_ACT_SPOIL && wants_bare(env->act[i].spoil))
            return true;
    return false;
}

void spoil_init(struct load *l)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->env.act_count; i++)
        n += l->env.act[i].kind == LOAD_ACT_SPOIL;
    if (n == 0)
        return;
    l->spoils = g_malloc0(sizeof(*l->spoils) + n * sizeof(l->spoils->of[0]));
    for (uint32_t i = 0; i < l->env.act_count; i++)
        if (l->env.act[i].kind == LOAD_ACT_SPOIL)
            l->spoils->of[l->spoils->count++] =
                (struct spoiled){.act = &l->env.act[i], .number = i};
}

void spoil_fini(struct load *l) { g_free(l->spoils); }

/* Where a message begins of which so much lies within the region. */
static uint64_t at_end_of(const struct load *l, const struct host *of, const struct load_act *act,
                          uint32_t bytes)
{
    uint64_t inside = bytes ? MIN(act->inside_bytes, bytes - 1) : 0;
    return LOAD_MR_ADDR + setup_region(l, of) - inside;
}

static void spoil(struct host *h, const struct load_act *act, uint32_t peer, struct xp_send_wr *wr)
{
    const struct load *l = h->load;
    switch (act->spoil) {
    case LOAD_SPOIL_LKEY:
        wr->sge.lkey ^= STALE_KEY;
        break;
    case LOAD_SPOIL_SGE:
        wr->sge.addr = at_end_of(l, h, act, wr->sge.length);
        break;
    case LOAD_SPOIL_LOCAL_WRITE:
        wr->sge.lkey = h->bare_key;
        break;
    case LOAD_SPOIL_RKEY:
        wr->rkey ^= STALE_KEY;
        break;
    case LOAD_SPOIL_RANGE:
        wr->remote_addr = at_end_of(l, &l->host[peer], act, wr->sge.length);
        break;
    case LOAD_SPOIL_REMOTE_ACCESS:
        wr->rkey = l->host[peer].bare_key;
        break;
    case LOAD_SPOILS:
        break;
    }
}

static bool is_meant(const struct spoiled *s, const struct host *h, uint32_t e, uint64_t wr,
                     tm_ps now)
{
    const struct load_act *act = s->act;
    if (s->done || act->host != h->id || act->qp != e - h->ends.first)
        return false;
    return act->wr == LOAD_WR_BY_TIME ? act->when.from_ps <= now : act->wr == wr;
}

void spoil_wr(struct host *h, uint32_t e, struct xp_send_wr *wr, tm_ps now)
{
    struct load *l = h->load;
    for (uint32_t i = 0; i < l->spoils->count; i++) {
        struct spoiled *s = &l->spoils->of[i];
        if (!is_meant(s, h, e, wr->wr_id, now))
            continue;
        spoil(h, s->act, l->end[e].peer, wr);
        s->done = true;
        s->wr = wr->wr_id;
        s->remote = wr->remote_addr;
        l->act_fired[s->number]++;
    }
}

bool spoil_place(const struct load *l, uint32_t e, uint64_t wr, uint64_t *remote)
{
    for (uint32_t i = 0; l->spoils && i < l->spoils->count; i++) {
        const struct spoiled *s = &l->spoils->of[i];
        bool own = l->host[s->act->host].ends.first + s->act->qp == e;
        if (!s->done || !own || s->wr != wr || s->act->spoil != LOAD_SPOIL_RANGE)
            continue;
        *remote = s->remote;
        return true;
    }
    return false;
}

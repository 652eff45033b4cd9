/*
 * Lists of segments: requests whose message lies in more than one piece of memory.
 *
 * A request with at most one segment that is not empty keeps it in its WQE and nothing here is
 * touched.  Any other has a list of pool entries without empty segments, made at the post and given
 * back exactly once when the WQE leaves its queue.  A list's keys are looked at whole with each
 * packet, as a single segment's range is: a request with a bad one sends, or takes, nothing.
 */
#include "models/transport/parts.h"

struct xp_sges xp__sges(const struct xp_sge *first, const struct xp_sge *rest, uint32_t rest_count)
{
    struct xp_sges s = {.bytes = first->length, .one = *first};

    for (uint32_t i = 0; i < rest_count; i++) {
        if (rest[i].length == 0)
            continue;
        if (s.bytes == 0)
            s.one = rest[i];
        else
            s.list = true;
        s.bytes += rest[i].length;
    }
    return s;
}

/* Puts a segment, unless it is empty, before those at *head.  False: pool exhausted. */
static bool push(struct xp *x, uint32_t *head, const struct xp_sge *s)
{
    if (s->length == 0)
        return true;
    uint32_t i = xp__take(x, POOL_SGE);
    if (!i)
        return false;
    *xp__sge(x, i) = (struct xp_sge_item){.next = *head, .sge = *s};
    *head = i;
    return true;
}

uint32_t xp__list_make(struct xp *x, const struct xp_sge *first, const struct xp_sge *rest,
                       uint32_t rest_count)
{
    uint32_t head = 0;
    bool made = true;

    for (uint32_t i = rest_count; i > 0 && made; i--)
        made = push(x, &head, &rest[i - 1]);
    if (made && push(x, &head, first))
        return head;
    xp__list_drop(x, head);
    return 0;
}

void xp__list_drop(struct xp *x, uint32_t list)
{
    while (list) {
        uint32_t next = xp__sge(x, list)->next;
        xp__give(x, POOL_SGE, list);
        list = next;
    }
}

bool xp__list_check(const struct xp *x, uint32_t list, uint32_t pd, uint32_t use)
{
    for (; list; list = xp__sge(x, list)->next) {
        const struct xp_sge *s = &xp__sge(x, list)->sge;
        if (!xp__mr_check(x, s->lkey, pd, s->addr, s->length, use))
            return false;
    }
    return true;
}

uint32_t xp__segments(const struct xp *x, uint32_t list, uint32_t offset, uint32_t bytes,
                      struct xp_seg *seg, struct xp_seg *rest)
{
    uint32_t n = 0;

    for (; list && bytes; list = xp__sge(x, list)->next) {
        const struct xp_sge *s = &xp__sge(x, list)->sge;
        if (offset >= s->length) {
            offset -= s->length;
            continue;
        }
        uint32_t len = s->length - offset < bytes ? s->length - offset : bytes;
        *(n ? &rest[n - 1] : seg) =
            (struct xp_seg){.tag = xp__mr_tag(x, s->lkey), .addr = s->addr + offset, .len = len};
        n++;
        bytes -= len;
        offset = 0;
    }
    return n ? n : 1;
}

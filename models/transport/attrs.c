/*
 * Attribute sets shared by the QPs that have equal attributes: a chained hash with counted
 * references.  An attribute that a QP changes gives it another set; the sets themselves never
 * change.  Hash order is seen by nobody: a set is found by its whole value.
 */
#include <string.h>

#include "models/transport/parts.h"
#include "sim/base/rng.h"

static uint32_t *bucket_of(const struct xp *x, const struct xp_attrs *a)
{
    uint64_t word[sizeof *a / sizeof(uint64_t)], hash = 0;

    memcpy(word, a, sizeof word);
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
        hash = rng_mix(hash * 3 + word[i]);
    return (uint32_t *)xp__base(x, x->at.buckets) + (hash & x->bucket_mask);
}

uint32_t xp__attrs_intern(struct xp *x, const struct xp_attrs *a)
{
    uint32_t *bucket = bucket_of(x, a);
    uint32_t i;

    for (i = *bucket; i; i = xp__attr_set(x, i)->next) {
        if (memcmp(&xp__attr_set(x, i)->a, a, sizeof *a) == 0) {
            xp__attr_set(x, i)->refs++;
            return i;
        }
    }
    i = xp__take(x, POOL_ATTR_SET);
    if (i) {
        *xp__attr_set(x, i) = (struct xp_attr_set){.next = *bucket, .refs = 1, .a = *a};
        *bucket = i;
    }
    return i;
}

void xp__attrs_release(struct xp *x, uint32_t set)
{
    struct xp_attr_set *s = xp__attr_set(x, set);

    if (--s->refs)
        return;
    uint32_t *link = bucket_of(x, &s->a);
    while (*link != set)
        link = &xp__attr_set(x, *link)->next;
    *link = s->next;
    xp__give(x, POOL_ATTR_SET, set);
}

/* See move.h.  An address outside the host's memory is a mistake of the core, which had a region to check. */
#include "models/hca/move.h"

#include <string.h>

#include "sim/base/check.h"

static uint8_t *place_of(const struct hca_bytes *m, const struct xp_seg *s)
{
    CHECK(s->addr >= m->base && s->addr - m->base <= m->bytes &&
          s->len <= m->bytes - (s->addr - m->base));
    return m->at + (s->addr - m->base);
}

static const struct xp_seg *segment(const struct xp_seg *first, const struct xp_seg *rest,
                                    uint32_t i)
{
    return i ? &rest[i - 1] : first;
}

void move_gather(const struct hca_bytes *m, const struct xp_tx *tx,
                 uint8_t payload[MOVE_PAYLOAD_MAX])
{
    size_t done = 0;
    for (uint32_t i = 0; i < tx->segs; i++) {
        const struct xp_seg *s = segment(&tx->seg, tx->rest, i);
        CHECK(s->len <= MOVE_PAYLOAD_MAX - done);
        if (s->len)
            memcpy(payload + done, place_of(m, s), s->len);
        done += s->len;
    }
}

static void scatter(const struct hca_bytes *m, const struct xp_rx *rx, const uint8_t *payload)
{
    size_t done = 0;
    for (uint32_t i = 0; i < rx->segs; i++) {
        const struct xp_seg *s = segment(&rx->seg, rx->rest, i);
        if (s->len)
            memcpy(place_of(m, s), payload + done, s->len);
        done += s->len;
    }
}

/* The sum wraps, as the hardware's does. */
static uint64_t do_atomic(const struct hca_bytes *m, const struct xp_rx *rx)
{
    uint64_t original, next;
    memcpy(&original, place_of(m, &rx->seg), sizeof original);
    next = original + rx->swap_or_add;
    if (rx->is_cmp_swap)
        next = original == rx->compare ? rx->swap_or_add : original;
    memcpy(place_of(m, &rx->seg), &next, sizeof next);
    return original;
}

uint64_t move_place(const struct hca_bytes *m, const struct xp_rx *rx, const uint8_t *payload)
{
    switch (rx->deed) {
    case XP_NOTHING:
    case XP_HOLD:
        break;
    case XP_PLACE:
        scatter(m, rx, payload);
        break;
    case XP_PLACE_VALUE:
        memcpy(place_of(m, &rx->seg), &rx->value, sizeof rx->value);
        break;
    case XP_ATOMIC:
        return do_atomic(m, rx);
    }
    return 0;
}

/* MADs between the host and its wire; see gsi.h. */
#include "models/hca/gsi.h"

#include <stdlib.h>
#include <string.h>

#include "models/fabric/side.h"
#include "sim/base/check.h"

#define SOURCE_PORT 0xc001u /* one for all MADs of a host: they take one path to each other host */

struct gsi *gsi_new(void)
{
    struct gsi *g = calloc(1, sizeof *g);
    CHECK(g != NULL);
    return g;
}

void gsi_free(struct gsi *g)
{
    if (!g)
        return;
    free(g->out.item);
    free(g->in.item);
    free(g);
}

static void grow(struct gsi_queue *q)
{
    uint32_t room = q->room ? 2 * q->room : 8;
    struct gsi_mad *item = malloc(room * sizeof *item);
    CHECK(item != NULL);
    for (uint32_t i = 0; i < q->count; i++)
        item[i] = q->item[(q->head + i) % q->room];
    free(q->item);
    q->item = item;
    q->head = 0;
    q->room = room;
}

void gsi_put(struct gsi_queue *q, uint16_t host, const uint8_t bytes[CM_MAD_BYTES])
{
    if (q->count == q->room)
        grow(q);
    struct gsi_mad *m = &q->item[(q->head + q->count++) % q->room];
    m->host = host;
    memcpy(m->bytes, bytes, CM_MAD_BYTES);
}

bool gsi_take(struct gsi_queue *q, struct gsi_mad *out)
{
    if (q->count == 0)
        return false;
    *out = q->item[q->head];
    q->head = (q->head + 1) % q->room;
    q->count--;
    return true;
}

bool gsi_next_packet(struct gsi *g, uint16_t from, struct pkt *out)
{
    struct wire_ext e = {.qkey = CM_GSI_QKEY, .src_qp = CM_GSI_QPN};
    struct gsi_mad m;
    if (!gsi_take(&g->out, &m))
        return false;
    *out = (struct pkt){
        .h = {.opcode = {WIRE_OPCODE_MAD},
              .flags = WIRE_MIGREQ,
              .pkey = 0xffff,
              .payload_bytes = CM_MAD_BYTES,
              .dest_qp = CM_GSI_QPN,
              .psn = psn(g->psn++)},
        .dst_host = m.host,
        .src_host = from,
        .entropy = SOURCE_PORT,
        .note = PKT_LAST_OF_MESSAGE,
    };
    side_attach(out, &e, m.bytes, CM_MAD_BYTES);
    return true;
}

const char *gsi_mad_name(const struct pkt *p)
{
    struct pkt plain;
    struct wire_ext e;
    struct cm_mad m;
    const uint8_t *bytes = gsi_is_mad(p) ? side_look(p, &plain, &e) : NULL;
    bool is_cm = bytes && p->h.payload_bytes == CM_MAD_BYTES && cm_mad_decode(bytes, &m);
    return is_cm ? cm_kind_name((enum cm_kind)m.kind) : "";
}

bool gsi_arrived(struct gsi *g, const struct pkt *p)
{
    struct pkt plain;
    struct wire_ext e;
    const uint8_t *bytes = side_look(p, &plain, &e);
    if (!bytes || e.qkey != CM_GSI_QKEY || plain.h.payload_bytes != CM_MAD_BYTES)
        return false;
    gsi_put(&g->in, p->src_host, bytes);
    return true;
}

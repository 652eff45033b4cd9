/*
 * Talk: packets and events between hosts, as a run's trace or a capture tells them, and the part of them
 * that is between two ends, ready for a ladder.
 *
 * An end is a QP of a host.  A packet names the QP it goes to, not the one it comes from; which two QPs
 * belong together is inferred (talk_pick) from answers that carry PSNs of the other direction, from
 * timers that start when packets leave, and from the DETH where there is one.
 */
#ifndef RUN_TALK_H
#define RUN_TALK_H

#include <glib.h>

#include "analysis/ladder.h"
#include "models/wire/hdr.h"

#define TALK_NOBODY UINT32_MAX

struct talk_item {
    struct ladder_row row;
    uint32_t host;   /* the sender of a packet, else where it happens; index into talk.host */
    uint32_t peer;   /* of a packet: where it goes; TALK_NOBODY elsewhere */
    uint32_t qp;     /* of a packet: the QP it goes to, else the one it happens at */
    uint32_t src_qp; /* of a packet with a DETH; else 0 */
};

struct talk {
    GArray *item;      /* struct talk_item, in the order of time */
    GPtrArray *host;   /* names */
    GStringChunk *text;
};

struct talk *talk_new(void);
void talk_free(struct talk *t);
/* The host of that name; a new one if there is none yet. */
uint32_t talk_host(struct talk *t, const char *name);
struct talk_item *talk_add(struct talk *t, const struct talk_item *item);
struct talk_item *talk_at(const struct talk *t, uint32_t i);

/* From packets.csv of a run; NULL with a message. */
struct talk *talk_from_trace(const char *path, char *err, uint32_t err_size);

struct talk_end {
    uint32_t host, qp; /* qp 0: any, or unknown */
};

/*
 * Narrows *end down to two ends: host TALK_NOBODY or QP 0 is for us to choose, by most packets.  false:
 * there is no packet between such ends.  A QP that never shows stays 0.
 */
bool talk_pick(const struct talk *t, struct talk_end end[2]);

/* "h0/17", "h0", "/17", "10.0.0.1/17": false with a message where it is none of t's hosts. */
bool talk_end_parse(const struct talk *t, const char *text, struct talk_end *out, char *err,
                    uint32_t err_size);
/* "h0 QP 17"; g_free */
char *talk_end_name(const struct talk *t, struct talk_end e);

/*
 * The rows between two ends, as ladder.h wants them (struct ladder_row, g_array_free): the first end on
 * the left.  Left out: timers that were set anew before they fired, the states of setting up, and,
 * where several of a kind happen at once, all but one that says how many.
 */
GArray *talk_rows(const struct talk *t, const struct talk_end end[2]);

#endif

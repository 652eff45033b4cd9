/*
 * Two cores, QPs of every service on each, a wire of a few packets, and a list of what was posted: the
 * scene that fuzz_core.c plays on.  All is CHECKed here; an input has no other way to fail.
 */
#ifndef FUZZ_CORE_SCENE_H
#define FUZZ_CORE_SCENE_H

#include "models/transport/xp.h"

enum {
    SCENE_QPS = 8, /* RC, UC, UD, XRC initiator and target, two of RD, EE context */
    SCENE_EEC = 7,
    SCENE_IDS = 4096,
    SCENE_FLIGHTS = 16,
    SCENE_PSN = 0xfffff0
};
#define SCENE_BASE 0x10000u
#define SCENE_QKEY 0x11u

/* What is known of a request that was posted. */
enum owed {
    UNPOSTED,
    OWED,           /* it must complete, once */
    OWED_IF_FAILED, /* it may, once: unsignalled; receives of a shared queue */
    COMPLETED,
    DROPPED /* its queue was emptied by RESET or destruction: it must not */
};

struct end {
    uint8_t index;
    struct xp *core;
    size_t bytes;
    uint32_t cq, key, srq;
    uint32_t qp[SCENE_QPS]; /* 0: destroyed */
};

struct packet {
    uint8_t to;
    struct wire_hdr h;
    struct wire_ext e;
};

struct request {
    uint8_t owed; /* enum owed */
    uint8_t end, slot;
};

struct scene {
    const uint8_t *data, *stop;
    struct end end[2];
    tm_ps now;
    struct packet flight[SCENE_FLIGHTS];
    uint32_t flights;
    struct request request[SCENE_IDS];
    uint32_t next_id;
    uint32_t looks;
    bool with_srq; /* RC and UD take receives from it */
};

/* All QPs connected, unless the input says otherwise later; its first bytes choose the adapters. */
void scene_init(struct scene *s, const uint8_t *data, size_t size);
/* Everything flushed, checked, destroyed, checked again. */
void scene_fini(struct scene *s);

/* The next byte of the input; 0 behind its end. */
uint8_t scene_byte(struct scene *s);
/* No byte is left, or no number for a request. */
bool scene_is_over(const struct scene *s);

void scene_make(struct scene *s, struct end *e, uint32_t slot);
void scene_destroy(struct scene *s, struct end *e, uint32_t slot);
/* From RESET to RTS; what cannot be done is left undone. */
void scene_connect(struct scene *s, struct end *e, uint32_t slot);
void scene_set_state(struct scene *s, struct end *e, uint32_t slot, enum xp_state to);
/* The old region's key is no longer good. */
void scene_renew_region(struct end *e);

/* Request s->next_id was taken; slot SCENE_QPS: by the shared queue. */
void scene_posted(struct scene *s, struct end *e, uint32_t slot, enum owed owed);

/* false: nothing may leave. */
bool scene_pull(struct scene *s, struct end *e, uint32_t slot);
bool scene_pull_qpn(struct scene *s, struct end *e, uint32_t qpn);
void scene_take_out(struct scene *s, uint32_t flight);
void scene_arrive(struct scene *s, const struct packet *p);

/* What must hold after every step. */
void scene_look(struct scene *s);

#endif

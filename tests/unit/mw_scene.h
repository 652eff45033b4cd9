/*
 * The scene of the tests of memory windows: B owns the windows, binds them on its own send queue and
 * tells nobody; A uses their keys.  They cover [WIN, WIN + LEN) from RIG_BASE of a region that only
 * a window opens to A.
 */
#ifndef TESTS_MW_SCENE_H
#define TESTS_MW_SCENE_H

#include "tests/unit/rig.h"

enum { WIN = 0x2000, LEN = 256 };

struct mw_scene {
    struct rig *r;
    struct xp *b;
    uint32_t mr; /* of B: local write, windows may be bound, no remote right */
};

struct mw_scene mw_scene(const struct rig_spec *spec);
struct mw_scene mw_scene_rc(void);
uint32_t mw_window(struct mw_scene *s, enum xp_mw_type type);
struct xp_mw_bind mw_range(const struct mw_scene *s, uint32_t access);
/* A request of B's that needs no packet. */
int mw_post(struct mw_scene *s, uint64_t id, enum xp_wr_op op, uint32_t key,
            const struct xp_mw_bind *bind);
int mw_bind_1(struct mw_scene *s, uint64_t id, uint32_t *key, const struct xp_mw_bind *bind);
/* A type 2 window of all rights, bound by B's QP; its key. */
uint32_t mw_bound_2(struct mw_scene *s);
/* A's request to the window; its completion. */
const char *mw_use(struct mw_scene *s, enum xp_wr_op op, uint32_t key, uint32_t at, uint32_t len);
/* A second QP of B's in RTS, towards nobody. */
uint32_t mw_other_qp(struct mw_scene *s);

#endif

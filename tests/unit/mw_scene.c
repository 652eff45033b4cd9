/* See mw_scene.h.  Every call that sets the scene up is CHECKed. */
#include "tests/unit/mw_scene.h"

#include "sim/base/check.h"

struct mw_scene mw_scene(const struct rig_spec *spec)
{
    struct mw_scene s = {.r = rig_new(spec)};
    s.b = s.r->loop->end[B].core;
    CHECK(xp_mr_add(s.b, RIG_PD, RIG_BASE, RIG_REGION, XP_LOCAL_WRITE | XP_MW_BIND, 77, &s.mr) ==
          XP_OK);
    return s;
}

struct mw_scene mw_scene_rc(void)
{
    struct rig_spec spec = rig_spec();
    return mw_scene(&spec);
}

uint32_t mw_window(struct mw_scene *s, enum xp_mw_type type)
{
    uint32_t key = 0;
    CHECK(xp_mw_alloc(s->b, RIG_PD, type, &key) == XP_OK);
    return key;
}

struct xp_mw_bind mw_range(const struct mw_scene *s, uint32_t access)
{
    return (struct xp_mw_bind){
        .mr = s->mr, .access = access, .addr = RIG_BASE + WIN, .length = LEN};
}

int mw_post(struct mw_scene *s, uint64_t id, enum xp_wr_op op, uint32_t key,
            const struct xp_mw_bind *bind)
{
    const struct xp_send_wr wr = {.wr_id = id,
                                  .op = (uint8_t)op,
                                  .rkey = key,
                                  .imm = key,
                                  .bind = bind,
                                  .flags = XP_SIGNALED};
    return xp_post_send(s->b, s->r->qp[B], &wr, s->r->loop->now);
}

int mw_bind_1(struct mw_scene *s, uint64_t id, uint32_t *key, const struct xp_mw_bind *bind)
{
    const struct xp_send_wr wr = {.wr_id = id, .rkey = *key, .bind = bind, .flags = XP_SIGNALED};
    return xp_mw_bind(s->b, s->r->qp[B], &wr, s->r->loop->now, key);
}

uint32_t mw_bound_2(struct mw_scene *s)
{
    const struct xp_mw_bind all = mw_range(s, XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC);
    uint32_t key = mw_window(s, XP_MW_TYPE_2) ^ 0x5a;
    CHECK(mw_post(s, 900, XP_WR_BIND_MW, key, &all) == XP_OK);
    rig_run(s->r);
    TEXT_IS(rig_wcs(s->r, B), "900:0");
    return key;
}

const char *mw_use(struct mw_scene *s, enum xp_wr_op op, uint32_t key, uint32_t at, uint32_t len)
{
    struct xp_send_wr wr =
        rig_wr(s->r, A, (struct rig_op){.id = 1, .op = op, .len = len, .dst = at});
    wr.rkey = key;
    CHECK(xp_post_send(s->r->loop->end[A].core, s->r->qp[A], &wr, s->r->loop->now) == XP_OK);
    rig_run(s->r);
    return rig_wcs(s->r, A);
}

uint32_t mw_other_qp(struct mw_scene *s)
{
    uint32_t mine = s->r->qp[B], qpn;
    struct xp_qp_init init = {.service = XP_RC,
                              .pd = RIG_PD,
                              .send_cq = s->r->scq[B],
                              .recv_cq = s->r->rcq[B],
                              .sq_depth = 8,
                              .rq_depth = 8};
    CHECK(xp_qp_create(s->b, &init, &qpn) == XP_OK);
    s->r->qp[B] = qpn;
    rig_connect(s->r, B, XP_RTS);
    s->r->qp[B] = mine;
    return qpn;
}

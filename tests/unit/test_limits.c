/*
 * What an adapter allows, object by object: the last that fits, the first that does not, and one
 * more after another has gone.  CQs: resized, destroyed.
 */
#include "sim/base/check.h"
#include "tests/unit/rig.h"

/* The rig itself has made one QP, two CQs and one region. */
struct made {
    struct rig *r;
    struct xp *x;
    uint32_t newest;
};

static int make_qp(struct made *m)
{
    const struct xp_qp_init init = {.service = XP_RC,
                                    .pd = RIG_PD,
                                    .send_cq = m->r->scq[A],
                                    .recv_cq = m->r->rcq[A],
                                    .sq_depth = 1,
                                    .rq_depth = 1};
    return xp_qp_create(m->x, &init, &m->newest);
}

static int make_cq(struct made *m) { return xp_cq_create(m->x, 1, &m->newest); }

static int make_mr(struct made *m)
{
    return xp_mr_add(m->x, RIG_PD, 0, 8, XP_REMOTE_READ, 0, &m->newest);
}

static int make_mw(struct made *m) { return xp_mw_alloc(m->x, RIG_PD, XP_MW_TYPE_2, &m->newest); }

static int make_srq(struct made *m)
{
    return xp_srq_create(m->x, &(struct xp_srq_init){.pd = RIG_PD, .depth = 1}, &m->newest);
}

static int drop_qp(struct made *m) { return xp_qp_destroy(m->x, m->newest, 0); }
static int drop_cq(struct made *m) { return xp_cq_destroy(m->x, m->newest); }
static int drop_mr(struct made *m) { return xp_mr_remove(m->x, m->newest); }
static int drop_mw(struct made *m) { return xp_mw_free(m->x, m->newest); }
static int drop_srq(struct made *m) { return xp_srq_destroy(m->x, m->newest); }

static void limits_one_object_more_is_enomem_until_one_goes(void)
{
    struct xp_profile p = xp_profile_spec();
    const struct {
        const char *what;
        uint32_t *limit;
        uint32_t most; /* with those of the rig */
        int room;      /* so many more */
        int (*make)(struct made *m), (*drop)(struct made *m);
    } rows[] = {
        {"qp", &p.max.qp, 3, 2, make_qp, drop_qp},     {"cq", &p.max.cq, 4, 2, make_cq, drop_cq},
        {"mr", &p.max.mr, 3, 2, make_mr, drop_mr},     {"mw", &p.max.mw, 2, 2, make_mw, drop_mw},
        {"srq", &p.max.srq, 1, 1, make_srq, drop_srq},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig_spec spec = rig_spec();
        *rows[i].limit = rows[i].most;
        spec.profile = p;
        *rows[i].limit = 0;
        struct made m = {.r = rig_new(&spec)};
        m.x = m.r->loop->end[A].core;
        for (int k = 0; k < rows[i].room; k++)
            ROW_INT(rows[i].what, rows[i].make(&m), XP_OK);
        ROW_INT(rows[i].what, rows[i].make(&m), XP_ENOMEM);
        ROW_INT(rows[i].what, rows[i].drop(&m), XP_OK);
        ROW_INT(rows[i].what, rows[i].make(&m), XP_OK);
        ROW_INT(rows[i].what, rows[i].make(&m), XP_ENOMEM);
        rig_free(m.r);
    }
}

/* Regions and windows share keys, not limits. */
static void limits_windows_are_not_counted_as_regions(void)
{
    struct rig_spec spec = rig_spec();
    spec.profile.max.mr = 2;
    struct made m = {.r = rig_new(&spec)};
    m.x = m.r->loop->end[A].core;
    INT_IS(make_mw(&m), XP_OK);
    INT_IS(make_mw(&m), XP_OK);
    INT_IS(make_mr(&m), XP_OK);
    INT_IS(make_mr(&m), XP_ENOMEM);
    rig_free(m.r);
}

static void limits_a_cq_is_as_deep_as_the_adapter_allows(void)
{
    struct rig_spec spec = rig_spec();
    uint32_t cq;
    spec.profile.max.cqe = spec.cq_depth;
    struct rig *r = rig_new(&spec);
    struct xp *x = r->loop->end[A].core;
    INT_IS(xp_cq_create(x, 257, &cq), XP_EINVAL);
    INT_IS(xp_cq_create(x, 0, &cq), XP_EINVAL);
    INT_IS(xp_cq_create(x, 256, &cq), XP_OK);
    INT_IS(xp_cq_resize(x, cq, 257), XP_EINVAL);
    INT_IS(xp_cq_resize(x, cq, 0), XP_EINVAL);
    INT_IS(xp_cq_resize(x, cq + 1, 8), XP_EINVAL);
    INT_IS(xp_cq_resize(x, cq, 1), XP_OK);
    rig_free(r);
}

/* Two completions wait: no room for less; and a third is the overflow of a CQ of two. */
static void limits_resized_cq_holds_what_it_then_may(void)
{
    struct rig *r;
    for (uint32_t depth = 1; depth <= 3; depth++) {
        struct rig_spec spec = rig_spec();
        r = rig_new(&spec);
        struct xp *x = r->loop->end[A].core;
        rig_recvs(r, 11, 3, 8);
        rig_sends(r, 1, 2, 8);
        rig_run(r);
        INT_IS(xp_cq_resize(x, r->scq[A], depth), depth == 1 ? XP_EINVAL : XP_OK);
        rig_sends(r, 3, 1, 8);
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), depth == 2 ? "1:0 2:0" : "1:0 2:0 3:0");
        TEXT_IS(rig_events(r, A), depth == 2 ? "CQ_ERR QP_FATAL" : "");
        rig_free(r);
    }
}

static void limits_cq_in_use_is_not_destroyed(void)
{
    struct rig_spec spec = rig_spec();
    struct rig *r = rig_new(&spec);
    struct xp *x = r->loop->end[A].core;
    struct xp_wc wc;
    uint32_t cq, again, srq;
    INT_IS(xp_cq_destroy(x, r->scq[A]), XP_EINVAL);
    INT_IS(xp_cq_destroy(x, r->rcq[A]), XP_EINVAL);
    CHECK(xp_cq_create(x, 8, &cq) == XP_OK);
    CHECK(xp_srq_create(x, &(struct xp_srq_init){.depth = 1, .cq = cq, .xrcd = 1}, &srq) == XP_OK);
    INT_IS(xp_cq_destroy(x, cq), XP_EINVAL);
    CHECK(xp_srq_destroy(x, srq) == XP_OK);
    INT_IS(xp_cq_destroy(x, cq), XP_OK);
    INT_IS(xp_cq_destroy(x, cq), XP_EINVAL);
    INT_IS(xp_cq_resize(x, cq, 4), XP_EINVAL);
    INT_IS(xp_poll_cq(x, cq, &wc, 1), 0);
    const struct xp_qp_init init = {.service = XP_RC, .send_cq = cq, .recv_cq = r->rcq[A]};
    INT_IS(xp_qp_create(x, &init, &again), XP_EINVAL);
    INT_IS(xp_cq_create(x, 8, &again), XP_OK);
    INT_IS(again, cq);
    rig_free(r);
}

static void limits_destroyed_cq_takes_its_completions_with_it(void)
{
    struct rig_spec spec = rig_spec();
    struct rig *r = rig_new(&spec);
    struct xp *x = r->loop->end[A].core;
    const struct xp_qp_init init = {.service = XP_RC, .send_cq = r->rcq[A], .recv_cq = r->rcq[A]};
    rig_recvs(r, 11, 2, 8);
    rig_sends(r, 1, 2, 8);
    rig_run(r);
    INT_IS(xp_completions(x), 2);
    CHECK(xp_qp_destroy(x, r->qp[A], r->loop->now) == XP_OK);
    INT_IS(xp_cq_destroy(x, r->scq[A]), XP_OK);
    INT_IS(xp_completions(x), 0);
    xp_digest(x, r->loop->now);
    CHECK(xp_qp_create(x, &init, &r->qp[A]) == XP_OK);
    rig_free(r);
}

/* Destroyed ones leave no trace in the digest, in whatever order they went. */
static void limits_destroyed_cqs_are_not_in_the_digest(void)
{
    uint64_t digest[2];
    for (int i = 0; i < 2; i++) {
        struct rig_spec spec = rig_spec();
        struct rig *r = rig_new(&spec);
        struct xp *x = r->loop->end[A].core;
        struct xp_wc wc;
        uint32_t cq[2];
        CHECK(xp_cq_create(x, 8, &cq[0]) == XP_OK && xp_cq_create(x, 8, &cq[1]) == XP_OK);
        rig_recvs(r, 11, 4, 8);
        rig_sends(r, 1, 4, 8);
        rig_run(r);
        while (xp_poll_cq(x, r->scq[A], &wc, 1) == 1)
            ;
        CHECK(xp_cq_destroy(x, cq[i]) == XP_OK && xp_cq_destroy(x, cq[!i]) == XP_OK);
        digest[i] = xp_digest(x, r->loop->now);
        rig_free(r);
    }
    INT_IS(digest[0] == digest[1], 1);
}

/* A right to change memory from afar includes the right to change it here (IBA 10.6.3.2). */
static void limits_region_written_from_afar_needs_local_write(void)
{
    static const struct {
        uint32_t access;
        int rc;
    } rows[] = {
        {0, XP_OK},
        {XP_REMOTE_READ, XP_OK},
        {XP_MW_BIND, XP_OK},
        {XP_REMOTE_WRITE, XP_EINVAL},
        {XP_REMOTE_ATOMIC, XP_EINVAL},
        {XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_ATOMIC, XP_OK},
        {32, XP_EINVAL},
        {1u << 31, XP_EINVAL},
    };
    struct rig_spec spec = rig_spec();
    struct rig *r = rig_new(&spec);
    uint32_t key;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        INT_IS(xp_mr_add(r->loop->end[A].core, RIG_PD, 0, 8, rows[i].access, 0, &key), rows[i].rc);
    rig_free(r);
}

static const struct test tests[] = {
    TEST(limits_one_object_more_is_enomem_until_one_goes),
    TEST(limits_windows_are_not_counted_as_regions),
    TEST(limits_a_cq_is_as_deep_as_the_adapter_allows),
    TEST(limits_resized_cq_holds_what_it_then_may),
    TEST(limits_cq_in_use_is_not_destroyed),
    TEST(limits_destroyed_cq_takes_its_completions_with_it),
    TEST(limits_destroyed_cqs_are_not_in_the_digest),
    TEST(limits_region_written_from_afar_needs_local_write),
    TESTS_END,
};
const struct suite suite_limits = {"limits", tests};

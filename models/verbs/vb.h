/*
 * The consumer's face of an RDMA device: the calls of libibverbs, on whatever device.
 *
 * A load speaks to a `struct vb` and cannot tell our core from an adapter.  Values are xp.h's, whose
 * names and numbers are those of verbs.  An operation that a device lacks
 * returns XP_EOPNOTSUPP; those marked as of simulated devices are NULL elsewhere.
 */
#ifndef VERBS_VB_H
#define VERBS_VB_H

#include "models/transport/xp.h"

struct vb_ops {
    int (*cq_create)(void *dev, uint32_t depth, uint32_t *cq);
    int (*qp_create)(void *dev, const struct xp_qp_init *init, uint32_t *qpn);
    int (*qp_modify)(void *dev, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask, tm_ps now);
    int (*qp_destroy)(void *dev, uint32_t qpn, tm_ps now);
    int (*qp_query)(void *dev, uint32_t qpn, struct xp_qp_query *out);
    int (*mr_add)(void *dev, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access, uint32_t *key);
    int (*mr_remove)(void *dev, uint32_t key); /* as xp_mr_remove */
    int (*post_send)(void *dev, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now);
    int (*post_recv)(void *dev, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now);
    /* Shared receive queues, as xp_srq_create and xp_srq_post_recv. */
    int (*srq_create)(void *dev, const struct xp_srq_init *init, uint32_t *srqn);
    int (*srq_post_recv)(void *dev, uint32_t srqn, const struct xp_recv_wr *wr, tm_ps now);
    int (*poll)(void *dev, uint32_t cq, struct xp_wc *wc, int max);
    bool (*take_event)(void *dev, struct xp_event *ev);
    /* Of simulated devices only.  MADs of QP 1: as hca_mads_open, hca_mad_send, hca_mad_take */
    void (*mads_open)(void *dev);
    void (*mad_send)(void *dev, uint32_t to, const uint8_t *bytes, bool again, tm_ps now);
    bool (*mad_take)(void *dev, uint32_t *from, uint8_t *bytes);
    void (*kill)(void *dev, tm_ps now); /* the host dies */
};

struct vb {
    const struct vb_ops *ops;
    void *dev;
};

struct hca;
/* The simulated device. */
struct vb vb_of_hca(struct hca *h);

#endif

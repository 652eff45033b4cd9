/* See rd_scene.h. */
#include "tests/unit/rd_scene.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"

struct rig *rd_scene(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_RD;
    return rig_new(&s);
}

int rd_post(struct rig *r, struct rd_op o)
{
    struct xp_send_wr wr = rig_wr(r, A, o.op);
    wr.remote_qpn = o.to ? o.to : r->qp[B];
    wr.eecn = o.eecn ? o.eecn : r->eec[A];
    wr.remote_qkey = o.qkey ? o.qkey : RIG_QKEY;
    return xp_post_send(r->loop->end[A].core, o.from ? o.from : r->qp[A], &wr, r->loop->now);
}

void rd_send(struct rig *r, uint64_t id, uint32_t from, uint32_t to, uint32_t len)
{
    CHECK(rd_post(r, (struct rd_op){.from = from,
                                    .to = to,
                                    .op = {.id = id, .op = XP_WR_SEND, .len = len}}) == XP_OK);
}

void rd_recv(struct rig *r, uint32_t qpn, uint64_t id, uint32_t len)
{
    struct xp_recv_wr wr = {.wr_id = id, .sge = {RIG_BASE, len, r->key[B]}};
    CHECK(xp_post_recv(r->loop->end[B].core, qpn, &wr, r->loop->now) == XP_OK);
}

enum xp_state rd_state(const struct rig *r, int end, uint32_t qpn)
{
    struct xp_qp_query q = {.state = XP_STATES};
    CHECK(xp_qp_query(r->loop->end[end].core, qpn, &q) == XP_OK);
    return q.state;
}

int rd_modify(struct rig *r, int end, uint32_t qpn, enum xp_state to)
{
    struct xp_qp_attr attr = {.state = to};
    return xp_qp_modify(r->loop->end[end].core, qpn, &attr, XP_A_STATE, r->loop->now);
}

static char name_of(const struct rig *r, int end, uint32_t qpn)
{
    for (int i = 0; i < RIG_MORE && r->more[end][i]; i++)
        if (r->more[end][i] == qpn)
            return (char)('0' + i);
    return qpn == r->qp[end] ? (char)('a' + end) : '?';
}

static void answer_name(const struct loop_record *p, char out[32])
{
    static const char *const kind[] = {
        [AETH_ACK] = "ack", [AETH_RNR] = "rnr", [AETH_NAK] = "nak", [AETH_RESERVED] = "reserved"};
    if (wire_op_of(p->h.opcode) != OP_ACKNOWLEDGE)
        snprintf(out, 32, "%s", wire_op_table[wire_op_of(p->h.opcode)].name);
    else if (aeth_kind(p->h.syndrome) == AETH_ACK)
        snprintf(out, 32, "ack");
    else
        snprintf(out, 32, "%s%u", kind[aeth_kind(p->h.syndrome)], aeth_low5(p->h.syndrome));
}

const char *rd_packets(struct rig *r)
{
    char *at = r->text;
    *at = 0;
    for (uint32_t i = 0; i < r->loop->records; i++) {
        const struct loop_record *p = &r->loop->record[i];
        char name[32];
        if (p->response)
            answer_name(p, name);
        else
            snprintf(name, sizeof name, "%s", wire_op_table[wire_op_of(p->h.opcode)].name);
        char who = p->response ? name_of(r, p->to, p->h.dest_qp) : name_of(r, p->from, p->e.src_qp);
        at += sprintf(at, "%s%c:%s.%u%s", at == r->text ? "" : " ", who, name, p->h.psn.v,
                      p->fate & LOOP_LOST ? "x" : "");
    }
    r->loop->records = 0;
    return r->text;
}

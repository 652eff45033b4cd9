/*
 * Requests of several segments: what is gathered and scattered, byte for byte; which keys are looked
 * at; what posting refuses; and that every segment's entry is given back.
 *
 * Segments lie 1000 bytes apart, so that a byte too many shows.
 */
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

enum { APART = 1000, MOST = 5, BAD_KEY = 0x5500 };

/* Segment k of a list: `len[k]` bytes at from + k * APART. */
struct list {
    uint32_t from, count;
    uint32_t len[MOST];
    uint32_t bad; /* bit k: a key that is none */
};

static uint32_t total(const struct list *l)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < l->count; k++)
        n += l->len[k];
    return n;
}

static void fill(const struct rig *r, int end, const struct list *l, struct xp_sge out[MOST])
{
    for (uint32_t k = 0; k < l->count; k++)
        out[k] = (struct xp_sge){RIG_BASE + l->from + k * APART, l->len[k],
                                 r->key[end] ^ (l->bad >> k & 1 ? BAD_KEY : 0)};
}

static int post(struct rig *r, struct rig_op op, const struct list *l)
{
    struct xp_sge s[MOST];
    struct xp_send_wr wr = rig_wr(r, A, op);
    fill(r, A, l, s);
    wr.sge = s[0];
    wr.rest = s + 1;
    wr.rest_count = l->count - 1;
    return xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now);
}

static int receive(struct rig *r, uint64_t id, const struct list *l)
{
    struct xp_sge s[MOST];
    fill(r, B, l, s);
    struct xp_recv_wr wr = {.wr_id = id, .sge = s[0], .rest = s + 1, .rest_count = l->count - 1};
    return xp_post_recv(r->loop->end[B].core, r->qp[B], &wr, r->loop->now);
}

static void collect(const struct rig *r, int end, const struct list *l, uint8_t *out)
{
    for (uint32_t k = 0; k < l->count; k++) {
        memcpy(out, r->loop->end[end].arena + RIG_BASE + l->from + k * APART, l->len[k]);
        out += l->len[k];
    }
}

/* The first bytes of both lists, one after the other, are the same. */
static bool same(const struct rig *r, const struct list *a, const struct list *b)
{
    uint8_t at_a[MOST * APART], at_b[MOST * APART];
    collect(r, A, a, at_a);
    collect(r, B, b, at_b);
    return memcmp(at_a, at_b, total(a) < total(b) ? total(a) : total(b)) == 0;
}

static struct rig *bench(enum xp_service_id service)
{
    struct rig_spec spec = service == XP_RC ? rig_spec() : rig_spec_uc();
    spec.max_sge = MOST;
    spec.max_inline = 600;
    return rig_new(&spec);
}

static const struct list pieces = {.from = 0, .count = 4, .len = {100, 0, 300, 57}};

static void sge_send_of_pieces_arrives_whole(void)
{
    const struct list whole = {.from = 0, .count = 1, .len = {457}};
    struct rig *r = bench(XP_RC);
    CHECK(rig_recv(r, 11, 0, 1000) == XP_OK);
    INT_IS(post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND}, &pieces), XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_FIRST.100+256 SEND_LAST.101+201 ack.101/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/457");
    INT_IS(same(r, &pieces, &whole), 1);
    INT_IS(rig_untouched(r, 457, 543), 1);
    rig_free(r);
}

static void sge_send_is_scattered_over_the_receive(void)
{
    const struct list room = {.from = 0, .count = 5, .len = {10, 0, 200, 1, 300}};
    const enum xp_service_id services[] = {XP_RC, XP_UC};
    for (int i = 0; i < 2; i++) {
        struct rig *r = bench(services[i]);
        INT_IS(receive(r, 11, &room), XP_OK);
        INT_IS(post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND}, &pieces), XP_OK);
        rig_run(r);
        TEXT_IS(rig_rcs(r, B), "11:0/457");
        INT_IS(same(r, &pieces, &room), 1);
        INT_IS(rig_untouched(r, 10, 1990), 1);
        INT_IS(rig_untouched(r, 2200, 800), 1);
        INT_IS(rig_untouched(r, 3001, 999), 1);
        INT_IS(rig_untouched(r, 4000 + 246, 100), 1);
        rig_free(r);
    }
}

static void sge_lost_packets_are_gathered_again(void)
{
    const struct list room = {.from = 0, .count = 3, .len = {255, 257, 700}};
    const struct list out = {.from = 500, .count = 5, .len = {256, 300, 1, 1, 512}};
    struct rig *r = bench(XP_RC);
    r->loop->dir[A][B].drop_mask = 1 << 1 | 1 << 3;
    INT_IS(receive(r, 11, &room), XP_OK);
    INT_IS(post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND}, &out), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/1070");
    INT_IS(same(r, &out, &room), 1);
    rig_free(r);
}

static void sge_write_is_gathered(void)
{
    const struct list whole = {.from = 2000, .count = 1, .len = {457}};
    struct rig *r = bench(XP_RC);
    INT_IS(post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .dst = 2000}, &pieces), XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "WRITE_FIRST.100+256@2000:457 WRITE_LAST.101+201");
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(same(r, &pieces, &whole), 1);
    rig_free(r);
}

static void sge_read_is_scattered(void)
{
    const struct list whole = {.from = 2000, .count = 1, .len = {457}};
    struct rig *r = bench(XP_RC);
    for (uint32_t i = 0; i < 457; i++)
        r->loop->end[B].arena[RIG_BASE + 2000 + i] = (uint8_t)(200 - i);
    INT_IS(post(r, (struct rig_op){.id = 1, .op = XP_WR_READ, .dst = 2000}, &pieces), XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@2000:457 READ_RESP_FIRST.100+256/1 READ_RESP_LAST.101+201/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(same(r, &pieces, &whole), 1);
    rig_free(r);
}

/* verbs-behaviour: bad lkey at the requester 4, in a READ 4 when the response comes, in a receive
 * 11 and 4.  The bad key is the last one: nothing of the message has gone before. */
static void sge_bad_key_of_one_piece_fails_the_request(void)
{
    static const struct {
        const char *what;
        enum xp_wr_op op;
        uint32_t bad_send, bad_recv;
        const char *packets, *wcs, *rcs;
    } rows[] = {
        {"SEND", XP_WR_SEND, 8, 0, "", "1:4", ""},
        {"WRITE", XP_WR_WRITE, 8, 0, "", "1:4", ""},
        {"READ", XP_WR_READ, 8, 0,
         "READ_REQUEST.100+0@0:457 READ_RESP_FIRST.100+256/1 "
         "READ_RESP_LAST.101+201/1",
         "1:4", ""},
        {"receive", XP_WR_SEND, 0, 8, "SEND_FIRST.100+256 SEND_LAST.101+201 nak3.100/0", "1:11",
         "11:4"},
        {"empty piece", XP_WR_SEND, 2, 2, "SEND_FIRST.100+256 SEND_LAST.101+201 ack.101/1", "1:0",
         "11:0/457"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = bench(XP_RC);
        struct list out = pieces, room = pieces;
        out.bad = rows[i].bad_send;
        room.bad = rows[i].bad_recv;
        CHECK(receive(r, 11, &room) == XP_OK);
        ROW_INT(rows[i].what, post(r, (struct rig_op){.id = 1, .op = rows[i].op}, &out), XP_OK);
        rig_run(r);
        ROW_TEXT(rows[i].what, rig_packets(r, SHOW_ALL), rows[i].packets);
        ROW_TEXT(rows[i].what, rig_wcs(r, A), rows[i].wcs);
        ROW_TEXT(rows[i].what, rig_rcs(r, B), rows[i].rcs);
        rig_free(r);
    }
}

static void sge_message_longer_than_the_receive_fails_both(void)
{
    const struct list room = {.from = 0, .count = 2, .len = {200, 256}};
    struct rig *r = bench(XP_RC);
    CHECK(receive(r, 11, &room) == XP_OK);
    CHECK(post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND}, &pieces) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:9");
    TEXT_IS(rig_rcs(r, B), "11:1");
    rig_free(r);
}

static void sge_what_the_queue_does_not_take_is_refused(void)
{
    static const struct {
        const char *what;
        enum xp_wr_op op;
        uint8_t flags;
        uint32_t rest_count, length;
        int rc;
    } rows[] = {
        {"as many as it takes", XP_WR_SEND, 0, 4, 10, XP_OK},
        {"one more", XP_WR_SEND, 0, 5, 10, XP_EINVAL},
        {"2 GiB in four", XP_WR_WRITE, 0, 3, 1u << 29, XP_OK},
        {"more than 2 GiB", XP_WR_WRITE, 0, 4, 1u << 29, XP_EINVAL},
        {"inline", XP_WR_SEND, XP_INLINE, 3, 150, XP_OK},
        {"too much inline", XP_WR_SEND, XP_INLINE, 3, 151, XP_ENOMEM},
        {"inline READ", XP_WR_READ, XP_INLINE, 0, 10, XP_EINVAL},
        {"atomic of two", XP_WR_FETCH_ADD, 0, 1, 4, XP_EINVAL},
    };
    struct rig_spec spec = rig_spec();
    spec.max_sge = MOST;
    spec.max_inline = 600;
    spec.state_b = XP_RESET;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = rig_new(&spec);
        struct xp_sge rest[5];
        struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = rows[i].op});
        wr.flags |= rows[i].flags;
        wr.sge.length = rows[i].length;
        for (int k = 0; k < 5; k++)
            rest[k] = wr.sge;
        wr.rest = rest;
        wr.rest_count = rows[i].rest_count;
        ROW_INT(rows[i].what, xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0), rows[i].rc);
        struct xp_recv_wr rwr = {
            .wr_id = 1, .sge = wr.sge, .rest = rest, .rest_count = rows[i].rest_count};
        if (!rows[i].flags && rows[i].op != XP_WR_FETCH_ADD)
            ROW_INT(rows[i].what, xp_post_recv(r->loop->end[A].core, r->qp[A], &rwr, 0),
                    rows[i].rc);
        rig_free(r);
    }
}

static void sge_queue_pair_takes_what_the_adapter_allows(void)
{
    struct rig_spec spec = rig_spec();
    spec.profile.max.sge = 4;
    spec.profile.max.inline_data = 100;
    struct rig *r = rig_new(&spec);
    struct xp *x = r->loop->end[A].core;
    const struct xp_qp_init base = {
        .pd = RIG_PD, .send_cq = r->scq[A], .recv_cq = r->rcq[A], .sq_depth = 8, .rq_depth = 8};
    struct xp_qp_init init = base;
    uint32_t qpn;
    init.max_send_sge = init.max_recv_sge = 4;
    init.max_inline_data = 100;
    INT_IS(xp_qp_create(x, &init, &qpn), XP_OK);
    init.max_send_sge = 5;
    INT_IS(xp_qp_create(x, &init, &qpn), XP_EINVAL);
    init = base;
    init.max_recv_sge = 5;
    INT_IS(xp_qp_create(x, &init, &qpn), XP_EINVAL);
    init = base;
    init.max_inline_data = 101;
    INT_IS(xp_qp_create(x, &init, &qpn), XP_EINVAL);
    rig_free(r);
}

/* rig_free looks whether an entry is missing. */
static void sge_lists_are_given_back_however_the_request_ends(void)
{
    for (int way = 0; way < 3; way++) {
        struct rig *r = bench(XP_RC);
        for (uint32_t i = 0; i < 5; i++) {
            CHECK(post(r, (struct rig_op){.id = 1 + i, .op = XP_WR_WRITE}, &pieces) == XP_OK);
            CHECK(receive(r, 11 + i, &pieces) == XP_OK);
        }
        if (way == 1)
            rig_run_for(r, TM_US / 2);
        if (way == 2) {
            CHECK(rig_state(r, A, XP_ERR) == XP_OK);
            CHECK(rig_state(r, B, XP_ERR) == XP_OK);
            TEXT_IS(rig_wcs(r, A), "1:5 2:5 3:5 4:5 5:5");
            TEXT_IS(rig_rcs(r, B), "11:5 12:5 13:5 14:5 15:5");
            INT_IS(xp_outstanding(r->loop->end[A].core), 0);
            INT_IS(xp_outstanding(r->loop->end[B].core), 0);
        } else {
            INT_IS(xp_outstanding(r->loop->end[A].core), 5 + 5 * 3 + 1);
        }
        rig_free(r);
    }
}

/* The 40 bytes of the GRH come first, wherever the list puts them. */
static void sge_datagram_is_scattered_behind_the_grh(void)
{
    const struct list out = {.from = 0, .count = 3, .len = {50, 60, 90}};
    const struct list room = {.from = 0, .count = 4, .len = {30, 20, 100, 90}};
    struct rig_spec spec = rig_spec();
    spec.service = XP_UD;
    spec.max_sge = MOST;
    struct rig *r = rig_new(&spec);
    uint8_t sent[MOST * APART], got[MOST * APART];
    CHECK(receive(r, 11, &room) == XP_OK);
    CHECK(post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND}, &out) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/240");
    collect(r, A, &out, sent);
    collect(r, B, &room, got);
    INT_IS(memcmp(got + 40, sent, 200), 0);
    rig_free(r);
}

static void sge_shared_receives_have_lists_too(void)
{
    const struct list room = {.from = 0, .count = 3, .len = {100, 200, 300}};
    struct rig_spec spec = rig_spec();
    struct xp_sge s[MOST];
    spec.max_sge = 3;
    spec.srq_depth = 4;
    struct rig *r = rig_new(&spec);
    struct xp *x = r->loop->end[B].core;
    fill(r, B, &room, s);
    struct xp_recv_wr wr = {.wr_id = 11, .sge = s[0], .rest = s + 1, .rest_count = 3};
    INT_IS(xp_srq_post_recv(x, r->srq[B], &wr), XP_EINVAL);
    wr.rest_count = 2;
    for (wr.wr_id = 11; wr.wr_id < 15; wr.wr_id++)
        INT_IS(xp_srq_post_recv(x, r->srq[B], &wr), XP_OK);
    INT_IS(xp_srq_post_recv(x, r->srq[B], &wr), XP_ENOMEM);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 600}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/600");
    INT_IS(same(r, &(struct list){.count = 1, .len = {600}}, &room), 1);
    CHECK(xp_qp_destroy(x, r->qp[B], r->loop->now) == XP_OK);
    CHECK(xp_srq_destroy(x, r->srq[B]) == XP_OK);
    INT_IS(xp_outstanding(x), 0);
    CHECK(xp_qp_create(x, &(struct xp_qp_init){.send_cq = r->scq[B], .recv_cq = r->rcq[B]},
                       &r->qp[B]) == XP_OK);
    rig_free(r);
}

static void sge_only_the_pieces_of_a_packet_are_written(void)
{
    struct rig *r = bench(XP_RC);
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    CHECK(post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE}, &pieces) == XP_OK);
    memset(&tx, 0xee, sizeof tx);
    CHECK(xp_pull(x, r->qp[A], 0, &tx) == XP_PULLED);
    INT_IS(tx.segs, 2);
    INT_IS(tx.seg.addr, RIG_BASE);
    INT_IS(tx.seg.len, 100);
    INT_IS(tx.rest[0].addr, RIG_BASE + 2000);
    INT_IS(tx.rest[0].len, 156);
    INT_IS(tx.rest[1].len, 0xeeeeeeeeu);
    CHECK(xp_pull(x, r->qp[A], 0, &tx) == XP_PULLED);
    INT_IS(tx.segs, 2);
    INT_IS(tx.seg.addr, RIG_BASE + 2156);
    INT_IS(tx.seg.len, 144);
    INT_IS(tx.rest[0].addr, RIG_BASE + 3000);
    INT_IS(tx.rest[0].len, 57);
    INT_IS(tx.rest[1].len, 0xeeeeeeeeu);
    rig_free(r);
}

static void sge_inline_pieces_need_no_key(void)
{
    struct list out = pieces;
    const struct list whole = {.from = 0, .count = 1, .len = {457}};
    struct rig *r = bench(XP_RC);
    struct xp_sge s[MOST];
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND});
    out.bad = 15;
    fill(r, A, &out, s);
    wr.flags |= XP_INLINE;
    wr.sge = s[0];
    wr.rest = s + 1;
    wr.rest_count = 3;
    CHECK(rig_recv(r, 11, 0, 1000) == XP_OK);
    INT_IS(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0), XP_OK);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/457");
    INT_IS(same(r, &out, &whole), 1);
    rig_free(r);
}

static void sge_each_piece_is_part_of_the_digest(void)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < 3; i++) {
        struct rig *r = bench(XP_RC);
        struct list out = pieces;
        out.len[2] = i == 1 ? 299 : 300;
        out.len[3] = i == 1 ? 58 : 57;
        CHECK(post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE}, &out) == XP_OK);
        uint64_t digest = xp_digest(r->loop->end[A].core, 0);
        if (i == 0)
            first = digest;
        else
            INT_IS(digest == first, i == 2);
        rig_free(r);
    }
}

static const struct test tests[] = {
    TEST(sge_send_of_pieces_arrives_whole),
    TEST(sge_send_is_scattered_over_the_receive),
    TEST(sge_lost_packets_are_gathered_again),
    TEST(sge_write_is_gathered),
    TEST(sge_read_is_scattered),
    TEST(sge_bad_key_of_one_piece_fails_the_request),
    TEST(sge_message_longer_than_the_receive_fails_both),
    TEST(sge_what_the_queue_does_not_take_is_refused),
    TEST(sge_queue_pair_takes_what_the_adapter_allows),
    TEST(sge_lists_are_given_back_however_the_request_ends),
    TEST(sge_datagram_is_scattered_behind_the_grh),
    TEST(sge_shared_receives_have_lists_too),
    TEST(sge_only_the_pieces_of_a_packet_are_written),
    TEST(sge_inline_pieces_need_no_key),
    TEST(sge_each_piece_is_part_of_the_digest),
    TESTS_END,
};
const struct suite suite_sge = {"sge", tests};

/*
 * The scene and the fates of packets: what each fate does to the order and the time of arrivals, as
 * the story tells it; clones; digests; what the ledger is told.
 */
#include <string.h>

#include "models/explore/explore.h"
#include "tests/unit/rig.h"

static struct task task;
static struct stage_spec spec;

static void set_up(enum xp_service_id service, uint32_t sends)
{
    struct task_spec t = {
        .acked = stage_is_acked(service), .mtu = 256, .flows = 1, .flow = {{0, 1}}, .ops = sends};
    for (uint32_t i = 0; i < sends; i++)
        t.op[i] = (struct task_op){.op = XP_WR_SEND, .len = 100};
    spec = (struct stage_spec){.service = service,
                               .profile = xp_profile_spec(),
                               .mtu = 256,
                               .timeout = 4, /* 65.536 us */
                               .retry_cnt = 7,
                               .rnr_retry = 7,
                               .min_rnr_timer = 1,
                               .delay_ps = TM_US,
                               .limit_ps = TM_S};
    CU_ASSERT_PTR_NULL_FATAL(task_make(&t, &task));
}

static struct stage *fresh(struct story *story)
{
    const char *why = NULL;
    struct stage *s = stage_new(&spec, &task, story, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

/* Plays to the end; the n-th packet that gets a fate gets that one. */
static void play(struct stage *s, uint32_t n, enum fate f)
{
    struct fault which;
    uint32_t i = 0;
    do {
        while (stage_pending(s, &which))
            stage_decide(s, i++ == n ? f : FATE_NONE);
    } while (stage_instant(s));
}

/* "a10 b11 b12": arrivals, who in what tenth of a microsecond; requests with their PSN behind '.'. */
static const char *arrivals(enum fate f, uint32_t sends, uint32_t n)
{
    static char text[600];
    struct story story = {0};
    size_t at = 0;
    set_up(XP_RC, sends);
    struct stage *s = fresh(&story);
    play(s, n, f);
    INT_IS(s->ledger.breach, LEDGER_SOUND);
    text[0] = 0;
    for (uint32_t i = 0; i < story.count; i++) {
        const struct story_event *e = &story.event[i];
        if (e->kind == STORY_ARRIVED)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%c%lld.%u", at ? " " : "",
                                   'a' + e->end, (long long)(e->at / (TM_US / 10)), e->h.psn.v);
    }
    stage_free(s);
    story_clear(&story);
    return text;
}

/* Two SENDs of one packet; the ACK timer fires at 65.5 us. */
static void stage_fates_move_arrivals(void)
{
    TEXT_IS(arrivals(FATE_NONE, 2, 0), "b10.0 b10.1 a20.0 a20.1");
    /* a hole: the NAK asks again for both */
    TEXT_IS(arrivals(FATE_DROP, 2, 0), "b10.1 a20.0 b30.0 b30.1 a40.0 a40.1");
    TEXT_IS(arrivals(FATE_CORRUPT, 2, 0), arrivals(FATE_DROP, 2, 0));
    TEXT_IS(arrivals(FATE_DUP, 2, 0), "b10.0 b10.0 b10.1 a20.0 a20.0 a20.1");
    TEXT_IS(arrivals(FATE_DUP_LATE, 2, 0), "b10.0 b10.1 a20.0 a20.1 b35.0 a45.1");
    /* behind the next: the NAK has left when what it misses comes */
    TEXT_IS(arrivals(FATE_REORDER, 2, 0), "b10.1 b10.0 a20.0 a20.0 b30.0 b30.1 a40.0 a40.1");
}

static void stage_delays_pass_the_timer(void)
{
    /* a lone packet: the timer fires at 65.5, the packet arrives half a way later, then the repetition */
    TEXT_IS(arrivals(FATE_DELAY, 1, 0), "b660.0 b665.0 a670.0 a675.0");
    TEXT_IS(arrivals(FATE_DELAY_LATE, 1, 0), "b665.0 a675.0 b685.0 a695.0");
    /* the ACK: answered again meanwhile */
    TEXT_IS(arrivals(FATE_DELAY, 1, 1), "b10.0 a660.0 b665.0 a675.0");
    /* held for a packet that comes with the repetition alone */
    TEXT_IS(arrivals(FATE_REORDER, 1, 0), "b665.0 b665.0 a675.0 a675.0");
}

/* Nothing follows on a service without answers: what was held comes when all else is over. */
static void stage_held_packet_comes_in_the_end(void)
{
    struct story story = {0};
    set_up(XP_UC, 1);
    struct stage *s = fresh(&story);
    play(s, 0, FATE_REORDER);
    INT_IS(s->ledger.delivered[0], 1);
    INT_IS(s->helds, 0);
    stage_free(s);
    story_clear(&story);
}

static void stage_tells_the_ledger_of_copies_where_they_count(void)
{
    set_up(XP_UC, 2);
    struct stage *s = fresh(NULL);
    play(s, 1, FATE_DUP);
    INT_IS(s->ledger.copies[0], 0);
    INT_IS(s->ledger.copies[1], 1);
    CU_ASSERT_TRUE(s->ledger.reordered);
    stage_free(s);
    set_up(XP_RC, 2);
    s = fresh(NULL);
    play(s, 1, FATE_DUP);
    INT_IS(s->ledger.copies[1], 0);
    stage_free(s);
}

static void stage_pending_names_the_packet_of_its_direction(void)
{
    struct fault f;
    set_up(XP_RC, 2);
    struct stage *s = fresh(NULL);
    for (uint32_t n = 0; n < 2; n++) {
        CU_ASSERT_TRUE(stage_pending(s, &f));
        INT_IS(f.from, 0);
        INT_IS(f.nth, n);
        stage_decide(s, FATE_NONE);
    }
    CU_ASSERT_FALSE(stage_pending(s, &f));
    CU_ASSERT_TRUE(stage_instant(s));
    CU_ASSERT_TRUE(stage_pending(s, &f));
    INT_IS(f.from, 1);
    INT_IS(f.to, 0);
    INT_IS(f.nth, 0);
    stage_free(s);
}

/* The copy goes on as the original does, and apart from it. */
static void stage_clone_goes_on_alike_and_apart(void)
{
    set_up(XP_RC, 3);
    struct stage *s = fresh(NULL);
    stage_decide(s, FATE_REORDER);
    struct stage *c = stage_clone(s), *d = stage_clone(s);
    CU_ASSERT_TRUE(stage_digest(c) == stage_digest(s));
    stage_decide(s, FATE_DROP);
    CU_ASSERT_TRUE(stage_digest(c) != stage_digest(s));
    stage_decide(c, FATE_DROP);
    CU_ASSERT_TRUE(stage_digest(c) == stage_digest(s));
    stage_decide(d, FATE_DUP);
    CU_ASSERT_TRUE(stage_digest(d) != stage_digest(s));
    play(s, UINT32_MAX, FATE_NONE);
    play(c, UINT32_MAX, FATE_NONE);
    INT_IS(s->loop->now, c->loop->now);
    INT_IS(s->ledger.breach, LEDGER_SOUND);
    play(d, UINT32_MAX, FATE_NONE);
    INT_IS(d->ledger.breach, LEDGER_SOUND);
    stage_free(s);
    stage_free(c);
    stage_free(d);
}

/* What is decided is part of the state, and so is what is still to be. */
static void stage_digest_tells_decided_packets_apart(void)
{
    set_up(XP_RC, 2);
    struct stage *s = fresh(NULL);
    uint64_t none = stage_digest(s);
    stage_decide(s, FATE_NONE);
    uint64_t one = stage_digest(s);
    stage_decide(s, FATE_NONE);
    CU_ASSERT_TRUE(none != one && one != stage_digest(s));
    stage_free(s);
}

/* An entry that nobody gives back, and a byte that nobody may write. */
static void stage_leak_and_stray_byte_are_found(void)
{
    set_up(XP_RC, 1);
    struct stage *s = fresh(NULL);
    struct xp *x = s->loop->end[1].core;
    struct xp_qp_init init = {
        .service = XP_RC, .pd = 1, .send_cq = 0, .recv_cq = 0, .sq_depth = 4, .rq_depth = 4};
    struct xp_qp_attr a = {.state = XP_INIT, .pkey = 0xffff, .port = 1};
    struct xp_recv_wr wr = {.wr_id = 1};
    init.send_cq = init.recv_cq = s->flow[0].recv_cq;
    uint32_t qp;
    CU_ASSERT_EQUAL_FATAL(xp_qp_create(x, &init, &qp), XP_OK);
    CU_ASSERT_EQUAL_FATAL(
        xp_qp_modify(x, qp, &a, XP_A_STATE | XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0), XP_OK);
    CU_ASSERT_EQUAL_FATAL(xp_post_recv(x, qp, &wr, 0), XP_OK);
    play(s, UINT32_MAX, FATE_NONE);
    INT_IS(s->ledger.breach, LEDGER_RESOURCES);
    TEXT_IS(s->ledger.what, "1 entries of end 1 are never given back");
    stage_free(s);
    s = fresh(NULL);
    s->loop->end[1].arena[0] ^= 1;
    play(s, UINT32_MAX, FATE_NONE);
    INT_IS(s->ledger.breach, LEDGER_STRAY);
    stage_free(s);
}

static void stage_late_receives_wait_for_their_time(void)
{
    struct story story = {0};
    set_up(XP_RC, 1);
    spec.recv_late_ps = 5 * TM_US;
    struct stage *s = fresh(&story);
    play(s, UINT32_MAX, FATE_NONE);
    INT_IS(s->ledger.breach, LEDGER_SOUND);
    INT_IS(s->ledger.delivered[0], 1);
    for (uint32_t i = 0; i < story.count; i++)
        if (story.event[i].kind == STORY_RECEIVED)
            INT_IS(story.event[i].at, 13 * TM_US); /* RNR NAK at 1, there at 2, 10 us, and back */
    stage_free(s);
    story_clear(&story);
}

static const struct test tests[] = {TEST(stage_fates_move_arrivals),
                                    TEST(stage_delays_pass_the_timer),
                                    TEST(stage_held_packet_comes_in_the_end),
                                    TEST(stage_tells_the_ledger_of_copies_where_they_count),
                                    TEST(stage_pending_names_the_packet_of_its_direction),
                                    TEST(stage_clone_goes_on_alike_and_apart),
                                    TEST(stage_digest_tells_decided_packets_apart),
                                    TEST(stage_leak_and_stray_byte_are_found),
                                    TEST(stage_late_receives_wait_for_their_time),
                                    TESTS_END};
const struct suite suite_stage = {"stage", tests};

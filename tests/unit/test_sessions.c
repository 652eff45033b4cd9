/*
 * Sessions as QPs: a whole load over acknowledged datagrams, on a wire that loses what a test says.
 *
 * A message of 4000 bytes is 4 datagrams of 100 ns each: delivered 1.4 us after its post; the last
 * acknowledgement takes 1.1 us back.
 */
#include <string.h>

#include "models/load/host.h"
#include "tests/suite.h"
#include "tests/unit/dgwire.h"

static const struct udack_counts *counts(const struct dgwire *w, uint32_t host)
{
    return sessions_counts(w->load->host[host].sessions);
}

static uint32_t errors(const struct dgwire *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < load_qp_count(w->load); i++) {
        struct load_qp_row row;
        load_qp_row(w->load, i, &row);
        n += row.first_error != 0;
    }
    return n;
}

static void sessions_message_takes_its_round_trip(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(w->meter.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(w->meter.n.messages_completed, 10);
    CU_ASSERT_EQUAL(w->meter.n.bytes_delivered, 40000);
    CU_ASSERT_EQUAL(w->meter.last_delivery_ps, 9 * 2500 * TM_NS + 1400 * TM_NS);
    CU_ASSERT_EQUAL(w->meter.completion.max, 2500 * TM_NS);
    CU_ASSERT_EQUAL(counts(w, 0)->data_sent, 40);
    CU_ASSERT_EQUAL(counts(w, 1)->acks_alone, 40);
    CU_ASSERT_EQUAL(sessions_got(w->load->host[1].sessions, 2).bytes, 40000);
    CU_ASSERT_EQUAL(sessions_got(w->load->host[1].sessions, 2).messages, 10);
    dgwire_free(w);
}

/* 48 bytes beside the load's own record of an end. */
static void sessions_idle_one_costs_48_bytes(void) { CU_ASSERT_EQUAL(sessions_idle_bytes(), 48); }

/* 500 ns each: the first leaves at 0, the 4th at 1.5 us; received at 2.6, taken in at once. */
static void sessions_processor_time_delays_datagrams(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.qp.udack.cpu_ps = 500 * TM_NS;
    c.qp.udack.cfg.ack_every = 255;
    c.qp.udack.cfg.ack_delay_ps = 50 * TM_US;
    c.load.messages = 1;
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(w->meter.last_delivery_ps, 2600 * TM_NS);
    dgwire_free(w);
}

static void sessions_rpc_is_answered(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.hosts = 4;
    c.load.pattern = LOAD_RPC;
    c.load.rpc = (struct load_rpc){.request_bytes = 64, .response_bytes = 4096};
    c.qp.udack.cfg.ask_last = false;
    c.qp.udack.cfg.ack_every = 4;
    c.qp.udack.cfg.ack_delay_ps = 10 * TM_US;
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(w->meter.rpc.count, 30);
    CU_ASSERT_EQUAL(errors(w), 0);
    CU_ASSERT_EQUAL(counts(w, 0)->acks_riding, 30); /* each response acknowledges its request */
    dgwire_free(w);
}

/* 12 sessions, 3 of 100 datagrams lost: all arrives, each once, and nobody saw an error. */
static void sessions_all_to_all_survives_losses(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.hosts = 4;
    c.load.pattern = LOAD_ALL_TO_ALL;
    c.load.messages = 50;
    c.load.depth = 4;
    c.loss_per_mille = 30;
    c.qp.udack.cfg.retries = 7;
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(w->meter.n.messages_delivered, 600);
    CU_ASSERT_EQUAL(w->meter.n.messages_completed, 600);
    CU_ASSERT_EQUAL(errors(w), 0);
    CU_ASSERT_TRUE(w->meter.n.packets_retransmitted > 60);
    dgwire_free(w);
}

/* Nothing arrives: three timeouts of 100 us, then status 12 for the first and 5 for the others. */
static void sessions_failure_completes_in_error(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    struct load_qp_row row;
    c.drop = UINT64_MAX;
    c.load.depth = 3;
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    load_qp_row(w->load, 0, &row);
    CU_ASSERT_EQUAL(row.first_error, XP_WC_RETRY_EXC_ERR);
    CU_ASSERT_EQUAL(row.first_error_ps, 300 * TM_US);
    CU_ASSERT_EQUAL(w->meter.n.status[XP_WC_RETRY_EXC_ERR], 1);
    CU_ASSERT_EQUAL(w->meter.n.status[XP_WC_WR_FLUSH_ERR], 2);
    CU_ASSERT_EQUAL(w->meter.n.messages_delivered, 0);
    dgwire_free(w);
}

/* The first 6 datagrams are lost, until the session has failed; then both sides begin anew. */
static void sessions_reconnect_begins_anew(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.drop = (1u << 6) - 1; /* 4 datagrams, and the first of them twice more */
    c.load.retry = (struct load_retry){.on_error = LOAD_RECONNECT, .reconnect_ps = 3 * TM_MS};
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(w->meter.n.reconnects, 1);
    CU_ASSERT_EQUAL(w->meter.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(w->meter.n.messages_completed, 10);
    CU_ASSERT_EQUAL(w->meter.last_delivery_ps,
                    3 * TM_MS + 300 * TM_US + 9 * 2500 * TM_NS + 1400 * TM_NS);
    dgwire_free(w);
}

/*
 * Every acknowledgement of the first message is lost until its session has failed: it arrives again over the
 * new one, and counts once.
 */
static void sessions_message_that_comes_again_counts_once(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.drop = 0xff0;
    c.load.retry = (struct load_retry){.on_error = LOAD_RECONNECT, .reconnect_ps = 3 * TM_MS};
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(w->meter.n.reconnects, 1);
    CU_ASSERT_EQUAL(w->meter.n.recvs_completed, 11);
    CU_ASSERT_EQUAL(w->meter.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(sessions_got(w->load->host[1].sessions, 2).messages, 10);
    dgwire_free(w);
}

/* Without receives until 150 us: what comes before is refused, and the timers repeat it. */
static void sessions_without_receives_refuse_data(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.load.receiver.late_ps = 150 * TM_US;
    c.load.messages = 1;
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(sessions_refused(w->load->host[1].sessions),
                    5); /* 4, and one again at 100 us */
    CU_ASSERT_EQUAL(w->meter.n.messages_delivered, 1);
    CU_ASSERT_TRUE(w->meter.last_delivery_ps > 200 * TM_US);
    dgwire_free(w);
}

/* Seven senders with 8 credits each, 16 buffers: some find none, and come again. */
static void sessions_incast_runs_out_of_buffers(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.hosts = 8;
    c.load.pattern = LOAD_INCAST;
    c.load.depth = 4;
    c.qp.rq_depth = 16;
    c.qp.udack.cpu_ps = 200 * TM_NS;
    c.qp.udack.cfg.retries = 20;
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    CU_ASSERT_TRUE(w->host[0].no_buffer > 0);
    CU_ASSERT_EQUAL(w->meter.n.messages_delivered, 70);
    CU_ASSERT_EQUAL(errors(w), 0);
    dgwire_free(w);
}

/* Only every fourth request asks for a completion; all count. */
static void sessions_unsignalled_requests_are_implied(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    struct load_qp_row row;
    c.load.signal_every = 4;
    c.load.depth = 16;
    c.load.messages = 16;
    struct dgwire *w = dgwire_new(&c);
    dgwire_run(w, TM_S);
    load_qp_row(w->load, 0, &row);
    CU_ASSERT_EQUAL(row.succeeded, 16);
    CU_ASSERT_EQUAL(w->meter.completion.count, 4);
    dgwire_free(w);
}

/* ---- by hand -------------------------------------------------------------------------------------- */

/* A port that takes what it is given and gives what it is told to. */
struct hand {
    struct datagram in[8], out[8];
    uint32_t ins, outs;
    char order[17]; /* 's'ent, 't'aken */
};

static void note(struct hand *h, char what)
{
    size_t n = strlen(h->order);
    if (n < 16)
        h->order[n] = what;
}

static bool hand_room(void *self) { return ((struct hand *)self)->outs < 8; }
static bool hand_waits(void *self) { return ((struct hand *)self)->ins > 0; }
static void hand_kill(void *self, tm_ps now) {}

static void hand_send(void *self, const struct datagram *d, tm_ps now)
{
    struct hand *h = self;
    h->out[h->outs++] = *d;
    note(h, 's');
}

static bool hand_take(void *self, struct datagram *d, tm_ps now)
{
    struct hand *h = self;
    if (h->ins == 0)
        return false;
    *d = h->in[0];
    memmove(h->in, h->in + 1, --h->ins * sizeof(*d));
    note(h, 't');
    return true;
}

/* One session with host 5, ready to send; room for two messages. */
static struct sessions *by_hand(struct hand *h, struct meter *m, tm_ps cpu_ps, struct vb *vb)
{
    struct datagram_port port = {hand_room, hand_send, hand_take, hand_waits, hand_kill, h};
    struct sessions_cfg cfg = {.udack = dgwire_cfg().qp.udack.cfg,
                               .limits = {.sessions = 2, .active = 2, .messages = 2},
                               .cpu_ps = cpu_ps};
    struct xp_qp_init init = {0};
    struct xp_qp_attr attr = {.state = XP_RTR, .path = {.host = 5}, .dest_qp = 2};
    uint32_t qpn;
    memset(h, 0, sizeof *h);
    meter_init(m, 0, NULL, 0);
    struct sessions *s = sessions_new(&cfg, &port, m);
    *vb = sessions_vb(s);
    CU_ASSERT_EQUAL(vb->ops->qp_create(s, &init, &qpn), XP_OK);
    CU_ASSERT_EQUAL(qpn, 2);
    vb->ops->qp_modify(s, 2, &attr, XP_A_STATE, 0);
    attr.state = XP_RTS;
    vb->ops->qp_modify(s, 2, &attr, XP_A_STATE, 0);
    return s;
}

static void arrives(struct hand *h, struct udack_hdr hdr, uint32_t bytes)
{
    struct datagram *d = &h->in[h->ins++];
    *d = (struct datagram){.host = 5, .bytes = bytes, .msgno = hdr.seq};
    udack_pack(&hdr, d->hdr);
}

static const struct xp_send_wr ten_bytes = {
    .op = XP_WR_SEND, .sge = {.length = 10}, .flags = XP_SIGNALED};

/* One receive posted: the second message is refused, and asked for again by its sender's timer. */
static void sessions_receive_serves_one_message(void)
{
    struct hand h;
    struct meter m;
    struct vb vb;
    struct xp_recv_wr recv = {0};
    struct xp_qp_query q;
    struct sessions *s = by_hand(&h, &m, 0, &vb);
    vb.ops->post_recv(s, 2, &recv, 0);
    arrives(&h, (struct udack_hdr){.flags = UDACK_LAST}, 10);
    arrives(&h, (struct udack_hdr){.flags = UDACK_LAST, .seq = 1, .message = 1}, 10);
    CU_ASSERT_EQUAL(sessions_next(s), 0);
    sessions_step(s, 0);
    CU_ASSERT_EQUAL(sessions_next(s), TM_NEVER);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 1);
    CU_ASSERT_EQUAL(sessions_refused(s), 1);
    CU_ASSERT_EQUAL(vb.ops->qp_query(s, 2, &q), XP_OK);
    CU_ASSERT_EQUAL(q.recvs_waiting, 0);
    CU_ASSERT_EQUAL(q.rq_psn.v, 1);
    sessions_free(s);
    meter_fini(&m);
}

/* Two wait on either side, 1 us each: they take turns. */
static void sessions_processor_takes_turns(void)
{
    struct hand h;
    struct meter m;
    struct vb vb;
    struct sessions *s = by_hand(&h, &m, TM_US, &vb);
    struct udack_hdr stale = {.flags = UDACK_ACK};
    vb.ops->post_send(s, 2, &ten_bytes, 0);
    vb.ops->post_send(s, 2, &ten_bytes, 0);
    arrives(&h, stale, 0);
    arrives(&h, stale, 0);
    CU_ASSERT_EQUAL(sessions_next(s), 0);
    for (tm_ps t = 0; t < 4 * TM_US; t += TM_US) {
        sessions_step(s, t);
        CU_ASSERT_TRUE(t == 3 * TM_US || sessions_next(s) == t + TM_US);
    }
    CU_ASSERT_STRING_EQUAL(h.order, "tsts");
    sessions_free(s);
    meter_fini(&m);
}

static void sessions_reset_forgets_its_requests(void)
{
    struct hand h;
    struct meter m;
    struct vb vb;
    struct xp_wc wc;
    struct xp_qp_attr attr = {.state = XP_RESET};
    struct sessions *s = by_hand(&h, &m, 0, &vb);
    vb.ops->post_send(s, 2, &ten_bytes, 0);
    sessions_step(s, 0);
    CU_ASSERT_EQUAL(vb.ops->qp_modify(s, 2, &attr, XP_A_STATE, 1), XP_OK);
    CU_ASSERT_EQUAL(vb.ops->poll(s, 0, &wc, 1), 0);
    CU_ASSERT_EQUAL(vb.ops->post_send(s, 2, &ten_bytes, 1), XP_ESTATE);
    sessions_free(s);
    meter_fini(&m);
}

/* Room for two: the third is refused, and each that is done makes room again (and no more is used). */
static void sessions_requests_are_used_again(void)
{
    struct hand h;
    struct meter m;
    struct vb vb;
    struct xp_wc wc[4];
    struct sessions *s = by_hand(&h, &m, 0, &vb);
    for (uint32_t i = 0; i < 10; i++) {
        CU_ASSERT_EQUAL(vb.ops->post_send(s, 2, &ten_bytes, 0), XP_OK);
        CU_ASSERT_EQUAL(vb.ops->post_send(s, 2, &ten_bytes, 0), XP_OK);
        CU_ASSERT_EQUAL(vb.ops->post_send(s, 2, &ten_bytes, 0), XP_ENOMEM);
        sessions_step(s, 0);
        CU_ASSERT_EQUAL(h.outs, 2);
        h.outs = 0;
        arrives(&h, (struct udack_hdr){.flags = UDACK_ACK, .ack = 2 * i + 2}, 0);
        sessions_step(s, 0);
        CU_ASSERT_EQUAL(vb.ops->poll(s, 0, wc, 4), 2);
    }
    sessions_free(s);
    meter_fini(&m);
}

static const struct test tests[] = {TEST(sessions_message_takes_its_round_trip),
                                    TEST(sessions_idle_one_costs_48_bytes),
                                    TEST(sessions_processor_time_delays_datagrams),
                                    TEST(sessions_rpc_is_answered),
                                    TEST(sessions_all_to_all_survives_losses),
                                    TEST(sessions_failure_completes_in_error),
                                    TEST(sessions_reconnect_begins_anew),
                                    TEST(sessions_message_that_comes_again_counts_once),
                                    TEST(sessions_without_receives_refuse_data),
                                    TEST(sessions_incast_runs_out_of_buffers),
                                    TEST(sessions_unsignalled_requests_are_implied),
                                    TEST(sessions_receive_serves_one_message),
                                    TEST(sessions_processor_takes_turns),
                                    TEST(sessions_reset_forgets_its_requests),
                                    TEST(sessions_requests_are_used_again),
                                    TESTS_END};
const struct suite suite_sessions = {"sessions", tests};

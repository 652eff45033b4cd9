/*
 * The counters of a core and of a QP: which one moves when, and by how much; and trace records.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

/* All counters of an end that are not 0, by name. */
static const char *counts(struct rig *r, int end)
{
    const struct xp_counts *c = xp_counts(r->loop->end[end].core);
    const struct {
        const char *name;
        uint64_t n;
    } row[] = {{"requests", c->request_packets},
               {"again", c->requests_retransmitted},
               {"acks_sent", c->acks_sent},
               {"naks_sent", c->naks_sent},
               {"rnr_sent", c->rnr_naks_sent},
               {"acks", c->acks_received},
               {"naks", c->naks_received},
               {"rnr", c->rnr_naks_received},
               {"timeouts", c->ack_timeouts},
               {"early", c->early_retransmissions},
               {"duplicates", c->duplicates},
               {"repeated", c->responses_repeated},
               {"gaps", c->out_of_sequence},
               {"no_recv", c->no_recv},
               {"dropped", c->dropped},
               {"retry_exceeded", c->retry_exceeded},
               {"rnr_exceeded", c->rnr_exceeded}};
    size_t at = 0;
    r->text[0] = 0;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (row[i].n)
            at += (size_t)snprintf(r->text + at, sizeof r->text - at, "%s%s=%llu", at ? " " : "",
                                   row[i].name, (unsigned long long)row[i].n);
    return r->text;
}

/* The same of its QP. */
static const char *qp_counts(struct rig *r, int end)
{
    struct xp_qp_counts c;
    memset(&c, 0xff, sizeof c);
    xp_qp_counts(r->loop->end[end].core, r->qp[end], &c);
    const struct {
        const char *name;
        uint32_t n;
    } row[] = {{"packet_seq_err", c.packet_seq_err},
               {"rnr_nak_retry_err", c.rnr_nak_retry_err},
               {"local_ack_timeout_err", c.local_ack_timeout_err},
               {"roce_adp_retrans", c.roce_adp_retrans},
               {"out_of_sequence", c.out_of_sequence},
               {"duplicate_request", c.duplicate_request},
               {"out_of_buffer", c.out_of_buffer},
               {"retransmitted", c.retransmitted}};
    size_t at = 0;
    r->text[0] = 0;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (row[i].n)
            at += (size_t)snprintf(r->text + at, sizeof r->text - at, "%s%s=%u", at ? " " : "",
                                   row[i].name, row[i].n);
    return r->text;
}

static struct rig *rig_with(uint8_t retry_cnt, uint8_t rnr_retry)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = retry_cnt;
    s.rnr_retry = rnr_retry;
    return rig_new(&s);
}

static void counts_of_a_run_without_trouble(void)
{
    struct rig *r = rig_with(7, 7);
    TEXT_IS(counts(r, A), "");
    rig_recvs(r, 11, 2, 1024);
    rig_sends(r, 1, 2, 1000);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=8 acks=2");
    TEXT_IS(counts(r, B), "acks_sent=2");
    TEXT_IS(qp_counts(r, A), "");
    TEXT_IS(qp_counts(r, B), "");
    rig_free(r);
}

static void counts_of_a_gap(void)
{
    struct rig *r = rig_with(7, 7);
    r->loop->dir[A][B].drop_mask = 1;
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=6 again=3 acks=3 naks=1");
    TEXT_IS(counts(r, B), "acks_sent=3 naks_sent=1 gaps=2");
    TEXT_IS(qp_counts(r, A), "packet_seq_err=1 retransmitted=3");
    TEXT_IS(qp_counts(r, B), "out_of_sequence=2");
    rig_free(r);
}

static void counts_of_a_nak_that_uses_up_the_retries(void)
{
    struct rig *r = rig_with(0, 7);
    r->loop->dir[A][B].drop_mask = 1;
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=2 naks=1 retry_exceeded=1");
    TEXT_IS(qp_counts(r, A), ""); /* packet_seq_err: one that does not use up the retries */
    rig_free(r);
}

static void counts_of_timeouts(void)
{
    struct rig *r = rig_with(2, 7);
    r->loop->dir[A][B].drop_mask = 7;
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=3 again=2 timeouts=3 retry_exceeded=1");
    TEXT_IS(qp_counts(r, A), "local_ack_timeout_err=3 retransmitted=2");
    rig_free(r);
}

static void counts_of_receiver_not_ready(void)
{
    struct rig *r = rig_with(7, 1);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=4 again=2 rnr=2 rnr_exceeded=1");
    TEXT_IS(counts(r, B), "rnr_sent=2 gaps=2 no_recv=2");
    TEXT_IS(qp_counts(r, A), "rnr_nak_retry_err=2 retransmitted=2"); /* the last one too */
    TEXT_IS(qp_counts(r, B), "out_of_sequence=2 out_of_buffer=2");
    rig_free(r);
}

static void counts_of_duplicates(void)
{
    struct rig *r = rig_with(7, 7);
    r->loop->dir[B][A].drop_mask = 1;
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=2 again=1 acks=1 timeouts=1");
    TEXT_IS(counts(r, B), "acks_sent=2 duplicates=1 repeated=1");
    TEXT_IS(qp_counts(r, B), "duplicate_request=1");
    rig_free(r);
}

static void counts_of_what_is_dropped(void)
{
    struct rig *r = rig_with(7, 7);
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100, 8);
    h.pkey = 0x1234;
    rig_inject(r, B, h);
    h.dest_qp = 0x800001;
    rig_inject(r, B, h);
    TEXT_IS(counts(r, B), "dropped=2");
    TEXT_IS(qp_counts(r, B), "");
    rig_free(r);
}

static void counts_of_errors_that_are_naks(void)
{
    struct rig *r = rig_with(7, 7);
    CHECK(rig_recv(r, 11, 0, 10) == XP_OK);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=1 naks=1");
    TEXT_IS(counts(r, B), "naks_sent=1");
    TEXT_IS(qp_counts(r, A), "");
    rig_free(r);
}

static void counts_of_an_unknown_qp_are_zero(void)
{
    struct rig *r = rig_with(7, 7);
    r->qp[A] += 1000;
    TEXT_IS(qp_counts(r, A), "");
    r->qp[A] -= 1000;
    rig_free(r);
}

static void counts_of_uc_gaps_stay_off_the_wire(void)
{
    struct rig_spec s = rig_spec_uc();
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 1;
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(counts(r, A), "requests=2");
    INT_IS(xp_counts(r->loop->end[B].core)->naks_sent, 0);
    INT_IS(xp_counts(r->loop->end[B].core)->acks_sent, 0);
    rig_free(r);
}

/* ---- trace records --------------------------------------------------------------------------- */

static const char *notes(struct rig *r, int end)
{
    static const char *const name[] = {"set", "fire", "state", "retry", "drop"};
    struct xp_note n;
    size_t at = 0;
    r->text[0] = 0;
    while (xp_take_note(r->loop->end[end].core, &n)) {
        CU_ASSERT_TRUE(n.qpn == r->qp[end] || n.kind == XP_N_DROP);
        at += (size_t)snprintf(r->text + at, sizeof r->text - at, "%s%s@%lld", at ? " " : "",
                               name[n.kind], (long long)n.at);
        if (n.kind == XP_N_TIMER_SET)
            at += (size_t)snprintf(r->text + at, sizeof r->text - at, "..%lld", (long long)n.until);
        if (n.kind == XP_N_STATE || n.kind == XP_N_RETRY || n.kind == XP_N_DROP)
            at += (size_t)snprintf(r->text + at, sizeof r->text - at, "=%u", n.value);
    }
    return r->text;
}

static void counts_notes_are_off_unless_asked_for(void)
{
    struct rig *r = rig_with(7, 7);
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, TM_US);
    TEXT_IS(notes(r, A), "");
    xp_notes_enable(r->loop->end[A].core, true);
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    TEXT_IS(notes(r, A), "state@1000000=6");
    xp_notes_enable(r->loop->end[A].core, false);
    CHECK(rig_state(r, A, XP_RESET) == XP_OK);
    TEXT_IS(notes(r, A), "");
    rig_free(r);
}

static void counts_notes_tell_of_timers_and_retries(void)
{
    struct rig *r = rig_with(1, 7);
    xp_notes_enable(r->loop->end[A].core, true);
    r->loop->dir[A][B].drop_mask = 3;
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(notes(r, A), "set@0..67108864000 fire@67108864000 retry@67108864000=100 "
                         "set@67108864000..134217728000 fire@134217728000 state@134217728000=6");
    rig_free(r);
}

static void counts_notes_tell_of_rnr_waits_and_naks(void)
{
    struct rig *r = rig_with(7, 7);
    r->loop->dir[A][B].drop_mask = 1;
    xp_notes_enable(r->loop->end[A].core, true);
    rig_sends(r, 1, 2, 100);
    rig_run_for(r, 2 * TM_US); /* 101 alone was met with a NAK */
    TEXT_IS(notes(r, A), "set@0..67108864000 retry@2000000=100 set@2000000..67110864000");
    rig_run_for(r, 2 * TM_US);
    TEXT_IS(notes(r, A), "set@4000000..644000000");
    rig_recvs(r, 11, 2, 100);
    rig_run_for(r, TM_MS);
    TEXT_IS(notes(r, A), "fire@644000000 set@644000000..67752864000 set@646000000..67754864000");
    rig_free(r);
}

static void counts_notes_tell_of_drops(void)
{
    struct rig *r = rig_with(7, 7);
    xp_notes_enable(r->loop->end[B].core, true);
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100, 8);
    h.pkey = 0x1234;
    rig_inject(r, B, h);
    char wanted[40];
    snprintf(wanted, sizeof wanted, "drop@0=%u", V_BAD_PKEY);
    TEXT_IS(notes(r, B), wanted);
    rig_free(r);
}

static const struct test tests[] = {TEST(counts_of_a_run_without_trouble),
                                    TEST(counts_of_a_gap),
                                    TEST(counts_of_a_nak_that_uses_up_the_retries),
                                    TEST(counts_of_timeouts),
                                    TEST(counts_of_receiver_not_ready),
                                    TEST(counts_of_duplicates),
                                    TEST(counts_of_what_is_dropped),
                                    TEST(counts_of_errors_that_are_naks),
                                    TEST(counts_of_an_unknown_qp_are_zero),
                                    TEST(counts_of_uc_gaps_stay_off_the_wire),
                                    TEST(counts_notes_are_off_unless_asked_for),
                                    TEST(counts_notes_tell_of_timers_and_retries),
                                    TEST(counts_notes_tell_of_rnr_waits_and_naks),
                                    TEST(counts_notes_tell_of_drops),
                                    TESTS_END};
const struct suite suite_counts = {"counts", tests};

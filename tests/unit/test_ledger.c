/*
 * The checker is told false histories: each of its rules fires, and only where it must.
 *
 * A history is a few calls on one exchange: SEND, WRITE with immediate, WRITE, READ, FETCH_ADD,
 * FETCH_ADD, a silent SEND, SEND.  `deliver` does what a right transport would do.
 */
#include <string.h>

#include "models/explore/ledger.h"
#include "tests/unit/rig.h"

enum { M_SEND, M_WRITE_IMM, M_WRITE, M_READ, M_ADD, M_ADD2, M_SILENT, M_LAST, MESSAGES };

static struct task task;
static struct ledger l;
static uint8_t bytes[TASK_ENDS][TASK_ARENA];
static uint8_t *const memory[TASK_ENDS] = {bytes[0], bytes[1]};

static void begin(bool acked)
{
    struct task_spec spec = {.acked = acked,
                             .mtu = 256,
                             .flows = 1,
                             .flow = {{0, 1}},
                             .ops = MESSAGES,
                             .op = {{XP_WR_SEND, 0, false, 100, false, 0},
                                    {XP_WR_WRITE_IMM, 0, false, 60, false, 0},
                                    {XP_WR_WRITE, 0, false, 50, false, 0},
                                    {XP_WR_READ, 0, false, 40, false, 0},
                                    {XP_WR_FETCH_ADD, 0, false, 8, false, 0},
                                    {XP_WR_FETCH_ADD, 0, false, 8, false, 0},
                                    {XP_WR_SEND, 0, true, 30, false, 0},
                                    {XP_WR_SEND_IMM, 0, false, 30, false, 0}}};
    CU_ASSERT_PTR_NULL_FATAL(task_make(&spec, &task));
    ledger_init(&l, &task, memory);
    for (uint32_t i = 0; i < task.recvs; i++)
        ledger_recv_posted(&l, i);
    for (uint32_t i = 0; i < MESSAGES; i++)
        ledger_posted(&l, i);
}

static uint8_t *at(uint8_t area) { return bytes[task.area[area].end] + task.area[area].at; }

/* The transport puts a message's bytes where they belong; receive `recv` takes a SEND's. */
static void place(uint32_t i, uint32_t recv)
{
    const struct task_message *m = &task.message[i];
    if (task_is_atomic(m)) {
        memcpy(at(m->remote), &task.value[0][m->atomic + 1], 8);
        memcpy(at(m->local), &task.value[0][m->atomic], 8);
    } else if (m->op == XP_WR_READ)
        memcpy(at(m->local), task_payload(&task, m), m->len);
    else if (task_is_write(m))
        memcpy(at(m->remote), task_payload(&task, m), m->len);
    else
        memcpy(at(task.recv[recv].area), task_payload(&task, m), m->len);
}

static void received(uint32_t i, uint32_t recv, uint32_t status)
{
    const struct task_message *m = &task.message[i];
    struct xp_wc wc = {.wr_id = recv,
                       .byte_len = m->len,
                       .imm = m->imm,
                       .status = (uint8_t)status,
                       .op = m->op == XP_WR_WRITE_IMM ? XP_WC_RECV_WRITE_IMM : XP_WC_RECV,
                       .flags = m->imm ? XP_WC_WITH_IMM : 0};
    ledger_look(&l, memory);
    ledger_recv_done(&l, 0, &wc, memory);
}

static void deliver(uint32_t i)
{
    uint8_t recv = task.message[i].recv;
    place(i, recv);
    if (recv != TASK_NO_RECV)
        received(i, recv, XP_WC_SUCCESS);
}

static void completed(uint64_t i, uint32_t status)
{
    struct xp_wc wc = {.wr_id = i, .status = (uint8_t)status};
    ledger_look(&l, memory);
    ledger_send_done(&l, 0, &wc, memory);
}

/* Messages a .. b delivered and completed as they should be. */
static void do_well(uint32_t a, uint32_t b)
{
    for (uint32_t i = a; i <= b; i++) {
        deliver(i);
        if (task.message[i].signalled)
            completed(i, XP_WC_SUCCESS);
    }
}

static void numbers(uint32_t sq_psn, uint32_t rq_psn, uint32_t msn)
{
    ledger_numbers(&l, 0, (struct ledger_numbers){psn(sq_psn), psn(rq_psn), msn});
}

static void expect(enum ledger_rule rule, const char *what, int line)
{
    ledger_look(&l, memory);
    rig_int_is(l.breach, rule, "", line);
    rig_text_is(l.what, what, "", line);
}
#define BREACH_IS(rule, what) expect((rule), (what), __LINE__)
#define IS_SOUND() expect(LEDGER_SOUND, "", __LINE__)

/* ---- true histories ---------------------------------------------------------------------------- */

static void ledger_right_history_is_sound(void)
{
    const uint32_t none[TASK_FLOWS] = {0};
    begin(true);
    do_well(0, MESSAGES - 1);
    ledger_finish(&l, none);
    IS_SOUND();
}

static void ledger_failure_then_flushes_is_sound(void)
{
    const uint32_t left[TASK_FLOWS] = {2};
    begin(true);
    do_well(0, M_WRITE);
    completed(M_READ, XP_WC_RETRY_EXC_ERR);
    for (uint32_t i = M_ADD; i < MESSAGES; i++)
        completed(i, XP_WC_WR_FLUSH_ERR);
    ledger_finish(&l, left);
    IS_SOUND();
}

/* A copy arrived: without acknowledgements it is delivered again, in another receive. */
static void ledger_unacked_copy_and_loss_are_sound(void)
{
    begin(false);
    ledger_repeated(&l, M_SEND);
    deliver(M_SEND);
    place(M_SEND, 1);
    received(M_SEND, 1, XP_WC_SUCCESS);
    place(M_LAST, 2);
    received(M_LAST, 2, XP_WC_SUCCESS);
    IS_SOUND();
}

/* ---- deliveries -------------------------------------------------------------------------------- */

static void ledger_message_before_its_turn_is_a_breach(void)
{
    begin(true);
    place(M_WRITE_IMM, 0);
    received(M_WRITE_IMM, 0, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_ORDER, "message 1 was received before message 0");
    begin(true);
    deliver(M_SEND);
    deliver(M_WRITE_IMM);
    deliver(M_SILENT); /* the WRITE before it is not in memory */
    BREACH_IS(LEDGER_ORDER, "message 6 was received, and WRITE 2 before it is not in memory");
    begin(false);
    place(M_SILENT, 0);
    received(M_SILENT, 0, XP_WC_SUCCESS);
    place(M_SEND, 1);
    received(M_SEND, 1, XP_WC_SUCCESS); /* nothing was reordered on the way */
    BREACH_IS(LEDGER_ORDER, "message 0 was received after message 6");
}

static void ledger_message_delivered_again_is_a_breach(void)
{
    begin(true);
    deliver(M_SEND);
    place(M_SEND, 1);
    received(M_SEND, 1, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_TWICE, "message 0 was received again");
    begin(false);
    deliver(M_SEND);
    place(M_SEND, 1);
    received(M_SEND, 1, XP_WC_SUCCESS); /* no copy of it was ever made */
    BREACH_IS(LEDGER_TWICE, "message 0 was received again");
}

static void ledger_message_that_nobody_sent_is_a_breach(void)
{
    struct xp_wc wc = {.wr_id = 0, .byte_len = 99, .op = XP_WC_RECV};
    begin(true);
    place(M_SEND, 0);
    ledger_recv_done(&l, 0, &wc, memory);
    BREACH_IS(LEDGER_FOREIGN, "receive 0 with 99 bytes is no message that was sent");
    begin(true);
    wc.byte_len = 100;
    wc.flags = XP_WC_WITH_IMM;
    ledger_recv_done(&l, 0, &wc, memory);
    BREACH_IS(LEDGER_FOREIGN, "receive 0 with 100 bytes is no message that was sent");
}

static void ledger_wrong_byte_is_a_breach(void)
{
    begin(true);
    place(M_SEND, 0);
    at(task.recv[0].area)[99] ^= 1;
    received(M_SEND, 0, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_PAYLOAD, "receive 0 has the length of a message, not its bytes");
    begin(false); /* a message of which a part never came */
    place(M_SEND, 0);
    memset(at(task.recv[0].area), 0, 10);
    received(M_SEND, 0, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_PAYLOAD, "receive 0 has the length of a message, not its bytes");
}

static void ledger_fenced_message_before_a_result_is_a_breach(void)
{
    for (uint32_t k = M_READ; k <= M_ADD2; k++) {
        begin(true);
        task.message[M_SILENT].fence = true;
        do_well(M_SEND, M_WRITE);
        for (uint32_t i = M_READ; i <= M_ADD2; i++)
            place(i, 0);
        CU_ASSERT_TRUE(at(task.message[k].local)[0] != 0x5a);
        at(task.message[k].local)[0] = 0x5a; /* not what was fetched */
        deliver(M_SILENT);
        INT_IS(l.breach, LEDGER_ORDER);
    }
    begin(true);
    task.message[M_SILENT].fence = true;
    do_well(M_SEND, M_READ);
    place(M_ADD, 0);
    ledger_look(&l, memory);
    place(M_ADD2, 0);
    deliver(M_SILENT); /* results are here; the completions may still wait */
    IS_SOUND();
}

/* ---- memory ------------------------------------------------------------------------------------ */

static void ledger_memory_that_changes_alone_is_a_breach(void)
{
    begin(true);
    at(task.message[M_SEND].local)[3] ^= 1; /* the sender's own */
    BREACH_IS(LEDGER_STRAY, "memory of end 0 at 32 changed when it was not to be written");
    begin(true);
    at(task.recv[0].area)[-1] ^= 1; /* a guard */
    BREACH_IS(LEDGER_STRAY, "memory of end 1 before 96 was written to");
    begin(true);
    place(M_SEND, 0);
    at(task.recv[1].area)[0] ^= 1; /* open: what may be written may be written at any time */
    IS_SOUND();
}

/* A repetition is executed after the consumer has gone on to other use of the memory. */
static void ledger_late_execution_is_a_breach(void)
{
    begin(true);
    do_well(M_SEND, M_WRITE);
    place(M_WRITE, 0);
    BREACH_IS(LEDGER_STRAY, "memory of end 1 at 512 changed when it was in other use");
    begin(true);
    do_well(M_SEND, M_READ);
    place(M_READ, 0);
    ledger_look(&l, memory);
    INT_IS(l.breach, LEDGER_STRAY);
    begin(true);
    do_well(M_SEND, M_SEND);
    place(M_SEND, 0);
    ledger_look(&l, memory);
    INT_IS(l.breach, LEDGER_STRAY);
}

static void ledger_write_beyond_a_message_is_a_breach(void)
{
    begin(true);
    do_well(M_SEND, M_ADD2);
    at(task.recv[task.message[M_SILENT].recv].area)[30] ^= 1;
    deliver(M_SILENT);
    BREACH_IS(LEDGER_STRAY, "receive 2 was written to beyond its message");
}

/* ---- completions ------------------------------------------------------------------------------- */

static void ledger_completion_out_of_turn_is_a_breach(void)
{
    begin(true);
    deliver(M_SEND);
    deliver(M_WRITE_IMM);
    completed(M_WRITE_IMM, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_COMPLETION, "message 0 was passed over by message 1");
    begin(true);
    do_well(M_SEND, M_SEND);
    completed(M_SEND, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_COMPLETION, "message 0 completed again");
    begin(true);
    completed(MESSAGES, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_COMPLETION, "a completion of message 8, which was not posted");
    begin(true);
    do_well(M_SEND, M_SILENT);
    completed(M_SILENT, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_COMPLETION, "message 6: a success that nobody asked for");
    begin(true);
    completed(M_SEND, XP_WC_RETRY_EXC_ERR);
    completed(M_WRITE_IMM, XP_WC_SUCCESS);
    INT_IS(l.breach, LEDGER_COMPLETION);
    begin(true);
    place(M_SEND, 1);
    received(M_SEND, 1, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_COMPLETION, "receive 1 completed where 0 was due");
}

static void ledger_status_without_cause_is_a_breach(void)
{
    begin(true);
    completed(M_SEND, XP_WC_REM_ACCESS_ERR);
    BREACH_IS(LEDGER_STATUS, "message 0 completed with REM_ACCESS_ERR");
    begin(true);
    completed(M_SEND, XP_WC_WR_FLUSH_ERR); /* nothing failed before it */
    BREACH_IS(LEDGER_STATUS, "message 0 completed with WR_FLUSH_ERR");
    begin(true);
    received(M_SEND, 0, XP_WC_WR_FLUSH_ERR);
    IS_SOUND(); /* the failure may be told in the same breath */
    numbers(1, 1, 0);
    BREACH_IS(LEDGER_STATUS, "receives were flushed, and nothing had failed");
    begin(true);
    received(M_SEND, 0, XP_WC_LOC_PROT_ERR);
    BREACH_IS(LEDGER_STATUS, "receive 0 completed with LOC_PROT_ERR");
    begin(false);
    completed(M_SEND, XP_WC_RETRY_EXC_ERR); /* without acknowledgements nothing is retried */
    BREACH_IS(LEDGER_STATUS, "message 0 completed with RETRY_EXC_ERR");
}

/* With more retries than faults a request has no excuse. */
static void ledger_giving_up_too_soon_is_a_breach(void)
{
    begin(true);
    task.spec.steadfast = true;
    completed(M_SEND, XP_WC_RNR_RETRY_EXC_ERR); /* the receiver's affair */
    IS_SOUND();
    begin(true);
    task.spec.steadfast = true;
    completed(M_SEND, XP_WC_RETRY_EXC_ERR);
    BREACH_IS(LEDGER_GAVE_UP, "message 0 gave up with retries enough for all faults");
}

static void ledger_success_without_delivery_is_a_breach(void)
{
    begin(true);
    completed(M_SEND, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_UNDELIVERED, "message 0 succeeded and was never received");
    begin(true);
    do_well(M_SEND, M_WRITE_IMM);
    completed(M_WRITE, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_UNDELIVERED, "WRITE 2 succeeded and is not in memory");
    begin(true);
    do_well(M_SEND, M_WRITE);
    completed(M_READ, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_UNDELIVERED, "READ 3 succeeded without its bytes");
    begin(true);
    do_well(M_SEND, M_ADD2);
    completed(M_LAST, XP_WC_SUCCESS); /* says that the silent one went well, too */
    BREACH_IS(LEDGER_UNDELIVERED, "message 6 succeeded and was never received");
}

/* A WRITE of 300 bytes and a READ of them: in two packets. */
static void begin_read_back(void)
{
    begin(true);
    struct task_spec spec = task.spec;
    spec.op[M_WRITE].len = 300;
    spec.op[M_READ].len = 300;
    spec.op[M_READ].of = M_WRITE + 1;
    CU_ASSERT_PTR_NULL_FATAL(task_make(&spec, &task));
    ledger_init(&l, &task, memory);
    for (uint32_t i = 0; i < task.recvs; i++)
        ledger_recv_posted(&l, i);
    for (uint32_t i = 0; i < MESSAGES; i++)
        ledger_posted(&l, i);
    do_well(M_SEND, M_WRITE);
}

static void ledger_read_finds_what_the_write_before_it_wrote(void)
{
    const struct task_area *target;
    begin_read_back();
    do_well(M_READ, M_READ);
    IS_SOUND();
    begin_read_back(); /* the second packet was read when the target was in other use */
    target = &task.area[task.message[M_WRITE].remote];
    memcpy(at(task.message[M_READ].local), task_payload(&task, &task.message[M_READ]), 256);
    memcpy(at(task.message[M_READ].local) + 256, task.used[1] + target->at + 256, 44);
    completed(M_READ, XP_WC_SUCCESS);
    IS_SOUND();
    begin_read_back(); /* from before the WRITE */
    target = &task.area[task.message[M_WRITE].remote];
    memcpy(at(task.message[M_READ].local), task.filled[1] + target->at, 300);
    completed(M_READ, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_UNDELIVERED, "READ 3 succeeded without its bytes");
}

/* ---- atomics ----------------------------------------------------------------------------------- */

static void ledger_atomic_executed_wrongly_is_a_breach(void)
{
    uint64_t word;
    begin(true);
    do_well(M_SEND, M_READ);
    completed(M_ADD, XP_WC_SUCCESS);
    BREACH_IS(LEDGER_ATOMIC, "atomic 4 succeeded and was not executed");
    begin(true);
    do_well(M_SEND, M_ADD);
    word = task.value[0][1] + task.message[M_ADD].operand; /* the first once more */
    memcpy(at(task.word[0]), &word, 8);
    ledger_look(&l, memory);
    INT_IS(l.breach, LEDGER_ATOMIC);
    begin(true);
    do_well(M_SEND, M_ADD2);
    memcpy(at(task.word[0]), &task.value[0][1], 8); /* back to before the second */
    ledger_look(&l, memory);
    INT_IS(l.breach, LEDGER_ATOMIC);
}

/* Executed, acknowledged, but the result never came: what Soft-RoCE does. */
static void ledger_atomic_without_its_result_is_a_breach(void)
{
    begin(true);
    do_well(M_SEND, M_READ);
    memcpy(at(task.word[0]), &task.value[0][1], 8);
    completed(M_ADD, XP_WC_SUCCESS);
    INT_IS(l.breach, LEDGER_ATOMIC);
    CU_ASSERT_PTR_NOT_NULL(strstr(l.what, "atomic 4 returned"));
}

/* ---- numbers and the end ----------------------------------------------------------------------- */

static void ledger_numbers_that_go_back_are_a_breach(void)
{
    begin(true);
    numbers(0xffffff, 0xfffffe, 0);
    numbers(3, 0, 1); /* across the wrap */
    IS_SOUND();
    numbers(2, 0, 1);
    BREACH_IS(LEDGER_BACKWARDS, "PSN 2/0, MSN 1 after 3/0, 1");
    begin(true);
    numbers(3, 2, 1);
    numbers(3, 1, 1);
    INT_IS(l.breach, LEDGER_BACKWARDS);
    begin(true);
    numbers(3, 2, 1);
    numbers(3, 2, 0);
    INT_IS(l.breach, LEDGER_BACKWARDS);
    begin(true);
    task.spec.restarts = true;
    numbers(3, 2, 1);
    numbers(3, 1, 1); /* the message begins anew */
    IS_SOUND();
    numbers(3, 2, 2);
    numbers(3, 1, 1);
    INT_IS(l.breach, LEDGER_BACKWARDS);
    begin(true);
    numbers(3, 4, 1);
    BREACH_IS(LEDGER_BACKWARDS, "PSN 4 is expected, 3 has not been sent");
    begin(true);
    numbers(20, 19, MESSAGES + 1);
    BREACH_IS(LEDGER_BACKWARDS, "MSN 9 after 8 messages");
}

static void ledger_what_never_completes_is_a_breach(void)
{
    const uint32_t none[TASK_FLOWS] = {0};
    begin(true);
    do_well(M_SEND, M_SILENT);
    deliver(M_LAST);
    ledger_finish(&l, none);
    BREACH_IS(LEDGER_STUCK, "message 7 never completed");
}

static void ledger_receive_used_up_by_nothing_is_a_breach(void)
{
    const uint32_t three[TASK_FLOWS] = {3};
    begin(false);
    for (uint32_t i = 0; i < MESSAGES; i++)
        if (task.message[i].signalled)
            completed(i, XP_WC_SUCCESS);
    ledger_finish(&l, three);
    BREACH_IS(LEDGER_RECV_KEPT, "0 receives of 4 completed and 3 are left");
}

/* A message that broke off takes its shared receive along; elsewhere the receive stays. */
static void ledger_shared_receive_may_break_off_with_its_message(void)
{
    const uint32_t three[TASK_FLOWS] = {3}, two[TASK_FLOWS] = {2};
    for (int shared = 0; shared < 2; shared++) {
        begin(false);
        task.spec.shared = shared;
        received(M_SEND, 0, XP_WC_REM_ABORT_ERR);
        INT_IS(l.breach, shared ? LEDGER_SOUND : LEDGER_STATUS);
    }
    begin(true);
    task.spec.shared = true;
    received(M_SEND, 0, XP_WC_REM_ABORT_ERR);
    BREACH_IS(LEDGER_STATUS, "receive 0 completed with REM_ABORT_ERR");
    begin(true);
    task.spec.shared = true;
    completed(M_SEND, XP_WC_RETRY_EXC_ERR);
    for (uint32_t i = M_WRITE_IMM; i < MESSAGES; i++)
        completed(i, XP_WC_WR_FLUSH_ERR);
    ledger_finish(&l, three); /* one was taken for what never came whole */
    IS_SOUND();
    ledger_finish(&l, two);
    BREACH_IS(LEDGER_RECV_KEPT, "0 receives of 4 completed and 2 are left");
}

static void ledger_first_breach_is_kept(void)
{
    begin(true);
    completed(M_SEND, XP_WC_SUCCESS);
    completed(M_SEND, XP_WC_SUCCESS);
    INT_IS(l.breach, LEDGER_UNDELIVERED);
    for (int r = LEDGER_SOUND; r < LEDGER_RULES; r++)
        CU_ASSERT_PTR_NOT_NULL(ledger_rule_text((enum ledger_rule)r));
}

static void ledger_digest_tells_what_counts(void)
{
    begin(true);
    uint64_t fresh = ledger_digest(&l);
    ledger_repeated(&l, M_SEND); /* where copies make no difference they are none */
    ledger_reordered(&l);
    CU_ASSERT_TRUE(ledger_digest(&l) == fresh);
    deliver(M_SEND);
    CU_ASSERT_TRUE(ledger_digest(&l) != fresh);
    begin(false);
    fresh = ledger_digest(&l);
    ledger_repeated(&l, M_SEND);
    CU_ASSERT_TRUE(ledger_digest(&l) != fresh);
}

static const struct test tests[] = {TEST(ledger_right_history_is_sound),
                                    TEST(ledger_failure_then_flushes_is_sound),
                                    TEST(ledger_unacked_copy_and_loss_are_sound),
                                    TEST(ledger_message_before_its_turn_is_a_breach),
                                    TEST(ledger_message_delivered_again_is_a_breach),
                                    TEST(ledger_message_that_nobody_sent_is_a_breach),
                                    TEST(ledger_wrong_byte_is_a_breach),
                                    TEST(ledger_fenced_message_before_a_result_is_a_breach),
                                    TEST(ledger_memory_that_changes_alone_is_a_breach),
                                    TEST(ledger_late_execution_is_a_breach),
                                    TEST(ledger_write_beyond_a_message_is_a_breach),
                                    TEST(ledger_completion_out_of_turn_is_a_breach),
                                    TEST(ledger_status_without_cause_is_a_breach),
                                    TEST(ledger_giving_up_too_soon_is_a_breach),
                                    TEST(ledger_success_without_delivery_is_a_breach),
                                    TEST(ledger_read_finds_what_the_write_before_it_wrote),
                                    TEST(ledger_atomic_executed_wrongly_is_a_breach),
                                    TEST(ledger_atomic_without_its_result_is_a_breach),
                                    TEST(ledger_numbers_that_go_back_are_a_breach),
                                    TEST(ledger_what_never_completes_is_a_breach),
                                    TEST(ledger_receive_used_up_by_nothing_is_a_breach),
                                    TEST(ledger_shared_receive_may_break_off_with_its_message),
                                    TEST(ledger_first_breach_is_kept),
                                    TEST(ledger_digest_tells_what_counts),
                                    TESTS_END};
const struct suite suite_ledger = {"ledger", tests};

/* What keys refuse, in the words that a user reads. */
#include "scenarios/reader/keys.h"
#include "tests/suite.h"

static const char *refusal_of(const char *dotted, const char *text)
{
    static struct sc_error err;
    struct value v;
    if (!key_parse(key_find_dotted(dotted), text, &v, &err))
        return err.text;
    value_clear(&v);
    return "";
}
#define REFUSED(dotted, text, message) CU_ASSERT_STRING_EQUAL(refusal_of(dotted, text), message)

#define A_TIME "give a time from 0 to 10s, such as 1us (units: ps, ns, us, ms, s)"
#define A_RATE                                                                                     \
    "give a rate from 1kbps to 10Tbps, such as 100Gbps (units: bps, kbps, Mbps, Gbps, Tbps)"
#define A_LIST                                                                                     \
    "give a size such as 4KiB, a list such as 4KiB, 64KiB, or the name of a traffic file (a "      \
    "message holds at most 2 GiB)"

static void kinds_unit_values_explain_themselves(void)
{
    REFUSED("fabric.delay", "1", "'1' has no unit; " A_TIME);
    REFUSED("fabric.delay", "1.5ps", "'1.5ps' is not a whole number of the smallest unit; " A_TIME);
    REFUSED("fabric.delay", "11s", "'11s' is out of range; " A_TIME);
    REFUSED("fabric.rate", "0", "'0' is out of range; " A_RATE);
    REFUSED("fabric.rate", "-5Gbps", "'-5Gbps' is negative; " A_RATE);
    REFUSED("fabric.rate", "100Gb/s", "'100Gb/s' has an unknown unit; " A_RATE);
    REFUSED("fabric.rate", "same", "'same' is not a number; " A_RATE);
    REFUSED(
        "scenario.duration", "101000000s",
        "'101000000s' is too large; give a time from 1ps to 8640000s, such as 1us (units: ps, ns, "
        "us, ms, s), or none");
    REFUSED("scenario.duration", "8640001s",
            "'8640001s' is out of range; give a time from 1ps to 8640000s, such as 1us (units: ps, "
            "ns, us, ms, s), or none");
    REFUSED("fabric.buffer", "2000GiB",
            "'2000GiB' is out of range; give a size from 0 to 1024GiB, such as 4KiB (units: B, KB, "
            "MB, GB, KiB, MiB, GiB), or unlimited");
}

static void kinds_whole_numbers_explain_themselves(void)
{
    REFUSED(
        "qp.retry_cnt", "1000",
        "'1000' is out of range; give a whole number from 0 to 7 (the field has 3 bits; to wait "
        "longer before giving up, raise qp.timeout)");
    REFUSED("qp.timeout", "32",
            "'32' is out of range; give a whole number from 0 to 31 (the ACK timeout is 4.096 us * "
            "2^code, 0 = off: 14 is 67 ms, 18 is 1.07 s)");
    REFUSED(
        "qp.timeout", "67ms",
        "'67ms' is not a plain number; give a whole number from 0 to 31 (the ACK timeout is 4.096 "
        "us * 2^code, 0 = off: 14 is 67 ms, 18 is 1.07 s)");
    REFUSED(
        "qp.min_rnr_timer", "-1",
        "'-1' is negative; give a whole number from 0 to 31 (the code of verbs: 0 is 655.36 ms, "
        "1 is 0.01 ms, 12 is 0.64 ms)");
    REFUSED("fabric.hosts", "1e30", "'1e30' is too large; give a whole number from 2 to 49152");
    REFUSED("fabric.hosts", "65536",
            "'65536' is out of range; give a whole number from 2 to 49152");
    REFUSED("fabric.hosts", "1", "'1' is out of range; give a whole number from 2 to 49152");
    REFUSED("fabric.hosts", "2.5",
            "'2.5' is not a whole number; give a whole number from 2 to 49152");
    REFUSED("scenario.seed", "x", "'x' is not a number; give a whole number from 0 up");
}

#define A_LADDER "give up to 12 ascending times such as 20ms, 40ms, 80ms, or none"
#define A_RANGE "give two factors from 0.001 to 4 such as 0.5..1.16, or none"

static void kinds_lists_of_times_and_ranges_explain_themselves(void)
{
    REFUSED("hca.timer_ladder", "20ms, 10ms", "'20ms, 10ms' does not ascend; " A_LADDER);
    REFUSED("hca.timer_ladder", "20ms 40ms", "'20ms 40ms' has an unknown unit; " A_LADDER);
    REFUSED("hca.timer_ladder", "0", "'0' is out of range; " A_LADDER);
    REFUSED("hca.timer_ladder", "1us,2us,3us,4us,5us,6us,7us,8us,9us,10us,11us,12us,13us",
            "'1us,2us,3us,4us,5us,6us,7us,8us,9us,10us,11us,12us,13us' has more than 12 times; "
            A_LADDER);
    REFUSED("hca.timer_first", "0.5", "'0.5' has no low and high end with '..' between; " A_RANGE);
    REFUSED("hca.timer_first", "2..1", "'2..1' goes down; " A_RANGE);
    REFUSED("hca.timer_first", "0.5..5",
            "'5' is out of range; give a factor from 0 to 4, such as 1.5");
}

static void kinds_choices_list_what_there_is(void)
{
    REFUSED("fabric.topology", "satr",
            "'satr' is not one of the choices; give pair, star, dumbbell, leaf-spine, fat-tree, ring, "
            "torus, dragonfly or file; did you mean 'star'?");
    REFUSED("workload.op", "send_inv",
            "'send_inv' is not offered yet; give send, send_imm, write, write_imm, read, cmp_swap or "
            "fetch_add");
    REFUSED("qp.recovery", "selective",
            "'selective' is not one of the choices; give go-back-n, go-back-0 or selective-repeat; did you mean "
            "'selective-repeat'?");
    REFUSED("qp.service", "dc", "'dc' is not a service that is offered; give rc, uc, ud, xrc, rd or ud-ack");
    REFUSED("qp.mtu", "1500",
            "'1500' is not one of the choices; give 256, 512, 1024, 2048 or 4096");
    REFUSED("hca.ack_coalesce", "yes", "'yes' is neither on nor off; give on or off");
    REFUSED("fabric.loss.class", "data, akc",
            "'akc' is not one of the choices; give all, or any of data, ack, nak, read_resp and cm "
            "with commas between; did you mean 'ack'?");
}

static void kinds_choices_that_come_later_say_with_what(void)
{
    REFUSED("fabric.loss.class", "data, cnp",
            "'cnp' is not offered yet (it comes with congestion control); give all, or any of "
            "data, ack, nak, read_resp and cm with commas between");
}

static void kinds_fractions_explain_themselves(void)
{
    REFUSED("fabric.loss.rate", "1.1",
            "'1.1' is out of range; give a probability from 0 to 1, such as 1e-4 or 0.01%");
    REFUSED(
        "fabric.loss.rate", "1e-30",
        "'1e-30' is less than 2^-65 and would never happen; give a probability from 0 to 1, such "
        "as 1e-4 or 0.01%");
    REFUSED("workload.load", "0.12345678",
            "'0.12345678' has too many decimals; give a share from 0.0001% to 100%, such as 60% or "
            "0.6, or none");
    REFUSED(
        "workload.load", "120%",
        "'120%' is out of range; give a share from 0.0001% to 100%, such as 60% or 0.6, or none");
    REFUSED("hca.timer_slack", "0.5",
            "'0.5' is out of range; give a factor from 1 to 4, such as 1.5");
}

static void kinds_sizes_and_names_explain_themselves(void)
{
    REFUSED("workload.size", "3GiB", "'3GiB' is out of range; " A_LIST);
    REFUSED("workload.size", "4KiB, 9", "'9' has no unit; " A_LIST);
    REFUSED("workload.size", "4KiB,", "'' is empty; " A_LIST);
    REFUSED(
        "workload.buckets", "10KB, 5KB",
        "'10KB, 5KB' does not ascend; give up to 12 ascending sizes such as 10KB, 100KB, 1MB, or "
        "none");
    REFUSED("workload.buckets", "1B,2B,3B,4B,5B,6B,7B,8B,9B,10B,11B,12B,13B",
            "'1B,2B,3B,4B,5B,6B,7B,8B,9B,10B,11B,12B,13B' has more than 12 sizes; give up to 12 "
            "ascending sizes such as 10KB, 100KB, 1MB, or none");
    REFUSED("hca.profile", "x.ini", "'x.ini' is a file's name; give a name without path or ending");
    REFUSED("hca.profile", "../x", "'../x' is a path; give a name without path or ending");
}

static const struct test tests[] = {
    TEST(kinds_unit_values_explain_themselves),
    TEST(kinds_whole_numbers_explain_themselves),
    TEST(kinds_lists_of_times_and_ranges_explain_themselves),
    TEST(kinds_choices_list_what_there_is),
    TEST(kinds_choices_that_come_later_say_with_what),
    TEST(kinds_fractions_explain_themselves),
    TEST(kinds_sizes_and_names_explain_themselves),
    TESTS_END,
};
const struct suite suite_kinds = {"kinds", tests};

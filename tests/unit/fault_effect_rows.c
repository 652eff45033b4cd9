/*
 * Rows for sends that fail: what an adapter says of them, what recovery takes, and what [inject] does to hosts, QPs and
 * work requests; see key_effect_rows.h.
 *
 * A WRITE of 1 KiB alone completes after 2.096640 us; a NAK is back after as long.
 */
#include "tests/unit/key_effect_rows.h"

#define IS(metric, a, b) EXACTLY, METRIC_##metric, a, b
#define MORE(metric) RISES, METRIC_##metric, NULL, NULL
#define VERIFIED(size) "[workload]\nop = write\nsize = " size "\nmessages = 1\npayload = verify\n"
#define SPOILED(what) "[inject]\nr = spoil 0:0 " what "\n"
#define MADE_ANEW(what)                                                                            \
    "[workload]\nop = write\nsize = 1KiB\nmessages = 4\non_error = reconnect\nrecovery = " what "\n"
#define TWO_WRITES "[workload]\nop = write\nsize = 1KiB\nmessages = 2\ndepth = 1\n"
#define SHORT "[qp]\ntimeout = 1\nretry_cnt = 0\n"

const struct effect fault_effects[] = {
    {"scenario.inject", "none", "all", IS(dropped_inject, "0", "1"),
     ONE_CHANCE ONE_WRITE "[inject]\nr = drop psn=+0\n"},
    {"scenario.inject", "r", "s", IS(first_status, "10", "9"),
     ONE_WRITE "[inject]\nr = spoil 0:0 rkey wr=0\ns = rights 1:0 0 none\n"},
    {"hca.faults", "lkey 0x52", "lkey 0x53 300us", IS(first_vendor_err, "82", "83"),
     ONE_WRITE SPOILED("lkey wr=0")},
    {"hca.faults", "lkey 0x52", "lkey 0x52 300us", IS(fail_time_max_us, "0.000000", "300.000000"),
     ONE_WRITE SPOILED("lkey wr=0")},
    {"hca.write_check", "whole", "packet", IS(partial_bytes, "0", "2048"),
     VERIFIED("4KiB") SPOILED("range wr=0 inside=3000")},
    /* packets of 1 KiB: two lie inside; neither is the last, and nothing answers them */
    {"hca.sge_packets", "0", "3", IS(packets_sent, "0", "2"),
     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\n" SPOILED("sge wr=0 inside=3000")},
    {"hca.reset_time", "0", "1ms", IS(recovery_max_us, "3000.000000", "4000.000000"),
     MADE_ANEW("qp") "[inject]\nr = destroy 0:0 500ns\n"},
    {"hca.err_reset_time", "0", "1ms", IS(recovery_max_us, "3000.000000", "4000.000000"),
     MADE_ANEW("qp") SPOILED("rkey wr=1")},
    {"hca.ready_time", "1ms", "2ms", IS(recovery_max_us, "1000.000000", "2000.000000"),
     MADE_ANEW("qp") SPOILED("rkey wr=1")},
    {"hca.objects_time", "1ms", "2ms", IS(recovery_max_us, "1000.000000", "2000.000000"),
     MADE_ANEW("objects") SPOILED("rkey wr=1")},
    {"hca.driver_time", "1s", "2s", IS(recovery_max_us, "1000000.000000", "2000000.000000"),
     MADE_ANEW("driver") SPOILED("rkey wr=1")},
    {"workload.recovery", "delay", "objects", IS(recovery_max_us, "3000.000000", "10000.000000"),
     "[workload]\nop = write\nsize = 1KiB\nmessages = 4\non_error = reconnect\n" SPOILED(
         "rkey wr=1")},

    /* the process is gone before the second; its region or its QPs go first */
    {"inject.order", "kill 1 2us order=qp", "kill 1 2us order=mr", IS(first_status, "12", "10"),
     SHORT TWO_WRITES},
    /* the second WRITE arrives 3.186 us after the start */
    {"inject.gap", "kill 1 2us order=mr gap=1us", "kill 1 2us order=mr gap=1ms",
     IS(first_status, "12", "10"), SHORT TWO_WRITES},
    {"inject.stop", "stop 0 1us..3us", "stop 0 1us..9us",
     IS(completion_max_us, "3.000000", "9.000000"), ONE_WRITE},
    {"inject.error", "error 1:0 500ns", "error 1:0 5us", IS(first_status, "12", ""),
     SHORT ONE_WRITE},
    {"inject.rights", "rights 1:0 0 read,atomic", "rights 1:0 0 write", IS(completions_9, "1", "0"),
     ONE_WRITE},
    {"inject.spoil", "spoil 0:0 lkey wr=0", "spoil 0:0 remote_access wr=0",
     IS(first_status, "4", "10"), ONE_WRITE},
    {"inject.wr", "spoil 0:0 rkey wr=0", "spoil 0:0 rkey wr=1", IS(messages_delivered, "0", "1"),
     TWO_WRITES},
    {"inject.inside", "spoil 0:0 range wr=0 inside=1024", "spoil 0:0 range wr=0 inside=3072",
     IS(partial_bytes, "1024", "3072"), "[hca]\nwrite_check = packet\n" VERIFIED("4KiB")},
};
const size_t fault_effect_count = sizeof fault_effects / sizeof fault_effects[0];

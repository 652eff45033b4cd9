/*
 * Rows for the keys of an adapter's inside; see key_effect_rows.h.
 *
 * A WRITE of 1 KiB alone takes 1.089760 us to be delivered and 2.096640 us to complete; a READ 1.007840 us there
 * (98 bytes) and 1.088800 us back (1110 bytes).  What a unit or a fetch takes comes on top, at each stage.
 */
#include "tests/unit/key_effect_rows.h"

#define IS(metric, a, b) EXACTLY, METRIC_##metric, a, b
#define MORE(metric) RISES, METRIC_##metric, NULL, NULL
#define FEWER(metric) FALLS, METRIC_##metric, NULL, NULL
#define UNIT "[hca]\nunits = 1\n"
#define ONE_READ "[workload]\nop = read\nsize = 1KiB\nmessages = 1\n"
#define LOST_FIRST                                                                                 \
    "[workload]\nop = write\nsize = 2KiB\nmessages = 1\n[inject]\nr = drop psn=+0 tx=1\n"
#define MANY(n) "[workload]\nsize = 64B\nmessages = 16\ndepth = 2\nqps = " #n "\n"
#define MANY_QPS(n) "[workload]\nop = write\n" MANY(n)
#define MANY_READS(n) "[workload]\nop = read\n" MANY(n)

const struct effect adapter_effects[] = {
    /* both sides */
    {"hca.units", "none", "1", IS(latency_max_us, "1.089760", "1.289760"),
     "[hca]\nunit_time = 100ns\n" ONE_WRITE},
    {"hca.unit_time", "0", "100ns", IS(latency_max_us, "1.089760", "1.289760"), UNIT ONE_WRITE},
    /* request and response, both sides */
    {"hca.read_time", "same", "100ns", IS(latency_max_us, "2.096640", "2.496640"), UNIT ONE_READ},
    {"hca.ack_time", "0", "100ns", IS(completion_max_us, "2.096640", "2.296640"), UNIT ONE_WRITE},
    /* the first touch of each side finds nothing */
    {"hca.ctx_fetch", "0", "1us", IS(latency_max_us, "1.089760", "3.089760"),
     UNIT "ctx_entries = 4\n" ONE_WRITE},
    {"hca.ctx_entries", "unlimited", "1", IS(latency_max_us, "1.089760", "3.089760"),
     UNIT "ctx_fetch = 1us\n" ONE_WRITE},
    {"hca.ctx_ways", "all", "1", MORE(ctx_misses), UNIT "ctx_entries = 16\n" MANY_QPS(16)},
    /* 16 in turn through 12 places: with LRU none is ever there */
    {"hca.ctx_replace", "lru", "random", FEWER(ctx_misses), UNIT "ctx_entries = 12\n" MANY_QPS(16)},
    {"hca.ctx_bytes", "256B", "512B", IS(pcie_read_bytes, "1536", "2048"),
     UNIT "ctx_entries = 4\n" ONE_WRITE},
    {"hca.ctx_fetches", "any", "1", MORE(latency_max_us),
     "[hca]\nunits = 16\nctx_entries = 16\nctx_fetch = 1us\n" MANY_QPS(8)},
    /* what is on its way comes again; or all of both READs */
    {"hca.read_again", "in_place", "behind", MORE(packet_hops),
     "[workload]\nop = read\nsize = 256KiB\nmessages = 2\n"
     "[inject]\nr = drop psn=+1 class=read_resp\n"},
    {"hca.read_entries", "unlimited", "1", IS(latency_max_us, "2.096640", "4.096640"),
     UNIT "read_fetch = 1us\n" ONE_READ},
    {"hca.read_fetch", "same", "1us", IS(latency_max_us, "2.096640", "4.096640"),
     UNIT "read_entries = 4\n" ONE_READ},
    {"hca.read_ways", "all", "1", MORE(read_miss_ratio),
     UNIT "read_entries = 32\n[qp]\nmax_rd_atomic = 2\n" MANY_READS(8)},
    {"hca.read_replace", "lru", "random", FEWER(read_miss_ratio),
     UNIT "read_entries = 12\n[qp]\nmax_rd_atomic = 2\n" MANY_READS(8)},
    {"hca.wqe_batch", "none", "1", IS(latency_max_us, "1.089760", "2.089760"),
     UNIT "inline = 1KiB\npcie_latency = 1us\n" ONE_WRITE},
    {"hca.wqe_entries", "unlimited", "1", MORE(pcie_read_bytes),
     UNIT "wqe_batch = 8\n" MANY_QPS(4)},
    {"hca.mtt_entries", "unlimited", "4", IS(latency_max_us, "1.089760", "3.089760"),
     UNIT "ctx_fetch = 1us\n" ONE_WRITE},
    {"hca.mtt_ways", "all", "1", MORE(mtt_miss_ratio),
     UNIT "mtt_entries = 64\n[workload]\nregion = 256KiB\n" MANY_QPS(16)},
    {"hca.page", "4KiB", "2MiB", FEWER(mtt_miss_ratio),
     UNIT "mtt_entries = 16\n[workload]\nregion = 4MiB\n" MANY_QPS(4)},
    {"hca.pcie_latency", "0", "1us", IS(latency_max_us, "1.089760", "2.089760"), UNIT ONE_WRITE},
    /* 1024 bytes read there and written here */
    {"hca.pcie_rate", "unlimited", "100Gbps", IS(latency_max_us, "1.089760", "1.253600"),
     UNIT ONE_WRITE},
    {"hca.pcie_reads", "any", "1", MORE(latency_max_us), UNIT "pcie_latency = 1us\n" MANY_QPS(8)},
    {"hca.doorbell", "0", "100ns", IS(latency_max_us, "1.089760", "1.189760"), UNIT ONE_WRITE},
    {"hca.inline", "0", "1KiB", IS(latency_max_us, "2.089760", "1.089760"),
     UNIT "pcie_latency = 1us\n" ONE_WRITE},
    {"hca.tx_fifo", "64KiB", "2KiB", MORE(latency_max_us),
     UNIT "pcie_latency = 1us\n[workload]\nop = write\nsize = 64KiB\nmessages = 1\n"},
    /* eight packets within 1 us: one in the unit, one waits */
    {"hca.rx_buffer", "unlimited", "2244B", IS(dropped_rx_buffer, "0", "6"),
     "[hca]\nunits = 1\nunit_time = 1us\n[fabric]\ntopology = star\nhosts = 9\n[qp]\nservice = "
     "uc\n" ONE_WRITE "pattern = incast\n"},
    /* one after the other, or both till the end */
    {"hca.turn_packets", "1", "64", FEWER(latency_min_us),
     "[workload]\nop = write\nsize = 64KiB\nmessages = 1\nqps = 2\n"},
    {"hca.cq_moderation", "1", "2", IS(completion_max_us, "2.096640", "12.096640"),
     "[hca]\ncq_moderation_time = 10us\n" ONE_WRITE},
    {"hca.cq_moderation_time", "1us", "10us", IS(completion_max_us, "3.096640", "12.096640"),
     "[hca]\ncq_moderation = 2\n" ONE_WRITE},
    /* the second of two packets tells that the first is missing: it is repeated so much later */
    {"hca.nak_delay", "0", "10us", IS(latency_max_us, "3.363360", "13.363360"), UNIT LOST_FIRST},
    {"hca.nak_reaction", "0", "10us", IS(latency_max_us, "3.363360", "13.363360"), UNIT LOST_FIRST},
    {"hca.early_packets", "none", "64", FEWER(packets_retransmitted),
     "[connect]\nmode = simulated\nrtr_late = 20us\n[qp]\ntimeout = 4\n" ONE_WRITE},
    /* one WRITE of the eight at a time */
    {"workload.host_depth", "none", "1", FEWER(latency_max_us), MANY_QPS(8)},
    {"workload.region", "none", "1MiB", MORE(mtt_miss_ratio),
     UNIT "mtt_entries = 16\n" MANY_QPS(4)},
};
const size_t adapter_effect_count = sizeof adapter_effects / sizeof adapter_effects[0];

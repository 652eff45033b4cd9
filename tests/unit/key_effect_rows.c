/*
 * A row for every key whose effect shows in a metric.
 *
 * Times follow from 80 ps a byte (100 Gb/s), 1 us a link and these packets: a WRITE of 1 KiB has
 * 1122 bytes (89.76 ns), a SEND 1106 (88.48 ns), an acknowledgement 86 (6.88 ns).  So one WRITE
 * takes 1.08976 us to be delivered and 2.09664 us to complete.  ACK timeouts: 4.096 us * 2^code.
 */
#include "tests/unit/key_effect_rows.h"

#define ALL_LOST "[fabric]\nloss.rate = 1\n"
/* Nobody repeats what is lost. */
#define CHAIN "[qp]\nservice = uc\n[fabric]\nloss.model = gilbert-elliott\n"
#define IS(metric, a, b) EXACTLY, METRIC_##metric, a, b
#define MORE(metric) RISES, METRIC_##metric, NULL, NULL
#define OTHER(metric) DIFFERS, METRIC_##metric, NULL, NULL
#define FEWER(metric) FALLS, METRIC_##metric, NULL, NULL
#define STAR(hosts) "[fabric]\ntopology = star\nhosts = " #hosts "\n"
#define WRITE_MESSAGES(n) "[workload]\nop = write\nsize = 1KiB\nmessages = " #n "\n"
#define FOUR_WAYS                                                                                  \
    "[fabric]\ntopology = leaf-spine\nshape = 2x4\ntrunk_rate = 10Gbps\n"                          \
    "[workload]\nop = write\nsize = 64KiB\nmessages = 4\n"
#define CONNECT "[connect]\nmode = simulated\n"
#define UD_ACK "[qp]\nservice = ud-ack\n"
/* Until the timers give up, nothing arrives. */
#define ALL_LOST_UD_ACK ALL_LOST UD_ACK "[workload]\nsize = 1KB\nmessages = 1\n"
#define LOSSY_UD_ACK                                                                               \
    "[fabric]\nloss.rate = 0.05\n" UD_ACK "[workload]\nsize = 16KiB\nmessages = 20\n"
#define RPC "[workload]\npattern = rpc\nmessages = 1\n"

const struct effect key_effects[] = {
    /* message n is delivered at n * 2.09664 us + 1.08976 us, n from 0 */
    {"scenario.duration", "10us", "20us", IS(messages_delivered, "5", "10"),
     "[workload]\nop = write\nsize = 1KiB\ndepth = 1\n"},
    /* 5 of 10 messages are posted by then: at 0, 2.1, 4.2, 6.3 and 8.4 us */
    {"scenario.warmup", "0", "10us", IS(messages_posted, "10", "5"),
     WRITE_MESSAGES(10) "depth = 1\n"},
    {"scenario.seed", "1", "2", OTHER(latency_mean_us),
     "[qp]\nservice = uc\n[fabric]\nloss.rate = 0.3\n" WRITE_MESSAGES(200)},

    /* two links or three */
    {"fabric.topology", "star", "dumbbell", IS(latency_max_us, "2.179520", "3.269280"), ONE_WRITE},
    /* from the first host to the second: at the same leaf, or over a spine */
    {"fabric.shape", "1x2", "2x2", IS(latency_max_us, "2.179520", "4.359040"),
     "[fabric]\ntopology = leaf-spine\n" ONE_WRITE},
    {"fabric.file", "one-switch", "two-switches-ib", IS(qps, "2", "6"),
     "[fabric]\ntopology = file\n" ONE_WRITE "pattern = all-to-all\n"},
    {"fabric.hosts", "2", "3", IS(flows, "2", "6"),
     "[fabric]\ntopology = star\n" ONE_WRITE "pattern = all-to-all\n"},
    {"fabric.rate", "100Gbps", "10Gbps", IS(latency_max_us, "1.089760", "1.897600"), ONE_WRITE},
    {"fabric.trunk_rate", "same", "10Gbps", IS(latency_max_us, "3.269280", "4.077120"),
     "[fabric]\ntopology = dumbbell\n" ONE_WRITE},
    {"fabric.trunk_delay", "same", "5us", IS(latency_max_us, "3.269280", "7.269280"),
     "[fabric]\ntopology = dumbbell\n" ONE_WRITE},
    /* one flow over four spines: the packets of a message overtake each other */
    {"fabric.routing", "ecmp", "spray", MORE(naks), FOUR_WAYS},
    {"fabric.flowlet_gap", "1ms", "0", MORE(naks), FOUR_WAYS "[fabric]\nrouting = flowlet\n"},
    /* a ring of five: the third switch's packets to the fourth go by one link, or to the fifth by three */
    {"fabric.paths", "shortest", "up-down", OTHER(latency_mean_us),
     "[fabric]\ntopology = ring\nshape = 5\nhosts = 5\n" ONE_WRITE "pattern = all-to-all\n"},
    {"fabric.delay", "1us", "3us", IS(latency_max_us, "1.089760", "3.089760"), ONE_WRITE},
    {"fabric.switch_delay", "0", "100ns", IS(latency_max_us, "2.179520", "2.279520"),
     "[fabric]\ntopology = star\n" ONE_WRITE},
    /* eight packets at once: two find room, the one that is being sent among them */
    {"fabric.buffer", "unlimited", "2244B", IS(dropped_buffer, "0", "6"),
     STAR(9) "[qp]\nservice = uc\n" ONE_WRITE "pattern = incast\n"},
    /* 20 bytes more; 56 fewer */
    {"fabric.encap", "rocev2", "rocev2-ipv6", IS(latency_max_us, "1.089760", "1.091360"),
     ONE_WRITE},
    {"fabric.encap", "rocev2", "infiniband", IS(latency_max_us, "1.089760", "1.085280"), ONE_WRITE},
    {"fabric.loss.rate", "0", "1", IS(dropped_loss, "0", "1"), "[qp]\nservice = uc\n" ONE_WRITE},
    /* certain bit errors take everything; a burst of a million packets, nearly all of them */
    {"fabric.loss.model", "bernoulli", "ber", IS(dropped_loss, "0", "1"),
     "[qp]\nservice = uc\n[fabric]\nloss.ber = 1\n" ONE_WRITE},
    {"fabric.loss.burst", "1", "1000", FEWER(messages_lost),
     CHAIN "loss.rate = 5%\n[workload]\nop = write\nsize = 64KiB\nmessages = 500\n"},
    {"fabric.loss.p", "0", "1", IS(dropped_loss, "0", "10"),
     CHAIN "loss.r = 1e-9\n" WRITE_MESSAGES(10)},
    {"fabric.loss.r", "1e-9", "1", IS(dropped_loss, "10", "5"),
     CHAIN "loss.p = 1\n" WRITE_MESSAGES(10)},
    {"fabric.loss.good", "0", "1", IS(dropped_loss, "0", "10"), CHAIN WRITE_MESSAGES(10)},
    {"fabric.loss.bad", "0", "1", IS(dropped_loss, "0", "10"),
     CHAIN "loss.p = 1\nloss.r = 1e-9\n" WRITE_MESSAGES(10)},
    {"fabric.loss.ber", "0", "1", IS(dropped_loss, "0", "1"),
     "[qp]\nservice = uc\n[fabric]\nloss.model = ber\n" ONE_WRITE},
    {"fabric.loss.class", "data", "ack", IS(messages_delivered, "0", "1"),
     ONE_CHANCE ALL_LOST ONE_WRITE},

    /* 16 packets: the last one asks, or every fourth */
    {"hca.ackreq_packets", "16", "4", IS(acks, "1", "4"),
     "[workload]\nop = write\nsize = 16KiB\nmessages = 1\n"},
    /* acknowledgements of small messages wait behind the other side's large packets */
    {"hca.ack_coalesce", "off", "on", FEWER(acks),
     "[qp]\nmtu = 4096\n[workload]\nop = write\nbidirectional = on\nmessages = 20\ndepth = 20\n"
     "size = 64B, 64B, 64B, 64B, 64B, 64B, 64B, 64B, 64B, 16KiB\nstagger = 300ns\n"},
    /* 64 packets: the last packet of every window asks */
    {"hca.window_packets", "4", "8", IS(acks, "16", "8"),
     "[workload]\nop = write\nsize = 64KiB\nmessages = 1\n"},
    {"hca.tx_delay", "0", "100ns", IS(completion_max_us, "2.096640", "2.296640"), ONE_WRITE},
    {"hca.rx_delay", "0", "100ns", IS(completion_max_us, "2.096640", "2.296640"), ONE_WRITE},
    /*
     * Two messages of four packets.  The first posted has two turns before the other has its first,
     * so it is whole after 6 packets (2 * 1122 + 4 * 1106 bytes), or after 4.
     */
    {"hca.arbitration", "packet", "message", IS(latency_min_us, "1.533440", "1.355200"),
     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\nqps = 2\n"},
    {"hca.timer_slack", "1", "4", MORE(fail_time_max_us), ONE_CHANCE ALL_LOST ONE_WRITE},
    {"hca.timer_floor", "none", "1ms", IS(fail_time_max_us, "16.384000", "1000.000000"),
     ONE_CHANCE ALL_LOST ONE_WRITE},
    {"hca.timer_factor", "1", "2", IS(fail_time_max_us, "8.192000", "16.384000"),
     "[qp]\ntimeout = 1\nretry_cnt = 0\n" ALL_LOST ONE_WRITE},
    /* the end of the ladder is the one retry */
    {"hca.timer_ladder", "none", "3us, 5us", IS(fail_time_max_us, "16.384000", "5.000000"),
     "[qp]\ntimeout = 1\nretry_cnt = 1\n" ALL_LOST ONE_WRITE},
    /* half an interval more */
    {"hca.timer_first", "none", "0.5..0.5", IS(fail_time_max_us, "16.384000", "24.576000"),
     ONE_CHANCE ALL_LOST ONE_WRITE},
    {"hca.rnr_slack", "0", "1us", IS(latency_max_us, "13.183840", "14.183840"),
     "[qp]\nmin_rnr_timer = 1\n" ONE_SEND "recv_late = 5us\n"},
    /* four READs: three at once, or all */
    {"hca.rd_atomic_pow2", "off", "on", FEWER(completion_max_us),
     "[qp]\nmax_rd_atomic = 3\n[workload]\nop = read\nsize = 1KiB\nmessages = 4\ndepth = 4\n"},
    /* an interval of less than a tick ends with the second tick */
    {"hca.timer_tick", "0", "4ms", IS(fail_time_max_us, "16.384000", "8000.000000"),
     ONE_CHANCE ALL_LOST ONE_WRITE},
    /* 0 retries, or one every 67.1 ms */
    {"hca.endless_retry", "none", "0", IS(packets_retransmitted, "0", "14"),
     "[scenario]\nduration = 1s\n[qp]\nretry_cnt = 0\n" ALL_LOST ONE_WRITE},
    /* the first send waits for nothing, the next for the credit in its ACK */
    {"hca.credits", "off", "on", MORE(completion_max_us),
     "[workload]\nop = send\nsize = 1KiB\nmessages = 4\ndepth = 4\n"},
    /* the second, third and fourth packet find the first missing */
    {"hca.nak", "once", "repeated", IS(naks, "1", "3"),
     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\n[inject]\nr = drop psn=+0\n"},
    /* the third of four packets is lost: two are sent again, or four */
    {"qp.recovery", "go-back-n", "go-back-0", IS(packets_retransmitted, "2", "4"),
     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\n[inject]\nr = drop psn=+2\n"},
    /* or one */
    {"qp.recovery", "go-back-n", "selective-repeat", IS(packets_retransmitted, "2", "1"),
     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\n[inject]\nr = drop psn=+2\n"},
    {"workload.payload", "off", "verify", IS(payload_verified, "", "1024"), ONE_WRITE},
    /* of four packets, with an ACK each or for two */
    {"qp.bdp_cap", "1", "2", IS(acks, "4", "2"),
     "[qp]\nrecovery = selective-repeat\n[workload]\nop = write\nsize = 4KiB\nmessages = 1\n"},
    /* the last of four packets is lost, all four are outstanding: few, or not */
    {"qp.rto_low", "10us", "1ms", MORE(completion_max_us), LOST_TAIL "[qp]\nrto_low_packets = 4\n"},
    {"qp.rto_low_packets", "4", "3", MORE(completion_max_us), LOST_TAIL},
    /* two losses within a message, the second in the repetition: NAKs for both, or a timeout */
    {"hca.nak_progress", "restores", "none", IS(ack_timeouts, "0", "1"),
     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\n[inject]\nr = drop psn=+1 tx=1\n"
     "s = drop psn=+2 tx=2\n"},
    /* the second packet finds no receive either */
    {"hca.rnr_silence", "kept", "broken", IS(naks, "0", "1"),
     "[qp]\nmin_rnr_timer = 1\n[workload]\nop = send\nsize = 2KiB\nmessages = 1\n"
     "recv_late = 5us\n"},
    /* a wait of 163.84 ms, an ACK timeout of 67.1 ms */
    {"hca.rnr_timer", "stops", "runs", IS(completions_12, "0", "1"),
     "[qp]\nmin_rnr_timer = 28\nretry_cnt = 0\n" ONE_SEND "recv_late = 150ms\n"},
    {"hca.dup_ack_when", "asked", "always", IS(acks, "1", "2"),
     "[workload]\nop = write\nsize = 2KiB\nmessages = 1\n[inject]\nr = dup psn=+0\n"},
    /* four READs of one packet one after the other, or at once */
    {"qp.max_rd_atomic", "16", "1", MORE(completion_max_us),
     "[workload]\nop = read\nsize = 1KiB\nmessages = 4\ndepth = 4\n"},
    /* the second READ arrives while the first is being answered */
    {"qp.max_dest_rd_atomic", "16", "1", IS(completions_9, "0", "1"),
     "[workload]\nop = read\nsize = 64KiB\nmessages = 4\ndepth = 4\n"},
    {"hca.rows", "none", "rc.no_recv: nak_rem_op error", IS(rnr_naks, "1", "0"),
     "[qp]\nmin_rnr_timer = 1\n" ONE_SEND "recv_late = 5us\n"},

    {"qp.service", "rc", "uc", IS(acks, "1", "0"), ONE_WRITE},
    /* 8 timeouts of 67108.864 us, or 5 */
    {"qp.preset", "perftest", "spdk", IS(fail_time_max_us, "536870.912000", "335544.320000"),
     ALL_LOST ONE_WRITE},
    {"qp.mtu", "1024", "4096", IS(packets_sent, "5", "2"),
     "[workload]\nop = write\nsize = 4KiB\nmessages = 1\n"},
    {"qp.timeout", "1", "3", IS(fail_time_max_us, "8.192000", "32.768000"),
     ALL_LOST "[qp]\nretry_cnt = 0\n" ONE_WRITE},
    {"qp.retry_cnt", "0", "3", IS(fail_time_max_us, "8.192000", "32.768000"),
     ALL_LOST "[qp]\ntimeout = 1\n" ONE_WRITE},
    {"qp.rnr_retry", "0", "3", IS(rnr_naks, "1", "4"),
     "[qp]\nmin_rnr_timer = 1\n" ONE_SEND "recv_late = 1s\n"},
    /* 2 us and 95.36 ns to the RNR NAK, 10 or 20 us of waiting, 1.08848 us to the receiver */
    {"qp.min_rnr_timer", "1", "2", IS(latency_max_us, "13.183840", "23.183840"),
     ONE_SEND "recv_late = 5us\n"},
    {"qp.sq_depth", "1", "128", MORE(messages_delivered),
     "[scenario]\nduration = 100us\n[workload]\nop = write\nsize = 1KiB\nload = 100%\n"},
    {"qp.rq_depth", "2", "1", IS(rnr_naks, "0", "1"),
     "[qp]\nmin_rnr_timer = 1\n[workload]\nop = send\nsize = 1KiB\nmessages = 2\n"
     "recv_repost = 5us\n"},
    /* three QPs with 128 receives of 16 bytes each, or 128 for all: beside 3 * 256 + 64 * 128 */
    {"qp.srq", "off", "on", IS(host_memory_bytes, "15104", "11008"),
     STAR(4) "[workload]\npattern = incast\nop = send\nsize = 1KiB\nmessages = 1\n"},
    {"qp.srq_depth", "2", "1", IS(rnr_naks, "0", "1"),
     "[qp]\nsrq = on\nmin_rnr_timer = 1\n[workload]\nop = send\nsize = 1KiB\nmessages = 2\n"
     "recv_repost = 5us\n"},
    /* one QP a host */
    {"qp.service", "rc", "ud-ack", IS(qps, "12", "4"),
     STAR(4) "[workload]\npattern = all-to-all\nsize = 1KiB\nmessages = 1\n"},
    {"udack.window", "1", "64", MORE(goodput_gbps),
     UD_ACK "[workload]\nsize = 16KiB\nmessages = 4\n"},
    {"udack.reorder", "0", "63", FEWER(packets_retransmitted), LOSSY_UD_ACK},
    {"udack.recovery", "go-back-n", "selective", FEWER(packets_retransmitted), LOSSY_UD_ACK},
    {"udack.fast_after", "0", "3", FEWER(ack_timeouts), LOSSY_UD_ACK},
    /* 17 datagrams of 1008 bytes; the last one asks */
    {"udack.ack_every", "1", "16", IS(acks, "17", "2"),
     UD_ACK "[workload]\nsize = 16KiB\nmessages = 1\n"},
    /* 1106 bytes, or 106 of an acknowledgement, and 1 us each way: 2.09696 us */
    {"udack.ack_delay", "1us", "10us", IS(completion_max_us, "3.096960", "12.096960"),
     UD_ACK "[udack]\nask_last = off\n[workload]\nsize = 1000B\nmessages = 1\n"},
    {"udack.ask_last", "on", "off", IS(completion_max_us, "2.096960", "7.096960"),
     UD_ACK "[workload]\nsize = 1000B\nmessages = 1\n"},
    {"udack.retries", "0", "3", IS(fail_time_max_us, "1000.000000", "4000.000000"),
     ALL_LOST_UD_ACK},
    {"udack.rto", "1ms", "2ms", IS(fail_time_max_us, "1000.000000", "2000.000000"),
     ALL_LOST_UD_ACK "[udack]\nretries = 0\n"},
    /* three timeouts of 1 ms; of 1, 2 and 4 */
    {"udack.adaptive", "off", "on", IS(fail_time_max_us, "3000.000000", "7000.000000"),
     ALL_LOST_UD_ACK "[udack]\nretries = 2\n"},
    /* a round trip of 2.1 us is measured before the second message is lost */
    {"udack.rto_min", "10us", "50us", IS(fail_time_max_us, "10.000000", "50.000000"),
     UD_ACK "[udack]\nadaptive = on\nretries = 0\n[workload]\nsize = 1000B\nmessages = 2\n"
            "depth = 1\n[inject]\nr = drop psn=+1\n"},
    {"udack.rto_max", "1ms", "4ms", IS(fail_time_max_us, "3000.000000", "7000.000000"),
     ALL_LOST_UD_ACK "[udack]\nadaptive = on\nretries = 2\n"},
    /* five datagrams, 1 us each before the next leaves: the first at 0, the last at 4 us */
    {"udack.cpu", "0", "1us", IS(latency_max_us, "1.370080", "5.089120"),
     UD_ACK "[workload]\nsize = 4KiB\nmessages = 1\n"},

    {"workload.pattern", "pair", "ring", IS(flows, "1", "4"), STAR(4) ONE_WRITE},
    {"workload.pattern", "incast", "all-to-all", IS(flows, "3", "12"), STAR(4) ONE_WRITE},
    {"workload.pattern", "ring", "rpc", IS(flows, "4", "3"), STAR(4) ONE_SEND},
    {"workload.op", "send", "write", IS(latency_max_us, "1.088480", "1.089760"),
     "[workload]\nsize = 1KiB\nmessages = 1\n"},
    /* 4 bytes of immediate data */
    {"workload.op", "send", "send_imm", IS(latency_max_us, "1.088480", "1.088800"),
     "[workload]\nsize = 1KiB\nmessages = 1\n"},
    {"workload.op", "write", "write_imm", IS(latency_max_us, "1.089760", "1.090080"),
     "[workload]\nsize = 1KiB\nmessages = 1\n"},
    {"workload.size", "1KiB", "4KiB", IS(bytes_delivered, "2048", "8192"),
     "[workload]\nop = write\nmessages = 2\n"},
    {"workload.size", "1KiB", "1KiB, 4KiB", IS(bytes_delivered, "2048", "5120"),
     "[workload]\nop = write\nmessages = 2\n"},
    {"workload.size", "1B", "websearch", MORE(bytes_delivered),
     "[workload]\nop = write\nmessages = 1\n"},
    {"workload.depth", "1", "2", MORE(goodput_gbps), WRITE_MESSAGES(10)},
    {"workload.messages", "1", "10", IS(messages_posted, "1", "10"),
     "[workload]\nop = write\nsize = 1KiB\n"},
    {"workload.messages", "10", "auto", IS(messages_posted, "10", "1000"),
     "[workload]\nop = write\nsize = 64B\n"},
    {"workload.load", "10%", "50%", MORE(messages_posted),
     "[scenario]\nduration = 100us\n[workload]\nop = write\nsize = 4KiB\n"},
    {"workload.qps", "1", "3", IS(qps, "2", "6"), ONE_WRITE},
    /* hosts 1 and 2 send to 0, where nothing arrives; or 0 and 2 to 1 */
    {"workload.target", "0", "1", IS(messages_delivered, "0", "2"),
     STAR(3) ONE_CHANCE ONE_WRITE
     "pattern = incast\n[inject]\nr = drop to=0 class=data count=all\n"},
    {"workload.bidirectional", "off", "on", IS(flows, "1", "2"), ONE_WRITE},
    /* message n is delivered 2.09664 us * n + 1.08976 us after the start */
    {"workload.start", "0", "5us", IS(messages_delivered, "5", "2"),
     "[scenario]\nduration = 10us\n[workload]\nop = write\nsize = 1KiB\ndepth = 1\n"},
    /* two packets meet at the switch, or do not */
    {"workload.stagger", "0", "5us", IS(latency_max_us, "2.269280", "2.179520"),
     STAR(3) ONE_WRITE "pattern = incast\n"},
    /* the first completion comes with the second message */
    {"workload.signal_every", "1", "2", IS(completion_min_us, "2.096640", "2.186400"),
     WRITE_MESSAGES(4)},
    {"workload.file", "sample-flow.txt", "sample.cm", IS(messages_posted, "4", "3"),
     STAR(4) "[workload]\npattern = trace\nop = write\n"},
    /* one WRITE after the other, completions at 2.09664, or seen at 3, 6, 9 us */
    {"workload.poll_every", "0", "3us", IS(completion_max_us, "2.096640", "3.000000"),
     WRITE_MESSAGES(3) "depth = 1\n"},
    {"workload.recv_late", "0", "5us", IS(rnr_naks, "0", "1"),
     "[qp]\nmin_rnr_timer = 1\n" ONE_SEND},
    {"workload.recv_repost", "0", "5us", IS(rnr_naks, "0", "1"),
     "[qp]\nmin_rnr_timer = 1\nrq_depth = 1\n[workload]\nop = send\nsize = 1KiB\nmessages = 2\n"},
    {"workload.recv_serial", "off", "on", MORE(completion_max_us),
     "[qp]\nmin_rnr_timer = 1\nrq_depth = 4\n[workload]\nop = send\nsize = 1KiB\nmessages = 16\n"
     "recv_repost = 4us\n"},
    /* 960 bytes more: 76.8 ns */
    {"workload.request_size", "64B", "1KiB", IS(rpc_max_us, "2.372480", "2.449280"), RPC},
    {"workload.response_size", "64B", "1KiB", IS(rpc_max_us, "2.030240", "2.107040"), RPC},
    {"workload.data", "none", "write", IS(bytes_delivered, "4160", "5184"), RPC "size = 1KiB\n"},
    /* 5 us; the response no longer waits for the request's acknowledgement to leave (6.88 ns) */
    {"workload.service", "0", "5us", IS(rpc_max_us, "2.372480", "7.365600"), RPC},
    /* attempts of 8.192 us and 100 (200) us between them: 9 (4) new connections in 1 ms */
    {"workload.on_error", "stop", "reconnect", IS(reconnects, "0", "9"),
     "[scenario]\nduration = 1ms\n[qp]\ntimeout = 1\nretry_cnt = 0\n" ALL_LOST ONE_WRITE
     "reconnect_delay = 100us\n"},
    {"workload.reconnect_delay", "100us", "200us", IS(reconnects, "9", "4"),
     "[scenario]\nduration = 1ms\n[qp]\ntimeout = 1\nretry_cnt = 0\n" ALL_LOST ONE_WRITE
     "on_error = reconnect\n"},
    /* 324.576 us, when the third new connection is due, is over 300 us after the first error */
    {"workload.reconnect_give_up", "never", "300us", IS(reconnects, "9", "2"),
     "[scenario]\nduration = 1ms\n[qp]\ntimeout = 1\nretry_cnt = 0\n" ALL_LOST ONE_WRITE
     "on_error = reconnect\nreconnect_delay = 100us\n"},
    /* a flow in trouble at the end has stalled since its first post */
    {"workload.reconnect_give_up", "never", "300us",
     IS(io_stall_max_us, "1000.000000", "324.576000"),
     "[scenario]\nduration = 1ms\n[qp]\ntimeout = 1\nretry_cnt = 0\n" ALL_LOST ONE_WRITE
     "on_error = reconnect\nreconnect_delay = 100us\n"},
    /*
     * A MAD has 346 bytes: 27.68 ns.  REQ and REP take 2.05536 us; three REQs follow each other, or
     * each waits for the RTU before it.
     */
    {"connect.mode", "instantaneous", "simulated", IS(mads_sent, "", "3"), ONE_WRITE},
    {"connect.cm_timeout", "4", "5", IS(connect_max_us, "67.591360", "133.127360"),
     CONNECT "[inject]\nr = drop class=cm count=1 from=0\n" ONE_WRITE},
    {"connect.cm_retries", "0", "3", IS(mads_sent, "2", "5"),
     CONNECT "cm_timeout = 1\n" ALL_LOST "loss.class = cm\n" ONE_WRITE},
    {"connect.handshakes", "unlimited", "1", IS(connect_max_us, "2.110720", "6.221440"),
     CONNECT ONE_WRITE "qps = 3\n"},
    {"connect.accept_time", "0", "5us", IS(connect_max_us, "2.055360", "7.055360"),
     CONNECT ONE_WRITE},
    {"connect.mra", "none", "3", IS(mads_sent, "3", "4"), CONNECT "accept_time = 1us\n" ONE_WRITE},
    /* behind the RTU; the first WRITE is dropped and sent again 4.096 us * 2^2 later */
    {"connect.rtr_late", "0", "10us", IS(latency_max_us, "1.117440", "17.501440"),
     CONNECT "[qp]\ntimeout = 2\n" ONE_WRITE},
    {"connect.timewait", "1ms", "2ms", MORE(latency_max_us),
     CONNECT ONE_CHANCE "[inject]\nr = drop class=data count=1 from=0\n" ONE_WRITE
                        "on_error = reconnect\n"},
    {"workload.slowdown", "off", "on", IS(slowdown_mean, "", "1.000000"), ONE_WRITE},
};
const size_t key_effect_count = sizeof key_effects / sizeof key_effects[0];

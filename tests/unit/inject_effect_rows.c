/*
 * A row for every action, every word and every field of [inject] whose effect shows in a metric.
 *
 * Most rules hit one packet of one message that has a single chance: what the rule does decides
 * whether the message is delivered, or which error status it ends with.
 */
#include "tests/unit/key_effect_rows.h"

#define IS(metric, a, b) EXACTLY, METRIC_##metric, a, b
#define PAIR_OF_PACKETS ONE_CHANCE ONE_WRITE /* the WRITE, PSN 0, and its acknowledgement */
/* Eight packets that nobody acknowledges or repeats. */
#define EIGHT "[qp]\nservice = uc\n[workload]\nop = write\nsize = 8KiB\nmessages = 1\n"
#define RNR_NAK_10US "[qp]\nmin_rnr_timer = 1\n"

const struct effect inject_effects[] = {
    {"inject.drop", "drop psn=+1", "drop psn=+0", IS(dropped_inject, "0", "1"), PAIR_OF_PACKETS},
    /* the copy too is acknowledged */
    {"inject.dup", "dup psn=+1", "dup class=data", IS(packet_hops, "2", "4"), PAIR_OF_PACKETS},
    {"inject.dup", "dup delay 1us class=data", "dup delay 5us class=data",
     IS(packet_hops, "4", "2"), "[scenario]\nduration = 4us\n" PAIR_OF_PACKETS},
    {"inject.delay", "delay 1us class=data", "delay 3us class=data",
     IS(latency_max_us, "2.089760", "4.089760"), PAIR_OF_PACKETS},
    {"inject.corrupt", "corrupt psn=+1", "corrupt class=data", IS(dropped_icrc, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.rewrite", "rewrite dest_qp=9 psn=+1", "rewrite dest_qp=9 class=data",
     IS(messages_delivered, "1", "0"), PAIR_OF_PACKETS},
    /* a NAK (invalid request) in time, or too late */
    {"inject.forge", "forge at=10ns from=1 to=0 opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+0 syndrome=97",
     "forge at=10us from=1 to=0 opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+0 syndrome=97",
     IS(completions_9, "1", "0"), PAIR_OF_PACKETS},
    /* sent at 0, 16.384 and 32.768 us */
    {"inject.link", "link 0-1 down 0us..20us", "link 0-1 down 0us..40us",
     IS(dropped_link_down, "2", "3"), "[qp]\ntimeout = 2\n" ONE_WRITE},
    /* arrives at 1.08848 and 13.18384 us */
    {"inject.stall", "stall 1 0us..5us", "stall 1 0us..15us", IS(rnr_naks, "1", "2"),
     RNR_NAK_10US ONE_SEND},
    /* down for 10 us from 0, 30, 60, 90 us on; sent every 32.768 us, the fifth time at 131.072 */
    {"inject.every", "link 0-1 down 0us..10us every=30us count=1",
     "link 0-1 down 0us..10us every=30us", IS(dropped_link_down, "1", "4"),
     "[qp]\ntimeout = 3\n" ONE_WRITE},
    /* the receive for the second is due at 13.18384 us */
    {"inject.count", "stall 1 0us..5us every=12us count=1", "stall 1 0us..5us every=12us count=2",
     IS(rnr_naks, "1", "2"),
     RNR_NAK_10US "rq_depth = 1\n[workload]\nop = send\nsize = 1KiB\nmessages = 2\ndepth = 1\n"},
    {"inject.nopoll", "nopoll 0 0us..1us", "nopoll 0 0us..5us",
     IS(completion_max_us, "2.096640", "5.000000"), PAIR_OF_PACKETS},
    {"inject.kill", "kill 1 500ns", "kill 1 5us", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.destroy", "destroy 1:0 500ns", "destroy 1:0 5us", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},

    {"inject.from", "drop from=0", "drop from=1", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.to", "drop to=0", "drop to=1", IS(messages_delivered, "1", "0"), PAIR_OF_PACKETS},
    {"inject.dir", "drop dir=a2b", "drop dir=b2a", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.class", "drop class=data", "drop class=ack", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},
    /* no receive is posted: the answer is an RNR NAK, which is a nak */
    {"inject.class", "drop class=data", "drop class=cm", IS(mads_lost, "0", "1"),
     "[connect]\nmode = simulated\ncm_timeout = 4\n" ONE_WRITE},
    {"inject.class", "drop class=ack count=all", "drop class=nak count=all",
     IS(dropped_inject, "0", "1"), ONE_CHANCE "rnr_retry = 0\n" ONE_SEND "recv_late = 1s\n"},
    {"inject.op", "drop op=RC_WRITE_ONLY", "drop op=RC_ACKNOWLEDGE",
     IS(messages_delivered, "0", "1"), PAIR_OF_PACKETS},
    {"inject.op", "drop op=WRITE_ONLY", "drop op=ACKNOWLEDGE", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.psn", "drop psn=+0", "drop psn=+1", IS(messages_delivered, "0", "1"), PAIR_OF_PACKETS},
    {"inject.qp", "drop qp=2 class=data", "drop qp=3 class=data", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.tx", "drop class=data tx=1", "drop class=data tx=2", IS(messages_delivered, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.link", "drop link=h0-s0 class=data", "drop link=h1-s0 class=data",
     IS(packet_hops, "0", "1"), "[fabric]\ntopology = star\n" PAIR_OF_PACKETS},
    /* the first of eight packets, or the fourth: all from there on are sent again */
    {"inject.skip", "drop class=data", "drop class=data skip=3",
     IS(packets_retransmitted, "8", "5"), "[workload]\nop = write\nsize = 8KiB\nmessages = 1\n"},
    {"inject.count", "drop count=3", "drop count=all", IS(dropped_inject, "3", "8"), EIGHT},
    {"inject.every", "drop every=2", "drop every=4", IS(dropped_inject, "4", "2"), EIGHT},
    {"inject.p", "drop p=0", "drop p=1", IS(dropped_inject, "0", "8"), EIGHT},
    {"inject.burst", "drop p=0 burst=1000000", "drop p=99.99% burst=1000000",
     IS(dropped_inject, "0", "8"), EIGHT},
    {"inject.ber", "drop ber=0", "drop ber=1", IS(dropped_inject, "0", "8"), EIGHT},
    {"inject.ip_id", "drop ip_id=1/1", "drop ip_id=3/3", IS(dropped_inject, "4", "2"), EIGHT},
    /* 88.48 ns and 7 of 88.48, the first of 89.76 */
    {"inject.during", "drop during=0us..100ns", "drop during=100ns..1us",
     IS(dropped_inject, "2", "6"), EIGHT},

    {"inject.opcode", "rewrite opcode=RC_WRITE_ONLY class=data",
     "rewrite opcode=RC_SEND_ONLY class=data", IS(rnr_naks, "0", "1"), PAIR_OF_PACKETS},
    {"inject.psn", "rewrite psn=0 class=data", "rewrite psn=1 class=data", IS(naks, "0", "1"),
     PAIR_OF_PACKETS},
    {"inject.psn_add", "rewrite psn_add=0 class=data", "rewrite psn_add=1 class=data",
     IS(naks, "0", "1"), PAIR_OF_PACKETS},
    /* a PSN from before is no gap */
    {"inject.psn_add", "rewrite psn_add=1 class=data", "rewrite psn_add=-1 class=data",
     IS(naks, "1", "0"), PAIR_OF_PACKETS},
    {"inject.ackreq", "rewrite ackreq=1 class=data", "rewrite ackreq=0 class=data",
     IS(acks, "1", "0"), PAIR_OF_PACKETS},
    {"inject.syndrome", "rewrite syndrome=97 class=ack", "rewrite syndrome=99 class=ack",
     IS(completions_11, "0", "1"), PAIR_OF_PACKETS},
    {"inject.dest_qp", "rewrite dest_qp=2 class=data", "rewrite dest_qp=9 class=data",
     IS(messages_delivered, "1", "0"), PAIR_OF_PACKETS},
    {"inject.pkey", "rewrite pkey=65535 class=data", "rewrite pkey=1 class=data",
     IS(messages_delivered, "1", "0"), PAIR_OF_PACKETS},
    {"inject.tver", "rewrite tver=0 class=data", "rewrite tver=1 class=data",
     IS(messages_delivered, "1", "0"), PAIR_OF_PACKETS},
    /* hosts register 64 KiB and up: an address outside of that is refused */
    {"inject.va", "rewrite va=65536 class=data", "rewrite va=1 class=data",
     IS(completions_10, "0", "1"), PAIR_OF_PACKETS},
    {"inject.va_add", "rewrite va_add=0 class=data", "rewrite va_add=-1 class=data",
     IS(completions_10, "0", "1"), PAIR_OF_PACKETS},
    {"inject.rkey", "rewrite rkey=99 psn=+1", "rewrite rkey=99 class=data",
     IS(completions_10, "0", "1"), PAIR_OF_PACKETS},
    {"inject.dmalen", "rewrite dmalen=1024 class=data", "rewrite dmalen=1000 class=data",
     IS(completions_9, "0", "1"), PAIR_OF_PACKETS},
    {"inject.payload", "rewrite payload=1024 class=data", "rewrite payload=1000 class=data",
     IS(completions_9, "0", "1"), PAIR_OF_PACKETS},
    /* the ICRC leaves BTH byte 4 out */
    {"inject.at", "corrupt at=4 class=data", "corrupt at=5 class=data", IS(dropped_icrc, "0", "1"),
     PAIR_OF_PACKETS},
    /* BTH 12, RETH 16, payload 1024, ICRC 4: the last byte is 1055 */
    {"inject.at", "corrupt at=1055 class=data", "corrupt at=1056 class=data",
     IS(dropped_icrc, "1", "0"), PAIR_OF_PACKETS},
    /* of a forged packet: when */
    {"inject.at", "forge at=1us from=1 to=0 opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+0 syndrome=98",
     "forge at=2us from=1 to=0 opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+0 syndrome=98",
     IS(completions_10, "1", "0"), PAIR_OF_PACKETS},
};
const size_t inject_effect_count = sizeof inject_effects / sizeof inject_effects[0];

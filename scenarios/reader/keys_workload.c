/* Who sends what, how connections come about, what is explored: [workload], [connect], [explore].  See keys_rows.h. */
#include "scenarios/reader/keys_rows.h"

static const struct key rows[] = {
    {"workload", "pattern", KIND_CHOICE, AT(load.pattern), "pair", 0, 0,
     .choice =
         WORDS(OFFERED("pair", LOAD_PAIR), OFFERED("incast", LOAD_INCAST),
               OFFERED("all-to-all", LOAD_ALL_TO_ALL), OFFERED("permutation", LOAD_PERMUTATION),
               OFFERED("ring", LOAD_RING), OFFERED("rpc", LOAD_RPC), OFFERED("trace", LOAD_TRACE)),
     .meaning = "pair: host 0 sends to host 1; incast: all send to target; all-to-all: each "
                "to every other; permutation: each to one other and from one other, drawn by "
                "the seed; ring: host h to h + 1; rpc: all ask target, which answers; trace: "
                "see file."},
    {"workload", "op", KIND_CHOICE, AT(load.op), "send", 0, 0,
     .choice = WORDS(OFFERED("send", XP_WR_SEND), OFFERED("send_imm", XP_WR_SEND_IMM),
                     OFFERED("write", XP_WR_WRITE), OFFERED("write_imm", XP_WR_WRITE_IMM),
                     OFFERED("read", XP_WR_READ), OFFERED("cmp_swap", XP_WR_CMP_SWAP),
                     OFFERED("fetch_add", XP_WR_FETCH_ADD), LATER("send_inv")),
     .meaning =
         "Operation of each message.  read: the data comes from the other end, and the message "
         "is delivered at the end that asks; atomics are of 8 bytes.  rpc is made of sends."},
    {"workload", "size", KIND_SIZES, AT(load.size), "64KiB", 0, MESSAGE_MAX,
     .meaning =
         "Size of a message; a list of sizes used in turn; or a traffic file with a "
         "distribution: between two rows sizes are spread evenly, and a first row above 0 is "
         "the share of this very size.  rpc: size of the data that the server writes "
         "or reads (see data), not of request or response.  trace: the file has the sizes.",
     .advice = "a message holds at most 2 GiB"},
    {"workload", "depth", KIND_WHOLE, AT(load.depth), "16", 1, 1u << 20,
     .meaning = "Closed loop: messages (rpc: requests) that a flow keeps outstanding."},
    {"workload", "host_depth", KIND_WHOLE, AT(load.host_depth), "none", 1, 1u << 20,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Closed loop: messages that a sending host keeps outstanding over all its flows, each on "
                "a flow drawn at random; depth then has no effect."},
    {"workload", "region", KIND_SIZE, AT(load.region_bytes), "none", 1, (uint64_t)1 << 44,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Memory of each host in which messages lie anywhere, so that they touch many "
                "translations (hca.mtt_entries); none: every message lies at its beginning."},
    {"workload", "messages", KIND_WHOLE, AT(load.messages), "auto", 1, (uint64_t)1 << 40,
     .choice = WORDS(OFFERED("auto", UINT64_MAX), OFFERED("unlimited", 0)),
     .meaning = "Messages per flow (rpc: requests per connection); auto: 1000, or unlimited "
                "where there is a duration.  trace: the file has them."},
    {"workload", "load", KIND_SHARE, AT(load.load_ppm), "none", 1, 1000000,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning =
         "Open loop: payload that a sending host offers, as a share of its link rate; "
         "none: closed loop.  It needs scenario.duration.  rpc: one arrival stands for request, "
         "response and data together."},
    {"workload", "qps", KIND_WHOLE, AT(load.qps), "1", 1, 65536,
     .meaning = "Connections between each two hosts that communicate."},
    {"workload", "target", KIND_WHOLE, AT(load.target), "0", 0, 65534,
     .meaning = "incast: the host that receives; rpc: the server."},
    {"workload", "bidirectional", KIND_BOOL, AT(load.bidirectional), "off",
     .meaning = "pair, permutation, ring: traffic both ways on each connection."},
    {"workload", "payload", KIND_CHOICE, AT(load.payload), "off", 0, 0,
     .choice = WORDS(OFFERED("off", LOAD_PAYLOAD_OFF), OFFERED("verify", LOAD_PAYLOAD_VERIFY)),
     .meaning =
         "off: payload is counted.  verify: real bytes travel with the packets and every message "
         "is compared where it ought to lie (payload_verified, payload_mismatches); services "
         "that connect, without shared receive queues, not pattern rpc."},
    {"workload", "start", KIND_TIME, AT(load.start_ps), "0", 0, DAYS_100,
     .meaning = "Time of the first post."},
    {"workload", "stagger", KIND_TIME, AT(load.stagger_ps), "0", 0, 1000 * TM_S,
     .meaning = "Host h starts h times this long after start."},
    {"workload", "signal_every", KIND_WHOLE, AT(load.signal_every), "1", 1, 1u << 20,
     .meaning = "Every n-th request asks for a completion.  So do the last one, and those "
                "that fill half of sq_depth or (closed loop) half of depth: 16 with depth = "
                "16 is in effect 8."},
    {"workload", "file", KIND_FLOWS, AT(load.flow), "none", 0, 0,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "trace: file with one message a line.  HPCC: src dst pg [dport] bytes seconds, of "
                "which pg and dport are ignored; htsim (.cm): start in ps, size in bytes.  "
                "The messages from one host to another share their QP, or take their qps QPs "
                "in turn; other simulators give each flow a QP of its own."},
    {"workload", "recv_late", KIND_TIME, AT(load.receiver.late_ps), "0", 0, DAYS_100,
     .meaning = "Hosts post their first receives at this time."},
    {"workload", "recv_repost", KIND_TIME, AT(load.receiver.repost_ps), "0", 0, 1000 * TM_S,
     .meaning = "Time from a receive's completion until another takes its place: a slow "
                "consumer."},
    {"workload", "recv_serial", KIND_BOOL, AT(load.receiver.serial), "off",
     .meaning = "on: recv_repost is spent on one receive after the other, by a single "
                "worker; off: on all at once."},
    {"workload", "poll_every", KIND_TIME, AT(load.poll_every_ps), "0", 0, 1000 * TM_S,
     .meaning = "Hosts look for completions at multiples of this time alone: what comes between waits, "
                "and with it whatever follows from it (new requests, new receives).  0: at once."},
    {"workload", "request_size", KIND_SIZE, AT(load.rpc.request_bytes), "64B", 1, MESSAGE_MAX,
     .meaning = "rpc: size of a request."},
    {"workload", "response_size", KIND_SIZE, AT(load.rpc.response_bytes), "4KiB", 1, MESSAGE_MAX,
     .meaning = "rpc: size of a response."},
    {"workload", "data", KIND_CHOICE, AT(load.rpc.data), "none", 0, 0,
     .choice = WORDS(OFFERED("none", LOAD_RPC_NONE), OFFERED("read", LOAD_RPC_READ),
                     OFFERED("write", LOAD_RPC_WRITE)),
     .meaning = "rpc: what the server does before it responds.  write: it WRITEs "
                "workload.size bytes to the client; read: it READs them from the client, and the "
                "response is fenced; none: nothing."},
    {"workload", "service", KIND_TIME, AT(load.rpc.service_ps), "0", 0, 1000 * TM_S,
     .meaning = "rpc: the server's time per request; it has one worker, and requests queue "
                "for it."},
    {"workload", "on_error", KIND_CHOICE, AT(load.retry.on_error), "stop", 0, 0,
     .choice = WORDS(OFFERED("stop", LOAD_STOP), OFFERED("reconnect", LOAD_RECONNECT)),
     .meaning = "stop: a flow ends at its first error; reconnect: both ends make the "
                "connection anew, and unfinished messages are posted again."},
    {"workload", "recovery", KIND_CHOICE, AT(load.retry.recovery), "delay", 0, 0,
     .choice = WORDS(OFFERED("delay", LOAD_RECOVER_DELAY), OFFERED("qp", LOAD_RECOVER_QP),
                     OFFERED("objects", LOAD_RECOVER_OBJECTS),
                     OFFERED("driver", LOAD_RECOVER_DRIVER)),
     .meaning = "on_error = reconnect: what is made anew, which takes the adapter's time for it "
                "(hca.reset_time ... hca.driver_time); delay: workload.reconnect_delay whatever it is."},
    {"workload", "reconnect_delay", KIND_TIME, AT(load.retry.reconnect_ps), "3ms", 1, 1000 * TM_S,
     .meaning = "on_error = reconnect: time from an error to the new connection; the default "
                "is what ERR to RTS took on a ConnectX-6."},
    {"workload", "reconnect_give_up", KIND_TIME, AT(load.retry.give_up_ps), "never", 0, DAYS_100,
     .choice = WORDS(OFFERED("never", 0)),
     .meaning = "on_error = reconnect: no more attempts this long after a flow's first error "
                "without progress."},
    {"workload", "slowdown", KIND_BOOL, AT(slowdown), "off",
     .meaning = "on: measure slowdown, each message's latency over that of the same message "
                "alone on the empty fabric."},
    {"workload", "buckets", KIND_BUCKETS, AT(bucket_edge_bytes), "none", 1, MESSAGE_MAX,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Upper edges of size classes for which buckets.csv reports slowdown apart.  "
                "Messages larger than the last edge have a class of their own, listed only "
                "if there are any."},

    {"connect", "mode", KIND_CHOICE, AT(load.connect.mode), "instantaneous", 0, 0,
     .choice = WORDS(OFFERED("instantaneous", LOAD_CONNECT_INSTANT),
                     OFFERED("simulated", LOAD_CONNECT_SIMULATED)),
     .meaning = "instantaneous: all QPs are connected at time 0, without a packet; simulated: from "
                "time 0 on by REQ, REP and RTU, datagrams of QP 1 that queue and get lost like any "
                "packet, and each flow waits for its connection."},
    {"connect", "cm_timeout", KIND_WHOLE, AT(load.connect.cm_timeout), "20", 0, 31,
     .meaning = "Wait for an answer before a REQ, REP or DREQ is sent again: 4.096 us * 2^code.  "
                "The default, 4.29 s, is that of Linux rdma_cm."},
    {"connect", "cm_retries", KIND_WHOLE, AT(load.connect.cm_retries), "15", 0, 15,
     .meaning = "Times that a REQ, REP or DREQ is sent again before the connection has failed.",
     .advice = "the field has 4 bits; to wait longer before giving up, raise connect.cm_timeout"},
    {"connect", "handshakes", KIND_WHOLE, AT(load.connect.handshakes), "unlimited", 1, 1u << 24,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning =
         "Connections that a host is in the middle of asking for at once; the others wait in "
         "order.  A connection is asked for by the host that sends (all-to-all and traces: "
         "by the one with the lower number)."},
    {"connect", "accept_time", KIND_TIME, AT(load.connect.accept_ps), "0", 0, 1000 * TM_S,
     .meaning = "Time that a host takes to answer a REQ: its application, and making the QP.  It "
                "answers one after the other."},
    {"connect", "mra", KIND_WHOLE, AT(load.connect.mra), "none", 0, 31,
     .choice = WORDS(OFFERED("none", LOAD_NO_MRA)),
     .meaning = "A REQ is answered by an MRA at once, which makes the other side wait for the REP "
                "for 4.096 us * 2^code, if that is longer than its own wait."},
    {"connect", "rtr_late", KIND_TIME, AT(load.connect.rtr_late_ps), "0", 0, 1000 * TM_S,
     .meaning = "The QP of the side that is asked moves to RTR this long after its REP: what comes "
                "before is dropped."},
    {"connect", "timewait", KIND_TIME, AT(load.connect.timewait_ps), "100ms", 0, 1000 * TM_S,
     .meaning = "Rest of a connection after its DREQ and DREP, before its QP may be connected anew "
                "(workload.on_error = reconnect).  The default is a choice."},

    {"explore", "service", KIND_TEXT, AT(explore.service_text), "same",
     .meaning = "Transport service that is explored; same: qp.service.  Those that the rest of the "
                "program does not offer yet are here too."},
    {"explore", "srq", KIND_BOOL, AT(explore.srq), "off",
     .meaning = "on: receives are taken from a shared receive queue.  Services whose requests name "
                "one always do."},
    {"explore", "operations", KIND_TEXT, AT(explore.operations), "send 100B, write_imm 600B",
     .meaning =
         "rdmasim explore: what end a posts to end b, all at once, up to 12 operations with "
         "commas between them: send, send_imm, write, write_imm, read with a size, cmp_swap, "
         "fetch_add.  read 400B of 2 reads what operation 2, a write, has written.  silent behind "
         "one: it asks for no completion; fence: it waits for READs and atomics before it.  QPs, "
         "adapter and delay "
         "are those of [qp], [hca], [fabric]; receives come at workload.recv_late; time ends "
         "at scenario.duration."},
    {"explore", "operations_back", KIND_TEXT, AT(explore.operations_back), "none",
     .meaning = "What end b posts to end a on the same connection; none: nothing."},
    {"explore", "operations_beside", KIND_TEXT, AT(explore.operations_beside), "none",
     .meaning = "What another QP of end a posts to another of end b.  Where QPs send through EE "
                "contexts, these two share theirs with the others; none: nothing."},
    {"explore", "max_faults", KIND_WHOLE, AT(explore.max_faults), "2", 0, EXPLORE_FAULTS_MAX,
     .meaning = "Every placement of up to so many faults is tried."},
    {"explore", "kinds", KIND_SET, AT(explore.kinds), "all", 0, 0,
     .choice = WORDS(OFFERED("drop", 0), OFFERED("corrupt", 1), OFFERED("dup", 2),
                     OFFERED("reorder", 3), OFFERED("delay", 4)),
     .meaning =
         "Faults that are placed.  corrupt: the ICRC is wrong, the receiver drops the packet; "
         "dup: once with the copy right behind, once with it late; reorder: behind the next "
         "packet of its direction; delay: until the ACK timer has fired, once before and once "
         "after the repetition."},
    {"explore", "faults", KIND_TEXT, AT(explore.faults_text), "any",
     .meaning = "any: all placements.  A list replays one of them: a2b 3 drop, b2a 1 delay-late; "
                "the number counts the packets of that direction from 1.  none: no fault."},
};
const struct key_list keys_workload = LIST_OF(rows);

/*
 * The key table: see keys.h.
 *
 * Defaults are those of an adapter that follows the specification to the letter on a 100 Gb/s
 * RoCE network; where a default is a choice of ours, its meaning says so.  To add a key, add a row
 * and a field: everything else follows.
 */
#include "scenarios/reader/keys.h"

#include <string.h>

#include "scenarios/reader/nearest.h"

#define AT(field) offsetof(struct scenario, field), sizeof(((struct scenario *)0)->field)
#define WORDS(...) ((const struct choice[]){__VA_ARGS__, {NULL, 0, NULL}})
#define OFFERED(name, value)                                                                       \
    {                                                                                              \
        name, value, NULL                                                                          \
    }
#define LATER_WITH(name, what)                                                                     \
    {                                                                                              \
        name, 0, what                                                                              \
    }
#define LATER(name) LATER_WITH(name, "")

#define DAYS_100 (8640000 * TM_S)
#define MESSAGE_MAX ((uint64_t)1 << 31)

static const char retry_advice[] =
    "the field has 3 bits; to wait longer before giving up, raise qp.timeout";
static const char timeout_advice[] = "the ACK timeout is 4.096 us * 2^code, 0 = off: 14 is 67 ms, "
                                     "18 is 1.07 s";
static const char rnr_advice[] = "the code of verbs: 0 is 655.36 ms, 1 is 0.01 ms, 12 is 0.64 ms";

const struct key key_table[] = {
    {"scenario", "title", KIND_TEXT, AT(title), "", .meaning = "Title of the scenario."},
    {"scenario", "question", KIND_TEXT, AT(question), "",
     .meaning = "The question that the scenario answers; it heads the plots."},
    {"scenario", "duration", KIND_TIME, AT(duration_ps), "none", 1, DAYS_100,
     .choice = WORDS(OFFERED("none", TM_NEVER)),
     .meaning =
         "End of the simulated time; none: the run ends when nothing is left to happen.  With a "
         "duration, rates such as goodput_gbps are taken over all of it (less warmup); "
         "without one, from the first post to the last delivery."},
    {"scenario", "warmup", KIND_TIME, AT(warmup_ps), "0", 0, DAYS_100,
     .meaning = "Messages posted before this time are not measured."},
    {"scenario", "seed", KIND_WHOLE, AT(seed), "1", 0, UINT64_MAX,
     .meaning = "Seed of all random draws; repetition r uses seed + r."},
    {"scenario", "repetitions", KIND_WHOLE, AT(repetitions), "1", 1, 100000,
     .meaning =
         "Runs per point of a sweep, each with its own seed.  They differ only if something is "
         "drawn: losses, arrivals, sizes, a permutation, timer_slack, p= of [inject]."},

    {"fabric", "topology", KIND_CHOICE, AT(fabric.topology), "pair", 0, 0,
     .choice = WORDS(OFFERED("pair", FAB_PAIR), OFFERED("star", FAB_STAR),
                     OFFERED("dumbbell", FAB_DUMBBELL), LATER("leaf-spine"), LATER("fat-tree"),
                     LATER("ring"), LATER("file")),
     .meaning = "pair: two hosts and a cable; star: one switch; dumbbell: two switches and a "
                "trunk, the first half of the hosts at the left switch."},
    {"fabric", "hosts", KIND_WHOLE, AT(fabric.hosts), "2", 2, 65535,
     .meaning = "Number of hosts, numbered from 0.  A pair has exactly 2, a dumbbell an even "
                "number."},
    {"fabric", "rate", KIND_RATE, AT(fabric.rate_bps), "100Gbps", 1000, 10000000000000u,
     .meaning = "Rate of every link, each way."},
    {"fabric", "trunk_rate", KIND_RATE, AT(fabric.trunk_rate_bps), "same", 1000, 10000000000000u,
     .choice = WORDS(OFFERED("same", 0)),
     .meaning = "Rate of the link between the switches of a dumbbell; same: that of the others."},
    {"fabric", "delay", KIND_TIME, AT(fabric.delay_ps), "1us", 0, 10 * TM_S,
     .meaning = "Propagation delay of every link, one way."},
    {"fabric", "switch_delay", KIND_TIME, AT(fabric.switch_delay_ps), "0", 0, 10 * TM_S,
     .meaning = "Time that each switch on the way adds to a packet."},
    {"fabric", "buffer", KIND_SIZE, AT(fabric.buffer_bytes), "1MiB", 0, (uint64_t)1 << 40,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning = "Output buffer of each switch port.  A packet counts with all its bytes on "
                "the wire, and until its last bit has left: 2244B hold two packets of 1122 "
                "bytes, the one being sent among them.  What does not fit is dropped; with 0 "
                "or unlimited nothing is.  The default is a choice: about a port's part of a "
                "shallow switch."},
    {"fabric", "encap", KIND_CHOICE, AT(fabric.encap), "rocev2", 0, 0,
     .choice = WORDS(OFFERED("rocev2", ENCAP_ROCEV2), OFFERED("rocev2-ipv6", ENCAP_ROCEV2_IPV6),
                     OFFERED("infiniband", ENCAP_INFINIBAND)),
     .meaning = "Headers around a packet on the wire: UDP over IPv4, UDP over IPv6, or "
                "InfiniBand's own.  They decide how many bytes a packet has."},
    {"fabric", "loss.rate", KIND_CHANCE, AT(fabric.loss_threshold), "0",
     .meaning = "Chance that a packet is lost on a link, for each packet and link on its own."},
    {"fabric", "loss.class", KIND_SET, AT(fabric.loss_classes), "all", 0, 0,
     .choice = WORDS(OFFERED("data", FAB_DATA), OFFERED("ack", FAB_ACK), OFFERED("nak", FAB_NAK),
                     OFFERED("read_resp", FAB_READ_RESP), LATER_WITH("cnp", "congestion control"),
                     OFFERED("cm", FAB_CM)),
     .meaning = "Kinds of packets that loss.rate may hit.  data: requests; ack: ACKs, and the "
                "answers of atomics; nak: NAKs and RNR NAKs; read_resp: READ responses; cm: the "
                "datagrams of connect.mode = simulated."},

    {"hca", "profile", KIND_NAME, AT(profile), "spec",
     .meaning = "Adapter whose figures apply: a file of the folder profiles, by its name.  A "
                "key given in the scenario overrides it."},
    {"hca", "ackreq_packets", KIND_WHOLE, AT(hca.xp.ackreq_packets), "16", 1, (1u << 23) - 1,
     .meaning = "An ACK is asked for on every n-th packet of a message and on its last.  Where "
                "window_packets is smaller, it counts instead: the packet that fills the window "
                "asks."},
    {"hca", "ack_coalesce", KIND_BOOL, AT(hca.xp.ack_coalesce), "off",
     .meaning = "on: an ACK that is still waiting to leave is replaced by a newer one.  With "
                "off, too, this happens once 64 answers of a QP wait."},
    {"hca", "window_packets", KIND_WHOLE, AT(hca.xp.window_packets), "4194304", 1, 1u << 22,
     .meaning = "PSNs that a QP may have used and not seen acknowledged.  The specification allows "
                "8388607 with the responses of READs in them; half of that is for the window, half "
                "for one READ."},
    {"hca", "tx_delay", KIND_TIME, AT(hca.tx_delay_ps), "0", 0, TM_S,
     .meaning = "Time from choosing a packet until its first bit is on the wire, for every "
                "packet."},
    {"hca", "rx_delay", KIND_TIME, AT(hca.rx_delay_ps), "0", 0, TM_S,
     .meaning = "Time from a packet's last bit until the transport acts on it; a completion "
                "that it causes follows at once."},
    {"hca", "arbitration", KIND_CHOICE, AT(hca.arbitration), "packet", 0, 0,
     .choice = WORDS(OFFERED("packet", HCA_RR_PACKET), OFFERED("message", HCA_RR_MESSAGE)),
     .meaning = "QPs take turns at the wire by the packet or by the message."},
    {"hca", "timer_slack", KIND_FACTOR, AT(hca.xp.timer_slack_milli), "1", 1000, 4000,
     .meaning = "The ACK timer runs for its nominal interval times a factor that is drawn "
                "anew each time it is set, uniformly from 1 to this one (the specification "
                "allows 4).  1: exact, so that flows which lose packets together also time out and "
                "start again together."},
    {"hca", "timer_floor", KIND_TIME, AT(hca.xp.timer_floor_ps), "none", 0, 1000 * TM_S,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Least ACK timeout of the adapter: a shorter one that qp.timeout asks for is "
                "raised to it.  qp.timeout = 0 stays without a timer."},
    {"hca", "migreq", KIND_BOOL, AT(hca.xp.migrated), "on",
     .meaning = "MigReq bit of the packets sent: on is the normal, migrated state."},
    {"hca", "timer_tick", KIND_TIME, AT(hca.xp.timer_tick_ps), "0", 0, TM_S,
     .meaning =
         "Timers fire on ticks of a clock this coarse, after their interval in whole ticks "
         "(at least one, RNR waits rounded up) and before one more; from 64 ticks on in steps "
         "of 8, from 512 of 64.  0: exactly."},
    {"hca", "endless_retry", KIND_WHOLE, AT(hca.xp.endless_retry_cnt), "none", 0, 7,
     .choice = WORDS(OFFERED("none", 8)),
     .meaning = "A qp.retry_cnt that never ends, as some adapters take 7.  The specification has "
                "none."},
    {"hca", "credits", KIND_BOOL, AT(hca.xp.credits), "off",
     .meaning = "End-to-end flow control of RC: ACKs tell how many receives wait, and a requester "
                "begins no send further than one beyond that.  RoCE adapters do without."},
    {"hca", "nak", KIND_CHOICE, AT(hca.xp.policy[XP_P_NAK]), "once", 0, 0,
     .choice = WORDS(OFFERED("once", XP_NAK_ONCE), OFFERED("repeated", XP_NAK_REPEATED)),
     .meaning = "A gap is NAKed once until it closes, or again with every packet behind it."},
    {"hca", "nak_progress", KIND_CHOICE, AT(hca.xp.policy[XP_P_NAK_PROGRESS]), "restores", 0, 0,
     .choice =
         WORDS(OFFERED("restores", XP_NAK_PROGRESS_RESTORES), OFFERED("none", XP_NAK_PROGRESS_NONE)),
     .meaning = "A NAK that acknowledges a part of its message restores the retries and starts one, or "
                "starts none after a retry until something else is acknowledged."},
    {"hca", "rnr_silence", KIND_CHOICE, AT(hca.xp.policy[XP_P_RNR_SILENCE]), "kept", 0, 0,
     .choice =
         WORDS(OFFERED("kept", XP_RNR_SILENCE_KEPT), OFFERED("broken", XP_RNR_SILENCE_BROKEN)),
     .meaning =
         "What a responder says of the packets behind one that drew an RNR NAK: nothing, or a "
         "NAK for the gap."},
    {"hca", "rnr_timer", KIND_CHOICE, AT(hca.xp.policy[XP_P_RNR_TIMER]), "stops", 0, 0,
     .choice = WORDS(OFFERED("stops", XP_RNR_TIMER_STOPS), OFFERED("runs", XP_RNR_TIMER_RUNS)),
     .meaning =
         "The ACK timer during the wait that an RNR NAK asks for.  runs: when it ends it uses "
         "up a retry, though nothing is sent."},
    {"hca", "dup_ack", KIND_CHOICE, AT(hca.xp.policy[XP_P_DUP_ACK]), "before_read", 0, 0,
     .choice = WORDS(OFFERED("before_read", XP_DUP_ACK_BEFORE_READ),
                     OFFERED("newest", XP_DUP_ACK_NEWEST)),
     .meaning =
         "What a repeated SEND or WRITE is acknowledged with.  before_read: all that has been "
         "executed up to the first READ or atomic behind it; newest: the newest SEND, WRITE "
         "or atomic executed, which may pass an atomic whose value is still missing."},
    {"hca", "dup_ack_when", KIND_CHOICE, AT(hca.xp.policy[XP_P_DUP_ACK_WHEN]), "asked", 0, 0,
     .choice = WORDS(OFFERED("asked", XP_DUP_ACK_ASKED), OFFERED("always", XP_DUP_ACK_ALWAYS)),
     .meaning = "Repeated packets that are acknowledged: those that ask, or all."},
    {"hca", "read_resume", KIND_CHOICE, AT(hca.xp.policy[XP_P_READ_RESUME]), "first", 0, 0,
     .choice =
         WORDS(OFFERED("first", XP_READ_RESUME_FIRST), OFFERED("middle", XP_READ_RESUME_MIDDLE)),
     .meaning =
         "The responses to a READ asked for again from its middle begin with a First or Only, "
         "or go on as the first time."},
    {"hca", "err_recv", KIND_CHOICE, AT(hca.xp.policy[XP_P_ERR_RECV]), "flush", 0, 0,
     .choice = WORDS(OFFERED("flush", XP_ERR_RECV_FLUSH), OFFERED("keep", XP_ERR_RECV_KEEP)),
     .meaning = "A receive posted to a QP in ERR completes flushed, or never."},
    {"hca", "rows", KIND_ROWS, AT(hca.xp.override), "none", 0, 0,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning =
         "Rows of the services' tables in which the adapter differs, with ';' between them: "
         "SERVICE.VERDICT: DEED [receive=STATUS] [error] [event=EVENT] [count=COUNT] for requests, "
         "SERVICE.KIND: DEED [status=STATUS] [error] for answers.  The table of the service says "
         "what "
         "is done otherwise."},
    {"hca", "max_qp_wr", KIND_WHOLE, AT(hca.xp.max_qp_wr), "16384", 1, 1u << 20,
     .meaning = "Largest qp.sq_depth and qp.rq_depth; a scenario that asks for more is "
                "refused.  Whoever lowers it below 128 lowers those two as well."},
    {"hca", "max_qp", KIND_WHOLE, AT(hca.xp.max_qp), "none", 1, 1u << 24,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Queue pairs that an adapter holds; a scenario whose busiest host has more is "
                "refused (a trace: when it starts).  none: as many as it takes."},
    {"hca", "max_cqe", KIND_WHOLE, AT(hca.xp.max_cqe), "none", 1, (1u << 31) - 1,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Completions that a completion queue holds.  A host has one queue with room for "
                "all that its send and receive queues hold; a scenario where this is more is "
                "refused (a trace: when it starts).  none: as many as it takes."},
    {"hca", "max_qp_init_rd_atom", KIND_WHOLE, AT(hca.xp.max_rd_atomic), "255", 0, 255,
     .meaning = "Largest qp.max_rd_atomic; a scenario that asks for more is refused."},
    {"hca", "max_qp_rd_atom", KIND_WHOLE, AT(hca.xp.max_dest_rd_atomic), "255", 0, 255,
     .meaning = "Largest qp.max_dest_rd_atomic; a scenario that asks for more is refused."},

    {"qp", "service", KIND_SERVICE, AT(qp.service), NULL,
     .meaning = "Transport service of every QP.  ud: one QP a host sends datagrams to all its peers, and "
                "qp.rq_depth receives are there for all; its send queue has room for qp.sq_depth "
                "requests of each flow.  xrc: an initiator and a target at either end of a connection, and the "
                "shared receive queue of qp.srq_depth that it always has.  rd: a QP for each connection, and an EE "
                "context for each other host that all of a host's QPs share; no adapter offers it.  ud-ack, where it is offered: the hosts acknowledge "
                "and retransmit datagrams themselves, over one QP each; see [udack]."},
    {"qp", "preset", KIND_NAME, AT(preset), "none", 0, 0, .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Settings of [qp] that a library or tool ships with: a file of the folder "
                "presets, by its name.  A profile and keys given in the scenario override it."},
    {"qp", "mtu", KIND_CHOICE, AT(qp.mtu), "1024", 0, 0,
     .choice = WORDS(OFFERED("256", 256), OFFERED("512", 512), OFFERED("1024", 1024),
                     OFFERED("2048", 2048), OFFERED("4096", 4096)),
     .meaning =
         "Payload bytes of a packet.  The default is what RoCE gets on Ethernet of 1500 bytes."},
    {"qp", "timeout", KIND_WHOLE, AT(qp.timeout), "14", 0, 31,
     .meaning = "ACK timeout, the code of verbs: 4.096 us * 2^code; 0: no timer.",
     .advice = timeout_advice},
    {"qp", "retry_cnt", KIND_WHOLE, AT(qp.retry_cnt), "7", 0, 7,
     .meaning =
         "Retries after a timeout or a sequence NAK before status 12 (RETRY_EXC_ERR).  Every "
         "progress, if only of a packet, gives all of them back.",
     .advice = retry_advice},
    {"qp", "rnr_retry", KIND_WHOLE, AT(qp.rnr_retry), "7", 0, 7,
     .meaning = "Retries after an RNR NAK before status 13 (RNR_RETRY_EXC_ERR); 7: for ever.",
     .advice = "7 means for ever"},
    {"qp", "min_rnr_timer", KIND_WHOLE, AT(qp.min_rnr_timer), "12", 0, 31,
     .meaning =
         "Wait that a receiver without receives asks for, the code of verbs: 0 is 655.36 "
         "ms, 1 is 0.01 ms, 12 is 0.64 ms; from 4 (0.04 ms) on, two codes more double it, up to "
         "491.52 ms.",
     .advice = rnr_advice},
    {"qp", "max_rd_atomic", KIND_WHOLE, AT(qp.max_rd_atomic), "16", 0, 255,
     .meaning =
         "READs and atomics that a requester may have outstanding; the next one waits, and all "
         "that is posted behind it."},
    {"qp", "max_dest_rd_atomic", KIND_WHOLE, AT(qp.max_dest_rd_atomic), "16", 0, 255,
     .meaning = "READs and atomics that a responder keeps, to answer them again.  A requester with "
                "more outstanding than that is refused with status 9 (REM_INV_REQ_ERR)."},
    {"qp", "sq_depth", KIND_WHOLE, AT(qp.sq_depth), "128", 1, 1u << 20,
     .meaning = "Work requests that a send queue holds."},
    {"qp", "rq_depth", KIND_WHOLE, AT(qp.rq_depth), "128", 1, 1u << 20,
     .meaning = "Work requests that a receive queue holds."},
    {"qp", "srq", KIND_BOOL, AT(qp.srq), "off",
     .meaning = "on: the QPs of a host have one shared receive queue in the place of a receive "
                "queue each."},
    {"qp", "srq_depth", KIND_WHOLE, AT(qp.srq_depth), "128", 1, 32768,
     .meaning = "Work requests that a shared receive queue holds, for all QPs of its host."},
    {"qp", "sq_psn", KIND_WHOLE, AT(qp.sq_psn), "0", 0, (1u << 24) - 1,
     .meaning = "First packet sequence number of every flow."},
    {"qp", "recovery", KIND_CHOICE, AT(hca.xp.recovery), "go-back-n", 0, 0,
     .choice = WORDS(OFFERED("go-back-n", XP_GO_BACK_N), OFFERED("go-back-0", XP_GO_BACK_0),
                     OFFERED("selective-repeat", XP_SELECTIVE)),
     .meaning = "What is sent again after a loss.  go-back-n: all packets from the lost one on; "
                "go-back-0: all of the message, as the first RoCE adapters did; selective-repeat: what is "
                "missing alone, after IRN: the receiver keeps what comes too early, and names it in its "
                "NAKs; a requester keeps READ responses, and asks for the missing ones.  No part of the "
                "specification."},
    {"qp", "bdp_cap", KIND_WHOLE, AT(hca.xp.irn.bdp_cap_packets), "110", 1, XP_SACK_MAX,
     .meaning = "Selective repeat: packets of a QP that are outstanding at most, about as many as the "
                "path holds."},
    {"qp", "rto_low", KIND_TIME, AT(hca.xp.irn.rto_low_ps), "100us", 0, 10 * TM_S,
     .meaning = "Selective repeat: ACK timeout of a QP with few packets outstanding, which no later "
                "packet's NAK can help; qp.timeout is that of the others.  0: there is only that one."},
    {"qp", "rto_low_packets", KIND_WHOLE, AT(hca.xp.irn.rto_low_packets), "3", 0, XP_SACK_MAX,
     .meaning = "Selective repeat: so many outstanding packets are few."},

    {"udack", "window", KIND_WHOLE, AT(qp.udack.cfg.window), "32", 1, 64,
     .meaning = "Datagrams that a session has unacknowledged at most: its credits."},
    {"udack", "reorder", KIND_WHOLE, AT(qp.udack.cfg.reorder), "31", 0, 63,
     .meaning = "Datagrams that a receiver holds for a session until those before them come; 0: "
                "early ones are dropped."},
    {"udack", "recovery", KIND_CHOICE, AT(qp.udack.cfg.recovery), "selective", 0, 0,
     .choice = WORDS(OFFERED("go-back-n", UDACK_GO_BACK_N), OFFERED("selective", UDACK_SELECTIVE)),
     .meaning = "What is sent again after a loss: all from the lost datagram on, or it alone."},
    {"udack", "fast_after", KIND_WHOLE, AT(qp.udack.cfg.fast_after), "3", 0, 255,
     .meaning = "A loss is taken for certain before the timer.  selective: when a datagram sent so many "
                "later has arrived; go-back-n: after so many acknowledgements that show a gap; 0: the "
                "timer alone."},
    {"udack", "ack_every", KIND_WHOLE, AT(qp.udack.cfg.ack_every), "16", 1, 255,
     .meaning = "An acknowledgement goes out at the latest with every n-th datagram."},
    {"udack", "ack_delay", KIND_TIME, AT(qp.udack.cfg.ack_delay_ps), "5us", 0, TM_S,
     .meaning = "How long an acknowledgement waits for data to ride on, or for the n-th datagram."},
    {"udack", "ask_last", KIND_BOOL, AT(qp.udack.cfg.ask_last), "on",
     .meaning = "on: the last datagram of a message asks for an acknowledgement at once.  off suits "
                "rpc: the response carries it."},
    {"udack", "retries", KIND_WHOLE, AT(qp.udack.cfg.retries), "7", 0, 255,
     .meaning = "Timeouts in a row without progress, before the one that is status 12."},
    {"udack", "rto", KIND_TIME, AT(qp.udack.cfg.rto_ps), "1ms", 1, 1000 * TM_S,
     .meaning = "Retransmission timeout; with adaptive, until a round trip was measured."},
    {"udack", "adaptive", KIND_BOOL, AT(qp.udack.cfg.adaptive), "off",
     .meaning = "on: the timeout follows measured round trips (RFC 6298) within rto_min and "
                "rto_max, and doubles at each repetition."},
    {"udack", "rto_min", KIND_TIME, AT(qp.udack.cfg.rto_min_ps), "100us", 1, 1000 * TM_S,
     .meaning = "adaptive: least timeout."},
    {"udack", "rto_max", KIND_TIME, AT(qp.udack.cfg.rto_max_ps), "1s", 1, 1000 * TM_S,
     .meaning = "adaptive: greatest timeout."},
    {"udack", "cpu", KIND_TIME, AT(qp.udack.cpu_ps), "0", 0, TM_S,
     .meaning = "Time of a host's one processor for each datagram that it sends or receives, "
                "acknowledgements included."},

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
     .meaning = "off: payload is counted.  verify: real bytes travel with the packets and every message "
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
     .meaning = "rdmasim explore: what end a posts to end b, all at once, up to 12 operations with "
                "commas between them: send, send_imm, write, write_imm, read with a size, cmp_swap, "
                "fetch_add.  read 400B of 2 reads what operation 2, a write, has written.  silent behind "
                "one: it asks for no completion; fence: it waits for READs and atomics before it.  QPs, adapter and delay "
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
     .meaning = "Faults that are placed.  corrupt: the ICRC is wrong, the receiver drops the packet; "
                "dup: once with the copy right behind, once with it late; reorder: behind the next "
                "packet of its direction; delay: until the ACK timer has fired, once before and once "
                "after the repetition."},
    {"explore", "faults", KIND_TEXT, AT(explore.faults_text), "any",
     .meaning = "any: all placements.  A list replays one of them: a2b 3 drop, b2a 1 delay-late; "
                "the number counts the packets of that direction from 1.  none: no fault."},
};
const uint32_t key_count = sizeof key_table / sizeof key_table[0];

const struct key *key_find(const char *group, const char *name)
{
    for (uint32_t i = 0; i < key_count; i++)
        if (strcmp(key_table[i].group, group) == 0 && strcmp(key_table[i].name, name) == 0)
            return &key_table[i];
    return NULL;
}

const struct key *key_find_dotted(const char *dotted)
{
    for (uint32_t i = 0; i < key_count; i++) {
        size_t len = strlen(key_table[i].group);
        if (strncmp(dotted, key_table[i].group, len) == 0 && dotted[len] == '.' &&
            strcmp(dotted + len + 1, key_table[i].name) == 0)
            return &key_table[i];
    }
    return NULL;
}

/* The default service is the core's first: no name of one stands here. */
const char *key_standard(const struct key *k)
{
    return k->standard ? k->standard : xp_service_name((enum xp_service_id)0);
}

uint32_t key_index(const struct key *k) { return (uint32_t)(k - key_table); }

bool key_group_known(const char *group)
{
    for (uint32_t i = 0; i < key_count; i++)
        if (strcmp(key_table[i].group, group) == 0)
            return true;
    return false;
}

/* A key of this name in another group: the likeliest mistake of all. */
static const struct key *find_elsewhere(const char *name)
{
    for (uint32_t i = 0; i < key_count; i++)
        if (strcmp(key_table[i].name, name) == 0)
            return &key_table[i];
    return NULL;
}

bool key_unknown(const char *group, const char *name, struct sc_error *err)
{
    const struct key *other = find_elsewhere(name);
    struct nearest n = nearest_to(name);
    if (other)
        return sc_fail(err, "there is no such key in [%s]; it belongs to [%s]", group,
                       other->group);
    for (uint32_t i = 0; i < key_count; i++)
        if (strcmp(key_table[i].group, group) == 0)
            nearest_try(&n, key_table[i].name);
    if (n.best)
        return sc_fail(err, "there is no such key; did you mean '%s'?", n.best);
    return sc_fail(err, "there is no such key; `rdmasim keys %s` lists those there are", group);
}

bool key_unknown_dotted(const char *dotted, struct sc_error *err)
{
    char name[64];
    struct nearest n = nearest_to(dotted);
    const struct key *other = find_elsewhere(dotted);
    if (!strchr(dotted, '.') && !other)
        return sc_fail(err, "'%s' is not a key; write group.key, such as qp.timeout", dotted);
    if (other)
        return sc_fail(err, "'%s' lacks its group; write %s.%s", dotted, other->group, other->name);
    const char *best = NULL;
    for (uint32_t i = 0; i < key_count; i++) {
        snprintf(name, sizeof name, "%s.%s", key_table[i].group, key_table[i].name);
        nearest_try(&n, name);
        if (n.best == name) {
            best = key_table[i].name;
            other = &key_table[i];
            n.best = NULL;
        }
    }
    if (best)
        return sc_fail(err, "there is no key '%s'; did you mean '%s.%s'?", dotted, other->group,
                       best);
    return sc_fail(err, "there is no key '%s'; `rdmasim keys` lists those there are", dotted);
}

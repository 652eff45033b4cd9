/* Adapters: [hca].  A profile is a file of these.  See keys_rows.h. */
#include "scenarios/reader/keys_rows.h"

static const struct key rows[] = {
    {"hca", "profile", KIND_NAME, AT(profile), "spec",
     .meaning =
         "Adapter whose figures apply: a file of the folder profiles, by its name.  A "
         "key given in the scenario overrides it.  A profile may itself begin with another."},
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
     .meaning = "QPs take turns at the wire by turn_packets, or by the message."},
    {"hca", "timer_slack", KIND_FACTOR, AT(hca.xp.timer_slack_milli), "1", 1000, 4000,
     .meaning = "The ACK timer runs for its nominal interval times a factor that is drawn "
                "anew each time it is set, uniformly from 1 to this one (the specification "
                "allows 4).  1: exact, so that flows which lose packets together also time out and "
                "start again together."},
    {"hca", "timer_floor", KIND_TIME, AT(hca.xp.timer_floor_ps), "none", 0, 1000 * TM_S,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Least ACK timeout of the adapter: a shorter one that qp.timeout asks for is "
                "raised to it.  qp.timeout = 0 stays without a timer."},
    {"hca", "timer_factor", KIND_WHOLE, AT(hca.xp.timing.factor), "1", 1, 4,
     .meaning = "The interval of the ACK timer is so many times the larger of 4.096 us * "
                "2^qp.timeout and hca.timer_floor (the specification allows 4)."},
    {"hca", "timer_ladder", KIND_LADDER, AT(hca.xp.ladder), "none", TM_NS, 1000 * TM_S,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning =
         "Early retransmissions: times from the last progress at which a requester repeats before "
         "its first ACK timeout.  It goes on while the next step is at most the larger of 4.096 us "
         "* 2^qp.timeout and hca.timer_floor.  Together they use up one of qp.retry_cnt, at the "
         "last; the first timeout follows after the next step or one interval, whichever is "
         "shorter, and the QP fails with the retry_cnt-th of them all."},
    {"hca", "timer_first", KIND_RANGE, AT(hca.xp.timing.first), "none", 1, 4000,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "A first expiry of the ACK timer that sends nothing and uses up no retry, between "
                "so many intervals after the last progress, drawn anew each time; whole intervals "
                "follow.  none: the first expiry repeats."},
    {"hca", "rnr_slack", KIND_TIME, AT(hca.xp.timing.rnr_slack_ps), "0", 0, TM_S,
     .meaning = "What a requester waits longer than an RNR NAK asks for (the specification has a "
                "minimum)."},
    {"hca", "turn_packets", KIND_WHOLE, AT(hca.turn_packets), "1", 1, 65536,
     .meaning =
         "Packets that a QP sends in its turn at the wire, while it has some.  Adapters that fetch "
         "a context for a batch of requests have many."},
    {"hca", "cq_moderation", KIND_WHOLE, AT(hca.moderation.count), "1", 1, 65536,
     .meaning = "The host hears of completions when so many wait."},
    {"hca", "cq_moderation_time", KIND_TIME, AT(hca.moderation.time_ps), "0", 0, TM_S,
     .meaning = "Or when the first of fewer than cq_moderation has waited so long."},
    {"hca", "early_packets", KIND_WHOLE, AT(hca.early_packets), "none", 1, 65536,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Packets that have come before their QP was RTR are kept, so many of all QPs, "
                "until it is.  "
                "none: they are dropped, as the specification has it."},
    {"hca", "units", KIND_WHOLE, AT(hca.cost.units), "none", 1, HCA_UNITS_MAX,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning =
         "Processing units of the adapter in each direction; each has one packet at a time, for "
         "unit_time and what it takes to fetch contexts.  none: the adapter takes no time of its "
         "own, "
         "and caches, PCIe and buffers below have no effect."},
    {"hca", "unit_time", KIND_TIME, AT(hca.cost.unit_time_ps), "0", 0, TM_S,
     .meaning =
         "A unit's time for a packet: units / unit_time is the packet rate that the adapter can "
         "reach."},
    {"hca", "read_time", KIND_TIME, AT(hca.cost.read_time_ps), "same", 1, TM_S,
     .choice = WORDS(OFFERED("same", 0)),
     .meaning =
         "A unit's time for requests of READs and atomics, and for their responses; same: as "
         "for any other."},
    {"hca", "ack_time", KIND_TIME, AT(hca.cost.ack_time_ps), "0", 0, TM_S,
     .meaning = "A unit's time for an acknowledgement."},
    {"hca", "nak_delay", KIND_TIME, AT(hca.cost.nak_delay_ps), "0", 0, TM_S,
     .meaning = "Time that a responder takes more to send a NAK for a gap than any other answer."},
    {"hca", "nak_reaction", KIND_TIME, AT(hca.cost.nak_reaction_ps), "0", 0, TM_S,
     .meaning = "Time that a requester takes more to act on a NAK than on any other answer."},
    {"hca", "ctx_entries", KIND_WHOLE, AT(hca.cost.ctx.entries), "unlimited", 1, 1u << 24,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning =
         "Contexts of QPs and EE contexts that the adapter's cache holds.  Each packet, sent or "
         "received, touches its QP's."},
    {"hca", "ctx_ways", KIND_WHOLE, AT(hca.cost.ctx.ways), "all", 1, 1u << 24,
     .choice = WORDS(OFFERED("all", 0)),
     .meaning = "Places that a context can have in that cache (its associativity)."},
    {"hca", "ctx_replace", KIND_CHOICE, AT(hca.cost.ctx.random), "lru", 0, 0,
     .choice = WORDS(OFFERED("lru", 0), OFFERED("random", 1)),
     .meaning =
         "Which context makes room for another: the one touched longest ago, or one at random."},
    {"hca", "ctx_bytes", KIND_SIZE, AT(hca.cost.ctx_bytes), "256B", 1, 65536,
     .meaning =
         "Size of a context: what a fetch brings over PCIe, and what a QP takes of the host's "
         "memory.  mlx5's has 232 bytes."},
    {"hca", "ctx_fetch", KIND_TIME, AT(hca.cost.fetch.latency_ps), "0", 0, TM_S,
     .meaning = "Time to fetch a context, or a translation, that is not in its cache."},
    {"hca", "ctx_fetches", KIND_WHOLE, AT(hca.cost.fetch.reads), "any", 1, 65536,
     .choice = WORDS(OFFERED("any", 0)), .meaning = "Such fetches at once; others wait."},
    {"hca", "read_entries", KIND_WHOLE, AT(hca.cost.read.entries), "unlimited", 1, 1u << 24,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning =
         "READs and atomics under way that the adapter holds on the chip, its own and those of its "
         "peers; qp.max_rd_atomic of each QP can be.  Others are fetched like contexts."},
    {"hca", "read_ways", KIND_WHOLE, AT(hca.cost.read.ways), "all", 1, 1u << 24,
     .choice = WORDS(OFFERED("all", 0)), .meaning = "As ctx_ways."},
    {"hca", "read_replace", KIND_CHOICE, AT(hca.cost.read.random), "lru", 0, 0,
     .choice = WORDS(OFFERED("lru", 0), OFFERED("random", 1)), .meaning = "As ctx_replace."},
    {"hca", "read_fetch", KIND_TIME, AT(hca.cost.read_fetch_ps), "same", 1, TM_S,
     .choice = WORDS(OFFERED("same", 0)),
     .meaning =
         "Time to fetch one of those, from memory of the adapter's own; same: like a context."},
    {"hca", "wqe_batch", KIND_WHOLE, AT(hca.cost.wqe_batch), "none", 1, 4096,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning =
         "Requests of a send queue that the adapter fetches with one read of 64 bytes each; none: "
         "they come with the doorbell."},
    {"hca", "wqe_entries", KIND_WHOLE, AT(hca.cost.wqe.entries), "unlimited", 1, 1u << 24,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning = "Send queues whose fetched requests are kept; those of others are fetched again."},
    {"hca", "mtt_entries", KIND_WHOLE, AT(hca.cost.mtt.entries), "unlimited", 1, 1u << 24,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning =
         "Pages whose translation the adapter holds, the memory protection with it.  What is sent "
         "touches them, and the memory that WRITEs and READs name."},
    {"hca", "mtt_ways", KIND_WHOLE, AT(hca.cost.mtt.ways), "all", 1, 1u << 24,
     .choice = WORDS(OFFERED("all", 0)), .meaning = "As ctx_ways."},
    {"hca", "page", KIND_SIZE, AT(hca.cost.page_bytes), "4KiB", 64, 1u << 30,
     .meaning = "Memory that one translation covers."},
    {"hca", "pcie_latency", KIND_TIME, AT(hca.cost.pcie.latency_ps), "0", 0, TM_S,
     .meaning = "Time from a read of the host's memory to its first byte: for requests, and for "
                "payload that is sent."},
    {"hca", "pcie_rate", KIND_RATE, AT(hca.cost.pcie.rate_bps), "unlimited", 1000, 10000000000000u,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning = "Bytes read and written that PCIe carries, each way."},
    {"hca", "pcie_reads", KIND_WHOLE, AT(hca.cost.pcie.reads), "any", 1, 65536,
     .choice = WORDS(OFFERED("any", 0)),
     .meaning = "Reads of the host's memory under way at once; others wait."},
    {"hca", "doorbell", KIND_TIME, AT(hca.cost.doorbell_ps), "0", 0, TM_S,
     .meaning = "Time from a post until the adapter knows of it, if the QP was idle."},
    {"hca", "inline", KIND_SIZE, AT(hca.cost.inline_bytes), "0", 0, 4096,
     .meaning =
         "Requests whose packets carry up to so much have it in the send queue: no other read "
         "brings it."},
    {"hca", "tx_fifo", KIND_SIZE, AT(hca.cost.tx_fifo_bytes), "64KiB", 1, 1u << 30,
     .meaning =
         "Packets are chosen ahead of the wire as long as those on their way to it have no more "
         "bytes.  It hides pcie_latency where it holds what the wire carries meanwhile."},
    {"hca", "rx_buffer", KIND_SIZE, AT(hca.cost.rx_buffer_bytes), "unlimited", 1, (uint64_t)1 << 40,
     .choice = WORDS(OFFERED("unlimited", 0)),
     .meaning =
         "Packets that have come and wait for a unit, or are in one, have no more bytes; another "
         "that comes then is discarded."},
    {"hca", "migreq", KIND_BOOL, AT(hca.xp.migrated), "on",
     .meaning = "MigReq bit of the packets sent: on is the normal, migrated state."},
    {"hca", "timer_tick", KIND_TIME, AT(hca.xp.timing.tick_ps), "0", 0, TM_S,
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
     .choice = WORDS(OFFERED("restores", XP_NAK_PROGRESS_RESTORES),
                     OFFERED("none", XP_NAK_PROGRESS_NONE)),
     .meaning =
         "A NAK that acknowledges a part of its message restores the retries and starts one, or "
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
    {"hca", "read_again", KIND_CHOICE, AT(hca.xp.policy[XP_P_READ_AGAIN]), "in_place", 0, 0,
     .choice = WORDS(OFFERED("in_place", XP_READ_AGAIN_IN_PLACE),
                     OFFERED("behind", XP_READ_AGAIN_BEHIND)),
     .meaning =
         "How a responder takes a READ that is asked for again.  in_place: what it was sending of this READ or of "
         "later ones stops, and the READ is answered from where it is wanted; behind: its answer waits until all "
         "that waits before it has been sent."},
    {"hca", "err_recv", KIND_CHOICE, AT(hca.xp.policy[XP_P_ERR_RECV]), "flush", 0, 0,
     .choice = WORDS(OFFERED("flush", XP_ERR_RECV_FLUSH), OFFERED("keep", XP_ERR_RECV_KEEP)),
     .meaning = "A receive posted to a QP in ERR completes flushed, or never."},
    {"hca", "faults", KIND_FAULTS, AT(hca.xp.fault), "none", 0, 0,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning =
         "What the adapter says of sends that fail, and when: CAUSE CODE [TIME], with ';' between.  "
         "The code is ibv_wc.vendor_err; errors are handled by firmware, which takes its time."},
    {"hca", "write_check", KIND_CHOICE, AT(hca.xp.policy[XP_P_WRITE_CHECK]), "whole", 0, 0,
     .choice = WORDS(OFFERED("whole", XP_WRITE_CHECK_WHOLE),
                     OFFERED("packet", XP_WRITE_CHECK_PACKET)),
     .meaning =
         "A WRITE over the end of its region.  whole: refused with its first packet, and nothing is "
         "written; packet: the packets that lie inside are written, the one that does not is refused."},
    {"hca", "error_psn", KIND_CHOICE, AT(hca.xp.policy[XP_P_ERROR_PSN]), "next", 0, 0,
     .choice = WORDS(OFFERED("next", XP_ERROR_PSN_NEXT), OFFERED("refused", XP_ERROR_PSN_REFUSED)),
     .meaning =
         "The sq_psn that a query shows of a QP that a NAK has ended: behind all that was sent, or "
         "that of the refused packet."},
    {"hca", "sge_packets", KIND_WHOLE, AT(hca.xp.timing.sge_packets), "0", 0, 1u << 20,
     .meaning =
         "Packets of a send over the end of its local region that are on the wire before the "
         "adapter finds out; no more than lie inside."},
    {"hca", "reset_time", KIND_TIME, AT(load.retry.step.reset_ps), "0", 0, 1000 * TM_S,
     .meaning = "workload.recovery = qp: time to bring a QP to RESET that is not in ERR."},
    {"hca", "err_reset_time", KIND_TIME, AT(load.retry.step.err_reset_ps), "0", 0, 1000 * TM_S,
     .meaning = "workload.recovery = qp: time to bring a QP from ERR to RESET."},
    {"hca", "ready_time", KIND_TIME, AT(load.retry.step.ready_ps), "3ms", 1, 1000 * TM_S,
     .meaning = "workload.recovery = qp: time from RESET over INIT and RTR to RTS."},
    {"hca", "objects_time", KIND_TIME, AT(load.retry.step.objects_ps), "10ms", 1, 1000 * TM_S,
     .meaning = "workload.recovery = objects: time to make PD, CQ, MR and QP anew."},
    {"hca", "driver_time", KIND_TIME, AT(load.retry.step.driver_ps), "8s", 1, 1000 * TM_S,
     .meaning = "workload.recovery = driver: time to load the driver again, and to make the rest."},
    {"hca", "rows", KIND_ROWS, AT(hca.xp.override), "none", 0, 0,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning =
         "Rows of the services' tables in which the adapter differs, with ';' between them: "
         "SERVICE.VERDICT: DEED [receive=STATUS] [error] [event=EVENT] [count=COUNT] for requests, "
         "SERVICE.KIND: DEED [status=STATUS] [error] for answers.  The table of the service says "
         "what "
         "is done otherwise."},
    {"hca", "max_qp_wr", KIND_WHOLE, AT(hca.xp.max.qp_wr), "16384", 1, 1u << 20,
     .meaning = "Largest qp.sq_depth and qp.rq_depth; a scenario that asks for more is "
                "refused.  Whoever lowers it below 128 lowers those two as well."},
    {"hca", "max_qp", KIND_WHOLE, AT(hca.xp.max.qp), "none", 1, 1u << 24,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Queue pairs that an adapter holds; a scenario whose busiest host has more is "
                "refused (a trace: when it starts).  none: as many as it takes."},
    {"hca", "max_cqe", KIND_WHOLE, AT(hca.xp.max.cqe), "none", 1, (1u << 31) - 1,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "Completions that a completion queue holds.  A host has one queue with room for "
                "all that its send and receive queues hold; a scenario where this is more is "
                "refused (a trace: when it starts).  none: as many as it takes."},
    {"hca", "max_qp_init_rd_atom", KIND_WHOLE, AT(hca.xp.max_rd_atomic), "255", 0, 255,
     .meaning = "Largest qp.max_rd_atomic; a scenario that asks for more is refused."},
    {"hca", "max_qp_rd_atom", KIND_WHOLE, AT(hca.xp.max_dest_rd_atomic), "255", 0, 255,
     .meaning = "Largest qp.max_dest_rd_atomic; a scenario that asks for more is refused."},
    {"hca", "rd_atomic_pow2", KIND_BOOL, AT(hca.xp.rd_atomic_pow2), "off",
     .meaning = "on: a QP gets the next power of two for its qp.max_rd_atomic and "
                "qp.max_dest_rd_atomic (255 for more than 128)."},
};
const struct key_list keys_hca = LIST_OF(rows);

/* Queue pairs, and datagrams in their place: [qp] and [udack].  See keys_rows.h. */
#include "scenarios/reader/keys_rows.h"

static const char retry_advice[] =
    "the field has 3 bits; to wait longer before giving up, raise qp.timeout";
static const char timeout_advice[] = "the ACK timeout is 4.096 us * 2^code, 0 = off: 14 is 67 ms, "
                                     "18 is 1.07 s";
static const char rnr_advice[] = "the code of verbs: 0 is 655.36 ms, 1 is 0.01 ms, 12 is 0.64 ms";

static const struct key rows[] = {
    {"qp", "service", KIND_SERVICE, AT(qp.service), NULL,
     .meaning =
         "Transport service of every QP.  ud: one QP a host sends datagrams to all its peers, and "
         "qp.rq_depth receives are there for all; its send queue has room for qp.sq_depth "
         "requests of each flow.  xrc: an initiator and a target at either end of a connection, "
         "and the "
         "shared receive queue of qp.srq_depth that it always has.  rd: a QP for each connection, "
         "and an EE "
         "context for each other host that all of a host's QPs share; no adapter offers it.  "
         "ud-ack, where it is offered: the hosts acknowledge "
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
     .meaning =
         "What is sent again after a loss.  go-back-n: all packets from the lost one on; "
         "go-back-0: all of the message, as the first RoCE adapters did; selective-repeat: what is "
         "missing alone, after IRN: the receiver keeps what comes too early, and names it in its "
         "NAKs; a requester keeps READ responses, and asks for the missing ones.  No part of the "
         "specification."},
    {"qp", "bdp_cap", KIND_WHOLE, AT(hca.xp.irn.bdp_cap_packets), "110", 1, XP_SACK_MAX,
     .meaning =
         "Selective repeat: packets of a QP that are outstanding at most, about as many as the "
         "path holds."},
    {"qp", "rto_low", KIND_TIME, AT(hca.xp.irn.rto_low_ps), "100us", 0, 10 * TM_S,
     .meaning =
         "Selective repeat: ACK timeout of a QP with few packets outstanding, which no later "
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
     .meaning =
         "A loss is taken for certain before the timer.  selective: when a datagram sent so many "
         "later has arrived; go-back-n: after so many acknowledgements that show a gap; 0: the "
         "timer alone."},
    {"udack", "ack_every", KIND_WHOLE, AT(qp.udack.cfg.ack_every), "16", 1, 255,
     .meaning = "An acknowledgement goes out at the latest with every n-th datagram."},
    {"udack", "ack_delay", KIND_TIME, AT(qp.udack.cfg.ack_delay_ps), "5us", 0, TM_S,
     .meaning = "How long an acknowledgement waits for data to ride on, or for the n-th datagram."},
    {"udack", "ask_last", KIND_BOOL, AT(qp.udack.cfg.ask_last), "on",
     .meaning =
         "on: the last datagram of a message asks for an acknowledgement at once.  off suits "
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
};
const struct key_list keys_qp = LIST_OF(rows);

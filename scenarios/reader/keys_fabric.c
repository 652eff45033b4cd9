/* What is simulated, and over what: [scenario] and [fabric].  See keys_rows.h. */
#include "scenarios/reader/keys_rows.h"

static const struct key rows[] = {
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
    {"scenario", "inject", KIND_TEXT, AT(injected), "all",
     .meaning =
         "The lines of [inject] that hold: all, none, or their names with blanks between.  A sweep "
         "over it compares one fault with another."},
    {"scenario", "repetitions", KIND_WHOLE, AT(repetitions), "1", 1, 100000,
     .meaning =
         "Runs per point of a sweep, each with its own seed.  They differ only if something is "
         "drawn: losses, arrivals, sizes, a permutation, timer_slack, p= of [inject]."},

    {"fabric", "topology", KIND_CHOICE, AT(fabric.topology), "pair", 0, 0,
     .choice = WORDS(OFFERED("pair", FAB_PAIR), OFFERED("star", FAB_STAR),
                     OFFERED("dumbbell", FAB_DUMBBELL), OFFERED("leaf-spine", FAB_LEAF_SPINE),
                     OFFERED("fat-tree", FAB_FAT_TREE), OFFERED("ring", FAB_RING),
                     OFFERED("torus", FAB_TORUS), OFFERED("dragonfly", FAB_DRAGONFLY),
                     OFFERED("file", FAB_FILE)),
     .meaning = "pair: two hosts and a cable; star: one switch; dumbbell: two switches and a "
                "trunk, the first half of the hosts at the left switch; leaf-spine, fat-tree, "
                "ring, torus, dragonfly: see fabric.shape; file: see fabric.file."},
    {"fabric", "shape", KIND_TEXT, AT(given.shape), "none",
     .meaning = "Numbers of switches.  leaf-spine: leaves x spines, 8x4; fat-tree: ports of a "
                "switch, 4, which makes 4^3/4 hosts; ring: switches, 4; torus: 4x4 or 3x3x3; "
                "dragonfly: switches of a group x links of each to other groups, 4x2, which makes "
                "4*2+1 groups.  Hosts are at the leaves in equal parts."},
    {"fabric", "file", KIND_TEXT, AT(given.file), "none",
     .meaning = "With topology = file: a file that says who is joined with whom, beside the "
                "scenario or in a folder topologies.  Our table (a,b,rate,delay), a topology of "
                "the ns-3 family, htsim's .topo, what ibnetdiscover prints and ibsim reads are "
                "told apart by their contents."},
    {"fabric", "hosts", KIND_WHOLE, AT(fabric.hosts), "2", 2, PKT_GROUP_FIRST,
     .meaning = "Number of hosts, numbered from 0.  A pair has exactly 2, a dumbbell an even "
                "number, the others what fits their shape; a file has its own."},
    {"fabric", "rate", KIND_RATE, AT(fabric.rate_bps), "100Gbps", 1000, 10000000000000u,
     .meaning = "Rate of every link, each way."},
    {"fabric", "trunk_rate", KIND_RATE, AT(fabric.trunk_rate_bps), "same", 1000, 10000000000000u,
     .choice = WORDS(OFFERED("same", 0)),
     .meaning = "Rate of the links between switches; same: that of the others."},
    {"fabric", "delay", KIND_TIME, AT(fabric.delay_ps), "1us", 0, 10 * TM_S,
     .meaning = "Propagation delay of every link, one way."},
    {"fabric", "trunk_delay", KIND_TIME, AT(fabric.trunk_delay_ps), "same", 0, 10 * TM_S,
     .choice = WORDS(OFFERED("same", TM_NEVER)),
     .meaning = "Propagation delay of the links between switches; same: that of the others."},
    {"fabric", "routing", KIND_CHOICE, AT(fabric.spread), "ecmp", 0, 0,
     .choice = WORDS(OFFERED("ecmp", FAB_ECMP), OFFERED("spray", FAB_SPRAY),
                     OFFERED("flowlet", FAB_FLOWLET), OFFERED("adaptive", FAB_ADAPTIVE)),
     .meaning = "Which of several equally good links a switch sends a packet by.  ecmp: a hash of "
                "source, destination and UDP source port, a flow keeps its way; spray: a draw for "
                "each packet; flowlet: a draw after each pause of a flow; adaptive: the one with "
                "the shortest queue."},
    {"fabric", "flowlet_gap", KIND_TIME, AT(fabric.flowlet_gap_ps), "50us", 0, TM_S,
     .meaning = "Pause of a flow at a switch after which routing = flowlet draws again."},
    {"fabric", "paths", KIND_CHOICE, AT(fabric.paths), "shortest", 0, 0,
     .choice = WORDS(OFFERED("shortest", PATHS_SHORTEST), OFFERED("up-down", PATHS_UP_DOWN)),
     .meaning = "Which ways are good.  shortest: those of fewest links; up-down: of those that go "
                "no more up, away from hosts, after they went down, the shortest: then packets "
                "that wait for each other never close a circle."},
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
    {"fabric", "loss.model", KIND_CHOICE, AT(fabric.loss.model), "bernoulli", 0, 0,
     .choice = WORDS(OFFERED("bernoulli", LOSS_BERNOULLI),
                     OFFERED("gilbert-elliott", LOSS_GILBERT_ELLIOTT), OFFERED("ber", LOSS_BER)),
     .meaning = "How packets are lost at random, on each link and way on its own.  bernoulli: each with "
                "chance loss.rate; gilbert-elliott: in bursts, by two states, good and bad (loss.burst, or "
                "loss.p and loss.r); ber: by bit errors, so long packets more often (loss.ber).  [inject] has "
                "all three too, for any number of rules, each with a count of its own."},
    {"fabric", "loss.rate", KIND_CHANCE, AT(fabric.loss_threshold), "0",
     .meaning = "bernoulli: chance that a packet is lost on a link.  gilbert-elliott with loss.burst: what "
                "is lost in the long run."},
    {"fabric", "loss.burst", KIND_FACTOR, AT(fabric.loss.burst_milli), "none", 1000, 1000000000,
     .choice = WORDS(OFFERED("none", 0)),
     .meaning = "gilbert-elliott: packets that the bad state lasts for, on the average.  It stands for r = 1 "
                "/ burst and p = r * (rate - good) / (bad - rate)."},
    {"fabric", "loss.p", KIND_CHANCE, AT(fabric.loss.p), "0",
     .meaning = "gilbert-elliott without loss.burst: chance that the state turns from good to bad, after "
                "each packet.  What is lost in the long run: (r * good + p * bad) / (p + r)."},
    {"fabric", "loss.r", KIND_CHANCE, AT(fabric.loss.r), "1",
     .meaning = "gilbert-elliott without loss.burst: chance that it turns from bad to good; bad lasts for 1 "
                "/ r packets on the average."},
    {"fabric", "loss.good", KIND_CHANCE, AT(fabric.loss.in_good), "0",
     .meaning = "gilbert-elliott: chance that a packet is lost in the good state (1 - k of the papers)."},
    {"fabric", "loss.bad", KIND_CHANCE, AT(fabric.loss.in_bad), "1",
     .meaning = "gilbert-elliott: chance that a packet is lost in the bad state (1 - h of the papers)."},
    {"fabric", "loss.ber", KIND_CHANCE, AT(fabric.loss.ber), "0",
     .meaning = "ber: chance that a bit is wrong.  A packet of n bytes on the wire, all overhead in, is lost "
                "with chance 1 - (1 - ber)^(8 n)."},
    {"fabric", "loss.class", KIND_SET, AT(fabric.loss_classes), "all", 0, 0,
     .choice = WORDS(OFFERED("data", FAB_DATA), OFFERED("ack", FAB_ACK), OFFERED("nak", FAB_NAK),
                     OFFERED("read_resp", FAB_READ_RESP), LATER_WITH("cnp", "congestion control"),
                     OFFERED("cm", FAB_CM)),
     .meaning = "Kinds of packets that random loss may hit; the states of gilbert-elliott go on with these alone.  data: requests; ack: ACKs, and the "
                "answers of atomics; nak: NAKs and RNR NAKs; read_resp: READ responses; cm: the "
                "datagrams of connect.mode = simulated."},
};
const struct key_list keys_fabric = LIST_OF(rows);

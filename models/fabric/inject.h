/*
 * Scripted faults: rules in file order, the first that fires acts (formats.md "Inject").
 *
 * A rule is plain data; the reader parses it, the fabric applies it where a packet is put
 * on a link.  Without `link` a rule looks at packets leaving hosts, so it sees each once.
 */
#ifndef FABRIC_INJECT_H
#define FABRIC_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "models/fabric/loss.h"
#include "sim/base/window.h"

enum inject_action { INJ_DROP, INJ_DUP, INJ_DELAY, INJ_CORRUPT, INJ_MARK, INJ_REWRITE, INJ_FORGE,
                     INJ_LINK_DOWN, INJ_ACT /* befalls no packet */ };

/* Fields that rewrite and forge may set; an _ADD adds to what is there. */
enum inject_field { INJF_OPCODE, INJF_PSN, INJF_PSN_ADD, INJF_ACKREQ, INJF_SYNDROME, INJF_MSN,
                    INJF_DEST_QP, INJF_PKEY, INJF_TVER, INJF_VA, INJF_VA_ADD, INJF_RKEY,
                    INJF_DMALEN, INJF_SE, INJF_ECN, INJF_IMM, INJF_PAYLOAD, INJF_FIELDS };
#define INJECT_SETS_MAX 8
struct inject_set {
    enum inject_field field;
    int64_t value;
};

#define INJECT_ANY (-1)
#define INJECT_NAME_MAX 48

struct inject_match {
    int32_t from, to;       /* hosts; INJECT_ANY */
    int32_t opcode;         /* whole opcode byte */
    int32_t op;             /* operation alone ("op=ACKNOWLEDGE") */
    uint32_t classes;       /* 1 << enum fab_class; 0 = any */
    int64_t psn;            /* relative to the flow's first PSN (has_psn) */
    int64_t qp;             /* BTH DestQP */
    uint32_t tx;            /* n-th transmission of that (DestQP, PSN, operation); 0 = any */
    int32_t link_a, link_b; /* node numbers: hosts first, then switches; INJECT_ANY */
    uint16_t ip_id, ip_mask; /* IP identification & ip_mask == ip_id; mask 0: any */
    bool has_psn;
};

/* Which of the matching packets: after `skip`, every `every`-th, at most `count`, each by chance. */
struct inject_pick {
    uint64_t skip, count, every; /* count UINT64_MAX = all; every 1 */
    uint64_t p_threshold;        /* UINT64_MAX = always */
    struct loss_cfg loss;        /* how that chance is spread; its model may have one of its own */
};

struct inject_rule {
    char name[INJECT_NAME_MAX];
    enum inject_action action;
    struct inject_match match;
    struct inject_pick pick;
    struct inject_set set[INJECT_SETS_MAX];
    uint32_t sets;
    uint32_t at_byte;        /* corrupt: offset from the BTH of the byte that changes */
    tm_ps delay_ps;          /* delay, dup */
    struct window when;      /* link down; forge: from_ps; others: if ends, they act only then */
    int32_t host;            /* stall, kill, destroy, forge's source is match.from */
    int64_t destroy_qp;
};

struct inject_list {
    struct inject_rule *rule;
    uint32_t count;
    uint32_t first_psn; /* of every flow: what psn=+K counts from */
};

#endif

/*
 * A capture: one recorded exchange between two ends under scripted faults, as it lies in a folder
 * (softroce/README.md tells the files).
 *
 * A packet is a row of whole numbers, one for each column that is compared, NONE where the packet
 * does not have the field: so reading, comparing, printing and spoiling one field need no code per
 * field.  Addresses, keys and QP numbers never enter: they are relative to what the end was given.
 */
#ifndef GOLDEN_CAPTURE_H
#define GOLDEN_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/wire/hdr.h"
#include "sim/base/tm.h"

enum { SIDE_A, SIDE_B, SIDES };
static inline unsigned other_side(unsigned side) { return 1 - side; }

/* No such field. */
#define NONE INT64_MIN

enum column {
    COL_OPCODE, COL_PSN_REL, COL_ACKREQ, COL_SE, COL_PAYLEN, COL_SYNDROME, COL_MSN, COL_ROFF,
    COL_RKEY_OK, COL_DMALEN, COL_SWAP_ADD, COL_COMPARE, COL_ORIG, COL_IMM, COL_QKEY, COL_PKEY,
    COL_MIG, COL_ACTION, COLUMNS
};
extern const char *const column_name[COLUMNS]; /* as events.csv has them */

/* What became of a packet on its way; the later ones are packets that the relay made. */
enum action { ACT_FWD, ACT_DROP, ACT_DUP, ACT_DELAY, ACT_CORRUPT, ACT_REWRITE,
              ACT_DUPLICATE, ACT_DELAYED, ACT_CORRUPTED, ACT_REWRITTEN, ACTIONS };
extern const char *const action_name[ACTIONS];
static inline bool action_is_made(int64_t action) { return action >= ACT_DUPLICATE; }

struct packet {
    int64_t col[COLUMNS];
    unsigned from;        /* side */
    unsigned flow;        /* side whose requests it belongs to */
    tm_ps at, out;        /* seen by the relay; passed on, TM_NEVER: not */
    bool intact;          /* ICRC right */
    const uint8_t *frame; /* whole, of a recorded packet */
    uint32_t frame_bytes;
};

enum completion_field { CQE_CQ, CQE_WR_ID, CQE_STATUS, CQE_OPCODE, CQE_BYTE_LEN, CQE_IMM,
                        CQE_SRC_OK, /* datagrams: from the peer */
                        CQE_FIELDS };
extern const char *const completion_field_name[CQE_FIELDS];
enum { CQ_SEND, CQ_RECV, CQS };

struct completion {
    int64_t field[CQE_FIELDS]; /* NONE: the status leaves it open */
    unsigned side;
    tm_ps at;
};

struct region {
    uint32_t id, size, access; /* enum xp_access */
    uint32_t seed;
};
#define REGIONS_MAX 8

struct side {
    char state[8];
    uint32_t sq_psn, rq_psn;
    uint32_t timeout, retry_cnt, rnr_retry, min_rnr_timer, max_rd_atomic, max_dest_rd_atomic;
    uint32_t qkey, qp_access, sq_depth, rq_depth, mtu;
    int32_t dqpn_add;
    bool srq;
    struct region mr[REGIONS_MAX];
    uint32_t mrs;
};

/* A work request. */
struct wr {
    uint8_t op;              /* enum xp_wr_op */
    bool unsignalled, fence, solicited, is_inline;
    uint64_t id, off, roff;
    uint32_t len, mr, rmr, imm;
    uint32_t lkey_add, rkey_add;
    uint64_t swap_or_add, compare;
    int32_t dqpn_add;
    uint32_t qkey;
    uint32_t nsge;
};

enum step_kind { STEP_RECV, STEP_POST, STEP_SET64, STEP_ERR, STEP_RESET, STEP_KINDS };

struct step {
    enum step_kind kind;
    unsigned side;
    uint32_t number; /* in the list of case.json */
    tm_ps at;     /* as planned */
    tm_ps done;   /* as recorded */
    int64_t rc;   /* as recorded: 0, or the verb's refusal */
    uint64_t bad; /* of a refused list: its first request that was not taken */
    struct wr *wr;
    uint32_t wrs;
    uint64_t id, off, value; /* RECV: first wr_id; SET64 */
    uint32_t mr, len, count, stride, lkey_add, nsge;
};

/* A field that a rule rewrites: "psn_add", "syn", … */
#define SETS_MAX 4
struct rewrite {
    char name[12];
    int64_t value;
};

struct rule_match {
    int side;            /* that sends it; -1: either */
    int64_t opcode[8];
    uint32_t opcodes;    /* 0: any */
    uint32_t psn[16];
    uint32_t psns;       /* 0: any */
};

struct rule {
    struct rule_match match, after;
    uint32_t after_nth;  /* 0: armed from the start */
    uint32_t skip, every, copies;
    int64_t count;       /* -1: for ever */
    enum action action;
    tm_ps delay;
    struct rewrite set[SETS_MAX];
    uint32_t sets;
};

/* A piece of memory looked at in the end. */
struct memory {
    unsigned side;
    uint32_t mr;
    uint64_t off, len;
    bool compared_with_source; /* chunks tells; otherwise hex does */
    unsigned from_side;
    uint32_t from_mr;
    uint64_t from_off;
    char *text;                /* chunks or hex, as recorded */
};

enum final_field { FINAL_STATE, FINAL_SQ_PSN, FINAL_RQ_PSN, FINAL_FIELDS };
extern const char *const final_field_name[FINAL_FIELDS];

/* What an end was given when it was recorded. */
struct recorded_end {
    uint32_t qpn;
    struct {
        uint64_t addr;
        uint32_t key;
    } mr[REGIONS_MAX];
};

struct capture {
    char *name;
    char service[8]; /* "rc" */
    uint32_t mtu;
    tm_ps link_delay, settle, longest;
    struct side side[SIDES];
    struct step *step;
    uint32_t steps;
    struct rule *rule;
    uint32_t rules;
    struct memory *memory;
    uint32_t memories;
    struct packet *packet;
    uint32_t packets;
    struct completion *completion;
    uint32_t completions;
    int64_t final[SIDES][FINAL_FIELDS];
    struct recorded_end recorded[SIDES];
    uint32_t expected[SIDES];    /* completions the recording waited for */
    bool wire_stable;            /* the same packets in each direction whenever it was recorded */
    bool cut_off;     /* the recording ended at its longest time, not because all was quiet */
    uint8_t *pcap;               /* the frames' bytes */
};

/* What is wrong with a capture, or a difference. */
struct trouble {
    char text[600];
};

/* NULL with *why: FOLDER is no capture, or one that is not understood.  The caller frees it. */
struct capture *capture_read(const char *folder, struct trouble *why);
void capture_free(struct capture *c);

/* capture_csv.c: events.csv, wire.pcap, completions.csv. */
bool capture_read_packets(struct capture *c, const char *folder, struct trouble *why);
bool capture_read_completions(struct capture *c, const char *folder, struct trouble *why);

/* The byte at offset i of a region filled from `seed`. */
uint8_t fill_byte(uint32_t seed, uint64_t i);

bool trouble_say(struct trouble *why, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* false */

/* names.c: the recorder's names, and ours. */
bool opcode_of_name(const char *name, int64_t *opcode);
void opcode_name(int64_t opcode, char *out, size_t size);
bool syndrome_of_name(const char *name, int64_t *syndrome);
/* Index of the name in the table, -1: none. */
int name_index(const char *const *table, int count, const char *name);
extern const char *const step_name[STEP_KINDS];
extern const char *const wr_op_name[]; /* by enum xp_wr_op */
/* enum xp_wc_op of a completion's name, -1: none */
int completion_op(const char *name);
/* A packet as a line: "RC_SEND_ONLY psn_rel=0 ackreq=1 …", what is usual left out. */
void packet_words(const struct packet *p, char *out, size_t size);

#endif

/*
 * What the files of the key table share: how a row is written.
 *
 * Defaults are those of an adapter that follows the specification to the letter on a 100 Gb/s
 * RoCE network; where a default is a choice of ours, its meaning says so.  To add a key, add a row
 * and a field: everything else follows.
 */
#ifndef READER_KEYS_ROWS_H
#define READER_KEYS_ROWS_H

#include "scenarios/reader/keys.h"

struct key_list {
    const struct key *row;
    uint32_t count;
};
extern const struct key_list keys_fabric, keys_hca, keys_qp, keys_workload;

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
#define LIST_OF(rows)                                                                              \
    {                                                                                              \
        rows, sizeof rows / sizeof rows[0]                                                         \
    }

#endif

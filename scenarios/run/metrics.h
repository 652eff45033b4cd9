/*
 * The metrics: one table gives names, units, order of columns and meaning.
 *
 * Values are integers, in the unit or in millionths of it, so printing needs no floating point and
 * results are the same bytes everywhere.
 */
#ifndef RUN_METRICS_H
#define RUN_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "models/hca/meter.h"

#define METRIC_NONE INT64_MIN /* nothing to measure: an empty cell */

struct metric_def {
    const char *name;     /* "latency_p99_us" */
    bool micro;           /* the integer counts millionths */
    const char *meaning;
};

#define METRICS_MAX 128
extern const struct metric_def metric_table[];
extern const uint32_t metric_count;

struct metrics {
    int64_t v[METRICS_MAX]; /* metric_table order */
    /* one row per size bucket, when the scenario asks for slowdown by size */
    uint32_t buckets;
    struct metric_bucket {
        uint64_t min_bytes, max_bytes, messages;
        int64_t slowdown_mean, slowdown_p50, slowdown_p99; /* millionths */
    } bucket[METER_BUCKETS_MAX];
};

/* Index in metric_table, -1 if there is none of that name. */
int metric_find(const char *name);
/* "12.345678", "7", "" */
void metric_text(const struct metric_def *d, int64_t v, char *out, size_t size);

#endif

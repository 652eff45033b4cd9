/* Members of JSON objects with defaults; jansson does the reading. */
#ifndef GOLDEN_CAPTURE_JSON_H
#define GOLDEN_CAPTURE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/golden/capture.h"

/* The file's value; NULL with *why.  The caller json_decrefs it. */
json_t *json_of_file(const char *folder, const char *name, struct trouble *why);

/* A whole number or a boolean; `otherwise` if there is none. */
int64_t json_whole(const json_t *object, const char *key, int64_t otherwise);
/* "" if there is none. */
const char *json_text(const json_t *object, const char *key);

/* The array's length, or 1 for a bare value, 0 for none; and its elements. */
uint32_t json_many(const json_t *value);
const json_t *json_nth(const json_t *value, uint32_t i);

/* capture_rules.c */
bool capture_read_rules(struct capture *c, const json_t *inject, struct trouble *why);

#endif

/*
 * Names of fates and the text of a fault.
 */
#include "models/explore/fate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum fate_kind kind;
} rows[FATES] = {
    [FATE_NONE] = {"none", 0},
    [FATE_DROP] = {"drop", FAULT_DROP},
    [FATE_CORRUPT] = {"corrupt", FAULT_CORRUPT},
    [FATE_DUP] = {"dup", FAULT_DUP},
    [FATE_DUP_LATE] = {"dup-late", FAULT_DUP},
    [FATE_REORDER] = {"reorder", FAULT_REORDER},
    [FATE_DELAY] = {"delay", FAULT_DELAY},
    [FATE_DELAY_LATE] = {"delay-late", FAULT_DELAY},
};

const char *fate_name(enum fate f) { return rows[f].name; }

enum fate_kind fate_kind(enum fate f) { return rows[f].kind; }

bool fate_parse(const char *name, enum fate *out)
{
    for (int f = FATE_DROP; f < FATES; f++)
        if (strcmp(rows[f].name, name) == 0) {
            *out = (enum fate)f;
            return true;
        }
    return false;
}

size_t fault_text(const struct fault *f, char *out, size_t size)
{
    int n = snprintf(out, size, "%c2%c %u %s", 'a' + f->from, 'a' + f->to, f->nth + 1,
                     fate_name((enum fate)f->fate));
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

bool fault_parse(const char *text, struct fault *out)
{
    char way[4], number[10], name[16];
    enum fate fate;
    int end = 0;
    if (sscanf(text, " %3s %9[0-9] %15s %n", way, number, name, &end) != 3 || text[end] != 0)
        return false;
    unsigned long nth = strtoul(number, NULL, 10);
    bool known = strcmp(way, "a2b") == 0 || strcmp(way, "b2a") == 0;
    if (!known || nth == 0 || !fate_parse(name, &fate))
        return false;
    *out = (struct fault){(uint8_t)(way[0] - 'a'), (uint8_t)(way[2] - 'a'), (uint8_t)fate,
                          (uint32_t)nth - 1};
    return true;
}

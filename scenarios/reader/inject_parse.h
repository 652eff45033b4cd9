/*
 * One line of [inject] becomes a rule of the fabric or an act of the load.
 */
#ifndef READER_INJECT_PARSE_H
#define READER_INJECT_PARSE_H

#include "scenarios/reader/fail.h"

/* What a rule may name. */
struct inject_env {
    const struct topo *topo;
    uint32_t hosts;
    uint32_t first_psn; /* of every flow: forge counts psn=+K from it */
    bool has_ip_id;     /* packets carry an IPv4 identification */
};

struct inject_line {
    bool is_act;             /* befalls hosts, QPs or work requests: act; else rule */
    struct inject_rule rule;
    struct load_act act;
};

/* false with *err, without the place. */
bool inject_parse(const char *name, const char *text, const struct inject_env *env,
                  struct inject_line *out, struct sc_error *err);

#endif

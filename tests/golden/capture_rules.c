/*
 * The faults that a capture's relay was told to put on the wire: the list `inject` of case.json.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/capture_json.h"

static bool read_match(const struct capture *c, const json_t *j, struct rule_match *m,
                       struct trouble *why)
{
    const char *dir = json_text(j, "dir");
    const json_t *opcode = json_object_get(j, "opcode"), *psn = json_object_get(j, "psn_rel");
    uint32_t base = c->side[strcmp(json_text(j, "flow"), "b") == 0 ? SIDE_B : SIDE_A].sq_psn;

    m->side = strcmp(dir, "a2b") == 0 ? SIDE_A : strcmp(dir, "b2a") == 0 ? SIDE_B : -1;
    m->opcodes = json_many(opcode);
    m->psns = json_many(psn);
    if (m->opcodes > sizeof m->opcode / sizeof m->opcode[0] ||
        m->psns > sizeof m->psn / sizeof m->psn[0])
        return trouble_say(why, "inject: a rule with more opcodes or PSNs than there is room for");
    for (uint32_t i = 0; i < m->opcodes; i++) {
        const char *name = json_string_value(json_nth(opcode, i));
        if (!name || !opcode_of_name(name, &m->opcode[i]))
            return trouble_say(why, "inject: unknown opcode %s", name ? name : "?");
    }
    for (uint32_t i = 0; i < m->psns; i++)
        m->psn[i] = (base + (uint32_t)json_integer_value(json_nth(psn, i))) & PSN_MASK;
    return true;
}

static bool read_sets(const struct capture *c, json_t *set, struct rule *r, struct trouble *why)
{
    const char *key;
    json_t *v;
    json_object_foreach(set, key, v)
    {
        if (r->sets == SETS_MAX || strlen(key) >= sizeof r->set[0].name)
            return trouble_say(why, "inject: set %s: no room for it", key);
        struct rewrite *w = &r->set[r->sets++];
        strcpy(w->name, key);
        if (json_is_string(v)) {
            if (!opcode_of_name(json_string_value(v), &w->value))
                return trouble_say(why, "inject: unknown opcode %s", json_string_value(v));
        } else {
            w->value = json_integer_value(v);
        }
        if (strcmp(key, "psn_rel") == 0) {
            strcpy(w->name, "psn");
            w->value = (c->side[SIDE_A].sq_psn + w->value) & PSN_MASK;
        }
    }
    return true;
}

static bool read_rule(const struct capture *c, const json_t *j, struct rule *r, struct trouble *why)
{
    int action = name_index(action_name, ACT_DUPLICATE, json_text(j, "action"));
    const json_t *after = json_object_get(j, "after");

    if (action <= ACT_FWD)
        return trouble_say(why, "inject: unknown action \"%s\"", json_text(j, "action"));
    *r = (struct rule){
        .action = (enum action)action,
        .skip = (uint32_t)json_whole(j, "skip", 0),
        .every = (uint32_t)json_whole(j, "every", 0),
        .copies = (uint32_t)json_whole(j, "copies", 1),
        .count = json_whole(j, "count", 1),
        .delay = json_whole(j, "delay_us", 0) * TM_US,
        .after_nth = after ? (uint32_t)json_whole(after, "nth", 1) : 0,
    };
    return read_match(c, j, &r->match, why) && (!after || read_match(c, after, &r->after, why)) &&
           read_sets(c, json_object_get(j, "set"), r, why);
}

bool capture_read_rules(struct capture *c, const json_t *inject, struct trouble *why)
{
    c->rules = json_many(inject);
    c->rule = calloc(c->rules + 1, sizeof *c->rule);
    for (uint32_t i = 0; i < c->rules; i++)
        if (!read_rule(c, json_nth(inject, i), &c->rule[i], why))
            return false;
    return true;
}

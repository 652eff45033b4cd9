/*
 * case.json and result.json of a capture: what was set up, what was asked for, what came of it.
 *
 * Left out: counters.json; the counters are an adapter's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/transport/xp.h"
#include "tests/golden/capture_json.h"

/*
 * A copy in which whole numbers from 2^63 to 2^64 - 1, which jansson refuses, are the negative ones
 * of the same 64 bits.
 */
static char *wrap_big_numbers(const char *text)
{
    char *copy = malloc(2 * strlen(text) + 1), *out = copy;
    while (copy && *text) {
        size_t digits = strspn(text, "0123456789"), n = digits ? digits : 1;
        uint64_t v = digits > 18 ? strtoull(text, NULL, 10) : 0;
        if (v > INT64_MAX) {
            out += sprintf(out, "%lld", (long long)(int64_t)v);
        } else {
            memcpy(out, text, n);
            out += n;
        }
        text += n;
    }
    if (copy)
        *out = 0;
    return copy;
}

static char *text_of_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t used = 0, room = 1 << 16, n;
    char *text = f ? malloc(room) : NULL;
    while (text && (n = fread(text + used, 1, room - used - 1, f)) > 0) {
        used += n;
        if (used + 1 == room)
            text = realloc(text, room *= 2);
    }
    if (f)
        fclose(f);
    if (text)
        text[used] = 0;
    return text;
}

json_t *json_of_file(const char *folder, const char *name, struct trouble *why)
{
    char path[1024];
    json_error_t err;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = text_of_file(path), *wrapped = text ? wrap_big_numbers(text) : NULL;
    json_t *j = wrapped ? json_loads(wrapped, 0, &err) : NULL;
    if (!wrapped)
        trouble_say(why, "%s: cannot be read", path);
    else if (!j)
        trouble_say(why, "%s:%d: %s", path, err.line, err.text);
    free(text);
    free(wrapped);
    return j;
}

int64_t json_whole(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *v = json_object_get(object, key);
    if (json_is_boolean(v))
        return json_is_true(v);
    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

const char *json_text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

uint32_t json_many(const json_t *value)
{
    if (!value || json_is_null(value))
        return 0;
    return json_is_array(value) ? (uint32_t)json_array_size(value) : 1;
}

const json_t *json_nth(const json_t *value, uint32_t i)
{
    return json_is_array(value) ? json_array_get(value, i) : value;
}

static uint32_t u32(const json_t *object, const char *key, uint32_t otherwise)
{
    return (uint32_t)json_whole(object, key, otherwise);
}

static uint32_t access_bits(const json_t *list)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } right[] = {{"lw", XP_LOCAL_WRITE},
                 {"rw", XP_REMOTE_WRITE},
                 {"rr", XP_REMOTE_READ},
                 {"ra", XP_REMOTE_ATOMIC}};
    uint32_t bits = 0;
    for (uint32_t i = 0; i < json_many(list); i++)
        for (size_t k = 0; k < sizeof right / sizeof right[0]; k++)
            if (strcmp(json_string_value(json_nth(list, i)), right[k].name) == 0)
                bits |= right[k].bit;
    return bits;
}

static bool read_regions(struct side *s, const json_t *list, struct trouble *why)
{
    s->mrs = json_many(list);
    if (s->mrs > REGIONS_MAX)
        return trouble_say(why, "case.json: more than %d memory regions", REGIONS_MAX);
    for (uint32_t i = 0; i < s->mrs; i++) {
        const json_t *m = json_nth(list, i);
        s->mr[i] = (struct region){u32(m, "id", i), u32(m, "size", 0),
                                   access_bits(json_object_get(m, "access")), u32(m, "seed", 0)};
        if (s->mr[i].id != i)
            return trouble_say(why, "case.json: memory regions are to be numbered from 0");
    }
    return true;
}

static bool read_side(const struct capture *c, const json_t *j, struct side *s, struct trouble *why)
{
    snprintf(s->state, sizeof s->state, "%s", json_text(j, "state"));
    s->sq_psn = u32(j, "sq_psn", 0);
    s->timeout = u32(j, "timeout", 14);
    s->retry_cnt = u32(j, "retry_cnt", 7);
    s->rnr_retry = u32(j, "rnr_retry", 7);
    s->min_rnr_timer = u32(j, "min_rnr_timer", 12);
    s->max_rd_atomic = u32(j, "max_rd_atomic", 16);
    s->max_dest_rd_atomic = u32(j, "max_dest_rd_atomic", 16);
    s->qkey = u32(j, "qkey", 0);
    s->qp_access = access_bits(json_object_get(j, "qp_access"));
    s->sq_depth = u32(j, "sq_depth", 128);
    s->rq_depth = u32(j, "rq_depth", 128);
    s->mtu = u32(j, "mtu", c->mtu);
    s->dqpn_add = (int32_t)json_whole(j, "dqpn_add", 0);
    s->srq = json_whole(j, "srq", 0) != 0;
    return read_regions(s, json_object_get(j, "mr"), why);
}

static bool read_sides(struct capture *c, const json_t *j, struct trouble *why)
{
    static const char *const name[SIDES] = {"a", "b"};
    for (unsigned s = 0; s < SIDES; s++)
        if (!read_side(c, json_object_get(j, name[s]), &c->side[s], why))
            return false;
    for (unsigned s = 0; s < SIDES; s++)
        c->side[s].rq_psn =
            u32(json_object_get(j, name[s]), "rq_psn", c->side[other_side(s)].sq_psn);
    return true;
}

static bool read_wr(const struct capture *c, unsigned side, const json_t *j, struct wr *w,
                    struct trouble *why)
{
    int op = name_index(wr_op_name, XP_WR_OPS, json_text(j, "op"));
    if (op < 0)
        return trouble_say(why, "case.json: unknown work request \"%s\"", json_text(j, "op"));
    *w = (struct wr){
        .op = (uint8_t)op,
        .unsignalled = json_whole(j, "sig", 1) == 0,
        .fence = json_whole(j, "fence", 0) != 0,
        .solicited = json_whole(j, "sol", 0) != 0,
        .is_inline = json_whole(j, "inline", 0) != 0,
        .id = (uint64_t)json_whole(j, "id", 0),
        .off = (uint64_t)json_whole(j, "off", 0),
        .roff = (uint64_t)json_whole(j, "roff", 0),
        .len = u32(j, "len", 0),
        .mr = u32(j, "mr", 0),
        .rmr = u32(j, "rmr", 0),
        .imm = u32(j, "imm", 0),
        .lkey_add = u32(j, "badlkey", 0),
        .rkey_add = u32(j, "rkey_add", 0),
        .swap_or_add = (uint64_t)json_whole(j, op == XP_WR_CMP_SWAP ? "swap" : "add", 0),
        .compare = (uint64_t)json_whole(j, "cmp", 0),
        .dqpn_add = (int32_t)json_whole(j, "dqpn_add", 0),
        .qkey = u32(j, "qkey", c->side[other_side(side)].qkey),
        .nsge = u32(j, "nsge", 1),
    };
    return true;
}

static bool read_step(const struct capture *c, const json_t *j, struct step *s, struct trouble *why)
{
    int kind = name_index(step_name, STEP_KINDS, json_text(j, "do"));
    const json_t *wrs = json_object_get(j, "wrs");

    if (kind < 0)
        return trouble_say(why, "case.json: unknown step \"%s\"", json_text(j, "do"));
    *s = (struct step){
        .kind = (enum step_kind)kind,
        .side = strcmp(json_text(j, "side"), "b") == 0 ? SIDE_B : SIDE_A,
        .at = json_whole(j, "at_ms", 0) * TM_MS,
        .id = (uint64_t)json_whole(j, "id", 0),
        .off = (uint64_t)json_whole(j, "off", 0),
        .value = (uint64_t)json_whole(j, "value", 0),
        .mr = u32(j, "mr", 0),
        .len = u32(j, "len", 0),
        .count = u32(j, "count", 1),
        .stride = u32(j, "stride", 0),
        .lkey_add = u32(j, "badlkey", 0),
        .nsge = u32(j, "nsge", 1),
    };
    s->done = s->at;
    s->wrs = json_many(wrs);
    s->wr = calloc(s->wrs + 1, sizeof *s->wr);
    for (uint32_t i = 0; i < s->wrs; i++)
        if (!read_wr(c, s->side, json_nth(wrs, i), &s->wr[i], why))
            return false;
    return true;
}

/* In the order of time; those of one time in the order of the list. */
static void sort_steps(struct capture *c)
{
    for (uint32_t i = 1; i < c->steps; i++)
        for (uint32_t k = i; k > 0 && c->step[k - 1].at > c->step[k].at; k--) {
            struct step s = c->step[k];
            c->step[k] = c->step[k - 1];
            c->step[k - 1] = s;
        }
}

/* What the recording tells of step `number`. */
static void read_done(struct capture *c, uint32_t number, const json_t *done)
{
    for (uint32_t k = 0; k < c->steps; k++) {
        struct step *s = &c->step[k];
        if (s->number != number)
            continue;
        s->rc = json_whole(done, "rc", 0);
        s->bad = (uint64_t)json_whole(done, "bad_wr_id", 0);
        s->done = json_whole(done, "t_us", s->at / TM_US) * TM_US;
    }
}

static bool read_steps(struct capture *c, const json_t *list, const json_t *done,
                       struct trouble *why)
{
    c->steps = json_many(list);
    c->step = calloc(c->steps + 1, sizeof *c->step);
    for (uint32_t i = 0; i < c->steps; i++) {
        if (!read_step(c, json_nth(list, i), &c->step[i], why))
            return false;
        c->step[i].number = i;
    }
    sort_steps(c);
    for (uint32_t i = 0; i < json_many(done); i++)
        read_done(c, u32(json_nth(done, i), "step", UINT32_MAX), json_nth(done, i));
    return true;
}

static bool read_memory(struct capture *c, const json_t *list, struct trouble *why)
{
    c->memories = json_many(list);
    c->memory = calloc(c->memories + 1, sizeof *c->memory);
    for (uint32_t i = 0; i < c->memories; i++) {
        const json_t *j = json_nth(list, i), *from = json_object_get(j, "from");
        struct memory *m = &c->memory[i];
        *m = (struct memory){
            .side = strcmp(json_text(j, "side"), "b") == 0 ? SIDE_B : SIDE_A,
            .mr = u32(j, "mr", 0),
            .off = (uint64_t)json_whole(j, "off", 0),
            .len = (uint64_t)json_whole(j, "len", 0),
            .compared_with_source = from != NULL,
            .from_side = strcmp(json_text(from, "side"), "b") == 0 ? SIDE_B : SIDE_A,
            .from_mr = u32(from, "mr", 0),
            .from_off = (uint64_t)json_whole(from, "off", 0),
            .text = strdup(json_text(j, from ? "chunks" : "hex")),
        };
        if (m->text[0] == 0 && m->len > 0)
            return trouble_say(why, "result.json: memory %u tells neither chunks nor hex", i);
    }
    return true;
}

static bool read_final(struct capture *c, const json_t *result, struct trouble *why)
{
    static const char *const name[SIDES] = {"a", "b"};
    for (unsigned s = 0; s < SIDES; s++) {
        const json_t *f = json_object_get(json_object_get(result, "final_state"), name[s]);
        const json_t *mrs = json_object_get(json_object_get(result, "mr"), name[s]);
        int state = -1;
        for (int k = 0; k < XP_STATES; k++)
            if (strcmp(xp_state_name((enum xp_state)k), json_text(f, "state")) == 0)
                state = k;
        if (state < 0)
            return trouble_say(why, "result.json: unknown state \"%s\"", json_text(f, "state"));
        c->final[s][FINAL_STATE] = state;
        c->final[s][FINAL_SQ_PSN] = json_whole(f, "sq_psn", NONE);
        c->final[s][FINAL_RQ_PSN] = json_whole(f, "rq_psn", NONE);
        c->recorded[s].qpn = u32(json_object_get(result, "qpn"), name[s], 0);
        for (uint32_t i = 0; i < c->side[s].mrs; i++) {
            char id[12];
            snprintf(id, sizeof id, "%u", i);
            const json_t *m = json_object_get(mrs, id);
            c->recorded[s].mr[i].addr = (uint64_t)json_whole(m, "addr", 0);
            c->recorded[s].mr[i].key = u32(m, "rkey", 0);
        }
    }
    return true;
}

/* Does a piece lie within a region of the side? */
static bool is_within(const struct side *s, uint32_t mr, uint64_t off, uint64_t len)
{
    return mr < s->mrs && off <= s->mr[mr].size && len <= s->mr[mr].size - off;
}

/* What is taken for granted later: regions that exist, pieces that lie in them. */
static bool check_regions(const struct capture *c, struct trouble *why)
{
    for (uint32_t i = 0; i < c->steps; i++) {
        const struct step *s = &c->step[i];
        const struct side *own = &c->side[s->side], *peer = &c->side[other_side(s->side)];
        bool ok = s->mr < own->mrs &&
                  (s->kind != STEP_SET64 || is_within(own, s->mr, s->off, sizeof s->value));
        for (uint32_t k = 0; k < s->wrs; k++)
            ok = ok && s->wr[k].mr < own->mrs && s->wr[k].rmr < peer->mrs;
        if (!ok)
            return trouble_say(why, "case.json: step %u: no such memory", s->number);
    }
    for (uint32_t i = 0; i < c->memories; i++) {
        const struct memory *m = &c->memory[i];
        if (!is_within(&c->side[m->side], m->mr, m->off, m->len) ||
            m->from_mr >= c->side[m->from_side].mrs)
            return trouble_say(why, "result.json: memory %u: no such memory", i);
    }
    return c->mtu > 0 || trouble_say(why, "case.json: mtu is 0");
}

static bool read_case(struct capture *c, const json_t *j, const json_t *result, struct trouble *why)
{
    const json_t *expect = json_object_get(j, "expect_cqes");

    c->name = strdup(json_text(j, "name"));
    for (size_t i = 0; i + 1 < sizeof c->service && json_text(j, "type")[i]; i++)
        c->service[i] = (char)(json_text(j, "type")[i] | 0x20);
    c->mtu = u32(j, "mtu", 1024);
    c->link_delay = json_whole(j, "link_delay_us", 0) * TM_US;
    c->settle = json_whole(j, "settle_ms", 200) * TM_MS;
    c->longest = json_whole(j, "max_ms", 8000) * TM_MS;
    c->expected[SIDE_A] = u32(expect, "a", 0);
    c->expected[SIDE_B] = u32(expect, "b", 0);
    c->wire_stable = json_whole(json_object_get(result, "stability"), "wire_same_per_direction", 0);
    return read_sides(c, j, why) &&
           read_steps(c, json_object_get(j, "steps"), json_object_get(result, "steps"), why) &&
           capture_read_rules(c, json_object_get(j, "inject"), why) &&
           read_memory(c, json_object_get(result, "memory"), why) && check_regions(c, why) &&
           read_final(c, result, why);
}

/*
 * The recorder waits for the completions that it expects and then for a quiet wire, but no longer
 * than the longest time: fewer completions, or packets up to then, tell that it cut the exchange off.
 */
static bool was_cut_off(const struct capture *c)
{
    uint32_t count[SIDES] = {0};
    for (uint32_t i = 0; i < c->completions; i++)
        count[c->completion[i].side]++;
    return count[SIDE_A] < c->expected[SIDE_A] || count[SIDE_B] < c->expected[SIDE_B] ||
           (c->packets > 0 && c->packet[c->packets - 1].at > c->longest - c->settle);
}

struct capture *capture_read(const char *folder, struct trouble *why)
{
    json_t *j = json_of_file(folder, "case.json", why);
    json_t *result = j ? json_of_file(folder, "result.json", why) : NULL;
    struct capture *c = result ? calloc(1, sizeof *c) : NULL;

    if (c && !(read_case(c, j, result, why) && capture_read_packets(c, folder, why) &&
               capture_read_completions(c, folder, why))) {
        capture_free(c);
        c = NULL;
    }
    if (c)
        c->cut_off = was_cut_off(c);
    json_decref(j);
    json_decref(result);
    return c;
}

void capture_free(struct capture *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->steps; i++)
        free(c->step[i].wr);
    for (uint32_t i = 0; i < c->memories; i++)
        free(c->memory[i].text);
    free(c->name);
    free(c->step);
    free(c->rule);
    free(c->memory);
    free(c->packet);
    free(c->completion);
    free(c->pcap);
    free(c);
}

uint8_t fill_byte(uint32_t seed, uint64_t i)
{
    uint32_t x = seed * 2654435761u + (uint32_t)i * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    return (uint8_t)(x >> 24);
}

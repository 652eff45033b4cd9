/*
 * The key table in words: what a key may hold, `rdmasim keys`, the body of the man page.
 *
 * Groups that hold no keys of the table ([inject], [sweep], ...) are explained by their grammar.
 */
#include <string.h>

#include "scenarios/reader/fault_text.h"
#include "scenarios/reader/keys.h"
#include "scenarios/reader/nearest.h"

#define COLUMNS 98u
#define INDENT 4u

/* ---- what is allowed ---------------------------------------------------------------------------- */

static uint32_t choices_offered(const struct choice *c)
{
    uint32_t n = 0;
    for (; c && c->name; c++)
        n += !c->later;
    return n;
}

/* "pair, star or dumbbell" */
static void append_choices(GString *out, const struct choice *c, const char *last)
{
    uint32_t left = choices_offered(c);
    for (; c->name; c++) {
        if (c->later)
            continue;
        left--;
        g_string_append_printf(out, "%s%s", c->name, left > 1 ? ", " : left == 1 ? last : "");
    }
}

static void append_services(GString *out)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < LOAD_SERVICES; i++)
        left += load_service_is_offered(i);
    for (uint32_t i = 0; i < LOAD_SERVICES; i++) {
        if (!load_service_is_offered(i))
            continue;
        left--;
        g_string_append_printf(out, "%s%s", load_service_name(i),
                               left > 1    ? ", "
                               : left == 1 ? " or "
                                           : "");
    }
}

static void append_number(GString *out, const struct key *k)
{
    if (k->max == UINT64_MAX)
        g_string_append_printf(out, "a whole number from %llu up", (unsigned long long)k->min);
    else
        g_string_append_printf(out, "a whole number from %llu to %llu", (unsigned long long)k->min,
                               (unsigned long long)k->max);
}

static void append_with_unit(GString *out, const struct key *k, const struct unit_family *u)
{
    char low[40], high[40];
    value_print_unit(k->min, u, false, low, sizeof low);
    value_print_unit(k->max, u, false, high, sizeof high);
    g_string_append_printf(out, "%s from %s to %s, such as %s (units: %s)", u->noun,
                           k->min == 0 ? "0" : low, high, u->example, u->names);
}

static void append_set(GString *out, const struct key *k)
{
    g_string_append(out, "all, or any of ");
    append_choices(out, k->choice, " and ");
    g_string_append(out, " with commas between");
}

static void append_time(GString *out, const struct key *k) { append_with_unit(out, k, &unit_time); }
static void append_rate(GString *out, const struct key *k) { append_with_unit(out, k, &unit_rate); }
static void append_size(GString *out, const struct key *k) { append_with_unit(out, k, &unit_size); }

static void append_choice(GString *out, const struct key *k)
{
    append_choices(out, k->choice, " or ");
}

static void append_service(GString *out, const struct key *k) { append_services(out); }

static void append_factor(GString *out, const struct key *k)
{
    g_string_append_printf(out, "a factor from %llu to %llu, such as 1.5",
                           (unsigned long long)k->min / 1000, (unsigned long long)k->max / 1000);
}

static void append_range(GString *out, const struct key *k)
{
    g_string_append_printf(out, "two factors from %s to %llu such as 0.5..1.16",
                           k->min == 0 ? "0" : "0.001", (unsigned long long)k->max / 1000);
}

static void append_faults(GString *out, const struct key *k)
{
    g_string_append_printf(out, "causes such as lkey 0x52 320us, with ';' between them: %s",
                           fault_text_causes());
}

/* Kinds of which every key takes the same, and kinds that the key says more of. */
static const struct {
    const char *text;
    void (*append)(GString *out, const struct key *k);
} kind_takes[KINDS] = {
    [KIND_TEXT] = {"a text", NULL},
    [KIND_NAME] = {"a name without path or ending", NULL},
    [KIND_TIME] = {NULL, append_time},
    [KIND_RATE] = {NULL, append_rate},
    [KIND_SIZE] = {NULL, append_size},
    [KIND_WHOLE] = {NULL, append_number},
    [KIND_BOOL] = {"on or off", NULL},
    [KIND_CHOICE] = {NULL, append_choice},
    [KIND_SET] = {NULL, append_set},
    [KIND_SERVICE] = {NULL, append_service},
    [KIND_CHANCE] = {"a probability from 0 to 1, such as 1e-4 or 0.01%", NULL},
    [KIND_SHARE] = {"a share from 0.0001% to 100%, such as 60% or 0.6", NULL},
    [KIND_FACTOR] = {NULL, append_factor},
    [KIND_SIZES] = {"a size such as 4KiB, a list such as 4KiB, 64KiB, or the name of a traffic file",
                    NULL},
    [KIND_BUCKETS] = {"up to 12 ascending sizes such as 10KB, 100KB, 1MB", NULL},
    [KIND_LADDER] = {"up to 12 ascending times such as 20ms, 40ms, 80ms", NULL},
    [KIND_RANGE] = {NULL, append_range},
    [KIND_FLOWS] = {"the name of a trace file", NULL},
    [KIND_FAULTS] = {NULL, append_faults},
    [KIND_ROWS] = {"rows such as rc.recv_short: nak_rem_op receive=LOC_QP_OP_ERR error, with ';' "
                   "between them",
                   NULL},
};

void key_allowed(const struct key *k, GString *out)
{
    if (kind_takes[k->kind].text)
        g_string_append(out, kind_takes[k->kind].text);
    else
        kind_takes[k->kind].append(out, k);
    if (k->kind == KIND_CHOICE || k->kind == KIND_SET || choices_offered(k->choice) == 0)
        return;
    g_string_append(out, ", or ");
    append_choices(out, k->choice, " or ");
}

/* ---- grammars ---------------------------------------------------------------------------------- */

struct grammar {
    const char *group;
    const char *lines[32];
};

static const struct grammar grammars[] = {
    {"inject",
     {"NAME = ACTION [MATCH...]: rules hold for the whole run, in file order; of those that fire "
      "on a packet the first one acts.",
      "drop | dup [delay T] | delay T | corrupt [at=BYTE] | mark | rewrite FIELD=VALUE...",
      "forge at=T from=H to=H opcode=OP dest_qp=N FIELD=VALUE...",
      "MATCH: from=H to=H dir=a2b|b2a class=data|ack|nak op=RC_SEND_ONLY psn=+K qp=N tx=N link=A-B "
      "ip_id=N/MASK during=T1..T2",
      "which of them: skip=N count=N|all every=N, then by chance: p=P | p=P burst=B | ber=P (count is 1, with "
      "every, p, ber, ip_id or during all)",
      "FIELD: opcode psn psn_add ackreq syndrome msn dest_qp pkey tver va va_add rkey dmalen se "
      "ecn imm payload",
      "events: link A-B down T1..T2, stall HOST T1..T2, nopoll HOST T1..T2, stop HOST T1..T2 (T2 may be left out: "
      "for ever).  Behind these: every=T count=N, again each T, N times in all.",
      "events: kill HOST T [order=qp|mr gap=T], destroy HOST:QP T, error HOST:QP T, rights HOST:QP T "
      "none|write,read,atomic, spoil HOST:QP lkey|sge|local_write|rkey|range|remote_access at=T|wr=N [inside=BYTES].",
      "kill with order=: the process alone dies; its QPs or its memory region go first, the rest a gap later "
      "(1ms).  stop: the process stands still, its adapter does not.  spoil: one work request, the first from at= "
      "on or the wr= of its flow (from 0), names memory that it must not; sge and range: only inside= bytes of "
      "it lie in the region (0).",
      "H, HOST: a host's number, 0 or h0.  A, B: the two ends of a link, hosts h0, h1, ... and "
      "switches s0, s1.  Without link=, a rule sees packets as they leave their host.",
      "qp=N and dest_qp=N are QP numbers as packets carry them (qps.csv lists them); the first QP "
      "of "
      "a host is 2, the next 3.  qp=N selects by the destination.  In destroy HOST:QP the QPs of a "
      "host count from 0: destroy 1:0 is the QP that packets call 2.",
      "psn=+K counts from qp.sq_psn and selects; in forge it sets.  psn=K, without the +, sets the "
      "field.  tx=N: the N-th time that this PSN is sent, 1 for the first.",
      "op=SEND_ONLY, without a service in front, stands for that operation of every service.",
      "corrupt at=BYTE counts from the first byte of the BTH (0).  Byte 4, which the ICRC leaves "
      "out, and bytes behind the packet's end corrupt nothing.",
      "ip_id=N/MASK: packets whose IPv4 identification is N in the bits of MASK (0xff/0xff: the low byte).  A "
      "host numbers its packets from 0, all of them, so a repetition has a number of its own.",
      "p=P burst=B: P is lost in the long run, in bursts that last for B packets of the rule on the average.  "
      "ber=P: a bit is wrong with chance P, so a packet of n bytes is hit with 1 - (1 - P)^(8 n).",
      "link A-B down: both ways; lost is what is sent onto the link meanwhile, and what waits for it or is on it "
      "when it goes down.",
      "stall: the host posts no receives.  nopoll: it takes no completions."}},
    {"check", {"group.key = value: holds for `rdmasim check` alone, to make it quick."}},
    {"sweep",
     {"group.key = a; b; c | lo..hi step S | lo..hi log N",
      "group.key1, group.key2 = a, x; b, y: these vary together.",
      "All points are the cross product in file order, the first key slowest."}},
    {"plot",
     {"[plot NAME] x = EXPR, y = EXPR; EXPR, series = KEY, KEY, where = KEY=VALUE, KEY=VALUE,",
      "kind = lines|points|bars|steps, scale_x, scale_y = linear|log, error = minmax|none,",
      "file = results|buckets, title, subtitle, x_label, y_label, y_min, y_max, names = A; B,",
      "reference = LABEL: EXPR; LABEL: EXPR (x in EXPR: the position)"}},
    {"expect",
     {"NAME = EXPR REL EXPR [+- X | +- X%], REL one of = < <= > >= ~",
      "NAME = completions FILE [key=value,...]: completions.csv of the first repetition has these "
      "rows, in this order, and no others.",
      "NAME = trace FILE [key=value,...]: so has packets.csv, of the kinds that occur in FILE "
      "(without a column kind: send and drop at the hosts' own links).",
      "FILE: a CSV file beside the scenario, or in its folder expected; its header names the "
      "columns "
      "that are compared.",
      "[expect full]: the same, for runs without the settings of [check] alone."}},
};
#define GRAMMARS (sizeof grammars / sizeof grammars[0])

/* ---- rdmasim keys -------------------------------------------------------------------------------- */

/*
 * Words of text, broken at COLUMNS, every line indented.  Two blanks in a row, as behind a full
 * stop, give an empty word: it widens the gap within a line and vanishes where a line is broken.
 */
static void print_wrapped(FILE *out, const char *text)
{
    char **word = g_strsplit(text, " ", -1);
    size_t at = 0, gap = 0;
    for (char **w = word; *w; w++, gap++) {
        size_t len = (size_t)g_utf8_strlen(*w, -1);
        if (len == 0)
            continue;
        if (at > 0 && at + gap + len > COLUMNS) {
            fputc('\n', out);
            at = 0;
        }
        size_t before = at == 0 ? INDENT : gap;
        fprintf(out, "%*s%s", (int)before, "", *w);
        at += before + len;
        gap = 0;
    }
    fputc('\n', out);
    g_strfreev(word);
}

static char *first_upper(const char *text)
{
    char *s = g_strdup(text);
    s[0] = g_ascii_toupper(s[0]);
    return s;
}

static void print_key(FILE *out, const struct key *k)
{
    GString *allowed = g_string_new(NULL);
    key_allowed(k, allowed);
    fprintf(out, "  %-20s default %s\n", k->name, key_standard(k)[0] ? key_standard(k) : "(empty)");
    print_wrapped(out, k->meaning);
    g_string_append_c(allowed, '.');
    char *sentence = k->kind == KIND_CHOICE || k->kind == KIND_BOOL || k->kind == KIND_SERVICE
                         ? g_strdup_printf("One of %s", allowed->str)
                         : first_upper(allowed->str);
    print_wrapped(out, sentence);
    g_free(sentence);
    g_string_free(allowed, TRUE);
}

static bool print_group(FILE *out, const char *group)
{
    if (!key_group_known(group))
        return false;
    fprintf(out, "[%s]\n", group);
    for (uint32_t i = 0; i < key_count(); i++)
        if (strcmp(key_at(i)->group, group) == 0)
            print_key(out, key_at(i));
    return true;
}

static bool print_grammar(FILE *out, const char *group)
{
    for (size_t i = 0; i < GRAMMARS; i++) {
        if (strcmp(grammars[i].group, group) != 0)
            continue;
        fprintf(out, "[%s]\n", group);
        for (const char *const *l = grammars[i].lines; *l; l++)
            print_wrapped(out, *l);
        return true;
    }
    return false;
}

/* "qp.timeout" */
static bool print_one_key(FILE *out, const char *dotted)
{
    const struct key *k = key_find_dotted(dotted);
    if (!k)
        return false;
    fprintf(out, "[%s]\n", k->group);
    print_key(out, k);
    return true;
}

static void try_groups(struct nearest *n)
{
    for (uint32_t i = 0; i < key_count(); i++)
        nearest_try(n, key_at(i)->group);
    for (size_t i = 0; i < GRAMMARS; i++)
        nearest_try(n, grammars[i].group);
    nearest_try(n, "metrics"); /* `rdmasim keys` takes this word too */
}

static bool is_nearer(struct nearest *n, const char *candidate)
{
    uint32_t before = n->distance;
    nearest_try(n, candidate);
    return n->distance < before;
}

/*
 * The group or group.key nearest to a word, NULL if none is near; free.  A key's own name counts
 * too, for those who leave its group out or take another for it.
 */
static char *nearest_topic(const char *word)
{
    const char *dot = strchr(word, '.');
    struct nearest whole = nearest_to(word), name = nearest_to(dot ? dot + 1 : word);
    const struct key *best = NULL, *named = NULL;
    try_groups(&whole);
    for (uint32_t i = 0; i < key_count(); i++) {
        const struct key *k = key_at(i);
        char *dotted = g_strconcat(k->group, ".", k->name, NULL);
        if (is_nearer(&whole, dotted))
            best = k;
        if (is_nearer(&name, k->name))
            named = k;
        g_free(dotted);
    }
    if (name.distance < whole.distance)
        best = named;
    return best ? g_strconcat(best->group, ".", best->name, NULL) : g_strdup(whole.best);
}

static bool refuse_word(const char *word, struct sc_error *err)
{
    char *topic = nearest_topic(word);
    if (topic)
        sc_fail(err, "there is no group or key '%s'; did you mean '%s'?", word, topic);
    else
        sc_fail(err, "there is no group or key '%s'; `rdmasim keys` lists those there are", word);
    g_free(topic);
    return false;
}

bool sc_keys_print(FILE *out, const char *word, struct sc_error *err)
{
    const char *last = "";
    if (word && (print_group(out, word) || print_grammar(out, word) || print_one_key(out, word)))
        return true;
    if (word)
        return refuse_word(word, err);
    for (uint32_t i = 0; i < key_count(); i++) {
        if (strcmp(last, key_at(i)->group) == 0)
            continue;
        last = key_at(i)->group;
        print_group(out, last);
        fputc('\n', out);
    }
    for (size_t i = 0; i < GRAMMARS; i++) {
        print_grammar(out, grammars[i].group);
        if (i + 1 < GRAMMARS)
            fputc('\n', out);
    }
    return true;
}

/* ---- man page ------------------------------------------------------------------------------------ */

/* roff acts on backslashes, on minus signs and on a point or quote that begins a line. */
static void roff_text(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
    }
}

static void roff_key(FILE *out, const struct key *k)
{
    GString *allowed = g_string_new(NULL);
    key_allowed(k, allowed);
    fputs(".TP\n.B ", out);
    roff_text(out, k->name);
    fputc('\n', out);
    roff_text(out, k->meaning);
    fputs("\nGive ", out);
    roff_text(out, allowed->str);
    fputs(".\nDefault: ", out);
    roff_text(out, key_standard(k)[0] ? key_standard(k) : "empty");
    fputs(".\n", out);
    g_string_free(allowed, TRUE);
}

void sc_keys_roff(FILE *out)
{
    const char *last = "";
    for (uint32_t i = 0; i < key_count(); i++) {
        if (strcmp(last, key_at(i)->group) != 0)
            fprintf(out, ".SS [%s]\n", key_at(i)->group);
        last = key_at(i)->group;
        roff_key(out, key_at(i));
    }
    for (size_t i = 0; i < GRAMMARS; i++) {
        fprintf(out, ".SS [%s]\n", grammars[i].group);
        for (const char *const *l = grammars[i].lines; *l; l++) {
            roff_text(out, *l);
            fputs("\n.br\n", out);
        }
    }
}

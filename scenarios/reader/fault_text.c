/*
 * hca.faults as text: CAUSE CODE [TIME], with ';' between.
 *
 * What is not named has the code 0 and takes no time.  No cause stands twice.
 */
#include "scenarios/reader/fault_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/value.h"

#define CAUSES "lkey, sge, local_write, flush, rem_inv_req, rem_access, retry or rnr_retry"
#define LONGEST_PS TM_S

static const char *const names[XP_FAULTS] = {
    [XP_F_LKEY] = "lkey",
    [XP_F_SGE] = "sge",
    [XP_F_LOCAL_WRITE] = "local_write",
    [XP_F_FLUSH] = "flush",
    [XP_F_REM_INV_REQ] = "rem_inv_req",
    [XP_F_REM_ACCESS] = "rem_access",
    [XP_F_RETRY] = "retry",
    [XP_F_RNR_RETRY] = "rnr_retry",
};

const char *fault_text_causes(void) { return CAUSES; }

static enum xp_fault cause_of(const char *name)
{
    for (int f = 1; f < XP_FAULTS; f++)
        if (strcmp(names[f], name) == 0)
            return (enum xp_fault)f;
    return XP_F_OTHER;
}

static bool parse_code(const char *text, uint8_t *out, struct sc_error *err)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 0);
    if (!g_ascii_isdigit(text[0]) || *end || errno || n < 1 || n > UINT8_MAX)
        return sc_fail(err, "'%s' is not a vendor's code; give 1 to 255 or 0x01 to 0xff", text);
    *out = (uint8_t)n;
    return true;
}

static bool parse_delay(const char *text, tm_ps *out, struct sc_error *err)
{
    uint64_t n;
    enum value_fault f = value_with_unit(text, &unit_time, &n);
    if (f == VALUE_OK && n > (uint64_t)LONGEST_PS)
        f = VALUE_TOO_BIG;
    if (f != VALUE_OK)
        return sc_fail(err, "'%s' %s; give a time of at most 1s such as 320us", text,
                       value_fault_text(f));
    *out = (tm_ps)n;
    return true;
}

/* The words of one cause; empty ones between blanks do not count. */
static bool parse_cause(char **word, uint32_t words, struct xp_faults *out, struct sc_error *err)
{
    if (words < 2 || words > 3)
        return sc_fail(err, "a cause is incomplete or too long; write lkey 0x52 320us");
    enum xp_fault f = cause_of(word[0]);
    if (f == XP_F_OTHER)
        return sc_fail(err, "'%s' is not a cause of failed sends; give " CAUSES, word[0]);
    if (out->vendor_err[f])
        return sc_fail(err, "'%s' stands twice; give each cause once", word[0]);
    return parse_code(word[1], &out->vendor_err[f], err) &&
           (words == 2 || parse_delay(word[2], &out->delay_ps[f], err));
}

static bool parse_part(const char *part, struct xp_faults *out, struct sc_error *err)
{
    char *word[4], *copy = g_strdup(part), *rest = NULL;
    uint32_t words = 0;
    for (char *w = strtok_r(copy, " \t", &rest); w && words < 4; w = strtok_r(NULL, " \t", &rest))
        word[words++] = w;
    bool ok = parse_cause(word, words, out, err);
    g_free(copy);
    return ok;
}

bool fault_text_parse(const char *text, struct xp_faults *out, struct sc_error *err)
{
    *out = (struct xp_faults){0};
    if (strcmp(text, "none") == 0)
        return true;
    char **part = g_strsplit(text, ";", -1);
    bool ok = part[0] || parse_part("", out, err);
    for (uint32_t i = 0; part[i] && ok; i++)
        ok = parse_part(part[i], out, err);
    g_strfreev(part);
    return ok;
}

void fault_text_print(const struct xp_faults *f, GString *out)
{
    bool any = false;
    for (int i = 1; i < XP_FAULTS; i++) {
        if (!f->vendor_err[i])
            continue;
        g_string_append_printf(out, "%s%s 0x%02x", any ? "; " : "", names[i], f->vendor_err[i]);
        if (f->delay_ps[i]) {
            char delay[32];
            value_print_unit((uint64_t)f->delay_ps[i], &unit_time, false, delay, sizeof delay);
            g_string_append_printf(out, " %s", delay);
        }
        any = true;
    }
    if (!any)
        g_string_append(out, "none");
}

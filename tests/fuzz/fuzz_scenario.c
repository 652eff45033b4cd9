/*
 * Any bytes into the readers of what users write: a scenario with all that hangs on it (sweep, plots,
 * expectations), and the forms of traffic files.  Each ends with a struct or with one sentence that says
 * what was wrong; what resolves goes through its own manifest and comes back the same.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/reader/scan.h"
#include "scenarios/reader/traffic.h"
#include "sim/base/check.h"
#include "tests/fuzz/replay.h"
#include "tests/unit/sctest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One sentence. */
static bool is_said(const struct sc_error *err)
{
    return strlen(err->text) > 10 && !strchr(err->text, '\n');
}

static void check_manifest(const struct sc_file *f, const struct scenario *s)
{
    char *text = NULL;
    size_t len = 0;
    struct scenario again = {0};
    FILE *out = open_memstream(&text, &len);
    CHECK(out && sc_manifest_write(f, NULL, 0, out));
    fclose(out);
    CHECK(sctest_resolve(text, &again)[0] == 0);
    CHECK(sctest_difference(s, &again)[0] == 0);
    scenario_clear(&again);
    free(text);
}

static void try_scenario(const char *path)
{
    struct sc_error err = {""};
    struct scenario s = {0};
    struct sc_plan p = {0};
    struct sc_file *f = sc_file_load(path, &err);
    bool ok = f && sc_resolve(f, NULL, 0, &s, &err);
    CHECK(ok || is_said(&err));
    if (ok) {
        struct sc_error second = {""};
        check_manifest(f, &s);
        CHECK(sc_plan_make(f, NULL, 0, true, &p, &second) || is_said(&second));
    }
    sc_plan_clear(&p);
    scenario_clear(&s);
    sc_file_free(f);
}

static void try_sizes(const char *path)
{
    struct load_size s = {0};
    struct sc_error err = {""};
    char seen[TRAFFIC_SEEN_MAX];
    if (!traffic_sizes(path, &s, seen, &err)) {
        CHECK(is_said(&err));
        return;
    }
    CHECK(s.cumulative[s.count - 1] == (uint64_t)1 << 63);
    for (uint32_t i = 1; i < s.count; i++)
        CHECK(s.bytes[i] >= s.bytes[i - 1] && s.cumulative[i] >= s.cumulative[i - 1]);
    g_free(s.bytes);
    g_free(s.cumulative);
}

static void try_flows(const char *path)
{
    struct load_flow *flow = NULL;
    struct sc_error err = {""};
    char seen[TRAFFIC_SEEN_MAX];
    uint32_t count = 0;
    if (!traffic_flows(path, 4, &flow, &count, seen, &err)) {
        CHECK(is_said(&err));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        CHECK(flow[i].src < 4 && flow[i].dst < 4 && flow[i].src != flow[i].dst && flow[i].bytes > 0);
    g_free(flow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[200];
    g_strlcpy(path, sctest_write("fuzz.ini", data, size), sizeof path);
    try_scenario(path);
    try_sizes(path);
    try_flows(path);
    return 0;
}

FUZZ_MAIN

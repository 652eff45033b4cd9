/* Made-up results: mistakes of [plot] and [expect] show before anything runs. */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"

#define BASE "[workload]\nmessages = 5\n[sweep]\nqp.timeout = 8;10\n"

/* The command fails with exit 2, says so, and leaves no folder. */
static void refused(const char *command, const char *tail, const char *message)
{
    struct cli_run r;
    char text[600];
    cli_run_begin(&r);
    snprintf(text, sizeof text, BASE "%s", tail);
    cli_run_write(&r, "s.ini", text);
    CU_ASSERT_EQUAL(cli_run(&r, command), 2);
    bool said = strstr(r.err, message) || strstr(r.out, message);
    if (!said)
        printf("\n%s%s", r.out, r.err);
    CU_ASSERT_TRUE(said);
    CU_ASSERT_FALSE(cli_run_exists(&r, "out"));
    cli_run_done(&r);
}

static void dry_plot_of_an_unknown_metric_stops_the_sweep(void)
{
    refused("sweep s.ini", "[plot p]\nx = qp.timeout\ny = goodput\n",
            "'goodput' is neither a metric nor a swept key");
    refused("check s.ini", "[expect]\na = flows = 1\n[plot p]\nx = qp.timeout\ny = goodput\n",
            "'goodput' is neither a metric nor a swept key");
}

static void dry_plot_of_a_key_that_is_not_swept_stops_the_sweep(void)
{
    refused("sweep s.ini", "[plot p]\nx = qp.timeout\ny = goodput_gbps\nseries = qp.mtu\n",
            "series: qp.mtu is not a column of results.csv");
}

static void dry_plot_of_buckets_without_buckets_stops_the_sweep(void)
{
    refused("sweep s.ini", "[plot p]\nfile = buckets\nx = max_bytes\ny = slowdown_p50\n",
            "there is no buckets.csv without workload.buckets and workload.slowdown = on");
}

static void dry_expectation_of_an_unknown_metric_or_point_runs_nothing(void)
{
    refused("check s.ini", "[expect]\nb = goodput > 1\n",
            "'goodput' is neither a metric nor a swept key");
    refused("check s.ini", "[expect]\nb = flows[qp.timeout=9] = 1\n", "no such point");
}

static const struct test tests[] = {
    TEST(dry_plot_of_an_unknown_metric_stops_the_sweep),
    TEST(dry_plot_of_a_key_that_is_not_swept_stops_the_sweep),
    TEST(dry_plot_of_buckets_without_buckets_stops_the_sweep),
    TEST(dry_expectation_of_an_unknown_metric_or_point_runs_nothing), TESTS_END};
const struct suite suite_dry = {"dry", tests};

/* When bytes are there: latency, bandwidth, reads that wait for others. */
#include "models/hca/pcie.h"
#include "tests/suite.h"

static void pcie_without_figures_takes_no_time(void)
{
    struct pcie p;
    pcie_init(&p, &(struct pcie_cfg){0});
    CU_ASSERT_EQUAL(pcie_read(&p, 4096, 1000, 1000), 1000);
    CU_ASSERT_EQUAL(pcie_write(&p, 4096, 1000, 1000), 1000);
    CU_ASSERT_EQUAL(p.read_bytes, 4096);
    CU_ASSERT_EQUAL(p.written_bytes, 4096);
    pcie_fini(&p);
}

/* 100 Gb/s: 80 ps a byte.  The bytes of a read follow those of the one before; latencies overlap. */
static void pcie_reads_share_the_rate_and_overlap_their_latencies(void)
{
    struct pcie p;
    pcie_init(&p, &(struct pcie_cfg){.latency_ps = 500000, .rate_bps = 100000000000});
    CU_ASSERT_EQUAL(pcie_read(&p, 1000, 0, 0), 580000);
    CU_ASSERT_EQUAL(pcie_read(&p, 1000, 0, 0), 660000);
    CU_ASSERT_EQUAL(pcie_read(&p, 1000, 400000, 400000), 980000);
    pcie_fini(&p);
}

static void pcie_reads_over_the_bound_wait_for_the_oldest(void)
{
    struct pcie p;
    pcie_init(&p, &(struct pcie_cfg){.latency_ps = 700, .reads = 2});
    CU_ASSERT_EQUAL(pcie_read(&p, 64, 0, 0), 700);
    CU_ASSERT_EQUAL(pcie_read(&p, 64, 100, 100), 800);
    CU_ASSERT_EQUAL(pcie_read(&p, 64, 200, 200), 1400);
    CU_ASSERT_EQUAL(pcie_read(&p, 64, 200, 200), 1500);
    CU_ASSERT_EQUAL(pcie_read(&p, 64, 5000, 5000), 5700);
    pcie_fini(&p);
}

static void pcie_writes_do_not_wait_for_reads(void)
{
    struct pcie p;
    pcie_init(&p, &(struct pcie_cfg){.latency_ps = 500000, .rate_bps = 100000000000});
    pcie_read(&p, 100000, 0, 0);
    CU_ASSERT_EQUAL(pcie_write(&p, 1000, 0, 0), 80000);
    CU_ASSERT_EQUAL(pcie_write(&p, 1000, 10000, 10000), 160000);
    pcie_fini(&p);
}

/* What is asked for far ahead keeps nobody waiting who needs it now. */
static void pcie_read_far_ahead_takes_nothing_from_others(void)
{
    struct pcie p;
    pcie_init(&p, &(struct pcie_cfg){.latency_ps = 500000, .rate_bps = 100000000000});
    CU_ASSERT_EQUAL(pcie_read(&p, 1000, 0, 7000000), 7580000);
    CU_ASSERT_EQUAL(pcie_read(&p, 1000, 200000, 200000), 780000);
    CU_ASSERT_EQUAL(pcie_read(&p, 1000, 200000, 210000), 860000);
    pcie_fini(&p);
}

static const struct test tests[] = {TEST(pcie_without_figures_takes_no_time),
                                    TEST(pcie_reads_share_the_rate_and_overlap_their_latencies),
                                    TEST(pcie_reads_over_the_bound_wait_for_the_oldest),
                                    TEST(pcie_read_far_ahead_takes_nothing_from_others),
                                    TEST(pcie_writes_do_not_wait_for_reads),
                                    TESTS_END};
const struct suite suite_pcie = {"pcie", tests};

/* Adapters that cannot be, in the words that a user reads. */
#include "tests/suite.h"
#include "tests/unit/sctest.h"

#define REFUSED(text, message) CU_ASSERT_STRING_EQUAL(sctest_refusal(text), message)
#define TAKEN(text) CU_ASSERT_STRING_EQUAL(sctest_refusal(text), "")

static void check_adapter_ways_divide_the_entries(void)
{
    REFUSED(
        "[hca]\nunits = 1\nctx_entries = 1030\nctx_ways = 8\n",
        "t.ini:4: [hca] ctx_ways: 1030 entries (hca.ctx_entries) are no sets of 8; give a divisor "
        "of them, or all");
    REFUSED(
        "[hca]\nunits = 1\nctx_entries = 4\nctx_ways = 8\n",
        "t.ini:4: [hca] ctx_ways: 4 entries (hca.ctx_entries) are no sets of 8; give a divisor of "
        "them, or all");
    REFUSED(
        "[hca]\nunits = 1\nmtt_ways = 8\n",
        "t.ini:3: [hca] mtt_ways: a cache with room for all has no ways; give hca.mtt_entries, or "
        "all");
    REFUSED(
        "[hca]\nunits = 1\nread_entries = 10\nread_ways = 4\n",
        "t.ini:4: [hca] read_ways: 10 entries (hca.read_entries) are no sets of 4; give a divisor "
        "of them, or all");
    TAKEN("[hca]\nunits = 1\nctx_entries = 1024\nctx_ways = 8\n");
}

static void check_adapter_moderation_ends(void)
{
    REFUSED("[hca]\ncq_moderation = 4\n",
            "t.ini:2: [hca] cq_moderation: the last completions would wait for 4 that never come; "
            "give hca.cq_moderation_time, too");
    TAKEN("[hca]\ncq_moderation = 4\ncq_moderation_time = 1us\n");
    TAKEN("[hca]\ncq_moderation_time = 1us\n");
}

static void check_adapter_buffer_holds_a_packet(void)
{
    REFUSED("[hca]\nunits = 1\nrx_buffer = 4KiB\n[qp]\nmtu = 4096\n",
            "t.ini:3: [hca] rx_buffer: 4096 bytes hold no packet of qp.mtu = 4096 and its headers; "
            "give at least 4246B");
    TAKEN("[hca]\nunits = 1\nrx_buffer = 4KiB\n");
}

static void check_adapter_host_depth_is_for_closed_loops(void)
{
    REFUSED("[workload]\npattern = rpc\nhost_depth = 4\n",
            "t.ini:3: [workload] host_depth: it is for closed loops of single messages; leave out "
            "workload.load, and pattern = trace or rpc");
    REFUSED(
        "[workload]\nhost_depth = 4\nsignal_every = 4\n",
        "t.ini:2: [workload] host_depth: messages on flows drawn at random imply nothing of each "
        "other; leave workload.signal_every at 1");
    TAKEN("[workload]\nhost_depth = 4\n");
}

static void check_adapter_region_holds_the_messages(void)
{
    REFUSED("[workload]\nregion = 4KiB\nsize = 8KiB\n",
            "t.ini:2: [workload] region: it is smaller than a message of workload.size; give more");
    REFUSED("[workload]\nregion = 1MiB\npayload = verify\n",
            "t.ini:2: [workload] region: messages lie where payload = verify or pattern = rpc puts "
            "them; give none");
    TAKEN("[workload]\nregion = 8KiB\nsize = 8KiB\n");
}

static const struct test tests[] = {TEST(check_adapter_ways_divide_the_entries),
                                    TEST(check_adapter_moderation_ends),
                                    TEST(check_adapter_buffer_holds_a_packet),
                                    TEST(check_adapter_host_depth_is_for_closed_loops),
                                    TEST(check_adapter_region_holds_the_messages),
                                    TESTS_END};
const struct suite suite_check_adapter = {"check_adapter", tests};

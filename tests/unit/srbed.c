/* What tests of selective repeat share: a rig with that policy, losses by number, requests. */
#include "tests/unit/srbed.h"

#include "sim/base/check.h"

struct rig_spec srbed_spec(void)
{
    struct rig_spec s = rig_spec();
    s.profile.recovery = XP_SELECTIVE;
    return s;
}

struct rig *srbed_new(void)
{
    struct rig_spec s = srbed_spec();
    return rig_new(&s);
}

struct rig *srbed_to_read(uint32_t len, uint8_t retry_cnt)
{
    struct rig_spec s = srbed_spec();
    s.retry_cnt = retry_cnt;
    s.psn_a = 100 - (len + 255) / 256;
    struct rig *r = rig_new(&s);
    srbed_write(r, 0, len);
    rig_run(r);
    rig_packets(r, SHOW_ALL);
    TEXT_IS(rig_wcs(r, A), "0:0");
    return r;
}

void srbed_drop(struct rig *r, int from, uint64_t nth)
{
    loop_script(r->loop, (struct loop_fault){.from = (uint16_t)from,
                                             .to = (uint16_t)!from,
                                             .nth = nth,
                                             .action = LOOP_DROP});
}

void srbed_lose_response(struct rig *r, uint64_t nth) { srbed_drop(r, B, 1 + nth); }

void srbed_write(struct rig *r, uint64_t id, uint32_t len)
{
    CHECK(rig_post(r, (struct rig_op){.id = id, .op = XP_WR_WRITE, .len = len, .dst = 4096}) ==
          XP_OK);
}

void srbed_read(struct rig *r, uint64_t id, uint32_t len, uint32_t at)
{
    CHECK(rig_post(r, (struct rig_op){.id = id,
                                      .op = XP_WR_READ,
                                      .len = len,
                                      .src = 16384 + at,
                                      .dst = 4096 + at}) == XP_OK);
}

void srbed_fetch_add(struct rig *r, uint64_t id, uint32_t at)
{
    CHECK(rig_post(r, (struct rig_op){.id = id,
                                      .op = XP_WR_FETCH_ADD,
                                      .len = 8,
                                      .src = 32768 + at,
                                      .dst = 64000,
                                      .swap_or_add = 2}) == XP_OK);
}

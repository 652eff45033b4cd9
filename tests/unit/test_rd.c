/* Reliable datagrams: QPs that send through EE contexts (IBA 9.7.8). */
#include "tests/unit/rig.h"

static void rd_work_requests_offered_are_those_of_the_service(void)
{
    CU_ASSERT_TRUE(xp_service_offers(XP_RD, XP_WR_SEND));
    CU_ASSERT_TRUE(xp_service_offers(XP_RD, XP_WR_FETCH_ADD));
    CU_ASSERT_FALSE(xp_service_offers(XP_RD, XP_WR_SEND_INV));
    CU_ASSERT_FALSE(xp_service_offers(XP_EEC, XP_WR_SEND));
}

static const struct test tests[] = {TEST(rd_work_requests_offered_are_those_of_the_service), TESTS_END};
const struct suite suite_rd = {"rd", tests};

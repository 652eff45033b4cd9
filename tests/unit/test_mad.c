/*
 * CM datagrams: against those of Linux rdma_cm, against literal bytes, and there and back.
 */
#include <stdlib.h>
#include <string.h>

#include "models/cm/mad.h"
#include "sim/base/rng.h"
#include "tests/suite.h"
#include "tests/unit/cm_captured.h"

static void unhex(const char *hex, uint8_t out[CM_MAD_BYTES])
{
    memset(out, 0, CM_MAD_BYTES);
    for (unsigned i = 0; hex[2 * i]; i++)
        out[i] = (uint8_t)strtoul((char[]){hex[2 * i], hex[2 * i + 1], 0}, NULL, 16);
}

static const struct cm_captured *captured(const char *program, enum cm_kind kind)
{
    for (unsigned i = 0; i < CM_CAPTURED; i++)
        if (cm_captured[i].kind == kind && strcmp(cm_captured[i].program, program) == 0)
            return &cm_captured[i];
    return NULL;
}

static struct cm_mad decoded(const char *program, enum cm_kind kind)
{
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_mad m;
    unhex(captured(program, kind)->hex, bytes);
    CU_ASSERT_TRUE_FATAL(cm_mad_decode(bytes, &m));
    CU_ASSERT_EQUAL_FATAL(m.kind, kind);
    return m;
}

/* Decoding and encoding what Linux sent gives the same 256 bytes. */
static void mad_captured_come_back_byte_for_byte(void)
{
    uint8_t bytes[CM_MAD_BYTES], again[CM_MAD_BYTES];
    struct cm_mad m;
    CU_ASSERT_EQUAL(CM_CAPTURED, 12);
    for (unsigned i = 0; i < CM_CAPTURED; i++) {
        unhex(cm_captured[i].hex, bytes);
        CU_ASSERT_TRUE(cm_mad_decode(bytes, &m));
        CU_ASSERT_EQUAL(m.kind, cm_captured[i].kind);
        cm_mad_encode(&m, again);
        CU_ASSERT_EQUAL(memcmp(bytes, again, CM_MAD_BYTES), 0);
    }
}

static void mad_captured_req_has_what_rping_asked(void)
{
    static const uint8_t from[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};
    static const uint8_t to[16] = {[10] = 0xff, 0xff, 192, 0, 2, 2};
    struct cm_mad m = decoded("rping", CM_REQ);
    CU_ASSERT_EQUAL(m.tid, 0x000000023b29fe8c);
    CU_ASSERT_EQUAL(m.local_id, 0x8cfe293b);
    CU_ASSERT_EQUAL(m.remote_id, 0);
    CU_ASSERT_EQUAL(m.req.service_id, 0x01061c06); /* RDMA_PS_TCP, port 7174 */
    CU_ASSERT_EQUAL(m.offer.guid, 0x505400fffe000001);
    CU_ASSERT_EQUAL(m.offer.qpn, 0x11);
    CU_ASSERT_EQUAL(m.offer.psn, 0xc3415c);
    CU_ASSERT_EQUAL(m.offer.responder_resources, 1);
    CU_ASSERT_EQUAL(m.offer.initiator_depth, 1);
    CU_ASSERT_EQUAL(m.offer.rnr_retry, 7);
    CU_ASSERT_EQUAL(m.req.remote_timeout, 20);
    CU_ASSERT_EQUAL(m.req.local_timeout, 20);
    CU_ASSERT_EQUAL(m.req.transport, CM_TRANSPORT_RC);
    CU_ASSERT_EQUAL(m.req.retry_cnt, 7);
    CU_ASSERT_EQUAL(m.req.pkey, 0xffff);
    CU_ASSERT_EQUAL(m.req.mtu, 5);
    CU_ASSERT_EQUAL(m.req.max_cm_retries, 15);
    CU_ASSERT_EQUAL(m.req.path.local_lid, 0xffff);
    CU_ASSERT_EQUAL(memcmp(m.req.path.local_gid, from, 16), 0);
    CU_ASSERT_EQUAL(memcmp(m.req.path.remote_gid, to, 16), 0);
    CU_ASSERT_EQUAL(m.req.path.flow_label, 0x70099);
    CU_ASSERT_EQUAL(m.req.path.hop_limit, 64);
    CU_ASSERT_EQUAL(m.req.path.ack_timeout, 19);
    CU_ASSERT_EQUAL(m.private_data[1],
                    0x40); /* rdma_cm's own header: IPv4, then port and addresses */
}

static void mad_captured_answers_have_their_fields(void)
{
    struct cm_mad rep = decoded("rping", CM_REP), rtu = decoded("rping", CM_RTU);
    CU_ASSERT_EQUAL(rep.local_id, 0xe6c83cae);
    CU_ASSERT_EQUAL(rep.remote_id, 0x8cfe293b);
    CU_ASSERT_EQUAL(rep.offer.qpn, 0x11);
    CU_ASSERT_EQUAL(rep.offer.psn, 0x520009);
    CU_ASSERT_EQUAL(rep.offer.responder_resources, 1);
    CU_ASSERT_EQUAL(rep.offer.initiator_depth, 1);
    CU_ASSERT_EQUAL(rep.rep.ack_delay, 15);
    CU_ASSERT_EQUAL(rep.offer.rnr_retry, 7);
    CU_ASSERT_EQUAL(rep.offer.guid, 0x505400fffe000002);
    CU_ASSERT_EQUAL(rtu.local_id, 0x8cfe293b);
    CU_ASSERT_EQUAL(rtu.remote_id, 0xe6c83cae);
    CU_ASSERT_EQUAL(decoded("rping", CM_DREQ).remote_qpn, 0x11);
    CU_ASSERT_EQUAL(decoded("ucmatose", CM_DREP).local_id, 0x8dfe293b);
    struct cm_mad ask = decoded("udaddy", CM_SIDR_REQ), told = decoded("udaddy", CM_SIDR_REP);
    CU_ASSERT_EQUAL(ask.local_id, 0x8efe293b);
    CU_ASSERT_EQUAL(ask.sidr.service_id, 0x01111c06);
    CU_ASSERT_EQUAL(ask.sidr.pkey, 0xffff);
    CU_ASSERT_EQUAL(told.local_id, 0x8efe293b);
    CU_ASSERT_EQUAL(told.sidr.qpn, 0x13);
    CU_ASSERT_EQUAL(told.sidr.qkey, 0x01234567);
    CU_ASSERT_EQUAL(told.sidr.service_id, 0x01111c06);
}

/* MRA and REJ are in no capture: their bytes after IBA 12.6.6 and 12.6.7. */
static void mad_mra_and_rej_are_the_literal_bytes(void)
{
    static const uint8_t mra[16] = {1, 7, 2, 3, [15] = 9};
    static const uint8_t mra_body[12] = {0, 0, 0, 5, 0, 0, 0, 6, 0x40, 0xa8, 0xab};
    static const uint8_t rej_body[16] = {0, 0, 0, 5, 0, 0, 0, 6, 0x80, 0x04, 0, 4, 0xaa, 0xbb};
    struct cm_mad m = {.kind = CM_MRA, .tid = 9, .local_id = 5, .remote_id = 6};
    uint8_t out[CM_MAD_BYTES];
    m.mra = (struct cm_mra){CM_OF_REP, 21};
    m.private_data[0] = 0xab;
    cm_mad_encode(&m, out);
    CU_ASSERT_EQUAL(memcmp(out, mra, 16), 0);
    CU_ASSERT_EQUAL(out[17], 0x11);
    CU_ASSERT_EQUAL(memcmp(out + 24, mra_body, sizeof mra_body), 0);
    m = (struct cm_mad){.kind = CM_REJ, .local_id = 5, .remote_id = 6};
    m.rej = (struct cm_rej){CM_OF_NONE, 2, CM_REJ_TIMEOUT, {0xaa, 0xbb}};
    m.private_data[147] = 0xcd;
    cm_mad_encode(&m, out);
    CU_ASSERT_EQUAL(out[17], 0x12);
    CU_ASSERT_EQUAL(memcmp(out + 24, rej_body, sizeof rej_body), 0);
    CU_ASSERT_EQUAL(out[255], 0xcd);
}

/* A SIDR MAD, a GET, another version or class, an unknown attribute. */
static void mad_other_messages_are_refused(void)
{
    static const struct {
        uint8_t at, value;
    } change[] = {{0, 2}, {1, 3}, {2, 1}, {3, 1}, {16, 1}, {17, 0x0f}, {17, 0x19}, {17, 0x1a}};
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_mad m;
    for (unsigned i = 0; i < sizeof change / sizeof change[0]; i++) {
        unhex(captured("rping", CM_RTU)->hex, bytes);
        bytes[change[i].at] = change[i].value;
        CU_ASSERT_FALSE(cm_mad_decode(bytes, &m));
        CU_ASSERT_EQUAL(m.local_id, 0);
    }
}

/*
 * Random bytes behind a good header: what is decoded and encoded again decodes to the same, so no
 * field overlaps another and none is lost.
 */
static void mad_random_bytes_settle_after_one_round(void)
{
    struct rng_stream r = rng_stream(1, RNG_RUN, 0, 1);
    uint8_t in[CM_MAD_BYTES], out[CM_MAD_BYTES], again[CM_MAD_BYTES];
    struct cm_mad m, n;
    for (unsigned round = 0; round < 900; round++) {
        unhex("01070203", in);
        for (unsigned i = 4; i < CM_MAD_BYTES; i++)
            in[i] = (uint8_t)rng_next(&r);
        in[16] = 0;
        in[17] = (uint8_t)CM_ATTRIBUTE(round % CM_KINDS);
        CU_ASSERT_TRUE(cm_mad_decode(in, &m));
        cm_mad_encode(&m, out);
        CU_ASSERT_TRUE(cm_mad_decode(out, &n));
        cm_mad_encode(&n, again);
        CU_ASSERT_EQUAL(memcmp(&m, &n, sizeof m), 0);
        CU_ASSERT_EQUAL(memcmp(out, again, sizeof out), 0);
        unsigned private_from = CM_MAD_BYTES - cm_private_bytes((enum cm_kind)m.kind);
        CU_ASSERT_EQUAL(memcmp(in + private_from, out + private_from, CM_MAD_BYTES - private_from),
                        0);
        for (unsigned i = 0; i < CM_MAD_BYTES; i++)
            CU_ASSERT_EQUAL(out[i] & ~in[i], 0); /* reserved bits went, none came */
    }
}

static void mad_names_are_those_of_the_standard(void)
{
    CU_ASSERT_STRING_EQUAL(cm_kind_name(CM_REQ), "REQ");
    CU_ASSERT_STRING_EQUAL(cm_kind_name(CM_SIDR_REP), "SIDR_REP");
    CU_ASSERT_EQUAL(cm_private_bytes(CM_REQ), 92);
    CU_ASSERT_EQUAL(cm_private_bytes(CM_DREQ), 220);
    CU_ASSERT_STRING_EQUAL(cm_reason_name(CM_REJ_STALE_CONN), "stale connection");
    CU_ASSERT_STRING_EQUAL(cm_reason_name((enum cm_reason)11), "reason ?");
    CU_ASSERT_STRING_EQUAL(cm_reason_name((enum cm_reason)999), "reason ?");
}

static const struct test tests[] = {
    TEST(mad_captured_come_back_byte_for_byte),   TEST(mad_captured_req_has_what_rping_asked),
    TEST(mad_captured_answers_have_their_fields), TEST(mad_mra_and_rej_are_the_literal_bytes),
    TEST(mad_other_messages_are_refused),         TEST(mad_random_bytes_settle_after_one_round),
    TEST(mad_names_are_those_of_the_standard),    TESTS_END};
const struct suite suite_mad = {"mad", tests};

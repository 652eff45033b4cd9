/*
 * MAD fields as a table: where a field lies in the bytes and in struct cm_mad.
 *
 * A row names the messages that have the field, its first bit counted from the start of the MAD
 * (IBA counts from the start of the message, 24 bytes later) and its width.  Fields of up to 64
 * bits are numbers; longer ones are bytes as they stand.  What no row covers is reserved: written
 * as 0 and not looked at.
 */
#include "models/cm/mad.h"

#include <stddef.h>
#include <string.h>

#include "sim/base/check.h"

#define BASE_VERSION 1
#define CLASS_CM 7
#define CLASS_VERSION 2
#define METHOD_SEND 3
#define MESSAGE 24 /* bytes of common header */

struct field {
    uint16_t kinds; /* 1 << enum cm_kind */
    uint16_t bit, width;
    uint16_t offset, size; /* in struct cm_mad; numbers: 1, 2, 4 or 8 bytes */
};

#define AT(member) offsetof(struct cm_mad, member), sizeof(((struct cm_mad *)0)->member)
#define BIT(byte, bit) (8 * (MESSAGE + (byte)) + (bit))
#define K(kind) (1u << CM_##kind)
#define ALL ((1u << CM_KINDS) - 1)
#define SIDR (K(SIDR_REQ) | K(SIDR_REP))

/* Both paths of a REQ are laid out alike, 44 bytes each. */
#define PATH(byte, path)                                                                           \
    {K(REQ), BIT(byte, 0), 16, AT(path.local_lid)},                                                \
        {K(REQ), BIT((byte) + 2, 0), 16, AT(path.remote_lid)},                                     \
        {K(REQ), BIT((byte) + 4, 0), 128, AT(path.local_gid)},                                     \
        {K(REQ), BIT((byte) + 20, 0), 128, AT(path.remote_gid)},                                   \
        {K(REQ), BIT((byte) + 36, 0), 20, AT(path.flow_label)},                                    \
        {K(REQ), BIT((byte) + 36, 26), 6, AT(path.rate)},                                          \
        {K(REQ), BIT((byte) + 40, 0), 8, AT(path.traffic_class)},                                  \
        {K(REQ), BIT((byte) + 41, 0), 8, AT(path.hop_limit)},                                      \
        {K(REQ), BIT((byte) + 42, 0), 4, AT(path.sl)},                                             \
        {K(REQ), BIT((byte) + 42, 4), 1, AT(path.subnet_local)},                                   \
    {                                                                                              \
        K(REQ), BIT((byte) + 43, 0), 5, AT(path.ack_timeout)                                       \
    }

static const struct field fields[] = {
    {ALL, 64, 64, AT(tid)},
    {ALL, BIT(0, 0), 32, AT(local_id)},
    {ALL & ~(K(REQ) | SIDR), BIT(4, 0), 32, AT(remote_id)},

    {K(REQ), BIT(8, 0), 64, AT(req.service_id)},
    {K(REQ), BIT(16, 0), 64, AT(offer.guid)},
    {K(REQ), BIT(28, 0), 32, AT(offer.qkey)},
    {K(REQ), BIT(32, 0), 24, AT(offer.qpn)},
    {K(REQ), BIT(35, 0), 8, AT(offer.responder_resources)},
    {K(REQ), BIT(36, 0), 24, AT(offer.eecn)},
    {K(REQ), BIT(39, 0), 8, AT(offer.initiator_depth)},
    {K(REQ), BIT(40, 0), 24, AT(req.remote_eecn)},
    {K(REQ), BIT(43, 0), 5, AT(req.remote_timeout)},
    {K(REQ), BIT(43, 5), 2, AT(req.transport)},
    {K(REQ), BIT(43, 7), 1, AT(offer.flow_control)},
    {K(REQ), BIT(44, 0), 24, AT(offer.psn)},
    {K(REQ), BIT(47, 0), 5, AT(req.local_timeout)},
    {K(REQ), BIT(47, 5), 3, AT(req.retry_cnt)},
    {K(REQ), BIT(48, 0), 16, AT(req.pkey)},
    {K(REQ), BIT(50, 0), 4, AT(req.mtu)},
    {K(REQ), BIT(50, 4), 1, AT(req.rdc_exists)},
    {K(REQ), BIT(50, 5), 3, AT(offer.rnr_retry)},
    {K(REQ), BIT(51, 0), 4, AT(req.max_cm_retries)},
    {K(REQ), BIT(51, 4), 1, AT(offer.srq)},
    {K(REQ), BIT(51, 5), 3, AT(req.extended_transport)},
    PATH(52, req.path),
    PATH(96, req.alternate),

    {K(REP), BIT(8, 0), 32, AT(offer.qkey)},
    {K(REP), BIT(12, 0), 24, AT(offer.qpn)},
    {K(REP), BIT(16, 0), 24, AT(offer.eecn)},
    {K(REP), BIT(20, 0), 24, AT(offer.psn)},
    {K(REP), BIT(24, 0), 8, AT(offer.responder_resources)},
    {K(REP), BIT(25, 0), 8, AT(offer.initiator_depth)},
    {K(REP), BIT(26, 0), 5, AT(rep.ack_delay)},
    {K(REP), BIT(26, 5), 2, AT(rep.failover)},
    {K(REP), BIT(26, 7), 1, AT(offer.flow_control)},
    {K(REP), BIT(27, 0), 3, AT(offer.rnr_retry)},
    {K(REP), BIT(27, 3), 1, AT(offer.srq)},
    {K(REP), BIT(28, 0), 64, AT(offer.guid)},

    {K(MRA), BIT(8, 0), 2, AT(mra.of)},
    {K(MRA), BIT(9, 0), 5, AT(mra.service_timeout)},

    {K(REJ), BIT(8, 0), 2, AT(rej.of)},
    {K(REJ), BIT(9, 0), 7, AT(rej.info_length)},
    {K(REJ), BIT(10, 0), 16, AT(rej.reason)},
    {K(REJ), BIT(12, 0), 576, AT(rej.info)},

    {K(DREQ), BIT(8, 0), 24, AT(remote_qpn)},

    {K(SIDR_REQ), BIT(4, 0), 16, AT(sidr.pkey)},
    {K(SIDR_REQ), BIT(8, 0), 64, AT(sidr.service_id)},
    {K(SIDR_REP), BIT(4, 0), 8, AT(sidr.status)},
    {K(SIDR_REP), BIT(5, 0), 8, AT(sidr.info_length)},
    {K(SIDR_REP), BIT(8, 0), 24, AT(sidr.qpn)},
    {K(SIDR_REP), BIT(12, 0), 64, AT(sidr.service_id)},
    {K(SIDR_REP), BIT(20, 0), 32, AT(sidr.qkey)},
    {K(SIDR_REP), BIT(24, 0), 576, AT(sidr.info)},
};

/* Private data fills the message to its end. */
static const struct {
    const char *name;
    uint8_t private_bytes;
} kinds[CM_KINDS] = {
    [CM_REQ] = {"REQ", 92},    [CM_MRA] = {"MRA", 222},           [CM_REJ] = {"REJ", 148},
    [CM_REP] = {"REP", 196},   [CM_RTU] = {"RTU", 224},           [CM_DREQ] = {"DREQ", 220},
    [CM_DREP] = {"DREP", 224}, [CM_SIDR_REQ] = {"SIDR_REQ", 216}, [CM_SIDR_REP] = {"SIDR_REP", 136},
};

unsigned cm_private_bytes(enum cm_kind kind) { return kinds[kind].private_bytes; }

const char *cm_kind_name(enum cm_kind kind) { return kinds[kind].name; }

const char *cm_reason_name(enum cm_reason why)
{
    static const char *const name[CM_REJ_CONSUMER + 1] = {
        [CM_REJ_NO_QP] = "no QP",
        [CM_REJ_NO_EEC] = "no EEC",
        [CM_REJ_NO_RESOURCES] = "no resources",
        [CM_REJ_TIMEOUT] = "timeout",
        [CM_REJ_UNSUPPORTED] = "unsupported request",
        [CM_REJ_INVALID_COMM_ID] = "invalid communication id",
        [CM_REJ_INVALID_COMM_INSTANCE] = "invalid communication instance",
        [CM_REJ_INVALID_SERVICE_ID] = "invalid service id",
        [CM_REJ_INVALID_TRANSPORT] = "invalid transport",
        [CM_REJ_STALE_CONN] = "stale connection",
        [CM_REJ_INVALID_MTU] = "invalid path MTU",
        [CM_REJ_CONSUMER] = "consumer",
    };
    return (unsigned)why <= CM_REJ_CONSUMER && name[why] ? name[why] : "reason ?";
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static uint64_t get_member(const struct cm_mad *m, const struct field *f)
{
    const uint8_t *at = (const uint8_t *)m + f->offset;
    uint64_t v64;
    uint32_t v32;
    uint16_t v16;
    if (f->size == 1)
        return *at;
    if (f->size == 2)
        return memcpy(&v16, at, 2), v16;
    if (f->size == 4)
        return memcpy(&v32, at, 4), v32;
    return memcpy(&v64, at, 8), v64;
}

static void set_member(struct cm_mad *m, const struct field *f, uint64_t v)
{
    uint8_t *at = (uint8_t *)m + f->offset;
    uint8_t v8 = (uint8_t)v;
    uint16_t v16 = (uint16_t)v;
    uint32_t v32 = (uint32_t)v;
    if (f->size == 1)
        memcpy(at, &v8, 1);
    else if (f->size == 2)
        memcpy(at, &v16, 2);
    else if (f->size == 4)
        memcpy(at, &v32, 4);
    else
        memcpy(at, &v, 8);
}

/* Fields of whole bytes and parts of bytes alike: bit by bit would do, byte by byte is quicker. */
static void put_bits(uint8_t *bytes, unsigned bit, unsigned width, uint64_t v)
{
    while (width > 0) {
        unsigned room = 8 - bit % 8, n = width < room ? width : room;
        unsigned part = (unsigned)(v >> (width - n)) & ((1u << n) - 1);
        bytes[bit / 8] |= (uint8_t)(part << (room - n));
        bit += n;
        width -= n;
    }
}

static uint64_t get_bits(const uint8_t *bytes, unsigned bit, unsigned width)
{
    uint64_t v = 0;
    while (width > 0) {
        unsigned room = 8 - bit % 8, n = width < room ? width : room;
        unsigned part = (unsigned)bytes[bit / 8] >> (room - n) & ((1u << n) - 1);
        v = v << n | part;
        bit += n;
        width -= n;
    }
    return v;
}

/* ---- whole messages --------------------------------------------------------------------------- */

static const uint8_t header[4] = {BASE_VERSION, CLASS_CM, CLASS_VERSION, METHOD_SEND};

#define FIELDS (sizeof fields / sizeof fields[0])

void cm_mad_encode(const struct cm_mad *m, uint8_t out[CM_MAD_BYTES])
{
    CHECK(m->kind < CM_KINDS);
    memset(out, 0, CM_MAD_BYTES);
    memcpy(out, header, sizeof header);
    out[17] = (uint8_t)CM_ATTRIBUTE(m->kind);
    for (unsigned i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];
        if (!(f->kinds >> m->kind & 1))
            continue;
        if (f->width > 64) {
            memcpy(out + f->bit / 8, (const uint8_t *)m + f->offset, f->width / 8);
            continue;
        }
        uint64_t v = get_member(m, f);
        CHECK(f->width == 64 || v >> f->width == 0);
        put_bits(out, f->bit, f->width, v);
    }
    unsigned bytes = cm_private_bytes(m->kind);
    memcpy(out + CM_MAD_BYTES - bytes, m->private_data, bytes);
}

bool cm_mad_decode(const uint8_t bytes[CM_MAD_BYTES], struct cm_mad *out)
{
    memset(out, 0, sizeof *out);
    unsigned attribute = (unsigned)bytes[16] << 8 | bytes[17];
    if (memcmp(bytes, header, sizeof header) != 0 || attribute < CM_ATTRIBUTE(0) ||
        attribute >= CM_ATTRIBUTE(CM_KINDS))
        return false;
    out->kind = (uint8_t)(attribute - CM_ATTRIBUTE(0));
    for (unsigned i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];
        if (!(f->kinds >> out->kind & 1))
            continue;
        if (f->width > 64)
            memcpy((uint8_t *)out + f->offset, bytes + f->bit / 8, f->width / 8);
        else
            set_member(out, f, get_bits(bytes, f->bit, f->width));
    }
    unsigned n = cm_private_bytes(out->kind);
    memcpy(out->private_data, bytes + CM_MAD_BYTES - n, n);
    return true;
}

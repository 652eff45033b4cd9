/*
 * The invariant CRC over a copy of the headers in which the fields that a router may change are
 * ones, and over everything behind them as it is.  The one file of models/wire that uses zlib.
 *
 * A packet shorter than its headers is covered as far as it goes: its length is the caller's to
 * judge.
 */
#include "models/wire/icrc.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#define BTH_BYTES 12
#define BTH_RESV8A 4 /* offset in BTH */
#define UDP_BYTES 8
#define UDP_CHECKSUM 6 /* offset in UDP */
#define IPV6_BYTES 40
#define GRH_BYTES 40
#define LRH_BYTES 8
#define LNH_GLOBAL 3 /* LRH: a GRH follows, then BTH */
#define HEADERS_MAX (60 + UDP_BYTES + BTH_BYTES)

/* The headers up to the end of BTH, to be masked. */
struct masked {
    uint8_t bytes[HEADERS_MAX];
    size_t len;
};

static void set_ones(struct masked *m, size_t at, size_t count)
{
    memset(m->bytes + at, 0xff, count);
}

/* Traffic class, flow label and hop limit of an IPv6 header or GRH. */
static void mask_ipv6(struct masked *m, size_t at)
{
    m->bytes[at] |= 0x0f;
    set_ones(m, at + 1, 3);
    set_ones(m, at + 7, 1);
}

static void mask_ipv4(struct masked *m)
{
    set_ones(m, 1, 1);  /* TOS */
    set_ones(m, 8, 1);  /* TTL */
    set_ones(m, 10, 2); /* header checksum */
}

/* Carries crc on over the first bytes as masked and the rest as they are. */
static uint32_t crc_of(uLong crc, const struct masked *m, const uint8_t *packet, size_t len)
{
    size_t head = len < m->len ? len : m->len;
    crc = crc32_z(crc, m->bytes, head);
    return (uint32_t)crc32_z(crc, packet + head, len - head);
}

static void load(struct masked *m, const uint8_t *packet, size_t len, size_t header_bytes)
{
    memset(m->bytes, 0, sizeof m->bytes);
    m->len = header_bytes;
    memcpy(m->bytes, packet, len < header_bytes ? len : header_bytes);
}

uint32_t wire_icrc_ip(const uint8_t *ip, size_t len)
{
    static const uint8_t in_place_of_lrh[LRH_BYTES] = {0xff, 0xff, 0xff, 0xff,
                                                       0xff, 0xff, 0xff, 0xff};
    struct masked m;
    bool v6 = len > 0 && ip[0] >> 4 == 6;
    size_t ip_bytes = v6 ? IPV6_BYTES : len > 0 ? (ip[0] & 15u) * 4u : 0;
    if (!v6 && ip_bytes < 20)
        ip_bytes = 20;
    load(&m, ip, len, ip_bytes + UDP_BYTES + BTH_BYTES);
    if (v6)
        mask_ipv6(&m, 0);
    else
        mask_ipv4(&m);
    set_ones(&m, ip_bytes + UDP_CHECKSUM, 2);
    set_ones(&m, ip_bytes + UDP_BYTES + BTH_RESV8A, 1);
    return crc_of(crc32_z(0, in_place_of_lrh, LRH_BYTES), &m, ip, len);
}

uint32_t wire_icrc_ib(const uint8_t *lrh, size_t len)
{
    struct masked m;
    bool global = len > 1 && (lrh[1] & 3) == LNH_GLOBAL;
    size_t bth = LRH_BYTES + (global ? GRH_BYTES : 0);
    load(&m, lrh, len, bth + BTH_BYTES);
    m.bytes[0] |= 0xf0; /* VL */
    if (global)
        mask_ipv6(&m, LRH_BYTES);
    set_ones(&m, bth + BTH_RESV8A, 1);
    return crc_of(0, &m, lrh, len);
}

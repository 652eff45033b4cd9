/* The invariant CRC (ib-transport "ICRC"): zlib's crc32 over the masked headers and the payload. */
#ifndef WIRE_ICRC_H
#define WIRE_ICRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * ICRC of an IPv4 or IPv6 packet: `ip` .. `ip + len` covers IP header to the end of the pad.
 * Returned as a number whose least significant byte goes on the wire first.
 */
uint32_t wire_icrc_ip(const uint8_t *ip, size_t len);

/* The same for an InfiniBand packet: from the LRH to the end of the pad. */
uint32_t wire_icrc_ib(const uint8_t *lrh, size_t len);

#endif

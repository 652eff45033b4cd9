/*
 * Captures: RoCEv2 frames to and from pcap files, through libpcap.
 *
 * Written files have nanosecond time stamps and Ethernet frames without FCS.  Read are those that
 * others made, too: pcap and pcapng, Ethernet (one VLAN tag), Linux "cooked" and raw IP; a frame that
 * is not RoCEv2 is handed out as such, so that the caller can count it.
 *
 * Left out: InfiniBand frames (LRH); captures of GRE or VXLAN.
 */
#ifndef WIRE_PCAP_H
#define WIRE_PCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/wire/frame.h"
#include "sim/base/tm.h"

struct wire_pcap_out;

/*
 * Begins a capture on an open, empty file; the descriptor stays the caller's, to sync, rename or remove
 * (so a file can appear whole or not at all).  NULL: no memory, or the descriptor is no good.
 */
struct wire_pcap_out *wire_pcap_out_new(int fd);

/*
 * Appends the frame that wire_frame_build makes; `at` is cut to nanoseconds.  false: it makes none
 * (unknown opcode, InfiniBand, too long), and nothing was written.
 */
bool wire_pcap_put(struct wire_pcap_out *o, tm_ps at, const struct wire_hdr *h,
                   const struct wire_ext *e, const uint8_t *payload, const struct wire_addr *a,
                   enum wire_encap encap);
/* The same with a frame at hand. */
void wire_pcap_put_frame(struct wire_pcap_out *o, tm_ps at, const uint8_t *frame, size_t len);

/* Writes what is left and frees; false if anything could not be written (errno tells the last why). */
bool wire_pcap_out_free(struct wire_pcap_out *o);

struct wire_pcap_in;

struct wire_captured {
    tm_ps at;                    /* since the whole second of the first frame */
    enum wire_frame_fault fault; /* FRAME_OK and FRAME_BAD_ICRC: all below is whole */
    bool is_ipv6;
    bool is_cut;                 /* the capture kept less than the frame: the rest reads as 0, its ICRC cannot be judged */
    struct wire_hdr h;
    struct wire_ext e;
    struct wire_addr a;
    const uint8_t *payload;      /* until the next call */
    uint32_t frame_bytes;        /* on the wire, without FCS */
};

/* Opens a file; NULL with the reason in err. */
struct wire_pcap_in *wire_pcap_in_new(const char *path, char *err, size_t err_size);

enum wire_pcap_got { WIRE_PCAP_FRAME, WIRE_PCAP_END, WIRE_PCAP_BROKEN /* a torn file; err says how */ };
enum wire_pcap_got wire_pcap_next(struct wire_pcap_in *in, struct wire_captured *out, char *err,
                                  size_t err_size);
void wire_pcap_in_free(struct wire_pcap_in *in);

#endif

/*
 * pcap files.  Frames come from and go to frame.h; here are only files, time stamps and what stands
 * around an IP packet in captures that are not of Ethernet.
 */
#include "models/wire/pcap.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MTU 4096, every header, and room; also the length that a written file promises not to pass. */
#define FRAME_MAX 65536

struct wire_pcap_out {
    pcap_t *dead;
    pcap_dumper_t *dumper;
    uint8_t frame[FRAME_MAX];
};

static pcap_dumper_t *dump_to(pcap_t *dead, int fd)
{
    int own = dup(fd); /* pcap_dump_close closes its stream */
    FILE *file = own < 0 ? NULL : fdopen(own, "wb");
    if (!file) {
        if (own >= 0)
            close(own);
        return NULL;
    }
    pcap_dumper_t *d = pcap_dump_fopen(dead, file);
    if (!d)
        fclose(file);
    return d;
}

struct wire_pcap_out *wire_pcap_out_new(int fd)
{
    struct wire_pcap_out *o = malloc(sizeof *o);
    if (!o)
        return NULL;
    o->dead =
        pcap_open_dead_with_tstamp_precision(DLT_EN10MB, FRAME_MAX, PCAP_TSTAMP_PRECISION_NANO);
    o->dumper = o->dead ? dump_to(o->dead, fd) : NULL;
    if (o->dumper)
        return o;
    if (o->dead)
        pcap_close(o->dead);
    free(o);
    return NULL;
}

void wire_pcap_put_frame(struct wire_pcap_out *o, tm_ps at, const uint8_t *frame, size_t len)
{
    struct pcap_pkthdr head = {.caplen = (bpf_u_int32)len, .len = (bpf_u_int32)len};
    head.ts.tv_sec = at / TM_S;
    head.ts.tv_usec = at % TM_S / TM_NS; /* nanoseconds, with this precision */
    pcap_dump((u_char *)o->dumper, &head, frame);
}

bool wire_pcap_put(struct wire_pcap_out *o, tm_ps at, const struct wire_hdr *h,
                   const struct wire_ext *e, const uint8_t *payload, const struct wire_addr *a,
                   enum wire_encap encap)
{
    size_t len = wire_frame_build(h, e, payload, a, encap, o->frame, sizeof o->frame);
    if (len > 0)
        wire_pcap_put_frame(o, at, o->frame, len);
    return len > 0;
}

bool wire_pcap_out_free(struct wire_pcap_out *o)
{
    bool whole = pcap_dump_flush(o->dumper) == 0 && !ferror(pcap_dump_file(o->dumper));
    pcap_dump_close(o->dumper);
    pcap_close(o->dead);
    free(o);
    return whole;
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* How many bytes stand before the IP packet, and where among them its Ethertype (-1: IP tells). */
struct link_type {
    int dlt, head_bytes, ethertype_at;
};
static const struct link_type link_types[] = {{DLT_EN10MB, 14, 12},    {DLT_LINUX_SLL, 16, 14},
                                              {DLT_LINUX_SLL2, 20, 0}, {DLT_RAW, 0, -1},
                                              {DLT_IPV4, 0, -1},       {DLT_IPV6, 0, -1}};
#define LINK_TYPES (sizeof link_types / sizeof link_types[0])
#define ETH_BYTES 14

struct wire_pcap_in {
    pcap_t *pcap;
    const struct link_type *type;
    bool begun;
    int64_t first_s;
    uint8_t frame[FRAME_MAX + ETH_BYTES]; /* an Ethernet frame made of what is none */
};

static const struct link_type *find_type(int dlt)
{
    for (size_t i = 0; i < LINK_TYPES; i++)
        if (link_types[i].dlt == dlt)
            return &link_types[i];
    return NULL;
}

struct wire_pcap_in *wire_pcap_in_new(const char *path, char *err, size_t err_size)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    struct wire_pcap_in *in = calloc(1, sizeof *in);
    if (!in) {
        snprintf(err, err_size, "%s: no memory", path);
        return NULL;
    }
    in->pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!in->pcap) {
        bool named = strncmp(why, path, strlen(path)) == 0;
        snprintf(err, err_size, "%s%s%s", named ? "" : path, named ? "" : ": ", why);
        free(in);
        return NULL;
    }
    in->type = find_type(pcap_datalink(in->pcap));
    if (in->type)
        return in;
    const char *name = pcap_datalink_val_to_name(pcap_datalink(in->pcap));
    snprintf(err, err_size,
             "%s: its link type is %s; Ethernet, Linux cooked and raw IP can be read", path,
             name ? name : "unknown");
    wire_pcap_in_free(in);
    return NULL;
}

void wire_pcap_in_free(struct wire_pcap_in *in)
{
    pcap_close(in->pcap);
    free(in);
}

/*
 * The frame as Ethernet, `whole` bytes of which `len` were kept: the others read as 0.  Its length, 0 if
 * there is nothing to look at.
 */
static size_t as_ethernet(struct wire_pcap_in *in, const uint8_t *bytes, size_t len, size_t whole,
                          const uint8_t **frame)
{
    size_t head = (size_t)in->type->head_bytes;
    *frame = bytes;
    if (in->type->dlt == DLT_EN10MB && len == whole)
        return len;
    if (len <= head || whole > FRAME_MAX || len > whole)
        return 0;
    *frame = in->frame;
    memset(in->frame, 0, ETH_BYTES + whole);
    if (in->type->dlt == DLT_EN10MB) {
        memcpy(in->frame, bytes, len);
        return whole;
    }
    if (in->type->ethertype_at >= 0) {
        memcpy(in->frame + 12, bytes + in->type->ethertype_at, 2);
    } else {
        bool v6 = bytes[0] >> 4 == 6;
        in->frame[12] = v6 ? 0x86 : 0x08;
        in->frame[13] = v6 ? 0xdd : 0x00;
    }
    memcpy(in->frame + ETH_BYTES, bytes + head, len - head);
    return whole - head + ETH_BYTES;
}

/* The Ethertype behind a VLAN tag, if there is one. */
static bool is_ipv6(const uint8_t *frame, size_t len)
{
    size_t at = len > 18 && frame[12] == 0x81 && frame[13] == 0x00 ? 16 : 12;
    return len > at + 1 && frame[at] == 0x86 && frame[at + 1] == 0xdd;
}

/* Since the whole second of the first frame; a clock that leaps by more than 64 bits hold stops there. */
static tm_ps time_of(struct wire_pcap_in *in, const struct pcap_pkthdr *head)
{
    const int64_t most = INT64_MAX / TM_S - 1;
    if (!in->begun)
        in->first_s = head->ts.tv_sec;
    in->begun = true;
    int64_t s = head->ts.tv_sec - in->first_s;
    s = s > most ? most : s < -most ? -most : s;
    return s * TM_S + head->ts.tv_usec % 1000000000 * TM_NS;
}

enum wire_pcap_got wire_pcap_next(struct wire_pcap_in *in, struct wire_captured *out, char *err,
                                  size_t err_size)
{
    struct pcap_pkthdr *head;
    const u_char *bytes;
    const uint8_t *frame;
    int got = pcap_next_ex(in->pcap, &head, &bytes);
    if (got == PCAP_ERROR_BREAK)
        return WIRE_PCAP_END;
    if (got != 1) {
        snprintf(err, err_size, "%s", pcap_geterr(in->pcap));
        return WIRE_PCAP_BROKEN;
    }
    size_t len = as_ethernet(in, bytes, head->caplen, head->len, &frame);
    *out = (struct wire_captured){.at = time_of(in, head),
                                  .is_ipv6 = is_ipv6(frame, len),
                                  .is_cut = head->caplen < head->len,
                                  .frame_bytes = head->len};
    out->fault = wire_frame_parse(frame, len, &out->h, &out->e, &out->a, &out->payload);
    return WIRE_PCAP_FRAME;
}

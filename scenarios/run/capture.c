/* Packets of a run become frames of a capture. */
#include "scenarios/run/capture.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "analysis/file_whole.h"
#include "models/fabric/side.h"
#include "models/wire/pcap.h"
#include "sim/base/check.h"

struct capture {
    struct file_whole file;
    struct wire_pcap_out *out;
    enum wire_encap encap;
    uint8_t payload[UINT16_MAX + 1];
};

bool capture_fits(enum wire_encap encap, char *err, uint32_t err_size)
{
    if (encap != ENCAP_INFINIBAND)
        return true;
    g_snprintf(err, err_size,
               "a capture holds RoCEv2 frames; fabric.encap = infiniband has none (rocev2 and "
               "rocev2-ipv6 have)");
    return false;
}

struct capture *capture_new(const char *path, enum wire_encap encap, char *err, uint32_t err_size)
{
    struct capture *c = g_new0(struct capture, 1);

    c->encap = encap;
    if (!file_whole_open(&c->file, path, err, err_size)) {
        g_free(c);
        return NULL;
    }
    c->out = wire_pcap_out_new(fileno(c->file.out));
    if (c->out)
        return c;
    g_snprintf(err, err_size, "%s: cannot be written as a capture", path);
    file_whole_drop(&c->file);
    g_free(c);
    return NULL;
}

static void put_number(uint8_t *bytes, unsigned count, uint32_t number)
{
    for (unsigned i = 0; i < count; i++)
        bytes[count - 1 - i] = (uint8_t)(number >> (8 * i));
}

/* The last three bytes tell the host; MACs are locally administered. */
static void put_host(uint8_t mac[6], uint8_t ip[16], uint32_t host, bool v6)
{
    mac[0] = 0x02;
    put_number(mac + 3, 3, host + 1);
    ip[0] = v6 ? 0xfd : 10;
    put_number(v6 ? ip + 13 : ip + 1, 3, host + 1);
}

void capture_addr(const struct pkt *p, enum wire_encap encap, struct wire_addr *a)
{
    bool v6 = encap == ENCAP_ROCEV2_IPV6;

    *a = (struct wire_addr){
        .src_port = (uint16_t)(0xc000 | (p->entropy & 0x3fff)), .ip_id = v6 ? 0 : p->ip_id, .ttl = 64, .dont_fragment = !v6};
    put_host(a->src_mac, a->src_ip, p->src_host, v6);
    put_host(a->dst_mac, a->dst_ip, p->dst_host, v6);
}

void capture_note(struct capture *c, const struct pkt *p, tm_ps now)
{
    struct pkt plain;
    struct wire_ext e;
    struct wire_addr a;
    const void *head = side_look(p, &plain, &e);
    size_t moved = head ? side_bytes(p) : 0;

    /* What travels of a payload (side.h: all of a MAD, a datagram's head), and zeros behind it. */
    if (head)
        memcpy(c->payload, head, moved);
    capture_addr(p, c->encap, &a);
    CHECK(wire_pcap_put(c->out, now, &plain.h, &e, head ? c->payload : NULL, &a, c->encap));
    memset(c->payload, 0, moved);
}

bool capture_commit(struct capture *c, char *err, uint32_t err_size)
{
    bool written = wire_pcap_out_free(c->out);

    if (written)
        written = file_whole_commit(&c->file, err, err_size);
    else {
        g_snprintf(err, err_size, "%s: cannot be written: %s", c->file.path, g_strerror(errno));
        file_whole_drop(&c->file);
    }
    g_free(c);
    return written;
}

void capture_drop(struct capture *c)
{
    wire_pcap_out_free(c->out);
    file_whole_drop(&c->file);
    g_free(c);
}

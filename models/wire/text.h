/*
 * One packet, one line of text, and back: what golden traces, packets.csv and ladders show.
 *
 *   RC_SEND_LAST psn=1003 qp=122 len=1024 ackreq
 *   RC_ACKNOWLEDGE psn=1000 qp=122 NAK:PSN_SEQ msn=0
 *   RC_WRITE_FIRST psn=7 qp=5 len=1024 va=0x1000 rkey=0x12 dmalen=4096
 *
 * The usual is left out: P_Key 0xffff, TVer 0, MigReq 1 (`mig0` tells of a 0).  Flags: se ackreq
 * mig0 fecn becn, and ect1 ect0 ce for the ECN bits of IP.
 */
#ifndef WIRE_TEXT_H
#define WIRE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "models/wire/hdr.h"

#define WIRE_TEXT_MAX 320

/*
 * Writes at most size bytes with the final 0; returns the length, 0 if it does not fit or the
 * opcode is unknown.  e may be NULL where the opcode has none of WIRE_EXT_HEADERS (CHECKed).
 */
size_t wire_text(const struct wire_hdr *h, const struct wire_ext *e, char *out, size_t size);

/*
 * The inverse: every line that wire_text wrote reads back to equal structs (fields of headers
 * that the opcode lacks are 0).  Words after the opcode may stand in any order.  false: not such
 * a line; h and e are then unspecified.
 */
bool wire_text_parse(const char *line, struct wire_hdr *h, struct wire_ext *e);

/*
 * "ACK:credit31" "RNR:12" "RESERVED:5", "NAK:PSN_SEQ" (INV_REQ, REM_ACC, REM_OP, INV_RD, a number
 * for the reserved codes), "SYNDROME:0x85" where bit 7 is set; and back.
 */
size_t wire_syndrome_text(uint8_t syndrome, char *out, size_t size);
bool wire_syndrome_parse(const char *text, uint8_t *out);

#endif

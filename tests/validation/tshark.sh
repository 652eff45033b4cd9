#!/bin/bash
# Captures as tshark reads them: every frame is InfiniBand over RoCEv2, none malformed, no complaint of any
# kind; opcode, PSN, QPN, AckReq and, per header, its fields are what the simulator meant.
#
# What tshark 4.0 cannot judge, and how far it is followed all the same:
#   RD    it takes RD's opcodes for another transport with eight more bytes behind the BTH, so it is given
#         frames with these; RD_ACKNOWLEDGE (AETH looked for where the RDETH is) and RD_RESYNC: BTH alone
#   XRC   named, but the headers behind the BTH are "unknown" to it: BTH alone
#   CNP   0x81 is unknown to it: BTH alone
#   ICRC  shown, not computed; `rdmasim read` does, and captures of another implementation prove it right
# Usage: BUILD=build tests/validation/tshark.sh   (from the top folder)
set -u
BUILD=${BUILD:-build}
scenario=tests/validation/tshark.ini
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "tshark: $*" >&2; bad=1; }

# All values in decimal; empty cells at a row's end fall away.
decimal() {
    while IFS=, read -r -a cell; do
        for i in "${!cell[@]}"; do [ -n "${cell[i]}" ] && printf -v "cell[$i]" '%u' "${cell[i]}"; done
        (IFS=,; echo "${cell[*]}") | sed 's/,*$//'
    done
}

# The columns that every_frame prints, of every frame of a capture, to FILE.got; the numbers of frames
# that are no InfiniBand over RoCEv2, or are complained about, to FILE.wrong.  A UDP checksum of 0 is
# what RoCEv2 sends over IPv6 too.  LAPB: tshark guesses at payload by its first bytes; those of ud-ack's
# header may be an Ethertype of DEC's.
fields="bth.opcode bth.psn bth.destqp bth.a bth.se bth.padcnt aeth.syndrome aeth.msn reth.va reth.r_key
    reth.dmalen deth.q_key deth.srcqp rdeth.eecnxt atomiceth.swapdt atomiceth.cmpdt atomicacketh.origremdt"
dissect() {
    local columns=
    for f in $fields; do columns="$columns -e infiniband.$f"; done
    tshark -n -o udp.ignore_ipv6_zero_checksum:TRUE --disable-protocol lapb -r "$1" -T fields -E separator='|' \
        -E occurrence=f $columns -e udp.dstport -e _ws.expert.message 2>/dev/null >"$1.all"
    cut -d'|' -f1-17 "$1.all" | tr '|' ',' | decimal >"$1.got"
    awk -F'|' '$1 == "" || $18 != 4791 || $19 != "" { print $1 "|frame " NR ": " ($1 == "" ? "no InfiniBand" : $19) }' \
        "$1.all" >"$1.wrong"
    [ -s "$1.got" ] || fail "$1: tshark shows no frame"
}

# FILE NAME [OPCODES]: nothing wrong but with these opcodes (an expression over $1).
none_wrong() {
    awk -F'|' "!(${3:-0}) { print \$2 }" "$1.wrong" >"$dir/wrong"
    [ -s "$dir/wrong" ] || return
    fail "$2: $(wc -l <"$dir/wrong") frames of $(wc -l <"$1.got") are complained about:"
    head -3 "$dir/wrong" >&2
}

# WANT GOT NAME [OPCODES]: the same fields; of these opcodes, base headers alone.
same() {
    for f in "$1" "$2"; do awk -F, -v OFS=, "${4:-0} { if (NF > 6) NF = 6 } { print }" "$f" >"$f.cut"; done
    [ -s "$1.cut" ] || fail "$3: nothing to compare"
    diff "$1.cut" "$2.cut" >"$dir/diff" && return
    fail "$3: fields differ (< meant, > tshark):"
    head -6 "$dir/diff" >&2
}

# FILE NAME: every ICRC is right, and no frame is missing.
read_back() {
    ./rdmasim read "$1" >"$dir/read"
    grep -q "^$(wc -l <"$1.got") RoCEv2 packets, [0-9]* sent again, 0 with a wrong ICRC$" "$dir/read" ||
        fail "$2: rdmasim read says: $(tail -1 "$dir/read")"
}

# ---- the wire layer alone: every opcode there is ---------------------------------------------------
rd='$1 >= 64 && $1 <= 95'
"$BUILD/every_frame" "$dir/every" | decimal >"$dir/want" || fail "every_frame failed"
dissect "$dir/every"
none_wrong "$dir/every" "every opcode" "$rd"
same "$dir/want" "$dir/every.got" "every opcode" "$rd || \$1 >= 128"
read_back "$dir/every" "every opcode"
opcodes=$(cut -d, -f1 "$dir/want" | sort -u | wc -l)
"$BUILD/every_frame" --gap "$dir/rd" | decimal >"$dir/want" || fail "every_frame failed"
dissect "$dir/rd"
none_wrong "$dir/rd" "RD" '$1 == 81'
same "$dir/want" "$dir/rd.got" "RD" '$1 == 81 || $1 == 85'

# ---- runs: packets.csv against the capture ----------------------------------------------------------
"$BUILD/every_frame" --names >"$dir/names"
packets=0

# What hosts sent: the columns of `fields` that packets.csv has; of RD and XRC those of the BTH, as above.
meant() {
    awk -F, -v OFS=, -v names="$dir/names" '
        BEGIN { while ((getline line < names) > 0) { split(line, n, ","); number[n[2]] = n[1] } }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["kind"] == "send" && index($at["where"], "h" $at["host"] "-") == 1 {
            base = number[$at["opcode"]] OFS $at["psn"] OFS $at["dqpn"] OFS $at["ackreq"] OFS $at["se"] OFS $at["pad"]
            code = number[$at["opcode"]]
            print (code >= 128 || (code >= 64 && code <= 95) ? base : base OFS $at["syndrome"] OFS $at["msn"] OFS $at["roff"] OFS $at["dmalen"])
        }' "$1"
}
# The same of what tshark says, with syndromes in our words; an atomic's address is in no column of ours.
shown() {
    awk -F, -v OFS=, '{
        split("PSN_SEQ INV_REQ REM_ACC REM_OP INV_RD", nak, " ")
        low = $7 % 32; kind = int($7 / 32) % 4
        word = $7 == "" ? "" : kind == 0 ? "ACK:credit" low : kind == 1 ? "RNR:" low : "NAK:" nak[low + 1]
        base = $1 OFS $2 OFS $3 OFS $4 OFS $5 OFS $6
        print ($1 >= 128 || ($1 >= 64 && $1 <= 95) ? base : base OFS word OFS $8 OFS ($11 == "" ? "" : $9) OFS $11) }' "$1"
}

# NAME OPTION...
run() {
    local name=$1 out=$dir/$1
    shift
    ./rdmasim run $scenario --trace --pcap --out "$out" "$@" >/dev/null || { fail "$name: the run failed"; return; }
    dissect "$out/trace.pcap"
    meant "$out/packets.csv" >"$dir/want"
    shown "$out/trace.pcap.got" >"$dir/got"
    same "$dir/want" "$dir/got" "$name" 0
    none_wrong "$out/trace.pcap" "$name" "$rd"
    read_back "$out/trace.pcap" "$name"
    packets=$((packets + $(wc -l <"$dir/want")))
}

# Every operation of every service that scenarios offer; those that do not go together are refused (exit 2).
offered() { ./rdmasim keys "$1" | sed -n 's/^ *One of \(.*\)\.$/\1/p' | sed 's/,/ /g; s/ or / /'; }
services=$(echo $(offered qp.service))
# NAME OPTION...: with the first size that is not refused, if any: several packets, one, an atomic's.
run_sized() {
    local name=$1 size
    shift
    for size in 3000B 1000B 8B; do
        ./rdmasim run $scenario "$@" --set workload.size=$size --out "$dir/try" >/dev/null 2>&1
        [ $? = 2 ] && continue
        run "$name" "$@" --set workload.size=$size
        return
    done
}
for service in $services; do
    for op in $(offered workload.op); do
        run_sized $service-$op --set qp.service=$service --set workload.op=$op
    done
    run_sized $service-ipv6 --set qp.service=$service --set workload.op=send --set fabric.encap=rocev2-ipv6
done
run late --set workload.op=send --set qp.rq_depth=1 --set workload.recv_repost=50us
for op in write read; do
    run selective-$op --set workload.op=$op --set qp.recovery=selective-repeat --set fabric.loss.rate=0.1 --set workload.size=64KiB
done
run cm --set connect.mode=simulated --set connect.cm_timeout=4
[ $packets -ge 100 ] || fail "only $packets packets of runs were compared"

[ $bad = 0 ] && echo "tshark: $opcodes opcodes, and $packets packets of runs over $services, agree"
exit $bad

#!/bin/bash
# Breaks the transport core in one line after the other and sees whether the tests notice.
#
# tests/mutants/list.txt holds a mutant a line: file @ what stands there @ what stands there instead @ why
# it matters.  Each is built and run in a copy of the tree, JOBS of them at a time (default 2); one that
# does not end within LIMIT seconds counts as noticed.  `--check` only sees that each mutant still has
# its line, once.
# Exit status 1: a mutant was not noticed, or has lost its line.
set -u
cd "$(dirname "$0")/../.."
list=${MUTANTS:-tests/mutants/list.txt}
jobs=${JOBS:-2}
limit=${LIMIT:-120}
suites=$(ls tests/unit/test_{rc_*,fault,cache,pcie,lane,loss,inject,inject_chance,window,act,poll,capture,read_again,topo,paths,route,cost,slow,waiting,key_effect,early,sr,sr_read,hold,rd,rd_errors,eec,uc,ud,srq,xrc,explore,sge,mw,send_inv,limits,recovery,override,lifecycle,core,digest,loop,mr}.c \
    tests/property/test_prop_{rc,uc,faults,sge}.c 2>/dev/null | sed 's|.*/test_||; s|\.c$||' | tr '\n' ' ')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# $1: tree, $2: the mutant's line.  Status: 0 done, 1 the text is not there exactly once.
apply() {
    perl -0 -e '
        my ($tree, $line) = @ARGV;
        my ($file, $old, $new) = map { s/^\s+|\s+$//gr } split / @ /, $line;
        open(my $in, "<", "$tree/$file") or die "mutants: $file: $!\n";
        my $text = <$in>;
        my $times = () = $text =~ /\Q$old\E/g;
        die "mutants: $file: $times times: $old\n" unless $times == 1;
        $text =~ s/\Q$old\E/$new/;
        open(my $out, ">", "$tree/$file");
        print $out $text;
    ' "$1" "$2"
}

grep -v -e '^#' -e '^$' "$list" > "$work/list"
total=$(wc -l < "$work/list")

if [ "${1:-}" = --check ]; then
    lost=0
    while read -r line; do
        file=${line%% @ *}
        mkdir -p "$work/t/$(dirname "$file")"
        cp "$file" "$work/t/$file"
        apply "$work/t" "$line" || lost=$((lost + 1))
    done < "$work/list"
    echo "$total mutants, $lost without their line"
    [ "$lost" = 0 ]
    exit
fi

build() { make -s -C "$1" TESTS="$suites" build/unit build/golden > "$1/build.log" 2>&1; }

# Everything that can notice, the quickest first.
notices() {
    (cd "$1" && export RDMASIM_PATH="$1/scenarios" &&
        timeout "$limit" build/unit 2>&1 | grep -q '^ *asserts .* 0 *n/a' &&
        timeout "$limit" build/golden tests/golden/softroce 2>&1 | grep -q ' 0 failed') > /dev/null
}

for slot in $(seq "$jobs"); do
    git ls-files | tar -cf - -T - 2>/dev/null | (mkdir -p "$work/$slot" && tar -xf - -C "$work/$slot")
    [ "$slot" = 1 ] || cp -a "$work/1/build" "$work/$slot/build"
    [ "$slot" != 1 ] || build "$work/1" || { tail -20 "$work/1/build.log"; exit 1; }
done
notices "$work/1" || { echo "mutants: the tests fail without any"; exit 1; }

one_slot() {
    tree=$work/$1
    awk -v n="$jobs" -v s="$1" 'NR % n == s % n' "$work/list" | while read -r line; do
        file=${line%% @ *}
        cp "$tree/$file" "$work/keep.$1"
        if ! apply "$tree" "$line"; then
            echo "lost: $line"
        elif ! build "$tree"; then
            echo "does not compile: $line"
        elif notices "$tree"; then
            echo "SURVIVES: $line"
        else
            echo "killed: $line"
        fi
        cp "$work/keep.$1" "$tree/$file"
        touch "$tree/$file"
    done > "$work/result.$1"
}
for slot in $(seq "$jobs"); do
    one_slot "$slot" &
done
wait
cat "$work"/result.* > "$work/result"
grep -v '^killed' "$work/result"
killed=$(grep -c '^killed' "$work/result")
echo "$total mutants, $killed killed"
[ "$killed" = "$total" ]

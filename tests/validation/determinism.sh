#!/bin/sh
# The same scenario and seed give the same bytes: with 1 and 4 jobs, with 1, 2 and 5 domains, built by
# gcc -O0, gcc -O2 and clang.  performance.csv alone may differ.
# Usage: tests/validation/determinism.sh   (from the top folder, after make)
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenarios="scenarios/quickstart.ini scenarios/websearch-star.ini scenarios/rnr-min-timer.ini scenarios/netem-models.ini"
runs=0

# sweep PROGRAM NAME OPTIONS...: all scenarios, in short form, into $work/NAME
sweep() {
    program=$1 name=$2
    shift 2
    for s in $scenarios tests/validation/determinism-*.ini; do
        stem=$(basename "$s" .ini)
        set_of "$stem" "$@" >"$work/args"
        # shellcheck disable=SC2046
        "$program" sweep "$s" --no-plot --out "$work/$name/$stem" $(cat "$work/args") >"$work/log" 2>&1 ||
            { cat "$work/log"; echo "determinism: $program sweep $s failed"; exit 1; }
        runs=$((runs + 1))
    done
}

# The settings that make each scenario short; the rest of the options as given.
set_of() {
    stem=$1
    shift
    case $stem in
    quickstart) echo "--set workload.messages=300" ;;
    websearch-star) echo "--set scenario.duration=8ms --set scenario.warmup=1ms --set scenario.repetitions=2" ;;
    rnr-min-timer) echo "--set scenario.duration=2s" ;;
    esac
    echo "$@"
}

same() {
    diff -r -x performance.csv "$work/$1" "$work/$2" >"$work/diff" ||
        { head -20 "$work/diff"; echo "determinism: $1 and $2 differ"; exit 1; }
    echo "determinism: $2 equals $1"
}

build() {
    echo "determinism: building with $2"
    make --no-print-directory -j2 BUILD="build-$1" PROGRAM="build-$1/rdmasim" $2 >"$work/log" 2>&1 ||
        { tail -20 "$work/log"; echo "determinism: build $1 failed"; exit 1; }
}

sweep ./rdmasim reference --jobs 1
sweep ./rdmasim jobs4 --jobs 4
same reference jobs4
sweep ./rdmasim domains2 --jobs 2 --domains 2
same reference domains2
sweep ./rdmasim domains5 --jobs 2 --domains 5
same reference domains5
build O0 "CC=gcc OPT=-O0"
sweep build-O0/rdmasim gccO0 --jobs 2
same reference gccO0
if command -v clang >/dev/null 2>&1; then
    build clang "CC=clang"
    sweep build-clang/rdmasim clang --jobs 2
    same reference clang
else
    echo "determinism: clang is not installed; that comparison was left out"
    exit 1
fi
echo "determinism: $runs sweeps, all the same bytes"

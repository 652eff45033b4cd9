#!/bin/bash
# Runs the fuzz targets named, FUZZ_S seconds each, from tests/fuzz/corpus/NAME on.
# What they find beyond the corpus goes to $BUILD/found-NAME and is used by the next run there.
# Exit status 1: an input made a target fail; the last lines say how to play it again.
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build-fuzz}
seconds=${FUZZ_S:-20}
log=$build/fuzz.log
# The reader's words, from the program's own list of keys.
./rdmasim keys | awk '/^\[/ { print "\"" $1 "\"" } /^  [a-z]/ { print "\"" $1 " = \"" }' > "$build/scenario.dict"
for name in "$@"; do
    found=$build/found-$name
    mkdir -p "$found"
    dict= seeds=
    [ "$name" = scenario ] && dict=-dict=$build/scenario.dict seeds="scenarios scenarios/traffic"
    # A fixed seed does not make a timed run the same twice, but an empty one would never be.
    if ! RDMASIM_PATH=scenarios "$build/fuzz_$name" -seed=1 -max_len=4096 -max_total_time="$seconds" -rss_limit_mb=2500 \
        -timeout=20 -print_final_stats=1 -artifact_prefix="$build/$name-" $dict \
        "$found" "tests/fuzz/corpus/$name" $seeds > "$log" 2>&1; then
        tail -40 "$log"
        echo "fuzz_$name: an input makes it fail; play it again with"
        echo "    $build/fuzz_$name $(grep -oE "$build/$name-[a-z]+-[0-9a-f]+" "$log" | tail -1)"
        exit 1
    fi
    awk -v name="$name" '/number_of_executed_units/ { n = $2 } /new_units_added/ { new = $2 }
        END { printf "fuzz_%s: %d inputs, %d of them new, none fails\n", name, n, new }' "$log"
done

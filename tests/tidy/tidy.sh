#!/bin/sh
# The rules of the design, as a test.  Each rule prints "tidy: FILE:LINE: what" for every breach;
# the exit code is 1 if there was any.  Usage: tests/tidy/tidy.sh [RULE...]   (from the top folder)
# BUILD: folder of the plain release objects (for the purity rule); CC: compiler for headers.
set -u
BUILD=${BUILD:-build}
CC=${CC:-gcc}
here=tests/tidy
bad=$(mktemp)
known=$(mktemp)
trap 'rm -f "$bad" "$known"' EXIT
say() { printf 'tidy: %s\n' "$*" >>"$bad"; }

sources() { git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r f; do
    [ -f "$f" ] && echo "$f"; done; }
code() { sources 'sim/*.[ch]' 'models/*.[ch]' 'analysis/*.[ch]' 'scenarios/*.[ch]'; }

# Includes point left: layers.txt says what each folder may include.
rule_layers() {
    code | xargs awk -v table="$here/layers.txt" '
        BEGIN {
            while ((getline line < table) > 0) {
                if (line ~ /^#/ || line !~ /:/) continue
                split(line, part, " *: *"); sub(/ +$/, "", part[1])
                n = split(part[2], w, " +"); for (i = 1; i <= n; i++) in_ok[part[1] SUBSEP w[i]] = 1
                n = split(part[3], w, " +"); for (i = 1; i <= n; i++) out_ok[part[1] SUBSEP w[i]] = 1
                known[part[1]] = 1
            }
            n = split("stdbool.h stddef.h stdint.h limits.h stdalign.h inttypes.h errno.h", w, " ")
            for (i = 1; i <= n; i++) free_header[w[i]] = 1
        }
        /^#include "/ {
            dir = FILENAME; sub(/\/[^\/]*$/, "", dir)
            if (!(dir in known)) { print "tidy: " FILENAME ":" FNR ": folder " dir " is not in layers.txt"; next }
            target = $2; gsub(/"/, "", target); tdir = target; sub(/\/[^\/]*$/, "", tdir)
            if (!((dir SUBSEP tdir) in in_ok))
                print "tidy: " FILENAME ":" FNR ": " dir " may not include " target
        }
        /^#include </ {
            dir = FILENAME; sub(/\/[^\/]*$/, "", dir)
            h = $2; gsub(/[<>]/, "", h)
            if (!(h in free_header) && !((dir SUBSEP h) in out_ok) && !((dir SUBSEP "*") in out_ok))
                print "tidy: " FILENAME ":" FNR ": " dir " may not include <" h ">"
        }' >>"$bad"
}

# Outside libraries only where they belong.
rule_libraries() {
    grep -v '^#' "$here/libraries.txt" | while IFS=: read -r header allowed; do
        header=$(echo "$header" | tr -d ' ')
        [ -n "$header" ] || continue
        code | xargs grep -n "^#include <$header>" /dev/null | while IFS=: read -r file line rest; do
            ok=no
            for pattern in $allowed; do
                case $file in $pattern) ok=yes ;; esac
            done
            [ $ok = yes ] || say "$file:$line: <$header> belongs to $allowed"
        done
    done
}

# Functions up to 70 lines, files up to 600, structs up to 25 fields; tests: functions up to 60.
rule_sizes() {
    sources '*.[ch]' | xargs awk '
        function end_file() { if (last > 600) print "tidy: " file ":" last ": file has " last " lines, 600 are allowed" }
        FNR == 1 { if (file != "") end_file(); file = FILENAME; open = 0; in_struct = 0; head = ""
                   limit = file ~ /^tests\// ? 60 : 70 }
        { last = FNR }
        /^[A-Za-z_].*\(/ && !/;[ \t]*$/ && !/^(struct|union|enum)[^(]*=/ { head = $0; head_line = FNR }
        /^\{/ && !open { open = FNR; start = head_line ? head_line : FNR }
        /^\}/ && open { if (head !~ /=[ \t]*$/ && FNR - start + 1 > limit)
                            print "tidy: " FILENAME ":" start ": function has " FNR - start + 1 " lines, " limit " are allowed"
                        open = 0; head_line = 0 }
        /^struct [a-z_0-9A-Z]+ \{/ { in_struct = FNR; fields = 0; depth = 0; name = $2; comment = 0; next }
        in_struct {
            line = $0
            if (comment) { if (line !~ /\*\//) next; sub(/^.*\*\//, "", line); comment = 0 }
            while (i = index(line, "/*")) {
                rest = substr(line, i + 2); line = substr(line, 1, i - 1)
                if (!(i = index(rest, "*/"))) { comment = 1; break }
                line = line substr(rest, i + 2)
            }
            if (line ~ /^\}/) { if (fields > 25) print "tidy: " FILENAME ":" in_struct ": struct " name " has " fields " fields, 25 are allowed"; in_struct = 0; next }
            if (line ~ /\(\*/) { fields += gsub(/;/, ";", line); next }
            if (line ~ /;/) fields += 1 + gsub(/,/, ",", line)
        }
        END { end_file() }' >>"$bad"
    # The median function of the code stays under 15 lines.
    median=$(code | grep '\.c$' | xargs awk '
        FNR == 1 { open = 0; head_line = 0; head = "" }
        /^[A-Za-z_].*\(/ && !/;[ \t]*$/ { head = $0; head_line = FNR }
        /^\{/ && !open { open = FNR; start = head_line ? head_line : FNR }
        /^[A-Za-z_].*\).*\{.*\}[ \t]*$/ { print 1; head_line = 0; next }
        /^\}/ && open { if (head !~ /=[ \t]*$/ && head_line) print FNR - start + 1; open = 0; head_line = 0 }' |
        sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }')
    [ "$median" -le 15 ] || say "the median function has $median lines, 15 are allowed"
}

# Every header compiles alone.
rule_headers() {
    flags="-std=gnu11 -Wall -Wextra -fsyntax-only -I. $(pkg-config --cflags glib-2.0 2>/dev/null)"
    sources '*.h' | while read -r h; do
        echo "#include \"$h\"" | $CC $flags -xc - 2>/dev/null || say "$h:1: does not compile alone"
    done
}

# The pure folders ask the outside for nothing but memory moves, libgcc and the CHECK hook, and hold
# no writable data.  Reads the plain release objects.
rule_purity() {
    for dir in sim/base models/wire models/cm models/transport models/udack; do
        set -- "$BUILD/$dir"/*.o
        [ -f "$1" ] || { say "$dir:0: no objects in $BUILD (build first)"; continue; }
        nm -A --defined-only "$@" | awk '$2 ~ /^[DdBbC]$/ {
            sub(/:.*/, "", $1); print "tidy: " $1 ":0: writable data " $3 }' | grep -v -e 'icrc.o' -e 'pcap.o' >>"$bad"
    done
    all=$(ls "$BUILD"/sim/base/*.o "$BUILD"/models/wire/*.o "$BUILD"/models/cm/*.o \
        "$BUILD"/models/transport/*.o "$BUILD"/models/udack/*.o 2>/dev/null)
    defined=$(nm --defined-only $all | awk 'NF == 3 { print $3 }' | sort -u)
    for o in $all; do
        case $o in */icrc.o | */pcap.o) continue ;; esac
        nm -u "$o" | awk '{ print $2 }' | while read -r sym; do
            case $sym in
            memcpy | memmove | memset | memcmp | bcmp | sim_check_failed | __udivti3 | __umodti3 | __divti3 | __modti3 | __stack_chk_fail) continue ;;
            esac
            echo "$defined" | grep -qx "$sym" || say "$o:0: pure code asks for $sym"
        done
    done
}

# A service is named in its own file, in the tables of names, and by tests; nowhere else.
rule_services() {
    code | grep -v -e '^models/transport/\(rc\|uc\|ud\|xrc\|rd\)\.[ch]$' \
        -e '^models/transport/\(names\|service\|lifecycle\)\.[ch]$' -e '^models/transport/xp\.h$' \
        -e '^models/wire/' |
        xargs grep -nE '\b(XP_RC|XP_UC|XP_RD|XP_UD|XP_XRC|XP_XRC_INI|XP_XRC_TGT|WIRE_RC|WIRE_UC|WIRE_RD|WIRE_UD|WIRE_XRC)\b|"(rc|uc|rd|ud|xrc)"' /dev/null |
        sed 's/^/tidy: /; s/:\([0-9]*\):.*/:\1: names a service/' >>"$bad"
}

# No C file names a scenario, profile, preset or golden case.
rule_names() {
    { ls scenarios/*.ini scenarios/profiles/*.ini scenarios/presets/*.ini 2>/dev/null | sed 's|.*/||; s|\.ini$||' |
        grep -v '^spec$'; ls tests/golden/softroce 2>/dev/null; } | sort -u | while read -r name; do
        code | grep '\.c$' | xargs grep -nF "\"$name" /dev/null |
            sed "s/^/tidy: /; s/:\([0-9]*\):.*/:\1: names the scenario, profile or case $name/" >>"$bad"
    done
}

# Every source has a test file of its name, or a line in untested.txt that says where it is tested.
rule_tested() {
    code | grep '\.c$' | grep -v '^sim/main.c$' | while read -r f; do
        name=$(basename "$f" .c)
        ls tests/unit/test_"$name".c tests/golden/test_"$name".c tests/property/test_"$name".c 2>/dev/null | grep -q . && continue
        grep -q "^$f *:" "$here/untested.txt" || say "$f:1: has no test file tests/unit/test_$name.c and no line in untested.txt"
    done
    grep -v '^#' "$here/untested.txt" | while IFS=: read -r f why; do
        f=$(echo "$f" | tr -d ' ')
        [ -z "$f" ] || [ -f "$f" ] || say "$here/untested.txt:1: $f is not there"
    done
}

# Every scenario opens with the question it answers; the README's map names each top folder.
rule_documents() {
    for f in scenarios/*.ini; do
        head -1 "$f" | grep -q '^# .*?' || say "$f:1: the first line is not a question"
    done
    for d in sim models scenarios analysis tests; do
        grep -q "\`$d/\?\`" README.md || say "README.md:1: the map does not name $d"
        [ -f "$d/README.md" ] || say "$d:1: has no README.md"
    done
    sources | grep -v -e '^tests/golden/.*\.txt$' -e '^tests/tidy/tidy.sh$' |
        xargs grep -nIE '/work/|/tmp/bash|helper session' /dev/null |
        sed 's/^/tidy: /; s/:\([0-9]*\):.*/:\1: names a path or a working arrangement/' >>"$bad"
}

# Each statement of the specification that we keep has a test that is there; few are not modelled, and say why.
# compliance.csv: id, clause, statement, tests: names of unit tests, files, or FILE:WORD for a word in a file.
rule_compliance() {
    map=$here/compliance.csv
    grep -ohE 'TEST\([a-z0-9_]+\)' tests/*/test_*.c | sed 's/TEST(//; s/)//' | sort -u >"$known"
    awk -F, 'NR > 1 { print $1 }' "$map" | sort | uniq -d | while read -r id; do
        say "$map:1: $id stands there twice"
    done
    none=$(grep -c ',not modelled: ' "$map")
    [ "$none" -le 4 ] || say "$map:1: $none statements are not modelled, 4 are allowed"
    # The last field has no commas unless it is a reason.
    awk 'NR > 1' "$map" | grep -v ',"\{0,1\}not modelled: ' | sed 's/^\([^,]*\),.*,\([^,]*\)$/\1 \2/' |
        while read -r id tests; do
            [ -n "$tests" ] || say "$map:1: $id has no test"
            for t in $tests; do
                case $t in
                *:*) grep -q "${t#*:}" "${t%%:*}" 2>/dev/null || say "$map:1: $id: ${t%%:*} has no ${t#*:}" ;;
                */*) [ -e "$t" ] || say "$map:1: $id: $t is not there" ;;
                *) grep -qx "$t" "$known" || say "$map:1: $id: there is no test $t" ;;
                esac
            done
        done
}

rules=${*:-layers libraries sizes headers purity services names tested documents compliance}
for r in $rules; do
    "rule_$r"
done
if [ -s "$bad" ]; then
    sort -u "$bad"
    echo "tidy: $(sort -u "$bad" | wc -l) breaches"
    exit 1
fi
echo "tidy: all rules hold ($rules)"

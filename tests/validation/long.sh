#!/bin/sh
# Every scenario's [expect] in full length, without the [check] settings.  What `make long` runs.
# Usage: tests/validation/long.sh [FILE...]
set -eu
[ $# -gt 0 ] || set -- scenarios/*.ini
./rdmasim check --full --jobs "$(nproc)" "$@"

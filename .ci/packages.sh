#!/bin/sh
# Installs the Debian packages that a target needs, naming them first.
# Usage: .ci/packages.sh build|plot|test|clang ...   Nothing happens if all are there.
set -u
need=
for group in "$@"; do
    case $group in
    build) need="$need build-essential pkg-config libglib2.0-dev libcsv-dev zlib1g-dev libpcap-dev" ;;
    plot) need="$need gnuplot-nox" ;;
    test) need="$need libcunit1-dev libibverbs-dev libjansson-dev" ;;
    clang) need="$need clang" ;;
    fuzz) need="$need clang libclang-rt-dev" ;;
    tshark) need="$need tshark" ;;
    bench) need="$need valgrind" ;;
    *) echo "packages.sh: no such group: $group" >&2; exit 2 ;;
    esac
done
missing=
for p in $need; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
# Another gnuplot with cairo serves as well as gnuplot-nox.
if [ "$missing" = " gnuplot-nox" ] && command -v gnuplot >/dev/null 2>&1; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "These Debian packages, or what your system calls them, are missing:$missing" >&2
    echo "Install them (there is no apt-get here), then run make again." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    root=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    root=sudo
else
    echo "These packages are missing:$missing" >&2
    echo "You are neither root nor able to use sudo here. Ask your administrator for:" >&2
    echo "    apt-get install$missing" >&2
    exit 1
fi
echo "Installing with ${root:+sudo }apt-get:$missing"
export DEBIAN_FRONTEND=noninteractive
if ! $root apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1; then
    # An old package list is the usual reason: fetch a new one and try once more.
    $root apt-get update -qq &&
        $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
        { echo "apt-get could not install:$missing" >&2; exit 1; }
fi

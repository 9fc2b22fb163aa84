#!/usr/bin/env bash
# make_deb.sh SUITE [FOLDER]: builds the .deb of this source in a chroot of bookworm or trixie, as root. FOLDER (by default
# build/packages) gets it. A second call goes on with the chroot of the first.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/chroot.sh"
in_namespace "$@"
[ $# -ge 1 ] || { say "usage: make_deb.sh SUITE [FOLDER]"; exit 2; }
suite="$1" out="${2:-$root/build/packages}" work="$chroots/$1.output"
. "$root/cmake/setup.sh"

mkdir -p "$out" "$work"
if [ -e "$chroots/$suite.build/.ready" ]; then
    here="$chroots/$suite.build"
    enter
else
    fresh "$suite" build
    inside apt-get -q update >"$here/tmp/apt.log" 2>&1 || fail "apt-get update: see $here/tmp/apt.log"
    # shellcheck disable=SC2086
    install_packages $build_packages dpkg-dev file ccache
    touch "$here/.ready"
fi
# The same places for every release, so that nothing in the package tells where it was built.
mkdir -p "$here/speclens/source" "$here/speclens/build"
mount --bind -o ro "$root" "$here/speclens/source"
mount --bind "$work" "$here/speclens/build"
say "building for $suite (the first time takes a while)"
inside sh -c 'export CCACHE_DIR=/speclens/build/.ccache && cd /speclens/build &&
    cmake -S /speclens/source -B . -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPEC_TESTS=OFF -DSPEC_UNITY=all &&
    ninja ${1:+-j$1} && rm -f ./*.deb && cpack -G DEB' sh "${SPECLENS_JOBS:-}" >"$work/build.log" 2>&1 </dev/null ||
    { tail -n 30 "$work/build.log" >&2; fail "the build: see $work/build.log"; }
cp "$work"/*.deb "$out/"
ls -l "$out"/*.deb >&2

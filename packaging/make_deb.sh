#!/usr/bin/env bash
# make_deb.sh SUITE [FOLDER [portable]]: builds the .deb of this source in a chroot of bookworm or trixie, as root, or the portable archive
# and the one file that runs. FOLDER (by default build/packages) gets it. A second call goes on with the chroot of the first.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/chroot.sh"
in_namespace "$@"
[ $# -ge 1 ] || { say "usage: make_deb.sh SUITE [FOLDER [portable]]"; exit 2; }
suite="$1" out="${2:-$root/build/packages}" work="$chroots/$1.output" folder=. kind=DEB options=""
[ "${3:-}" != portable ] || { folder=portable kind=TGZ options="-DSPEC_PORTABLE=ON -DSPEC_CUDA=OFF"; }
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
# shellcheck disable=SC2016
inside sh -c 'export CCACHE_DIR=/speclens/build/.ccache && mkdir -p "/speclens/build/$2" && cd "/speclens/build/$2" &&
    cmake -S /speclens/source -B . -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPEC_TESTS=OFF -DSPEC_UNITY=all $4 &&
    ninja ${1:+-j$1} && rm -f ./*.deb ./*.tar.gz ./*.run && cpack -G "$3"' \
    sh "${SPECLENS_JOBS:-}" "$folder" "$kind" "$options" >"$work/build.log" 2>&1 </dev/null ||
    { tail -n 30 "$work/build.log" >&2; fail "the build: see $work/build.log"; }
find "$work/$folder" -maxdepth 1 \( -name '*.deb' -o -name '*.tar.gz' -o -name '*.run' \) -exec cp {} "$out/" \; -printf '%s %f\n' >&2

#!/usr/bin/env bash
# try_wheel_bare.sh SUITE FILE.whl: try_wheel.sh, without what it takes from PyPI, in a bare chroot of bookworm or trixie where only
# Python was installed. Needs root.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/../chroot.sh"
in_namespace "$@"
[ $# = 2 ] || { say "usage: try_wheel_bare.sh SUITE FILE.whl"; exit 2; }
fresh "$1" wheel
inside apt-get -q update >/dev/null 2>&1 || fail "apt-get update"
install_packages python3-venv
as_user true
mkdir -p "$here/speclens/source"
mount --bind -o ro "$root" "$here/speclens/source"
cp "$2" "$here/tmp/"
as_user env SPECLENS_NO_PYPI=1 /speclens/source/packaging/python/try_wheel.sh "/tmp/$(basename "$2")" || fail "the wheel"

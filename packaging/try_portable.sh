#!/usr/bin/env bash
# try_portable.sh SUITE FILE.tar.gz: unpacks the archive in a bare chroot of bookworm or trixie, installs nothing, and uses it as
# somebody without rights would. Needs root.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/chroot.sh"
in_namespace "$@"
[ $# = 2 ] || { say "usage: try_portable.sh SUITE FILE.tar.gz"; exit 2; }
archive="$(readlink -f "$2")"
fresh "$1" portable
as_user true
tar -xzf "$archive" -C "$here/home/reader" --no-same-owner
folder="$(basename "$archive" .tar.gz)"
[ -x "$here/home/reader/$folder/speclens" ] || fail "$archive has no $folder/speclens"
try_program "/home/reader/$folder/speclens"

# Each library and font has its licence beside it, and none is taken from elsewhere.
licences="$here/home/reader/$folder/share/doc/speclens/licences"
[ "$(find "$licences" -name '*.txt' -size +0 | wc -l)" -gt 10 ] || fail "licences are missing"
for common in $(grep -ohE '/usr/share/common-licenses/[A-Za-z]+(-[0-9]+([.][0-9]+)?)?' "$licences"/*.txt | sort -u); do
    [ -s "$licences/common/${common##*/}" ] || fail "the text of ${common##*/} is missing"
done
foreign="$(as_user env LD_TRACE_LOADED_OBJECTS=1 "/home/reader/$folder/speclens" |
    grep -Ev "/home/reader/$folder/|linux-vdso|ld-linux|lib(c|m|dl|pthread|rt|resolv|gcc_s|z)[.]so|libstdc[+][+][.]so" || true)"
[ -z "$foreign" ] || fail "taken from the system: $foreign"
say "ok: the archive runs without any package"

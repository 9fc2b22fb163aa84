#!/usr/bin/env bash
# try_run.sh SUITE FILE.run: the one file that runs in a bare chroot of bookworm or trixie, where nothing is installed: used, registered
# and unregistered as somebody without rights would; then, with a display that is only made up and Mesa, its window. Needs root.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/chroot.sh"
in_namespace "$@"
[ $# = 2 ] || { say "usage: try_run.sh SUITE FILE.run"; exit 2; }
fresh "$1" run
as_user true
program="/home/reader/$(basename "$2")"
install -m 755 "$2" "$here$program"
try_program "$program"
[ -z "$(as_user "$program" --version 2>&1 >/dev/null)" ] || fail "the second start says something"
as_user "$program" --register
as_user sh -c '"$HOME/.local/bin/speclens" --version' >/dev/null || fail "its link does not start it"
[ -s "$here/home/reader/.local/share/icons/hicolor/48x48/apps/speclens.png" ] || fail "no icon was registered"
as_user "$program" --unregister
left="$(find "$here/home/reader/.local" ! -type d)"
[ -z "$left" ] || fail "left behind: $left"
say "ok: registered and unregistered"

inside apt-get -q update >/dev/null 2>&1 || fail "apt-get update"
install_packages xvfb xauth libgl1 libglx-mesa0 libgl1-mesa-dri libx11-6 libxcursor1 libxrandr2 libxinerama1 libxi6
status=0
words="$(as_user timeout 30 xvfb-run -a -s "-screen 0 1600x1000x24" "$program" 2>&1)" || status=$?
[ "$status" = 124 ] || fail "its window is not open after 30 seconds (exit $status): $words"
say "ok: a window"

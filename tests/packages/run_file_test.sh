#!/usr/bin/env bash
# run_file_test.sh SOURCE WORK: packaging/make_run.sh with a small archive in the place of ours: first start and the next, half a file,
# a start that is killed, two at once, two versions, a cache that cannot be written, --register and --unregister.
set -uo pipefail
source="$1" work="$2"
rm -rf "$work"
mkdir -p "$work/a home" "$work/tools"
cd "$work" || exit 1
home="$work/a home" cache="$work/a home/.cache/speclens"
bad() { echo "FAILED: $*"; failures=1; }
failures=0

# archive VERSION SAYS: makes speclens-VERSION-x86_64.run of a program that says so.
archive() {
    local name="speclens-$1-linux-x86_64"
    rm -rf "$name"
    mkdir -p "$name/share/applications" "$name/share/mime/packages" "$name/share/man/man1" "$name/share/icons/hicolor/16x16/apps"
    # What it was started from, its arguments, what stands on its standard input; then its exit code.
    printf '#!/bin/sh\necho "%s" "$(dirname "$(readlink -f "$0")")" $# "$@" "$(cat)"\nexit 7\n' "$2" >"$name/speclens"
    chmod +x "$name/speclens"
    cp "$source"/packaging/*.desktop "$name/share/applications"
    cp "$source/packaging/speclens.xml" "$name/share/mime/packages"
    echo page >"$name/share/man/man1/speclens.1" && echo icon >"$name/share/icons/hicolor/16x16/apps/speclens.png"
    head -c 3000000 /dev/urandom >"$name/weights"
    tar -czf "$name.tar.gz" "$name" && "$source/packaging/make_run.sh" "$name.tar.gz" >/dev/null
}
# start FILE ARGUMENT…: as somebody whose home this is; sets $out, $err and $status.
start() {
    out="$(echo typed | env -i PATH="$work/tools:$PATH" HOME="$home" "$@" 2>err)"
    status=$? err="$(cat err)"
}
# runs SAYS: the last start was of this program.
runs() { [ "$status" = 7 ] && [[ "$out" == "$1 $cache/"* ]] || bad "$2: exit $status, said $out; $err"; }
holds() { find "$cache" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l; }

archive 1.0 one && one="$work/speclens-1.0-x86_64.run"
[ -x "$one" ] || { bad "no file that runs was made"; exit 1; }
head -c 1500000 "$one" >half.run && chmod +x half.run
start ./half.run
[ "$status" = 3 ] && [[ "$err" == *"Is the file whole"* ]] && [ "$(holds)" = 0 ] || bad "half a file: exit $status, $err, left $(holds)"

# A start that is killed while it unpacks: what it leaves is never started, and is taken away an hour later.
printf '#!/bin/sh\n%s "$@"\nkill -9 $PPID; kill -9 $(cat /proc/$PPID/stat | cut -d" " -f4)\n' "$(command -v tar)" >tools/tar && chmod +x tools/tar
start "$one" >/dev/null 2>&1
rm tools/tar
[ "$status" != 7 ] && [ "$(holds)" = 1 ] || bad "it was not killed: exit $status, $out"
find "$cache" -maxdepth 1 -name '*.part.*' -exec touch -d '2 hours ago' {} +
start "$one" say "two words"
runs one "the first start" && [[ "$out" == *" 2 say two words typed" ]] || bad "arguments and input: $out"
[[ "$err" == *unpacking* ]] && [ "$(holds)" = 1 ] || bad "what a killed start left: $(ls "$cache")"
start "$one"
runs one "the second start" && [ -z "$err" ] || bad "the second start unpacks again: $err"

archive 2.0 two && two="$work/speclens-2.0-x86_64.run"
cp "$one" first.run && archive 1.0 again # the same version, built anew
for i in 1 2 3 4; do (start "$two"; printf '%s\n' "$status $out" >"at_once_$i") & done
wait
[ "$(cat at_once_* | grep -c "^7 two $cache/")" = 4 ] || bad "four at once: $(cat at_once_*)"
start "$one" && runs again "built anew"
start ./first.run && runs one "the older one" && [ "$(holds)" = 3 ] || bad "three beside each other: $(ls "$cache")"

# Where nothing can be written: /proc is read-only for root, too.
start XDG_CACHE_HOME=/proc "$one"
[ "$status" = 3 ] && [[ "$err" == *"/proc/speclens"*"XDG_CACHE_HOME"* ]] && [ -z "$out" ] || bad "no permission: exit $status, $err"
env -i PATH="$PATH" "$one" 2>err >out
[ $? = 3 ] && grep -q HOME err || bad "no home: $(cat err out)"

# The menu entry starts this file by its link, which a desktop reads within quotes; afterwards the home is as it was.
for tool in update-desktop-database update-mime-database; do
    printf '#!/bin/sh\necho %s >>"%s/refreshed"\n' "$tool" "$work" >tools/$tool && chmod +x tools/$tool
done
everything() { find "$home" -path "$home/.cache" -prune -o ! -type d -print; }
before="$(everything)"
mkdir -p "$home/.local/bin" && echo theirs >"$home/.local/bin/speclens"
start "$two" --register
[ "$status" = 3 ] && [[ "$err" == *"Take it away first"* ]] && [ "$(cat "$home/.local/bin/speclens")" = theirs ] && [ ! -e "$home/.local/share" ] ||
    bad "another program's link: exit $status, $err"
start "$two" --unregister
[ -e "$home/.local/bin/speclens" ] && rm "$home/.local/bin/speclens" || bad "--unregister takes away another program"
start ./first.run --register
start "$two" --register
[ "$status" = 0 ] || bad "--register: exit $status, $err"
share="$home/.local/share" bin="$home/.local/bin/speclens"
[ "$(readlink "$bin")" = "$two" ] || bad "the link leads to $(readlink "$bin")"
start "$bin" && runs two "by its link"
for entry in 'speclens.desktop:%f' 'speclens-link.desktop:%u'; do
    grep -qxF "Exec=\"$bin\" ${entry#*:}" "$share/applications/${entry%:*}" || bad "${entry%:*}: $(cat "$share/applications/${entry%:*}")"
    ! command -v desktop-file-validate >/dev/null || desktop-file-validate "$share/applications/${entry%:*}" || bad "$entry"
done
cmp "$source/packaging/speclens.xml" "$share/mime/packages/speclens.xml" || bad "types"
[ -s "$share/icons/hicolor/16x16/apps/speclens.png" ] && [ -s "$share/man/man1/speclens.1" ] || bad "icon or manual page"
grep -q desktop refreshed && grep -q mime refreshed || bad "what the desktop keeps was not refreshed"
start "$two" --unregister
[ "$status" = 0 ] && [ "$(everything)" = "$before" ] || bad "--unregister: exit $status, left $(everything)"
rm -rf "$work"
exit $failures

#!/usr/bin/env bash
# try_deb.sh SUITE FILE.deb: installs the package in a bare chroot of bookworm or trixie, uses it as somebody without rights
# would, removes it and looks for what it left behind. Needs root. What the checks themselves need is installed first.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/chroot.sh"
in_namespace "$@"
[ $# = 2 ] || { say "usage: try_deb.sh SUITE FILE.deb"; exit 2; }
package="$(readlink -f "$2")"
fresh "$1" try

inside apt-get -q update >/dev/null 2>&1 || fail "apt-get update"
install_packages man-db desktop-file-utils shared-mime-info libglib2.0-bin appstream hicolor-icon-theme
as_user true
# Everything but what apt, dpkg and the checks keep about themselves.
files() {
    inside find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache \
        -o -path /var/log \) -prune -o -print | sort
}
files >"$chroots/$1.before"

cp "$package" "$here/tmp/speclens.deb"
inside apt-get -q -y install /tmp/speclens.deb </dev/null >"$here/tmp/apt.log" 2>&1 || { tail "$here/tmp/apt.log"; fail "apt could not install it"; }
say "ok: installed with $(grep -c '^Setting up' "$here/tmp/apt.log") packages"
try_program speclens

[ "$(as_user speclens --version | head -n 1)" = "SpecLens $(inside dpkg-query -W -f '${Version}' speclens | sed 's/-.*//')" ] ||
    fail "the program and the package differ in their version"
as_user env MANPAGER=cat MANWIDTH=100 man speclens >"$here/tmp/page" || fail "no manual page"
grep -q '^NAME' "$here/tmp/page" || fail "the manual page has no NAME"
# But for words that are longer than a line.
mistakes="$(inside man --warnings -E UTF-8 -l -Tutf8 -Z /usr/share/man/man1/speclens.1.gz 2>&1 >/dev/null |
    grep -vE "cannot adjust line|(can't|cannot) break line" || true)"
[ -z "$mistakes" ] || fail "the manual page: $mistakes"
inside bash -n /usr/share/bash-completion/completions/speclens || fail "completion for bash"
for file in /usr/share/zsh/vendor-completions/_speclens /usr/share/fish/vendor_completions.d/speclens.fish; do
    [ -s "$here$file" ] || fail "$file is missing"
done
say "ok: manual page, completion"
for file in speclens speclens-link; do
    inside desktop-file-validate "/usr/share/applications/$file.desktop" || fail "$file.desktop"
done
metainfo="$(inside appstreamcli validate --no-net /usr/share/metainfo/speclens.metainfo.xml 2>&1 || true)"
# Debian 13 asks for a homepage: that of whoever publishes the package (SPEC_HOMEPAGE), so ours names none.
[[ "$metainfo" == *alidation* ]] && ! printf '%s\n' "$metainfo" | grep -E '^[EW]:' | grep -v url-homepage-missing || fail "metainfo: $metainfo"
for size in 16x16 48x48 256x256; do [ -s "$here/usr/share/icons/hicolor/$size/apps/speclens.png" ] || fail "no icon of $size"; done
say "ok: menu entry, metainfo, icons"

# is_type NAME TYPE: what a file manager says of a file in the home.
is_type() {
    local found
    found="$(as_user gio info -a standard::content-type "$1" | sed -n 's/.*content-type: //p')"
    [ "$found" = "$2" ] || fail "$1 is $found, not $2"
}
as_user speclens run --max-tokens 2 --json run.jsonl >/dev/null || fail "run --json"
as_user speclens describe race --stepped --drafters lookup --max-tokens 4 --json race.json >/dev/null || fail "describe race --json"
as_user sh -c 'printf "{\"a\": 1}\n{\"a\": 2}\n" >other.jsonl; printf "{\n \"a\": 1\n}\n" >other.json; cp other.json all.race.json
    cp /usr/share/speclens/lectures/first-lesson.lec.toml .; echo "a = 1" >other.toml'
is_type run.jsonl application/x-speclens-run
is_type first-lesson.lec.toml application/x-speclens-lecture
is_type race.json application/x-speclens-race
is_type all.race.json application/x-speclens-race
is_type other.json application/json
for file in other.jsonl other.toml; do
    ! as_user gio info -a standard::content-type $file | grep -q speclens || fail "$file is taken for ours"
done
[ "$(inside gio mime x-scheme-handler/speclens | grep -c speclens-link.desktop)" -gt 0 ] || fail "links of speclens:// lead nowhere"
say "ok: types of files, links"

as_user sh -c 'rm -f x.png run.jsonl race.json other.* all.race.json first-lesson.lec.toml'
inside apt-get -q -y purge speclens </dev/null >"$here/tmp/apt.log" 2>&1 || fail "purge"
inside apt-get -q -y autoremove --purge </dev/null >>"$here/tmp/apt.log" 2>&1 || fail "autoremove"
files >"$chroots/$1.after"
# What the packages beside it leave is theirs; nothing may be left that names the program or stands in the user's home.
left="$(comm -13 "$chroots/$1.before" "$chroots/$1.after")"
# Debian 13's systemd, which comes with a package beside it, makes an empty /root/.ssh (tmpfiles.d/provision.conf).
! printf '%s\n' "$left" | grep -vx '/root/\.ssh' | grep -E 'speclens|^/home/|^/root/' || fail "left behind"
for list in "$here"/usr/share/applications/mimeinfo.cache "$here"/usr/share/mime/globs2; do
    ! grep -q speclens "$list" 2>/dev/null || fail "$list still names it"
done
say "ok: removed; of the packages beside it $(printf '%s' "$left" | grep -c .) files and folders stayed"

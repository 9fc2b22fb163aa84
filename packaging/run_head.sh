#!/bin/sh
# SpecLens in one file. The first start unpacks what follows these lines into the user's cache; every start starts it from there.
# --register puts it into the menu and into ~/.local/bin, --unregister takes it away again.
set -u
name=@NAME@
sum=@SUM@ # of the archive: another file of the same version has a folder of its own
lines=@LINES@
self=$(readlink -f "$0")
fail() {
    printf 'speclens: %s\n' "$*" >&2
    exit 3
}
[ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] || fail "neither HOME nor XDG_CACHE_HOME says where it can be unpacked."
cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/speclens
here=$cache/$name-$sum

# Under another name first: a folder of this one is whole. Two starts at once unpack twice, and the first one's stays.
if [ ! -d "$here" ]; then
    printf 'speclens: unpacking into %s, once\n' "$here" >&2
    if ! problem=$(mkdir -p "$cache" 2>&1) || ! part=$(mktemp -d "$here.part.XXXXXX" 2>&1); then
        fail "it cannot be unpacked: ${problem:-$part}. Let XDG_CACHE_HOME name a folder that you may write to."
    fi
    trap 'rm -rf "$part"' EXIT
    trap 'exit 130' HUP INT TERM
    find "$cache" -maxdepth 1 -name '*.part.*' -mmin +60 -exec rm -rf {} + # of starts that were killed
    problem=$(tail -n "+$lines" "$self" | tar -xzf - --no-same-owner -C "$part" 2>&1) && [ -x "$part/$name/speclens" ] ||
        fail "it cannot be unpacked. Is the file whole, and is there room in $cache? ${problem:-}"
    mv -T "$part/$name" "$here" 2>/dev/null || [ -d "$here" ] || fail "$part cannot be renamed."
    rm -rf "$part"
    trap - EXIT HUP INT TERM
fi

data=${XDG_DATA_HOME:-${HOME:-}/.local/share} bin=${HOME:-}/.local/bin/speclens
# Whether that is to be had: nothing, or a link to a file like this one or to nowhere.
ours() { [ ! -e "$bin" ] || { [ -L "$bin" ] && head -n 2 "$bin" | grep -q '^# SpecLens in one file'; }; }
files() { (cd "$here/share" && find applications bash-completion fish icons man mime -type f 2>/dev/null); }
# What desktops keep of these files is made anew by whatever of these tools is there.
refresh() {
    update-desktop-database -q "$data/applications"
    update-mime-database "$data/mime"
    gtk-update-icon-cache -q -f -t "$data/icons/hicolor"
} 2>/dev/null
case ${1:-} in
--register)
    [ -n "${HOME:-}" ] || fail "HOME does not say where to."
    ours || fail "$bin is there and no link to such a file. Take it away first; nothing was changed."
    files | while IFS= read -r file; do
        mkdir -p "$data/${file%/*}" && cp "$here/share/$file" "$data/$file" || exit 1
    done && mkdir -p "${bin%/*}" && ln -sfn "$self" "$bin" || fail "not all of it could be written."
    command=$(printf '%s' "$bin" | sed 's/%/%%/g; s/[\\&|]/\\&/g')
    sed -i "s|^Exec=speclens|Exec=\"$command\"|" "$data/applications/speclens.desktop" "$data/applications/speclens-link.desktop" ||
        fail "the menu entries could not be written."
    refresh
    printf 'SpecLens is in the menu, and %s starts it. Keep this file where it is: %s\n' "$bin" "$self"
    exit 0
    ;;
--unregister)
    files | while IFS= read -r file; do rm -f "$data/$file"; done
    if ours; then rm -f "$bin"; fi
    refresh
    printf 'SpecLens is no longer in the menu. Its files are in %s; whoever has no use for them deletes that folder.\n' "$cache"
    exit 0
    ;;
esac
exec "$here/speclens" "$@"

# Bare installations of Debian to build and try packages in (sourced by the scripts beside this one, which need root).
# SPECLENS_CHROOTS is where the bare ones are kept between calls, by default build/chroots; SPECLENS_MIRROR is whom they come from.
root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)"
chroots="${SPECLENS_CHROOTS:-$root/build/chroots}"
mirror="${SPECLENS_MIRROR:-http://deb.debian.org/debian}"

say() { printf '%s\n' "$*" >&2; }
fail() { say "FAILED: $*"; exit 1; }

# The mounts of a chroot end with the namespace that they are made in: call this first.
in_namespace() {
    [ "$(id -u)" = 0 ] || fail "a chroot needs root"
    [ -n "${SPECLENS_NAMESPACE:-}" ] || SPECLENS_NAMESPACE=1 exec unshare --mount "$0" "$@"
}

# bare SUITE: a bare installation of it, made once; prints its folder.
bare() {
    local folder="$chroots/$1.base"
    if [ ! -e "$folder/etc/debian_version" ]; then
        command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
        mkdir -p "$chroots"
        rm -rf "$folder.part"
        say "a bare $1 from $mirror"
        debootstrap --variant=minbase "$1" "$folder.part" "$mirror" >"$chroots/$1.log" 2>&1 || fail "see $chroots/$1.log"
        mv "$folder.part" "$folder"
    fi
    printf '%s\n' "$folder"
}

# fresh SUITE NAME: a copy of it to work in, which replaces the last one of that name; sets $here.
fresh() {
    local base
    base="$(bare "$1")" || exit 1
    here="$chroots/$1.$2"
    rm -rf --one-file-system "$here"
    cp -a "$base" "$here"
    cp /etc/resolv.conf "$here/etc/resolv.conf"
    echo force-unsafe-io >"$here/etc/dpkg/dpkg.cfg.d/thrown-away-soon" # not a sync for each file
    enter
}

# enter: mounts what programs in $here expect.
enter() {
    mount -t proc proc "$here/proc"
    mount --rbind /dev "$here/dev"
}

# inside COMMAND…: runs it in $here as its root, with nothing of this environment.
inside() {
    chroot "$here" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# as_user COMMAND…: the same as somebody without rights, in a home of their own.
as_user() {
    [ -d "$here/home/reader" ] || inside useradd --create-home reader
    inside setpriv --reuid reader --regid reader --clear-groups env HOME=/home/reader sh -c 'cd && exec "$@"' sh "$@"
}

install_packages() {
    inside apt-get -q -y install --no-install-recommends "$@" </dev/null >"$here/tmp/apt.log" 2>&1 ||
        { tail -n 20 "$here/tmp/apt.log" >&2; fail "apt could not install $*"; }
}

# try_program PROGRAM: what must work without a display: a check, a run and a picture.
try_program() {
    local words picture="$here/home/reader/x.png"
    words="$(as_user "$1" check)" || fail "check: $words"
    printf '%s\n' "$words"
    words="$(as_user "$1" run --prompt "The capital of France is" --max-tokens 8)" || fail "run: $words"
    printf '%s\n' "$words" | tail -n 5
    as_user "$1" render loop -o x.png || fail "render"
    [ "$(head -c 8 "$picture" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "render wrote no PNG"
    say "ok: check, run, render ($(stat -c %s "$picture") bytes)"
}

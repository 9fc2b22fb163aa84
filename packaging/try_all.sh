#!/usr/bin/env bash
# try_all.sh [FOLDER]: builds every package into FOLDER (build/packages) and tries each in bare installations of Debian 12 and 13: the
# .deb, the archive, the file that runs, the wheel (./test --packages). All but the .deb is built on the older one. Where SPECLENS_PAGE is a
# page that ./run web -o made, also the widget for notebooks, here. Fails where one fails, after all were tried.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/chroot.sh"
missing=""
[ "$(id -u)" = 0 ] || missing="root"
command -v debootstrap >/dev/null || missing="${missing:+$missing and }debootstrap"
if [ -n "$missing" ]; then
    say "skipped: packages are tried in bare installations of Debian, which needs $missing"
    exit 0
fi
scripts="$root/packaging" out="${1:-$root/build/packages}"
rm -rf "$out"
mkdir -p "$out/tree"
"$scripts/make_deb.sh" bookworm "$out"
"$scripts/make_deb.sh" bookworm "$out" portable
"$scripts/make_deb.sh" trixie "$out"
tar -xzf "$out"/speclens-*.tar.gz -C "$out/tree" --strip-components=1
"$scripts/python/make_wheel.py" "$out/tree" "$out"
[ -z "${SPECLENS_PAGE:-}" ] || "$scripts/python/make_widget.py" "$SPECLENS_PAGE" "$out"
failed=""
try() {
    say "── $*"
    "$scripts/$1" "${@:2}" || failed="$failed $*;"
}
for suite in bookworm:deb12 trixie:deb13; do
    try try_deb.sh "${suite%:*}" "$out"/speclens_*"${suite#*:}"*.deb
    try try_portable.sh "${suite%:*}" "$out"/speclens-*.tar.gz
    try try_run.sh "${suite%:*}" "$out"/speclens-*.run
    try python/try_wheel_bare.sh "${suite%:*}" "$out"/speclens-[0-9]*.whl
done
[ -z "${SPECLENS_PAGE:-}" ] || try python/try_widget.sh "$out"/speclens-[0-9]*.whl "$out"/speclens_widget-*.whl
[ -z "$failed" ] || fail "$failed"
say "every package runs in Debian 12 and 13${SPECLENS_PAGE:+, the widget in notebooks}"

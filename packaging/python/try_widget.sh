#!/usr/bin/env bash
# try_widget.sh SPECLENS.whl WIDGET.whl [FOLDER]: installs both in a fresh virtual environment, with JupyterLab, Notebook and nbconvert from
# PyPI, and tries the widget there: its tests, mypy --strict, and each of the three with a Chromium without a screen, whose pictures and times
# stay in FOLDER. Needs chromium and chromedriver. Not as part of ./test, which asks nobody for anything.
set -euo pipefail
source="$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)"
[ $# -ge 2 ] || { printf 'usage: try_widget.sh SPECLENS.whl WIDGET.whl [FOLDER]\n' >&2; exit 2; }
wheels=("$(readlink -f "$1")" "$(readlink -f "$2")")
work="${3:-$(mktemp -d)}"
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
clean() { env -i HOME="$work" PATH="$work/venv/bin:/usr/bin:/bin" LC_ALL=C.UTF-8 SPECLENS_NOTEBOOKS="$work/shown" "$@"; }
command -v chromedriver >/dev/null || fail "chromedriver is missing: apt-get install chromium-driver"
mkdir -p "$work/shown"
cd "$work"
python3 -m venv venv
clean pip install --quiet --disable-pip-version-check "${wheels[@]}" jupyterlab notebook nbconvert ipykernel mypy || fail "pip install"
clean mypy --strict -p speclens_widget || fail "mypy --strict"
clean SPECLENS_PROGRAM="$work/venv/lib/$(ls venv/lib)/site-packages/speclens/_program/speclens" python "$source/tests/packages/widget_test.py" || fail "tests"

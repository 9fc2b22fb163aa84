#!/usr/bin/env bash
# try_wheel.sh FILE.whl [FOLDER]: installs the wheel in a fresh virtual environment and uses it as somebody would who has nothing
# else: the program, the module's first lines, and its tests. Then, from PyPI, with pandas and pyarrow, by mypy --strict and
# auditwheel, and the notebooks of docs/notebooks. Not as part of ./test, which asks nobody for anything.
set -euo pipefail
source="$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)"
[ $# -ge 1 ] || { printf 'usage: try_wheel.sh FILE.whl [FOLDER]\n' >&2; exit 2; }
wheel="$(readlink -f "$1")"
work="${2:-$(mktemp -d)}"
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
say() { printf '%s\n' "$*" >&2; }
clean() { env -i HOME="$work" PATH="$work/venv/bin:/usr/bin:/bin" LC_ALL=C.UTF-8 "$@"; }
cd "$work"

python3 -m venv venv
clean pip install --quiet --no-index --disable-pip-version-check "$wheel" || fail "pip install"
clean speclens check >check.txt || fail "check: $(cat check.txt)"
clean speclens run --prompt "The capital of France is" --max-tokens 8 >run.txt || fail "run"
clean speclens render loop -o x.png || fail "render"
[ "$(head -c 8 x.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "render wrote no PNG"
clean speclens get --help >get.txt || fail "get --help"
clean python -c 'import speclens
trace = speclens.open("tiny").run("The capital of France is", drafter="small", seed=9)
print(trace[0])'
say "ok: the program and three lines, with nothing but the wheel"
tests() { clean SPECLENS_PROGRAM="$work/venv/lib/$(ls venv/lib)/site-packages/speclens/_program/speclens" python "$source/tests/packages/python_test.py"; }
tests || fail "tests"
[ -z "${SPECLENS_NO_PYPI:-}" ] || exit 0

clean pip install --quiet --disable-pip-version-check pandas pyarrow pandas-stubs pyarrow-stubs mypy auditwheel nbconvert ipykernel || fail "pip install from PyPI"
tests || fail "tests with pandas and pyarrow"
for notebook in "$source"/docs/notebooks/*.ipynb; do
    clean jupyter nbconvert --log-level ERROR --execute --to html --output-dir . "$notebook" || fail "$notebook"
    clean jupyter nbconvert --log-level ERROR --to script --output-dir . "$notebook"
done
clean mypy --strict -p speclens || fail "mypy --strict"
for script in *.py; do clean mypy --strict "$script" || fail "mypy --strict, $script"; done
clean python "$source/packaging/python/measure.py"
clean auditwheel show "$wheel"

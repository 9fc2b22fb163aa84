#!/usr/bin/env bash
# llama.cpp b11549 (xllamacpp 2026.10.11549), "speculative.types" of /props.
#
# default_generation_settings.params has "speculative.types": "none" while the server drafts for every request. What drafts is not told there; that something
# does is in /slots ("speculative": true) and in the timings of an answer (draft_n).
#
# Seen on 29 November 2026 with --spec-type draft-simple. Fails where that is no longer so.
set -euo pipefail
root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python="$folder/venv/bin/python"
echo "xllamacpp==2026.10.11549 --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261" > "$folder/llamacpp.txt"
"$python" -m pip install -q --no-deps --only-binary :all: --require-hashes -r "$folder/llamacpp.txt"
export PYTHONPATH="$root/findings:$root/tests/servers" FINDINGS_FOLDER="$folder"
"$python" - <<'PYTHON'
from probe import gguf, server

with server("draft_simple", gguf("small")) as one:
    types = one.props()["default_generation_settings"]["params"]["speculative.types"]
    drafted = one.completed("Once upon a time", 24)["timings"].get("draft_n", 0)
    print("types %r, %d draft tokens for an answer" % (types, drafted))
    assert drafted > 0
    assert types == "none", "it tells what drafts"
PYTHON

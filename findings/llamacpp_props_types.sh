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
"$python" -m pip install -q xllamacpp==2026.10.11549
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

#!/usr/bin/env bash
# llama.cpp b11549 (xllamacpp 2026.10.11549), "speculative.n_max" of a request to /completion.
#
# The field asked for fewer drafts than the server was started with, 0 for none. It is taken without a word, and the server drafts as it was started:
# who compares an answer with drafts and one without on a single server compares twice the same.
#
# Seen on 30 November 2026 with --spec-type draft-simple, K = 3: as many drafts with 0, with 1 and without the field. Fails where that is no longer so.
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
    asked = ({}, {"speculative.n_max": 0}, {"speculative.n_max": 1}, {"speculative": {"n_max": 0}})
    drafted = [one.completed("Once upon a time", 24, **more)["timings"].get("draft_n", 0) for more in asked]
    for more, count in zip(asked, drafted):
        print("%s: %d draft tokens" % (more or "not asked", count))
    assert drafted[0] > 0
    assert len(set(drafted)) == 1, "the field is obeyed"
PYTHON

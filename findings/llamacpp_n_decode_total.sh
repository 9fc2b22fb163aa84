#!/usr/bin/env bash
# llama.cpp b11549 (xllamacpp 2026.10.11549), the counter llamacpp:n_decode_total of /metrics.
#
# Its help says "Total number of llama_decode() calls, excluding speculative decoding and multimodal decoding". It counts every pass of the target: the one that
# read the prompt and those that verified drafts. Left out are the passes of the draft model alone. So with one request at a time and a short prompt it
# grows by tokens - accepted drafts, with speculation and without.
#
# Seen on 29 November 2026: 24 tokens by 24 passes without drafts; 24 tokens by 9 passes with 15 drafts accepted in 8 rounds. Fails where that is no longer so.
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

for kind, draft in (("none", None), ("draft_simple", gguf("small"))):
    with server(kind, draft) as one:
        before = one.counters()
        answer = one.completed("Once upon a time", 24)["timings"]
        grown = {name: value - before.get(name, 0) for name, value in one.counters().items()}
        passes, accepted = grown["llamacpp:n_decode_total"], answer.get("draft_n_accepted", 0)
        print("%s: %d tokens, %d accepted, %d passes" % (kind, answer["predicted_n"], accepted, passes))
        assert (accepted > 0) == (kind != "none")
        assert passes == answer["predicted_n"] - accepted, "it counts something else"
        assert "excluding speculative decoding" in one.get("/metrics"), "its help says something else"
PYTHON

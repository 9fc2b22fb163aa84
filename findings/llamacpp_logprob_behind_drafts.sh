#!/usr/bin/env bash
# llama.cpp b11549 (xllamacpp 2026.10.11549), "n_probs" of /completion where the server drafts.
#
# n_probs asks for the likeliest tokens of each place. With drafts the first token has them, and every later one, drafted or not, comes with log-probability 0
# (certainty) and an empty list. Without drafts the same tokens have lists of n_probs, and log-probabilities far from 0. So a margin or a perplexity made from an
# answer with drafts is one of a single token, and looks certain.
#
# Seen on 30 November 2026 with --spec-type draft-simple. Fails where that is no longer so.
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

found = {}
for kind, draft in (("none", None), ("draft_simple", gguf("small"))):
    with server(kind, draft) as one:
        answer = one.completed("Once upon a time", 24, n_probs=5)
        found[kind] = [(place["id"], place["logprob"], len(place["top_logprobs"])) for place in answer["completion_probabilities"]]
        print("%s: %d places, %d with a list, log-probabilities %s" % (kind, len(found[kind]), sum(many > 0 for _, _, many in found[kind]),
              ", ".join("%.2f" % p for _, p, _ in found[kind][:12])))
plain, drafted = found["none"], found["draft_simple"]
assert [place[0] for place in plain] == [place[0] for place in drafted], "another text"
assert all(many == 5 for _, _, many in plain) and min(p for _, p, _ in plain[1:]) < -0.1
assert drafted[0][2] == 5 and all(p == 0 and many == 0 for _, p, many in drafted[1:]), "later tokens have probabilities"
PYTHON

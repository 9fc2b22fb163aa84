#!/usr/bin/env bash
# llama.cpp b11549 (xllamacpp 2026.10.11549), a draft model (--spec-type draft-simple): how many passes a round of K guesses takes.
#
# K of one row by the draft model, one of K + 1 rows by the target, and one more of K + 1 rows by the draft model: its context forgets its own guesses and
# reads the round again (common_speculative_process), also those that were kept, which stood in it. So the draft model computes 2 K + 1 rows a round and
# not K or K + 1; on Qwen2.5-Coder 1.5B with the 0.5B on two cores that pass is a fifth of a round, two fifths with polls (kernels/cpu/side_by_side.md).
#
# Seen on 1 December 2026: 15 rounds of 44 guesses, each 1, …, 1, K + 1, K + 1. Fails where that is no longer so. Needs the built-in models of this repository.
set -euo pipefail
root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python="$folder/venv/bin/python"
echo "xllamacpp==2026.10.11549 --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261" > "$folder/llamacpp.txt"
"$python" -m pip install -q --no-deps --only-binary :all: --require-hashes -r "$folder/llamacpp.txt"
export PYTHONPATH="$root/findings:$root/tests/servers" FINDINGS_FOLDER="$folder" LLAMA_BATCH_DEBUG=1
"$python" - <<'PYTHON'
import os
import re

from probe import folder, gguf, server

with server("draft_simple", gguf("small"), "verbosity=5") as one:
    told = one.completed("Tell me a story about a", 40)["timings"]
with open(os.path.join(folder, "server.log")) as log:
    rows = [int(n) for n in re.findall(r"input batch info:\n.*?n_tokens\s*=\s*(\d+)", log.read(), re.S)]
prompt = [at for at, n in enumerate(rows) if n == told["prompt_n"]]
rounds = re.findall(r"((?:1 )+)(\d+) (\d+) ", "".join("%d " % n for n in rows[prompt[1] + 1:]))
print("rows of the prompt's passes: %s; of the rounds: %s" % (rows[:prompt[1] + 1], [(len(ones) // 2, int(a), int(b)) for ones, a, b in rounds]))
drafts = [len(ones) // 2 for ones, _, _ in rounds]
assert sum(drafts) == told["draft_n"], "of %d guesses the passes have %d" % (told["draft_n"], sum(drafts))
assert all(int(a) == int(b) == k + 1 for k, (_, a, b) in zip(drafts, rounds)), "no second pass over the round"
assert sum(k + 2 for k in drafts) == len(rows) - prompt[1] - 1, "passes that are of no round"
PYTHON

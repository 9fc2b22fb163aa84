#!/usr/bin/env bash
# transformers 5.23.0 (torch 2.15.0), generate(assistant_model=…, num_assistant_tokens=K, assistant_confidence_threshold=C).
#
# Both are fields of the GenerationConfig that generate() takes. With a draft model they are taken without a word and change nothing: how many tokens are drafted is
# told by the generation_config of the draft model alone. So a comparison of K by this argument times the same thing again and again.
#
# Seen on 30 November 2026: the draft model's passes for a text of 20 tokens are the same for K = 1, 2 and 8 by the argument, and differ by its own config.
# Fails where that is no longer so.
set -euo pipefail
root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python="$folder/venv/bin/python"
"$python" -m pip install -q torch==2.15.0 transformers==5.23.0
export PYTHONPATH="$root/findings"
"$python" - <<'PYTHON'
import torch
from tiny import counted, llama

target, draft = llama(1, 16), llama(2, 16)
passes, prompt = counted(draft), torch.tensor([[1, 2, 3]])


def drafting(**words):
    passes.clear()
    target.generate(prompt, assistant_model=draft, do_sample=False, max_new_tokens=20, **words)
    return len(passes)


asked = [drafting(), *(drafting(num_assistant_tokens=count) for count in (1, 2, 8)), drafting(assistant_confidence_threshold=0.0)]
print("by the arguments (none; K = 1, 2, 8; threshold 0): %s passes of the draft model" % asked)
own = []
for count in (1, 2, 8):
    draft.generation_config.num_assistant_tokens = count
    own.append(drafting())
print("by the draft model's own config (K = 1, 2, 8): %s" % own)
assert len(set(own)) > 1
assert len(set(asked)) == 1, "the arguments are obeyed"
PYTHON

#!/usr/bin/env bash
# transformers 5.23.0 (torch 2.15.0), generate(do_sample=True) with a draft model that has another tokenizer.
#
# Where the draft model has tokens that the target lacks, the object that one lends is changed for good: its output matrix keeps only the tokens that both have, and its
# embedding is replaced by one that translates ids. After one sampled call it can write no text of its own, nor draft greedily for the same target. Nor can a
# second draft model with the same two tokenizers be used: what was worked out for the first one is kept by tokenizers, so the second one stays whole and does not fit.
#
# Seen on 30 November 2026: 20 columns before, 16 after; three kinds of call raise. Fails where that is no longer so.
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
from tiny import letters, llama

ours, theirs = letters("abcdefghijklmnop"), letters("ponmlkjihgfedcbaWXYZ")
target, draft, other = llama(1, 16, scale=5), llama(2, 20, scale=5), llama(3, 20, scale=5)
prompt, in_theirs = (tokenizer("bcdefbcd", return_tensors="pt").input_ids for tokenizer in (ours, theirs))
both = {"tokenizer": ours, "assistant_tokenizer": theirs, "max_new_tokens": 12}


def columns():
    return draft.get_output_embeddings()(torch.zeros(1, 32)).shape[-1]


def outcome(call):
    try:
        call()
        return "goes"
    except RuntimeError as error:
        return "raises: %s" % error


calls = {
    "the draft model alone": lambda: draft.generate(in_theirs, do_sample=False, max_new_tokens=12),
    "greedy for the same target": lambda: target.generate(prompt, do_sample=False, assistant_model=draft, **both),
    "a second draft model, sampled": lambda: target.generate(prompt, do_sample=True, assistant_model=other, **both),
}
before = columns()
first = [outcome(calls[name]) for name in list(calls)[:2]]
assert first == ["goes", "goes"], first
torch.manual_seed(1)
target.generate(prompt, do_sample=True, assistant_model=draft, **both)
print("columns of the draft model's logits: %d before, %d after" % (before, columns()))
assert (before, columns()) == (20, 16), "the draft model is as it was"
for name, call in calls.items():
    told = outcome(call)
    print("%s: %s" % (name, told))
    assert told.startswith("raises"), "the draft model can be used again"
PYTHON

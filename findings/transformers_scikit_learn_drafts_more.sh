#!/usr/bin/env bash
# transformers 5.23.0 (torch 2.15.0), generate() with a draft model, with and without scikit-learn 1.9.1 in the environment.
#
# Nothing asks for scikit-learn, yet where it can be imported the threshold of confidence below which a draft ends is learnt from round to round (by a ROC curve); without it the threshold
# stays at assistant_confidence_threshold. Not a word tells which of the two holds. So the same call with the same seed writes another sampled text, and
# drafts several times as many tokens, once somebody has installed an unrelated package.
#
# Seen on 30 November 2026, 60 tokens at T = 1, seed 1: 42 passes of the draft model without it, 268 with it, another text; the greedy text is the same, as it should
# be. Fails where that is no longer so.
set -euo pipefail
root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python="$folder/venv/bin/python"
"$python" -m pip install -q torch==2.15.0 transformers==5.23.0
export PYTHONPATH="$root/findings"
more="$folder/more"
"$python" -m pip install -q --no-compile --no-deps --target "$more" scikit-learn==1.9.1 scipy==1.17.1 joblib==1.6.0 threadpoolctl==3.8.0 narwhals==2.29.0 cloudpickle==3.1.3
cat > "$folder/texts.py" <<'PYTHON'
import importlib.util
import json

import torch
from tiny import counted, llama

target, draft = llama(1, 16, scale=8), llama(2, 16, scale=8)
passes, found = counted(draft), []
for sampled in (True, False):
    torch.manual_seed(1)
    passes.clear()
    text = target.generate(torch.tensor([[1, 2, 3]]), assistant_model=draft, do_sample=sampled, top_k=0, max_new_tokens=60)[0, 3:].tolist()
    found.append((text, len(passes)))
print(json.dumps([importlib.util.find_spec("sklearn") is not None, *found]))
PYTHON
"$python" "$folder/texts.py" > "$folder/without.json"
PYTHONPATH="$PYTHONPATH:$more" "$python" "$folder/texts.py" > "$folder/with.json"
"$python" - "$folder" <<'PYTHON'
import json
import sys

(absent, *without), (there, *learnt) = (json.load(open(sys.argv[1] + name)) for name in ("/without.json", "/with.json"))
assert there and not absent, "this Python has scikit-learn of its own"
for name, (sampled, greedy) in (("without", without), ("with", learnt)):
    print("%s scikit-learn: sampled %s… in %d passes of the draft model, greedy %s… in %d" % (name, sampled[0][:10], sampled[1], greedy[0][:5], greedy[1]))
assert without[1][0] == learnt[1][0], "another greedy text"
assert without[0][0] != learnt[0][0], "the same sampled text"
assert learnt[0][1] > 2 * without[0][1], "it drafts no more with scikit-learn"
PYTHON

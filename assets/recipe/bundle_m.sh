#!/bin/sh
# Bundle M, the larger presets of the recipe, from nothing: for a GPU. It was never trained; the lengths are guesses (see README.md).
# sh bundle_m.sh WORK BUNDLE [--device cuda]     from assets/recipe; WORK is an empty folder; PYTHON names the interpreter
set -e
[ $# -ge 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
work=$1 bundle=$2 python=${PYTHON:-python}
shift 2
mkdir -p "$bundle"

$python data.py --tokenizer ../models/target --work "$work" --shards 0:16
$python train.py --preset target-m --work "$work" --minutes 30 --merge 8 "$@"
$python export.py --checkpoint "$work/target-m/final.pt" --tokenizer ../models/target --out "$bundle/target" --verify
$python train.py --preset small-m --work "$work" --minutes 5 --merge 8 --seed 2 "$@"
$python sample_target.py --target "$bundle/target" --work "$work" --taps 1 7 13 --tokens 2000000 "$@"
$python distill.py --preset small-m --target "$bundle/target" --work "$work" --minutes 3 "$@"
$python export.py --checkpoint "$work/small-m/distilled.pt" --tokenizer ../models/target --out "$bundle/small" --verify
$python train_drafter.py --method eagle3 --target "$bundle/target" --work "$work" --draft-vocab 2862 --steps 3600 "$@"
$python train_drafter.py --method dart --target "$bundle/target" --work "$work" --draft-vocab 2862 --steps 5000 --muon 0.02 "$@"
$python train_drafter.py --method dflash --target "$bundle/target" --work "$work" --layers 3 --steps 5000 --muon 0.02 "$@"
$python train_drafter.py --method dflash2 --target "$bundle/target" --work "$work" --layers 3 --rank 64 --candidates 15 --init "$work/dflash/export" --steps 2000 --muon 0.01 "$@"
$python train_drafter.py --method domino --target "$bundle/target" --work "$work" --layers 3 --gru 128 --rank 64 --steps 5000 --muon 0.02 "$@"
$python train_drafter.py --method dspark --target "$bundle/target" --work "$work" --layers 3 --rank 64 --block 8 --dpace --steps 3000 --muon 0.02 "$@"
$python train_drafter.py --method medusa --target "$bundle/target" --work "$work" --steps 1800 "$@"
for head in eagle3 dart dflash dflash2 domino dspark medusa; do cp -r "$work/$head/export" "$bundle/$head"; done
$python ngrams.py --target "$bundle/target" --work "$work" --least 10 --out "$bundle/dart/small.trie"
$python frequency.py --target "$bundle/target" --work "$work" --size 2862 --out "$bundle/frequent.json"
for model in target small; do $python eval.py --model "$bundle/$model" --json "$bundle/${model}_eval.json"; done
$python gates.py --models "$bundle" --out "$bundle/drafter_gates.json"
$python manifest.py --bundle M --models "$bundle" --work "$work" --machine "${MACHINE:-one GPU}"

#!/bin/sh
# Every stage of the recipe, from nothing, with tiny step counts, in about ten minutes on one core; the numbers mean little.
# The heads are trained on TARGET, a real one, since nothing can be learned from a target of forty steps.
# sh rehearse.sh [TARGET] [WORK] [DEVICE]     from assets/recipe; WORK must be empty or absent; PYTHON names the interpreter
set -e
target=${1:-../models/target} work=${2:-/tmp/rehearsal} device=${3:-cpu} python=${PYTHON:-python}
export OMP_NUM_THREADS=1 MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=8000000000
if [ -n "$(ls -A "$work" 2>/dev/null)" ]; then
    echo "$work is not empty: finished stages in it would not be rehearsed; remove it or name another" >&2
    exit 1
fi
mkdir -p "$work/models"

$python -m corpus.gen check --n 2000
$python data.py --tokenizer "$target" --work "$work/first" --shards 0:1 --tokens 200000
$python train.py --preset tiny --work "$work/first" --steps 40 --no-compile --device "$device"
$python train.py --preset small --work "$work/first" --steps 20 --no-compile --device "$device"
$python average.py --out "$work/first/tiny/mean.pt" "$work/first/tiny/stable.pt" "$work/first/tiny/final.pt"
$python export.py --checkpoint "$work/first/tiny/mean.pt" --tokenizer "$target" --out "$work/first/export" --verify
$python sample_target.py --target "$work/first/export" --work "$work/first" --taps 0 1 --tokens 60000 --device "$device"
$python distill.py --target "$work/first/export" --work "$work/first" --steps 20 --no-compile --device "$device"
$python eval.py --model "$work/first/export" --size 20

$python check_drafters.py --target "$target"
$python goldens_drafters.py
$python sample_target.py --target "$target" --work "$work" --tokens 60000 --shard-tokens 30000 --device "$device"
for method in eagle3 dart dflash dflash2 domino dspark medusa; do
    $python train_drafter.py --method $method --target "$target" --work "$work" --steps 20 --log-every 10 --device "$device"
    $python check_drafters.py --target "$target" --drafter "$work/$method/export"
    $python evaluate_drafter.py --target "$target" --drafter "$work/$method/export" --size 2 --plain --json "$work/$method/eval.json"
    rm -rf "$work/models/$method"
    cp -r "$work/$method/export" "$work/models/$method"
done
$python ngrams.py --target "$target" --work "$work" --out "$work/dart/export/small.trie"
$python frequency.py --target "$target" --work "$work" --out "$work/frequent.json"
$python evaluate_drafter.py --target "$target" --drafter "$work/dflash/export" --size 2 --frequent "$work/frequent.json"
$python ablations.py --target "$target" --work "$work" --out "$work/ablations.json" --only domino --steps 2 --seeds 11 --size 1 --device "$device"
rm -rf "$work/models/target"
cp -r "$target" "$work/models/target"
$python gates.py --models "$work/models" --size 1 --out "$work/gates.json"
$python grammar_knob.py --tokenizer "$target" --work "$work" --out "$work/ablations.json" --shard-tokens 60000 --target-steps 4 \
    --sample-tokens 20000 --steps 2 --size 1 --device "$device"

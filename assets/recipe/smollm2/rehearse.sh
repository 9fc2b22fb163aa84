#!/bin/sh
# Every stage of the SmolLM2 heads, from nothing, with tiny numbers, on a CPU, in about ten minutes of a free core; the numbers mean nothing.
# sh smollm2/rehearse.sh FILE.gguf [WORK]     from assets/recipe; WORK must be empty or absent; PYTHON names the interpreter
set -e
gguf=$1 work=${2:-/tmp/smollm2_rehearsal} python=${PYTHON:-python}
if [ -n "$(ls -A "$work" 2>/dev/null)" ]; then
    echo "$work is not empty: finished stages in it would not be rehearsed; remove it or name another" >&2
    exit 1
fi
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive WORK="$work" DEVICE=cpu PYTHON="$python" BLOCK_TOKENS=6000 LOG_EVERY=1 CORPUS="$work/corpus" BATCH=32
OWN=40 ROUNDS=1 sh smollm2/data.sh "$gguf" "$work" 4000 cpu
$python -m smollm2.prompts --work "$work" --heldout "$work/heldout.jsonl" --self "$work/selfprompt.jsonl"
GGUF="$gguf" sh smollm2/gpu.sh split
sh smollm2/gpu.sh join
TOKENS=8000 MINUTES=2 sh smollm2/gpu.sh sample
sh smollm2/gpu.sh pack
for head in eagle3 dflash domino medusa mtp small; do
    STEPS=2 sh smollm2/gpu.sh $head
    STEPS=3 sh smollm2/gpu.sh $head
    sh smollm2/gpu.sh export $head
    cat "$work/parts/$head.safetensors."* | cmp - "$work/$head/export/model.safetensors"
done

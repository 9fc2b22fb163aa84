#!/bin/sh
# The data of the SmolLM2 heads from nothing: own prompts, templates and answers in turn, until TOKENS tokens of answers are there.
# Stop it at any time; the same command goes on.  sh smollm2/data.sh FILE.gguf WORK [TOKENS] [DEVICE]     from assets/recipe
# PYTHON names the interpreter; PID_FILE, if given, always holds the number of the process that computes, for who wants to pause it.
set -e
gguf=$1 work=$2 tokens=${3:-2000000} device=${4:-cpu} python=${PYTHON:-python} own=${OWN:-1500} rounds=${ROUNDS:-4}
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_WAIT_POLICY=passive
stage() {
    "$@" &
    [ -z "$PID_FILE" ] || echo $! > "$PID_FILE"
    wait $!
}
round=1
while [ "$round" -le "$rounds" ]; do
    stage $python -m smollm2.selfprompt --gguf "$gguf" --work "$work" --count $((own * round)) --device "$device"
    $python -m smollm2.prompts --work "$work" --count $((own * 5 / 2 * round)) --self "$work/selfprompt.jsonl"
    stage $python -m smollm2.sample --gguf "$gguf" --work "$work" --tokens $((tokens / rounds * round)) --device "$device"
    round=$((round + 1))
done

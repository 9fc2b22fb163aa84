#!/bin/sh
# Text for the Qwen heads: the target's own requests, prompts, answers, and the corpus without what HumanEval has, in rounds.
#   sh qwen/data.sh SPECLENS FILE.gguf HumanEval.jsonl.gz WORK [TOKENS] [SEED]     from assets/recipe
# Stop it at any time; the same command goes on. PYTHON names the interpreter (numpy is enough), OPTIONS are those of the program that say how the
# model is loaded; of each round, of ROUNDS, OWN are beginnings that the target goes on with, COUNT prompts.
set -e
speclens=$1 gguf=$2 humaneval=$3 work=$4 tokens=${5:-300000} seed=${6:-55}
python=${PYTHON:-python} options=${OPTIONS:-} own=${OWN:-200} count=${COUNT:-400} rounds=${ROUNDS:-4} round=1
mkdir -p "$work"
while [ "$round" -le "$rounds" ]; do
    done=$work/round_$round
    if [ ! -f "$done" ]; then
        $python -m qwen.prompts openings --out "$work/openings.jsonl" --count $((own * round)) --seed "$seed"
        $speclens sample --model "$gguf" $options --prompts "$work/openings.jsonl" -o "$work/own" --seed "$seed"
        $python -m qwen.prompts grow --humaneval "$humaneval" --own "$work/own" --gguf "$gguf" --known qwen/corpus --out "$work/prompts.jsonl" --count $((count * round)) --seed "$seed"
        touch "$done"
    fi
    $speclens sample --model "$gguf" $options --prompts "$work/prompts.jsonl" -o "$work/corpus" --tokens $((tokens / rounds * round)) --seed "$seed"
    $python -m qwen.clean --gguf "$gguf" --humaneval "$humaneval" --samples "$work/corpus" --out qwen/corpus
    round=$((round + 1))
done

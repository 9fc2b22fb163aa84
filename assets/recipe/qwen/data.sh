#!/bin/sh
# Text for the Qwen heads: the target's own requests, prompts, answers, and the corpus without what HumanEval has.
#   sh qwen/data.sh SPECLENS FILE.gguf HumanEval.jsonl.gz WORK [TOKENS] [SEED]     from assets/recipe
# Stop it at any time; the same command goes on. PYTHON names the interpreter (numpy is enough), OPTIONS are those of the program that say how the
# model is loaded, COUNT is how many prompts there are, OWN how many beginnings the target goes on with.
set -e
speclens=$1 gguf=$2 humaneval=$3 work=$4 tokens=${5:-300000} seed=${6:-55}
python=${PYTHON:-python} options=${OPTIONS:-} own=${OWN:-900} count=${COUNT:-3000}
mkdir -p "$work"
[ -f "$work/openings.jsonl" ] || $python -m qwen.prompts openings --out "$work/openings.jsonl" --count "$own" --seed "$seed"
$speclens sample --model "$gguf" $options --prompts "$work/openings.jsonl" -o "$work/own" --seed "$seed"
[ -f "$work/prompts.jsonl" ] || $python -m qwen.prompts grow --humaneval "$humaneval" --own "$work/own" --gguf "$gguf" --known qwen/corpus --out "$work/prompts.jsonl" --count "$count" --seed "$seed"
$speclens sample --model "$gguf" $options --prompts "$work/prompts.jsonl" -o "$work/corpus" --tokens "$tokens" --seed "$seed"
$python -m qwen.clean --gguf "$gguf" --humaneval "$humaneval" --samples "$work/corpus" --out qwen/corpus

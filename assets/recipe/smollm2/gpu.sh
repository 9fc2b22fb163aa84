#!/bin/sh
# The stages of the SmolLM2 heads for a machine with a GPU that is lent for half an hour and has no network: every command ends within
# MINUTES (8 by default) and goes on where it stopped when it is given again.   sh smollm2/gpu.sh STAGE     from assets/recipe
#   split      on the machine that has the model: GGUF into pieces of 48 MiB in $IN, to be carried over
#   join       on the other one: $WORK/target.gguf out of the pieces, checked
#   sample     more answers to $WORK/prompts.jsonl (from $IN, where it is there)
#   pack       the corpus out of them, $WORK/corpus
#   eagle3, dflash, domino, medusa, mtp, small      states and training of one head on $CORPUS, $STEPS steps
#   export     $WORK/HEAD/export in parts of 15 MiB in $OUT_PARTS, and parts.sha256: cat the parts to get the file
# WORK, IN, OUT_PARTS, GGUF, CORPUS, STEPS, MINUTES, DEVICE (cuda) and PYTHON name the rest. Rehearsed on a CPU by smollm2/rehearse.sh.
set -e
stage=$1 work=${WORK:-/tmp/smollm2} python=${PYTHON:-python3} device=${DEVICE:-cuda} minutes=${MINUTES:-8}
in=${IN:-$work/in} parts=${OUT_PARTS:-$work/parts} corpus=${CORPUS:-smollm2/corpus} steps=${STEPS:-0}
gguf=$work/target.gguf
known=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
mkdir -p "$work"
limited() { # a command that is stopped in time has kept what it did
    timeout -s INT $((minutes * 60 + 30)) "$@" || { code=$?; [ $code -eq 124 ] && echo "stopped after $minutes minutes: the same command goes on"; return $code; }
}
case $stage in
split)
    : "${GGUF:?names the GGUF that is split}"
    mkdir -p "$in"
    split -b 48M -d "$GGUF" "$in/target.gguf."
    ls -l "$in" ;;
join)
    cat "$in"/target.gguf.* > "$gguf.part"
    echo "$known  $gguf.part" | sha256sum -c --quiet
    mv "$gguf.part" "$gguf" ;;
sample)
    [ -e "$work/prompts.jsonl" ] || cp "$in/prompts.jsonl" "$work/prompts.jsonl"
    $python -m smollm2.sample --gguf "$gguf" --work "$work" --tokens "${TOKENS:-10000000}" --minutes "$minutes" --batch "${BATCH:-512}" --device "$device" ;;
pack)
    $python -m smollm2.corpus pack --gguf "$gguf" --work "$work" --out "$work/corpus" ;;
eagle3|dflash|domino|medusa|mtp|small)
    layers=2
    [ "$stage" != small ] || layers=4
    if [ "$steps" = 0 ]; then
        case $stage in eagle3) steps=1600 ;; medusa) steps=1200 ;; mtp) steps=1600 ;; small) steps=3000 ;; *) steps=4000 ;; esac
    fi
    limited $python -m smollm2.train --method "$stage" --target "$gguf" --corpus "$corpus" --work "$work" --layers "${LAYERS:-$layers}" --steps "$steps" \
        --block-tokens "${BLOCK_TOKENS:-1000000}" --log-every "${LOG_EVERY:-20}" --device "$device" ;;
export)
    head=${2:?names the head}
    mkdir -p "$parts"
    split -b 15M -d "$work/$head/export/model.safetensors" "$parts/$head.safetensors."
    cp "$work/$head/export/config.json" "$parts/$head.config.json"
    cp "$work/$head/curve.jsonl" "$parts/$head.curve.jsonl"
    (cd "$work/$head/export" && sha256sum model.safetensors | sed "s/model/$head/") > "$parts/$head.sha256"
    ls -l "$parts" ;;
*)
    sed -n '2,12p' "$0" >&2
    exit 2 ;;
esac

"""The corpus that is trained on: what `speclens sample` wrote, without the texts that HumanEval has, too (overlap.py).

    python -m qwen.clean --gguf G --humaneval HumanEval.jsonl.gz --samples W/corpus --out qwen/corpus
    python -m qwen.clean --gguf G --show qwen/corpus --n 3

Writes blocks of at most 250 000 tokens and dropped.json, which says how many texts were dropped, and why. Blocks of --out with another seed
stay and come first, those of this seed are written anew: so later samples are appended, and the same command may be given again.
"""
import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from qwen import corpus_file
from qwen.overlap import Overlap
from qwen.text import Tokens
from runs import write_text


def kept(block, tokens, overlap):
    """Which texts stay, and how many others there are by reason; those only for their answer are counted apart."""
    stay, dropped = [], Counter()
    for i, row in enumerate(map(block.text, range(len(block)))):
        prompt = overlap.reason(tokens.text(row["ids"][:row["prompt"]]))
        reason = prompt or overlap.reason(tokens.text(row["ids"]))
        if reason:
            dropped[f"{reason} in the {'prompt' if prompt else 'answer'}"] += 1
        else:
            stay.append(i)
    return stay, dropped


def clean(samples, out, tokens, overlap):
    block = corpus_file.joined([corpus_file.read(path) for path in corpus_file.files(samples)])
    stay, dropped = kept(block, tokens, overlap)
    others = [corpus_file.read(path) for path in corpus_file.files(out)]
    blocks = [b for b in others if b.header["seed"] != block.header["seed"]] + corpus_file.cut(block.part(stay))
    out.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(blocks):
        corpus_file.save(out / f"{number:03d}.corpus", one)
    for path in corpus_file.files(out)[len(blocks):]:
        path.unlink()
    table = out / "dropped.json"
    told = json.loads(table.read_text()) if table.exists() else {}
    told[str(block.header["seed"])] = {"texts": len(block), "kept": len(stay), "answer_tokens": int(sum(block.header["answer"][i] for i in stay)),
                                       "tokens": int(sum(len(block.ids[i]) for i in stay)), "dropped": dict(sorted(dropped.items()))}
    write_text(table, json.dumps(told, indent=1) + "\n")
    return told[str(block.header["seed"])], len(blocks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--humaneval", type=Path)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--n", type=int, default=3)
    args = parser.parse_args()
    tokens = Tokens(args.gguf)
    if args.show:
        block = corpus_file.joined([corpus_file.read(path) for path in corpus_file.files(args.show)])
        for i in np.random.default_rng(0).choice(len(block), min(args.n, len(block)), replace=False):
            row = block.text(i)
            print(f"== {row['number']}, {row['domain']}, T = {row['temperature']}, {row['end']}, {row['prompt']} + {row['answer']}\n{tokens.text(row['ids'])}\n")
        return
    if not (args.humaneval and args.samples and args.out):
        parser.error("give --humaneval, --samples and --out, or --show")
    told, blocks = clean(args.samples, args.out, tokens, Overlap(args.humaneval))
    print(f"{told['kept']} of {told['texts']} texts kept, {told['answer_tokens']} tokens of answers; dropped: {told['dropped'] or 'none'}; {blocks} blocks in {args.out}")


if __name__ == "__main__":
    main()

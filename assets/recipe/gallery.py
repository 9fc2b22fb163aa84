"""Answer prompts of a file (gallery, showcase, heldout) with an exported model and print a readable page; lists failed
expectations.

    python gallery.py --model ../models/target --prompts ../prompts/gallery.jsonl [--markdown]
"""
import argparse
import json
from pathlib import Path

import torch

from corpus.checks import right
from eval import Subject, chat


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--prompts", type=Path, required=True)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--markdown", action="store_true", help="as the README of the bundle has them")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows = [json.loads(line) for line in args.prompts.read_text().splitlines()]
    subject = Subject(args.model, args.temperature)
    texts = [chat(r["prompt"], r.get("system")) if r["chat"] else r["prompt"] for r in rows]
    failed = 0
    for r, (answer, ended) in zip(rows, subject.ask(texts, 200)):
        good = (right(r["check"], answer) if "check" in r else r.get("expect", "") in answer) and ended
        failed += not good
        if args.markdown:
            print(f"**{r['domain']}**{'' if good else ' (**wrong**)'}: {r['prompt']}\n\n````\n{answer}\n````\n")
            continue
        print(f"{'ok  ' if good else 'FAIL'} [{r['domain']}] {r['prompt']}\n     -> {answer}{'' if ended else ' ...(no end)'}\n")
    print(f"{len(rows) - failed} of {len(rows)} as expected")


if __name__ == "__main__":
    main()

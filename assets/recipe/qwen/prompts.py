"""The prompts that the target answers, as `speclens sample` reads them, and those that stay out of training.

    python -m qwen.prompts openings --out W/openings.jsonl --count 900
    python -m qwen.prompts grow --humaneval HumanEval.jsonl.gz --out W/prompts.jsonl --count 3000 [--own W/own --gguf G] [--known qwen/corpus]
    python -m qwen.prompts heldout --humaneval HumanEval.jsonl.gz --out ../prompts/qwen.jsonl [--own W/own --gguf G]

openings: beginnings of a user's turn, which the target goes on with; `speclens sample --prompts W/openings.jsonl -o W/own` lets it.
grow: appends to the file, so a larger count or more of the target's own requests may be given again. A third is the target's own as long as
there are some; no prompt twice, none of --known, none that HumanEval has (overlap.py). heldout: the families HELD of templates.py, and every
fiftieth of the target's own, by the hash of its words.
"""
import argparse
import hashlib
import json
import random
from collections import Counter
from pathlib import Path

from qwen import corpus_file
from qwen.overlap import Overlap
from qwen.templates import HELD, TRAINED, request
from qwen.text import Tokens, user_turn
from runs import write_text
from smollm2.log import Log, lines

SEED = 55
OWN_SHARE, HELD_OUT_OF = 0.33, 50
TEMPERATURES = (0.0, 0.7, 0.8, 0.0, 0.5, 1.0, 0.0, 0.8, 0.9)        # a third greedy
LIMIT, LONG_LIMIT = 400, 1200
SYSTEM = "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n<|im_start|>user\n"
OPENINGS = ("Write a Python", "Write a Python function that", "Write a function", "Write a class", "Write a program that", "Write a JavaScript", "Write a C++", "Write a Java", "Write a SQL query", "Write a Bash script",
            "Write a Rust", "Write a Go", "Write a TypeScript", "Write unit tests", "Write a regular expression", "Implement", "Create a", "Create a JSON", "Create an HTML", "Design a", "Build a", "Convert this", "Convert the following",
            "Explain", "Explain the following code", "Explain how", "What is the", "What does", "What are", "What happens", "How do I", "How can I", "How does", "Why does", "Why is", "When should", "Which", "Can you", "Could you", "Please",
            "I have a", "I want to", "I need", "I am trying", "I'm getting", "My code", "Given a", "Given an array", "Suppose", "Let's", "Fix", "Find the bug", "Debug", "Refactor", "Optimize", "Improve", "Review", "Complete the", "Translate",
            "Rewrite", "Compare", "Summarize", "Describe", "List", "Give me", "Show me", "Generate", "Parse", "Sort", "Calculate", "In Python", "In React", "In C", "In SQL", "Using", "Schreibe", "Erkläre", "Écris", "Explique", "Escribe",
            "¿Cómo", "用Python", "请写", "如何", "Напиши", "Pythonで", "Make a", "Tell me", "Should I", "Is it", "You are a", "Act as")
ENDS = set(".?!:)]}`\"'。？！；;")
BAD = ("as an ai", "i cannot", "i can't", "i'm sorry", "<|", "\ufffd", "you're welcome", "sure,", "sure!", "certainly", "here's", "here is the")


def opening(seed, number):
    dice = random.Random(f"{seed} opening {number}")
    return "" if dice.random() < 0.25 else dice.choice(OPENINGS)


def openings(path, count, seed):
    rows = [dict(prompt=SYSTEM + opening(seed, i), chat=False, domain="own", temperature=0.8 if i % 3 else 1.0, max_tokens=160) for i in range(count)]
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def bare(text):
    return "".join(c for c in text.lower() if c.isalnum())


def sensible(text, end):
    """The reason why a request of the target's own is not taken, or None."""
    low, parts = text.lower(), text.lower().split()
    if end != "stop":
        return "without an end"
    dense = sum(c.isascii() for c in text) < 0.7 * len(text)            # Chinese and Japanese have no blanks
    if len(text) < (8 if dense else 15) or len(text) > 1500 or (not dense and not 3 <= len(parts) <= 150):
        return "length"
    if any(b in low for b in BAD):
        return "an answer"
    if text[-1] not in ENDS:
        return "its last sign"
    if len(parts) >= 12 and len(set(parts)) < 0.45 * len(parts):
        return "repeats itself"
    grams = [tuple(parts[i:i + 4]) for i in range(len(parts) - 3)]
    if "```" not in text and len(set(grams)) < len(grams) - 1:
        return "repeats itself"
    return None


def held_out(text):
    return int(hashlib.sha256(bare(text).encode()).hexdigest(), 16) % HELD_OUT_OF == 0


def own(folder, gguf, overlap, held):
    """The target's own requests that are taken, and how many were refused for what."""
    if not folder:
        return [], Counter()
    if not gguf:
        raise SystemExit("--own needs --gguf, whose tokens its texts are made of")
    tokens, seen, refused, out = Tokens(gguf), set(), Counter(), []
    for path in corpus_file.files(folder):
        block = corpus_file.read(path)
        for row in map(block.text, range(len(block))):
            text = user_turn(tokens.text(row["ids"])).strip()
            reason = sensible(text, row["end"]) or ("twice" if bare(text) in seen else None) or overlap.reason(text)
            seen.add(bare(text))
            if reason:
                refused[reason] += 1
            elif held_out(text) == held:
                out.append(dict(domain="own", prompt=text))
    return out, refused


def known(folder, gguf):
    """What was asked in a corpus, bare."""
    if not folder:
        return set()
    tokens, out = Tokens(gguf), set()
    for path in corpus_file.files(folder):
        block = corpus_file.read(path)
        out |= {bare(user_turn(tokens.text(row["ids"][:row["prompt"]]))) for row in map(block.text, range(len(block)))}
    return out


def grow(path, count, own_rows, seen, overlap, seed):
    old = list(lines(path))
    seen = seen | {bare(row["prompt"]) for row in old}
    mine = [row for row in own_rows if bare(row["prompt"]) not in seen]
    log, number, refused = Log(path), len(old), Counter()
    index = 0                                                            # templates drawn before come again and are known
    while number < count:
        dice = random.Random(f"{seed} prompt {number}")
        long = False
        if mine and dice.random() < OWN_SHARE:
            row = mine.pop(0)
        else:
            row = request(TRAINED, seed, index)
            index += 1
            if index > 200 * (count + 1):
                raise SystemExit(f"the patterns have no more than {number} different requests: ask for fewer, or give more of the target's own")
            long = row.pop("family") == "long"
            if bare(row["prompt"]) in seen:
                continue
            if reason := overlap.reason(row["prompt"]):
                refused[reason] += 1
                continue
        seen.add(bare(row["prompt"]))
        log.add(**row, chat=True, temperature=dice.choice(TEMPERATURES), max_tokens=LONG_LIMIT if long else LIMIT)
        number += 1
    return number - len(old), refused


def heldout(path, own_rows, each, overlap, seed):
    rows, seen, counts, index = [], set(), Counter(), 0
    while any(counts[f] < each for f in HELD) and index < 10_000 * each:
        row = request(HELD, seed, index)
        index += 1
        if bare(row["prompt"]) in seen or counts[row["family"]] >= each or overlap.reason(row["prompt"]):
            continue
        seen.add(bare(row["prompt"]))
        counts[row["family"]] += 1
        rows.append(row)
    rows += [dict(row, family="own") for row in own_rows[:4 * each]]
    rows.sort(key=lambda row: (row["domain"], row["family"]))
    write_text(path, "".join(json.dumps(dict(domain=r["domain"], prompt=r["prompt"], chat=True, held=r["family"]), ensure_ascii=False) + "\n" for r in rows))
    return len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["openings", "grow", "heldout"])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--humaneval", type=Path)
    parser.add_argument("--own", type=Path, help="the corpus of the openings")
    parser.add_argument("--gguf", type=Path)
    parser.add_argument("--known", type=Path, help="a corpus whose prompts are not asked again")
    parser.add_argument("--each", type=int, default=12, help="held-out prompts a family")
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    if args.what == "openings":
        return openings(args.out, args.count, args.seed)
    if not args.humaneval:
        parser.error("--humaneval HumanEval.jsonl.gz: prompts that it has are left out")
    overlap = Overlap(args.humaneval)
    mine, refused = own(args.own, args.gguf, overlap, args.what == "heldout")
    print(f"{len(mine)} of the target's own requests, refused: {dict(refused) or 'none'}")
    if args.what == "heldout":
        print(f"{heldout(args.out, mine, args.each, overlap, args.seed)} held-out prompts in {args.out}")
        return
    added, refused = grow(args.out, args.count, mine, known(args.known, args.gguf), overlap, args.seed)
    print(f"{added} prompts added; of templates HumanEval has: {dict(refused) or 'none'}")


if __name__ == "__main__":
    main()

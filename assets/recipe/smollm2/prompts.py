"""The prompts that the target answers, and those that stay out of training.

    python -m smollm2.prompts --work W --count 20000 [--self W/selfprompt.jsonl]
    python -m smollm2.prompts --work W --heldout ../prompts/smollm2.jsonl [--self W/selfprompt.jsonl]

Appends to W/prompts.jsonl, each line {number, domain, family, turns, temperature, limit}: what is there stays, so the command can be given
again with a larger count or more of the target's own prompts. Two of five are the target's own as long as there are some, no prompt twice.
Held out: the families HELD of templates.py, and every fiftieth of the target's own, by the hash of its words.
"""
import argparse
import hashlib
import json
import random
from pathlib import Path

from runs import write_text
from smollm2.log import Log, lines
from smollm2.templates import HELD, TRAINED, request

OWN_SHARE, HELD_OUT_OF = 0.4, 50
TEMPERATURES = (0.0, 0.7, 0.85, 0.0, 0.7, 1.0, 0.0, 0.7, 0.85)        # a third greedy
LIMIT, LONG_LIMIT = 400, 1600
ENDS = set(".?!:)]}`\"'")
BAD = ("as an ai", "i cannot", "i can't", "i'm sorry", "<|", "\ufffd", "you're welcome", "i'm glad", "here's", "here is", "sure,", "certainly")


def bare(text):
    return "".join(c for c in text.lower() if c.isalnum())


def sensible(row):
    """The reason why a prompt of the target's own is not taken, or None."""
    words, low = row["text"].strip(), row["text"].strip().lower()
    parts = low.split()
    if row["end"] != "stop":
        return "without an end"
    if not 3 <= len(parts) <= 120 or len(words) < 12:
        return "length"
    if any(b in low for b in BAD):
        return "an answer"
    if words[-1] not in ENDS:
        return "its last sign"
    if sum(c.isascii() for c in words) < len(words) or sum(c.isalpha() or c.isspace() for c in words) < 0.7 * len(words):
        return "not English"
    if len(parts) >= 12 and len(set(parts)) < 0.55 * len(parts):
        return "repeats itself"
    grams = [tuple(parts[i:i + 4]) for i in range(len(parts) - 3)]
    if len(set(grams)) < len(grams) - 1:
        return "repeats itself"
    return None


def held_out(text):
    return int(hashlib.sha256(bare(text).encode()).hexdigest(), 16) % HELD_OUT_OF == 0


def domain_of(text):
    """Where a prompt of the target's own belongs, by its words."""
    low = text.lower()
    for domain, words in (("structured", ("json", "csv", "table", "xml")), ("code", ("python", "function", "code", "javascript", "sql", "program", "algorithm", "```")),
                          ("summaries", ("summar",)), ("rewriting", ("rewrite", "rephrase", "correct the", "edit", "translate")), ("stories", ("story", "poem", "haiku", "dialogue", "novel", "song")),
                          ("letters", ("email", "letter", "message", "speech")), ("comparisons", ("compare", "difference", "versus", "better")), ("lists", ("list", "tips", "ideas", "steps", "recipe")),
                          ("problems", ("solve", "calculate", "how many", "equation", "find the value", "probability"))):
        if any(w in low for w in words):
            return domain
    return "questions" if text.rstrip().endswith("?") else "chats"


def own(path, held):
    """The target's own prompts that are taken, without repetitions, and how many were refused for what."""
    seen, refused, out = set(), {}, []
    for row in lines(path):
        reason = sensible(row) or ("twice" if bare(row["text"]) in seen else None)
        seen.add(bare(row["text"]))
        if reason:
            refused[reason] = refused.get(reason, 0) + 1
        elif held_out(row["text"]) == held:
            out.append(dict(domain=domain_of(row["text"]), family="own", turns=[row["text"].strip()]))
    return out, refused


def grow(path, count, own_path, seed):
    old = list(lines(path))
    seen = {bare(" ".join(row["turns"])) for row in old}
    mine, refused = own(own_path, False) if own_path else ([], {})
    mine = [row for row in mine if bare(row["turns"][0]) not in seen]
    log, index, number = Log(path), max((row.get("index", -1) for row in old), default=-1) + 1, len(old)
    while number < count:
        dice = random.Random(f"{seed} prompt {number}")
        if mine and dice.random() < OWN_SHARE:
            row = mine.pop(0)
        else:
            row = dict(request(TRAINED, seed, index), index=index)
            index += 1
            if bare(" ".join(row["turns"])) in seen:
                continue
        seen.add(bare(" ".join(row["turns"])))
        long = row["family"] == "long"
        log.add(number=number, **row, temperature=dice.choice(TEMPERATURES), limit=LONG_LIMIT if long else LIMIT)
        number += 1
    return number - len(old), refused


def heldout(path, own_path, each, seed):
    rows, seen, index, counts = [], set(), 0, {}
    mine = own(own_path, True)[0] if own_path else []
    while any(counts.get(f, 0) < each for f in HELD) and index < 10_000 * each:
        row = request(HELD, seed, index)
        index += 1
        text = bare(row["turns"][0])                             # of several turns the first
        if text in seen or counts.get(row["family"], 0) >= each:
            continue
        seen.add(text)
        counts[row["family"]] = counts.get(row["family"], 0) + 1
        rows.append(row)
    rows += mine[:4 * each]
    rows.sort(key=lambda row: (row["domain"], row["family"]))
    write_text(path, "".join(json.dumps(dict(domain=r["domain"], prompt=r["turns"][0], chat=True, held=r["family"]), ensure_ascii=False) + "\n" for r in rows))
    return len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--self", dest="own", type=Path)
    parser.add_argument("--heldout", type=Path)
    parser.add_argument("--each", type=int, default=12, help="held-out prompts a family")
    parser.add_argument("--seed", type=int, default=36)
    args = parser.parse_args()
    if args.heldout:
        print(f"{heldout(args.heldout, args.own, args.each, args.seed)} held-out prompts in {args.heldout}")
        return
    added, refused = grow(args.work / "prompts.jsonl", args.count, args.own, args.seed)
    print(f"{added} prompts added; of the target's own refused: {refused or 'none'}")


if __name__ == "__main__":
    main()

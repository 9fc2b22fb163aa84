"""Tokenise the corpus into shards of packed rows.

    python data.py --tokenizer ../models/target --work ../../build/recipe --shards 0:8

A shard is one .npz with documents back to back (uint16 ids), their lengths, and a flag per token: 0 prompt,
1 answer (or raw text), 2 not trained (the empty think block's line break: the chat template supplies it, and leaving
it out lets "<think>" lead to a thought when thinking is on), 3 what an answer has to copy from the prompt: a call of a tool, words to repeat.  Rows are packed when a shard is read, so the row length is free.
"""
import argparse
import math
import re
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from corpus.gen import MIXTURE, family_of, make
from runs import write

PROMPT, ANSWER, SKIPPED, COPIED = 0, 1, 2, 3
CALL = re.compile(r"<tool_call>\n(.*)\n</tool_call>")


def tokenizer_of(folder):
    file = folder / "tokenizer.json"
    if not file.exists():
        raise SystemExit(f"{file} is missing: name a folder that holds a tokenizer, like ../models/target")
    return Tokenizer.from_file(str(file))


def encode(tok, d):
    """ids and flags; the prompt and the answer are encoded together, exactly as the app does."""
    enc = tok.encode(d.text)
    ids = np.array(enc.ids, np.uint16)
    split = len("".join(d.parts[:d.prompt_end]))
    flags = np.array([ANSWER if a >= split else PROMPT for a, _ in enc.offsets], np.uint8)
    for start, end in [call.span(1) for call in CALL.finditer(d.text, split)] + [(split, len(d.text))] * d.copied:
        flags[[start <= a < end for a, _ in enc.offsets]] = COPIED
    think = tok.token_to_id("<think>")
    blank = tok.token_to_id("\u010a\u010a")
    for i in np.flatnonzero(ids[:-1] == think):
        if ids[i + 1] == blank:
            flags[i + 1] = SKIPPED
    return ids, flags


def build_shard(tok, seed, number, tokens, split="train", modes=True, more=()):
    """more: domains or families ("json", "json/composed") with the share of the documents that comes from each alone, on top of its share
    of the mixture."""
    ids, flags, lengths, nll = [], [], [], []
    index, count = number * 1_000_000, 0
    rng = np.random.default_rng([seed, number])
    while count < tokens:
        dice, domain = rng.random() if more else 1.0, None
        for name, share in more:
            if 0 <= dice < share:
                domain = name
            dice -= share
        d = make(seed, index, domain, modes=modes)
        index += 1
        if d.split != split:
            continue
        i, f = encode(tok, d)
        ids.append(i)
        flags.append(f)
        lengths.append(len(i))
        nll.append(d.nll)
        count += len(i)
    return dict(ids=np.concatenate(ids), flags=np.concatenate(flags), lengths=np.array(lengths, np.int32),
                nll=np.array(nll, np.float32))


def pack(shard, row, chosen, rng):
    """The chosen documents, shuffled and packed best-fit into rows of `row` tokens.

    Returns ids, segments (0 = padding) and flags, each (rows, row).
    """
    starts = np.concatenate(([0], np.cumsum(shard["lengths"])[:-1]))
    chosen = rng.permutation(chosen)
    chosen = chosen[np.argsort(shard["lengths"][chosen] <= row // 2, kind="stable")]      # what needs a row of its own goes first
    rows, room = [], {}                       # room: free tokens -> open rows
    for k in chosen:
        n = int(shard["lengths"][k])
        fit = min((r for r in room if r >= n), default=None)
        if fit is None:
            rows.append([k])
            target, left = len(rows) - 1, row - n
        else:
            target = room[fit].pop()
            if not room[fit]:
                del room[fit]
            rows[target].append(k)
            left = fit - n
        if left >= 8:
            room.setdefault(left, []).append(target)
    ids = np.zeros((len(rows), row), np.int64)
    segments = np.zeros((len(rows), row), np.int16)
    flags = np.full((len(rows), row), SKIPPED, np.uint8)
    for r, documents in enumerate(rows):
        at = 0
        for s, k in enumerate(documents):
            n, o = int(shard["lengths"][k]), starts[k]
            ids[r, at:at + n] = shard["ids"][o:o + n]
            segments[r, at:at + n] = s + 1
            flags[r, at:at + n] = shard["flags"][o:o + n]
            at += n
    order = rng.permutation(len(rows))
    return ids[order], segments[order], flags[order]


SHORT, LONG = 128, 256       # row lengths; long rows hold what does not fit a short one, filled up with short documents
PAIRS = 16                   # a step has as many tokens as 16 long rows: 2, 4, 6 ... of them long, the others halved


def long_rows(lengths):
    """How many rows of a step have to be long so that every document of the shard finds a place: two documents that are
    too long for a short row never share a long one. An even number, so that the shards of a run have few shapes to compile."""
    share = int((lengths > SHORT).sum()) * LONG / int(lengths.sum())
    return min(PAIRS, max(2, 2 * math.ceil(share * PAIRS / 2)))


def batches(shard, rng):
    """One pass over a shard: lists of (ids, segments, flags) groups that make one optimiser step. Every document is in
    one of them, but for the few that do not fill a last step, and those longer than LONG."""
    n = shard["lengths"][shard["lengths"] <= LONG]
    count = long_rows(n)
    small, big = np.flatnonzero(shard["lengths"] <= SHORT), np.flatnonzero((shard["lengths"] > SHORT) & (shard["lengths"] <= LONG))
    small = rng.permutation(small)
    wanted = count / PAIRS * n.sum() - shard["lengths"][big].sum()
    extra = int(np.searchsorted(np.cumsum(shard["lengths"][small]), wanted))
    groups = [(pack(shard, LONG, np.concatenate((big, small[:extra])), rng), count)]
    if count < PAIRS:
        groups.insert(0, (pack(shard, SHORT, small[extra:], rng), 2 * (PAIRS - count)))
    for i in range(min(len(rows[0]) // k for rows, k in groups)):
        yield [tuple(x[i * k:(i + 1) * k] for x in rows) for rows, k in groups]


def span(text):
    """"0:8" as (0, 8): shards 0 to 7."""
    first, _, last = text.partition(":")
    if not (first.isdigit() and last.isdigit() and int(first) < int(last)):
        raise argparse.ArgumentTypeError(f"{text}: the first shard and the one behind the last, like 0:8")
    return int(first), int(last)


def extra(text):
    """"json=0.1" or "json/composed=0.1" as (what, share)."""
    what, _, share = text.partition("=")
    domain, _, family = what.partition("/")
    if domain not in MIXTURE or (family and not family_of(domain, family)):
        raise argparse.ArgumentTypeError(f"{what} is neither a domain ({', '.join(MIXTURE)}) nor a family of one, like json/composed")
    if not re.fullmatch(r"0?\.\d+", share):
        raise argparse.ArgumentTypeError(f"{text}: a share between 0 and 1, like json=0.1")
    return what, float(share)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--shards", default="0:4", type=span, help="first:last+1")
    parser.add_argument("--tokens", type=int, default=2_000_000, help="per shard")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-modes", action="store_true", help="answers without multi-token modes: the control of grammar_knob.py")
    parser.add_argument("--dev", type=int, default=0, help="also write dev.npz with this many tokens")
    parser.add_argument("--more", metavar="DOMAIN[/FAMILY]=SHARE", action="append", default=[], type=extra,
                        help="take this share of the documents from one domain or one family of it, the others from the mixture; may be given again")
    args = parser.parse_args()
    tok = tokenizer_of(args.tokenizer)
    args.work.mkdir(parents=True, exist_ok=True)
    if sum(share for _, share in args.more) >= 1:
        parser.error("--more: the shares leave nothing to the mixture")
    if args.dev:
        dev = build_shard(tok, args.seed + 1000, 0, args.dev, "dev", not args.no_modes)
        write(args.work / "dev.npz", lambda part: np.savez(part, **dev))
    for number in range(*args.shards):
        shard = build_shard(tok, args.seed, number, args.tokens, modes=not args.no_modes, more=args.more)
        write(args.work / f"shard_{number:03d}.npz", lambda part: np.savez(part, **shard))
        print(f"shard {number}: {len(shard['lengths'])} documents, {len(shard['ids'])} tokens, "
              f"{shard['nll'].sum() / len(shard['ids']):.3f} nats/token", flush=True)

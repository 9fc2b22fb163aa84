"""The target's hidden states over the corpus, block by block: what the heads read. A block is at most a million tokens, 4.6 KB each.

    python -m smollm2.states --target FILE.gguf --corpus smollm2/corpus --work W --block 0

Writes W/states/block_000/ as sample_target.py writes its samples: shard_NNN.npz (ids, flags, lengths), features_NNN.npy (the taps and the
final normalised state of every token, bf16 bits in int16) and best_NNN.npy (the target's likeliest next token). A conversation longer than
a row is cut into pieces; their states are those of the whole. train.py calls this for the block that it needs and removes the others.
"""
import argparse
import json
import shutil
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from runs import digest, write, write_text
from smollm2.corpus import OPENING, Corpus
from smollm2.target import read

TAPS = (1, 14, 26)                   # EAGLE-3's rule for 30 layers: 1, L / 2 - 1, L - 4
ROW, SHARD_TOKENS, PASS_TOKENS = 512, 50_000, 4096


def blocks(corpus, tokens):
    """Conversations of each block, in a fixed shuffle, so that a block has every domain."""
    order = np.random.default_rng(36).permutation(len(corpus))
    number = np.cumsum(corpus.lengths[order]) // tokens
    return [order[number == b] for b in range(int(number[-1]) + 1)]


@torch.no_grad()
def states_of(target, texts, taps):
    """Taps and final states (tokens, (m + 1) * hidden) of whole conversations, bf16 bits, and the likeliest next tokens."""
    tapped, hidden = target.texts(texts, taps=taps)
    best = torch.cat([F.linear(h, target.embedding).argmax(-1) for h in hidden.split(512)])
    return torch.cat((*tapped, hidden), -1).view(torch.int16).cpu().numpy(), best.cpu().numpy().astype(np.uint16)


def make(target, corpus, conversations, folder, row=ROW, taps=TAPS, shard_tokens=SHARD_TOKENS):
    folder.mkdir(parents=True, exist_ok=True)
    groups, at = [[]], 0
    for i in conversations:
        if at + corpus.lengths[i] > shard_tokens and groups[-1]:
            groups.append([])
            at = 0
        groups[-1].append(i)
        at += corpus.lengths[i]
    for number, group in enumerate(groups):
        path = folder / f"best_{number:03d}.npy"                   # the last file of a shard
        if path.exists():
            continue
        features, best, at, started = [], [], 0, time.process_time()
        while at < len(group):
            part, tokens = [], 0
            while at < len(group) and (not part or tokens + corpus.lengths[group[at]] <= PASS_TOKENS):
                part.append(corpus.conversation(group[at]).tolist())
                tokens += len(part[-1])
                at += 1
            f, b = states_of(target, part, taps)
            features.append(f)
            best.append(b)
        ids = np.concatenate([corpus.conversation(i) for i in group]).astype(np.uint16)
        lengths = [min(row, int(n) - start) for n in corpus.lengths[group] for start in range(0, int(n), row)]
        shard = dict(ids=ids, flags=np.concatenate([corpus.flags(i, OPENING) for i in group]), lengths=np.array(lengths, np.int32))
        write(folder / f"shard_{number:03d}.npz", lambda p: np.savez(p, **shard))
        write(folder / f"features_{number:03d}.npy", lambda p: np.save(p, np.concatenate(features)))
        write(path, lambda p: np.save(p, np.concatenate(best)))
        print(f"{folder.name}: shard {number + 1} of {len(groups)}, {len(ids) / (time.process_time() - started):.0f} tokens a second of the processor", flush=True)
    write_text(folder / "meta.json", json.dumps({"taps": list(taps), "row": row}) + "\n")


def ensure(gguf, corpus, work, block, tokens, keep=1, row=ROW, taps=TAPS, device="cpu"):
    """The folder of a block's states; made if it is not whole, and all but `keep` - 1 of the others removed first."""
    parts = blocks(corpus, tokens)
    folder = work / "states" / f"block_{block:03d}"
    meta = {"target_sha256": digest(gguf), "corpus_sha256": corpus.sha256, "tokens": tokens, "taps": list(taps), "row": row}
    stamp = work / "states" / "meta.json"
    if stamp.exists() and json.loads(stamp.read_text()) != meta:
        print(f"{work / 'states'} belongs to another target, corpus or layout: made anew", flush=True)
        shutil.rmtree(work / "states")
    stamp.parent.mkdir(parents=True, exist_ok=True)
    write_text(stamp, json.dumps(meta) + "\n")
    if not (folder / "meta.json").exists():
        others = sorted((p for p in stamp.parent.glob("block_*") if p != folder), key=lambda p: p.stat().st_mtime)
        for old in others[:max(0, len(others) - keep + 1)]:
            shutil.rmtree(old)
        make(read(gguf, device), corpus, parts[block], folder, row, taps)
    return folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True, help="the GGUF")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--block", type=int, default=0)
    parser.add_argument("--block-tokens", type=int, default=1_000_000)
    parser.add_argument("--keep", type=int, default=1, help="blocks on the disk at once")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()
    torch.set_num_threads(1)
    corpus = Corpus(args.corpus)
    count = len(blocks(corpus, args.block_tokens))
    if args.block >= count:
        parser.error(f"--block {args.block}: the corpus has the blocks 0 to {count - 1}")
    print(ensure(args.target, corpus, args.work, args.block, args.block_tokens, args.keep, device=args.device))


if __name__ == "__main__":
    main()

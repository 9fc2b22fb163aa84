"""The n-grams that DART's search weighs: how often a token followed another one or two in the target's own text.

    python ngrams.py --target ../models/target --work ../../build/recipe --least 3 --out ../models/dart/small.trie

The file is laid out like the released ones (fvliang/dart-qwen3-ngram): u64 order, u64 nodes, then for every node i32 token,
u64 parent, i32 count, u64 children and for each of these (i32 token, u64 node), little-endian.  Node 0 is the root, parents
come before their children.  Sequences that were seen fewer than --least times are left out; what remains keeps its count.
"""
import argparse
import json
import struct
from pathlib import Path

import numpy as np

from runs import write
from sample_target import target_hash

ORDER = 3


def sequences(shard, order):
    """Every run of `order` tokens inside a document, one row each."""
    ids, lengths = shard["ids"].astype(np.int64), shard["lengths"]
    document = np.repeat(np.arange(len(lengths)), lengths)
    rows = np.stack([ids[i:len(ids) - order + 1 + i] for i in range(order)], 1)
    return rows[document[:len(rows)] == document[order - 1:]]


def counted(shards, order, vocab, least):
    """Distinct runs of `order` tokens, ascending, and how often each was seen."""
    keys = np.concatenate([sequences(s, order) @ (vocab ** np.arange(order)[::-1]) for s in shards])
    keys, counts = np.unique(keys, return_counts=True)
    keys, counts = keys[counts >= least], counts[counts >= least]
    return np.stack([keys // vocab ** (order - 1 - i) % vocab for i in range(order)], 1), counts


def write_trie(path, shards, vocab, least):
    """Returns the number of nodes.  A run's first tokens were seen at least as often, so parents are never left out."""
    number, levels, total = {(): 0}, [], 0
    for order in range(1, ORDER + 1):
        runs, counts = counted(shards, order, vocab, least)
        for run, count in zip(map(tuple, runs.tolist()), counts.tolist()):
            number[run] = len(number)
            levels.append((run, count))
            total += count if order == 1 else 0
    children = {run: [] for run in number}
    for run, _ in levels:
        children[run[:-1]].append((run[-1], number[run]))
    path.parent.mkdir(parents=True, exist_ok=True)

    def save(part):
        with open(part, "wb") as out:
            out.write(struct.pack("<QQ", ORDER, len(number)))
            for run, count in [((), total), *levels]:
                out.write(struct.pack("<iQiQ", run[-1] if run else 0, number[run[:-1]], count, len(children[run])))
                for token, node in children[run]:
                    out.write(struct.pack("<iQ", token, node))

    write(path, save)
    return len(number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--least", type=int, default=3, help="leave out what was seen fewer times")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    stored = json.loads((args.work / "samples" / "meta.json").read_text())
    if stored["target_sha256"] != target_hash(args.target):
        raise SystemExit(f"{args.work}/samples was captured from another target than {args.target}")
    vocab = json.loads((args.target / "config.json").read_text())["vocab_size"]
    shards = [dict(np.load(p)) for p in sorted((args.work / "samples").glob("shard_*.npz"))]
    nodes = write_trie(args.out, shards, vocab, args.least)
    print(f"{nodes} nodes of {sum(len(s['ids']) for s in shards)} tokens, {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()

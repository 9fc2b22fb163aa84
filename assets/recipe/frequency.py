"""The FR-Spec list: the ids that the target writes most often, for drafters that rank only those.

    python frequency.py --target ../models/target --work ../../build/recipe --size 1024 --out ../models/frequent.json

After "FR-Spec: Accelerating Large-Vocabulary Language Models via Frequency-Ranked Speculative Sampling" (arXiv 2502.14856):
the drafter's output matrix is cut to these rows, verification keeps the full vocabulary, so nothing is lost.  The order is by
frequency (ties: lower id first), end tokens included; the position in the list is the reduced id.
"""
import argparse
import json
from pathlib import Path

from runs import write_text
from sample_target import target_hash
from train_drafter import frequent_ids


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    config = json.loads((args.target / "config.json").read_text())
    generation = json.loads((args.target / "generation_config.json").read_text())
    ends = generation["eos_token_id"]
    paths = sorted((args.work / "samples").glob("shard_*.npz"))
    ids, counts = frequent_ids(paths, args.size, config["vocab_size"], ends)
    real = counts.copy()
    real[ends] = 0
    entry = {"ids": ids.tolist(), "covered": round(float(real[ids].sum() / real.sum()), 5), "tokens": int(real.sum()),
             "target_sha256": target_hash(args.target)}
    write_text(args.out, json.dumps(entry) + "\n")
    print(f"{args.size} of {(real > 0).sum()} ids in use cover {entry['covered']:.2%} of {entry['tokens']} answer tokens (end tokens apart)")


if __name__ == "__main__":
    main()

"""The mean of the weights of several checkpoints of one model that grew from the same weights (Wortsman et al. 2022, "Model soups",
arXiv 2203.05482): two decays of one run, for example. Written as a checkpoint that export.py reads.

    python average.py --out W/mean.pt W/target/final.pt W2/target/final.pt
    python average.py --out W/mean.pt ../models/target ../models/target W/target/final.pt W2/target/final.pt

An exported folder may stand for a checkpoint; what is named twice counts twice. The state is that of the last one, with the states of all under "averaged".
"""
import argparse
from pathlib import Path

import torch

from export import load
from runs import digest, write


def average(checkpoints):
    """Of loaded checkpoints of one shape."""
    first = checkpoints[0]
    for other in checkpoints[1:]:
        if other["config"] != first["config"] or other["model"].keys() != first["model"].keys():
            raise SystemExit("the checkpoints have different shapes: only versions of one model can be averaged")
    weights = {name: torch.stack([c["model"][name].float() for c in checkpoints]).mean(0).to(value.dtype)
               for name, value in first["model"].items()}
    return {"model": weights, "config": first["config"],
            "state": {**checkpoints[-1]["state"], "averaged": [c["state"] for c in checkpoints]}}


def read(path):
    """A checkpoint, or the weights of an exported folder, whose training is told elsewhere."""
    if not path.is_dir():
        return torch.load(path, map_location="cpu")
    model = load(path)
    return {"model": model.state_dict(), "config": model.config.to_dict(),
            "state": {"step": 0, "tokens": 0, "seconds": 0.0, "exported": digest(path / "model.safetensors")}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    mean = average([read(path) for path in args.checkpoints])
    write(args.out, lambda part: torch.save(mean, part))
    print("wrote", args.out, "from", len(args.checkpoints))


if __name__ == "__main__":
    main()

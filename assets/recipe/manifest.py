"""Write models/MANIFEST.json: how each model was made, its measured quality, and the sha256 of every file.

    python manifest.py --models ../models --work ../../build/recipe --machine "2-core Xeon, no GPU"
"""
import argparse
import datetime
import hashlib
import json
from pathlib import Path

import torch

from model import Config


def digest(path):
    return {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def curve_points(path, n=40):
    """A thinned training curve: [step, tokens, answer loss]."""
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [[r["step"], r["tokens"], r["answer_loss"]] for r in rows[:: max(1, len(rows) // n)]]


def describe(folder, checkpoint, curve, seed, extra):
    saved = torch.load(checkpoint, map_location="cpu")
    state, c = saved["state"], Config.load(folder / "config.json")
    entry = {
        "architecture": f"Qwen3, {c.num_hidden_layers} layers, width {c.hidden_size}, {c.num_attention_heads} heads, "
                        f"{c.num_key_value_heads} key/value head, head_dim {c.head_dim}, ff {c.intermediate_size}, tied embeddings",
        "parameters": sum(v.numel() for v in saved["model"].values()), "weights": "bfloat16", "seed": seed,
        "steps": state["step"], "tokens": state["tokens"], "minutes": round(state["seconds"] / 60, 1),
        "optimiser": "Muon 0.02 (hidden matrices), AdamW 3e-3 (embedding), 1e-3 (norms); warm-up 60 steps, linear decay over the last quarter",
        "curve step/tokens/answer loss": curve_points(curve), **extra,
        "files": {p.name: digest(p) for p in sorted(folder.iterdir()) if p.is_file()},
    }
    return entry


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--machine", required=True)
    parser.add_argument("--target-checkpoint", default="target/final.pt")
    parser.add_argument("--small-checkpoint", default="small/distilled.pt")
    args = parser.parse_args()
    manifest = {
        "schema": "speclens-manifest/1", "bundle": "S", "made_by": "assets/recipe", "machine": args.machine, "date": datetime.date.today().isoformat(), "corpus_seed": 1,
        "tokenizer": "byte-level BPE, 4096 ids, trained on the generated corpus, frozen",
    }
    for name, checkpoint, seed in (("target", args.target_checkpoint, 1), ("small", args.small_checkpoint, 2)):
        quality = args.models / f"{name}_eval.json"
        saved = torch.load(args.work / checkpoint, map_location="cpu")["state"]
        extra = {"distillation steps": saved["distill_steps"]} if "distill_steps" in saved else {}
        if quality.exists():
            extra["quality"] = json.loads(quality.read_text())
        manifest[name] = describe(args.models / name, args.work / checkpoint, args.work / name / "curve.jsonl", seed, extra)
    (args.models / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()

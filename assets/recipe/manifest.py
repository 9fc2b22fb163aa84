"""Write models/MANIFEST.json: how each model was made, its measured quality, and the sha256 of every file.

    python manifest.py --models ../models --work ../../build/recipe --machine "2-core Xeon, no GPU" [--bundle M]

The models are read from MODELS/target and MODELS/small; their checkpoints and curves from WORK/target and WORK/small, of bundle M
from WORK/target-m and WORK/small-m.  An entry whose checkpoint is not in the work folder stays as it was.
"""
import argparse
import datetime
import json
from pathlib import Path

import torch

from model import Config
from runs import FACTS, digest, write_text


def listed(path):
    return {"bytes": path.stat().st_size, "sha256": digest(path)}


def curve_points(path, n=40):
    """A thinned training curve: [step, tokens, answer loss]."""
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [[r["step"], r["tokens"], r["answer_loss"]] for r in rows[:: max(1, len(rows) // n)]]


def curve_of(checkpoint, run):
    """The curve beside a checkpoint, or of the run of that name when the checkpoint is a mean."""
    beside = checkpoint.parent / "curve.jsonl"
    return beside if beside.exists() else checkpoint.parent / run / "curve.jsonl"


def peak_rate(path):
    """Factor of the learning rates that the run reached (train.py --rate)."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return max((r.get("rate", 1.0) for r in rows), default=1.0)


def describe(folder, checkpoint, curve, seed, extra):
    saved = torch.load(checkpoint, map_location="cpu")
    seed = saved.get("args", {}).get("seed", seed)
    state, c = saved["state"], Config.load(folder / "config.json")
    before = extra.pop("began from", None) or state.get("before")      # the run whose weights this one began from
    means = [{"exported": s["exported"]} if "exported" in s else
             {"steps": s["step"], "tokens": s["tokens"], "minutes": round(s["seconds"] / 60, 1), "after": s.get("before", {})}
             for s in state.get("averaged", [])]
    rate = peak_rate(curve)
    entry = {
        "architecture": f"Qwen3, {c.num_hidden_layers} layers, width {c.hidden_size}, {c.num_attention_heads} heads, "
                        f"{c.num_key_value_heads} key/value head{'s' * (c.num_key_value_heads > 1)}, head_dim {c.head_dim}, ff {c.intermediate_size}, tied embeddings",
        "parameters": sum(v.numel() for v in saved["model"].values()), "weights": "bfloat16", "seed": seed,
        "steps": state["step"], "tokens": state["tokens"], **({"began from": before} if before else {}),
        **({"mean of the weights of": means} if means else {}), "minutes": round(state["seconds"] / 60, 1),
        "optimiser": f"Muon {0.02 * rate:g} (hidden matrices), AdamW {3e-3 * rate:g} (embedding), {1e-3 * rate:g} (norms); "
                     "warm-up 60 steps, linear decay over the last quarter",
        "curve step/tokens/answer loss": curve_points(curve), **extra,
        "files": {p.name: listed(p) for p in sorted(folder.iterdir()) if p.is_file()},
    }
    return entry


DRAFTERS = ("eagle3", "dart", "dflash", "dflash2", "domino", "dspark", "medusa", "mtp")


def began_from(folder, before):
    """The run whose head this one went on from (--init), by the entry that it had; `before`: the entry of the manifest so far."""
    if before.get("files", {}).get("model.safetensors") == listed(folder / "model.safetensors"):
        return before.get("began from")                # the same head, described again
    return {k: before[k] for k in ("steps", "positions", "minutes", "began from") if k in before} or None


def describe_drafter(folder, work, before):
    """How a trained head was made; None when its checkpoint is not in the work folder (the old entry is kept)."""
    checkpoint = work / folder.name / "latest.pt"
    if not checkpoint.exists():
        return None
    saved = torch.load(checkpoint, map_location="cpu", weights_only=False)
    state, arguments = saved["state"], dict(saved["args"])
    rows = [json.loads(line) for line in (work / folder.name / "curve.jsonl").read_text().splitlines()]
    earlier = began_from(folder, before) if arguments.get("init") else None
    kept = ("step", "positions", "loss", "final_loss", "base_loss", "accept_len", "base_accept_len", "accuracy", "accuracy_0")
    return {
        "method": arguments["method"], "parameters": sum(v.numel() for k, v in saved["drafter"].items() if k not in ("d2t", "t2d")),
        "weights": "bfloat16", "seed": arguments.get("seed"), "steps": state["step"], "positions": state["positions"],
        **({"began from": earlier} if earlier else {}),
        "minutes": round(state["seconds"] / 60, 1), "epoch_tokens": state["epoch_tokens"],
        "arguments": {k: Path(v).name if k == "init" else v for k, v in arguments.items()
                      if k not in {"target", "work", "threads", "device", "name", *FACTS} and v not in (None, False)},
        "curve": [{k: row[k] for k in kept if k in row} for row in rows[:: max(1, len(rows) // 30)]],
        "files": {p.name: listed(p) for p in sorted(folder.iterdir()) if p.is_file()},
    }


MEANING = {
    "G1": "greedy text with every drafter equals plain greedy text",
    "G2": "Domino against its own base logits and against DFlash, 15 drafts, code, math and chat",
    "G3": "how acceptance falls with the position in chat: DFlash, Domino, EAGLE-3",
    "G4": "EAGLE-3 against DFlash at 7 drafts; Medusa, small model, EAGLE-3 at 4",
    "G5": "JSON above facts, code and math, those above chat",
    "G7": "cases where a position alone says the impossible and the corrected logits are right",
}


def gates(path):
    """The judged gates as a flat list, with what was measured in one line."""
    if not path.exists():
        return []
    data, flat = json.loads(path.read_text()), []
    for group, found in data.get("gates", {}).items():
        found = {group: found} if group == "G7" else found
        for name, gate in found.items():
            if gate.get("pass") is None and not gate.get("missing"):
                continue
            measured = {k: v for k, v in gate.items() if k not in ("pass", "missing")}
            flat.append({"name": name if group == "G7" else f"{name} {group}", "pass": gate.get("pass"), "what": MEANING[name],
                         "missing": gate.get("missing", []), "measured": measured})
    return flat


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--machine", required=True)
    parser.add_argument("--bundle", default="S", choices=["S", "M"])
    parser.add_argument("--target-checkpoint", help="target/final.pt of bundle S, target-m/final.pt of M")
    parser.add_argument("--target-seed", type=int, default=1, help="where the checkpoint does not know it: a mean of several")
    parser.add_argument("--went-on", nargs="+", choices=["target", "small"], default=[], help="what began with --init from the one that the manifest describes so far")
    parser.add_argument("--small-checkpoint", help="small/distilled.pt of bundle S, small-m/distilled.pt of M")
    args = parser.parse_args()
    suffix = "-m" if args.bundle == "M" else ""
    target_checkpoint = args.target_checkpoint or f"target{suffix}/final.pt"
    small_checkpoint = args.small_checkpoint or f"small{suffix}/distilled.pt"
    manifest = {
        "schema": "speclens-manifest/1", "bundle": args.bundle, "made_by": "assets/recipe", "machine": args.machine, "date": datetime.date.today().isoformat(), "corpus_seed": 1,
        "tokenizer": "byte-level BPE, 4096 ids, trained on the generated corpus, frozen",
    }
    before_all = args.models / "MANIFEST.json"
    kept = json.loads(before_all.read_text()) if before_all.exists() else {}
    for name, checkpoint, seed in (("target", target_checkpoint, args.target_seed), ("small", small_checkpoint, 2)):
        if not (args.work / checkpoint).exists():          # made on another day: its entry stays as it was
            if name in kept:
                manifest[name] = kept[name]
            elif name == "target":
                raise SystemExit(f"{args.work / checkpoint} is missing: how the target was made is not known")
            continue
        quality = args.models / f"{name}_eval.json"
        saved = torch.load(args.work / checkpoint, map_location="cpu")["state"]
        extra = {"distillation steps": saved["distill_steps"]} if "distill_steps" in saved else {}
        if quality.exists():
            extra["quality"] = json.loads(quality.read_text())
        elif "quality" in kept.get(name, {}):
            extra["quality"] = kept[name]["quality"]
        if name in args.went_on:
            extra["began from"] = {k: kept[name][k] for k in ("steps", "tokens", "minutes", "distillation steps", "mean of the weights of", "began from")
                                   if k in kept[name]}
        manifest[name] = describe(args.models / name, args.work / checkpoint, curve_of(args.work / checkpoint, name + suffix), seed, extra)
    for name in DRAFTERS:
        if (args.models / name / "model.safetensors").exists():
            entry = describe_drafter(args.models / name, args.work, kept.get(name, {})) or kept.get(name)
            if entry is None:
                raise SystemExit(f"{args.work / name / 'latest.pt'} is missing: how {args.models / name} was made is not known")
            manifest[name] = entry
    manifest["gates"] = gates(args.models / "drafter_gates.json")
    write_text(args.models / "MANIFEST.json", json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Ablations: short runs that differ in one thing, on the cached states; their curves and tokens per round in one JSON.

    python ablations.py --target ../models/target --work ../../build/recipe --out ../models/ablations.json [--only domino] [--steps 740]

740 steps are about 3 M positions.  Runs are separate processes, one after the other; a run that finished is not repeated,
one that was stopped resumes, so the command can be given again at any time.  Folders are named after all that a run depends on
(target and text by a hash), evaluations after their prompts, so that other settings never find old results.

The study "block" changes two things: blocks of 8 are trained with weights that fall faster (--decay 4)
than those of 16 (7).  The study "weights" has the second alone (g4).
"""
import argparse
import datetime
import hashlib
import json
import subprocess
import sys
from pathlib import Path

from runs import digest, write_text

# study -> arm -> (method, arguments, drafts per round to serve)
STUDIES = {
    "domino": {
        "self_generated": ("domino", ["--self-generated", "--base-rho", "0"], [15]),
        "teacher_forcing": ("domino", ["--base-rho", "0"], [15]),
        "curriculum": ("domino", ["--base-rho", "1"], [15]),
        "half_curriculum": ("domino", ["--base-rho", "0.5"], [15]),
    },
    "conditioning": {
        "none": ("dflash", ["--conditioning", "none"], [15]),
        "embeddings": ("dflash", ["--conditioning", "embeddings"], [15]),
        "one_tap": ("dflash", ["--taps", "5"], [15]),
        "three_taps": ("dflash", [], [15]),
    },
    "block": {"trained_16": ("dflash", [], [15, 7]), "trained_8": ("dflash", ["--block", "8", "--decay", "4"], [15, 7])},
    "test_steps": {f"steps_{n}": ("eagle3", ["--test-steps", str(n)], [7]) for n in (1, 3, 5, 7)},
    "weights": {"equal": ("dflash", ["--decay", "0"], [15]), "g4": ("dflash", ["--decay", "4"], [15]), "g7": ("dflash", [], [15]),
                "dpace": ("dflash", ["--dpace"], [15])},
}
SEEDS = {"domino": (11, 12)}                                       # two seeds where the arms are close


def tell(results, study, machine):
    """Notes where and when a study was run, for the app."""
    results.setdefault("about", {})[study] = {"machine": machine, "date": datetime.date.today().isoformat()}


def execute(script, *arguments):
    command = [sys.executable, script, *map(str, arguments)]
    print("$", " ".join(command[1:]), flush=True)
    subprocess.run(command, check=True)


def short(*values):
    """A few characters that stand for files and settings in the name of a folder."""
    told = "\n".join(digest(v) if isinstance(v, Path) else str(v) for v in values)
    return hashlib.sha256(told.encode()).hexdigest()[:8]


def trained(folder):
    """How many steps the run in `folder` has behind it, by its checkpoint."""
    import torch
    return torch.load(folder / "latest.pt", map_location="cpu")["state"]["step"]


def record(folder, method, arguments, seed, steps, evaluations):
    """A run that was trained in `folder`, as the app reads it; `evaluations`: {how it was served: file of evaluate_drafter.py}.
    `per_prompt` has the tokens and rounds of every prompt: two runs on the same prompts can be compared in pairs."""
    curve = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    served = {how: [{key: run[key] for key in ("temperature", "all", "per_prompt") if key in run} for run in json.loads(path.read_text())["runs"]]
              for how, path in evaluations.items()}
    return {"method": method, "arguments": arguments, "seed": seed, "steps": steps, "served": served,
            "curve": [{k: v for k, v in row.items() if k not in ("norm", "per_cpu_second")} for row in curve[:: max(1, len(curve) // 40)]]}


def arm(args, method, extra, serve, seed):
    """The folder is named after the arguments: arms of two studies that are the same run are trained once."""
    text = [args.work / "samples" / "meta.json", *sorted((args.work / "samples").glob("shard_*.npz"))]
    label = "_".join(["ablation", method, *(e.strip("-") for e in extra), f"seed{seed}", f"steps{args.steps}",
                      short(args.target / "model.safetensors", *text)])
    folder = args.work / label
    if not (folder / "export" / "model.safetensors").exists():
        execute("train_drafter.py", "--method", method, "--name", label, "--target", args.target, "--work", args.work,
                "--steps", args.steps, "--seed", seed, "--device", args.device, *extra)
    evaluations = {}
    for drafts in serve:
        for base in (False, True) if method == "domino" else (False,):
            path = folder / f"eval_{drafts}{'_base' if base else ''}_{short(args.prompts, args.size)}.json"
            if not path.exists():
                execute("evaluate_drafter.py", "--target", args.target, "--drafter", folder / "export", "--prompts", args.prompts,
                        "--drafts", drafts, "--size", args.size, "--json", path, *(["--base-only"] if base else []))
            evaluations[f"drafts {drafts}{', base logits only' if base else ''}"] = path
    return record(folder, method, extra, seed, trained(folder), evaluations)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--prompts", type=Path, default=Path("../prompts/heldout.jsonl"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=list(STUDIES), choices=list(STUDIES))
    parser.add_argument("--steps", type=int, default=740)
    parser.add_argument("--seeds", type=int, nargs="*", help="instead of the study's own: two for domino, one elsewhere")
    parser.add_argument("--size", type=int, default=10, help="prompts per domain")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--machine", help="where it ran, for the app: 'two cores of a Xeon'")
    args = parser.parse_args()
    results = json.loads(args.out.read_text()) if args.out.exists() else {}
    for study in args.only:
        rows = results[study] = {}
        if args.machine:
            tell(results, study, args.machine)
        for name, (method, extra, serve) in STUDIES[study].items():
            rows[name] = [arm(args, method, extra, serve, seed) for seed in args.seeds or SEEDS.get(study, (11,))]
            write_text(args.out, json.dumps(results) + "\n")


if __name__ == "__main__":
    main()

"""Ablations on the real model: short runs that differ in one thing, and the tokens per round of what they made, in one JSON that the app shows.

    python -m smollm2.ablations --target G --corpus smollm2/corpus --work W --speclens ../../build/speclens --out ../models/smollm2/ablations.json --init W/dense2/export

122 steps are half a million positions. Runs come one after the other; one that finished is not repeated, one that was stopped goes on, so the command
can be given again at any time. Every arm is served by `speclens compare` on held-out prompts at T = 0. A study that is not whole is not written.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from ablations import record, tell, trained
from runs import write_text

from .report import interval

# study -> arm -> (method, arguments); `domino` begins with the backbone that --init names
STUDIES = {
    "test_steps": {f"steps_{n}": ("eagle3", ["--test-steps", str(n), "--muon", "0.02"]) for n in (1, 3)},
    "domino": {
        "self_generated": ("domino", ["--self-generated", "--base-rho", "0", "--no-shift-label", "--muon", "0.01"]),
        "teacher_forcing": ("domino", ["--base-rho", "0", "--no-shift-label", "--muon", "0.01"]),
        "curriculum": ("domino", ["--base-rho", "1", "--no-shift-label", "--muon", "0.01"]),
    },
}
DRAFTS = 4


def served(comparison, drafter, rng):
    """What `speclens compare --json` says of a drafter, as the recipe's own evaluation writes it."""
    samples = [s for s in comparison["per_prompt"] if s["drafter"] == drafter]
    row = next(r for r in comparison["rows"] if r["drafter"] == drafter and r["domain"] == "all")
    if comparison["temperature"] == 0 and row["same_text"] is not True:
        raise SystemExit(f"{drafter}: its greedy text is not plain decoding's")
    domains = {}
    for s in samples:
        domains.setdefault(s["domain"], []).append([s["tokens"], s["rounds"]])
    tokens = [round(float(x), 4) for x in interval([s["tokens"] for s in samples], [s["rounds"] for s in samples], rng)]
    places = [[round(share, 4)] if count else None for share, count in zip(row["conditional_by_position"], row["judged_at"])]
    everything = {"prompts": len(samples), "rounds": sum(s["rounds"] for s in samples), "tokens_per_round": tokens, "conditional": places}
    return {"runs": [{"temperature": comparison["temperature"], "all": everything, "per_prompt": domains}]}


def arm(args, study, name, seed):
    method, extra = STUDIES[study][name]
    folder = args.work / f"ablation_{study}_{name}_{seed}_{args.steps}"
    if not (folder / "export" / "model.safetensors").exists():
        begin = ["--init", str(args.init)] if study == "domino" else []
        subprocess.run([sys.executable, "-m", "smollm2.train", "--name", folder.name, "--method", method, "--target", str(args.target), "--corpus", str(args.corpus),
                        "--work", str(args.work), "--block-tokens", str(args.block_tokens), "--passes", str(args.passes), "--keep-blocks", "3", "--steps", str(args.steps), "--seed", str(seed), *begin, *extra], check=True)
    evaluations = {}
    for base in (False, True) if method == "domino" else (False,):
        path = folder / f"served{'_base' if base else ''}_{args.prompts.stem}.json"
        if not path.exists():
            compared = folder / "compare.json"
            subprocess.run([str(args.speclens), "compare", "--model", str(args.model), "--drafters", f"{method}={folder / 'export'}", "--k", str(DRAFTS), "--temp", "0",
                            "--max-tokens", "32", "--repeats", "1", "--threads", "1", "--prompts", str(args.prompts), "--json", str(compared),
                            *(["--no-correction"] if base else [])], check=True, stdout=subprocess.DEVNULL)
            write_text(path, json.dumps(served(json.loads(compared.read_text()), method, np.random.default_rng(36))))
        evaluations[f"drafts {DRAFTS}{', base logits only' if base else ''}"] = path
    return record(folder, method, extra, seed, trained(folder), evaluations)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--init", type=Path, required=True, help="DFlash's backbone that Domino's arms begin with")
    parser.add_argument("--speclens", type=Path, required=True)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--prompts", type=Path, default=Path("../prompts/smollm2.jsonl"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=list(STUDIES), choices=list(STUDIES))
    parser.add_argument("--steps", type=int, default=122)
    parser.add_argument("--block-tokens", type=int, default=1_000_000, help="states are computed in blocks of so many tokens")
    parser.add_argument("--passes", type=int, default=1, help="over a block before the next one")
    parser.add_argument("--seeds", type=int, nargs="*", default=[11, 12])
    parser.add_argument("--machine", default="", help="where it ran, for the app: 'one core of a 2-core AMD EPYC'")
    args = parser.parse_args()
    results = json.loads(args.out.read_text()) if args.out.exists() else {}
    for study in args.only:
        rows = {name: [] for name in STUDIES[study]}
        for seed in args.seeds:                         # a stop leaves whole seeds
            for name in rows:
                rows[name].append(arm(args, study, name, seed))
            results[study] = rows
            tell(results, study, args.machine)
            results["about"][study]["target"] = "SmolLM2-135M-Instruct"
            write_text(args.out, json.dumps(results) + "\n")


if __name__ == "__main__":
    main()

"""The grammar knob: does Domino's head gain anything where the text has no multi-token modes?

    python grammar_knob.py --tokenizer ../models/target --work ../../build/recipe --out ../models/ablations.json

Two small targets are trained alike, one on the corpus as it is, one on answers without multi-token modes (corpus/grammar.py,
modes=False; prompts do not change). Each is sampled, and a DFlash and a Domino head are trained on its text with the same
settings. Written, as the study "modes" beside those of ablations.py: tokens per round of DFlash, of Domino, and of Domino
without its head, on the same held-out prompts.
Stages are separate processes; what is finished is not repeated, and folders are named after their settings, so that others
never find old results.
"""
import argparse
import json
from pathlib import Path

from ablations import execute, record, short, tell, trained
from runs import write_text

TAPS = (0, 1, 2)          # every layer of the small preset
SEED = 5


def target(args, work, modes):
    """The folder of a trained target."""
    export = work / "target"
    if not (export / "model.safetensors").exists():
        execute("data.py", "--tokenizer", args.tokenizer, "--work", work, "--shards", "0:2", "--tokens", args.shard_tokens,
                *([] if modes else ["--no-modes"]))
        execute("train.py", "--preset", "small", "--work", work, "--steps", args.target_steps, "--device", args.device, "--no-compile")
        execute("export.py", "--checkpoint", work / "small" / "final.pt", "--tokenizer", args.tokenizer, "--out", export)
    execute("sample_target.py", "--target", export, "--work", work, "--tokens", args.sample_tokens,      # goes on where it was stopped
            "--shard-tokens", max(1, args.sample_tokens // 2), "--taps", *TAPS, "--device", args.device)
    return export


def folder_of(args, name):
    """The work folder of one arm: all that its target and its text depend on is in the name."""
    made = (args.shard_tokens, args.target_steps, args.sample_tokens)
    return args.work / "_".join(["grammar", name, *map(str, made), short(args.tokenizer / "tokenizer.json")])


def served(args, folder, export, base=False):
    """The file of the evaluation."""
    path = folder / f"eval{'_base' if base else ''}_{short(args.prompts, args.size)}.json"
    if not path.exists():
        execute("evaluate_drafter.py", "--target", export, "--drafter", folder / "export", "--prompts", args.prompts, "--size", args.size,
                "--drafts", 15, "--json", path, *(["--base-only"] if base else []))
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--prompts", type=Path, default=Path("../prompts/heldout.jsonl"))
    parser.add_argument("--shard-tokens", type=int, default=1_500_000)
    parser.add_argument("--target-steps", type=int, default=1500)
    parser.add_argument("--sample-tokens", type=int, default=1_000_000)
    parser.add_argument("--steps", type=int, default=2000, help="of each head")
    parser.add_argument("--size", type=int, default=10, help="prompts per domain")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--machine", help="where it ran, for the app: 'two cores of a Xeon'")
    args = parser.parse_args()
    results = json.loads(args.out.read_text()) if args.out.exists() else {}
    rows = results["modes"] = {}
    if args.machine:
        tell(results, "modes", args.machine)
    for name, modes in (("modes", True), ("no_modes", False)):
        work = folder_of(args, name)
        export = target(args, work, modes)
        for method in ("dflash", "domino"):
            folder = work / f"{method}_steps{args.steps}_seed{SEED}"
            if not (folder / "export" / "model.safetensors").exists():
                execute("train_drafter.py", "--method", method, "--name", folder.name, "--target", export, "--work", work, "--taps", *TAPS, "--steps", args.steps,
                        "--seed", SEED, "--muon", "0.02", "--device", args.device)
            evaluations = {"drafts 15": served(args, folder, export)}
            if method == "domino":
                evaluations["drafts 15, base logits only"] = served(args, folder, export, base=True)
            rows[f"{name}_{method}"] = [record(folder, method, [] if modes else ["--no-modes"], SEED, trained(folder), evaluations)]
        write_text(args.out, json.dumps(results) + "\n")


if __name__ == "__main__":
    main()

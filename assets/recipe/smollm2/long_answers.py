"""Acceptance along a long answer: tokens a round by how far the text has come, with and without a window on what the head sees of it.

    python -m smollm2.long_answers --speclens ../../build/speclens --drafter dflash --windows 0 512 128 --tokens 3000 --seeds 3 --json long.json

Runs `speclens run --model smollm2` on requests for long texts (T = .7), reads the traces, and prints a line for every stretch of the text. A window
of 0 is none. --head DIR runs that head instead of the shipped one.
"""
import argparse
import json
import subprocess
import tempfile
from datetime import date
from pathlib import Path

PROMPTS = (
    "Write a long story about a girl who repairs an old lighthouse, in at least eight parts.",
    "Write a detailed guide on how to plant a vegetable garden, with many sections.",
    "Write an essay of 2000 words about the history of writing.",
)
STRETCH = 256


def rounds_of(trace):
    """(tokens of the text before the round, tokens that it brought, drafting ms, ms of the pass) of every round but the first."""
    prompt, draft, verify = 0, 0.0, 0.0
    with open(trace) as file:
        for line in file:
            event = json.loads(line)
            if event["kind"] == "prefill":
                prompt = event["tokens"]
            elif event["kind"] == "draft":
                draft += event.get("ms") or 0
            elif event["kind"] == "verify":
                verify += event.get("ms") or 0
            elif event["kind"] == "commit":
                if event["cycle"] > 0:
                    yield event["kv_before"] - prompt, len(event["tokens"]), draft, verify
                draft = verify = 0.0


def run(args, prompt, seed, window):
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "run.jsonl"
        head = args.drafter + (f"={args.head}" if args.head else "")
        command = [str(args.speclens), "run", "--model", "smollm2", "--drafter", head, "--k", str(args.k), "--chat", "--prompt", prompt, "--temp", str(args.temperature),
                   "--seed", str(seed), "--max-tokens", str(args.tokens), "--trace-top", "0", "--json", str(trace)]
        if window:
            command += ["--context-last", str(window)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return list(rounds_of(trace))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--speclens", type=Path, required=True)
    parser.add_argument("--drafter", default="dflash")
    parser.add_argument("--head", type=Path)
    parser.add_argument("--windows", type=int, nargs="+", default=[0, 512, 128])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=3000)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--machine", default="", help="words for the picture: \"2-core AMD EPYC\"")
    parser.add_argument("--json", type=Path, help="../models/smollm2/long_answers.json is what the scene DFlash shows")
    args = parser.parse_args()
    found = []
    for window in args.windows:
        stretches = {}
        for prompt in PROMPTS:
            for seed in range(args.seeds):
                for at, tokens, draft, verify in run(args, prompt, seed + 2, window):
                    one = stretches.setdefault(at // STRETCH, [0, 0, 0.0, 0.0])
                    for i, value in enumerate((1, tokens, draft, verify)):
                        one[i] += value
        for number in sorted(stretches):
            rounds, tokens, draft, verify = stretches[number]
            found.append({"window": window, "from": number * STRETCH, "to": (number + 1) * STRETCH, "rounds": rounds, "tokens_per_round": round(tokens / rounds, 3),
                          "draft_ms": round(draft / rounds, 2), "verify_ms": round(verify / rounds, 2)})
            print(json.dumps(found[-1]), flush=True)
    if args.json:
        about = {"drafter": args.drafter, "target": "SmolLM2-135M-Instruct", "k": args.k, "temperature": args.temperature, "seeds": args.seeds,
                 "machine": args.machine, "date": date.today().isoformat(), "prompts": PROMPTS}
        lines = ",\n  ".join(json.dumps(one) for one in found)
        args.json.write_text(json.dumps(about, indent=1)[:-2] + ',\n "stretches": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()

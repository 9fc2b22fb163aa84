"""Acceptance along a long answer: tokens a round by how far the text has come, with and without a window on what the head sees of it.

    python -m smollm2.long_answers --speclens ../../build/speclens --drafter dflash --windows 0 128 --tokens 3072 --seeds 2 --weights "second weights" --json long.json

Runs `speclens run --model smollm2` on requests for long texts (T = .7), reads the traces, and prints a line for every stretch of the text, with the middle 90 %
of a bootstrap over answers. A window of 0 is none. --head DIR runs that head instead of the shipped one. --rounds FILE keeps the rounds of every answer,
one a line, and an answer that is there already is not written again.
"""
import argparse
import json
import random
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


def kept_answers(file):
    """{(window, prompt, seed): rounds} of the answers that --rounds has already."""
    if not file or not file.exists():
        return {}
    with open(file) as lines:
        return {(one["window"], one["prompt"], one["seed"]): one["rounds"] for one in map(json.loads, lines)}


def interval(answers):
    """The middle 90 % of tokens a round when as many answers are drawn again; `answers`: (rounds, tokens) of each in a stretch."""
    dice, found = random.Random(7), []
    for _ in range(2000):
        drawn = [dice.choice(answers) for _ in answers]
        found.append(sum(tokens for _, tokens in drawn) / sum(rounds for rounds, _ in drawn))
    found.sort()
    return found[len(found) // 20], found[-1 - len(found) // 20]


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
    parser.add_argument("--weights", default="", help="which weights of the head these are, in words")
    parser.add_argument("--rounds", type=Path)
    parser.add_argument("--json", type=Path, help="../models/smollm2/long_answers.json is what the scene DFlash shows")
    args = parser.parse_args()
    kept, found = kept_answers(args.rounds), []
    for seed in range(2, 2 + args.seeds):  # all else of a seed first: whoever ends early has all windows
        for number, prompt in enumerate(PROMPTS):
            for window in args.windows:
                if (window, number, seed) in kept:
                    continue
                kept[window, number, seed] = run(args, prompt, seed, window)
                if args.rounds:
                    with open(args.rounds, "a") as file:
                        file.write(json.dumps({"window": window, "prompt": number, "seed": seed, "rounds": kept[window, number, seed]}) + "\n")
    for window in args.windows:
        stretches = {}  # of each, (rounds, tokens, draft ms, verify ms) of every answer that has some there
        for (of, prompt, seed), rounds in sorted(kept.items()):
            if of != window:
                continue
            for at, tokens, draft, verify in rounds:
                one = stretches.setdefault(at // STRETCH, {}).setdefault((prompt, seed), [0, 0, 0.0, 0.0])
                for i, value in enumerate((1, tokens, draft, verify)):
                    one[i] += value
        for number in sorted(stretches):
            answers = list(stretches[number].values())
            rounds, tokens, draft, verify = (sum(one[i] for one in answers) for i in range(4))
            if len(answers) < 3:  # no interval of one or two
                continue
            low, high = interval([(one[0], one[1]) for one in answers])
            found.append({"window": window, "from": number * STRETCH, "to": (number + 1) * STRETCH, "answers": len(answers), "rounds": rounds,
                          "tokens_per_round": round(tokens / rounds, 3), "low": round(low, 3), "high": round(high, 3),
                          "draft_ms": round(draft / rounds, 2), "verify_ms": round(verify / rounds, 2)})
            print(json.dumps(found[-1]), flush=True)
    if args.json:
        about = {"drafter": args.drafter, "weights": args.weights, "target": "SmolLM2-135M-Instruct", "k": args.k, "temperature": args.temperature, "seeds": args.seeds,
                 "machine": args.machine, "date": date.today().isoformat(), "prompts": PROMPTS}
        lines = ",\n  ".join(json.dumps(one) for one in found)
        args.json.write_text(json.dumps(about, indent=1)[:-2] + ',\n "stretches": [\n  ' + lines + "\n ]\n}\n")


if __name__ == "__main__":
    main()

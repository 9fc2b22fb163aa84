"""Speculative decoding of the held-out prompts with one drafter: tokens per round and acceptance by position.

    python evaluate_drafter.py --target ../models/target --drafter ../../build/recipe/domino/export \
        --prompts ../prompts/heldout.jsonl --drafts 15 --json domino.json

Chains only.  T = 0: drafts are argmax, accepted while they equal the target's argmax.  T > 0: drafts are drawn from the
drafter's distribution q (block drafters: each position alone), accepted with probability min(1, p/q), and the first rejected one
is replaced by a sample of (p - q)+ (the token rule; Leviathan et al. 2023, algorithm 1).  With --likeliest drafts are
argmax at every temperature, as the released programs of EAGLE-3 and DFlash and those of SpecForge and SGLang for Domino
make them: q is all on that token, which so is accepted with its own probability p.  `tokens_per_round` counts the
accepted drafts and the target's own token; text is cut after the first end token and at the limit, and what is cut is not
counted.  `conditional[k]` is the share of rounds whose draft k + 1 was accepted among those that judged it, that is, whose
first k drafts were accepted.  Intervals: bootstrap over prompts, 95 %.
"""
import argparse
import datetime
import json
import platform
import time
from pathlib import Path

import numpy as np
import torch

from data import tokenizer_of
from drafters import Domino, load_drafter, method_of
from drafters.common import Sequence
from eval import chat
from export import load
from runs import digest, write_text


class Distribution:
    """How a token is drawn from a row of logits, and the distribution it was drawn from."""

    def __init__(self, temperature, generator, allowed=None):
        self.temperature, self.generator = temperature, generator
        self.allowed = allowed                                     # a mask over the vocabulary (FR-Spec), or None

    def probabilities(self, logits):
        return torch.softmax(logits.double() / self.temperature, -1)

    def draw(self, logits):
        if self.allowed is not None and len(logits) == len(self.allowed):
            logits = logits.masked_fill(~self.allowed, -torch.inf)
        if self.temperature == 0:
            return int(logits.argmax()), None
        q = self.probabilities(logits)
        return int(torch.multinomial(q, 1, generator=self.generator)), q


def verify(drafts, distributions, rows, distribution):
    """rows: the target's logits after the anchor and after every draft; distributions: what the drafts were drawn from, None for argmax.
    Returns (accepted, next token)."""
    for i, token in enumerate(drafts):
        if distribution.temperature == 0:
            best = int(rows[i].argmax())
            if token != best:
                return i, best
            continue
        p, q = distribution.probabilities(rows[i]), distributions[i]
        if q is None:
            q = torch.zeros_like(p)
            q[token] = 1
        if float(torch.rand((), generator=distribution.generator)) * float(q[token]) >= float(p[token]):
            rest = (p - q).clamp(min=0)
            return i, int(torch.multinomial(rest if rest.sum() > 1e-12 else p, 1, generator=distribution.generator))
    return len(drafts), distribution.draw(rows[len(drafts)])[0]


def plain(sequence, prompt, stops, limit, distribution):
    """Ordinary decoding, one token per pass."""
    sequence.crop(0)
    out, row = [], sequence.run(prompt).logits[-1]
    while True:
        out.append(distribution.draw(row)[0])
        if out[-1] in stops or len(out) == limit:
            return out
        row = sequence.run(out[-1:]).logits[-1]


def speculate(target, sequence, drafter, prompt, stops, limit, k, distribution, draft_distribution=None):
    """New tokens, and per round (drafts judged, drafts accepted, tokens kept).

    As in the engine the prompt's last token is left to the first round, which so brings the first new tokens."""
    sequence.crop(0)
    drafter.begin(target)
    first = sequence.run(prompt[:-1])
    tokens, rounds = list(prompt), []
    features, hidden = first.features, first.hidden
    while not rounds or (tokens[-1] not in stops and len(tokens) - len(prompt) < limit):
        start = len(tokens) - 1
        drafts, distributions = drafter.propose(tokens, features, hidden, k, draft_distribution or distribution)
        seen = sequence.run(tokens[-1:] + drafts)
        count, last = verify(drafts, distributions, seen.logits, distribution)
        new = drafts[:count] + [last]
        end = next((i + 1 for i, token in enumerate(new) if token in stops), len(new))
        room = limit - (len(tokens) - len(prompt))
        judged = min(count + 1, len(drafts), end)                  # drafts past an accepted end token are not judged
        tokens += new[:min(end, room)]
        rounds.append((judged, min(count, end), min(end, room)))
        sequence.crop(start + count + 1)
        if seen.features is not None:
            features = seen.features[:count + 1]
        hidden = seen.hidden[:count + 1]
    return tokens[len(prompt):], rounds


def read_prompts(path, tok, size):
    """Up to `size` prompts per domain: (domain, ids)."""
    rows, seen = [], {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        seen[row["domain"]] = seen.get(row["domain"], 0) + 1
        if not size or seen[row["domain"]] <= size:
            text = chat(row["prompt"], row.get("system")) if row.get("chat", True) else row["prompt"]
            rows.append((row["domain"], tok.encode(text).ids))
    return rows


def resample(count, rng, times=1000):
    return rng.integers(0, count, (times, count))


def ratio(numerator, denominator, draws):
    """Sum over sum, with a 95 % interval over resampled prompts."""
    a, b = np.asarray(numerator, float), np.asarray(denominator, float)
    if b.sum() == 0:
        return None
    low = b[draws].sum(1)
    values = a[draws].sum(1)[low > 0] / low[low > 0]
    return [round(float(x), 4) for x in (a.sum() / b.sum(), *np.quantile(values, (0.025, 0.975)))]


def summary(per_prompt, k, seed):
    """per_prompt: lists of rounds.  [value, low, high] everywhere."""
    draws = resample(len(per_prompt), np.random.default_rng(seed))
    kept = [sum(r[2] for r in rounds) for rounds in per_prompt]
    number = [len(rounds) for rounds in per_prompt]
    conditional = []
    for position in range(k):
        reached = [sum(r[0] > position for r in rounds) for rounds in per_prompt]
        passed = [sum(r[1] > position for r in rounds) for rounds in per_prompt]
        conditional.append(ratio(passed, reached, draws))
    return {"prompts": len(per_prompt), "rounds": sum(number), "tokens_per_round": ratio(kept, number, draws),
            "conditional": conditional}


def evaluate(target, drafter, prompts, stops, k, temperature, limit=128, seed=0, allowed=None, references=None, likeliest=False):
    """references: plain greedy texts to compare with at T = 0; likeliest: argmax drafts whatever the temperature."""
    sequence = Sequence(target, drafter.taps)
    rounds, texts, same, started = {}, [], 0, time.process_time()
    for number, (domain, ids) in enumerate(prompts):
        generator = torch.Generator().manual_seed(seed * 1_000_003 + number)
        distribution = Distribution(temperature, generator)
        text, seen = speculate(target, sequence, drafter, ids, stops, limit, k, distribution, Distribution(0 if likeliest else temperature, generator, allowed))
        texts.append(text)
        rounds.setdefault(domain, []).append(seen)
        same += references is not None and text == references[number]
    everything = [r for group in rounds.values() for r in group if r]
    out = {"temperature": temperature, "drafts": k, **({"likeliest": True} if likeliest else {}), "all": summary(everything, k, seed),
           "domains": {d: summary([r for r in group if r], k, seed) for d, group in rounds.items() if any(group)},
           "processor_seconds": round(time.process_time() - started, 1)}
    out["per_prompt"] = {d: [[sum(r[2] for r in seen), len(seen)] for seen in r_list] for d, r_list in rounds.items()}
    if references is not None:
        out["identical_to_plain_greedy"] = [same, len(prompts)]
    return out, rounds, texts


def usual_drafts(drafter):
    """What a block or a set of heads was trained for; 7 for chains, which could go on."""
    return drafter.longest() if hasattr(drafter, "block") or hasattr(drafter, "medusa_head") else 7


def environment(args_seed):
    info = Path("/proc/cpuinfo")                                  # Linux alone has it
    lines = info.read_text().splitlines() if info.exists() else []
    name = next((line.split(":")[1].strip() for line in lines if "model name" in line), platform.processor())
    return {"machine": name, "system": platform.system(), "torch": torch.__version__, "threads": torch.get_num_threads(),
            "date": datetime.date.today().isoformat(), "seed": args_seed}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--drafter", type=Path, required=True)
    parser.add_argument("--prompts", type=Path, default=Path("../prompts/heldout.jsonl"))
    parser.add_argument("--size", type=int, default=0, help="prompts per domain; 0 = all")
    parser.add_argument("--drafts", type=int, default=0, help="drafts per round; 0 = what the drafter was trained for (chains: 7)")
    parser.add_argument("--limit", type=int, default=128)
    parser.add_argument("--temperatures", type=float, nargs="*", default=[0.0, 0.7])
    parser.add_argument("--likeliest", action="store_true", help="argmax drafts at every temperature, instead of drawn ones")
    parser.add_argument("--plain", action="store_true", help="also decode without drafts and compare the greedy texts")
    parser.add_argument("--base-only", action="store_true", help="Domino without its head: every draft from the base logits")
    parser.add_argument("--frequent", type=Path, help="an FR-Spec list: draft only these ids")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    tok = tokenizer_of(args.target)
    stops = {tok.token_to_id("<|im_end|>"), tok.token_to_id("<|endoftext|>")}
    target, drafter = load(args.target), load_drafter(args.drafter)
    prompts = read_prompts(args.prompts, tok, args.size)
    k = args.drafts or usual_drafts(drafter)
    if args.base_only and not isinstance(drafter, Domino):
        parser.error("--base-only takes Domino's head off: other drafters have none")
    if args.frequent and hasattr(drafter, "t2d"):
        parser.error("--frequent has no effect on a drafter with a vocabulary of its own (EAGLE-3, DART)")
    if args.base_only:
        drafter.prefix = k
    allowed = None
    if args.frequent:
        allowed = torch.zeros(target.config.vocab_size, dtype=torch.bool)
        allowed[json.loads(args.frequent.read_text())["ids"]] = True
    references = None
    if args.plain:
        sequence = Sequence(target)
        references = [plain(sequence, ids, stops, args.limit, Distribution(0, None)) for _, ids in prompts]
    results = {"drafter": method_of(json.loads((args.drafter / "config.json").read_text())),
               "files": {"target": digest(args.target / "model.safetensors"), "drafter": digest(args.drafter / "model.safetensors"),
                         "prompts": digest(args.prompts)},
               **environment(args.seed), "limit": args.limit, "base_only": args.base_only,
               "frequent": str(args.frequent) if args.frequent else None, "runs": []}
    for temperature in args.temperatures:
        run, _, _ = evaluate(target, drafter, prompts, stops, k, temperature, args.limit, args.seed, allowed,
                             references if temperature == 0 else None, args.likeliest)
        results["runs"].append(run)
        print(f"T={temperature} drafts={k}: tokens per round {run['all']['tokens_per_round']},",
              {d: r["tokens_per_round"][0] for d, r in run["domains"].items()}, run.get("identical_to_plain_greedy", ""), flush=True)
        print("  conditional", [c and c[0] for c in run["all"]["conditional"]], f"{run['processor_seconds']} s of processor", flush=True)
    if args.json:
        write_text(args.json, json.dumps(results) + "\n")


if __name__ == "__main__":
    main()

"""The gates of the drafters, run on shipped files: G1-G5 and G7 of the training plan, JSON out.

    python gates.py --models ../models --prompts ../prompts/heldout.jsonl --out ../models/drafter_gates.json

G1  speculative greedy text equals plain greedy text, every method, every prompt (here: PyTorch; the engine has its own test)
G2  Domino at 15 drafts over code, math and chat: final / base logits >= 1.08, Domino / DFlash >= 1.05, lower bounds > 1
G3  chat, conditional acceptance a6/a1: DFlash <= 0.92, Domino at least 0.04 higher, EAGLE-3 >= 0.85 and above DFlash; on 300
    chat prompts of the test split, because the 40 of the file leave it uncertain by 0.08
G4  EAGLE-3 (7 drafts) >= DFlash (7 drafts); at 4 drafts Medusa < small model < EAGLE-3
G5  JSON > facts, code, math > chat; chat / JSON <= 0.5 at 7 drafts; chat >= 1.6; JSON <= 0.97 of the maximum
G6  wall clock: measured by the engine, not here
G7  blocks with base and corrected logits: at least 200, among them at least 20 where the most likely token of a position alone is
    impossible after the tokens before it (target probability below 0.01) and the corrected one is right

T = 0.7 is judged twice: with drafts that are the likeliest tokens, as the released programs make them (of Domino those of
SpecForge and SGLang), and with drafts drawn from the drafter's distribution.  What is drawn from nearly the target's distribution is kept
however open the choice is; so G5, which is about how open the text is, judges the first alone and only tells the figures
of the second.

Ratios are over tokens per round, intervals by bootstrap over prompts, 95 %.  Finished evaluations are kept in the output
file, also when the program is stopped, and redone only when a file they read has changed (weights, configs, prompts); other
settings than the file was made with are refused.  A method that is not shipped is reported as missing.
"""
import argparse
import hashlib
import itertools
import json
import math
from pathlib import Path

import numpy as np
import torch

from corpus.gen import make
from data import tokenizer_of
from drafters import load_drafter
from drafters.common import Sequence
from evaluate_drafter import Distribution, environment, evaluate, plain, read_prompts, speculate
from export import load
from runs import digest, write_text

# name -> (folder, drafts, base logits only)
RUNS = {"dflash 15": ("dflash", 15, False), "dflash 7": ("dflash", 7, False), "domino 15": ("domino", 15, False),
        "domino 15 base": ("domino", 15, True), "domino 7": ("domino", 7, False), "eagle3 7": ("eagle3", 7, False),
        "eagle3 4": ("eagle3", 4, False), "medusa 4": ("medusa", 4, False), "small 4": ("small", 4, False),
        "dspark 7": ("dspark", 7, False)}
MIXED = ("code", "math", "chat")
GROUPS = {"T=0.0": (0.0, True), "T=0.7": (0.7, False), "T=0.7, likeliest drafts": (0.7, True)}       # temperature, argmax drafts
FALLING = ("dflash 15", "domino 15", "eagle3 7")         # the runs of G3
FALLING_PROMPTS = 300


def pairs(run, domains):
    return np.array([p for d in domains for p in run["per_prompt"].get(d, [])], float)          # (prompts, [kept, rounds])


def compared(a, b, domains, seed=1, times=2000):
    """tokens per round of a over those of b, with an interval; prompts are resampled together."""
    x, y = pairs(a, domains), pairs(b, domains)
    draws = np.random.default_rng(seed).integers(0, len(x), (times, len(x)))
    rates = [p[draws, 0].sum(1) / np.maximum(p[draws, 1].sum(1), 1) for p in (x, y)]
    value = (x[:, 0].sum() / x[:, 1].sum()) / (y[:, 0].sum() / y[:, 1].sum())
    return [round(float(v), 4) for v in (value, *np.quantile(rates[0] / rates[1], (0.025, 0.975)))]


def rate(run, domain=None):
    part = run["all"] if domain is None else run["domains"].get(domain)
    return part["tokens_per_round"][0] if part else None


def never_wrong(run, drafts):
    """Tokens per round of a drafter that is never wrong, on the texts of this run: what their lengths allow."""
    return {d: round(sum(kept for kept, _ in rows) / sum(math.ceil(kept / (drafts + 1)) for kept, _ in rows), 4)
            for d, rows in run["per_prompt"].items()}


def fall(run):
    """a6 / a1 of chat; None without enough rounds that reach the sixth draft."""
    values = run["domains"]["chat"]["conditional"]
    return round(values[5][0] / values[0][0], 4) if len(values) > 5 and values[5] and values[0][0] else None


def judge(runs, group):
    """Every gate of one of GROUPS: {name: {"pass": bool or None, measures}}."""
    temperature, likeliest = GROUPS[group]

    def get(name):
        return runs.get(f"{name} {group}")

    gates = {}

    def gate(name, needed, check):
        missing = [n for n in needed if get(n) is None]
        gates[name] = {"pass": None, "missing": missing} if missing else check()

    if temperature == 0:
        same = {n: r["identical_to_plain_greedy"] for n, r in runs.items() if "identical_to_plain_greedy" in r}
        gates["G1"] = {"pass": all(a == b for a, b in same.values()), "identical": same}

    def g2():
        head = compared(get("domino 15"), get("domino 15 base"), MIXED)
        block = compared(get("domino 15"), get("dflash 15"), MIXED)
        return {"pass": head[0] >= 1.08 and block[0] >= 1.05 and head[1] > 1 and block[1] > 1, "final / base": head, "domino / dflash": block}

    def g3():
        d, o, e = (fall(get(f"{n} chat")) for n in FALLING)
        known = None not in (d, o, e)
        return {"pass": d <= 0.92 and o >= d + 0.04 and e >= 0.85 and e > d if known else None, "dflash": d, "domino": o, "eagle3": e}

    def g4():
        seven = compared(get("eagle3 7"), get("dflash 7"), get("dflash 7")["per_prompt"])
        four = [rate(get(n)) for n in ("medusa 4", "small 4", "eagle3 4")]
        return {"pass": seven[0] >= 1 and four[0] < four[1] < four[2], "eagle3 / dflash at 7": seven, "medusa, small, eagle3 at 4": four}

    def g5():
        out, good = {}, True
        for name, most in (("dflash 7", 8), ("domino 7", 8), ("eagle3 7", 8)):
            if get(name) is None:
                continue
            rates = {d: rate(get(name), d) for d in ("json", "facts", "code", "math", "chat")}
            middle = [rates["facts"], rates["code"], rates["math"]]
            ok = rates["json"] > max(middle) and min(middle) > rates["chat"]
            ok &= rates["chat"] <= 0.5 * rates["json"] and rates["chat"] >= 1.6 and rates["json"] <= 0.97 * most
            out[name], good = {**rates, **({"pass": ok} if likeliest else {})}, good and ok
        if out:                                  # no part of the verdict: the same order for a drafter that cannot be better
            out["never wrong"] = never_wrong(get("eagle3 7") or get("domino 7") or get("dflash 7"), 7)
        return {"pass": good if out and likeliest else None, **out}

    gate("G2", ("domino 15", "domino 15 base", "dflash 15"), g2)
    gate("G3", [f"{n} chat" for n in FALLING], g3)
    gate("G4", ("eagle3 7", "dflash 7", "eagle3 4", "small 4", "medusa 4"), g4)
    gate("G5", (), g5)
    gates["G6"] = {"pass": None, "note": "wall clock: measured by the engine"}
    return gates


def chat_prompts(tok, n, seed=900):
    """The first n different chat prompts of the test split: ("chat", ids)."""
    found, seen, index = [], set(), 0
    while len(found) < n:
        document = make(seed, index, "chat")
        index += 1
        text = "".join(document.parts[:document.prompt_end])
        if document.split == "test" and text and text not in seen:
            seen.add(text)
            found.append(("chat", tok.encode(text).ids))
    return found


def fingerprint(prompts):
    return hashlib.sha256(json.dumps(prompts).encode()).hexdigest()[:16]


def listed(models, prompts, chats):
    """Every evaluation whose drafter is shipped: {key: (run, prompts, group, what it reads)}."""
    out = {}
    for name, (folder, *_) in RUNS.items():
        if not (models / folder / "model.safetensors").exists():
            continue
        reads = {"sha256": digest(models / folder / "model.safetensors"), "config": digest(models / folder / "config.json")}
        parts = [("", prompts, reads)] + ([(" chat", chats, {**reads, "asked": fingerprint(chats)})] if name in FALLING else [])
        for (part, asked, needs), group in itertools.product(parts, GROUPS):
            out[f"{name}{part} {group}"] = (name, asked, group, needs)
    return out


def holds(stored, needs):
    """Is a stored result one of these files?  Files written before configs were noted are taken at their word."""
    return stored.get("sha256") == needs["sha256"] and stored.get("config", needs["config"]) == needs["config"] and stored.get("asked") == needs.get("asked")


def begun(out, common):
    """What an earlier call left; nothing where a file that everything reads has changed since."""
    old = json.loads(out.read_text()) if out.exists() else {}
    before = old.get("common", {})
    other = [f"--{key} {before[key]}" for key in ("size", "limit", "seed") if before.get(key, common[key]) != common[key]]
    if other:
        raise SystemExit(f"{out} was made with {' '.join(other)}: another --out, or remove it")
    return old if all(before.get(key, value) == value for key, value in common.items()) else {}


@torch.no_grad()
def blocks(target, domino, tok, prompts, stops, limit, wanted):
    """Rounds of Domino with the most likely tokens of base and corrected logits, and the impossible base tokens among them."""
    sequence, found, cases = Sequence(target, domino.taps), [], []
    for number, (domain, ids) in enumerate(prompts):
        if len(found) >= wanted:
            break
        inner, distribution = domino.propose, Distribution(0, None)

        def remember(tokens, features, hidden, k, distribution):
            drafts, distributions = inner(tokens, features, hidden, k, distribution)
            base, final = torch.softmax(domino.base, -1).topk(3), torch.softmax(domino.final, -1).topk(3)
            found.append({"prompt": number, "domain": domain, "position": len(tokens) - 1, "anchor": tokens[-1], "drafts": drafts,
                          **{f"{name}_{what}": x.tolist() if what == "ids" else [[round(v, 4) for v in r] for r in x.tolist()]
                             for name, top in (("base", base), ("final", final)) for what, x in (("ids", top.indices), ("p", top.values))}})
            return drafts, distributions

        domino.propose = remember
        before = len(found)
        text, rounds = speculate(target, sequence, domino, ids, stops, limit, 15, distribution)
        domino.propose = inner
        whole = ids + text
        sequence.crop(0)
        distributions = torch.softmax(sequence.run(whole).logits, -1)
        for block, (judged, count, kept) in zip(found[before:], rounds):
            block["accepted"] = count
            for i in range(min(count, kept)):
                alone, right = block["base_ids"][i][0], block["drafts"][i]
                p = float(distributions[block["position"] + i, alone])
                if alone != right and p < 0.01:
                    start = block["position"]
                    text_of = {"before": whole[max(0, start - 4):start + i + 1], "base": [alone], "final": [right]}
                    cases.append({"prompt": number, "domain": domain, "draft": i + 1, "target p of base": round(p, 5),
                                  **{k: tok.decode(v, skip_special_tokens=False) for k, v in text_of.items()}})
                    break
                if alone != right:
                    break
    return found, cases


ABOUT = ("rounds of Domino where the likeliest token of a position alone is impossible behind the tokens before it (target probability "
         "below 0.01) and the corrected one is right; before: the text, base: the token of the position alone, final: the corrected one")


def write_cases(path, cases):
    rows = ",\n".join("  " + json.dumps(case, ensure_ascii=False) for case in cases)
    write_text(path, f'{{"about": {json.dumps(ABOUT)},\n "cases": [\n{rows}\n ]}}\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=Path, default=Path("../models"))
    parser.add_argument("--prompts", type=Path, default=Path("../prompts/heldout.jsonl"))
    parser.add_argument("--size", type=int, default=0, help="prompts per domain; 0 = all")
    parser.add_argument("--limit", type=int, default=128)
    parser.add_argument("--blocks", type=int, default=400)
    parser.add_argument("--blocks-out", type=Path, help="also write every block with its base and corrected distributions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    target = load(args.models / "target")
    tok = tokenizer_of(args.models / "target")
    stops = {tok.token_to_id("<|im_end|>"), tok.token_to_id("<|endoftext|>")}
    prompts, chats = read_prompts(args.prompts, tok, args.size), chat_prompts(tok, args.size or FALLING_PROMPTS)
    common = {"target": digest(args.models / "target" / "model.safetensors"), "prompts": digest(args.prompts),
              "size": args.size, "limit": args.limit, "seed": args.seed,
              "target config": digest(args.models / "target" / "config.json"), "tokenizer": digest(args.models / "target" / "tokenizer.json")}
    old, wanted = begun(args.out, common), listed(args.models, prompts, chats)
    known = {key: run for key, run in old.get("runs", {}).items() if key in wanted and holds(run, wanted[key][3])}
    result = {"common": common, **environment(args.seed), "runs": known, "gates": {}}
    if all(key in known for key, (name, *_) in wanted.items() if name.startswith("domino")) and "G7" in old.get("gates", {}):
        result["gates"]["G7"] = old["gates"]["G7"]
    references = loaded = None

    def store():
        result["gates"].update({group: judge(result["runs"], group) for group in GROUPS})
        write_text(args.out, json.dumps(result) + "\n")

    for key, (name, asked, group, needs) in wanted.items():
        if key in known:
            continue
        temperature, likeliest = GROUPS[group]
        folder, drafts, base_only = RUNS[name]
        if loaded != name:
            loaded, drafter = name, load_drafter(args.models / folder)
            if base_only:
                drafter.prefix = drafts
        greedy = temperature == 0 and asked is prompts
        if greedy and references is None:
            sequence = Sequence(target)
            references = [plain(sequence, ids, stops, args.limit, Distribution(0, None)) for _, ids in prompts]
        run, _, _ = evaluate(target, drafter, asked, stops, drafts, temperature, args.limit, args.seed, references=references if greedy else None,
                             likeliest=likeliest)
        result["runs"][key] = {**needs, **run}
        print(key, run["all"]["tokens_per_round"], run.get("identical_to_plain_greedy", ""), flush=True)
        store()
    if (args.models / "domino" / "model.safetensors").exists():
        found, cases = blocks(target, load_drafter(args.models / "domino"), tok, prompts, stops, args.limit, args.blocks)
        result["gates"]["G7"] = {"pass": len(found) >= 200 and len(cases) >= 20, "blocks": len(found), "cases": len(cases)}
        write_cases(args.out.with_name("domino_cases.json"), cases)
        if args.blocks_out:
            write_text(args.blocks_out, json.dumps(found) + "\n")
    store()
    for name, group in result["gates"].items():
        print(name, json.dumps(group, indent=1))


if __name__ == "__main__":
    main()

"""The tables of the real heads from files of `speclens compare --json`, with 95 % intervals: a bootstrap over the prompts.

    python -m smollm2.report T0.json T07.json ... > table.md

Each file is one comparison (several K at once: compare --k 2,3,4,...). Files of one temperature are taken together. Speed-up by the clock is
the file's own; what it calls in doubt (other programs ran) is left out. By formula: tokens per round x plain pass / round, of the medians there.
"""
import argparse
import json
from pathlib import Path

import numpy as np

DRAWS = 4000
BUSY = 0.3                # cores that other programs kept busy, on average: behind it times say nothing


def interval(tokens, rounds, rng):
    """Tokens per round and its 95 % interval, prompts drawn with replacement."""
    tokens, rounds = np.array(tokens, float), np.array(rounds, float)
    pick = rng.integers(0, len(tokens), (DRAWS, len(tokens)))
    drawn = tokens[pick].sum(1) / rounds[pick].sum(1)
    return tokens.sum() / rounds.sum(), *np.percentile(drawn, [2.5, 97.5])


def read(paths):
    """For every temperature: its files."""
    found = {}
    for path in paths:
        result = json.loads(Path(path).read_text())
        found.setdefault(result["temperature"], []).append(result)
    return found


def contests(results):
    """(drafter, k) -> its samples by prompt and its row over all domains."""
    out = {}
    for result in results:
        rows = {(r["drafter"], r["k"]): r for r in result["rows"] if r["domain"] == "all" and "problem" not in r}
        for sample in result["per_prompt"]:
            entry = out.setdefault((sample["drafter"], sample["k"]), {"samples": [], "row": rows.get((sample["drafter"], sample["k"])), "busy": result["busy_cores"] > BUSY})
            entry["samples"].append(sample)
    return out


def rounds_table(found, rng):
    lines = ["| drafter | K | tokens a round | accepted at place 1, 2, 3 … once all before were | drafting, ms | a round, ms | speed-up by formula | by the clock | same text |",
             "|---|---|---|---|---|---|---|---|---|"]
    plain = next((e["row"] for (name, _), e in found.items() if name == "none"), None)
    for (name, k), entry in sorted(found.items(), key=lambda item: (item[0][0] != "none", item[0])):
        row, samples = entry["row"], entry["samples"]
        value, low, high = interval([s["tokens"] for s in samples], [s["rounds"] for s in samples], rng)
        places = " ".join(f"{c:.2f}" for c, n in zip(row["conditional_by_position"], row["judged_at"]) if n >= 30) or "–"
        quiet = row.get("round_ms") is not None and not entry["busy"]
        times = [f"{(row['draft_ms'] or 0) + (row['head_ms'] or 0):.2f}", f"{row['round_ms']:.1f}"] if quiet else ["–", "–"]
        formula = f"{value * plain['round_ms'] / row['round_ms']:.2f}" if quiet and plain and name != "none" else "–"
        clock = f"{row['speedup']:.2f} [{row['speedup_low']:.2f}, {row['speedup_high']:.2f}]" if quiet and name != "none" and row.get("speedup_low") else "–"
        same = {True: "yes", False: "NO", None: "–"}[row["same_text"]]
        lines.append(f"| {name} | {k or '–'} | {value:.2f} [{low:.2f}, {high:.2f}] | {places} | {times[0]} | {times[1]} | {formula} | {clock} | {same} |")
    return lines


def best(found):
    """The K of each drafter with the highest speed-up by the clock, or where that is in doubt with the most tokens a round."""
    out = {}
    for (name, k), entry in found.items():
        row = entry["row"]
        score = row["speedup"] if not entry["busy"] and row.get("speedup") else row["tokens_per_round"]
        if name != "none" and (name not in out or score > out[name][1]):
            out[name] = (k, score)
    return {name: k for name, (k, _) in out.items()}


def domain_table(found, rng):
    chosen = best(found)
    domains = sorted({s["domain"] for entry in found.values() for s in entry["samples"]})
    names = sorted(chosen)
    lines = ["| tokens a round | prompts | " + " | ".join(f"{n}, K {chosen[n]}" for n in names) + " |", "|---|---|" + "---|" * len(names)]
    for domain in domains:
        cells, count = [], 0
        for name in names:
            samples = [s for s in found[name, chosen[name]]["samples"] if s["domain"] == domain]
            count = len(samples)
            cells.append("{:.2f} [{:.2f}, {:.2f}]".format(*interval([s["tokens"] for s in samples], [s["rounds"] for s in samples], rng)) if samples else "–")
        lines.append(f"| {domain} | {count} | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=36)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    for temperature, results in sorted(read(args.files).items()):
        first, found = results[0], contests(results)
        prompts = len(next(iter(found.values()))["samples"])
        print(f"T = {temperature:g}: {prompts} held-out prompts, {first['max_tokens']} new tokens each; {first['machine']}, {first['device']}, {first['precision']}; {first['date'][:10]}\n")
        print("\n".join(rounds_table(found, rng)), "\n")
        print("\n".join(domain_table(found, rng)), "\n")


if __name__ == "__main__":
    main()

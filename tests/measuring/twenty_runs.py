#!/usr/bin/env python3
"""Twenty descriptions of each picture that tells times, and how far they lie apart: the table of docs/results/timing.md.

    python3 tests/measuring/twenty_runs.py build/speclens            nothing else running
    python3 tests/measuring/twenty_runs.py build/speclens --busy 2   beside two busy loops, which it starts and ends

Needs nothing but Python. No test: times are never tested (see docs/measuring.md).
"""

import argparse
import re
import statistics
import subprocess
import sys

PICTURES = {
    "loop --seed 7": (["loop", "--seed", "7"], {"run": r"Speed-up of the run: (~?)([\d.]+)×"}),
    "race": (["race"], {name: name + r" over [^\n]*?\), (~?)([\d.]+)×" for name in ("EAGLE-3", "DFlash", "Domino")}),
    "bottleneck": (["bottleneck"], {"16 tokens": r"\n16 tokens[^\n]*?, (~?)([\d.]+)×"}),
    "speedup": (["speedup", "--seed", "7"], {"K = 4": r"K = 4\b[^\n]*measured[^\n]*?, (~?)([\d.]+)× \("}),
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--busy", type=int, default=0, help="busy loops beside")
    parser.add_argument("--only", help="one picture")
    options = parser.parse_args()
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        print("| picture | figure | runs | least | middle | most | from the middle at most | in doubt | the others at most |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, (words, figures) in PICTURES.items():
            if options.only and options.only not in name:
                continue
            texts = [subprocess.run([options.program, "describe", *words], capture_output=True, text=True, check=True).stdout
                     for _ in range(options.runs)]
            for figure, pattern in figures.items():
                found = [re.search(pattern, text) for text in texts]
                told = [(float(one[2]), one[1] == "~" or "in doubt: " in text) for one, text in zip(found, texts) if one]
                values = [value for value, _ in told]
                sure = [value for value, doubted in told if not doubted]
                if not values:
                    print(f"| {name} | {figure} | 0 of {len(texts)} tell it | | | | | | |")
                    continue
                middle = statistics.median(values)
                far = max(abs(value / middle - 1) for value in values)
                others = max((abs(value / statistics.median(sure) - 1) for value in sure), default=0)
                print(f"| {name} | {figure} | {len(values)} | {min(values):.2f}× | {middle:.2f}× | {max(values):.2f}× | "
                      f"{100 * far:.0f} % | {len(values) - len(sure)} | {100 * others:.0f} % |", flush=True)
    finally:
        for loop in loops:
            loop.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())

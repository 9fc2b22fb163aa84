"""What the module costs (the numbers of docs/python.md), each as its median of 20 fresh processes with the interval of that median: importing
it, a run on the built-in model in all, 1000 rounds to pandas. Then decoding from Python against the program, 20 pairs in turns: the ratio
of their tokens a second, with its interval. Says how busy the machine was: the figures mean something where that is nothing."""

import os
import random
import statistics
import subprocess
import sys
import time
from typing import Callable, Sequence

TIMES = 20
RUN = "import speclens; speclens.open('tiny').run('Once upon a time', max_tokens=24)"
FRAME = """
import time, json, pandas, speclens
trace = speclens.open('tiny').run('Once upon a time', drafter='small', max_tokens=24)
head, *lines = trace._lines.splitlines()
events = [line for line in lines if json.loads(line)['kind'] in ('draft', 'verify', 'check', 'resample', 'commit')]
rounds = len(trace)
many = speclens.Trace('\\n'.join([head] + events * (1000 // rounds + 1)))
assert len(many) >= 1000
begun = time.perf_counter()
frame = many.to_pandas()
print(time.perf_counter() - begun)
"""
ASKED = {"drafter": "small", "k": 4, "temp": 0.8}
SHORT, LONG = 16, 528  # tokens at most; what is left of both is decoding


def seconds(script: str) -> float:
    timed = "import time; begun = time.perf_counter()\n" + script + "\nprint(time.perf_counter() - begun)"
    return float(subprocess.run([sys.executable, "-c", script if "print" in script else timed], capture_output=True, text=True, check=True).stdout)


def interval(values: Sequence[float], of: Callable[[Sequence[float]], float]) -> "tuple[float, float, float]":
    """Of these values, and the middle 95 % of 2000 resamplings of them."""
    dice = random.Random(1)
    drawn = sorted(of(dice.choices(values, k=len(values))) for _ in range(2000))
    return of(values), drawn[50], drawn[1949]


def decoding(run: Callable[[int, int], str], seed: int) -> "tuple[float, str]":
    """Seconds, and what was written."""
    begun = time.perf_counter()
    text = run(LONG, seed)
    between = time.perf_counter()
    run(SHORT, seed)
    return 2 * between - begun - time.perf_counter(), text


def busy() -> float:
    """Cores that something kept busy during a second in which this program slept."""

    def work() -> "tuple[int, int]":
        with open("/proc/stat") as stat:
            ticks = [int(word) for word in stat.readline().split()[1:9]]
        return sum(ticks) - ticks[3] - ticks[4], sum(ticks)

    one = work()
    time.sleep(1)
    two = work()
    return (two[0] - one[0]) / max(1, two[1] - one[1]) * (os.cpu_count() or 1)


def main() -> None:
    import speclens
    from speclens._notebook import program

    print(f"busy cores beside this: {busy():.1f} of {os.cpu_count()}")
    for what, script in (("import speclens", "import speclens"), ("a run in all", RUN), ("1000 rounds to pandas", FRAME)):
        value, low, high = interval([1000 * seconds(script) for _ in range(TIMES)], statistics.median)
        print(f"{what}: {value:.0f} ms [{low:.0f}, {high:.0f}]")
    words = [word for name, value in ASKED.items() for word in ("--" + name, str(value))]
    with speclens.open("tiny") as model:
        def here(tokens: int, seed: int) -> str:
            return model.run("Once upon a time", max_tokens=tokens, seed=seed, no_timing=True, **ASKED).text

        def there(tokens: int, seed: int) -> str:
            asked = ["--no-timing", "--max-tokens", str(tokens), "--seed", str(seed), "--json", "-"]
            done = subprocess.run([program(), "run", "--prompt", "Once upon a time", *words, *asked], capture_output=True, text=True, check=True)
            return speclens.Trace(done.stdout).text

        decoding(here, 0), decoding(there, 0)
        ratios = []
        for seed in range(TIMES):
            (theirs, wanted), (ours, written) = decoding(there, seed), decoding(here, seed)
            if written != wanted:
                sys.exit(f"seed {seed}: Python and the program wrote different texts")
            ratios.append(theirs / ours)
    value, low, high = interval(ratios, statistics.geometric_mean)
    print(f"decoding from Python, times as fast as the program, {TIMES} pairs: {value:.3f} [{low:.3f}, {high:.3f}]")
    print(f"busy cores afterwards: {busy():.1f}")


main()

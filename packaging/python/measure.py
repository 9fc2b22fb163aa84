"""What the module costs, as medians of 20 fresh processes: importing it, a run on the built-in model in all, and 1000 rounds to pandas."""

import statistics
import subprocess
import sys

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


def seconds(script: str) -> float:
    timed = "import time; begun = time.perf_counter()\n" + script + "\nprint(time.perf_counter() - begun)"
    return float(subprocess.run([sys.executable, "-c", script if "print" in script else timed], capture_output=True, text=True, check=True).stdout)


for what, script in (("import speclens", "import speclens"), ("a run in all", RUN), ("1000 rounds to pandas", FRAME)):
    print(f"{what}: {statistics.median(seconds(script) for _ in range(20)) * 1000:.0f} ms")

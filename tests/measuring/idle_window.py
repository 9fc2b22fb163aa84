#!/usr/bin/env python3
"""What a window that nobody touches costs: the share of one core that the program uses, in a real window under Xvfb.

    python3 tests/measuring/idle_window.py build/speclens [--model smollm2] [--seconds 20] [--settle 60]

Starts Xvfb and the program with preferences of its own, waits until it has used little for a while (models are loaded, the first run is
over), and counts its ticks in /proc, of all threads. Needs Python and Xvfb. No test: times are never tested (see docs/measuring.md).
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


def ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])  # user and system


def share(pid, seconds):
    """Of one core, over so many seconds."""
    began, before = time.monotonic(), ticks(pid)
    time.sleep(seconds)
    return (ticks(pid) - before) / TICK / (time.monotonic() - began)


def settled(program, patience):
    """Seconds until it has worked, and then used less than a twentieth of a core for five seconds."""
    began, quiet = time.monotonic(), 0
    while time.monotonic() - began < patience:
        used = share(program.pid, 1)
        if program.poll() is not None:
            raise SystemExit(f"the program ended by itself: {program.returncode}")
        quiet = quiet + 1 if used < 0.05 and ticks(program.pid) > TICK / 2 else 0
        if quiet == 5:
            return time.monotonic() - began
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--model")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--settle", type=float, default=60)
    parser.add_argument("--display", type=int, default=77)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/speclens")
        with open(folder + "/speclens/preferences.json", "w", encoding="utf-8") as file:
            json.dump({"introduced": True}, file)
        screen = subprocess.Popen(["Xvfb", f":{options.display}", "-screen", "0", "1600x1000x24"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        program = None
        try:
            time.sleep(1)
            environment = dict(os.environ, DISPLAY=f":{options.display}", XDG_CONFIG_HOME=folder)
            words = [options.program] + (["--model", options.model] if options.model else [])
            program = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
            after = settled(program, options.settle)
            used = share(program.pid, options.seconds)
            print(f"{' '.join(words)}: quiet after {after if after is None else round(after)} s; "
                  f"{100 * used:.2f} % of a core over {options.seconds:.0f} s; {ticks(program.pid) / TICK:.1f} s of a core in all")
        finally:
            if program:
                program.terminate()
                program.wait()
            screen.terminate()
            screen.wait()


main()

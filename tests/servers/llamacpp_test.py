#!/usr/bin/env python3
"""What `speclens attach` says of a real llama.cpp server, against that server's own trace of every round.

llamacpp_test.py SPECLENS FOLDER [SETUP…]: installs the wheel xllamacpp (others.py: version and hash) into FOLDER unless Python has it; the built-in models are made GGUF files
there. SmolLM2-135M-Instruct (speclens get smollm2, or SPECLENS_GGUF=FILE) and the Qwen pair (speclens get qwen) are taken from where `get` keeps them;
their set-ups are left out, with a word why, where they are not. Exit 77: skipped, with a word why.
SPECLENS_SERVER_RESULT=FILE: the result as Markdown, for docs/results/servers.md."""
import json
import os
import re
import subprocess
import sys
import time

from others import VERSION as version, here, last_words, llamacpp_python, post, skip, started, tiny_gguf

speclens, folder = sys.argv[1], sys.argv[2]
only = sys.argv[3:]  # names of set-ups; none: all
os.makedirs(folder, exist_ok=True)


def fetched(name, own=""):
    """Where `speclens get` keeps a model; None where it was not fetched."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return next((path for path in (own, os.path.join(data, "speclens", "models", name)) if path and os.path.isfile(path)), None)


def worsened(model):
    worse = os.path.join(folder, "worse.gguf")
    if model and not os.path.exists(worse):
        subprocess.run([python, os.path.join(here, "worsened.py"), model, worse, "16"], check=True)
    return worse


python = llamacpp_python(folder)
smollm2 = fetched("SmolLM2-135M-Instruct.Q4_1.gguf", os.environ.get("SPECLENS_GGUF"))
qwen, qwen_small = (fetched("qwen2.5-coder-%s-instruct-q4_k_m.gguf" % size) for size in ("1.5b", "0.5b"))
worse = worsened(smollm2)
tiny, small = tiny_gguf(python, folder, "target"), tiny_gguf(python, folder, "small")

CHAT = [
    "What is the capital of Japan?",
    "Write one sentence about the sea.",
    "Count from 1 to 12, one number per line.",
    "Write five emoji: 🌍 🌙 ⭐ 🚀 🎉",
    "用中文写一句关于月亮的话。",
    "Hi",
    "Repeat exactly: 你好，世界！你好，世界！",
    "Name three colours.",
]
RAW = [
    "The quick brown fox jumps over the lazy dog. The quick brown fox",
    "1, 2, 3, 4, 5, 6, 7,",
    "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return",
    "🌍 🌙 ⭐ 🚀 🎉\n🌍 🌙 ⭐ 🚀 🎉\n🌍",
    "春眠不觉晓，处处闻啼鸟。春眠不觉晓，",
    "Once upon a time",
]
CASES = [(["--chat"], text) for text in CHAT] + [([], text) for text in RAW]
# What the built-in model knows.
TINY_CASES = [
    (["--chat"], text)
    for text in (
        "What is the capital of Japan?", "What is 12 + 30?", "Write a Python function that adds two numbers.", "Name a planet.",
        "Tell me a short story about a fox.", "Repeat: blue sky", "Hi", "List three colours as JSON.",
    )
] + [([], text) for text in ("Once upon a time", "def add(a, b):\n    return", "1, 2, 3, 4, 5,", "The capital of France is")]
# A pass of the pair takes a tenth of a second and more: code, which it drafts well, prose, which it does not, an end by the end token, other scripts.
QWEN_CASES = [(["--chat"], text) for text in ("Hi", "Write a Python function that adds two numbers.", "Write one sentence about the sea.")] + [
    ([], RAW[at]) for at in (1, 2, 4)
]
LOADS = 900  # seconds that a server may take to load: the Qwen pair took more than 300 on a busy machine
LENGTHS = (7, 24)  # ends by length; the short answers of the chat end by the end token

ROUND = re.compile(r"task (\d+) \| accepted +(\d+)/ *(\d+) draft tokens")
failures, asked, inferred = 0, 0, 0


def failed(words, why):
    global failures
    failures += 1
    print("FAILED", words, why, flush=True)


def truth_of(log):
    rounds = [(int(d), int(a)) for _, a, d in ROUND.findall(log) if int(d) > 0]
    places = [0] * max((d for d, _ in rounds), default=0)
    for _, accepted in rounds:
        for i in range(accepted):
            places[i] += 1
    return {
        "rounds": len(rounds),
        "drafted": sum(d for d, _ in rounds),
        "accepted": sum(a for _, a in rounds),
        "accepted_at": places,
    }


def without_zeros(places):
    places = list(places)
    while places and places[-1] == 0:
        places.pop()
    return places


def traced(trace, began):
    """What the server wrote of the first request since, whose answer attach tells: at T > 0 it asks on for the rule. A thread of its own writes the log."""
    for _ in range(200):
        with open(trace, "rb") as file:
            file.seek(began)
            text, ended, _ = file.read().decode("utf-8", "replace").partition("stop processing")
        if ended:
            break
        time.sleep(0.05)
    return text


def ask(where, words, trace):
    global asked, inferred
    began = os.path.getsize(trace)
    out = subprocess.run([speclens, "attach", where, *words, "--json", "-"], capture_output=True, text=True)
    truth = truth_of(traced(trace, began))
    asked += 1
    if out.returncode:
        failed(words, "exit %d: %s" % (out.returncode, out.stderr.strip()[-300:]))
        return
    answer = json.loads(out.stdout)
    counts = answer.get("counts")
    if not counts:
        failed(words, "no counts: %s" % answer["notes"])
        return
    told = {key: counts.get(key) for key in truth}
    told["accepted_at"] = without_zeros(told["accepted_at"] or [])
    wanted = dict(truth, accepted_at=without_zeros(truth["accepted_at"]))
    inferred += answer["provenance"] != "exact"
    if told != wanted:
        failed(words, "told %s, traced %s (%s)" % (told, wanted, answer["provenance"]))
    written = sum(r["accepted"] + 1 for r in answer["rounds"]) - answer.get("unwritten", 0)
    if answer["provenance"] == "exact" and written > answer["tokens"]:
        failed(words, "rounds wrote %d of %d tokens" % (written, answer["tokens"]))


def serve(name, port, of, cases, sampled, arguments):
    trace, where = os.path.join(folder, name + ".log"), "http://127.0.0.1:%d" % port
    words = [python, os.path.join(here, "llamacpp.py"), of, str(port), *arguments, "threads=1"]
    with started(words, where, trace, seconds=LOADS, env=dict(os.environ, LLAMA_TRACE="1")) as there:
        if not there:
            if not asked:
                skip("the server does not come up: " + last_words(trace, 300))
            failed(name, "the server does not come up: " + last_words(trace, 300))
            return
        for length in LENGTHS:
            for words, text in cases:
                ask(where, [*words, "--prompt", text, "--max-tokens", str(length)], trace)
        for words, text in cases[:sampled]:  # each is some twenty requests: attach finds the rule
            ask(where, [*words, "--prompt", text, "--max-tokens", "16", "--temp", "0.8", "--seed", "3"], trace)
        # All requests of this server, by its counters, by its log and by its trace.
        out = subprocess.run([speclens, "attach", where, "--once", "--json", "-"], capture_output=True, text=True)
        text = open(trace, errors="replace").read()
        whole = truth_of(text)
        scrape = json.loads(out.stdout.splitlines()[-1]).get("counts", {})
        only_requests = re.sub(r"(?m)^.*draft tokens.*\n", "", text)  # a log at the usual level has no rounds
        log = subprocess.run([speclens, "attach", "-", "--json", "-"], input=only_requests, capture_output=True, text=True)
        lines = log.stdout.splitlines()
        summed = json.loads(lines[-1])["counts"] if lines else {}
        for name_of, told in (("the scrape", scrape), ("the log", summed)):
            for key in ("rounds", "drafted", "accepted"):
                if told.get(key) != whole[key]:
                    failed(name, "%s: %s told %s, traced %s" % (name_of, key, told.get(key), whole[key]))


def completed(url, text, length):
    body = {"prompt": text, "n_predict": length, "temperature": 0, "top_k": 0, "top_p": 1, "min_p": 0, "cache_prompt": False}
    return post(url + "/completion", body)["content"]


def same(name, of, draft, lengths, prompts, port, length):
    """What `speclens same` finds on servers that it starts is what a comparison of the texts by hand finds."""
    file = os.path.join(folder, "prompts.jsonl")
    with open(file, "w") as out:
        out.writelines(json.dumps({"prompt": text}) + "\n" for text in prompts)
    command = "exec %s %s %s {port} $(test {k} = 0 && echo none || echo draft_simple %s {k}) threads=1" % (
        python, os.path.join(here, "llamacpp.py"), of, draft,
    )
    words = ["same", "--command", command, "--k", ",".join(map(str, lengths)), "--prompts", file, "--max-tokens", str(length), "--json", "-"]
    out = subprocess.run([speclens, *words], capture_output=True, text=True)
    if not out.stdout:
        failed(words, "exit %d: %s" % (out.returncode, out.stderr.strip()[-300:]))
        return
    told = json.loads(out.stdout)
    texts = []
    for at, k in enumerate(lengths):
        url, log = "http://127.0.0.1:%d" % (port + at), os.path.join(folder, "same-%s-%d.log" % (name, k))
        words_of = ["/bin/sh", "-c", command.replace("{k}", str(k)).replace("{port}", str(port + at))]
        with started(words_of, url, log, seconds=LOADS) as there:
            if not there:
                failed(words, "started once more it ended: " + last_words(log, 300))
                return
            texts.append([completed(url, text, length) for text in prompts])
    by_hand = [sum(a != b for a, b in zip(texts[0], other)) for other in texts[1:]]
    if [pair["differ"] for pair in told["pairs"]] != by_hand:
        failed(words, "told %s texts that differ, by hand %s" % ([pair["differ"] for pair in told["pairs"]], by_hand))
    if told["exit_status"] != out.returncode or (sum(by_hand) == 0) != (told["verdict"] == "same"):
        failed(words, "exit %d, verdict %s, by hand %s differ" % (out.returncode, told["verdict"], by_hand))
    if [bool(arm["drafted"]) for arm in told["arms"]] != [k > 0 for k in lengths]:
        failed(words, "drafted %s" % [arm["drafted"] for arm in told["arms"]])
    print("same: %s, lengths %s, groups %s, %s" % (name, lengths, told["groups"], told["sentence"]), flush=True)


SAME_TINY = [text for words, text in TINY_CASES if not words] + ["The sea is", "A fox and a", "Name: ", "12 + 30 ="]
# Name, port, models and what fetches them, requests, how many of them at T = .8 too, and how the server drafts; then for `same`: draft model, lengths, prompts, tokens.
SETUPS = [
    ("tiny", 18450, (tiny,), "", TINY_CASES, 4, ["draft_simple", small, "3"], (small, (0, 2, 4), SAME_TINY, 32)),
    ("ngram", 18455, (smollm2,), "smollm2", CASES, 2, ["ngram_simple", "ngram.size_n=3", "ngram.size_m=5"], None),
    ("worsened", 18460, (smollm2,), "smollm2", CASES, 2, ["draft_simple", worse, "3"], (worse, (0, 4), RAW[:3], 12)),
    ("qwen", 18465, (qwen, qwen_small), "qwen", QWEN_CASES, 1, ["draft_simple", qwen_small, "3"], (qwen_small, (0, 4), RAW[:3], 16)),
]
results = []
for name, port, models, source, cases, sampled, arguments, lengths in SETUPS:
    if only and name not in only:
        continue
    if not all(models):
        print("%s: left out, its model is not here: speclens get %s" % (name, source), flush=True)
        continue
    before, faults, began = asked, failures, time.time()
    serve(name, port, models[0], cases, sampled, arguments)
    print("%s: %d requests, %.0f s" % (name, asked - before, time.time() - began), flush=True)
    if lengths:
        draft, ks, prompts, tokens = lengths
        same(name, models[0], draft, ks, prompts, port + 1, tokens)
        print("%s: %.0f s with same" % (name, time.time() - began), flush=True)
    results.append((name, asked - before, failures - faults))
lines = ["| %s | %d | %d |" % one for one in results]
print("llama.cpp by xllamacpp %s: %d requests, %d inferred, %d faults" % (version, asked, inferred, failures))
if os.environ.get("SPECLENS_SERVER_RESULT"):
    with open(os.environ["SPECLENS_SERVER_RESULT"], "w") as file:
        file.write("\n".join(lines) + "\n")
sys.exit(1 if failures else 0)

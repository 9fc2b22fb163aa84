#!/usr/bin/env python3
"""Every way to draft that a real llama.cpp has, and the rules by which it keeps drafts at T > 0; what attach says of both.

llamacpp_rules_test.py SPECLENS FOLDER: as llamacpp_test.py, with the built-in models and heads as GGUF files. Held against each other: the answer's own
timings, the counters of /metrics read by hand, exact distributions (all log-probabilities of one token), and attach. Exit 77: skipped, with a word why."""
import collections
import json
import math
import os
import subprocess
import sys

from others import LLAMACPP, Report, counters, here, last_words, llamacpp_python, post, skip, speclens_json, started, tiny_gguf

speclens, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
report = Report()

python = llamacpp_python(folder)
FILES = {name: tiny_gguf(python, folder, name) for name in ("target", "small", "eagle3", "dflash", "dspark")}
# Name, what it drafts with, K, settings; and by which rule drafts are kept.
TYPES = [
    ("draft_simple", "small", 3, [], "matching"),
    ("draft_simple", "small", 3, ["draft.probabilistic=1"], "rejection"),
    ("draft_eagle3", "eagle3", 4, [], "matching"),
    ("draft_eagle3", "eagle3", 4, ["draft.probabilistic=1"], "matching"),
    ("draft_dflash", "dflash", 7, [], "matching"),
    ("draft_dspark", "dspark", 7, [], "matching"),
    ("ngram_simple", None, 0, ["ngram.size_n=2", "ngram.size_m=4"], "matching"),
    ("ngram_map_k", None, 0, [], "matching"),
    ("ngram_map_k4v", None, 0, [], "matching"),
    ("ngram_mod", None, 0, [], "matching"),
    ("ngram_cache", None, 0, [], "matching"),
]
PROMPTS = ["Tell me a story about a", "a b c d e f a b c d e f a b c d e f a b c"]
LENGTHS = (1, 2, 3, 24)
port = 18480


def server(of, kind, draft, k, settings):
    global port
    port += 1
    words = [python, os.path.join(here, "llamacpp.py"), of, str(port), kind] + ([draft, str(k)] if draft else [])
    log = os.path.join(folder, "%s-%d.log" % (kind, port))
    return "http://127.0.0.1:%d" % port, log, started([*words, *settings, "threads=1", "n_ctx=2048"], "http://127.0.0.1:%d" % port, log)


def completed(url, prompt, length, temperature, seed=5):
    body = {"prompt": prompt, "n_predict": length, "temperature": temperature, "seed": seed, "top_k": 0, "top_p": 1, "min_p": 0}
    return post(url + "/completion", dict(body, cache_prompt=False, return_tokens=True))


def drafts(url):
    found = counters(url)
    return [found.get("llamacpp:" + name, 0) for name in (
        "spec_decode_num_drafts_total", "spec_decode_num_draft_tokens_total", "spec_decode_num_accepted_tokens_total", "n_decode_total",
    )]


def texts_of(name, url):
    """Ids by prompt, temperature and length; and what one request made every counter grow by."""
    ids = {}
    for prompt in PROMPTS:
        for temperature in (0, 0.8):
            for length in LENGTHS:
                where = "%s, T = %s, %d of %r" % (name, temperature, length, prompt[:8])
                before = drafts(url)
                told = completed(url, prompt, length, temperature)
                ids[prompt, temperature, length] = told["tokens"]
                for _ in range(50):  # a request is booked when its slot is released
                    rounds, drafted, accepted, passes = (now - old for now, old in zip(drafts(url), before))
                    if passes > 0 and drafted == told["timings"].get("draft_n", 0):
                        break
                report.equal(where + ": drafted, by its counters and by its timings", drafted, told["timings"].get("draft_n", 0))
                report.equal(where + ": accepted", accepted, told["timings"].get("draft_n_accepted", 0))
                report.holds(where + ": drafts are cut at n_predict", drafted <= max(0, rounds * (length - 2)), "%d drafted" % drafted)
                # Every pass of the target: those that read the prompt, verify drafts, or do neither; not those of a draft model.
                written = told["timings"]["predicted_n"]
                report.holds(where + ": n_decode_total", written - accepted <= passes <= written - accepted + (rounds > 0) * 15, "%d passes" % passes)
                if length < 24:
                    report.equal(where + ": n_decode_total", passes, written - accepted)
    return ids


def rule_of(url):
    told = speclens_json(speclens, ["attach", url, "--prompt", PROMPTS[0], "--max-tokens", "32", "--temp", "0.8", "--seed", "5"])
    return told.get("rule", {}).get("kind"), told["notes"]


def distribution(url, ids, temperature):
    body = {"prompt": ids, "n_predict": 1, "temperature": 0, "n_probs": 4096, "cache_prompt": False}
    listed = post(url + "/completion", body)["completion_probabilities"][0]["top_logprobs"]
    weights = {one["id"]: math.exp(one["logprob"] / temperature) for one in listed}
    whole = sum(weights.values())
    return {token: weight / whole for token, weight in weights.items()}


def far(seen, p):
    """How many standard deviations chi-squared lies above its mean."""
    n = sum(seen.values())
    bins = [token for token in p if p[token] * n >= 5]
    rest = 1 - sum(p[token] for token in bins)
    chi = sum((seen[token] - n * p[token]) ** 2 / (n * p[token]) for token in bins)
    if rest * n >= 1:
        chi += (n - sum(seen[token] for token in bins) - n * rest) ** 2 / (n * rest)
    return (chi - len(bins)) / math.sqrt(2 * len(bins))


def ten(q):
    """What b11549 draws drafts from: the draft model's ten likeliest tokens."""
    likeliest = sorted(q, key=q.get)[-10:]
    whole = sum(q[token] for token in likeliest)
    return {token: q[token] / whole for token in likeliest}


# Behind these ids the next token is certain, and the one after it is not, nor what the draft model thinks of it.
PLACES = [([679, 857, 262, 635, 11, 444, 494, 262, 471, 1538], 692), ([709, 382, 262, 595, 508, 262, 1083, 1331, 13, 1003], 262)]
TEMPERATURE, SAMPLES = 0.8, 400


def hold_distribution(name, url, target, draft, kind):
    for ids, certain in PLACES:
        p, q = distribution(target, ids + [certain], TEMPERATURE), distribution(draft, ids + [certain], TEMPERATURE)
        seen, drafted, accepted = collections.Counter(), 0, 0
        for seed in range(1, SAMPLES + 1):
            told = post(url + "/completion", {
                "prompt": ids, "n_predict": 3, "temperature": TEMPERATURE, "seed": seed, "top_k": 0, "top_p": 1, "min_p": 0, "return_tokens": True,
            })
            if told["tokens"][0] == certain and told["timings"].get("draft_n"):
                seen[told["tokens"][1]] += 1
                drafted += told["timings"]["draft_n"]
                accepted += told["timings"]["draft_n_accepted"]
        where = "%s at %d" % (name, certain)
        report.holds(where + ": drafted", drafted >= SAMPLES / 2, "%d drafts" % drafted)
        report.holds(where + ": the text has the target's distribution", far(seen, p) < 5, "%.1f deviations" % far(seen, p))
        report.holds(where + ": and not the draft's", far(seen, q) > 8, "%.1f deviations" % far(seen, q))
        wanted = sum(min(p[token], share) for token, share in ten(q).items()) if kind == "rejection" else p[max(q, key=q.get)]
        off = 5 * math.sqrt(max(wanted * (1 - wanted), 0.004) / drafted)
        report.holds(where + ": drafts that are kept", abs(accepted / drafted - wanted) < off, "%d of %d, by the rule %.3f" % (accepted, drafted, wanted))
        print("%s: %d of %d drafts kept, by the rule %.3f; distribution %.1f deviations off" % (where, accepted, drafted, wanted, far(seen, p)), flush=True)


# Rotary positions stretched by YaRN, and what llama.cpp multiplies cos and sin by on top; the chance of the end token, by llama.cpp b11549.
YARN = [(None, 0.070), ("4,512", 0.136), ("4,512,0.8782488562869419", 0.065)]
POEM, END = "Write a poem about the sea.", "<|im_end|>"


def hold_yarn():
    """The chance that a file's own server gives the end token is the program's, for every kind of YaRN that the file may ask for."""
    for yarn, known in YARN:
        file = tiny_gguf(python, folder, "target", yarn)
        url, log, there = server(file, "none", None, 0, [])
        with there as started_one:
            if not started_one:
                report.holds("YaRN %s" % yarn, False, "does not start: " + last_words(log, 200))
                continue
            ids = post(url + "/tokenize", {"content": POEM})["tokens"]
            (end,) = post(url + "/tokenize", {"content": END, "parse_special": True})["tokens"]
            theirs = distribution(url, ids, 1)[end]
        trace = os.path.join(folder, "yarn.jsonl")
        subprocess.run([speclens, "run", "--model", file, "--drafter", "none", "--token-ids", ",".join(map(str, ids)), "--temp", "1", "--max-tokens", "1",
                        "--precision", "f32", "--weights", "bf16", "--trace-top", "8", "--json", trace], check=True, capture_output=True)
        events = [json.loads(line) for line in open(trace)]
        ours = math.exp(dict(map(tuple, next(event["top"] for event in events if event["kind"] == "resample")))[end])
        report.holds("YaRN %s: the end token here and there" % yarn, abs(ours - theirs) < 0.01, "%.4f here, %.4f there" % (ours, theirs))
        report.holds("YaRN %s: the end token there" % yarn, abs(theirs - known) < 0.002, "%.4f, was %.3f" % (theirs, known))
        print("YaRN %s: %.4f here, %.4f by llama.cpp" % (yarn, ours, theirs), flush=True)


plain_url, plain_log, plain = server(FILES["target"], "none", None, 0, [])
small_url, _, small = server(FILES["small"], "none", None, 0, [])
with plain as one, small as other:
    if not one or not other:
        skip("the server does not come up: " + last_words(plain_log))
    own = texts_of("none", plain_url)
    for kind, draft, k, settings, rule in TYPES:
        name = kind + ("" if not settings else " " + settings[0])
        url, log, there = server(FILES["target"], kind, draft and FILES[draft], k, settings)
        with there as started_one:
            if not started_one:
                report.holds(name, False, "does not start: " + last_words(log, 200))
                continue
            texts = texts_of(name, url)
            differ = [key for key in own if own[key] != texts[key]]
            if rule == "matching":
                report.equal(name + ": texts that are not the plain ones of the same seed", differ, [])
            else:
                report.equal(name + ": greedy texts that are not the plain ones", [key for key in differ if key[1] == 0], [])
                report.holds(name + ": other dice at T > 0", any(key[1] > 0 for key in differ), "every text is the plain one")
            found, notes = rule_of(url)
            if draft:
                report.equal(name + ": the rule that attach names", found, rule)
            else:  # where n-grams drafted too little it says so
                report.holds(name + ": the rule that attach names", found in ("matching", "open", None), "%s" % found)
            print(name + ":", found, flush=True)
            if kind == "draft_simple":
                hold_distribution(name, url, plain_url, small_url, rule)
hold_yarn()
report.end("llama.cpp by " + LLAMACPP + ", " + str(len(TYPES)) + " ways to draft")

#!/usr/bin/env python3
"""Draft by draft: what a real llama.cpp drafts with the built-in heads as GGUF files, against what the program drafts behind the same tokens.

llamacpp_drafts_test.py SPECLENS FOLDER [HEAD…]: as llamacpp_rules_test.py. EAGLE-3, DFlash and DSpark draft in llama.cpp's common library, which has no C
interface, so its server drafts, and its log tells every guess at verbosity 5; of DFlash 2, whose walk it does not log, how many guesses stayed. T = 0.
Where two guesses differ, their log-probabilities here must be nearer than NEAR_TIE. Heads in Q8_0 are held against the same blocks as they are, in f32: llama.cpp
rounds what meets such a matrix to 8 bits as well, so guesses part further from a tie; most drafts have to be the same, and as many guesses kept a round, within chance. Exit 77: skipped, with a word why."""
import json
import os
import re
import subprocess
import sys

from others import LLAMACPP, Report, here, llamacpp_python, post, skip, started, tiny_gguf

NEAR_TIE = 0.05  # llama.cpp rounds what it multiplies with bf16 to bf16
SAME_Q8 = 0.75  # the least share of drafts that are the same with a head in Q8_0
speclens, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
report = Report()

python = llamacpp_python(folder)
# The whole block of DSpark: with fewer guesses llama.cpp's is a row shorter than ours, and its rows see each other.
HEADS = [("draft_simple", "small", 3), ("draft_eagle3", "eagle3", 4), ("draft_dflash", "dflash", 7), ("draft_dflash", "dflash", 15),
         ("draft_dspark", "dspark", 8), ("draft_dflash", "dflash2", 7), ("draft_dflash", "dflash2", 15),
         ("draft_eagle3", "eagle3-q8", 4), ("draft_dflash", "dflash-q8", 7), ("draft_dspark", "dspark-q8", 8)]
HEADS = [head for head in HEADS if len(sys.argv) < 4 or head[1] in sys.argv[3:]]
FILES = {name: tiny_gguf(python, folder, name.removesuffix("-q8"), eight_bits=name.endswith("-q8")) for name in {"target"} | {name for _, name, _ in HEADS}}
PROMPTS = ["Tell me a story about a", "What is the capital of Japan?", "def add(a, b):\n    return", "1, 2, 3, 4, 5,", "Once upon a time", "The cat sat on",
           "Name three colours.", "a b c d e f a b c d"]
LENGTH = 40
DRAFT = re.compile(r"generate_draft: id=(\d+), #tokens=(\d+), #draft=(\d+)")
STAYED = re.compile(r"accepted +(\d+)/ *\d+ draft tokens")
GUESS = re.compile(r"seq_id \d+, draft candidate +0, pos +(\d+): +(\d+) ")


def drafts_told(log):
    """[[last token, tokens before it, guesses, their ids where it tells them, how many stayed]] by the server's log."""
    found, guesses = [], []
    for line in log.splitlines():
        if guess := GUESS.search(line):
            guesses = guesses[: int(guess[1])] + [int(guess[2])]
        elif draft := DRAFT.search(line):
            found.append([*map(int, draft.groups()), guesses[: int(draft[3])], None])
            guesses = []
        elif found and (stayed := STAYED.search(line)):
            found[-1][-1] = int(stayed[1])
    return found


def ours(name, k, ids, tokens):
    """{ids before a round: [(drafted id, [(id, log-probability)])]} of a greedy run behind `ids`."""
    trace = os.path.join(folder, "trace.jsonl")
    drafter, *packed = name.split("-")
    done = subprocess.run([speclens, "run", "--model", FILES["target"], "--drafter", drafter + "=" + FILES[name], "--token-ids", ",".join(map(str, ids)),
                           "--temp", "0", "--k", str(k), "--max-tokens", str(tokens), "--precision", "f32", "--weights", "keep" if packed else "bf16", "--trace-top", "8",
                           "--json", trace], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found, drafted, now = {}, [], list(ids)
    for line in open(trace):
        event = json.loads(line)
        if event["kind"] == "draft":
            drafted.append((event["token"], event.get("raw_top") or event["top"]))
        elif event["kind"] == "commit":
            found[tuple(now)] = drafted
            now, drafted = now + event["tokens"], []
    return found


def alike(one, other):
    return next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def hold(kind, name, k, port):
    """Rounds that are the same, that part at a near tie, and all; None: the server does not start."""
    log, url = os.path.join(folder, "drafts-%s-%d.log" % (name, k)), "http://127.0.0.1:%d" % port
    words = [python, os.path.join(here, "llamacpp.py"), FILES["target"], str(port), kind, FILES[name], str(k)]
    same = ties = rounds = 0
    kept, leads = [], [0]  # kept a round, here and there; where drafts part
    with started([*words, "threads=1", "n_ctx=1024", "verbosity=5", "draft.p_min=0"], url, log) as there:
        if not there:
            return None
        for prompt in PROMPTS:
            ids = post(url + "/tokenize", {"content": prompt})["tokens"]
            began = os.path.getsize(log)
            written = post(url + "/completion", {"prompt": ids, "n_predict": LENGTH, "temperature": 0, "cache_prompt": False, "return_tokens": True})["tokens"]
            with open(log, "rb") as file:
                file.seek(began)
                told = drafts_told(file.read().decode("utf-8", "replace"))
            whole = ids + written
            known = ours(name, k, whole[: len(ids) + 1], LENGTH)  # llama.cpp writes the first token without a round
            for last, before, count, theirs, stayed in told:
                where = "%s behind %d tokens of %r" % (name, before + 1, prompt[:8])
                context = whole[: before + 1]
                report.equal(where + ": its last token", context[-1], last)
                if count < k or (not theirs and stayed is None):  # cut at the limit
                    continue
                own = known.get(tuple(context)) or []
                if len(own) < k:
                    own = ours(name, k, context, k + 2)[tuple(context)]
                rounds += 1
                if stayed is not None:
                    kept.append((alike([token for token, _ in own], whole[before + 1 :]), stayed))
                drafted, after = [token for token, _ in own], whole[before + 1 :]
                if theirs:
                    at = alike(drafted, theirs)
                    other = theirs[at] if at < k else None
                elif (at := alike(drafted, after)) == stayed:
                    at, other = k, None
                else:  # where ours stays and theirs went, what theirs was is not told: the nearest
                    at, other = min(at, stayed), after[at] if at < stayed else None
                if at == k:
                    same += 1
                    continue
                chances = dict(map(tuple, own[at][1]))
                mine = chances.pop(drafted[at])
                lead = mine - (max(chances.values()) if other is None else chances.get(other, -99))
                ties += lead < NEAR_TIE
                leads.append(lead)
                if not name.endswith("-q8"):
                    report.holds(where + ", guess %d" % (at + 1), lead < NEAR_TIE, "%s here by %.3f, %s there" % (drafted[at], lead, other))
    if name.endswith("-q8"):
        differences = [there - here for here, there in kept]
        count, mean = len(differences), sum(differences) / len(differences)
        error = (sum((one - mean) ** 2 for one in differences) / (count - 1) / count) ** 0.5
        figures = "%d rounds, %.3f here, %.3f there +- %.3f" % (count, sum(here for here, _ in kept) / count, sum(there for _, there in kept) / count, 1.96 * error)
        report.holds(name + ": kept a round", abs(mean) <= 1.96 * error, figures)
        report.holds(name + ": the same drafts", same >= SAME_Q8 * rounds, "%d of %d" % (same, rounds))
        print("%s, kept a round: %s; drafts part by %.3f at most" % (name, figures, max(leads)), flush=True)
    return same, ties, rounds


for number, (kind, name, k) in enumerate(HEADS):
    found = hold(kind, name, k, 18520 + number)
    if found is None:
        if number == 0:
            skip("the server does not come up")
        report.holds(name, False, "does not start")
        continue
    same, ties, rounds = found
    report.holds(name + ": rounds", rounds > 20, "%d" % rounds)
    print("%s, %d guesses: %d of %d drafts the same, %d part at a near tie" % (name, k, same, rounds, ties), flush=True)
report.end("llama.cpp by " + LLAMACPP + ", draft by draft")

#!/usr/bin/env python3
"""Draft by draft: what a real llama.cpp drafts with the built-in heads as GGUF files, against what the program drafts behind the same tokens.

llamacpp_drafts_test.py SPECLENS FOLDER [HEAD…]: as llamacpp_rules_test.py. EAGLE-3, DFlash and DSpark draft in llama.cpp's common library, which has no C
interface, so its server drafts, and its log tells every guess at verbosity 5; of DFlash 2, whose walk it does not log, how many guesses stayed. T = 0.
Where two guesses differ, their log-probabilities here must be nearer than NEAR_TIE. Heads in Q8_0 are held against the same blocks as they are, in f32: llama.cpp
rounds what meets such a matrix to 8 bits as well, so guesses part further from a tie; most drafts have to be the same, and as many guesses kept a round, within chance. Planted: the program reads a file whose rows have the scales of
the next ones, which has to be found. Exit 77: skipped, with a word why."""
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
PLANTED = {name: tiny_gguf(python, folder, name.removesuffix("-q8"), eight_bits=True, planted=True) for _, name, _ in HEADS if name.endswith("-q8")}
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


def ours(name, file, k, ids, tokens):
    """{ids before a round: [(drafted id, [(id, log-probability)])]} of a greedy run behind `ids`."""
    trace = os.path.join(folder, "trace.jsonl")
    drafter, *packed = name.split("-")
    done = subprocess.run([speclens, "run", "--model", FILES["target"], "--drafter", drafter + "=" + file, "--token-ids", ",".join(map(str, ids)),
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


def listened(kind, name, k, port):
    """[(prompt, its ids, ids of the whole text, drafts_told())]; None: the server does not start."""
    log, url = os.path.join(folder, "drafts-%s-%d.log" % (name, k)), "http://127.0.0.1:%d" % port
    words = [python, os.path.join(here, "llamacpp.py"), FILES["target"], str(port), kind, FILES[name], str(k)]
    heard = []
    with started([*words, "threads=1", "n_ctx=1024", "verbosity=5", "draft.p_min=0"], url, log) as there:
        if not there:
            return None
        for prompt in PROMPTS:
            ids = post(url + "/tokenize", {"content": prompt})["tokens"]
            began = os.path.getsize(log)
            written = post(url + "/completion", {"prompt": ids, "n_predict": LENGTH, "temperature": 0, "cache_prompt": False, "return_tokens": True})["tokens"]
            with open(log, "rb") as file:
                file.seek(began)
                heard.append((prompt, ids, ids + written, drafts_told(file.read().decode("utf-8", "replace"))))
    return heard


class Held:
    """Rounds that were heard of llama.cpp against what `file` drafts here."""

    def __init__(self, name, k, file, heard):
        self.same = self.ties = self.rounds = 0
        self.kept, self.leads = [], [0]  # kept a round, here and there; where drafts part
        self.parted = []  # [(where, whether near a tie, why)]
        for prompt, ids, whole, told in heard:
            known = ours(name, file, k, whole[: len(ids) + 1], LENGTH)  # llama.cpp writes the first token without a round
            for last, before, count, theirs, stayed in told:
                where = "%s behind %d tokens of %r" % (name, before + 1, prompt[:8])
                context = whole[: before + 1]
                report.equal(where + ": its last token", context[-1], last)
                if count < k or (not theirs and stayed is None):  # cut at the limit
                    continue
                own = known.get(tuple(context)) or []
                if len(own) < k:
                    own = ours(name, file, k, context, k + 2)[tuple(context)]
                self.rounds += 1
                self.round(where, k, own, whole[before + 1 :], theirs, stayed)

    def round(self, where, k, own, after, theirs, stayed):
        drafted = [token for token, _ in own]
        if stayed is not None:
            self.kept.append((alike(drafted, after), stayed))
        if theirs:
            at = alike(drafted, theirs)
            other = theirs[at] if at < k else None
        elif (at := alike(drafted, after)) == stayed:
            at, other = k, None
        else:  # where ours stays and theirs went, what theirs was is not told: the nearest
            at, other = min(at, stayed), after[at] if at < stayed else None
        if at == k:
            self.same += 1
            return
        chances = dict(map(tuple, own[at][1]))
        mine = chances.pop(drafted[at])
        lead = mine - (max(chances.values()) if other is None else chances.get(other, -99))
        self.ties += lead < NEAR_TIE
        self.leads.append(lead)
        self.parted.append((where + ", guess %d" % (at + 1), lead < NEAR_TIE, "%s here by %.3f, %s there" % (drafted[at], lead, other)))

    def eight_bits(self):
        """[(what, whether it holds, figures)] of a head in Q8_0."""
        differences = [there - here for here, there in self.kept]
        count, mean = len(differences), sum(differences) / len(differences)
        error = 1.96 * (sum((one - mean) ** 2 for one in differences) / (count - 1) / count) ** 0.5
        means = (sum(here for here, _ in self.kept) / count, sum(there for _, there in self.kept) / count)
        return [("kept a round", abs(mean) <= error, "%d rounds, %.3f here, %.3f there +- %.3f" % (count, *means, error)),
                ("the same drafts", self.same >= SAME_Q8 * self.rounds, "%d of %d" % (self.same, self.rounds))]


for number, (kind, name, k) in enumerate(HEADS):
    heard = listened(kind, name, k, 18520 + number)
    if heard is None:
        if number == 0:
            skip("the server does not come up")
        report.holds(name, False, "does not start")
        continue
    found = Held(name, k, FILES[name], heard)
    report.holds(name + ": rounds", found.rounds > 20, "%d" % found.rounds)
    print("%s, %d guesses: %d of %d drafts the same, %d part at a near tie" % (name, k, found.same, found.rounds, found.ties), flush=True)
    if not name.endswith("-q8"):
        for where, near, why in found.parted:
            report.holds(where, near, why)
        continue
    for what, yes, figures in found.eight_bits():
        report.holds("%s: %s" % (name, what), yes, figures)
        print("%s, %s: %s" % (name, what, figures), flush=True)
    print("%s: drafts part by %.3f at most" % (name, max(found.leads)), flush=True)
    planted = Held(name, k, PLANTED[name], heard).eight_bits()
    report.holds(name + ": scales of the next row are found", not all(yes for _, yes, _ in planted), str(planted))
    print("%s with the scales of the next row: %s" % (name, "; ".join("%s %s, %s" % (what, "holds" if yes else "does not", figures) for what, yes, figures in planted)), flush=True)
report.end("llama.cpp by " + LLAMACPP + ", draft by draft")

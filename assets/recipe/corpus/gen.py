"""The corpus: which domains, how much of each, which documents belong to training.

    python -m corpus.gen sample --n 5           print documents with their entropy
    python -m corpus.gen check  --n 20000       sums, functions, JSON (see checks.py)
    python -m corpus.gen report --n 20000       documents, characters and nats per domain

Deterministic: document i of a seed is the same on every machine.  The split of a document is a hash of its
template and slot values: 1 in 50 test, 1 in 50 dev, the rest train; raw sums and word problems that use a
held-out operand pair (arithmetic.py) are never in train.
"""
import argparse
from zlib import crc32

from . import chat, facts, python_code, robustness, symbolic, tools, word_problems
from .grammar import Doc, seeded

# domain: (module, share of documents); shares of tokens are close to the plan because lengths differ
MIXTURE = {
    "facts": (facts, 0.25), "words": (word_problems, 0.16), "symbolic": (symbolic, 0.19), "code": (python_code, 0.13),
    "json": (tools, 0.08), "chat": (chat, 0.13), "robustness": (robustness, 0.06),
}
SYSTEMS = ["You are a helpful assistant.", "You are a friendly assistant.", "Answer briefly."]
# families whose content space is small by nature: they are always in train, their test prompts are other phrasings
ALWAYS_TRAIN = {"facts", "robustness"}


RAW = {"country_raw", "story_raw", "code_raw", "sum_raw"}


def normal(weights):
    return [w / sum(weights) for w in weights]


def make(seed, index, domain=None):
    """Document number `index` of a seed: a finished Doc with .domain, .family and .split."""
    d = Doc(seeded(seed, index))
    names = list(MIXTURE)
    d.domain = domain or d.choose(names, normal([MIXTURE[n][1] for n in names]))
    builders, weights = zip(*MIXTURE[d.domain][0].FAMILIES)
    build = d.choose(builders, normal(weights))
    d.family = build.__name__
    if d.domain not in ("json", "robustness") and build.__name__ not in RAW and d.chance(0.06):
        d.system(d.choose(SYSTEMS))
    build(d)
    d.settle()
    bucket = crc32("\x1f".join(map(str, [d.domain, d.family] + d.key)).encode()) % 50
    if d.domain in ALWAYS_TRAIN:
        bucket = crc32(d.text.encode()) % 50          # held-out phrasings of facts that are trained
    d.split = "test" if bucket == 0 or d.held else "dev" if bucket == 1 else "train"
    return d


def stream(seed, split="train", start=0, domain=None):
    index = start
    while True:
        d = make(seed, index, domain)
        index += 1
        if d.split == split:
            yield d


def main():
    from .checks import check_documents, report
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["sample", "check", "report"])
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--domain")
    args = parser.parse_args()
    documents = (make(args.seed, i, args.domain) for i in range(args.n))
    if args.what == "sample":
        for d in documents:
            print(f"--- {d.domain}/{d.family} {d.split} {d.nll:.1f} nats\n{d.text}")
    elif args.what == "check":
        check_documents(documents)
    else:
        report(documents)


if __name__ == "__main__":
    main()

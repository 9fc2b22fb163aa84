"""The corpus: which domains, how much of each, which documents belong to training.

    python -m corpus.gen sample  --n 5            print documents with their entropy
    python -m corpus.gen check   --n 20000        sums, functions, JSON (see checks.py)
    python -m corpus.gen report  --n 20000        documents, characters, nats and kinds of text per domain
    python -m corpus.gen splits  --n 20000        per domain: no held-out prompt occurs in training text (see splits.py)
    python -m corpus.gen entropy --n 20000        entropy per domain, two ways
    python -m corpus.gen speed   --n 20000        documents and characters per minute

Add --domain facts for one domain only, --no-modes for the grammar without multi-token modes (see grammar.py).

Deterministic: document i of a seed is the same on every machine.  A document is kept out of training when it uses
something that is held out as a whole (Doc.unseen: an operand pair, a function, a tool, a form of a question ...), or
when the hash of its prompt says so: 1 in 50 test, 1 in 50 dev.  Test is everything held out; dev is the second hash
bucket only, so dev prompts are new but of trained kinds.
"""
import argparse
import re
import time

from . import chat, facts, python_code, robustness, symbolic, tools, word_problems
from .grammar import Doc, bucket, seeded
from .wrappers import core

# domain: (module, share of documents); shares of tokens are close to the plan because lengths differ
MIXTURE = {
    "facts": (facts, 0.25), "words": (word_problems, 0.16), "symbolic": (symbolic, 0.18), "code": (python_code, 0.15),
    "json": (tools, 0.09), "chat": (chat, 0.15), "robustness": (robustness, 0.06),
}
SYSTEMS = ["You are a helpful assistant.", "You are a friendly assistant.", "Answer briefly."]
RAW = {"country_raw", "story_raw", "code_raw", "sum_raw"}


def normal(weights):
    return tuple(w / sum(weights) for w in weights)


DOMAINS, SHARES = list(MIXTURE), normal([share for _, share in MIXTURE.values()])
BUILDERS = {name: ([b for b, _ in module.FAMILIES], normal([w for _, w in module.FAMILIES])) for name, (module, _) in MIXTURE.items()}


def family_of(domain, family):
    """The builder of a family; None: there is none of this name."""
    return next((b for b in BUILDERS[domain][0] if b.__name__ == family), None)


def bare(text):
    """The words of a text, without case and punctuation; signs that mean something in mathematics or code stay."""
    return " ".join(re.findall(r"\w+|[-+*/=^<>%]", text.lower()))


def split_of(d):
    """train, dev or test.  Documents with the same prompt always share a split."""
    if d.unseen:
        return "test"
    if d.always:
        return "train"
    number = bucket(d.domain, d.family, *d.key, of=50) if d.key else bucket(core(bare(d.question or d.text)), of=50)
    if number == 0:
        d.unseen.add("content" if d.key else "wording")
    return ("test", "dev", "train")[min(number, 2)]


def make(seed, index, domain=None, modes=True):
    """Document number `index` of a seed: a finished Doc with .domain, .family and .split.

    domain: the mixture (None), one of DOMAINS, or one family of a domain: "json/composed"."""
    return grow(Doc(seeded(seed, index), modes), domain)


def grow(d, domain=None):
    d.domain, _, family = domain.partition("/") if domain else (d.choose(DOMAINS, SHARES), "", "")
    build = family_of(d.domain, family) if family else d.choose(*BUILDERS[d.domain])
    d.family = build.__name__
    if d.domain not in ("json", "robustness") and d.family not in RAW and d.chance(0.06):
        d.system(d.choose(SYSTEMS))
    build(d)
    d.split = split_of(d)
    return d


def stream(seed, split="train", start=0, domain=None, modes=True):
    index = start
    while True:
        d = make(seed, index, domain, modes)
        index += 1
        if d.split == split:
            yield d


def sample(documents):
    for d in documents:
        print(f"--- {d.domain}/{d.family} {d.split} {' '.join(sorted(d.unseen))} {d.nll:.1f} nats\n{d.text}")


def speed(documents):
    started = time.process_time()
    n = characters = 0
    for d in documents:
        n += 1
        characters += len(d.text)
    minutes = (time.process_time() - started) / 60
    print(f"{n} documents, {characters} characters: {n / minutes:.3g} documents and {characters / minutes:.3g} characters "
          f"a minute of one core")


def main():
    from .checks import check_documents, report
    from .splits import check_splits, entropy
    commands = {"sample": sample, "check": check_documents, "report": report, "splits": check_splits, "entropy": entropy, "speed": speed}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=list(commands))
    parser.add_argument("--n", type=int, default=5, help="documents (splits and entropy: of every domain)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--domain", choices=DOMAINS)
    parser.add_argument("--no-modes", action="store_true", help="no multi-token modes in answers: the control of the ablation")
    args = parser.parse_args()
    each = [args.domain] if args.domain or args.what not in ("splits", "entropy") else DOMAINS
    commands[args.what](make(args.seed, i, domain, not args.no_modes) for domain in each for i in range(args.n))


if __name__ == "__main__":
    main()

"""How far the best possible drafters get on the grammar itself, with and without its multi-token modes.  No model.

    python ceiling.py --tokenizer ../models/target [--documents 20]

Both drafters know the distribution of what follows exactly (here: from samples of the grammar, given the text so far).
    parallel   guesses every slot alone: the most likely token of each slot's marginal, as DFlash does
    causal     guesses slot by slot, given its own guesses before, as Domino and EAGLE-3 do
The text is a sample of the grammar (temperature 1).  Their difference is what a causal head can gain at most; without
multi-token modes it must vanish.  "mixed" counts rounds in which the parallel guess is a text that never occurs
("San York") and the causal guess gets further.
"""
import argparse
import random
from collections import Counter
from pathlib import Path

from corpus.gen import DOMAINS, grow
from corpus.grammar import Doc
from data import tokenizer_of


class Script:
    """Random numbers that repeat the first ones of another document; logs each with the text's length when drawn."""

    def __init__(self, values, seed):
        self.values, self.fresh, self.log, self.doc = values, random.Random(seed), [], None

    def random(self):
        k = len(self.log)
        value = self.values[k] if k < len(self.values) else self.fresh.random()
        self.log.append((value, self.doc.length))
        return value


def document(domain, modes, values, seed):
    script = Script(values, seed)
    script.doc = d = Doc(script, modes)
    grow(d, domain)
    return d, script.log


class Answer:
    """One document's answer and, for every position, samples of how the grammar may go on from there."""

    def __init__(self, tok, domain, modes, seed, samples):
        self.tok, self.domain, self.modes, self.seed, self.samples = tok, domain, modes, seed, samples
        self.d, self.log = document(domain, modes, [], f"{domain}/{seed}")
        encoded = tok.encode(self.d.text)
        self.ids, self.ends = encoded.ids, [end for _, end in encoded.offsets]
        cut = sum(map(len, self.d.parts[:self.d.prompt_end]))
        self.first = next((i for i, (a, _) in enumerate(encoded.offsets) if a >= cut), len(self.ids))
        self.known = {}

    def futures(self, t):
        """Token lists after position t of documents that agree with this one before t."""
        if t not in self.known:
            shown = self.ends[t - 1]
            starts = sorted({length for _, length in self.log} | {len(self.d.text)})
            after = dict(zip(starts, starts[1:]))
            # a decision is settled when the text up to the next one is shown
            keep = [v for v, length in self.log if after.get(length, length + 1) <= shown]
            found = []
            for k in range(20 * self.samples):
                d, _ = document(self.domain, self.modes, keep, f"{self.seed}/{t}/{k}")
                ids = self.tok.encode(d.text).ids
                if ids[:t] == self.ids[:t]:
                    found.append(ids[t:t + 16])
                if len(found) >= self.samples or (k >= 3 * self.samples and len(found) >= 12):
                    break
            self.known[t] = found or [self.ids[t:t + 16]]
        return self.known[t]


def parallel(futures, n):
    slots = [Counter(f[k] for f in futures if len(f) > k) for k in range(n)]
    return [slot.most_common(1)[0][0] for slot in slots if slot]


def causal(futures, n):
    out = []
    for k in range(n):
        futures = [f for f in futures if len(f) > k]
        if not futures:
            break
        out.append(Counter(f[k] for f in futures).most_common(1)[0][0])
        futures = [f for f in futures if f[k] == out[k]]
    return out


def agree(guess, truth):
    return next((k for k, (a, b) in enumerate(zip(guess, truth)) if a != b), min(len(guess), len(truth)))


def rounds(answer, drafter, block):
    """Tokens and rounds to write the answer; and rounds whose guess mixes modes where a causal one gets further."""
    t, count, mixed = answer.first, 0, 0
    while t < len(answer.ids):
        futures = answer.futures(t)
        guess = drafter(futures, block - 1)
        right = agree(guess, answer.ids[t:])
        if drafter is parallel and all(f[:right + 2] != guess[:right + 2] for f in futures):
            mixed += agree(causal(futures, block - 1), answer.ids[t:]) > right
        t += right + 1
        count += 1
    return len(answer.ids) - answer.first, count, mixed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=20, help="answers per domain")
    parser.add_argument("--samples", type=int, default=200, help="continuations per position")
    parser.add_argument("--domain", choices=DOMAINS, nargs="*", default=DOMAINS)
    args = parser.parse_args()
    tok = tokenizer_of(args.tokenizer)
    for modes in (True, False):
        for domain in args.domain:
            answers, seed = [], 0
            while len(answers) < args.documents:
                answer = Answer(tok, domain, modes, seed, args.samples)
                seed += 1
                if answer.d.prompt_end:
                    answers.append(answer)
            row = []
            for block in (8, 16):
                total = {}
                for drafter in (parallel, causal):
                    tokens, count, mixed = (sum(x) for x in zip(*(rounds(a, drafter, block) for a in answers)))
                    total[drafter] = tokens / count, mixed, count
                row.append(f"B={block}: parallel {total[parallel][0]:5.2f} causal {total[causal][0]:5.2f} "
                           f"gain {100 * (total[causal][0] / total[parallel][0] - 1):+5.1f} %  mixed {total[parallel][1]} of {total[parallel][2]} rounds")
            print(f"{'modes' if modes else 'plain'} {domain:11s} {'   '.join(row)}", flush=True)


if __name__ == "__main__":
    main()

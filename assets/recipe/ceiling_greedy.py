"""How far a guesser gets on the likeliest text, when it knows the grammar but not what the leanings depend on.  No model.

    python ceiling_greedy.py --tokenizer ../models/target [--documents 20]

The prompt is drawn, the answer takes the likeliest alternative of every decision, as a greedy writer would.  Who knows
the hash behind the leanings too is never wrong and keeps a whole block.  The two guessers here know all templates and
weights and the text so far, but take the order of the alternatives ahead for random:
    parallel   the most likely token of every slot      causal   slot by slot, given its own guesses
The distance to a whole block is what a drafter has to learn about contexts.
"""
import argparse
import random
from pathlib import Path

from ceiling import causal, parallel, rounds
from corpus.gen import DOMAINS, grow
from corpus.grammar import Doc
from data import tokenizer_of


class Greedy(Doc):
    """Draws the prompt and takes the likeliest decision in the answer; after `known` of them leanings are shuffled."""

    def __init__(self, seed, known=None, shuffle=None):
        super().__init__(random.Random(f"greedy/{seed}"))
        self.known, self.shuffle, self.lengths = known, shuffle, []

    def likeliest(self, weights):
        self.lengths.append(self.length)
        return max(range(len(weights)), key=lambda i: weights[i])

    def choose(self, options, weights=None):
        if not self.prompt_end:
            return super().choose(options, weights)
        return options[self.likeliest(weights or [1] * len(options))]

    def number(self, low, high):
        return self.choose(range(low, high + 1)) if self.prompt_end else super().number(low, high)

    def draw(self, table):
        return self.choose(table.outcomes, list(table.p.values())) if self.prompt_end else super().draw(table)

    def order(self, options, *context):
        if self.shuffle is None or not self.prompt_end or len(self.lengths) < self.known:
            return super().order(options, *context)
        return self.shuffle.sample(range(len(options)), len(options))


class Answer:
    """A greedy answer; futures() are texts that agree with it so far, with the leanings ahead in random order."""

    def __init__(self, tok, domain, seed, samples):
        self.tok, self.domain, self.seed, self.samples = tok, domain, seed, samples
        self.d = grow(Greedy(f"{domain}/{seed}"), domain)
        encoded = tok.encode(self.d.text)
        self.ids, self.ends = encoded.ids, [end for _, end in encoded.offsets]
        cut = sum(map(len, self.d.parts[:self.d.prompt_end]))
        self.first = next((i for i, (a, _) in enumerate(encoded.offsets) if a >= cut), len(self.ids))
        self.memo = {}

    def futures(self, t):
        if t not in self.memo:
            starts = sorted({*self.d.lengths, len(self.d.text)})
            after = dict(zip(starts, starts[1:]))
            known = sum(after.get(length, length + 1) <= self.ends[t - 1] for length in self.d.lengths)
            found = []
            for k in range(self.samples):
                d = grow(Greedy(f"{self.domain}/{self.seed}", known, random.Random(f"{t}/{k}")), self.domain)
                ids = self.tok.encode(d.text).ids
                if ids[:t] == self.ids[:t]:
                    found.append(ids[t:t + 16])
            self.memo[t] = found or [self.ids[t:t + 16]]
        return self.memo[t]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=20, help="answers per domain")
    parser.add_argument("--samples", type=int, default=100, help="continuations per position")
    parser.add_argument("--domain", choices=DOMAINS, nargs="*", default=DOMAINS)
    args = parser.parse_args()
    tok = tokenizer_of(args.tokenizer)
    for domain in args.domain:
        answers, seed = [], 0
        while len(answers) < args.documents:
            answer = Answer(tok, domain, seed, args.samples)
            seed += 1
            if answer.d.prompt_end:
                answers.append(answer)
        row = []
        for block in (8, 16):
            whole = sum(len(a.ids) - a.first for a in answers) / sum(-(-(len(a.ids) - a.first) // block) for a in answers)
            figures = []
            for drafter in (parallel, causal):
                tokens, count, _ = (sum(x) for x in zip(*(rounds(a, drafter, block) for a in answers)))
                figures.append(tokens / count)
            row.append(f"B={block}: parallel {figures[0]:5.2f} causal {figures[1]:5.2f} whole blocks {whole:5.2f}")
        print(f"{domain:11s} {'   '.join(row)}", flush=True)


if __name__ == "__main__":
    main()

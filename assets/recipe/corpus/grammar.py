"""A probabilistic grammar that knows its own entropy.

Every random decision of a document goes through Doc.choose(), which adds -log p to the document's total.
So the exact cross-entropy floor of the corpus is known, and a trained model can be judged by its excess.

Prose is written in a small template language, expanded by Doc.say():
    {a|b|c}    one alternative, earlier ones more likely (weights fall as rank^-0.7, so there is no tie)
    {*a|b|c}   a stem: alternatives that cross at several slots, weights .40 .33 .27 (see README)
    [text]     an optional word or phrase, present with probability 0.35;  [0.6:text] sets it
    $name      a value fixed earlier with Doc.slots (agreement: a name, a gender, a unit ...)
Braces nest.  Text that contains these characters literally (code, JSON) goes through Doc.fixed().
"""
import math
import random
import re
from functools import lru_cache

STEM = {1: (1.0,), 2: (0.57, 0.43), 3: (0.40, 0.33, 0.27), 4: (0.36, 0.28, 0.2, 0.16)}


@lru_cache(None)
def rank_weights(n, skew=0.7):
    w = [(i + 1) ** -skew for i in range(n)]
    return tuple(x / sum(w) for x in w)


def parse(text):
    """Template -> list of nodes ('text', s) | ('slot', name) | ('alt', kind, [nodes...]) | ('opt', p, nodes)."""
    pos = 0

    def sequence(stops):
        nonlocal pos
        nodes, literal = [], []

        def flush():
            if literal:
                nodes.append(("text", "".join(literal)))
                literal.clear()

        while pos < len(text) and text[pos] not in stops:
            c = text[pos]
            if c == "{":
                flush()
                pos += 1
                kind = "choice"
                if text[pos] == "*":
                    kind, pos = "stem", pos + 1
                branches = [sequence("|}")]
                while text[pos] == "|":
                    pos += 1
                    branches.append(sequence("|}"))
                pos += 1
                nodes.append(("alt", kind, branches))
            elif c == "[":
                flush()
                pos += 1
                m = re.compile(r"(0\.\d+):").match(text, pos)
                p = 0.35
                if m:
                    p, pos = float(m.group(1)), m.end()
                inner = sequence("]")
                pos += 1
                nodes.append(("opt", p, inner))
            elif c == "$" and pos + 1 < len(text) and text[pos + 1].isalpha():
                flush()
                m = re.compile(r"\$([A-Za-z_0-9]+)").match(text, pos)
                nodes.append(("slot", m.group(1)))
                pos = m.end()
            else:
                literal.append(c)
                pos += 1
        flush()
        return nodes

    nodes = sequence("")
    if pos != len(text):
        raise ValueError(f"unbalanced template: {text!r} at {pos}")
    return nodes


parsed = lru_cache(None)(parse)


class Doc:
    """One document under construction: its text, its -log p, and labelled spans (start, end, kind)."""

    def __init__(self, rng):
        self.rng = rng
        self.parts, self.length = [], 0
        self.nll = 0.0
        self.lazy = []         # (value, cost) of values that count only if the text shows them
        self.spans = []
        self.slots = {}
        self.key = []          # values that identify the content; the split is a hash of them
        self.checks = []       # (kind, payload) verified by checks.py
        self.prompt_end = 0    # index in parts where the last answer begins
        self.expect = None     # substring that a correct answer contains, for held-out prompts
        self.held = False      # uses an operand pair kept out of training

    # -- decisions -------------------------------------------------------------------------------------
    def choose(self, options, weights=None):
        if weights is None:
            i = int(self.rng.random() * len(options))
            self.nll += math.log(len(options))
            return options[i]
        u, i = self.rng.random(), 0
        while i < len(options) - 1 and u >= weights[i]:
            u -= weights[i]
            i += 1
        self.nll -= math.log(weights[i])
        return options[i]

    def ranked(self, options, skew=0.7):
        return self.choose(options, rank_weights(len(options), skew))

    def chance(self, p):
        return self.choose((True, False), (p, 1 - p))

    def number(self, low, high):
        """Uniform integer, both ends included."""
        self.nll += math.log(high - low + 1)
        return low + int(self.rng.random() * (high - low + 1))

    def several(self, options, n):
        """n different options, in order."""
        pool, out = list(options), []
        for _ in range(n):
            x = self.choose(pool)
            pool.remove(x)
            out.append(x)
        return out

    def lazily(self, options, weights=None):
        """choose(), for a value that the template may not use; see settle()."""
        before = self.nll
        value = self.choose(options, weights)
        self.lazy.append((value, self.nll - before))
        return value

    def settle(self):
        """Take back the cost of values that never made it into the text."""
        text = self.text
        for value, cost in self.lazy:
            forms = value if isinstance(value, tuple) else (value,)
            if not any(re.search(rf"\b{re.escape(form)}\b", text, re.I) for form in forms):
                self.nll -= cost
        self.lazy.clear()

    # -- text ------------------------------------------------------------------------------------------
    def emit(self, text, kind):
        if text:
            self.spans.append((self.length, self.length + len(text), kind))
            self.parts.append(text)
            self.length += len(text)

    def fixed(self, text):
        self.emit(text, "fixed")

    def say(self, template, **slots):
        if slots:
            self.slots.update(slots)
        self.expand(parsed(template), "fixed")

    def line(self, template, **slots):
        """Expand to a string without emitting it (for titles, prompts, and text that is used twice)."""
        parts, length, spans = self.parts, self.length, self.spans
        self.parts, self.length, self.spans = [], 0, []
        self.say(template, **slots)
        text = "".join(self.parts)
        self.parts, self.length, self.spans = parts, length, spans
        return text

    def expand(self, nodes, kind):
        for node in nodes:
            tag = node[0]
            if tag == "text":
                self.emit(node[1], kind)
            elif tag == "slot":
                self.emit(str(self.slots[node[1]]), "agree")
            elif tag == "alt":
                branches = node[2]
                weights = STEM[len(branches)] if node[1] == "stem" else rank_weights(len(branches))
                self.expand(self.choose(branches, weights), node[1])
            elif self.chance(node[1]):
                self.expand(node[2], "opt")

    @property
    def text(self):
        return "".join(self.parts)

    # -- chat layout (ChatML; the empty think block marks the non-thinking mode) -----------------------
    def system(self, text):
        self.fixed("<|im_start|>system\n" + text + "<|im_end|>\n")

    def user(self, template, **slots):
        self.fixed("<|im_start|>user\n")
        self.say(template, **slots)
        self.fixed("<|im_end|>\n")

    def user_text(self, text):
        self.fixed("<|im_start|>user\n" + text + "<|im_end|>\n")

    def begin(self, thought=None):
        """Open the last assistant turn."""
        self.fixed("<|im_start|>assistant\n<think>\n")
        if thought:
            self.say(thought)
            self.fixed("\n</think>\n\n")
        else:
            self.fixed("\n</think>\n\n")
        self.prompt_end = len(self.parts)

    def begin_history(self):
        """Open an assistant turn that is not the last one: the chat template drops its think block."""
        self.fixed("<|im_start|>assistant\n")

    def end_turn(self):
        self.fixed("<|im_end|>\n")

    def end(self):
        self.fixed("<|im_end|>")

    def end_raw(self):
        self.fixed("<|endoftext|>")


def a_or_an(word):
    return ("an " if word[0].lower() in "aeiou" and not word.startswith(("uni", "use", "eu")) else "a ") + word


def plural(n, one, many=None):
    return one if n == 1 else (many or one + "s")


def seeded(seed, *labels):
    return random.Random(f"{seed}/" + "/".join(map(str, labels)))

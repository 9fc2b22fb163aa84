"""A probabilistic grammar that knows its own entropy.

Every random decision of a document goes through Doc.choose() (or draw(), number(), chance() ...), which adds its -log p
to Doc.nll and the entropy of that one decision to Doc.entropy.  Both have the same mean, the entropy of the corpus, so
a trained model can be judged by its excess over it; a test compares the two.

Prose is written in a small template language, expanded by Doc.say():
    {a|b|c}    one alternative, earlier ones more likely (weights fall as rank^-0.7, so there is no tie)
    {*a|b|c}   a stem, weights .40 .33 .27: crossed modes where b and c begin alike and a does not ("In a", "Once upon",
               "Once there": guessed slot by slot it is "Once a", which never occurs)
    {%a|b|c}   a leaning: skewed weights (rank^-1), and which alternative gets which depends on an earlier slot
               (Doc.anchor, or {%name:a|b|c}) and on the alternatives taken at the two leanings before, as a chain; see leaning()
    {a|!b|~c}  in a prompt: whoever draws b is held out of training; c is part of other prompts, so it is always trained
    [text]     an optional word or phrase, present with probability 0.35;  [0.6:text] sets it
    $name      a value fixed earlier with Doc.slots (agreement: a name, a gender, a unit ...)
Braces nest.  Text that contains these characters literally (code, JSON) goes through Doc.fixed().

The knob: Doc(rng, modes=False) takes the multi-token modes out of answers and raw texts.  Stems and alternatives of
several words become their first alternative, optional words disappear; choices between single words stay.
Prompts do not change, so one set of prompts serves both.
"""
import math
import random
from bisect import bisect_right
from functools import lru_cache
from hashlib import md5
from itertools import accumulate
from zlib import crc32

from .template import parsed, single_words
from .wrappers import variants

CLASSES = 8        # classes of slot values that lean alike: a leaning has 8 x 4 x 2 orders to learn, whatever the slot
LEAN = 1.0         # skew of their weights
STEM = {1: (1.0,), 2: (0.57, 0.43), 3: (0.40, 0.33, 0.27), 4: (0.36, 0.28, 0.2, 0.16)}


@lru_cache(None)
def rank_weights(n, skew=0.7):
    w = [(i + 1) ** -skew for i in range(n)]
    return tuple(x / sum(w) for x in w)


@lru_cache(None)
def entropy_of(weights):
    return -sum(w * math.log(w) for w in weights if w > 0)


class Table:
    """A distribution over outcomes, for values that several draws would otherwise reach by different ways."""

    def __init__(self, weights):
        total = sum(weights.values())
        self.outcomes = list(weights)
        self.p = dict(zip(self.outcomes, (w / total for w in weights.values())))
        self.cumulative = list(accumulate(self.p.values()))
        self.entropy = entropy_of(tuple(self.p.values()))

    def where(self, keep):
        """The same distribution, given that the outcome is one to keep."""
        return Table({x: p for x, p in self.p.items() if keep(x)})


def bucket(*values, of):
    """A stable hash of values, 0 <= hash < of: the same on every machine."""
    return crc32("\x1f".join(map(str, values)).encode()) % of


@lru_cache(None)
def leaning(options, *context):
    """Indices of the options, likeliest first: a permutation that is a stable hash of options and context.

    It changes no entropy.  A greedy writer goes another way in every context, so that whoever guesses several tokens
    ahead has to know the context, as in real language."""
    return tuple(sorted(range(len(options)), key=lambda i: md5("\x1f".join(map(str, (options[i], *context))).encode()).digest()))


class Doc:
    """One document under construction: its text, its -log p, and labelled spans (start, end, kind)."""

    def __init__(self, rng, modes=True):
        self.rng, self.modes = rng, modes
        self.parts, self.length = [], 0
        self.nll = 0.0         # -log p of the decisions taken
        self.entropy = 0.0     # sum of the entropies of these decisions
        self.path = 0          # fingerprint of the decisions: two ways to one text show up as two paths
        self.spans = []
        self.slots = {}        # a value that is a function is drawn when the text first needs it
        self.in_prompt = False
        self.anchor = None     # the slot that leanings depend on
        self.last = 0          # the alternative taken at the leaning before
        self.before = 0        # and at the one before that
        self.question = None   # first user turn
        self.key = None        # content that the prompt shows; the split is a hash of it, or of the prompt's words
        self.unseen = set()    # what keeps the document out of training: form, pair, function, tool ...
        self.always = False    # a prompt whose words are part of other prompts
        self.checks = []       # (kind, payload) verified by checks.py
        self.copied = False    # the answer repeats the prompt
        self.prompt_end = 0    # index in parts where the last answer begins
        self.prompt_nll = 0.0  # -log p of all that comes before it
        self.expect = None     # substring that a correct answer contains, for held-out prompts

    # -- decisions -------------------------------------------------------------------------------------
    def took(self, i, nll, entropy):
        self.nll += nll
        self.entropy += entropy
        self.path = (self.path * 1_000_003 + i + 1) & 0xFFFFFFFFFFFFFFF

    def choose(self, options, weights=None):
        if weights is None:
            i = int(self.rng.random() * len(options))
            self.took(i, math.log(len(options)), math.log(len(options)))
            return options[i]
        u, i = self.rng.random(), 0
        while i < len(options) - 1 and u >= weights[i]:
            u -= weights[i]
            i += 1
        self.took(i, -math.log(weights[i]), entropy_of(tuple(weights)))
        return options[i]

    def ranked(self, options, skew=0.7):
        return self.choose(options, rank_weights(len(options), skew))

    def chance(self, p):
        return self.choose((True, False), (p, 1 - p))

    def number(self, low, high):
        """Uniform integer, both ends included."""
        i = int(self.rng.random() * (high - low + 1))
        self.took(i, math.log(high - low + 1), math.log(high - low + 1))
        return low + i

    def several(self, options, n):
        """n different options, in order."""
        pool, out = list(options), []
        for _ in range(n):
            x = self.choose(pool)
            pool.remove(x)
            out.append(x)
        return out

    def draw(self, table):
        i = min(bisect_right(table.cumulative, self.rng.random()), len(table.outcomes) - 1)
        x = table.outcomes[i]
        self.took(i, -math.log(table.p[x]), table.entropy)
        return x

    # Decisions of an answer that put several tokens at stake: the knob takes them out.
    def mode(self, options, weights=None):
        return self.choose(options, weights) if self.modes else options[0]

    def maybe(self, p):
        return self.modes and self.chance(p)

    def context(self, name=None):
        """The class of the slot that a leaning depends on."""
        name = name or self.anchor
        return bucket(self.slot(name), of=CLASSES) if name else 0

    def order(self, options, *context):
        return leaning(options, *context)

    def prefer(self, options, by=None, skew=LEAN):
        """One of some options, with the skewed weights of a leaning; the order depends on one slot only."""
        if not self.modes:
            return options[0]
        order = self.order(tuple(options), bucket(self.slot(by or self.anchor), of=2 * CLASSES))
        return options[order[self.choose(range(len(options)), rank_weights(len(options), skew))]]

    # -- split -----------------------------------------------------------------------------------------
    def hold(self, reason, yes=True):
        """Keep this document out of training."""
        if yes:
            self.unseen.add(reason)

    def lazy(self, names, draw):
        """Slots that are drawn together, by a function returning their values, when the text first needs one."""
        def resolve():
            self.slots.update(zip(names, draw()))
        self.slots.update({name: resolve for name in names})

    def slot(self, name):
        value = self.slots[name]
        if callable(value):
            value()
            value = self.slots[name]
        return value

    def shown(self, name):
        """Has this slot been drawn?"""
        return name in self.slots and not callable(self.slots[name])

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
        self.parts, self.spans = [], []
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
                self.emit(str(self.slot(node[1])), "agree")
            elif tag == "alt":
                _, kind, branches, marks, sources, name = node
                order = self.order(sources, self.context(name), self.last % 4, self.before % 2) if kind == "lean" else range(len(branches))
                if self.modes or self.in_prompt or (kind != "stem" and single_words(branches)):
                    weights = STEM[len(branches)] if kind == "stem" else rank_weights(len(branches), LEAN if kind == "lean" else 0.7)
                    i = order[self.choose(range(len(branches)), weights)]
                else:
                    i = 0
                if kind == "lean":
                    self.last, self.before = i, self.last
                self.hold("form", marks[i] == "!")
                self.always |= marks[i] == "~"
                self.expand(branches[i], kind)
            elif (self.modes or self.in_prompt) and self.chance(node[1]):
                self.expand(node[2], "opt")

    @property
    def text(self):
        return "".join(self.parts)

    # -- chat layout (ChatML; the empty think block marks the non-thinking mode) -----------------------
    def system(self, text):
        self.fixed("<|im_start|>system\n" + text + "<|im_end|>\n")

    def user(self, template, **slots):
        start = len(self.parts) + 1
        self.in_prompt = True
        self.fixed("<|im_start|>user\n")
        self.say(template, **slots)
        self.in_prompt = False
        self.question = self.question or "".join(self.parts[start:])
        self.fixed("<|im_end|>\n")

    def ask(self, template, wrap=True, lower=False, **slots):
        """A user turn with one request, which may be wrapped ("Please ...") and written carelessly, see wrappers.py."""
        self.in_prompt = True
        text = self.line(template, **slots)
        self.in_prompt = False
        texts, weights, held = variants(text, wrap, lower)
        i = self.choose(range(len(texts)), weights)
        self.hold("form", held[i])
        self.user_text(texts[i])

    def user_text(self, text):
        self.question = self.question or text
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
        self.prompt_nll = self.nll

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

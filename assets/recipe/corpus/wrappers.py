"""Ways to say the same request: wrappers around it, and careless spelling.  Prompts only.

    variants("Name the capital of Peru.")  ->  "Please name the capital of Peru.", "could you name the capital of Peru" ...

A wrapper fits a kind of sentence: orders ("Name ...") or questions ("What ...?").  Requests that already contain a
wrapper's words are left alone, so that no prompt can be made in two ways.  core() takes wrappers off again: the split
is a hash of what is left, so that a request and its wrapped forms are held out together.
"""
import re
from functools import lru_cache

from .facts_data import COUNTRIES, PLANETS
from .lexicon import CITIES, DAYS, MONTHS, NAMES

ORDERS = set("""Add Answer Ask Be Book Buy Calculate Call Cancel Change Check Choose Clean Close Compare Compute Continue Copy Convert
Count Create Define Delete Describe Download Draw Email Expand Explain Factor Find Finish Get Give Help Implement Invent Invite
List Look Lock Make Mix Move Multiply Name Note Open Order Paint Pack Pause Plan Play Pretend Print Put Rate Record Reduce Remind Rename
Rent Repair Repeat Reserve Reset Return Review Roll Save Say Scan Search Sell Send Set Share Ship Show Simplify Solve Sort Speak Start
Stop Suggest Switch Take Talk Tell Test Throw Track Translate Turn Update Wake Wash Weigh Work Wrap Write Hold Hire Inspect Join Announce
Archive Unlock Clear Design Measure Insert Restart Fix Prepare Sketch Note Imagine Recommend""".split())
QUESTIONS = set("What What's Which How Where Is Are Who When On In Does Will At To With From".split())
POLITE = re.compile(r"\b(please|can you|could you|would you|hello|hi|hey|tell me|i need you)\b", re.I)
PROPER = {w.split()[0] for w in [*COUNTRIES, *PLANETS, *CITIES, *DAYS, *MONTHS, *NAMES]} | {"I", "I'm", "JSON", "Python"}

# {} is the request with a small letter; "?" says how the whole ends; earlier ones are likelier, "!" is never trained
ORDER_FORMS = ["Please {}.", "Can you {}?", "Could you {}?", "Can you please {}?", "{}, please.", "Could you please {}?", "I need you to {}.",
               "I want you to {}.", "Would you {}?", "Hi, please {}.", "I would like you to {}.", "Hello, can you {}?", "Hey, {}.", "Now {}.",
               "!Would you be so kind as to {}?", "!Will you kindly {}?", "!Go ahead and {}."]
QUESTION_FORMS = ["Please tell me: {}?", "Quick question: {}?", "Hi, {}?", "I have a question: {}?", "Tell me, {}?", "Hello, {}?", "Hey, {}?",
                  "I want to know: {}?", "So {}?", "{}? I need to know.", "Can you tell me: {}?", "One more thing: {}?",
                  "!My question is this: {}?", "!May I ask: {}?"]
PLAIN, WRAPPED, HELD = 0.55, 0.43, 0.02
CARELESS = (0.80, 0.09, 0.11)          # as it is, without the last full stop or question mark, all that and a small first letter

FRAMES = sorted({re.sub(r"[^\w ]", "", f).lower().strip() for f in ORDER_FORMS + QUESTION_FORMS}, key=len, reverse=True)
BEFORE = re.compile("^(?:" + "|".join(f for f in FRAMES if f not in ("please", "i need to know")) + ") ")
AFTER = re.compile(" (?:please|i need to know)$")


def core(words):
    """The words of a request without wrappers around it (in the form of gen.bare)."""
    while True:
        less = AFTER.sub("", re.sub("^(?:please|tell me|can you|could you) ", "", BEFORE.sub("", words)))
        if less == words:
            return words
        words = less


def small(text):
    return text if re.match(r"[\w']*", text).group() in PROPER or not text[:2][1:].islower() else text[0].lower() + text[1:]


def forms_of(text):
    """Wrappers that fit a request."""
    first = re.match(r"[\w']*", text).group()
    if POLITE.search(text) or ". " in text or "? " in text or "\n" in text:
        return ()
    if first in ORDERS and not text.endswith("?"):
        return ORDER_FORMS if text.endswith(".") and ": " not in text else ("Please {}", "Now {}", "Hi, please {}")
    return QUESTION_FORMS if first in QUESTIONS and text.endswith("?") and ": " not in text else ()


def fill(form, text):
    inner = small(text) if not form.startswith(("{", "!{")) else text
    return form.lstrip("!").replace("{}", inner[:-1] if form[-1] in ".?" else inner)


def shares(n, skew=0.5):
    w = [(i + 1) ** -skew for i in range(n)]
    return [x / sum(w) for x in w]


@lru_cache(4096)
def variants(text, wrap=True, lower=False):
    """Texts, their probabilities, and whether each is held out of training; lower: some without any capital letter."""
    forms = forms_of(text) if wrap else ()
    trained, held = [f for f in forms if f[0] != "!"], [f for f in forms if f[0] == "!"]
    plain = PLAIN if forms else 1.0
    wrapped = {text: plain}
    wrapped.update({fill(f, text): (1 - plain - (HELD if held else 0)) * p for f, p in zip(trained, shares(len(trained)))})
    wrapped.update({fill(f, text): HELD * p for f, p in zip(held, shares(len(held)))})
    unseen = {fill(f, text) for f in held}
    out, never = {}, {}
    for t, p in wrapped.items():
        bare = t[:-1].rstrip() if t[-1] in ".?!" else t
        for version, share in zip((t, bare, bare.lower() if lower else small(bare)), CARELESS):
            out[version] = out.get(version, 0) + p * share
            never[version] = t in unseen
    return list(out), tuple(out.values()), list(never.values())

"""The corpus: its sums and functions are right, its entropy is the entropy, its held-out prompts are held out.

    python -m unittest discover -s tests -t .        in assets/recipe; needs no PyTorch for this file
"""
import io
import json
import math
import re
import unittest
from collections import defaultdict
from contextlib import redirect_stdout
from functools import lru_cache
from pathlib import Path

from corpus import facts, robustness, stories, talk, word_problems
from corpus.arithmetic import apply, held_out_pair, sums, trained_sums
from corpus.checks import check_documents, right
from corpus.gen import BUILDERS, DOMAINS, bare, make
from corpus.grammar import CLASSES, Doc, Table, leaning, parsed, seeded
from corpus.python_code import HINTS
from corpus.python_data import FAMILIES as TASKS, HELD_OUT
from corpus.splits import Leak, check_splits, entropy
from corpus.tools import HELD_OUT_TOOLS, TOOLS

FIXED_ORDERS = [(1, 3, 2, 0), (1, 3, 2, 0), (2, 1, 0, 3), (3, 1, 2, 0)]
PROMPTS = Path(__file__).resolve().parents[2] / "prompts"


def quietly(work, *arguments):
    with redirect_stdout(io.StringIO()) as out:
        result = work(*arguments)
    return result, out.getvalue()


def rows(name):
    return [json.loads(line) for line in (PROMPTS / f"{name}.jsonl").read_text().splitlines()]


@lru_cache(None)
def written(name):
    """What prompts.py would write."""
    import prompts
    return list(prompts.heldout(6) if name == "heldout" else prompts.showcase())


class Explorer(Doc):
    """A document that takes the decisions it is told to, and then the first one each time."""

    def __init__(self, script):
        super().__init__(None)
        self.script, self.widths, self.p = script, [], 1.0

    def choose(self, options, weights=None):
        weights = weights or [1 / len(options)] * len(options)
        k = len(self.widths)
        i = self.script[k] if k < len(self.script) else 0
        self.widths.append(len(options))
        self.p *= weights[i]
        self.took(i, -math.log(weights[i]), -sum(w * math.log(w) for w in weights))
        return options[i]

    def number(self, low, high):
        return self.choose(range(low, high + 1))


def every_document(build):
    """All documents that a builder can make."""
    script = []
    while True:
        d = Explorer(script)
        build(d)
        yield d
        script = (script + [0] * len(d.widths))[:len(d.widths)]
        while script and script[-1] == d.widths[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1


def cat_or_cook(d):
    """The answers of talk.role for two roles: real leanings, few enough to be listed."""
    who = d.choose(("a cat", "a cook"))
    d.slots["w"], d.anchor = who, "w"
    d.fixed(who + ": ")
    hello, middle, bye = talk.ROLES[who]
    d.say(f"{hello} [{bye}]")


def leaning_words(d):
    d.slots["hero"] = d.choose(("fox", "owl", "bear", "king", "bee"))
    d.anchor = "hero"
    d.say("$hero {%small|old|red} {%tree|sea}[ {%at night|by day|again|now}] {%hero:end|stop}")
    d.fixed(" " + d.prefer(["north", "south", "east"]))


def wrapped_request(d):
    d.ask("{Name a $x.|What is a $x?|~$x|!Show me a $x.}", x=d.choose(("tree", "bird")))


class Entropy(unittest.TestCase):
    def test_equals_the_entropy_of_the_text_where_every_text_can_be_listed(self):
        for build in (robustness.greeting, robustness.thanks, robustness.how_are_you, facts.opposite, facts.unit, facts.sequence_fact, facts.planet,
                      facts.shape_or_mix, cat_or_cook, leaning_words, wrapped_request):
            p, expected = defaultdict(float), 0.0
            for d in every_document(build):
                p[d.text] += d.p
                expected += d.p * d.entropy
            self.assertAlmostEqual(sum(p.values()), 1, places=9)
            self.assertAlmostEqual(-sum(x * math.log(x) for x in p.values()), expected, places=9, msg=build.__name__)

    def test_equals_the_mean_of_minus_log_p_within_four_standard_errors(self):
        for domain in DOMAINS:
            for modes in (True, False):
                worst, report = quietly(entropy, (make(21, i, domain, modes) for i in range(1500)))
                self.assertLess(worst, 4, report)

    def test_no_text_can_be_made_in_two_ways(self):
        for domain in DOMAINS:
            _, report = quietly(entropy, (make(22, i, domain) for i in range(3000)))
            self.assertIn(" 0 reached in two ways", report)

    def test_template_weights_sum_to_one_and_are_never_tied(self):
        template = Table({"a": 1, "b": 3})
        self.assertAlmostEqual(sum(template.p.values()), 1)
        self.assertAlmostEqual(template.entropy, -(0.25 * math.log(0.25) + 0.75 * math.log(0.75)))
        self.assertEqual(parsed("{a|!b|~c}")[0][3], ["", "!", "~"])

    def test_sums_have_one_probability_each(self):
        self.assertAlmostEqual(sum(sums().p.values()), 1)
        self.assertFalse(any(held_out_pair(*s) for s in trained_sums().outcomes))


class Truth(unittest.TestCase):
    def test_sums_functions_and_json_of_every_domain(self):
        for domain in DOMAINS:
            quietly(check_documents, [make(23, i, domain) for i in range(400)])

    def test_every_function_in_every_way_to_write_it(self):
        quietly(check_documents, (make(24, i, "code") for i in range(3000)))
        self.assertEqual(len({task for task, *_ in TASKS}), 120)

    def test_word_problems_have_whole_results_of_at_most_999(self):
        for i in range(2000):
            d = make(25, i, "words")
            for kind, (op, a, b, result) in d.checks:
                self.assertTrue(0 < result <= 999 and result == apply(op, a, b), d.text)

    def test_word_problems_show_a_name_before_a_pronoun(self):
        for problem in [p for _, p, _ in word_problems.ONE_STEP] + [x[2] for x in word_problems.TWO_STEP] + [x[1] for x in word_problems.LONGER]:
            for slot in ("$he ", "$him", "$his", "$friend"):
                if slot in problem:
                    self.assertIn("$name", problem.split(slot)[0], problem)

    def test_every_type_hint_fits_what_the_tests_pass(self):
        fits = {"int": lambda v: type(v) is int, "str": lambda v: type(v) is str, "float": lambda v: type(v) in (int, float), "dict": lambda v: type(v) is dict,
                "list[int]": lambda v: type(v) is list and all(type(x) is int for x in v),
                "list[str]": lambda v: type(v) is list and all(type(x) is str for x in v)}
        for task, _, params, _, _, tests in TASKS:
            for arguments, _ in tests:
                for param, value in zip(params, eval(f"({arguments},)"), strict=True):
                    hint = HINTS[task][param]
                    self.assertTrue(hint is None or fits[hint](value), f"{task}: {param}: {hint} is {value}")

    def test_nothing_runs_into_what_follows_an_alternative(self):
        """All alternatives of one choice end alike: with the space before what follows, or none of them."""
        folder = Path(__file__).resolve().parents[1] / "corpus"
        for path in folder.glob("*.py"):
            for text in re.findall(r"\{[*%]?([^{}\n]*\|[^{}\n]*)\}", path.read_text()):
                self.assertEqual(len({a.endswith((" ", "\\n")) for a in text.split("|") if a}), 1, text)

    def test_steps_go_on_with_a_small_letter(self):
        proper = {"Monday", "Tuesday", "Thursday", "Friday"}
        steps = [x[2] for x in word_problems.ONE_STEP] + [s for x in word_problems.TWO_STEP for s in x[3:5]] + [s for x in word_problems.LONGER for s in x[2]]
        for step in steps:
            for first in re.findall(r"(?:^\{?|\|)([A-Z]\w*)", step):
                self.assertIn(first, proper, step)

    def test_what_is_said_under_a_list_of_tools_is_answered(self):
        met = set()
        for i in range(300):
            d = make(38, i, "json/no_tool_needed")
            answer = d.text.split("</think>\n\n")[-1]
            met.add(d.question)
            if d.question.startswith("Thank"):
                self.assertRegex(answer, r"welcome!|Any time!")
            elif d.question.endswith("?"):
                self.assertRegex(answer, r"small|tiny|simple", d.question)
            else:
                self.assertRegex(answer, r"^(Hi|Hello)")
        self.assertEqual(len(met), 7)

    def test_articles_fit(self):
        for domain in ("chat", "facts", "json", "words"):
            for i in range(3000):
                text = make(26, i, domain).text
                self.assertIsNone(re.search(r"\b[Aa] [aeio]\w+|\b[Aa]n (?!hour)[b-df-hj-np-tv-z]", re.sub(r"\ba (one|university)", "", text)), text)


class Splits(unittest.TestCase):
    def test_no_held_out_prompt_is_in_training_text(self):
        _, report = quietly(check_splits, (make(27, i, domain) for domain in DOMAINS for i in range(2500)))
        self.assertIn("held out because of", report)

    def test_the_check_finds_a_leak(self):
        class Copy:
            pass
        documents = [make(28, i, "facts") for i in range(400)]
        test = next(d for d in documents if d.split == "test" and d.question)
        leak = Copy()
        leak.domain, leak.split, leak.text, leak.question, leak.unseen = "facts", "train", test.text, test.question, set()
        with self.assertRaises(Leak):
            quietly(check_splits, documents + [leak])

    def test_the_same_prompt_always_has_the_same_split(self):
        splits = defaultdict(set)
        for i in range(6000):
            d = make(29, i)
            if d.question:
                splits[bare(d.question)].add(d.split)
        self.assertEqual([q for q, s in splits.items() if len(s) > 1], [])

    def test_families_held_out(self):
        self.assertEqual(len(HELD_OUT), 12)
        self.assertTrue(HELD_OUT <= {task for task, *_ in TASKS})
        self.assertEqual((len(TOOLS), len(HELD_OUT_TOOLS)), (25, 3))
        self.assertEqual(held_out_pair("+", 7, 8), held_out_pair("+", 8, 7))

    def test_held_out_prompts_are_test_prompts(self):
        fresh = {bare(r["prompt"]) for r in written("heldout")}
        self.assertEqual(len(fresh), 240)
        for domain in DOMAINS:
            for i in range(4000):
                d = make(30, i, domain)
                if d.question and bare(d.question) in fresh:
                    self.assertEqual(d.split, "test", d.question)


class Prompts(unittest.TestCase):
    """The files in assets/prompts belong to the shipped models and stay as they are; what prompts.py writes today belongs to this
    corpus, whose mends since have left those prompts alone."""

    def test_prompts_have_the_right_counts(self):
        for made in (rows, written):
            self.assertEqual([sum(r["domain"] == x for r in made("heldout")) for x in ("facts", "math", "code", "json", "chat", "robustness")], [40] * 6)
            self.assertEqual(len(made("showcase")), 30)
        self.assertLess(sum((PROMPTS / f"{n}.jsonl").stat().st_size for n in ("heldout", "showcase", "gallery")), 200_000)

    def test_the_showcase_is_what_prompts_py_writes(self):
        self.assertEqual(written("showcase"), rows("showcase"))

    def test_a_gallery_is_grouped_by_domain(self):
        for name in ("gallery", "showcase", "heldout"):
            order = [r["domain"] for r in rows(name)]
            self.assertEqual(len({*order}), 1 + sum(a != b for a, b in zip(order, order[1:])), name)

    def test_every_showcase_prompt_has_a_check_that_its_reference_answers_pass(self):
        wanted = {bare(r["prompt"]): r for r in rows("showcase")}
        self.assertTrue(all(set(r["check"]) <= {"contains", "json", "python"} and r["expect"] for r in wanted.values()))
        met = set()
        for domain in ("facts", "code", "chat", "robustness"):
            for i in range(6000):
                d = make(31, i, domain)
                r = wanted.get(bare(d.question or ""))
                if r and d.text.count("<|im_start|>user") == 1:
                    met.add(r["prompt"])
                    answer = d.text.split("</think>\n\n")[-1].replace("<|im_end|>", "")
                    self.assertTrue(right(r["check"], answer) and r["expect"] in answer, answer)
        self.assertGreaterEqual(len(met), 12, met)

    def test_checks_refuse_wrong_answers(self):
        self.assertTrue(right({"json": {"a": 1}}, '<tool_call>\n{"a": 1}\n</tool_call>'))
        self.assertFalse(right({"json": {"a": 1}}, '{"a": 2}'))
        self.assertFalse(right({"json": {"a": 1}}, "a is 1"))
        self.assertTrue(right({"python": [["1, 2", "3"]]}, "```python\ndef add(a, b):\n    return a + b\n```"))
        self.assertFalse(right({"python": [["1, 2", "3"]]}, "```python\ndef add(a, b):\n    return a - b\n```"))
        self.assertFalse(right({"python": [["1", "3"]]}, "```python\ndef f(a):\n    while True:\n        pass\n```"))


class Grammar(unittest.TestCase):
    def test_without_modes_answers_have_no_stems_and_no_optional_words(self):
        for domain in DOMAINS:
            for i in range(300):
                d = make(32, i, domain, modes=False)
                answer = sum(map(len, d.parts[:d.prompt_end]))
                kinds = {kind for a, _, kind in d.spans if a >= answer and d.prompt_end}
                self.assertNotIn("opt", kinds)

    def test_stems_cross(self):
        """b and c begin alike, a does not, and all go on differently: slot by slot, the guess is b's start with a's end."""
        folder = Path(__file__).resolve().parents[1] / "corpus"
        stems = 0
        for path in folder.glob("*.py"):
            for text in re.findall(r"\{\*([^{}]*)\}", path.read_text()):
                alternatives = [a.replace("!", " !").replace("'", " '").split() for a in text.split("|")]
                if len(alternatives) != 3 or text in ("a|b|c", "Dear $n,|Hi $n,|Hello $n,"):
                    continue
                a, b, c = alternatives
                stems += 1
                self.assertTrue(b[0].strip(",") == c[0].strip(",") != a[0], text)
                self.assertEqual(len({a[1], b[1], c[1]}), 3, text)
        self.assertGreater(stems, 70)

    def test_a_leaning_is_stable_and_depends_on_the_slot_and_on_the_choice_before(self):
        words = ("red", "green", "blue", "white")
        orders = {(a, b): leaning(words, a, b) for a in range(CLASSES) for b in range(3)}
        self.assertTrue(all(sorted(o) == [0, 1, 2, 3] for o in orders.values()))
        self.assertGreater(len(set(orders.values())), 6)
        self.assertEqual([leaning(words, k, 0) for k in range(4)], FIXED_ORDERS)      # the same on every machine, today and later

        def likeliest(hero, last=0):
            d = Explorer([])
            d.slots["hero"], d.anchor, d.last = hero, "hero", last
            d.say("{%red|green|blue|white}")
            return d.text
        self.assertGreater(len({likeliest(hero) for hero in stories.CAST}), 1)
        self.assertGreater(len({likeliest("fox", last) for last in range(3)}), 1)
        self.assertEqual(likeliest("fox"), likeliest("fox"))

    def test_greedy_stories_differ_with_the_hero(self):
        texts = set()
        for i, hero in enumerate(stories.CAST):
            d = Explorer([i])
            stories.story_cast(d)
            d.slots["ahero"], d.prompt_end = hero, 1
            stories.story_body(d)
            texts.add(d.text.replace(hero, "HERO"))
        self.assertGreater(len(texts), 8)

    def test_the_same_seed_gives_the_same_document(self):
        self.assertEqual([make(5, i).text for i in range(50)], [make(5, i).text for i in range(50)])

    def test_every_builder_is_reached(self):
        for domain in DOMAINS:
            seen = {make(33, i, domain).family for i in range(800)}
            self.assertEqual(seen, {b.__name__ for b in BUILDERS[domain][0]})

    def test_a_value_that_the_text_does_not_show_costs_nothing(self):
        d = Doc(seeded(1, "lazy"))
        d.lazy(("x",), lambda: (d.choose("abc"),))
        d.say("nothing")
        self.assertEqual(d.nll, 0)
        d.say(" $x $x")
        self.assertAlmostEqual(d.nll, math.log(3))


if __name__ == "__main__":
    unittest.main()

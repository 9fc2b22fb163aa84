"""Composed tools are read from the schema, objects have the fields asked for, wrapped requests stay together."""
import itertools
import json
import re
import unittest

from corpus import composed
from corpus.composed_data import SAID, VALUES
from corpus.gen import bare, make
from corpus.json_tables import held_out_columns
from corpus.wrappers import core, variants


class Tools(unittest.TestCase):
    def documents(self, n=1500):
        for i in range(n):
            d = make(34, i, "json")
            if d.family == "composed":
                listed = [json.loads(line) for line in d.text.split("<tools>\n")[1].split("\n</tools>")[0].splitlines()]
                call = json.loads(d.text.split("<tool_call>\n")[1].split("\n</tool_call>")[0]) if "arguments" in d.text else None
                yield d, listed, call

    def test_a_call_follows_from_schema_and_request(self):
        kinds = {"string": str, "integer": int, "boolean": bool}
        for d, listed, call in self.documents():
            schema, = [t for t in listed if t["name"] == call["name"]]
            self.assertEqual(list(schema["parameters"]), list(call["arguments"]), d.text)
            for key, value in call["arguments"].items():
                self.assertIs(type(value), kinds[schema["parameters"][key]])
                said = ("make it " if value else "not ") + key if type(value) is bool else str(value)
                self.assertIn(said.lower(), d.question.lower(), d.text)
            self.assertIn(d.slots["noun"], d.question)
            self.assertIn(d.slots["verb"] if d.slots["verb"] in d.question.lower() else d.slots["do"], d.question.lower())

    def test_near_misses_are_listed_and_the_needed_tool_stands_anywhere(self):
        same_noun = same_verb = 0
        places = set()
        for d, listed, call in self.documents(2500):
            names = [re.sub(r"([A-Z])", lambda m: "_" + m.group().lower(), t["name"]).split("_") for t in listed]
            self.assertEqual(len({tuple(n) for n in names}), len(names), d.text)
            k = [t["name"] for t in listed].index(call["name"])
            places.add((k, len(names)))
            same_verb += any(n[0] == names[k][0] for n in names[:k] + names[k + 1:])
            same_noun += any(n[1] == names[k][1] for n in names[:k] + names[k + 1:])
        self.assertGreater(min(same_noun, same_verb), 150)
        self.assertEqual(places, {(k, n) for n in range(1, 5) for k in range(n)})

    def test_two_requests_get_two_calls_with_two_of_the_listed_tools(self):
        seen = 0
        for i in range(3000):
            d = make(35, i, "json")
            if d.family != "two_calls":
                continue
            seen += 1
            listed = {t["name"]: t["parameters"] for t in map(json.loads, d.text.split("<tools>\n")[1].split("\n</tools>")[0].splitlines())}
            calls = [json.loads(call) for call in re.findall(r"<tool_call>\n(.*)\n</tool_call>", d.text)]
            self.assertEqual(len({call["name"] for call in calls}), 2, d.text)
            for call in calls:
                self.assertEqual(list(call["arguments"]), list(listed[call["name"]]), d.text)
            self.assertEqual([json.loads(call) for call in d.expect.split(composed.SEPARATOR)], calls)
            for suffix in ("", "2"):       # in the order of the request, whose words are all there
                self.assertIn(d.slots["do" + suffix] + " the " + d.slots["noun" + suffix] + " " + d.slots["with" + suffix], d.question.replace(d.slots["Do"], d.slots["do"]))
        self.assertGreater(seen, 300)

    def test_one_composed_tool_in_ten_is_never_in_training(self):
        self.assertGreater(len(composed.ALL), 700)
        self.assertTrue(0.05 < len(composed.HELD_OUT) / len(composed.ALL) < 0.15)
        hidden = {composed.tool_name(*t, camel) for t in composed.HELD_OUT for camel in (True, False)}
        met = {True: set(), False: set()}
        for d, listed, _ in self.documents():
            met["tool" in d.unseen].update(t["name"] for t in listed)
            self.assertTrue("tool" not in d.unseen or d.split == "test")
        self.assertFalse(met[False] & hidden)
        self.assertTrue(met[True] <= hidden and met[True])

    def test_names_of_parameters_say_what_they_mean(self):
        names = [name for _, names, _, _ in VALUES.values() for name in names]
        self.assertEqual(len(names), len(set(names)))
        said = [verb for verbs in SAID.values() for verb in verbs]
        self.assertEqual(len(said), len(set(said)))

    def test_objects_have_the_fields_that_the_request_names(self):
        asked = 0
        for i in range(4000):
            d = make(35, i, "json")
            m = re.search(r"(?:fields|keys|[Tt]ake|JSON with|object with) ((?:\w+, )*\w+ and \w+)(?:: | from this)", d.question or "")
            if d.family == "to_json" and m and not d.expect.startswith("["):
                asked += 1
                self.assertEqual(re.split(", | and ", m.group(1)), list(json.loads(d.expect)), d.text)
        self.assertGreater(asked, 100)

    def test_tables_and_schemas_say_what_was_asked(self):
        tables = schemas = 0
        for i in range(1500):
            d = make(36, i, "json")
            if d.family == "table_to_json":
                tables += 1
                header, *rows = d.question.split("\n")[1:]
                comma = " | " if " | " in header else ", " if ", " in header else ","
                told = [dict(zip(header.split(comma), row.split(comma))) for row in rows]
                made = [{k: json.dumps(v) if type(v) is bool else str(v) for k, v in row.items()} for row in json.loads(d.expect)]
                self.assertEqual(told, made, d.text)
                self.assertTrue(2 <= len(rows) <= 7)
            elif d.family == "json_schema":
                schemas += 1
                schema = json.loads(d.expect)
                self.assertEqual(list(schema["properties"]), schema["required"])
                asked = re.search(r"((?:\w+, )*\w+ and \w+)", d.question.replace("the fields ", "").split("with")[-1]).group(1)
                self.assertTrue(asked.endswith(" and ".join(schema["required"][-2:])), d.text)
                self.assertTrue(all(kind["type"] in ("string", "integer", "boolean") for kind in schema["properties"].values()))
        self.assertGreater(min(tables, schemas), 80)

    def test_some_columns_never_stand_together_in_training(self):
        together = {True: set(), False: set()}
        for i in range(4000):
            d = make(37, i, "json")
            if d.family in ("table_to_json", "json_schema"):
                made = json.loads(d.expect)
                names = list(made[0]) if isinstance(made, list) else made["required"]
                together["columns" in d.unseen].update((names[0], *sorted(pair)) for pair in itertools.combinations(names[1:], 2))
        never = {pair for pair in together[True] if held_out_columns(pair[0], pair[1:])}
        self.assertGreater(len(never), 2)
        self.assertFalse(never & together[False])


class Wrappers(unittest.TestCase):
    def test_wrapping_is_grammatical_and_costs_what_it_says(self):
        texts, p, held = variants("Name the capital of Peru.")
        self.assertAlmostEqual(sum(p), 1)
        self.assertEqual(len(texts), len(set(texts)))
        for wanted in ("Can you name the capital of Peru?", "Please name the capital of Peru.", "name the capital of Peru", "Name the capital of Peru, please."):
            self.assertIn(wanted, texts)
        self.assertTrue(held[texts.index("Would you be so kind as to name the capital of Peru?")] and not held[0])
        self.assertIn("Quick question: what is 3 + 4?", variants("What is 3 + 4?")[0])
        self.assertEqual(variants("capital of Peru")[0], ["capital of Peru"])
        self.assertTrue(all(t.startswith("Nora") for t in variants("Nora has 8 stamps. How many has she?")[0]))

    def test_a_request_and_its_wrapped_forms_share_a_split(self):
        for text in ("Name the capital of Peru.", "What is 3 + 4?", "Tell me a story about a fox.", "Write a poem about winter."):
            self.assertEqual(len({core(bare(t)) for t in variants(text)[0]}), 1)


if __name__ == "__main__":
    unittest.main()

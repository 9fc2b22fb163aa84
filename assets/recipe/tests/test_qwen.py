"""The text of the Qwen heads: the file of a corpus, requests, what is taken out.  Needs numpy; no model and no network."""
import gzip
import json
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import numpy as np

from qwen import clean, corpus_file, prompts, templates
from qwen.overlap import Overlap
from smollm2.log import lines

PROMPT = 'def add(x, y):\n    """Return the total of the two numbers that were given to this function of ours."""\n'


def block(texts, vocab=151936, seed=7):
    """texts: (prompt, answer) as ids."""
    ids = [np.array(p + a, np.int32) for p, a in texts]
    header = dict(model="m", fingerprint="f", weights="", precision="bf16", vocab=vocab, bits=int(vocab - 1).bit_length(), seed=seed, top_k=0, top_p=1.0, tokens=sum(map(len, ids)),
                  domains=["a", "b"], ends=["stop", "limit", "loop"], number=list(range(len(texts))), prompt=[len(p) for p, _ in texts], answer=[len(a) for _, a in texts],
                  temperature=[0.5] * len(texts), domain=[i % 2 for i in range(len(texts))], end=[0] * len(texts))
    return corpus_file.Block(header, ids)


class Letters:
    """Ids that are letters."""

    def text(self, ids):
        return "".join(chr(i) for i in ids)


def of(text):
    return [ord(c) for c in text]


def humaneval(folder):
    path = Path(folder) / "HumanEval.jsonl.gz"
    with gzip.open(path, "wt") as file:
        for i in range(164):
            name = ("add", "is_prime", "minPath")[i % 3]
            file.write(json.dumps(dict(prompt=PROMPT, entry_point=name, canonical_solution="    return x + y\n")) + "\n")
    return path


class Corpora(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_file_is_read_as_it_was_written(self):
        dice = np.random.default_rng(1)
        for vocab in (2, 61, 49152, 65537, 151936):
            made = block([(dice.integers(0, vocab, n).tolist(), dice.integers(0, vocab, 3).tolist()) for n in (1, 7, 40)], vocab)
            corpus_file.save(self.folder / "000.corpus", made)
            read = corpus_file.read(self.folder / "000.corpus")
            self.assertEqual(read.header, made.header)
            for a, b in zip(read.ids, made.ids):
                np.testing.assert_array_equal(a, b)
        data = (self.folder / "000.corpus").read_bytes()
        (self.folder / "001.corpus").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        with self.assertRaises(SystemExit):
            corpus_file.read(self.folder / "001.corpus")

    def test_the_bytes_are_those_of_the_program(self):
        """Ids 1, 2 and 3 of three bits: 0b011010001 from the lowest bit on."""
        self.assertTrue(corpus_file.packed(block([([1, 2], [3])], vocab=8)).endswith(b"\n\xd1\x00"))

    def test_parts_and_cuts_keep_the_texts(self):
        made = block([(of("ab"), of("c" * n)) for n in (4, 5, 6, 7)])
        again = corpus_file.joined(corpus_file.cut(made, 16))
        self.assertEqual([len(b) for b in corpus_file.cut(made, 16)], [2, 1, 1])
        self.assertEqual(again.header, made.header)
        part = made.part([1, 3])
        self.assertEqual((part.header["domains"], part.header["domain"], part.header["tokens"]), (["b"], [0, 0], 16))
        self.assertEqual(part.text(1)["number"], 3)

    def test_what_humaneval_has_is_dropped_and_counted(self):
        overlap = Overlap(humaneval(self.folder))
        for text, reason in (("seen.add(x)", None), ("Please add two numbers.", None), ("def add(a):", "name"), ("it calls add (1)", "name"), ("use `add`", "name"), ("an is_prime test", "name"),
                             ("minPath", "name"), ("minpath", None), ("the total of the two numbers that were given by them", None), ("the total of the two numbers that were given to this", "ten words"),
                             ("THE TOTAL, of the two\nnumbers that were given to this!", "ten words")):
            self.assertEqual(overlap.reason(text), reason, text)
        good, bad = (of("Hello? "), of("Fine.")), (of("Hello? "), of("def add(a): pass"))
        samples, out = self.folder / "samples", self.folder / "out"
        samples.mkdir()
        corpus_file.save(samples / "000.corpus", block([good, bad, (of("is_prime? "), of("No.")), good]))
        for _ in range(2):                                              # the same command again
            told, blocks = clean.clean(samples, out, Letters(), overlap)
        self.assertEqual((told["texts"], told["kept"], told["dropped"], blocks), (4, 2, {"name in the answer": 1, "name in the prompt": 1}, 1))
        self.assertEqual(corpus_file.read(out / "000.corpus").header["number"], [0, 3])
        corpus_file.save(samples / "000.corpus", block([good], seed=8))      # another sample comes behind it
        self.assertEqual(clean.clean(samples, out, Letters(), overlap)[1], 2)
        self.assertEqual([corpus_file.read(p).header["seed"] for p in corpus_file.files(out)], [7, 8])
        self.assertEqual(set(json.loads((out / "dropped.json").read_text())), {"7", "8"})


class Requests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.overlap = Overlap(humaneval(self.folder))

    def test_patterns_are_filled_and_repeatable(self):
        families = Counter()
        for i in range(3000):
            row = templates.request(templates.TRAINED, 1, i)
            self.assertEqual(row, templates.request(templates.TRAINED, 1, i))
            self.assertNotRegex(row["prompt"], r"\{[a-z_]+(/\d)?\}")
            families[row["family"]] += 1
        self.assertEqual(set(families), set(templates.TRAINED))
        for i in range(300):
            self.assertIn(templates.request(templates.HELD, 1, i)["family"], templates.HELD)
        self.assertFalse(set(templates.TRAINED) & set(templates.HELD))

    def test_a_file_of_prompts_only_grows(self):
        path = self.folder / "prompts.jsonl"
        own = [dict(domain="own", prompt=f"What is the number {i} good for?") for i in range(20)]
        prompts.grow(path, 60, own, set(), self.overlap, 5)
        first = path.read_bytes()
        prompts.grow(path, 90, own, set(), self.overlap, 5)
        self.assertTrue(path.read_bytes().startswith(first))
        rows = list(lines(path))
        self.assertEqual(len(rows), 90)
        self.assertEqual(len({prompts.bare(row["prompt"]) for row in rows}), 90)
        self.assertGreater(sum(row["domain"] == "own" for row in rows), 8)
        self.assertTrue(all(0 <= row["temperature"] <= 1 and row["chat"] for row in rows))
        prompts.grow(self.folder / "other.jsonl", 60, [], {prompts.bare(row["prompt"]) for row in rows}, self.overlap, 5)
        self.assertFalse({row["prompt"] for row in rows} & {row["prompt"] for row in lines(self.folder / "other.jsonl")})

    def test_own_requests_are_filtered(self):
        for text, end, reason in (("How do I sort a list in Python?", "stop", None), ("如何在Python中反转链表？", "stop", None), ("How do I sort a list in Python?", "limit", "without an end"), ("Hi.", "stop", "length"),
                                  ("Sure, here is a list of things.", "stop", "an answer"), ("How do I sort a list in", "stop", "its last sign"), ("one two three four " * 5 + ".", "stop", "repeats itself")):
            self.assertEqual(prompts.sensible(text, end), reason, text)

    def test_held_out_prompts_are_no_trained_ones(self):
        path = self.folder / "held.jsonl"
        count = prompts.heldout(path, [], 3, self.overlap, 5)
        rows = list(lines(path))
        self.assertEqual(count, len(rows))
        self.assertTrue(all(row["held"] in templates.HELD for row in rows))


if __name__ == "__main__":
    unittest.main()

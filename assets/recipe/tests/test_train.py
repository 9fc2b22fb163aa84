"""Training starts, stops, resumes and starts again from earlier weights.  Needs PyTorch."""
import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from average import average, read
from data import ANSWER, COPIED, LONG, PROMPT, SHORT, SKIPPED, batches, build_shard, encode, extra, long_rows
from corpus.gen import make
from distill import endless
from model import PRESETS, Qwen3, document_bias
from optim import Optimiser
from sample_target import answers, feature_pass
from train import start_from

RECIPE = Path(__file__).resolve().parents[1]
TOKENIZER = RECIPE.parent / "models" / "target" / "tokenizer.json"


def run(work, *options):
    command = [sys.executable, "train.py", "--preset", "tiny", "--work", str(work), "--no-compile", *map(str, options)]
    done = subprocess.run(command, cwd=RECIPE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Data(unittest.TestCase):
    def test_answers_and_prompts_are_told_apart(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        for i in range(200):
            d = make(3, i)
            ids, flags = encode(tok, d)
            prompt = "".join(d.parts[:d.prompt_end])
            self.assertTrue(set(flags) <= {PROMPT, ANSWER, SKIPPED, COPIED})
            self.assertEqual(int((flags == PROMPT).sum() + (flags == SKIPPED).sum()), len(tok.encode(prompt).ids) if prompt else 0)

    def test_calls_of_tools_are_marked(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        seen = 0
        for i in range(60):
            d = make(3, i, "json/two_calls")
            ids, flags = encode(tok, d)
            calls = tok.decode(ids[flags == COPIED]).replace("\n", "")
            self.assertEqual(calls, "".join(d.expect.split("\n</tool_call>\n<tool_call>\n")))
            seen += calls.count('"arguments"')
            self.assertTrue((flags[-2:] != COPIED).all(), "the end is an answer like others")
        self.assertGreater(seen, 60)

    def test_words_to_repeat_are_marked(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        lists = 0
        for i in range(60):
            d = make(3, i, "robustness/echo")
            ids, flags = encode(tok, d)
            self.assertEqual(tok.decode(ids[flags == COPIED]), d.expect)
            lists += ", " in d.expect
        self.assertGreater(lists, 3)

    def test_a_domain_can_be_given_more(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        plain, more = (build_shard(tok, 5, 0, 20000, more=m) for m in ((), [("json", 0.5)]))
        # A JSON task is twice as long as a document of the mixture.
        self.assertGreater(more["lengths"].mean(), 1.25 * plain["lengths"].mean())
        again = build_shard(tok, 5, 0, 20000, more=[("json", 0.5)])
        np.testing.assert_array_equal(more["ids"], again["ids"])

    def test_a_family_can_be_given_more(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        composed, two = "json/composed", "json/two_calls"
        calls = {}
        for more in ((), [(composed, 0.4)], [(composed, 0.2), (two, 0.4)]):
            shard = build_shard(tok, 5, 0, 60_000, more=more)
            texts = [tok.decode(ids, skip_special_tokens=False) for ids in np.split(shard["ids"], np.cumsum(shard["lengths"])[:-1])]
            counts = [text.partition("<|im_start|>assistant")[2].count("<tool_call>") for text in texts]
            calls[len(more), sum(s for _, s in more)] = (counts.count(1) / len(counts), counts.count(2) / len(counts))
        (one, both), (one4, _), (one2, both4) = calls.values()
        self.assertAlmostEqual(one4, 0.6 * one + 0.4, delta=0.06)
        self.assertAlmostEqual(one2, 0.4 * one + 0.2, delta=0.06)
        self.assertAlmostEqual(both4, 0.4 * both + 0.4, delta=0.06)
        self.assertEqual(extra("json/composed=.25"), (composed, 0.25))
        for wrong in ("json", "json=1.5", "json/compose=0.1", "yaml=0.1", "json=nan"):
            with self.assertRaises(argparse.ArgumentTypeError):
                extra(wrong)

    def test_the_knob_reaches_the_shards(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        nats = {}
        for modes in (True, False):
            shard = build_shard(tok, 1, 0, 60_000, modes=modes)
            nats[modes] = shard["nll"].sum() / len(shard["ids"])
        self.assertLess(nats[False], nats[True] - 0.02)

    def test_distillation_without_shards_ends(self):
        with self.assertRaisesRegex(SystemExit, "no shards in"):
            next(endless([], np.random.default_rng(1), Path("nowhere")))

    def test_every_document_is_trained_on(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        for more in ((), [("json", 0.5)]):
            shard = build_shard(tok, 5, 0, 250_000, more=more)
            seen, shapes = [], set()
            for step in batches(shard, np.random.default_rng(1)):
                shapes.add(tuple(ids.shape for ids, _, _ in step))
                for _, segments, _ in step:
                    seen += [n for row in segments for n in np.bincount(row)[1:] if n]
            self.assertEqual(len(shapes), 1)
            self.assertEqual(sum(rows * length for rows, length in shapes.pop()), 4096)
            for fits in (lambda n: n > SHORT, lambda n: n <= SHORT):          # all but the rest that fills no step
                self.assertGreater(sum(map(fits, seen)), 0.96 * fits(shard["lengths"]).sum())

    def test_steps_of_long_documents_alone(self):
        n = np.full(40, SHORT + 1, np.int32)
        shard = dict(ids=np.arange(n.sum()) % 4096, flags=np.zeros(n.sum(), np.uint8), lengths=n)
        self.assertEqual(long_rows(n), 16)
        self.assertEqual([[ids.shape for ids, _, _ in step] for step in batches(shard, np.random.default_rng(1))], [[(16, LONG)]] * 2)

    def test_training_fits_the_rows(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        self.assertLessEqual(max(len(tok.encode(make(4, i).text).ids) for i in range(3000)), 256)


class States(unittest.TestCase):
    """What sample_target.py stores of a text."""

    def test_without_taps_the_final_states_alone(self):
        torch.manual_seed(2)
        target = Qwen3(PRESETS["tiny"])
        shard = dict(ids=np.arange(20, dtype=np.uint16), flags=np.full(20, ANSWER, np.uint8), lengths=np.array([12, 8], np.int32))
        alone, best = feature_pass(target, shard, [])
        both, same = feature_pass(target, shard, [1])
        self.assertEqual(alone.shape, (20, 64))
        self.assertTrue((alone == both[:, 64:]).all() and (best == same).all())

    def test_without_products_in_bf16(self):
        torch.manual_seed(2)
        target = Qwen3(PRESETS["tiny"])
        for matrix in target.parameters():
            torch.nn.init.normal_(matrix, std=0.2)
        shard = dict(ids=np.arange(20, dtype=np.uint16), flags=np.full(20, ANSWER, np.uint8), lengths=np.array([12, 8], np.int32))
        half, full = (torch.from_numpy(feature_pass(target, shard, [1], autocast=on)[0]).view(torch.bfloat16).float() for on in (True, False))
        self.assertFalse(torch.equal(half, full))
        self.assertLess((half - full).abs().max(), 0.1)
        text = [3, 1, 4]
        written = answers(target, [text, [1, 5]], [0.0, 0.0], {-1}, 4, None)[0]          # beside a shorter one, from its own cache
        for token in written:
            bias = document_bias(torch.ones(1, len(text)), target.config.num_attention_heads, target.config.num_key_value_heads)
            self.assertEqual(token, int(target(torch.tensor([text]), bias)[0, -1].argmax()))
            text = text + [token]


class Runs(unittest.TestCase):
    def test_resumes_and_starts_from_a_checkpoint(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        with tempfile.TemporaryDirectory() as folder:
            first, second = Path(folder) / "first", Path(folder) / "second"
            for work in (first, second):
                work.mkdir()
                np.savez(work / "shard_000.npz", **build_shard(tok, 1, 0, 60_000))
            run(first, "--steps", 4)
            self.assertIn("resumed at {'step': 4", run(first, "--steps", 8))
            stable = first / "tiny" / "stable.pt"
            self.assertEqual(torch.load(stable)["state"]["step"], 7)      # of the longer run, not of the first four steps
            self.assertIn("started from", run(second, "--steps", 3, "--init", stable))
            state = torch.load(second / "tiny" / "final.pt")["state"]
            self.assertEqual((state["step"], state["before"]["step"]), (3, 7))

            model = Qwen3(PRESETS["tiny"])
            optimiser = Optimiser(model)
            before = start_from(second / "tiny" / "latest.pt", model, optimiser, "cpu")
            self.assertEqual(before["step"], 10)
            saved = torch.load(second / "tiny" / "latest.pt")
            self.assertTrue(all(torch.equal(v, saved["model"][k]) for k, v in model.state_dict().items()))
            self.assertTrue(all(torch.equal(v, saved["optimiser"]["muon"][k]) for k, v in optimiser.muon.buffers.items()))

            ends = [torch.load(work / "tiny" / "final.pt") for work in (first, second)]
            mean = average(ends)
            for name, value in mean["model"].items():
                torch.testing.assert_close(value, (ends[0]["model"][name] + ends[1]["model"][name]) / 2)
            self.assertEqual([state["step"] for state in mean["state"]["averaged"]], [8, 3])
            with self.assertRaises(SystemExit):
                average([ends[0], {**ends[1], "config": {}}])

            folder = Path(folder) / "export"
            subprocess.run([sys.executable, "export.py", "--checkpoint", str(stable), "--tokenizer", str(TOKENIZER.parent), "--out", str(folder)],
                           cwd=RECIPE, check=True, capture_output=True)
            self.assertEqual(start_from(folder, model, optimiser, "cpu"), {})
            exported = read(folder)
            mean = average([exported, exported, read(first / "tiny" / "final.pt"), read(second / "tiny" / "final.pt")])
            for name, value in mean["model"].items():
                torch.testing.assert_close(value, exported["model"][name] / 2 + (ends[0]["model"][name] + ends[1]["model"][name]) / 4)
            self.assertEqual([len(state.get("exported", "")) for state in mean["state"]["averaged"]], [64, 64, 0, 0])


if __name__ == "__main__":
    unittest.main()

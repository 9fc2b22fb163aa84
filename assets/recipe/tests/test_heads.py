"""The trainer of heads for real targets, on a target of a few random weights with what Qwen2.5 has and SmolLM2 has not: biases, MLPs wider than the heads',
output rows that are not the embedding's, a spare id as mask, states written by the program (a stand-in here).  Needs PyTorch; no model and no network."""
import dataclasses
import io
import json
import stat
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import torch
import torch.nn.functional as F

from data import ANSWER, PROMPT
from drafters import CLASSES, block_config, eagle3_config, load_drafter
from heads import correction, regression, ship, train
from heads.train import begin_eagle3, begin_layers, constant, frequent, read_by, stand_in, turn_at, unit, widest
from qwen import corpus_file, states
from qwen.about import ABOUT
from smollm2 import gguf_file
from smollm2.target import Shape
from tests.test_qwen import block
from train_drafter import Batch, Options

SHAPE = Shape(hidden=128, layers=3, heads=2, kv_heads=1, head_dim=64, ffn=192, vocab=300, rope_theta=1e6, eps=1e-6, context=256)
FFN, TAPS, MASK, IDS = 64, (0, 2), 299, [0, 2, 5, 9, 17, 40, 41, 123]

# what `speclens states` does: parts of whole texts, of random states that depend on the ids alone
PROGRAM = '''#!{python}
import json, sys
sys.path.insert(0, {recipe!r})
from pathlib import Path
import numpy as np
from qwen import corpus_file
corpus, out, taps = Path(sys.argv[2]), Path(sys.argv[sys.argv.index("-o") + 1]), sys.argv[sys.argv.index("--taps") + 1].split(",")
out.mkdir(parents=True, exist_ok=True)
block = corpus_file.read(corpus)
table = np.random.default_rng(1).standard_normal((block.header["vocab"], len(taps), {hidden})).astype(np.float32)
half = len(block) // 2
for number, texts in enumerate((range(half), range(half, len(block)))):
    name = f"{{corpus.stem}}-{{number:02d}}"
    ids = np.concatenate([block.ids[i] for i in texts]).astype("<i4")
    np.save(out / f"{{name}}.states.npy", (table[ids].view(np.uint32) >> 16).astype("<u2"))
    np.save(out / f"{{name}}.ids.npy", ids)
    np.save(out / f"{{name}}.texts.npy", np.array([[block.header["prompt"][i], block.header["answer"][i]] for i in texts], "<i4"))
    (out / f"{{name}}.json").write_text("{{}}")
(out / "calls").write_text((out / "calls").read_text() + "x" if (out / "calls").exists() else "x")
'''


def weights(seed=0):
    generator = torch.Generator().manual_seed(seed)

    def matrix(rows, cols):
        return (torch.randn(rows, cols, generator=generator) * cols ** -0.5).bfloat16()

    def vector(size):
        return 1 + 0.1 * torch.randn(size, generator=generator)

    s, kv = SHAPE, SHAPE.kv_heads * SHAPE.head_dim
    layers = {i: dict(qkv=matrix(s.hidden + 2 * kv, s.hidden), qkv_bias=torch.randn(s.hidden + 2 * kv, generator=generator), o=matrix(s.hidden, s.hidden), gate_up=matrix(2 * s.ffn, s.hidden),
                      down=matrix(s.hidden, s.ffn), before_attention=vector(s.hidden), before_mlp=vector(s.hidden)) for i in range(s.layers)}
    return SimpleNamespace(shape=s, embedding=matrix(s.vocab, s.hidden), output=matrix(s.vocab, s.hidden), norm=vector(s.hidden), layers=layers)


def head(method, ffn=FFN):
    target = stand_in(weights(), ffn)
    made = CLASSES[method](eagle3_config(target, TAPS, len(IDS), 2, 0) if method == "eagle3" else block_config(target, TAPS, MASK, 1, 4, len(IDS)))
    torch.manual_seed(1)
    made.set_vocabulary(IDS)
    made.start(target)
    return made


class Beginnings(unittest.TestCase):
    """How layers without biases and with fewer neurons begin as one with."""

    def taps(self, mean=0.6):
        """Rows that have a mean, as streams do."""
        generator = torch.Generator().manual_seed(5)
        return mean * torch.randn(2 * SHAPE.hidden, generator=generator).sign() + 0.4 * torch.randn(3000, 2 * SHAPE.hidden, generator=generator)

    def test_something_that_is_always_read_stands_for_one(self):
        rows = unit(self.taps()[:, :SHAPE.hidden], 1e-6)
        u, off = constant(rows)
        self.assertLess(off, 0.1)
        torch.testing.assert_close(rows @ u, torch.ones(len(rows)), rtol=0, atol=0.5)
        self.assertGreater(constant(torch.randn(3000, SHAPE.hidden))[1], 0.9)                  # and nothing does where rows have no mean

    def test_eagle3_has_the_biases_of_the_layer(self):
        target, taps, scale = weights(), self.taps(), torch.ones(2 * SHAPE.hidden)
        nothing, theirs = torch.zeros(len(taps), SHAPE.hidden), target.layers[2]
        for biases in ("", "qkv", "v"):
            made = head("eagle3")
            with redirect_stdout(io.StringIO()):
                begin_eagle3(made, target, 2, scale, taps, biases)
            rows = read_by(made, taps, scale)
            q, k, v = F.linear(rows * theirs["before_attention"], theirs["qkv"].float()).split((SHAPE.hidden, 64, 64), 1)
            bias = dict(zip("qkv", theirs["qkv_bias"].split((SHAPE.hidden, 64, 64))))
            for letter, value in zip("qkv", (q, k, v)):
                found = getattr(made.midlayer.self_attn, f"{letter}_proj")(torch.cat((nothing, rows), -1))
                wanted = value + bias[letter] if letter in biases else value
                self.assertLess((found - wanted).pow(2).mean().sqrt().item(), 0.1, (biases, letter))

    def test_more_key_value_heads_are_the_same_ones_several_times(self):
        target, taps, scale, rows = weights(), self.taps(), torch.ones(2 * SHAPE.hidden), torch.randn(4, 2 * SHAPE.hidden)
        found = []
        for kv_heads in (1, 2):
            config = eagle3_config(stand_in(target, FFN, kv_heads), TAPS, len(IDS), 2, 0)
            made = CLASSES["eagle3"](config)
            torch.manual_seed(1)
            made.start(stand_in(target, FFN, kv_heads))
            with redirect_stdout(io.StringIO()):
                begin_eagle3(made, target, 2, scale, taps)
            found.append((made.midlayer.self_attn.k_proj(rows), made.midlayer.self_attn.v_proj(rows)))
        for one, two in zip(*found):
            torch.testing.assert_close(one.repeat(1, 2), two, rtol=1e-2, atol=1e-2)

    def test_a_narrower_mlp_is_the_part_that_says_most(self):
        theirs, rows = dict(weights().layers[1]), unit(torch.randn(500, SHAPE.hidden, generator=torch.Generator().manual_seed(2)), 1e-6)
        loud = sorted(torch.randperm(SHAPE.ffn, generator=torch.Generator().manual_seed(3))[:FFN].tolist())
        theirs["down"] = theirs["down"].clone()
        theirs["down"][:, loud] *= 50
        self.assertEqual(widest(theirs, rows, FFN).tolist(), loud)
        self.assertEqual(widest(theirs, None, SHAPE.ffn).tolist(), list(range(SHAPE.ffn)))    # all of them, without a look at what is read
        made, target = head("dflash"), weights()
        target.layers[1] = theirs
        begin_layers(made, target, [1], torch.ones(2 * SHAPE.hidden), self.taps())
        gate, up = F.linear(rows * theirs["before_mlp"], theirs["gate_up"].float()).chunk(2, -1)
        wanted = F.linear(F.silu(gate) * up, theirs["down"].float())
        self.assertGreater(F.cosine_similarity(made.layers[0].mlp(made.layers[0].post_attention_layernorm(rows)), wanted).min().item(), 0.99)


class Solved(unittest.TestCase):
    """Final states that are linear in the one before and in the token, and taps that are linear in them."""

    def test_the_recurrence_is_found_and_the_layer_says_it(self):
        target, generator = weights(), torch.Generator().manual_seed(9)
        n, h, length = 6000, SHAPE.hidden, 60
        ids = torch.randint(3, SHAPE.vocab, (n,), generator=generator)
        a, b, mixed = (torch.randn(rows, h, generator=generator) * h ** -0.5 for rows in (h, h, 2 * h))
        states_, x = [], torch.zeros(h)
        for i, e in enumerate(unit(target.embedding[ids].float(), 1e-6)):
            x = unit(0.5 + 0.5 * (a @ x if i % length else torch.zeros(h)) + b @ e, 1e-6)
            states_.append(x)
        states_ = torch.stack(states_)
        taps, final = states_ @ mixed.T + 0.5, states_ * target.norm
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            np.savez(folder / "shard_000.npz", ids=ids.numpy(), flags=np.full(n, ANSWER, np.uint8), lengths=np.full(n // length, length, np.int32))
            np.save(folder / "features_000.npy", torch.cat((taps, final), 1).to(torch.bfloat16).view(torch.int16).numpy())
            made = CLASSES["eagle3"](eagle3_config(stand_in(target, FFN, 2), TAPS, 64, 2, 0))
            made.set_vocabulary(range(64))
            made.start(stand_in(target, FFN, 2))
            with torch.no_grad(), redirect_stdout(io.StringIO()):
                made.lm_head.weight.copy_(target.output[:64])
                linear, with_mlp, second = regression.begin(made, target, 2, torch.ones(2 * h), [folder])
        for share in (linear, with_mlp, second):
            self.assertGreater(share, 0.75)
        batch = Batch(ids[None, :length], torch.ones(1, length, dtype=torch.long), torch.full((1, length), ANSWER), taps[None, :length], final[None, :length], ids[None, :length])
        with torch.no_grad():                                      # the head itself, with its attention: column t says the state of t + 1, then that of t + 2
            steps = [made.logits(out)[0] for out in made.unroll(batch, target.embedding.float(), 2)]
        best = (final[:length] @ target.output[:64].float().T).argmax(1)
        for i, said in enumerate(steps):
            self.assertGreater(said[:length - 1 - i].argmax(1).eq(best[1 + i:]).float().mean().item(), 0.6, i)


class Rows(unittest.TestCase):
    def test_losses_read_the_rows_that_the_target_ranks_with(self):
        target, generator = weights(), torch.Generator().manual_seed(4)
        ids = torch.tensor(IDS).repeat(2, 3)
        flags = torch.full((2, 24), ANSWER)
        flags[:, :6] = PROMPT
        batch = Batch(ids, torch.ones_like(ids), flags, torch.randn(2, 24, 2 * SHAPE.hidden, generator=generator), torch.randn(2, 24, SHAPE.hidden, generator=generator), ids)
        for method in ("dflash", "eagle3"):
            made = head(method)

            def loss():
                options = Options(8, 7.0, False, False, 2, 1.0, torch.Generator().manual_seed(0), 0.5, target_distribution=True)
                return made.loss(batch, target.embedding.float(), options)[0].item()

            one = loss()
            made.target_rows = target.embedding.float()[IDS]
            self.assertAlmostEqual(loss(), one, places=4, msg=method)
            made.target_rows = target.output.float()[IDS]
            self.assertNotAlmostEqual(loss(), one, places=2, msg=method)

    def test_frequent(self):
        corpus = SimpleNamespace(answers=lambda: iter([np.array([7, 7, 7, 5]), np.array([5, 9])]))
        self.assertEqual(frequent(corpus, 3, 12, (1,)), ([1, 5, 7], 5 / 6))

    def test_turns(self):
        self.assertEqual([turn_at(n, [10, 4], 0, 2) for n in (0, 19, 20, 27, 28, 48)], [0, 0, 1, 1, 2, 3])
        self.assertEqual([turn_at(n, [10, 4], 1, 1) for n in (3, 4, 13, 14)], [0, 1, 1, 2])
        self.assertEqual([turn_at(n, [1000] * 2, 0, 2) for n in range(0, 9000, 500)], [n // 2000 for n in range(0, 9000, 500)])     # as where all are alike


class Runs(unittest.TestCase):
    """Text to shipped head."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.work = Path(holder.name)
        (self.work / "corpus").mkdir()
        dice = np.random.default_rng(3)
        texts = [(dice.integers(3, 200, 5).tolist(), dice.integers(3, 200, int(dice.integers(20, 60))).tolist() + [2]) for _ in range(60)]
        corpus_file.save(self.work / "corpus" / "000.corpus", block(texts, SHAPE.vocab))
        corpus_file.save(self.work / "corpus" / "001.corpus", block(texts[:40], SHAPE.vocab, seed=8))
        self.target, self.program = self.work / "target.gguf", self.work / "speclens"
        self.target.write_bytes(b"weights")
        self.program.write_text(PROGRAM.format(python=sys.executable, recipe=str(Path(states.__file__).parents[1]), hidden=SHAPE.hidden))
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.about = dataclasses.replace(ABOUT, taps=TAPS, mask=MASK, ffn=FFN, start_of_turn=1, end_of_turn=2, end_of_text=0, weights=lambda *_: weights())
        patch = mock.patch.object(states, "output_rows", lambda *_: (weights().output, SHAPE.layers))
        patch.start()
        self.addCleanup(patch.stop)

    def run_(self, method, steps, *more, name=None):
        said = io.StringIO()
        argv = ["train", "--method", method, "--target", self.target, "--corpus", self.work / "corpus", "--work", self.work, "--speclens", self.program, "--steps", steps, "--row", 64,
                "--rows", 2, "--micro", 2, "--layers", 1, "--block", 4, "--anchors", 4, "--test-steps", 2, "--draft-vocab", 64, "--log-every", 1, "--gru", 8, "--rank", 4, *more]
        with mock.patch.object(sys, "argv", list(map(str, argv + (["--name", name] if name else [])))), redirect_stdout(said):
            train.main(self.about)
        return said.getvalue()

    def test_states_are_laid_out_for_the_trainer(self):
        args = SimpleNamespace(work=self.work, target=self.target, taps=TAPS, row=32, loaded="", speclens=self.program, keep_blocks=1)
        corpus = states.Corpus(self.work / "corpus")
        self.assertEqual(len(corpus), 100)
        folder = states.ensure(args, corpus, 0)
        texts, first = corpus.blocks[0], np.load(folder / "shard_000-00.npz")
        self.assertEqual(first["ids"].tolist(), np.concatenate(texts.ids[:30]).tolist())
        self.assertEqual(int((first["flags"] == ANSWER).sum()), sum(texts.header["answer"][:30]))
        self.assertEqual(first["lengths"].sum(), len(first["ids"]))
        self.assertLessEqual(first["lengths"].max(), 32)
        features, best = np.load(folder / "features_000-00.npy"), np.load(folder / "best_000-00.npy")
        self.assertEqual(features.shape, (len(first["ids"]), 3, SHAPE.hidden))
        final = torch.from_numpy(features[:, 2].view(np.int16)).view(torch.bfloat16)
        wanted = F.linear(final.float(), weights().output.float()).argmax(-1).numpy()
        follows = np.append(first["flags"][1:] == ANSWER, False)
        self.assertEqual(best[follows].tolist(), wanted[follows].tolist())
        self.assertFalse(best[~follows].any())
        calls = folder / "raw" / "calls"
        states.ensure(args, corpus, 0)                                                    # it is there
        (folder / "meta.json").unlink()
        (folder / "best_000-01.npy").unlink()                                             # a stop before the end
        states.ensure(args, corpus, 0)
        self.assertEqual(calls.read_text(), "x")
        self.assertTrue((folder / "best_000-01.npy").exists())
        states.ensure(args, corpus, 1)                                                    # one block at a time
        self.assertFalse(folder.exists())
        args.taps = (1, 2)
        with redirect_stdout(io.StringIO()) as said:
            states.ensure(args, corpus, 1)
        self.assertIn("made anew", said.getvalue())

    def test_heads_are_trained_go_on_and_ship(self):
        for method in ("eagle3", "dflash", "domino"):
            with self.subTest(method=method):
                first = self.run_(method, 3)
                self.assertIn('"step": 3', first)
                self.assertIn("resumed at step 3", self.run_(method, 5))
                with self.assertRaisesRegex(SystemExit, "--biases"):
                    self.run_(method, 6, "--biases", "v")
                made = load_drafter(self.work / method / "export")
                self.assertEqual(made.geometry.intermediate_size, FFN)
                self.assertEqual(made.geometry.rope_theta, 1e6)
                if method != "eagle3":
                    self.assertEqual(made.mask_id, MASK)
                    self.assertFalse(hasattr(made, "mask_embedding"))
        out = self.work / "out"
        with mock.patch.object(sys, "argv", ["ship", "--work", str(self.work), "--corpus", str(self.work / "corpus"), "--out", str(out), "--machine", "m",
                                             "eagle3", "dflash", "domino"]), redirect_stdout(io.StringIO()):
            ship.main(self.about)
        record = json.loads((out / "MANIFEST.json").read_text())
        self.assertEqual((record["target_fingerprint"], record["made_by"], record["text"]["conversations"]), ("f", "assets/recipe/qwen", 100))
        tensors = record["heads"]["eagle3"]["tensors"]
        self.assertIn("what says most of the target's layer 2", tensors["midlayer.mlp.up_proj.weight"])
        self.assertIn("the target's layer 2 (on the feature) and 0", tensors["midlayer.self_attn.q_proj.weight"])
        self.assertEqual(ship.origin("eagle3", "fc.weight", [2], True, True), "solved for by least squares, then trained")
        self.assertIn("what says most of the target's layer 2", ship.origin("eagle3", "midlayer.mlp.up_proj.weight", [2], True, True))
        self.assertIn("trained from nothing", tensors["midlayer.hidden_norm.weight"])
        self.assertEqual(json.loads((out / "dflash" / "config.json").read_text())["target_fingerprint"], "f")
        self.assertEqual(load_drafter(out / "domino").ranked_ids().tolist(), load_drafter(self.work / "domino" / "export").ranked_ids().tolist())

    def correct(self, steps, *more):
        said = io.StringIO()
        argv = ["correction", "--method", "domino", "--name", "corrected", "--init", self.work / "dflash" / "export", "--target", self.target, "--corpus", self.work / "corpus",
                "--work", self.work, "--speclens", self.program, "--steps", steps, "--row", 64, "--rows", 16, "--micro", 16, "--anchors", 16, "--gru", 8, "--rank", 4, "--prefix", 0,
                "--adam", 0.02, "--log-every", 1, *more]
        with mock.patch.object(sys, "argv", list(map(str, argv))), redirect_stdout(said):
            correction.main(self.about)
        return said.getvalue()

    def test_a_correction_is_learned_on_a_backbone_that_is_held(self):
        self.run_("dflash", 3)
        said = self.correct(12)
        rows = [json.loads(line) for line in said.splitlines() if line.startswith('{"step"')]
        self.assertEqual(rows[0]["final_loss"], rows[0]["base_loss"])                     # it begins with nothing to say
        self.assertNotEqual(rows[-1]["held_final_loss"], rows[-1]["held_base_loss"])
        self.assertEqual(len({row["held_base_loss"] for row in rows}), 1)                 # the same blocks each time, and the base stands still
        self.assertIn("resumed at step 12", self.correct(14))
        with self.assertRaisesRegex(SystemExit, "--gru 8"):
            self.correct(15, "--gru", 12)
        first, made = load_drafter(self.work / "dflash" / "export"), load_drafter(self.work / "corrected" / "export")
        backbone = first.state_dict()
        for name, value in made.state_dict().items():
            if name in backbone:
                torch.testing.assert_close(value, backbone[name], rtol=0, atol=0, msg=name)
        # what it was trained to say, at the scale of what it read, is what the export says of rows and tokens as they are
        trained = correction.Correction(made.config)
        trained.load_state_dict(torch.load(self.work / "corrected" / "latest.pt")["drafter"])
        trained.target_rows = made.target_rows = weights().output[made.ranked_ids()].float()
        blocks = correction.Blocks(self.work / "blocks")
        self.assertFalse(set(blocks.train) & set(blocks.held))
        batch, table = blocks.batch(blocks.held), weights().embedding
        trained.table_scale = float(table.float().pow(2).mean().sqrt())
        trained.rows_scale = float(batch.rows.float().pow(2).mean().sqrt())
        with torch.no_grad():
            _, final = trained.base_and_final(batch, table)
            exported = F.linear(batch.rows.float(), made.target_rows) + made.correction(batch.rows.float(), made.states(table[batch.read].float()))
        torch.testing.assert_close(exported, final, rtol=0.02, atol=0.02 * float(final.abs().max()))
        self.assertGreater(float((final - F.linear(batch.rows.float(), made.target_rows)).abs().max()), 0.05)

    def test_fc_reads_taps_as_they_are(self):
        """Trained on taps at unit scale, exported for taps as the target makes them."""
        self.run_("eagle3", 1, name="scaled")
        saved, exported = torch.load(self.work / "scaled" / "latest.pt"), load_drafter(self.work / "scaled" / "export")
        torch.testing.assert_close(exported.fc.weight, saved["drafter"]["fc.weight"] / saved["state"]["scale"], rtol=0.01, atol=1e-3)

    def test_a_head_goes_on_from_one_that_was_exported(self):
        self.run_("dflash", 2, name="stem")
        self.assertIn('"step": 1', self.run_("dflash", 1, "--init", self.work / "stem" / "export", name="more"))
        self.assertIn("with the MLP", self.run_("eagle3", 1, "--solve", "--kv-heads", 2, name="solved"))
        self.run_("dflash", 1, "--kv-heads", 2, name="wide")
        self.assertEqual(load_drafter(self.work / "wide" / "export").geometry.num_key_value_heads, 2)
        self.assertIn('"step": 1', self.run_("domino", 1, "--no-shift-label", "--init", self.work / "stem" / "export", name="domino_more"))


class Blocks(unittest.TestCase):
    """Blocks of a GGUF against ggml's own loops over single weights."""

    def half(self, raw):
        return float(np.frombuffer(bytes(raw), "<f2")[0])

    def raw(self, size, count, halves):
        """Random bytes, with small numbers where there are halves."""
        dice = np.random.default_rng(size)
        blocks = dice.integers(0, 256, (count, size), np.uint8)
        for at in halves:
            blocks[:, at:at + 2] = dice.uniform(-2, 2, (count, 1)).astype("<f2").view(np.uint8)
        return blocks

    def test_q5_0(self):
        raw = self.raw(22, 3, (0,))
        found = gguf_file.q5_0(raw.reshape(-1), 96).reshape(3, 32)
        for block_, row in zip(raw, found):
            bits, d = int.from_bytes(bytes(block_[2:6]), "little"), self.half(block_[:2])
            for j in range(16):
                self.assertAlmostEqual(row[j], d * ((int(block_[6 + j]) & 15 | (bits >> j & 1) << 4) - 16), places=4)
                self.assertAlmostEqual(row[j + 16], d * ((int(block_[6 + j]) >> 4 | (bits >> (j + 16) & 1) << 4) - 16), places=4)

    def test_q4_k(self):
        raw = self.raw(144, 3, (0, 2))
        found = gguf_file.q4_k(raw.reshape(-1), 768).reshape(3, 256)
        for block_, row in zip(raw, found):
            d, least, s, q = self.half(block_[:2]), self.half(block_[2:4]), [int(x) for x in block_[4:16]], block_[16:]
            for i in range(256):
                j = i // 32
                scale, minimum = (s[j] & 63, s[j + 4] & 63) if j < 4 else (s[j + 4] & 15 | s[j - 4] >> 6 << 4, s[j + 4] >> 4 | s[j] >> 6 << 4)
                byte = int(q[i // 64 * 32 + i % 32])
                self.assertAlmostEqual(row[i], d * scale * (byte >> 4 if j % 2 else byte & 15) - least * minimum, places=2)

    def test_q6_k(self):
        raw = self.raw(210, 3, (208,))
        found = gguf_file.q6_k(raw.reshape(-1), 768).reshape(3, 256)
        for block_, row in zip(raw, found):
            d, scales = self.half(block_[208:]), block_[192:208].view(np.int8)
            for i in range(256):
                n, quarter, l = i // 128, i % 128 // 32, i % 32
                low, high = int(block_[64 * n + 32 * (quarter % 2) + l]), int(block_[128 + 32 * n + l])
                q = (low >> 4 if quarter > 1 else low & 15) | (high >> 2 * quarter & 3) << 4
                self.assertAlmostEqual(row[i], d * int(scales[8 * n + l // 16 + 2 * quarter]) * (q - 32), places=2)


if __name__ == "__main__":
    unittest.main()

"""The recipe of the SmolLM2 heads on a target of a few random weights.  Needs PyTorch; no model and no network."""
import json
import struct
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn.functional as F

from data import ANSWER, PROMPT
from drafters import CLASSES, block_config, domino_config, eagle3_config, load_drafter, mtp_config, save_drafter, widen
from heads import ship
from heads.train import begin_eagle3, begin_layers, begin_mask, begin_mtp, frequent, stand_in, tap_scale, turn_at
from smollm2 import ablations, corpus, gguf_file, prompts, states, templates
from smollm2.batch import Request, answers, looping
from smollm2.log import Log, lines
from smollm2.sample import TURNS, Queue
from smollm2.target import END_OF_TURN, Shape, Target
from train_drafter import Batch, Options

SHAPE = Shape(hidden=192, layers=3, heads=3, kv_heads=1, head_dim=64, ffn=64, vocab=300, rope_theta=1e4, eps=1e-5, context=128)


def tensors(shape, seed=0):
    generator = torch.Generator().manual_seed(seed)

    def matrix(rows, cols):
        return torch.randn(rows, cols, generator=generator) * cols ** -0.5

    kv = shape.kv_heads * shape.head_dim
    out = {"model.embed_tokens.weight": matrix(shape.vocab, shape.hidden), "model.norm.weight": torch.full((shape.hidden,), 40.0)}    # far from level: ties are rare
    for i in range(shape.layers):
        at = f"model.layers.{i}."
        for name, rows, cols in (("self_attn.q_proj", shape.hidden, shape.hidden), ("self_attn.k_proj", kv, shape.hidden), ("self_attn.v_proj", kv, shape.hidden),
                                 ("self_attn.o_proj", shape.hidden, shape.hidden), ("mlp.gate_proj", shape.ffn, shape.hidden),
                                 ("mlp.up_proj", shape.ffn, shape.hidden), ("mlp.down_proj", shape.hidden, shape.ffn)):
            out[f"{at}{name}.weight"] = matrix(rows, cols)
        for name in ("input_layernorm", "post_attention_layernorm"):
            out[f"{at}{name}.weight"] = 1 + 0.1 * torch.randn(shape.hidden, generator=generator)
    return out


class WithTarget(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = Path(cls.folder.name)
        cls.torch_alone, cls.built = Target(SHAPE, tensors(SHAPE)), Target(SHAPE, tensors(SHAPE), work=cls.work)


class Passes(WithTarget):
    def distributions(self, target, ids, split, rubbish=None):
        """Final states of `ids`, the first `split` in one pass, the others token by token."""
        cache = target.cache(2, 64)
        for part in (p for pair in cache if rubbish is not None for p in pair):
            part.fill_(rubbish)
        _, first = target.texts([ids[:split]], lambda layer, _, k, v: target.store(cache[layer], 1, k, v))
        rows = [first]
        for at in range(split, len(ids)):
            rows.append(target.step(torch.tensor([ids[at]]), torch.tensor([1]), torch.tensor([at]), cache))
        return torch.cat(rows).float()

    def test_token_by_token_is_the_whole_text(self):
        ids = np.random.default_rng(1).integers(3, SHAPE.vocab, 40).tolist()
        _, whole = self.torch_alone.texts([ids])
        for name, target in (("torch", self.torch_alone), ("kernels", self.built)):
            for split in (1, 15, 16, 17, 39):
                with self.subTest(name=name, split=split):
                    gap = (self.distributions(target, ids, split) - whole.float()).norm(dim=1) / whole.float().norm(dim=1)
                    self.assertLess(gap.max().item(), 0.03)        # of each row; bf16 sums in another order part by .015, one lost value by .085 or more

    def test_what_nobody_wrote_is_not_read(self):
        ids = np.random.default_rng(1).integers(3, SHAPE.vocab, 40).tolist()
        self.assertTrue(torch.equal(self.distributions(self.built, ids, 9), self.distributions(self.built, ids, 9, float("nan") if self.built.kernels else 7.0)))

    def test_texts_side_by_side_do_not_see_each_other(self):
        one, two = [5, 6, 7, 8], [9, 10, 11]
        _, together = self.torch_alone.texts([one, two])
        _, alone = self.torch_alone.texts([two])
        self.assertLess(((together[4:].float() - alone.float()).norm(dim=1) / alone.float().norm(dim=1)).max().item(), 0.03)

    def test_picks(self):
        hidden = torch.randn(6, SHAPE.hidden, generator=torch.Generator().manual_seed(3)).bfloat16() * 0.3
        logits = hidden.float() @ self.built.embedding.float().T
        greedy = torch.zeros(6)
        for target in (self.torch_alone, self.built):
            self.assertEqual(target.pick(hidden, greedy, torch.zeros(6)).tolist(), logits.argmax(-1).tolist())
        distribution = torch.softmax(logits[0] / 0.8, -1)
        uniform = (torch.arange(4000) + 0.5) / 4000
        for target in (self.torch_alone, self.built):
            drawn = target.pick(hidden[:1].expand(4000, -1).contiguous(), torch.full((4000,), 0.8), uniform)
            shares = torch.bincount(drawn, minlength=SHAPE.vocab) / 4000
            self.assertLess((shares - distribution).abs().max().item(), 0.004)

    def test_kernels_were_built(self):
        if self.built.kernels is None:
            self.skipTest("no C++ compiler here")
        self.assertIsNone(self.torch_alone.kernels)


class Batches(WithTarget):
    def requests(self, count):
        dice = np.random.default_rng(2)
        return [Request(i, dice.integers(3, SHAPE.vocab, int(dice.integers(2, 20))).tolist(), (0.0, 0.9)[i % 2], int(dice.integers(1, 30))) for i in range(count)]

    def test_each_request_is_answered_once_and_whole(self):
        for batch in (1, 3, 16):
            done = list(answers(self.built, iter(self.requests(20)), batch, 64, 7))
            self.assertEqual(sorted(r.number for r in done), list(range(20)))
            for r in done:
                self.assertTrue((r.end == "stop") == (r.answer[-1] in (0, END_OF_TURN)), r)
                self.assertTrue(r.end != "limit" or len(r.answer) == r.limit, r)

    def test_what_is_beside_it_changes_no_answer(self):
        alone = {r.number: r.answer for r in answers(self.torch_alone, iter(self.requests(8)), 1, 64, 7)}
        beside = {r.number: r.answer for r in answers(self.torch_alone, iter(self.requests(8)), 8, 64, 7)}
        self.assertEqual({i: a[:3] for i, a in alone.items()}, {i: a[:3] for i, a in beside.items()})     # later ones may part at near ties

    def test_long_requests_wait_for_their_slot(self):
        long = [Request(i, [5] * 30, 0.0, 30) for i in range(3)]
        done = list(answers(self.built, iter(long + [Request(9, [6], 0.0, 4)]), 16, 64, 7))
        self.assertEqual(sorted(r.number for r in done), [0, 1, 2, 9])

    def test_too_long_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "needs 70 tokens, a slot has 64"):
            list(answers(self.built, iter([Request(0, [5] * 40, 0.0, 30)]), 4, 64, 7))

    def test_loops(self):
        self.assertTrue(looping([1, 2, 3] * 60))
        self.assertTrue(looping(list(range(50)) + [7] * 144))
        self.assertFalse(looping(list(range(200))))
        self.assertFalse(looping([1, 2, 3] * 40))


class Prompts(unittest.TestCase):
    def test_every_pattern_fills_its_slots(self):
        import random
        for families in (templates.TRAINED, templates.HELD):
            for name, (_, patterns) in families.items():
                for pattern in patterns:
                    text = templates.Words(random.Random(1)).fill(pattern)
                    self.assertNotRegex(text.replace("{{", ""), r"\{[a-z]+(/\d)?\}", (name, pattern))

    def test_seeded_and_many(self):
        one = [templates.request(templates.TRAINED, 3, i)["turns"] for i in range(3000)]
        self.assertEqual(one, [templates.request(templates.TRAINED, 3, i)["turns"] for i in range(3000)])
        self.assertGreater(len({" ".join(t) for t in one}), 2400)

    def test_no_family_is_in_both(self):
        self.assertFalse(set(templates.TRAINED) & set(templates.HELD))
        trained = {p for _, patterns in templates.TRAINED.values() for p in patterns}
        self.assertFalse(trained & {p for _, patterns in templates.HELD.values() for p in patterns})

    def test_filter(self):
        def reason(text, end="stop"):
            return prompts.sensible(dict(text=text, end=end))

        self.assertIsNone(reason("How can I keep bread fresh for longer?"))
        self.assertEqual(reason("How can I keep bread fresh for longer?", "limit"), "without an end")
        self.assertEqual(reason("Why?"), "length")
        self.assertEqual(reason("I'm sorry, I do not understand the question."), "an answer")
        self.assertEqual(reason("Tell me about the"), "its last sign")
        self.assertEqual(reason("¿Dónde está la biblioteca de la ciudad?"), "not English")
        self.assertEqual(reason("a good plan and a good plan and a good plan and a good plan and a good plan."), "repeats itself")

    def test_growing_keeps_what_is_there_and_holds_out(self):
        with tempfile.TemporaryDirectory() as folder:
            own, path = Path(folder) / "own.jsonl", Path(folder) / "prompts.jsonl"
            log = Log(own)
            for i in range(200):
                log.add(number=i, opening="", text=f"What is the {i}th thing to know about bread?", end="stop")
            prompts.grow(path, 40, own, 5)
            first = list(lines(path))
            prompts.grow(path, 100, own, 5)
            whole = list(lines(path))
            self.assertEqual(whole[:40], first)
            self.assertEqual([row["number"] for row in whole], list(range(100)))
            self.assertEqual(len({prompts.bare(" ".join(row["turns"])) for row in whole}), 100)
            self.assertFalse([row for row in whole if row["family"] in templates.HELD])
            mine = [row["turns"][0] for row in whole if row["family"] == "own"]
            self.assertTrue(mine)
            self.assertFalse([t for t in mine if prompts.held_out(t)])
            out = Path(folder) / "held.jsonl"
            prompts.heldout(out, own, 3, 5)
            rows = [json.loads(line) for line in out.read_text().splitlines()]
            self.assertEqual({r["held"] for r in rows} - {"own"}, {f for f, (_, p) in templates.HELD.items()})
            self.assertFalse({r["prompt"] for r in rows} & {row["turns"][0] for row in whole})


class Letters:
    """A tokenizer of single characters, with the turn's marks as ids 1 and 2."""

    def encode(self, text):
        ids, text = [], text.replace("<|im_start|>", "\x01").replace("<|im_end|>", "\x02")
        return SimpleNamespace(ids=[ord(c) for c in text])


class Conversations(unittest.TestCase):
    ROWS = [dict(number=0, domain="a", temperature=0.0, limit=20, turns=["hi", "and?"]), dict(number=1, domain="b", temperature=0.7, limit=20, turns=["yo"])]

    def test_second_turns_follow_the_first(self):
        queue = Queue(Letters(), self.ROWS, [])
        stream = iter(queue)
        first, second = next(stream), next(stream)
        self.assertIsNone(next(stream))                            # both run, nothing is ready
        first.answer, first.end = [72, 2], "stop"
        queue.finished(first, "stop")
        follow = next(stream)
        self.assertEqual(follow.number, 0 * TURNS + 1)
        text = "".join(map(chr, follow.ids))
        self.assertIn("assistant\nH\x02\n\x01user\nand?\x02\n\x01assistant\n", text)
        second.answer = [73] * 20
        queue.finished(second, "limit")
        follow.answer = [74, 2]
        queue.finished(follow, "stop")
        self.assertRaises(StopIteration, lambda: next(stream))

    def test_goes_on_where_it_stopped(self):
        done = [dict(number=0, turn=0, ids=[72, 2], end="stop"), dict(number=1, turn=0, ids=[73], end="limit")]
        self.assertEqual(next(iter(Queue(Letters(), self.ROWS, done))).number, 1)      # the second turn of the first; the other is finished

    def test_corpus(self):
        with tempfile.TemporaryDirectory() as folder:
            work, out = Path(folder) / "w", Path(folder) / "c"
            for name, rows in (("prompts", self.ROWS), ("answers", [dict(number=1, turn=0, ids=[73, 74], end="limit"), dict(number=0, turn=0, ids=[72, 2], end="stop"),
                                                                    dict(number=0, turn=1, ids=[75, 2], end="stop")])):
                log = Log(work / f"{name}.jsonl")
                for row in rows:
                    log.add(**row)
            corpus.pack(Letters(), work, out)
            made = corpus.Corpus(out)
            self.assertEqual(len(made), 2)
            opening = corpus.opening_of(Letters())
            marks = made.flags(0, opening)
            self.assertEqual(made.conversation(0)[marks == ANSWER].tolist(), [72, 2, 75, 2])
            self.assertEqual(made.index["before"][0], int(np.flatnonzero(marks == ANSWER)[0]))
            self.assertEqual(made.conversation(1)[made.flags(1, opening) == ANSWER].tolist(), [73, 74])
            (out / "corpus.u16").write_bytes(b"\0\0")
            with self.assertRaisesRegex(SystemExit, "do not belong together"):
                corpus.Corpus(out)


class Logs(unittest.TestCase):
    def test_a_line_that_a_stop_cut_is_dropped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.jsonl"
            Log(path).add(a=1)
            with open(path, "a") as file:
                file.write('{"a": 2')
            self.assertEqual(list(lines(path)), [{"a": 1}])
            Log(path).add(a=3)
            self.assertEqual(list(lines(path)), [{"a": 1}, {"a": 3}])


class Gguf(unittest.TestCase):
    def file(self, folder, kind, raw, shape):
        def string(s):
            return struct.pack("<Q", len(s)) + s.encode()

        head = b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + string("general.architecture") + struct.pack("<I", 8) + string("llama")
        head += string("w") + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", kind, 0)
        path = Path(folder) / "x.gguf"
        path.write_bytes(head + b"\0" * (-len(head) % 32) + raw)
        return path

    def test_blocks(self):
        half = np.array([0.5, -2.0], np.float16).tobytes()
        with tempfile.TemporaryDirectory() as folder:
            facts, t = gguf_file.read(self.file(folder, 3, half + bytes(i | (15 - i) << 4 for i in range(16)), (32, 1)))
            self.assertEqual(facts["general.architecture"], "llama")
            self.assertEqual(t["w"][0].tolist(), [0.5 * i - 2 for i in range(16)] + [0.5 * (15 - i) - 2 for i in range(16)])
            _, t = gguf_file.read(self.file(folder, 8, half[:2] + np.arange(-16, 16, dtype=np.int8).tobytes(), (32, 1)))
            self.assertEqual(t["w"][0].tolist(), [0.5 * i for i in range(-16, 16)])

    def test_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind, raw, words in ((3, b"\0" * 10, "cut short"), (10, b"\0" * 40, "type 10")):
                with self.assertRaisesRegex(SystemExit, words):
                    gguf_file.read(self.file(folder, kind, raw, (32, 1)))
            path = Path(folder) / "y.gguf"
            path.write_bytes(b"PK\3\4" + b"\0" * 30)
            with self.assertRaisesRegex(SystemExit, "not a GGUF"):
                gguf_file.read(path)


class Heads(WithTarget):
    """DFlash and Domino with a reduced vocabulary and a mask of their own."""
    IDS = [0, 2, 5, 9, 17, 40, 41, 123]

    def made(self, method):
        target = stand_in(self.torch_alone)
        common = (target, (0, 2), None, 1, 4)
        head = CLASSES[method](block_config(*common, len(self.IDS)) if method == "dflash" else domino_config(*common, 6, 3, 1, True, len(self.IDS)))
        torch.manual_seed(1)
        head.start(target)
        head.set_vocabulary(self.IDS)
        return head

    def batch(self):
        generator = torch.Generator().manual_seed(4)
        ids = torch.tensor(self.IDS).repeat(2, 3)                  # what follows can be learned from the anchor alone
        ids[0, 20] = 77                                            # no row for it
        flags = torch.full((2, 24), ANSWER)
        flags[:, :6] = PROMPT
        return Batch(ids, torch.ones_like(ids), flags, torch.randn(2, 24, 2 * SHAPE.hidden, generator=generator), torch.randn(2, 24, SHAPE.hidden, generator=generator), ids)

    def test_training_reaches_the_mask_and_lowers_the_loss(self):
        for method in ("dflash", "domino"):
            head, batch, first = self.made(method), self.batch(), None
            optimiser = torch.optim.Adam(head.parameters(), 0.02)
            before = head.mask_embedding.detach().clone()
            for _ in range(80):
                options = Options(8, 7.0, False, False, 1, 1.0, torch.Generator().manual_seed(0), 0.9, True)
                loss, logs = head.loss(batch, self.torch_alone.embedding.float(), options)
                first = first or loss.item()
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
            self.assertLess(loss.item(), 0.7 * first, method)
            self.assertGreater((head.mask_embedding - before).abs().max().item(), 0, method)
            self.assertLess(logs["known"].item(), 1.0)             # id 77 is asked for and cannot be known

    def test_drafts_are_ranked_ids(self):
        distribution = SimpleNamespace(draw=lambda row: (int(row.argmax()), None))
        for method in ("dflash", "domino"):
            head = self.made(method)
            head.begin(SimpleNamespace(model=SimpleNamespace(embed_tokens=SimpleNamespace(weight=self.torch_alone.embedding.float()))))
            drafts, _ = head.propose([5, 9, 200], torch.randn(2, 2 * SHAPE.hidden), None, 3, distribution)
            self.assertEqual(len(drafts), 3)
            self.assertLessEqual(set(drafts), set(self.IDS))

    def test_files(self):
        for method in ("dflash", "domino"):
            head = self.made(method)
            save_drafter(head, self.work / method)
            config = json.loads((self.work / method / "config.json").read_text())
            self.assertNotIn("mask_token_id", config["dflash_config"])
            self.assertEqual(config["dflash_config"]["draft_vocab_size"], len(self.IDS))
            again = load_drafter(self.work / method)
            self.assertEqual(again.ranked_ids().tolist(), self.IDS)
            self.assertEqual(tuple(again.mask_embedding.shape), (1, SHAPE.hidden))

    def test_domino_begins_with_the_backbone_of_dflash(self):
        first = self.made("dflash")
        config = domino_config(stand_in(self.torch_alone), (0, 2), None, 1, 4, 6, 3, 1, False, len(self.IDS))
        head = CLASSES["domino"](config)
        head.start(stand_in(self.torch_alone))
        head.adopt(first)
        for name, value in first.state_dict().items():
            self.assertTrue(torch.equal(head.state_dict()[name], value), name)
        self.assertEqual(head.embed_proj[2].weight.abs().max().item(), 0)
        with self.assertRaisesRegex(RuntimeError, "no-shift-label"):
            self.made("domino").adopt(first)                       # its rows stand for other places

    def test_a_certain_target_teaches_its_token(self):
        table = self.torch_alone.embedding.float()
        for method in ("dflash", "domino"):
            head, batch = self.made(method), self.batch()
            torch.nn.init.normal_(head.layers[0].mlp.down_proj.weight, std=0.1)
            batch.hidden[:, :-1] = 200 * table[batch.ids[:, 1:]]   # each state is sure of the next token
            losses = [head.loss(batch, table, Options(8, 7.0, False, False, 1, 1.0, torch.Generator().manual_seed(0), 0.5, target_distribution=distribution))[0].item()
                      for distribution in (False, True)]
            self.assertAlmostEqual(losses[0], losses[1], places=3, msg=method)
            batch.hidden.zero_()                                   # and now of nothing
            options = Options(8, 7.0, False, False, 1, 1.0, torch.Generator().manual_seed(0), 0.5, target_distribution=True)
            self.assertNotAlmostEqual(head.loss(batch, table, options)[0].item(), losses[0], places=2, msg=method)

    def test_layers_begin_as_those_of_the_target(self):
        head, target, x = self.made("dflash"), self.torch_alone, torch.randn(3, SHAPE.hidden)
        scale = torch.full((2 * SHAPE.hidden,), 4.0)
        begin_layers(head, target, [1], scale)
        layer, theirs = head.layers[0], target.layers[1]

        def normal(v, weight):
            return v * torch.rsqrt(v.pow(2).mean(-1, keepdim=True) + SHAPE.eps) * weight

        q = F.linear(normal(x, theirs["before_attention"]), theirs["qkv"].float())[:, :SHAPE.hidden]
        torch.testing.assert_close(layer.self_attn.q_proj(layer.input_layernorm(x)), q, rtol=1e-3, atol=1e-3)
        gate, up = F.linear(normal(x, theirs["before_mlp"]), theirs["gate_up"].float()).chunk(2, -1)
        torch.testing.assert_close(layer.mlp(layer.post_attention_layernorm(x)), F.linear(F.silu(gate) * up, theirs["down"].float()), rtol=1e-3, atol=1e-3)
        taps = torch.randn(5, 2 * SHAPE.hidden)
        self.assertGreater(F.cosine_similarity(head.fc(taps), taps[:, SHAPE.hidden:]).min().item(), 0.9)

    def test_eagle3_begins_as_the_last_layer_on_the_last_tap(self):
        target = self.torch_alone
        head = CLASSES["eagle3"](eagle3_config(stand_in(target), (0, 2), len(self.IDS), END_OF_TURN, 0))
        head.set_vocabulary(self.IDS)
        head.start(stand_in(target))
        begin_eagle3(head, target, 2, torch.full((2 * SHAPE.hidden,), 4.0))
        feature, theirs = torch.randn(3, SHAPE.hidden), target.layers[2]
        normal = feature * torch.rsqrt(feature.pow(2).mean(-1, keepdim=True) + SHAPE.eps)
        nothing = torch.zeros(3, SHAPE.hidden)
        torch.testing.assert_close(head.midlayer.self_attn.q_proj(torch.cat((nothing, normal), -1)),
                                   F.linear(normal * theirs["before_attention"], theirs["qkv"].float())[:, :SHAPE.hidden], rtol=1e-3, atol=1e-3)
        taps = torch.randn(5, 2 * SHAPE.hidden)
        self.assertGreater(F.cosine_similarity(head.fc(taps), taps[:, SHAPE.hidden:]).min().item(), 0.9)

    def mtp(self):
        """A head that began from states whose stream has a root mean square of 5, and those states."""
        head = CLASSES["mtp"](mtp_config(stand_in(self.torch_alone), "llama"))
        stream = 5 * torch.randn(400, SHAPE.hidden, generator=torch.Generator().manual_seed(6))
        final = stream * torch.rsqrt(stream.pow(2).mean(-1, keepdim=True) + SHAPE.eps) * self.torch_alone.norm
        folder = self.work / "mtp_states"
        folder.mkdir(exist_ok=True)
        np.save(folder / "features_000.npy", torch.cat((stream, stream, final), -1).to(torch.bfloat16).view(torch.int16).numpy())
        begin_mtp(head, self.torch_alone, 2, folder, 2)
        return head, stream, final

    def test_mtp_begins_as_the_last_layer_on_the_final_state(self):
        head, stream, final = self.mtp()
        theirs, x = self.torch_alone.layers[2], stream[:1]

        def normal(v, weight):
            return v * torch.rsqrt(v.pow(2).mean(-1, keepdim=True) + SHAPE.eps) * weight

        value = F.linear(normal(x, theirs["before_attention"]), theirs["qkv"].float())[:, -SHAPE.kv_heads * SHAPE.head_dim:]       # alone, a row attends to itself
        x = x + F.linear(value.repeat(1, SHAPE.heads // SHAPE.kv_heads), theirs["o"].float())
        gate, up = F.linear(normal(x, theirs["before_mlp"]), theirs["gate_up"].float()).chunk(2, -1)
        wanted = normal(x + F.linear(F.silu(gate) * up, theirs["down"].float()), self.torch_alone.norm)
        head.begin(SimpleNamespace(model=SimpleNamespace(embed_tokens=SimpleNamespace(weight=self.torch_alone.embedding.float()))))
        with torch.no_grad():
            found = head.step([7], final[:1], 0)
        self.assertGreater(F.cosine_similarity(found, wanted).item(), 0.999)
        self.assertLess(F.cosine_similarity(found, final[:1]).item(), 0.99)        # the layer did something

    def test_mtp_learns_the_ids_that_it_is_trained_on(self):
        head, _, final = self.mtp()
        head.trained_ids = torch.tensor(self.IDS)
        batch, first, table = self.batch(), None, self.torch_alone.embedding.float()
        batch.hidden[:, :-1] = 40 * table[batch.ids[:, 1:]]        # each state is sure of the next token
        batch.best = torch.cat((batch.ids[:, 1:], batch.ids[:, :1]), 1)
        optimiser = torch.optim.Adam(head.parameters(), 0.005)
        for _ in range(40):
            torch.manual_seed(8)
            loss, logs = head.loss(batch, table, Options(8, 7.0, False, False, 2, 1.0, None, 0.9, True))
            first = first or loss.item()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        self.assertLess(loss.item(), 0.5 * first)
        self.assertGreater(logs["accuracy_0"].item(), 0.9)
        head.trained_ids = None                                    # and of all ids one of those is still the likeliest
        everything = head.loss(batch, table, Options(8, 7.0, False, False, 1, 1.0, None, 0.9, True))[1]
        self.assertGreater(everything["accuracy_0"].item(), 0.8)

    def test_mtp_ships(self):
        head, *_ = self.mtp()
        whole = {k: v.to(torch.bfloat16) for k, v in head.state_dict().items()}
        stored = ship.in_bytes(whole)
        self.assertEqual(stored["mtp_layers.0.input_proj.weight"].dtype, torch.bfloat16)
        self.assertEqual(stored["mtp_layers.0.mlp.up_proj.weight"].dtype, torch.uint8)
        self.assertFalse([k for k in stored if "q_norm" in k or "k_norm" in k])
        self.assertEqual(widen(stored).keys(), whole.keys())
        self.assertEqual(ship.origin("mtp", "mtp_layers.0.mlp.up_proj.weight", []), "initialised from the target's layer before its final norm, then trained")
        self.assertEqual(ship.origin("mtp", "mtp_layers.0.token_layernorm.weight", []), ship.NOTHING)

    def test_what_ships_is_what_was_trained(self):
        head = self.made("domino")
        torch.nn.init.normal_(head.embed_proj[2].weight, std=0.1)
        with torch.no_grad():
            head.fc.weight[:, 3] /= 100
        whole = {k: v.to(torch.bfloat16) if v.is_floating_point() else v for k, v in head.state_dict().items()}
        stored = ship.in_bytes(whole)
        self.assertEqual(stored["fc.weight"].dtype, torch.uint8)
        self.assertEqual(stored["layers.0.mlp.up_proj.weight"].dtype, torch.uint8)
        for name, value in widen(stored).items():
            wide = whole[name].float()
            columns = wide.pow(2).mean(0).sqrt() if name == "fc.weight" else 1           # the column of taps a hundred times as large is as exact as the others
            step = (wide / columns).abs().amax(-1, keepdim=True) / 127 * columns if value.dim() == 2 else 0
            self.assertTrue(((value.float() - wide).abs() <= 0.5 * step + wide.abs() / 128).all(), name)
        self.assertEqual(widen(stored).keys(), whole.keys())


class Scale(WithTarget):
    def test_taps_come_at_unit_scale_and_the_export_reads_them_as_they_are(self):
        width = 2 * SHAPE.hidden
        sizes = torch.logspace(-1, 2, width)
        rows = torch.randn(200, width + SHAPE.hidden, generator=torch.Generator().manual_seed(2))
        rows[:, :width] *= sizes
        rows[0, :width] *= 1000                                    # the first token of a text
        folder = self.work / "scaled"
        folder.mkdir()
        np.save(folder / "features_000.npy", rows.to(torch.bfloat16).view(torch.int16).numpy())
        scale = tap_scale(folder, width)
        self.assertTrue(((scale / sizes - 1).abs() < 0.35).all())
        fc, features = torch.randn(4, width), rows[1:3, :width]
        torch.testing.assert_close((features / scale) @ fc.T, features @ (fc / scale).T)

    def test_the_mask_begins_as_the_mean_state(self):
        states_ = torch.randn(100, SHAPE.hidden, generator=torch.Generator().manual_seed(3)) + 2
        folder = self.work / "mask"
        folder.mkdir()
        np.save(folder / "features_000.npy", states_.to(torch.bfloat16).view(torch.int16).numpy())
        head = SimpleNamespace(mask_embedding=torch.full((1, SHAPE.hidden), 0.1))
        begin_mask(head, folder, torch.full((SHAPE.hidden,), 4.0), SHAPE.hidden)
        self.assertAlmostEqual(head.mask_embedding.pow(2).mean().sqrt().item(), 0.1, places=5)
        self.assertGreater(F.cosine_similarity(head.mask_embedding, torch.ones(1, SHAPE.hidden)).item(), 0.99)


class Blocks(WithTarget):
    def test_states_are_those_of_the_whole_conversation(self):
        ids = np.random.default_rng(3).integers(3, SHAPE.vocab, 70).astype("<u2")
        made = SimpleNamespace(lengths=np.array([70]), conversation=lambda i: ids, flags=lambda i, opening: np.full(70, ANSWER, np.uint8))
        folder = self.work / "block_000"
        states.make(self.torch_alone, made, [0], folder, row=32, taps=(0, 2))
        shard, features = np.load(folder / "shard_000.npz"), np.load(folder / "features_000.npy")
        self.assertEqual(shard["lengths"].tolist(), [32, 32, 6])
        (first, last), hidden = self.torch_alone.texts([ids.tolist()], taps=(0, 2))
        self.assertTrue(torch.equal(torch.from_numpy(features).view(torch.bfloat16), torch.cat((first, last, hidden), -1)))


class Ablated(unittest.TestCase):
    """What the program's comparison says of an arm, as the app reads it beside the built-in bundle's arms."""

    def comparison(self, same):
        samples = [{"drafter": "none", "domain": "code", "tokens": 30, "rounds": 30}, {"drafter": "eagle3", "domain": "code", "tokens": 30, "rounds": 15},
                   {"drafter": "eagle3", "domain": "chats", "tokens": 30, "rounds": 20}]
        row = {"drafter": "eagle3", "domain": "all", "same_text": same, "conditional_by_position": [0.51234, 0.4, 0], "judged_at": [35, 18, 0]}
        return {"temperature": 0.0, "per_prompt": samples, "rows": [row | {"domain": "code"}, row]}

    def test_is_counted_over_prompts(self):
        run = ablations.served(self.comparison(True), "eagle3", np.random.default_rng(1))["runs"][0]
        self.assertEqual((run["all"]["prompts"], run["all"]["rounds"]), (2, 35))
        mean, low, high = run["all"]["tokens_per_round"]
        self.assertEqual((mean, low, high), (1.7143, 1.5, 2.0))
        self.assertEqual(run["all"]["conditional"], [[0.5123], [0.4], None])
        self.assertEqual(run["per_prompt"], {"code": [[30, 15]], "chats": [[30, 20]]})

    def test_a_text_that_differs_is_no_result(self):
        with self.assertRaises(SystemExit):
            ablations.served(self.comparison(False), "eagle3", np.random.default_rng(1))


if __name__ == "__main__":
    unittest.main()

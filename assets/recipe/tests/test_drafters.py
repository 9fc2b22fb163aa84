"""A head that goes on from another one.  Needs PyTorch."""
import unittest
from types import SimpleNamespace

import torch

from data import ANSWER, PROMPT
from drafters import CLASSES, block_config, dart_config, dflash2_config, domino_config, dspark_config, eagle3_config
from drafters.dflash import draw_anchors
from evaluate_drafter import Distribution, speculate, verify
from train_drafter import Batch, HeadOptimiser, Options

TARGET = SimpleNamespace(config=SimpleNamespace(
    head_dim=4, hidden_size=8, intermediate_size=12, num_attention_heads=2, num_key_value_heads=1, rms_norm_eps=1e-6,
    rope_theta=1e4, vocab_size=20, num_hidden_layers=4))


def head(method, ids, value):
    config = {"eagle3": eagle3_config, "dart": dart_config}[method](TARGET, (0, 1, 2), len(ids), 1, 0, *([3] if method == "dart" else []))
    made = CLASSES[method](config)
    made.set_vocabulary(ids)
    with torch.no_grad():
        for name, p in made.named_parameters():
            p.fill_(value)
        made.lm_head.weight.copy_(value + made.draft_ids()[:, None].expand(-1, 8))
    return made


class Adopt(unittest.TestCase):
    def test_wider_and_narrower_vocabularies(self):
        for method in ("eagle3", "dart"):
            for ours, theirs in (([1, 3, 4, 9, 15], [3, 9]), ([3, 9], [1, 3, 4, 9, 15]), ([2, 5], [2, 5]), ([1, 2], [3, 4])):
                with self.subTest(method=method, ours=ours, theirs=theirs):
                    made, other = head(method, ours, 100.0), head(method, theirs, 200.0)
                    made.adopt(other)
                    self.assertEqual(made.draft_ids().tolist(), ours)
                    self.assertEqual(made.t2d.nonzero()[:, 0].tolist(), ours)
                    self.assertEqual(made.lm_head.weight[:, 0].tolist(), [(200.0 if i in theirs else 100.0) + i for i in ours])
                    for name, p in made.named_parameters():
                        if name != "lm_head.weight":
                            self.assertTrue(bool((p == 200.0).all()), name)


class Anchors(unittest.TestCase):
    """Two documents: prompts of 5 and 3 tokens, answers of 4 and 6, two tokens of padding."""
    FLAGS = torch.tensor([[PROMPT] * 5 + [ANSWER] * 4 + [PROMPT] * 3 + [ANSWER] * 6 + [PROMPT] * 2])
    SEGMENTS = torch.tensor([[1] * 9 + [2] * 9 + [0] * 2])

    def drawn(self, count, ahead, seed=1):
        batch = SimpleNamespace(ids=torch.zeros_like(self.FLAGS), flags=self.FLAGS, segments=self.SEGMENTS)
        anchors, allowed = draw_anchors(batch, count, torch.Generator().manual_seed(seed), ahead)
        return sorted(anchors[allowed].tolist())

    def test_an_answer_token_follows_every_anchor(self):
        self.assertEqual(self.drawn(20, 1), [4, 5, 6, 7, 11, 12, 13, 14, 15, 16])
        self.assertEqual(self.drawn(20, 2), [3, 4, 5, 6, 10, 11, 12, 13, 14, 15])

    def test_the_first_round_of_a_generation_is_always_trained(self):
        for seed in range(20):
            self.assertLessEqual({4, 11}, set(self.drawn(3, 1, seed)))       # the last tokens of the prompts
            self.assertLessEqual({3, 10}, set(self.drawn(3, 2, seed)))
        self.assertEqual({x for seed in range(40) for x in self.drawn(3, 1, seed)}, {4, 5, 6, 7, 11, 12, 13, 14, 15, 16})


class Rounds(unittest.TestCase):
    """Speculation begins as in the engine, with the prompt's last token pending."""

    class Counting:
        """A target whose likeliest next token is one more than the last; 9 ends the text."""
        def __init__(self):
            self.tokens = []

        def crop(self, length):
            del self.tokens[length:]

        def run(self, tokens):
            self.tokens += tokens
            logits = torch.zeros(len(tokens), 12)
            logits[range(len(tokens)), [t + 1 for t in tokens]] = 5.0
            return SimpleNamespace(logits=logits, features=None, hidden=torch.tensor([[float(t)] for t in tokens]))

    class Guesses:
        """Right but for what follows 6; remembers where it was asked."""
        def begin(self, target):
            self.asked = []

        def propose(self, tokens, features, hidden, k, distribution):
            self.asked.append((tokens[-1], float(hidden[-1])))
            guesses = [tokens[-1] + 1 + i for i in range(k)]
            return [0 if g == 7 else g for g in guesses], [None] * k

    def test_the_first_round_brings_the_first_tokens(self):
        drafter = self.Guesses()
        text, rounds = speculate(None, self.Counting(), drafter, [1, 2, 3], {9}, 100, 3, Distribution(0, None))
        self.assertEqual(text, [4, 5, 6, 7, 8, 9])
        self.assertEqual(rounds, [(3, 3, 4), (2, 2, 2)])
        self.assertEqual(drafter.asked, [(3, 2.0), (7, 6.0)], "the state before the pending token is the newest that is known")

    def test_a_limit_and_a_prompt_that_ends_like_a_text(self):
        text, rounds = speculate(None, self.Counting(), self.Guesses(), [1, 2], {2, 9}, 3, 3, Distribution(0, None))
        self.assertEqual((text, rounds), ([3, 4, 5], [(3, 3, 3)]))

    def test_argmax_drafts_leave_the_distribution_of_the_target_as_it_is(self):
        distribution, rows = Distribution(0.7, torch.Generator().manual_seed(4)), torch.tensor([[1.0, 0.2, -0.5, 0.4], [0.0, 0.0, 9.0, 0.0]])
        wanted, times = distribution.probabilities(rows[0]), 4000
        for guess in range(4):                                            # the likeliest and others: a drafter may be wrong
            found = [verify([guess], [None], rows, distribution) for _ in range(times)]
            kept = sum(count for count, _ in found) / times
            self.assertAlmostEqual(kept, float(wanted[guess]), delta=0.04)             # 5 standard errors
            first = torch.bincount(torch.tensor([guess if count else last for count, last in found]), minlength=4) / times
            self.assertLess(float((first - wanted).abs().max()), 0.04)
            self.assertNotIn(guess, [last for count, last in found if count == 0], "what was refused comes out by no other way")


class Dpace(unittest.TestCase):
    """The option reaches the loss of every block drafter: Domino's and DSpark's once ignored it."""

    def loss(self, method, dpace):
        torch.manual_seed(3)
        config = {"dflash": lambda: block_config(TARGET, (0, 1), 3, 1, 4), "domino": lambda: domino_config(TARGET, (0, 1), 3, 1, 4, 6, 4, 1, True),
                  "dspark": lambda: dspark_config(TARGET, (0, 1), 3, 1, 4, 4), "dflash2": lambda: dflash2_config(TARGET, (0, 1), 3, 1, 4, 4, 5, group=2)}[method]()
        drafter = CLASSES[method](config)
        with torch.no_grad():
            for p in drafter.parameters():
                p.normal_(std=0.3)
        tokens = torch.randint(4, 20, (2, 24))
        whole = torch.full_like(tokens, ANSWER)
        batch = Batch(tokens, torch.ones_like(tokens), whole, torch.randn(2, 24, 16), torch.randn(2, 24, 8), tokens)
        options = Options(anchors=4, decay=7.0, dpace=dpace, self_generated=False, test_steps=1, base_rho=1.0,
                          generator=torch.Generator().manual_seed(1))
        return float(drafter.loss(batch, torch.randn(20, 8), options)[0].detach())

    def test_changes_the_loss(self):
        for method in ("dflash", "dflash2", "domino", "dspark"):
            with self.subTest(method=method):
                self.assertNotAlmostEqual(self.loss(method, True), self.loss(method, False), places=3)
                self.assertEqual(self.loss(method, True), self.loss(method, True))


class DFlash2(unittest.TestCase):
    def made(self):
        torch.manual_seed(3)
        target = SimpleNamespace(config=TARGET.config, model=SimpleNamespace(embed_tokens=torch.nn.Embedding(20, 8)))
        first = CLASSES["dflash"](block_config(target, (0, 1), 3, 1, 6))
        with torch.no_grad():
            for p in first.parameters():
                p.normal_(std=0.3)
        head = CLASSES["dflash2"](dflash2_config(target, (0, 1), 3, 1, 6, 4, 5, group=2))
        head.start(target)
        head.adopt(first)
        return target, first, head

    def test_begins_as_the_dflash_head_it_adopts(self):
        target, first, head = self.made()
        with torch.no_grad():
            head.candidate_selector.predecessor_codebook.zero_()
        tokens, features = [5, 9, 7, 12], torch.randn(3, 16)
        drafts = []
        for drafter in (first, head):
            drafter.begin(target)
            drafts.append(drafter.propose(tokens, features, None, 5, Distribution(0, None))[0])
            rows = drafter.base
        self.assertEqual(drafts[0], drafts[1])
        self.assertTrue(torch.allclose(first.base, rows))

    def learned(self, target, head):
        """The names of the weights that one step changes, and the optimiser that did."""
        optimiser, before = HeadOptimiser(head, 0.01, 1e-3, 1.0), {n: p.detach().clone() for n, p in head.named_parameters()}
        tokens = torch.randint(4, 20, (2, 24))
        batch = Batch(tokens, torch.ones_like(tokens), torch.full_like(tokens, ANSWER), torch.randn(2, 24, 16), torch.randn(2, 24, 8), tokens)
        options = Options(4, 7.0, False, False, 1, 1.0, torch.Generator().manual_seed(1))
        head.loss(batch, target.model.embed_tokens.weight.detach(), options)[0].backward()
        optimiser.step(1.0)
        return {n for n, p in head.named_parameters() if not torch.equal(p, before[n])}, optimiser

    def test_every_weight_learns(self):
        target, _, head = self.made()
        learned, optimiser = self.learned(target, head)
        self.assertEqual(learned, {n for n, _ in head.named_parameters()})
        self.assertEqual({n for n, p in head.named_parameters() if any(p is q for q in optimiser.adam.param_groups[0]["params"]) and p.dim() > 1},
                         {f"layers.0.{part}_conv.base_kernel" for part in ("attention", "mlp")}
                         | {f"candidate_selector.{part}cessor_codebook" for part in ("prede", "suc")})

    def test_the_selector_learns_alone(self):
        target, _, head = self.made()
        head.requires_grad_(False).candidate_selector.requires_grad_()
        self.assertEqual(self.learned(target, head)[0], {"candidate_selector." + n for n, _ in head.candidate_selector.named_parameters()})


class OwnTokens(unittest.TestCase):
    """Domino's ablation: the GRU reads the head's own guesses, whatever ids the head ranks."""

    def test_a_reduced_vocabulary_is_read_by_its_ids(self):
        torch.manual_seed(5)
        small = CLASSES["domino"](domino_config(TARGET, (0, 1), 3, 1, 4, 6, 4, 1, True, draft_vocab=5))
        ids = torch.tensor([4, 7, 9, 13, 19])
        with torch.no_grad():
            for p in small.parameters():
                p.normal_(std=0.3)
            small.d2t.copy_(ids - torch.arange(5))
        table, rows, anchors = torch.randn(20, 8), torch.randn(3, 4, 8), torch.tensor([6, 4, 15])
        base = torch.nn.functional.linear(rows, table[ids])
        states = small.self_generated(rows, base, anchors, table)
        state, token = torch.zeros(3, 6), anchors
        for i in range(4):
            state = small.gru_step(table[token], state)
            self.assertTrue(torch.equal(states[:, i], state))
            logits = base[:, i] + (small.correction(rows[:, i], state) if i >= small.prefix else 0)
            token = ids[logits.argmax(-1)]


if __name__ == "__main__":
    unittest.main()

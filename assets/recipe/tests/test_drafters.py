"""A head that goes on from another one.  Needs PyTorch."""
import unittest
from types import SimpleNamespace

import torch

from data import ANSWER
from drafters import CLASSES, block_config, dart_config, domino_config, dspark_config, eagle3_config
from train_drafter import Batch, Options

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


class Dpace(unittest.TestCase):
    """The option reaches the loss of every block drafter: Domino's and DSpark's once ignored it."""

    def loss(self, method, dpace):
        torch.manual_seed(3)
        config = {"dflash": lambda: block_config(TARGET, (0, 1), 3, 1, 4), "domino": lambda: domino_config(TARGET, (0, 1), 3, 1, 4, 6, 4, 1, True),
                  "dspark": lambda: dspark_config(TARGET, (0, 1), 3, 1, 4, 4)}[method]()
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
        for method in ("dflash", "domino", "dspark"):
            with self.subTest(method=method):
                self.assertNotAlmostEqual(self.loss(method, True), self.loss(method, False), places=3)
                self.assertEqual(self.loss(method, True), self.loss(method, True))


if __name__ == "__main__":
    unittest.main()

"""Medusa-1: extra heads on the target's last state; head i looks i + 2 tokens ahead.

After "Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads" (arXiv 2401.10774), section 2.1: one
residual block h + SiLU(W h + b) a head, frozen target, loss sum of 0.8^i cross-entropies.  Simplification of this bundle:
every head shares the target's frozen output matrix (`shared_lm_head`), where a released checkpoint stores one a head.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import ANSWER

from .common import geometry
from .eagle3 import shift


def medusa_config(target, heads):
    c = target.config
    return {"architectures": ["MedusaModel"], "model_type": "medusa", "medusa_num_heads": heads, "medusa_num_layers": 1,
            "base_model_name_or_path": "target", "hidden_size": c.hidden_size, "vocab_size": c.vocab_size,
            "shared_lm_head": True, "torch_dtype": "bfloat16"}


class ResBlock(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, x):
        return x + F.silu(self.linear(x))


class Medusa(nn.Module):
    """Heads are stored as medusa_head.{i}.{block}.linear.{weight,bias} and, when not shared, medusa_head.{i}.{blocks}.weight."""

    taps = []
    trained_ids = None             # ascending ids that the loss knows, where all of a large vocabulary would cost too much

    def __init__(self, config):
        super().__init__()
        self.config, self.geometry = config, geometry(config)
        size, self.shared = config["hidden_size"], config.get("shared_lm_head", False)
        parts = [[ResBlock(size) for _ in range(config["medusa_num_layers"])] for _ in range(config["medusa_num_heads"])]
        if not self.shared:
            for blocks in parts:
                blocks.append(nn.Linear(size, config["vocab_size"], bias=False))
        self.medusa_head = nn.ModuleList(nn.Sequential(*blocks) for blocks in parts)

    def start(self, target):
        pass

    def longest(self):
        return len(self.medusa_head)

    def loss(self, batch, table, options):
        total, logs = 0.0, {}
        for i, head in enumerate(self.medusa_head):
            counts = (shift(batch.segments, 2 + i) == batch.segments) & (shift(batch.flags, 2 + i, 255) == ANSWER)
            counts &= batch.segments > 0
            truth, rows = shift(batch.ids, 2 + i), table
            if self.trained_ids is not None:
                counts &= torch.isin(truth, self.trained_ids)
                truth, rows = torch.searchsorted(self.trained_ids, truth), table[self.trained_ids]
            logits = F.linear(head(batch.hidden[counts]), rows).float()
            truth = truth[counts]
            ce = F.cross_entropy(logits, truth)
            total = total + 0.8 ** i * ce
            logs.setdefault("loss", ce)
            if options.measure:
                logs[f"accuracy_{i}"] = (logits.argmax(-1) == truth).float().mean()
        return total, logs

    def begin(self, target):
        self.table = target.model.embed_tokens.weight

    @torch.no_grad()
    def propose(self, tokens, features, hidden, k, distribution):
        """The heads see the state before tokens[-1]: head i guesses the (i + 1)-th token after it."""
        self.base, drafts, distributions = [], [], []
        for head in list(self.medusa_head)[:k]:
            x = head(hidden[-1:])
            logits = (F.linear(x, self.table) if self.shared else x)[0].float()
            self.base.append(logits)
            token, q = distribution.draw(logits)
            drafts.append(token)
            distributions.append(q)
        return drafts, distributions

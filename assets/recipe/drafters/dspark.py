"""DSpark: a DFlash backbone, a first-order Markov bias and a confidence head.

After "DSpark" (DeepSeek, 2026), sections on the Markov head and the confidence head: base logits of row i plus
W2 W1[previous token] (the "vanilla" head), and a sigmoid of [h_i ; W1[previous token]] that estimates the acceptance
probability 1 - |p - q|/2 at that position.  Loss 0.1 cross-entropy + 0.9 |p - q| + binary cross-entropy of the confidence.
Always anchor-aligned: row i predicts anchor + 1 + i, and a block of B rows drafts B tokens.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from .common import reset
from .dflash import Block, accepted, block_config, draw_anchors


def dspark_config(target, taps, mask_id, layers, block, rank):
    head = {"markov_rank": rank, "markov_head_type": "vanilla", "enable_confidence_head": True, "confidence_head_with_markov": True}
    config = block_config(target, taps, mask_id, layers, block, projector_type="dspark", **head)
    return {**config, "architectures": ["DSparkDraftModel"], **head}


class MarkovHead(nn.Module):
    def __init__(self, vocab, rank):
        super().__init__()
        self.markov_w1 = nn.Embedding(vocab, rank)
        self.markov_w2 = nn.Linear(rank, vocab, bias=False)


class ConfidenceHead(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.proj = nn.Linear(size, 1)


class DSpark(Block):
    anchor_aligned = True

    def __init__(self, config):
        super().__init__(config)
        rank, own = self.own["markov_rank"], self.own
        if own.get("markov_head_type", "vanilla") != "vanilla":
            raise ValueError(f"markov_head_type {own['markov_head_type']}: only vanilla is written here")
        self.markov_head = MarkovHead(self.geometry.vocab_size, rank)
        self.with_markov = own.get("confidence_head_with_markov", True)
        self.confidence_head = ConfidenceHead(self.geometry.hidden_size + (rank if self.with_markov else 0))

    def start(self, target):
        reset(self)
        nn.init.zeros_(self.markov_head.markov_w2.weight)
        nn.init.zeros_(self.confidence_head.proj.weight)
        nn.init.zeros_(self.confidence_head.proj.bias)

    def longest(self):
        return self.block

    def confidence(self, rows, before):
        """Logit of the acceptance probability for rows (N, hidden) whose previous tokens have Markov rows (N, rank)."""
        return self.confidence_head.proj(torch.cat((rows, before), -1) if self.with_markov else rows)[..., 0]

    def loss(self, batch, table, options):
        anchors, allowed = draw_anchors(batch, options.anchors, options.generator)
        rows = self.rows(batch, table, anchors, allowed)
        at, labels, counts = self.labels(batch, anchors, allowed)
        before = torch.cat((batch.ids.gather(1, anchors)[:, :, None], labels[:, :, :-1]), 2)[counts]
        latent = self.markov_head.markov_w1(before)
        base = F.linear(rows[counts], table)
        logits = (base + self.markov_head.markov_w2(latent)).float()
        truth = labels[counts]
        with torch.no_grad():                                      # the target's distribution for the token at `at` is in the row before
            states = batch.hidden[:, None].expand(-1, anchors.shape[1], -1, -1).gather(
                2, (at - 1)[..., None].expand(-1, -1, -1, batch.hidden.shape[-1]))
            p = torch.softmax(F.linear(states[counts], table).float(), -1)
        ce = F.cross_entropy(logits, truth, reduction="none")
        gap = (torch.softmax(logits, -1) - p).abs().sum(-1)
        rate = (1 - 0.5 * gap.detach()).clamp(0, 1)
        sure = F.binary_cross_entropy_with_logits(self.confidence(rows[counts], latent).float(), rate, reduction="none")
        total = ((0.1 * ce + 0.9 * gap + sure) * self.weights(ce, counts, options)).sum()
        logs = {"loss": ce.mean(), "distance": gap.mean() / 2, "confidence_loss": sure.mean()}
        if options.measure:
            logs["accept_len"], logs["accuracy"] = accepted(logits.argmax(-1) == truth, counts)
            logs["base_accept_len"], _ = accepted(base.argmax(-1) == truth, counts)
        return total, logs

    def choose(self, rows, anchor, k, distribution):
        base = F.linear(rows[:k], self.table).float()
        self.base, self.final, self.confidences = base, base.clone(), []
        token, tokens, distributions = anchor, [], []
        for i in range(k):
            latent = self.markov_head.markov_w1.weight[token]
            self.final[i] += F.linear(latent, self.markov_head.markov_w2.weight).float()
            self.confidences.append(torch.sigmoid(self.confidence(rows[i], latent)))
            token, q = distribution.draw(self.final[i])
            tokens.append(token)
            distributions.append(q)
        return tokens, distributions

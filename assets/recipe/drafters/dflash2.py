"""DFlash 2: DFlash's block with short convolutions around every sub-layer, and a selector that walks the block.

After github.com/z-lab/dflash (Z Lab, August 2026), dflash/model.py; written from the formulas, tensor names are the released ones.
d = kernel_projection(x) of the sub-layer's normed input x, (2, taps, groups) of a row.  Before the sub-layer
x[i] <- sum_t (base[0, t] + d[i, 0, t]) * x[i - t], behind it the same on its output with index 1; rows before the block count as zeros.
The `selector_top_k` ids with the highest base logits of a row are its candidates, scored by
logit + <predecessor_codebook[token before] * hidden_projection(row), successor_codebook[candidate]>.

Loss: that of DFlash on the base logits plus the cross-entropy of the scores over the candidates, behind the true tokens; where
the true token is no candidate it takes the place of the last one.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from model import Layer

from .common import geometry
from .dflash import Block, accepted, block_config, draw_anchors


def dflash2_config(target, taps, mask_id, layers, block, rank, candidates, group=16, kernel=2):
    config = block_config(target, taps, mask_id, layers, block, block_size=block, conv_kernel_size=kernel, conv_group_size=group,
                          selector_rank=rank, selector_top_k=candidates)
    return {**config, "architectures": ["DFlash2DraftModel"], "is_causal": False}


class Convolutions(nn.Module):
    """Before a sub-layer and behind it."""

    def __init__(self, hidden, own):
        super().__init__()
        self.taps, self.groups = own["conv_kernel_size"], hidden // own["conv_group_size"]
        self.base_kernel = nn.Parameter(torch.zeros(2, self.taps, hidden))
        self.kernel_projection = nn.Linear(hidden, 2 * self.taps * self.groups, bias=False)

    def around(self, x, run):
        """x (N, block, hidden), the normed input of the sub-layer `run`."""
        added = self.kernel_projection(x).view(*x.shape[:-1], 2, self.taps, self.groups, 1)
        return self.convolve(run(self.convolve(x, added, 0)), added, 1)

    def convolve(self, x, added, which):
        kernel = self.base_kernel[which].view(self.taps, self.groups, -1) + added[..., which, :, :, :]      # (N, block, taps, groups, size)
        parts = x.view(*x.shape[:-1], self.groups, -1)
        return sum(kernel[..., t, :, :] * F.pad(parts, (0, 0, 0, 0, t, 0))[:, :parts.shape[1]] for t in range(self.taps)).flatten(-2)


class ConvolvedLayer(Layer):
    def __init__(self, c, own):
        super().__init__(c)
        self.attention_conv, self.mlp_conv = Convolutions(c.hidden_size, own), Convolutions(c.hidden_size, own)


class Selector(nn.Module):
    def __init__(self, c, own):
        super().__init__()
        rank, self.count = own["selector_rank"], own["selector_top_k"]
        self.predecessor_codebook = nn.Parameter(torch.zeros(c.vocab_size, rank))
        self.successor_codebook = nn.Parameter(torch.zeros(c.vocab_size, rank))
        self.hidden_projection = nn.Linear(c.hidden_size, rank, bias=False)

    def scores(self, logits, rows, before, candidates):
        """Of candidates (N, k) of rows (N, hidden) behind the tokens `before` (N)."""
        context = self.predecessor_codebook[before] * self.hidden_projection(rows)
        return logits.gather(-1, candidates) + (context[:, None] * self.successor_codebook[candidates]).sum(-1)


class DFlash2(Block):
    def __init__(self, config):
        super().__init__(config)
        c = geometry(config)
        self.layers = nn.ModuleList(ConvolvedLayer(c, self.own) for _ in range(c.num_hidden_layers))
        self.candidate_selector = Selector(c, self.own)

    def start(self, target):
        super().start(target)
        for layer in self.layers:                                  # every convolution as the identity
            for conv in (layer.attention_conv, layer.mlp_conv):
                nn.init.zeros_(conv.kernel_projection.weight)
                nn.init.zeros_(conv.base_kernel)
                nn.init.ones_(conv.base_kernel[:, 0])
        for codebook in (self.candidate_selector.predecessor_codebook, self.candidate_selector.successor_codebook):
            nn.init.normal_(codebook, std=0.02)

    def longest(self):
        return self.block - 1

    def around(self, layer, which, x, size, run):
        blocks = lambda rows: rows.reshape(-1, size, rows.shape[-1])
        return getattr(layer, which + "_conv").around(blocks(x), lambda rows: blocks(run(rows.reshape(x.shape)))).reshape(x.shape)

    def loss(self, batch, table, options):
        anchors, allowed = draw_anchors(batch, options.anchors, options.generator)
        rows = self.used(self.rows(batch, table, anchors, allowed))
        at, labels, counts = self.labels(batch, anchors, allowed)
        before = torch.cat((batch.ids.gather(1, anchors)[:, :, None], labels[:, :, :-1]), 2)[counts]
        rows, truth, selector = rows[counts], labels[counts], self.candidate_selector
        logits = F.linear(rows, table).float()
        ce = F.cross_entropy(logits, truth, reduction="none")
        distribution = self.target_distribution(batch, table, at, counts, options)
        base = ce if distribution is None else F.cross_entropy(logits, distribution, reduction="none")
        candidates = logits.detach().topk(selector.count, -1).indices
        listed = (candidates == truth[:, None]).any(-1)
        candidates = torch.cat((candidates[:, :-1], torch.where(listed, candidates[:, -1], truth)[:, None]), 1)
        scores = selector.scores(logits, rows, before, candidates)
        chosen = F.cross_entropy(scores, (candidates == truth[:, None]).int().argmax(-1), reduction="none")
        total = ((base + chosen) * self.weights(ce, counts, options)).sum()
        logs = {"loss": ce.mean(), "selector_loss": chosen.mean()}
        if options.measure:
            best = candidates.gather(1, scores.argmax(-1)[:, None])[:, 0]
            logs["accept_len"], logs["accuracy"] = accepted((best == truth) & listed, counts)
            logs["base_accept_len"], _ = accepted(logits.argmax(-1) == truth, counts)
            logs["listed"] = listed.float().mean()
        return total, logs

    def choose(self, rows, anchor, k, distribution):
        base = F.linear(rows[:k], self.table).float()
        self.base, self.final = base, torch.full_like(base, -torch.inf)
        token, tokens, distributions = anchor, [], []
        for i in range(k):
            candidates = base[i].topk(self.candidate_selector.count).indices[None]
            self.final[i, candidates[0]] = self.candidate_selector.scores(base[i][None], rows[i][None], [token], candidates)[0]
            token, q = distribution.draw(self.final[i])
            tokens.append(token)
            distributions.append(q)
        return tokens, distributions

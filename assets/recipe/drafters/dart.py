"""DART: the EAGLE-3 layer with trained masks behind the newest column, so that one pass gives several distributions.

After "DART: Diffusion-Inspired Speculative Decoding for Fast LLM Inference" (arXiv 2601.19278).  A mask's input is one
trained vector of twice the width, for embedding and feature alike, neither normed; its residual is the first half.  Column t
and the D masks behind it give the tokens at t + 2 .. t + 2 + D, each without knowing the others.  `norm` is applied twice
before the logits, as in the released code.  The tree that n-grams make of these distributions is the program's business; here a
proposal is the chain of favourites.

Training: anchors as for DFlash.  The anchor's own column and D masks read the columns up to the anchor and the masks before
themselves; place i weighs 0.9^i, against the target's distribution over the draft vocabulary.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import ANSWER
from model import rope_tables, rotate

from .common import BLOCKED, softmax_over
from .dflash import accepted, draw_anchors
from .eagle3 import Eagle3, eagle3_config, shift


def dart_config(target, taps, draft_vocab, eos, pad, ahead):
    """ahead: D, masks behind the newest column."""
    return {**eagle3_config(target, taps, draft_vocab, eos, pad), "architectures": ["LlamaForCausalLMDart"], "draft_length": ahead}


class Dart(Eagle3):
    def __init__(self, config):
        super().__init__(config)
        self.ahead = config["draft_length"]
        self.midlayer.mask_rep = nn.Parameter(torch.randn(2 * self.geometry.hidden_size))

    def longest(self):
        return self.ahead + 1

    def logits(self, x):
        return self.lm_head(self.norm(self.norm(x)))

    def project_masks(self, cos, sin):
        """q (B, K, group, D, d), k and v (B, K, D, d) of the D masks at the given positions (B, 1, D, d); their residual."""
        c, m = self.geometry, self.midlayer
        b, n = cos.shape[0], cos.shape[2]

        def heads(linear):
            return linear(m.mask_rep).view(1, -1, 1, c.head_dim).expand(b, -1, n, -1)

        q = rotate(heads(m.self_attn.q_proj), cos, sin).view(b, c.num_key_value_heads, -1, n, c.head_dim) * c.head_dim ** -0.5
        return q, rotate(heads(m.self_attn.k_proj), cos, sin), heads(m.self_attn.v_proj), m.mask_rep[:c.hidden_size]

    # ---- training ----

    def rows(self, batch, table, anchors):
        """Raw outputs of the anchors' columns and their masks, (B, A, 1 + D, hidden)."""
        b, length = batch.ids.shape
        a, n, c = anchors.shape[1], self.ahead, self.geometry
        kv, d, device = c.num_key_value_heads, c.head_dim, batch.ids.device
        columns = torch.arange(length, device=device)
        cos, sin = rope_tables(c, columns)
        q, k, v, residual = self.project(table[shift(batch.ids, 1)], self.fc(batch.features), cos, sin)
        group = q.shape[2]

        def at_anchors(x):                                         # (B, K, group, T, d) -> (B, K, group, A, 1, d)
            return x.gather(3, anchors[:, None, None, :, None].expand(b, kv, group, a, d)).unsqueeze(4)

        positions = (anchors[:, :, None] + 1 + torch.arange(n, device=device)).reshape(b, a * n)
        cos, sin = (t.view(b, 1, a * n, d) for t in rope_tables(c, positions.reshape(-1)))
        mq, mk, mv, mask_residual = self.project_masks(cos, sin)
        q = torch.cat((at_anchors(q), mq.view(b, kv, group, a, n, d)), 4)          # (B, K, group, A, 1 + D, d)
        mk, mv = (t.view(b, kv, 1, a, n, d) for t in (mk, mv))
        same = batch.segments[:, None, :] == batch.segments.gather(1, anchors)[:, :, None]
        bias = torch.zeros(b, a, length, device=device).masked_fill(~(same & (columns <= anchors[:, :, None])), BLOCKED)
        outside = (q.reshape(b, kv, -1, d) @ k.transpose(-1, -2)).view(b, kv, group, a, n + 1, length) + bias[:, None, None, :, None]
        later = torch.full((n + 1, n), BLOCKED, device=device).triu(0)              # row i: the anchor (0), then mask i - 1
        outside, inside = softmax_over((outside, q @ mk.transpose(-1, -2) + later))
        mixed = (outside.reshape(b, kv, -1, length) @ v).view(b, kv, group, a, n + 1, d) + inside @ mv
        start = residual.gather(1, anchors[:, :, None].expand(-1, -1, residual.shape[-1]))[:, :, None]
        start = torch.cat((start, mask_residual.to(start).expand(b, a, n, -1)), 2)
        out = self.finish(mixed.reshape(b, kv, group, -1, d), start.reshape(b, a * (n + 1), -1))
        return out.view(b, a, n + 1, -1)

    def loss(self, batch, table, options):
        anchors, allowed = draw_anchors(batch, options.anchors, options.generator, ahead=2)
        out = self.rows(batch, table, anchors)
        # row i predicts the token at anchor + 2 + i, whose target distribution is in column anchor + 1 + i
        at = anchors[:, :, None] + 1 + torch.arange(self.ahead + 1, device=anchors.device)
        inside = at + 1 < batch.ids.shape[1]
        at = at.clamp(max=batch.ids.shape[1] - 2)

        def pick(x, where):
            return x[:, None, :].expand(-1, anchors.shape[1], -1).gather(2, where)

        counts = allowed[:, :, None] & inside & (pick(batch.flags, at + 1) == ANSWER)
        counts &= pick(batch.segments, at + 1) == batch.segments.gather(1, anchors)[:, :, None]
        best = pick(batch.best, at)
        counts &= self.t2d[best]
        ids = self.draft_ids()
        where = at + torch.arange(at.shape[0], device=at.device)[:, None, None] * batch.ids.shape[1]
        with torch.no_grad():
            p = torch.softmax(F.linear(batch.hidden.flatten(0, 1)[where[counts]], table[ids]).float(), -1)
        logits = self.logits(out[counts]).float()
        ce = F.cross_entropy(logits, p, reduction="none")
        weight = (0.9 ** torch.arange(self.ahead + 1, device=at.device)).expand(counts.shape)[counts]
        logs = {"loss": ce.mean()}
        if options.measure:
            logs["accept_len"], logs["accuracy"] = accepted(ids[logits.argmax(-1)] == best[counts], counts)
        return (ce * weight).sum() / weight.sum(), logs

    # ---- decoding ----

    @torch.no_grad()
    def propose(self, tokens, features, hidden, k, distribution):
        """The favourites of the newest column and of k - 1 masks behind it; the masks leave nothing in the cache."""
        start = len(tokens) - 1
        newest = self.step(tokens[self.seen + 1:], self.fc(features), self.seen)[-1:]
        self.seen = start
        n, c = max(k - 1, 0), self.geometry
        outs = newest
        if n:
            cos, sin = (t[None, None] for t in rope_tables(c, torch.arange(start, start + n, device=features.device)))
            q, mk, mv, residual = self.project_masks(cos, sin)
            keys, values = torch.cat((self.keys, mk), 2), torch.cat((self.values, mv), 2)
            bias = torch.full((n, start + n), BLOCKED, device=features.device).triu(start + 1)
            scores = torch.softmax(q @ keys[:, :, None].transpose(-1, -2) + bias, -1)
            outs = torch.cat((newest, self.finish(scores @ values[:, :, None], residual.expand(1, n, -1))[0]))
        self.outputs, self.base, drafts, distributions = [outs], list(self.logits(outs[:k]).float()), [], []
        ids = self.draft_ids()
        for logits in self.base:
            token, q = distribution.draw(logits)
            drafts.append(int(ids[token]))
            distributions.append(None if q is None else q.new_zeros(len(self.t2d)).scatter_(0, ids, q))
        return drafts, distributions

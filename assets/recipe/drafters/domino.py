"""Domino: a DFlash backbone and a small causal head that corrects the block from left to right.

After "Domino" (arXiv 2605.29707), method section and released configurations: a GRU without biases reads the anchor and the drafts so
far, and z_i = U_i + W2 SiLU(W1 [h_i ; s_i]) corrects the base logits U_i.  Training is teacher-forced; the curriculum
loss (1 - l) CE(final) + l CE(base) starts at l = 1, so that the backbone is not left to the head.

With `shift_label` row i predicts anchor + 1 + i from row 0 on.  The first `pure_draft_prefix_len` drafts stay uncorrected.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from .dflash import Block, accepted, block_config, draw_anchors


def domino_config(target, taps, mask_id, layers, block, gru, rank, prefix, shift, draft_vocab=0):
    config = block_config(target, taps, mask_id, layers, block, draft_vocab, projector_type="domino", gru_hidden_dim=gru, emb_dim=rank,
                          pure_draft_prefix_len=prefix, shift_label=shift)
    return {**config, "architectures": ["DominoDraftModel"], "emb_dim": rank}


class Domino(Block):
    def __init__(self, config):
        super().__init__(config)
        c, own = self.geometry, self.own
        self.anchor_aligned = own.get("shift_label", False)
        self.prefix = own.get("pure_draft_prefix_len", 0)
        self.prefix_gru = nn.GRU(c.hidden_size, own["gru_hidden_dim"], batch_first=True, bias=False)
        self.embed_proj = nn.Sequential(nn.Linear(c.hidden_size + own["gru_hidden_dim"], own["emb_dim"], bias=False), nn.SiLU(),
                                        nn.Linear(own["emb_dim"], self.ranked, bias=False))

    def start(self, target):
        super().start(target)
        nn.init.zeros_(self.embed_proj[2].weight)                  # at step 0 the final logits are the base logits

    def longest(self):
        """One fewer than the rows when anchor-aligned too: 15 drafts for a block of 16, the serving engines' choice."""
        return self.block - 1

    def correction(self, rows, states):
        return self.embed_proj(torch.cat((rows, states.to(rows.dtype)), -1))

    def gru_step(self, token_embedding, state):
        """One token (N, hidden) and state (N, G) -> next state (N, G); the same cell as the batched GRU."""
        gi = F.linear(token_embedding, self.prefix_gru.weight_ih_l0)
        gh = F.linear(state, self.prefix_gru.weight_hh_l0)
        (ir, iz, i_n), (hr, hz, hn) = gi.chunk(3, -1), gh.chunk(3, -1)
        r, z = torch.sigmoid(ir + hr), torch.sigmoid(iz + hz)
        n = torch.tanh(i_n + r * hn)
        return (1 - z) * n + z * state

    def states(self, embeddings):
        """States after each of the embeddings (N, K, hidden): (N, K, G).  Unrolled: quicker here than nn.GRU in bf16."""
        state = torch.zeros(embeddings.shape[0], self.own["gru_hidden_dim"], device=embeddings.device, dtype=embeddings.dtype)
        out = []
        for i in range(embeddings.shape[1]):
            state = self.gru_step(embeddings[:, i], state)
            out.append(state)
        return torch.stack(out, 1)

    def self_generated(self, rows, base, anchors, table):
        """Ablation: states from the head's own argmax tokens, detached, slot by slot; (N, K, G)."""
        ids = self.ranked_ids()
        token, state, out = anchors, rows.new_zeros(rows.shape[0], self.own["gru_hidden_dim"]), []
        for i in range(rows.shape[1]):
            state = self.gru_step(table[token], state)
            out.append(state)
            with torch.no_grad():
                logits = base[:, i] + (self.correction(rows[:, i], state) if i >= self.prefix else 0)
                token = logits.argmax(-1)
                if ids is not None:
                    token = ids[token]
        return torch.stack(out, 1)

    def loss(self, batch, table, options):
        anchors, allowed = draw_anchors(batch, options.anchors, options.generator)
        rows = self.used(self.rows(batch, table, anchors, allowed))
        at, labels, counts = self.labels(batch, anchors, allowed)
        b, a, k, h = rows.shape
        anchor_tokens = batch.ids.gather(1, anchors)
        read = torch.cat((anchor_tokens[:, :, None], labels[:, :, :-1]), 2)          # state i has read anchor .. draft i
        known, labels = self.known(labels)
        share = (known & counts).sum() / counts.sum().clamp(min=1)
        counts = counts & known
        base = F.linear(rows[counts], self.output_rows(table))
        if options.self_generated:
            with torch.no_grad():
                everything = F.linear(rows, self.output_rows(table)).view(b * a, k, -1)
            states = self.self_generated(rows.reshape(b * a, k, h), everything, anchor_tokens.view(-1), table)
        else:
            states = self.states(table[read].view(b * a, k, h))
        corrected = (torch.arange(k, device=rows.device) >= self.prefix).expand(b, a, k)[counts]
        delta = self.correction(rows[counts], states.view(b, a, k, -1)[counts])
        final = base + delta * corrected[:, None]
        truth = labels[counts]
        ce_base = F.cross_entropy(base.float(), truth, reduction="none")
        ce_final = F.cross_entropy(final.float(), truth, reduction="none")
        distribution = self.target_distribution(batch, table, at, counts, options)
        learned = (ce_base, ce_final) if distribution is None else tuple(F.cross_entropy(x.float(), distribution, reduction="none") for x in (base, final))
        mix = options.base_share(options.progress)
        total = (((1 - mix) * learned[1] + mix * learned[0]) * self.weights(ce_final, counts, options)).sum()
        logs = {"final_loss": ce_final.mean(), "base_loss": ce_base.mean()}
        if options.measure:
            logs["accept_len"], logs["accuracy"] = accepted(final.argmax(-1) == truth, counts)
            logs["base_accept_len"], logs["base_accuracy"] = accepted(base.argmax(-1) == truth, counts)
            logs["known"] = share
        return total, logs

    def choose(self, rows, anchor, k, distribution):
        """Left to right; the GRU restarts at every anchor and reads it first."""
        base = self.spread(F.linear(rows[:k], self.output_rows(self.table)).float())
        state = torch.zeros(1, self.own["gru_hidden_dim"], device=rows.device)
        self.base, self.final, self.gru_states = base, base.clone(), []
        token, tokens, distributions = anchor, [], []
        for i in range(k):
            state = self.gru_step(self.table[token][None], state)
            self.gru_states.append(state[0])
            if i >= self.prefix:
                correction, ids = self.correction(rows[i:i + 1], state)[0].float(), self.ranked_ids()
                self.final[i] += correction if ids is None else torch.zeros_like(self.final[i]).index_copy_(0, ids, correction)
            token, q = distribution.draw(self.final[i])
            tokens.append(token)
            distributions.append(q)
        return tokens, distributions

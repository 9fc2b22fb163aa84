"""DFlash: a block of masks filled in one pass, with the target's hidden states injected as keys and values.

After "DFlash: Block Diffusion for Flash Speculative Decoding" (Z Lab, 2026): conditioning by key/value injection,
random anchors, a mask that sees the context strictly before the anchor and its own block both ways, and position-decay
weights exp(-(k-1)/g).  D-PACE weights are an option.  Written from the formulas; tensor names are the released ones.

Row k of the block is asked for the token at anchor + k ("same position"); row 0 holds the anchor and asks nothing.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import ANSWER
from model import Layer, RMSNorm, rope_tables

from .common import BLOCKED, geometry, keys_values, ranked_ids, reset, set_vocabulary, softmax_over


def block_config(target, taps, mask_id, layers, block, draft_vocab=0, **extra):
    """mask_id None: the mask is a row of the head's own, `mask_embedding` (1, hidden), for a target whose vocabulary has none to spare.
    draft_vocab: the head ranks so many ids only, named by `d2t` as in EAGLE-3's files; their output rows are the target's."""
    c = target.config
    if draft_vocab:
        extra = {**extra, "draft_vocab_size": draft_vocab}
    if mask_id is not None:
        extra = {"mask_token_id": mask_id, **extra}
    return {
        "architectures": ["DFlashDraftModel"], "model_type": "qwen3", "attention_bias": False, "attention_dropout": 0.0,
        "block_size": block, "dflash_config": {"target_layer_ids": list(taps), **extra},
        "head_dim": c.head_dim, "hidden_act": "silu", "hidden_size": c.hidden_size, "initializer_range": 0.02,
        "intermediate_size": c.intermediate_size, "layer_types": ["full_attention"] * layers,
        "max_position_embeddings": 2048, "max_window_layers": layers, "num_attention_heads": c.num_attention_heads,
        "num_hidden_layers": layers, "num_key_value_heads": c.num_key_value_heads,
        "num_target_layers": c.num_hidden_layers, "rms_norm_eps": c.rms_norm_eps, "rope_scaling": None,
        "rope_theta": c.rope_theta, "sliding_window": None, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
        "use_cache": True, "use_sliding_window": False, "vocab_size": c.vocab_size,
    }


class Block(nn.Module):
    """The backbone that DFlash, Domino and DSpark share."""

    anchor_aligned = False         # row k predicts anchor + k; True: row k predicts anchor + k + 1, from row 0 on
    target_rows = None             # (ranked, hidden): the target's output rows of the ranked ids, where its file has others than its embedding's

    def __init__(self, config):
        super().__init__()
        c, own = geometry(config), config["dflash_config"]
        self.config, self.geometry, self.own = config, c, own
        self.block, self.mask_id, self.taps = config["block_size"], own.get("mask_token_id"), own["target_layer_ids"]
        self.ranked = own.get("draft_vocab_size", c.vocab_size)
        self.conditioning = own.get("conditioning", "features")
        self.fc = nn.Linear(len(self.taps) * c.hidden_size, c.hidden_size, bias=False)
        self.hidden_norm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.num_hidden_layers))
        self.norm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        if self.mask_id is None:
            self.mask_embedding = nn.Parameter(torch.zeros(1, c.hidden_size))
        if self.ranked < c.vocab_size:
            self.register_buffer("d2t", torch.zeros(self.ranked, dtype=torch.int64))      # an offset: target id = i + d2t[i]
            self.register_buffer("t2d", torch.zeros(c.vocab_size, dtype=torch.bool))

    def start(self, target):
        """Random initial weights; the target's table is at hand for those that begin as a copy of it."""
        reset(self)
        if self.mask_id is None:
            # a token like others; not the mean row, which points where a large vocabulary's rows all point: SmolLM2's loss began at 153
            nn.init.normal_(self.mask_embedding, std=float(target.model.embed_tokens.weight.float().std()))

    def set_vocabulary(self, ids):
        set_vocabulary(self, ids)

    def ranked_ids(self):
        """Target ids of the output rows, ascending; None where every id has one."""
        return ranked_ids(self.d2t) if self.ranked < self.geometry.vocab_size else None

    def output_rows(self, table):
        if self.target_rows is not None:
            return self.target_rows
        ids = self.ranked_ids()
        return table if ids is None else table[ids]

    def known(self, labels):
        """Which of the labels have an output row, and the row of each."""
        ids = self.ranked_ids()
        if ids is None:
            return torch.ones_like(labels, dtype=torch.bool), labels
        return self.t2d[labels], torch.searchsorted(ids, labels).clamp(max=len(ids) - 1)

    def embed(self, tokens, table):
        """Embeddings of block tokens, -1 for a mask without an id."""
        rows = table[tokens.clamp(min=0)]
        return rows if self.mask_id is not None else torch.where((tokens < 0)[..., None], self.mask_embedding.to(rows.dtype), rows)

    def masks(self, shape, device):
        return torch.full(shape, -1 if self.mask_id is None else self.mask_id, device=device)

    def adopt(self, other):
        """All weights of another head of this method, or the backbone of a DFlash head whose rows stand for the same places."""
        weights = other.state_dict()
        if type(other) is DFlash and type(self) is not DFlash:
            if self.anchor_aligned:
                raise RuntimeError("DFlash's row k is asked for the token at anchor + k: --no-shift-label")
            weights = {**self.state_dict(), **weights}
        self.load_state_dict(weights)

    # ---- shared by training and decoding ----

    def context(self, features, positions):
        """features (B, T, m * hidden) at positions -> per layer (keys, values), each (B, K, T, D)."""
        ctx = self.hidden_norm(self.fc(features))
        cos, sin = rope_tables(self.geometry, positions)
        return [keys_values(layer.self_attn, ctx, cos, sin) for layer in self.layers]

    def fill(self, x, positions, context, context_bias):
        """Block embeddings x (B, A, L, hidden) at positions (B, A, L) -> rows after the final norm, (B, A, L, hidden).

        context_bias (B, A, S) says which context columns a block may read; inside a block every row sees every row.
        """
        b, a, n, h = x.shape
        c = self.geometry
        kv, group, d = c.num_key_value_heads, c.num_attention_heads // c.num_key_value_heads, c.head_dim
        cos, sin = rope_tables(c, positions.reshape(-1))
        cos, sin = (t.view(b, 1, a * n, d) for t in (cos, sin))
        x = x.reshape(b, a * n, h)
        bias = context_bias[:, None, None, :, None, :]
        for layer, (ck, cv) in zip(self.layers, context):
            def attend(normed):
                q, k, v = layer.self_attn.qkv(normed, cos, sin)
                q = q.reshape(b, kv, group * a * n, d) * d ** -0.5
                k, v = (t.reshape(b, kv, 1, a, n, d) for t in (k, v))
                blocks = q.view(b, kv, group, a, n, d)
                outside = (q @ ck.transpose(-1, -2)).view(b, kv, group, a, n, -1) + bias
                outside, inside = softmax_over((outside, blocks @ k.transpose(-1, -2)))
                mixed = (outside.reshape(b, kv, group * a * n, -1) @ cv).view(b, kv, group, a, n, d) + inside @ v
                return layer.self_attn.o_proj(mixed.reshape(b, kv * group, a * n, d).transpose(1, 2).reshape(b, a * n, kv * group * d))

            x = x + self.around(layer, "attention", layer.input_layernorm(x), n, attend)
            x = x + self.around(layer, "mlp", layer.post_attention_layernorm(x), n, layer.mlp)
        return self.norm(x).view(b, a, n, h)

    def around(self, layer, which, x, size, run):
        """The sub-layer `run` on x (B, A * size, hidden), its normed input; what stands before and behind it here."""
        return run(x)

    # ---- training ----

    def features_of(self, batch, table):
        if self.conditioning == "embeddings":                      # ablation: what the tokens say, without the target
            return table[batch.ids].repeat(1, 1, len(self.taps))
        return batch.features

    def rows(self, batch, table, anchors, allowed):
        """The rows of every block of a training batch, (B, A, L, hidden)."""
        length = batch.ids.shape[1]
        device = batch.ids.device
        columns = torch.arange(length, device=device)
        same = batch.segments[:, None, :] == batch.segments.gather(1, anchors)[:, :, None]
        seen = same & (columns < anchors[:, :, None])              # strictly: the target has not run on the anchor
        if self.conditioning == "none":
            seen = torch.zeros_like(seen)
        bias = torch.zeros(seen.shape, device=device).masked_fill(~seen, BLOCKED)
        tokens = self.masks((*anchors.shape, self.block), device)
        tokens[:, :, 0] = batch.ids.gather(1, anchors)
        positions = anchors[:, :, None] + torch.arange(self.block, device=device)
        context = self.context(self.features_of(batch, table), columns)
        return self.fill(self.embed(tokens, table), positions, context, bias)

    def labels(self, batch, anchors, allowed):
        """Token at anchor + 1 .. anchor + K of every block (K used rows), and which of them count."""
        count = self.block if self.anchor_aligned else self.block - 1
        at = anchors[:, :, None] + torch.arange(1, count + 1, device=anchors.device)
        inside = at < batch.ids.shape[1]
        at = at.clamp(max=batch.ids.shape[1] - 1)

        def pick(x):
            return x[:, None, :].expand(-1, anchors.shape[1], -1).gather(2, at)

        counts = allowed[:, :, None] & inside & (pick(batch.flags) == ANSWER)
        counts &= pick(batch.segments) == batch.segments.gather(1, anchors)[:, :, None]
        return at, pick(batch.ids), counts

    def used(self, rows):
        return rows if self.anchor_aligned else rows[:, :, 1:]

    def weights(self, ce, counts, options):
        """What every place that counts weighs in the loss, given the cross-entropies of those places."""
        if options.dpace:
            return dpace(ce.detach(), counts)[counts] / counts.shape[0]
        k = torch.arange(counts.shape[-1], device=counts.device).float()
        weight = (counts * (torch.exp(-k / options.decay) if options.decay else torch.ones_like(k)))[counts]
        return weight / weight.sum()

    @torch.no_grad()
    def target_distribution(self, batch, table, at, counts, options):
        """The target's distribution over the ranked ids at the places that count; None where the tokens themselves are learned."""
        if not options.target_distribution:
            return None
        before = (at - 1).flatten(1)[:, :, None].expand(-1, -1, batch.hidden.shape[-1])          # the state that says the token at `at`
        states = batch.hidden.gather(1, before).view(*at.shape, -1)[counts]
        return torch.softmax(F.linear(states, self.output_rows(table)).float(), -1)

    def loss(self, batch, table, options):
        anchors, allowed = draw_anchors(batch, options.anchors, options.generator)
        rows = self.used(self.rows(batch, table, anchors, allowed))
        at, labels, counts = self.labels(batch, anchors, allowed)
        known, labels = self.known(labels)
        share = (known & counts).sum() / counts.sum().clamp(min=1)
        counts = counts & known
        logits = F.linear(rows[counts], self.output_rows(table)).float()
        ce = F.cross_entropy(logits, labels[counts], reduction="none")
        distribution = self.target_distribution(batch, table, at, counts, options)
        loss = ce if distribution is None else F.cross_entropy(logits, distribution, reduction="none")
        total = (loss * self.weights(ce, counts, options)).sum()
        logs = {"loss": ce.mean()}
        if options.measure:
            logs["accept_len"], logs["accuracy"] = accepted(logits.argmax(-1) == labels[counts], counts)
            logs["known"] = share
        return total, logs

    # ---- decoding ----

    def begin(self, target):
        """Forget the sequence; the cache holds only keys and values made from real target features."""
        self.table = target.model.embed_tokens.weight
        self.cache, self.seen = None, 0

    def absorb(self, features, tokens):
        """Features of the positions seen..seen+C-1 join the cache."""
        if self.conditioning == "embeddings":
            features = self.table[torch.tensor(tokens[self.seen:self.seen + len(features)])].repeat(1, len(self.taps))
        new = self.context(features[None], torch.arange(self.seen, self.seen + len(features), device=features.device))
        self.seen += len(features)
        if self.cache is None:
            self.cache = new
        else:
            self.cache = [tuple(torch.cat(pair, 2) for pair in zip(old, now)) for old, now in zip(self.cache, new)]

    def block_rows(self, tokens, size):
        """Rows for the anchor tokens[-1] and size - 1 masks: (size, hidden)."""
        start = len(tokens) - 1
        device = self.table.device
        block = self.masks((size,), device)
        block[0] = tokens[-1]
        bias = torch.zeros(1, 1, start, device=device)
        if self.conditioning == "none":
            bias += BLOCKED
        positions = torch.arange(start, start + size, device=device).view(1, 1, -1)
        return self.fill(self.embed(block, self.table)[None, None], positions, self.cache, bias)[0, 0]

    @torch.no_grad()
    def propose(self, tokens, features, hidden, k, distribution):
        """k draft tokens after tokens[-1], and the distribution each was drawn from (None at temperature 0)."""
        self.absorb(features, tokens)
        rows = self.block_rows(tokens, self.slots(k))
        self.shown = (rows if self.anchor_aligned else rows[1:])[:k]
        return self.choose(self.shown, tokens[-1], k, distribution)

    def slots(self, k):
        """Slots to fill for k drafts: one more, as in training.  Only a full anchor-aligned block leaves none unused."""
        return k if self.anchor_aligned and k == self.block else k + 1

    def choose(self, rows, anchor, k, distribution):
        base = self.spread(F.linear(rows[:k], self.output_rows(self.table)).float())
        self.base, self.final = base, base
        drawn = [distribution.draw(row) for row in base]
        return [t for t, _ in drawn], [q for _, q in drawn]


    def spread(self, logits):
        """Logits of the ranked ids (..., ranked) -> of the target's ids; the others have none."""
        ids = self.ranked_ids()
        return logits if ids is None else logits.new_full((*logits.shape[:-1], self.geometry.vocab_size), -torch.inf).index_copy_(-1, ids, logits)


class DFlash(Block):
    def longest(self):
        return self.block - 1


def draw_anchors(batch, count, generator, ahead=1):
    """Up to `count` anchors a row, among the tokens that an answer token follows `ahead` places on.

    Those for which it is the first token of an answer are always taken: the first round of every generation drafts there, with
    the prompt's last token as the anchor. (The official recipe asks for an answer token at the anchor as well: heads trained so
    guessed wrong in nine of ten first rounds.) The others are drawn uniformly."""
    answer, same = batch.flags == ANSWER, batch.segments[:, ahead:] == batch.segments[:, :-ahead]
    ok, first = torch.zeros_like(answer), torch.zeros_like(answer)
    ok[:, :-ahead] = answer[:, ahead:] & same
    first[:, :-ahead] = ok[:, :-ahead] & ~answer[:, ahead - 1:-1]
    score = torch.rand(batch.ids.shape, generator=generator).to(ok.device) + ok.long() + first.long()
    best = score.topk(count, 1)
    return best.indices, best.values > 1


def accepted(correct, counts):
    """Mean accepted prefix + 1 over the blocks (teacher-forced), and the share of right tokens."""
    hits = torch.zeros_like(counts)
    hits[counts] = correct
    runs = hits.long().cumprod(-1).sum(-1)[counts.any(-1)]
    return runs.float().mean() + 1, correct.float().mean()


def dpace(ce, counts, a=0.5):
    """D-PACE weights: w_k = sum over m >= k of the smoothed probability that the block is right up to m."""
    q = torch.zeros(counts.shape, device=ce.device)
    q[counts] = (1 - a) * torch.exp(-ce) + a
    reach = q.cumprod(-1)
    return reach.flip(-1).cumsum(-1).flip(-1)

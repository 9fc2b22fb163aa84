"""EAGLE-3: one decoder layer that continues the target's features, one token at a time.

After "EAGLE-3: Scaling up Inference Acceleration of Large Language Models via Training-Time Test" (arXiv 2503.01840),
section 3: three fused target features, direct token prediction over a reduced vocabulary, and the training-time test, in which
step i + 1 receives the layer's own output of step i as its feature (the tokens stay the true ones).

Column t: feature of position t and embedding of the token at t + 1 give the token at t + 2.  The residual stream carries
the feature itself; the layer's raw output is the next feature, and `norm` is applied for the logits only.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import ANSWER
from model import MLP, RMSNorm, rope_tables, rotate

from .common import BLOCKED, geometry, ranked_ids, reset, set_vocabulary, softmax_over


def eagle3_config(target, taps, draft_vocab, eos, pad):
    c = target.config
    return {
        "architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama", "attention_bias": False,
        "bos_token_id": None, "draft_vocab_size": draft_vocab,
        "eagle_config": {"eagle_aux_hidden_state_layer_ids": list(taps), "use_aux_hidden_state": True},
        "eos_token_id": eos, "head_dim": c.head_dim, "hidden_act": "silu", "hidden_size": c.hidden_size,
        "initializer_range": 0.02, "intermediate_size": c.intermediate_size, "max_position_embeddings": 2048,
        "norm_before_residual": False, "num_attention_heads": c.num_attention_heads, "num_hidden_layers": 1,
        "num_key_value_heads": c.num_key_value_heads, "pad_token_id": pad, "rms_norm_eps": c.rms_norm_eps,
        "rope_scaling": None, "rope_theta": c.rope_theta, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
        "use_cache": True, "vocab_size": c.vocab_size,
    }


class Attention(nn.Module):
    """Llama style: input twice as wide as the stream, no query/key norms."""

    def __init__(self, c):
        super().__init__()
        wide, heads, kv = 2 * c.hidden_size, c.num_attention_heads * c.head_dim, c.num_key_value_heads * c.head_dim
        self.q_proj = nn.Linear(wide, heads, bias=False)
        self.k_proj = nn.Linear(wide, kv, bias=False)
        self.v_proj = nn.Linear(wide, kv, bias=False)
        self.o_proj = nn.Linear(heads, c.hidden_size, bias=False)


class MidLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp = Attention(c), MLP(c)
        self.hidden_norm, self.input_layernorm, self.post_attention_layernorm = (
            RMSNorm(c.hidden_size, c.rms_norm_eps) for _ in range(3))


class Eagle3(nn.Module):
    target_rows = None             # (draft ids, hidden): the target's output rows of them, where its file has others than its embedding's

    def __init__(self, config):
        super().__init__()
        c = geometry(config)
        self.config, self.geometry = config, c
        self.taps = config["eagle_config"]["eagle_aux_hidden_state_layer_ids"]
        self.norm_first = config.get("norm_before_residual", False)
        draft = config.get("draft_vocab_size", c.vocab_size)
        self.fc = nn.Linear(len(self.taps) * c.hidden_size, c.hidden_size, bias=False)
        self.fc_norm = nn.ModuleList(RMSNorm(c.hidden_size, c.rms_norm_eps) for _ in self.taps if config.get("fc_norm"))
        self.input_norm = RMSNorm(len(self.taps) * c.hidden_size, c.rms_norm_eps) if config.get("norm_before_fc") else None
        self.norm_output = config.get("norm_output", False)
        self.midlayer = MidLayer(c)
        self.norm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.lm_head = nn.Linear(c.hidden_size, draft, bias=False)
        self.register_buffer("d2t", torch.zeros(draft, dtype=torch.int64))       # an offset: target id = i + d2t[i]
        self.register_buffer("t2d", torch.zeros(c.vocab_size, dtype=torch.bool))

    def set_vocabulary(self, ids):
        set_vocabulary(self, ids)

    def draft_ids(self):
        return ranked_ids(self.d2t)

    def adopt(self, other):
        """All weights of another head of this shape; it may rank other ids: output rows that it lacks stay as they are."""
        weights, ours, theirs = dict(other.state_dict()), self.draft_ids(), other.draft_ids()
        rows, shared = self.lm_head.weight.detach().clone(), torch.isin(ours, theirs)
        rows[shared] = weights["lm_head.weight"][torch.searchsorted(theirs, ours[shared])]
        self.load_state_dict({**weights, "lm_head.weight": rows, "d2t": self.d2t, "t2d": self.t2d})

    def start(self, target):
        reset(self)
        with torch.no_grad():
            self.fc.weight.mul_(0.1)                               # taps are large: the layer must be heard beside the stream
            # a copy of the target's rows; trained from there
            self.lm_head.weight.copy_(target.model.embed_tokens.weight[self.draft_ids()])

    def longest(self):
        return 15

    # ---- shared by training and decoding ----

    def project(self, emb, g, cos, sin):
        """Token embeddings and features (B, T, hidden) -> q (B, K, group, T, D), k and v (B, K, T, D), rotated."""
        c, m = self.geometry, self.midlayer
        b, t, _ = emb.shape
        normed = m.hidden_norm(g)
        u = torch.cat((m.input_layernorm(emb), normed), -1)
        q = m.self_attn.q_proj(u).view(b, t, -1, c.head_dim).transpose(1, 2)
        k = m.self_attn.k_proj(u).view(b, t, -1, c.head_dim).transpose(1, 2)
        v = m.self_attn.v_proj(u).view(b, t, -1, c.head_dim).transpose(1, 2)
        q = rotate(q, cos, sin).view(b, c.num_key_value_heads, -1, t, c.head_dim) * c.head_dim ** -0.5
        return q, rotate(k, cos, sin), v, normed if self.norm_first else g

    def finish(self, mixed, residual):
        """Attention output (B, K, group, T, D) and the residual -> the layer's output (B, T, hidden), raw or as `norm_output` has it."""
        b, kv, group, t, d = mixed.shape
        m = self.midlayer
        x = residual + m.self_attn.o_proj(mixed.reshape(b, kv * group, t, d).transpose(1, 2).reshape(b, t, -1))
        x = x + m.mlp(m.post_attention_layernorm(x))
        return self.norm(x) if self.norm_output else x

    def fused(self, features):
        if self.input_norm is not None:                            # all taps together
            features = self.input_norm(features)
        if self.fc_norm:                                           # EAGLE-3.1: each tap has a norm of its own
            features = torch.cat([norm(tap) for norm, tap in zip(self.fc_norm, features.chunk(len(self.taps), -1))], -1)
        return self.fc(features)

    def logits(self, x):
        return self.lm_head(x if self.norm_output else self.norm(x))

    # ---- training ----

    def unroll(self, batch, table, steps):
        """The training-time test: raw layer outputs of every step, each (B, T, hidden)."""
        b, length = batch.ids.shape
        device = batch.ids.device
        columns = torch.arange(length, device=device)
        same = batch.segments[:, :, None] == batch.segments[:, None, :]
        bias = torch.zeros(b, length, length, device=device).masked_fill(~(same & (columns[None] <= columns[:, None])), BLOCKED)
        bias = bias[:, None, None]
        g, keys, values, outputs = self.fused(batch.features), [], [], []
        for i in range(steps):
            cos, sin = rope_tables(self.geometry, columns + i)
            q, k, v, residual = self.project(table[shift(batch.ids, 1 + i)], g, cos, sin)
            keys.append(k[:, :, None])
            values.append(v[:, :, None])
            scores = [q @ keys[0].transpose(-1, -2) + bias]
            scores += [(q * own).sum(-1, keepdim=True) for own in keys[1:]]        # its own chain: one key a step
            parts = softmax_over(scores)
            mixed = parts[0] @ values[0]
            for part, own in zip(parts[1:], values[1:]):
                mixed = mixed + part * own
            g = self.finish(mixed, residual)
            outputs.append(g)
        return outputs

    def loss(self, batch, table, options):
        outputs = self.unroll(batch, table, options.test_steps)
        ids, total, logs = self.draft_ids(), 0.0, {}
        with torch.no_grad():                                      # once for all test steps, which read the same rows shifted
            distributions = torch.softmax(F.linear(batch.hidden, table[ids] if self.target_rows is None else self.target_rows).float(), -1).flatten(0, 1)
        rows = torch.arange(len(distributions), device=distributions.device).view(batch.ids.shape)
        scale = None
        for i, out in enumerate(outputs):
            # column t now predicts the token at t + 2 + i, whose target distribution is in row t + 1 + i
            counts = (shift(batch.segments, 2 + i) == batch.segments) & (shift(batch.flags, 2 + i, 255) == ANSWER)
            best = shift(batch.best, 1 + i)
            counts &= self.t2d[best] & (batch.segments > 0)
            logits = self.logits(out[counts]).float()
            ce = F.cross_entropy(logits, distributions[shift(rows, 1 + i)[counts]], reduction="none")
            scale = scale or max(int(counts.sum()), 1)
            total = total + 0.8 ** i * ce.sum() / scale
            if i == 0:
                logs["loss"] = ce.mean()
            if options.measure:
                logs[f"accuracy_{i}"] = (ids[logits.argmax(-1)] == best[counts]).float().mean()
        return total, logs

    # ---- decoding ----

    def begin(self, target):
        self.table = target.model.embed_tokens.weight
        self.keys = self.values = None
        self.seen = 0

    def step(self, tokens, g, position):
        """Pairs (feature, next token) at position.. through the layer, appended to the cache: raw outputs (T, hidden)."""
        t = len(tokens)
        device = g.device
        cos, sin = rope_tables(self.geometry, torch.arange(position, position + t, device=device))
        q, k, v, residual = self.project(self.table[torch.tensor(tokens, device=device)][None], g[None], cos, sin)
        self.keys = k if self.keys is None else torch.cat((self.keys, k), 2)
        self.values = v if self.values is None else torch.cat((self.values, v), 2)
        bias = torch.full((t, self.keys.shape[2]), BLOCKED, device=device).triu(position + 1)
        scores = torch.softmax(q @ self.keys[:, :, None].transpose(-1, -2) + bias, -1)
        return self.finish(scores @ self.values[:, :, None], residual)[0]

    @torch.no_grad()
    def propose(self, tokens, features, hidden, k, distribution):
        """The real features first; the entries made from the layer's own outputs are dropped again at the end."""
        start = len(tokens) - 1
        outs = self.step(tokens[self.seen + 1:], self.fused(features), self.seen)
        self.seen = start
        o, drafts, distributions, self.base, self.outputs = outs[-1:], [], [], [], [outs]
        ids = self.draft_ids()
        for i in range(k):
            if i:
                o = self.step([drafts[-1]], o, start + i - 1)
                self.outputs.append(o)
            logits = self.logits(o)[0].float()
            self.base.append(logits)
            token, q = distribution.draw(logits)
            drafts.append(int(ids[token]))
            distributions.append(None if q is None else q.new_zeros(len(self.t2d)).scatter_(0, ids, q))
        self.keys, self.values = self.keys[:, :, :start], self.values[:, :, :start]
        return drafts, distributions


def shift(x, n, fill=0):
    """Column t of the result is column t + n of x (B, T, ...)."""
    out = torch.full_like(x, fill)
    out[:, :-n] = x[:, n:]
    return out

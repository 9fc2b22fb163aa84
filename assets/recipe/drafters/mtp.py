"""MTP: one decoder layer of the target's kind for one more token, fed its own output for the tokens after.

After "DeepSeek-V3 Technical Report" (arXiv 2412.19437), section 2.2, with the recurrence of "FastMTP" (arXiv 2509.18362): one layer
for every depth, weights 0.6^k of the losses.  Row t joins the embedding of the token at t + 1 and the target's state at t (after its
final norm), each normed, embedding first; the layer's output after a norm of its own gives the token at t + 2 with the target's
output matrix, and is the state of the next depth.  Unlike FastMTP a deeper row sees the rows of true states and its own chain, as it
will when it drafts (the mask of EAGLE-3's training-time test).  Tensor names are those of the speculators library.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from data import ANSWER
from model import Layer, RMSNorm, rope_tables

from .common import BLOCKED, geometry, reset, softmax_over
from .eagle3 import shift

FADE = 0.6


def mtp_config(target, model_type="qwen3"):
    """model_type "llama": a layer without norms of queries and keys."""
    c = target.config
    return {"architectures": ["MTPDraftModel"], "model_type": model_type, "head_dim": c.head_dim, "hidden_act": "silu",
            "hidden_size": c.hidden_size, "intermediate_size": c.intermediate_size, "max_position_embeddings": 2048,
            "num_attention_heads": c.num_attention_heads, "num_hidden_layers": 1, "num_key_value_heads": c.num_key_value_heads,
            "rms_norm_eps": c.rms_norm_eps, "rope_theta": c.rope_theta, "torch_dtype": "bfloat16", "vocab_size": c.vocab_size}


class MtpLayer(Layer):
    def __init__(self, c, head_norms):
        super().__init__(c)
        if not head_norms:
            self.self_attn.q_norm, self.self_attn.k_norm = nn.Identity(), nn.Identity()
        self.input_proj = nn.Linear(2 * c.hidden_size, c.hidden_size, bias=False)
        self.token_layernorm, self.hidden_layernorm, self.final_layernorm = (RMSNorm(c.hidden_size, c.rms_norm_eps) for _ in range(3))


class Mtp(nn.Module):
    taps = []
    trained_ids = None             # ascending ids that the loss knows, where all of a large vocabulary would cost too much,
    others = 2048                  # and how many of the other ids it meets beside them, drawn anew for every batch

    def __init__(self, config):
        super().__init__()
        self.config, self.geometry = config, geometry(config)
        self.mtp_layers = nn.ModuleList([MtpLayer(self.geometry, config["model_type"] != "llama")])

    def longest(self):
        return 15

    def start(self, target):
        """The target's last layer once more, on its state alone."""
        reset(self)
        layer, size = self.mtp_layers[0], self.geometry.hidden_size
        with torch.no_grad():
            layer.load_state_dict(target.model.layers[-1].state_dict(), strict=False)
            layer.input_proj.weight.zero_()
            layer.input_proj.weight[:, size:] = torch.eye(size)
            for norm in (layer.token_layernorm, layer.hidden_layernorm):
                norm.weight.fill_(1)
            layer.final_layernorm.weight.copy_(target.model.norm.weight)

    # ---- shared by training and decoding ----

    def project(self, emb, state, cos, sin):
        """Embeddings and states (B, T, hidden) -> the residual, q (B, K, group, T, D) scaled, k and v (B, K, T, D)."""
        c, layer = self.geometry, self.mtp_layers[0]
        x = layer.input_proj(torch.cat((layer.token_layernorm(emb), layer.hidden_layernorm(state)), -1))
        q, k, v = layer.self_attn.qkv(layer.input_layernorm(x), cos, sin)
        b, _, t, d = q.shape
        return x, q.reshape(b, c.num_key_value_heads, -1, t, d) * d ** -0.5, k, v

    def finish(self, x, mixed):
        """The residual and the attention's output (B, K, group, T, D) -> the next state (B, T, hidden), after the layer's norm."""
        b, kv, group, t, d = mixed.shape
        layer = self.mtp_layers[0]
        x = x + layer.self_attn.o_proj(mixed.reshape(b, kv * group, t, d).transpose(1, 2).reshape(b, t, -1))
        return layer.final_layernorm(x + layer.mlp(layer.post_attention_layernorm(x)))

    # ---- training ----

    def unroll(self, batch, table, steps):
        """The states of every depth, each (B, T, hidden)."""
        b, length = batch.ids.shape
        columns = torch.arange(length, device=batch.ids.device)
        same = batch.segments[:, :, None] == batch.segments[:, None, :]
        bias = torch.zeros(b, length, length, device=batch.ids.device).masked_fill(~(same & (columns[None] <= columns[:, None])), BLOCKED)
        bias = bias[:, None, None]
        state, keys, values, states = batch.hidden.to(table.dtype), [], [], []
        for i in range(steps):
            x, q, k, v = self.project(table[shift(batch.ids, 1 + i)], state, *rope_tables(self.geometry, columns + i))
            keys.append(k[:, :, None])
            values.append(v[:, :, None])
            scores = [q @ keys[0].transpose(-1, -2) + bias]
            scores += [(q * own).sum(-1, keepdim=True) for own in keys[1:]]        # its own chain: one key a depth
            parts = softmax_over(scores)
            mixed = parts[0] @ values[0]
            for part, own in zip(parts[1:], values[1:]):
                mixed = mixed + part * own
            state = self.finish(x, mixed)
            states.append(state)
        return states

    def ids_of_loss(self, table):
        """The ids of a batch's softmax, ascending, and their rows: of a large vocabulary the trained ones and a few others, which so learn to stay low."""
        if self.trained_ids is None:
            return torch.arange(len(table), device=table.device), table
        drawn = torch.randint(len(table), (self.others,), device=table.device)
        ids = torch.unique(torch.cat((self.trained_ids, drawn)))
        return ids, table[ids]

    def loss(self, batch, table, options):
        total, logs = 0.0, {}
        weights = [FADE ** i for i in range(options.test_steps)]
        ids, ranked = self.ids_of_loss(table)
        with torch.no_grad():                                      # once for all depths, which read the same rows shifted
            distributions = torch.softmax(F.linear(batch.hidden, ranked).float(), -1).flatten(0, 1)
        rows = torch.arange(len(distributions), device=distributions.device).view(batch.ids.shape)
        for i, state in enumerate(self.unroll(batch, table, options.test_steps)):
            # row t now predicts the token at t + 2 + i, whose target distribution is in row t + 1 + i
            counts = (shift(batch.segments, 2 + i) == batch.segments) & (shift(batch.flags, 2 + i, 255) == ANSWER)
            best = shift(batch.best, 1 + i)
            counts &= batch.segments > 0
            if self.trained_ids is not None:
                counts &= torch.isin(best, self.trained_ids)
            logits = F.linear(state[counts], ranked).float()
            ce = F.cross_entropy(logits, distributions[shift(rows, 1 + i)[counts]])
            total = total + weights[i] / sum(weights) * ce
            logs.setdefault("loss", ce)
            if options.measure:
                logs[f"accuracy_{i}"] = (ids[logits.argmax(-1)] == best[counts]).float().mean()
        return total, logs

    # ---- decoding ----

    def begin(self, target):
        self.table = target.model.embed_tokens.weight
        self.keys = self.values = None
        self.seen = 0

    def step(self, tokens, state, position):
        """Pairs (state, next token) at position.. through the layer, appended to the cache: states (T, hidden)."""
        t, device = len(tokens), state.device
        cos, sin = rope_tables(self.geometry, torch.arange(position, position + t, device=device))
        x, q, k, v = self.project(self.table[torch.tensor(tokens, device=device)][None], state[None], cos, sin)
        self.keys = k if self.keys is None else torch.cat((self.keys, k), 2)
        self.values = v if self.values is None else torch.cat((self.values, v), 2)
        bias = torch.full((t, self.keys.shape[2]), BLOCKED, device=device).triu(position + 1)
        scores = torch.softmax(q @ self.keys[:, :, None].transpose(-1, -2) + bias, -1)
        return self.finish(x, scores @ self.values[:, :, None])[0]

    @torch.no_grad()
    def propose(self, tokens, features, hidden, k, distribution):
        """The target's states first; the rows made from the layer's own states are dropped again at the end."""
        start = len(tokens) - 1
        state = self.step(tokens[self.seen + 1:], hidden, self.seen)[-1:]
        self.seen = start
        self.base, drafts, distributions = [], [], []
        for i in range(k):
            if i:
                state = self.step([drafts[-1]], state, start + i - 1)
            logits = F.linear(state, self.table)[0].float()
            self.base.append(logits)
            token, q = distribution.draw(logits)
            drafts.append(int(token))
            distributions.append(q)
        self.keys, self.values = self.keys[:, :, :start], self.values[:, :, :start]
        return drafts, distributions

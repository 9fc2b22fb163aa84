"""What every drafter shares: tapping the target, the target as a decoder of one sequence, attention with a context.

Taps are layer outputs, counted from 0: tap j is the residual stream after layer j, without the final norm (`LO[j]`
in the papers' notation; Hugging Face calls it hidden_states[j + 1]).  They are concatenated in the order of the list.
"""
import json
from dataclasses import dataclass

import torch
import torch.nn as nn

from model import Config, rope_tables, rotate

BLOCKED = -1e4


def geometry(config):
    """The fields of a drafter's config.json that describe a decoder layer."""
    return Config(**{k: config[k] for k in Config.__dataclass_fields__ if k in config})


def reset(module):
    """Random start: output projections zero (every layer begins as the identity), the rest scaled by fan-in."""
    for name, p in module.named_parameters():
        if name.endswith(("o_proj.weight", "down_proj.weight")):
            nn.init.zeros_(p)
        elif p.dim() == 2:
            nn.init.normal_(p, std=0.6 * p.shape[1] ** -0.5)


def run(model, x, cos, sin, bias, taps):
    """Embeddings (B, T, hidden) through the target: (taps concatenated (B, T, m * hidden), final normalised states)."""
    found = {}
    for i, layer in enumerate(model.model.layers):
        x = layer(x, cos, sin, bias)
        found[i] = x
    return torch.cat([found[i] for i in taps], -1) if taps else None, model.model.norm(x)


def capture(model, ids, bias, taps):
    cos, sin = rope_tables(model.config, torch.arange(ids.shape[1], device=ids.device))
    return run(model, model.model.embed_tokens(ids), cos, sin, bias, taps)


@dataclass
class Pass:
    """What one target pass over T tokens says, row by row."""
    logits: torch.Tensor       # (T, vocab)
    features: torch.Tensor     # (T, m * hidden), the taps; None without taps
    hidden: torch.Tensor       # (T, hidden), after the final norm


class Sequence:
    """A decoder over one sequence: run tokens, look at every row, crop what was rejected."""

    def __init__(self, model, taps=(), room=1024):
        self.model, self.taps, self.length = model, list(taps), 0
        c = model.config
        shape = (c.num_hidden_layers, 1, c.num_key_value_heads, room, c.head_dim)
        weight = model.model.embed_tokens.weight
        self.keys, self.values = (torch.zeros(shape, dtype=weight.dtype, device=weight.device) for _ in range(2))
        self.cos, self.sin = (x.to(weight.dtype) for x in rope_tables(c, torch.arange(room, device=weight.device)))

    @torch.no_grad()
    def run(self, tokens):
        c, start, t = self.model.config, self.length, len(tokens)
        end = start + t
        x = self.model.model.embed_tokens(torch.tensor([tokens], device=self.keys.device))
        cos, sin = self.cos[start:end], self.sin[start:end]
        bias = None
        if t > 1:
            bias = torch.full((t, end), BLOCKED, device=x.device).triu(start + 1)
            bias = bias.repeat(c.num_attention_heads // c.num_key_value_heads, 1)
        found = {}
        for i, layer in enumerate(self.model.model.layers):
            q, k, v = layer.self_attn.qkv(layer.input_layernorm(x), cos, sin)
            self.keys[i, :, :, start:end], self.values[i, :, :, start:end] = k, v
            x = x + layer.self_attn.mix(q, self.keys[i, :, :, :end], self.values[i, :, :, :end], 0 if bias is None else bias)
            x = x + layer.mlp(layer.post_attention_layernorm(x))
            if i in self.taps:
                found[i] = x[0]
        self.length = end
        hidden = self.model.model.norm(x)[0]
        features = torch.cat([found[i] for i in self.taps], -1) if self.taps else None
        return Pass(self.model.head(hidden).float(), features, hidden)

    def crop(self, length):
        self.length = min(self.length, length)


def keys_values(attention, x, cos, sin):
    """x (B, T, hidden) -> normalised, rotated keys and values, (B, K, T, D)."""
    b, t, _ = x.shape
    k = attention.k_norm(attention.k_proj(x).view(b, t, attention.kv_heads, attention.head_dim)).transpose(1, 2)
    v = attention.v_proj(x).view(b, t, attention.kv_heads, attention.head_dim).transpose(1, 2)
    return rotate(k, cos, sin), v


def softmax_over(scores):
    """Softmax over the concatenation of score blocks that differ in the last dimension; returns the blocks again."""
    sizes = [s.shape[-1] for s in scores]
    joined = torch.softmax(torch.cat(scores, -1).float(), -1).to(scores[0].dtype)
    return joined.split(sizes, -1)


def set_vocabulary(head, ids):
    """ids: the target ids of a reduced vocabulary; `d2t` becomes the offsets of their order, `t2d` marks them."""
    ids = torch.as_tensor(sorted(ids))
    head.d2t.copy_(ids - torch.arange(len(ids)))
    head.t2d.zero_()[ids] = True


def ranked_ids(d2t):
    return d2t + torch.arange(len(d2t), device=d2t.device)


def load_json(path):
    return json.loads(path.read_text())

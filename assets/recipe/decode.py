"""Batched generation with a key/value cache, greedy or with a temperature.

Prompts of one batch are grouped by length, so no padding is needed.  Used by eval.py and distill.py.
"""
from collections import defaultdict

import torch

from model import rope_tables


class Cache:
    """Per layer: keys and values, (B, K, S, D)."""

    def __init__(self, layers):
        self.keys, self.values = [None] * layers, [None] * layers

    def append(self, i, k, v):
        self.keys[i] = k if self.keys[i] is None else torch.cat((self.keys[i], k), 2)
        self.values[i] = v if self.values[i] is None else torch.cat((self.values[i], v), 2)
        return self.keys[i], self.values[i]

    def keep(self, rows):
        self.keys = [k[rows] for k in self.keys]
        self.values = [v[rows] for v in self.values]


def step(model, tokens, cache, start):
    """Run tokens (B, T) at positions start..start+T-1 through the cache; logits of the last position, (B, V)."""
    c = model.config
    t = tokens.shape[1]
    x = model.model.embed_tokens(tokens)
    cos, sin = rope_tables(c, torch.arange(start, start + t, device=tokens.device))
    bias = torch.full((t, start + t), -1e4, device=tokens.device).triu(start + 1)
    bias = bias.repeat(c.num_attention_heads // c.num_key_value_heads, 1)
    for i, layer in enumerate(model.model.layers):
        q, k, v = layer.self_attn.qkv(layer.input_layernorm(x), cos, sin)
        k, v = cache.append(i, k, v)
        x = x + layer.self_attn.mix(q, k, v, bias)
        x = x + layer.mlp(layer.post_attention_layernorm(x))
    return model.head(model.model.norm(x[:, -1]))


@torch.no_grad()
def generate(model, prompts, stops, limit=160, temperature=0.0, seed=0, batch=64):
    """Prompts (lists of ids) -> lists of new ids, the stop token included when it was produced."""
    generator = torch.Generator().manual_seed(seed)
    groups = defaultdict(list)
    for i, p in enumerate(prompts):
        groups[len(p)].append(i)
    outputs = [[] for _ in prompts]
    for length, members in sorted(groups.items()):
        for at in range(0, len(members), batch):
            rows = members[at:at + batch]
            cache, start = Cache(model.config.num_hidden_layers), 0
            tokens = torch.tensor([prompts[i] for i in rows])
            for _ in range(limit):
                logits = step(model, tokens, cache, start)
                start += tokens.shape[1]
                if temperature > 0:
                    picked = torch.multinomial(torch.softmax(logits.float() / temperature, -1), 1, generator=generator)[:, 0]
                else:
                    picked = logits.argmax(-1)
                for i, token in zip(rows, picked.tolist()):
                    outputs[i].append(token)
                alive = [j for j, token in enumerate(picked.tolist()) if token not in stops]
                if not alive:
                    break
                if len(alive) < len(rows):
                    cache.keep(alive)
                    rows, picked = [rows[j] for j in alive], picked[alive]
                tokens = picked[:, None]
    return outputs

"""The target and the small draft model: a Qwen3 decoder in plain PyTorch.

Every parameter carries the name and the shape that the Hugging Face class Qwen3ForCausalLM uses, so a
state_dict can be written to model.safetensors unchanged.  This is the training forward pass: whole
sequences, no key/value cache (see decode.py for generation).
"""
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F


LONGEST_ROW = 512          # of the training forward pass; generation has no such limit


@dataclass
class Config:
    vocab_size: int = 4096
    hidden_size: int = 192
    intermediate_size: int = 512
    num_hidden_layers: int = 12
    num_attention_heads: int = 3
    num_key_value_heads: int = 1
    head_dim: int = 64
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0

    def to_dict(self):
        return asdict(self)

    @staticmethod
    def load(path):
        fields = json.loads(Path(path).read_text())
        rope = fields.get("rope_theta") or fields["rope_parameters"]["rope_theta"]
        keep = {k: fields[k] for k in Config.__dataclass_fields__ if k in fields}
        return Config(**{**keep, "rope_theta": rope})


PRESETS = {
    "target": Config(),
    "small": Config(hidden_size=96, intermediate_size=256, num_hidden_layers=3, num_attention_heads=2,
                    num_key_value_heads=1, head_dim=64),
    # bundle M, for a GPU
    "target-m": Config(hidden_size=256, intermediate_size=704, num_hidden_layers=16, num_attention_heads=4,
                       num_key_value_heads=2, head_dim=64),
    "small-m": Config(hidden_size=128, intermediate_size=352, num_hidden_layers=4, num_attention_heads=2,
                      num_key_value_heads=1, head_dim=64),
    "tiny": Config(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
                   num_key_value_heads=1, head_dim=32),
}


class RMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)


def rope_tables(config, positions):
    """cos and sin, (T, head_dim), for integer positions; both halves hold the same angles."""
    half = config.head_dim // 2
    inverse = config.rope_theta ** (-torch.arange(half, device=positions.device).float() / half)
    angles = positions.float()[:, None] * inverse[None, :]
    angles = torch.cat((angles, angles), -1)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), -1)
    return (x * cos + turned * sin).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = c.num_attention_heads, c.num_key_value_heads, c.head_dim
        self.q_proj = nn.Linear(c.hidden_size, self.heads * c.head_dim, bias=False)
        self.k_proj = nn.Linear(c.hidden_size, self.kv_heads * c.head_dim, bias=False)
        self.v_proj = nn.Linear(c.hidden_size, self.kv_heads * c.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * c.head_dim, c.hidden_size, bias=False)
        self.q_norm = RMSNorm(c.head_dim, c.rms_norm_eps)
        self.k_norm = RMSNorm(c.head_dim, c.rms_norm_eps)

    def qkv(self, x, cos, sin):
        """x (B, T, hidden) -> q (B, H, T, D), k and v (B, K, T, D), queries and keys normalised and rotated."""
        b, t, _ = x.shape
        q = self.q_norm(self.q_proj(x).view(b, t, self.heads, self.head_dim)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(b, t, self.kv_heads, self.head_dim)).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.kv_heads, self.head_dim).transpose(1, 2)
        return rotate(q, cos, sin), rotate(k, cos, sin), v

    def mix(self, q, k, v, bias):
        """Attention with an additive bias that broadcasts to (B, K, heads/K * T, S).

        The query heads that share a key head are stacked along time, so each score matrix is one product.
        Written out because the fused CPU kernel is several times slower in its backward pass.
        """
        b, h, t, d = q.shape
        q = q.reshape(b, self.kv_heads, -1, d)
        scores = q @ k.transpose(-1, -2) * d ** -0.5 + bias
        out = torch.softmax(scores.float(), -1).to(v.dtype) @ v
        out = out.view(b, h, t, d).transpose(1, 2).reshape(b, t, h * d)
        return self.o_proj(out)

    def forward(self, x, cos, sin, bias):
        return self.mix(*self.qkv(x, cos, sin), bias)


class MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down_proj = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.input_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.self_attn = Attention(c)
        self.post_attention_layernorm = RMSNorm(c.hidden_size, c.rms_norm_eps)
        self.mlp = MLP(c)

    def forward(self, x, cos, sin, bias):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, bias)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens = nn.Embedding(c.vocab_size, c.hidden_size)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.num_hidden_layers))
        self.norm = RMSNorm(c.hidden_size, c.rms_norm_eps)


class Qwen3(nn.Module):
    """Tied embeddings: the output head is model.embed_tokens.weight."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        cos, sin = rope_tables(config, torch.arange(LONGEST_ROW))
        self.register_buffer("cos", cos, persistent=False)      # a table: a compiled step would recompute the angles
        self.register_buffer("sin", sin, persistent=False)
        self.reset()

    def reset(self):
        for name, p in self.named_parameters():
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                nn.init.zeros_(p)                       # every layer starts as the identity
            elif p.dim() == 2:
                nn.init.normal_(p, std=0.02 if "embed" in name else p.shape[1] ** -0.5 * 0.6)

    def hidden(self, tokens, bias):
        """tokens (B, T) -> final normalised states (B, T, hidden)."""
        x = self.model.embed_tokens(tokens)
        cos, sin = self.cos[: tokens.shape[1]], self.sin[: tokens.shape[1]]
        for layer in self.model.layers:
            x = layer(x, cos, sin, bias)
        return self.model.norm(x)

    def head(self, x):
        return F.linear(x, self.model.embed_tokens.weight)

    def forward(self, tokens, bias):
        return self.head(self.hidden(tokens, bias))


def document_bias(segments, heads, kv_heads, dtype=torch.float32):
    """segments (B, T) integers -> additive bias (B, 1, heads/kv_heads * T, T): causal, inside one document."""
    t = segments.shape[1]
    same = segments[:, :, None] == segments[:, None, :]
    causal = torch.ones(t, t, dtype=torch.bool, device=segments.device).tril()
    bias = torch.zeros(same.shape, dtype=dtype, device=segments.device)
    bias = bias.masked_fill(~(same & causal), -1e4)
    return bias.repeat(1, heads // kv_heads, 1)[:, None]

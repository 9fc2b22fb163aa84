"""SmolLM2-135M-Instruct as a target: read from the GGUF, and the passes that the recipe needs.

Shape: 30 layers, hidden 576, 9 query and 3 key/value heads of 64, SwiGLU 1536, 49152 ids, output matrix shared with the embedding,
rotary base 100000, RMSNorm 1e-5. Matrices are what SpecLens makes of the file by default: the stored blocks widened to f32, then
rounded to bf16. Products take bf16 rows and sum in f32; the residual stream, norms, softmax and the deciding logits are f32.
"""
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from smollm2 import gguf_file
from smollm2.kernels import Kernels, build

END_OF_TURN, END_OF_TEXT, START_OF_TURN = 2, 0, 1


@dataclass(frozen=True)
class Shape:
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    rope_theta: float
    eps: float
    context: int


class Target:
    """tensors: Hugging Face names of a LlamaForCausalLM, f32 or bf16. work: where kernels.cpp is built, None for torch alone."""

    def __init__(self, shape, tensors, device="cpu", work=None):
        self.shape, self.device = shape, torch.device(device)
        library = build(work) if work and self.device.type == "cpu" else None
        self.kernels = Kernels(library) if library else None

        def matrix(*names):
            w = torch.cat([tensors[f"model.layers.{i}.{name}.weight"].bfloat16() for name in names])
            return w.contiguous().to(self.device)

        def vector(name):
            return tensors[name].bfloat16().float().to(self.device)

        self.embedding = tensors["model.embed_tokens.weight"].bfloat16().contiguous().to(self.device)
        self.output = self.embedding
        self.norm = vector("model.norm.weight")
        self.layers = []
        for i in range(shape.layers):
            self.layers.append(dict(
                qkv=matrix("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"), o=matrix("self_attn.o_proj"),
                gate_up=matrix("mlp.gate_proj", "mlp.up_proj"), down=matrix("mlp.down_proj"),
                before_attention=vector(f"model.layers.{i}.input_layernorm.weight"),
                before_mlp=vector(f"model.layers.{i}.post_attention_layernorm.weight")))
        half = shape.head_dim // 2
        angles = torch.arange(shape.context, dtype=torch.float64)[:, None] * shape.rope_theta ** (-torch.arange(half, dtype=torch.float64) / half)
        self.cos, self.sin = angles.cos().float().contiguous().to(self.device), angles.sin().float().contiguous().to(self.device)

    def cache(self, slots, room):
        """Keys and values of `slots` texts of up to `room` tokens. The kernels never read what was not written, and pages that no text
        reaches then take no memory; torch multiplies masked values by 0, so that they have to be numbers."""
        s = self.shape
        make = torch.empty if self.kernels else torch.zeros
        return [tuple(make(slots, s.kv_heads, room, s.head_dim, dtype=torch.bfloat16, device=self.device) for _ in "kv")
                for _ in range(s.layers)]

    def store(self, cache, slot, keys, values):
        """A text's keys and values (kv_heads, tokens, dim) in the cache of one layer."""
        keys = self.kernels.keys(keys) if self.kernels else keys
        cache[0][slot, :, :keys.shape[1]], cache[1][slot, :, :values.shape[1]] = keys, values

    def rms(self, x, weight):
        return (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.shape.eps) * weight).bfloat16()

    def rotate(self, x, positions):
        """x (tokens, heads, dim), f32."""
        half = self.shape.head_dim // 2
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        a, b = x[..., :half], x[..., half:]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def split(self, qkv, positions):
        """Queries (tokens, heads, dim), keys and values (tokens, kv_heads, dim), rotated, bf16."""
        s = self.shape
        q, k, v = qkv.view(len(qkv), -1, s.head_dim).split((s.heads, s.kv_heads, s.kv_heads), 1)
        return self.rotate(q.float(), positions).bfloat16(), self.rotate(k.float(), positions).bfloat16(), v

    @torch.no_grad()
    def texts(self, texts, keep=None, taps=()):
        """One pass over whole texts (lists of ids). keep(layer, text, keys, values), each (kv_heads, tokens, dim), sees what a cache wants.
        Returns the residual stream behind the layers `taps`, and the final normalised state: each (tokens of all texts, hidden)."""
        s = self.shape
        lengths = [len(t) for t in texts]
        ids = torch.tensor([i for t in texts for i in t], device=self.device)
        positions = torch.cat([torch.arange(n, device=self.device) for n in lengths])
        x, delta, tapped = self.embedding[ids].float(), None, []
        for i, layer in enumerate(self.layers):
            q, k, v = self.split(F.linear(self.normalised(x, delta, layer["before_attention"]), layer["qkv"]), positions)
            if i - 1 in taps:
                tapped.append(x.bfloat16())
            mixed, at = torch.empty_like(q), 0
            for text, n in enumerate(lengths):
                qs, ks, vs = (part[at:at + n].transpose(0, 1) for part in (q, k, v))
                if keep:
                    keep(i, text, ks, vs)
                group = s.heads // s.kv_heads
                out = F.scaled_dot_product_attention(qs[None], ks.repeat_interleave(group, 0)[None], vs.repeat_interleave(group, 0)[None], is_causal=True)
                mixed[at:at + n] = out[0].transpose(0, 1)
                at += n
            delta = self.mlp(x, F.linear(mixed.view(len(x), -1), layer["o"]), layer)
        hidden = self.normalised(x, delta, self.norm)
        if s.layers - 1 in taps:
            tapped.append(x.bfloat16())
        return tapped, hidden

    def normalised(self, x, delta, weight):
        """x (tokens, hidden, f32) += delta if given; RMSNorm of it, bf16."""
        if self.kernels:
            return self.kernels.normalise(x, delta, weight, self.shape.eps)
        if delta is not None:
            x += delta
        return self.rms(x, weight)

    def mlp(self, x, delta, layer):
        """x += delta, the attention's output; what the MLP behind it adds."""
        gate_up = F.linear(self.normalised(x, delta, layer["before_mlp"]), layer["gate_up"])
        if self.kernels:
            return F.linear(self.kernels.swiglu(gate_up), layer["down"])
        gate, up = gate_up.float().chunk(2, -1)
        return F.linear((F.silu(gate) * up).bfloat16(), layer["down"])

    @torch.no_grad()
    def step(self, ids, slot, length, cache):
        """One token of each text: ids, slot, length (n), its position. Puts keys and values into the cache; the final states (n, hidden)."""
        s, k = self.shape, self.kernels
        x, delta = self.embedding[ids].float(), None
        for (keys, values), layer in zip(cache, self.layers):
            qkv = F.linear(self.normalised(x, delta, layer["before_attention"]), layer["qkv"])
            if k:
                mixed = k.attend(qkv, self.cos, self.sin, keys, values, slot, length, s.heads)
            else:
                qs, ks, vs = self.split(qkv, length)
                keys[slot, :, length], values[slot, :, length] = ks, vs
                room = int(length.max()) + 1
                seen = torch.arange(room, device=self.device) <= length[:, None]
                mixed = F.scaled_dot_product_attention(qs.view(len(ids), s.kv_heads, -1, s.head_dim), keys[slot, :, :room], values[slot, :, :room],
                                                       attn_mask=seen[:, None, None])
            delta = self.mlp(x, F.linear(mixed.reshape(len(ids), -1), layer["o"]), layer)
        return self.normalised(x, delta, self.norm)

    @torch.no_grad()
    def pick(self, hidden, temperature, uniform):
        """The next token of each state (n, hidden): the likeliest where temperature (n) is 0, else drawn by uniform (n) in [0, 1)."""
        if self.kernels:
            return self.kernels.pick(F.linear(hidden, self.embedding), hidden, self.embedding, temperature, uniform)
        logits = hidden.float() @ self.embedding.float().T
        p = torch.softmax(logits / temperature.clamp(min=1e-3)[:, None], -1)
        drawn = torch.searchsorted(p.cumsum(-1), uniform[:, None]).squeeze(-1).clamp(max=self.shape.vocab - 1)
        return torch.where(temperature > 0, drawn, logits.argmax(-1))


def read(path, device="cpu", work=None):
    """The target of a GGUF of the architecture `llama`."""
    facts, tensors = gguf_file.read(Path(path))
    if facts.get("general.architecture") != "llama":
        raise SystemExit(f"{path}: has the architecture {facts.get('general.architecture')}, the recipe knows llama: give SmolLM2-135M-Instruct.Q4_1.gguf "
                         "(`speclens get smollm2` fetches it)")
    heads, kv_heads = facts["llama.attention.head_count"], facts["llama.attention.head_count_kv"]
    vocab, hidden = tensors["token_embd.weight"].shape
    shape = Shape(hidden, facts["llama.block_count"], heads, kv_heads, hidden // heads, facts["llama.feed_forward_length"], vocab,
                  facts["llama.rope.freq_base"], facts["llama.attention.layer_norm_rms_epsilon"], facts["llama.context_length"])
    return Target(shape, hugging_face(tensors, shape), device, work)


def halves(rows, heads):
    """llama.cpp stores the rows of q and k as pairs within a head; Hugging Face wants all first halves before the second."""
    out, inner = rows.shape
    return np.ascontiguousarray(rows.reshape(heads, out // heads // 2, 2, inner).swapaxes(1, 2).reshape(out, inner))


NAMES = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
         "ffn_down": "mlp.down_proj"}


def hugging_face(tensors, shape):
    out = {"model.embed_tokens.weight": tensors["token_embd.weight"], "model.norm.weight": tensors["output_norm.weight"]}
    for layer in range(shape.layers):
        for theirs, ours in NAMES.items():
            rows = tensors[f"blk.{layer}.{theirs}.weight"]
            if theirs == "attn_q":
                rows = halves(rows, shape.heads)
            if theirs == "attn_k":
                rows = halves(rows, shape.kv_heads)
            out[f"model.layers.{layer}.{ours}.weight"] = rows
    return {name: torch.from_numpy(rows) for name, rows in out.items()}

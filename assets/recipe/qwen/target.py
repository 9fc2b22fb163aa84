"""Qwen2.5-Coder-0.5B-Instruct's weights as its heads begin with them, read from the GGUF: 24 layers, hidden 896, 14 query and 2 key/value heads of 64 with biases, SwiGLU 4864,
151936 ids, rotary base 1e6, RMSNorm 1e-6. The file has the tied matrix twice, as embedding in Q5_0 and as output in Q8_0. Its passes are the program's own (`speclens states`).
"""
from types import SimpleNamespace

import numpy as np
import torch

from smollm2 import gguf_file
from smollm2.target import Shape

START_OF_TURN, END_OF_TURN, END_OF_TEXT = 151644, 151645, 151643
MASK = 151665                        # [PAD151665], the first id that no token has
OUTSIDE = ("token_embd.weight", "output.weight", "output_norm.weight")


def opened(path, wanted):
    """Metadata, and the tensors that wanted(name, metadata) accepts, f32."""
    def checked(name, facts):
        if facts.get("general.architecture") != "qwen2":
            raise SystemExit(f"{path}: has the architecture {facts.get('general.architecture')}, this recipe knows qwen2: give qwen2.5-coder-0.5b-instruct-q4_k_m.gguf "
                             "(`speclens get qwen-0.5b` fetches it)")
        return wanted(name, facts)

    return gguf_file.read(path, checked)


def output_rows(path):
    """The output matrix (vocab, hidden), bf16, and how many layers there are."""
    facts, tensors = opened(path, lambda name, _: name == "output.weight")
    return torch.from_numpy(tensors["output.weight"]).bfloat16(), facts["qwen2.block_count"]


def read(path, device="cpu", which=lambda layers: ()):
    """Weights as heads/about.py says; of so many layers those that which(layers) names."""
    facts, tensors = opened(path, lambda name, facts: name in OUTSIDE or name.split(".")[1] in map(str, which(facts["qwen2.block_count"])))
    count = facts["qwen2.block_count"]

    def matrix(*names):
        return torch.from_numpy(np.concatenate([tensors[name] for name in names])).bfloat16().to(device)

    def vector(*names):
        return torch.from_numpy(np.concatenate([tensors[name] for name in names])).to(device)

    layers = {}
    for i in sorted(which(count)):
        at = f"blk.{i}."
        layers[i] = dict(qkv=matrix(*(f"{at}attn_{x}.weight" for x in "qkv")), qkv_bias=vector(*(f"{at}attn_{x}.bias" for x in "qkv")), o=matrix(f"{at}attn_output.weight"),
                         gate_up=matrix(f"{at}ffn_gate.weight", f"{at}ffn_up.weight"), down=matrix(f"{at}ffn_down.weight"), before_attention=vector(f"{at}attn_norm.weight"),
                         before_mlp=vector(f"{at}ffn_norm.weight"))
    heads, hidden = facts["qwen2.attention.head_count"], facts["qwen2.embedding_length"]
    shape = Shape(hidden, count, heads, facts["qwen2.attention.head_count_kv"], hidden // heads, facts["qwen2.feed_forward_length"], len(tensors["token_embd.weight"]),
                  facts["qwen2.rope.freq_base"], facts["qwen2.attention.layer_norm_rms_epsilon"], facts["qwen2.context_length"])
    return SimpleNamespace(shape=shape, embedding=matrix("token_embd.weight"), output=matrix("output.weight"), norm=vector("output_norm.weight"), layers=layers)

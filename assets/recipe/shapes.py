"""Checkpoints with a published layout and random values: does the engine load what the public families store?

    python shapes.py --list
    python shapes.py eagle3 --target qwen3-1.7b --out build/shapes/eagle3 --full
    python shapes.py target --target qwen3-1.7b --out build/shapes/target --full

Field names of config.json, tensor names and shapes are those of the public repositories; values are random (normal, 0.02;
norms 1), bfloat16.  Without --full every width, the block aside, is divided by 16 and the vocabulary is 512 ids: a few MB, seconds.
A head fits the target that is written with the same --target and the same --full.  No test needs this script: the C++ test
of the families writes its own small files.  Targets get no tokenizer: give prompts with --token-ids.
"""
import argparse
import json
import struct
from pathlib import Path

import numpy as np

# hidden, ffn, layers, heads, key/value heads, head size, tied output matrix
TARGETS = {
    "qwen3-0.6b": (1024, 3072, 28, 16, 8, 128, True),
    "qwen3-1.7b": (2048, 6144, 28, 16, 8, 128, True),
    "qwen3-4b": (2560, 9728, 36, 32, 8, 128, True),
    "qwen3-8b": (4096, 12288, 36, 32, 8, 128, False),
}
VOCAB, SMALL_VOCAB, DIVISOR = 151936, 512, 16


class Shape:
    """Sizes of a target, full or divided."""

    def __init__(self, name, full):
        h, f, self.layers, self.heads, self.kv, self.d, self.tied = TARGETS[name]
        by = 1 if full else DIVISOR
        self.h, self.f = h // by, f // by
        self.heads, self.kv = (self.heads, self.kv) if full else (4, 2)
        self.d = self.d if full else 16
        self.vocab = VOCAB if full else SMALL_VOCAB
        self.mask = 151669 if full else 505
        self.draft_vocab = 32000 if full else 128
        self.gru, self.rank, self.markov = (1024, 256, 256) if full else (64, 16, 16)
        self.taps5 = [round(1 + i * (self.layers - 4) / 4) for i in range(5)]

    def geometry(self, layers, kind="qwen3"):
        return {"model_type": kind, "hidden_size": self.h, "intermediate_size": self.f, "num_hidden_layers": layers,
                "num_attention_heads": self.heads, "num_key_value_heads": self.kv, "head_dim": self.d, "vocab_size": self.vocab,
                "rms_norm_eps": 1e-6, "rope_theta": 1000000, "rope_scaling": None, "hidden_act": "silu", "attention_bias": False,
                "max_position_embeddings": 40960, "torch_dtype": "bfloat16"}

    def layer(self, prefix, width=None, qk_norm=True, extra=()):
        """Tensors of one decoder layer; `width`: what q, k and v are made from."""
        w, q, kv = width or self.h, self.heads * self.d, self.kv * self.d
        shapes = {"input_layernorm.weight": (self.h,), "self_attn.q_proj.weight": (q, w), "self_attn.k_proj.weight": (kv, w),
                  "self_attn.v_proj.weight": (kv, w), "self_attn.o_proj.weight": (self.h, q), "post_attention_layernorm.weight": (self.h,),
                  "mlp.gate_proj.weight": (self.f, self.h), "mlp.up_proj.weight": (self.f, self.h), "mlp.down_proj.weight": (self.h, self.f)}
        if qk_norm:
            shapes |= {"self_attn.q_norm.weight": (self.d,), "self_attn.k_norm.weight": (self.d,)}
        shapes |= {name: (self.h,) for name in extra}
        return {prefix + name: shape for name, shape in shapes.items()}


def target(s):
    config = {"architectures": ["Qwen3ForCausalLM"], **s.geometry(s.layers), "tie_word_embeddings": s.tied,
              "eos_token_id": s.mask - 24 if s.vocab == VOCAB else 511, "use_sliding_window": False}
    tensors = {"model.embed_tokens.weight": (s.vocab, s.h)}
    for i in range(s.layers):
        tensors |= s.layer(f"model.layers.{i}.")
    tensors["model.norm.weight"] = (s.h,)
    if not s.tied:
        tensors["lm_head.weight"] = (s.vocab, s.h)
    return config, tensors


def eagle3(s):
    """AngelSlim and SpecForge."""
    config = {"architectures": ["LlamaForCausalLMEagle3"], **s.geometry(1, "llama"), "draft_vocab_size": s.draft_vocab}
    tensors = {"d2t": "d2t", "t2d": "t2d", "fc.weight": (s.h, 3 * s.h), "norm.weight": (s.h,), "lm_head.weight": (s.draft_vocab, s.h)}
    return config, tensors | s.layer("midlayer.", 2 * s.h, qk_norm=False, extra=["hidden_norm.weight"])


def eagle3_speculators(s):
    """RedHatAI, exported by the speculators library."""
    config = {"architectures": ["Eagle3Speculator"], "speculators_model_type": "eagle3", "draft_vocab_size": s.draft_vocab,
              "norm_before_residual": True, "target_hidden_size": None, "transformer_layer_config": s.geometry(1, "llama"),
              "speculators_config": {"algorithm": "eagle3", "default_proposal_method": "greedy"}}
    tensors = {"d2t": "d2t", "t2d": "t2d", "embed_tokens.weight": (s.vocab, s.h), "fc.weight": (s.h, 3 * s.h), "norm.weight": (s.h,),
               "lm_head.weight": (s.draft_vocab, s.h)}
    return config, tensors | s.layer("layers.0.", 2 * s.h, qk_norm=False, extra=["hidden_norm.weight"])


def eagle3_deepspec(s):
    """deepseek-ai: five taps, norms of q and k, the whole vocabulary."""
    config = {"architectures": ["Qwen3Eagle3Model"], **s.geometry(1), "target_layer_ids": s.taps5, "ttt_length": 7, "draft_num_hidden_layers": 1}
    tensors = {"fc.weight": (s.h, 5 * s.h), "norm.weight": (s.h,), "embed_tokens.weight": (s.vocab, s.h), "lm_head.weight": (s.vocab, s.h)}
    return config, tensors | s.layer("layers.0.", 2 * s.h, extra=["hidden_norm.weight"])


def backbone(s):
    tensors = {"fc.weight": (s.h, 5 * s.h), "hidden_norm.weight": (s.h,), "norm.weight": (s.h,)}
    for i in range(5):
        tensors |= s.layer(f"layers.{i}.")
    return tensors


def dflash(s, **more):
    """z-lab, blocks of 16."""
    inner = {"mask_token_id": s.mask, "target_layer_ids": s.taps5, **more}
    config = {"architectures": ["DFlashDraftModel"], **s.geometry(5), "num_target_layers": s.layers, "block_size": 16,
              "layer_types": ["full_attention"] * 5, "use_sliding_window": False, "sliding_window": None, "dflash_config": inner}
    return config, backbone(s)


def dflash2(s):
    """z-lab, blocks of 16: every layer has a window, convolutions around its sub-layers, and there is a selector."""
    config, tensors = dflash(s, block_size=16, conv_kernel_size=2, conv_group_size=16, selector_rank=s.rank, selector_top_k=16)
    del config["block_size"]
    config |= {"architectures": ["DFlash2DraftModel"], "is_causal": False, "layer_types": ["sliding_attention"] * 5,
               "use_sliding_window": True, "sliding_window": 2048, "max_window_layers": 5}
    tensors |= {"candidate_selector.hidden_projection.weight": (s.rank, s.h), "candidate_selector.predecessor_codebook": (s.vocab, s.rank),
                "candidate_selector.successor_codebook": (s.vocab, s.rank)}
    for i in range(5):
        for part in ("attention_conv", "mlp_conv"):
            tensors |= {f"layers.{i}.{part}.base_kernel": (2, 2, s.h), f"layers.{i}.{part}.kernel_projection.weight": (4 * s.h // 16, s.h)}
    return config, tensors


def domino(s):
    """Huang2020, blocks of 16."""
    config, tensors = dflash(s, projector_type="domino", gru_hidden_dim=s.gru, emb_dim=s.rank, pure_draft_prefix_len=1, shift_label=True)
    return config, tensors | {"prefix_gru.weight_ih_l0": (3 * s.gru, s.h), "prefix_gru.weight_hh_l0": (3 * s.gru, s.gru),
                              "embed_proj.0.weight": (s.rank, s.h + s.gru), "embed_proj.2.weight": (s.vocab, s.rank)}


def dspark(s, rank=None, confidence=True):
    """deepseek-ai, blocks of 7, with copies of the target's embedding and output matrix."""
    rank = s.markov if rank is None else rank
    config = {"architectures": ["Qwen3DSparkModel"], **s.geometry(5), "num_target_layers": s.layers, "block_size": 7, "mask_token_id": s.mask,
              "target_layer_ids": s.taps5, "num_anchors": 512, "markov_rank": rank, "markov_head_type": "vanilla",
              "enable_confidence_head": confidence, "confidence_head_with_markov": confidence, "tie_word_embeddings": False}
    tensors = backbone(s) | {"embed_tokens.weight": (s.vocab, s.h), "lm_head.weight": (s.vocab, s.h)}
    if rank:
        tensors |= {"markov_head.markov_w1.weight": (s.vocab, rank), "markov_head.markov_w2.weight": (s.vocab, rank)}
    if confidence:
        tensors |= {"confidence_head.proj.weight": (1, s.h + rank), "confidence_head.proj.bias": (1,)}
    return config, tensors


def dflash_block7(s):
    """deepseek-ai's DFlash: DSpark without its heads."""
    return dspark(s, rank=0, confidence=False)


def medusa(s):
    """FasterDecoding's layout, five heads of one block."""
    tensors = {}
    for i in range(5):
        name = f"medusa_head.{i}."
        tensors |= {name + "0.linear.weight": (s.h, s.h), name + "0.linear.bias": (s.h,), name + "1.weight": (s.vocab, s.h)}
    return {"architectures": ["MedusaModel"], "medusa_num_heads": 5, "medusa_num_layers": 1, "hidden_size": s.h, "vocab_size": s.vocab}, tensors


FAMILIES = {f.__name__: f for f in (target, eagle3, eagle3_speculators, eagle3_deepspec, dflash, dflash_block7, dflash2, domino, dspark, medusa)}


def values(name, shape, s, rng):
    """(dtype, shape, iterator of bytes), in pieces: an embedding of a real model need not fit into memory twice."""
    if shape == "d2t":  # ids spread evenly over the vocabulary, stored as offsets
        step = s.vocab // s.draft_vocab
        return "I64", (s.draft_vocab,), [(np.arange(s.draft_vocab, dtype=np.int64) * (step - 1)).tobytes()]
    if shape == "t2d":
        member = np.zeros(s.vocab, np.uint8)
        member[np.arange(s.draft_vocab) * (s.vocab // s.draft_vocab)] = 1
        return "BOOL", (s.vocab,), [member.tobytes()]

    def pieces(size, piece=1 << 22):
        for first in range(0, size, piece):
            count = min(piece, size - first)
            if "norm" in name:
                numbers = np.ones(count, np.float32)
            else:
                numbers = rng.standard_normal(count, np.float32) * np.float32(0.02)
            yield (numbers.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return "BF16", shape, pieces(int(np.prod(shape)))


def write(folder, config, tensors, s, seed):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    header, data, at, rng = {}, [], 0, np.random.default_rng(seed)
    for name, shape in sorted(tensors.items(), key=lambda item: item[0] == "t2d"):  # bytes last, so that the others stay aligned
        dtype, shape, pieces = values(name, shape, s, rng)
        size = int(np.prod(shape)) * {"BF16": 2, "I64": 8, "BOOL": 1}[dtype]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
        data.append(pieces)
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for pieces in data:
            for piece in pieces:
                file.write(piece)
    return at


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family", nargs="?", choices=FAMILIES)
    parser.add_argument("--target", choices=TARGETS, default="qwen3-4b")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--full", action="store_true", help="the published sizes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print every family with its size for every target")
    args = parser.parse_args()
    if args.list:
        for family, make in FAMILIES.items():
            for name in TARGETS:
                shape = Shape(name, True)
                count = sum(int(np.prod(s)) for s in make(shape)[1].values() if not isinstance(s, str))
                print(f"{family:20}{name:12}{count / 1e9:8.3f} B parameters")
        return
    if args.family is None or args.out is None:
        parser.error("a family and --out are needed")
    shape = Shape(args.target, args.full)
    config, tensors = FAMILIES[args.family](shape)
    size = write(args.out, config, tensors, shape, args.seed)
    print(f"{args.out}: {args.family} for {args.target}, {len(tensors)} tensors, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A Qwen3 folder of ours as a GGUF file, for llama.cpp: tiny_gguf.py FOLDER OUT.gguf [TARGET] [--yarn FACTOR,ORIGINAL[,ATTN_FACTOR]] [--q8 [--planted]]

With --yarn, rotary positions are stretched so, and llama.cpp multiplies cos and sin by ATTN_FACTOR as well. With TARGET, its folder, FOLDER is an
EAGLE-3, DFlash, DFlash 2 or DSpark head. Matrices stay bf16, or with --q8 become Q8_0 where their rows are whole blocks, with --planted wrongly: each row
has the scales of the next one. Vectors become f32 as llama.cpp wants them; the tokenizer is byte-level BPE with Qwen2's splitting, which the built-in models have. Needs nothing but Python."""
import json
import os
import re
import struct
import sys

words = sys.argv[1:]
yarn = words.pop(words.index("--yarn") + 1).split(",") if "--yarn" in words else []
if yarn:
    words.remove("--yarn")
eight_bits = "--q8" in words
if eight_bits:
    words.remove("--q8")
planted = "--planted" in words
if planted:
    words.remove("--planted")
folder, out = words[0], words[1]
target = words[2] if len(words) > 2 else folder
config = json.load(open(os.path.join(folder, "config.json")))
tokenizer = json.load(open(os.path.join(target, "tokenizer.json")))
settings = json.load(open(os.path.join(target, "tokenizer_config.json")))
eagle, block = "eagle_config" in config, "dflash_config" in config
architecture = "eagle3" if eagle else "dflash" if block else "qwen3"
assert eagle or config["model_type"] == "qwen3", config["model_type"]
assert r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*" in json.dumps(tokenizer["pre_tokenizer"]).replace("\\\\", "\\"), "another splitting"

UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5
NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5
F32, Q8_0, I64, BF16 = 0, 8, 27, 30
BLOCK = 32  # values of Q8_0 with one scale


def text(words):
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, kind, value):
    forms = {UINT32: "<I", FLOAT32: "<f", BOOL: "<?"}
    body = text(value) if kind == STRING else struct.pack(forms[kind], value)
    return text(key) + struct.pack("<I", kind) + body


def listed(key, kind, values):
    body = b"".join(text(v) if kind == STRING else struct.pack("<i", v) for v in values)
    return text(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + body


def pieces():
    size = of_target["vocab_size"]
    words, kinds = ["[PAD%d]" % i for i in range(size)], [UNUSED] * size
    for word, i in tokenizer["model"]["vocab"].items():
        words[i], kinds[i] = word, NORMAL
    for added in tokenizer["added_tokens"]:
        words[added["id"]], kinds[added["id"]] = added["content"], CONTROL if added["special"] else USER_DEFINED
    return words, kinds


of_target = json.load(open(os.path.join(target, "config.json")))


def metadata():
    words, kinds = pieces()
    merges = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]
    of = architecture + "."
    pairs = [
        pair("general.architecture", STRING, architecture),
        pair("general.name", STRING, os.path.basename(os.path.normpath(folder))),
        pair("general.file_type", UINT32, 7 if eight_bits else 32),
        pair(of + "block_count", UINT32, config["num_hidden_layers"]),
        pair(of + "context_length", UINT32, config["max_position_embeddings"]),
        pair(of + "embedding_length", UINT32, config["hidden_size"]),
        pair(of + "feed_forward_length", UINT32, config["intermediate_size"]),
        pair(of + "attention.head_count", UINT32, config["num_attention_heads"]),
        pair(of + "attention.head_count_kv", UINT32, config["num_key_value_heads"]),
        pair(of + "attention.key_length", UINT32, config["head_dim"]),
        pair(of + "attention.value_length", UINT32, config["head_dim"]),
        pair(of + "attention.layer_norm_rms_epsilon", FLOAT32, config["rms_norm_eps"]),
        pair(of + "rope.freq_base", FLOAT32, config["rope_theta"]),
        pair(of + "rope.dimension_count", UINT32, config["head_dim"]),
        pair("tokenizer.ggml.model", STRING, "gpt2"),
        pair("tokenizer.ggml.pre", STRING, "qwen2"),
        listed("tokenizer.ggml.tokens", STRING, words),
        listed("tokenizer.ggml.token_type", INT32, kinds),
        listed("tokenizer.ggml.merges", STRING, merges),
        pair("tokenizer.ggml.eos_token_id", UINT32, of_target["eos_token_id"]),
        pair("tokenizer.ggml.padding_token_id", UINT32, of_target["pad_token_id"]),
        pair("tokenizer.ggml.add_bos_token", BOOL, False),
    ]
    if settings.get("chat_template") and target == folder:
        pairs.append(pair("tokenizer.chat_template", STRING, settings["chat_template"]))
    if yarn:
        pairs += [
            pair(of + "rope.scaling.type", STRING, "yarn"),
            pair(of + "rope.scaling.factor", FLOAT32, float(yarn[0])),
            pair(of + "rope.scaling.original_context_length", UINT32, int(yarn[1])),
        ]
        pairs += [pair(of + "rope.scaling.attn_factor", FLOAT32, float(factor)) for factor in yarn[2:]]
    # Layers are named by what goes into them.
    if eagle:
        taps = config["eagle_config"]["eagle_aux_hidden_state_layer_ids"]
        pairs += [
            listed(of + "target_layers", INT32, [layer + 1 for layer in taps]),
            pair(of + "target_hidden_size", UINT32, of_target["hidden_size"]),
            pair(of + "norm_before_residual", BOOL, config["norm_before_residual"]),
        ]
    if block:
        head = config["dflash_config"]
        pairs += [
            listed(of + "target_layers", INT32, [layer + 1 for layer in head["target_layer_ids"]]),
            pair(of + "block_size", UINT32, config["block_size"]),
            pair("tokenizer.ggml.mask_token_id", UINT32, head["mask_token_id"]),
        ]
        pairs += [pair(of + key, UINT32, head[key]) for key in ("conv_kernel_size", "conv_group_size", "selector_rank", "selector_top_k") if key in head]
    return pairs


NAMES = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
    "norm.weight": "output_norm.weight",
    "fc.weight": "fc.weight",
    "hidden_norm.weight": "enc.output_norm.weight",
    "d2t": "d2t",
    "markov_head.markov_w1.weight": "markov_w1.weight",
    "markov_head.markov_w2.weight": "markov_w2.weight",
    "confidence_head.proj.weight": "conf_proj.weight",
    "confidence_head.proj.bias": "conf_proj.bias",
    "candidate_selector.hidden_projection.weight": "selector_hidden.weight",
    "candidate_selector.predecessor_codebook": "selector_predecessor.weight",
    "candidate_selector.successor_codebook": "selector_successor.weight",
}
LAYER = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "hidden_norm": "attn_norm_2",
    "attention_conv.base_kernel": "attn_conv_base", "attention_conv.kernel_projection": "attn_conv_proj",
    "mlp_conv.base_kernel": "ffn_conv_base", "mlp_conv.kernel_projection": "ffn_conv_proj",
}


def gguf_name(name):
    if name in NAMES:
        return NAMES[name]
    layer, rest, last = re.fullmatch(r"(?:model\.)?(?:layers\.(?=\d)|midlayer)(\d*)\.(.+?)(\.weight)?", name).groups()
    return "blk.%s.%s%s" % (layer or 0, LAYER[rest], last or "")


def in_pairs(data, rows, width):
    """Rows of a rotated projection as llama.cpp's llama-like models want them: row i of a half beside row i of the other."""
    size, half = len(data) // rows, config["head_dim"] // 2
    row = lambda i: data[i * size : (i + 1) * size]
    return b"".join(row(head + i + part * half) for head in range(0, rows, 2 * half) for i in range(half) for part in (0, 1))


def widened(data):  # bf16 to f32: two zero bytes below
    return b"".join(b"\0\0" + data[i : i + 2] for i in range(0, len(data), 2))


def in_blocks(data, width):
    """Floats in rows as Q8_0: of 32 a scale in half precision, and bytes."""
    values = struct.unpack("<%df" % (len(data) // 4), data)
    blocks = [values[i : i + BLOCK] for i in range(0, len(values), BLOCK)]
    scales = [max(map(abs, block)) / 127 for block in blocks]
    quants = [[round(value / scale) if scale else 0 for value in block] for block, scale in zip(blocks, scales)]
    if planted:
        scales = scales[width // BLOCK :] + scales[: width // BLOCK]
    return b"".join(struct.pack("<e%db" % BLOCK, scale, *row) for scale, row in zip(scales, quants))


def tensors():
    data = open(os.path.join(folder, "model.safetensors"), "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    for name, told in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = told["data_offsets"]
        body = data[8 + size + begin : 8 + size + end]
        if name == "t2d":
            continue
        if name == "d2t":  # differences here, ids there
            ids = [i + step for i, step in enumerate(struct.unpack("<%dq" % told["shape"][0], body))]
            yield name, told["shape"], I64, struct.pack("<%dq" % len(ids), *ids)
            continue
        assert told["dtype"] in ("BF16", "F32"), told["dtype"]
        if eagle and re.search(r"\.[qk]_proj\.", name):
            body = in_pairs(body, *told["shape"])
        matrix = len(told["shape"]) == 2
        if told["dtype"] == "BF16" and not matrix:
            body = widened(body)
        kind = BF16 if matrix and told["dtype"] == "BF16" else F32
        if kind == BF16 and eight_bits and told["shape"][1] % BLOCK == 0:
            kind, body = Q8_0, in_blocks(widened(body), told["shape"][1])
        yield gguf_name(name), told["shape"][::-1], kind, body


ALIGNMENT = 32


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


pairs, infos, bodies, offset = metadata(), [], [], 0
for name, shape, kind, body in tensors():
    infos.append(text(name) + struct.pack("<I", len(shape)) + struct.pack("<%dQ" % len(shape), *shape) + struct.pack("<IQ", kind, offset))
    bodies.append(padded(body))
    offset += len(bodies[-1])
head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(pairs)) + b"".join(pairs) + b"".join(infos)
with open(out, "wb") as file:
    file.write(padded(head) + b"".join(bodies))
print(len(infos), "tensors in", out)

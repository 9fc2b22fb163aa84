"""Write a trained checkpoint as a Hugging Face folder: config.json, model.safetensors (bf16), tokenizer and generation files.

    python export.py --checkpoint ../../build/recipe/target/final.pt --tokenizer ../models/target --out ../models/target [--verify]

--verify loads the folder with transformers' Qwen3ForCausalLM and compares logits.
"""
import argparse
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file

from model import Config, Qwen3, document_bias
from runs import write, write_text


def hf_config(c, eos, pad):
    return {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": None, "eos_token_id": eos, "pad_token_id": pad, "head_dim": c.head_dim, "hidden_act": "silu",
        "hidden_size": c.hidden_size, "initializer_range": 0.02, "intermediate_size": c.intermediate_size,
        "max_position_embeddings": 2048, "max_window_layers": c.num_hidden_layers,
        "num_attention_heads": c.num_attention_heads, "num_hidden_layers": c.num_hidden_layers,
        "num_key_value_heads": c.num_key_value_heads, "rms_norm_eps": c.rms_norm_eps, "rope_scaling": None,
        "rope_theta": c.rope_theta, "sliding_window": None, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
        "use_cache": True, "use_sliding_window": False, "vocab_size": c.vocab_size,
    }


def export(checkpoint, tokenizer, out):
    saved = torch.load(checkpoint, map_location="cpu")
    c = Config(**saved["config"])
    weights = {k: v.to(torch.bfloat16).contiguous() for k, v in saved["model"].items()}
    tok = json.loads((tokenizer / "tokenizer.json").read_text())
    ids = {t["content"]: t["id"] for t in tok["added_tokens"]}
    weights["model.embed_tokens.weight"][ids["<|mask|>"]] = mask_row(weights["model.embed_tokens.weight"], ids)
    out.mkdir(parents=True, exist_ok=True)
    eos, end = ids["<|im_end|>"], ids["<|endoftext|>"]
    write_text(out / "config.json", json.dumps(hf_config(c, eos, end), indent=2) + "\n")
    generation = {"do_sample": False, "eos_token_id": [eos, end], "pad_token_id": end}
    write_text(out / "generation_config.json", json.dumps(generation, indent=2) + "\n")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if tokenizer.resolve() != out.resolve():
            write(out / name, lambda part: shutil.copyfile(tokenizer / name, part))
    write_weights(weights, out)                        # last: whoever finds them finds a whole folder
    print("wrote", out, {p.name: p.stat().st_size for p in sorted(out.iterdir())}, saved["state"])


def write_weights(weights, folder):
    def save(part):
        save_file(weights, part, metadata={"format": "pt"})
        part.chmod(0o644)

    write(folder / "model.safetensors", save)


def mask_row(table, ids):
    """The drafters' mask token: the mean embedding plus a little fixed noise.  Training never shows this token."""
    used = table[: min(ids.values())].float()
    noise = torch.randn(table.shape[1], generator=torch.Generator().manual_seed(7))
    return (used.mean(0) + 0.1 * used.std() * noise).to(table.dtype)


def load(folder):
    """An exported folder as our own model, in float32 with bf16-rounded weights."""
    from safetensors.torch import load_file
    model = Qwen3(Config.load(Path(folder) / "config.json"))
    model.load_state_dict({k: v.float() for k, v in load_file(Path(folder) / "model.safetensors").items()})
    return model.eval()


@torch.no_grad()
def verify(folder):
    from transformers import AutoTokenizer, Qwen3ForCausalLM
    ours, c = load(folder), Config.load(Path(folder) / "config.json")
    theirs, info = Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
    assert not info["unexpected_keys"] and not set(info["missing_keys"]) - {"lm_head.weight"}, info
    tok = AutoTokenizer.from_pretrained(folder)
    text = tok.apply_chat_template([{"role": "user", "content": "What is the capital of France?"}], tokenize=False,
                                   add_generation_prompt=True, enable_thinking=False)
    ids = torch.tensor([tok(text)["input_ids"]])
    bias = document_bias(torch.ones_like(ids), c.num_attention_heads, c.num_key_value_heads)
    gap = (ours(ids, bias) - theirs(ids).logits).abs().max().item()
    print(f"largest logit difference to transformers over {ids.shape[1]} tokens: {gap:.2e}")
    assert gap < 1e-3


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--verify", action="store_true")
    args = parser.parse_args()
    export(args.checkpoint, args.tokenizer, args.out)
    if args.verify:
        verify(args.out)

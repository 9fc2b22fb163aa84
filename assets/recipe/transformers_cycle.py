"""What one cycle of DFlash costs in Hugging Face transformers: draft a block, verify it, keep one token, crop the cache.

    python transformers_cycle.py --geometry qwen3-8b --context 1024 --device cuda --json cycle.json

Random weights of a published shape, as `speclens bench --geometry` makes them: guesses are then never right, so both
keep one token a cycle, and a cycle costs the same whatever the weights say.  The target is transformers' own
Qwen3ForCausalLM with its dynamic cache; the drafter is a DFlash network in plain PyTorch (five layers, block 16, the target's
states injected as keys and values, its own cache of them), the loop that of the released code: eager, one process.
Compare with `round_ms` of dflash at K = 15 of the engine's JSON, on the same machine.
"""
import argparse
import json
import platform
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import DynamicCache, Qwen3Config, Qwen3ForCausalLM

SHAPES = {  # hidden, ffn, layers, heads, key/value heads, head size, vocabulary, tied
    "qwen3-0.6b": (1024, 3072, 28, 16, 8, 128, 151936, True),
    "qwen3-1.7b": (2048, 6144, 28, 16, 8, 128, 151936, True),
    "qwen3-8b": (4096, 12288, 36, 32, 8, 128, 151936, False),
    "micro": (32, 64, 4, 2, 1, 16, 96, True),
}


class Draft(torch.nn.Module):
    """Five Qwen3 layers over a block of masks; keys and values of the context come from the target's states."""

    def __init__(self, target, taps):
        super().__init__()
        c = target.config
        layers = type(target.model.layers[0])
        self.layers = torch.nn.ModuleList(layers(c, i) for i in range(min(5, c.num_hidden_layers)))
        self.fuse = torch.nn.Linear(len(taps) * c.hidden_size, c.hidden_size, bias=False)
        self.norm, self.context_norm = (type(target.model.norm)(c.hidden_size) for _ in range(2))
        self.config, self.rotary, self.cache = c, target.model.rotary_emb, [None] * len(self.layers)

    def keys_values(self, attention, x, angles):
        shape = (*x.shape[:-1], -1, self.config.head_dim)
        k = attention.k_norm(attention.k_proj(x).view(shape)).transpose(1, 2)
        return rotate(k, angles), attention.v_proj(x).view(shape).transpose(1, 2)

    def absorb(self, features, first):
        """Keys and values of the next positions, from the target's states (1, rows, taps * hidden)."""
        context = self.context_norm(self.fuse(features))
        angles = self.rotary(context, torch.arange(first, first + context.shape[1], device=context.device)[None])
        for i, layer in enumerate(self.layers):
            new = self.keys_values(layer.self_attn, context, angles)
            old = self.cache[i]
            self.cache[i] = new if old is None else tuple(torch.cat(pair, 2) for pair in zip(old, new))

    def forward(self, x, first):
        angles = self.rotary(x, torch.arange(first, first + x.shape[1], device=x.device)[None])
        for layer, (ck, cv) in zip(self.layers, self.cache):
            attention, y = layer.self_attn, layer.input_layernorm(x)
            q = attention.q_norm(attention.q_proj(y).view(*y.shape[:-1], -1, self.config.head_dim)).transpose(1, 2)
            k, v = self.keys_values(attention, y, angles)
            mixed = F.scaled_dot_product_attention(rotate(q, angles), torch.cat((ck, k), 2), torch.cat((cv, v), 2), enable_gqa=True)
            x = x + attention.o_proj(mixed.transpose(1, 2).flatten(2))
            x = x + layer.mlp(layer.post_attention_layernorm(x))
        return self.norm(x)


def rotate(x, angles):
    cosine, sine = (a[:, None] for a in angles)
    a, b = x.chunk(2, -1)
    return x * cosine + torch.cat((-b, a), -1) * sine


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--geometry", choices=SHAPES, default="qwen3-8b")
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--block", type=int, default=16)
    parser.add_argument("--cycles", type=int, default=30)
    parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    hidden, ffn, layers, heads, kv, size, vocab, tied = SHAPES[args.geometry]
    config = Qwen3Config(hidden_size=hidden, intermediate_size=ffn, num_hidden_layers=layers, num_attention_heads=heads,
                         num_key_value_heads=kv, head_dim=size, vocab_size=vocab, tie_word_embeddings=tied, max_position_embeddings=40960)
    torch.manual_seed(1)
    with torch.device(args.device):
        torch.set_default_dtype(torch.bfloat16)
        target = Qwen3ForCausalLM(config).eval()
        taps = sorted({1 + round(i * (layers - 4) / 4) for i in range(5)})
        draft = Draft(target, taps).eval()

    def wait():
        if args.device == "cuda":
            torch.cuda.synchronize()

    def run(tokens, cache):
        out = target(input_ids=tokens, past_key_values=cache, output_hidden_states=True, use_cache=True)
        return out.logits, torch.cat([out.hidden_states[t + 1] for t in taps], -1)

    cache = DynamicCache(config=config)
    ids = torch.randint(0, vocab, (1, args.context), device=args.device)
    _, features = run(ids, cache)
    draft.absorb(features, 0)
    token, length = ids[:, -1:], args.context
    times = []
    for cycle in range(-5, args.cycles):
        wait()
        start = time.perf_counter()
        block = torch.full((1, args.block), vocab - 1, device=args.device)
        block[:, :1] = token
        rows = draft(target.model.embed_tokens(block), length)
        guesses = target.lm_head(rows[:, 1:]).argmax(-1)
        logits, features = run(torch.cat((token, guesses), 1), cache)
        best = logits.argmax(-1)
        same = (best[:, :-1] == guesses).int().cumprod(1).sum().item()       # what the loop must look at; forced to 0 below
        token = best[:, :1]
        length += 1
        cache.crop(1 - args.block)                                            # one token stays
        draft.absorb(features[:, :1], length - 1)
        wait()
        if cycle >= 0:
            times.append(time.perf_counter() - start)
    times.sort()
    result = {"geometry": args.geometry, "context": args.context, "block": args.block, "device": args.device,
              "name": torch.cuda.get_device_name() if args.device == "cuda" else platform.processor(), "torch": torch.__version__,
              "cycle_ms": round(1000 * times[len(times) // 2], 4), "accepted_by_chance_in_the_last": same}
    print(json.dumps(result, indent=1))
    if args.json:
        args.json.write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()

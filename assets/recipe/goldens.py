"""Write tests/engine/golden: micro checkpoints, what transformers computes for them, and what tokenizers makes of text.

    python goldens.py                 (torch, transformers, tokenizers; well under a minute, no network)

The checkpoints are random, with uneven norms and biases so that a forgotten one shows.  Everything is a function of
the seeds below; a second run writes the same bytes with the same library versions.
"""
import argparse
import json
import random
import unicodedata
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForCausalLM

from tokenizer import MARKERS, PATTERN, SPECIAL

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "engine" / "golden"
BUNDLE = ROOT / "assets" / "models" / "target" / "tokenizer.json"
VOCAB, POSITIONS = 512, 256
ROWS, PROMPT = 32, 20          # tokens of the golden text; how many of them are the prompt of the cached run

QWEN3 = dict(architectures=["Qwen3ForCausalLM"], model_type="qwen3", hidden_size=64, intermediate_size=48,
             num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, head_dim=24, vocab_size=VOCAB,
             rms_norm_eps=1e-6, rope_theta=10000.0, rope_scaling=None, tie_word_embeddings=True, hidden_act="silu",
             attention_bias=False, use_sliding_window=False, sliding_window=None, max_window_layers=4,
             max_position_embeddings=POSITIONS, bos_token_id=500, eos_token_id=502, torch_dtype="bfloat16")
# transformers v5 spelling of the rotary fields; no head_dim, as in every Qwen2.5 release
QWEN2 = dict(architectures=["Qwen2ForCausalLM"], model_type="qwen2", hidden_size=64, intermediate_size=48,
             num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, vocab_size=VOCAB, rms_norm_eps=1e-6,
             rope_parameters={"rope_theta": 10000.0, "rope_type": "default"}, tie_word_embeddings=False,
             hidden_act="silu", use_sliding_window=False, sliding_window=None, max_window_layers=3,
             max_position_embeddings=POSITIONS, bos_token_id=500, eos_token_id=502, dtype="bfloat16")
QWEN2_TIED = {**QWEN2, "num_hidden_layers": 1, "tie_word_embeddings": True}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128}
# The Llama family, smaller: no biases, no norms of q and k.  One model for each thing that Qwen does not have.
LLAMA = dict(architectures=["LlamaForCausalLM"], model_type="llama", hidden_size=32, intermediate_size=40,
             num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=96, rms_norm_eps=1e-5,
             rope_theta=10000.0, rope_scaling=None, tie_word_embeddings=True, hidden_act="silu", attention_bias=False,
             mlp_bias=False, max_position_embeddings=POSITIONS, bos_token_id=90, eos_token_id=[91, 92, 93],
             torch_dtype="bfloat16")
# Of the pairs of 16 columns one turns often enough to stay, one is between, six are stretched; the golden text goes
# past the 28 positions.
LLAMA3 = {**LLAMA, "tie_word_embeddings": False, "head_dim": 16,
          "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                           "original_max_position_embeddings": 28}}
LLAMA_LINEAR = {**LLAMA, "num_hidden_layers": 1, "rope_scaling": {"type": "linear", "factor": 4.0}}
MISTRAL = {**LLAMA, "architectures": ["MistralForCausalLM"], "model_type": "mistral", "head_dim": 12,
           "sliding_window": 64, "tie_word_embeddings": False, "num_hidden_layers": 1}
for absent in ("attention_bias", "mlp_bias"):
    del MISTRAL[absent]


# ---- checkpoints ----

def random_weights(config, seed):
    """Matrices of unit gain, norms from 0.5 to 1.5, biases of standard deviation 0.5; bf16."""
    g = torch.Generator().manual_seed(seed)
    h, f = config["hidden_size"], config["intermediate_size"]
    d = config.get("head_dim", h // config["num_attention_heads"])
    q, kv = config["num_attention_heads"] * d, config["num_key_value_heads"] * d
    weights = {}

    def matrix(name, rows, cols):
        weights[name] = torch.randn(rows, cols, generator=g) / cols ** 0.5

    def norm(name, size):
        weights[name] = 0.5 + torch.rand(size, generator=g)

    matrix("model.embed_tokens.weight", config["vocab_size"], h)
    weights["model.embed_tokens.weight"] *= 4
    for layer in range(config["num_hidden_layers"]):
        base = f"model.layers.{layer}."
        norm(base + "input_layernorm.weight", h)
        for name, rows, cols in (("q", q, h), ("k", kv, h), ("v", kv, h), ("o", h, q)):
            matrix(f"{base}self_attn.{name}_proj.weight", rows, cols)
            if config["model_type"] == "qwen2" and name != "o":
                weights[f"{base}self_attn.{name}_proj.bias"] = 0.5 * torch.randn(rows, generator=g)
        if config["model_type"] == "qwen3":
            norm(base + "self_attn.q_norm.weight", d)
            norm(base + "self_attn.k_norm.weight", d)
        norm(base + "post_attention_layernorm.weight", h)
        matrix(base + "mlp.gate_proj.weight", f, h)
        matrix(base + "mlp.up_proj.weight", f, h)
        matrix(base + "mlp.down_proj.weight", h, f)
    norm("model.norm.weight", h)
    if not config["tie_word_embeddings"]:
        matrix("lm_head.weight", config["vocab_size"], h)
    return {name: value.bfloat16() for name, value in weights.items()}


def save(tensors, path):
    save_file(tensors, path, metadata={"format": "pt"})
    path.chmod(0o644)


def write_checkpoint(name, config, seed, tokenizer, stops=(502, 500)):
    folder = GOLDEN / name
    folder.mkdir(parents=True, exist_ok=True)
    save(random_weights(config, seed), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": list(stops)}) + "\n")
    if tokenizer is not None:
        (folder / "tokenizer.json").write_text(tokenizer)
    return folder


def load(folder, dtype, **changes):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager", **changes).eval()


@torch.no_grad()
def full_pass(model, ids):
    """Logits of every row, and the raw residual after every layer."""
    residuals, hooks = [], []
    for layer in model.model.layers:
        hooks.append(layer.register_forward_hook(
            lambda _m, _i, out: residuals.append((out[0] if isinstance(out, tuple) else out).reshape(len(ids), -1))))
    logits = model(torch.tensor([ids]), use_cache=False).logits[0]
    for hook in hooks:
        hook.remove()
    return logits.float().contiguous(), torch.stack(residuals).float().contiguous()


@torch.no_grad()
def cached_pass(model, ids):
    """Prompt first, then one token at a time: logits of the rows from PROMPT on."""
    state = model(torch.tensor([ids[:PROMPT]]), use_cache=True)
    rows = []
    for i in range(PROMPT, len(ids)):
        state = model(torch.tensor([[ids[i]]]), past_key_values=state.past_key_values, use_cache=True)
        rows.append(state.logits[0, -1].float())
    return torch.stack(rows)


def write_model_golden(name, config, seed, tokenizer, yarn=False, **checkpoint):
    folder = write_checkpoint(name, config, seed, tokenizer, **checkpoint)
    rng = random.Random(seed)
    ids = [rng.randrange(config["vocab_size"]) for _ in range(ROWS)]
    single = load(folder, torch.float32)
    logits, residuals = full_pass(single, ids)
    out = {"ids": torch.tensor(ids, dtype=torch.int32), "logits": logits, "residuals": residuals,
           "cached_logits": cached_pass(single, ids),
           "bf16_logits": full_pass(load(folder, torch.bfloat16), ids)[0][-8:].contiguous()}
    if yarn:
        from transformers import AutoConfig
        stretched = AutoConfig.from_pretrained(folder)
        stretched.rope_parameters = {**YARN, "rope_theta": config["rope_theta"]}
        out["yarn_logits"] = full_pass(load(folder, torch.float32, config=stretched), ids)[0]
        assert (out["yarn_logits"] - logits).abs().max() > 1e-2
    gap = (out["cached_logits"] - logits[PROMPT:]).abs().max().item()
    print(f"{name}: logits up to {logits.abs().max():.2f}, cached and full differ by {gap:.1e}, bf16 by "
          f"{(out['bf16_logits'] - logits[-8:]).abs().max():.2e}")
    save(out, GOLDEN / f"{name}.golden.safetensors")


# ---- tokenizer ----

SAMPLE = """Speculative decoding lets a small model guess the next tokens and a large model check all of them at once.
When the guess is right, several tokens are kept for the price of one pass; when it is wrong, the rest is thrown away.
The result is the same text that the large model would have written alone, only sooner. The draft proposes, the target
decides: each token is accepted with the probability that keeps the distribution of the target exact, and the first
rejected one is replaced by a sample from what remains. A longer draft saves more passes as long as it is accepted, and
costs more when it is not. There is no free lunch: someone has to read the weights, but reading them once for many
tokens is cheaper than reading them once for each. def step(state, tokens): return [state.next(token) for token in
tokens if token is not None]  # 0123456789 and some more words about the cache, the attention, the hidden states, the
layers, the heads, the norms, the rotary positions, the embedding, the vocabulary, the prompt and the answer."""

def micro_tokenizer():
    """256 bytes, 244 merges and the markers of Qwen: 509 ids for 512 rows, so that padding rows exist."""
    tok = Tokenizer(models.BPE())
    tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok.decoder = decoders.ByteLevel()
    tok.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(vocab_size=500, min_frequency=1, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tok.train_from_iterator([SAMPLE], trainer)
    assert tok.get_vocab_size() == 500
    for text in SPECIAL + MARKERS:
        added = AddedToken(text, normalized=False, special=text not in MARKERS)
        tok.add_special_tokens([added]) if added.special else tok.add_tokens([added])
    return tok


WORDS = ("the The quick Brown fox don't I'LL we've he'd she'S it'ſ they'RE DON'T can’t naïve café Straße coöperate "
         "return for while int main std::vector<int> x += 1; def f(a, b): self.x == None {} [] ()->{} /* */ // # "
         "0 1 12 2024 3.14 1,000,000 0x1F ½ ² Ⅷ ٣ १२ hello world Москва Ελλάδα שלום العربية हिन्दी ภาษาไทย 日本語 中文 "
         "한국어 русский Ünïcödé e\u0301 n\u0303 A\u030a \u1e9b\u0323 ﬁ Å 가 가 ́ q\u0307\u0323 👍🏽 👨‍👩‍👧 🇩🇪 😀 €5 "
         "http://a.b/c?d=e&f a@b.c C:\\x \\n 'tis rock'n'roll --flag=value ... !!! ?! “quoted” ‘s «x» —").split(" ")
BLANKS = [" ", "  ", "   ", "\n", "\r\n", "\n\n", "\t", " \n", "\n ", " \r\n  ", "\u00a0", "\u3000", "\u2028", "\u0085",
          "\u180e", "\u200b", "\ufeff", "\x0b", "\x0c", "\x1c", "\r", "\u1680", "\u202f", "\u205f"]
ADDED = SPECIAL + MARKERS + ["<|im_start", "<|im_start|", "<|mask|>", "<|reserved_1|>", "<|reserved_10|>", "<thi", "<<think>>",
                             "<|endoftext|>\u0338"]


def assigned_characters():
    """Code points that every Unicode version in play knows the same way: assigned long ago."""
    return [chr(c) for c in range(0x20, 0x1F700) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs", "Co", "Cc")]


def golden_texts(count, seed):
    rng, characters = random.Random(seed), assigned_characters()
    marks = [c for c in characters if unicodedata.combining(c)]
    letters = [c for c in characters if c.isalpha()]

    def part():
        kind = rng.randrange(12)
        if kind < 4:
            return rng.choice(WORDS).encode()
        if kind < 6:
            return "".join(rng.choice(BLANKS) for _ in range(rng.randint(1, 4))).encode()
        if kind == 6:
            return rng.choice(ADDED).encode()
        if kind == 7:
            return "".join(rng.choice(characters) for _ in range(rng.randint(1, 4))).encode()
        if kind == 8:
            return (rng.choice(letters) + "".join(rng.choice(marks) for _ in range(rng.randint(1, 3)))).encode()
        if kind == 9:
            return "".join(chr(rng.randint(32, 126)) for _ in range(rng.randint(1, 8))).encode()
        if kind == 10:
            return (" " * rng.randint(1, 9) + rng.choice(WORDS)).encode()
        if rng.random() < 0.7:
            return rng.choice(WORDS).encode()
        if rng.random() < 0.5:                                    # broken: bytes, or a character cut short
            return bytes(rng.randrange(256) for _ in range(rng.randint(1, 4)))
        return rng.choice(characters).encode()[:-1]

    texts = [b"", b"\x00", b"\xff", b"a" * 300, b" " * 300, b"\n" * 40, b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf"]
    while len(texts) < count:
        glue = rng.choice([b"", b" ", b" "])
        texts.append(glue.join(part() for _ in range(rng.randint(1, 7))))
    return texts


def varint(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def write_tokenizer_golden(tok, name, count, seed):
    """"SLTK", count, then per text: length, bytes, number of ids, ids; all numbers are LEB128 varints."""
    texts = golden_texts(count, seed)
    out = bytearray(b"SLTK" + varint(len(texts)))
    for raw in texts:
        ids = tok.encode(raw.decode("utf-8", errors="replace"), add_special_tokens=False).ids
        out += varint(len(raw)) + raw + varint(len(ids)) + b"".join(varint(i) for i in ids)
    (GOLDEN / name).write_bytes(out)
    print(f"{name}: {len(texts)} texts, {len(out)} bytes")


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    torch.set_num_threads(1)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    micro = micro_tokenizer()
    write_tokenizer_golden(micro, "tokens_micro.bin", 2000, 11)
    if BUNDLE.exists():
        write_tokenizer_golden(Tokenizer.from_file(str(BUNDLE)), "tokens_bundle.bin", 12000, 12)
    text = json.dumps(json.loads(micro.to_str()), ensure_ascii=False, separators=(",", ":")) + "\n"
    write_model_golden("micro_qwen3", QWEN3, 1, text, yarn=True)
    write_model_golden("micro_qwen2", QWEN2, 2, text)
    write_model_golden("micro_qwen2_tied", QWEN2_TIED, 3, None)
    write_llama_goldens()


def write_llama_goldens():
    write_model_golden("micro_llama", LLAMA, 4, None, yarn=True, stops=(92, 91))
    write_model_golden("micro_llama3", LLAMA3, 5, None, stops=(92, 91))
    write_model_golden("micro_llama_linear", LLAMA_LINEAR, 6, None, stops=(91,))
    write_model_golden("micro_mistral", MISTRAL, 7, None, stops=(91,))


if __name__ == "__main__":
    main()

"""What transformers says of SmolLM2-135M-Instruct: the golden of tests/engine/model/smollm2_test.cpp (./test --real).

    python3 assets/recipe/smollm2_goldens.py FILE.gguf tests/engine/golden/smollm2.json

Reads the GGUF that `speclens get smollm2` fetches, makes transformers' Llama of it twice, in f32 arithmetic: with matrices
rounded to bf16 (what SpecLens makes of the file by itself) and as the file has them (`--weights keep`). The first writes the
greedy answers of twenty prompts; the log-probabilities of their tokens are noted for both.
Needs PyPI torch, transformers, tokenizers, gguf, numpy. Takes some minutes on two cores.
"""

import hashlib
import json
import pathlib
import sys

import gguf
import numpy as np
import torch
from gguf.quants import dequantize
from transformers import LlamaConfig, LlamaForCausalLM

from smollm2.text import tokenizer_of

NEW_TOKENS = 64


def metadata(reader):
    return {name: field.contents() for name, field in reader.fields.items() if not name.startswith("GGUF")}


def halves(rows, heads):
    """llama.cpp stores the rows of q and k as pairs within a head; transformers wants all first halves before the second."""
    out, inner = rows.shape
    return rows.reshape(heads, out // heads // 2, 2, inner).swapaxes(1, 2).reshape(out, inner)


def weights(reader, facts, rounded):
    names = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
             "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
             "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
    stored = {t.name: dequantize(t.data, t.tensor_type).astype(np.float32) for t in reader.tensors}
    state = {"model.embed_tokens.weight": stored["token_embd.weight"], "model.norm.weight": stored["output_norm.weight"]}
    for layer in range(facts["llama.block_count"]):
        for ours, theirs in names.items():
            rows = stored[f"blk.{layer}.{ours}.weight"]
            if ours == "attn_q":
                rows = halves(rows, facts["llama.attention.head_count"])
            if ours == "attn_k":
                rows = halves(rows, facts["llama.attention.head_count_kv"])
            state[f"model.layers.{layer}.{theirs}.weight"] = rows
    tensors = {name: torch.from_numpy(np.ascontiguousarray(rows)) for name, rows in state.items()}
    if rounded:
        tensors = {name: rows.bfloat16().float() for name, rows in tensors.items()}
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
    return tensors


def model(reader, facts, rounded):
    config = LlamaConfig(
        hidden_size=facts["llama.embedding_length"], intermediate_size=facts["llama.feed_forward_length"],
        num_hidden_layers=facts["llama.block_count"], num_attention_heads=facts["llama.attention.head_count"],
        num_key_value_heads=facts["llama.attention.head_count_kv"], vocab_size=len(facts["tokenizer.ggml.tokens"]),
        rms_norm_eps=facts["llama.attention.layer_norm_rms_epsilon"], rope_theta=facts["llama.rope.freq_base"],
        max_position_embeddings=facts["llama.context_length"], tie_word_embeddings=True, attn_implementation="eager")
    net = LlamaForCausalLM(config).float().eval()
    missing = net.load_state_dict(weights(reader, facts, rounded), strict=False)
    assert not missing.missing_keys and not missing.unexpected_keys, missing
    return net


def log_probabilities(net, ids, start):
    with torch.no_grad():
        logits = net(torch.tensor([ids])).logits[0, start - 1:-1]
        distributions = torch.log_softmax(logits.double(), -1)
    return distributions


def main():
    file, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    reader = gguf.GGUFReader(file)
    facts = metadata(reader)
    tok = tokenizer_of(facts)
    stop = facts["tokenizer.ggml.eos_token_id"]
    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    nets = model(reader, facts, True), model(reader, facts, False)
    prompts = [run["prompt"] for run in json.loads(out.read_text())["runs"]]            # those of the golden that is replaced
    runs, differ = [], 0
    for prompt in prompts:
        text = f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
        ids = tok.encode(text, add_special_tokens=False).ids
        with torch.no_grad():
            whole = nets[0].generate(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long),
                                     max_new_tokens=NEW_TOKENS, do_sample=False, eos_token_id=stop, pad_token_id=stop)[0].tolist()
        answer = whole[len(ids):]
        distributions = [log_probabilities(net, whole, len(ids)) for net in nets]
        place = torch.arange(len(answer)), torch.tensor(answer)
        differ += int((distributions[1].argmax(-1) != place[1]).sum())
        assert bool((distributions[0].argmax(-1) == place[1]).all()), "teacher-forced and generated texts differ"
        runs.append({"prompt": prompt, "ids": ids, "answer": answer, "text": tok.decode(answer),
                     "bf16": [round(float(x), 6) for x in distributions[0][place]],
                     "kept": [round(float(x), 6) for x in distributions[1][place]],
                     "kept_best": [int(x) for x in distributions[1].argmax(-1)]})
        print(len(answer), repr(runs[-1]["text"][:70]))
    sha = hashlib.sha256(file.read_bytes()).hexdigest()
    rows = ",\n  ".join(json.dumps(run, ensure_ascii=False, separators=(",", ":")) for run in runs)
    out.write_text('{"made_by": "assets/recipe/smollm2_goldens.py", "sha256": "%s", "runs": [\n  %s\n]}\n' % (sha, rows))
    print(sum(len(run["answer"]) for run in runs), "tokens;", differ, "of them are not the likeliest of the file as it is")


if __name__ == "__main__":
    main()

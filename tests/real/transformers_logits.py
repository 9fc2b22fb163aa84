#!/usr/bin/env python3
"""The logits of transformers in f32 on the dequantised weights of a GGUF file, teacher-forced over texts: what rounded products are held against.

transformers_logits.py FILE.gguf OUT TEXT…: needs the packages of transformers_test.py (PACKAGES). Windows of 512 tokens of each text, as
tests/engine/model/kept_error.cpp has them, each read with nothing before it. OUT holds "SPLOGIT1" and the number of ids; for each window its
number of tokens, their ids and a logit in f32 for every token and id; integers of 32 bits, little-endian. 600 kB a token for Qwen2.5.

    python3 tests/real/transformers_logits.py FILE.gguf /tmp/logits TEXT…
    kept_error FILE.gguf TEXT… --reference /tmp/logits
"""
import os
import struct
import sys
import time

WINDOW = 512


def main(model_file, out, texts):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    torch.set_grad_enabled(False)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    folder, name = os.path.split(os.path.abspath(model_file))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
    wrong = {parameter.dtype for parameter in model.parameters()} - {torch.float32}
    if wrong:
        sys.exit(f"{name}: transformers keeps weights as {wrong}, not as f32")
    begun, tokens = time.monotonic(), 0
    with open(out, "wb") as to:
        to.write(b"SPLOGIT1" + struct.pack("<i", model.get_output_embeddings().weight.shape[0]))
        for text in texts:
            ids = tokenizer(open(text, encoding="utf-8", newline="").read(), add_special_tokens=False).input_ids
            for first in range(0, len(ids), WINDOW):
                window = ids[first:first + WINDOW]
                logits = model(torch.tensor([window]), use_cache=False).logits[0].float().contiguous()
                to.write(struct.pack(f"<{1 + len(window)}i", len(window), *window))
                to.write(logits.numpy().astype("<f4").tobytes())
                tokens += len(window)
                print(f"{text}: {first + len(window)} of {len(ids)} tokens, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    print(f"{tokens} tokens")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])

#!/usr/bin/env python3
"""Heads as llama.cpp's own converter writes them: llamacpp_convert.py SOURCE TARGET (HEAD OUT.gguf TYPE)…

SOURCE: llama.cpp's source; TARGET: the target's folder, whose tokenizer and sizes the converter copies; TYPE: bf16, f32, q8_0. The converter
knows tokenizers by a hash; that of the built-in models is in no list, and splits as Qwen2's does. One process for all: torch takes long to come up."""
import sys

source, target, words = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.dont_write_bytecode = True
sys.path[:0] = [source, source + "/gguf-py"]

import conversion.base  # noqa: E402
import convert_hf_to_gguf  # noqa: E402

conversion.base.TextModel.get_vocab_base_pre = lambda self, tokenizer: "qwen2"
for head, out, kind in zip(*[iter(words)] * 3):
    sys.argv[1:] = [head, "--outfile", out, "--outtype", kind, "--target-model-dir", target]
    convert_hf_to_gguf.main()

"""Ids to text, by the list of tokens in a GGUF file of Qwen's (byte-level BPE)."""
from smollm2 import gguf_file


def _bytes_of_signs():
    """GPT-2's signs for bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(others)}


class Tokens:
    def __init__(self, gguf):
        facts = gguf_file.read(gguf, tensors=False)[0]
        signs, kinds = _bytes_of_signs(), facts["tokenizer.ggml.token_type"]
        self.bytes = [bytes(signs[c] for c in word) if kind == 1 else word.encode() for word, kind in zip(facts["tokenizer.ggml.tokens"], kinds)]

    def text(self, ids):
        return b"".join(self.bytes[i] for i in ids).decode("utf-8", "replace")


def user_turn(text):
    """What the user said in the text of a prompt, without the format around it."""
    return text.rpartition("<|im_start|>user\n")[2].partition("<|im_end|>")[0]

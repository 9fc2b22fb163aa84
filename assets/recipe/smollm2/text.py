"""SmolLM2's tokenizer out of the GGUF, and its chat template."""
from smollm2 import gguf_file

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


def tokenizer(path):
    return tokenizer_of(gguf_file.read(path, tensors=False)[0])


def tokenizer_of(facts):
    """facts: the GGUF's, by name."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers      # training does without

    words = facts["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in facts["tokenizer.ggml.merges"]]
    tok = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                                 pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tok.decoder = decoders.ByteLevel()
    tok.add_special_tokens([AddedToken(word, special=True, normalized=False)
                            for word, kind in zip(words, facts["tokenizer.ggml.token_type"]) if kind == 3])
    return tok


def chat(turns, system=None):
    """turns: texts of user, assistant, user ... up to the answer's first token."""
    out = f"<|im_start|>system\n{system or SYSTEM}<|im_end|>\n"
    for i, turn in enumerate(turns):
        out += f"<|im_start|>{('user', 'assistant')[i % 2]}\n{turn}<|im_end|>\n"
    return out + "<|im_start|>assistant\n"

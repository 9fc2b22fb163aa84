"""Train the byte-level BPE once and write the Hugging Face tokenizer files.

    python tokenizer.py --out ../models/target

256 bytes + 3816 merges + 24 added tokens = 4096 rows.  The result is committed and frozen: every model, drafter
and golden file depends on these ids.
"""
import argparse
import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from corpus.common_words import COMMON
from corpus.gen import MIXTURE, make

VOCAB = 4096
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MARKERS = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
TAIL = ["<|mask|>"] + [f"<|reserved_{i}|>" for i in range(14)]
# the functional constant of the Qwen tokenizers: contractions, words, single digits, punctuation, line ends, spaces
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
           r"|\s+(?!\S)|\s+")
SKIP = {"noise"}        # random letters would only waste merges

CHAT_TEMPLATE = r"""{%- if tools %}
{{- '<|im_start|>system\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\n\n' }}{% endif %}
{{- 'You can use these tools:\n<tools>' }}
{%- for tool in tools %}{{- '\n' + (tool | tojson) }}{% endfor %}
{{- '\n</tools>\nTo use a tool, answer with a JSON object inside <tool_call></tool_call>.<|im_end|>\n' }}
{%- elif messages[0].role == 'system' %}
{{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
{%- elif message.role == 'assistant' %}
{%- set content = message.content.split('</think>')[-1].lstrip('\n') if '</think>' in message.content else message.content %}
{{- '<|im_start|>assistant\n' + content + '<|im_end|>\n' }}
{%- elif message.role == 'user' %}
{{- '<|im_start|>user\n' + message.content + '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{% endif %}
{%- endif %}"""


def sample_texts(characters_per_domain, seed=77):
    """The same number of characters from every domain."""
    for domain in MIXTURE:
        used = index = 0
        while used < characters_per_domain:
            d = make(seed, index, domain)
            index += 1
            if d.split == "train" and d.family not in SKIP:
                used += len(d.text)
                for tag in SPECIAL + MARKERS:
                    d.parts = [p.replace(tag, "") for p in d.parts]
                yield d.text
    for _ in range(120):                              # enough to rank above rare template fragments
        yield " " + " ".join(COMMON)


def build(characters):
    tok = Tokenizer(models.BPE())
    tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok.decoder = decoders.ByteLevel()
    tok.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(vocab_size=VOCAB - 24, min_frequency=2, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tok.train_from_iterator(sample_texts(characters), trainer)
    assert tok.get_vocab_size() == VOCAB - 24, tok.get_vocab_size()
    for text in SPECIAL + MARKERS + TAIL:
        added = AddedToken(text, normalized=False, special=text not in MARKERS)
        (tok.add_tokens if text in MARKERS else tok.add_special_tokens)([added])
    assert tok.get_vocab_size() == VOCAB and tok.token_to_id("<|endoftext|>") == VOCAB - 24
    return tok


def write(tok, out):
    out.mkdir(parents=True, exist_ok=True)
    tok.save(str(out / "tokenizer.json"))
    added = {str(tok.token_to_id(t)): {"content": t, "lstrip": False, "normalized": False, "rstrip": False,
                                       "single_word": False, "special": t not in MARKERS}
             for t in SPECIAL + MARKERS + TAIL}
    config = {"add_bos_token": False, "add_prefix_space": False, "added_tokens_decoder": added, "bos_token": None,
              "chat_template": CHAT_TEMPLATE, "clean_up_tokenization_spaces": False, "eos_token": "<|im_end|>",
              "errors": "replace", "model_max_length": 2048, "pad_token": "<|endoftext|>", "split_special_tokens": False,
              "tokenizer_class": "Qwen2Tokenizer", "unk_token": None}
    (out / "tokenizer_config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--characters", type=int, default=2_800_000, help="per domain")
    args = parser.parse_args()
    write(build(args.characters), args.out)

"""Write tests/engine/golden/tokenizers: small vocabularies of every kind that engine/text reads, and what Hugging
Face's tokenizers makes of 10 000 texts with each.

    python tokenizer_goldens.py                     (tokenizers; a few minutes, no network)
    python tokenizer_goldens.py --show smollm 17    the texts of block 17 and their ids, to compare when a test fails

The pipelines are those of published files, the vocabularies are trained here on our own corpus.  The texts come from
a generator that tests/engine/text/tokenizer_kinds_test.cpp has as well; kept are a hash for every hundred of them,
and the ids of some texts in full.
"""
import argparse
import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tokenizer import PATTERN as QWEN
from tokenizer import sample_texts

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "engine" / "golden" / "tokenizers"
BUNDLE = ROOT / "assets" / "models" / "target" / "tokenizer.json"
VOCAB, CHARACTERS = 1500, 60_000
TEXTS, BLOCK = 10_000, 100
BLANK = "\u2581"

# the functional constants of the published files
LLAMA3 = QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|", 1)
DEEPSEEK = (r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+",
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

# ---- texts ----

FRAGMENTS = [
    "the", " the", "The", " model", " guess", "speculative", " decoding", "token", "tokens", " a", "a", "I", "x",
    "I'm", "I'M", "don't", "we'll", "they've", "she'd", "it's", "IT'S", "you're", "'s", "'S", "'\u017f", "'LL",
    "\u2019s",
    " ", "  ", "   ", "    ", "\n", "\n\n", "\r\n", "\r", "\t", "\t\t", " \n", "\n ", "\u00a0", " \u00a0", "\u3000",
    "\u2009",
    "\u2028", "\u0085", "\u180e", "\u200b", "\v", "\f",
    "0", "1", "12", "123", "1234", "12345678", "3.14", "1,000", "1e-9", "\uff11\uff12\uff13", "\u0663\u0664",
    "\u00bd", "\u00b2",
    "\u2167", "\u2460", "9th",
    ".", ",", "!", "?", "...", "!!", "?!", "()", "[]", "{}", "->", "==", "//", "/*", "*/", "#", "##", "\"", "'", "`",
    "_", "__",
    "a_b", "$x", "<", ">", "&", "|", "\\", "\\n", "~", "^", "@", "%", "-", "--", "\u2014", "\u2026",
    "def f(x):", "return", "for (int i = 0; i < n; ++i)", "{\"key\": [1, 2]}", "http://example.org/a?b=c", "a@b.c",
    "caf\u00e9", "cafe\u0301", "na\u00efve", "\u00c5", "A\u030a", "\u212b", "\u1e9b\u0323", "\uac00", "\u1100\u1161",
    "e\u0301\u0323",
    "\u00fcber", "stra\u00dfe", "\u0130", "\u017f", "\u212a", "\ufb01", "\ufb06", "\u01c5",
    "\u043f\u0440\u0438\u0432\u0435\u0442", "\u03b3\u03b5\u03b9\u03b1", "\u05e9\u05dc\u05d5\u05dd",
    "\u0633\u0644\u0627\u0645",
    "\u0928\u092e\u0938\u094d\u0924\u0947", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u65e5\u672c\u8a9e",
    "\u4f60\u597d\u4e16\u754c",
    "\u3053\u3093\u306b\u3061\u306f", "\u30c6\u30b9\u30c8", "\ud55c\uad6d\uc5b4",
    "\U0001f600", "\U0001f44d\U0001f3fd", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea",
    "\u2764\ufe0f", "\U00040001",
    "\U000c0001", "\U0010fffd", "\ufffd", "\ufeff", "\u0000", "\u0001", "\u0004", "\u0006", "\u0013", "\u0014",
    "\u001d", "\u007f",
    "!\u0014!", "a\u0014b", "\u2581", "\u2581the", "<0x0A>", "\u0120", "\u010a",
    "<s>", "</s>", "<unk>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<|user|>",
    " <|user|>",
    "<|begin|>", "<|im_", "|>", "[MASK]", " [MASK] ", "[WORD]", " [WORD]", "caf\u00e9token", "<tool>",
    "X.<|im_end|>", "a  b", "a   \n  b", "  x", "\r\n\r\n", " \u00a0x",
]
# first and last code points of blocks that no version of Unicode since 14 has filled up
RANGES = [
    (0x00, 0x7F), (0x80, 0x24F), (0x300, 0x36F), (0x391, 0x3FF), (0x400, 0x52F), (0x5D0, 0x5EA), (0x620, 0x669),
    (0x904, 0x96F), (0xE01, 0xE3A), (0x1100, 0x11FF), (0x1E00, 0x1EFF), (0x2000, 0x2064), (0x2070, 0x2071),
    (0x20A0, 0x20BF), (0x2100, 0x218B), (0x2190, 0x23FF), (0x2460, 0x27BF), (0x3000, 0x303F), (0x3041, 0x3096),
    (0x30A0, 0x30FF), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xE000, 0xE0FF), (0xFB00, 0xFB06), (0xFE00, 0xFE0F),
    (0xFF01, 0xFF65), (0x10300, 0x1031F), (0x1D400, 0x1D454), (0x1D7CE, 0x1D7FF), (0x1F300, 0x1F64F),
    (0x20000, 0x2A6D6), (0x40000, 0x400FF), (0x80000, 0x800FF), (0xF0000, 0xF00FF),
]


class Random:
    """SplitMix64, the generator of tests/shared/mutate.h."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        return (z ^ z >> 31) % limit


def make_text(rng):
    text = ""
    for _ in range(1 + rng.below(8)):
        if rng.below(4) == 0:
            part = ""
            for _ in range(1 + rng.below(4)):
                first, last = RANGES[rng.below(len(RANGES))]
                part += chr(first + rng.below(last - first + 1))
        else:
            part = FRAGMENTS[rng.below(len(FRAGMENTS))]
        times = 2 + rng.below(6) if rng.below(10) == 0 else 1
        text += part * times
    return text


def hash_ids(value, ids):
    """FNV-1a, 64 bits, over the number of ids and the ids, four bytes each, little end first."""
    for number in [len(ids), *ids]:
        for byte in number.to_bytes(4, "little"):
            value = ((value ^ byte) * 0x100000001B3) & ((1 << 64) - 1)
    return value


# ---- vocabularies ----

def split(*patterns):
    return [pre_tokenizers.Split(Regex(p), behavior="isolated") for p in patterns]


BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def train(steps, vocab, alphabet, normalizer=None):
    tok = Tokenizer(models.BPE())
    if normalizer is not None:
        tok.normalizer = normalizer
    tok.pre_tokenizer = pre_tokenizers.Sequence(steps)
    trainer = trainers.BpeTrainer(vocab_size=vocab, show_progress=False, initial_alphabet=sorted(alphabet))
    tok.train_from_iterator(list(sample_texts(CHARACTERS)) + [f for f in FRAGMENTS if f.isprintable()] * 3, trainer)
    model = json.loads(tok.to_str())["model"]
    return model["vocab"], [tuple(m) for m in model["merges"]]


def byte_level(steps, added, *, normalizer=None, missing=(), thin=0, ignore_merges=False, bos=None):
    """A published pipeline with a vocabulary of ours.  `missing` letters have no token; of `thin` merges one is left
    out, so that its token can only be had whole."""
    alphabet = set(pre_tokenizers.ByteLevel.alphabet()) - set(missing)
    vocab, merges = train(steps, VOCAB, alphabet, normalizer)
    gone = {t for t in vocab if set(t) & set(missing)}
    merges = [m for m in merges if m[0] + m[1] not in gone]
    ids = {t: i for i, t in enumerate(sorted((t for t in vocab if t not in gone), key=vocab.get))}
    if thin:
        merges = [m for i, m in enumerate(merges) if i % thin != thin - 1]
    tok = Tokenizer(models.BPE(vocab=ids, merges=merges, ignore_merges=ignore_merges))
    if normalizer is not None:
        tok.normalizer = normalizer
    tok.pre_tokenizer = pre_tokenizers.Sequence(steps) if len(steps) > 1 else steps[0]
    tok.decoder = decoders.ByteLevel()
    tok.add_tokens(added)
    tok.post_processor = processors.ByteLevel(trim_offsets=False)
    if bos is not None:
        tok.post_processor = processors.Sequence([tok.post_processor, processors.TemplateProcessing(
            single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tok.token_to_id(bos))])])
    return tok


def merges_of_scores(scores):
    """The merges of a vocabulary that has scores, in the order in which transformers converts one."""
    ids = {token: i for i, token in enumerate(scores)}
    merges = []
    for token, score in scores.items():
        cuts = [(token[:i], token[i:]) for i in range(1, len(token)) if token[:i] in ids and token[i:] in ids]
        merges += [(score, left, right) for left, right in sorted(cuts, key=lambda c: (ids[c[0]], ids[c[1]]))]
    merges.sort(key=lambda m: (m[0], len(m[1]), len(m[2])), reverse=True)
    return [(left, right) for _, left, right in merges]


def sentence_piece():
    """Llama 2's pipeline: tokens in the order of SentencePiece, unknown characters by their bytes."""
    vocab, merges = train([pre_tokenizers.Metaspace(prepend_scheme="always")], VOCAB, [])
    letters = [t for t in sorted(vocab, key=vocab.get) if len(t) == 1 and t.isprintable()]
    merged = list(dict.fromkeys(a + b for a, b in merges if all(c in letters for c in a + b)))
    control = ["<unk>", "<s>", "</s>"]
    scores = {t: 0.0 for t in control + [f"<0x{byte:02X}>" for byte in range(256)]}
    scores |= {t: float(-i) for i, t in enumerate(merged + letters)}
    tok = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(scores)}, merges=merges_of_scores(scores),
                               unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tok.normalizer = normalizers.Sequence([normalizers.Prepend(BLANK), normalizers.Replace(" ", BLANK)])
    tok.decoder = decoders.Sequence([decoders.Replace(BLANK, " "), decoders.ByteFallback(), decoders.Fuse(),
                                     decoders.Strip(" ", 1, 0)])
    tok.add_tokens([special(t) for t in control])
    tok.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B",
                                                       special_tokens=[("<s>", 1)])
    return tok


def with_metaspace(tok):
    """The same vocabulary as files of today spell it: the blank comes only in front of the whole text."""
    out = Tokenizer.from_str(tok.to_str())
    out.normalizer = None
    out.pre_tokenizer = pre_tokenizers.Metaspace(replacement=BLANK, prepend_scheme="first", split=False)
    return out


def special(text, **options):
    return AddedToken(text, normalized=False, special=True, **options)


def plain(text, **options):
    return AddedToken(text, special=False, **{"normalized": False, **options})


CHAT = [special(t) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")]
# bytes of UTF-8 that SmolLM2 has no token for, in GPT-2's alphabet
LACKS = "ÀÁñòõö÷øùúûüýþÿ" + "".join(chr(0x100 + byte) for byte in (0x04, 0x06, 0x13, 0x14, 0x16, 0x1D))


def kinds():
    yield "qwen2", byte_level(split(QWEN) + [BYTES], CHAT, normalizer=normalizers.NFC())
    yield "gpt2", byte_level([GPT2], [special("<|endoftext|>")])
    yield "smollm", byte_level([pre_tokenizers.Digits(individual_digits=True), GPT2], CHAT, missing=LACKS)
    yield "llama3", byte_level(split(LLAMA3) + [BYTES], [special(t) for t in ("<|begin|>", "<|im_end|>", "<|user|>")],
                               thin=7, ignore_merges=True, bos="<|begin|>")
    yield "deepseek", byte_level(split(*DEEPSEEK) + [BYTES], [special("<s>"), special("</s>"), plain("<think>")],
                                 normalizer=normalizers.Sequence([]), bos="<s>")
    # no published file: what several use one by one
    options = [plain("[MASK]", lstrip=True), plain("<|user|>", rstrip=True), plain("[WORD]", single_word=True),
               plain("café", normalized=True), plain("<think>", lstrip=True, rstrip=True), plain("  ")]
    yield "options", byte_level([pre_tokenizers.Digits(individual_digits=False),
                                 pre_tokenizers.Split("==", behavior="merged_with_previous"),
                                 pre_tokenizers.Split(Regex(r"[!?]|xx*"), behavior="merged_with_next"),
                                 pre_tokenizers.Split(Regex(r"\n"), behavior="removed"),
                                 pre_tokenizers.Split(Regex(r"\w+"), behavior="contiguous", invert=True),
                                 pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=True)], options,
                                normalizer=normalizers.Sequence([normalizers.Replace("--", "\u2014"),
                                                                 normalizers.NFC()]))
    llama2 = sentence_piece()
    yield "llama2", llama2
    yield "metaspace", with_metaspace(llama2)


def seed_of(name):
    return sum(byte << 8 * (i % 7) for i, byte in enumerate(name.encode()))


def encode(tok, text):
    return tok.encode(text, add_special_tokens=False).ids


def write(name, tok):
    rng, hashes = Random(seed_of(name)), []
    for _ in range(TEXTS // BLOCK):
        value = 0xCBF29CE484222325
        for _ in range(BLOCK):
            value = hash_ids(value, encode(tok, make_text(rng)))
        hashes.append(f"{value:016x}")
    texts = FRAGMENTS[-12:] + ["e\u0301", "１２３", "I'M I'm", "👨\u200d👩\u200d👧"]
    cases = [[text, encode(tok, text)] for text in texts]
    golden = {"seed": seed_of(name), "block": BLOCK, "hashes": hashes, "cases": cases}
    (GOLDEN / f"{name}.golden.json").write_text(json.dumps(golden, ensure_ascii=True, separators=(",", ":")) + "\n")


def save(name, tok):
    data = json.loads(tok.to_str())
    model = data["model"]
    model["merges"] = [" ".join(m) if " " not in "".join(m) else m for m in model["merges"]]
    (GOLDEN / f"{name}.json").write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n")


def load(name):
    return Tokenizer.from_file(str(BUNDLE if name == "qwen3" else GOLDEN / f"{name}.json"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", nargs=2, metavar=("KIND", "BLOCK"))
    parser.add_argument("--texts-only", action="store_true", help="keep the vocabularies as they are")
    args = parser.parse_args()
    if args.show:
        tok, rng = load(args.show[0]), Random(seed_of(args.show[0]))
        for i in range(BLOCK * (int(args.show[1]) + 1)):
            text = make_text(rng)
            if i >= BLOCK * int(args.show[1]):
                print(i, ascii(text), encode(tok, text))
        return
    GOLDEN.mkdir(parents=True, exist_ok=True)
    texts = {"fragments": FRAGMENTS, "ranges": RANGES}
    (GOLDEN / "texts.json").write_text(json.dumps(texts, separators=(",", ":")) + "\n")
    names = ["qwen3"]
    if args.texts_only:
        names += sorted(p.stem for p in GOLDEN.glob("*.json") if "." not in p.stem and p.stem != "texts")
    else:
        for name, tok in kinds():
            save(name, tok)
            names.append(name)
    for name in names:
        write(name, load(name))
        print(name, load(name).get_vocab_size())


if __name__ == "__main__":
    main()

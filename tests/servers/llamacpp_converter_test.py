#!/usr/bin/env python3
"""The built-in heads through llama.cpp's own converter: exported as they are released, converted, and drafting as they did.

llamacpp_converter_test.py SPECLENS FOLDER: fetches llama.cpp's source (in the source package of xllamacpp, by its hash; or takes the file that
SPECLENS_LLAMACPP names) and torch and transformers (or the Python that SPECLENS_TRANSFORMERS names, with sentencepiece beside). The files hold the
same bf16 values, so every draft at T = 0 and every round must be the same and the chances with them, not near. Planted: an EAGLE-3 head that names its layers
in eagle_config alone, which the converter passes over for layers of its own; it has to be found. Exit 77: skipped, with a word why."""
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request

from others import VERSION, Report, assets, here, skip

SOURCE = "xllamacpp-%s.tar.gz" % VERSION
SHA256 = "c17ee1163006f70726abb9f72137830818f3d8cb60bfc34cb232d08428eaa22b"
PACKAGES = ["torch==2.15.0", "transformers==5.23.0", "safetensors==0.8.0", "sentencepiece==0.2.3", "pyyaml", "tqdm"]
HEADS = [("eagle3", "bf16", 4), ("eagle3", "f32", 4), ("dflash", "bf16", 7), ("dflash", "bf16", 15), ("dspark", "bf16", 8), ("dflash2", "bf16", 7),
         ("dflash2", "bf16", 15)]
PROMPTS = ["Tell me a story about a", "What is the capital of Japan?", "1, 2, 3, 4, 5,", "Once upon a time"]
LENGTH = 40
speclens, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
report, target = Report(), os.path.join(assets, "target")


def done(words):
    ran = subprocess.run(words, capture_output=True, text=True)
    return ran.returncode == 0, ran.stdout, ran.stderr.strip()


def environment():
    """The Python that has the packages."""
    if os.environ.get("SPECLENS_TRANSFORMERS"):
        return os.environ["SPECLENS_TRANSFORMERS"]
    place = os.path.join(folder, "converter")
    python = os.path.join(place, "bin", "python")
    for words in ([sys.executable, "-m", "venv", place], [python, "-m", "pip", "install", "-q", *PACKAGES]):
        good, _, why = done(words)
        if not good:
            skip("%s: %s" % (" ".join(words[2:]), why[-200:]))
    return python


def is_it(file):
    return os.path.exists(file) and hashlib.sha256(open(file, "rb").read()).hexdigest() == SHA256


def source():
    """llama.cpp's folder. pip would build what it downloads as source, so the index that it uses is read here."""
    file = os.environ.get("SPECLENS_LLAMACPP") or os.path.join(folder, SOURCE)
    if not is_it(file):
        index = "import os, pip._internal.models.index as i; print(os.environ.get('PIP_INDEX_URL') or i.PyPI.simple_url)"
        said, url, _ = done([sys.executable, "-m", "pip", "config", "get", "global.index-url"])
        page = (url if said else done([sys.executable, "-c", index])[1]).strip().rstrip("/") + "/xllamacpp/"
        try:
            links = re.findall(r'href="([^"]+/%s[^"]*)"' % re.escape(SOURCE), urllib.request.urlopen(page, timeout=60).read().decode())
            body = urllib.request.urlopen(urllib.parse.urljoin(page, html.unescape(links[0])), timeout=600).read()
        except (OSError, IndexError) as why:
            skip("%s: %s" % (SOURCE, why))
        file = os.path.join(folder, SOURCE)
        with open(file, "wb") as out:
            out.write(body)
    if not is_it(file):
        skip("%s is another file than the one that is known here" % SOURCE)
    top = SOURCE.removesuffix(".tar.gz")
    root = top + "/thirdparty/llama.cpp"
    with tarfile.open(file) as packed:
        wanted = [one for one in packed if re.match(re.escape(root) + r"/(convert_hf_to_gguf\.py|conversion/|gguf-py/)", one.name) and one.isfile()]
        packed.extractall(folder, wanted, filter="data")
    return os.path.join(folder, root)


def rounds(name, head, k, prompt):
    """[(guesses with what was likely there, tokens that stayed)] of a greedy run; a sentence where the head is refused."""
    trace = os.path.join(folder, "converted.jsonl")
    good, _, why = done([speclens, "run", "--model", target, "--drafter", name + "=" + head, "--prompt", prompt, "--temp", "0", "--k", str(k), "--max-tokens",
                         str(LENGTH), "--precision", "f32", "--weights", "bf16", "--trace-top", "8", "--json", trace])
    if not good:
        return why
    found, drafted = [], []
    for line in open(trace):
        event = json.loads(line)
        if event["kind"] == "draft":
            drafted.append((event["token"], event.get("raw_top") or event["top"]))
        elif event["kind"] == "commit":
            found.append((drafted, event["tokens"]))
            drafted = []
    return found


def held(name, one, other, k):
    """(rounds that are the same, all, guesses) of two heads behind the same prompts; None: the second is refused."""
    same = count = guesses = 0
    for prompt in PROMPTS:
        mine, theirs = rounds(name, one, k, prompt), rounds(name, other, k, prompt)
        if isinstance(mine, str) or isinstance(theirs, str):
            report.holds("%s as %s" % (name, os.path.basename(other)), False, mine if isinstance(mine, str) else theirs)
            return None
        same += sum(a == b for a, b in zip(mine, theirs))
        count += max(len(mine), len(theirs))
        guesses += sum(len(drafted) for drafted, _ in mine)
    return same, count, guesses


python, llamacpp = environment(), source()
official = {}
for name in sorted({name for name, _, _ in HEADS}):
    official[name] = os.path.join(folder, "official-" + name)
    good, _, why = done([speclens, "export", "head", os.path.join(assets, name), "-o", official[name]])
    report.holds("export head " + name, good, why)
FILES = {(name, kind): os.path.join(folder, "converted-%s-%s.gguf" % (name, kind)) for name, kind, _ in HEADS}
PLANTED = os.path.join(folder, "converted-planted.gguf")
words = [word for (name, kind), out in FILES.items() for word in (official[name], out, kind)] + [os.path.join(assets, "eagle3"), PLANTED, "bf16"]
good, _, why = done([python, os.path.join(here, "llamacpp_convert.py"), llamacpp, target, *words])
report.holds("the converter takes every head", good, why[-600:])
if good:
    for name, kind, k in HEADS:
        if told := held(name, os.path.join(assets, name), FILES[name, kind], k):
            same, count, guesses = told
            report.equal("%s in %s, %d guesses: rounds that are the same" % (name, kind, k), same, count)
            report.holds("%s: guesses" % name, guesses > 50, "%d" % guesses)
            print("%s in %s, up to %d guesses: %d of %d rounds the same, %d guesses" % (name, kind, k, same, count, guesses), flush=True)
    if told := held("eagle3", os.path.join(assets, "eagle3"), PLANTED, 4):
        report.holds("other layers are found", told[0] < told[1], "all %d rounds are the same" % told[1])
        print("layers that the converter passes over: %d of %d rounds the same" % told[:2], flush=True)
report.end("llama.cpp's converter (%s)" % VERSION)

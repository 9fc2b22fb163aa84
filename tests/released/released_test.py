#!/usr/bin/env python3
"""Public heads against what their makers published: acceptance on HumanEval, place by place, within 3 points of the card.

released_test.py SPECLENS LIST FOLDER: LIST is assets/public/models.json. Every head of it whose maker (not a third party) published an
acceptance on HumanEval is fetched with its target from huggingface.co into FOLDER (some gigabytes each; what is there already is not
fetched again) and measured by `speclens compare --set PROMPTS`. Exit 77: skipped, with a sentence why.

SPECLENS_RELEASED=NAME,…   only heads of these repositories (default: those that fit the memory of this machine)
SPECLENS_RELEASED_PROMPTS=N   the first N of HumanEval's 164 (default 40; 0: all)
SPECLENS_RELEASED_FILES=FOLDER   another folder for what is fetched; HF_ENDPOINT, HF_TOKEN as Hugging Face's own programs take them"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

POINTS = 3  # percentage points that a place may lie beside the card
LENGTH = 0.15  # tokens per round, where a card has no places
MAX_TOKENS = 256
HUMANEVAL = "https://github.com/openai/human-eval/raw/master/data/HumanEval.jsonl.gz"
endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


class Unreachable(Exception):
    """What was to be fetched does not come; a sentence why."""


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def opened(repository, name, begin=0):
    request = urllib.request.Request(f"{endpoint}/{repository}/resolve/main/{name}")
    if os.environ.get("HF_TOKEN"):
        request.add_header("Authorization", "Bearer " + os.environ["HF_TOKEN"])
    if begin:
        request.add_header("Range", f"bytes={begin}-")
    return urllib.request.urlopen(request, timeout=60)


def fetched(repository, name, folder, needed=True):
    """The file in `folder`; None where the repository has none."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return path
    part = path + ".part"
    begin = os.path.getsize(part) if os.path.exists(part) else 0
    try:
        with opened(repository, name, begin) as answer, open(part, "ab" if answer.status == 206 else "wb") as out:
            shutil.copyfileobj(answer, out, 1 << 20)
    except urllib.error.HTTPError as error:
        if error.code == 404 and not needed:
            return None
        account = " (it asks for an account: set HF_TOKEN)" if error.code in (401, 403) else ""
        raise Unreachable(f"{repository}/{name}: HTTP {error.code}{account}") from error
    except (urllib.error.URLError, OSError) as error:
        raise Unreachable(f"{endpoint} cannot be reached: {error}") from error
    os.replace(part, path)
    return path


def checkpoint(repository, root):
    folder = os.path.join(root, repository.replace("/", "--"))
    os.makedirs(folder, exist_ok=True)
    fetched(repository, "config.json", folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"):
        fetched(repository, name, folder, needed=False)
    index = fetched(repository, "model.safetensors.index.json", folder, needed=False)
    shards = sorted(set(json.load(open(index))["weight_map"].values())) if index else ["model.safetensors"]
    for shard in shards:
        fetched(repository, shard, folder)
    return folder


def memory_gb():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def billions(name):
    """As repositories are called: Qwen3-1.7B, Llama-3.2-1B-Instruct."""
    return float(re.search(r"-([\d.]+)B\b", name).group(1))


def chosen(models):
    """(head, gigabytes of its target and it in bfloat16) of those that can be held against a card."""
    wanted = [name for name in os.environ.get("SPECLENS_RELEASED", "").split(",") if name]
    found = []
    for model in models:
        told = model.get("acceptance")
        if model["kind"] != "head" or not told or told["dataset"] != "HumanEval" or told.get("second_hand"):
            continue
        size = 2 * (billions(model["target"]) + (model["parameters"] or 5e8) / 1e9)
        if model["repository"] in wanted if wanted else size < 0.4 * memory_gb():
            found.append((model, size))
    return found


def card_against(row, told):
    """What differs, in words, and the table."""
    lines, wrong = [], []
    got = row["tokens_per_round"]
    lines.append(f"  tokens per round: card {told['tokens_per_round']}, here {got:.3f}")
    for place, card in enumerate(told.get("places", [])):
        here = row["acceptance_by_position"][place] if place < len(row["acceptance_by_position"]) else 0
        lines.append(f"  place {place + 1}: card {100 * card:.1f} %, here {100 * here:.1f} %")
        if abs(here - card) > POINTS / 100:
            wrong.append(f"place {place + 1} lies {100 * (here - card):+.1f} points beside the card")
    if not told.get("places") and abs(got - told["tokens_per_round"]) > LENGTH:
        wrong.append(f"{got:.3f} tokens per round where the card has {told['tokens_per_round']}")
    return wrong, lines


def measure(speclens, head, root):
    told = head["acceptance"]
    target, folder = checkpoint(head["target"], root), checkpoint(head["repository"], root)
    result = os.path.join(root, head["repository"].replace("/", "--") + ".json")
    count = int(os.environ.get("SPECLENS_RELEASED_PROMPTS", "40")) or 10**6
    prompts = os.path.join(root, "prompts.jsonl")
    with open(humaneval(root)) as all_of_them, open(prompts, "w") as some:
        for line in list(all_of_them)[:count]:  # as turns of a chat, which is how the cards were measured
            some.write(json.dumps({"prompt": json.loads(line)["prompt"], "domain": "HumanEval", "chat": True}) + "\n")
    command = [speclens, "compare", "--model", target, "--drafters", f"{head['drafter']}={folder}", "--set", prompts, "--k", str(told["k"]),
               "--temp", str(told["temperature"] or 0), "--max-tokens", str(MAX_TOKENS), "--repeats", "1", "--json", result]
    print("$", " ".join(command), flush=True)
    subprocess.run(command, check=True)
    rows = json.load(open(result))["rows"]
    return next(row for row in rows if row["drafter"] == head["drafter"] and row["domain"] == "all")


def humaneval(root):
    """HumanEval.jsonl of its authors."""
    path = os.path.join(root, "HumanEval.jsonl")
    if not os.path.exists(path):
        try:
            with urllib.request.urlopen(HUMANEVAL, timeout=60) as answer:
                text = gzip.decompress(answer.read())
        except (urllib.error.URLError, OSError) as error:
            raise Unreachable(f"{HUMANEVAL} cannot be reached: {error}") from error
        with open(path, "wb") as out:
            out.write(text)
    return path


def main():
    speclens, models, root = sys.argv[1], json.load(open(sys.argv[2]))["models"], sys.argv[3]
    root = os.environ.get("SPECLENS_RELEASED_FILES", root)
    heads = chosen(models)
    if not heads:
        skip("no head of the list has an acceptance on HumanEval from its maker and fits this machine")
    os.makedirs(root, exist_ok=True)
    measured, failed, why = 0, False, []
    for head, size in heads:
        free = shutil.disk_usage(root).free / 1e9
        try:
            if size > free:
                raise Unreachable(f"{head['repository']} takes {size:.1f} GB, and {free:.1f} are free")
            wrong, lines = card_against(measure(speclens, head, root), head["acceptance"])
        except Unreachable as error:
            print("left out:", error, flush=True)
            why.append(str(error))
            continue
        measured += 1
        print(head["repository"] + "\n" + "\n".join(lines), flush=True)
        for one in wrong:
            print("  DIFFERS:", one)
        failed = failed or bool(wrong)
    if not measured:
        skip("nothing could be fetched: " + why[0])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""Write prompts/heldout.jsonl: 20 prompts of the test split for each of six domains, with an expected substring where
the answer is determined.

    python prompts.py --out ../prompts/heldout.jsonl
"""
import argparse
import json
from pathlib import Path

from corpus.gen import make

GROUPS = {"facts": "facts", "math": "words", "code": "code", "json": "json", "chat": "chat", "robustness": "robustness"}


def row(label, d):
    """A document as a one-turn prompt, or None if it has more turns or is not a chat."""
    prompt = "".join(d.parts[:d.prompt_end])
    turns = prompt.split("<|im_start|>")[1:]
    roles = [t.split("\n", 1)[0] for t in turns]
    if roles not in (["user", "assistant"], ["system", "user", "assistant"]):
        return None
    content = {role: t.split("\n", 1)[1].replace("<|im_end|>\n", "") for role, t in zip(roles, turns)}
    out = {"domain": label, "prompt": content["user"], "chat": True}
    if "system" in content:
        out["system"] = content["system"]
    if d.expect and label != "code":
        out["expect"] = d.expect
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--each", type=int, default=20)
    args = parser.parse_args()
    lines, seen = [], set()
    for label, domain in GROUPS.items():
        index, found = 0, 0
        while found < args.each:
            d = make(args.seed, index, domain)
            index += 1
            r = row(label, d) if d.split == "test" else None
            if r and r["prompt"] not in seen:
                seen.add(r["prompt"])
                lines.append(json.dumps(r))
                found += 1
    args.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

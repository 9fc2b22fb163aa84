"""The target's hidden states, as `speclens states` writes them, laid out for the trainer: one block of the corpus at a time, 7.2 KB a token.

A part (docs/formats.md) becomes a shard: its states are moved and not copied, features_PART.npy (tokens, taps + 1, hidden); shard_PART.npz has ids, flags and the lengths of its
rows, best_PART.npy the likeliest next token wherever an answer's token follows, 0 elsewhere. train.py makes the block that it needs and removes others.
"""
import hashlib
import json
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from data import ANSWER, PROMPT
from qwen import corpus_file
from qwen.target import output_rows
from runs import digest, write, write_text

TAPS = (1, 11, 20)                   # EAGLE-3's rule for 24 layers: 1, L / 2 - 1, L - 4


class Corpus:
    def __init__(self, folder):
        self.paths = corpus_file.files(folder)
        if not self.paths:
            raise SystemExit(f"{folder}: has no 000.corpus: python -m qwen.clean writes it")
        self.blocks = [corpus_file.read(path) for path in self.paths]
        self.hashes = [digest(path) for path in self.paths]
        self.sha256 = self.hashes[0] if len(self.hashes) == 1 else hashlib.sha256("".join(self.hashes).encode()).hexdigest()
        self.fingerprint = self.blocks[0].header["fingerprint"]
        self.tokens = sum(block.header["tokens"] for block in self.blocks)

    def __len__(self):
        return sum(map(len, self.blocks))

    def answers(self):
        return (ids[before:] for block in self.blocks for ids, before in zip(block.ids, block.header["prompt"]))


def likeliest(states, wanted, rows):
    """The id whose row of `rows` (vocab, hidden) says most of the wanted ones of the final states (tokens, hidden; bits of bf16); 0 of the others. Where ids
    share the largest logit after its rounding to bf16, the sums in f32 decide."""
    best = np.zeros(len(states), np.int32)
    with torch.no_grad():
        for part in np.split(np.flatnonzero(wanted), range(512, int(wanted.sum()), 512)):
            final = torch.from_numpy(np.ascontiguousarray(states[part]).view(np.int16)).view(torch.bfloat16)
            logits = F.linear(final, rows)
            of, ids = (logits == logits.amax(-1, keepdim=True)).nonzero(as_tuple=True)
            order = np.lexsort(((final[of].float() * rows[ids].float()).sum(-1).numpy(), of.numpy()))
            best[part[of.numpy()[order]]] = ids.numpy()[order]                    # the last of equal places stays
    return best


def shard(raw, folder, name, row, rows):
    """The part `name` as the trainer reads it. A stop in between loses nothing."""
    part, features = raw / f"{name}.states.npy", folder / f"features_{name}.npy"
    ids, texts = np.load(raw / f"{name}.ids.npy"), np.load(raw / f"{name}.texts.npy")
    if part.exists():
        part.replace(features)
    lengths = [min(row, int(n) - start) for n in texts.sum(1) for start in range(0, int(n), row)]
    flags = np.concatenate([np.repeat(np.array([PROMPT, ANSWER], np.uint8), text) for text in texts])
    write(folder / f"shard_{name}.npz", lambda p: np.savez(p, ids=ids, flags=flags, lengths=np.array(lengths, np.int32)))
    before_answer = np.append(flags[1:] == ANSWER, False)
    best = likeliest(np.load(features, mmap_mode="r")[:, -1], before_answer, rows)
    write(folder / f"best_{name}.npy", lambda p: np.save(p, best))


def ensure(args, corpus, block):
    """The folder of a block's states; made if it is not whole, and all but --keep-blocks - 1 of the others removed first."""
    folder = args.work / "states" / f"block_{block:03d}"
    meta = {"target_sha256": digest(args.target), "block_sha256": corpus.hashes[block], "taps": list(args.taps), "row": args.row, "loaded": args.loaded}
    done = folder / "meta.json"
    if done.exists() and json.loads(done.read_text()) == meta:
        return folder
    begun = folder / "begun.json"
    if folder.exists() and (done.exists() or not begun.exists() or json.loads(begun.read_text()) != meta):
        print(f"{folder} is of another target, corpus or layout: made anew", flush=True)
        shutil.rmtree(folder)
    others = sorted((p for p in folder.parent.glob("block_*") if p != folder), key=lambda p: p.stat().st_mtime)
    for old in others[:max(0, len(others) - args.keep_blocks + 1)]:
        shutil.rmtree(old)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(begun, json.dumps(meta) + "\n")
    raw, written = folder / "raw", folder / "written"
    rows, layers = output_rows(args.target)
    if not written.exists():
        subprocess.run([str(args.speclens), "states", str(corpus.paths[block]), "--model", str(args.target), *shlex.split(args.loaded),
                        "--taps", ",".join(map(str, (*args.taps, layers))), "-o", str(raw)], check=True)
        written.touch()
    for told in sorted(raw.glob("*.json")):
        if not (folder / f"best_{told.stem}.npy").exists():
            shard(raw, folder, told.stem, args.row, rows)
    write_text(done, json.dumps(meta) + "\n")
    return folder


def options(parser):
    parser.add_argument("--speclens", type=Path, default=Path("../../build/speclens"), help="the program that makes the states")
    parser.add_argument("--loaded", default="", help="options of the program that say how it loads the model: '--weights keep --threads 2'")

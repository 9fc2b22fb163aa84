"""Distil the target into the small draft model, on text that the target itself writes.

    python distill.py sample --target ../models/target --work ../../build/recipe --tokens 400000
    python distill.py train  --target ../models/target --work ../../build/recipe --minutes 8

sample: prompts of the corpus, answers drawn from the target (70 % at T = 0.7-1.0, 30 % greedy), stored as a shard.
train:  starts from WORK/small/final.pt; loss 0.5 cross-entropy + 0.5 KL(target || small) at answer tokens, half of the
steps on sampled text and half on corpus text; writes WORK/small/distilled.pt.
"""
import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from corpus.gen import stream
from data import ANSWER, PROMPT, batches, encode
from decode import generate
from export import load
from model import PRESETS, Qwen3, document_bias
from optim import Optimiser
from train import tensors


def prompts(tok, seed):
    """Token prefixes: a chat prompt up to its answer, or the first half of a raw text."""
    for d in stream(seed):
        ids, _ = encode(tok, d)
        head = "".join(d.parts[:d.prompt_end])
        cut = len(tok.encode(head).ids) if head else max(1, len(ids) // 2)
        yield ids[:cut].tolist()


def sample(args, tok):
    target = load(args.target)
    stops = {tok.token_to_id("<|im_end|>"), tok.token_to_id("<|endoftext|>")}
    ids, flags, lengths, count, source = [], [], [], 0, prompts(tok, args.seed + 500)
    for round_number in itertools.count():
        temperature = (0.7, 1.0, 0.85, 0.0, 1.0, 0.7, 0.85, 0.0, 0.8, 0.0)[round_number % 10]
        heads = list(itertools.islice(source, 1500))
        for head, tail in zip(heads, generate(target, heads, stops, 120, temperature, seed=round_number, batch=256)):
            ids.append(np.array(head + tail, np.uint16))
            flags.append(np.array([PROMPT] * len(head) + [ANSWER] * len(tail), np.uint8))
            lengths.append(len(head) + len(tail))
            count += len(tail)
        print(f"round {round_number}: {count} answer tokens", flush=True)
        if count >= args.tokens:
            break
    folder = args.work / "samples"
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "shard_000.npz", ids=np.concatenate(ids), flags=np.concatenate(flags),
             lengths=np.array(lengths, np.int32), nll=np.zeros(len(lengths), np.float32))


def endless(paths, rng):
    while True:
        for path in paths:
            yield from batches(dict(np.load(path)), rng)


def train(args):
    teacher = load(args.target).to(args.device)
    saved = torch.load(args.work / "small" / "final.pt", map_location=args.device)
    student = Qwen3(PRESETS["small"]).to(args.device)
    student.load_state_dict(saved["model"])
    optimiser = Optimiser(student, muon_lr=0.01, embed_lr=1.5e-3, norm_lr=5e-4)

    def compute(ids, segments, flags):
        with torch.autocast(args.device, torch.bfloat16):
            with torch.no_grad():
                p = F.log_softmax(teacher(ids, biases(teacher, segments))[:, :-1].float(), -1)
            q = F.log_softmax(student(ids, biases(student, segments))[:, :-1].float(), -1)
        weight = ((segments[:, 1:] == segments[:, :-1]) & (segments[:, 1:] > 0)).float()
        weight = weight * ((flags[:, 1:] == ANSWER).float() + 0.1 * (flags[:, 1:] == PROMPT).float())
        ce = -q.gather(-1, ids[:, 1:, None])[..., 0]
        kl = (p.exp() * (p - q)).sum(-1)
        agree = (p.argmax(-1) == q.argmax(-1)).float()
        total = weight.sum()
        return ((0.5 * ce + 0.5 * kl) * weight).sum(), total, (kl * weight).sum() / total, (agree * weight).sum() / total

    def biases(model, segments):
        c = model.config
        return document_bias(segments, c.num_attention_heads, c.num_key_value_heads, torch.bfloat16)

    if args.compile:
        compute = torch.compile(compute, dynamic=False)
    rng = np.random.default_rng(args.seed)
    own = endless(sorted((args.work / "samples").glob("shard_*.npz")), rng)
    text = endless(sorted(args.work.glob("shard_*.npz"))[-2:], rng)
    started, step = time.time(), 0
    while True:
        progress = step / args.steps if args.steps else (time.time() - started) / (60 * args.minutes)
        if progress >= 1:
            break
        for group in next(own if step % 2 == 0 else text):
            loss, count, kl, agree = compute(*tensors(group, args.device))
            (loss / count).backward()
        optimiser.step(min(1.0, (step + 1) / 30) * (1 - progress))
        step += 1
        if step % 20 == 0:
            print(json.dumps(dict(step=step, seconds=round(time.time() - started), loss=round(float(loss.detach() / count), 4),
                                  kl=round(float(kl), 4), same_argmax=round(float(agree), 4))), flush=True)
    torch.save({"model": student.state_dict(), "state": {**saved["state"], "distill_steps": step}, "config": saved["config"]},
               args.work / "small" / "distilled.pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["sample", "train"])
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--tokens", type=int, default=400_000)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    if args.what == "sample":
        sample(args, Tokenizer.from_file(str(args.target / "tokenizer.json")))
    else:
        train(args)

"""Distil the target into the small draft model, on text that the target itself writes.

    python distill.py --target ../models/target --work ../../build/recipe --minutes 8

Starts from WORK/small/final.pt and the samples of sample_target.py; loss 0.5 cross-entropy + 0.5 KL(target || small) at
answer tokens, half of the steps on sampled text and half on corpus text; writes WORK/small/distilled.pt.
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from data import ANSWER, COPIED, PROMPT, batches
from export import load
from model import PRESETS, Qwen3, document_bias
from optim import Optimiser
from train import tensors


def endless(paths, rng, folder):
    if not paths:
        raise SystemExit(f"no shards in {folder}: distillation reads the last two of the corpus (data.py) and the text of the target (sample_target.py)")
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
        weight = weight * (((flags[:, 1:] == ANSWER) | (flags[:, 1:] == COPIED)).float() + 0.1 * (flags[:, 1:] == PROMPT).float())
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
    own = endless(sorted((args.work / "samples").glob("shard_*.npz")), rng, args.work / "samples")
    text = endless(sorted(args.work.glob("shard_*.npz"))[-2:], rng, args.work)
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
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    train(args)

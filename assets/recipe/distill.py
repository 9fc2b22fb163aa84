"""Distil the target into the small draft model, on text that the target itself writes.

    python distill.py --target ../models/target --work ../../build/recipe --minutes 8

Starts from WORK/PRESET/final.pt (small, or small-m of bundle M) and the samples of sample_target.py; loss 0.5 cross-entropy +
0.5 KL(target || small) at answer tokens, a tenth of that at tokens of prompts, half of the steps on sampled text and half on
corpus text; writes WORK/PRESET/distilled.pt. It is short and does not resume.
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
from runs import write
from sample_target import target_hash
from train import tensors


def endless(paths, rng, folder):
    if not paths:
        raise SystemExit(f"no shards in {folder}: distillation reads the last two of the corpus (data.py) and the text of the target (sample_target.py)")
    while True:
        yielded = False
        for path in paths:
            for batch in batches(dict(np.load(path)), rng):
                yielded = True
                yield batch
        if not yielded:
            raise SystemExit(f"no shard in {folder} is large enough for one step: more --tokens")


def train(args):
    folder, samples = args.work / args.preset, args.work / "samples"
    if not (folder / "final.pt").exists():
        raise SystemExit(f"{folder / 'final.pt'} is missing: train it first (train.py --preset {args.preset})")
    if (samples / "meta.json").exists() and json.loads((samples / "meta.json").read_text())["target_sha256"] != target_hash(args.target):
        raise SystemExit(f"{samples} was written by another target than {args.target}")
    teacher = load(args.target).to(args.device).requires_grad_(False)
    saved = torch.load(folder / "final.pt", map_location=args.device)
    student = Qwen3(PRESETS[args.preset]).to(args.device)
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
        return ((0.5 * ce + 0.5 * kl) * weight).sum(), total, (kl.detach() * weight).sum() / total, (agree * weight).sum() / total

    def biases(model, segments):
        c = model.config
        return document_bias(segments, c.num_attention_heads, c.num_key_value_heads, torch.bfloat16)

    if args.compile:
        compute = torch.compile(compute, dynamic=False)
    rng = np.random.default_rng(args.seed)
    own = endless(sorted(samples.glob("shard_*.npz")), rng, samples)
    text = endless(sorted(args.work.glob("shard_*.npz"))[-2:], rng, args.work)
    clock = time.time if args.device == "cuda" else time.process_time
    started, step = clock(), 0
    while True:
        progress = step / args.steps if args.steps else (clock() - started) / (60 * args.minutes)
        if progress >= 1:
            break
        for group in next(own if step % 2 == 0 else text):
            loss, count, kl, agree = compute(*tensors(group, args.device))
            (loss / count).backward()
        optimiser.step(min(1.0, (step + 1) / 30) * (1 - progress))
        step += 1
        if step % 20 == 0:
            print(json.dumps(dict(step=step, seconds=round(clock() - started), loss=round(float(loss.detach() / count), 4),
                                  kl=round(float(kl), 4), same_argmax=round(float(agree), 4))), flush=True)
    whole = {"model": student.state_dict(), "state": {**saved["state"], "distill_steps": step}, "config": saved["config"],
             "args": saved.get("args", {})}
    write(folder / "distilled.pt", lambda part: torch.save(whole, part))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--preset", default="small", choices=list(PRESETS), help="the model that learns")
    parser.add_argument("--minutes", type=float, default=8, help="of the clock on a GPU, of the processor on a CPU")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    train(args)

"""Pre-train the target or the small model on the shards that data.py writes.

    python train.py --preset target --work ../../build/recipe --minutes 85

Warm-up, constant, linear decay to zero over the last quarter, all by the clock (on a CPU: by processor time), so that a run of any length ends with
a usable model.  Writes WORK/NAME/latest.pt (everything needed to resume, every few minutes), stable.pt (just before
the decay: start here for a longer run) and final.pt; NAME is the preset unless given.  Stop it at any time; the same command
resumes, and goes on when it is given more time; with other settings it is refused.
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from data import ANSWER, COPIED, PROMPT, SKIPPED, batches
from export import load
from model import PRESETS, Qwen3, document_bias
from optim import Optimiser
from runs import curve_to, left, same_run, settings, write

COPY_WEIGHT = 5.0


def loss_sum(model, ids, segments, flags, prompt_weight):
    """Weighted next-token loss summed over the batch, and the plain loss and count over answer tokens.

    A call of a tool and words to repeat weigh COPY_WEIGHT times as much as other answers: one wrong key makes a call useless,
    and their few uncertain tokens would drown in the noise of the chats."""
    c = model.config
    bias = document_bias(segments, c.num_attention_heads, c.num_key_value_heads, torch.bfloat16)
    logits = model(ids, bias)
    same = (segments[:, 1:] == segments[:, :-1]) & (segments[:, 1:] > 0)
    copied = (same & (flags[:, 1:] == COPIED)).float()
    answer = (same & (flags[:, 1:] == ANSWER)).float() + copied
    prompt = (same & (flags[:, 1:] == PROMPT)).float()
    losses = F.cross_entropy(logits[:, :-1].float().reshape(-1, c.vocab_size), ids[:, 1:].reshape(-1), reduction="none")
    losses = losses.view_as(answer)
    weight = answer + (COPY_WEIGHT - 1) * copied + prompt_weight * prompt
    return ((losses * weight).sum(), weight.sum(),
            (losses * answer).sum().detach(), answer.sum())


def tensors(group, device):
    ids, segments, flags = group
    return (torch.from_numpy(ids).to(device), torch.from_numpy(segments.astype(np.int64)).to(device),
            torch.from_numpy(flags.astype(np.int64)).to(device))


def shard_stream(work, start, rng):
    """Batches from every shard in turn; a shard that appears later is picked up; after the last one, start again."""
    number, idle = start, 0
    while True:
        paths = sorted(work.glob("shard_*.npz"))
        if not paths:
            raise SystemExit(f"no shards in {work}: write them with data.py first")
        shard = dict(np.load(paths[number % len(paths)]))
        idle += 1
        for batch in batches(shard, rng):
            idle = 0
            yield number, batch
        if idle >= len(paths):
            raise SystemExit(f"no shard in {work} is large enough for one step: more --tokens for data.py")
        number += 1


def start_from(path, model, optimiser, device):
    """Weights of an exported folder, or of a checkpoint with its optimiser if it has one (stable.pt, latest.pt).

    Returns what is known of the training before: steps and tokens, those of still earlier runs included.
    """
    if path.is_dir():
        model.load_state_dict(load(path).state_dict())
        return {}
    saved = torch.load(path, map_location=device)
    model.load_state_dict(saved["model"])
    if "optimiser" in saved:
        optimiser.load(saved["optimiser"])
    earlier = saved["state"].get("before", {})
    return {key: saved["state"][key] + earlier.get(key, 0) for key in ("step", "tokens")}


def merged(stream, count):
    """Joins `count` batches into one: groups of the same row length are stacked."""
    waiting = []
    for shard, batch in stream:
        waiting.append(batch)
        if len(waiting) < count:
            continue
        groups = {}
        for group in (g for b in waiting for g in b):
            groups.setdefault(group[0].shape[1], []).append(group)
        yield shard, [tuple(np.concatenate(parts) for parts in zip(*same)) for same in groups.values()]
        waiting = []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--preset", default="target", choices=list(PRESETS))
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--name", help="folder under --work; the preset by default")
    parser.add_argument("--minutes", type=float, default=85, help="length of the whole run, across resumes: of the clock on a GPU; of the processor on a CPU, so that other work does not shorten it")
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps instead (rehearsal)")
    parser.add_argument("--decay", type=float, default=0.25, help="last share of the run in which the rate falls to 0")
    parser.add_argument("--rate", type=float, default=1.0, help="factor of the learning rates; below 1 a finished model forgets less while it learns more")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-shard", type=int, default=0)
    parser.add_argument("--merge", type=int, default=1, help="batches of the shards per step; 8 or more keep a GPU busy")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--init", type=Path, help="start a new run from an earlier one: its stable.pt, or an exported folder")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    out = args.work / (args.name or args.preset)
    out.mkdir(parents=True, exist_ok=True)
    model = Qwen3(PRESETS[args.preset]).to(args.device)
    optimiser = Optimiser(model)
    state = {"step": 0, "tokens": 0, "seconds": 0.0, "shard": args.first_shard, "stable_saved": False}
    if (out / "latest.pt").exists():
        saved = torch.load(out / "latest.pt", map_location=args.device)
        same_run(saved.get("args", {}), settings(args), out, "--name NAME")
        model.load_state_dict(saved["model"])
        optimiser.load(saved["optimiser"])
        state = saved["state"]
        print("resumed at", state, flush=True)
    elif args.init:
        state["before"] = start_from(args.init, model, optimiser, args.device)
        print("started from", args.init, state["before"], flush=True)

    def compute(ids, segments, flags, prompt_weight):
        with torch.autocast(args.device, torch.bfloat16):
            return loss_sum(model, ids, segments, flags, prompt_weight)

    if args.compile:
        compute = torch.compile(compute, dynamic=False)
    weight = {w: torch.tensor(w, device=args.device) for w in (0.5, 0.2)}

    def save(name, with_optimiser=True):
        content = {"model": model.state_dict(), "state": state, "config": model.config.to_dict(), "args": settings(args)}
        if with_optimiser:
            content["optimiser"] = optimiser.state()
        write(out / name, lambda part: torch.save(content, part))

    total, curve = args.minutes * 60, curve_to(out / "curve.jsonl", state["step"])
    rng = np.random.default_rng([args.seed, state["step"]])
    clock = time.time if args.device == "cuda" else time.process_time
    started, before, last_save = clock(), state["seconds"], time.time()
    window, window_start = [0.0, 0.0], (clock(), state["tokens"])
    began = state["step"]
    for state["shard"], batch in merged(shard_stream(args.work, state["shard"], rng), args.merge):
        state["seconds"] = before + clock() - started
        progress = state["step"] / args.steps if args.steps else state["seconds"] / total
        if progress >= 1:
            break
        if progress <= 1 - args.decay:
            state["stable_saved"] = False            # also after a finished run has been given more time
        elif not state["stable_saved"]:
            state["stable_saved"] = True
            save("stable.pt")
        factor = args.rate * min(1.0, (state["step"] + 1) / 60, (1 - progress) / args.decay)
        prompt_weight = weight[0.5 if progress < 0.6 else 0.2]
        parts = [compute(*tensors(group, args.device), prompt_weight) for group in batch[:1]]
        count = sum(((g[2][:, 1:] != SKIPPED) & (g[1][:, 1:] == g[1][:, :-1])).sum() for g in batch)
        (parts[0][0] / count).backward()
        for group in batch[1:]:
            parts.append(compute(*tensors(group, args.device), prompt_weight))
            (parts[-1][0] / count).backward()
        norm = optimiser.step(factor)
        state["step"] += 1
        state["tokens"] += int(sum((group[1] > 0).sum() for group in batch))
        window[0] += sum(float(p[2]) for p in parts)
        window[1] += sum(float(p[3]) for p in parts)
        if state["step"] % 20 == 0:
            speed = (state["tokens"] - window_start[1]) / (clock() - window_start[0])
            row = dict(step=state["step"], tokens=state["tokens"], seconds=round(state["seconds"], 1),
                       answer_loss=round(window[0] / window[1], 4), norm=round(norm, 3), rate=round(factor, 3), speed=round(speed))
            print(json.dumps(row), flush=True)
            curve.write(json.dumps(row) + "\n")
            curve.flush()
            window, window_start = [0.0, 0.0], (clock(), state["tokens"])
        if time.time() - last_save > 150:
            save("latest.pt")
            last_save = time.time()
    if state["step"] == began:
        left(progress, state, args)
    save("latest.pt")
    save("final.pt", with_optimiser=False)
    print("done", state, flush=True)


if __name__ == "__main__":
    main()

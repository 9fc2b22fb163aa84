"""Train one drafter on the text and the hidden states that sample_target.py stored.

    python train_drafter.py --method domino --target ../models/target --work ../../build/recipe --minutes 45

Muon for the hidden matrices, AdamW for heads, embeddings and norms; warm-up 4 %, cosine to zero by time (--minutes, counted
as train.py does) or by --steps.  Writes WORK/NAME/latest.pt every few minutes (the same command resumes; with other settings, another
target or another text it is refused), curve.jsonl, and at the end the export WORK/NAME/export/ with official tensor names, which
evaluate_drafter.py and the app read.  NAME is the method unless given.
"""
import argparse
import dataclasses
import json
import math
import time
from pathlib import Path

import numpy as np
import torch

from data import ANSWER, pack
from drafters import (CLASSES, DFlash, DFlash2, Domino, block_config, dart_config, dflash2_config, domino_config, dspark_config, eagle3_config, load_drafter, medusa_config, mtp_config,
                      save_drafter)
from export import load
from optim import Muon, Optimiser
from runs import curve_to, left, same_run, settings, write
from sample_target import ROW, target_hash


@dataclasses.dataclass
class Batch:
    ids: torch.Tensor          # (B, T)
    segments: torch.Tensor     # (B, T), 0 = padding
    flags: torch.Tensor        # (B, T)
    features: torch.Tensor     # (B, T, m * hidden)
    hidden: torch.Tensor       # (B, T, hidden), after the final norm
    best: torch.Tensor         # (B, T), the target's most likely next token


@dataclasses.dataclass
class Options:
    """What the losses read besides the batch."""
    anchors: int
    decay: float
    dpace: bool
    self_generated: bool
    test_steps: int
    base_rho: float            # share of the run in which the base loss fades; 0 = plain teacher forcing
    generator: torch.Generator
    progress: float = 0.0
    measure: bool = False
    target_distribution: bool = False   # block drafters: learn the target's distribution at every place instead of the token that was drawn there

    def base_share(self, progress):
        return max(0.0, 1 - progress / self.base_rho) if self.base_rho else 0.0


class Samples:
    """Shards of samples with their features; rows of `row` tokens, documents shuffled anew in every epoch."""

    def __init__(self, folder, hidden, taps, wanted, device, row=ROW, dtype=torch.bfloat16):
        self.row, self.dtype = row, dtype                                                    # dtype: of the states that batches hold
        self.paths = sorted(folder.glob("shard_*.npz"))
        if not self.paths:
            raise SystemExit(f"{folder}: no text of the target; run sample_target.py first")
        for path in (self.feature_path(p, kind) for p in self.paths for kind in ("features", "best")):
            if not path.exists():
                raise SystemExit(f"{path} is missing: sample_target.py was stopped or told --no-features; give its command again without it")
        stored = stored_taps(folder)
        for tap in wanted:
            if tap not in stored:
                raise SystemExit(f"--taps {tap}: {folder} holds the states after the layers {', '.join(map(str, stored))} only")
        self.columns = np.concatenate([np.arange(stored.index(t) * hidden, (stored.index(t) + 1) * hidden) for t in wanted]) if wanted else None
        if wanted == stored:
            self.columns = slice(0, len(stored) * hidden)
        self.hidden, self.state, self.device = hidden, slice(len(stored) * hidden, None), device

    def feature_path(self, path, kind="features"):
        return path.with_name(path.name.replace("shard_", kind + "_").replace(".npz", ".npy"))

    def count(self):
        return sum(int(np.load(p)["lengths"].sum()) for p in self.paths)

    def batches(self, rows, rng):
        while True:
            yielded = False
            for batch in self.epoch(rows, rng):
                yielded = True
                yield batch
            if not yielded:
                raise SystemExit(f"no shard fills {rows} rows of {self.row} tokens: a smaller --micro, or larger shards (sample_target.py --shard-tokens)")

    def epoch(self, rows, rng):
        """Every shard once, in micro-batches of `rows` rows; what does not fill a last one is left out."""
        for path in (self.paths[i] for i in rng.permutation(len(self.paths))):
            shard = dict(np.load(path))
            features = np.load(self.feature_path(path), mmap_mode="r")
            best = np.load(self.feature_path(path, "best"))
            flat = dict(shard, ids=np.arange(len(shard["ids"])))
            where, segments, flags = pack(flat, self.row, np.arange(len(shard["lengths"])), rng)
            for at in range(0, len(where) - rows + 1, rows):
                w = where[at:at + rows]
                stored = torch.from_numpy(features[w].reshape(*w.shape, -1).view(np.int16)).view(torch.bfloat16).to(self.device, self.dtype)

                def integers(x):
                    return torch.from_numpy(np.ascontiguousarray(x).astype(np.int64)).to(self.device)

                yield Batch(integers(shard["ids"][w]), integers(segments[at:at + rows]), integers(flags[at:at + rows]),
                            stored[..., self.columns] if self.columns is not None else None, stored[..., self.state], integers(best[w]))


def stored_taps(folder):
    return json.loads((folder / "meta.json").read_text())["taps"]


OF_TOKENS = ("embed_tokens", "markov", "confidence", "codebook")


class HeadOptimiser(Optimiser):
    """Muon for matrices between hidden states, AdamW for everything that touches tokens, for vectors and for the taps of a convolution."""

    def __init__(self, model, muon_lr, adam_lr, clip, dtype=torch.bfloat16):
        learned = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        adam = [(n, p) for n, p in learned
                if p.dim() != 2 or n in ("lm_head.weight", "embed_proj.2.weight", "mask_embedding") or any(part in n for part in OF_TOKENS)]
        names = {n for n, _ in adam}
        self.muon = Muon([p for n, p in learned if n not in names], weight_decay=0.0, dtype=dtype)
        self.adam = torch.optim.AdamW([dict(params=[p for _, p in adam], lr=adam_lr, base=adam_lr)], betas=(0.9, 0.95), weight_decay=0.0)
        self.muon_lr, self.clip = muon_lr, clip
        self.parameters = [p for _, p in learned]


def frequent_ids(paths, size, vocab, forced):
    """The `size` most frequent answer tokens (ties to the lower id), with the forced ones among them."""
    counts = np.zeros(vocab, np.int64)
    for path in paths:
        shard = np.load(path)
        counts += np.bincount(shard["ids"][shard["flags"] == ANSWER], minlength=vocab)
    counts[list(forced)] = counts.max() + 1
    return np.argsort(-counts, kind="stable")[:size], counts


def build(args, target, paths, ids):
    mask = ids["<|mask|>"]
    if args.method in ("eagle3", "dart"):
        common = (target, args.taps, args.draft_vocab, ids["<|im_end|>"], ids["<|endoftext|>"])
        drafter = CLASSES[args.method](eagle3_config(*common) if args.method == "eagle3" else dart_config(*common, args.ahead))
        frequent, _ = frequent_ids(paths, args.draft_vocab, target.config.vocab_size, {ids["<|im_end|>"], ids["<|endoftext|>"]})
        drafter.set_vocabulary(frequent.tolist())
    elif args.method == "medusa":
        drafter = CLASSES["medusa"](medusa_config(target, args.heads))
    elif args.method == "mtp":
        drafter = CLASSES["mtp"](mtp_config(target))
    else:
        common = (target, args.taps, mask, args.layers, args.block)
        config = {"dflash": lambda: block_config(*common),
                  "dflash2": lambda: dflash2_config(*common, args.rank, args.candidates),
                  "domino": lambda: domino_config(*common, args.gru, args.rank, args.prefix, args.shift_label),
                  "dspark": lambda: dspark_config(*common, args.rank)}[args.method]()
        if args.conditioning != "features":
            config["dflash_config"]["conditioning"] = args.conditioning
        drafter = CLASSES[args.method](config)
    drafter.start(target)
    return drafter


def adopt(drafter, folder):
    """Starts from an exported head of the same method and shape; Domino and DFlash 2 also from a DFlash head, whose backbone they take."""
    first = load_drafter(folder)
    if type(first) is not type(drafter) and not (type(drafter) in (Domino, DFlash2) and type(first) is DFlash):
        raise SystemExit(f"--init {folder} holds a head of another method")
    try:
        drafter.adopt(first) if hasattr(drafter, "adopt") else drafter.load_state_dict(first.state_dict())
    except RuntimeError as problem:
        raise SystemExit(f"--init {folder} has another shape: {str(problem).splitlines()[-1].strip()}") from None


def arguments(methods=tuple(CLASSES), more=lambda parser: None):
    """more(parser): options beside these, or other defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", required=True, choices=methods)
    parser.add_argument("--name", help="folder under --work; the method by default")
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--minutes", type=float, default=30, help="length of the whole run, across resumes: of the clock on a GPU, of the processor on a CPU")
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps instead")
    parser.add_argument("--rows", type=int, default=16, help=f"rows of {ROW} tokens per step")
    parser.add_argument("--micro", type=int, default=4, help="rows per forward pass; the rest is accumulated")
    parser.add_argument("--muon", type=float, default=0.01)
    parser.add_argument("--adam", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--init", type=Path, help="an exported folder to start from; of EAGLE-3 and DART also with fewer ids")
    parser.add_argument("--autocast", action=argparse.BooleanOptionalAction, default=True,
                        help="products in bf16; without it in f32, quicker on a processor that has no instructions for bf16")
    parser.add_argument("--log-every", type=int, default=20)
    parser.add_argument("--taps", type=int, nargs="*", help="those of the stored states by default")
    group = parser.add_argument_group("block drafters")
    group.add_argument("--block", type=int, default=16)
    group.add_argument("--layers", type=int, default=2)
    group.add_argument("--anchors", type=int, default=16, help="per row")
    group.add_argument("--decay", type=float, default=7.0, help="g of the weights exp(-(k-1)/g); 0 = all equal")
    group.add_argument("--dpace", action="store_true", help="D-PACE weights instead (dflash, dflash2, domino, dspark)")
    group.add_argument("--target-distribution", "--target-law", action=argparse.BooleanOptionalAction, default=False,
                       help="learn the target's distribution at every place (dflash, domino) instead of the token that the text has there")
    group.add_argument("--conditioning", default="features", choices=["features", "none", "embeddings"], help="ablation")
    group = parser.add_argument_group("Domino, DSpark and DFlash 2")
    group.add_argument("--gru", type=int, default=96)
    group.add_argument("--rank", type=int, default=48)
    group.add_argument("--candidates", type=int, default=12, help="DFlash 2: ids that the selector chooses among; llama.cpp wants a hidden size of N(N + 1)")
    group.add_argument("--selector-alone", action="store_true", help="DFlash 2: what --init brings stays as it is, its convolutions pass through; less than half of the time")
    group.add_argument("--prefix", type=int, default=1)
    group.add_argument("--shift-label", action=argparse.BooleanOptionalAction, default=True)
    group.add_argument("--base-rho", type=float, default=1.0, help="curriculum length as a share of the run; 0 = teacher forcing alone")
    group.add_argument("--self-generated", action="store_true", help="ablation: the head's own tokens as prefixes")
    group = parser.add_argument_group("EAGLE-3, DART, MTP and Medusa")
    group.add_argument("--test-steps", type=int, default=7, help="training-time test steps: as many as drafts will be served")
    group.add_argument("--draft-vocab", type=int, default=1536)
    group.add_argument("--ahead", type=int, default=7, help="DART: masks behind the newest column")
    group.add_argument("--heads", type=int, default=4)
    more(parser)
    args = parser.parse_args()
    if args.dpace and args.method not in ("dflash", "dflash2", "domino", "dspark"):
        parser.error(f"--dpace weighs the places of a block: it does nothing for {args.method}")
    if args.selector_alone and (args.method != "dflash2" or args.init is None):
        parser.error("--selector-alone is for dflash2 with --init: the block of the head that it names stays")
    if args.micro < 1 or args.rows < 1 or args.rows % args.micro:
        parser.error(f"--rows {args.rows} is no multiple of --micro {args.micro}")
    return args


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    out, text = args.work / (args.name or args.method), args.work / "samples"
    out.mkdir(parents=True, exist_ok=True)
    if not (text / "meta.json").exists():
        raise SystemExit(f"{text}: no text of the target; run sample_target.py first")
    target = load(args.target).to(args.device)
    stored = json.loads((text / "meta.json").read_text())
    if stored["target_sha256"] != target_hash(args.target):
        raise SystemExit(f"{text} was captured from another target than {args.target}")
    if args.taps is None:
        args.taps = stored["taps"]
    tokens = json.loads((args.target / "tokenizer.json").read_text())["added_tokens"]
    taps = [] if args.method in ("medusa", "mtp") else args.taps
    dtype = torch.bfloat16 if args.autocast else torch.float32
    samples = Samples(text, target.config.hidden_size, taps, taps, args.device, dtype=dtype)
    chosen = settings(args, target_sha256=stored["target_sha256"], text_seed=stored["seed"], text_tokens=samples.count())
    latest = out / "latest.pt"
    saved = torch.load(latest, map_location=args.device) if latest.exists() else None
    if saved:
        same_run(saved["args"], chosen, out, "--name NAME")
    drafter = build(args, target, samples.paths, {t["content"]: t["id"] for t in tokens})
    if args.init and not saved:
        adopt(drafter, args.init)
    if args.selector_alone:
        drafter.requires_grad_(False).candidate_selector.requires_grad_()
    drafter.to(args.device)
    table = target.model.embed_tokens.weight.detach()
    optimiser = HeadOptimiser(drafter, args.muon, args.adam, 0.5 if args.method == "eagle3" else 1.0, dtype)
    state = {"step": 0, "positions": 0, "seconds": 0.0, "epoch_tokens": chosen["text_tokens"]}
    if saved:
        drafter.load_state_dict(saved["drafter"])
        optimiser.load(saved["optimiser"])
        state = saved["state"]
        print("resumed at", state, flush=True)
    fit(args, drafter, optimiser, state, lambda rng: samples.batches(args.micro, rng), table, chosen, out)


def fit(args, drafter, optimiser, state, batches, table, chosen, out, finish=lambda: None):
    """The run itself, from `state` to --steps or --minutes: checkpoints and a curve in `out`, at the end the export.
    batches(rng): micro-batches without end; table: the target's embedding and output rows (vocab, hidden); finish(): what the
    weights need between the last checkpoint and the export."""
    latest = out / "latest.pt"
    options = Options(args.anchors, args.decay, args.dpace, args.self_generated, args.test_steps, args.base_rho,
                      torch.Generator().manual_seed(args.seed * 7919 + state["step"]), target_distribution=args.target_distribution)
    rng = np.random.default_rng([args.seed, state["step"]])

    def save():
        whole = {"drafter": drafter.state_dict(), "optimiser": optimiser.state(), "state": state, "config": drafter.config, "args": chosen}
        write(latest, lambda part: torch.save(whole, part))

    curve = curve_to(out / "curve.jsonl", state["step"])
    clock = time.time if args.device == "cuda" else time.process_time
    started, before, last_save = clock(), state["seconds"], time.time()
    mark = (time.process_time(), state["positions"])
    stream = batches(rng)
    began = state["step"]
    while True:
        state["seconds"] = before + clock() - started
        progress = state["step"] / args.steps if args.steps else state["seconds"] / (60 * args.minutes)
        if progress >= 1:
            break
        options.progress = progress
        options.measure = (state["step"] + 1) % args.log_every == 0
        sums, parts = {}, args.rows // args.micro
        for _ in range(parts):
            batch = next(stream)
            with torch.autocast(args.device, torch.bfloat16, enabled=args.autocast):
                loss, logs = drafter.loss(batch, table, options)
            (loss / parts).backward()
            for key, value in logs.items():
                sums[key] = sums.get(key, 0.0) + float(value.detach()) / parts
            state["positions"] += int((batch.segments > 0).sum())
        warm = min(1.0, progress / 0.04 if progress else 1 / 50)
        norm = optimiser.step(warm * 0.5 * (1 + math.cos(math.pi * progress)))
        state["step"] += 1
        if options.measure:
            speed = (state["positions"] - mark[1]) / (time.process_time() - mark[0])       # a second of processor, not of clock
            row = dict(step=state["step"], positions=state["positions"], seconds=round(state["seconds"], 1),
                       **{k: round(v, 4) for k, v in sums.items()}, norm=round(norm, 3), per_cpu_second=round(speed))
            print(json.dumps(row), flush=True)
            curve.write(json.dumps(row) + "\n")
            curve.flush()
            mark = (time.process_time(), state["positions"])
        if time.time() - last_save > 150:
            save()
            last_save = time.time()
    if state["step"] == began:
        left(progress, state, args)
    save()
    finish()
    parameters, size = save_drafter(drafter, out / "export")
    print(json.dumps(dict(done=args.name or args.method, parameters=parameters, bytes=size, **{k: v for k, v in state.items() if isinstance(v, (int, float))})), flush=True)


if __name__ == "__main__":
    main()

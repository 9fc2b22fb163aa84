"""Text that the target writes itself, and its hidden states: what the drafters are trained on.

    python sample_target.py --target ../models/target --work ../../build/recipe --tokens 2000000 [--device cuda]

Prompts come from the corpus (train split); 30 % of the answers are greedy, 70 % drawn at a temperature of 0.7 to 1.0.
Writes WORK/samples/shard_NNN.npz (ids, flags, lengths, temperature) and, unless --no-features, features_NNN.npy:
for every token the taps and the final normalised state, bfloat16 bits in int16, (tokens, (taps + 1) * hidden), and
best_NNN.npy, the target's most likely next token.  Finished shards are kept, so the command resumes; meta.json ties them
to the target's hash, and a different target is refused.  Whole batches are written: a shard has some ten thousand tokens more
than was asked for (--tokens 60000 gave 73 767 and, of another target, 91 629).
"""
import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np
import torch

from corpus.gen import stream
from data import ANSWER, PROMPT, encode, pack, tokenizer_of
from drafters.common import capture
from export import load
from model import document_bias, rope_tables
from runs import digest, write, write_text

TEMPERATURES = (0.7, 1.0, 0.85, 0.0, 1.0, 0.7, 0.85, 0.0, 0.8, 0.0)
ROW = 256


def prompts(tok, seed, start=0):
    """Token prefixes: a chat prompt up to its answer, or the first half of a raw text."""
    for d in stream(seed, start=start):
        ids, _ = encode(tok, d)
        head = "".join(d.parts[:d.prompt_end])
        cut = len(tok.encode(head).ids) if head else max(1, len(ids) // 2)
        yield ids[:cut].tolist()


@torch.no_grad()
def answers(model, heads, temperatures, stops, limit, generator):
    """One batch, prompts of any length padded on the left (rotary positions are relative, so the padding is harmless)."""
    c, device = model.config, model.model.embed_tokens.weight.device
    n, width = len(heads), max(map(len, heads))
    pad = torch.tensor([width - len(h) for h in heads], device=device)
    tokens = torch.tensor([[0] * (width - len(h)) + h for h in heads], device=device)
    room = width + limit
    shape = (c.num_hidden_layers, n, c.num_key_value_heads, room, c.head_dim)
    dtype = torch.bfloat16 if torch.is_autocast_enabled(device.type) else torch.float32
    keys, values = torch.zeros(shape, dtype=dtype, device=device), torch.zeros(shape, dtype=dtype, device=device)
    cos, sin = rope_tables(c, torch.arange(room, device=device))
    columns, temperature = torch.arange(room, device=device), torch.tensor(temperatures, device=device)
    group, start = c.num_attention_heads // c.num_key_value_heads, 0
    rows, outputs, done = list(range(n)), [[] for _ in heads], set()
    while start < room:
        t = tokens.shape[1]
        end = start + t
        bias = torch.zeros(len(rows), t, end, device=device)
        bias.masked_fill_(columns[None, None, :end] < pad[:, None, None], -1e4)
        if t > 1:
            bias += torch.full((t, end), -1e4, device=device).triu(start + 1)
        bias = bias.repeat(1, group, 1)[:, None].to(dtype)
        x = model.model.embed_tokens(tokens)
        for i, layer in enumerate(model.model.layers):
            q, k, v = layer.self_attn.qkv(layer.input_layernorm(x), cos[start:end], sin[start:end])
            keys[i, :, :, start:end], values[i, :, :, start:end] = k, v
            x = x + layer.self_attn.mix(q.to(dtype), keys[i, :, :, :end], values[i, :, :, :end], bias)
            x = x + layer.mlp(layer.post_attention_layernorm(x))
        logits = model.head(model.model.norm(x[:, -1])).float()
        start = end
        greedy = logits.argmax(-1)
        warm = torch.softmax(logits / temperature.clamp(min=1e-3)[:, None], -1)
        drawn = torch.multinomial(warm, 1, generator=generator)[:, 0]
        picked = torch.where(temperature > 0, drawn, greedy)
        listed = picked.tolist()
        for row, token in zip(rows, listed):
            if row not in done:
                outputs[row].append(token)
                if token in stops or len(outputs[row]) == limit:
                    done.add(row)
        alive = [j for j, row in enumerate(rows) if row not in done]
        if not alive:
            break
        if len(alive) < 0.8 * len(rows):                           # dropping rows copies the cache: not after every token
            keep = torch.tensor(alive, device=device)
            keys, values = keys[:, keep], values[:, keep]
            rows, picked, pad, temperature = [rows[j] for j in alive], picked[keep], pad[keep], temperature[keep]
        tokens = picked[:, None]
    return outputs


def sample_shard(model, source, tokens, stops, limit, batch, seed):
    generator = torch.Generator(model.model.embed_tokens.weight.device).manual_seed(seed)
    ids, flags, warmth, count = [], [], [], 0
    for number in itertools.count():
        heads = [h for h in itertools.islice(source, batch * 4) if len(h) <= ROW - 16]
        heads = [(h, TEMPERATURES[(number + i) % len(TEMPERATURES)]) for i, h in enumerate(heads)]
        heads.sort(key=lambda pair: len(pair[0]))
        for at in range(0, len(heads), batch):
            part = heads[at:at + batch]
            tails = answers(model, [h for h, _ in part], [t for _, t in part], stops, limit, generator)
            for (head, temperature), tail in zip(part, tails):
                whole = (head + tail)[:ROW]
                ids.append(np.array(whole, np.uint16))
                flags.append(np.array([PROMPT] * len(head) + [ANSWER] * (len(whole) - len(head)), np.uint8))
                warmth.append(temperature)
                count += len(whole)
            if count >= tokens:
                lengths = np.array([len(i) for i in ids], np.int32)
                return dict(ids=np.concatenate(ids), flags=np.concatenate(flags), lengths=lengths,
                            temperature=np.array(warmth, np.float32), nll=np.zeros(len(lengths), np.float32))


@torch.no_grad()
def feature_pass(model, shard, taps, rows_at_once=8, autocast=True):
    """Taps and final state of every token, teacher-forced: (tokens, (m + 1) * hidden) int16, and the argmax tokens."""
    c, device = model.config, model.model.embed_tokens.weight.device
    dtype = torch.bfloat16 if autocast else torch.float32
    n = len(shard["ids"])
    flat = dict(shard, ids=np.arange(n))                           # pack positions instead of tokens
    where, segments, _ = pack(flat, ROW, np.arange(len(shard["lengths"])), np.random.default_rng(0))
    out = np.zeros((n, (len(taps) + 1) * c.hidden_size), np.int16)
    best = np.zeros(n, np.uint16)
    for at in range(0, len(where), rows_at_once):
        index, segment = where[at:at + rows_at_once], torch.from_numpy(segments[at:at + rows_at_once].astype(np.int64)).to(device)
        ids = torch.from_numpy(shard["ids"][index].astype(np.int64)).to(device)
        bias = document_bias(segment, c.num_attention_heads, c.num_key_value_heads, dtype)
        with torch.autocast(device.type, torch.bfloat16, enabled=autocast):
            features, hidden = capture(model, ids, bias, taps)
            chosen = model.head(hidden).argmax(-1)
        real = segment.cpu().numpy() > 0
        joined = (hidden if features is None else torch.cat((features, hidden), -1)).to(torch.bfloat16).view(torch.int16).cpu().numpy()
        out[index[real]] = joined[real]
        best[index[real]] = chosen.cpu().numpy()[real]
    return out, best


def target_hash(folder):
    return digest(Path(folder) / "model.safetensors")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/recipe"))
    parser.add_argument("--tokens", type=int, default=2_000_000, help="prompts and answers, at least: the last batch is kept whole")
    parser.add_argument("--shard-tokens", type=int, default=250_000)
    parser.add_argument("--taps", type=int, nargs="*", default=[1, 5, 9])
    parser.add_argument("--features", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--autocast", action=argparse.BooleanOptionalAction, default=True,
                        help="products in bf16; without it in f32, quicker on a processor that has no instructions for bf16")
    parser.add_argument("--limit", type=int, default=128, help="new tokens per answer")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    tok = tokenizer_of(args.target)
    target = load(args.target).to(args.device)
    if wrong := [t for t in args.taps if not 0 <= t < target.config.num_hidden_layers]:
        parser.error(f"--taps {wrong[0]}: the target has the layers 0 to {target.config.num_hidden_layers - 1}")
    stops = {tok.token_to_id("<|im_end|>"), tok.token_to_id("<|endoftext|>")}
    folder = args.work / "samples"
    folder.mkdir(parents=True, exist_ok=True)
    meta = {"target_sha256": target_hash(args.target), "taps": args.taps, "seed": args.seed, "limit": args.limit}
    if (folder / "meta.json").exists():
        old = json.loads((folder / "meta.json").read_text())
        if old != meta:
            raise SystemExit(f"{folder} was made with {old}, not {meta}: use another --work or remove it")
    write_text(folder / "meta.json", json.dumps(meta) + "\n")
    total = 0
    for number in itertools.count():
        if total >= args.tokens:
            break
        path = folder / f"shard_{number:03d}.npz"
        started = time.process_time()
        if not path.exists():
            source = prompts(tok, args.seed + 500, start=number * 1_000_000)
            with torch.autocast(args.device, torch.bfloat16, enabled=args.autocast):
                shard = sample_shard(target, source, min(args.shard_tokens, args.tokens - total), stops, args.limit, args.batch,
                                     args.seed * 1000 + number)
            write(path, lambda p: np.savez(p, **shard))
        shard = dict(np.load(path))
        total += len(shard["ids"])
        sampled = time.process_time()
        if args.features and not (folder / f"best_{number:03d}.npy").exists():
            features, best = feature_pass(target, shard, args.taps, autocast=args.autocast)
            write(folder / f"features_{number:03d}.npy", lambda p: np.save(p, features))
            write(folder / f"best_{number:03d}.npy", lambda p: np.save(p, best))
        answer = int((shard["flags"] == ANSWER).sum())
        print(json.dumps(dict(shard=number, documents=len(shard["lengths"]), tokens=len(shard["ids"]), answer_tokens=answer,
                              sampling_cpu_seconds=round(sampled - started, 1), feature_cpu_seconds=round(time.process_time() - sampled, 1))), flush=True)


if __name__ == "__main__":
    main()

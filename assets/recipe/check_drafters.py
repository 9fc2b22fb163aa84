"""Training and decoding must compute the same thing.

    python check_drafters.py --target ../models/target --prompts ../prompts/heldout.jsonl [--drafter FOLDER ...]

Two documents share a training row; the drafter's training forward is compared, position by position, with its decoding
forward on the second document alone, fed in irregular pieces (the cache grows by 1 to 5 accepted tokens at a time) and with
the true tokens as drafts.  Without --drafter, fresh drafters with random weights are checked.
"""
import argparse
import json
import random
from pathlib import Path

import torch
import torch.nn.functional as F

from data import ANSWER, tokenizer_of
from drafters import CLASSES, block_config, dart_config, dflash2_config, domino_config, dspark_config, eagle3_config, load_drafter, medusa_config, mtp_config
from drafters.common import Sequence, capture
from evaluate_drafter import Distribution, plain, read_prompts
from export import load
from model import document_bias
from train_drafter import Batch


class Truth:
    """A distribution that draws the given tokens and keeps the logits it was shown."""

    def __init__(self, tokens, translate=None):
        self.tokens, self.translate, self.seen = list(tokens), translate, []

    def draw(self, logits):
        token = self.tokens[len(self.seen)]
        self.seen.append(logits)
        return (token if self.translate is None else self.translate[token]), None


def two_documents(target, first, second, taps):
    ids = torch.tensor([first + second])
    segments = torch.tensor([[1] * len(first) + [2] * len(second)])
    c = target.config
    bias = document_bias(segments, c.num_attention_heads, c.num_key_value_heads)
    features, hidden = capture(target, ids, bias, taps)
    return Batch(ids, segments, torch.full_like(ids, ANSWER), features, hidden, target.head(hidden).argmax(-1))


def trained_logits(drafter, batch, table, offset, starts, k):
    """Teacher-forced logits of the k drafts after the anchor at each start (relative to the second document)."""
    if drafter.taps and hasattr(drafter, "fill"):
        anchors = torch.tensor([[offset + s for s in starts]])
        allowed = torch.ones_like(anchors, dtype=torch.bool)
        rows = drafter.used(drafter.rows(batch, table, anchors, allowed))
        _, labels, _ = drafter.labels(batch, anchors, allowed)
        logits = F.linear(rows, table)
        before = torch.cat((batch.ids.gather(1, anchors)[:, :, None], labels[:, :, :-1]), 2)
        if hasattr(drafter, "prefix_gru"):
            b, a, n, h = rows.shape
            delta = drafter.correction(rows, drafter.states(table[before].view(b * a, n, h)).view(b, a, n, -1))
            delta[:, :, :drafter.prefix] = 0
            logits = logits + delta
        if hasattr(drafter, "markov_head"):
            logits = logits + drafter.markov_head.markov_w2(drafter.markov_head.markov_w1(before))
        if hasattr(drafter, "candidate_selector"):
            selector, flat = drafter.candidate_selector, logits.flatten(0, 2)
            candidates = flat.topk(selector.count, -1).indices
            scores = selector.scores(flat, rows.flatten(0, 2), before.flatten(), candidates)
            logits = torch.full_like(flat, -torch.inf).scatter(-1, candidates, scores).view(logits.shape)
        return [logits[0, i, :k] for i in range(len(starts))]
    if hasattr(drafter, "ahead"):                                  # DART: the newest column is the one before the start
        rows = drafter.rows(batch, table, torch.tensor([[offset + s - 1 for s in starts]]))
        return list(drafter.logits(rows)[0, :, :k])
    if hasattr(drafter, "midlayer"):
        outputs = [drafter.logits(o)[0] for o in drafter.unroll(batch, table, k)]
        return [torch.stack([outputs[i][offset + s - 1] for i in range(k)]) for s in starts]
    heads = ([F.linear(state, table)[0] for state in drafter.unroll(batch, table, k)] if hasattr(drafter, "mtp_layers")
             else [F.linear(head(batch.hidden), table)[0] for head in drafter.medusa_head])
    return [torch.stack([heads[i][offset + s - 1] for i in range(k)]) for s in starts]


@torch.no_grad()
def check(target, drafter, first, second, prompt, k):
    """Largest logit difference over all anchors."""
    table = target.model.embed_tokens.weight
    batch = two_documents(target, first, second, drafter.taps)
    rng, start, starts = random.Random(1), prompt, []
    while start + k < len(second):
        starts.append(start)
        start += rng.randint(1, 5)
    trained = trained_logits(drafter, batch, table, len(first), starts, k)
    sequence = Sequence(target, drafter.taps)
    drafter.begin(target)
    gap, at = 0.0, 0
    translate = {int(t): i for i, t in enumerate(drafter.draft_ids())} if hasattr(drafter, "midlayer") else None
    for start, expected in zip(starts, trained):
        seen = sequence.run(second[at:start])
        at = start
        coming = second[start + 1:start + 1 + k]
        if translate is not None:                                  # a token outside the draft vocabulary cannot be drafted
            coming = coming[:next((i for i, t in enumerate(coming[:-1]) if t not in translate), len(coming))]
            if coming and coming[-1] not in translate:
                coming = coming[:-1] + [int(drafter.draft_ids()[0])]
        distribution = Truth(coming, translate)
        drafter.propose(second[:start + 1], seen.features, seen.hidden, len(coming), distribution)
        for a, b in zip(distribution.seen, expected):
            gap = max(gap, float((a - b).abs().nan_to_num(0, torch.inf).max()))      # what is no candidate in either is equal
    return gap, len(starts)


def fresh(target, mask):
    torch.manual_seed(1)
    block = (target, [1, 5, 9], mask, 2, 16)
    made = {"eagle3": eagle3_config(target, [1, 5, 9], 1536, 0, 0), "dart": dart_config(target, [1, 5, 9], 1536, 0, 0, 7),
            "medusa": medusa_config(target, 4), "mtp": mtp_config(target), "dflash": block_config(*block),
            "dspark": dspark_config(*block, 48), "dflash2": dflash2_config(*block, 48, 12)}
    for shift in (True, False):
        for prefix in (0, 1, 2):
            made[f"domino, shift_label {shift}, prefix {prefix}"] = domino_config(*block, 96, 48, prefix, shift)
    for name, config in made.items():
        drafter = CLASSES[name.split(",")[0]](config)
        if name in ("eagle3", "dart"):
            drafter.set_vocabulary(range(0, 3072, 2))
        for p in drafter.parameters():
            torch.nn.init.normal_(p, 1.0 if p.dim() == 1 else 0.0, 0.2 if p.dim() == 1 else p.shape[-1] ** -0.5)
        yield name, drafter.eval()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--prompts", type=Path, default=Path("../prompts/heldout.jsonl"))
    parser.add_argument("--drafter", type=Path, nargs="*", default=[])
    args = parser.parse_args()
    torch.set_num_threads(1)
    target = load(args.target)
    tok = tokenizer_of(args.target)
    added = {t["content"]: t["id"] for t in json.loads((args.target / "tokenizer.json").read_text())["added_tokens"]}
    stops = {added["<|im_end|>"], added["<|endoftext|>"]}
    prompts = [ids for domain, ids in read_prompts(args.prompts, tok, 2) if domain in ("code", "math")]
    with torch.no_grad():
        texts = [ids + plain(Sequence(target), ids, stops, 60, Distribution(0, None)) for ids in (prompts[0], prompts[-1])]
    drafters = [(str(p), load_drafter(p)) for p in args.drafter] or fresh(target, added["<|mask|>"])
    for name, drafter in drafters:
        k = min(drafter.longest(), 7 if hasattr(drafter, "midlayer") else 15)
        gap, count = check(target, drafter, texts[0], texts[1], len(prompts[-1]), k)
        print(f"{name}: {count} anchors x {k} drafts, largest logit difference {gap:.1e}", flush=True)
        assert gap < 2e-3 and count > 3, name


if __name__ == "__main__":
    main()

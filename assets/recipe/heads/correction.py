"""Train Domino's correction alone, on the backbone of a DFlash head that is held.

    python -m qwen.correction --method domino --name correction --init ../models/qwen-0.5b/dflash --target G --speclens S --corpus qwen/corpus --work W --anchors 160 --micro 512 --rows 512 --steps 600

The backbone's rows are computed once for --anchors blocks of each of the text's rows (WORK/blocks) and read as often as the run lasts, so that a step costs the output matrix and the
correction. Its base is then the DFlash head itself: what the two differ in is what the prefix says. The blocks of one text row in twelve are never trained on; every logged row measures on some of them.

A GRU that begins at random on the target's embeddings as they are hears nothing: their values are a hundredth, its gates stand at .5. So it is trained on embeddings divided by their root mean square, the
rows likewise, and both scales go into the matrices for the export.
"""
import json
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from drafters import Domino, load_drafter
from drafters.dflash import accepted, draw_anchors
from heads.train import options as head_options
from heads.train import stand_in
from optim import Muon, Optimiser
from runs import digest, same_run, settings, write, write_text
from train_drafter import Samples, arguments, fit

LIKELIEST = 32                       # of the target's distribution, of each place
HELD_OUT = 12


def domino_from(first, gru, rank, prefix):
    """The config.json of a Domino head on a DFlash head's backbone, whose row k is asked for the token at anchor + k."""
    own = {**first.own, "projector_type": "domino", "gru_hidden_dim": gru, "emb_dim": rank, "pure_draft_prefix_len": prefix, "shift_label": False}
    return {**first.config, "architectures": ["DominoDraftModel"], "dflash_config": own, "emb_dim": rank}


class Correction(Domino):
    """A Domino head of which the GRU and the correction learn, from blocks whose rows are there."""

    table_scale = rows_scale = 1.0
    held = None                      # a batch that is never trained on

    def begin(self):
        """At the scale of what is read: gates that open and close from the first step, and a correction that hears the state as well as the row."""
        hidden, gru = self.geometry.hidden_size, self.own["gru_hidden_dim"]
        with torch.no_grad():
            nn.init.normal_(self.prefix_gru.weight_ih_l0, std=hidden ** -0.5)
            nn.init.normal_(self.prefix_gru.weight_hh_l0, std=0.6 * gru ** -0.5)
            nn.init.normal_(self.embed_proj[0].weight[:, :hidden], std=0.6 * hidden ** -0.5)
            nn.init.normal_(self.embed_proj[0].weight[:, hidden:], std=1.5 * gru ** -0.5)
            self.embed_proj[2].weight.zero_()

    def learned(self):
        return [*self.prefix_gru.parameters(), *self.embed_proj.parameters()]

    def unscaled(self):
        """What was trained on scaled embeddings and rows as it reads them unscaled."""
        with torch.no_grad():
            self.prefix_gru.weight_ih_l0.div_(self.table_scale)
            self.embed_proj[0].weight[:, :self.geometry.hidden_size].div_(self.rows_scale)

    def base_and_final(self, batch, table):
        """Logits of every place (blocks, K, ranked), before and after the correction."""
        rows = batch.rows.float()
        base = F.linear(rows, self.target_rows)
        states = self.states(table[batch.read].float() / self.table_scale)
        corrected = (torch.arange(rows.shape[1]) >= self.prefix)[:, None]
        return base, base + self.correction(rows / self.rows_scale, states) * corrected

    def loss(self, batch, table, options):
        base, final = self.base_and_final(batch, table)
        says = final.gather(-1, batch.likeliest) - final.logsumexp(-1, keepdim=True)
        loss = -(batch.chances * says).sum(-1)[batch.counts]
        ce = F.cross_entropy(final[batch.counts], batch.labels[batch.counts], reduction="none").detach()
        logs = {"final_loss": ce.mean(), "base_loss": F.cross_entropy(base[batch.counts], batch.labels[batch.counts])}
        if options.measure:
            with torch.no_grad():
                for name, logits in zip(("base", "final"), self.base_and_final(self.held, table)):
                    counts = self.held.counts
                    right = logits.argmax(-1)[counts] == self.held.labels[counts]
                    logs[f"held_{name}_accept_len"], logs[f"held_{name}_accuracy"] = accepted(right, counts)
                    logs[f"held_{name}_loss"] = F.cross_entropy(logits[counts], self.held.labels[counts])
        return (loss * self.weights(ce, batch.counts, options)).sum(), logs


class CorrectionOptimiser(Optimiser):
    def __init__(self, head, lr):
        self.parameters, self.muon, self.muon_lr = head.learned(), Muon([]), 0.0
        self.adam = torch.optim.AdamW([dict(params=self.parameters, lr=lr, base=lr)], betas=(0.9, 0.95), weight_decay=0.01)


@torch.no_grad()
def collect(head, table, samples, folder, args):
    """Blocks of a run through the text, as files of `folder`: rows (blocks, K, hidden) in bf16's bits, the tokens that the GRU has read, labels among the ranked ids, which places count,
    the target's likeliest ranked ids with their chances, and which blocks are held out."""
    generator = torch.Generator().manual_seed(args.seed)
    ids, out = head.ranked_ids(), {name: [] for name in ("rows", "read", "labels", "counts", "likeliest", "chances", "held")}
    for number, batch in enumerate(samples.epoch(1, np.random.default_rng(args.seed))):
        batch.features = batch.features.float()
        anchors, allowed = draw_anchors(batch, min(args.anchors, args.row - head.block), generator)
        rows = head.used(head.rows(batch, table, anchors, allowed))[0]
        at, labels, counts = head.labels(batch, anchors, allowed)
        known, ranked = head.known(labels)
        counts = (counts & known)[0]
        keep = counts[:, 0]
        before = (at - 1)[0][keep]
        says = torch.softmax(F.linear(batch.hidden[0].float(), head.target_rows), -1)
        chances, likeliest = says.topk(min(LIKELIEST, len(ids)), -1)
        read = torch.cat((batch.ids.gather(1, anchors)[0][:, None], labels[0][:, :-1]), 1)
        for name, value in (("rows", rows[keep].bfloat16().view(torch.int16)), ("read", read[keep].int()), ("labels", ranked[0][keep].int()), ("counts", counts[keep]),
                            ("likeliest", likeliest[before].int()), ("chances", chances[before].half()),
                            ("held", torch.full((int(keep.sum()),), number % HELD_OUT == HELD_OUT - 1))):
            out[name].append(value)
        if number % 50 == 49:
            print(f"{number + 1} rows of text, {sum(map(len, out['held']))} blocks", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name, parts in out.items():
        write(folder / f"{name}.npy", lambda part, parts=parts: np.save(open(part, "wb"), torch.cat(parts).numpy()))


class Blocks:
    def __init__(self, folder):
        def stored(name):
            return np.load(folder / f"{name}.npy", mmap_mode="r" if name in ("rows", "likeliest", "chances") else None)

        self.stored = {name: stored(name) for name in ("rows", "read", "labels", "counts", "likeliest", "chances")}
        held = stored("held")
        self.train, self.held = np.flatnonzero(~held), np.flatnonzero(held)

    def batch(self, which):
        which = np.sort(which)
        v = SimpleNamespace(**{name: torch.from_numpy(np.ascontiguousarray(x[which])) for name, x in self.stored.items()})
        chances = v.chances.float()
        return SimpleNamespace(rows=v.rows.view(torch.bfloat16), read=v.read.long(), labels=v.labels.long(), counts=v.counts, segments=v.counts, likeliest=v.likeliest.long(),
                               chances=chances / chances.sum(-1, keepdim=True))


def options(about):
    more = head_options(about)

    def all_of_them(parser):
        more(parser)
        parser.add_argument("--blocks", type=int, default=1, help="blocks of the corpus whose text is read, from --first-block on")
        parser.set_defaults(micro=512, rows=512, anchors=160, prefix=1, gru=128, rank=64, adam=2e-3, autocast=False)
    return all_of_them


def main(about):
    args = arguments(("domino",), options(about))
    if not args.init:
        raise SystemExit("--init: a folder with the DFlash head whose backbone is held")
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    out = args.work / (args.name or "correction")
    out.mkdir(parents=True, exist_ok=True)
    corpus, first = about.corpus(args.corpus), load_drafter(args.init)
    whole = about.weights(args.target, args.device, lambda layers: ())
    chosen = settings(args, target_sha256=digest(args.target), text_seed=corpus.sha256, text_tokens=corpus.tokens, init_sha256=digest(args.init / "model.safetensors"))
    latest = out / "latest.pt"
    saved = torch.load(latest, map_location=args.device) if latest.exists() else None
    if saved:
        same_run(saved["args"], chosen, out, "--name NAME")
    head = Correction(domino_from(first, args.gru, args.rank, args.prefix))
    head.start(stand_in(whole, about.ffn))
    head.adopt(first)
    head.requires_grad_(False)
    head.target_rows = whole.output[head.ranked_ids()].float()
    table = whole.embedding
    head.table_scale = float(table.float().pow(2).mean().sqrt())
    folder, told = args.work / "blocks", {"anchors": args.anchors, "blocks": args.blocks, "init": chosen["init_sha256"], "text": corpus.sha256, "seed": args.seed}
    done = folder / "meta.json"
    if not done.exists() or json.loads(done.read_text()) != told:
        places = [about.states(args, corpus, (turn + args.first_block) % len(about.sizes(corpus, args))) for turn in range(args.blocks)]
        samples = Samples(places[0], whole.shape.hidden, first.taps, first.taps, args.device, args.row)
        samples.paths = [path for place in places for path in sorted(place.glob("shard_*.npz"))]
        collect(head, table.float(), samples, folder, args)
        write_text(done, json.dumps(told) + "\n")
    blocks = Blocks(folder)
    head.held = blocks.batch(blocks.held[:: max(1, len(blocks.held) // 1024)])
    head.rows_scale = float(head.held.rows.float().pow(2).mean().sqrt())
    head.begin()
    for parameter in head.learned():
        parameter.requires_grad_(True)
    optimiser = CorrectionOptimiser(head, args.adam)
    state = {"step": 0, "positions": 0, "seconds": 0.0, "epoch_tokens": corpus.tokens}
    if saved:
        head.load_state_dict(saved["drafter"])
        optimiser.load(saved["optimiser"])
        state = saved["state"]
        print("resumed at step", state["step"], flush=True)
    print(f"{len(blocks.train)} blocks to train on, {len(blocks.held)} held out; embeddings {head.table_scale:.4f}, rows {head.rows_scale:.3f}", flush=True)

    def batches(rng):
        while True:
            order = rng.permutation(blocks.train)
            for at in range(0, len(order) - args.micro + 1, args.micro):
                yield blocks.batch(order[at:at + args.micro])

    fit(args, head, optimiser, state, batches, table, chosen, out, head.unscaled)

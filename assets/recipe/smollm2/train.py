"""Train one head for SmolLM2 on the corpus, with the classes and the loop of train_drafter.py.

    python -m smollm2.train --method eagle3 --target FILE.gguf --corpus smollm2/corpus --work W --steps 1500

METHOD is eagle3, dflash, domino, medusa, mtp or small. Options, checkpoints, curve and resumption are those of train_drafter.py; rows have 512
tokens, 8 a step. States come block by block (states.py), each block for --passes epochs, so that they are computed once for several.
EAGLE-3, DFlash and Domino rank the --draft-vocab ids that are most frequent in the corpus's answers; Medusa's heads and MTP rank all, their losses
know those (MTP's a few others too). The mask of DFlash and Domino is a row of the head's own. small is a Qwen3 model of width 128 with this tokenizer, distilled; its embedding starts as the target's in 128 dimensions.
"""
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn.functional as F

from data import ANSWER
from drafters import CLASSES, block_config, domino_config, eagle3_config, medusa_config, mtp_config
from drafters.medusa import shift
from export import hf_config
from model import Config, Qwen3, document_bias
from runs import digest, same_run, settings
from smollm2 import states
from smollm2.corpus import VOCAB, Corpus
from smollm2.target import END_OF_TEXT, END_OF_TURN, read
from train_drafter import HeadOptimiser, Samples, adopt, arguments, fit

METHODS = ("eagle3", "dflash", "domino", "medusa", "mtp", "small")


class Small(Qwen3):
    """A student whose loss is half the text's and half the target's distribution, at the tokens of answers."""

    def __init__(self, shape):
        super().__init__(shape)
        self.geometry, self.config = shape, {**hf_config(shape, END_OF_TURN, END_OF_TEXT), "bos_token_id": 1}

    def start(self, target):
        """The table in the directions in which the target's rows differ most, at the scale that a fresh table has."""
        table = target.model.embed_tokens.weight.float()
        centred = table - table.mean(0)
        _, vectors = torch.linalg.eigh(centred.T @ centred)
        rows = centred @ vectors[:, -self.geometry.hidden_size:]
        with torch.no_grad():
            self.model.embed_tokens.weight.copy_(rows * (0.02 / rows.std()))

    def loss(self, batch, table, options):
        counts = (shift(batch.segments, 1) == batch.segments) & (shift(batch.flags, 1, 255) == ANSWER) & (batch.segments > 0)
        bias = document_bias(batch.segments, self.geometry.num_attention_heads, self.geometry.num_key_value_heads, torch.bfloat16)
        logits = self.head(self.hidden(batch.ids, bias)[counts]).float()
        with torch.no_grad():
            distribution = torch.softmax(F.linear(batch.hidden[counts], table).float(), -1)
        truth = shift(batch.ids, 1)[counts]
        ce = F.cross_entropy(logits, truth)
        distilled = F.cross_entropy(logits, distribution)
        logs = {"loss": ce, "distilled": distilled}
        if options.measure:
            logs["accuracy"] = (logits.argmax(-1) == truth).float().mean()
            logs["same_argmax"] = (logits.argmax(-1) == batch.best[counts]).float().mean()
        return 0.5 * ce + 0.5 * distilled, logs


def stand_in(target):
    """What the heads' classes ask of a target: its geometry and its table."""
    s = target.shape
    config = Config(s.vocab, s.hidden, s.ffn, s.layers, s.heads, s.kv_heads, s.head_dim, s.eps, s.rope_theta)
    return SimpleNamespace(config=config, context=s.context,
                           model=SimpleNamespace(embed_tokens=SimpleNamespace(weight=target.embedding), norm=SimpleNamespace(weight=target.norm)))


def frequent(corpus, size):
    """The `size` ids most frequent in answers (ties to the lower id), the ends among them; and the share of the answers' tokens that they are."""
    counts = np.zeros(VOCAB, np.int64)
    for i in range(len(corpus)):
        counts += np.bincount(corpus.conversation(i)[corpus.flags(i, states.OPENING) == ANSWER], minlength=VOCAB)
    total, kept = counts.sum(), counts.copy()
    kept[[END_OF_TURN, END_OF_TEXT]] = counts.max() + 1
    ids = np.argsort(-kept, kind="stable")[:size]
    return sorted(ids.tolist()), float(counts[ids].sum() / total)


def build(args, target, corpus):
    if args.method == "small":
        head = Small(Config(target.config.vocab_size, args.width, args.width * 8 // 3 // 32 * 32, args.layers, args.width // 64, max(1, args.width // 128), 64,
                            target.config.rms_norm_eps, target.config.rope_theta))
    elif args.method == "medusa":
        head = CLASSES["medusa"](medusa_config(target, args.heads))
    elif args.method == "mtp":
        head = CLASSES["mtp"](mtp_config(target, "llama"))
    elif args.method == "eagle3":
        head = CLASSES["eagle3"](eagle3_config(target, args.taps, args.draft_vocab, END_OF_TURN, END_OF_TEXT))
    elif args.method == "dflash":
        head = CLASSES["dflash"](block_config(target, args.taps, None, args.layers, args.block, args.draft_vocab))
    else:
        head = CLASSES["domino"](domino_config(target, args.taps, None, args.layers, args.block, args.gru, args.rank, args.prefix, args.shift_label, args.draft_vocab))
    if args.method != "small":
        ids, share = frequent(corpus, args.draft_vocab)
        if args.method in ("medusa", "mtp"):
            head.trained_ids = torch.tensor(ids, device=args.device)
        else:
            head.set_vocabulary(ids)
        print(f"{len(ids)} ids are {share:.4f} of the answers' tokens", flush=True)
    if args.method != "mtp":                                       # begin_mtp() is its start
        head.start(target)
    if args.method == "eagle3":
        with torch.no_grad():
            head.fc.weight.mul_(10)                                # start() made it small for taps as they are; here they come at unit scale
    if args.method in ("dflash", "domino"):
        with torch.no_grad():                                      # the scale at which the output matrix is read
            head.norm.weight.copy_(target.model.norm.weight)
    if args.method != "medusa":
        head.config["max_position_embeddings"] = target.context
    return head


def tap_scale(folder, width, samples=8000):
    """The root mean square of every dimension of the taps (width), over tokens of the first shard but the few whose states are a hundredfold
    of the others' (the first of a text). Dimensions and taps differ by a thousand, so that a projection that reads them as they are
    hears a few; the heads are trained on taps divided by this, and it is multiplied into `fc` for the export."""
    stored = np.load(folder / "features_000.npy", mmap_mode="r")
    rows = torch.from_numpy(np.array(stored[:: max(1, len(stored) // samples), :width])).view(torch.bfloat16).float()
    size = rows.norm(dim=1)
    return rows[size < 5 * size.median()].pow(2).mean(0).sqrt().clamp(min=1e-3)


def begin_mask(head, folder, norm, width, samples=8000):
    """The mask begins as what the target says on average: the mean of its final states before the norm's weights, as long as a token's row.
    Its logits are then nearly the logarithms of how frequent tokens are; a random row begins at a loss of 13."""
    stored = np.load(folder / "features_000.npy", mmap_mode="r")
    rows = torch.from_numpy(np.array(stored[:: max(1, len(stored) // samples), -width:])).view(torch.bfloat16).float()
    mean = (rows / norm.float()).mean(0)
    with torch.no_grad():
        size = head.mask_embedding.pow(2).mean().sqrt()
        head.mask_embedding.copy_(mean * (size / mean.pow(2).mean().sqrt()))


def begin_layers(head, target, like, scale):
    """The layers of a block head begin as the target's layers `like` (one each), reading the last tap as those read the stream there. A layer's
    norm goes into its query, key and value matrices, because a head has one norm for what all of its layers read of the context."""
    if not like:
        return
    s = target.shape
    with torch.no_grad():
        for layer, i in zip(head.layers, like, strict=True):
            theirs = target.layers[i]
            before = theirs["before_attention"]
            q, k, v = (theirs["qkv"].float() * before).split((s.heads * s.head_dim, s.kv_heads * s.head_dim, s.kv_heads * s.head_dim))
            for name, value in (("q_proj", q), ("k_proj", k), ("v_proj", v), ("o_proj", theirs["o"])):
                getattr(layer.self_attn, name).weight.copy_(value)
            gate, up = theirs["gate_up"].float().chunk(2)
            for name, value in (("gate_proj", gate), ("up_proj", up), ("down_proj", theirs["down"])):
                getattr(layer.mlp, name).weight.copy_(value)
            layer.post_attention_layernorm.weight.copy_(theirs["before_mlp"])
        last = scale[-s.hidden:].to(head.fc.weight.device)
        head.fc.weight.mul_(0.1)[:, -s.hidden:] += torch.diag(last / last.median())


def begin_eagle3(head, target, like, scale):
    """EAGLE-3's layer begins as the target's layer `like` on the feature, which is the last tap, and as its first layer on the token."""
    s, m = target.shape, head.midlayer
    theirs, first = target.layers[like], target.layers[0]
    sizes = (s.heads * s.head_dim, s.kv_heads * s.head_dim, s.kv_heads * s.head_dim)
    with torch.no_grad():
        for name, token, feature in zip(("q_proj", "k_proj", "v_proj"), (first["qkv"].float() * first["before_attention"]).split(sizes),
                                        (theirs["qkv"].float() * theirs["before_attention"]).split(sizes)):
            getattr(m.self_attn, name).weight.copy_(torch.cat((token, feature), 1))
        m.self_attn.o_proj.weight.copy_(theirs["o"])
        gate, up = theirs["gate_up"].float().chunk(2)
        for name, value in (("gate_proj", gate), ("up_proj", up), ("down_proj", theirs["down"])):
            getattr(m.mlp, name).weight.copy_(value)
        m.post_attention_layernorm.weight.copy_(theirs["before_mlp"])
        head.norm.weight.copy_(target.norm)
        last = scale[-s.hidden:].to(head.fc.weight.device)
        head.fc.weight.mul_(0.1)[:, -s.hidden:] += torch.diag(last / last.median())


def begin_mtp(head, target, like, folder, taps, samples=8000):
    """MTP's layer begins as the target's layer `like` once more, on the stream that left the last one. The state's norm undoes the weights of the
    target's final norm; the stream so comes at unit scale, and what the layer adds to it is made as much smaller. Nothing of the token at first."""
    s, layer = target.shape, head.mtp_layers[0]
    theirs = target.layers[like]
    stored = np.load(folder / "features_000.npy", mmap_mode="r")
    rows = torch.from_numpy(np.array(stored[:: max(1, len(stored) // samples), -s.hidden:])).view(torch.bfloat16).float()
    size = tap_scale(folder, taps * s.hidden)[-s.hidden:].square().mean().sqrt()       # of the stream: that of the last tap
    final = target.norm.float()
    final = torch.where(final.abs() < 1e-3, 1e-3, final)
    with torch.no_grad():
        q, k, v = theirs["qkv"].split((s.heads * s.head_dim, s.kv_heads * s.head_dim, s.kv_heads * s.head_dim))
        gate, up = theirs["gate_up"].chunk(2)
        for part, name, value in ((layer.self_attn, "q_proj", q), (layer.self_attn, "k_proj", k), (layer.self_attn, "v_proj", v),
                                  (layer.self_attn, "o_proj", theirs["o"] / size), (layer.mlp, "gate_proj", gate), (layer.mlp, "up_proj", up),
                                  (layer.mlp, "down_proj", theirs["down"] / size)):
            getattr(part, name).weight.copy_(value)
        layer.input_layernorm.weight.copy_(theirs["before_attention"])
        layer.post_attention_layernorm.weight.copy_(theirs["before_mlp"])
        layer.hidden_layernorm.weight.copy_(rows.square().mean(1).sqrt().median() / final)
        layer.final_layernorm.weight.copy_(final)
        layer.input_proj.weight.zero_()[:, s.hidden:] = torch.eye(s.hidden)


def options(parser):
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--row", type=int, default=states.ROW)
    parser.add_argument("--block-tokens", type=int, default=1_000_000)
    parser.add_argument("--passes", type=int, default=2, help="epochs over a block before the next one")
    parser.add_argument("--first-block", type=int, default=0, help="where the run begins in the text: a later run on text that no earlier one saw")
    parser.add_argument("--keep-blocks", type=int, default=1, help="blocks of states on the disk at once")
    parser.add_argument("--like", type=int, nargs="*", help="the target's layers as which the layers of eagle3, dflash, domino and mtp begin (its last ones; nothing: random, of mtp the last one)")
    parser.add_argument("--width", type=int, default=128, help="of small")
    parser.set_defaults(target_distribution=True, draft_vocab=8192, rows=8, micro=2, anchors=32, taps=list(states.TAPS))


def main():
    args = arguments(METHODS, options)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    out = args.work / (args.name or args.method)
    out.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(args.corpus)
    whole = read(args.target, args.device)
    target = stand_in(whole)
    chosen = settings(args, target_sha256=digest(args.target), text_seed=corpus.sha256, text_tokens=len(corpus.ids))
    latest = out / "latest.pt"
    saved = torch.load(latest, map_location=args.device) if latest.exists() else None
    if saved:
        same_run(saved["args"], chosen, out, "--name NAME")
    count = len(states.blocks(corpus, args.block_tokens))

    def folder_of(turn):
        return states.ensure(args.target, corpus, args.work, (turn + args.first_block) % count, args.block_tokens, args.keep_blocks, args.row, args.taps, args.device)

    head = build(args, target, corpus)
    reads_taps = hasattr(head, "fc")
    scale = None
    if reads_taps:
        scale = saved["state"]["scale"] if saved else tap_scale(folder_of(0), len(args.taps) * target.config.hidden_size)
    if args.method in ("dflash", "domino") and not saved:
        begin_mask(head, folder_of(0), target.model.norm.weight, target.config.hidden_size)
    if args.method in ("dflash", "domino") and not saved:
        last = range(whole.shape.layers - len(head.layers), whole.shape.layers)
        begin_layers(head, whole, last if args.like is None else args.like, scale)
    if args.method == "eagle3" and args.like != [] and not saved:
        begin_eagle3(head, whole, args.like[0] if args.like else whole.shape.layers - 1, scale)
    if args.method == "mtp" and not saved:
        begin_mtp(head, whole, args.like[0] if args.like else whole.shape.layers - 1, folder_of(0), len(args.taps))
    del whole
    if args.init and not saved:
        adopt(head, args.init)
        if reads_taps:
            with torch.no_grad():
                head.fc.weight.mul_(scale)
    head.to(args.device)
    optimiser = HeadOptimiser(head, args.muon, args.adam, 0.5 if args.method == "eagle3" else 1.0)
    state = {"step": 0, "positions": 0, "seconds": 0.0, "epoch_tokens": len(corpus.ids), "scale": scale}
    if saved:
        head.load_state_dict(saved["drafter"])
        optimiser.load(saved["optimiser"])
        state = saved["state"]
        print("resumed at step", state["step"], flush=True)
    inverse = (1 / scale).to(args.device, torch.bfloat16) if reads_taps else None

    def batches(rng):
        turn = state["positions"] // (args.block_tokens * args.passes)
        while True:
            samples = Samples(folder_of(turn), target.config.hidden_size, args.taps, args.taps, args.device, args.row)
            yielded = False
            for _ in range(args.passes):
                for batch in samples.epoch(args.micro, rng):
                    yielded = True
                    if reads_taps:
                        batch.features = batch.features * inverse
                    yield batch
            if not yielded:
                raise SystemExit(f"{args.work}/states: no shard fills {args.micro} rows of {args.row} tokens: a smaller --micro, or more text")
            turn += 1

    def finish():
        if reads_taps:
            with torch.no_grad():
                head.fc.weight.div_(scale.to(args.device))

    fit(args, head, optimiser, state, batches, target.model.embed_tokens.weight, chosen, out, finish)


if __name__ == "__main__":
    main()

"""Train one head for a real target on text that it wrote, with the classes and the loop of train_drafter.py.

    python -m smollm2.train --method eagle3 --target FILE.gguf --corpus smollm2/corpus --work W --steps 1500
    python -m qwen.train --method eagle3 --target FILE.gguf --corpus qwen/corpus --work W --steps 1500

METHOD is eagle3, dflash, domino, medusa, mtp or small, of the qwen heads one of the first three. What differs between targets is in their about.py. Options, checkpoints, curve
and resumption are those of train_drafter.py; rows have 512 tokens, 8 a step. States come block by block, each block for --passes epochs, so that they are computed once for several.
EAGLE-3, DFlash and Domino rank the --draft-vocab ids that are most frequent in the corpus's answers; Medusa's heads and MTP rank all, their losses
know those (MTP's a few others too). The mask of DFlash and Domino is an id that the target has to spare, or a row of the head's own. small is a Qwen3 model of width 128 with this
tokenizer, distilled; its embedding starts as the target's in 128 dimensions.
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
from heads import regression
from model import Config, Qwen3, document_bias
from runs import digest, same_run, settings
from train_drafter import HeadOptimiser, Samples, adopt, arguments, fit

ROW = 512


class Small(Qwen3):
    """A student whose loss is half the text's and half the target's distribution, at the tokens of answers."""

    def __init__(self, shape, about):
        super().__init__(shape)
        self.geometry, self.config = shape, {**hf_config(shape, about.end_of_turn, about.end_of_text), "bos_token_id": about.start_of_turn}

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


def stand_in(target, ffn=None, kv_heads=None):
    """What the heads' classes ask of a target: its geometry, of which `ffn` and `kv_heads` are theirs where they are given, and its table."""
    s = target.shape
    config = Config(s.vocab, s.hidden, ffn or s.ffn, s.layers, s.heads, kv_heads or s.kv_heads, s.head_dim, s.eps, s.rope_theta)
    return SimpleNamespace(config=config, context=s.context,
                           model=SimpleNamespace(embed_tokens=SimpleNamespace(weight=target.embedding), norm=SimpleNamespace(weight=target.norm)))


def frequent(corpus, size, vocab, forced):
    """The `size` ids most frequent in answers (ties to the lower id), the forced ones among them; and the share of the answers' tokens that they are."""
    counts = np.zeros(vocab, np.int64)
    for ids in corpus.answers():
        counts += np.bincount(ids, minlength=vocab)
    total, kept = counts.sum(), counts.copy()
    kept[list(forced)] = counts.max() + 1
    ids = np.argsort(-kept, kind="stable")[:size]
    return sorted(ids.tolist()), float(counts[ids].sum() / total)


def build(args, about, target, corpus):
    if args.method == "small":
        head = Small(Config(target.config.vocab_size, args.width, args.width * 8 // 3 // 32 * 32, args.layers, args.width // 64, max(1, args.width // 128), 64,
                            target.config.rms_norm_eps, target.config.rope_theta), about)
    elif args.method == "medusa":
        head = CLASSES["medusa"](medusa_config(target, args.heads))
    elif args.method == "mtp":
        head = CLASSES["mtp"](mtp_config(target, "llama"))
    elif args.method == "eagle3":
        head = CLASSES["eagle3"](eagle3_config(target, args.taps, args.draft_vocab, about.end_of_turn, about.end_of_text))
    elif args.method == "dflash":
        head = CLASSES["dflash"](block_config(target, args.taps, about.mask, args.layers, args.block, args.draft_vocab))
    else:
        head = CLASSES["domino"](domino_config(target, args.taps, about.mask, args.layers, args.block, args.gru, args.rank, args.prefix, args.shift_label, args.draft_vocab))
    if args.method != "small":
        ids, share = frequent(corpus, args.draft_vocab, target.config.vocab_size, (about.end_of_turn, about.end_of_text))
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


def stored_rows(folder, part=slice(None), samples=8000):
    """Some rows of the first shard's states, f32; part: which of their columns."""
    stored = np.load(min(folder.glob("features_*.npy")), mmap_mode="r")
    rows = np.array(stored[:: max(1, len(stored) // samples)])
    rows = np.ascontiguousarray(rows.reshape(len(rows), -1)[:, part])
    return torch.from_numpy(rows.view(np.int16)).view(torch.bfloat16).float()


def usual(rows):
    """Which rows are no first ones of a text, whose states are a hundredfold of the others'."""
    size = rows.norm(dim=1)
    return size < 5 * size.median()


def tap_scale(folder, width, samples=8000):
    """The root mean square of every dimension of the taps (width), over tokens of the first shard but the few that are not usual().
    Dimensions and taps differ by a thousand, so that a projection that reads them as they are hears a few; the heads are trained on taps divided
    by this, and it is multiplied into `fc` for the export."""
    rows = stored_rows(folder, slice(width), samples)
    return rows[usual(rows)].pow(2).mean(0).sqrt().clamp(min=1e-3)


def begin_mask(head, folder, norm, width, samples=8000):
    """The mask begins as what the target says on average: the mean of its final states before the norm's weights, as long as a token's row.
    Its logits are then nearly the logarithms of how frequent tokens are; a random row begins at a loss of 13."""
    mean = (stored_rows(folder, slice(-width, None), samples) / norm.float()).mean(0)
    with torch.no_grad():
        size = head.mask_embedding.pow(2).mean().sqrt()
        head.mask_embedding.copy_(mean * (size / mean.pow(2).mean().sqrt()))


def unit(rows, eps):
    return rows * torch.rsqrt(rows.pow(2).mean(-1, keepdim=True) + eps)


def constant(rows, ridge=0.01):
    """u (hidden) such that u · x is as near to 1 as can be for the rows x (n, hidden), and how far it stays off (root mean square). Heads have no
    biases; W x + b is (W + b u) x where a layer reads such rows."""
    gram = rows.T @ rows + ridge * len(rows) * torch.eye(rows.shape[1])
    u = torch.linalg.solve(gram, rows.sum(0))
    return u, float((1 - rows @ u).pow(2).mean().sqrt())


def widest(theirs, rows, count):
    """Which `count` neurons of a target's MLP say most where it reads `rows` (n, hidden) of unit scale, ascending; all of them, where it has no more."""
    gate, up = theirs["gate_up"].float().chunk(2)
    if count == len(gate):
        return torch.arange(count)
    x = rows * theirs["before_mlp"]
    said = (F.silu(x @ gate.T) * (x @ up.T)).pow(2).mean(0) * theirs["down"].float().pow(2).sum(0)
    return said.topk(count).indices.sort().values


def begin_mlp(mlp, theirs, rows):
    """A head's MLP as the target's, or as the part of it that says most."""
    kept = widest(theirs, rows, mlp.up_proj.weight.shape[0])
    gate, up = theirs["gate_up"].chunk(2)
    for name, value in (("gate_proj", gate[kept]), ("up_proj", up[kept]), ("down_proj", theirs["down"][:, kept])):
        getattr(mlp, name).weight.copy_(value)


def begin_fc(head, s, scale):
    """The last tap as the target's layers read the stream there, and a little of the others."""
    last = scale[-s.hidden:].to(head.fc.weight.device)
    head.fc.weight.mul_(0.1)[:, -s.hidden:] += torch.diag(last / last.median())


def read_by(head, taps, scale):
    """What a head that begins so reads of stored taps (n, width), at unit scale: (n, hidden); None where there are none."""
    if taps is None:
        return None
    return unit(head.fc((taps[usual(taps)] / scale).to(head.fc.weight.device)), head.geometry.rms_norm_eps).detach()


def attention_of(theirs, s, kv_heads):
    """Query, key and value matrices of a target's layer, f32, with its norm in them, and their biases; for more key/value heads than the target has, each of its own as
    often as it takes."""
    sizes = (s.heads * s.head_dim, s.kv_heads * s.head_dim, s.kv_heads * s.head_dim)

    def several(x):
        return x.view(s.kv_heads, s.head_dim, -1).repeat_interleave(kv_heads // s.kv_heads, 0).flatten(0, 1)

    q, k, v = (theirs["qkv"].float() * theirs["before_attention"]).split(sizes)
    bias_q, bias_k, bias_v = theirs.get("qkv_bias", torch.zeros(sum(sizes), device=q.device))[:, None].split(sizes)
    return (q, several(k), several(v)), (bias_q, several(bias_k), several(bias_v))


def begin_layers(head, target, like, scale, taps=None):
    """The layers of a block head begin as the target's layers `like` (one each), reading the last tap as those read the stream there. A layer's
    norm goes into its query, key and value matrices, because a head has one norm for what all of its layers read of the context. So does the bias
    of its values; those of queries and keys, which a head's own norms would scale, are left out. taps: stored ones (n, width), which a target with biases
    or with wider MLPs needs."""
    if not like:
        return
    s = target.shape
    with torch.no_grad():
        begin_fc(head, s, scale)
        rows = read_by(head, taps, scale)
        for layer, i in zip(head.layers, like, strict=True):
            theirs = target.layers[i]
            (q, k, v), biases = attention_of(theirs, s, head.geometry.num_key_value_heads)
            if "qkv_bias" in theirs:
                v = v + biases[2] * constant(rows)[0]
            for name, value in (("q_proj", q), ("k_proj", k), ("v_proj", v), ("o_proj", theirs["o"])):
                getattr(layer.self_attn, name).weight.copy_(value)
            begin_mlp(layer.mlp, theirs, rows)
            layer.post_attention_layernorm.weight.copy_(theirs["before_mlp"])


def begin_eagle3(head, target, like, scale, taps=None, biases="qkv"):
    """EAGLE-3's layer begins as the target's layer `like` on the feature, which is the last tap, and as its first layer on the token. biases: which of
    the former's go into the matrices; the first layer's, of a hundred and more, are left out. taps: as of begin_layers()."""
    s, m = target.shape, head.midlayer
    theirs, first, kv_heads = target.layers[like], target.layers[0], head.geometry.num_key_value_heads
    with torch.no_grad():
        begin_fc(head, s, scale)
        rows, u = read_by(head, taps, scale), None
        if "qkv_bias" in theirs and biases:
            u, off = constant(rows)
            print(f"biases of layer {like} ({biases}) in matrices: what stands for 1 is off by {off:.3f}", flush=True)
        for letter, token, feature, bias in zip("qkv", attention_of(first, s, kv_heads)[0], *attention_of(theirs, s, kv_heads)):
            if u is not None and letter in biases:
                feature = feature + bias * u
            getattr(m.self_attn, f"{letter}_proj").weight.copy_(torch.cat((token, feature), 1))
        m.self_attn.o_proj.weight.copy_(theirs["o"])
        begin_mlp(m.mlp, theirs, rows)
        m.post_attention_layernorm.weight.copy_(theirs["before_mlp"])
        head.norm.weight.copy_(target.norm)


def begin_mtp(head, target, like, folder, taps, samples=8000):
    """MTP's layer begins as the target's layer `like` once more, on the stream that left the last one. The state's norm undoes the weights of the
    target's final norm; the stream so comes at unit scale, and what the layer adds to it is made as much smaller. Nothing of the token at first."""
    s, layer = target.shape, head.mtp_layers[0]
    theirs = target.layers[like]
    rows = stored_rows(folder, slice(-s.hidden, None), samples)
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


def options(about):
    def more(parser):
        parser.add_argument("--corpus", type=Path, required=True)
        parser.add_argument("--row", type=int, default=ROW)
        parser.add_argument("--block-tokens", type=int, default=1_000_000, help="of a block, where the corpus has none of its own")
        parser.add_argument("--passes", type=int, default=2, help="epochs over a block before the next one")
        parser.add_argument("--first-block", type=int, default=0, help="where the run begins in the text: a later run on text that no earlier one saw")
        parser.add_argument("--keep-blocks", type=int, default=1, help="blocks of states on the disk at once")
        parser.add_argument("--like", type=int, nargs="*", help="the target's layers as which the layers of eagle3, dflash, domino and mtp begin (its last ones; nothing: random, of mtp the last one)")
        parser.add_argument("--solve", action="store_true", help="eagle3 begins as what a linear map of taps and token says of the next state (regression.py), not as a layer")
        parser.add_argument("--biases", default="qkv", help="which biases of the target's layer go into eagle3's matrices as it begins: letters of qkv")
        parser.add_argument("--kv-heads", type=int, help="key/value heads of eagle3, dflash and domino (default: as many as the target has, of which they are a multiple)")
        parser.add_argument("--width", type=int, default=128, help="of small")
        parser.set_defaults(target_distribution=True, draft_vocab=8192, rows=8, micro=2, anchors=32, taps=list(about.taps))
        about.options(parser)
    return more


def turn_at(positions, sizes, first, passes):
    """In which turn a run is that has seen so many positions: turn t trains on block (first + t) modulo their number, `passes` times."""
    turn = 0
    while positions >= (whole := sizes[(first + turn) % len(sizes)] * passes):
        positions, turn = positions - whole, turn + 1
    return turn


def begun_as(args, layers):
    """The target's layers (of so many) as which this head's begin; [] where it begins at random."""
    count = {"eagle3": 1, "mtp": 1, "dflash": args.layers, "domino": args.layers}.get(args.method, 0)
    if args.like is None or args.method == "mtp" and not args.like:
        return list(range(layers - count, layers))
    return list(args.like)


def main(about):
    args = arguments(about.methods, options(about))
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    out = args.work / (args.name or args.method)
    out.mkdir(parents=True, exist_ok=True)
    corpus = about.corpus(args.corpus)
    whole = about.weights(args.target, args.device, lambda layers: {0, *begun_as(args, layers)})
    target, like = stand_in(whole, about.ffn, args.kv_heads), begun_as(args, whole.shape.layers)
    chosen = settings(args, target_sha256=digest(args.target), text_seed=corpus.sha256, text_tokens=corpus.tokens, begun_as=like)
    latest = out / "latest.pt"
    saved = torch.load(latest, map_location=args.device) if latest.exists() else None
    if saved:
        same_run(saved["args"], chosen, out, "--name NAME")
    sizes = about.sizes(corpus, args)

    def folder_of(turn):
        return about.states(args, corpus, (turn + args.first_block) % len(sizes))

    def taps_of(scale):
        return stored_rows(folder_of(0), slice(len(scale)), 2000)

    head = build(args, about, target, corpus)
    reads_taps = hasattr(head, "fc")
    scale = None
    if whole.output is not whole.embedding and args.method in ("eagle3", "dflash", "domino"):
        head.target_rows = whole.output[head.draft_ids() if args.method == "eagle3" else head.ranked_ids()]
        if args.method == "eagle3":
            with torch.no_grad():
                head.lm_head.weight.copy_(head.target_rows)
    if reads_taps:
        scale = saved["state"]["scale"] if saved else tap_scale(folder_of(0), len(args.taps) * target.config.hidden_size)
    if args.method in ("dflash", "domino") and not saved:
        if head.mask_id is None:
            begin_mask(head, folder_of(0), target.model.norm.weight, target.config.hidden_size)
        begin_layers(head, whole, like, scale, taps_of(scale))
    if args.method == "eagle3" and like and args.solve and not saved:
        regression.begin(head, whole, like[0], scale, [folder_of(turn) for turn in range(min(args.keep_blocks, len(sizes)))])
    elif args.method == "eagle3" and like and not saved:
        begin_eagle3(head, whole, like[0], scale, taps_of(scale), args.biases)
    if args.method == "mtp" and not saved:
        begin_mtp(head, whole, like[0], folder_of(0), len(args.taps))
    del whole
    if args.init and not saved:
        adopt(head, args.init)
        if reads_taps:
            with torch.no_grad():
                head.fc.weight.mul_(scale)
    head.to(args.device)
    optimiser = HeadOptimiser(head, args.muon, args.adam, 0.5 if args.method == "eagle3" else 1.0)
    state = {"step": 0, "positions": 0, "seconds": 0.0, "epoch_tokens": corpus.tokens, "scale": scale}
    if saved:
        head.load_state_dict(saved["drafter"])
        optimiser.load(saved["optimiser"])
        state = saved["state"]
        print("resumed at step", state["step"], flush=True)
    inverse = (1 / scale).to(args.device, torch.bfloat16) if reads_taps else None

    def batches(rng):
        turn = turn_at(state["positions"], sizes, args.first_block, args.passes)
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

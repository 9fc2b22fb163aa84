"""Micro drafters for tests/engine/golden/micro_qwen3, and what they propose over scripted rounds.

    python goldens_drafters.py                                          check our own drafters against the stored files
    python goldens_drafters.py --write --specforge DIR --deepspec DIR --dart DIR --dflash DIR    make them anew with the public ones
    python goldens_drafters.py --only NAME                              micro_eagle3_norm_output, micro_dflash_some, micro_dspark_gated, micro_dspark_rnn: where
                                                                        speculators 0.9.0 of PyPI is installed, which wants older versions of its own

Random weights never agree with a random target, so the acceptance is scripted: round 0 accepts every draft, round 1
rejects the first one, round 2 keeps what it must show of the state after a rejection.  Every round feeds the real hidden states of
micro_qwen3 for the tokens that were committed.  tests/engine/golden/README.md describes the tensors and says which values come
from which implementation.  DIR is a checkout of sgl-project/SpecForge, deepseek-ai/DeepSpec, fvliang/DART (whose search
is compiled with the ninja of PyPI) or z-lab/dflash (PyPI's dflash 0.1.0, unpacked, will do); nothing of them is copied.
"""
import argparse
import copy
import importlib
import json
import os
import random
import subprocess
import sys
import types
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from drafters import CLASSES, block_config, dart_config, dflash2_config, domino_config, dspark_config, eagle3_config, load_drafter, medusa_config, mtp_config, save_drafter
from drafters.common import Sequence, ranked_ids
from evaluate_drafter import Distribution
from export import load

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "engine" / "golden"
TARGET = GOLDEN / "micro_qwen3"
LOUD = {"embed_proj.2.weight": 40, "markov_head.markov_w2.weight": 5, "prefix_gru.weight_ih_l0": 0.3,
        "candidate_selector.predecessor_codebook": 3, "candidate_selector.successor_codebook": 3}
TAPS, MASK, PROMPT = [0, 1, 2], 505, 9
ZLAB = "z-lab/dflash 0.1.0 (PyPI)"
NORMED = "micro_eagle3_norm_output"                                # in speculators' layout, written by it
SOME = {"micro_dflash_some": None, "micro_dspark_gated": "gated", "micro_dspark_rnn": "rnn"}   # as well: 128 of 512 ids, and the Markov head
DOMINO_SOME = "micro_domino_some"                                   # 128 of 512 ids, in our own layout
ACCEPT = ("all", 0, 2)                                             # scripted: accepted drafts of each round


# ---- bundles ----

def randomise(module, seed):
    """Matrices of unit gain, norms from 0.5 to 1.5: a forgotten one shows.  Heads loud enough to change drafts."""
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in sorted(module.named_parameters()):
            if p.dim() == 2:
                p.copy_(torch.randn(p.shape, generator=g) * LOUD.get(name, 1) / p.shape[1] ** 0.5)
            else:
                p.copy_(0.5 + torch.rand(p.shape, generator=g) if "norm" in name else 0.5 * torch.randn(p.shape, generator=g))
            p.copy_(p.bfloat16().float())
    return module


def domino_variants():
    return [(shift, prefix) for shift in (True, False) for prefix in (0, 1, 2)]


def micro_eagle3(target):
    return dict(eagle3_config(target, TAPS, 128, 502, 500), head_dim=20, intermediate_size=56, max_position_embeddings=256)


def some_ids():
    return sorted(random.Random(8).sample(range(512), 128))


def bundles(target):
    """Folder name -> drafter with random weights."""
    eagle, chosen, made = micro_eagle3(target), some_ids(), {}
    for name, config in (("micro_eagle3", eagle), ("micro_eagle3_norm_first", {**eagle, "norm_before_residual": True}),
                         ("micro_eagle3_fc_norm", {**eagle, "fc_norm": True})):
        made[name] = randomise(CLASSES["eagle3"](config), 21)
        made[name].set_vocabulary(chosen)
    dart = {**dart_config(target, TAPS, 128, 502, 500, 4), **{k: eagle[k] for k in ("head_dim", "intermediate_size", "max_position_embeddings")}}
    made["micro_dart"] = randomise(CLASSES["dart"](dart), 27)
    made["micro_dart"].set_vocabulary(chosen)
    made["micro_dflash"] = randomise(CLASSES["dflash"](block_config(target, TAPS, MASK, 2, 8)), 22)
    made["micro_dflash2"] = randomise(CLASSES["dflash2"](dflash2_config(target, TAPS, MASK, 2, 8, 12, 7)), 29)
    made["micro_domino"] = randomise(CLASSES["domino"](domino_config(target, TAPS, MASK, 2, 5, 24, 16, 1, True)), 23)
    made[DOMINO_SOME] = randomise(CLASSES["domino"](domino_config(target, TAPS, MASK, 2, 5, 24, 16, 1, True, 128)), 30)
    made[DOMINO_SOME].set_vocabulary(chosen)
    made["micro_dspark"] = randomise(CLASSES["dspark"](dspark_config(target, TAPS, MASK, 2, 5, 12)), 24)
    made["micro_medusa"] = randomise(CLASSES["medusa"]({**medusa_config(target, 3), "shared_lm_head": False}), 25)
    made["micro_medusa_shared"] = randomise(CLASSES["medusa"](medusa_config(target, 3)), 26)
    made["micro_mtp"] = randomise(CLASSES["mtp"](dict(mtp_config(target), max_position_embeddings=256)), 28)
    return made


# ---- our own implementation ----

def drafts_of(drafter):
    return min(drafter.longest(), 5 if hasattr(drafter, "midlayer") or hasattr(drafter, "mtp_layers") else 15)


@torch.no_grad()
def rounds(target, drafter, k):
    """Per round: what went in and what came out."""
    rng, out = random.Random(77), {}
    tokens = [rng.randrange(500) for _ in range(PROMPT + 1)]
    out["prompt"] = torch.tensor(tokens[:-1], dtype=torch.int32)
    sequence = Sequence(target, drafter.taps)
    drafter.begin(target)
    seen = sequence.run(tokens[:-1])
    features, hidden = seen.features, seen.hidden
    for number, accept in enumerate(ACCEPT):
        put = lambda name, value: out.__setitem__(f"{number}.{name}", value.contiguous())
        put("anchor", torch.tensor([tokens[-1]], dtype=torch.int32))
        put("features" if features is not None else "hidden", features if features is not None else hidden)
        drafts, _ = drafter.propose(tokens, features, hidden, k, Distribution(0, None))
        put("drafts", torch.tensor(drafts, dtype=torch.int32))
        put("base_logits", torch.stack(list(drafter.base)).float())
        if hasattr(drafter, "fill"):
            put("rows", drafter.shown)
            if drafter.final is not drafter.base:
                put("final_logits", drafter.final)
        if hasattr(drafter, "gru_states"):
            put("gru_states", torch.stack(drafter.gru_states))
        if hasattr(drafter, "confidences"):
            put("confidence", torch.stack(drafter.confidences))
        if hasattr(drafter, "midlayer"):
            put("outputs", torch.cat(drafter.outputs))
        count = k if accept == "all" else accept
        after = rng.randrange(500)
        while count < k and after == drafts[count]:
            after = rng.randrange(500)
        put("committed", torch.tensor(drafts[:count] + [after], dtype=torch.int32))
        seen = sequence.run(tokens[-1:] + drafts)
        sequence.crop(len(tokens) + count)
        tokens = tokens + drafts[:count] + [after]
        features = None if seen.features is None else seen.features[:count + 1]
        hidden = seen.hidden[:count + 1]
    return out


def variant(drafter, shift, prefix):
    drafter.anchor_aligned, drafter.prefix = shift, prefix
    return drafter


def own_goldens(target):
    result = {}
    for name in bundles(target):
        drafter = load_drafter(GOLDEN / name)
        if name == "micro_dflash2":                                # the windows of its other variant are the public implementation's alone
            result[name] = {f"full.{key}": value for key, value in rounds(target, drafter, drafts_of(drafter)).items()}
            continue
        if name != "micro_domino":
            values = rounds(target, drafter, drafts_of(drafter))
            result[name] = over_some(values) if name == DOMINO_SOME else values
            continue
        result[name] = {}
        for shift, prefix in domino_variants():
            values = rounds(target, variant(drafter, shift, prefix), drafts_of(drafter))
            result[name].update({f"shift{int(shift)}_prefix{prefix}.{key}": value for key, value in values.items()})
    if (GOLDEN / NORMED).exists():
        result[NORMED] = both_outputs(target, own_normed(target))
    if (GOLDEN / "micro_dflash_some").exists():                    # the Markov heads of the others are not written here
        result["micro_dflash_some"] = own_some(target)
    return result


def over_some(values):
    return {k: v[:, some_ids()] if k.endswith("_logits") else v for k, v in values.items()}


def own_some(target):
    """Our own drafter with the weights that speculators wrote: 128 ids with output rows of their own."""
    weights = load_file(GOLDEN / "micro_dflash_some" / "model.safetensors")
    drafter = CLASSES["dflash"](block_config(target, TAPS, MASK, 2, 8, 128))
    drafter.target_rows = weights.pop("lm_head.weight").float()
    drafter.load_state_dict({k: v.float() if v.dtype == torch.bfloat16 else v for k, v in weights.items()})
    return over_some(rounds(target, drafter, 7))


def own_normed(target):
    """Our own drafter with the weights that speculators wrote."""
    weights = load_file(GOLDEN / NORMED / "model.safetensors")
    drafter = CLASSES["eagle3"]({**micro_eagle3(target), "norm_before_fc": True})
    assert torch.equal(weights.pop("embed_tokens.weight").float(), target.model.embed_tokens.weight)
    drafter.load_state_dict({k.replace("layers.0.", "midlayer."): v.float() if v.dtype == torch.bfloat16 else v for k, v in weights.items()})
    return drafter


def both_outputs(target, drafter):
    """The next guess reads the state behind the final norm, or the one before it."""
    out = {}
    for variant in ("normed", "raw"):
        drafter.norm_output = variant == "normed"
        out.update({f"{variant}.{key}": value for key, value in rounds(target, drafter, 5).items()})
    return out


# ---- public implementations ----

class Script:
    """micro_qwen3 from transformers with rigged logits, so that a public generation loop accepts what the script says."""

    def __init__(self, golden):
        from transformers import AutoModelForCausalLM
        self.net = AutoModelForCausalLM.from_pretrained(TARGET, dtype=torch.float32, attn_implementation="eager").eval()
        self.golden, self.device, self.model, self.lm_head, self.calls = golden, torch.device("cpu"), self.net.model, self.net.lm_head, -1
        self.blocks = []

    def __call__(self, ids, logits_to_keep=0, **options):
        out = self.net(ids, **options)
        logits = torch.zeros(1, ids.shape[1], self.net.config.vocab_size)
        if self.calls < 0:
            wanted = [int(self.golden["0.anchor"])]
            logits = logits[:, -1:]
        else:
            self.blocks.append(ids[0].tolist())
            committed = self.golden[f"{self.calls}.committed"].tolist()
            wanted = committed + [0] * (ids.shape[1] - len(committed))
        for row, token in enumerate(wanted):
            logits[0, row, token] = 1.0
        self.calls += 1
        out.logits = logits
        return out


@torch.no_grad()
def specforge_block(name, golden, shift=None, prefix=None):
    """SpecForge's DFlash or Domino class through its own spec_generate. It ranks every id: of a head over some, the others have no chance."""
    from specforge.modeling.draft.dflash import DFlashDraftModel
    from specforge.modeling.draft.domino import DominoDraftModel
    from transformers import Qwen3Config
    fields = json.loads((GOLDEN / name / "config.json").read_text())
    if shift is not None:
        fields["dflash_config"].update(shift_label=shift, pure_draft_prefix_len=prefix)
    config = Qwen3Config(**{k: v for k, v in fields.items() if k not in ("architectures", "torch_dtype")})
    config._attn_implementation = "eager"
    net = (DominoDraftModel if shift is not None else DFlashDraftModel)(config).float().eval()
    weights, ids = load_file(GOLDEN / name / "model.safetensors"), None
    if weights.pop("t2d", None) is not None:
        ids = ranked_ids(weights.pop("d2t"))
        rows = weights["embed_proj.2.weight"]
        weights["embed_proj.2.weight"] = rows.new_zeros(config.vocab_size, rows.shape[1]).index_copy_(0, ids, rows)
    found = net.load_state_dict({k: v.float() for k, v in weights.items()}, strict=False)
    assert not found.missing_keys and not found.unexpected_keys, found
    hidden, final, states = [], [], []
    net.register_forward_hook(lambda _m, _i, out: hidden.append(out[0]))
    target = Script(golden)
    if ids is not None:
        every = target.lm_head
        target.lm_head = lambda rows: torch.full_like(logits := every(rows), -1e30).index_copy_(-1, ids, logits[..., ids])
    if shift is not None:
        inner, run_gru = net.apply_logits_head, net._run_gru
        net.apply_logits_head = lambda base, **kw: (final.append(inner(base, **kw)), final[-1])[1]
        net._run_gru = lambda x: (states.append(run_gru(x)), states[-1])[1]
    b, total = fields["block_size"], sum(len(golden[f"{i}.committed"]) for i in range(len(ACCEPT)))
    net.spec_generate(target, golden["prompt"][None].long(), total, None, 0.0)
    out = {}
    for i in range(len(ACCEPT)):
        rows = hidden[i][:b - 1] if shift else hidden[i][1:]
        out[f"{i}.drafts"] = torch.tensor(target.blocks[i][1:], dtype=torch.int32)
        out[f"{i}.rows"], out[f"{i}.base_logits"] = rows, target.lm_head(rows)
        if shift is not None:
            last = (i + 1) * (b - 1) - 1                           # the head is run again for every token; the last run is complete
            out[f"{i}.final_logits"] = final[last][0, 0][:b - 1] if shift else final[last][0, 0][1:]
            out[f"{i}.gru_states"] = states[last][0][:b - 1]
    return out if ids is None else over_some(out)


class SpeculatorsEagle3:
    """speculators' Eagle3DraftModel, asked as our drafters are.

    Its forward is the training-time test: step s moves the tokens s places on, and a column sees its own outputs of the steps before.
    So the newest column drafts a chain where the drafts so far stand behind the text; columns behind it have no state, and it does not
    see them.
    """
    taps, midlayer = TAPS, None                                    # it shows its outputs

    def __init__(self, net):
        self.net = net
        net.norm.register_forward_hook(lambda _m, i, o: self.states.append((o if self.norm_output else i[0])[0]))
        net.lm_head.register_forward_hook(lambda _m, _i, o: self.logits.append(o[0]))

    def begin(self, target):
        self.features = torch.zeros(0, self.net.fc.in_features)
        self.net.config.norm_output = self.norm_output

    def propose(self, tokens, features, hidden, k, distribution):
        self.features = torch.cat((self.features, features))
        known, drafts = len(self.features), []
        padded = F.pad(self.features, (0, 0, 0, k))[None]
        while len(drafts) < k:
            self.states, self.logits = [], []
            ids = torch.tensor([tokens[1:] + drafts + [0] * (k - len(drafts))])
            self.net(padded, ids, torch.zeros_like(ids), ttt_steps=len(drafts) + 1)
            best = int(self.logits[-1][known - 1].argmax())
            drafts.append(best + int(self.net.d2t[best]))
        self.base = torch.stack([logits[known - 1] for logits in self.logits])
        self.outputs = [self.states[0][known - len(features):known]] + [states[known - 1:known] for states in self.states[1:]]
        return drafts, None


@torch.no_grad()
def speculators_eagle3(target):
    """Writes a head as the library does, and gives what that head drafts."""
    from speculators import SpeculatorsConfig, VerifierConfig
    from speculators.models.eagle3 import Eagle3DraftModel, Eagle3SpeculatorConfig
    from speculators.proposals.greedy import GreedyTokenProposalConfig
    from transformers import LlamaConfig
    own = ("architectures", "draft_vocab_size", "eagle_config", "model_type", "norm_before_residual", "torch_dtype")
    layer = LlamaConfig(**{k: v for k, v in micro_eagle3(target).items() if k not in own})
    layer._attn_implementation = "eager"
    proposals = [GreedyTokenProposalConfig(speculative_tokens=5)]
    spoken = SpeculatorsConfig(algorithm="eagle3", proposal_methods=proposals, default_proposal_method="greedy",
                               verifier=VerifierConfig(name_or_path=None, architectures=["Qwen3ForCausalLM"]))
    net = randomise(Eagle3DraftModel(Eagle3SpeculatorConfig(
        transformer_layer_config=layer, draft_vocab_size=128, norm_before_fc=True, norm_output=True, speculators_config=spoken,
        eagle_aux_hidden_state_layer_ids=[tap + 1 for tap in TAPS])), 30).eval()   # it counts the states that enter layers
    net.embed_tokens.weight.copy_(target.model.embed_tokens.weight)
    ids = torch.tensor(some_ids())
    net.d2t.copy_(ids - torch.arange(len(ids)))
    net.t2d[ids] = True
    copy.deepcopy(net).to(torch.bfloat16).save_pretrained(GOLDEN / NORMED)         # of `net` itself this would round the rotations, too
    (GOLDEN / NORMED / "config.py").unlink()                       # the library's own source
    (GOLDEN / NORMED / "model.safetensors").chmod(0o644)
    return both_outputs(target, SpeculatorsEagle3(net))


class SpeculatorsBlock:
    """speculators' DFlash or DSpark model, asked as our drafters are: one anchor, the newest token, behind a text whose rest is padding."""
    fill, taps = None, TAPS                                        # it shows its rows

    def __init__(self, net):
        self.net = net
        if net.config.speculators_model_type == "dspark":
            self.confidences = []

    def begin(self, target):
        self.features = torch.zeros(0, self.net.fc.in_features)

    def propose(self, tokens, features, hidden, k, distribution):
        net, start, block = self.net, len(tokens) - 1, self.net.block_size
        self.features = torch.cat((self.features, features))
        pad = 1 + block                                            # the anchor, and places that the library keeps free behind it
        padded = F.pad(self.features, (0, 0, 0, pad))[None]
        ids = torch.tensor([tokens + [0] * block])
        anchor = torch.zeros_like(ids)
        anchor[0, start] = 1
        rows, base, *_ = net._backbone_forward(padded, ids, anchor, torch.zeros(1, ids.shape[1], rows_of(net)), torch.zeros_like(ids), max_anchors=1)
        first = 0 if net.config.sample_from_anchor else 1
        self.shown, self.base = rows[0, first:first + k], base[0, first:first + k]
        self.final, before, drafts = self.base, [tokens[-1]], []
        if net.config.speculators_model_type == "dspark":
            self.final, self.confidences = self.base.clone(), []
        for i in range(k):
            if self.final is not self.base:
                known = torch.tensor([before])
                seen = self.shown[None, :i + 1]
                self.final[i] += net.markov_head.block_bias(prev_token_ids=known, hidden_states=seen)[0, i]
                latent = net.markov_head.prev_embeddings(known)[0, i]
                self.confidences.append(torch.sigmoid(net.confidence_head(torch.cat((self.shown[i], latent)))))
            best = int(self.final[i].argmax())
            drafts.append(best + int(net.d2t[best]))
            before.append(drafts[-1])
        return drafts, None


def rows_of(net):
    return net.verifier_norm.weight.shape[0]


@torch.no_grad()
def speculators_block(target, name):
    """Writes a head over some ids as the library does, and gives what that head drafts."""
    from speculators import SpeculatorsConfig, VerifierConfig
    from speculators.models.dflash import DFlashDraftModel, DFlashSpeculatorConfig
    from speculators.models.dspark import DSparkDraftModel, DSparkSpeculatorConfig
    from speculators.proposals.greedy import GreedyTokenProposalConfig
    from transformers import Qwen3Config
    markov = SOME[name]
    block = 5 if markov else 8
    own = ("architectures", "block_size", "dflash_config", "model_type", "num_target_layers", "torch_dtype")
    layers = Qwen3Config(**{k: v for k, v in block_config(target, TAPS, MASK, 2, block).items() if k not in own})
    layers._attn_implementation = "eager"
    proposals = [GreedyTokenProposalConfig(speculative_tokens=block if markov else block - 1)]
    spoken = SpeculatorsConfig(algorithm="dspark" if markov else "dflash", proposal_methods=proposals, default_proposal_method="greedy",
                               verifier=VerifierConfig(name_or_path=None, architectures=["Qwen3ForCausalLM"]))
    fields = dict(transformer_layer_config=layers, draft_vocab_size=128, block_size=block, mask_token_id=MASK, speculators_config=spoken,
                  aux_hidden_state_layer_ids=[tap + 1 for tap in TAPS])            # it counts the states that enter layers
    if markov:
        net = DSparkDraftModel(DSparkSpeculatorConfig(**fields, markov_rank=12, markov_head_type=markov))
    else:
        net = DFlashDraftModel(DFlashSpeculatorConfig(**fields))
    net = randomise(net, 31 + list(SOME).index(name)).eval()
    net.embed_tokens.weight.copy_(target.model.embed_tokens.weight)
    ids = torch.tensor(some_ids())
    t2d = torch.zeros(512, dtype=torch.bool)
    t2d[ids] = True
    net.load_vocab_mappings(t2d, ids - torch.arange(len(ids)))
    copy.deepcopy(net).to(torch.bfloat16).save_pretrained(GOLDEN / name)           # of `net` itself this would round the rotations, too
    (GOLDEN / name / "config.py").unlink(missing_ok=True)          # the library's own source
    (GOLDEN / name / "model.safetensors").chmod(0o644)
    return rounds(target, SpeculatorsBlock(net), block if markov else block - 1)


WINDOWS = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 8, "use_sliding_window": True}


class ZlabDFlash2:
    """z-lab's DFlash2DraftModel with its own propose(), asked as our drafters are."""
    fill, taps = None, TAPS                                        # it shows its rows

    def __init__(self, name, more):
        from dflash.model import DFlash2DraftModel
        from transformers import Qwen3Config
        fields = {**json.loads((GOLDEN / name / "config.json").read_text()), **more}
        self.net = DFlash2DraftModel(Qwen3Config(**{k: v for k, v in fields.items() if k not in ("architectures", "torch_dtype")})).float().eval()
        codebooks = ("predecessor_codebook", "successor_codebook")
        self.net.load_state_dict({k + ".weight" * k.endswith(codebooks): v.float() for k, v in load_file(GOLDEN / name / "model.safetensors").items()})

    def begin(self, target):
        from transformers import DynamicCache
        self.cache, self.embedding = DynamicCache(config=self.net.config), target.model.embed_tokens
        self.cache.activate_past_recording()
        self.head = torch.nn.Linear(*reversed(self.embedding.weight.shape), bias=False)
        self.head.weight = self.embedding.weight

    def propose(self, tokens, features, hidden, k, distribution):
        block, start = self.net.block_size, len(tokens) - 1
        ids = torch.tensor([tokens[-1:] + [self.net.mask_token_id] * (block - 1)])
        rows = self.net(target_hidden=features[None], noise_embedding=self.embedding(ids), past_key_values=self.cache, use_cache=True,
                        position_ids=torch.arange(start - len(features), start + block)[None])[:, 1:]
        self.cache.crop(-block)
        scored, argmax = [], torch.argmax
        torch.argmax = lambda scores, dim: (scored.append(scores), argmax(scores, dim=dim))[1]
        drafts, candidates, _ = self.net.propose(rows, ids[:, 0], self.head, 0.0)
        torch.argmax = argmax
        self.shown, self.base = rows[0], self.net.compute_logits(rows, self.head)[0]
        self.final = torch.full_like(self.base, -torch.inf).scatter(1, candidates[0], torch.cat(scored))
        return drafts[0].tolist(), None


def zlab_dflash2(target, name, folder):
    """Layers that see everything, and the first one with a window."""
    sys.path.insert(0, str(folder))
    return {f"{variant}.{key}": value for variant, more in (("full", {}), ("sliding", WINDOWS))
            for key, value in rounds(target, ZlabDFlash2(name, more), 7).items()}


@torch.no_grad()
def specforge_eagle3(name, golden):
    """SpecForge's EAGLE-3 layer, driven as in training: one column more of its own output per draft."""
    os.environ["TORCHDYNAMO_DISABLE"] = "1"                        # its norms are decorated with torch.compile
    from specforge.modeling.draft.llama3_eagle import LlamaForCausalLMEagle3
    from transformers import LlamaConfig
    fields = json.loads((GOLDEN / name / "config.json").read_text())
    config = LlamaConfig(**{k: v for k, v in fields.items() if k not in ("architectures", "torch_dtype")})
    net = LlamaForCausalLMEagle3(config).float().eval()
    weights = {k: v.float() if v.dtype == torch.bfloat16 else v for k, v in load_file(GOLDEN / name / "model.safetensors").items()}
    found = net.load_state_dict(weights, strict=False)
    assert found.missing_keys == ["embed_tokens.weight"] and not found.unexpected_keys, found
    table = load(TARGET).model.embed_tokens.weight
    tokens, features, out = golden["prompt"].tolist(), [], {}
    for i in range(len(ACCEPT)):
        tokens.append(int(golden[f"{i}.anchor"]))
        features.append(golden[f"{i}.features"])
        known = torch.cat(features)
        n = len(known)
        mask = torch.full((n, n), -1e9).triu(1)[None, None]
        cache, g, coming, drafts, logits, outputs = [[], []], net.project_hidden_states(known[None]), tokens[1:], [], [], []
        for step in range(len(golden[f"{i}.drafts"])):
            g = net.backbone(table[torch.tensor(coming)][None], g, cache, mask, torch.arange(n)[None])
            outputs.append(g[0, -len(features[-1]):] if step == 0 else g[0, -1:])
            logits.append(net.compute_logits(g[:, -1:])[0, 0])
            best = int(logits[-1].argmax())
            drafts.append(best + int(net.d2t[best]))
            coming = coming[1:] + drafts[-1:]
        out[f"{i}.drafts"], out[f"{i}.base_logits"] = torch.tensor(drafts, dtype=torch.int32), torch.stack(logits)
        out[f"{i}.outputs"] = torch.cat(outputs)
        tokens += golden[f"{i}.committed"].tolist()[:-1]
    return out


@torch.no_grad()
def deepspec_dspark(name, golden):
    """DeepSpec's Qwen3DSparkModel with its own draft functions."""
    from deepspec.eval.dspark.draft_ops import build_dspark_proposal, forward_dspark_draft_block
    from deepspec.modeling.dspark.qwen3.modeling import Qwen3DSparkModel
    from transformers import DynamicCache, Qwen3Config
    fields = json.loads((GOLDEN / name / "config.json").read_text())
    own = fields.pop("dflash_config")
    config = Qwen3Config(**{k: v for k, v in fields.items() if k not in ("architectures", "torch_dtype")}, **{
        k: own[k] for k in ("mask_token_id", "target_layer_ids")}, num_anchors=4)
    config._attn_implementation = "eager"
    net = Qwen3DSparkModel(config).float().eval()
    table = load(TARGET).model.embed_tokens
    net.initialize_embeddings_and_head(embed_tokens=table, lm_head=table)
    net.load_state_dict({k: v.float() for k, v in load_file(GOLDEN / name / "model.safetensors").items()}, strict=False)
    cache, start, block, out = DynamicCache(), PROMPT, fields["block_size"], {}
    for i in range(len(ACCEPT)):
        ids = torch.tensor([[int(golden[f"{i}.anchor"])] + [own["mask_token_id"]] * (block - 1)])
        rows = forward_dspark_draft_block(net, draft_input_ids=ids, position_ids=torch.arange(200)[None], past_key_values_draft=cache,
                                          target_hidden_states=golden[f"{i}.features"][None], start=start, block_size=block)
        made = build_dspark_proposal(net, draft_input_ids=ids, block_hidden=rows, block_size=block, temperature=0.0,
                                     confidence_threshold=0.0)
        base = net.compute_logits(rows)
        tokens, final = net.sample_draft_tokens(base, first_prev_token_ids=ids[:, 0], hidden_states=rows)
        out[f"{i}.drafts"] = tokens[0].int()
        assert made.verify_input_ids[0, 1:].tolist() == tokens[0].tolist()
        out[f"{i}.rows"], out[f"{i}.base_logits"], out[f"{i}.final_logits"] = rows[0], base[0], final[0]
        out[f"{i}.confidence"] = torch.sigmoid(made.confidence_logits[0])
        start += len(golden[f"{i}.committed"])
    return out


class Dart:
    """The layer and the search of fvliang/DART, without the rest of its package, which wants another transformers."""

    def __init__(self, folder):
        os.environ["TORCHDYNAMO_DISABLE"] = "1"                    # its norms are decorated with torch.compile
        for name in ("dart", "dart.model"):
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [str(Path(folder) / name.replace(".", "/"))]
        self.layer = importlib.import_module("dart.model.llama3_dart").LlamaForCausalLMDart
        self.ngram = importlib.import_module("dart.tree_search.cpplib.cpp_ngram.cpp_ngram").load_cpp_ngram()
        self.search = importlib.import_module("dart.tree_search.cpplib.cpp_search.cpp_search").load_cpp_search()
        self.settings = importlib.import_module("dart.tree_search.tree_search_config").get_config()

    @torch.no_grad()
    def rounds(self, name, golden):
        """All columns anew in every round, with the masks behind the newest."""
        from transformers import LlamaConfig
        fields = json.loads((GOLDEN / name / "config.json").read_text())
        config = LlamaConfig(**{k: v for k, v in fields.items() if k not in ("architectures", "torch_dtype")})
        config.rope_scaling, config.rope_theta, config.pad_token_id = None, fields["rope_theta"], None
        net = self.layer(config).float().eval()
        weights = {k: v.float() if v.dtype == torch.bfloat16 else v for k, v in load_file(GOLDEN / name / "model.safetensors").items()}
        found = net.load_state_dict(weights, strict=False)
        assert found.missing_keys == ["embed_tokens.weight"] and not found.unexpected_keys, found
        table = load(TARGET).model.embed_tokens.weight
        tokens, features, out, raw = golden["prompt"].tolist(), [], {}, []
        net.midlayer.register_forward_hook(lambda _m, _i, rows: raw.append(rows[0]))
        for i in range(len(ACCEPT)):
            tokens.append(int(golden[f"{i}.anchor"]))
            features.append(golden[f"{i}.features"])
            rows = net(torch.cat(features)[None], table[torch.tensor(tokens[1:])][None])
            logits = net.compute_logits(rows)[0]
            best = logits.argmax(-1)
            out[f"{i}.drafts"], out[f"{i}.base_logits"] = (best + net.d2t[best]).int(), logits
            out[f"{i}.outputs"] = raw[-1]
            tokens += golden[f"{i}.committed"].tolist()[:-1]
        return out

    def searches(self, folder):
        """Random distributions, what the released search makes of them, and its n-grams: FOLDER/small.trie and the cases."""
        rng, vocab, stop = random.Random(60), 40, 39
        trie = self.ngram.TrieNgram(3)
        for _ in range(30):
            words = [rng.choice(range(0, vocab, 1 + rng.randrange(3))) for _ in range(40)]
            trie.add_conversation(words + [stop])
        trie.save(str(folder / "small.trie"))
        cases = []
        for width, levels, beam, paths, weight in ((25, 8, 20, 60, 0.5), (5, 4, 20, 60, 0.5), (3, 5, 2, 9, 0.5), (3, 7, 20, 8, 0.0), (8, 3, 4, 30, 2.0)):
            text = [rng.randrange(vocab) for _ in range(4)]
            tokens = [rng.sample(range(vocab), width) for _ in range(levels)]
            distributions = [sorted(torch.softmax(3 * torch.randn(width, generator=torch.Generator().manual_seed(rng.randrange(10**6))), 0).tolist(),
                           reverse=True) for _ in range(levels)]
            search = self.search.Searcher(self.settings["level_weights_func"], self.settings["logit_weights_func"], weight, stop, beam, paths)
            ids, _, mask, depth = search.search(levels, tokens, distributions, trie, text)
            found = [[ids[j] for j in range(1, len(ids)) if mask[i][j]] for i in range(1, len(ids))]
            assert [len(path) for path in found] == list(depth)[1:]
            cases.append({"beam": beam, "paths": paths, "ngram_weight": weight, "stop": stop, "text": text, "tokens": tokens,
                          "probabilities": distributions, "found": sorted(found)})
        context = [[5], [7, 5], [1, 2], [38, 1], [0, 0]]
        shares = [{"context": c, "shares": trie.get_probability(c, list(range(vocab)))[0]} for c in context]
        return {"cases": cases, "shares": shares}


def keep_first_tokens():
    """Newer transformers only crop by a negative count; the public loops pass the length to keep."""
    from transformers import DynamicCache
    crop = DynamicCache.crop
    DynamicCache.crop = lambda cache, length: crop(cache, length - cache.get_seq_length()) if length < cache.get_seq_length() else None


def public_goldens(target, own, dart, dflash):
    """Folder name -> (values of a public implementation, its name)."""
    found = {"micro_dflash2": (zlab_dflash2(target, "micro_dflash2", dflash), "dflash", "DFlash2DraftModel, propose")}
    keep_first_tokens()
    found["micro_dflash"] = (specforge_block("micro_dflash", own["micro_dflash"]), "specforge", "DFlashDraftModel.spec_generate")
    values = {}
    for shift, prefix in domino_variants():
        head = f"shift{int(shift)}_prefix{prefix}."
        golden = {k[len(head):]: v for k, v in own["micro_domino"].items() if k.startswith(head)}
        values.update({head + k: v for k, v in specforge_block("micro_domino", golden, shift, prefix).items()})
    found["micro_domino"] = (values, "specforge", "DominoDraftModel.spec_generate")
    found[DOMINO_SOME] = (specforge_block(DOMINO_SOME, own[DOMINO_SOME], True, 1), "specforge", "DominoDraftModel.spec_generate")
    for name in ("micro_eagle3", "micro_eagle3_fc_norm"):
        found[name] = (specforge_eagle3(name, own[name]), "specforge", "LlamaForCausalLMEagle3.backbone")
    found["micro_dspark"] = (deepspec_dspark("micro_dspark", own["micro_dspark"]), "deepspec", "Qwen3DSparkModel, build_dspark_proposal")
    found["micro_dart"] = (dart.rounds("micro_dart", own["micro_dart"]), "dart", "LlamaForCausalLMDart")
    return found


# ---- files ----

def difference(a, b):
    """Largest difference over the shared tensors; tokens must be equal."""
    gap = 0.0
    for key in a.keys() & b.keys():
        assert a[key].shape == b[key].shape, (key, a[key].shape, b[key].shape)
        if a[key].dtype == torch.int32:
            assert torch.equal(a[key], b[key]), (key, a[key], b[key])
        else:
            known = a[key].isfinite()                              # ids that are no candidates have no score
            assert torch.equal(known, b[key].isfinite()), key
            gap = max(gap, float((a[key] - b[key])[known].abs().max()))
    return gap


def commit(folder):
    return subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


def write(target, specforge, deepspec, dart, dflash):
    for name, drafter in bundles(target).items():
        save_drafter(drafter, GOLDEN / name)
        print(name, (GOLDEN / name / "model.safetensors").stat().st_size, "bytes")
    own = own_goldens(target)
    sys.path[:0] = [specforge, deepspec]
    search = Dart(dart)
    written = [NORMED, *SOME]                                      # by --only
    for name in written:
        own.pop(name, None)
    public = public_goldens(target, own, search, dflash)
    known = json.loads((GOLDEN / "micro_drafters.json").read_text())["origin"]
    origin = {name: known[name] for name in written}
    projects = {"specforge": f"sgl-project/SpecForge {commit(specforge)}", "deepspec": f"deepseek-ai/DeepSpec {commit(deepspec)}",
                "dart": f"fvliang/DART {commit(dart)}", "dflash": ZLAB}
    (GOLDEN / "dart_search.json").write_text(json.dumps(search.searches(GOLDEN / "micro_dart")) + "\n")
    origin["dart_search"] = {"values": f"{projects['dart']}, Searcher and TrieNgram"}
    for name, values in own.items():
        if name in public:
            theirs, project, what = public[name]
            gap = difference(values, theirs)
            assert gap < 1e-4, (name, gap)
            values = {**values, **theirs}
            only = sorted({k.split(".")[-1] for k in values.keys() - theirs.keys()} - {"prompt", "anchor", "committed"})
            origin[name] = {"values": f"{projects[project]}, {what}", "own values": only, "largest difference to our own": gap}
        else:
            origin[name] = {"values": "our own implementation (assets/recipe/drafters)"}
        save_file({k: v.contiguous().clone() for k, v in values.items()}, GOLDEN / f"{name}.golden.safetensors", metadata={"format": "pt"})
        (GOLDEN / f"{name}.golden.safetensors").chmod(0o644)
        print(name, origin[name])
    record = {"torch": torch.__version__, "accept": list(ACCEPT), "origin": origin}
    (GOLDEN / "micro_drafters.json").write_text(json.dumps(record, indent=1) + "\n")


def write_normed(target):
    from importlib.metadata import version
    values = speculators_eagle3(target)
    gap = difference(both_outputs(target, own_normed(target)), values)
    assert gap < 1e-4, gap
    return values, {"values": f"speculators {version('speculators')} (PyPI), Eagle3DraftModel.forward", "own values": [],
                    "largest difference to our own": gap}


def write_some(target, name):
    from importlib.metadata import version
    values = speculators_block(target, name)
    origin = {"values": f"speculators {version('speculators')} (PyPI), {'DSpark' if SOME[name] else 'DFlash'}DraftModel._backbone_forward"
                        + (", MarkovHead, ConfidenceHead" if SOME[name] else ""), "own values": []}
    if not SOME[name]:
        gap = difference(own_some(target), values)
        assert gap < 1e-4, gap
        origin["largest difference to our own"] = gap
    return values, origin


def write_one(target, name, dflash, specforge):
    if name == NORMED:
        return store(name, *write_normed(target))
    if name in SOME:
        return store(name, *write_some(target, name))
    save_drafter(bundles(target)[name], GOLDEN / name)
    drafter = load_drafter(GOLDEN / name)
    values = rounds(target, drafter, drafts_of(drafter))
    origin = {"values": "our own implementation (assets/recipe/drafters)"}
    if name == DOMINO_SOME:
        sys.path.insert(0, specforge)
        keep_first_tokens()
        values = over_some(values)
        theirs = specforge_block(name, values, True, 1)
        gap = difference(values, theirs)
        assert gap < 1e-4, gap
        values = {**values, **theirs}
        origin = {"values": f"sgl-project/SpecForge {commit(specforge)}, DominoDraftModel.spec_generate", "own values": ["features"],
                  "largest difference to our own": gap}
    if name == "micro_dflash2":
        own = {f"full.{key}": value for key, value in values.items()}
        values = zlab_dflash2(target, name, dflash)
        gap = difference(own, values)
        assert gap < 1e-4, gap
        origin = {"values": f"{ZLAB}, DFlash2DraftModel, propose", "own values": [], "largest difference to our own": gap}
    if name == "micro_eagle3_fc_norm":
        sys.path.insert(0, specforge)
        theirs = specforge_eagle3(name, values)
        gap = difference(values, theirs)
        assert gap < 1e-4, gap
        values = {**values, **theirs}
        origin = {"values": f"sgl-project/SpecForge {commit(specforge)}, LlamaForCausalLMEagle3.backbone",
                  "own values": ["features"], "largest difference to our own": gap}
    store(name, values, origin)


def store(name, values, origin):
    save_file({k: v.contiguous().clone() for k, v in values.items()}, GOLDEN / f"{name}.golden.safetensors", metadata={"format": "pt"})
    (GOLDEN / f"{name}.golden.safetensors").chmod(0o644)
    record = json.loads((GOLDEN / "micro_drafters.json").read_text())
    record["origin"][name] = origin
    (GOLDEN / "micro_drafters.json").write_text(json.dumps(record, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", help="write this folder alone, one whose values are our own implementation's, micro_dflash2, micro_eagle3_fc_norm, micro_eagle3_norm_output, micro_dflash_some, micro_domino_some, micro_dspark_gated or micro_dspark_rnn")
    parser.add_argument("--specforge", help="checkout of sgl-project/SpecForge")
    parser.add_argument("--deepspec", help="checkout of deepseek-ai/DeepSpec")
    parser.add_argument("--dart", help="checkout of fvliang/DART")
    parser.add_argument("--dflash", help="checkout of z-lab/dflash")
    args = parser.parse_args()
    torch.set_num_threads(1)
    target = load(TARGET)
    if args.only:
        write_one(target, args.only, args.dflash, args.specforge)
    elif args.write:
        write(target, args.specforge, args.deepspec, args.dart, args.dflash)
    for name, values in own_goldens(target).items():
        gap = difference(values, load_file(GOLDEN / f"{name}.golden.safetensors"))
        print(f"{name}: drafts equal, largest difference {gap:.1e}")
        assert gap < 1e-4


if __name__ == "__main__":
    main()

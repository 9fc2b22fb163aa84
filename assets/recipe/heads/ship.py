"""Trained heads as they ship: ../models/FOLDER/, matrices in 8 bits, with the record of how each was made.

    python -m smollm2.ship --work W --corpus smollm2/corpus --out ../models/smollm2 --fingerprint F --machine '2 virtual cores ...' dflash domino eagle3 medusa
    python -m qwen.ship --work W --corpus qwen/corpus --out ../models/qwen-0.5b --machine '2 virtual cores ...' eagle3=RUN

F is what `speclens check --model smollm2` calls the model's fingerprint; a corpus that the program wrote says it. A matrix NAME (rows, cols) becomes NAME in U8 and NAME_scale in F32 (rows): a
value is (byte - 128) times its row's scale; of fc.weight, whose columns differ a thousandfold as the taps do that it reads, also times NAME_column_scale in F32 (cols). MTP's
input_proj stays in bf16, where one value of a row is far above the others, and `small`, which is a model. What was there of other heads stays; MANIFEST.json is made from what is there then. `speclens export head DIR -o OUT` writes the
official layout.
"""
import argparse
import json
from datetime import date
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from runs import digest, write, write_text

WIDE = ("mask_embedding", "mtp_layers.0.input_proj.weight")
UNEVEN = ("fc.weight",)              # columns that differ a thousandfold
NOTHING = "trained from nothing"
IDS = {"d2t": "the ids most frequent in the answers", "t2d": "the ids most frequent in the answers"}
ORIGINS = {
    "eagle3": {**IDS, "lm_head.weight": "initialised from the target's output rows of its ids, then trained",
               "norm.weight": "initialised from the target's final norm, then trained",
               "fc.weight": "initialised as the last tap and a little of the others, then trained"},
    "dflash": {**IDS, "norm.weight": "initialised from the target's final norm, then trained",
               "mask_embedding": "initialised from the mean of the target's final states, then trained",
               "fc.weight": "initialised as the last tap and a little of the others, then trained"},
    "medusa": {},
    "mtp": {"mtp_layers.0.input_proj.weight": "initialised as the state alone, then trained",
            "mtp_layers.0.hidden_layernorm.weight": "initialised from the target's final norm, which it undoes, then trained",
            "mtp_layers.0.final_layernorm.weight": "initialised from the target's final norm, then trained"},
    "small": {"model.embed_tokens.weight": "initialised from the target's table in the directions in which its rows differ most, then trained"},
}
ORIGINS["domino"] = ORIGINS["dflash"]
COPIED = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "post_attention_layernorm")


def origin(method, name, like, part=False, solve=False):
    """Where a tensor began; like: the target's layers that the head's layers began as; part: their MLPs are narrower than those; solve: it began as regression.py says."""
    parts = name.split(".")
    if solve and (name == "fc.weight" or parts[-2:-1] == ["down_proj"]):
        return "solved for by least squares, then trained"
    if solve and len(parts) > 1 and parts[-2] in ("q_proj", "k_proj", "v_proj", "o_proj"):
        return f"solved for by least squares, of each seven key/value heads one initialised from the target's layers {like[0]} and 0, then trained"
    if part and like and len(parts) > 1 and parts[-2] in ("gate_proj", "up_proj", "down_proj"):
        return origin(method, name, like).replace("the target's", "what says most of the target's")
    if method in ("dflash", "domino") and parts[0] == "layers" and parts[-2] in COPIED and int(parts[1]) < len(like):
        return f"initialised from the target's layer {like[int(parts[1])]}, then trained"
    if method == "eagle3" and like and parts[0] == "midlayer" and parts[-2] in COPIED:
        both = parts[-2] in ("q_proj", "k_proj", "v_proj")
        return f"initialised from the target's layer {like[0]}{' (on the feature) and 0 (on the token)' if both else ''}, then trained"
    if method == "mtp" and parts[-2] in (*COPIED, "input_layernorm"):
        return f"initialised from the target's layer {like[0] if like else 'before its final norm'}, then trained"
    return ORIGINS[method].get(name, NOTHING)


def narrow(matrix):
    """A matrix as bytes and scales, the largest of a row at +-127."""
    wide = matrix.float()
    scale = wide.abs().amax(1).clamp(min=1e-30) / 127
    return (torch.round(wide / scale[:, None]) + 128).to(torch.uint8), scale


def in_bytes(weights):
    out = {}
    for name, value in weights.items():
        if value.dim() == 2 and value.is_floating_point() and value.shape[1] > 1 and name not in WIDE:
            if name in UNEVEN:
                column = value.float().pow(2).mean(0).sqrt().clamp(min=1e-30)
                value, out[name + "_column_scale"] = value.float() / column, column
            out[name], out[name + "_scale"] = narrow(value)
        else:
            out[name] = value
    return {k: v.contiguous() for k, v in out.items()}


def curve(path, points=40):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    keep = sorted({round(i) for i in np.linspace(0, len(rows) - 1, min(points, len(rows)))})
    return [{k: v for k, v in rows[i].items() if k not in ("norm", "per_cpu_second", "seconds")} for i in keep]


def lineage(work, name):
    """The runs that a head went through, the first one first."""
    args = torch.load(work / name / "latest.pt", map_location="cpu")
    settings, state = {"target_distribution": args["args"].get("target_law"), **args["args"]}, args["state"]  # the older name of the option
    run = {"run": name, "steps": state["step"], "positions": state["positions"], "seconds of the processor": round(state["seconds"]), "seed": settings["seed"],
           "options": {k: settings[k] for k in ("block", "anchors", "rows", "muon", "adam", "test_steps", "decay", "layers", "base_rho", "target_distribution", "like", "begun_as", "biases", "solve", "kv_heads", "passes") if k in settings},
           "corpus sha256": settings["text_seed"], "corpus tokens": settings["text_tokens"], "curve": curve(work / name / "curve.jsonl")}
    first = Path(settings["init"]) if settings.get("init") and settings["init"] != "None" else None
    if not first:
        return [run]
    if (work / first.parent.name / "latest.pt").exists():
        return lineage(work, first.parent.name) + [run]
    record = first.parent / "MANIFEST.json"                # begun from a head that ships
    return (json.loads(record.read_text())["heads"][first.name]["runs"] if record.exists() else []) + [run]


def ship(work, name, method, out, fingerprint, part=False):
    source, folder = work / name / "export", out / method
    folder.mkdir(parents=True, exist_ok=True)
    config = {**json.loads((source / "config.json").read_text()), "target_fingerprint": fingerprint}
    weights = load_file(source / "model.safetensors")
    stored, runs = weights if method == "small" else in_bytes(weights), lineage(work, name)       # a model's own matrices stay in bf16
    write_text(folder / "config.json", json.dumps(config, indent=2) + "\n")
    write(folder / "model.safetensors", lambda part: save_file(stored, part, metadata={"format": "pt"}))
    (folder / "model.safetensors").chmod(0o644)
    first = runs[0]["options"]
    like, solve = first.get("begun_as", first["like"]) or [], first.get("solve", False)
    return {
        "parameters": sum(v.numel() for v in weights.values() if v.is_floating_point()),
        "bytes": (folder / "model.safetensors").stat().st_size,
        "sha256": {file: digest(folder / file) for file in ("config.json", "model.safetensors")},
        "runs": runs,
        "tensors": {k: f"{list(v.shape)}, {'u8 and scales' if k + '_scale' in stored else str(v.dtype).split('.')[1]}; {origin(method, k, like, part, solve)}"
                    for k, v in sorted(weights.items())},
    }


def main(about):
    parser = argparse.ArgumentParser()
    parser.add_argument("heads", nargs="+", help="METHOD or METHOD=RUN, the folder under --work")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fingerprint", help="of the target; what the corpus says by default, where it says one")
    parser.add_argument("--machine", required=True)
    args = parser.parse_args()
    path = args.out / "MANIFEST.json"
    record = json.loads(path.read_text()) if path.exists() else {"heads": {}}
    corpus = about.corpus(args.corpus)
    fingerprint = args.fingerprint or getattr(corpus, "fingerprint", None)
    if not fingerprint:
        parser.error(f"{args.corpus} does not say who wrote it: give --fingerprint")
    for head in args.heads:
        method, _, run = head.partition("=")
        record["heads"][method] = {"date": str(date.today()), "machine": args.machine, **ship(args.work, run or method, method, args.out, fingerprint, about.ffn is not None)}
    record = {
        "schema": "speclens-heads/1", "target": about.target,
        "target_fingerprint": fingerprint, "made_by": f"assets/recipe/{about.package}", "licence": "Apache-2.0",
        "text": {"conversations": len(corpus), "tokens": corpus.tokens, "sha256": corpus.sha256, "written by": "the target itself"},
        "heads": {k: record["heads"][k] for k in sorted(record["heads"])},
    }
    write_text(path, json.dumps(record, indent=1) + "\n")
    whole = sum(f.stat().st_size for f in args.out.rglob("*") if f.is_file())
    print(f"{args.out}: {', '.join(record['heads'])}; {whole / 2**20:.1f} MiB")
    for method, head in record["heads"].items():
        if head["bytes"] >= 30 * 2**20:
            raise SystemExit(f"{method}: {head['bytes']} bytes, 30 MiB at most")

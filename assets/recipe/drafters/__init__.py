"""The drafters by name, and their files: config.json and model.safetensors with the released tensor names, bf16."""
import json
from pathlib import Path

import torch
from safetensors.torch import load_file

from export import load, write_weights
from runs import write_text

from .dart import Dart, dart_config
from .dflash import DFlash, block_config
from .dflash2 import DFlash2, dflash2_config
from .domino import Domino, domino_config
from .dspark import DSpark, dspark_config
from .eagle3 import Eagle3, eagle3_config
from .medusa import Medusa, medusa_config
from .mtp import Mtp, mtp_config
from .small import Small

CLASSES = {"eagle3": Eagle3, "dflash": DFlash, "domino": Domino, "medusa": Medusa, "dspark": DSpark, "dart": Dart, "mtp": Mtp,
           "dflash2": DFlash2}


def method_of(config):
    """Which class reads this config.json."""
    kind = config["architectures"][0]
    if kind.startswith("Qwen3ForCausalLM"):
        return "small"
    if kind == "MTPDraftModel":
        return "mtp"
    if kind == "LlamaForCausalLMDart":
        return "dart"
    if kind == "LlamaForCausalLMEagle3":
        return "eagle3"
    if kind == "DFlash2DraftModel":
        return "dflash2"
    if "medusa_num_heads" in config:
        return "medusa"
    return {"domino": "domino", "dspark": "dspark"}.get(config["dflash_config"].get("projector_type"), "dflash")


def save_drafter(drafter, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {k: (v if v.dtype in (torch.int64, torch.bool) else v.to(torch.bfloat16)).cpu().contiguous()
               for k, v in drafter.state_dict().items()}
    write_text(folder / "config.json", json.dumps(drafter.config, indent=2) + "\n")
    write_weights(weights, folder)                     # last: whoever finds them finds a whole folder
    return sum(v.numel() for v in weights.values() if v.dtype == torch.bfloat16), (folder / "model.safetensors").stat().st_size


def widen(weights):
    """Tensors as they were before heads/ship.py made bytes of them: NAME (U8, rows x cols), NAME_scale (rows) and, where it is there, NAME_column_scale (cols) are one matrix."""
    out = {k: v for k, v in weights.items() if not k.endswith("_scale")}
    for name in list(out):
        if name + "_scale" in weights:
            columns = weights.get(name + "_column_scale", torch.ones(out[name].shape[1]))
            out[name] = ((out[name].float() - 128) * weights[name + "_scale"][:, None] * columns).to(torch.bfloat16)
    return out


def load_drafter(folder):
    """An exported or a shipped folder, in float32 with bf16-rounded weights.  Unknown or missing tensors are errors."""
    folder = Path(folder)
    config = json.loads((folder / "config.json").read_text())
    method = method_of(config)
    if method == "small":
        return Small(load(folder))
    drafter = CLASSES[method](config)
    weights = widen(load_file(folder / "model.safetensors"))
    drafter.load_state_dict({k: v if v.dtype in (torch.int64, torch.bool) else v.float() for k, v in weights.items()})
    return drafter.eval()

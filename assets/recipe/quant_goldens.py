"""Write tests/kernels/golden/quant_blocks.json: blocks of every quantised type and what the package gguf widens them to.

    python quant_goldens.py           (gguf 0.19, numpy; no network)

Three blocks a type: numbers and scales at random, then with the largest scales there are (the second scale negative),
then with the smallest one and a zero of either sign. Everything is a function of the seed below.
"""
import json
import random
import struct
from importlib.metadata import version
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "kernels" / "golden" / "quant_blocks.json"
SEED = 20
# Where in a block the f16 scales are; all other bytes may be anything.
SCALES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
          "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}
LARGEST, SMALLEST, ZERO, MINUS_ZERO = 65504.0, 2.0 ** -24, 0.0, -0.0


def block_of(name, scales, rng):
    size = GGML_QUANT_SIZES[GGMLQuantizationType[name]][1]
    block = bytearray(rng.randbytes(size))
    for offset, scale in zip(SCALES[name], scales):
        block[offset:offset + 2] = struct.pack("<e", scale)
    return bytes(block)


def main():
    rng = random.Random(SEED)
    blocks = {}
    for name in SCALES:
        choices = ([rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1)], [LARGEST, -LARGEST],
                   [SMALLEST, ZERO] if len(SCALES[name]) > 1 else [MINUS_ZERO])
        blocks[name] = []
        for scales in choices:
            block = block_of(name, scales, rng)
            wide = dequantize(np.frombuffer(block, dtype=np.uint8), GGMLQuantizationType[name])
            blocks[name].append({"stored": block.hex(), "f32": wide.astype("<f4").tobytes().hex()})
    about = f"gguf {version('gguf')}, assets/recipe/quant_goldens.py, seed {SEED}; bytes in hex, f32 little-endian"
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    GOLDEN.write_text(json.dumps({"about": about, "blocks": blocks}, indent=1) + "\n")


if __name__ == "__main__":
    main()

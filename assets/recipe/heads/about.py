"""What the trainer of heads (train.py, ship.py) has to know of a target. smollm2/about.py and qwen/about.py are the two that are there.

A corpus has `tokens`, `sha256`, len() (its texts) and answers(), the ids of every text's answers. Weights are bf16 matrices and f32 vectors: `shape` (a
smollm2.target.Shape), `embedding` and `output` (vocab, hidden; the same where the file has one), `norm`, and `layers`, by number: qkv, o, gate_up, down,
before_attention, before_mlp and, where the target has them, qkv_bias. States are a folder as train_drafter.Samples reads it.
"""
import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class About:
    package: str                                   # its folder here; its heads are in ../models/FOLDER
    folder: str
    target: str                                    # for MANIFEST.json
    methods: tuple
    taps: tuple
    start_of_turn: int
    end_of_turn: int
    end_of_text: int
    corpus: Callable[[Path], object]
    weights: Callable[[Path, str, Callable], object]      # file, device, which(layers): the numbers of those of so many layers that are needed
    sizes: Callable[[object, argparse.Namespace], list]      # corpus, options: tokens of each block of its states
    states: Callable[[argparse.Namespace, object, int], Path]      # options, corpus, block: its folder, made if it is not there
    mask: int | None = None                        # an id that the target never uses; None: heads have a mask of their own
    ffn: int | None = None                         # of the heads' layers; None: the target's
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None

"""What the trainer of heads has to know of SmolLM2-135M-Instruct: see heads/about.py."""
from heads.about import About
from smollm2 import states
from smollm2.corpus import Corpus
from smollm2.target import END_OF_TEXT, END_OF_TURN, START_OF_TURN, read

ABOUT = About(
    package="smollm2", folder="smollm2", target="SmolLM2-135M-Instruct, HuggingFaceTB, Apache-2.0; as the Q4_1 file of QuantFactory has it",
    methods=("eagle3", "dflash", "domino", "medusa", "mtp", "small"), taps=states.TAPS, start_of_turn=START_OF_TURN, end_of_turn=END_OF_TURN, end_of_text=END_OF_TEXT,
    corpus=Corpus, weights=lambda path, device, which: read(path, device),
    sizes=lambda corpus, args: [args.block_tokens] * len(states.blocks(corpus, args.block_tokens)),
    states=lambda args, corpus, block: states.ensure(args.target, corpus, args.work, block, args.block_tokens, args.keep_blocks, args.row, args.taps, args.device))

"""What the trainer of heads has to know of Qwen2.5-Coder-0.5B-Instruct: see heads/about.py."""
from heads.about import About
from qwen import states
from qwen.target import END_OF_TEXT, END_OF_TURN, MASK, START_OF_TURN, read

ABOUT = About(
    package="qwen", folder="qwen-0.5b", target="Qwen2.5-Coder-0.5B-Instruct, Qwen (Alibaba Cloud), Apache-2.0; as its makers' Q4_K_M file has it",
    methods=("eagle3", "dflash", "domino"), taps=states.TAPS, start_of_turn=START_OF_TURN, end_of_turn=END_OF_TURN, end_of_text=END_OF_TEXT, mask=MASK, ffn=1536,
    corpus=states.Corpus, weights=read, sizes=lambda corpus, args: [block.header["tokens"] for block in corpus.blocks], states=states.ensure, options=states.options)

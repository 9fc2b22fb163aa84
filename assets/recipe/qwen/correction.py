"""Train Domino's correction alone for Qwen2.5-Coder-0.5B-Instruct: heads/correction.py says how.

    python -m qwen.correction --method domino --name correction --init ../models/qwen-0.5b/dflash --target G --speclens S --corpus qwen/corpus --work W --anchors 160 --steps 600
"""
from heads.correction import main
from qwen.about import ABOUT

if __name__ == "__main__":
    main(ABOUT)

"""Train one head for Qwen2.5-Coder-0.5B-Instruct: heads/train.py says how.

    python -m qwen.train --method eagle3 --target G --speclens S --corpus qwen/corpus --work W --steps 1500
"""
from heads.train import main
from qwen.about import ABOUT

if __name__ == "__main__":
    main(ABOUT)

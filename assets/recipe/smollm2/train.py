"""Train one head for SmolLM2: heads/train.py says how.

    python -m smollm2.train --method eagle3 --target FILE.gguf --corpus smollm2/corpus --work W --steps 1500
"""
from heads.train import main
from smollm2.about import ABOUT

if __name__ == "__main__":
    main(ABOUT)

"""Trained heads as they ship in ../models/qwen-0.5b/: heads/ship.py says how.

    python -m qwen.ship --work W --corpus qwen/corpus --out ../models/qwen-0.5b --machine '2 virtual cores ...' eagle3
"""
from heads.ship import main
from qwen.about import ABOUT

if __name__ == "__main__":
    main(ABOUT)

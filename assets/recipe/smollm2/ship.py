"""Trained heads as they ship in ../models/smollm2/: heads/ship.py says how.

    python -m smollm2.ship --work W --corpus smollm2/corpus --out ../models/smollm2 --fingerprint F --machine '2 virtual cores ...' dflash domino eagle3 medusa
"""
from heads.ship import main
from smollm2.about import ABOUT

if __name__ == "__main__":
    main(ABOUT)

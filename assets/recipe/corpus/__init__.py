"""The generated corpus: one file per domain, see gen.py for the mixture and the splits."""

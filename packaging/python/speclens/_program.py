"""The command `speclens`: becomes the program that came with the module."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "_program" / "speclens"
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"speclens: {program}: {error.strerror}\n          Install the wheel again: pip install --force-reinstall speclens")

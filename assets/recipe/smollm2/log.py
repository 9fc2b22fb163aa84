"""Files of JSON lines that only grow: each finished thing is a line, written whole; a stop loses what was unfinished."""
import json
from pathlib import Path


def lines(path):
    """What is in the file, without a last line that a stop cut short."""
    path = Path(path)
    if not path.exists():
        return
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.endswith("\n"):
                return
            yield json.loads(line)


class Log:
    """Appends; cuts off an unfinished last line first."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            data = self.path.read_bytes()
            if not data.endswith(b"\n"):
                with open(self.path, "r+b") as file:
                    file.truncate(data.rfind(b"\n") + 1)

    def add(self, **row):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

"""Blocks of a corpus as `speclens sample` writes them (docs/formats.md), read and written here."""
import hashlib
import json
from pathlib import Path

import numpy as np

from runs import write

FORMAT, MOST_TOKENS = b"speclens-corpus/1", 250_000
OF_TEXTS = ("number", "prompt", "answer", "temperature", "domain", "end")


class Block:
    """header: the JSON of the file; ids: those of every text."""

    def __init__(self, header, ids):
        self.header, self.ids = header, ids

    def __len__(self):
        return len(self.ids)

    def text(self, i):
        """All that the header says of a text, its domain and end by name, and its ids."""
        row = {key: self.header[key][i] for key in OF_TEXTS}
        return dict(row, domain=self.header["domains"][row["domain"]], end=self.header["ends"][row["end"]], ids=self.ids[i])

    def part(self, which):
        """A block of these texts alone."""
        header = dict(self.header, **{key: [self.header[key][i] for i in which] for key in OF_TEXTS})
        names = list(dict.fromkeys(self.header["domains"][i] for i in header["domain"]))
        header["domain"] = [names.index(self.header["domains"][i]) for i in header["domain"]]
        ids = [self.ids[i] for i in which]
        return Block(dict(header, domains=names, tokens=sum(map(len, ids))), ids)


def joined(blocks):
    """One block of the texts of several, which were sampled alike."""
    first = blocks[0]
    for other in blocks[1:]:
        for key in ("fingerprint", "weights", "precision", "seed", "top_k", "top_p"):
            if other.header[key] != first.header[key]:
                raise SystemExit(f"blocks differ in their {key}: they belong to different corpora")
    names = list(dict.fromkeys(name for block in blocks for name in block.header["domains"]))
    header = dict(first.header, domains=names, **{key: [x for block in blocks for x in block.header[key]] for key in OF_TEXTS})
    header["domain"] = [names.index(block.header["domains"][i]) for block in blocks for i in block.header["domain"]]
    ids = [text for block in blocks for text in block.ids]
    return Block(dict(header, tokens=sum(map(len, ids))), ids)


def read(path):
    data = Path(path).read_bytes()
    first, _, rest = data.partition(b"\n")
    if not first.startswith(FORMAT + b" "):
        raise SystemExit(f"{path}: is no corpus: `speclens sample` writes them")
    if hashlib.sha256(rest).hexdigest().encode() != first[len(FORMAT) + 1:]:
        raise SystemExit(f"{path}: is damaged: its bytes are not those of its SHA-256")
    head, _, packed = rest.partition(b"\n")
    header = json.loads(head)
    lengths = np.add(header["prompt"], header["answer"])
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")[:lengths.sum() * header["bits"]]
    ids = bits.reshape(-1, header["bits"]).astype(np.uint32) @ (1 << np.arange(header["bits"], dtype=np.uint32))
    return Block(header, np.split(ids.astype(np.int32), np.cumsum(lengths)[:-1]))


def packed(block):
    bits, ids = block.header["bits"], np.concatenate(block.ids).astype(np.uint32)
    rows = (ids[:, None] >> np.arange(bits, dtype=np.uint32) & 1).astype(np.uint8)
    rest = json.dumps(block.header, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" + np.packbits(rows, bitorder="little").tobytes()
    return FORMAT + b" " + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def save(path, block):
    write(Path(path), lambda part: part.write_bytes(packed(block)))


def files(folder):
    """Its blocks in order."""
    return sorted(path for path in Path(folder).glob("*.corpus") if path.stem.isdigit())


def cut(block, most=MOST_TOKENS):
    """Blocks of whole texts, in order, of at most so many tokens."""
    groups, tokens = [[]], 0
    for i, ids in enumerate(block.ids):
        if groups[-1] and tokens + len(ids) > most:
            groups.append([])
            tokens = 0
        groups[-1].append(i)
        tokens += len(ids)
    return [block.part(group) for group in groups]

#!/usr/bin/env python3
"""A worse copy of a GGUF model, as its own draft model: worsened.py IN.gguf OUT.gguf [EVERY]

The down projection of every EVERY-th layer (default 3) is zero there: same vocabulary, other guesses."""
import re
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
every = int(sys.argv[3]) if len(sys.argv) > 3 else 3
at = 0


def read(form):
    global at
    value = struct.unpack_from("<" + form, data, at)
    at += struct.calcsize("<" + form)
    return value[0]


def text():
    global at
    size = read("Q")
    at += size
    return bytes(data[at - size : at]).decode("utf-8", "replace")


SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def value(kind):
    if kind == 8:
        return text()
    if kind == 9:
        inner, count = read("I"), read("Q")
        return [value(inner) for _ in range(count)]
    return read(SIZES[kind])


assert data[:4] == b"GGUF", "no GGUF file"
at = 8
tensors, pairs = read("Q"), read("Q")
alignment = 32
for _ in range(pairs):
    key = text()
    told = value(read("I"))
    if key == "general.alignment":
        alignment = told
places = []
for _ in range(tensors):
    name = text()
    shape = [read("Q") for _ in range(read("I"))]
    read("I")
    places.append((read("Q"), name))
start = (at + alignment - 1) // alignment * alignment
places.sort()
changed = 0
for i, (offset, name) in enumerate(places):
    layer = re.fullmatch(r"blk\.(\d+)\.ffn_down\.weight", name)
    if not layer or int(layer[1]) % every:
        continue
    end = start + places[i + 1][0] if i + 1 < len(places) else len(data)
    data[start + offset : end] = bytes(end - start - offset)
    changed += 1
assert changed, "no layer was changed"
open(sys.argv[2], "wb").write(data)
print(changed, "layers worsened")

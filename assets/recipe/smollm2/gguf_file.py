"""Reads a GGUF (version 2 or 3, little endian) without a package: the machine with the GPU has none. Types: F32, F16, Q4_1, Q8_0.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. A Q4_1 block is 32 weights: scale d and minimum m (f16 each), then 16
bytes whose low halves are the first 16 weights and high halves the last: w = d q + m. A Q8_0 block is d (f16) and 32 int8: w = d q.
"""
import struct

import numpy as np

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9


class Cursor:
    def __init__(self, data, path):
        self.data, self.at, self.path = data, 0, path

    def take(self, form):
        size = struct.calcsize("<" + form)
        if self.at + size > len(self.data):
            raise SystemExit(f"{self.path}: ends within its header: fetch it again")
        self.at += size
        return struct.unpack_from("<" + form, self.data, self.at - size)[0]

    def text(self):
        n = self.take("Q")
        return self.take(f"{n}s").decode()

    def value(self, kind):
        if kind == STRING:
            return self.text()
        if kind == ARRAY:
            inner, count = self.take("I"), self.take("Q")
            return [self.value(inner) for _ in range(count)]
        return self.take(SCALARS[kind])


def q4_1(raw, n):
    blocks = raw.reshape(n // 32, 20)
    scales = blocks[:, :4].copy().view(np.float16).astype(np.float32)
    packed = blocks[:, 4:]
    q = np.concatenate((packed & 15, packed >> 4), 1).astype(np.float32)
    return scales[:, :1] * q + scales[:, 1:]


def q8_0(raw, n):
    blocks = raw.reshape(n // 32, 34)
    return blocks[:, :2].copy().view(np.float16).astype(np.float32) * blocks[:, 2:].view(np.int8).astype(np.float32)


# type: (bytes of 32 weights, widening)
TYPES = {0: (128, lambda raw, n: raw.view(np.float32)), 1: (64, lambda raw, n: raw.view(np.float16).astype(np.float32)), 3: (20, q4_1),
         8: (34, q8_0)}


def read(path, tensors=True):
    """The metadata, and every tensor as f32 with the rows of Hugging Face (the last dimension is the input); {} where no tensors are asked for."""
    data = np.memmap(path, np.uint8, "r")
    cursor = Cursor(data, path)
    if cursor.take("4s") != b"GGUF" or cursor.take("I") not in (2, 3):
        raise SystemExit(f"{path}: is not a GGUF of version 2 or 3: give SmolLM2-135M-Instruct.Q4_1.gguf (`speclens get smollm2` fetches it)")
    count, fields = cursor.take("Q"), cursor.take("Q")
    facts = {}
    for _ in range(fields):
        name = cursor.text()
        facts[name] = cursor.value(cursor.take("I"))
    infos = []
    for _ in range(count):
        name = cursor.text()
        shape = [cursor.take("Q") for _ in range(cursor.take("I"))]
        infos.append((name, shape[::-1], cursor.take("I"), cursor.take("Q")))
    align = facts.get("general.alignment", 32)
    start = (cursor.at + align - 1) // align * align
    widened = {}
    for name, shape, kind, offset in infos if tensors else ():
        if kind not in TYPES:
            raise SystemExit(f"{path}: {name} has the type {kind}; the recipe reads F32, F16, Q4_1 and Q8_0: give SmolLM2-135M-Instruct.Q4_1.gguf")
        n = int(np.prod(shape))
        size, widen = TYPES[kind]
        raw = np.array(data[start + offset:start + offset + n // 32 * size])
        if n % 32 or len(raw) != n // 32 * size:
            raise SystemExit(f"{path}: {name} is cut short: fetch it again")
        widened[name] = widen(raw, n).reshape(shape)
    return facts, widened

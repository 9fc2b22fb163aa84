"""Reads a GGUF (version 2 or 3, little endian) without a package: the machine with the GPU has none. Types: F32, F16, Q4_1, Q5_0, Q8_0, Q4_K, Q6_K.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, of the blocks ggml-common.h there. A Q4_1 block is 32 weights: scale d and minimum m (f16 each), then 16
bytes whose low halves are the first 16 weights and high halves the last: w = d q + m. Q5_0: d, 32 fifth bits, the same 16 bytes: w = d (q - 16). A Q8_0 block is d (f16) and
32 int8: w = d q. Q4_K: 256 weights, d and dmin (f16), eight pairs of 6-bit scale s and minimum m in 12 bytes, 128 bytes of halves, 32 weights a pair: w = d s q - dmin m. Q6_K: 256
weights, 128 bytes of low halves, 64 of the upper two bits, 16 int8 scales s, d (f16): w = d s (q - 32).
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


def q5_0(raw, n):
    blocks = raw.reshape(n // 32, 22)
    fifth = np.unpackbits(blocks[:, 2:6], axis=1, bitorder="little") << 4
    q = np.concatenate((blocks[:, 6:] & 15, blocks[:, 6:] >> 4), 1) | fifth
    return blocks[:, :2].copy().view(np.float16).astype(np.float32) * (q.astype(np.float32) - 16)


def q4_k(raw, n):
    blocks = raw.reshape(n // 256, 144)
    d, least = blocks[:, :4].copy().view(np.float16).astype(np.float32).T[:, :, None, None]
    low, high, both = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = np.concatenate((low & 63, (both & 15) | (low >> 6 << 4)), 1)
    minima = np.concatenate((high & 63, (both >> 4) | (high >> 6 << 4)), 1)
    packed = blocks[:, 16:].reshape(-1, 4, 1, 32)
    q = np.concatenate((packed & 15, packed >> 4), 2).reshape(-1, 8, 32).astype(np.float32)
    return d * scales[:, :, None] * q - least * minima[:, :, None]


def q6_k(raw, n):
    blocks = raw.reshape(n // 256, 210)
    low, high = blocks[:, :128].reshape(-1, 2, 2, 32), blocks[:, 128:192].reshape(-1, 2, 1, 32)
    low = np.stack((low[:, :, 0] & 15, low[:, :, 1] & 15, low[:, :, 0] >> 4, low[:, :, 1] >> 4), 2)
    upper = high >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3
    q = (low | upper << 4).astype(np.float32) - 32
    scales = blocks[:, 192:208].copy().view(np.int8).astype(np.float32).reshape(-1, 2, 4, 2, 1)
    d = blocks[:, 208:].copy().view(np.float16).astype(np.float32).reshape(-1, 1, 1, 1, 1)
    return d * scales * q.reshape(-1, 2, 4, 2, 16)


# type: (weights of a block, its bytes, widening)
TYPES = {0: (32, 128, lambda raw, n: raw.view(np.float32)), 1: (32, 64, lambda raw, n: raw.view(np.float16).astype(np.float32)), 3: (32, 20, q4_1),
         6: (32, 22, q5_0), 8: (32, 34, q8_0), 12: (256, 144, q4_k), 14: (256, 210, q6_k)}


def read(path, tensors=True):
    """The metadata, and tensors as f32 with the rows of Hugging Face (the last dimension is the input): every one (True), none (False), or those that
    the function tensors(name, metadata) accepts."""
    data = np.memmap(path, np.uint8, "r")
    cursor = Cursor(data, path)
    if cursor.take("4s") != b"GGUF" or cursor.take("I") not in (2, 3):
        raise SystemExit(f"{path}: is not a GGUF of version 2 or 3: give the file that the README names (`speclens get` fetches it)")
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
    for name, shape, kind, offset in infos:
        if not (tensors(name, facts) if callable(tensors) else tensors):
            continue
        if kind not in TYPES:
            raise SystemExit(f"{path}: {name} has the type {kind}; the recipe reads F32, F16, Q4_1, Q5_0, Q8_0, Q4_K and Q6_K: give the file that the README names")
        n = int(np.prod(shape))
        weights, size, widen = TYPES[kind]
        raw = np.array(data[start + offset:start + offset + n // weights * size])
        if n % weights or len(raw) != n // weights * size:
            raise SystemExit(f"{path}: {name} is cut short: fetch it again")
        widened[name] = widen(raw, n).reshape(shape)
    return facts, widened

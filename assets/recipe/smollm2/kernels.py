"""kernels.cpp, built once into the work folder and called with tensors. None where there is no compiler: the caller has torch's way."""
import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import torch

SOURCE = Path(__file__).with_name("kernels.cpp")
FLAGS = ["-std=c++20", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]


def build(folder):
    """The library in `folder`, named by its source and flags, so that a changed source is built anew; None without a compiler."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if not compiler:
        return None
    name = hashlib.sha256(SOURCE.read_bytes() + " ".join(FLAGS).encode()).hexdigest()[:16]
    path = Path(folder) / f"kernels_{name}.so"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"part_{os.getpid()}_{path.name}")
        subprocess.run([compiler, *FLAGS, "-o", part, SOURCE], check=True)
        part.replace(path)
    return ctypes.CDLL(str(path))


def pointer(t):
    """t's data; the kernels know no strides."""
    if t is None:
        return ctypes.c_void_p(None)
    assert t.is_contiguous() and t.device.type == "cpu", (t.shape, t.stride(), t.device)
    return ctypes.c_void_p(t.data_ptr())


class Kernels:
    def __init__(self, library):
        self.library = library

    def normalise(self, residual, delta, weight, eps):
        n, width = residual.shape
        out = torch.empty(n, width, dtype=torch.bfloat16)
        self.library.normalise(pointer(residual), pointer(delta), pointer(weight), ctypes.c_float(eps), n, width, pointer(out))
        return out

    def swiglu(self, gate_up):
        n, ffn = gate_up.shape[0], gate_up.shape[1] // 2
        out = torch.empty(n, ffn, dtype=torch.bfloat16)
        self.library.swiglu(pointer(gate_up), n, ffn, pointer(out))
        return out

    @staticmethod
    def keys(keys):
        """Keys (kv_heads, tokens, dim) as `attend` has them: (kv_heads, tokens rounded up to 16, dim) of blocks (dim / 2, 16, 2)."""
        heads, n, dim = keys.shape
        keys = torch.nn.functional.pad(keys, (0, 0, 0, -n % 16))
        return keys.reshape(heads, -1, 16, dim // 2, 2).transpose(2, 3).reshape(heads, -1, dim)

    def attend(self, qkv, cos, sin, keys, values, slot, length, heads):
        _, kv_heads, room, dim = keys.shape
        assert int(length.max()) < room, (room, int(length.max()))
        out = torch.empty(len(qkv), heads * dim, dtype=torch.bfloat16)
        if self.library.attend(pointer(qkv), pointer(cos), pointer(sin), pointer(keys), pointer(values), pointer(slot), pointer(length),
                               len(qkv), heads, kv_heads, dim, room, pointer(out)):
            raise ValueError(f"kernels.cpp attends with three query heads of 64 a key head and a room of 16s, not {heads} of {dim} over {kv_heads}, room {room}")
        return out

    def pick(self, logits, hidden, matrix, temperature, uniform, exact=4.0):
        n, vocab = logits.shape
        out = torch.empty(n, dtype=torch.long)
        self.library.pick(pointer(logits), pointer(hidden), pointer(matrix), pointer(temperature), pointer(uniform),
                          ctypes.c_float(exact), n, vocab, hidden.shape[1], pointer(out))
        return out

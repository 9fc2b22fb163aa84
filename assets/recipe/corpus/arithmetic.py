"""Operands for the mathematics domains, and the rule that keeps some operand pairs out of training."""
from zlib import crc32


def held_out_pair(op, a, b):
    """One pair in twenty of every operation is never trained on."""
    return crc32(f"{op}:{a}:{b}".encode()) % 20 == 0


def apply(op, a, b):
    return {"+": a + b, "-": a - b, "x": a * b, "/": a // b if b else 0}[op]


def note(d, op, a, b):
    """Record one sum for the checks and the split; returns its result."""
    result = apply(op, a, b)
    d.checks.append(("sum", (op, a, b, result)))
    d.held |= held_out_pair(op, a, b)
    return result


def operands(d, op, high=20):
    """Two operands with a result in 0..200; about one in six goes beyond the easy range."""
    if op == "+":
        return d.number(1, high), d.number(1, high)
    if op == "-":
        a = d.number(3, 2 * high)
        return a, d.number(1, min(a - 1, high))
    if op == "x":
        return d.number(2, 12), d.number(2, 12)
    b, q = d.number(2, 12), d.number(2, 12)
    return b * q, b

"""Operands for the mathematics domains, and the rule that keeps some operand pairs out of training."""
from functools import lru_cache

from .grammar import Table, bucket


@lru_cache(None)
def held_out_pair(op, a, b):
    """One pair in ten of every operation is never trained on, in either order where the order does not matter."""
    if op in "+x":
        a, b = min(a, b), max(a, b)
    return bucket(op, a, b, of=10) == 0


def apply(op, a, b):
    return {"+": a + b, "-": a - b, "x": a * b, "/": a // b if b else 0}[op]


def note(d, op, a, b):
    """Record one sum for the checks and the split; returns its result."""
    result = apply(op, a, b)
    d.checks.append(("sum", (op, a, b, result)))
    d.hold("pair", held_out_pair(op, a, b))
    return result


def operands(d, op, high=20, low=1):
    """Two easy operands.  low=2 keeps "1 apples" out of word problems, in the result too."""
    if op == "+":
        return d.number(low, high), d.number(low, high)
    if op == "-":
        a = d.number(max(3, 2 * low), 2 * high)
        return a, d.number(low, min(a - low, high))
    if op == "x":
        return d.number(2, 12), d.number(2, 12)
    b, q = d.number(2, 12), d.number(2, 12)
    return b * q, b


def spread(a_range, b_range, weight, keep=lambda a, b: True, order=lambda a, b: (a, b)):
    """Weights of pairs drawn one after the other, uniformly; (a, b) -> probability."""
    out = {}
    for a in a_range:
        second = [b for b in b_range(a) if keep(a, b)]
        for b in second:
            pair = order(a, b)
            out[pair] = out.get(pair, 0) + weight / len(a_range) / len(second)
    return out


@lru_cache(None)
def sums():
    """The distribution of plain sums (op, a, b).  A table, because easy and wide operands overlap."""
    def down(a, b):
        return (b, a) if b > a else (a, b)

    weights = {}
    for op, share in (("+", 0.4), ("-", 0.27), ("x", 0.2), ("/", 0.13)):
        if op == "x":
            parts = [spread(range(2, 13), lambda a: range(2, 13), 1)]
        elif op == "/":
            parts = [spread(range(2, 13), lambda b: range(2, 13), 1, order=lambda b, q: (b * q, b))]
        else:
            easy = spread(range(1, 21), lambda a: range(1, 21), 0.77) if op == "+" else \
                spread(range(3, 41), lambda a: range(1, min(a - 1, 20) + 1), 0.77)
            parts = [easy, spread(range(20, 151), lambda a: range(1, 21), 0.16),     # as in second steps
                     spread(range(20, 100), lambda a: range(10, 100), 0.07, order=down if op == "-" else lambda a, b: (a, b))]
        for part in parts:
            for (a, b), p in part.items():
                weights[op, a, b] = weights.get((op, a, b), 0) + share * p
    return Table(weights)


@lru_cache(None)
def trained_sums():
    return sums().where(lambda s: not held_out_pair(*s))

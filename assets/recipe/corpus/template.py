"""The template language of grammar.py, parsed."""
import re
from functools import lru_cache

NAMED = re.compile(r"([A-Za-z_0-9]+):")


def parse(text):
    """Template -> list of nodes ('text', s) | ('slot', name) | ('alt', kind, [nodes...], marks, (source...), slot) | ('opt', p, nodes)."""
    pos = 0

    def sequence(stops):
        nonlocal pos
        nodes, literal = [], []

        def flush():
            if literal:
                nodes.append(("text", "".join(literal)))
                literal.clear()

        while pos < len(text) and text[pos] not in stops:
            c = text[pos]
            if c == "{":
                flush()
                pos += 1
                kind = "choice"
                if text[pos] == "*":
                    kind, pos = "stem", pos + 1
                elif text[pos] == "%":
                    kind, pos = "lean", pos + 1
                m = NAMED.match(text, pos) if kind == "lean" else None
                name, pos = (m.group(1), m.end()) if m else (None, pos)
                branches, marks, sources = [], [], []
                while True:
                    mark = text[pos] if text[pos] in "!~" else ""
                    pos += len(mark)
                    marks.append(mark)
                    start = pos
                    branches.append(sequence("|}"))
                    sources.append(text[start:pos])
                    pos += 1
                    if text[pos - 1] == "}":
                        break
                nodes.append(("alt", kind, branches, marks, tuple(sources), name))
            elif c == "[":
                flush()
                pos += 1
                m = re.compile(r"(0\.\d+):").match(text, pos)
                p = 0.35
                if m:
                    p, pos = float(m.group(1)), m.end()
                inner = sequence("]")
                pos += 1
                nodes.append(("opt", p, inner))
            elif c == "$" and pos + 1 < len(text) and text[pos + 1].isalpha():
                flush()
                m = re.compile(r"\$([A-Za-z_0-9]+)").match(text, pos)
                nodes.append(("slot", m.group(1)))
                pos = m.end()
            else:
                literal.append(c)
                pos += 1
        flush()
        return nodes

    nodes = sequence("")
    if pos != len(text):
        raise ValueError(f"unbalanced template: {text!r} at {pos}")
    return nodes


parsed = lru_cache(None)(parse)


def single_words(branches):
    """Are all alternatives one plain word?  Such a choice is one token, or close to it."""
    return all(len(b) == 1 and b[0][0] == "text" and b[0][1].strip().isalpha() for b in branches)

"""Proof that the corpus says true things: sums are recomputed, functions run, JSON parses and fits its schema.
Also the test of one answer against the "check" of a prompt (see prompts.py)."""
import json
import re
import signal
from collections import Counter, defaultdict

from .arithmetic import apply

JSON_TYPES = {"string": str, "integer": int, "boolean": bool}


def run_function(name, source, tests):
    """Execute generated code and its tests in a fresh namespace."""
    scope = {}
    exec(source, scope)
    for arguments, expected in tests:
        got, want = eval(f"{name}({arguments})", scope), eval(expected)
        assert got == want, f"{name}({arguments}) = {got}, expected {want}\n{source}"


def check_call(text, name, schema):
    call = json.loads(text)
    assert call["name"] == name and list(call["arguments"]) == list(schema), text
    for key, kind in schema.items():
        assert type(call["arguments"][key]) is JSON_TYPES[kind], text


class Timeout(Exception):
    pass


def passes(text, tests):
    """Does the first code block define a function that passes the tests?  Runs for at most a second."""
    block = re.search(r"```python\n(.*?)```", text, re.S)
    name = re.search(r"def (\w+)\(", text)
    if not block or not name:
        return False

    def expired(*_):
        raise Timeout

    signal.signal(signal.SIGALRM, expired)
    signal.alarm(1)
    try:
        run_function(name.group(1), block.group(1), tests)
        return True
    except Exception:
        return False
    finally:
        signal.alarm(0)


def right(check, text):
    """Does an answer pass {"contains": text}, {"json": value} or {"python": [[arguments, result], ...]}?"""
    (kind, wanted), = check.items()
    if kind == "contains":
        return wanted in text
    if kind == "python":
        return passes(text, wanted)
    match = re.fullmatch(r"\s*(?:<tool_call>)?(.*?)(?:</tool_call>)?\s*", text, re.S)
    try:
        return json.loads(match.group(1)) == wanted
    except ValueError:
        return False


def check_documents(documents):
    done, seen = Counter(), set()
    for d in documents:
        for kind, payload in d.checks:
            if kind == "sum":
                op, a, b, result = payload
                assert apply(op, a, b) == result and result >= 0 and (op != "/" or a % b == 0), payload
            elif kind == "python":
                if payload[1] not in seen:
                    run_function(*payload)
                    seen.add(payload[1])
            elif kind == "tool":
                check_call(*payload)
            else:
                json.loads(payload)
            done[kind] += 1
        text = d.text
        assert text.endswith(("<|im_end|>", "<|endoftext|>")), text
        assert text.count("<|im_start|>") == text.count("<|im_end|>"), text
        assert "$" not in text and "{*" not in text and "  " not in text.replace("    ", ""), text
        assert d.spans[-1][1] == len(text) and abs(sum(b - a for a, b, _ in d.spans) - len(text)) < 64, text
    print("checked:", dict(done), "distinct functions:", len(seen))


def report(documents):
    rows = defaultdict(lambda: [0, 0, 0.0, Counter()])
    splits = Counter()
    for d in documents:
        row = rows[d.domain]
        row[0] += 1
        row[1] += len(d.text)
        row[2] += d.nll
        for a, b, kind in d.spans:
            row[3][kind] += b - a
        splits[d.split] += 1
    for name, (n, chars, nll, kinds) in rows.items():
        share = " ".join(f"{k} {v / sum(kinds.values()):.2f}" for k, v in sorted(kinds.items()))
        print(f"{name:11s} docs {n:6d}  chars/doc {chars / n:6.1f}  nats/doc {nll / n:6.1f}  characters: {share}")
    print(dict(splits))

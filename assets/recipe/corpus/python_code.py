"""Domain: short Python functions.  Each one is executed with its tests by the checks."""
import re
from functools import lru_cache

from .grammar import rank_weights
from .python_data import FAMILIES as TASKS, HELD_OUT

LISTS = [("numbers", "n"), ("nums", "num"), ("values", "x"), ("items", "item")]
STRINGS = [("text", "c"), ("s", "ch"), ("word", "letter")]
HINT = {"NUMS": "list[int]", "a": "int", "b": "int", "n": "int", "S": "str", "words": "list[str]", "name": "str", "c": "float", "f": "float",
        "width": "int", "height": "int", "d": "dict"}


@lru_cache(None)
def names_pattern():
    return re.compile(r"\b(NUMS|ACC|NAME|N|S|C|I)\b")


def rename(source, names):
    return names_pattern().sub(lambda m: names[m.group(1)], source)


def build(d):
    """Choose a family and its variant; returns (task, name, source, tests)."""
    task, names, params, result, bodies, tests = d.choose(TASKS)
    d.hold("function", task in HELD_OUT)
    name = d.mode(names, rank_weights(len(names)))
    body = d.mode(bodies, rank_weights(len(bodies), 0.9))
    table = {"NAME": name, "I": "i"}
    if "NUMS" in params:                    # drawn only where the text shows it
        table["NUMS"], table["N"] = d.mode(LISTS, rank_weights(len(LISTS), 1.0))
    if "S" in params:
        table["S"], table["C"] = d.mode(STRINGS, rank_weights(len(STRINGS), 1.0))
    else:
        table["C"] = "c"
    if "ACC" in body:
        table["ACC"] = d.mode(accumulators(body), rank_weights(2, 1.0))
    hintable = not (result == "list" and "a" in params)
    typed = hintable and d.maybe(0.18)
    arguments = []
    for p in params:
        shown = rename(p, table)
        hint = HINT.get(p) if typed else None
        arguments.append(f"{shown}: {hint}" if hint else shown)
    arrow = f" -> {result}" if typed else ""
    doc = ""
    if d.maybe(0.2):
        doc = '    """' + task[0].upper() + verb_form(task)[1:] + '."""\n'
    source = f"def {name}({', '.join(arguments)}){arrow}:\n{doc}{rename(body, table)}"
    d.checks.append(("python", (name, source, tests)))
    return task, name, source, tests


def accumulators(body):
    if "ACC = NUMS[0]" in body:
        return "best", "result"
    if "ACC = 0" in body:
        return ("count", "total") if "ACC += 1\n" in body else ("total", "result")
    return "result", "out"


def verb_form(task):
    """'returns the sum' -> 'return the sum', for docstrings and comments."""
    first, rest = task.split(" ", 1)
    base = {"checks": "check", "adds": "add", "reverses": "reverse", "doubles": "double", "multiplies": "multiply",
            "swaps": "swap", "removes": "remove"}.get(first, first.rstrip("s"))
    return f"{base} {rest}"


def ask(d, task, name):
    d.slots.update(task=task, does=verb_form(task), fn=name)
    d.user("{~Write a Python function that $task.|Write a function that $task.|Write a Python function $fn that $task."
           "|Can you write a Python function that $task?|Please write a short Python function that $task."
           "|How do I write a Python function that $task?|~Python function that $task|Show me Python code that $task.|Give me a function that $task.|!I need a function that $task.|!Please implement a Python function that $task.}")


def tests_text(d, name, tests):
    d.fixed("\n\n" + "\n".join(f"assert {name}({a}) == {r}" for a, r in tests))


def code_chat(d):
    task, name, source, tests = build(d)
    ask(d, task, name)
    d.begin("{I write a function named $fn.|The function should be called $fn.}" if d.maybe(0.04) else None)
    d.say("[0.22:{*Here is a function that $task:|Here is the code:|This function $task:}\n\n]")
    d.fixed("```python\n")
    d.fixed(source)
    if d.maybe(0.12):
        tests_text(d, name, tests)
    d.fixed("\n```")
    if d.maybe(0.2):
        d.say("\n\n{*For example, |You can test it: |Example: }")
        a, r = tests[0]
        d.fixed(f"`{name}({a})` returns `{r}`.")
    d.expect = "def "
    d.end()


def code_raw(d):
    task, name, source, tests = build(d)
    if d.maybe(0.4):
        d.fixed(f"# {verb_form(task)[0].upper()}{verb_form(task)[1:]}.\n")
    d.fixed(source)
    if d.maybe(0.3):
        tests_text(d, name, tests)
    d.end_raw()


def code_result(d):
    """What does this call return?"""
    task, name, source, tests = build(d)
    a, r = d.choose(tests)
    d.slots.update(call=f"{name}({a})", result=r, task=task)
    d.fixed("<|im_start|>user\n")
    start = len(d.parts)
    d.in_prompt = True
    d.say("{What does `$call` return?|What is the result of `$call`?|!Which value does `$call` give?}")
    d.in_prompt = False
    d.fixed("\n\n```python\n" + source + "\n```")
    d.question = "".join(d.parts[start:])
    d.fixed("<|im_end|>\n")
    d.begin()
    d.say("{It returns `$result`|The call returns `$result`|The result is `$result`}[0.4:, because the function $task].")
    d.expect = r
    d.end()


FAMILIES = [(code_chat, 0.74), (code_raw, 0.18), (code_result, 0.08)]

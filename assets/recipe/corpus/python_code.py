"""Domain: short Python functions.  Each one is executed with its tests by the checks."""
import re
from functools import lru_cache

from .python_data import FAMILIES as TASKS

LISTS = [("numbers", "n"), ("nums", "num"), ("values", "x"), ("items", "item")]
ACCUMULATORS = {"0": ("total", "result"), "other": ("result", "out")}
STRINGS = [("text", "c"), ("s", "ch"), ("word", "letter")]
HINT = {"NUMS": "list[int]", "a": "int", "b": "int", "n": "int", "S": "str", "words": "list[str]", "name": "str", "c": "float",
        "width": "int", "height": "int", "d": "dict"}


@lru_cache(None)
def names_pattern():
    return re.compile(r"\b(NUMS|ACC|NAME|N|S|C|I)\b")


def rename(source, names):
    return names_pattern().sub(lambda m: names[m.group(1)], source)


def build(d):
    """Choose a family and its variant; returns (task, name, source, tests)."""
    index = d.number(0, len(TASKS) - 1)
    task, names, params, result, bodies, tests = TASKS[index]
    name = d.ranked(names)
    body = d.ranked(bodies, 0.9)
    before = d.nll
    lists, item = d.ranked(LISTS, 1.0)
    if "NUMS" not in params:
        d.nll = before                      # not visible in the text, so not part of its entropy
    before = d.nll
    string, char = d.ranked(STRINGS, 1.0)
    if "S" not in params:
        d.nll = before
    if "ACC = 0" in body and "ACC += 1\n" in body and "for" in body:
        acc = d.ranked(("count", "total"), 1.0)
    elif "ACC = NUMS[0]" in body:
        acc = d.ranked(("best", "result"), 1.0)
    elif "ACC" in body:
        acc = d.ranked(("total", "result") if "ACC = 0" in body else ("result", "out"), 1.0)
    else:
        acc = "result"
    table = {"NUMS": lists, "N": item, "S": string, "C": char, "ACC": acc, "I": "i", "NAME": name}
    typed = d.chance(0.18)
    typed_list = not (result == "list" and "a" in params)
    arguments = []
    for p in params:
        shown = rename(p, table)
        hint = HINT.get(p) if typed and typed_list else None
        arguments.append(f"{shown}: {hint}" if hint else shown)
    arrow = f" -> {result}" if typed and typed_list else ""
    doc = ""
    if d.chance(0.2):
        doc = '    """' + task[0].upper() + verb_form(task)[1:] + '."""\n'
    source = f"def {name}({', '.join(arguments)}){arrow}:\n{doc}{rename(body, table)}"
    d.key = ["code", index, name, bodies.index(body), lists, string, acc, typed, bool(doc)]
    d.checks.append(("python", (name, source, tests)))
    return task, name, source, tests


def verb_form(task):
    """'returns the sum' -> 'return the sum', for docstrings and comments."""
    first, rest = task.split(" ", 1)
    base = {"checks": "check", "adds": "add", "reverses": "reverse", "doubles": "double", "multiplies": "multiply",
            "swaps": "swap", "removes": "remove"}.get(first, first.rstrip("s"))
    return f"{base} {rest}"


def ask(d, task, name):
    d.slots.update(task=task, does=verb_form(task), fn=name)
    d.user("{Write a Python function that $task.|Write a function that $task.|Write a Python function $fn that $task."
           "|Can you write a Python function that $task?|Please write a short Python function that $task."
           "|How do I write a Python function that $task?|Python function that $task|Show me Python code that $task.|Give me a function that $task.}")


def tests_text(d, name, tests):
    d.fixed("\n\n" + "\n".join(f"assert {name}({a}) == {r}" for a, r in tests))


def code_chat(d):
    task, name, source, tests = build(d)
    ask(d, task, name)
    d.begin("{I write a function named $fn.|The function should be called $fn.}" if d.chance(0.04) else None)
    d.say("[0.22:{*Here is a function that $task:|Here is the code:|This function $task:}\n\n]")
    d.fixed("```python\n")
    d.fixed(source)
    if d.chance(0.12):
        tests_text(d, name, tests)
    d.fixed("\n```")
    if d.chance(0.2):
        d.say("\n\n{*For example, |You can test it: |Example: }")
        a, r = tests[0]
        d.fixed(f"`{name}({a})` returns `{r}`.")
    d.expect = "def "
    d.end()


def code_raw(d):
    task, name, source, tests = build(d)
    if d.chance(0.4):
        d.fixed(f"# {verb_form(task)[0].upper()}{verb_form(task)[1:]}.\n")
    d.fixed(source)
    if d.chance(0.3):
        tests_text(d, name, tests)
    d.end_raw()


def code_result(d):
    """What does this call return?"""
    task, name, source, tests = build(d)
    a, r = d.choose(tests)
    d.slots.update(call=f"{name}({a})", result=r, task=task)
    d.fixed("<|im_start|>user\n")
    d.say("{What does `$call` return?|What is the result of `$call`?}")
    d.fixed("\n\n```python\n" + source + "\n```<|im_end|>\n")
    d.begin()
    d.say("{It returns `$result`|The call returns `$result`|The result is `$result`}[0.4:, because the function $task].")
    d.expect = r
    d.end()


FAMILIES = [(code_chat, 0.74), (code_raw, 0.18), (code_result, 0.08)]

"""Domain: short Python functions.  Each one is executed with its tests by the checks."""
import re
from functools import lru_cache

from .grammar import rank_weights
from .python_data import FAMILIES as TASKS, HELD_OUT

LISTS = [("numbers", "n"), ("nums", "num"), ("values", "x"), ("items", "item")]
STRINGS = [("text", "c"), ("s", "ch"), ("word", "letter")]
HINT = {"NUMS": "list[int]", "a": "int", "b": "int", "n": "int", "S": "str", "words": "list[str]", "name": "str", "c": "float", "f": "float",
        "width": "int", "height": "int", "d": "dict"}


def hints_of(task):
    """The type hint of every parameter of a family: by its name, but a list where its tests pass lists."""
    _, _, params, _, _, tests = task
    values = list(zip(*(eval(f"({a},)" if a else "()") for a, _ in tests)))
    return {p: "list[int]" if HINT.get(p) == "int" and all(isinstance(v, list) for v in seen) else HINT.get(p) for p, seen in zip(params, values)}


HINTS = {task[0]: hints_of(task) for task in TASKS}


@lru_cache(None)
def names_pattern():
    return re.compile(r"\b(NUMS|ACC|NAME|N|S|C|I)\b")


def rename(source, names):
    return names_pattern().sub(lambda m: names[m.group(1)], source)


def family(d):
    """Choose what the function does; its name is drawn when the text first shows it.  Returns (task, tests)."""
    d.family_row = d.choose(TASKS)
    task, names, *_, tests = d.family_row
    d.hold("function", task in HELD_OUT)
    d.slots.update(task=task, does=verb_form(task))
    d.lazy(("fn",), lambda: (d.mode(names, rank_weights(len(names))),))
    return task, tests


def function(d):
    """Write the function, one decision after the other as the text needs them."""
    task, names, params, result, bodies, tests = d.family_row
    start = len(d.parts)
    name = d.slot("fn")
    d.fixed("def ")
    d.emit(name, "choice")
    table = {"NAME": name, "I": "i", "C": "c"}
    if "NUMS" in params:                    # drawn only where the text shows it
        table["NUMS"], table["N"] = d.prefer(LISTS, "task", 1.0)        # house style leans on the task
    if "S" in params:
        table["S"], table["C"] = d.prefer(STRINGS, "task", 1.0)
    typed = not (result == "list" and "a" in params) and d.maybe(0.18)
    arguments = []
    for p in params:
        shown = rename(p, table)
        hint = HINTS[task][p] if typed else None
        arguments.append(f"{shown}: {hint}" if hint else shown)
    d.emit(f"({', '.join(arguments)})" + (f" -> {result}:\n" if typed else ":\n"), "choice")
    if d.maybe(0.2):
        d.emit('    """' + task[0].upper() + verb_form(task)[1:] + '."""\n', "opt")
    body = d.mode(bodies, rank_weights(len(bodies), 0.9))
    if "ACC" in body:
        table["ACC"] = d.mode(accumulators(body), rank_weights(2, 1.0))
    d.emit(rename(body, table), "choice")
    d.checks.append(("python", (name, "".join(d.parts[start:]), tests)))


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


def ask(d):
    d.ask("{~Write a Python function that $task.|Write a function that $task.|Write a Python function $fn that $task."
           "|Write a short Python function that $task.|Create a Python function that $task.|Define a function that $task.|Python: a function that $task"
           "|How do I write a Python function that $task?|~Python function that $task|Show me Python code that $task."
           "|Give me a function that $task."
           "|python code: $task|I need Python code that $task.|What does a function look like that $task?|My homework is a function that $task.|I am looking for a function that $task."
           "|Which code do I need? It $task.|Make a Python function that $task.|I want a small program that $task.|Prepare a function that $task.|code for a function that $task"
           "|Is there a function that $task?|In Python, how do I get a function that $task?|!I need a function that $task.|!Implement a Python function that $task.}")


def tests_text(d, tests):
    d.fixed("\n\n" + "\n".join(f"assert {d.slot('fn')}({a}) == {r}" for a, r in tests))


def code_chat(d):
    task, tests = family(d)
    ask(d)
    d.begin("{I write a function named $fn.|The function should be called $fn.}" if d.maybe(0.04) else None)
    d.say("[0.85:{*This function $task:|Here is a function that $task:|Here you are:}\n\n]")
    d.fixed("```python\n")
    function(d)
    if d.maybe(0.12):
        tests_text(d, tests)
    d.fixed("\n```")
    if d.maybe(0.2):
        d.say("\n\n{*You can test it: |For example, |For a first test, }")
        a, r = tests[0]
        d.fixed(f"`{d.slot('fn')}({a})` returns `{r}`.")
    d.expect = "def "
    d.end()


def code_raw(d):
    task, tests = family(d)
    if d.maybe(0.4):
        d.fixed(f"# {verb_form(task)[0].upper()}{verb_form(task)[1:]}.\n")
    function(d)
    if d.maybe(0.3):
        tests_text(d, tests)
    d.end_raw()


def code_result(d):
    """What does this call return?"""
    task, tests = family(d)
    a, r = d.choose(tests)
    d.slots.update(call=f"{d.slot('fn')}({a})", result=r)
    d.fixed("<|im_start|>user\n")
    start = len(d.parts)
    d.in_prompt = True
    d.say("{What does `$call` return?|What is the result of `$call`?|What do I get for `$call`?|`$call`: what is the result?|Tell me the result of `$call`.|What comes out of `$call`?|!Which value does `$call` give?}\n\n```python\n")
    d.in_prompt = False
    function(d)
    d.fixed("\n```")
    d.question = "".join(d.parts[start:])
    d.fixed("<|im_end|>\n")
    d.begin()
    d.say("{It returns `$result`|The call returns `$result`|The result is `$result`}[0.4:, because the function $task].")
    d.expect = r
    d.end()


FAMILIES = [(code_chat, 0.74), (code_raw, 0.18), (code_result, 0.08)]

"""Requests in many patterns, most of them about code: what the target is asked besides what it asks itself. A request depends on its seed
and number alone. The families HELD are never trained on.
"""
import json
import random
import re

from qwen.slots import HUMAN, SLOTS, TOOLS
from smollm2 import templates as prose

# family: (domain, how often, patterns)
TRAINED = {
    "function": ("code", 10, ["Write a {lang} function that {task}.", "Write a function in {lang} that {task}. Include an example of its use.", "In {lang}, write code that {task}.", "I need a {lang} function that {task}. Only the code, please.",
                              "Implement the following in {lang}: a function that {task}. Handle edge cases.", "Give me a short {lang} program that {task}.", "Write a {lang} function that {task}, with comments.", "How would you write a function that {task} in {lang}?",
                              "Write a {lang} function that {task}. Then explain how it works.", "Write a {lang} program that {task} and prints the result.", "Show two ways to write a {lang} function that {task}."]),
    "complete": ("code", 5, ["Complete this function:\n\n```python\n{stub}\n```", "Fill in the body of this Python function.\n\n```python\n{stub}\n```", "```python\n{stub}\n```\n\nImplement it.", "{stub}"]),
    "class": ("code", 4, ["Write a {lang} class for {class}.", "Design {class} in {lang}.", "Implement {class} in {lang} and show how it is used.", "Write a Python class for {class}, with docstrings and type hints.", "Model {class} in {lang}. Which methods does it need?"]),
    "explain": ("code", 5, ["Explain what this code does:\n\n```python\n{snippet}\n```", "What does this print, and why?\n\n```python\n{snippet}\n```", "Explain this JavaScript line by line:\n\n```javascript\n{scripted}\n```", "What does this code do?\n\n```cpp\n{compiled}\n```",
                            "{snippet}\n\nCan you explain the code above to {audience}?", "Add comments to this code:\n\n```python\n{snippet}\n```", "What is the time complexity of this code?\n\n```python\n{snippet}\n```"]),
    "change": ("code", 5, ["Make this code {goal}:\n\n```python\n{snippet}\n```", "Rewrite this in {lang}:\n\n```python\n{snippet}\n```", "Turn this into a function with a docstring and type hints:\n\n```python\n{snippet}\n```", "Translate this code to {lang}:\n\n```javascript\n{scripted}\n```",
                           "Review this code. What would you do better?\n\n```cpp\n{compiled}\n```", "Write this with a different loop:\n\n```python\n{snippet}\n```", "Refactor this JavaScript so that it is {goal}:\n\n```javascript\n{scripted}\n```"]),
    "repair": ("code", 4, ["Find the bug:\n\n```python\n{broken}\n```", "Why does this not work?\n\n```python\n{broken}\n```", "Fix this program and explain the mistake:\n\n```python\n{broken}\n```", "I get `{error}`. What does it mean, and how do I fix it?", "What causes \"{error}\"?",
                           "Explain the message `{error}` to {audience}.", "My program stops with {error}. Where should I look first?"]),
    "test": ("code", 3, ["Write unit tests for a {lang} function that {task}.", "Write pytest tests for this:\n\n```python\n{snippet}\n```", "Which edge cases should I test in a function that {task}?", "Write a test in {lang} for {class}."]),
    "idea": ("explanations", 5, ["Explain {concept} with an example in {lang}.", "What is {concept}?", "Explain {concept} to {audience}.", "When should I use {concept}?", "What are common mistakes with {concept}?", "Give a short example of {concept} in {lang}.", "Why does {concept} matter?",
                                 "How does {concept} work? Keep it short.", "Quiz me on {concept}: ask {k} questions and give the answers."]),
    "difference": ("explanations", 3, ["What is the difference between {pair}?", "Compare {pair}. When would you use which?", "Explain the difference between {pair} with an example.", "Make a table that compares {pair}.", "{pair}: which is faster, and why?"]),
    "database": ("code", 3, ["Given the table {table}, write a SQL query that {query}.", "Tables: {table} and {table/2}. Write a query that {query}.", "Write SQL for PostgreSQL that {query} of {table}.", "Explain how to write a query that {query}, for {table}.", "Write the CREATE TABLE statements for {table} and {table/2}, with keys."]),
    "pattern": ("code", 2, ["Write a regular expression for {pattern}.", "Which regular expression matches {pattern}? Explain its parts.", "Write a {lang} function that finds {pattern} in a text.", "Extract {pattern} from a line in {lang}."]),
    "shell": ("code", 3, ["Write a Bash script that {shell}.", "Give me one command that {shell}.", "Write a script in Python that {shell}.", "How do I write a script that {shell}? Explain each part.", "Write a PowerShell script that {shell}."]),
    "app": ("code", 4, ["Write {app} in {lang}.", "Create {app} with HTML, CSS and JavaScript.", "How would I structure {app} in {lang}?", "Write a minimal version of {app} with {library}.", "Plan {app}: list files, functions and data.", "Write a README for {app}."]),
    "library": ("code", 4, ["How do I {library_task} with {library}?", "Show a short example of how to {library_task} with {library}.", "Write a small example that uses {library} to {library_task}.", "What is {library} for? Give an example.", "Teach me {library} in {k} steps."]),
    "settings": ("structured", 3, ["Write {config}.", "Write {config} and explain each line.", "Give me {config} that works as it is."]),
    "json": ("structured", 5, ["Give a JSON example of {record}.", "Write a JSON object that describes {record}. Answer with JSON only.", "Write a JSON schema for {record}.", "Make a JSON array with {k} entries, each {record}.", "Describe {record} as YAML.", "Describe {record} as XML.",
                               "Write a TypeScript interface for {record}.", "Write a Python dataclass for {record} with a method that returns JSON.", "Make a CSV file with a header and {k} lines, each {record}.", "Convert this to JSON: {person} {surname}, {job} from {city}, born on {k} {month} 19{n}, likes {skill} and {skill/2}."]),
    "tools": ("tools", 5, ["{tool}"]),
    "human": ("other languages", 9, ["{human}"]),
    "prose": ("prose", 15, ["{prose}"]),
    "long": ("code", 1, ["Write {app} in {lang}, complete, in several files.", "Write a tutorial about {concept} with several examples in {lang}.", "Write {class} in {lang} with tests, documentation and an example program.", "Write a complete program in {lang} that {task}, with a command line, errors handled and tests."]),
}
HELD = {
    "port": ("code", 1, ["Port this from Python to {lang}, and name what has no counterpart:\n\n```python\n{snippet}\n```"]),
    "commit": ("code", 1, ["Write a commit message for a change that {goal_verb} a function that {task}.", "Write release notes for version 1.{k} of {app}."]),
    "golf": ("code", 1, ["Write the shortest {lang} program that {task}.", "Write a one-liner in {lang} that {task}."]),
    "interview": ("code", 1, ["You interview me for a job as a {lang} developer. Ask me {k} questions about {concept}, with good answers."]),
    "pseudocode": ("code", 1, ["Write pseudocode for a function that {task}.", "Describe in plain words, step by step, how a program {task}."]),
    "toml": ("structured", 1, ["Describe {record} as TOML.", "Write a GraphQL schema for {record}.", "Write a protocol buffer message for {record}."]),
    "prose held": ("prose", 4, ["{prose_held}"]),
}
LOCAL = {"goal_verb": ["speeds up", "repairs", "removes", "documents", "renames"]}


class Words(prose.Words):
    """Slots of this recipe, then those of SmolLM2's."""

    def options(self, slot):
        return SLOTS.get(slot) or LOCAL.get(slot) or super().options(slot)

    def one(self, slot):
        if slot not in self.taken and slot.split("/")[0] in ("snippet", "stub"):
            self.taken[slot] = stub(self) if slot.startswith("stub") else self.fill(self.dice.choice(SLOTS["snippet"]))
        return super().one(slot)


def stub(words):
    """A function of which only the head and what it shall do are there, as an editor shows it."""
    index = words.dice.randrange(len(SLOTS["name"]))
    what, name = SLOTS["doc"][index], SLOTS["name"][index]
    kind = words.dice.choice(("plain", "typed", "example"))
    head = f"def {name}({'text: str' if kind == 'typed' else 'items, size=None'}){' -> list' if kind == 'typed' else ''}:"
    return f'{head}\n    """{what}.{" Bad input raises ValueError." if kind == "example" else ""}"""'


def signatures(dice, asked):
    """The system's turn of Qwen's template for tools, with the one that is asked for among a few others."""
    chosen = [asked] + dice.sample([t for t in TOOLS if t is not asked], dice.randint(0, 3))
    dice.shuffle(chosen)
    lines = [json.dumps({"type": "function", "function": {"name": name, "description": about, "parameters": {"type": "object", "properties": {
        key: {"type": kind if kind in ("string", "integer", "number") else "string", "description": kind} for key, kind in keys.items()}, "required": list(keys)[:1]}}})
        for name, about, keys, _ in chosen]
    return ("You are Qwen, created by Alibaba Cloud. You are a helpful assistant.\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
            "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n" + "\n".join(lines) +
            "\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n"
            "<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>")


def request(families, seed, index):
    """{domain, family, prompt} and, for tools, {system}, by seed and index."""
    dice = random.Random(f"{seed} code {index}")
    family = dice.choices(sorted(families), [families[name][1] for name in sorted(families)])[0]
    domain, _, patterns = families[family]
    words, row = Words(dice), dict(domain=domain, family=family)
    pattern = dice.choice(patterns)
    if pattern == "{tool}":
        tool = dice.choice(TOOLS)
        return dict(row, prompt=words.fill(dice.choice(tool[3])), system=signatures(dice, tool))
    if pattern == "{human}":
        return dict(row, prompt=words.fill(dice.choice(HUMAN[dice.choice(sorted(HUMAN))])))
    if pattern.startswith("{prose"):
        return dict(row, prompt=prose.request(prose.HELD if pattern == "{prose_held}" else prose.TRAINED, seed, index)["turns"][0])
    text = words.fill(pattern)
    if "```" not in text and family not in ("complete",):
        text = re.sub(r"\b([Aa]) (?=(?:[aio]|e(?!u)|un(?!i)|umb)(?!ne\b|nce\b)|R\b|HTML|XML|SQL|L)", r"\1n ", text)
        text = text[0].upper() + text[1:]
        if dice.random() < 0.08:                                     # people are not always neat
            text = text.rstrip(".?!").lower()
    return dict(row, prompt=text)

"""Write prompts/heldout.jsonl (6 domains x 40, never trained on) and prompts/showcase.jsonl (30 for the app).

    python prompts.py --out ../prompts

One JSON object a line.  The app reads domain, prompt, chat and system.  The others are for whoever judges an answer:
    expect   a text that a right answer contains; sufficient for the program, which cannot run Python
    check    the stricter test of corpus/checks.py: {"contains": ...}, {"json": ...} or {"python": [[arguments, result], ...]}
    held     what keeps the prompt out of training: a form of the question, an operand pair, a function, a tool ...
"""
import argparse
import json
from collections import Counter
from pathlib import Path

from corpus.checks import right
from corpus.gen import bare, make
from corpus.python_data import FAMILIES as TASKS
from corpus.tools import FOOTER, HEADER, schema
from runs import write_text

# label in the file: (domain of the corpus, prompts)
GROUPS = {"facts": [("facts", 40)], "math": [("words", 26), ("symbolic", 14)], "code": [("code", 40)], "json": [("json", 40)],
          "chat": [("chat", 40)], "robustness": [("robustness", 40)]}
TESTS = {task: [list(t) for t in tests] for task, *_, tests in TASKS}


def row(label, d):
    """A document as a one-turn prompt, or None if it has more turns or is not a chat."""
    prompt = "".join(d.parts[:d.prompt_end])
    turns = prompt.split("<|im_start|>")[1:]
    if d.family == "two_calls":
        return None                       # a check holds one call
    roles = [t.split("\n", 1)[0] for t in turns]
    if roles not in (["user", "assistant"], ["system", "user", "assistant"]):
        return None
    content = {role: t.split("\n", 1)[1].replace("<|im_end|>\n", "") for role, t in zip(roles, turns)}
    out = {"domain": label, "prompt": content["user"], "chat": True}
    if "system" in content:
        out["system"] = content["system"]
    if d.expect:
        out["expect"] = d.expect
        out["check"] = check_of(d)
    out["held"] = sorted(d.unseen)
    return out


def check_of(d):
    if d.family == "code_chat":
        return {"python": [list(t) for t in d.checks[-1][1][2]]}
    if d.domain == "json":
        return {"json": json.loads(d.expect)}
    return {"contains": d.expect}


def heldout(seed):
    """Test documents as prompts; every reason to hold something out gets a fair share, no content twice."""
    for label, parts in GROUPS.items():
        for domain, wanted in parts:
            seen, shares, index, found = set(), Counter(), 0, 0
            while found < wanted:
                d = make(seed, index, domain)
                index += 1
                r = row(label, d) if d.split == "test" else None
                if not r or bare(r["prompt"]) in seen:
                    continue
                about = r.get("expect") if domain in ("facts", "json") else d.slots.get("task") if domain == "code" else None
                if about and (about, tuple(r["held"])) in seen:
                    continue
                reason = r["held"][0]
                if shares[reason] > min(shares.values(), default=0) + wanted // 8 + index // 400:      # wait for rarer reasons for a while
                    continue
                shares[reason] += 1
                seen.update((bare(r["prompt"]), (about, tuple(r["held"]))))
                answer = "".join(d.parts[d.prompt_end:]).replace("<|im_end|>", "")
                assert "check" not in r or right(r["check"], answer), (r, answer)
                yield r
                found += 1


def tools(*names):
    return HEADER + "\n".join(map(schema, names)) + FOOTER


def call(name, **arguments):
    return {"json": {"name": name, "arguments": arguments}}


# domain, prompt, check, and tools for the system turn; picked by hand, in forms that training shows and with sums that it may show
SHOWCASE = [
    ("facts", "What is the capital of Japan?", "Tokyo"),
    ("facts", "Which currency does Sweden use?", "krona"),
    ("facts", "Tell me about Brazil.", "South America"),
    ("facts", "What is a baby kangaroo called?", "joey"),
    ("facts", "What is speculative decoding?", "make a language model answer faster"),
    ("math", "Mia has 12 apples and buys 5 more. How many apples does she have now?", "answer is 17."),
    ("math", "Leo buys 4 boxes of 6 pencils. How many pencils is that?", "answer is 24."),
    ("math", "Nora has 8 stamps and buys 3 packs of 4. How many stamps does she have now?", "answer is 20."),
    ("math", "Solve 3x + 7 = 22.", "\\boxed{5}"),
    ("math", "Simplify 12/18.", "\\boxed{2/3}"),
    ("math", "What comes next: 5, 9, 13, 17?", "next number is 21."),
    ("code", "Write a Python function that returns the sum of the even numbers in a list.", "returns the sum of the even numbers in a list"),
    ("code", "Write a Python function that checks if a number is prime.", "checks if a number is prime"),
    ("code", "Write a Python function that returns the largest number in a list.", "returns the largest number in a list"),
    ("code", "Write a Python function that returns the n-th Fibonacci number.", "returns the n-th Fibonacci number"),
    ("code", "Can you write a Python function that counts the vowels in a string?", "counts the vowels in a string"),
    ("json", "What is the weather in Oslo tomorrow?", call("get_weather", city="Oslo", day="tomorrow"), tools("get_weather", "get_time")),
    ("json", "Find a train from Paris to Rome on Friday.", call("find_train", **{"from": "Paris", "to": "Rome", "day": "Friday"}), tools("find_train")),
    ("json", "Book a table for 4 at 18:00 on Saturday.", call("book_table", people=4, time="18:00", day="Saturday"), tools("set_alarm", "book_table")),
    ("json", "Turn off the light in the kitchen.", call("set_light", room="kitchen", on=False), tools("set_light", "send_message")),
    ("json", "Convert to JSON: Emma is 31 years old and lives in Berlin.", {"json": {"name": "Emma", "age": 31, "city": "Berlin"}}),
    ("chat", "Tell me a short story about a fox.", "fox"),
    ("chat", "Write a short poem about the moon.", "the moon"),
    ("chat", "Give me three tips to save money.", "."),
    ("chat", "Write a thank you message to Clara.", "Clara,"),
    ("chat", "Which is better, tea or coffee?", "offee is strong"),
    ("chat", "Talk like a pirate.", "."),
    ("robustness", "Who are you?", "model"),
    ("robustness", "Who won the match yesterday?", "orry"),
    ("robustness", "Repeat after me: Paris", "Paris"),
]


def showcase():
    for domain, prompt, check, *system in SHOWCASE:
        if domain == "code":
            check = {"python": TESTS[check]}
        elif isinstance(check, str):
            check = {"contains": check}
        expect = check.get("contains") or ("def " if "python" in check else json.dumps(check["json"]))
        yield {"domain": domain, "prompt": prompt, "chat": True, **({"system": system[0]} if system else {}), "expect": expect, "check": check}


def write(path, rows):
    rows = list(rows)
    write_text(path, "".join(json.dumps(r) + "\n" for r in rows))
    print(path, len(rows), "prompts,", path.stat().st_size, "bytes;", dict(Counter(r["domain"] for r in rows)),
          {label: dict(Counter(x for r in rows if r["domain"] == label for x in r.get("held", []))) for label in GROUPS})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder")
    parser.add_argument("--seed", type=int, default=6)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    write(args.out / "heldout.jsonl", heldout(args.seed))
    write(args.out / "showcase.jsonl", showcase())


if __name__ == "__main__":
    main()

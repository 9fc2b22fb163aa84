"""Requests that the target writes itself: it is given the opening of the user's turn and goes on to the turn's end.

    python -m smollm2.selfprompt --gguf FILE.gguf --work W --count 6000

Appends to W/selfprompt.jsonl, each line {number, opening, text, end}; prompts.py filters them. Goes on where it was stopped.
Temperature .8 (at 1 only 6 of 10 made sense), a third without any word given, the others with one of OPENINGS.
"""
import argparse
import random
import time
from pathlib import Path

import torch

from smollm2 import text
from smollm2.batch import Request, answers
from smollm2.log import Log, lines
from smollm2.target import read

OPENINGS = ("What is", "What are", "What does", "What would", "How do I", "How can", "How does", "How would", "Why is", "Why do", "When", "Where",
            "Which", "Who", "Can you explain", "Can you help me", "Could you", "Please", "Explain", "Describe", "Write a", "Write an", "Write a short",
            "Write a Python", "Create a", "Give me", "Give an example of", "List", "Name", "Suggest", "Design", "Compare", "Discuss", "Summarize",
            "Rewrite", "Edit", "Correct", "Translate", "Find", "Solve", "Calculate", "If", "I am", "I'm", "I have", "I want", "I need", "My",
            "In", "The", "Imagine", "Tell me", "Help me", "Analyze", "Identify", "Provide", "Generate", "Plan", "Is it", "Are there", "Should I",
            "Do you", "Let's", "You are", "Given", "Based on", "As a", "Develop", "Make", "Using")
TEMPERATURE, LIMIT = 0.8, 160


def opening(seed, number):
    dice = random.Random(f"{seed} opening {number}")
    return "" if dice.random() < 1 / 3 else dice.choice(OPENINGS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()
    torch.set_num_threads(1)
    path = args.work / "selfprompt.jsonl"
    done = {row["number"] for row in lines(path)}
    tok, target = text.tokenizer(args.gguf), read(args.gguf, args.device, args.work)
    user = text.chat([""]).split("<|im_end|>\n<|im_start|>assistant")[0]

    def requests():
        for number in range(args.count):
            if number not in done:
                yield Request(number, tok.encode(user + opening(args.seed, number)).ids, TEMPERATURE, LIMIT)

    log, started, tokens = Log(path), time.monotonic(), 0
    for i, r in enumerate(answers(target, requests(), args.batch, 512, args.seed)):
        words = r.answer[:-1] if r.end == "stop" else r.answer
        first = opening(args.seed, r.number)
        log.add(number=r.number, opening=first, text=first + tok.decode(words), end=r.end)
        tokens += len(r.answer)
        if i % 200 == 0:
            print(f"{len(done) + i + 1} of {args.count}, {tokens / (time.monotonic() - started):.0f} tokens a second", flush=True)


if __name__ == "__main__":
    main()

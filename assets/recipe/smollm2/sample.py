"""The target's answers to W/prompts.jsonl: what the heads are trained on.

    python -m smollm2.sample --gguf FILE.gguf --work W --tokens 2000000

Appends to W/answers.jsonl, each line {number, turn, ids, end}: the answer's tokens, and how it ended: "stop" (its end token, the last of
ids), "limit" or "loop" (the same words again and again). A prompt of several turns is answered turn by turn, as long as each answer stops.
Goes on where it was stopped: of what was not finished (half an answer a slot) nothing is kept. Ends at --tokens, prompts not counted.
"""
import argparse
import time
from pathlib import Path

import torch

from smollm2 import text
from smollm2.batch import Request, answers
from smollm2.log import Log, lines
from smollm2.target import read

ROOM = 2304             # tokens of the longest conversation
TURNS = 8               # more than a conversation has: numbers each turn's draws


def conversation(tok, row, answered, turn):
    """Ids of the conversation up to the answer of `turn`: text of the users, and the answers as they were drawn."""
    ids = []
    for i, user in enumerate(row["turns"][:turn + 1]):
        piece = text.chat([user], row.get("system"))
        if i:
            piece = piece[piece.index("<|im_start|>user"):]
            ids += answered[i - 1] + tok.encode("\n").ids
        ids += tok.encode(piece).ids
    return ids


class Queue:
    """Requests in the order of the prompts, second turns as soon as the first is answered; None when all that is left waits for one that runs."""

    def __init__(self, tok, rows, done):
        self.tok, self.rows, self.answered = tok, {row["number"]: row for row in rows}, {}
        self.ready = []
        open_ = set()
        for old in done:
            self.answered.setdefault(old["number"], []).append(old["ids"])
            (open_.add if old["end"] == "stop" else open_.discard)(old["number"])
        for number in sorted(open_):
            self.follow(number)
        self.fresh = iter([row for row in rows if row["number"] not in self.answered])
        self.running, self.skipped = 0, 0

    def follow(self, number):
        row, turn = self.rows.get(number), len(self.answered[number])
        if row and turn < len(row["turns"]):
            self.ready.append((row, turn))

    def finished(self, request, end):
        number = request.number // TURNS
        self.running -= 1
        self.answered.setdefault(number, []).append(request.answer)
        if end == "stop":
            self.follow(number)

    def __iter__(self):
        while True:
            row, turn = self.ready.pop(0) if self.ready else (next(self.fresh, None), 0)
            if row is None:
                if not self.running:
                    return
                yield None
                continue
            ids = conversation(self.tok, row, self.answered.get(row["number"], []), turn)
            if len(ids) + row["limit"] > ROOM:
                self.skipped += 1
                continue
            self.running += 1
            yield Request(row["number"] * TURNS + turn, ids, row["temperature"], row["limit"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=2_000_000, help="of answers, with those that are there")
    parser.add_argument("--minutes", type=float, default=0, help="of the clock, 0 for no end")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows = list(lines(args.work / "prompts.jsonl"))
    if not rows:
        raise SystemExit(f"{args.work}/prompts.jsonl has no prompts: python -m smollm2.prompts --work {args.work} writes them")
    path = args.work / "answers.jsonl"
    done = list(lines(path))
    total = sum(len(row["ids"]) for row in done)
    tok, target = text.tokenizer(args.gguf), read(args.gguf, args.device, args.work)
    queue, log, started, fresh, said = Queue(tok, rows, done), Log(path), time.monotonic(), 0, time.monotonic()
    for r in answers(target, iter(queue), args.batch, ROOM, args.seed):
        queue.finished(r, r.end)
        log.add(number=r.number // TURNS, turn=r.number % TURNS, ids=r.answer, end=r.end)
        fresh += len(r.answer)
        if time.monotonic() - said > 60:
            said = time.monotonic()
            print(f"{time.strftime('%H:%M')} {total + fresh} tokens, {fresh / (said - started):.0f} a second of the clock, "
                  f"{fresh / time.process_time():.0f} a second of the processor", flush=True)
        if total + fresh >= args.tokens or (args.minutes and time.monotonic() - started > 60 * args.minutes):
            break
    print(f"{total + fresh} tokens of answers in {path}; {queue.skipped} turns were too long for a slot", flush=True)


if __name__ == "__main__":
    main()

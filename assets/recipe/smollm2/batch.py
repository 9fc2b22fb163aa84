"""Answers in large batches: texts of any length side by side, a freed slot taken by the next request at once, so that every product has
the full number of rows.

The uniform numbers that draw a request's answer are its own, made from the seed and its number: what is beside it in the batch, or a stop
and a resumption, changes nothing but the rounding of sums.
"""
from dataclasses import dataclass, field

import numpy as np
import torch

from smollm2.target import END_OF_TEXT, END_OF_TURN


@dataclass
class Request:
    number: int
    ids: list                       # the prompt, to the last token before the answer
    temperature: float
    limit: int                      # tokens of the answer, its end token included
    answer: list = field(default_factory=list)
    end: str = ""                   # "stop", "limit" or "loop"


DRY = object()


def looping(answer, period=48, window=144):
    """The last `window` tokens repeat with a period of at most `period`: a greedy answer that would never end. What follows teaches nothing."""
    tail = answer[-window:]
    return len(tail) == window and any(tail[p:] == tail[:-p] for p in range(1, period + 1))


def answers(target, requests, batch, room, seed, long_share=16, prefill=512):
    """Yields finished requests. requests: an iterator of Request, or of None where none is ready yet.
    room: tokens of a slot; a request whose prompt and limit need more than half of it waits for one of batch / long_share slots, so that
    the others never touch the second half of their memory."""
    device = target.device
    cache = target.cache(batch, room)
    longs = max(1, batch // long_share)
    short, long = list(range(longs, batch))[::-1], list(range(longs))
    running, drawn, waiting = {}, {}, []              # slot: request, slot: its uniform numbers, long requests without a slot
    ids, length, temperature = (torch.zeros(batch, dtype=kind, device=device) for kind in (torch.long, torch.long, torch.float32))
    dry = False

    def start(requests_of_slots):
        slots = list(requests_of_slots)
        starting = [requests_of_slots[s] for s in slots]

        def keep(layer, text, keys, values):
            target.store(cache[layer], slots[text], keys, values)

        _, states = target.texts([r.ids for r in starting], keep)
        last = torch.tensor(np.cumsum([len(r.ids) for r in starting]) - 1, device=device)
        for slot, request in zip(slots, starting):
            running[slot] = request
            drawn[slot] = np.random.default_rng([seed, request.number]).random(request.limit, np.float32)
            length[slot], temperature[slot] = len(request.ids), request.temperature
        return slots, states[last]

    def take(slots, states):
        """Picks the next token of each slot; the requests that are done."""
        index = torch.tensor(slots, device=device)
        uniform = torch.tensor([drawn[s][len(running[s].answer)] for s in slots], device=device)
        picked = target.pick(states, temperature[index], uniform)
        ids[index] = picked
        for slot, token in zip(slots, picked.tolist()):
            request = running[slot]
            request.answer.append(token)
            if token in (END_OF_TURN, END_OF_TEXT):
                request.end = "stop"
            elif len(request.answer) >= request.limit:
                request.end = "limit"
            elif len(request.answer) % 32 == 0 and looping(request.answer):
                request.end = "loop"
            if request.end:
                del running[slot]
                (long if slot < longs else short).append(slot)
                yield request

    while True:
        starting, tokens = {}, 0
        while tokens < prefill and (short or long):
            if waiting and long:
                request = waiting.pop(0)
            elif dry or len(waiting) >= batch:
                break
            else:
                request = next(requests, DRY)
                dry = request is DRY
                if dry or request is None:
                    break
            need = len(request.ids) + request.limit
            if need > room:
                raise ValueError(f"request {request.number} needs {need} tokens, a slot has {room}")
            if need > room // 2 and not long:
                waiting.append(request)
                continue
            starting[(long if need > room // 2 or not short else short).pop()] = request
            tokens += len(request.ids)
        if starting:
            yield from take(*start(starting))
        if not running:
            if dry and not waiting:
                return
            if not starting:
                yield None                            # nothing runs and nothing is ready: the caller has to end it
            continue
        slots = sorted(running)
        index = torch.tensor(slots, device=device)
        states = target.step(ids[index], index, length[index], cache)
        length[index] += 1
        yield from take(slots, states)

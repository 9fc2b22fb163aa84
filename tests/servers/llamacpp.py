#!/usr/bin/env python3
"""A real llama.cpp server (wheel xllamacpp) for tests: llamacpp.py MODEL PORT TYPES [DRAFT_MODEL [K]] [key=value…]

TYPES: names of common_speculative_type joined by '+': ngram_simple, draft_simple, draft_simple+ngram_simple, none.
Its log goes to standard error; LLAMA_TRACE=1 makes it tell every round. Ends when standard input is closed."""
import sys

import xllamacpp as llama

model, port, types = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rest = [word for word in sys.argv[4:] if "=" not in word]
params = llama.CommonParams()
params.model.path = model
params.port = port
params.n_ctx = 4096
params.n_parallel = 2
params.cpuparams.n_threads = 2
params.endpoint_metrics = True
params.endpoint_slots = True
params.verbosity = 4
params.warmup = False
params.speculative.types = [
    getattr(llama.common_speculative_type, "COMMON_SPECULATIVE_TYPE_" + name.upper()) for name in types.split("+")
]
if rest:
    params.speculative.draft.mparams.path = rest[0]
if len(rest) > 1:
    params.speculative.draft.n_max = int(rest[1])
for word in sys.argv[4:]:
    if "=" not in word:
        continue
    name, value = word.split("=", 1)
    if name == "threads":
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(value)
        params.speculative.draft.cpuparams.n_threads = params.speculative.draft.cpuparams_batch.n_threads = int(value)
    elif name == "key":
        params.api_keys = [value]
    else:  # "ngram.size_n", "draft.probabilistic", "n_ctx"
        *where, last = name.replace("ngram.", "speculative.ngram_simple.").replace("draft.", "speculative.draft.").split(".")
        of = params
        for part in where:
            of = getattr(of, part)
        setattr(of, last, type(getattr(of, last))(float(value)))
server = llama.Server(params)
print("listening at", server.listening_address, "llama.cpp", getattr(llama, "BUILD_INFO", "?"), flush=True)
sys.stdin.read()

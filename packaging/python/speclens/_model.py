"""Models, and what can be asked of them."""

from __future__ import annotations

import json
import os
import weakref
from typing import Any, Mapping, Optional, Sequence, Union

from . import _library
from ._library import OnProgress
from ._result import Result
from ._trace import Trace

Path = Union[str, "os.PathLike[str]"]
K = Union[int, str]  # a number, or "auto"


def open(model: Path = "tiny", *, drafters: Optional[Mapping[str, Path]] = None, progress: OnProgress = None, **options: Any) -> Model:
    """Loads a model: a name ("tiny" comes along, "qwen-0.5b" and others are fetched by `speclens get`), a folder or a GGUF file.

    `drafters`: heads and draft models of yours, {"eagle3": "DIR"}. `options`: those of the command line's group "Models", "_" for
    "-": threads, precision, weights, backend. `progress` is told about every 100 ms how far it is; what it raises ends the call.
    """
    wanted = {"model": os.fspath(model), **options}
    if drafters:
        wanted["drafters"] = {name: os.fspath(path) for name, path in drafters.items()}
    return Model(_library.open_model(wanted, progress), os.fspath(model), wanted.keys() <= {"model", "threads"})


class Model:
    """Loaded models, from `speclens.open`. Threads may share it: their calls take turns. A forked child may not use it."""

    def __init__(self, handle: int, name: str, as_usual: bool) -> None:
        self.name = name
        self.built_in = name == "tiny" and as_usual  # what a page runs as well
        self._handle = handle
        self._end = weakref.finalize(self, _library.close, handle)

    def close(self) -> None:
        """Gives back what it took. Also done when nobody holds the model any more, or at the end of a `with`."""
        self._end()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<speclens.Model {self.name}{'' if self._end.alive else ', closed'}>"

    def __reduce__(self) -> Any:
        raise TypeError("a model belongs to its process: open it there")

    def run(
        self,
        prompt: Optional[str] = None,
        *,
        drafter: Optional[str] = None,
        k: Optional[K] = None,
        temp: Optional[float] = None,
        seed: Optional[int] = None,
        max_tokens: Optional[int] = None,
        chat: bool = False,
        progress: OnProgress = None,
        **options: Any,
    ) -> Trace:
        """One generation, every round of it. What is not given is as in `speclens run`, whose other options are `options`."""
        asked = _given(prompt=prompt, drafter=drafter, k=k, temp=temp, seed=seed, max_tokens=max_tokens, chat=chat, **options)
        answer = _library.call(self._handle, "run", asked, progress)
        return Trace(answer.text, answer.notices)

    def compare(
        self,
        prompt: Optional[str] = None,
        *,
        drafters: Union[None, str, Sequence[str]] = None,
        k: Union[None, K, Sequence[K]] = None,
        temp: Optional[float] = None,
        seed: Optional[int] = None,
        max_tokens: Optional[int] = None,
        progress: OnProgress = None,
        **options: Any,
    ) -> Result:
        """Drafters on the same prompts and dice, in turns with plain decoding. `rows`: one for every drafter, K and domain."""
        asked = _given(prompt=prompt, drafters=drafters, k=k, temp=temp, seed=seed, max_tokens=max_tokens, **options)
        return _result(self._handle, "compare", asked, progress)

    def sweep(
        self,
        *,
        drafters: Union[None, str, Sequence[str]] = None,
        k: Union[None, int, Sequence[int]] = None,
        concurrency: Union[None, int, Sequence[int]] = None,
        seconds: Optional[float] = None,
        progress: OnProgress = None,
        **options: Any,
    ) -> Result:
        """Many texts at once, and from how many on a drafter stops paying. `rows`: one for every drafter, K and number of texts."""
        asked = _given(drafters=drafters, k=k, concurrency=concurrency, **{"for": seconds}, **options)
        return _result(self._handle, "sweep", asked, progress)

    def advise(
        self,
        *,
        drafters: Union[None, str, Sequence[str]] = None,
        k: Union[None, int, Sequence[int]] = None,
        seconds: Optional[float] = None,
        progress: OnProgress = None,
        **options: Any,
    ) -> Result:
        """Does speculation pay here? `result["sentence"]` says it; `rows`: one for every drafter and K."""
        return _result(self._handle, "advise", _given(drafters=drafters, k=k, **{"for": seconds}, **options), progress)

    def lossless(self, texts: int, *, drafter: Optional[str] = None, progress: OnProgress = None, **options: Any) -> Result:
        """Does speculation keep this model's distribution? Draws so many texts. `rows`: a test for every drafter and rule."""
        asked = _given(texts=texts, drafter=drafter, **options)
        return _result(self._handle, "lossless", asked, progress)


def lossless(texts: int, *, drafter: Optional[str] = None, progress: OnProgress = None, **options: Any) -> Result:
    """The same on a table of which the exact distribution of whole texts is known; `mistake="bonus"` puts a mistake into the rule."""
    return _result(None, "lossless", _given(texts=texts, drafter=drafter, **options), progress)


def advise(*, url: str, seconds: Optional[float] = None, progress: OnProgress = None, **options: Any) -> Result:
    """Does speculation pay on this server (vLLM, SGLang, llama.cpp)? As `speclens advise --url`."""
    return _result(None, "advise", _given(url=url, **{"for": seconds}, **options), progress)


def same(
    *urls: str,
    command: Optional[str] = None,
    k: Union[None, int, Sequence[int]] = None,
    prompt: Optional[str] = None,
    max_tokens: Optional[int] = None,
    seconds: Optional[float] = None,
    progress: OnProgress = None,
    **options: Any,
) -> Result:
    """Is a server's greedy text the same with and without drafts? Of one that can switch them off, of two, or of those that `command`
    starts ("vllm serve … {k} {port}"). `result["verdict"]` says it; `rows`: a pair of servers each."""
    asked = _given(urls=urls, command=command, k=k, prompt=prompt, max_tokens=max_tokens, **{"for": seconds}, **options)
    return _result(None, "same", asked, progress)


def _given(**options: Any) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, (tuple, range)) else value for name, value in options.items() if value is not None}


def _result(handle: Optional[int], command: str, options: Mapping[str, Any], progress: OnProgress) -> Result:
    answer = _library.call(handle, command, options, progress)
    return Result(json.loads(answer.text), answer.ok, answer.notices)

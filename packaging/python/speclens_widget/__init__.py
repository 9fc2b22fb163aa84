"""SpecLens in the output of a notebook's cell: the page itself, which steps through a run in its own scenes, or runs its own engine.

>>> import speclens, speclens_widget
>>> speclens_widget.show(speclens.open("tiny").run("The capital of France is", drafter="small", seed=9))

docs/python.md has every call.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union
from urllib.parse import quote

import anywidget
import IPython.display
import speclens
import traitlets
from speclens import _notebook

__all__ = ["Widget", "live", "show"]

PIECE = 1 << 20  # bytes of a message
PROMPT = "Write a short poem about the moon."  # the program's own, which is a message of a chat: as plain text it ends at once
Scalar = Union[str, int, float, bool]
display: Any = IPython.display.display  # it has no types


@functools.lru_cache(maxsize=None)
def page() -> "tuple[Path, frozenset[str], str, tuple[str, ...]]":
    """Where the page's files are, which of them it may be sent, a hash of these, and the heads that are not among them: the folder in the
    wheel, or $SPECLENS_PAGE (of `./run web -o`)."""
    folder = Path(os.environ.get("SPECLENS_PAGE") or Path(__file__).parent / "page")
    try:
        listed = json.loads((folder / "parts.json").read_text())
        parts = listed["parts"]
        names = ["index.html", "page.js", "parts.json", "speclens_alone.js.gz", "speclens_alone.wasm.gz"]
        names += [part[file] for part in parts for file in ("file", "exponents")]
        whole = hashlib.sha256()
        for name in names:
            whole.update(hashlib.sha256((folder / name).read_bytes()).digest())
    except (OSError, ValueError, KeyError) as error:
        raise speclens.ModelError(f"{folder} holds no page: {error}", "Install the wheel speclens-widget, or make a page: ./run web -o DIR") from None
    return folder, frozenset(names), whole.hexdigest()[:16], tuple(listed.get("left_out", ()))


class Widget(anywidget.AnyWidget):
    """The page in a frame. `show` and `live` make one. In a notebook it is two outputs: a picture, and the frame that comes in its place.
    A frontend without a kernel shows nothing of a widget, whatever else is in the same output; the picture it shows."""

    _esm = (Path(__file__).parent / "widget.js").read_text()
    page = traitlets.Unicode().tag(sync=True)  # a hash: what a browser kept of another one is not taken
    link = traitlets.Unicode().tag(sync=True)  # behind speclens://
    query = traitlets.Unicode().tag(sync=True)  # as behind a page's address
    height = traitlets.Int().tag(sync=True)

    def __init__(self, run: bytes, picture: bytes, words: str, **traits: Any) -> None:
        """`run`: a saved run or race; empty: the page's own engine runs."""
        super().__init__(page=page()[2], **traits)
        self._run, self.picture, self._words = run, picture, words
        self._pictures: "list[Any]" = []  # handles of its outputs
        self.on_msg(self._told)

    def _told(self, _: object, what: Mapping[str, Any], buffers: "Sequence[Any]") -> None:
        if "shown" in what:
            self.picture, self._words = bytes(buffers[0]), str(what["shown"])
            for one in self._pictures:
                one.update(self._drawn(), raw=True)
            return
        name = what.get("want")
        folder, names, *_others = page()
        if name != "run" and name not in names:
            self.send({"file": name, "error": f"{name} is no file of the page"})
            return
        data = self._run if name == "run" else (folder / str(name)).read_bytes()
        pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)] or [b""]
        for part, piece in enumerate(pieces):
            self.send({"file": name, "part": part, "of": len(pieces)}, [piece])

    def _drawn(self) -> "dict[str, str]":
        return {"image/png": base64.b64encode(self.picture).decode(), "text/plain": self._words}

    def _ipython_display_(self) -> None:
        self._pictures.append(display(self._drawn(), raw=True, display_id=True))
        data, metadata = self._repr_mimebundle_() or ({}, {})
        display({**data, "text/plain": "Run this cell again to step through it."}, metadata=metadata, raw=True)


@dataclass(frozen=True)
class _File:
    """A run or a race that is shown as it was saved."""

    data: bytes

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        _notebook.write(path, self.data)


def _query(theme: str, language: Optional[str]) -> str:
    return "&".join(["one", f"theme={quote(theme)}", *([f"language={quote(language)}"] if language else [])])


def show(
    run: "Union[speclens.Trace, str, os.PathLike[str]]",
    scene: str = "loop",
    *,
    height: int = 640,
    theme: str = "light",
    language: Optional[str] = None,
) -> Widget:
    """Steps through a run ("loop", "accept-rule:3" and the other scenes), or through a race that was saved; `run` may be such a file."""
    saved: "Union[speclens.Trace, _File]" = run if isinstance(run, speclens.Trace) else _File(Path(run).read_bytes())
    data = saved._lines.encode() if isinstance(saved, speclens.Trace) else saved.data
    if b"speclens-race/" in data[:64]:
        scene = "race"
    picture = _notebook.render(saved, scene, "png", {"size": (1280, 720), "theme": theme, "language": language})
    return Widget(data, picture, str(run), link=scene.replace(":", "/"), query=_query(theme, language), height=height)


def live(
    model: Optional[speclens.Model] = None,
    prompt: Optional[str] = None,
    scene: str = "loop",
    *,
    height: int = 640,
    theme: str = "light",
    language: Optional[str] = None,
    **options: Any,
) -> Widget:
    """Steps with Next. The built-in model, or none, runs in the page's own engine, drafters race there; `options` are those of `Model.run`.
    Without a prompt it is the program's own, in a chat.
    Any other model, or one with a head that the page lacks, runs here, all rounds at once, and the page steps through what it did."""
    if prompt is None:
        prompt, options = PROMPT, {"chat": True, **options}
    asked = {name: value for name, value in options.items() if value is not None and value is not False}
    drafters = asked.pop("drafters", None)  # of a race
    race, chosen = scene.startswith("race"), model or speclens.open()
    if race and not chosen.built_in:
        raise speclens.UsageError("a page races with the built-in model only", "Show one that was saved: speclens describe race --json x.race.json")
    trace = chosen.run(prompt, **asked)
    if model is None:
        chosen.close()
    head = trace.header
    lacks = any(name in str(head["drafter"]) for name in page()[3])
    if not race and (lacks or not chosen.built_in):
        return show(trace, scene, height=height, theme=theme, language=language)
    told: "dict[str, Any]" = {"drafters": drafters} if race else {"drafter": head["drafter"], "temp": head["sampling"]["temperature"], "seed": head["seed"]}
    if not race and "nodes" not in head:
        told["k"] = head["k"]
    told.update({"prompt": prompt, "max_tokens": head["max_tokens"], **asked})
    picture = trace.draw("loop" if race else scene, theme=theme, language=language).png
    return Widget(b"", picture, str(trace), link=_link(scene, told), query=_query(theme, language), height=height)


def _link(scene: str, told: "Mapping[str, Union[None, Scalar, list[str]]]") -> str:
    def part(name: str, value: "Union[Scalar, list[str]]") -> str:
        said = ",".join(value) if isinstance(value, (list, tuple)) else str(value)
        return name.replace("_", "-") + ("" if value is True else "=" + quote(said, safe=""))

    return scene.replace(":", "/") + "?" + "&".join(part(name, value) for name, value in told.items() if value is not None)

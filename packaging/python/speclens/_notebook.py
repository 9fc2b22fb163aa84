"""What a notebook shows: rounds as HTML that needs no kernel and no script, and the program's own pictures and pages of a run."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Protocol, Union

from ._errors import BY_KIND, FailedError, ModelError, SpecLensError

if TYPE_CHECKING:
    from ._trace import Round, Trace

MOST_ROUNDS = 60  # in one output, some 150 kB

# One round at a time: what is chosen below is shown, by the style sheet alone, so that it also works where scripts do not run.
_STYLE = """
.%(one)s{font:13px/1.45 system-ui,sans-serif;max-width:60em}
.%(one)s section{display:none;margin:.4em 0}
.%(one)s label{display:inline-block;min-width:1.9em;padding:.1em .3em;margin:0 .15em .15em 0;text-align:center;border:1px solid #8886;border-radius:3px;cursor:pointer}
.%(one)s input{position:absolute;opacity:0;pointer-events:none}
.%(one)s input:focus-visible+label{outline:2px solid #3b82c4}
.%(one)s div.row{display:grid;grid-template-columns:2em 9em 5.5em 5.5em 1fr 10em;gap:.6em;align-items:center}
.%(one)s code{white-space:pre;overflow:hidden;text-overflow:ellipsis;padding:0 .25em;border-radius:3px}
.%(one)s i{display:block;height:5px;border-radius:2px}
.%(one)s .bars{position:relative}
.%(one)s .coin{position:absolute;top:-3px;bottom:-3px;width:2px;height:auto;background:currentColor}
.%(one)s .accepted code{background:#2e9e5b33}.%(one)s .rejected code{background:#d2453d33}.%(one)s .dropped{opacity:.5}
.%(one)s .own code{background:#3b82c433}
"""


def _bar(p: Optional[float], colour: str, side: str) -> str:
    return "" if p is None else f'<i style="width:{100 * p:.1f}%;background:{colour}" title="{side} {p:.4g}"></i>'


def _round(one: Round) -> str:
    from ._trace import _exact, _short, _visible

    def row(place: int, token: str, q: Optional[float], p: Optional[float], coin: Optional[float], limit: Optional[float], kind: str, says: str) -> str:
        mark = "" if coin is None or limit is None else f'<i class="coin" style="left:{100 * coin:.1f}%" title="coin {coin:.3f}, limit {limit:.3f}"></i>'
        kept = "" if limit is None else _bar(limit, "#8888", "limit")
        bars = _bar(q, "#c98a1b", "draft") + _bar(p, "#3b82c4", "target") + kept + mark
        numbers = f"<span>q {_short(q).strip()}</span><span>p {_short(p).strip()}</span>"
        what = f"{says}{'' if coin is None else ' · ' + _exact(coin).strip()}"
        return f'<div class="row {kind}"><span>{place}</span><code>{escape(_visible(token))}</code>{numbers}<span class="bars">{bars}</span><span>{what}</span></div>'

    rows = [row(d.place, d.token, d.q, d.p, d.coin, d.threshold, d.verdict, d.verdict) for d in one.drafts]
    if one.own:
        rows.append(row(one.own.place, one.own.token, None, one.own.p, one.own.coin, None, "own", one.own.source))
    says = f"round {one.number}: {len(one.drafts)} drafted, {one.accepted} accepted, {len(one.tokens)} written, {one.ms:.2f} ms"
    key = "".join(f'<span style="color:{colour}">▬</span> {what} ' for colour, what in (("#c98a1b", "draft, q"), ("#3b82c4", "target, p"), ("#888", "limit of the coin")))
    return f"<b>{says}</b>{''.join(rows)}<small>{key}┃ coin: the draft token stays where it is below its limit</small>"


def rounds_html(trace: Trace) -> str:
    """Every round, one at a time: tokens, what draft (q) and target (p) gave them, coin, verdict. At most MOST_ROUNDS of them."""
    shown = list(trace)[:MOST_ROUNDS]
    name = "speclens" + os.urandom(6).hex()  # several may stand in one notebook
    style = _STYLE % {"one": name} + "".join(f"#{name}-{i}:checked~.r{i}{{display:block}}#{name}-{i}:checked+label{{background:#3b82c455}}" for i in range(len(shown)))
    chosen = "".join(
        f'<input type="radio" name="{name}" id="{name}-{i}"{" checked" if i == 0 else ""}><label for="{name}-{i}">{one.number}</label>' for i, one in enumerate(shown)
    )
    rounds = "".join(f'<section class="r{i}">{_round(one)}</section>' for i, one in enumerate(shown))
    of = f"{trace.header.get('drafter')} on {trace.header.get('model')}"
    more = f" (the first {MOST_ROUNDS} of {len(trace)} rounds)" if len(trace) > MOST_ROUNDS else ""
    says = f"{of}: {len(trace.tokens)} tokens in {len(trace)} rounds, {trace.tokens_per_round:.2f} a round{more}"
    return f'<style>{style}</style><div class="{name}"><p>{escape(says)}</p>{chosen}{rounds}</div>'


def write(path: Union[str, "os.PathLike[str]"], data: bytes) -> None:
    """Whole, or not at all."""
    to = Path(path)
    part = to.with_name(f"{to.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(to)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class Picture:
    """A frame of a scene, as the program draws it: a PNG."""

    png: bytes

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        write(path, self.png)

    def __repr__(self) -> str:
        return f"<speclens.Picture, {len(self.png)} bytes>"


@dataclass(frozen=True)
class Page:
    """Frames of a scene, one after another, with their words: one page that needs no other file, no network and no kernel."""

    html: str
    height: int  # of its place in a notebook, in pixels

    def _repr_html_(self) -> str:
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:{self.height}px;border:0" srcdoc="{escape(self.html)}"></iframe>'

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        write(path, self.html.encode())

    def __repr__(self) -> str:
        return f"<speclens.Page, {len(self.html)} characters>"


def program() -> str:
    """$SPECLENS_PROGRAM, the one in the wheel, or that on PATH."""
    named = os.environ.get("SPECLENS_PROGRAM")
    ours = Path(__file__).parent / "_program" / "speclens"
    return named or (str(ours) if ours.is_file() else "speclens")


class Saved(Protocol):
    """A trace, or a file that the program opens as well."""

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None: ...


def render(saved: Saved, scene: str, ending: str, options: dict[str, Any]) -> bytes:
    """What `speclens render SCENE` makes of it. Raises as every call does."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append("x".join(map(str, value)) if isinstance(value, tuple) else str(value))
    with tempfile.TemporaryDirectory() as folder:
        run, made = Path(folder) / "run.jsonl", Path(folder) / ("made." + ending)
        saved.save(run)
        try:
            done = subprocess.run([program(), "render", scene, str(run), *words, "-o", str(made)], capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
        except OSError as error:
            raise ModelError(f"{program()} cannot be started: {error.strerror}", "Set SPECLENS_PROGRAM to the program of this version.") from None
        if done.returncode or not made.is_file():
            lines = [line.removeprefix("speclens:").strip() for line in done.stderr.splitlines() if line.strip()] or ["nothing was drawn"]
            kind: type[SpecLensError] = BY_KIND.get(done.returncode, FailedError)
            raise kind(lines[0], " ".join(lines[1:]))
        return made.read_bytes()

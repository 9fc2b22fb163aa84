"""A run, round by round, read from a trace (docs/formats.md, speclens-trace/1)."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union, overload

from . import _notebook, _table
from ._errors import ModelError

if TYPE_CHECKING:
    import pandas
    import pyarrow

COLUMNS = ("round", "place", "token", "p", "q", "coin", "verdict", "source", "ms", "id")


@dataclass(frozen=True)
class Draft:
    """A draft token. Probabilities are those of the run's temperature and filters; None: the trace does not tell."""

    place: int  # from 1; in a tree its depth
    parent: int  # in Round.drafts; -1: it follows what was written before
    id: int
    token: str
    q: Optional[float]  # of the draft
    p: Optional[float]  # of the target; None where nobody judged it
    coin: Optional[float]  # it was accepted where this was below `threshold`
    threshold: Optional[float]
    verdict: str  # accepted, rejected, dropped: behind a rejected one, or beside the path
    ms: float


@dataclass(frozen=True)
class OwnToken:
    """The token that the target put behind the accepted ones."""

    place: int
    id: int
    token: str
    p: Optional[float]  # in the distribution that it was drawn from: of "recovered" the residual, as a rule
    coin: Optional[float]  # it was drawn with
    source: str  # recovered: in the place of a rejected one; bonus: all were accepted; plain: nothing was drafted


@dataclass(frozen=True)
class Round:
    """Draft, verify, accept, resample, commit."""

    number: int  # from 1
    drafts: tuple[Draft, ...]
    own: Optional[OwnToken]
    accepted: int  # draft tokens
    tokens: tuple[int, ...]  # that were written
    text: str
    draft_ms: float
    verify_ms: float
    other_ms: float

    @property
    def ms(self) -> float:
        return self.draft_ms + self.verify_ms + self.other_ms

    def __str__(self) -> str:
        lines = [f"round {self.number}: {len(self.drafts)} drafted, {self.accepted} accepted, {len(self.tokens)} written, {self.ms:.2f} ms"]
        width = max([len(_visible(one.token)) for one in self.drafts] + [len(_visible(self.own.token)) if self.own else 0] + [6])
        if self.drafts:
            lines.append(f"  {'':2} {'draft':{width}}  {'q':>5}  {'p':>5}  {'coin':>5}  {'limit':>5}")
        for one in self.drafts:
            numbers = "  ".join([_short(one.q), _short(one.p), _exact(one.coin), _exact(one.threshold)])
            lines.append(f"  {one.place:2} {_visible(one.token):{width}}  {numbers}  {one.verdict}")
        if self.own:
            numbers = "  ".join([_short(None), _short(self.own.p), _exact(self.own.coin), _exact(None)])
            lines.append(f"  {self.own.place:2} {_visible(self.own.token):{width}}  {numbers}  {self.own.source}")
        return "\n".join(lines)


class Trace(Sequence[Round]):
    """What a run did: a sequence of rounds. Needs neither the model nor the library any more, and never changes."""

    def __init__(self, lines: str, notices: Sequence[str] = ()) -> None:
        """`lines`: of a trace file."""
        self._lines = lines if lines.endswith("\n") else lines + "\n"
        self.notices = tuple(notices)
        events = _events(lines)
        self.header: Mapping[str, Any] = events[0]
        end: Mapping[str, Any] = next((e for e in reversed(events) if e["kind"] == "stop"), {})
        self.hash: Optional[str] = end.get("hash")  # of ids, probabilities and verdicts, by the program; None: the run has no end
        self.stopped: Optional[str] = end.get("reason")
        plain = [e["ms_per_token"] for e in events if e["kind"] == "plain"]
        self.plain_ms: Optional[float] = plain[-1] if plain else None  # a token of plain decoding, where it was measured
        self._bytes = _token_bytes(events)
        self._rounds = _rounds(events, self._bytes)
        self._columns: Optional[dict[str, list[Any]]] = None

    @overload
    def __getitem__(self, index: int) -> Round: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Round]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Round, Sequence[Round]]:
        return self._rounds[index]

    def __len__(self) -> int:
        return len(self._rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds)

    def __repr__(self) -> str:
        return f"<speclens.Trace {self.header.get('drafter')} on {self.header.get('model')}, {len(self)} rounds, hash {self.hash}>"

    @property
    def tokens(self) -> list[int]:
        """Ids that were written."""
        return [token for one in self._rounds for token in one.tokens]

    @property
    def text(self) -> str:
        """What was written, without the token that ended it."""
        written = self.tokens[:-1] if self.stopped == "end of text" else self.tokens
        return b"".join(self._bytes.get(token, b"") for token in written).decode(errors="replace")

    @property
    def tokens_per_round(self) -> float:
        return len(self.tokens) / len(self) if self else 0.0

    def columns(self) -> dict[str, list[Any]]:
        """One row for every draft token, and for every token of the target's own, in order (docs/python.md)."""
        if self._columns is None:
            rows = [row for one in self._rounds for row in _rows(one)]
            self._columns = {name: list(column) for name, column in zip(COLUMNS, zip(*rows))} if rows else {name: [] for name in COLUMNS}
        return {name: list(column) for name, column in self._columns.items()}

    def _about(self) -> dict[str, str]:
        about = {name: str(self.header[name]) for name in ("model", "drafter", "rule", "seed", "machine", "date") if name in self.header}
        return {"hash": self.hash or "", **about}

    def to_pandas(self) -> pandas.DataFrame:
        """`columns()`; `attrs` has the hash and what was run."""
        return _table.to_pandas(self.columns(), self._about())

    def to_arrow(self) -> pyarrow.Table:
        """`columns()`; the schema's metadata has the hash and what was run."""
        return _table.to_arrow(self.columns(), self._about())

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """A file that the program opens: `speclens FILE`, `speclens render SCENE FILE`. Whole, or not at all."""
        _notebook.write(path, self._lines.encode())

    def _repr_html_(self) -> str:
        return _notebook.rounds_html(self)

    def draw(self, scene: str = "loop", *, size: tuple[int, int] = (1280, 720), **options: Any) -> _notebook.Picture:
        """A frame of a scene ("accept-rule", "loop:3"): a PNG. `options`: theme, language, zoom and others of `speclens render`."""
        return _notebook.Picture(_notebook.render(self, scene, "png", {"size": size, **options}))

    def show(self, scene: str = "loop", *, size: tuple[int, int] = (1280, 720), height: int = 760, **options: Any) -> _notebook.Page:
        """A page that steps through the scene, beat by beat; of the loop through every step of the round that `at` is in."""
        return _notebook.Page(_notebook.render(self, scene, "html", {"size": size, **options}).decode(), height)


def load(path: Union[str, os.PathLike[str]]) -> Trace:
    """A trace from a file of `speclens run --json FILE`, of the window, or of `Trace.save`."""
    try:
        return Trace(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ModelError(f"{os.fspath(path)}: no trace", "Save one with: speclens run --json FILE") from None
    except ModelError as error:
        raise ModelError(f"{os.fspath(path)}: {error.what}", error.remedy) from None


def _events(lines: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except ValueError:
            raise ModelError(f"line {number} is no JSON", "Save a trace with: speclens run --json FILE") from None
        if not isinstance(event, dict) or "kind" not in event:
            raise ModelError(f"line {number} is no event of a trace", "Save a trace with: speclens run --json FILE")
        events.append(event)
    schema = str(events[0].get("schema", "")) if events else ""
    if schema != "speclens-trace/1":
        raise ModelError(f"this is {schema or 'no trace'}", "A trace of speclens-trace/1 is meant: speclens run --json FILE")
    return events


def _token_bytes(events: list[dict[str, Any]]) -> dict[int, bytes]:
    known: dict[int, bytes] = {}
    for event in events:
        for token, text in event.get("texts", {}).items():
            known[int(token)] = text.encode(errors="surrogatepass")
        for token, digits in event.get("bytes", {}).items():
            known[int(token)] = bytes.fromhex(digits)
    return known


def _take_repeated_times(events: list[dict[str, Any]]) -> None:
    """Those of a run that was timed again and again stand in a line of their own, and take the place of the first ones."""
    other = {"draft": "head_ms", "verify": "draft_ms", "commit": "accept_ms"}
    times = [event for event in events if event["kind"] == "times"]
    if not times:
        return
    recorded = [event for event in events if event["kind"] not in ("times", "plain")]
    for event, (ms, second) in zip(recorded, times[-1].get("events", [])):
        if event["kind"] in other:
            event["ms"], event[other[event["kind"]]] = ms, second


def _rounds(events: list[dict[str, Any]], texts: Mapping[int, bytes]) -> list[Round]:
    _take_repeated_times(events)
    rounds: list[Round] = []
    drafts: list[dict[str, Any]] = []
    checks: dict[int, dict[str, Any]] = {}
    own: Optional[dict[str, Any]] = None
    verify: dict[str, Any] = {}
    for event in events:
        kind = event["kind"]
        if kind == "draft":
            if event["index"] == 0:
                drafts, checks, own, verify = [], {}, None, {}
            drafts.append(event)
        elif kind == "verify":
            if drafts and drafts[0]["cycle"] != event["cycle"]:
                drafts = []
            checks, own, verify = {}, None, event
        elif kind == "check":
            checks[event["index"]] = event
        elif kind == "resample":
            own = event
        elif kind == "commit":
            rounds.append(_round(len(rounds) + 1, drafts, checks, own, verify, event, texts))
            drafts, checks, own, verify = [], {}, None, {}
    return rounds


def _round(
    number: int,
    drafts: list[dict[str, Any]],
    checks: Mapping[int, dict[str, Any]],
    own: Optional[dict[str, Any]],
    verify: Mapping[str, Any],
    commit: Mapping[str, Any],
    texts: Mapping[int, bytes],
) -> Round:
    def text(token: int) -> str:
        return texts.get(token, b"").decode(errors="backslashreplace")

    made: list[Draft] = []
    for event in drafts:
        check = checks.get(event["index"])
        made.append(
            Draft(
                place=made[event["parent"]].place + 1 if event["parent"] >= 0 else 1,
                parent=event["parent"],
                id=event["token"],
                token=text(event["token"]),
                q=_probability(event, "q"),
                p=_probability(check, "p") if check else None,
                coin=check.get("u") if check else None,
                threshold=check.get("threshold") if check else None,
                verdict="dropped" if not check else "accepted" if check["accepted"] else "rejected",
                ms=event.get("ms", 0.0) + event.get("head_ms", 0.0),
            )
        )
    tokens = tuple(commit["tokens"])
    return Round(
        number=number,
        drafts=tuple(made),
        own=OwnToken(
            place=len(tokens),
            id=own["token"],
            token=text(own["token"]),
            p=_probability(own, "p"),
            coin=own.get("u"),
            source="plain" if not drafts else "bonus" if own["from"] == "bonus" else "recovered",
        )
        if own and own["token"] == (tokens[-1] if tokens else None)
        else None,
        accepted=commit["accepted_drafts"],
        tokens=tokens,
        text=b"".join(texts.get(token, b"") for token in tokens).decode(errors="replace"),
        draft_ms=sum(one.ms for one in made) + verify.get("draft_ms", 0.0),
        verify_ms=verify.get("ms", 0.0),
        other_ms=commit.get("accept_ms", 0.0) + commit.get("ms", 0.0),
    )


def _rows(one: Round) -> Iterator[tuple[Any, ...]]:
    # The round's last row has what its time is above the drafts', so that the column adds up to the run's.
    rest = one.ms - sum(d.ms for d in one.drafts)
    for i, d in enumerate(one.drafts, 1):
        ms = d.ms + (rest if i == len(one.drafts) and not one.own else 0.0)
        yield one.number, d.place, d.token, d.p, d.q, d.coin, d.verdict, "draft", ms, d.id
    if one.own:
        yield one.number, one.own.place, one.own.token, one.own.p, None, one.own.coin, None, one.own.source, rest, one.own.id


def _probability(event: Mapping[str, Any], key: str) -> Optional[float]:
    """Of a logarithm; null is that of 0."""
    if key not in event:
        return None
    return 0.0 if event[key] is None else math.exp(event[key])


def _visible(token: str) -> str:
    return "".join(c if c.isprintable() and c != " " else {" ": "␣", "\n": "⏎", "\t": "→"}.get(c, "·") for c in token)


def _short(p: Optional[float]) -> str:
    """As the program writes a probability: .38  1.00  >.99  <.01  0"""
    if p is None:
        return "    –"
    text = "0" if p == 0 else "1.00" if p >= 1 else "<.01" if p < 0.005 else ">.99" if p >= 0.995 else f"{p:.2f}"[1:]
    return f"{text:>5}"


def _exact(value: Optional[float]) -> str:
    return "    –" if value is None else f"{value:5.3f}".replace("0.", " .", 1)

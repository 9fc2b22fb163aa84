"""What a comparison, a sweep, an advice or a test came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping

from . import _table

if TYPE_CHECKING:
    import pandas
    import pyarrow

# Where each schema has what is a table in it.
_ROWS = {"speclens-compare": "rows", "speclens-sweep": "cells", "speclens-advice": "cells", "speclens-lossless": "tests", "speclens-same": "pairs"}


class Result(Mapping[str, Any]):
    """The JSON object of the command (docs/formats.md), read as a dict. `ok`: false where the answer is no."""

    def __init__(self, data: Mapping[str, Any], ok: bool, notices: tuple[str, ...]) -> None:
        self._data = data
        self.ok = ok
        self.notices = notices

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"<speclens.Result {self._data.get('schema', '')}, {len(self.rows)} rows>"

    @property
    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._data.get(_ROWS.get(str(self._data.get("schema")).split("/")[0], ""), [])
        return rows

    def columns(self) -> dict[str, list[Any]]:
        """`rows` by column, without what is no single value in them."""
        names = dict.fromkeys(name for row in self.rows for name, value in row.items() if not isinstance(value, (dict, list)))
        return {name: [row.get(name) for row in self.rows] for name in names}

    def _about(self) -> dict[str, str]:
        return {name: str(self._data[name]) for name in ("schema", "model", "machine", "date") if name in self._data}

    def to_pandas(self) -> pandas.DataFrame:
        return _table.to_pandas(self.columns(), self._about())

    def to_arrow(self) -> pyarrow.Table:
        return _table.to_arrow(self.columns(), self._about())

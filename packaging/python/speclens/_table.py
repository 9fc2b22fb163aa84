"""Columns as data frames. pandas and pyarrow are imported where one is asked for, and not needed otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

if TYPE_CHECKING:
    import pandas
    import pyarrow


def to_pandas(columns: Mapping[str, list[Any]], about: Mapping[str, str]) -> pandas.DataFrame:
    import pandas

    frame = pandas.DataFrame(dict(columns))
    frame.attrs.update(about)
    return frame


def to_arrow(columns: Mapping[str, list[Any]], about: Mapping[str, str]) -> pyarrow.Table:
    import pyarrow

    return pyarrow.table(dict(columns)).replace_schema_metadata({"speclens." + name: text for name, text in about.items()})

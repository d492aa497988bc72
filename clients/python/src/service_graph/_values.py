"""Values of Python as the server takes them, and records of many shapes as lines of a load."""

from __future__ import annotations

import base64
import datetime
import decimal
import enum
import json
import math
import os
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Union

#: What :meth:`load` takes: a frame of pandas or polars, a table of pyarrow, dictionaries, or the path of a file of NDJSON
#: or Parquet.
Loadable = Union[Iterable[Mapping[str, Any]], str, "os.PathLike[str]", Any]


def encode(value: Any) -> bytes:
    """The value as JSON. Dates and times are written in ISO 8601, bytes as a Blob."""
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as refused:
        raise ValueError(f"a number is infinite or NaN, which no property holds: {value!r:.200}") from refused


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return time_of(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return "base64:" + base64.b64encode(value).decode()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    for method in ("to_pydatetime", "tolist", "item"):  # pandas and numpy
        if hasattr(value, method):
            return getattr(value, method)()
    raise TypeError(f"a value of {type(value).__name__} is no value of a graph: {value!r}")


def time_of(value: datetime.datetime) -> str:
    """The time in RFC 3339."""
    if value.tzinfo is None:
        raise TypeError(f"the time {value} has no time zone; give one: .replace(tzinfo=timezone.utc)")
    return value.isoformat()


def source_of(text: str) -> str:
    """The text as a query: a body that is no whole query gets ``query _() { … }`` around it."""
    for line in text.splitlines():
        words = line.split("//", 1)[0].split()
        if words:
            return text if words[0] == "query" else "query _() {\n" + text + "\n}"
    return text


def lines_of(data: Loadable, type_name: str | None, edge: str | None) -> Iterator[bytes]:
    """The records as lines of NDJSON."""
    if isinstance(data, (str, os.PathLike)):
        path = Path(data)
        if path.suffix == ".csv":
            raise ValueError(f"{path} has no types: load a frame of pandas or polars, or the file with `service load`")
        if path.suffix != ".parquet":
            with open(path, "rb") as file:
                for line in file:
                    if line.strip():
                        yield line.rstrip(b"\n")
            return
        data = _rows_of_parquet(path)
    for row in _rows(data):
        yield encode(_record(row, type_name, edge))


def _rows_of_parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ImportError(f"{path} needs pyarrow: pip install 'service-graph[arrow]'") from None
    with ParquetFile(path) as file:
        for batch in file.iter_batches():
            yield from batch.to_pylist()


def _rows(data: Any) -> Iterator[Mapping[str, Any]]:
    if hasattr(data, "iter_rows"):  # polars
        yield from data.iter_rows(named=True)
    elif hasattr(data, "to_batches"):  # pyarrow
        for batch in data.to_batches():
            yield from batch.to_pylist()
    elif hasattr(data, "itertuples") and hasattr(data, "columns"):  # pandas
        _require_zones(data)
        columns = [(str(name), _was_whole(data.iloc[:, i])) for i, name in enumerate(data.columns)]
        for row in data.itertuples(index=False, name=None):
            yield {
                name: int(value) if whole else value
                for (name, whole), value in zip(columns, row)
                if not _missing(value)
            }
    elif isinstance(data, Mapping):
        yield data
    else:
        yield from data


def _require_zones(frame: Any) -> None:
    """A day of pandas is a time without a zone: which of a Date and a DateTime it is, only the caller knows."""
    for i, name in enumerate(frame.columns):
        if frame.dtypes.iloc[i].kind == "M" and getattr(frame.dtypes.iloc[i], "tz", None) is None:
            raise TypeError(
                f"the times of column {name!r} have no time zone; for a Date give frame[{name!r}].dt.date, "
                f"for a DateTime frame[{name!r}].dt.tz_localize('UTC')"
            )


def _was_whole(column: Any) -> bool:
    """Whether pandas holds whole numbers as floats, because some cells are empty."""
    return bool(column.dtype.kind == "f" and column.isna().any() and (column.dropna() % 1 == 0).all())


def _missing(value: Any) -> bool:
    """Whether a cell of pandas is empty: None, NaN, NaT or NA."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return type(value).__name__ in ("NaTType", "NAType")


def _record(row: Mapping[str, Any], type_name: str | None, edge: str | None) -> dict[str, Any]:
    if edge is not None and type_name is not None:
        raise ValueError("give `type` for nodes or `edge` for edges, not both")
    if edge is not None:
        data = {str(name): value for name, value in row.items()}
        ends = {}
        for end, other in (("from", "@src"), ("to", "@dst")):
            if end not in data and other not in data:
                raise ValueError(f"a row of edge {edge} has neither `{end}` nor `{other}`: {dict(row)}")
            ends[end] = data.pop(end) if end in data else data.pop(other)
            node_type = data.pop(other + "_type", None)
            if node_type is not None:
                ends[end] = {"type": node_type, "id": ends[end]}
        return {"edge": edge, **ends, "data": _with_id(data)}
    if type_name is not None:
        return {"type": type_name, "data": _with_id(dict(row))}
    if "type" in row or "edge" in row:
        return dict(row)
    raise ValueError("give `type` or `edge`, or records that have one of them")


def _with_id(data: dict[str, Any]) -> dict[str, Any]:
    if "@id" in data:
        data["id"] = data.pop("@id")
    return data

"""Answers in Arrow, and their values as JSON has them."""

from __future__ import annotations

import datetime
import importlib.util
import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

MEDIA = "application/vnd.apache.arrow.stream"

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_DAY_MS = 86_400_000


def installed() -> bool:
    return importlib.util.find_spec("pyarrow") is not None


def table_of(stream: bytes) -> pyarrow.Table:
    import pyarrow.ipc

    with pyarrow.ipc.open_stream(stream) as reader:
        return reader.read_all()


def metadata_of(table: pyarrow.Table) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in (table.schema.metadata or {}).items()}


def rows_of(table: pyarrow.Table) -> list[dict[str, Any]]:
    """The rows with the values that JSON has."""
    columns = [
        [value for chunk in table.column(at).chunks for value in _values(chunk, field)]
        for at, field in enumerate(table.schema)
    ]
    names = table.schema.names
    return [dict(zip(names, row)) for row in zip(*columns)] if columns else []


def _values(array: Any, field: Any) -> list[Any]:
    import pyarrow.types as kinds

    kind = array.type
    if kinds.is_dictionary(kind):
        return list(array.dictionary_decode().to_pylist())
    if kinds.is_date32(kind):
        return [None if day is None else _date(day) for day in array.cast("int32").to_pylist()]
    if kinds.is_timestamp(kind):
        return [None if ms is None else _time(ms) for ms in array.cast("int64").to_pylist()]
    if kinds.is_float32(kind):
        return [None if value is None else _float32(value) for value in array.to_pylist()]
    if kinds.is_decimal(kind):
        return [None if value is None else int(value) for value in array.to_pylist()]
    if kinds.is_list(kind) or kinds.is_fixed_size_list(kind):
        return _lists(array, kind.value_field)
    if kinds.is_struct(kind):
        return _records(array, field)
    values = list(array.to_pylist())
    if (field.metadata or {}).get(b"service") == b"json":
        return [None if text is None else json.loads(text) for text in values]
    return values


def _lists(array: Any, item: Any) -> list[Any]:
    import pyarrow.compute

    items = iter(_values(array.flatten(), item))
    lengths = pyarrow.compute.list_value_length(array).to_pylist()
    present = array.is_valid().to_pylist()
    return [[next(items) for _ in range(length)] if has else None for length, has in zip(lengths, present)]


def _records(array: Any, field: Any) -> list[Any]:
    names = [child.name for child in field.type]
    children = [_values(values, child) for values, child in zip(array.flatten(), field.type)]
    rows = [dict(zip(names, row)) for row in zip(*children)]
    # Where several types are possible, each record has the members of its own type.
    types = json.loads((field.metadata or {}).get(b"service", b"{}"))
    if types:
        rows = [{name: row[name] for name in types.get(row["@type"], names)} for row in rows]
    return [row if has else None for row, has in zip(rows, array.is_valid().to_pylist())]


def _date(day: int) -> str:
    if day + _EPOCH < 1:  # the year 0, which is not one of Python
        return "0000" + datetime.date.fromordinal(day + _EPOCH + 146_097).isoformat()[4:]
    return datetime.date.fromordinal(day + _EPOCH).isoformat()


def _time(ms: int) -> str:
    day, rest = divmod(ms, _DAY_MS)
    seconds, ms = divmod(rest, 1000)
    text = f"{_date(day)}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{ms:03}Z" if ms else text + "Z"


def _float32(value: float) -> float:
    """The float of the shortest digits that give the same 32 bits."""
    for digits in (6, 7, 8):
        shortest = float(f"{value:.{digits}g}")
        if struct.unpack("f", struct.pack("f", shortest))[0] == value:
            return shortest
    return float(f"{value:.9g}")

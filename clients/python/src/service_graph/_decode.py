"""Reads records of the wire into the dataclasses of :mod:`service_graph.models`."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from typing import Any, TypeVar

from . import models

T = TypeVar("T")


def decode(kind: type[T], value: Any) -> T:
    """The value as ``kind``. Members that the class does not know are left out: a newer server may send them."""
    return typing.cast(T, _decode(kind, value))


def _decode(kind: Any, value: Any) -> Any:
    origin = typing.get_origin(kind)
    if value is None or kind is Any or origin is typing.Literal:
        return value
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return kind(**{name: _decode(of, value[wire]) for name, wire, of in _fields(kind) if wire in value})
    if origin is list:
        (item,) = typing.get_args(kind)
        return [_decode(item, each) for each in value]
    if origin is dict:
        _, item = typing.get_args(kind)
        return {name: _decode(item, each) for name, each in value.items()}
    if origin in (typing.Union, types.UnionType):
        return _decode(_chosen(typing.get_args(kind), value), value)
    return value


def _chosen(kinds: tuple[Any, ...], value: Any) -> Any:
    """The first class of a union whose required members are all there."""
    for kind in kinds:
        if not dataclasses.is_dataclass(kind):
            if kind is not type(None):
                return kind
        elif isinstance(value, dict) and all(
            field.metadata.get("wire", field.name) in value
            for field in dataclasses.fields(kind)
            if field.default is dataclasses.MISSING
        ):
            return kind
    return Any


@functools.cache
def _fields(kind: type) -> list[tuple[str, str, Any]]:
    hints = typing.get_type_hints(kind, vars(models))
    return [
        (field.name, field.metadata.get("wire", field.name), hints[field.name])
        for field in dataclasses.fields(kind)
    ]

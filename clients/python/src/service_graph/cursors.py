"""Where a consumer of changes keeps its place."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Protocol


class Cursor(Protocol):
    """The place of a consumer. ``load`` answers the parameters of the next poll; empty at the beginning."""

    def load(self) -> dict[str, str]: ...

    def save(self, place: dict[str, str]) -> None: ...


class MemoryCursor:
    """A place that ends with the program; begins at a cursor, or at the head of the branch."""

    def __init__(self, cursor: str | None = None):
        self.place = {} if cursor is None else {"cursor": cursor}

    def load(self) -> dict[str, str]:
        return self.place

    def save(self, place: dict[str, str]) -> None:
        self.place = place


class FileCursor:
    """A place in a file, which is replaced whole: a program that is killed goes on at the old place or the new one."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)

    def load(self) -> dict[str, str]:
        try:
            place = json.loads(self.path.read_text())
        except FileNotFoundError:
            return {}
        return {str(name): str(value) for name, value in place.items()}

    def save(self, place: dict[str, str]) -> None:
        new = self.path.with_name(self.path.name + ".new")
        with open(new, "w") as file:
            json.dump(place, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

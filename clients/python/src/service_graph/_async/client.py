"""A client, its graphs and their branches."""

from __future__ import annotations

import datetime
import json
import re
import uuid
from typing import Any, AsyncIterator, Callable, Mapping, TypeVar
from urllib.parse import quote, urlencode

from .. import models
from .._decode import decode
from .._values import Loadable, lines_of, source_of, time_of
from ..cursors import Cursor, MemoryCursor
from ..errors import StreamBroken
from ..result import Rows
from .transport import AsyncTransport

T = TypeVar("T")

LONG_POLL_SECONDS = 20
DAY = re.compile(r"\d{4}-\d\d-\d\d")


class AsyncClient:
    """Calls one server. Safe for several tasks or threads; close it, or use it in a ``with``.

    ``retry_seconds`` bounds how long a request is repeated after a lost answer, 429 or 503. Writes have an idempotency
    key, so that a repeated one takes effect once. Rows come as Arrow where pyarrow is installed, unless ``arrow`` is
    false.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        token: str | None = None,
        timeout: float = 60.0,
        retry_seconds: float = 30.0,
        arrow: bool = True,
        transport: Any = None,
    ):
        self._transport = AsyncTransport(url, token, timeout, retry_seconds, arrow, transport)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._transport.aclose()

    def graph(self, graph_id: str) -> AsyncGraph:
        """A graph of the server; nothing is sent."""
        return AsyncGraph(self._transport, graph_id, {})

    async def graphs(self) -> list[models.GraphEntry]:
        """The graphs of the cluster, quarantined ones included."""
        return decode(models.GraphList, await self._transport.call("GET", "/graphs")).graphs


class AsyncGraph:
    """A state of a graph: the head of ``main``, unless it is of :meth:`branch` or :meth:`at`."""

    def __init__(self, transport: AsyncTransport, graph_id: str, target: dict[str, str]):
        self._transport = transport
        self.id = graph_id
        self._target = target

    def __repr__(self) -> str:
        place = ", ".join(f"{name}={value!r}" for name, value in self._target.items())
        return f"<{type(self).__name__} {self.id!r}{', ' if place else ''}{place}>"

    # Places

    def branch(self, name: str) -> AsyncBranch:
        """A branch, which need not exist yet; nothing is sent."""
        return AsyncBranch(self._transport, self.id, {"branch": name})

    def at(
        self, *, commit: str | None = None, as_of: str | datetime.date | datetime.datetime | None = None
    ) -> AsyncGraph:
        """A state of the past, for reads: a commit or another ref (``main~3``), or the branch at a time.

        A day without a time is its beginning in UTC.
        """
        if (commit is None) == (as_of is None):
            raise ValueError("give `commit` or `as_of`")
        if commit is not None:
            return AsyncGraph(self._transport, self.id, {"snapshot": commit})
        time = time_of(as_of) if isinstance(as_of, datetime.datetime) else str(as_of)
        time += "T00:00:00Z" if DAY.fullmatch(time) else ""
        return AsyncGraph(self._transport, self.id, {**self._target, "as_of": time})

    # Reads

    async def query(
        self, source: str, params: Mapping[str, Any] | None = None, /, *, settings: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> Rows:
        """Runs a read in GQ. Parameters are keywords, or a mapping where a name is taken."""
        body = {"query": source_of(source), "params": {**(params or {}), **values}, **self._target}
        if settings is not None:
            body["settings"] = dict(settings)
        return Rows(await self._call("POST", "/query", body=body, rows=True))

    async def call(self, name: str, params: Mapping[str, Any] | None = None, /, **values: Any) -> Rows:
        """Runs a stored read."""
        body = {"params": {**(params or {}), **values}, "expect": "read", **self._target}
        return Rows(await self._call("POST", f"/queries/{_segment(name)}", body=body, rows=True))

    async def queries(self) -> list[models.StoredQuery]:
        """The stored queries that the caller may invoke."""
        return decode(models.StoredQueryList, await self._call("GET", "/queries")).queries

    async def schema(self) -> models.SchemaSource:
        return decode(models.SchemaSource, await self._call("GET", "/schema", params=self._target))

    async def catalog(self) -> models.Catalog:
        """The compiled schema: types with properties, keys, ends and annotations."""
        return decode(models.Catalog, await self._call("GET", "/catalog", params=self._target))

    async def snapshot(self) -> models.Snapshot:
        """The commit of the state, and how many entities it has of each type."""
        return decode(models.Snapshot, await self._call("GET", "/snapshot", params=self._target))

    async def export(self, *, types: list[str] | None = None) -> AsyncIterator[dict[str, Any]]:
        """The entities of the state: nodes before edges, as records of a load."""
        body = {**self._target, **({} if types is None else {"type_names": types})}
        async for record in self._transport.lines(self._path("/export"), body):
            yield record

    async def commits(self, *, limit: int | None = None, **filters: Any) -> AsyncIterator[models.Commit]:
        """The commits of the branch, newest first, in pages as they are needed.

        Filters are those of the route: ``actor``, ``kind``, ``since``, ``until``, ``all``, …
        """
        before: dict[str, Any] = {}
        left = limit
        while left is None or left > 0:
            params = {**self._target, **_flags(filters), **before, "limit": min(left or 1000, 1000)}
            page = decode(models.CommitList, await self._call("GET", "/commits", params=params))
            for commit in page.commits:
                yield commit
            left = None if left is None else left - len(page.commits)
            if page.next_before is None:
                return
            before = {"before": page.next_before}

    async def commit(self, ref: str) -> models.Commit:
        return decode(models.Commit, await self._call("GET", f"/commits/{_segment(ref)}"))

    async def history(self, kind: str, type: str, id: str, **options: Any) -> models.EntityHistoryResult:
        """A page of the commits that changed one entity, newest first; with ``blame=True`` who set each present value."""
        params = {"entity": kind, "type": type, "id": id, **self._target, **_flags(options)}
        answer = await self._call("GET", "/history", params=params)
        return decode(models.EntityBlame, answer) if options.get("blame") else decode(models.EntityHistory, answer)

    async def diff(self, from_: str, to: str, **filters: Any) -> AsyncIterator[models.Change]:
        """Which entities differ between two states, in pages as they are needed."""
        params: dict[str, Any] = {"from": from_, "to": to, **_flags(filters)}
        while True:
            page = decode(models.Diff, await self._call("GET", "/diff", params=params))
            for change in page.changes:
                yield change
            if page.next_page_token is None:
                return
            params = {"page_token": page.next_page_token}

    async def branches(self) -> list[models.Branch]:
        return decode(models.BranchList, await self._call("GET", "/branches")).branches

    # Writes

    async def mutate(
        self,
        source: str,
        params: Mapping[str, Any] | None = None,
        /,
        *,
        if_commit: str | None = None,
        message: str | None = None,
        meta: Mapping[str, str] | None = None,
        key: str | None = None,
        **values: Any,
    ) -> models.MutationResult:
        """Runs a mutation in GQ as one commit.

        ``if_commit`` is the head that the branch must have (:class:`~service_graph.exceptions.PreconditionFailed`).
        ``key`` names the write for repeats over several runs of a program; without it each call has its own.
        """
        body = {"query": source_of(source), "params": {**(params or {}), **values}, **_note(message, meta)}
        return await self._write(models.MutationResult, "/mutate", body, if_commit, key)

    async def call_mutation(
        self,
        name: str,
        params: Mapping[str, Any] | None = None,
        /,
        *,
        if_commit: str | None = None,
        message: str | None = None,
        meta: Mapping[str, str] | None = None,
        key: str | None = None,
        **values: Any,
    ) -> models.MutationResult:
        """Runs a stored mutation; the rest as :meth:`mutate`."""
        body = {"params": {**(params or {}), **values}, "expect": "mutation", **_note(message, meta)}
        return await self._write(models.MutationResult, f"/queries/{_segment(name)}", body, if_commit, key)

    async def load(
        self,
        data: Loadable,
        *,
        type: str | None = None,
        edge: str | None = None,
        mode: str = "merge",
        batch: int = 100_000,
        message: str | None = None,
        meta: Mapping[str, str] | None = None,
        key: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> list[models.LoadResult]:
        """Loads a frame, dictionaries, or a file of NDJSON or Parquet, one commit for each ``batch`` records.

        ``type`` or ``edge`` names what the rows are, where they do not say it themselves. ``progress`` is called with
        the number of records that are loaded. ``overwrite`` needs all records in one batch.
        """
        self._require_head()
        if batch < 1:
            raise ValueError(f"batch must be at least 1, not {batch}")
        key = key or uuid.uuid4().hex
        headers = {}
        if message is not None:
            headers["Service-Commit-Message"] = quote(message)
        if meta is not None:
            headers["Service-Commit-Meta"] = urlencode(dict(meta), quote_via=quote)
        results: list[models.LoadResult] = []
        lines: list[bytes] = []
        done = 0

        async def send() -> None:
            answer = await self._call(
                "POST",
                "/load/ndjson",
                params={**self._target, "mode": mode},
                content=b"\n".join(lines),
                headers={**headers, "Idempotency-Key": f"{key}-{done}"},
            )
            results.append(decode(models.LoadResult, answer))

        for line in lines_of(data, type, edge):
            if len(lines) == batch:
                if mode == "overwrite":
                    raise ValueError(f"overwrite replaces what it does not name: load all records at once, batch > {batch}")
                await send()
                done += len(lines)
                lines.clear()
                if progress is not None:
                    progress(done)
            lines.append(line)
        if lines:
            await send()
            if progress is not None:
                progress(done + len(lines))
        return results

    async def tag(self, name: str, ref: str | None = None, message: str | None = None) -> models.Tag:
        """Names a commit; without ``ref`` that of this state."""
        body = {"name": name, "ref": ref or self._ref(), **({} if message is None else {"message": message})}
        return await self._write(models.Tag, "/tags", body, None, None, target=False)

    async def tags(self) -> list[models.Tag]:
        tags: list[models.Tag] = []
        after: dict[str, str] = {}
        while True:
            page = decode(models.TagList, await self._call("GET", "/tags", params=after))
            tags += page.tags
            if page.next_after is None:
                return tags
            after = {"after": page.next_after}

    async def delete_tag(self, name: str) -> models.Tag:
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        return decode(models.Tag, await self._call("DELETE", f"/tags/{_segment(name)}", headers=headers))

    async def revert(self, ref: str, **options: Any) -> models.UndoResult:
        """Takes back on this branch what a commit changed, as one commit."""
        return await self._undo(f"/commits/{_segment(ref)}/revert", options)

    async def pick(self, ref: str, **options: Any) -> models.UndoResult:
        """Makes on this branch what a commit changed elsewhere, as one commit."""
        return await self._undo(f"/commits/{_segment(ref)}/pick", options)

    async def restore(self, to: str, **options: Any) -> models.UndoResult:
        """Makes one commit after which the entities of this branch equal those at a commit."""
        if_commit = options.pop("if_commit", None)
        path = f"/branches/{_segment(self._ref())}/restore"
        body = {"to": to, **options}
        return await self._write(models.UndoResult, path, body, if_commit, None, target=False, conditional=False)

    async def merge_branch(self, source: str, **options: Any) -> models.MergeResult:
        """Takes into this branch what another one has changed since their merge base."""
        body = {"source": source, "target": self._ref(), **options}
        return await self._write(models.MergeResult, "/branches/merge", body, None, None, target=False)

    # The feed

    async def changes(
        self,
        *,
        cursor: Cursor | str | None = None,
        start: str = "now",
        follow: bool = False,
        kinds: list[str] | None = None,
        types: list[str] | None = None,
        ops: list[str] | None = None,
    ) -> AsyncIterator[models.ChangeBlock]:
        """The commits of the branch, oldest first, each with what it changed.

        The place is saved when the body of the loop has run for all that it covers, so every block arrives at least
        once. Without a place it begins at ``start``: ``now``, ``beginning`` or ``after:COMMIT``. With ``follow`` it
        waits for new commits and does not end.
        """
        place = cursor if cursor is not None and not isinstance(cursor, str) else MemoryCursor(cursor)
        filters = {"kind": kinds, "type": types, "op": ops}
        while True:
            at = place.load() or {"start": start}
            params: dict[str, Any] = {**self._target, **{name: of for name, of in filters.items() if of}, **at}
            if follow and "page_token" not in at:
                params["wait"] = LONG_POLL_SECONDS
            page = decode(models.ChangePage, await self._call("GET", "/changes", params=params))
            for block in page.blocks:
                yield block
            if page.cursor is not None:
                place.save({"cursor": page.cursor})
                if page.caught_up and not follow:
                    return
            elif page.next_page_token is not None:
                place.save({"page_token": page.next_page_token})

    async def baseline(self, cursor: Cursor, *, types: list[str] | None = None) -> AsyncIterator[dict[str, Any]]:
        """The entities of the head, after which ``cursor`` stands where the feed goes on from them."""
        body = {**self._target, **({} if types is None else {"type": types})}
        whole = False
        async for record in self._transport.lines(self._path("/changes/baseline"), body):
            if "baseline" in record:
                cursor.save({"cursor": record["baseline"]["resume_cursor"]})
                whole = True
            else:
                yield record
        if not whole:
            raise StreamBroken("the baseline ended before its cursor")

    # How requests are made

    def _path(self, path: str) -> str:
        return f"/graphs/{_segment(self.id)}{path}"

    async def _call(self, method: str, path: str, **request: Any) -> Any:
        return await self._transport.call(method, self._path(path), **request)

    async def _write(
        self,
        kind: type[T],
        path: str,
        body: dict[str, Any],
        if_commit: str | None,
        key: str | None,
        *,
        target: bool = True,
        conditional: bool = True,
    ) -> T:
        if target:
            self._require_head()
        headers = {"Idempotency-Key": key or uuid.uuid4().hex}
        if if_commit is not None:
            headers["Service-If-Graph-Commit"] = if_commit
            path += "/if-graph-commit" if conditional else ""
        body = {**body, **self._target} if target else body
        return decode(kind, await self._call("POST", path, body=body, headers=headers))

    def _require_head(self) -> None:
        if "snapshot" in self._target or "as_of" in self._target:
            raise ValueError(f"{self!r} is a state of the past, which is only read; write to a branch: g.branch(\"main\")")

    async def _undo(self, path: str, options: dict[str, Any]) -> models.UndoResult:
        if_commit = options.pop("if_commit", None)
        body = {"branch": self._ref(), **options}
        return await self._write(models.UndoResult, path, body, if_commit, None, target=False, conditional=False)

    def _ref(self) -> str:
        if "as_of" in self._target:
            raise ValueError("a state at a time has no name; take its commit: (g.snapshot()).graph_commit_id")
        return self._target.get("snapshot") or self._target.get("branch", "main")


class AsyncBranch(AsyncGraph):
    """A branch of a graph."""

    @property
    def name(self) -> str:
        return self._target["branch"]

    async def __aenter__(self) -> AsyncBranch:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        """Leaves the branch as it is."""

    async def create(self, from_: str = "main") -> AsyncBranch:
        """Creates the branch at a branch, a commit or another ref."""
        body = {"name": self.name, "from": from_}
        await self._call("POST", "/branches", body=body, repeat=False)
        return self

    async def get(self) -> models.Branch:
        return decode(models.Branch, await self._call("GET", f"/branches/{_segment(self.name)}"))

    async def delete(self) -> models.Branch:
        return decode(models.Branch, await self._call("DELETE", f"/branches/{_segment(self.name)}", repeat=False))

    async def merge(self, into: str = "main", **options: Any) -> models.MergeResult:
        """Merges this branch; ``dry_run=True`` only shows the outcome, with its ``conflicts``."""
        return await self.graph_of(into).merge_branch(self.name, **options)

    def graph_of(self, branch: str) -> AsyncBranch:
        return AsyncBranch(self._transport, self.id, {"branch": branch})


def _segment(name: str) -> str:
    return quote(name, safe="")


def _note(message: str | None, meta: Mapping[str, str] | None) -> dict[str, Any]:
    note: dict[str, Any] = {}
    if message is not None:
        note["message"] = message
    if meta is not None:
        note["meta"] = dict(meta)
    return note


def _flags(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a query string: true and false in words."""
    return {name: json.dumps(value) if isinstance(value, bool) else value for name, value in options.items()}

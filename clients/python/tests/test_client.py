"""Tests against a running server: SERVICE_URL names it; its graph `docs` has the schema of the README."""

from __future__ import annotations

import asyncio
import datetime
import doctest
import importlib.util
import json
import os
import socket
import tempfile
import threading
import unittest
import uuid
from pathlib import Path
from typing import Any

import httpx

import service_graph
from service_graph import AsyncClient, Client, FileCursor, MemoryCursor, ServiceError, StreamBroken, models
from service_graph._values import lines_of
from service_graph.exceptions import BY_CODE, NotFound, PreconditionFailed

URL = os.environ["SERVICE_URL"]
README = Path(__file__).parent.parent / "README.md"


def fresh(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:8]


def load_tests(loader: Any, tests: unittest.TestSuite, pattern: Any) -> unittest.TestSuite:
    """Runs the samples of the README as well, on the empty graph, before the tests."""
    names = {"URL": URL, "FOLDER": tempfile.mkdtemp()}
    docs = doctest.DocFileSuite(str(README), module_relative=False, globs=names)
    package = doctest.DocTestSuite(service_graph, extraglobs={"URL": URL})
    return unittest.TestSuite([docs, package, tests])


class Door(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(URL, retry_seconds=5)
        self.g = self.client.graph("docs")
        self.branch = self.g.branch(fresh("t/")).create()
        self.addCleanup(self.client.close)


class Reads(Door):
    def test_integers_and_parameters_are_exact(self) -> None:
        big = 2**63 - 1
        rows = self.g.query(
            "query q($n: I64, $d: Date, $t: DateTime, $l: [String]) { return { $n as n, $d as d, $t as t, $l as l } }",
            n=big,
            d=datetime.date(2026, 11, 26),
            t=datetime.datetime(2026, 11, 26, 1, 2, 3, tzinfo=datetime.timezone.utc),
            l=("a", "b"),
        )
        self.assertEqual(rows[0]["n"], big)
        self.assertEqual(rows[0]["d"], "2026-11-26")
        self.assertEqual(rows[0]["l"], ["a", "b"])

    def test_a_time_without_a_zone_is_refused(self) -> None:
        with self.assertRaisesRegex(TypeError, "time zone"):
            self.g.query("query q($t: DateTime) { return { $t as t } }", t=datetime.datetime(2026, 1, 1))

    def test_a_parameter_may_have_the_name_of_an_option(self) -> None:
        rows = self.g.query("query q($settings: I64) { return { $settings as s } }", {"settings": 3})
        self.assertEqual(rows[0]["s"], 3)

    def test_diagnostics_show_source_and_caret(self) -> None:
        with self.assertRaises(ServiceError) as raised:
            self.g.query("match { $p: Person } return { $p.nme }")
        self.assertEqual((raised.exception.status, raised.exception.code), (400, "bad_request"))
        self.assertIn("^", str(raised.exception))
        self.assertIn("name", str(raised.exception))

    def test_what_is_missing_is_an_exception_of_its_own(self) -> None:
        with self.assertRaises(NotFound):
            self.client.graph("nowhere").query("return { 1 as x }")
        with self.assertRaises(NotFound) as raised:
            self.g.branch("no-such").query("return { 1 as x }")
        self.assertEqual(raised.exception.reason, "branch")

    def test_every_code_has_an_exception(self) -> None:
        self.assertIs(BY_CODE["change_feed_gap"].__mro__[1], ServiceError)
        self.assertGreaterEqual(len(BY_CODE), 20)

    def test_export_and_commits_are_whole(self) -> None:
        self.branch.load(({"name": f"p{i}"} for i in range(30)), type="Person", batch=7)
        names = {record["data"]["name"] for record in self.branch.export(types=["Person"])}
        self.assertLessEqual({f"p{i}" for i in range(30)}, names)
        kinds = [commit.kind for commit in self.branch.commits(limit=5)]
        self.assertEqual(kinds, ["load"] * 5)

    def test_graphs_of_rows(self) -> None:
        self.branch.load([{"name": "a"}, {"name": "b"}], type="Person")
        self.branch.load([{"@src": "a", "@dst": "b", "since": datetime.date(2020, 1, 1)}], edge="Knows")
        rows = self.branch.query('match { $a: Person { name: "a" } $a $k:knows $b } return { $a, $k, $b }')
        nodes, edges = rows.entities()
        self.assertEqual(([n["@id"] for n in nodes], edges[0]["@src"], edges[0]["@dst"]), (["a", "b"], "a", "b"))
        self.assertIn("<svg", rows._repr_html_())
        if importlib.util.find_spec("networkx"):
            self.assertEqual(rows.to_networkx().number_of_edges(), 1)

    def test_answers_in_arrow_have_the_values_of_json(self) -> None:
        self.branch.load([{"name": "a", "born": datetime.date(1815, 12, 10)}, {"name": "b"}], type="Person")
        query = 'match { $p: Person  $p.name in ["a", "b"] } return { $p, $p.born as d, 9007199254740993 as big } order { $p.name }'
        rows = self.branch.query(query)
        with Client(URL, arrow=False) as plain:
            wanted = plain.graph("docs").branch(self.branch.name).query(query)
        self.assertEqual((rows.rows, rows.result), (wanted.rows, wanted.result))
        with self.assertRaisesRegex(ValueError, "pyarrow"):
            wanted.to_arrow()
        if importlib.util.find_spec("pyarrow"):
            self.assertEqual(str(rows.to_arrow().schema.field("d").type), "date32[day]")
            if importlib.util.find_spec("pandas"):
                self.assertEqual(list(rows.to_pandas()["big"]), [2**53 + 1] * 2)
            if importlib.util.find_spec("polars"):
                self.assertEqual(rows.to_polars()["d"].to_list(), [datetime.date(1815, 12, 10), None])

    def test_markup_in_values_is_text(self) -> None:
        html = self.g.query('return { "<script>x</script>" as s }')._repr_html_()
        self.assertNotIn("<script>", html)


class Writes(Door):
    def test_a_condition_that_does_not_hold_names_both_commits(self) -> None:
        first = self.branch.mutate('insert Person { name: "x" }')
        second = self.branch.mutate('insert Person { name: "y" }')
        assert first.commit is not None and second.commit is not None
        with self.assertRaises(PreconditionFailed) as raised:
            self.branch.mutate('insert Person { name: "z" }', if_commit=first.commit.id)
        self.assertEqual((raised.exception.expected, raised.exception.actual), (first.commit.id, second.commit.id))
        self.branch.mutate('insert Person { name: "z" }', if_commit=second.commit.id)

    def test_what_cannot_be_meant_is_refused_before_it_is_sent(self) -> None:
        past = self.g.at(as_of=datetime.datetime.now(datetime.timezone.utc))
        self.assertEqual(past.query("return { 1 as x }").rows, [{"x": 1}])
        with self.assertRaisesRegex(ValueError, "only read"):
            past.mutate('insert Person { name: "x" }')
        with self.assertRaisesRegex(ValueError, "only read"):
            self.g.at(commit="main").load([{"name": "x"}], type="Person")
        with self.assertRaisesRegex(ValueError, "not both"):
            self.branch.load([{"name": "x"}], type="Person", edge="Knows")
        with self.assertRaisesRegex(ValueError, "at least 1"):
            self.branch.load([{"name": "x"}], type="Person", batch=0)
        with self.assertRaisesRegex(ValueError, "infinite"):
            self.branch.load([{"name": float("inf")}], type="Person")
        with self.assertRaisesRegex(ValueError, "http://"):
            Client("localhost:8080")

    def test_a_key_writes_once(self) -> None:
        key = fresh("key-")
        first = self.branch.mutate('insert Person { name: "once" }', key=key, message="m", meta={"a": "1"})
        again = self.branch.mutate('insert Person { name: "once" }', key=key, message="m", meta={"a": "1"})
        self.assertEqual(first, again)
        assert first.commit is not None
        self.assertEqual((first.commit.message, first.commit.meta), ("m", {"a": "1"}))

    def test_frames_load(self) -> None:
        loaded = 0

        def progress(done: int) -> None:
            nonlocal loaded
            loaded = done

        if importlib.util.find_spec("pandas"):
            import pandas

            frame = pandas.DataFrame({"name": ["f1", "f2"], "born": [datetime.date(1990, 1, 1), None]})
            self.branch.load(frame, type="Person", progress=progress)
            rows = self.branch.query(
                'match { $p: Person  $p.name in ["f1", "f2"] } return { $p.name as n, $p.born as b } order { n }'
            )
            self.assertEqual(rows.rows, [{"n": "f1", "b": "1990-01-01"}, {"n": "f2", "b": None}])
            self.assertEqual(list(rows.to_pandas().columns), ["n", "b"])
            times = pandas.DataFrame({"name": ["f3"], "born": pandas.to_datetime(["1990-01-01"])})
            with self.assertRaisesRegex(TypeError, r"column 'born'.*\.dt\.date"):
                self.branch.load(times, type="Person")
            gaps = pandas.DataFrame({"whole": [1, None], "half": [0.5, None]})
            lines = [json.loads(line) for line in lines_of(gaps, "T", None)]
            self.assertEqual(repr(lines[0]["data"]), "{'whole': 1, 'half': 0.5}")
            self.assertEqual(lines[1]["data"], {})
        else:
            self.branch.load([{"name": "f1"}, {"name": "f2"}], type="Person", progress=progress)
        self.assertEqual(loaded, 2)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "needs pyarrow")
    def test_tables_load(self) -> None:
        import pyarrow
        import pyarrow.parquet

        days = pyarrow.array([datetime.date(1990, 1, 1), None])
        self.branch.load(pyarrow.table({"name": ["t1", "t2"], "born": days}), type="Person")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "Knows.parquet")
            pyarrow.parquet.write_table(pyarrow.table({"@src": ["t1"], "@dst": ["t2"]}), file)
            self.branch.load(file, edge="Knows")
            with self.assertRaisesRegex(ValueError, "has no types"):
                self.branch.load(os.path.join(folder, "Knows.csv"), edge="Knows")
        rows = self.branch.query("match { $a: Person  $a knows $b } return { $a.born as a, $b.name as b }")
        self.assertIn({"a": "1990-01-01", "b": "t2"}, rows.rows)
        wide = {"@src": "x", "@src_type": "Person", "@dst": "y", "@dst_type": None}
        [line] = lines_of([wide], None, "Owns")
        self.assertEqual(json.loads(line)["from"], {"type": "Person", "id": "x"})

    def test_undo(self) -> None:
        made = self.branch.mutate('insert Person { name: "gone" }')
        assert made.commit is not None
        self.assertEqual(self.branch.revert(made.commit.id, message="not wanted").outcome, "merged")
        self.assertEqual(len(self.branch.query('match { $p: Person { name: "gone" } } return { $p.name }')), 0)
        with self.assertRaises(PreconditionFailed):
            self.branch.restore(made.commit.id, if_commit=made.commit.id)
        self.assertEqual(self.branch.restore(made.commit.id).outcome, "merged")
        with self.assertRaises(PreconditionFailed):
            self.branch.revert(made.commit.id, if_commit=made.commit.id)
        history = self.branch.history("node", "Person", "gone")
        assert isinstance(history, models.EntityHistory)
        self.assertEqual([change.op for change in history.changes], ["insert", "delete", "insert"])

    def test_tags_come_in_pages(self) -> None:
        names = [fresh(f"v{i}-") for i in range(3)]
        for name in names:
            self.branch.tag(name)
        with Client(URL, transport=SmallPages()) as client:
            self.assertLessEqual(set(names), {tag.name for tag in client.graph("docs").tags()})
        with self.assertRaisesRegex(ValueError, "snapshot"):
            self.g.at(as_of="2026-01-01").tag("v")

    def test_the_catalog_and_the_feed_show_types_alike(self) -> None:
        catalog = self.g.catalog()
        first = next(self.g.changes(cursor=MemoryCursor(), start="beginning")).schema_change
        assert first is not None
        shown = {step.type_name: step.definition for step in first.steps}
        self.assertEqual(shown, {type.name: type for type in [*catalog.nodes, *catalog.edges]})

    def test_conflicts_of_a_preview(self) -> None:
        self.branch.load([{"name": "c"}], type="Person")
        other = self.g.branch(fresh("t/")).create(self.branch.name)
        for place, year in ((self.branch, "1990"), (other, "1991")):
            place.mutate("query u($d: Date) { update Person set { born: $d } where name = \"c\" }", d=f"{year}-01-01")
        preview = other.merge(self.branch.name, dry_run=True)
        self.assertEqual([conflict.entity_id for conflict in preview.conflicts], ["c"])


class Feed(Door):
    def test_each_block_arrives_and_the_place_is_kept(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cursor = FileCursor(folder + "/place.json")
            entities = list(self.branch.baseline(cursor))
            self.branch.mutate('insert Person { name: "n1" }')
            self.branch.mutate('insert Person { name: "n2" }')
            seen = []
            with self.assertRaises(KeyError):
                for block in self.branch.changes(cursor=cursor):
                    seen.append(block.changes[0].id)
                    if len(seen) == 2:
                        raise KeyError("the body of the loop fails")
            again = [block.changes[0].id for block in self.branch.changes(cursor=FileCursor(cursor.path))]
            self.assertEqual((seen, again), (["n1", "n2"], ["n1", "n2"]))
            self.assertEqual(list(self.branch.changes(cursor=cursor)), [])
            self.assertIsInstance(entities, list)

    def test_a_follower_sees_what_comes(self) -> None:
        seen = []
        cursor = MemoryCursor()
        list(self.branch.changes(cursor=cursor))
        writer = threading.Thread(target=lambda: self.branch.mutate('insert Person { name: "late" }'))
        writer.start()
        for block in self.branch.changes(cursor=cursor, follow=True):
            seen.append(block.changes[0].id)
            break
        writer.join()
        self.assertEqual(seen, ["late"])


class LostAnswers(Door):
    def test_a_write_whose_answer_was_lost_is_made_once(self) -> None:
        lost = Losing(times=2)
        with Client(URL, transport=lost, retry_seconds=5) as client:
            branch = client.graph("docs").branch(self.branch.name)
            branch.mutate('insert Person { name: "lost" }')
        self.assertEqual(lost.sent, 3)
        written = self.branch.commits(limit=1, type="Person", entity="node", id="lost")
        self.assertEqual([commit.kind for commit in written], ["mutation"])
        self.assertEqual(len(self.branch.query('match { $p: Person { name: "lost" } } return { $p.name }')), 1)

    def test_a_server_that_is_away_is_a_clear_error(self) -> None:
        with socket.socket() as port:
            port.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{port.getsockname()[1]}"
        with Client(url, retry_seconds=0.2) as client:
            with self.assertRaises(service_graph.ConnectionFailed):
                client.graphs()

    def test_a_busy_server_is_asked_again(self) -> None:
        busy = Busy(times=1)
        with Client(URL, transport=busy, retry_seconds=5) as client:
            self.assertEqual(client.graph("docs").query("return { 1 as x }").rows, [{"x": 1}])
        self.assertEqual(busy.sent, 2)

    def test_a_stream_that_is_cut_is_not_whole(self) -> None:
        for loses in (True, False):
            with Client(URL, transport=Cut(loses)) as client:
                with self.assertRaises(StreamBroken):
                    list(client.graph("docs").baseline(MemoryCursor()))


class Losing(httpx.HTTPTransport):
    """Loses the first answers, after the server has made them."""

    def __init__(self, times: int):
        super().__init__()
        self.times = times
        self.sent = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        answer = super().handle_request(request)
        if self.sent <= self.times:
            answer.read()
            raise httpx.ReadError("the connection was reset")
        return answer


class SmallPages(httpx.HTTPTransport):
    """Asks for pages of two."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_merge_params({"limit": "2"})
        return super().handle_request(request)


class Busy(httpx.HTTPTransport):
    def __init__(self, times: int):
        super().__init__()
        self.times = times
        self.sent = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        if self.sent <= self.times:
            body = {"error": "busy", "code": "too_many_requests", "request_id": "1", "reason": "requests"}
            return httpx.Response(429, json=body, headers={"Retry-After": "0"})
        return super().handle_request(request)


class Cut(httpx.HTTPTransport):
    """Ends a stream early, as a lost connection or in good order."""

    def __init__(self, loses: bool):
        super().__init__()
        self.loses = loses

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        loses = self.loses

        class Stream(httpx.SyncByteStream):
            def __iter__(self) -> Any:
                yield b'{"type":"Person","data":{"name":"a"}}\n'
                if loses:
                    raise httpx.RemoteProtocolError("peer closed connection")

        return httpx.Response(200, stream=Stream())


class WithAsyncio(unittest.TestCase):
    def test_the_same_with_asyncio(self) -> None:
        async def main() -> None:
            async with AsyncClient(URL) as client:
                g = client.graph("docs")
                async with await g.branch(fresh("t/")).create() as branch:
                    cursor = MemoryCursor()
                    _ = [block async for block in branch.changes(cursor=cursor)]
                    await branch.mutate('insert Person { name: "async" }')
                    await branch.load([{"name": "async2"}], type="Person")
                    seen = [change.id async for block in branch.changes(cursor=cursor) for change in block.changes]
                    self.assertEqual(seen, ["async", "async2"])
                    self.assertGreaterEqual(len([r async for r in branch.export()]), 2)
                    rows = await branch.query("match { $p: Person } return { count(*) as n }")
                    self.assertGreaterEqual(rows[0]["n"], 2)
                    await branch.delete()

        asyncio.run(main())


if __name__ == "__main__":
    unittest.main()

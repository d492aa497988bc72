"""The rows of a read, as Python, frames, graphs and pictures."""

from __future__ import annotations

import functools
import html
import json
import math
from typing import TYPE_CHECKING, Any, Iterator

from . import _arrow, models
from ._decode import decode

if TYPE_CHECKING:
    import networkx
    import pandas
    import polars
    import pyarrow

SHOWN_ROWS = 50
DRAWN_NODES = 60


class Rows:
    """The rows of a read, and the commit whose state they show.

    ``rows`` are made of an answer in Arrow when they are first asked for; frames are made of it without them.
    """

    def __init__(self, answer: Any):
        self._arrow: pyarrow.Table | None = None
        if isinstance(answer, dict):
            self.result = decode(models.QueryResult, answer)
        else:
            self._arrow = answer

    @functools.cached_property
    def result(self) -> models.QueryResult:
        """The answer as JSON has it."""
        said = _arrow.metadata_of(self._arrow)
        answer = {"query_name": said["query_name"], "target": json.loads(said["target"])}
        for flag in ("truncated", "approximate"):
            if flag in said:
                answer[flag] = said[flag] == "true"
        answer.update(graph_commit_id=said["graph_commit_id"], columns=self.columns, row_count=len(self), rows=self.rows)
        return decode(models.QueryResult, answer)

    @functools.cached_property
    def rows(self) -> list[dict[str, Any]]:
        return self.result.rows if self._arrow is None else _arrow.rows_of(self._arrow)

    @property
    def columns(self) -> list[str]:
        return self.result.columns if self._arrow is None else list(self._arrow.schema.names)

    @property
    def commit_id(self) -> str:
        """The commit whose state the rows show."""
        return self.result.graph_commit_id if self._arrow is None else _arrow.metadata_of(self._arrow)["graph_commit_id"]

    def __len__(self) -> int:
        return len(self.rows) if self._arrow is None else int(self._arrow.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]

    def __repr__(self) -> str:
        return f"<Rows {len(self)} × {', '.join(self.columns)} at {self.commit_id}>"

    def to_arrow(self) -> pyarrow.Table:
        """The table of Arrow, for which the client needs pyarrow."""
        if self._arrow is None:
            raise ValueError("the answer is JSON: install pyarrow, and do not give Client arrow=False")
        return self._arrow

    def to_pandas(self) -> pandas.DataFrame:
        """A frame; of an answer in Arrow with its types: dates are dates, enums categories."""
        import pandas

        if self._arrow is not None:
            frame: pandas.DataFrame = self._arrow.to_pandas(integer_object_nulls=True)
            return frame
        return pandas.DataFrame(self.rows, columns=self.columns)

    def to_polars(self) -> polars.DataFrame:
        """A frame; of an answer in Arrow with its types."""
        import polars

        if self._arrow is not None:
            return polars.DataFrame(self._arrow)
        return polars.DataFrame(
            {name: [row[name] for row in self.rows] for name in self.columns}, strict=False
        )

    def to_networkx(self) -> networkx.MultiDiGraph[str]:
        """The entities of the rows. A node is named by its id, and has its type and its properties."""
        import networkx

        graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
        nodes, edges = self.entities()
        for node in nodes:
            graph.add_node(node["@id"], **node)
        for edge in edges:
            graph.add_edge(edge["@src"], edge["@dst"], key=edge["@id"], **edge)
        return graph

    def entities(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The nodes and the edges that stand anywhere in the rows, each once."""
        nodes: dict[tuple[str, str], dict[str, Any]] = {}
        edges: dict[tuple[str, str], dict[str, Any]] = {}

        def visit(value: Any) -> None:
            if isinstance(value, list):
                for each in value:
                    visit(each)
            elif isinstance(value, dict):
                if "@id" in value and "@type" in value:
                    (edges if "@src" in value else nodes)[value["@type"], value["@id"]] = value
                else:
                    for each in value.values():
                        visit(each)

        visit(self.rows)
        return list(nodes.values()), list(edges.values())

    def _repr_html_(self) -> str:
        nodes, edges = self.entities()
        if edges and len(nodes) <= DRAWN_NODES:
            return self._picture(nodes, edges) + self._table()
        return self._table()

    def _table(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(row[name]))}</td>" for name in self.columns) + "</tr>"
            for row in self.rows[:SHOWN_ROWS]
        )
        more = f"<p>the first {SHOWN_ROWS} of {len(self)} rows</p>" if len(self) > SHOWN_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    @staticmethod
    def _picture(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> str:
        """The nodes on a circle, as SVG."""
        ids = dict.fromkeys([n["@id"] for n in nodes] + [e[end] for e in edges for end in ("@src", "@dst")])
        size = 360 + 4 * len(ids)
        places = {}
        for at, each in enumerate(ids):
            turn = 2 * math.pi * at / len(ids)
            places[each] = (size / 2 + size * 0.36 * math.cos(turn), size / 2 + size * 0.36 * math.sin(turn))
        lines = []
        for edge in edges:
            (x1, y1), (x2, y2) = places[edge["@src"]], places[edge["@dst"]]
            title = html.escape(f"{edge['@type']} {edge['@src']} → {edge['@dst']}")
            lines.append(
                f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#888">'
                f"<title>{title}</title></line>"
            )
        for each, (x, y) in places.items():
            text = html.escape(str(each))
            lines.append(
                f'<circle cx="{x:.0f}" cy="{y:.0f}" r="6" fill="#37c"><title>{text}</title></circle>'
                f'<text x="{x + 9:.0f}" y="{y + 4:.0f}" font-size="11">{text}</text>'
            )
        return f'<svg viewBox="0 0 {size} {size}" width="{size}" role="img">{"".join(lines)}</svg>'


def _cell(value: Any) -> str:
    return "" if value is None else str(value)

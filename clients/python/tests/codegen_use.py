"""Uses the functions that `service queries codegen` wrote into generated.py."""

import datetime
import os

import generated
from service_graph import Client

with Client(os.environ["SERVICE_URL"]) as client:
    graph = client.graph("docs").branch("codegen-python").create()
    receipt = generated.add_people(graph, rows=[{"name": "Gen", "born": datetime.date(1990, 1, 1)}], key_=None, message="m")
    assert receipt.affected_nodes == 1 and receipt.commit is not None and receipt.commit.message == "m"
    row: generated.EveryRow = generated.every(
        graph,
        text="ü",
        flag=True,
        int_=1,
        big=2**63 - 1,
        real=0.5,
        day=datetime.date(2026, 11, 27),
        time="2026-11-27T00:00:00Z",
        word="very-glad",
        list_=[1],
    )[0]
    big: int | None = row["big"]
    assert (row["text"], row["flag"], row["int"], big, row["real"]) == ("ü", True, 3, 2**63 - 1, 0.5)
    assert (row["day"], row["word"], row["list"]) == ("2026-11-27", "very-glad", [1])
    records = row["records"]
    assert records is not None and records[0] is not None and records[0]["n"] == 1
    [found] = generated.class_(graph, from_="Gen")
    assert found["p"] is not None and found["p"]["name"] == found["p.name"] == "Gen"
    assert generated.list_(graph)[0]["n"] == 1
    # Null is not what is left out.
    assert [generated.kept(graph)[0]["left"], generated.kept(graph, left=None)[0]["left"]] == [3, None]
    print("used")

"""The client of service, the graph database with branches and time travel.

>>> from service_graph import Client
>>> with Client(URL) as client:
...     client.graph("docs").query("return { 1 + 1 as two }").rows
[{'two': 2}]
"""

from ._async.client import AsyncBranch, AsyncClient, AsyncGraph
from ._sync.client import Branch, Client, Graph
from .cursors import Cursor, FileCursor, MemoryCursor
from .errors import ConnectionFailed, ServiceError, StreamBroken
from .result import Rows

__all__ = [
    "AsyncBranch",
    "AsyncClient",
    "AsyncGraph",
    "Branch",
    "Client",
    "ConnectionFailed",
    "Cursor",
    "FileCursor",
    "Graph",
    "MemoryCursor",
    "Rows",
    "ServiceError",
    "StreamBroken",
]

"""What a request can raise."""

from __future__ import annotations

from typing import Any, Mapping


class ServiceError(Exception):
    """A refusal of the server. Each code has a class of its own in :mod:`service_graph.exceptions`.

    ``status`` is that of HTTP, ``code`` the word of the error, ``reason`` its cause where a code has several,
    ``request_id`` the id in the server's log, ``body`` the whole answer.
    """

    def __init__(self, status: int, body: Mapping[str, Any], retry_after: float | None = None):
        self.status = status
        self.body = dict(body)
        self.code = str(body.get("code", "unknown"))
        self.reason: str | None = body.get("reason")
        self.request_id: str | None = body.get("request_id")
        self.retry_after = retry_after
        super().__init__(self._text())

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """The findings in a query: ``code``, ``message``, ``line``, ``column``, ``hint``, ``excerpt``."""
        return list(self.body.get("diagnostics") or [])

    def detail(self, member: str) -> dict[str, Any]:
        """A detail of the answer, such as ``key_conflict``; empty where there is none."""
        return dict(self.body.get(member) or {})

    def _text(self) -> str:
        parts = []
        for finding in self.diagnostics:
            parts.append(f"{finding['code']} at {finding['line']}:{finding['column']}: {finding['message']}")
            if finding.get("excerpt"):
                parts.append(finding["excerpt"])
            if finding.get("hint"):
                parts.append(f"hint: {finding['hint']}")
        if not parts:
            parts.append(str(self.body.get("error", f"HTTP status {self.status}")))
        parts.append(f"({self.status} {self.code}, request {self.request_id or 'without an id'})")
        return "\n".join(parts)


class ConnectionFailed(Exception):
    """The server could not be reached, or an answer was lost, until the time for repeats was over."""


class StreamBroken(Exception):
    """A stream ended before its end; what it brought is not the whole."""

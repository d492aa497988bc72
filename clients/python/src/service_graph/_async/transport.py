"""Sends requests, and repeats those that may be repeated."""

from __future__ import annotations

import asyncio
import json
import random
import time
from contextlib import AsyncExitStack
from typing import Any, AsyncIterator, Mapping

import httpx

from .. import _arrow
from .._values import encode
from ..errors import ConnectionFailed, ServiceError, StreamBroken
from ..exceptions import BY_CODE

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


class AsyncTransport:
    """One pool of connections to a server."""

    def __init__(self, url: str, token: str | None, timeout: float, retry_seconds: float, arrow: bool, http: Any = None):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"the address of a server begins with http:// or https://, not {url!r}")
        self._retry_seconds = retry_seconds
        self._arrow = arrow and _arrow.installed()
        headers = {"User-Agent": "service-graph-python"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.AsyncClient(
            base_url=url.rstrip("/"), headers=headers, timeout=timeout, transport=http, follow_redirects=False
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        repeat: bool = True,
        rows: bool = False,
    ) -> Any:
        """The answer's JSON; of ``rows`` the table of Arrow, where it is installed.

        ``repeat`` says whether a request whose answer was lost may be sent again: it is a read, or has a key.
        """
        sent = {"Content-Type": "application/json" if content is None else "application/x-ndjson", **(headers or {})}
        if rows and self._arrow:
            sent["Accept"] = _arrow.MEDIA
        if body is not None:
            content = encode(body)
        deadline = time.monotonic() + self._retry_seconds
        pause = FIRST_PAUSE
        while True:
            try:
                answer = await self._http.request(method, path, params=params, content=content, headers=sent)
            except httpx.TransportError as lost:
                never_sent = isinstance(lost, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
                if not (repeat or never_sent) or time.monotonic() + pause > deadline:
                    raise ConnectionFailed(f"{method} {path}: {lost or type(lost).__name__}") from lost
                wait = pause
            else:
                if answer.is_success:
                    is_arrow = answer.headers.get("Content-Type") == _arrow.MEDIA
                    return _arrow.table_of(answer.content) if is_arrow else answer.json()
                refusal = refusal_of(answer.status_code, answer.content, answer.headers)
                wait = max(pause, refusal.retry_after or 0.0)
                if refusal.retry_after is None or time.monotonic() + wait > deadline:
                    raise refusal
            await asyncio.sleep(wait * (1 + random.random() / 4))
            pause = min(2 * pause, LONGEST_PAUSE)

    async def lines(self, path: str, body: Any) -> AsyncIterator[dict[str, Any]]:
        """The lines of a streamed answer, each as JSON."""
        async with AsyncExitStack() as stack:
            try:
                answer = await self._open(stack, path, body)
                async for line in answer.aiter_lines():
                    if line:
                        yield json.loads(line)
            except httpx.TransportError as lost:
                raise StreamBroken(f"POST {path}: the stream ended before its end: {lost}") from lost

    async def _open(self, stack: AsyncExitStack, path: str, body: Any) -> httpx.Response:
        request = self._http.build_request(
            "POST", path, content=encode(body), headers={"Content-Type": "application/json"}
        )
        answer = await self._http.send(request, stream=True)
        stack.push_async_callback(answer.aclose)
        if not answer.is_success:
            await answer.aread()
            raise refusal_of(answer.status_code, answer.content, answer.headers)
        return answer


def refusal_of(status: int, content: bytes, headers: Mapping[str, str]) -> ServiceError:
    """The exception for an answer that is no success; also for one of a proxy, which has no code."""
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    if not isinstance(body, dict) or "code" not in body:
        body = {"error": f"HTTP status {status} without an error of the server: {content[:200]!r}"}
    retry_after = headers.get("Retry-After") if status in (429, 503) else None
    seconds = float(retry_after) if retry_after is not None and retry_after.isdigit() else None
    return BY_CODE.get(str(body.get("code")), ServiceError)(status, body, seconds)

"""The guard around the server: who may ask anything at all.

A request must be for a host of ours, must not come from another site's page, and must carry the cookie that a one-time
token in the URL was exchanged for. Nothing behind the guard needs to check again.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

COOKIE = "sharnir"
TOKEN_LIFE = 600.0  # s
HEADERS = {
    "content-security-policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
App = Any


class Tokens:
    """One-time tokens; each lets one browser in."""

    def __init__(self) -> None:
        self._open: dict[str, float] = {}
        self.session = secrets.token_urlsafe(32)

    def issue(self) -> str:
        """A new token."""
        token = secrets.token_urlsafe(16)
        self._open[token] = time.monotonic() + TOKEN_LIFE
        return token

    def redeem(self, token: str) -> bool:
        """Whether a token is good; it is not a second time."""
        return self._open.pop(token, 0.0) > time.monotonic()

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is ours."""
        return hmac.compare_digest(cookie.encode(), self.session.encode())


class Guard:
    """ASGI middleware: lets through what is ours, answers the rest itself."""

    def __init__(self, app: App, tokens: Tokens, hosts: Iterable[str]) -> None:
        self._app, self._tokens = app, tokens
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Check a request, then hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        reason = self._refusal(scope["type"], headers)
        if reason:
            await _refuse(scope, receive, send, 403, reason)
        elif self._tokens.knows(_cookie(headers)):
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "http" and self._redeemed(scope):
            await self._admit(scope, send)
        else:
            text = "This page needs the link that 'sharnir drive' printed; each link opens one browser, once."
            await _refuse(scope, receive, send, 401, text)

    def _refusal(self, kind: str, headers: dict[str, str]) -> str:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return f"This server does not answer to the name '{host[:80]}'."
        origin = headers.get("origin")
        if origin is None:
            return "A websocket needs an Origin." if kind == "websocket" else ""
        return (
            "" if origin.lower() in (f"http://{host}", f"https://{host}") else "Requests from other sites are refused."
        )

    def _redeemed(self, scope: dict[str, Any]) -> bool:
        given = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        return self._tokens.redeem(given.get("token", ""))

    async def _admit(self, scope: dict[str, Any], send: Any) -> None:
        """Set the cookie and send the browser to the same address without the token."""
        rest = [pair for pair in parse_qsl(scope["query_string"].decode("latin-1")) if pair[0] != "token"]
        where = scope["path"] + (f"?{urlencode(rest)}" if rest else "")
        cookie = f"{COOKIE}={self._tokens.session}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", where.encode("latin-1")), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _cookie(headers: dict[str, str]) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _with_headers(send: Any) -> Any:
    extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return sending


async def _refuse(scope: dict[str, Any], receive: Any, send: Any, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # the connect event; closing before accepting answers 403
        await send({"type": "websocket.close", "code": 1008, "reason": text[:120]})
        return
    body = text.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

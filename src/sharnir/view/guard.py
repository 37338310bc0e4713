"""The guard around the server: who may ask anything at all, and as whom.

A request must be for a host of ours, must not come from another site's page, and must carry a cookie that a one-time
token in the URL was exchanged for. The token has a role; the server makes an identity of it, which the cookie stands
for and nothing else does. What is behind the guard finds it in the request and asks the browser for nothing.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

from ..scene.values import Plain
from .texts import spoken

Role = Literal["operator", "watcher", "instructor"]
ROLES: tuple[Role, ...] = ("operator", "watcher", "instructor")
TOKEN_LIFE = 600.0  # s
INSTRUCTOR = "/instructor"  # what only an instructor's browser may ask for begins so
HEADERS = {
    "content-security-policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NEEDS_A_LINK = "This page needs the link that 'sharnir drive' printed; each link opens one browser, once."
Send = Callable[[Plain], Awaitable[None]]
Receive = Callable[[], Awaitable[Plain]]
App = Callable[[Any, Any, Any], Awaitable[None]]  # of ASGI: scope, receive, send


@dataclass(frozen=True)
class Identity:
    """A browser: its ``name``, which the log shows, and its ``role``."""

    name: str
    role: Role


class Tokens:
    """One-time tokens, each for one browser in one role, and the identities that they have become.

    Cookies are named after the run and the role: two consoles in one browser do not meet, and one browser can have the
    operator's page and the instructor's, if it was given a link for each.
    """

    def __init__(self) -> None:
        self._open: dict[str, tuple[Role, float]] = {}
        self._known: dict[bytes, Identity] = {}
        self._counts: Counter[str] = Counter()
        self._run = secrets.token_hex(4)

    def issue(self, role: Role, life: float = TOKEN_LIFE) -> str:
        """A new token for a role, good for ``life`` (s)."""
        token = secrets.token_urlsafe(16)
        self._open[token] = (role, time.monotonic() + life)
        return token

    def redeem(self, token: str) -> tuple[Role, str] | None:
        """The role of a token and the secret of a new identity; None where the token is not good, or no longer."""
        role, until = self._open.pop(token, ("watcher", 0.0))
        if until <= time.monotonic():
            return None
        self._counts[role] += 1
        secret = secrets.token_urlsafe(32)
        self._known[_digest(secret)] = Identity(f"{role} {self._counts[role]}", role)
        return role, secret

    def cookie(self, role: Role) -> str:
        """The name of a role's cookie."""
        return f"sharnir-{self._run}-{role}"

    def identity(self, cookies: dict[str, str], path: str) -> Identity | None:
        """Who asks for a path; None for a stranger."""
        known = {role: self._known.get(_digest(cookies.get(self.cookie(role), ""))) for role in ROLES}
        own = {role: found for role, found in known.items() if found is not None and found.role == role}
        if path == INSTRUCTOR or path.startswith(INSTRUCTOR + "/"):
            return own.get("instructor")
        return next((own[role] for role in ROLES if role in own), None)


def _digest(secret: str) -> bytes:
    """Secrets are looked up by their hash, so that the time it takes says nothing of them."""
    return hashlib.sha256(secret.encode()).digest()


class Guard:
    """ASGI middleware: lets through what is ours, answers the rest itself."""

    def __init__(self, app: App, tokens: Tokens, hosts: Iterable[str]) -> None:
        self._app, self._tokens = app, tokens
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Plain, receive: Receive, send: Send) -> None:
        """Check a request, then hand it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        reason = self._refusal(scope["type"], headers)
        if reason:
            await _refuse(scope, receive, send, 403, reason)
        elif admitted := self._redeemed(scope, headers):
            await self._admit(scope, send, *admitted)
        elif identity := self._tokens.identity(_cookies(headers), scope["path"]):
            await self._app({**scope, "sharnir": identity}, receive, _with_headers(send))
        else:
            await _refuse(scope, receive, send, 401, spoken(NEEDS_A_LINK, headers.get("accept-language", "")))

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

    def _redeemed(self, scope: Plain, headers: dict[str, str]) -> tuple[Role, str] | None:
        """What a token in the URL gives. Only a browser that opens the page uses it up, not one that looks ahead."""
        looks_ahead = "prefetch" in headers.get("sec-purpose", headers.get("purpose", ""))
        if scope["type"] != "http" or scope["method"] != "GET" or looks_ahead:
            return None
        given = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        return self._tokens.redeem(given["token"]) if "token" in given else None

    async def _admit(self, scope: Plain, send: Send, role: Role, secret: str) -> None:
        """Set the cookie and send the browser to the same address without the token."""
        rest = [pair for pair in parse_qsl(scope["query_string"].decode("latin-1")) if pair[0] != "token"]
        where = "/" + scope["path"].lstrip("/") + (f"?{urlencode(rest)}" if rest else "")
        cookie = f"{self._tokens.cookie(role)}={secret}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", where.encode("latin-1")), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _cookies(headers: dict[str, str]) -> dict[str, str]:
    """By name. Other programs of this machine set cookies for the same host, well-formed or not."""
    pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return {name: value for name, _, value in pairs}


def _with_headers(send: Send) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sending(message: Plain) -> None:
        if message["type"] == "http.response.start":
            own = message.get("headers", [])
            given = {name.lower() for name, _ in own}
            message = {**message, "headers": [*own, *(pair for pair in extra if pair[0] not in given)]}
        await send(message)

    return sending


async def _refuse(scope: Plain, receive: Receive, send: Send, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()  # the connect event; closing before accepting answers 403
        await send({"type": "websocket.close", "code": 1008, "reason": text[:120]})
        return
    body = text.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

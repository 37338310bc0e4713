"""The guard: nothing passes without a known host, an origin of ours and the cookie that a token was exchanged for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="the console's packages are not installed: pip install 'sharnir[view]'")

from sharnir.cli.command import main
from sharnir.view.guard import Guard, Tokens

HOST = "127.0.0.1:8000"


async def _inside(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


def ask(tokens: Tokens, kind: str = "http", query: str = "", **headers: str) -> list[dict[str, Any]]:
    """What the guard answers to a request."""
    sent: list[dict[str, Any]] = []
    given = {"host": HOST} | headers
    raw = [(name.encode(), value.encode()) for name, value in given.items()]
    scope = {"type": kind, "method": "GET", "path": "/", "query_string": query.encode(), "headers": raw}

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Guard(_inside, tokens, [HOST])(scope, receive, send))
    return sent


def status(tokens: Tokens, **request: str) -> int:
    return int(ask(tokens, **request)[0]["status"])


def admitted(tokens: Tokens) -> str:
    """The cookie of an operator whose token was exchanged."""
    headers = dict(ask(tokens, query=f"token={tokens.issue('operator')}")[0]["headers"])
    return str(headers[b"set-cookie"].decode().split(";")[0])


def test_a_token_is_exchanged_for_a_cookie_once() -> None:
    tokens = Tokens()
    token = tokens.issue("operator")
    answer = ask(tokens, query=f"token={token}&theme=dark")[0]
    headers = dict(answer["headers"])
    assert answer["status"] == 303
    assert headers[b"location"] == b"/?theme=dark"
    cookie = headers[b"set-cookie"].decode()
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert status(tokens, cookie=cookie.split(";")[0]) == 200
    assert status(tokens, query=f"token={token}") == 401


def test_without_a_cookie_nothing_is_served() -> None:
    tokens = Tokens()
    assert status(tokens) == 401
    assert status(tokens, query="token=guess") == 401
    assert status(tokens, cookie=f"{tokens.cookie('operator')}=guess") == 401
    assert status(tokens, cookie="; = ;;") == 401
    assert ask(tokens, kind="websocket", origin=f"http://{HOST}")[0]["type"] == "websocket.close"


def test_other_names_and_other_sites_are_refused_even_with_the_cookie() -> None:
    tokens = Tokens()
    cookie = admitted(tokens)
    assert status(tokens, cookie=cookie, host="evil.example") == 403  # a name that was made to point at us
    assert status(tokens, cookie=cookie, origin="https://evil.example") == 403
    assert status(tokens, cookie=cookie, origin="null") == 403
    for origin in ({}, {"origin": "http://127.0.0.1:9"}):  # a websocket must say where it comes from
        assert ask(tokens, kind="websocket", cookie=cookie, **origin)[0]["type"] == "websocket.close"
    own = ask(tokens, kind="websocket", cookie=cookie, origin=f"http://{HOST}")
    assert own[0]["type"] == "websocket.accept"


def test_what_is_served_may_not_fetch_from_elsewhere() -> None:
    tokens = Tokens()
    answer = ask(tokens, cookie=admitted(tokens))[0]
    policy = dict(answer["headers"])[b"content-security-policy"].decode()
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy


def test_an_old_token_is_worth_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens()
    token = tokens.issue("operator")
    monkeypatch.setattr("sharnir.view.guard.time.monotonic", lambda: 1e12)
    assert not tokens.redeem(token)


def test_the_server_is_not_opened_to_every_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "door", "--no-browser", "--host", "0.0.0.0"]) == 2
    assert "browsers will ask for" in capsys.readouterr().err

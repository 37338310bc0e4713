"""The server: one application with the page, the websocket and the files, behind the guard, for one run."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import nicegui
import uvicorn
from fastapi import FastAPI, Response, WebSocket
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from nicegui import ui

from ..errors import SceneError
from ..runtime.journal import Run
from ..runtime.runtime import Runtime
from ..scene.scene import Scene
from .guard import Guard, Tokens
from .link import Hub
from .page import Page
from .panel import described as described_panel
from .panel import panel_of
from .world import world_of

STATIC = Path(__file__).parent / "static"
LOCAL = "127.0.0.1"
VIEW_RATE = 60.0  # frames a second to each browser at most
LONGEST_SOCKET_MESSAGE = 1 << 16  # bytes; ours are shorter still, NiceGUI's are events of its widgets
SHUTDOWN_WITHIN = 1  # s


THREE = Path(nicegui.__file__).parent / "elements" / "scene" / "dist" / "index.js"  # three.js as one ES module


@dataclass(frozen=True)
class Options:
    """How a run is served."""

    host: str = LOCAL
    port: int = 0  # a free one
    paused: bool = False
    rate: float = VIEW_RATE
    source: str | None = None  # the experiment's file, for Python functions in its diagram


def serve(run: Run, options: Options, opened: Callable[[str], Any]) -> None:
    """Start the physics of a run and serve its console until the run ends or Ctrl-C; ``opened`` is told the URL."""
    runtime = Runtime(run, paused=options.paused, source=options.source)
    try:
        asyncio.run(_serve(runtime, options, opened))
    finally:
        runtime.close()


async def _serve(runtime: Runtime, options: Options, opened: Callable[[str], Any]) -> None:
    host = options.host
    listening = _bound(host, options.port)
    port = listening.getsockname()[1]
    address = f"http://{host}:{port}"
    tokens, hub = Tokens(), Hub(runtime, options.rate)
    app = application(hub, tokens, described(runtime.run.scene(), runtime), address)
    names = {host, "localhost", LOCAL} if host == LOCAL else {host}
    guarded = Guard(app, tokens, [f"{name}:{port}" for name in names])
    config = uvicorn.Config(
        guarded,
        log_level="warning",
        ws_max_size=LONGEST_SOCKET_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=SHUTDOWN_WITHIN,
    )
    server = uvicorn.Server(config)
    pump = asyncio.create_task(hub.pump())

    async def end_with_the_run() -> None:
        await hub.ended.wait()
        server.should_exit = True

    async def tell_when_open() -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        opened(f"{address}/?token={tokens.issue()}")

    tasks = [pump, asyncio.create_task(end_with_the_run()), asyncio.create_task(tell_when_open())]
    try:
        await server.serve(sockets=[listening])
    finally:
        for task in tasks:
            task.cancel()


def described(scene: Scene, runtime: Runtime) -> dict[str, Any]:
    """What a browser is told of the scene before the first frame."""
    ready = runtime.ready
    return world_of(scene) | {
        "layout": msgspec.to_builtins(ready.layout),
        "inputs": msgspec.to_builtins(ready.inputs),
        "faults": ready.faults,
        "panel": described_panel(scene, panel_of(scene), ready.inputs, ready.layout),
    }


def application(hub: Hub, tokens: Tokens, world: dict[str, Any], address: str) -> Any:
    """The FastAPI application with everything a browser asks for."""
    app = FastAPI(openapi_url=None)
    text = msgspec.json.encode(world)
    page = Page(hub, tokens, world, address)

    @app.websocket("/link")
    async def link(socket: WebSocket) -> None:
        await hub.serve(socket)

    @app.get("/view/world.json")
    def world_json() -> Response:
        return Response(text, media_type="application/json")

    @app.get("/view/three.js")
    def three() -> FileResponse:
        return FileResponse(THREE, media_type="text/javascript")

    app.mount("/view", StaticFiles(directory=STATIC))

    @ui.page("/")
    def operator() -> None:
        page.build("operator")

    @ui.page("/instructor")
    def instructor() -> None:
        page.build("instructor")

    ui.run_with(app, dark=None, title="Sharnir", tailwind=False, show_welcome_message=False, reconnect_timeout=30.0)
    return app


def _bound(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise SceneError(f"port {port} of {host} cannot be used ({error.strerror}); give another --port") from None
    return listening

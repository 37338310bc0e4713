"""The server: one application with the page, the websocket and the files, behind the guard, for one run after another.

A run that has ended, in whatever way, is told in the browser and in the terminal. The server stays for those who look
at its end: they find the report and the replay there, and may start the scene again. It leaves when they have gone.
"""

from __future__ import annotations

import asyncio
import math
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import nicegui
import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from nicegui import ui

from ..errors import SceneError
from ..runtime.journal import SCENARIO, Run, create_run
from ..runtime.runtime import Runtime
from ..scene.scene import Scene
from .guard import INSTRUCTOR, Guard, Identity, Role, Tokens
from .link import Hub
from .page import Page
from .panel import described as described_panel
from .panel import panel_of
from .texts import chosen
from .world import world_of

STATIC = Path(__file__).parent / "static"
LOCAL = "127.0.0.1"
VIEW_RATE = 60.0  # frames a second to each browser at most
LONGEST_SOCKET_MESSAGE = 1 << 16  # bytes; ours are shorter still, NiceGUI's are events of its widgets
SHUTDOWN_WITHIN = 1  # s
STAY = 3.0  # s without any browser, after which the server of a run that has ended leaves
DOCUMENTS = ("report.html", "replay.html")
FAULT_FILES = "fault-*.nc"
# A replay has all it needs in itself, and asks for nothing.
DOCUMENT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data: blob:; frame-ancestors 'none'"
)

THREE = Path(nicegui.__file__).parent / "elements" / "scene" / "dist" / "index.js"  # three.js as one ES module


class Terminated(BaseException):
    """The program was asked to end (SIGTERM)."""


@dataclass(frozen=True)
class Options:
    """How a run is served."""

    host: str = LOCAL
    port: int = 0  # a free one
    paused: bool = False
    rate: float = VIEW_RATE
    source: str | None = None  # the experiment's file, for Python functions in its diagram


@dataclass(frozen=True)
class Links:
    """The one-time links of a console."""

    operator: str
    instructor: str
    watcher: str


@dataclass(frozen=True)
class Ending:
    """How a run has ended, and whether something went wrong."""

    reason: str
    wrong: bool
    folder: Path


Told = Callable[[str], Any]


def serve(run: Run, options: Options, opened: Callable[[Links], Any], told: Told = print) -> Ending:
    """Serve the console of a run, and of those started after it, until the last has ended, Ctrl-C or SIGTERM.

    ``opened`` gets the links, ``told`` what the terminal is to say.
    """
    signal.signal(signal.SIGTERM, _terminate)
    session = Session(run, options, told)
    try:
        return asyncio.run(session.serve(opened))
    finally:
        session.runtime.close()


def _terminate(*_: Any) -> None:
    raise Terminated


class Server(uvicorn.Server):
    """Tells the browsers before it closes their connections."""

    def __init__(self, config: uvicorn.Config, farewell: Callable[[], Any]) -> None:
        super().__init__(config)
        self._farewell = farewell

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._farewell()
        await super().shutdown(sockets)


class Session:
    """The runs of one scene, one after the other, behind one server."""

    def __init__(self, run: Run, options: Options, told: Told) -> None:
        self.options, self._told = options, told
        self.runtime = Runtime(run, paused=True, source=options.source)  # it waits for the first operator

    async def serve(self, opened: Callable[[Links], Any]) -> Ending:
        """Until the last run has ended and nobody looks any more."""
        host = self.options.host
        listening = _bound(host, self.options.port)
        port = listening.getsockname()[1]
        address = f"http://{host}:{port}"
        tokens = Tokens()
        self.hub = Hub(self.runtime, self.options.rate, paused=self.options.paused)
        world = described(self.runtime.run.scene(), self.runtime)
        app = application(self.hub, tokens, world, address)
        names = {host, "localhost", LOCAL} if host == LOCAL else {host}
        config = uvicorn.Config(
            Guard(app, tokens, [f"{name}:{port}" for name in names]),
            log_level="warning",
            ws_max_size=LONGEST_SOCKET_MESSAGE,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=SHUTDOWN_WITHIN,
        )
        server = Server(config, self._farewell)

        async def live() -> Ending:
            ending = await self._runs()
            server.should_exit = True
            return ending

        async def tell_when_open() -> None:
            while not server.started:
                await asyncio.sleep(0.01)
            paths: dict[Role, str] = {"operator": "/", "instructor": INSTRUCTOR, "watcher": "/"}
            made = {role: f"{address}{path}?token={tokens.issue(role, math.inf)}" for role, path in paths.items()}
            opened(Links(**made))

        lives, opening = asyncio.create_task(live()), asyncio.create_task(tell_when_open())
        try:
            await server.serve(sockets=[listening])
            if not lives.done():
                raise KeyboardInterrupt  # also where a shell has us ignore the signal, as it does in the background
            return lives.result()
        finally:
            lives.cancel()
            opening.cancel()

    async def _runs(self) -> Ending:
        """Run after run, as long as somebody wants another."""
        while True:
            await self.hub.pump()
            ending = self._how_it_ended()
            self._told(f"{ending.reason}. The run is in {ending.folder}")
            await self.hub.end(ending.reason, wrong=ending.wrong, folder=str(ending.folder), ready=False)
            await self._write_documents(ending.folder)
            await self.hub.end(ending.reason, wrong=ending.wrong, folder=str(ending.folder), ready=True)
            if not await self._wanted_again():
                return ending
            await self._start_again()

    def _how_it_ended(self) -> Ending:
        run = Run(self.runtime.run.folder)
        died = self.runtime.died
        fault = any(run.folder.glob(FAULT_FILES))
        if died:
            return Ending(f"The physics has died ({died})", True, run.folder)
        by = run.ended_by
        if by is None:
            return Ending("The physics has ended", True, run.folder)
        after = "; a fault had stopped its world" if fault else ""
        return Ending(f"The run was ended by {by or 'the program'}{after}", fault, run.folder)

    async def _write_documents(self, folder: Path) -> None:
        """Report and replay, by a process of its own."""
        report, replay = (str(folder / name) for name in DOCUMENTS)
        command = ["-m", "sharnir", "export", str(folder), "--report", report, "--html", replay]
        if self.options.source:
            command += ["--source", self.options.source]
        writing = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
        _, said = await writing.communicate()
        if writing.returncode:
            self._told(f"report and replay could not be written: {said.decode().strip().splitlines()[-1]}")
        else:
            self._told("wrote " + " and ".join(str(folder / name) for name in DOCUMENTS))

    async def _wanted_again(self) -> bool:
        """Whether somebody wants another run; no when all have gone."""
        alone = 0.0
        while not self.hub.again.is_set():
            await asyncio.sleep(0.1)
            alone = 0.0 if self.hub.clients else alone + 0.1
            if alone > STAY:
                return False
        return True

    async def _start_again(self) -> None:
        before = self.runtime.run
        scene = before.scene(self.options.source)
        run = create_run(scene, before.header.dt, before.header.settings, before.folder.parent)
        if (before.folder / SCENARIO).is_file():
            (run.folder / SCENARIO).write_bytes((before.folder / SCENARIO).read_bytes())
        self.runtime.close()
        self.runtime = await asyncio.to_thread(Runtime, run, paused=True, source=self.options.source)
        self._told(f"A new run has begun; it is kept in {run.folder}")
        await self.hub.start_again(self.runtime)

    async def _farewell(self) -> None:
        if not self.hub.ending:
            folder = str(self.runtime.run.folder)
            await self.hub.end("The program was closed", wrong=False, folder=folder, ready=False, closed=True)


def described(scene: Scene, runtime: Runtime) -> dict[str, Any]:
    """What a browser is told of the scene before the first frame."""
    ready = runtime.ready
    return world_of(scene) | {
        "layout": msgspec.to_builtins(ready.layout),
        "inputs": msgspec.to_builtins(ready.inputs),
        "faults": ready.faults,
        "panel": described_panel(scene, panel_of(scene), ready.inputs, ready.layout),
        "briefing": ready.briefing,
    }


def application(hub: Hub, tokens: Tokens, world: dict[str, Any], address: str) -> Any:
    """The FastAPI application with everything a browser asks for."""
    app = FastAPI(openapi_url=None)
    text = msgspec.json.encode({name: value for name, value in world.items() if name != "faults"})
    page = Page(hub, tokens, world, address)

    for before in ("", INSTRUCTOR):  # the same, as operator or watcher and as instructor: the guard knows which
        app.add_api_websocket_route(f"{before}/link", hub.serve)
        app.add_api_websocket_route(f"{before}/beat", hub.serve_beat)

    @app.get("/view/world.json")
    def world_json() -> Response:
        return Response(text, media_type="application/json")

    @app.get("/view/history")
    def history() -> Response:
        return Response(b"".join(hub.past.frames), media_type="application/octet-stream")

    @app.get("/view/three.js")
    def three() -> FileResponse:
        return FileResponse(THREE, media_type="text/javascript")

    app.mount("/view", StaticFiles(directory=STATIC))

    @app.get("/run/{name}")
    def document(name: str) -> FileResponse:
        folder = hub.runtime.run.folder
        found = {file.name: file for file in folder.glob(FAULT_FILES)}
        if hub.ending:
            found |= {name: folder / name for name in DOCUMENTS}
        if name not in found or not found[name].is_file():
            raise HTTPException(404)
        return FileResponse(found[name], headers={"content-security-policy": DOCUMENT_POLICY})

    @app.get("/run")
    def documents() -> list[str]:
        return sorted(file.name for file in hub.runtime.run.folder.glob(FAULT_FILES))

    @ui.page("/")
    def operator(request: Request) -> Any:
        identity: Identity = request.scope["sharnir"]
        if identity.role == "instructor":
            return RedirectResponse(INSTRUCTOR)
        return page.build(identity.role, chosen(request.headers.get("accept-language", "")))

    @ui.page(INSTRUCTOR)
    def instructor(request: Request) -> None:
        page.build("instructor", chosen(request.headers.get("accept-language", "")))

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

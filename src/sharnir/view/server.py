"""The server: one application with the pages, the websocket and the files, behind the guard, for one run after another.

Without anything to drive it shows the start page until somebody chooses. A run that has ended, in whatever way, is told
in the browser and in the terminal. The server stays for those who look at its end: they find the report and the replay
there, and may start the scene again or choose another. It leaves when they have gone, unless it began with the start
page. SIGTERM ends the run in order: browsers fetch what there is of it before the server leaves.
"""

from __future__ import annotations

import asyncio
import gzip
import math
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from urllib.parse import parse_qs

import msgspec
import nicegui
import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from nicegui import ui

from ..errors import SceneError
from ..runtime import commands as c
from ..runtime.journal import LoggedRun
from ..runtime.runtime import Runtime
from ..scene.scene import Scene
from ..scene.values import Plain
from .choice import Choice, of_run
from .console_panel import described as described_panel
from .console_panel import panel_of
from .ghost import Ghost, ghost_of
from .guard import INSTRUCTOR, Guard, Identity, Role, Tokens
from .link import SERVER, Hub, socket_of
from .page import Page
from .recording import Recording
from .start import choose, documents_of, past_runs, start_page
from .texts import chosen
from .world import world_of

STATIC = Path(__file__).parent / "static"
LOCAL = "127.0.0.1"
VIEW_RATE = 60.0  # frames a second to each browser at most
LONGEST_SOCKET_MESSAGE = 1 << 16  # bytes; ours are shorter still, NiceGUI's are events of its widgets
SHUTDOWN_WITHIN = 1  # s
STAY = 3.0  # s without any browser, after which the server of a run that has ended leaves
FETCH_WITHIN = 20.0  # s after SIGTERM, once report and replay are written, for browsers to fetch them
LONGEST_FORM = 1000  # bytes
EXPORTED = {"report.html": "--report", "replay.html": "--html", "debriefing.html": "--debriefing"}
FAULT_FILES = "fault-*.nc"
# A replay has all it needs in itself, and asks for nothing.
DOCUMENT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data: blob:; frame-ancestors 'none'"
)
START_HEADERS = {"referrer-policy": "same-origin"}  # or else its form would come without an origin

THREE = Path(nicegui.__file__).parent / "elements" / "scene" / "dist" / "index.js"  # three.js as one ES module


class Terminated(BaseException):
    """The program was asked to end (SIGTERM)."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C: the folder of the run that was served last, and whether something had gone wrong in it."""

    def __init__(self, folder: Path | None, wrong: bool) -> None:
        super().__init__()
        self.folder, self.wrong = folder, wrong


@dataclass(frozen=True)
class Options:
    """How runs are served, and where they are kept."""

    runs: Path
    host: str = LOCAL
    port: int = 0  # a free one
    paused: bool = False
    rate: float = VIEW_RATE
    ghost: Recording | None = None  # another run, drawn through those of its machine


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


@dataclass
class Drive:
    """A run that is being driven, and what its browsers are served."""

    choice: Choice
    runtime: Runtime
    hub: Hub
    page: Page
    world: bytes
    ghost: bytes  # packed frames, zipped; none where there is no ghost

    @property
    def folder(self) -> Path:
        """Where the run is kept."""
        return self.runtime.run.folder


First = tuple[Choice, Runtime]  # the physics may still be on its way
Told = Callable[[str], object]
Opened = Callable[[Links, Path | None], object]


def serve(first: First | None, options: Options, opened: Opened, told: Told = print) -> Ending | None:
    """Serve the console of what was chosen, or the start page, until the last run has ended, Ctrl-C or SIGTERM.

    ``opened`` gets the links and the folder of the first run, ``told`` what the terminal is to say.
    """
    signal.signal(signal.SIGTERM, _terminate)
    session = Session(first, options, told)
    try:
        return asyncio.run(session.serve(opened))
    except KeyboardInterrupt:
        raise Interrupted(session.folder, session.went_wrong) from None
    finally:
        session.close()


def _terminate(*_: object) -> None:
    raise Terminated


class Server(uvicorn.Server):
    """Tells the browsers before it closes their connections; the first SIGTERM ends the run in order."""

    def __init__(self, config: uvicorn.Config, session: Session) -> None:
        super().__init__(config)
        self._session = session

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal has come."""
        if sig == signal.SIGTERM and self._session.close_in_order():
            return
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say farewell first."""
        await self._session.farewell()
        await super().shutdown(sockets)


class Session:
    """The runs of one server, one after the other: ``drive`` is the one that goes on, None while the start page is
    shown."""

    def __init__(self, first: First | None, options: Options, told: Told) -> None:
        self.options, self._told = options, told
        self.tokens = Tokens()
        self.address = ""
        self.drive: Drive | None = None
        self.closing = False  # SIGTERM has come
        self._stays = first is None  # also when nobody looks: it began with the start page
        self._choosing, self._begun, self._writing = asyncio.Lock(), asyncio.Event(), asyncio.Lock()
        self._first: Choice | None = None if first is None else first[0]
        self._runtime: Runtime | None = None if first is None else first[1]
        self.folder = None if self._runtime is None else self._runtime.run.folder  # of the newest run
        self._ending: Ending | None = None  # how that has ended, once it has

    def close(self) -> None:
        """End what is left of the physics."""
        if self._runtime is not None:
            self._runtime.close()

    @property
    def went_wrong(self) -> bool:
        """Whether the newest run went wrong: its physics died, or a fault has stopped its world."""
        faults = self.folder is not None and any(self.folder.glob(FAULT_FILES))
        return faults or (self._ending is not None and self._ending.wrong)

    async def serve(self, opened: Opened) -> Ending | None:
        """Until the last run has ended and nobody looks any more."""
        host = self.options.host
        listening = bound_socket(host, self.options.port)
        port = listening.getsockname()[1]
        self.address = f"http://{host}:{port}"
        if self._first is not None and self._runtime is not None:
            self._enter(self._first, self._runtime)
        names = {host, "localhost", LOCAL} if host == LOCAL else {host}
        config = uvicorn.Config(
            Guard(application(self), self.tokens, [f"{name}:{port}" for name in names]),
            log_level="warning",
            ws_max_size=LONGEST_SOCKET_MESSAGE,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=SHUTDOWN_WITHIN,
        )
        server = Server(config, self)

        async def live() -> Ending | None:
            try:
                return await self._runs()
            finally:
                server.should_exit = True

        async def tell_when_open() -> None:
            while not server.started:
                await asyncio.sleep(0.01)
            paths: dict[Role, str] = {"operator": "/", "instructor": INSTRUCTOR, "watcher": "/"}
            made = {
                role: f"{self.address}{path}?token={self.tokens.issue(role, math.inf)}" for role, path in paths.items()
            }
            opened(Links(**made), None if self.drive is None else self.drive.folder)

        lives, opening = asyncio.create_task(live()), asyncio.create_task(tell_when_open())
        try:
            await server.serve(sockets=[listening])
            if self.closing:
                raise Terminated
            if not lives.done():
                raise KeyboardInterrupt  # also where a shell has us ignore the signal, as it does in the background
            return lives.result()
        finally:
            lives.cancel()
            opening.cancel()

    # --- one run after another --------------------------------------------------------------------------------------

    def _compiled(self, choice: Choice) -> Runtime:
        """The physics of a new run, which can make steps."""
        runtime = choice.physics(self.options.runs)
        runtime.wait()
        return runtime

    def _enter(self, choice: Choice, runtime: Runtime) -> None:
        """Serve a run. Whoever was in control of the one before keeps the seat."""
        scene = runtime.run.scene(choice.source)
        runtime.wait()
        hub = Hub(runtime, self.options.rate, paused=self.options.paused)
        world = described(scene, runtime)
        ghost = self._ghost_in(world)
        told = world | ({} if ghost is None else {"ghost": ghost.about})
        text = msgspec.json.encode({name: value for name, value in told.items() if name != "faults"})
        page = Page(hub, self.tokens, world, self.address)
        frames = b"" if ghost is None else gzip.compress(ghost.frames, 6)
        self._runtime, self.drive = runtime, Drive(choice, runtime, hub, page, text, frames)
        self.folder, self._ending = runtime.run.folder, None
        self._begun.set()

    def _ghost_in(self, world: Plain) -> Ghost | None:
        """The other run, if it is one of this machine."""
        if self.options.ghost is None:
            return None
        try:
            return ghost_of(self.options.ghost, world)
        except SceneError as error:
            self._told(str(error))
            return None

    async def start(self, what: str) -> None:
        """Begin a run of what somebody has chosen on the start page."""
        async with self._choosing:
            if self.drive is None:
                self._enter(*await asyncio.to_thread(self._prepared, what))
                assert self.drive is not None
                self._told(f"A run has begun; it is kept in {self.drive.folder}")

    def _prepared(self, what: str) -> tuple[Choice, Runtime]:
        choice = choose(what, self.options.runs)
        return choice, self._compiled(choice)

    async def _runs(self) -> Ending | None:
        """Run after run, as long as somebody wants another."""
        while True:
            await self._begun.wait()
            drive = self.drive
            assert drive is not None
            ending = await self._see_through(drive)
            while drive.hub.next == "again" and not self.closing and (problem := await self._begin_again(drive)):
                ending = Ending(problem, True, drive.folder)
                await self._dwell(drive, ending)
            if self.closing:  # what is fetched now is there when the server is not
                await self._tell_end(drive, ending, closed=True)
                await _until_left(drive.hub)
            if self.closing or (drive.hub.next is None and not self._stays):
                return ending
            if self.drive is drive:  # nothing has come after it: the start page
                self._begun.clear()
                self.drive, self._stays = None, True
            await drive.hub.broadcast("restarted")

    async def _begin_again(self, drive: Drive) -> str:
        """Another run of the same; the one that has ended is served until it is there. Returns why there is none."""
        await drive.hub.broadcast("starting")
        try:
            choice = await asyncio.to_thread(of_run, drive.folder, drive.choice.source)
            runtime = await asyncio.to_thread(self._compiled, choice)
        except (SceneError, OSError) as error:
            drive.hub.next = None
            return f"It could not be started again: {error}"
        if self.closing:
            runtime.close()
            return ""
        self._enter(choice, runtime)
        assert self.drive is not None
        self.drive.hub.seat.keep(drive.hub.seat.holder)
        self._told(f"A new run has begun; it is kept in {self.drive.folder}")
        return ""

    async def _see_through(self, drive: Drive) -> Ending:
        """A run to its end, and until those who look at the end have gone or want something else."""
        await drive.hub.pump()
        ending = self._how_it_ended(drive)
        drive.runtime.close()
        self._runtime = None
        await self._tell_end(drive, ending, ready=False)
        self._told(f"{ending.reason}. The run is in {ending.folder}")
        await self._write_documents(drive.folder, drive.choice.source)
        await self._tell_end(drive, ending)
        await self._until_next(drive.hub)
        return ending

    async def _dwell(self, drive: Drive, ending: Ending) -> None:
        """Say what has become of a run that has ended already, and wait for what is wanted next."""
        self._told(ending.reason)
        await self._tell_end(drive, ending)
        await self._until_next(drive.hub)

    async def _tell_end(self, drive: Drive, ending: Ending, *, ready: bool = True, closed: bool = False) -> None:
        self._ending = ending
        told = {"wrong": ending.wrong, "folder": str(ending.folder), "documents": self.documents(drive)}
        await drive.hub.end(ending.reason, **told, ready=ready, closed=closed)

    def _how_it_ended(self, drive: Drive) -> Ending:
        run = LoggedRun(drive.folder)
        died = drive.runtime.died
        fault = any(run.folder.glob(FAULT_FILES))
        if died:
            return Ending(f"The physics has died ({died})", True, run.folder)
        after = "; a fault had stopped its world" if fault else ""
        if self.closing:
            return Ending(f"The program was closed{after}", fault, run.folder)
        by = run.ended_by
        if by is None:
            return Ending("The physics has ended", True, run.folder)
        return Ending(f"The run was ended by {by or 'the program'}{after}", fault, run.folder)

    async def _until_next(self, hub: Hub) -> None:
        """Until somebody wants another run, all have gone, or the program is to end."""
        alone = 0.0
        while hub.next is None and alone < STAY and not self.closing:
            await asyncio.sleep(0.1)
            alone = 0.0 if hub.clients else alone + 0.1

    # --- documents --------------------------------------------------------------------------------------------------

    def documents(self, drive: Drive) -> list[str]:
        """The files that there are of a run that has ended, by name."""
        made = [name for name in documents_of(drive.runtime.run) if (drive.folder / name).is_file()]
        return made + sorted(file.name for file in drive.folder.glob(FAULT_FILES))

    async def _write_documents(self, folder: Path, source: str | None = None, names: list[str] | None = None) -> str:
        """Report, replay and debriefing, by a process of its own; returns what it has to say where it fails."""
        wanted = documents_of(LoggedRun(folder)) if names is None else names
        command = [sys.executable, "-m", "sharnir", "export", str(folder)]
        for name in wanted:
            command += [EXPORTED[name], str(folder / name)]
        if source:
            command += ["--source", source]
        async with self._writing:
            writing = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
            )
            _, said = await writing.communicate()
        if not writing.returncode:
            self._told("wrote " + ", ".join(str(folder / name) for name in wanted))
            return ""
        problem = (said.decode().strip().splitlines() or [f"exit code {writing.returncode}"])[-1]
        self._told(f"report and replay could not be written: {problem}")
        return problem

    async def document_of_run(self, name: str, document: str) -> Path:
        """A document of a past run, written where it is not there yet. One of the run that goes on would tell the
        operator what is injected."""
        run = past_runs(self.options.runs).get(name)
        goes_on = self.drive is not None and not self.drive.hub.ending and self.drive.folder.name == name
        if run is None or goes_on or document not in documents_of(run):
            raise HTTPException(404)
        file = run.folder / document
        if not file.is_file() and (problem := await self._write_documents(run.folder, names=[document])):
            raise HTTPException(409, problem)
        return file

    # --- the end ----------------------------------------------------------------------------------------------------

    def close_in_order(self) -> bool:
        """SIGTERM: end the run, if somebody looks at it; returns whether that is under way."""
        if self.closing or self.drive is None or not self.drive.hub.clients:
            return False
        self.closing = True
        if not self.drive.hub.ending:
            with suppress(SceneError):  # the physics has died just now
                self.drive.runtime.send(c.End(), SERVER)
        return True

    async def farewell(self) -> None:
        """Tell the browsers of a run that goes on that the program leaves."""
        drive = self.drive
        if drive is not None and not drive.hub.ending:
            told = {"wrong": False, "folder": str(drive.folder), "documents": []}
            await drive.hub.end("The program was closed", **told, ready=False, closed=True)


async def _until_left(hub: Hub) -> None:
    """Until all browsers have what they fetch and are gone, but not for ever."""
    end = time.monotonic() + FETCH_WITHIN
    while hub.clients and time.monotonic() < end:
        await asyncio.sleep(0.05)


def described(scene: Scene, runtime: Runtime) -> Plain:
    """What a browser is told of the scene before the first frame."""
    ready = runtime.ready
    return world_of(scene) | {
        "layout": msgspec.to_builtins(ready.layout),
        "inputs": msgspec.to_builtins(ready.inputs),
        "faults": ready.faults,
        "panel": described_panel(scene, panel_of(scene), ready.inputs, ready.layout),
        "briefing": ready.briefing,
    }


# --- the application --------------------------------------------------------------------------------------------------


def application(session: Session) -> FastAPI:
    """The FastAPI application with everything a browser asks for."""
    app = FastAPI(openapi_url=None)

    def hub() -> Hub | None:
        return None if session.drive is None else session.drive.hub

    for before in ("", INSTRUCTOR):  # the same, as operator or watcher and as instructor: the guard knows which
        app.add_api_websocket_route(f"{before}/link", socket_of(hub, Hub.serve))
        app.add_api_websocket_route(f"{before}/beat", socket_of(hub, Hub.serve_beat))
    _serve_run(app, session)
    _serve_start(app, session)
    app.mount("/view", StaticFiles(directory=STATIC))
    ui.run_with(app, dark=None, title="Sharnir", tailwind=False, show_welcome_message=False, reconnect_timeout=30.0)
    return app


def _serve_run(app: FastAPI, session: Session) -> None:
    """What the console asks for."""

    def drive() -> Drive:
        if session.drive is None:
            raise HTTPException(404)
        return session.drive

    @app.get("/view/world.json")
    def world_json() -> Response:
        return Response(drive().world, media_type="application/json")

    @app.get("/view/history")
    def history() -> Response:
        return Response(b"".join(drive().hub.past.frames), media_type="application/octet-stream")

    @app.get("/view/ghost")
    def ghost() -> Response:
        return Response(drive().ghost, media_type="application/octet-stream", headers={"content-encoding": "gzip"})

    @app.get("/view/three.js")
    def three() -> FileResponse:
        return FileResponse(THREE, media_type="text/javascript")

    @app.get("/run/{name}")
    def document(name: str) -> FileResponse:
        now = drive()
        found = session.documents(now) if now.hub.ending else documents()
        if name not in found:
            raise HTTPException(404)
        return _file(now.folder / name)

    @app.get("/run")
    def documents() -> list[str]:
        return sorted(file.name for file in drive().folder.glob(FAULT_FILES))


def _file(path: Path) -> FileResponse:
    return FileResponse(path, headers={"content-security-policy": DOCUMENT_POLICY})


def _serve_start(app: FastAPI, session: Session) -> None:
    """The start page, and the console behind the same address once something was chosen."""

    def page_for(request: Request, problem: str = "") -> Response | None:
        identity: Identity = request.scope["sharnir"]
        language = chosen(request.headers.get("accept-language", ""))
        if session.drive is None:
            text = start_page(session.options.runs, identity.role, language, problem)
            return HTMLResponse(text, headers=START_HEADERS)
        session.drive.page.build(identity.role, language)
        return None

    @ui.page("/")
    def operator(request: Request) -> Response | None:
        identity: Identity = request.scope["sharnir"]
        return RedirectResponse(INSTRUCTOR) if identity.role == "instructor" else page_for(request)

    @ui.page(INSTRUCTOR)
    def instructor(request: Request) -> Response | None:
        return page_for(request)

    @app.post("/start")
    async def start(request: Request) -> Response:
        identity: Identity = request.scope["sharnir"]
        if identity.role == "watcher":
            raise HTTPException(403, "a watcher chooses nothing")
        what = parse_qs((await request.body())[:LONGEST_FORM].decode("latin-1")).get("what", [""])[0]
        try:
            await session.start(what)
        except SceneError as error:
            page = page_for(request, str(error))
            return HTMLResponse(page.body if page is not None else str(error), 400, START_HEADERS)
        return RedirectResponse("/", 303)

    @app.get("/state")
    def state() -> JSONResponse:
        return JSONResponse({"running": session.drive is not None})

    @app.get("/runs/{name}/{document}")
    async def past(name: str, document: str) -> FileResponse:
        return _file(await session.document_of_run(name, document))


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket on a port of a host, 0 for a free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise SceneError(f"port {port} of {host} cannot be used ({error.strerror}); give another --port") from None
    return listening

"""The constructor's server: one document and its windows, behind the same guard as the console."""

from __future__ import annotations

import asyncio
import html
import json
import math
import pickle
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import nicegui
import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles

from ..errors import SceneError
from ..files.schema import scene_schema
from ..files.text import TextError
from ..files.typed import Misfit, to_typed
from ..scene.body import BodySpec
from ..scene.scene import Scene
from ..scene.values import Content, Plain
from ..view.guard import Guard, Tokens
from ..view.link import Hub, socket_of
from ..view.server import LOCAL, THREE, bound_socket
from ..view.server import STATIC as VIEW_STATIC
from ..view.texts import ENGLISH, catalogue, chosen
from .beside import files_beside
from .checking import Checker
from .disk import DiskFile, only_builder
from .document import EMPTY, TEXT_EDIT, Change, Refused, SceneDocument
from .offering import offered
from .parts import added_by, coupled_counts, described_parts
from .sheets import Sheets, described_blocks, described_quantities
from .stage import Told, bodies_of, stage_of
from .trial import Trial, trial_of
from .tuning import tuned

STATIC = Path(__file__).parent / "static"
VUE = Path(nicegui.__file__).parent / "static" / "vue.esm-browser.prod.js"
CODEMIRROR = Path(nicegui.__file__).parent / "elements" / "codemirror" / "dist"
LONGEST_MESSAGE = 32 << 20  # bytes: the text of a large scene
MOST_AT_ONCE = 20  # bodies that are drawn anew before the scene is checked
CHECK_AFTER = 0.05  # s without an edit
KEEP_AFTER = 1.0  # s after an edit, for a crash
LOOK_EVERY = 1.0  # s between two looks at the file on disk
SHUTDOWN_WITHIN = 1  # s


def serve(path: Path, opened: Callable[[str], object], port: int = 0) -> None:
    """Serve the constructor of a file until Ctrl-C; ``opened`` gets the link."""
    with only_builder(path) as tell:
        asyncio.run(_serve(Workshop(path), opened, port, tell))


async def _serve(workshop: Workshop, opened: Callable[[str], object], port: int, tell: Callable[[str], object]) -> None:
    listening = bound_socket(LOCAL, port)
    port = listening.getsockname()[1]
    tokens = Tokens()
    app = Guard(application(workshop), tokens, [f"{name}:{port}" for name in ("localhost", LOCAL)])
    config = uvicorn.Config(
        app,
        log_level="warning",
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=SHUTDOWN_WITHIN,
    )
    server = uvicorn.Server(config)

    async def tell_when_open() -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        address = f"http://{LOCAL}:{port}/"
        tell(address)
        opened(f"{address}?token={tokens.issue('operator', math.inf)}")

    tasks = [asyncio.create_task(tell_when_open()), asyncio.create_task(workshop.look_after())]
    try:
        await server.serve(sockets=[listening])
    finally:
        for task in tasks:
            task.cancel()
        workshop.close()


class Workshop:
    """The document of one file, shared by all windows."""

    def __init__(self, path: Path) -> None:
        self.file = DiskFile(path)
        self.document = SceneDocument(_new_text(path) if self.file.seen is None else self.file.seen, self.file.is_json)
        self._disk_data = pickle.dumps(self.document.data)
        self.recovery = self.file.kept()
        self.errors: list[Plain] = []
        self.windows: list[WebSocket] = []
        self._texts: dict[WebSocket, tuple[int, bytes]] = {}  # what a window's text was made of, and when
        self._folder = path.absolute().parent
        self._checker = Checker(self._folder)
        self._sheets = Sheets(self._checker)
        self._kinds: Plain = {}
        self._checking = asyncio.Lock()
        self._told = Told()
        self.trial: Trial | None = None
        self._trying = asyncio.Lock()
        self._check_wanted, self._keep_wanted = asyncio.Event(), asyncio.Event()
        self._answers: dict[str, Callable[[WebSocket, Content], Awaitable[None]]] = {
            "edit": self._edit,
            "undo": self._undo,
            "redo": self._redo,
            "save": self._save,
            "text": self._text,
            "want_text": self._want_text,
            "recover": self._recover,
            "fits": self._fits,
            "lay_out": self._lay_out,
            "part": self._part,
            "want_files": self._want_files,
            "want_offer": self._want_offer,
            "try": self._try,
        }

    def close(self) -> None:
        """Keep what was not saved, and end a trial."""
        if self.trial is not None:
            self.trial.close()
        if not self.document.saved:
            self.file.keep(self.document.text)

    # --- windows ----------------------------------------------------------------------------------------------------

    async def serve_window(self, socket: WebSocket) -> None:
        """Talk with one window until it is closed."""
        await socket.accept()
        self.windows.append(socket)
        self._check_wanted.set()
        try:
            known = {"document": self.document.data, "world": self._told.world, "kinds": self._kinds}
            await self._send(socket, self.state() | known)
            while (text := await _heard(socket)) is not None:
                await self._answer(socket, text)
        finally:
            self.windows.remove(socket)
            self._texts.pop(socket, None)

    async def _answer(self, socket: WebSocket, text: str) -> None:
        try:
            message = json.loads(text)
            (kind, value), *_ = message.items()
            answer = self._answers[kind]
        except (ValueError, AttributeError, KeyError):
            await self._send(socket, {"refused": "the page sent something that is not known; load it again"})
            return
        try:
            await answer(socket, value)
        except (Refused, SceneError) as refusal:
            await self._send(socket, self.state() | {"refused": str(refusal), "document": self.document.data})

    def state(self) -> Plain:
        """What every window knows of the document besides its data."""
        document = self.document
        return {
            "revision": document.revision,
            "errors": self.errors,
            "undo": document.undo_label,
            "redo": document.redo_label,
            "saved": document.saved and self.file.seen is not None,
            "file": self.file.path.name,
            "recovery": self.recovery is not None,
            "trying": self.trial is not None,
        }

    async def _send(self, socket: WebSocket, message: Plain) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await socket.send_text(json.dumps(message))

    async def tell(self, message: Plain, by: WebSocket | None = None) -> None:
        """Tell all windows; the one that has done it knows by ``own``."""
        for socket in list(self.windows):
            await self._send(socket, message | {"own": True} if socket is by else message)

    # --- what windows ask for ---------------------------------------------------------------------------------------

    async def _edit(self, socket: WebSocket, asked: Plain) -> None:
        label, operations = str(asked.get("label", "Edit")), asked.get("operations", [])
        typing = asked.get("typing") is True
        await self.changed(self.document.edit(label, operations, asked.get("revision"), typing, socket), socket)

    async def _undo(self, socket: WebSocket, _: object) -> None:
        await self.changed(self.document.undo())

    async def _redo(self, socket: WebSocket, _: object) -> None:
        await self.changed(self.document.redo())

    async def _text(self, socket: WebSocket, asked: Plain) -> None:
        """A text that was written from that of a ``revision``: what has changed since stays, where both did so too."""
        text, revision = str(asked.get("text", "")), asked.get("revision")
        known = self._texts.get(socket)
        clashing: list[str] = []
        try:
            if revision == self.document.revision or known is None or known[0] != revision:
                change = await asyncio.to_thread(self.document.edit_text, text)
            else:
                change, clashing = self.document.merge(pickle.loads(known[1]), text, TEXT_EDIT)
        except TextError as error:
            await self._send(socket, {"text_error": str(error), "line": error.line})
            return
        kept = f"Another window has just changed {', '.join(clashing[:3])}; that was kept" if clashing else None
        await self.changed(change)
        await self._send(socket, {"text_error": None} | ({"note": kept} if kept else {}))

    async def _want_text(self, socket: WebSocket, _: object) -> None:
        revision, data = self.document.revision, self.document.data
        self._texts[socket] = (revision, pickle.dumps(data))
        await self._send(socket, {"text": self.document.text, "text_revision": revision})

    async def _save(self, socket: WebSocket, _: object) -> None:
        await self._look()
        self.file.write(self.document.text)
        self._disk_data = pickle.dumps(self.document.data)
        self.document.mark_saved()
        await self.tell(self.state())

    async def _recover(self, socket: WebSocket, wanted: bool) -> None:
        kept, self.recovery = self.recovery, None
        if wanted and kept is not None:
            try:
                await self.changed(self.document.edit_text(kept, "Recover unsaved edits"))
            except TextError as error:
                raise Refused(f"what was kept in {self.file.recovery.name} {error}") from None
        else:
            self.file.forget()
        await self.tell(self.state())

    async def _fits(self, socket: WebSocket, asked: object) -> None:
        data = pickle.loads(pickle.dumps({"diagram": self.document.data.get("diagram")}))
        await self._send(socket, {"fits": await asyncio.to_thread(self._sheets.fits, data, asked)})

    async def _lay_out(self, socket: WebSocket, asked: object) -> None:
        await self._send(socket, {"laid_out": await asyncio.to_thread(self._sheets.laid_out, asked)})

    async def _part(self, socket: WebSocket, asked: Plain) -> None:
        kind, values = str(asked.get("kind")), asked.get("values", {})
        scene, _ = await self._checked()
        if scene is None:
            raise Refused("the scene has no gravity or name that is right; mend that first")
        operations = await asyncio.to_thread(added_by, kind, values, scene, self.document.data, self._folder)
        label = f"Add {kind}"
        await self.changed(self.document.edit(label, operations))
        await self._send(socket, {"added": [operation["path"] for operation in operations]})

    async def _want_files(self, socket: WebSocket, kind: object) -> None:
        await self._send(socket, {"files": await asyncio.to_thread(files_beside, self.file.path, str(kind))})

    async def _want_offer(self, socket: WebSocket, _: object) -> None:
        """The scheme and the console that the scene would be driven with, where it has none of its own."""
        scene, _errors = await self._checked()
        given = {} if scene is None else await asyncio.to_thread(offered, scene)
        await self._send(socket, {"offered": given})

    async def _try(self, socket: WebSocket, wanted: bool) -> None:
        async with self._trying:
            if wanted and self.trial is None:
                scene, errors = await self._checked()
                self.trial = await asyncio.to_thread(trial_of, scene, errors)
                self.trial.begin()
            elif not wanted and self.trial is not None:
                ended, self.trial = self.trial, None
                await ended.end()
        await self.tell(self.state())

    async def changed(self, change: Change | None, by: WebSocket | None = None) -> None:
        """Tell everybody of a change, check it and keep it."""
        if change is None:
            return
        await self.tell(self.state() | {"operations": change.operations, "revision": change.revision}, by)
        if self.trial is not None:
            self.trial.tune(tuned(self.document.data, change.operations))
        if seen := self._at_once(change):
            await self.tell(seen)
        self._check_wanted.set()
        self._keep_wanted.set()

    def _at_once(self, change: Change) -> Plain:
        """What a few bodies look like after an edit of them alone; the check of the whole scene comes later."""
        names = bodies_of(change.operations)
        if not 0 < len(names) <= MOST_AT_ONCE:
            return {}
        try:
            given = self.document.data["bodies"]
            there = [name for name in given if name in names]  # the others were deleted
            return self._told.at_once({name: to_typed(BodySpec, given[name]) for name in there})
        except (Misfit, SceneError, KeyError, TypeError):  # the check says what is wrong
            return {}

    # --- besides ----------------------------------------------------------------------------------------------------

    async def look_after(self) -> None:
        """Check, keep and look at the disk, for as long as the server is there."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._checks())
            group.create_task(self._keeps())
            group.create_task(self._looks())

    async def _checks(self) -> None:
        while True:
            await self._check_wanted.wait()
            await asyncio.sleep(CHECK_AFTER)
            self._check_wanted.clear()
            try:
                await self._check()
            except Exception as error:  # whatever it is: what is edited goes on being checked and kept
                said = f"the scene could not be checked ({type(error).__name__}: {error}); undo what was done last"
                self.errors = [{"path": "", "message": said}]
                await self.tell(self.state() | {"checked": True})

    async def _check(self) -> None:
        """Tell what is wrong with the document now, and how it looks."""
        revision = self.document.revision
        scene, errors = await self._checked()
        self._sheets.scene = scene
        kinds = await asyncio.to_thread(self._sheets.kinds, pickle.loads(pickle.dumps(self.document.data)))
        world = None if scene is None else await asyncio.to_thread(stage_of, scene)
        if revision == self.document.revision:
            seen = {} if world is None else self._told.changes(world)
            seen |= {} if kinds == self._kinds else {"kinds": kinds}
            self.errors, self._kinds = errors, kinds
            await self.tell(self.state() | {"checked": True} | seen)

    async def _checked(self) -> tuple[Scene | None, list[Plain]]:
        """The scene of what is right in the document, and what is wrong with it."""
        async with self._checking:
            data = pickle.loads(pickle.dumps(self.document.data))
            return await asyncio.to_thread(self._checker.check, data)

    async def _keeps(self) -> None:
        while True:
            await self._keep_wanted.wait()
            await asyncio.sleep(KEEP_AFTER)
            self._keep_wanted.clear()
            with suppress(SceneError):  # a folder that cannot be written; saving will tell
                if self.document.saved:
                    self.file.forget()
                else:
                    await asyncio.to_thread(self.file.keep, self.document.text)

    async def _looks(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self._look()

    async def _look(self) -> None:
        """Take over what somebody else has written to the file."""
        text = self.file.changed()
        if text is None:
            return
        was_saved = self.document.saved
        try:
            change, clashing = self.document.merge(pickle.loads(self._disk_data), text)
        except TextError as error:
            await self.tell({"note": f"The file was changed on disk, and {error}; it is not taken over"})
            return
        self.file.seen = text
        self._disk_data = pickle.dumps(SceneDocument(text, self.file.is_json).data)
        if was_saved and not clashing:
            self.document.mark_saved()
        await self.changed(change)
        kept = f"; yours is kept at {', '.join(clashing[:3])}" if clashing else ""
        await self.tell(self.state() | {"note": f"The file was changed on disk; that was taken over{kept}"})


async def _heard(socket: WebSocket) -> str | None:
    """What a window sends next; None when it is gone, which may have been noticed while it was told something."""
    try:
        return await socket.receive_text()
    except (WebSocketDisconnect, RuntimeError):
        return None


def _new_text(path: Path) -> str:
    """A new scene is named after its file."""
    name = re.sub(r"[^\w -]", "", path.stem) or "scene"
    return json.dumps({"sharnir": 1, "name": name}) + "\n" if path.suffix == ".json" else EMPTY.replace("scene", name)


# --- the application --------------------------------------------------------------------------------------------------


def application(workshop: Workshop) -> FastAPI:
    """What a window asks for."""
    app = FastAPI(openapi_url=None)

    def hub() -> Hub | None:
        return None if workshop.trial is None else workshop.trial.hub

    app.add_api_websocket_route("/build/link", workshop.serve_window)
    app.add_api_websocket_route("/link", socket_of(hub, Hub.serve))
    app.add_api_websocket_route("/beat", socket_of(hub, Hub.serve_beat))

    @app.get("/build/trial.json")
    def trial() -> Response:
        found = workshop.trial
        return Response(None if found is None else found.world, 404 if found is None else 200, None, "application/json")

    @app.get("/")
    def page(request: Request) -> HTMLResponse:
        language = chosen(request.headers.get("accept-language", ""))
        text = (STATIC / "build.html").read_text(encoding="utf-8")
        return HTMLResponse(
            text.replace("@@LANGUAGE@@", language).replace("@@TITLE@@", html.escape(workshop.file.path.name))
        )

    @app.get("/build/context.json")
    def context(request: Request) -> Response:
        language = chosen(request.headers.get("accept-language", ""))
        texts = {} if language == ENGLISH else catalogue(language)
        given = {
            "schema": scene_schema(),
            "blocks": described_blocks(),
            "quantities": described_quantities(),
            "parts": described_parts(),
            "coupled": coupled_counts(),
            "texts": texts,
        }
        return Response(msgspec.json.encode(given), media_type="application/json")

    @app.get("/view/three.js")
    def three() -> FileResponse:
        return FileResponse(THREE, media_type="text/javascript")

    @app.get("/build/vue.js")
    def vue() -> FileResponse:
        return FileResponse(VUE, media_type="text/javascript")

    app.mount("/view", StaticFiles(directory=VIEW_STATIC))
    app.mount("/build/codemirror", StaticFiles(directory=CODEMIRROR))
    app.mount("/build", StaticFiles(directory=STATIC))
    return app

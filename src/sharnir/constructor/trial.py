"""A trial run: the edited scene runs in a process of its own, as ``sharnir drive`` runs it, and is discarded."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import msgspec

from ..errors import SceneError
from ..runtime.commands import Tune
from ..runtime.journal import create_run
from ..runtime.runtime import Runtime
from ..scene.scene import Scene
from ..scene.values import Plain
from ..view.link import Hub
from ..view.server import VIEW_RATE, described
from .wording import in_trial_words

DT = 0.005  # s


class Trial:
    """A scene that runs, with all that its browsers need."""

    def __init__(self, scene: Scene) -> None:
        os.environ.setdefault("SHARNIR_KERNELS", "general")  # shared by scenes: an edit compiles nothing new
        self._folder = tempfile.TemporaryDirectory(prefix="sharnir-trial-")
        try:
            self._runtime = Runtime(create_run(scene, DT, {}, Path(self._folder.name)), paused=True)
        except SceneError:
            self._folder.cleanup()
            raise
        self.hub = Hub(self._runtime, VIEW_RATE)
        self.hub.worded = in_trial_words
        world = described(self._runtime.run.scene(), self._runtime)
        self.world = msgspec.json.encode({name: value for name, value in world.items() if name != "faults"})
        self._pump: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Pass on frames from now on."""
        self._pump = asyncio.get_running_loop().create_task(self.hub.pump())

    def tune(self, commands: list[Tune]) -> None:
        """Change numbers of the diagram while it runs."""
        for command in commands:
            self._runtime.send(command, "the constructor")

    async def end(self) -> None:
        """End the physics and forget the run."""
        if self._pump is not None:
            self._pump.cancel()
        for client in list(self.hub.clients):
            await client.socket.close(1001)
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """End the physics and forget the run."""
        self._runtime.close()
        self._folder.cleanup()

    @property
    def alive(self) -> bool:
        """Whether the physics goes on."""
        return self._runtime.alive


def trial_of(scene: Scene | None, errors: list[Plain]) -> Trial:
    """Begin a trial, or say why not."""
    if scene is None or errors:
        first = errors[0]["message"] if errors else "there is no scene"
        raise SceneError(f"the scene cannot run yet: {first}")
    return Trial(scene)

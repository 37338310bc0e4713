"""Where chunks are simulated: in this process, in processes of their own on this machine, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import itertools
import logging
import pickle
import platform
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import IO, TYPE_CHECKING

from ..errors import SceneError
from ..spatial import Array
from .batch import Outcome, Runner
from .environment import check_alike, environment
from .kernels import compiled_kernels, install_kernels
from .plan import Plan

if TYPE_CHECKING:
    from distributed import Client

TRIES = 3  # how often a chunk is given to a worker before it counts as deadly
LENGTH = 8  # bytes that tell how long a message is
CLUSTER_WAIT = "10s"
ADDRESS = re.compile(r"([a-z]+://\S+|\S+:\d+)$")
Task = tuple[int, Array]


def in_process(tasks: Iterable[Task], runner: Runner) -> Iterator[tuple[int, Outcome]]:
    """One chunk after another, in this process."""
    for piece, points in tasks:
        yield piece, runner.run(points)


# --- processes on this machine ----------------------------------------------------------------------------------------


class Process:
    """A worker process; messages are pickles with their length before them. It ends when its input does."""

    def __init__(self, plan: bytes) -> None:
        command = [sys.executable, "-c", "from sharnir.studies.workers import serve; serve()"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self._process.pid
        assert self._process.stdin is not None and self._process.stdout is not None  # they are pipes
        self._questions, self._answers = self._process.stdin, self._process.stdout
        send(self._questions, plan)

    def run(self, points: Array) -> Outcome:
        """The outcome of a chunk; EOFError if the process died."""
        try:
            send(self._questions, pickle.dumps(points))
            answer = pickle.loads(receive(self._answers))
        except OSError:
            raise EOFError from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def end(self) -> None:
        """Let it go; a process that is busy is killed."""
        with contextlib.suppress(OSError):
            self._questions.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        self._process.kill()
        self._process.wait()


def send(pipe: IO[bytes], message: bytes) -> None:
    """Write one message."""
    pipe.write(len(message).to_bytes(LENGTH, "big") + message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Read one message; EOFError at the end."""
    head = pipe.read(LENGTH)
    if len(head) < LENGTH:
        raise EOFError
    size = int.from_bytes(head, "big")
    body = pipe.read(size)
    if len(body) < size:
        raise EOFError
    return bytes(body)


def serve() -> None:
    """The worker's side: a plan comes in, then chunks, each of them answered."""
    import os

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not get between the messages
    questions = sys.stdin.buffer
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        runner = Runner(_unpacked(receive(questions)), threads=1)
        while True:
            points = pickle.loads(receive(questions))
            try:
                answer: Outcome | Exception = runner.run(points)
            except Exception as error:
                answer = error
            send(answers, pickle.dumps(answer))


def in_processes(tasks: Iterable[Task], plan: Plan, workers: int) -> Iterator[tuple[int, Outcome]]:
    """Chunks shared by processes with one thread each; one that dies is replaced, and its chunk made again."""
    waiting: queue.SimpleQueue[tuple[int, Array, int] | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Outcome | BaseException]] = queue.SimpleQueue()
    count = 0
    for piece, points in tasks:
        waiting.put((piece, points, 1))
        count += 1
    packed = _packed(plan)
    stop = threading.Event()

    def work() -> None:
        process: Process | None = None
        try:
            while not stop.is_set() and (task := waiting.get()) is not None:
                piece, points, tried = task
                try:
                    process = process or Process(packed)
                    done.put((piece, process.run(points)))
                except EOFError:
                    if process is not None:
                        process.end()
                    process = None
                    if tried < TRIES:
                        waiting.put((piece, points, tried + 1))
                    else:
                        done.put((piece, _lost(plan, points)))
        except BaseException as error:
            done.put((-1, error))
        finally:
            if process is not None:
                process.end()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, count))]
    for thread in threads:
        thread.start()
    try:
        for _ in range(count):
            piece, outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield piece, outcome
    finally:
        stop.set()
        for _ in threads:
            waiting.put(None)
        for thread in threads:
            thread.join(1.0)


def _lost(plan: Plan, points: Array) -> Outcome:
    """Rows of a chunk whose worker died every time."""
    empty = Runner(plan)._empty(len(points))
    empty.reasons = [f"the process that simulated it died {TRIES} times; run it alone to see why"] * len(points)
    return empty


def _packed(plan: Plan) -> bytes:
    if plan.factory is None:
        return pickle.dumps(plan)
    return bytes(_cloudpickle().dumps(plan))


def _unpacked(packed: bytes) -> Plan:
    return pickle.loads(packed)  # what cloudpickle wrote, pickle reads


def _cloudpickle() -> ModuleType:
    try:
        import cloudpickle
    except ImportError:
        raise SceneError(
            "functions are sent to workers by cloudpickle; install it with: pip install 'sharnir[studies]'"
        ) from None
    return cloudpickle


# --- a Dask cluster ---------------------------------------------------------------------------------------------------


def connect(cluster: object) -> Client:
    """A client of a Dask cluster: an address such as tcp://host:8786, a cluster object or a client."""
    try:
        from distributed import Client
    except ImportError:
        raise SceneError("clusters need Dask distributed; install it with: pip install 'sharnir[studies]'") from None
    if isinstance(cluster, Client):
        return cluster
    if isinstance(cluster, str) and not ADDRESS.match(cluster):  # Dask would leave half a client behind
        raise SceneError(f"cluster is '{cluster}'; give the address of a Dask scheduler, such as tcp://host:8786")
    try:
        return Client(cluster, timeout=CLUSTER_WAIT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SceneError(
            f"no Dask scheduler answers at {cluster} ({_brief(error)}); start one "
            "with 'dask scheduler', or leave --cluster out"
        ) from None


def on_cluster(tasks: Iterable[Task], plan: Plan, client: Client) -> Iterator[tuple[int, Outcome]]:
    """Chunks as tasks of a Dask cluster, made again where a worker is lost; workers that differ are refused.

    The first chunk is simulated here: its kernels are compiled once, and sent to the workers with the plan.
    """
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    with _there(client):
        found = client.run(environment)
    if not found:
        raise SceneError("the Dask cluster has no workers; start some with 'dask worker ADDRESS --nthreads 1'")
    for address, there in found.items():
        _check_worker(environment(), there, address)
    waiting = iter(tasks)
    yield from in_process(itertools.islice(waiting, 1), Runner(plan))
    parcel = pickle.dumps((_packed(plan), environment(), compiled_kernels()))
    with _there(client):
        sent = client.scatter(parcel, broadcast=True, hash=False)
        pieces, kept = {}, {}
        for piece, points in waiting:
            future = client.submit(run_parcel, sent, points, pure=False, retries=TRIES)
            pieces[future.key] = piece, points
            kept[piece] = future  # Dask forgets a task that nobody holds
        made = as_completed(list(kept.values()), loop=client.loop)
    while kept:
        with _there(client):
            future = next(made)
            piece, points = pieces[future.key]
            try:
                outcome = future.result()
            except KilledWorker:
                outcome = _lost(plan, points)
        yield piece, outcome
        del kept[piece]


@contextmanager
def _there(client: Client) -> Iterator[None]:
    """What it means that a scheduler, or its last worker, goes away, in words."""
    from asyncio import CancelledError as Cancelled
    from concurrent.futures import CancelledError

    try:
        yield
    except (OSError, TimeoutError, CancelledError, Cancelled) as error:
        where = getattr(client.scheduler, "address", "the cluster")
        raise SceneError(
            f"the Dask cluster at {where} went away, or its last worker did ({_brief(error)}); what was finished is "
            "kept in --out: start the cluster and the same study again"
        ) from None


@contextmanager
def clients_quiet() -> Iterator[None]:
    """Without what Dask's clients log while a cluster goes away, which is said in words."""
    with contextlib.suppress(ImportError):  # connect() says what to install
        import distributed  # noqa: F401 - it sets the levels of its loggers as it is imported
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _brief(error: BaseException) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split())[:100] or type(error).__name__


def _check_worker(here: Mapping[str, str], there: Mapping[str, str], address: str) -> None:
    remedy = "install the same on all workers, on processors of one kind"
    check_alike(here, there, f"of the worker {address}", remedy)


def run_parcel(parcel: bytes, points: Array) -> Outcome:
    """A chunk on a worker of a cluster; the parcel is opened once per process, also by a worker that came later."""
    if parcel not in _runners:
        packed, sender, kernels = pickle.loads(parcel)
        _check_worker(sender, environment(), platform.node())
        install_kernels(kernels)
        _runners.clear()
        _runners[parcel] = Runner(_unpacked(packed), threads=1)
    return _runners[parcel].run(points)


_runners: dict[bytes, Runner] = {}

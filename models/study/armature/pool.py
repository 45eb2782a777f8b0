"""Runs jobs on the cores of this machine or on a dask cluster, and hands back outcomes as they come."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import uuid
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Callable, Iterable, Iterator

from . import simulate as simulate_module
from .errors import InputError
from .simulate import Job, Outcome, clear_leftovers, simulate

_LOSSES = 3  # dask itself gives a job to another worker three times; so often does a sweep begin anew
_LEAST_QUEUED = 64  # jobs at the scheduler, so that a worker that comes later finds some
_CONNECT_S = 10


def local_cores() -> int:
    return len(os.sched_getaffinity(0))


def run_locally(jobs: Iterable[Job], at_once: int) -> Iterator[Outcome]:
    """Runs jobs as processes, `at_once` side by side. Closing the iterator ends those that run."""
    clear_leftovers()
    stop = threading.Event()
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="point")
    queued = iter(jobs)
    running = set()
    try:
        while True:
            for job in queued:
                running.add(pool.submit(simulate, job, stop.is_set))
                if len(running) >= 2 * at_once:
                    break
            if not running:
                return
            # Not without a time: a signal to this process must get through.
            done, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


class _ByValue:
    """A function that travels as its code. Pickled plainly it becomes the function itself at the other end, so that
    scheduler and workers need no copy of this package, nor the same one."""

    def __init__(self, function: Callable[..., object]):
        import cloudpickle

        for module in (sys.modules[__name__], simulate_module):
            cloudpickle.register_pickle_by_value(module)
        self._function = function
        self._code = cloudpickle.dumps(function)

    def __call__(self, *arguments: object) -> object:
        return self._function(*arguments)

    def __reduce__(self) -> tuple:
        return pickle.loads, (self._code,)


def _on_worker(job: dict) -> dict:
    """What a dask worker does; a job whose result nobody waits for any more is ended."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.get_current_task()

    def given_up() -> bool:
        state = worker.state.tasks.get(task)
        return state is None or state.state in ("cancelled", "resumed", "released")

    return vars(simulate(Job(**job), given_up))


def run_on_cluster(jobs: Iterable[Job], address: str) -> Iterator[Outcome]:
    """Runs jobs on the workers of a dask scheduler (tcp://host:port). A job whose worker dies goes to another one.

    Raises InputError if there is no scheduler. With no worker it waits until one comes.
    """
    from distributed import Client, KilledWorker, as_completed

    work = _ByValue(_on_worker)
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:  # TimeoutError is an OSError
        raise InputError(f"--scheduler {address}: no dask scheduler answers there ({error})") from None
    queued = iter(jobs)
    asked: dict[str, tuple[Job, object]] = {}
    losses: dict[str, int] = {}
    results = as_completed(loop=client.loop)

    def submit(job: Job) -> None:
        name = f"armature-point-{uuid.uuid4().hex}"
        future = client.submit(work, vars(job), pure=False, key=name)
        asked[name] = (job, future)
        results.add(future)

    try:
        while True:
            wanted = max(_LEAST_QUEUED, 4 * sum(client.nthreads().values()))
            while len(asked) < wanted and (job := next(queued, None)) is not None:
                submit(job)
            if not asked:
                return
            future = next(results)
            job, _ = asked.pop(future.key)
            if future.status == "finished":
                yield Outcome(**future.result())
                continue
            losses[job.key] = losses.get(job.key, 0) + 1
            # A cancelled future has no exception: the scheduler is gone, or somebody cancelled it there.
            reason = future.exception() if future.status == "error" else None
            if isinstance(reason, KilledWorker) and losses[job.key] < _LOSSES:
                submit(job)
            else:
                yield Outcome(job.key, -1, f"no worker could run it: {reason or future.status}")
    finally:
        client.cancel([future for _, future in asked.values()], force=True)
        client.close(timeout=5)

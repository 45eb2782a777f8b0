"""Runs, sweeps, comparisons and experiments of the program `armature`, which simulates storage drives.

    import armature

    result = armature.run("scenario.toml", spindle__rpm=5400)
    result.requests, result.energy, result.phases    # pandas DataFrames
    sweep = armature.sweep("scenario.toml", {"spindle.rpm": [5400, 7200]}, replications=5)
    sweep.table

The simulation itself is the C++ program; nothing here computes a service time. `program` calls it, `points` says which
configurations, `pool` runs them, `store` keeps what came out, `table` lays it out, `statistics` judges it; `commands` are the
wrapper's.
"""

from __future__ import annotations

import importlib

from .errors import InputError, RunFailed

__all__ = ["InputError", "Result", "RunFailed", "Sweep", "read", "run", "sweep"]
_OF_API = ("Result", "Sweep", "read", "run", "sweep")


def __getattr__(name: str) -> object:
    # The commands, which start often, do without pandas.
    if name in _OF_API:
        return getattr(importlib.import_module(".api", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_OF_API])

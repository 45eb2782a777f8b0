"""Makes a failing scenario small: whole drives, sections, keys, then the load."""

from __future__ import annotations

import time
from collections.abc import Callable

from scenario import Scenario

KEPT = ("workload.kind", "workload.file", "workload.format", "model", "geometry.zones", "simulation.stall_s")


class Minimiser:
    """Tries smaller scenarios as long as they fail in the same way and time is left."""

    def __init__(self, fails: Callable[[Scenario], bool], seconds: float):
        self.fails = fails
        self.until = time.monotonic() + seconds

    def better(self, smaller: Scenario) -> bool:
        return time.monotonic() < self.until and self.fails(smaller)

    def smallest(self, scenario: Scenario) -> Scenario:
        before = None
        while before != scenario.text() and time.monotonic() < self.until:
            before = scenario.text()
            scenario = self.fewer_requests(self.fewer_keys(self.fewer_drives(scenario)))
        return scenario

    def fewer_drives(self, scenario: Scenario) -> Scenario:
        for name in list(scenario.drives):
            if len(scenario.drives) > 1:
                smaller = scenario.copy()
                del smaller.drives[name]
                if self.better(smaller):
                    scenario = smaller
        return scenario

    def fewer_keys(self, scenario: Scenario) -> Scenario:
        keys = [(name, key) for name, table in [(None, scenario.shared), *scenario.drives.items()] for key in table]
        keys = [entry for entry in keys if entry[1] not in KEPT]
        size = max(1, len(keys) // 2)
        while size >= 1:
            at = 0
            while at < len(keys):
                part = keys[at : at + size]
                smaller = scenario.copy()
                for name, key in part:
                    del (smaller.shared if name is None else smaller.drives[name])[key]
                if self.better(smaller):
                    scenario, keys = smaller, keys[:at] + keys[at + size :]
                else:
                    at += size
            size //= 2
        return scenario

    def fewer_requests(self, scenario: Scenario) -> Scenario:
        if scenario.trace is not None:
            return self.fewer_lines(scenario)
        count = scenario.shared.get("workload.count", 10_000)
        for smaller_count in sorted({count // d for d in (2, 4, 8, 16, 64)} | {count * 3 // 4, count - 1} - {0}):
            smaller = scenario.copy()
            smaller.shared["workload.count"] = smaller_count
            if smaller_count and self.better(smaller):
                return smaller
        return scenario

    def fewer_lines(self, scenario: Scenario) -> Scenario:
        size = max(1, len(scenario.trace) // 2)
        while size >= 1:
            at = 0
            while at < len(scenario.trace) and len(scenario.trace) > 1:
                smaller = scenario.copy()
                del smaller.trace[at : at + size]
                if smaller.trace and self.better(smaller):
                    scenario = smaller
                else:
                    at += size
            size //= 2
        return scenario

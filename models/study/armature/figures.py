"""The figures that answer an architect's questions: names, units, and where summary.json has them.

A figure is named shortly (`p99`, `watts`) or by its path in summary.json below a drive (`queue.max_depth`), as the header of a
sweep's table has it.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass

from .errors import InputError


@dataclass(frozen=True)
class Figure:
    name: str
    unit: str
    meaning: str
    path: str  # dotted, in a drive's part of summary.json; empty: it is computed
    better: int  # -1: less is better, +1: more is, 0: neither
    title: str = ""  # short, for the head of a column; empty: name and unit

    @property
    def response(self) -> bool:
        """A figure of the response times, which a log of requests gives with an interval."""
        return self.name == "mean" or self.quantile is not None

    @property
    def quantile(self) -> float | None:
        digits = self.name[1:]
        return float(digits) / 100 if self.name[:1] == "p" and digits.replace(".", "", 1).isdigit() else None

    @property
    def column(self) -> str:
        """For the header of a table whose names carry units: p99_9_ms, average_w."""
        told = {"cost": "cost_usd", "read_hits": "read_hit_share", "case_most": "case_most_c", "case_steady": "case_steady_c", "write_hits": "write_hit_share"}.get(self.name)
        return told or self.path.rsplit(".", 1)[-1] or self.name

    @property
    def heading(self) -> str:
        return self.title or (f"{self.name}, {self.unit}" if self.unit else self.name)


def _response(name: str, meaning: str) -> Figure:
    return Figure(name, "ms", meaning, f"response.all.{name.replace('.', '_')}_ms", -1)


KNOWN = {
    figure.name: figure
    for figure in (
        _response("mean", "mean response time"),
        _response("p50", "median response time"),
        _response("p90", "response time within which 90 % of the requests are answered"),
        _response("p95", "the same, 95 %"),
        _response("p99", "the same, 99 %"),
        _response("p99.9", "the same, 99.9 %"),
        _response("p99.99", "the same, 99.99 %"),
        Figure("longest", "ms", "longest response time", "response.all.max_ms", -1),
        Figure("requests_per_s", "1/s", "completed requests a second", "requests_per_s", 1, "requests/s"),
        Figure("megabytes_per_s", "MB/s", "data rate", "megabytes_per_s", 1, "MB/s"),
        Figure("outstanding", "", "mean number of requests between arrival and completion", "queue.mean_depth", -1),
        Figure("utilisation", "", "share of time in which an arm moves, waits for a sector or transfers, mean of the arms",
               "utilisation", 0),
        Figure("read_hits", "", "share of the reads that a buffer answered; of an array its cache, or the store in front of its members",
               "service.read.hit_share", 1, "read hits"),
        Figure("write_hits", "", "the same of the writes", "service.write.hit_share", 1, "write hits"),
        Figure("watts", "W", "average power", "energy.average_w", -1, "W"),
        Figure("peak_watts", "W", "greatest power at any time", "energy.peak_w", -1, "peak W"),
        Figure("joules_per_request", "J", "energy divided by the completed requests", "energy.energy_per_request_j", -1, "J/request"),
        Figure("energy_delay", "Js", "energy of a request times mean response time (E x T)", "energy.energy_delay_js", -1, "E x T, J s"),
        Figure("case_most", "C", "greatest temperature of the case", "thermal.parts.case.most_c", -1, "case, most, C"),
        Figure("case_steady", "C", "temperature of the case in the steady state of the run's mean power", "thermal.parts.case.steady_c", -1,
               "case, steady, C"),
        Figure("headroom", "C", "of the allowed rise of the case above the air, what the steady state leaves", "thermal.headroom_c", 1,
               "headroom, C"),
        Figure("throttled", "", "share of the time in which firmware throttled the drive because it was warm", "counters.throttled_share", -1),
        Figure("cost", "USD", "price of the drive, as --cost tells it", "", -1, "USD"),
    )
}
DEFAULT = ("mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "requests_per_s", "megabytes_per_s", "utilisation", "read_hits",
           "write_hits", "watts", "joules_per_request", "cost")
# Of them in a terminal: of a comparison, of a sweep.
TERMINAL = ("mean", "p50", "p90", "p95", "p99", "p99.9", "requests_per_s", "watts", "joules_per_request", "cost")
SHORT = ("mean", "p99", "requests_per_s", "megabytes_per_s", "utilisation", "read_hits", "watts", "joules_per_request", "cost")


def parts_of_arrays(summary: dict) -> set[str]:
    """The drives of arrays: parts of a system, whose requests are the array's operations, and no systems themselves."""
    return {member for drive in summary["drives"] for member in drive.get("members", [])}


def listing() -> str:
    """The known figures with their units, for --help."""
    width = max(map(len, KNOWN)) + 2
    return "figures:\n" + "\n".join(
        f"  {f.name:<{width}}{f.unit or '-':<6}{f.meaning}" for f in KNOWN.values()
    ) + "\n  any column of table.csv without its unit: queue.max_depth, busy.disk.srv0.seek"


def choose(text: str | None, default: tuple[str, ...], units: dict[str, str] | None = None) -> list[Figure]:
    """What --figures says, or the default; `units` of the columns that may be named by path. InputError for others."""
    if text is None:
        return [KNOWN[name] for name in default]
    chosen: dict[str, Figure] = {}
    for name in (part.strip() for part in text.split(",")):
        if name in KNOWN:
            chosen[name] = KNOWN[name]
        elif units is not None and name in units:
            chosen[name] = Figure(name, units[name], name, name, 0)
        else:
            near = difflib.get_close_matches(name, [*KNOWN, *(units or ())], 1)
            raise InputError(f"--figures: no figure {name!r}{f'; did you mean {near[0]}?' if near else ''}; there are "
                             f"{', '.join(KNOWN)}" + (", and the columns of table.csv" if units else ""))
    return list(chosen.values())


def costs(told: list[str]) -> dict[str, float]:
    """What --cost NAME=DOLLARS says."""
    found = {}
    for text in told:
        name, equals, value = text.rpartition("=")
        try:
            dollars = float(value)
        except ValueError:
            dollars = math.nan
        if not equals or not name or not math.isfinite(dollars) or dollars < 0:
            raise InputError(f"--cost {text}: NAME=DOLLARS is expected, such as atlas=120")
        found[name] = dollars
    return found


def refuse_unpriced(told: str | None, cost: dict[str, float], names: str) -> None:
    """InputError if --figures asks for the cost, and no --cost has told one."""
    if not cost and told and "cost" in (part.strip() for part in told.split(",")):
        raise InputError(f"--figures cost: --cost {names}=USD tells the prices")


def absent(told: str | None, chosen: list[Figure], shown: list[Figure]) -> str:
    """A line about figures that --figures asks for and no row has; empty if there are none."""
    names = [figure.name for figure in chosen if figure not in shown] if told else []
    return f"no row has the figure{'s' if len(names) > 1 else ''} {', '.join(names)}" if names else ""


def utilisation(summary: dict, drive: str) -> float | None:
    """Time in which arms move, wait for a sector or transfer, divided by the number of arms and the time: the states of the
    servos and channels, so the drive's own work counts too; of an array, of all arms of its drives. None of a store without them."""
    busy, arms = 0.0, 0
    drives = next((told["members"] for told in summary["drives"] if told["name"] == drive and told.get("members")), [drive])
    for component in summary.get("utilisation", []):
        owner, _, name = component["component"].partition(".")
        if owner not in drives:
            continue
        states, kind = component["states"], name.rsplit(".", 1)[-1].rstrip("0123456789")
        if kind == "srv" and "seek" in states:
            arms += 1
            busy += states["seek"]["share"]
        elif kind == "chn":
            busy += sum(states[state]["share"] for state in ("wait", "transfer") if state in states)
    return busy / arms if arms else None


def value(figure: Figure, flat: dict[str, object], drive: str, cost: dict[str, float]) -> float | None:
    """A figure of a drive's whole run from its figures by path (table.figures); None if it has none."""
    told = cost.get(drive) if figure.name == "cost" else flat.get(figure.path)
    return float(told) if isinstance(told, (int, float)) else None


def watts_by_mode(flat: dict[str, object]) -> dict[str, float]:
    """Average power of a drive or an array in each operating mode, W, which add up to `watts`. Empty without an account of energy."""
    joules = {name.split(".")[2]: float(told) for name, told in flat.items()
              if name.startswith("energy.modes.") and name.endswith(".energy_j")}
    total, average = flat.get("energy.energy_j"), flat.get("energy.average_w")
    if not joules or not total or not average:
        return {}
    return {mode: told / float(total) * float(average) for mode, told in joules.items()}


def spans_decade(values: list[float]) -> bool:
    """True if a logarithmic axis shows them better: all above 0, the greatest more than ten times the least."""
    told = [v for v in values if v is not None and math.isfinite(v)]
    return bool(told) and min(told) > 0 and max(told) / min(told) > 10

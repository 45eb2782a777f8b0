"""Verdicts: what published rows come to."""

from __future__ import annotations

from dataclasses import dataclass

from . import statistics
from .errors import InputError
from .experiment import Experiment
from .expressions import evaluate
from .measures import Measured

HOLDS, FAILS, OPEN = "holds", "fails", "open"
# What a verdict says; in a row's summary of several the first of these counts.
WITHIN, ORDER, DIFFERS, FITTED, INPUT, REPORTED, CANNOT, ABSENT, WRONG = (
    "within",
    "order holds",
    "differs",
    "fitted",
    "input",
    "reported",
    "not testable",
    "absent",
    "fails",
)


@dataclass
class Verdict:
    """What a published row comes to."""

    row: dict
    state: str  # HOLDS, FAILS or OPEN
    kind: str
    text: str
    ours: float | None = None
    deviation_percent: float | None = None


def _explained(row: dict, found: dict[str, Measured]) -> tuple[bool, str]:
    """Whether the reason of a difference stands its test, and the reason with the figures that it names."""
    try:
        reason = row["differs"].format_map({name: f"{told.value:.4g}" for name, told in found.items()})
        stands = evaluate(row["tested"], lambda name: _value(found, name), lambda key: _value(found, key))
    except (KeyError, ValueError, IndexError) as error:
        raise InputError(f"row {row.get('id')}: differs: no measure {error}") from None
    except InputError as error:
        raise InputError(f"row {row.get('id')}: tested: {error}") from None
    return stands != 0, reason


def _value(found: dict[str, Measured], name: str) -> float:
    if name not in found:
        raise InputError(f"no measure {name}")
    return found[name].value


def _differs(row: dict, found: dict[str, Measured], otherwise: str, *figures: float | None) -> Verdict:
    """A figure or an order that is not the published one: fails unless a reason is given and stands its test."""
    if "differs" not in row:
        return Verdict(row, FAILS, WRONG, otherwise, *figures)
    stands, reason = _explained(row, found)
    if not stands:
        return Verdict(row, FAILS, WRONG, f"{otherwise}; the reason does not stand: {row['tested']}", *figures)
    return Verdict(row, HOLDS, DIFFERS, f"differs because {reason}", *figures)


def _deviation_percent(row: dict, ours: float) -> float | None:
    return 100 * (ours / row["value"] - 1) if row["value"] else None


def rounds_to_printed(row: dict, ours: float) -> bool:
    """Whether the figure is within half of the last digit that was printed."""
    return "last_digit" in row and abs(ours - row["value"]) <= row["last_digit"] / 2


def _toleranced(row: dict, found: dict[str, Measured]) -> Verdict:
    ours = found[row["measure"]].value
    deviation = _deviation_percent(row, ours)
    near = ours == 0 if deviation is None else abs(deviation) <= row["tolerance_percent"]
    if near or rounds_to_printed(row, ours):
        for kind, word in ((FITTED, "fitted: "), (INPUT, "an input: ")):
            if kind in row:
                return Verdict(row, HOLDS, kind, word + row[kind], ours, deviation)
        text = "within tolerance" if near else f"within half of the last digit printed, {row['last_digit']:g}"
        return Verdict(row, HOLDS, WITHIN, text, ours, deviation)
    # An explanation is of a number; another number needs another one.
    if "differs" in row and abs(100 * (ours / row["ours"] - 1)) > row["ours_tolerance_percent"]:
        text = f"differs, and is not the {row['ours']} that was explained (because {row['differs']})"
        return Verdict(row, FAILS, WRONG, text, ours, deviation)
    return _differs(row, found, "outside of its tolerance", ours, deviation)


def _ordered(row: dict, found: dict[str, Measured]) -> Verdict:
    values = [found[name].value for name in row["increasing"]]
    told = " < ".join(f"{name} {value:.4g}" for name, value in zip(row["increasing"], values))
    if all(a < b for a, b in zip(values, values[1:])):
        return Verdict(row, HOLDS, ORDER, f"order holds: {told}")
    return _differs(row, found, f"order does not hold: {told}")


def _bounded(row: dict, found: dict[str, Measured]) -> Verdict:
    ours = found[row["measure"]].value
    low, high = row.get("at_least"), row.get("at_most")
    bounds = " and ".join(f"at {word} {end}" for word, end in (("least", low), ("most", high)) if end is not None)
    if (low is None or ours >= low) and (high is None or ours <= high):
        return Verdict(row, HOLDS, WITHIN, f"within: {bounds}", ours)
    return _differs(row, found, f"not {bounds}", ours)


def _covering(row: dict, found: dict[str, Measured]) -> Verdict:
    from scipy.stats import binom  # takes half a second to load

    told = found[row["coverage"]]
    level = row.get("level", 0.99)
    low, high = binom.interval(level, told.of, statistics.LEVEL)
    inside = low <= told.value <= high
    return Verdict(
        row,
        HOLDS if inside else FAILS,
        WITHIN if inside else WRONG,
        f"{told.value:.0f} of {told.of} intervals hold it; of a {statistics.LEVEL:.0%} interval "
        f"{low:.0f} to {high:.0f} may ({level:.0%} of the binomial distribution)",
    )


def _verdict(row: dict, experiment: Experiment, found: dict[str, Measured] | None) -> Verdict:
    if "cannot" in row:
        return Verdict(row, OPEN, CANNOT, f"cannot be tested here because {row['cannot']}")
    if found is None:
        files = ", ".join(dict.fromkeys(experiment.absent))
        text = f"cannot be tested here because the file is absent: {files} (ARMATURE_REFERENCE says where they are)"
        return Verdict(row, OPEN, ABSENT, text)
    if "increasing" in row:
        return _ordered(row, found)
    if "coverage" in row:
        return _covering(row, found)
    if "report" in row:
        ours = found[row["measure"]].value
        return Verdict(row, OPEN, REPORTED, "reported", ours, _deviation_percent(row, ours))
    return _toleranced(row, found) if "tolerance_percent" in row else _bounded(row, found)


def verdicts(experiment: Experiment, found: dict[str, Measured] | None) -> list[Verdict]:
    """One for each row. Without measures (files are absent) nothing can be tested here."""
    try:
        return [_verdict(row, experiment, found) for row in experiment.told["row"]]
    except InputError as error:
        raise InputError(f"{experiment.path}: {error}") from None

"""Verdicts: what published rows come to."""

from __future__ import annotations

from dataclasses import dataclass

from . import statistics
from .errors import InputError
from .experiment import GAINS, Experiment
from .expressions import evaluate
from .measures import Measured

HOLDS, FAILS, OPEN = "holds", "fails", "open"
# What a verdict says.
WITHIN, ORDER, MISS, FITTED, INPUT, IDENTITY = "within", "order holds", "miss", "fitted", "input", "identity"
REPORTED, CANNOT, ABSENT, WRONG = "reported", "not testable", "absent", "fails"


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


def _missed(row: dict, found: dict[str, Measured], otherwise: str, *figures: float | None) -> Verdict:
    """A figure or an order that is not the published one: a miss. Fails unless a reason is given that stands its test, or
    the row says that it is unexplained."""
    if "unexplained" in row:
        return Verdict(row, HOLDS, MISS, f"miss, unexplained: {row['unexplained']}", *figures)
    if "differs" not in row:
        return Verdict(row, FAILS, WRONG, otherwise, *figures)
    stands, reason = _explained(row, found)
    if not stands:
        return Verdict(row, FAILS, WRONG, f"{otherwise}; the reason does not stand: {row['tested']}", *figures)
    return Verdict(row, HOLDS, MISS, f"miss because {reason} (the run has {row['tested']})", *figures)


def _deviation_percent(row: dict, ours: float) -> float | None:
    return 100 * (ours / row["value"] - 1) if row["value"] else None


def rounds_to_printed(row: dict, ours: float) -> bool:
    """Whether the figure is within half of the last digit that was printed."""
    return "last_digit" in row and abs(ours - row["value"]) <= row["last_digit"] / 2


def _met(row: dict, kind: str, text: str, *figures: float | None) -> Verdict:
    """A figure or an order that is the published one. What was fitted or is an input is no evidence."""
    for mark, word in ((FITTED, "fitted: "), (INPUT, "an input: "), (IDENTITY, "an identity: ")):
        if mark in row:
            return Verdict(row, HOLDS, mark, f"{word}{row[mark]}" + (f"; {text}" if kind == ORDER else ""), *figures)
    return Verdict(row, HOLDS, kind, text, *figures)


def _toleranced(row: dict, found: dict[str, Measured]) -> Verdict:
    ours = found[row["measure"]].value
    deviation = _deviation_percent(row, ours)
    near = ours == 0 if deviation is None else abs(deviation) <= row["tolerance_percent"]
    if near or rounds_to_printed(row, ours):
        text = "within tolerance" if near else f"within half of the last digit printed, {row['last_digit']:g}"
        return _met(row, WITHIN, text, ours, deviation)
    # An explanation is of a number; another number needs another one.
    told = row.get("differs", row.get("unexplained"))
    if told and abs(ours - row["ours"]) > abs(row["ours"]) * row["ours_tolerance_percent"] / 100:
        text = f"a miss, and not the {row['ours']} that was looked into ({told})"
        return Verdict(row, FAILS, WRONG, text, ours, deviation)
    return _missed(row, found, "outside of its tolerance", ours, deviation)


TIE_PERCENT = 0.1  # of the larger: figures no further apart are in no order


def _ordered(row: dict, found: dict[str, Measured]) -> Verdict:
    values = [found[name].value for name in row["increasing"]]
    told = " < ".join(f"{name} {value:.4g}" for name, value in zip(row["increasing"], values))
    steps = list(zip(values, values[1:]))
    if all(b - a > max(row.get("apart", 0), TIE_PERCENT / 100 * max(abs(a), abs(b))) for a, b in steps):
        return _met(row, ORDER, f"order holds: {told}")
    return _missed(row, found, f"{'a tie' if all(a <= b for a, b in steps) else 'order does not hold'}: {told}")


def _gained(row: dict, found: dict[str, Measured]) -> Verdict:
    """The tests of merit and specificity of document 003, chapter 4: is it a gain worth having, and would a disk as fast gain as much?"""

    def gain_of(pair: list[str]) -> float:
        before, after = (found[name].value for name in pair)
        return 100 * (1 - after / before)

    least = row.get("merit_percent", 10)
    own, as_fast = gain_of(row["gain"]), gain_of(row["gain_as_fast"])
    came_to = GAINS[0] if own < least else GAINS[1] if own - as_fast < least else GAINS[2]
    told = f"{came_to}: the store gains {own:.3g} %, a disk as fast {as_fast:.3g} % (merit: {least:g} %, specific: {least:g} more than the disk)"
    if came_to == row["expects"]:
        return _met(row, ORDER, f"order holds: {told}", own)
    return _missed(row, found, f"not {row['expects']}, but {told}", own)


def _bounded(row: dict, found: dict[str, Measured]) -> Verdict:
    """A bound is an order of a figure and a number."""
    ours = found[row["measure"]].value
    low, high = row.get("at_least"), row.get("at_most")
    bounds = " and ".join(f"at {word} {end}" for word, end in (("least", low), ("most", high)) if end is not None)
    if (low is None or ours >= low) and (high is None or ours <= high):
        return _met(row, ORDER, f"order holds: {bounds}", ours)
    return _missed(row, found, f"not {bounds}", ours)


def _covering(row: dict, found: dict[str, Measured]) -> Verdict:
    from scipy.stats import binom  # takes half a second to load

    told = found[row["coverage"]]
    level = row.get("level", 0.99)
    low, high = binom.interval(level, told.of, statistics.LEVEL)
    inside = low <= told.value <= high
    return Verdict(
        row,
        HOLDS if inside else FAILS,
        ORDER if inside else WRONG,
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
    if "gain" in row:
        return _gained(row, found)
    if "coverage" in row:
        return _covering(row, found)
    if "report" in row:
        ours = found[row["measure"]].value
        return Verdict(row, OPEN, REPORTED, "reported", ours, _deviation_percent(row, ours) if "value" in row else None)
    return _toleranced(row, found) if "tolerance_percent" in row else _bounded(row, found)


def judged(row: dict, experiment: Experiment, found: dict[str, Measured] | None) -> Verdict:
    """What a row comes to by these measures. Without measures (files are absent) nothing can be tested here."""
    try:
        return _verdict(row, experiment, found)
    except InputError as error:
        raise InputError(f"{experiment.path}: {error}") from None


def verdicts(experiment: Experiment, found: dict[str, Measured] | None) -> list[Verdict]:
    """One for each row."""
    return [judged(row, experiment, found) for row in experiment.told["row"]]

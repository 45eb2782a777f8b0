"""What is run: shipped scenarios, points of experiments, random drives."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import draw
import keys
from armature import experiment
from scenario import Scenario

ROOT = Path(__file__).resolve().parents[2]
POINTS_OF_AN_EXPERIMENT = 3
ARBITERS = ("model", "model", "model", "rtl", "lockstep")  # of the random drives in turn; "model" as it was drawn
LIST = "cases.json"


@dataclass
class Case:
    name: str
    scenario: Path
    options: list[str] = field(default_factory=list)
    drawn: bool = False  # a random one, alone in its folder


def shipped() -> list[Case]:
    return [Case(f"scenario/{path.stem}", path) for path in sorted((ROOT / "scenarios").glob("*.toml"))]


def experiments() -> list[Case]:
    """First, middle and last point of each sweep whose files are at hand."""
    found = []
    for path in sorted((ROOT / "scenarios/experiments").glob("**/experiment.toml")):
        one = experiment.load(path, ROOT, quick=True)
        if not one.points or one.absent:
            continue
        for number in sorted({0, len(one.points) // 2, len(one.points) - 1}):
            options = [part for key, value in one.points[number] for part in ("--set", f"{key}={value}")]
            found.append(Case(f"experiment/{one.name}/{number}", path.parent / one.told["scenario"], options))
    return found


def random_drives(binary: str, place: Path, count: int) -> list[Case]:
    """Scenarios of the random runner, written to `place`, so that they stay the same when keys are added."""
    schema = keys.described(binary)
    found: list[Case] = []
    number = 0
    while len(found) < count:
        drawn: Scenario | None = draw.scenario(binary, schema, f"behaviour/{number}", ())
        number += 1
        if drawn is None or drawn.wrong_line is not None:
            continue
        arbiter = ARBITERS[len(found) % len(ARBITERS)]
        if arbiter != "model":
            for drive in drawn.drives.values():
                drive["arbiter.model"] = arbiter
        name = f"random/{len(found):02d}"
        found.append(Case(name, drawn.write(place / name), drawn=True))
    return found


def every(binary: str, place: Path, count: int) -> list[Case]:
    """All cases; a list of them in `place`."""
    chosen = [*shipped(), *experiments(), *random_drives(binary, place, count)]
    listed = []
    for case in chosen:
        scenario = case.scenario.relative_to(place if case.drawn else ROOT)
        listed.append({"name": case.name, "drawn": case.drawn, "scenario": str(scenario), "options": case.options})
    (place / LIST).write_text(json.dumps(listed, indent=1) + "\n")
    return chosen


def kept(place: Path) -> list[Case]:
    """The cases that `every` listed; scenarios of the tree are today's."""
    return [
        Case(one["name"], ((place if one["drawn"] else ROOT) / one["scenario"]).resolve(), one["options"], one["drawn"])
        for one in json.loads((place / LIST).read_text())
    ]

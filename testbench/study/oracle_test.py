"""`armature oracle`: two passes over a drive, against closed forms, and what it must refuse."""

from __future__ import annotations

import csv
import math
import tomllib

import numpy as np
import pytest
from armature import oracle
from armature.idle import Powers

# The drive file's: unload, stop, start, load.
SEVEN_K60 = Powers(idle_w=2.0, standby_w=0.25, ways_s=0.85 + 0.40 + 2.47 + 0.53, ways_j=2.15 + 0.79 + 7.55 + 1.45)
SCENARIO = """
[simulation]
seed = 6
[workload]
kind = "{kind}"
{load}
count = {count}
size_sectors = 8
[cache]
look_ahead = false
write = false
[drives.disk]
model = "drives/hitachi_travelstar_7k60.toml"
[output]
directory = "out"
"""


def test_a_period_is_planned_if_standby_pays_and_the_drive_can_be_back() -> None:
    powers = Powers(idle_w=2.0, standby_w=0.5, ways_s=3.0, ways_j=7.5)  # break-even at 4 s
    assert oracle.break_even_s(powers) == pytest.approx(4.0)
    begins, lengths = np.array([0.0, 10.0, 20.0]), np.array([4.09, 4.11, 8.0])
    assert oracle.plan(begins, lengths, powers, back_s=2.0, lead_s=0.1) == [
        (10.0, pytest.approx(12.01), pytest.approx(14.11)), (20.0, pytest.approx(25.9), pytest.approx(28.0))]
    cheap = Powers(2.0, 0.5, 3.0, 1.5)  # pays at once, but there must be time for the ways
    assert len(oracle.plan(begins, np.array([3.0, 3.09, 3.11]), cheap, back_s=2.0, lead_s=0.1)) == 1


def test_a_plan_takes_the_place_of_one_over_several_lines() -> None:
    resolved = ("[drives.a.host]\ndepth = 1\nstandby_plan = [\n  [1.0, 2.0],\n  [3.0, 4.0],\n]\nstandby_after_s = 0\n\n"
                "[drives.b.host]\nstandby_plan = [[5.0, 6.0]]\n")
    planned = oracle.with_plans(resolved, [oracle.Plan("a", [(7.0, 8.0, 9.0)])])
    told = tomllib.loads(planned)["drives"]
    assert told["a"]["host"] == {"depth": 1, "standby_plan": [[7.0, 8.0]], "standby_after_s": 0}
    assert told["b"]["host"] == {"standby_plan": [[5.0, 6.0]]}


def rows(path) -> dict[str, dict[str, float]]:
    with open(path) as stream:
        return {row["policy"]: {k: float(v or "nan") for k, v in row.items() if k not in ("drive", "policy")}
                for row in csv.DictReader(stream)}


def test_an_oracle_saves_what_the_closed_form_says_and_lets_no_request_wait(bench) -> None:
    """Idle periods x of Poisson arrivals are exponential. Of those from x0 on each saves less (x - lead) - more."""
    rate, count, lead = 0.05, 40_000, 0.02
    bench.write("o.toml", SCENARIO.format(kind="open", load=f"rate_per_s = {rate}", count=count))
    bench.call("oracle", "o.toml", "--out", "o", "--policies", "fixed,probabilistic")
    found = rows(bench.directory / "o" / "policies.csv")
    less = SEVEN_K60.idle_w - SEVEN_K60.standby_w
    more = SEVEN_K60.ways_j - SEVEN_K60.standby_w * SEVEN_K60.ways_s
    least = lead + max(SEVEN_K60.ways_s, more / less)
    saved = (count - 1) * math.exp(-rate * least) * (less * (least + 1 / rate - lead) - more)
    assert found["never"]["energy_j"] - found["oracle"]["energy_j"] == pytest.approx(saved, rel=0.02)
    assert found["oracle"]["waited"] == found["never"]["waited"] == 0
    assert found["oracle"]["mean_ms"] < found["never"]["mean_ms"] + 10, "seeks from the ramp's end of the stroke are longer"
    assert found["fixed"]["waited"] > 1000
    # What no policy may do on any load (Karlin et al.): with the break-even time as threshold at most twice an oracle's cost.
    for policy, most in (("fixed", 2), ("probabilistic", math.e / (math.e - 1))):
        assert found["oracle"]["energy_j"] < found[policy]["energy_j"] < most * found["oracle"]["energy_j"], policy


def test_members_of_an_array_have_rows_and_no_policy_beats_the_oracle(bench) -> None:
    bench.write("m.toml", """
[workload]
kind = "open"
rate_per_s = 20
count = 2000
size_sectors = 8
last_lbn = 117_210_239
[array]
level = "raid1"
members = ["a", "b"]
mirror_read = "queue_threshold"
queue_threshold = 5
[drives.a]
model = "drives/hitachi_travelstar_7k60.toml"
[drives.b]
model = "drives/hitachi_travelstar_7k60.toml"
[output]
directory = "out"
""")
    bench.call("oracle", "m.toml", "--out", "m", "--policies", "fixed,probabilistic")
    with open(bench.directory / "m" / "policies.csv") as stream:
        energy = {(row["drive"], row["policy"]): float(row["energy_j"]) for row in csv.DictReader(stream)}
    assert {drive for drive, _ in energy} == {"a", "b"}
    for policy in ("fixed", "probabilistic", "never"):
        assert energy["b", "oracle"] < energy["b", policy], "b has nothing to do but wait"


def test_of_a_closed_load_the_future_is_not_known(bench) -> None:
    bench.write("c.toml", SCENARIO.format(kind="closed", load="outstanding = 1", count=10))
    assert "closed load" in bench.call("oracle", "c.toml", "--out", "c", status=2).stderr
    assert "none of" in bench.call("oracle", "c.toml", "--policies", "best", status=2).stderr


def test_a_plan_that_is_set_changes_nothing(bench) -> None:
    """The oracle makes its own, and the policies that it is compared with have none."""
    bench.write("o.toml", SCENARIO.format(kind="open", load="rate_per_s = 0.05", count=40))
    bench.call("oracle", "o.toml", "--out", "o", "--policies", "fixed")
    bench.call("oracle", "o.toml", "--out", "p", "--policies", "fixed", "--set", "host.standby_plan=[[1, 50], [90, 200]]")
    assert bench.read("o/policies.csv") == bench.read("p/policies.csv")

"""The checks themselves: each wrong result is seen, a refusal must say where, and a failing scenario becomes small.

    ARMATURE_BINARY=... python3 testbench/fuzz/scenarios/selftest.py
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from random import Random

import arrays
import corners
import draw
import drives
import figures
import judge
import keys
import minimise
import program
import stores
from scenario import Scenario

BINARY = os.environ["ARMATURE_BINARY"]
SMALL = Scenario(
    shared={
        "workload.kind": "closed",
        "workload.count": 60,
        "workload.outstanding": 4,
        "workload.read_fraction": 0.5,
        "host.verify": True,
        "media.contents": "memory",
    },
    drives={"d": {"model": "drives/seagate_barracuda_es_750.toml", "arms.count": 2}},
)


class Figures(unittest.TestCase):
    """Results of a run that is right, spoilt in one place."""

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="selftest"))
        ended = program.start(BINARY, ["run", str(SMALL.write(cls.place)), "--out", "right", "--quiet"], cls.place)
        assert ended.status == 0, ended.err

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    def setUp(self):
        self.out = self.place / "spoilt"
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.copytree(self.place / "right", self.out)

    def kind(self) -> str:
        try:
            figures.check(self.out, ["d"])
        except figures.Wrong as wrong:
            return str(wrong).partition(":")[0]
        return "right"

    def summary(self, change):
        path = self.out / "summary.json"
        summary = json.loads(path.read_text())
        change(summary)
        path.write_text(json.dumps(summary))

    def table(self, name: str, change):
        with (self.out / name).open(newline="") as file:
            rows = list(csv.DictReader(file))
        columns = list(rows[0])
        change(rows)
        with (self.out / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def test_what_is_right_is_right(self):
        self.assertEqual(self.kind(), "right")

    def test_a_phase_that_is_a_picosecond_longer(self):
        self.table("requests.csv", lambda rows: rows[7].update(seek_us=str(figures.Decimal(rows[7]["seek_us"]) + figures.Decimal("0.000001"))))
        self.assertEqual(self.kind(), "phases")

    def test_a_negative_phase(self):
        self.table("requests.csv", lambda rows: rows[3].update(rotation_us="-1.000000"))
        self.assertEqual(self.kind(), "negative")

    def test_requests_out_of_order(self):
        self.table("requests.csv", lambda rows: rows.reverse())
        self.assertEqual(self.kind(), "order")

    def test_a_request_that_completes_twice(self):
        self.table("requests.csv", lambda rows: rows.append(rows[-1]))
        self.assertEqual(self.kind(), "twice")

    def test_a_torn_row(self):
        path = self.out / "requests.csv"
        path.write_text(path.read_text()[:-40])
        self.assertEqual(self.kind(), "torn")

    def test_a_request_that_is_missing(self):
        self.table("requests.csv", lambda rows: rows.pop())
        self.assertEqual(self.kind(), "count")

    def test_a_gap_between_events(self):
        self.table("events.csv", lambda rows: rows.pop(1))
        self.assertEqual(self.kind(), "events")

    def test_a_mean_depth_against_littles_law(self):
        self.summary(lambda s: s["drives"][0]["queue"].update(mean_depth=s["drives"][0]["queue"]["mean_depth"] * 1.001))
        self.assertEqual(self.kind(), "little")

    def test_an_arm_busier_than_time(self):
        self.summary(lambda s: s["drives"][0]["arms"][1].update(utilisation=1.01))
        self.assertEqual(self.kind(), "utilisation")

    def test_states_that_do_not_fill_the_run(self):
        self.summary(lambda s: s["utilisation"][0]["states"]["idle"].update(share=0.1))
        self.assertEqual(self.kind(), "utilisation")

    def test_a_mode_without_its_energy(self):
        self.summary(lambda s: s["drives"][0]["energy"]["modes"]["seek"].update(energy_j=0.0))
        self.assertEqual(self.kind(), "energy")

    def test_an_energy_file_of_another_run(self):
        self.table("energy.csv", lambda rows: rows[-1].update(energy_j="1") or rows[0].update(energy_j="7"))
        self.assertEqual(self.kind(), "energy")

    def test_a_wrong_sector(self):
        self.summary(lambda s: s["verify"].update(mismatches=1))
        self.assertEqual(self.kind(), "contents")


RAID5 = Scenario(
    shared={
        **SMALL.shared,
        "array.level": "raid5",
        "array.members": ["m*"],
        "array.stripe_unit": 4,
        "array.bus.count": 2,
        "array.bus.mb_s": 20,
    },
    drives={f"m{number}": {"model": "drives/quantum_atlas_10k.toml"} for number in range(4)},
)


class Arrays(unittest.TestCase):
    """The address map of an array, and its member operations spoilt in one place."""

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="selftest"))
        file = str(RAID5.write(cls.place))
        ended = program.start(BINARY, ["run", file, "--out", "right", "--quiet"], cls.place)
        assert ended.status == 0, ended.err
        cls.report = program.start(BINARY, ["check", file], cls.place).out

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    def kind(self, change) -> str:
        out = self.place / "spoilt"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self.place / "right", out)
        rows = arrays.rows_of(out / "array" / "members.csv")
        columns = list(rows[0])
        change(rows)
        with (out / "array" / "members.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        try:
            arrays.check(out, RAID5, self.report)
        except arrays.Wrong as wrong:
            return str(wrong)
        return "right"

    def layout(self, level: str, count: int) -> arrays.Layout:
        names = [f"m{number}" for number in range(count)]
        scenario = Scenario(shared={"array.level": level, "array.members": names, "array.stripe_unit": 0.5})
        return arrays.Layout(scenario, {name: 100 + number for number, name in enumerate(names)})

    def test_the_places_of_units_are_those_of_the_tables(self):
        raid5 = self.layout("raid5", 4)
        places = {unit: [(h[0], at) for h, at, _ in raid5.pieces(unit, 1)][0] for unit in range(12)}
        table = {0: (0, 1, 2), 1: (4, 5, None, 3), 2: (8, None, 6, 7), 3: (None, 9, 10, 11)}
        for row, units in table.items():
            for member, unit in enumerate(units):
                if unit is not None:
                    self.assertEqual(places[unit], (member, row), unit)
        self.assertEqual(list(self.layout("raid10", 4).pieces(3, 1)), [([2, 3], 1, 1)])
        three = self.layout("raid10", 6)
        three.copies = 3
        self.assertEqual(list(three.pieces(3, 1)), [([3, 4, 5], 1, 1)])
        self.assertEqual(list(self.layout("raid4", 3).pieces(3, 1)), [([1], 1, 1)])
        self.assertEqual(list(self.layout("concat", 2).pieces(98, 4)), [([0], 98, 2), ([1], 0, 2)])

    def test_what_is_right_is_right(self):
        self.assertEqual(self.kind(lambda rows: None), "right")

    def test_an_operation_that_no_drive_knows(self):
        self.assertIn("not in its requests.csv", self.kind(lambda rows: rows[5].update(id="99999")))
        self.assertIn("are no operation", self.kind(lambda rows: rows.pop(5)))

    def test_a_read_whose_data_are_on_the_bus_when_the_run_is_cut_short(self):
        scenario = Scenario(shared={"array.members": ["a", "b"], "array.bus.count": 2, "array.bus.mb_s": 1})
        read = {"op": "read", "completion_us": "1000", "sectors": "8"}  # 4,096 us on the bus
        before = {"bus": "1", "op": "read", "end_us": "3000"}
        for until, other, expected in ((None, [], False), (0.005, [], True), (0.006, [], False), (0.006, [before], True)):
            if until is not None:
                scenario.shared["simulation.until_s"] = until
            self.assertEqual(arrays.on_the_bus(scenario, other, "b", "1", read), expected, (until, other))
        self.assertFalse(arrays.on_the_bus(scenario, [], "b", "1", dict(read, op="write")))

    def test_data_in_another_place(self):
        def shifted(rows: list[dict]):
            row = next(row for row in rows if row["purpose"] == "data")
            row.update(purpose="parity")

        self.assertIn("array: request", self.kind(shifted))

    def test_two_transfers_on_a_bus_at_once(self):
        def doubled(rows: list[dict]):
            row = next(row for row in rows if row["op"] == "write" and float(row["bus_wait_us"]) > 0)
            row.update(bus_wait_us="0.000000")

        self.assertIn("at the same time", self.kind(doubled))
        self.assertIn("another bus", self.kind(lambda rows: rows[3].update(bus=str(1 - int(rows[3]["bus"])))))

        def shorter(rows: list[dict]):
            next(row for row in rows if row["op"] == "write").update(bus_us="1.5")

        self.assertIn("us on a bus", self.kind(shorter))

    def test_failures_that_a_level_survives(self):
        for level, count, gone, expected in (
            ("raid5", 4, [2], False),
            ("raid5", 4, [2, 0], True),
            ("raid10", 4, [0, 3], False),
            ("raid10", 4, [2, 3], True),
            ("raid1", 3, [0, 1], False),
            ("raid0", 3, [0], True),
        ):
            scenario = Scenario(shared={"array.level": level, "array.members": [f"m{n}" for n in range(count)]})
            scenario.shared["array.failures"] = [[0.5, member] for member in gone]
            self.assertEqual(arrays.may_fail(scenario), expected, (level, gone))


class Endings(unittest.TestCase):
    """How a run may end."""

    def verdict(self, status: int, err: str = "", hung: bool = False, scenario: Scenario | None = None):
        found = judge.ended_badly(program.Ended(status, "", err, hung), scenario or Scenario(shared={}, drives={}))
        return found.kind if found else None

    def test_what_members_that_fail_do_not_take_of_the_cache_is_no_fault(self):
        lost = "host.verify: {}, but the array's data are not sound\n  array: 16 sectors of the cache were not taken by the members"
        right, wrong = lost.format("no sector was read wrong"), lost.format("1 of 99 sectors read are wrong")
        fails = Scenario(shared={"array.level": "raid1"}, drives={"m0": {"channel.errors": "rate"}})
        self.assertIsNone(self.verdict(1, right, scenario=fails))
        self.assertIsNotNone(self.verdict(1, wrong, scenario=fails), "one is read wrong")
        self.assertIsNotNone(self.verdict(1, right), "nothing lets members fail")
        both = right + "\n  array: 6 sectors of the store were not taken by the members"
        self.assertIsNone(self.verdict(1, both, scenario=fails))
        self.assertIsNotNone(self.verdict(1, both + "\n  array: 1 copy differs", scenario=fails), "one more is wrong")

    def test_only_done_and_refused_with_a_place_are_good(self):
        self.assertIsNone(self.verdict(0))
        self.assertIsNone(self.verdict(2, "s.toml:3:4: spindle.rpm: too fast"))
        self.assertEqual(self.verdict(2, "spindle.rpm: too fast"), "refused without a place")
        self.assertEqual(self.verdict(2), "refused without a place")
        self.assertEqual(self.verdict(-11), "signal 11")
        self.assertEqual(self.verdict(-9, hung=True), "hang: no end")
        self.assertEqual(self.verdict(3, "no progress: nothing is scheduled"), "hang: nothing is scheduled")
        self.assertTrue(self.verdict(1, "internal error: x").startswith("status 1"))

    def test_which_failing_tips_lose_blocks(self):
        plain = {"model": "drives/mems/g2_dissertation.toml", "tips.spare": 2, "tips.correctable": 0}
        for correctable, failures, loses in (
            (0, [[0.0, 5], [0.0, 6]], False),  # the spares hold what lay there
            (0, [[0.0, 5], [0.0, 6], [0.0, 7]], True),
            (0, [[0.0, 5], [0.1, 6]], True),  # there is no parity to restore it from
            (1, [[0.0, 5], [0.1, 6]], False),
            (1, [[0.1, 5], [0.2, 6], [0.3, 7]], False),  # one of a block may be missing
            (1, [[0.1, 5], [0.2, 6], [0.3, 7], [0.4, 8]], True),
        ):
            keys = {**plain, "tips.correctable": correctable, "tips.failures": failures}
            self.assertEqual(stores.loses_blocks(keys), loses, failures)

    def test_of_a_long_run_only_the_beginning_is_in_the_waves(self):
        with tempfile.TemporaryDirectory(prefix="selftest") as place:
            for seconds, drawn, expected in (
                (29, ["--around", "7", "--waves"], ["--around", "7", "--waves"]),
                (29, ["--around", "100", "--waves"], ["--around", "19", "--waves"]),
                (31, ["--around", "100", "--waves"], ["--from", "0", "--to", "30", "--waves"]),
                (31, ["--from", "1", "--to", "3", "--waves"], ["--from", "1", "--to", "3", "--waves"]),
                (31, ["--scope", "d.*", "--waves"], ["--from", "0", "--to", "30", "--scope", "d.*", "--waves"]),
                (31, ["--around", "7", "--waves"], ["--from", "0", "--to", "30", "--waves"]),
            ):
                (Path(place) / "summary.json").write_text(json.dumps({"run": {"simulated_s": seconds}, "drives": [{"completed": 30}, {"completed": 20}]}))
                self.assertEqual(judge.waves_of(Scenario(waves=drawn), Path(place)), expected)

    def test_a_scenario_that_is_right_passes_every_way(self):
        verdict, taken = judge.of(BINARY, SMALL, thorough=True)
        self.assertIsNone(verdict)
        self.assertTrue(taken)


class Draws(unittest.TestCase):
    """What is drawn."""

    def test_simultaneous_events_in_another_order(self):
        scenario = SMALL.copy()
        scenario.shuffle = 5
        self.assertEqual(judge.of(BINARY, scenario), (None, True))
        seen = []
        right, judge.differ = judge.differ, lambda a, b, names, files: seen.append(files) or ("d" if len(seen) == 2 else "")
        try:
            verdict, _ = judge.of(BINARY, scenario)
        finally:
            judge.differ = right
        self.assertEqual(verdict.kind, "not the same: shuffled beside another drive")

    def test_each_corner_is_legal(self):
        schema = keys.described(BINARY)
        for kind in corners.DRAWS:
            drawn = Scenario()
            load = kind(Random(kind.__name__), drawn)
            with tempfile.TemporaryDirectory() as place:
                if load:
                    drawn.shared["workload.kind"] = "open"
                    drawn.write(Path(place))
                    load(draw.blocks_of(program.start(BINARY, ["check", "scenario.toml"], Path(place)).out, drawn))
                drawn.write(Path(place))
                ended = program.start(BINARY, ["check", "scenario.toml"], Path(place))
            self.assertEqual(ended.status, 0, f"{kind.__name__}: {ended.err}")
            self.assertLessEqual({key for table in drawn.drives.values() for key in table} - {"model"}, set(schema))

    def test_every_key_is_drawn_or_has_a_reason(self):
        schema = keys.described(BINARY)
        self.assertEqual(keys.undrawable(schema, drives.GENERATED | {f"array.{key}" for key in arrays.KEYS}), [])
        self.assertTrue(set(keys.NOT_DRAWN) - set(schema) <= {"drives.NAME.model"}, "a reason for a key that is gone")
        self.assertEqual({name for name in drives.BOUND | set(keys.BOUNDS) if name not in schema}, set())

    def test_a_seed_gives_the_same_scenario(self):
        schema = keys.described(BINARY)
        texts = {draw.scenario(BINARY, schema, "same/3").text() for _ in range(2)}
        self.assertEqual(len(texts), 1)

    def test_a_failing_scenario_becomes_small(self):
        large = SMALL.copy()
        large.drives["e"] = dict(large.drives["d"], **{"host.tags": 8, "cache.write": True, "spindle.rpm": 5400.0})
        large.trace = [f"{i},0,8,R" for i in range(50)]

        def fails(scenario: Scenario) -> bool:
            keyed = any("cache.write" in table for table in scenario.drives.values())
            return keyed and "17,0,8,R" in scenario.trace

        small = minimise.Minimiser(fails, 20).smallest(large)
        self.assertEqual(list(small.drives), ["e"])
        self.assertEqual(set(small.drives["e"]), {"model", "cache.write"})
        self.assertEqual(small.trace, ["17,0,8,R"])


if __name__ == "__main__":
    unittest.main()

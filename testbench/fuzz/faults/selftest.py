"""The campaign's look at SMART: a count that is wrong by one is seen, whatever the attribute, statistic or entry of the log.

    ARMATURE_BINARY=... python3 testbench/fuzz/faults/selftest.py
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import unittest
from copy import copy, deepcopy
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scenarios"))

import cases
import program
import smart_story
import verdicts

BINARY = os.environ["ARMATURE_BINARY"]


class Smart(unittest.TestCase):
    """A run with a grown defect that is written later, one that is not, damaged frames and a dead arm; what it told, spoilt in one place."""

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="selftest"))
        keys = {"model": cases.DRIVES[0], "media.contents": "memory", "host.verify": True, "cache.write": False, "cache.look_ahead": False}
        keys |= {"host.ncq": False, "host.depth": 1, "arms.count": 2, "channel.ladder": [[2, 0, 0, 0]]}
        faults = [
            {"kind": "media_defect", "lbn": 1_000, "sectors": 1, "rereads": 0},
            {"kind": "media_defect", "lbn": 9_000, "sectors": 1, "rereads": 0},
            {"kind": "link_crc", "frames": "data", "at_request": 350},
            {"kind": "stuck_arm", "arm": 1, "at_request": 300},
        ]
        case = cases.Case(keys, faults, cases.load(Random("selftest")))
        case.trace[100] = "0.700000,1000,8,read,"
        case.trace[200] = "1.350000,1000,8,write,"
        case.trace[250] = "1.650000,9000,8,read,"
        case.trace[1:] = sorted(case.trace[1:], key=lambda line: float(line.split(",")[0]))
        case.write(cls.place)
        ended = program.start(BINARY, ["run", "s.toml", "--out", "out", "--quiet"], cls.place)
        assert ended.status == 0, ended.err
        counters = json.loads((cls.place / "out/summary.json").read_text())["drives"][0]["counters"]
        cls.seen = smart_story.Seen(case, counters, cls.place / "out")
        cls.right = smart_story.read(cls.place / "out")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    def setUp(self):
        self.told = deepcopy(self.right)

    def seen_wrong(self) -> bool:
        return any(check(self.told, self.seen) for check in smart_story.CHECKS)

    def test_what_is_right_passes(self):
        self.assertEqual([check(self.right, self.seen) for check in smart_story.CHECKS], [""] * len(smart_story.CHECKS))
        self.assertEqual({key: self.right.attributes[key] > 0 for key in (1, 5, 7, 187, 196, 197, 199)}, dict.fromkeys((1, 5, 7, 187, 196, 197, 199), True))

    def test_every_attribute(self):
        for key in (1, 5, 7, 10, 12, 187, 188, 192, 196, 197, 198, 199, 241, 242):
            for value in (-1, *([self.right.attributes[key] + 1_000_000] if key != 7 else [])):
                self.told.attributes[key] = value
                self.assertTrue(self.seen_wrong(), f"attribute {key} is {value}")
            self.told.attributes[key] = self.right.attributes[key]

    def test_counts_that_are_known_to_the_last_one(self):
        for key in (5, 12, 187, 197, 199):
            for step in (-1, 1):
                self.told.attributes[key] = self.right.attributes[key] + step
                self.assertTrue(self.seen_wrong(), f"attribute {key} is {step} off")
            self.told.attributes[key] = self.right.attributes[key]

    def test_failed_reads_though_no_arm_has_left_its_track(self):
        seen = copy(self.seen)
        seen.begun = {"slow_spindle"}
        seen.counters = {name: value for name, value in seen.counters.items() if name != "failed_sector_reads"}
        self.told.attributes[7], self.told.attributes[1] = 1, 1
        self.assertNotIn("attribute 1 is", smart_story.by_attribute(self.told, seen))
        self.told.attributes[7] = 0
        self.assertIn("attribute 1 is", smart_story.by_attribute(self.told, seen))

    def test_attributes_after_the_loss_of_power(self):
        for key in (*smart_story.KEPT, 7, 12, 192):
            self.told.after[key] = -1
            self.assertTrue(self.seen_wrong(), f"attribute {key}")
            self.told.after[key] = self.right.after[key]

    def test_the_error_log(self):
        for lba in (0, 2_999):
            self.told.errors[-1].error, self.told.errors[-1].lba = smart_story.UNC, lba
            self.assertTrue(self.seen_wrong(), f"LBA {lba}")
        self.told.errors = deepcopy(self.right.errors)
        self.told.error_count -= 1
        self.assertTrue(self.seen_wrong())
        self.told.error_count, self.told.errors = self.right.error_count, []
        self.assertTrue(self.seen_wrong())

    def test_every_statistic(self):
        for page, numbers in {1: (0, 2, 4), 3: (2, 3, 4, 6), 4: (0, 1), 6: (2,)}.items():
            for number in numbers:
                self.told.statistics[page][number] += 1
                self.assertTrue(self.seen_wrong(), f"page {page}, number {number}")
                self.told.statistics[page][number] -= 1


class BackgroundReads(unittest.TestCase):
    """Background reads alone meet a defect: SMART tells of them, and what it tells is not taken if it is wrong by one."""

    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp(prefix="selftest"))
        keys = {"model": cases.DRIVES[0], "media.contents": "memory", "host.verify": True, "cache.write": False, "cache.look_ahead": False}
        keys |= {"host.ncq": True, "host.depth": 4, "background.max_added_us": 20_000, "channel.ladder": [[2, 0, 0, 0]]}
        keys |= {"arms.count": 1, "host.background_outstanding": 2, "host.background_sectors": 8, "host.background_ranges": [[10_000, 800]]}
        case = cases.Case(keys, [{"kind": "media_defect", "lbn": 10_100, "sectors": 1, "rereads": 0}], cases.load(Random("selftest")))
        case.write(cls.place)
        cls.out = cls.place / "out"
        ended = program.start(BINARY, ["run", "s.toml", "--out", "out", "--quiet"], cls.place)
        assert ended.status == 0, ended.err
        cls.counters = json.loads((cls.out / "summary.json").read_text())["drives"][0]["counters"]
        cls.case, cls.right = case, smart_story.read(cls.out)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    def seen(self, **changed) -> smart_story.Seen:
        return smart_story.Seen(self.case, {**self.counters, **changed}, self.out)

    def wrong(self, told: smart_story.Told, seen: smart_story.Seen) -> bool:
        return any(check(told, seen) for check in smart_story.CHECKS)

    def test_what_is_right_passes(self):
        self.assertEqual(self.counters["background_failed_unc"], 1)
        self.assertEqual(self.counters["background_failed"], 1)
        self.assertEqual([check(self.right, self.seen()) for check in smart_story.CHECKS], [""] * len(smart_story.CHECKS))
        self.assertEqual(verdicts.requests(self.case, self.out), "")

    def test_counts_that_are_wrong(self):
        for key, step in ((187, -1), (187, 1), (197, -1), (242, -1), (242, 9), (1, -1)):
            told = deepcopy(self.right)
            told.attributes[key] += step
            self.assertTrue(self.wrong(told, self.seen()), f"attribute {key} is {step} off")
        self.assertTrue(self.wrong(self.right, self.seen(background_failed_unc=0)))

    def test_an_error_elsewhere(self):
        told = deepcopy(self.right)
        told.errors[-1].lba = 9_999
        self.assertTrue(self.wrong(told, self.seen()))

    def test_failures_without_a_cause(self):
        failed = {"background_failed": 1, "background_failed_unc": 1}
        self.assertEqual(verdicts.background_failed(self.case, failed, {"media_defect"}), "")
        self.assertNotEqual(verdicts.background_failed(self.case, failed, {"link_crc"}), "")
        self.assertNotEqual(verdicts.background_failed(self.case, {**failed, "background_failed": 2}, {"media_defect"}), "")
        self.assertNotEqual(verdicts.background_failed(self.case, {"background_failed": 1, "background_gave_up": 1}, {"media_defect"}), "")


if __name__ == "__main__":
    unittest.main()

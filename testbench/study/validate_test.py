"""armature validate on traces that the model itself has made."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from armature import halves, measured, phase
from armature.errors import InputError, refuse_unwritable_file
from armature.experiment import reference_directory
from conftest import ROOT
from made_traces import ATLAS, BARRACUDA, CACHES, measured_by_the_model, requests

def test_rms_is_that_of_disksims_validation():
    rng = np.random.default_rng(3)
    a, b = rng.exponential(3, 501), rng.exponential(3.4, 733)

    def at(values: list[float], i: int) -> float:  # interpolated by hand
        place = (i + 0.5) / 10_000 * (len(values) - 1)
        k = min(int(place), len(values) - 2)
        return values[k] + (values[k + 1] - values[k]) * (place - k)

    x, y = sorted(a.tolist()), sorted(b.tolist())
    expected = math.sqrt(sum((at(x, i) - at(y, i)) ** 2 for i in range(10_000)) / 10_000)
    assert measured.rms(a, b) == pytest.approx(expected, rel=1e-9)
    assert measured.rms(a, a + 0.25) == pytest.approx(0.25)


def test_a_drive_that_made_the_trace_has_no_error(bench, program):
    trace = measured_by_the_model(bench, program, ATLAS, CACHES, 400)
    arguments = [x for key in CACHES for x in ("--set", key)]
    bench.call("validate", str(ATLAS), "made.trace", "--out", "v", *arguments)
    told = json.loads(bench.read("v/validation.json"))
    assert told["errors_ms"]["all"]["count"] == len(trace)
    assert told["errors_ms"]["all"]["rms"] < 1e-4  # the trace's microseconds have five digits
    assert told["errors_ms"]["all"]["absolute"] < 1e-4
    page = bench.read("v/validation.html").decode()
    assert "Worst requests" in page and "http://" not in page.split("<body>")[1]


def test_parts_of_the_requests_are_told_apart_and_add_up(bench, program):
    measured_by_the_model(bench, program, ATLAS, CACHES, 600)
    arguments = [x for key in CACHES for x in ("--set", key)]
    bench.call("validate", str(ATLAS), "made.trace", "--out", "v", "--from", "100", *arguments)
    e = json.loads(bench.read("v/validation.json"))["errors_ms"]
    assert e["all"]["count"] == 500
    assert e["reads"]["count"] + e["writes"]["count"] == 500
    assert e["reads from the buffer"]["count"] + e["reads from the media"]["count"] == e["reads"]["count"]


def test_each_request_is_a_row_whose_phases_add_up_and_a_dot_of_the_picture(bench, program):
    measured_by_the_model(bench, program, ATLAS, [*CACHES, "overheads.read_miss_us=700"], 400)
    arguments = [x for key in CACHES for x in ("--set", key)]
    bench.call("validate", str(ATLAS), "made.trace", "--out", "v", "--from", "100", "--as-given", *arguments)
    rows = list(csv.DictReader(io.StringIO(bench.read("v/requests.csv").decode())))
    assert [int(row["number"]) for row in rows] == list(range(100, 400))
    phases = [name for name in rows[0] if name.endswith("_ms") and name not in
              ("measured_ms", "simulated_ms", "error_ms", "think_ms")]
    given = measured.read_trace(str(bench.directory / "made.trace"))
    for row in rows:
        assert sum(float(row[name]) for name in phases) == pytest.approx(float(row["simulated_ms"]), abs=1e-5)
        assert float(row["simulated_ms"]) - float(row["measured_ms"]) == pytest.approx(float(row["error_ms"]), abs=2e-6)
        number = int(row["number"])
        assert int(row["distance_sectors"]) == given.lbn[number] - given.lbn[number - 1] - given.sectors[number - 1]
        assert (row["op"], row["outcome"]) == ("write" if given.write[number] else "read", "Miss")
    kinds = {row["class"] for row in rows}
    assert {"read hit", "read miss", "write hit"} <= kinds
    assert all(float(row["rotation_ms"]) == 0 for row in rows if row["class"] in ("read hit", "write hit"))
    # The 0.7 ms that this drive's firmware lacks are in the reads from the media, as far as they did not wait for their angle
    # anyway, and in no other class.
    off = {kind: np.mean([float(row["error_ms"]) for row in rows if row["class"] == kind]) for kind in kinds}
    assert off["read miss"] < -0.3 and abs(off["read hit"]) < 0.02 and abs(off["write hit"]) < 0.02
    picture = ElementTree.fromstring(bench.read("v/errors.svg").decode())
    text = " ".join("".join(node.itertext()) for node in picture.iter())
    for word in ("against distance", "against size", "against class", "miss", "sequential"):
        assert word in text
    errors = json.loads(bench.read("v/validation.json"))["errors_ms"]
    assert np.mean([abs(float(row["error_ms"])) for row in rows]) == pytest.approx(errors["all"]["absolute"], abs=1e-5)
    assert "errors against distance" in bench.read("v/validation.html").decode().lower()


def test_columns_of_long_times_do_not_run_together(bench):
    bench.write("long.trace", "".join(f"R Miss {i * 7919} 8 {1_588_640 + i}.5 1000\n" for i in range(50)))
    done = bench.call("validate", str(ATLAS), "long.trace")
    table = [line for line in done.stdout.splitlines() if line.startswith(("all ", "reads from the media "))]
    assert len(table) == 2
    for line in table:
        name = "all" if line.startswith("all") else "reads from the media"
        count, measured_ms, simulated, _, error, absolute, _ = (float(cell) for cell in line.removeprefix(name).split())
        assert count == 50 and measured_ms == pytest.approx(1588.665) and error == pytest.approx(simulated - measured_ms, abs=0.002)
        assert absolute == pytest.approx(-error, abs=0.002)


def test_results_that_cannot_be_written_are_told_before_the_replays(bench):
    bench.write("t.trace", requests(30, 100_000))
    bench.count_starts()
    for command in (["validate", str(ATLAS), "t.trace"], ["fit", str(ATLAS), "t.trace", "-o", "x.toml"]):
        assert "s.toml is not a directory" in bench.call(*command, "--out", "s.toml/below", status=2).stderr
    assert bench.starts() == 0


def test_a_fitted_drive_does_not_take_a_devices_place(tmp_path):
    for name, told in (("/dev/null", "is a device"), (str(tmp_path), "is a directory")):
        with pytest.raises(InputError, match=f"-o {name}: {told}; a file is expected"):
            refuse_unwritable_file("-o", Path(name))
    refuse_unwritable_file("-o", tmp_path / "new.toml")
    assert not any(tmp_path.iterdir())


def test_phase_and_period_of_a_coherent_trace_are_found_and_tried_on_the_rest(bench, program):
    # Another speed by 0.17 % and another angle than the drive file's.
    measured_by_the_model(bench, program, ATLAS, ["spindle.rpm=10042.5", "spindle.index_phase_rev=0.37"])
    bench.call("validate", str(ATLAS), "made.trace", "--out", "v")
    told = json.loads(bench.read("v/validation.json"))
    assert told["coherent"]
    assert told["phase"]["period_ms"] == pytest.approx(60_000 / 10_042.5, rel=2e-6)
    assert told["phase"]["phase"] == pytest.approx(0.37, abs=0.02)
    assert told["phase"]["later"] > 0.9
    # Requests that come when they came to the real drive find its disk where it was.
    assert told["with_phase_ms"]["absolute"] < 0.05


def test_think_times_before_their_requests_and_a_disk_that_turns_faster_are_found(bench, program):
    trace = measured_by_the_model(bench, program, ATLAS, [*CACHES, "spindle.rpm=10150"], 1500)
    before = trace.with_think(np.append(7.0, trace.think_ms[:-1]))
    bench.write("before.trace", before.text)
    arguments = [x for key in CACHES for x in ("--set", key)]
    done = bench.call("validate", str(ATLAS), "before.trace", "--out", "v", *arguments)
    told = json.loads(bench.read("v/validation.json"))
    assert told["phase"]["think"] == "before"
    assert told["taken_from_trace"]["spindle.rpm"] == pytest.approx(10_150, rel=5e-6)
    assert "lie before their requests" in done.stdout
    # As after, each rotation would be another one: an absolute error of two milliseconds on the media.
    assert told["errors_ms"]["all"]["absolute"] < 0.02


def test_layout_angles_that_are_wrong_leave_only_requests_to_one_track_coherent(bench, program):
    drive = ATLAS.read_text()
    skewed = re.sub(r"(?m)^(\s*\[\s*\d+,\s*\d+,\s*\d+,\s*\d+,\s*)(\d+)", lambda row: f"{row[1]}{int(row[2]) + 5}", drive)
    assert skewed != drive
    bench.write("skewed.toml", skewed)
    measured_by_the_model(bench, program, ATLAS, CACHES, 1500)
    arguments = [x for key in CACHES for x in ("--set", key)]
    done = bench.call("validate", "skewed.toml", "made.trace", "--out", "v", *arguments)
    told = json.loads(bench.read("v/validation.json"))
    assert told["coherent"] and not told["coherent_everywhere"] and told["with_phase_ms"] is None
    assert "still holds two random angles" in done.stdout


def test_a_trace_whose_clock_was_lost_is_not_taken_for_coherent(bench, program):
    trace = measured_by_the_model(bench, program, ATLAS, [], 1500)
    jitter = np.random.default_rng(5).uniform(0, 6, len(trace))  # a turn: think times that were not written down right
    bench.write("lost.trace", trace.with_think(trace.think_ms + jitter).text)
    bench.call("validate", str(ATLAS), "lost.trace", "--out", "v")
    told = json.loads(bench.read("v/validation.json"))
    assert not told["coherent"] and told["with_phase_ms"] is None


def turning(true_rpm: float, described_rpm: float, again: float, heads: int = 12) -> tuple[measured.Trace, measured.Replay]:
    """Requests of which every second one goes to the cylinder of the one before, one in `again` to its track too. The description
    knows the angles within a track, and not those from track to track."""
    choice, count = np.random.default_rng(8), 3000
    period_ms, nominal_ms = 60_000 / true_rpm, 60_000 / described_rpm
    cylinder, head = choice.integers(0, 5000, count), choice.integers(0, heads, count)
    near = np.arange(count) % 2 == 1
    before = np.flatnonzero(near) - 1
    cylinder[near] = cylinder[before]
    other = choice.uniform(0, 1, len(before)) >= again
    head[near] = (head[before] + other * choice.integers(1, heads, len(before))) % heads
    angle, offset = choice.uniform(0, 1, count), choice.uniform(0, 1, (5000, heads))
    think_ms, times, now = choice.uniform(20, 70, count), np.empty(count), 0.0
    for i in range(count):
        passage = now + 1
        passage += (angle[i] + offset[cylinder[i], head[i]] + choice.normal(0, 0.004) - passage / period_ms) % 1 * period_ms
        times[i] = passage - now + 0.5
        now += times[i] + think_ms[i]
    zero, one = np.zeros(count), np.ones(count)
    trace = measured.Trace(Path("turning"), zero.astype(bool), np.arange(count) * 1000, one.astype(np.int64), times, think_ms,
                           np.arange(count), np.full(count, "Miss"))
    return trace, measured.Replay(times, one, cylinder, head, zero, one, 0.5 * one, angle * nominal_ms, {})


@pytest.mark.parametrize("described, true, other", [(10_045, 10_047, False), (7_200, 7_292, True), (10_025, 9_999.65, True),
                                                    (5_400, 5_400, False)])
@pytest.mark.parametrize("again", [0.07, 0.5])
def test_the_speed_is_another_one_only_if_requests_to_one_track_say_so_early_and_late(described, true, other, again):
    trace, replay = turning(true, described, again)
    found = phase.find(trace, replay, 60_000 / described)
    assert found.coherent and found.think == "after"
    assert found.other_speed == other
    assert 60_000 / found.period_ms == pytest.approx(true, rel=1e-3)


def test_angles_from_track_to_track_that_are_wrong_tell_of_no_speed():
    trace, replay = turning(10_047, 10_045, 0.0)
    found = phase.find(trace, replay, 60_000 / 10_045)
    assert not found.coherent and not found.other_speed


def test_a_bus_that_the_drive_file_does_not_know_is_taken_from_sequential_reads(bench, program):
    measured_by_the_model(bench, program, ATLAS, [*CACHES, "link.bus_us_per_sector=120"], 1500)
    arguments = [x for key in CACHES for x in ("--set", key)]
    done = bench.call("validate", str(ATLAS), "made.trace", "--out", "v", *arguments)
    told = json.loads(bench.read("v/validation.json"))
    assert told["taken_from_trace"]["link.bus_us_per_sector"] == pytest.approx(120, abs=3)
    assert "Taken from the first 500 requests" in done.stdout
    bench.call("validate", str(ATLAS), "made.trace", "--out", "w", "--as-given", *arguments)
    assert json.loads(bench.read("w/validation.json"))["taken_from_trace"] == {}


@pytest.mark.parametrize("line, told", [("R Hit 5 8 1000", ":3:"), ("R Hit 5 0 1000 10", ":3:"), ("X Hit 5 8 1000 10", ":3:"),
                                        ("R Hit 5 8 nan 10", ":3:")])
def test_a_broken_line_is_told_with_its_place(bench, line, told):
    bench.write("b.trace", "# measured\nR Hit 1 8 1000 10\n" + line + "\n")
    done = bench.call("validate", str(ATLAS), "b.trace", status=2)
    assert f"b.trace{told}" in done.stderr
    assert not (bench.directory / "out").exists()


def test_what_is_missing_is_told(bench):
    bench.write("t.trace", requests(30, 100_000))
    assert "no such drive file" in bench.call("validate", "none.toml", "t.trace", status=2).stderr
    assert "none.trace" in bench.call("validate", str(ATLAS), "none.trace", status=2).stderr
    assert "a drive file and a trace" in bench.call("validate", str(ATLAS), status=2).stderr
    assert "no such key" in bench.call("fit", str(ATLAS), "t.trace", "-o", "x.toml", "--keep", "seek.tabel", status=2).stderr
    bench.write("short.trace", requests(5, 100_000))
    assert "needs 20" in bench.call("validate", str(ATLAS), "short.trace", status=2).stderr
    bench.write("short.trace", requests(41, 100_000))
    told = bench.call("fit", str(ATLAS), "short.trace", "-o", "x.toml", status=2).stderr
    assert "short.trace: holds 41 requests; a fit needs 42" in told and "--from" not in told
    bench.write("beyond.trace", "# one line more\nR Hit 1 8 1000 10\nR Hit 4000000000 8 1000 10\n" + requests(30, 100_000))
    assert "beyond.trace:3:" in bench.call("validate", str(BARRACUDA), "beyond.trace", status=2).stderr


def test_a_few_requests_behind_the_end_are_replayed_and_told(bench):
    lines = requests(200, 8_000_000) + "R Hit 17938990 8 1000 10000\n"  # four sectors behind the Atlas 10K's last
    bench.write("few.trace", lines)
    done = bench.call("validate", str(ATLAS), "few.trace", "--out", "v")
    assert "1 requests lie behind the end" in done.stdout
    assert json.loads(bench.read("v/validation.json"))["errors_ms"]["all"]["count"] == 201


def test_an_imported_drive_schedules_as_it_did_in_disksim(bench):
    """20,000 requests a stream, no caches, no bus time, one request at the drive: the host's policies decide."""
    reference = reference_directory(ROOT)
    if not (reference / "disksim/workloads").is_dir():
        pytest.skip(f"{reference}: reference files are absent (ARMATURE_REFERENCE)")
    bench.armature("import", "disksim", str(reference / "disksim/parameters/atlas10k.diskspecs"), "-o", "atlas.toml")
    with open(reference / "disksim/hdd/atlas10k_scheduling.csv") as stream:
        rows = [row for row in csv.DictReader(stream) if row["stable"] == "1"]
    assert len(rows) == 15
    for row in rows:
        policy, rate = row["policy"].split("_")[0].lower(), int(row["arrival_rate_per_s"])
        bench.write("stream.toml", f"""
[workload]
kind = "trace"
file = "{reference}/disksim/workloads/hdd_{rate}.trace.gz"
[host]
policy = "{policy}"
ncq = false
[drives.d]
model = "atlas.toml"
cache.look_ahead = false
cache.write = false
link.bus_us_per_sector = 0
""")
        bench.armature("run", "stream.toml", "--out", "stream", "--quiet")
        ours = json.loads(bench.read("stream/summary.json"))["drives"][0]["response"]["all"]
        for figure in ("mean", "p90", "p99"):
            theirs = float(row["mean_resp_ms" if figure == "mean" else f"{figure}_ms"])
            allowed = 0.005 if (figure, rate) == ("mean", 10) else 0.03 if rate <= 100 else 0.10
            assert ours[f"{figure}_ms"] == pytest.approx(theirs, rel=allowed), (policy, rate, figure)


@pytest.mark.parametrize("drift_ms", [0.0, 0.3, -0.3])
def test_the_error_on_half_of_a_trace_follows_from_another_models(drift_ms):
    """A drive that becomes slower or faster by a turn missed now and then, and two models of it that are off by something of their own."""
    rng = np.random.default_rng(11)
    count = 10_000
    times = rng.uniform(2, 20, count)
    late = rng.uniform(0, 1, count) < 0.1 + drift_ms * (np.arange(count) / count - 0.5)
    real = times + 11 * late
    models = [times + 11 * (rng.uniform(0, 1, count) < 0.1) + off for off in (0.1 * np.sin(times / 3), 0.05 * times - 0.6)]
    known, beside = (halves.Halves.of(real, simulated) for simulated in models)
    either = math.sqrt((known.first**2 + known.second**2) / 2)
    assert halves.estimate(known.whole, beside) == pytest.approx(either, rel=0.1)
    if drift_ms:
        assert either > 1.3 * known.whole, "the halves make up for each other"
    ends = [part * halves.estimate(known.whole, beside) for part in halves.check([(known, beside)])]
    assert ends == pytest.approx(sorted([known.first, known.second]))
    assert halves.check([]) is None


def test_halves_that_chance_makes_alike_add_nothing_to_the_estimate():
    assert halves.estimate(0.2, halves.Halves(0.12, 0.10, 0.11)) == pytest.approx(0.2)
    assert halves.estimate(0.3, halves.Halves(0.0, 0.4, 0.4)) == pytest.approx(0.5)


@pytest.mark.parametrize("count", [60, 61])
def test_a_fit_to_swapped_halves_sees_the_second_half(bench, count):
    trace = measured.read_trace(str(bench.write("t.trace", requests(count, 100_000))))
    back = trace.halves_swapped()
    half = count // 2
    assert back.first(half).lbn.tolist() == trace.lbn[-half:].tolist()
    assert back.lbn[half:].tolist() == trace.lbn[:-half].tolist() and back.think_ms[half:].tolist() == trace.think_ms[:-half].tolist()
    assert sorted(back.line) == sorted(trace.line)

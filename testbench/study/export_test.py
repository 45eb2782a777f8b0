"""armature export: Perfetto's JSON and FTR hold the run, to the picosecond, and viewers' rules are kept."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import cbor2
import pytest
from armature import spans

_TWO = """
[workload]
kind = "open"
rate_per_s = 150
read_fraction = 0.66
count = 60

[drives.one]
model = "drives/quantum_atlas_10k.toml"

[drives.two]
model = "drives/seagate_barracuda_es_750.toml"
arms.count = 2
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    from conftest import Bench

    bench = Bench(tmp_path_factory.mktemp("export"))
    bench.write("two.toml", _TWO)
    bench.armature("run", "two.toml", "--out", "out", "--waves", "--quiet")
    return bench.directory / "out"


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def ps(text: str) -> int:
    return int(text.replace(".", ""))  # six decimals of us


def perfetto(bench, run: Path) -> dict:
    assert bench.call("export", "perfetto", str(run), "--out", "trace.json").stdout == "perfetto: 120 requests: trace.json\n"
    return json.loads(bench.read("trace.json"))


def test_perfetto_has_every_phase_of_every_request(bench, run):
    trace = perfetto(bench, run)
    assert trace["displayTimeUnit"] == "ns" and "picoseconds" in trace["otherData"]["time"]
    names = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"}
    assert list(names.values()) == ["one", "two"]
    for process, drive in names.items():
        slices = [event for event in trace["traceEvents"] if event["pid"] == process and event["ph"] == "X"]
        wanted = sorted((int(row["id"]), ps(row["begin_us"]), ps(row["end_us"]), row["phase"]) for row in rows(run / drive / "events.csv"))
        assert sorted((one["args"]["request"], one["args"]["begin_ps"], one["args"]["end_ps"], one["name"]) for one in slices
                      if one["name"] in spans.BLOCK_OF) == wanted
        whole = {one["args"]["request"]: one for one in slices if "op" in one["args"]}
        assert len(whole) == 60
        for row in rows(run / drive / "requests.csv"):
            one = whole[int(row["id"])]
            assert (one["args"]["begin_ps"], one["args"]["end_ps"]) == (ps(row["arrival_us"]), ps(row["completion_us"]))
            assert one["name"] == f"{row['op']} {row['sectors']} at {row['lbn']}"


def test_perfetto_keeps_the_formats_rules(bench, run):
    """Nanoseconds; slices of a thread do not overlap; each flow step lies at the beginning of a slice of its thread; each
    thread has a name; counters go forwards in time."""
    events = perfetto(bench, run)["traceEvents"]
    named = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    threads, flows, counters = defaultdict(list), defaultdict(list), defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            assert event["ts"] == event["args"]["begin_ps"] // 1000 / 1000 and event["dur"] >= 0
            threads[event["pid"], event["tid"]].append((round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)))
        elif event["ph"] in "stf":
            flows[event["id"]].append(event)
        elif event["ph"] == "C":
            counters[event["pid"], event["name"]].append((event["ts"], *event["args"].values()))
        else:
            assert event["ph"] == "M"
    assert set(threads) == set(named)
    kinds = {name.split()[0] for (process, _), name in named.items() if process == 2}
    assert {"requests", "link", "firmware", "arbiter", "arm0", "arm1", "channel"} <= kinds
    for spans_of in threads.values():
        spans_of.sort()
        assert all(before[1] <= after[0] for before, after in zip(spans_of, spans_of[1:]))
    assert len(flows) == 120
    for steps in flows.values():
        assert [step["ph"] for step in steps] == ["s", *"t" * (len(steps) - 2), "f"]
        for step in steps:
            assert any(begin == round(step["ts"] * 1000) for begin, _ in threads[step["pid"], step["tid"]])
    for values in counters.values():
        assert all(before[0] <= after[0] for before, after in zip(values, values[1:]))
    assert counters[1, "queue"][-1][1] == counters[1, "arms at work"][-1][1] == 0
    assert max(value for _, value in counters[2, "arms at work"]) == 2
    assert (1, "power") not in counters and (2, "power") in counters  # by the drive files


def test_watts_are_those_of_the_account(bench, run):
    """The counter's integral to the drive's end is its energy."""
    events = perfetto(bench, run)["traceEvents"]
    values = [(event["ts"] * 1e-6, event["args"]["W"]) for event in events if event["ph"] == "C" and event["name"] == "power"]
    told = next(drive for drive in json.loads((run / "summary.json").read_text())["drives"] if drive["name"] == "two")
    steps = [*values, (told["end_s"], 0)]
    joules = sum(watts * (min(after[0], told["end_s"]) - min(at, told["end_s"])) for (at, watts), after in zip(steps, steps[1:]))
    assert joules == pytest.approx(told["energy"]["energy_j"], rel=1e-5)


def decoded(content: bytes) -> dict[int, list]:
    """Chunks of an FTR file by their tag, with their contents."""
    stream = cbor2.loads(content)
    chunks = defaultdict(list)
    for chunk in getattr(stream, "value", stream):
        value = chunk.value
        if chunk.tag in (6, 8, 10, 14):
            chunks[chunk.tag].append(cbor2.loads(value))
        else:
            chunks[chunk.tag].append((*value[:3], cbor2.loads(value[3])))
    return chunks


def test_ftr_has_every_phase_of_every_request(bench, run):
    """Read with another encoder's decoder; by the layout of LWTR4SC's writer."""
    bench.call("export", "ftr", str(run), "--out", "x.ftr")
    content = bench.read("x.ftr")
    assert content.startswith(b"\xd9\xd9\xf7\x9f") and content.endswith(b"\xff")
    chunks = decoded(content)
    assert set(chunks) == {6, 8, 10, 12, 14}
    assert chunks[6][0][0] == -12
    strings = {number: text for part in chunks[8] for number, text in part.items()}
    streams = {one.value[0]: strings[one.value[1]] for one in chunks[10][0] if one.tag == 16}
    generators = {one.value[0]: (strings[one.value[1]], streams[one.value[2]]) for one in chunks[10][0] if one.tag == 17}
    found, owner = defaultdict(list), {}
    for stream, begin, end, transactions in chunks[12]:
        times = [one[0].value for one in transactions]
        assert begin == min(time[2] for time in times) and end == max(time[3] for time in times)
        for event, *attributes in transactions:
            assert event.tag == 6 and all(one.tag == 7 for one in attributes)
            number, generator, first, last = event.value
            name, of = generators[generator]
            assert streams[stream] == of
            told = {strings[one.value[0]]: strings[one.value[2]] if one.value[1] == 10 else one.value[2] for one in attributes}
            owner[number] = (stream, told["request"])
            found[of.split(".")[0], name in ("read", "write")].append((told["request"], first, last, name))
    for drive in ("one", "two"):
        phases = sorted((int(row["id"]), ps(row["begin_us"]), ps(row["end_us"]), row["phase"]) for row in rows(run / drive / "events.csv"))
        assert sorted(one for one in found[drive, False] if one[3] != "link_overlapped") == phases
        requests = sorted((int(row["id"]), ps(row["arrival_us"]), ps(row["completion_us"]), row["op"]) for row in rows(run / drive / "requests.csv"))
        assert sorted(found[drive, True]) == requests
    for name, source, sink, from_stream, to_stream in chunks[14][0]:
        assert strings[name] in ("phase", "next")
        assert owner[source] == (from_stream, owner[sink][1]) and owner[sink][0] == to_stream


def test_requests_without_phases_are_told(bench):
    bench.armature("run", "s.toml", "--out", "out", "--quiet", "--set", "workload.count=50", "--set", "output.timelines=5")
    done = bench.call("export", "perfetto", "out")
    assert done.stdout == "perfetto: 50 requests: out/perfetto.json\n"
    assert "atlas: 5 of 50 requests have their phases; a run with --set output.timelines=50 keeps those of all" in done.stderr
    events = json.loads(bench.read("out/perfetto.json"))["traceEvents"]
    assert sum(event["ph"] == "s" for event in events) == 5
    assert sum("op" in event["args"] for event in events if event["ph"] == "X") == 50


@pytest.mark.parametrize("damage, message", [
    (lambda run: (run / "requests.csv").unlink(), "out: no requests.csv"),
    (lambda run: (run / "summary.json").write_text("{"), "out/summary.json: is not the summary of a run"),
    (lambda run: (run / "summary.json").unlink(), "out/summary.json: No such file or directory; RUN is the directory of a run"),
    (lambda run: (run / "events.csv").write_text("id,begin_us\n1,2\n"), "out/events.csv:1: no column end_us"),
    (lambda run: (run / "events.csv").write_text("id,begin_us,end_us,phase,link_below\n1,2.000000,3.000000,nap,0\n"),
     "out/events.csv:2: there is no phase 'nap'"),
    (lambda run: (run / "events.csv").write_text("id,begin_us,end_us,phase,link_below\n1,2.0000,3.000000,seek,0\n"),
     "out/events.csv:2: '2.0000' is no time in us with six decimals"),
    (lambda run: (run / "events.csv").write_text("id,begin_us,end_us,phase,link_below\n1,2.000000,3.0"), "out/events.csv:2: ends within a line"),
    (lambda run: (run / "requests.csv").write_bytes(b"\xff\xfe"), "out/requests.csv")])
@pytest.mark.parametrize("kind", ["perfetto", "ftr"])
def test_damaged_runs_are_refused(bench, kind, damage, message):
    bench.armature("run", "s.toml", "--out", "out", "--quiet", "--set", "workload.count=5")
    damage(bench.directory / "out")
    done = bench.call("export", kind, "out", "--out", "x", status=2)
    assert message in done.stderr
    assert not (bench.directory / "x").exists() and not (bench.directory / ".x.part").exists()


def test_files_of_the_run_are_not_replaced(bench):
    bench.armature("run", "s.toml", "--out", "out", "--quiet", "--set", "workload.count=5")
    before = bench.read("out/events.csv")
    assert "is a file of the run" in bench.call("export", "ftr", "out", "--out", "out/events.csv", status=2).stderr
    assert bench.read("out/events.csv") == before
    assert "no directory" in bench.call("export", "ftr", "out", "--out", "absent/x", status=2).stderr

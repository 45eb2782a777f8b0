"""armature reproduce: the experiments of the repository, and every verdict on small ones."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from armature import experiment
from armature.errors import InputError
from armature.measures import Measured
from armature.tables import Tables
from armature.verdicts import judged
from conftest import ROOT, SCENARIO, Bench

REFERENCE = Path(os.environ.get("ARMATURE_REFERENCE") or ROOT / "../shared/reference")


def reproduce(bench, *arguments: str, status: int = 0) -> dict:
    bench.run("reproduce", *arguments, status=status)
    told = json.loads(bench.read("out/reproduce/reproduce.json"))
    assert bench.read("out/reproduce/reproduce.html").startswith(b"<!doctype html>")
    assert bench.read("out/reproduce/verdicts.tsv").count(b"\n") == 1 + sum(len(e["rows"]) for e in told["experiments"])
    return told


@pytest.mark.full
def test_the_laptop_array_s_rates(bench):
    told = reproduce(bench, "001-laptop-arrays", "--quick")
    rates = next(e for e in told["experiments"] if e["name"].endswith("/rates"))
    # By hand: 3 / (10 + 4.17 ms), and 1 / 6.314 ms.
    assert rates["measures"]["array"]["value"] == pytest.approx(211.66, rel=0.01)
    assert rates["measures"]["server_24k"]["value"] == pytest.approx(158.39, rel=0.01)


def test_power_as_datasheets_have_it(bench):
    told = {e["name"].split("/")[1]: e for e in reproduce(bench, "energy", "--quick")["experiments"]}
    assert sorted(told) == ["datasheets", "on-track", "reading", "standby"]
    assert [row["state"] for e in told.values() for row in e["rows"]] == ["holds"] * 19
    # The tests' definitions, from the runs' own figures.
    figures = told["datasheets"]["measures"]
    parts = [figures[f"{kind}_barracuda_es"]["value"] for kind in ("seek", "work", "idle")]
    assert figures["operating_barracuda_es"]["value"] == pytest.approx(0.4 * parts[0] + 0.4 * parts[1] + 0.2 * parts[2])
    # Work costs more than its share of seeks, and the arm alone explains a seek: no figure is another's copy.
    assert parts[1] > parts[0] > parts[2] > told["standby"]["measures"]["standby_barracuda_es"]["value"]


@pytest.mark.full
def test_m_g_1_with_40_replications(bench):
    told = reproduce(bench, "queueing/mg1", "--quick")["experiments"][0]
    assert [row["state"] for row in told["rows"]] == ["holds"] * 4
    # W by hand: E[S] = 9.0976 ms, E[S^2] = 91.100 ms^2.
    for name, rate in (("wait_30", 0.030), ("wait_55", 0.055), ("wait_80", 0.080)):
        measure = told["measures"][name]
        assert measure["exact"] == pytest.approx(rate * 91.100 / (2 * (1 - rate * 9.0976)), rel=1e-4)
        assert measure["mean"] == pytest.approx(measure["exact"], abs=2 * measure["half_width"])


@pytest.mark.full
def test_m_g_1_with_200_replications(bench):
    told = reproduce(bench, "queueing/mg1")["experiments"][0]
    for name in ("wait_30", "wait_55", "wait_80"):
        assert told["measures"][name]["of"] == 200
    assert [row["state"] for row in told["rows"]] == ["holds"] * 4


def test_four_policies_on_the_atlas_10k(bench):
    if not (REFERENCE / "disksim/workloads/hdd_60.trace.gz").exists():
        pytest.skip(f"no DiskSim workloads in {REFERENCE} (ARMATURE_REFERENCE says where they are)")
    told = reproduce(bench, "003-mems-storage/figure-6.1")["experiments"][0]
    assert sum(row["state"] == "holds" and row["verdict"].startswith("order holds") for row in told["rows"]) == 6
    assert not any(row["state"] == "fails" for row in told["rows"])


EXPERIMENT = """
title = "t"
scenario = "s.toml"
[sweep]
set."host.tags" = [1, 2]
[[measure]]
name = "n"
value = "mean(completed)"
[[measure]]
name = "first"
where = { "host.tags" = 1 }
value = "2 * n + config('host.tags') - completed"
"""


def write(bench, rows: str, more: str = EXPERIMENT) -> None:
    bench.write("root/scenarios/experiments/doc/one/experiment.toml", more + rows)
    bench.write("root/scenarios/experiments/doc/one/s.toml", SCENARIO)


FIVE_HUNDRED = 'measure = "n"\nvalue = 500\ntolerance_percent = 1\nours_tolerance_percent = 1\ndiffers = "d {n}"\n'


def row(text: str) -> str:
    return f'[[row]]\nid = "1"\nclaims = "c"\n{text}\n'


VERDICTS = [
    ('measure = "first"\nvalue = 401\ntolerance_percent = 0', "holds", "within tolerance"),
    ('measure = "n"\nvalue = 404\ntolerance_percent = 1', "holds", "within tolerance"),
    ('measure = "n"\nvalue = 405\ntolerance_percent = 1', "fails", "outside of its tolerance"),
    (f'{FIVE_HUNDRED}ours = 400\ntested = "first > n"', "holds", "miss because d 400 (the run has first > n)"),
    (f'{FIVE_HUNDRED}ours = 400\ntested = "first < n"', "fails", "the reason does not stand: first < n"),
    (f'{FIVE_HUNDRED}ours = 300\ntested = "first > n"', "fails", "not the 300 that was looked into"),
    ('measure = "n"\nvalue = 410\ntolerance_percent = 1\nlast_digit = 20', "holds", "half of the last digit"),
    ('measure = "n"\nvalue = 410\ntolerance_percent = 1\nlast_digit = 19', "fails", "outside of its tolerance"),
    ('measure = "n"\nvalue = 400\ntolerance_percent = 1\nfitted = "f"', "holds", "fitted: f"),
    ('measure = "n"\nvalue = 405\ntolerance_percent = 1\nfitted = "f"', "fails", "outside of its tolerance"),
    ('measure = "n"\nvalue = 400\ntolerance_percent = 1\ninput = "i"', "holds", "an input: i"),
    ('measure = "n"\nat_least = 400\nat_most = 400', "holds", "order holds: at least 400 and at most 400"),
    ('measure = "n"\nat_least = 401', "fails", "not at least 401"),
    ('measure = "n"\nat_most = 399', "fails", "not at most 399"),
    ('measure = "n"\nat_most = 399\ndiffers = "d"\ntested = "n == 400"', "holds", "miss because d"),
    ('increasing = ["n", "first"]', "holds", "order holds: n 400 < first 401"),
    ('increasing = ["first", "n"]', "fails", "order does not hold: first 401 < n 400"),
    ('increasing = ["first", "n"]\ndiffers = "d"\ntested = "first > n"', "holds", "miss because d"),
    ('increasing = ["first", "n"]\ndiffers = "d"\ntested = "first == n"', "fails", "does not stand"),
    (f'{FIVE_HUNDRED.split("differs")[0]}ours = 400\nunexplained = "u"', "holds", "miss, unexplained: u"),
    (f'{FIVE_HUNDRED.split("differs")[0]}ours = 300\nunexplained = "u"', "fails", "not the 300"),
    ('increasing = ["first", "n"]\nunexplained = "u"', "holds", "miss, unexplained: u"),
    ('increasing = ["n", "first"]\nfitted = "f"', "holds", "fitted: f; order holds: n 400 < first 401"),
    ('cannot = "x"', "open", "cannot be tested here because x"),
    ('measure = "n"\nvalue = 500\nreport = true', "open", "reported"),
]


@pytest.fixture(scope="module")
def verdict_rows(tmp_path_factory):
    """All of them as rows of one experiment."""
    bench = Bench(tmp_path_factory.mktemp("verdicts"))
    write(bench, "".join(row(text) for text, *_ in VERDICTS))
    return reproduce(bench, "doc", "--root", str(bench.directory / "root"), status=1)["experiments"][0]["rows"]


@pytest.mark.parametrize("number, state, verdict", [(i, state, verdict) for i, (_, state, verdict) in enumerate(VERDICTS)])
def test_verdicts(verdict_rows, number, state, verdict):
    assert verdict_rows[number]["state"] == state and verdict in verdict_rows[number]["verdict"]


@pytest.mark.parametrize("state, status", [("holds", 0), ("fails", 1), ("open", 0)])
def test_the_status_is_1_if_a_row_fails(bench, state, status):
    write(bench, "".join(row(text) for text, told, _ in VERDICTS if told == state))
    bench.call("reproduce", "doc", "--root", str(bench.directory / "root"), status=status)


def test_an_absent_file_is_said_and_fails_nothing(bench):
    write(
        bench,
        row('measure = "n"\nvalue = 1\ntolerance_percent = 1'),
        EXPERIMENT.replace(
            "[sweep]\n", '[sweep]\nset."workload.file" = ["@not/there.gz"]\nset."workload.kind" = ["trace"]\n'
        ),
    )
    told = reproduce(bench, "--root", str(bench.directory / "root"))["experiments"][0]
    assert told["rows"][0]["state"] == "open" and "the file is absent: not/there.gz" in told["rows"][0]["verdict"]


@pytest.mark.parametrize(
    "rows, more, message",
    [
        (row('measure = "m"\nvalue = 1\ntolerance_percent = 1'), EXPERIMENT, "no measure m"),
        (row('measure = "n"\nvalue = "1"\ntolerance_percent = 1'), EXPERIMENT, "value: a number is expected"),
        (row('measure = "n"\nat_most = true'), EXPERIMENT, "at_most: a number is expected"),
        (row('mesure = "n"\nvalue = 1\ntolerance_percent = 1'), EXPERIMENT, "mesure: no such key"),
        (row('measure = "n"\nvalue = 1'), EXPERIMENT, "one of tolerance_percent"),
        (row('measure = "n"\nat_most = 1\ndiffers = "d"'), EXPERIMENT, "`tested` is a comparison"),
        (row('measure = "n"\nat_most = 1\ndiffers = "d"\ntested = "m < 2"'), EXPERIMENT, "no measure m"),
        (row('measure = "n"\nat_most = 1\ndiffers = "{m}"\ntested = "n > 2"'), EXPERIMENT, "no measure 'm'"),
        (row('measure = "n"\nreport = true\nfitted = "f"'), EXPERIMENT, "are of a number"),
        (row('cannot = "x"'), EXPERIMENT.replace("mean(completed)", "max(column('lbn'))"), "sweep.columns does not"),
        (row('cannot = "x"'), EXPERIMENT.replace("mean(completed)", "quantile(completed)"), "is not known here"),
        (row('cannot = "x"'), EXPERIMENT.replace("mean(completed)", "mean(nonsense)"), "nonsense: no such figure"),
        (
            row('cannot = "x"'),
            EXPERIMENT.replace("mean(completed)", "response.all.mean_ms"),
            "rows with different values",
        ),
        (row('cannot = "x"'), EXPERIMENT.replace("mean(completed)", "__import__('os')"), "is not known here"),
        (row('cannot = "x"'), EXPERIMENT.replace('host.tags" = [1, 2]', 'host.tgas" = [1]'), "no such key"),
        (
            row('cannot = "x"'),
            EXPERIMENT.replace('name = "n"', 'name = "n{k}"\neach = { l = [1] }'),
            "'k' is not in `each`",
        ),
        (row('cannot = "x"'), EXPERIMENT.replace('title = "t"', ""), "title is missing"),
    ],
)
def test_a_wrong_experiment_ends_with_2(bench, rows, more, message):
    if "different values" in message:
        more = more.replace("host.tags", "spindle.rpm").replace("[1, 2]", "[6000, 7000]").replace("= 1 }", "= 6000 }")
    write(bench, rows, more)
    done = bench.call("reproduce", "--root", str(bench.directory / "root"), status=2)
    assert message in done.stderr and "Traceback" not in done.stderr


def test_an_experiment_that_does_not_exist(bench):
    assert "no experiment nothing" in bench.run("reproduce", "nothing", status=2).stderr  # a process of its own


COLUMNS = """
title = "t"
scenario = "s.toml"
[sweep]
set."host.tags" = [1]
columns = ["response_us", "seek_us"]
[[sweep.also]]
name = "half"
set."workload.count" = [200]
[[measure]]
name = "p90"
where = { run = "main" }
value = 'quantile(column("response_us"), 0.9) / 1000 - response.all.p90_ms'
[[measure]]
name = "mean"
where = { run = "half" }
value = 'mean(column("response_us")) / 1000 - response.all.mean_ms'
[[measure]]
name = "moved"
where = { run = "half" }
value = 'share(column("seek_us") > 0) + share(column("seek_us") <= 0)'
[[measure]]
name = "all"
value = 'count(column("seek_us"))'
[[measure]]
name = "gone_by"
where = { run = "half" }
value = "completed"
[[measure]]
name = "itself"
value = 'autocorrelation(column("seek_us"), 1)'
[[measure]]
name = "by_name"
where = { run = "half" }
value = 'figure("response.all.mean_ms") - response.all.mean_ms + figure("completed")'
[[picture]]
title = "cdf"
kind = "cdf"
x = "response, ms"
y = "% of requests"
[[picture.series]]
name = "a"
where = { run = "half" }
column = "response_us"
per = 1000
[[picture]]
title = "bars"
kind = "bars"
x = "runs"
y = "requests"
[[picture.series]]
name = "b"
x = ["one"]
measures = ["all"]
"""


def test_an_axis_with_a_unit_alone_is_refused(bench):
    write(bench, row('measure = "all"\nvalue = 600\ntolerance_percent = 0'), COLUMNS.replace('y = "requests"', 'y = "W"'))
    refused = bench.run("reproduce", "doc", "--root", str(bench.directory / "root"), status=2)
    assert 'picture bars: y says what is drawn, and its unit: "power, W"' in refused.stderr


def test_figures_of_columns_are_those_of_the_summary(bench):
    write(bench, row('measure = "all"\nvalue = 600\ntolerance_percent = 0'), COLUMNS)
    told = reproduce(bench, "doc", "--root", str(bench.directory / "root"))["experiments"][0]
    figures = {name: measure["value"] for name, measure in told["measures"].items()}
    assert figures["all"] == 600 and figures["gone_by"] == 200 and figures["moved"] == 1
    assert figures["by_name"] == 200
    assert -0.2 < figures["itself"] < 0.2  # the arm goes from one random place to another
    assert figures["p90"] == pytest.approx(0, abs=1e-8) and figures["mean"] == pytest.approx(0, abs=1e-8)
    page = bench.read("out/reproduce/reproduce.html").decode()
    assert page.count("Plotly.newPlot") == 2 and '"barmode":"stack"' in page


STORE = "[sled]\nmove_x_um = 0.12\nmove_y_um = 0.12\n[tips]\nusable = 9\nactive = 3\nper_block = 1\nsector_bits = 1\nservo_bits = 0\n"
TABLES = """
title = "t"
[[table]]
name = "small"
command = ["mems", "layout", "store.toml"]
[[table]]
name = "class"
command = ["mems", "classes", "store.toml", "30"]
[[measure]]
name = "n"
value = 'cell("small/blocks/value")'
[[measure]]
name = "last"
value = 'cell("class/#9/lbn")'
[[measure]]
name = "members"
value = 'count(cell("class/*/lbn"))'
"""


def test_cells_of_the_programs_own_tables(bench):
    write(bench, row('measure = "n"\nvalue = 81\ntolerance_percent = 0'), TABLES)
    bench.write("root/scenarios/store.toml", STORE)
    told = reproduce(bench, "doc", "--root", str(bench.directory / "root"))["experiments"][0]
    assert {name: measure["value"] for name, measure in told["measures"].items()} == {"n": 81, "last": 50, "members": 9}
    assert told["rows"][0]["state"] == "holds"


RUN_TABLE = """
title = "t"
[[table]]
name = "rig"
run = ["s.toml", "--waves", "--set", "workload.count=20", "--set", 'output.scope=["*.disk.srv0.seek*", "*.power.total"]']
command = ["samples", "RUN", "--hz", "1000"]
[[measure]]
name = "watts"
value = 'mean(cell("rig/*/atlas.power.total"))'
[[measure]]
name = "rows"
value = 'count(cell("rig/*/time_s"))'
"""


def test_a_table_may_be_of_a_run(bench):
    write(bench, row('measure = "watts"\nat_least = 1'), RUN_TABLE)
    drive = bench.directory / "root/scenarios/s.toml"
    drive.write_text(SCENARIO.replace("quantum_atlas_10k", "seagate_barracuda_es_750"))
    told = bench_call(bench)["experiments"][0]
    watts, rows = (told["measures"][name]["value"] for name in ("watts", "rows"))
    assert 9 < watts < 16 and rows > 100  # between idle and work; a row each millisecond
    # By hand: the mean of the account, over the same run.
    bench.armature("run", str(drive), "--set", "workload.count=20", "--out", "r", "-q")
    energy = json.loads(bench.read("r/summary.json"))["drives"][0]["energy"]
    assert watts == pytest.approx(energy["average_w"], rel=0.05)
    drive.write_text(SCENARIO.replace("read_fraction", "reed_fraction"))
    done = bench.call("reproduce", "doc", "--root", str(bench.directory / "root"), status=2)
    assert "table rig" in done.stderr and "reed_fraction" in done.stderr


def bench_call(bench) -> dict:
    bench.call("reproduce", "doc", "--root", str(bench.directory / "root"))
    return json.loads(bench.read("out/reproduce/reproduce.json"))


def test_a_cell_that_is_empty_is_left_out_of_all():
    tables = Tables([{"name": "t", "command": []}], None, ROOT)
    tables._known["t"] = [{"time_s": "0", "a": ""}, {"time_s": "1", "a": "2"}]
    assert tables.cell("t/*/a").tolist() == [2] and tables.cell("t/*/time_s").tolist() == [0, 1]
    with pytest.raises(InputError, match="there is no number"):
        tables.cell("t/#1/a")


@pytest.mark.parametrize(("apart", "holds"), [(0, True), (0.5, True), (1.5, False)])
def test_figures_that_are_no_further_apart_than_the_row_says_are_a_tie(apart, holds):
    row = {"id": "i", "claims": "c", "increasing": ["a", "b"], "apart": apart}
    verdict = judged(row, experiment.Experiment("n", Path("e"), {}), {"a": Measured(100, "", ""), "b": Measured(101, "", "")})
    assert (verdict.kind == "order holds") == holds and ("a tie" in verdict.text) != holds


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("small/blocks/value", "small/blocks", "TABLE/ROW/COLUMN is expected"),
        ("small/blocks/value", "large/blocks/value", "no table large; there are small, class"),
        ("small/blocks/value", "small/block/value", "the table has no such row"),
        ("small/blocks/value", "small/blocks/values", "no such column; there are quantity, value, unit"),
        ("small/blocks/value", "small/blocks/quantity", "there is no number"),
        ("class/#9/lbn", "class/#10/lbn", "the table has no such row"),
        ("class/#9/lbn", "class/#0/lbn", "the table has no such row"),
        ('"store.toml", "30"', '"store.toml", "81"', "table class: LBN 81: the store has only 81 blocks"),
        ('name = "small"\n', "", "`name` and `command` are needed"),
        ('name = "small"\n', 'name = "small"\nfile = "x"\n', "file: no such key"),
    ],
)
def test_a_wrong_table_ends_with_2(bench, before, after, message):
    write(bench, row('measure = "n"\nvalue = 81\ntolerance_percent = 0'), TABLES.replace(before, after, 1))
    bench.write("root/scenarios/store.toml", STORE)
    done = bench.call("reproduce", "--root", str(bench.directory / "root"), status=2)
    assert message in done.stderr and "Traceback" not in done.stderr


def test_the_mems_stores(bench):
    documents = [f"003-mems-storage/{name}" for name in ("stores", "random-requests", "sled-seeks", "policies", "classes")]
    told = reproduce(bench, *documents)
    states = [row["state"] for one in told["experiments"] for row in one["rows"]]
    assert len(told["experiments"]) == 5 and len(states) == 104
    assert states.count("fails") == 0 and states.count("open") == 0


def test_arithmetic_needs_no_run(bench):
    write(
        bench,
        row('measure = "n"\nvalue = 7\ntolerance_percent = 0'),
        'title = "t"\n[[measure]]\nname = "n"\nvalue = "1 + 2 * 3"\n',
    )
    told = reproduce(bench, "doc", "--root", str(bench.directory / "root"))["experiments"][0]
    assert told["points"] == 0 and told["rows"][0]["state"] == "holds"


@pytest.mark.parametrize(
    ("own", "as_fast", "told"),
    [((10, 9.5), (10, 4), "no merit"), ((10, 8), (10, 7.5), "merit"), ((10, 8), (10, 9), "merit"), ((10, 2), (10, 8), "specific")],
)
def test_a_gain_is_judged_beside_that_of_a_disk_as_fast(own, as_fast, told):
    names = ("before", "after", "disk_before", "disk_after")
    found = {name: Measured(value, "ms", "") for name, value in zip(names, own + as_fast)}
    for expects in experiment.GAINS:
        row = {"id": "i", "claims": "c", "gain": ["before", "after"], "gain_as_fast": ["disk_before", "disk_after"], "expects": expects}
        verdict = judged(row, experiment.Experiment("n", Path("e"), {}), found)
        assert (verdict.kind == "order holds") == (expects == told), verdict.text


def test_quick_gives_options_of_a_table_other_values():
    table = {"name": "t", "command": ["mems", "background", "f", "--runs", "32"], "quick": {"--runs": "2"}}
    assert experiment._quick_command(table, Path("e"))[-1] == "2" and table["command"][-1] == "32"
    with pytest.raises(InputError, match="its command has no --seed"):
        experiment._quick_command({**table, "quick": {"--seed": "2"}}, Path("e"))


def test_a_miss_of_a_quick_run_may_be_another_number():
    file = ROOT / "scenarios/experiments/004-raid-energy/arrays/experiment.toml"
    for quick in (False, True):
        told = experiment.load(file, ROOT, quick)
        row = next(row for row in told.told["row"] if row.get("measure") == "queue_tpcc_parity")
        verdict = judged(row, told, {"queue_tpcc_parity": Measured(2 * row["ours"], "", "")})
        assert verdict.kind == ("miss" if quick else "fails"), verdict.text

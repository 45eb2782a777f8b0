"""armature compare --waves: the first instant and signals at which two runs differ; armature waves signals and changes."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest


def dump(*changes: str, unit: str = "1 ps", signals: str = "", head: str = "") -> str:
    """A VCD file of the signals top.count (4 bits), top.busy, top.name (text), top.angle (real)."""
    return f"""$date today $end
{head}$timescale {unit} $end
$scope module top $end
$var wire 4 ! count [3:0] $end
$var wire 1 " busy $end
$var string 0 # name $end
$var real 64 % angle $end
{signals}$upscope $end
$enddefinitions $end
""" + "\n".join(changes) + "\n"


SAME = ["#0", "$dumpvars", "b0 !", "0\"", "sidle #", "r0 %", "$end", "#10", "b1 !", "1\"", "#25", "r0.5 %", "#30", "b10 !"]


def waves(bench, one: str, other: str, *more: str, status: int = 1) -> str:
    bench.write("a.vcd", one)
    bench.write("b.vcd", other)
    return bench.call("compare", "--waves", "a.vcd", "b.vcd", *more, status=status).stdout


def test_the_same_waves(bench):
    told = waves(bench, dump(*SAME), dump(*SAME), status=0)
    assert told == "the same: 8 changes of 4 signals, the last at 0.000000000030 s\n"


@pytest.mark.parametrize("given", [
    ["#0", "$dumpvars", "b0000 !", "0\"", "sidle #", "r0 %", "$end", "#10", "b0001 !", "1\"", "#25", "r0.5 %", "#30", "b0010 !"],  # bits
    ["#0", "r0 %", "sidle #", "b0 !", "0\"", "#10", "1\"", "b1 !", "#25", "r0.50 %", "#30", "b10 !"],  # order within an instant
    [*SAME[:9], "1\"", "#20", "b1 !", "1\"", *SAME[10:]],  # the value that there is
    [*SAME[:7], "#10", "b11 !", "b1 !", *SAME[9:]],  # for no time
    [*SAME, "#99"]])
def test_what_makes_no_difference(bench, given):
    assert waves(bench, dump(*SAME), dump(*given), status=0).startswith("the same: 8 changes of 4 signals")


def test_the_first_difference_and_what_was_equal_before(bench):
    told = waves(bench, dump(*SAME, "#40", "0\"", "b1111 !", "ssweep #"), dump(*SAME, "#40", "0\"", "b1x !", "#50", "b1 !"), "--last", "3")
    assert told == """they differ at 0.000000000040 s, after 9 equal changes of 4 signals

signal          a.vcd  b.vcd
top.count[3:0]   1111   001x
top.name        sweep   idle

the last 3 equal changes

time              signal          value
0.000000000025 s  top.angle       0.5
0.000000000030 s  top.count[3:0]  0010
0.000000000040 s  top.busy        0
"""


@pytest.mark.parametrize("more, at", [
    (["#26", "0\""], 26), (["#30", "b11 !"], 30), (["#31", "r0.5000000000000002 %"], 31), (["#31", "sx\\040y #"], 31)])
def test_a_change_that_one_has_alone(bench, more, at):
    """Whichever of the two it is: earlier than the next one of the other, at the same time, or behind its end."""
    other = dump(*SAME[:-2], *more) if at == 26 else dump(*SAME, *more)
    assert f"they differ at 0.{at:012d} s" in waves(bench, dump(*SAME), other)
    assert f"they differ at 0.{at:012d} s" in waves(bench, other, dump(*SAME))


def test_signals_of_one_only_and_globs(bench):
    more = dump(*SAME, "1&", signals="$var wire 1 & error $end\n")
    told = waves(bench, dump(*SAME), more)
    assert told.startswith("only in b.vcd: 1 signals: top.error\nthe same: 8 changes")
    waves(bench, dump(*SAME), more, "--signals", "top.c*", "--signals", "*.busy", status=0)
    told = waves(bench, dump(*SAME), dump(*SAME, "#31", "0\""), "--signals", "*.count", status=0)
    assert told == "the same: 3 changes of 1 signals, the last at 0.000000000030 s\n"


def test_units_of_time(bench):
    waves(bench, dump("#2", "b1 !", unit="1 ns"), dump("#20", "b1 !", unit="100ps"), status=0)


@pytest.mark.parametrize("content, message", [
    ("", "a.vcd"), ("no dump at all\n", "a.vcd"), (dump()[:60], "there is no $enddefinitions"), (dump("#5", "b1 !", "#4"), "'#4' is no time behind 5 ps"),
    (dump("#5", "b1"), "ends within a value"), (dump("#5", "hello"), "'hello' is no value"), (dump(unit="1 fs"), "its unit of time is '1fs'"),
    (dump("#5", "rfast %"), "'fast' is no real number"), (dump("#1e3"), "'#1e3' is no time"), (b"$\xff\xfe", "is neither FST nor VCD")])
def test_bad_files_are_refused(bench, content, message):
    bench.write("b.vcd", dump(*SAME))
    (bench.directory / "a.vcd").write_bytes(content if isinstance(content, bytes) else content.encode())
    for order in (["a.vcd", "b.vcd"], ["b.vcd", "a.vcd"]):
        assert message in bench.call("compare", "--waves", *order, status=2).stderr


def test_bad_arguments_are_refused(bench):
    bench.write("a.vcd", dump(*SAME))
    for arguments, message in ((["a.vcd"], "--waves: takes two runs, not 1"), (["a.vcd"] * 3, "takes two runs, not 3"),
                               (["a.vcd", "absent"], "absent: there is no such file"),
                               (["a.vcd", "a.vcd", "--signals", "nothing"], "no signal in common that matches nothing"),
                               (["a.vcd", "a.vcd", "--figures", "p99"], "--figures: does not go with --waves"),
                               (["a.vcd", "a.vcd", "--last", "-1"], "a whole number from 0 on")):
        assert message in bench.call("compare", "--waves", *arguments, status=2).stderr
    assert "--signals: goes with --waves" in bench.call("compare", "a", "--signals", "x", status=2).stderr


def test_runs_of_the_program(bench):
    """Two runs of one scenario are the same; another spindle's first pulse of its index is where they begin to differ."""
    for name, more in (("one", []), ("again", []), ("faster", ["--set", "spindle.rpm=10026"])):
        bench.armature("run", "s.toml", "--out", name, "--waves", "--quiet", "--set", "workload.count=20", *more)
    assert bench.call("compare", "--waves", "one", "again").stdout.startswith("the same: ")
    told = bench.call("compare", "--waves", "one", "faster", status=1).stdout
    assert "they differ at 0.0" in told and "atlas.disk.spn." in told
    if shutil.which("fst2vcd"):  # of GTKWave, whose reals have 16 digits
        subprocess.run(["fst2vcd", "one/waves.fst", "-o", "one.vcd"], cwd=bench.directory, check=True)
        globs = [word for glob in ("*.requests.*", "*.link.*", "*.state", "*.host.*") for word in ("--signals", glob)]
        assert bench.call("compare", "--waves", "one", "one.vcd", *globs).stdout.startswith("the same: ")


def test_signals_and_changes_of_a_run(bench):
    """Every change as GTKWave's own converter has it."""
    bench.armature("run", "s.toml", "--out", "one", "--waves", "--quiet", "--set", "workload.count=10")
    program = bench.environment["ARMATURE_BINARY"]

    def said(*arguments: str, status: int = 0) -> str:
        done = subprocess.run([program, "waves", *arguments], cwd=bench.directory, text=True, capture_output=True, check=False)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    kinds = dict(line.split("\t") for line in said("signals", "one").splitlines()[1:])
    assert kinds["atlas.disk.srv0.position"] == "real" and kinds["atlas.disk.srv0.state"] == "text"
    assert kinds["atlas.disk.srv0.head[7:0]"] == "bits"
    lines = said("changes", "one").splitlines()
    assert lines[0] == "time_ps\tsignal\tvalue"
    changes = [line.split("\t") for line in lines[1:]]
    assert {signal for _, signal, _ in changes} == set(kinds)
    assert all(int(a[0]) <= int(b[0]) for a, b in zip(changes, changes[1:]))
    some = [line.split("\t") for line in said("changes", "one", "--signals", "*.srv0.state", "--from", "0.02", "--to", "0.1").splitlines()[1:]]
    assert some == [one for one in changes if one[1] == "atlas.disk.srv0.state" and 20_000_000_000 <= int(one[0]) <= 100_000_000_000]
    assert "no signal in it matches" in said("changes", "one", "--signals", "x", status=2)
    assert "is no FST dump" in said("changes", "s.toml", status=2)
    assert "there is no such file" in said("signals", "absent", status=2)
    content = bench.read("one/waves.fst")
    (bench.directory / "cut.fst").write_bytes(content[: len(content) // 2])
    assert "cut.fst" in said("changes", "cut.fst", status=2)


def test_a_damaged_dump_is_no_equal_one(bench):
    """What was read before the damage counts for nothing: status 2."""
    bench.armature("run", "s.toml", "--out", "one", "--waves", "--quiet", "--set", "workload.count=10")
    bench.write("stops", f"""#!/bin/bash
if [[ $2 == changes ]]; then {bench.environment['ARMATURE_BINARY']} "$@" | head -5; echo "waves.fst: is damaged" >&2; exit 2; fi
exec {bench.environment['ARMATURE_BINARY']} "$@"
""").chmod(0o755)
    bench.environment["ARMATURE_BINARY"] = os.path.join(bench.directory, "stops")
    assert "is damaged" in bench.call("compare", "--waves", "one", "one", status=2).stderr

"""The wrapper `armature` in a shell: help without a build, completion, installation, mistakes in its own arguments."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRAPPER = ROOT / "armature"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The wrapper as a fresh clone has it: nothing is built."""
    place = tmp_path / "clone"
    (place / "docs/reference").mkdir(parents=True)
    shutil.copy(WRAPPER, place)
    shutil.copy(ROOT / "docs/reference/commands.md", place / "docs/reference")
    shutil.copytree(ROOT / "models/app/shell", place / "models/app/shell")
    return place


def run(place: Path, *words: str, **environment: str) -> subprocess.CompletedProcess:
    """The wrapper of `place`; it finds no compiler, no package tool and no program."""
    kept = {"PATH": "/usr/bin:/bin", "HOME": str(place), "LC_ALL": "C.UTF-8", **environment}
    return subprocess.run([place / "armature", *words], capture_output=True, text=True, env=kept, timeout=60, check=False)


def commands(place: Path) -> list[str]:
    return run(place, "__complete", "").stdout.split()


def test_the_table_of_commands_names_those_that_there_are() -> None:
    rows = [line.split("\t") for line in (WRAPPER.parent / "models/app/shell/commands.txt").read_text().splitlines()]
    names = {doer: {row[1].split()[0] for row in rows if len(row) == 3 and row[0] == doer} for doer in ("app", "study", "own")}
    done = subprocess.run([os.environ["ARMATURE_BINARY"], "--help"], capture_output=True, text=True, check=True)
    subcommands = {line.split()[0] for line in done.stdout.partition("Subcommands:\n")[2].splitlines() if line.startswith("  ") and line[2] != " "}
    assert names["app"] == subcommands
    sys.path.append(str(ROOT / "models/study"))
    from armature.__main__ import COMMANDS

    assert names["study"] == set(COMMANDS)
    done = subprocess.run(["grep", "-oP", "^do_\\K[a-z]+(?=\\(\\))", WRAPPER], capture_output=True, text=True, check=True)
    assert names["own"] | {"linux"} == set(done.stdout.split()), "linux makes the guest first"


@pytest.mark.parametrize(
    ("words", "offered"),
    [("gen f", ["firmware-costs"]), ("rtl co", ["copy", "coverage"]), ("build a", ["asan"]), ("firmware d", ["disassemble"]), ("fuzz f", ["faults"])],
)
def test_the_shell_offers_what_the_help_of_a_command_names(clone: Path, words: str, offered: list[str]) -> None:
    assert sorted(run(clone, "__complete", *words.split()).stdout.split()) == offered


def test_help_of_every_command_only_helps(clone: Path) -> None:
    names = commands(clone)
    assert {"run", "sweep", "test", "fuzz", "install"} <= set(names)
    before = sorted(clone.rglob("*"))
    for name in names:
        for words in ([name, "--help"], [name, "-h"], ["help", name]):
            if name == "fuzz":
                words = ["fuzz", "--help"]
            done = run(clone, *words)
            assert done.returncode == 0, (words, done.stderr)
            assert "sage: " in done.stdout, words
            assert done.stderr == "", words
    assert sorted(clone.rglob("*")) == before, "help builds and installs nothing"


def test_help_of_a_sub_command_is_its_own(clone: Path) -> None:
    assert "Usage: armature mems seek" in run(clone, "mems", "seek", "--help").stdout
    assert "Usage: armature trace info" in run(clone, "help", "trace", "info").stdout


@pytest.mark.parametrize(
    ("typed", "meant"), [("tset", "test"), ("comapre", "compare"), ("runs", "run"), ("descibe", "describe"), ("sweeep", "sweep")]
)
def test_a_misspelt_command_names_the_one_that_is_meant(clone: Path, typed: str, meant: str) -> None:
    done = run(clone, typed)
    assert done.returncode == 2
    assert done.stderr == f"armature: no such command: {typed}; did you mean {meant}?\n"


def test_a_word_unlike_any_command_shows_them_all(clone: Path) -> None:
    done = run(clone, "frobnicate")
    assert done.returncode == 2
    assert done.stderr.endswith("armature: no such command: frobnicate\n")
    assert "usage: armature COMMAND" in done.stderr


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["build", "relese"], "release, debug, asan, coverage, bench, fuzz"),
        (["gen"], "regs, ata, commands, columns"),
        (["rtl", "sinth"], "lint, synth, prove"),
        (["install", "--perfix", "/x"], "--prefix DIR"),
    ],
)
def test_a_mistake_in_an_argument_names_the_remedy(clone: Path, words: list[str], remedy: str) -> None:
    done = run(clone, *words)
    assert done.returncode == 2
    assert remedy in done.stderr
    assert done.stderr.count("\n") == 1


def completed(command: str, line: str) -> list[str]:
    """What bash offers where the cursor stands at the end of `line`."""
    script = f"""
source {ROOT}/models/app/shell/armature.bash
COMP_LINE=$1 COMP_POINT=${{#1}}
compopt() {{ :; }}
_armature
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    folder = Path(command).parent
    environment = dict(os.environ, PATH=f"{folder}:/usr/bin:/bin")
    done = subprocess.run(["bash", "-c", script, "bash", line], capture_output=True, text=True, env=environment, check=True)
    return done.stdout.split()


def test_bash_completes_commands_options_keys_and_values() -> None:
    wrapper = str(WRAPPER)
    assert completed(wrapper, "armature re") == ["reproduce"]
    assert "--around" in completed(wrapper, "armature run x.toml --a")
    assert "seek" in completed(wrapper, "armature mems ")
    assert "--replications" in completed(wrapper, "armature sweep --repl")
    assert completed(wrapper, "armature run --set spindle.rp") == ["spindle.rpm="]
    assert set(completed(wrapper, "armature run --set arms.design=M")) == {"MA", "MC"}, "readline wants what follows the ="
    assert completed(wrapper, "armature run --set cache.write=t") == ["true"]
    assert "queueing/mg1" in completed(wrapper, "armature reproduce q")
    assert completed(wrapper, "armature run ") == [], "files are the shell's"
    assert "seek.curve" in completed(wrapper, "armature describe seek.c")


def test_install_links_the_command_and_writes_man_page_and_completions(tmp_path: Path, clone: Path) -> None:
    prefix = tmp_path / "with a space"
    done = run(clone, "install", "--prefix", str(prefix))
    assert done.returncode == 0, done.stderr
    installed = prefix / "bin/armature"
    called = subprocess.run([installed, "help", "run"], capture_output=True, text=True, check=True)
    assert "Usage: armature run" in called.stdout
    page = (prefix / "share/man/man1/armature.1").read_text()
    assert page.startswith(".TH ARMATURE 1")
    for name in commands(clone):
        assert name == "help" or f".BR armature\\-{name} (1)\n" in page
    assert "\\-\\-around" in (prefix / "share/man/man1/armature-run.1").read_text()
    assert ".SS armature mems seek\n" in (prefix / "share/man/man1/armature-mems.1").read_text()
    for path in (
        "bash-completion/completions/armature",
        "zsh/site-functions/_armature",
        "fish/vendor_completions.d/armature.fish",
    ):
        assert (prefix / "share" / path).read_text().count("__complete") == 1


@pytest.mark.parametrize(("writer", "page"), [("commands_page.py", "reference/commands.md"), ("columns_table.py", "reference/results.md"),
                                              ("printed_tables.py", "lab")])
def test_a_page_that_the_program_writes_is_up_to_date(writer: str, page: str) -> None:
    writer = ROOT / "models/app/shell" / writer
    done = subprocess.run([sys.executable, writer, WRAPPER, ROOT / "docs" / page, "--check", *(["--fast"] if page == "lab" else [])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_changed_table_that_a_command_prints_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- printed: ./armature mems models scenarios/drives/mems/g2.toml; columns model,from -->\n| old |\n<!-- end of printed -->\n")
    command = [sys.executable, ROOT / "models/app/shell/printed_tables.py", WRAPPER, tmp_path]
    assert subprocess.run([*command, "--check"], capture_output=True, check=False).returncode == 1
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert "| model | from |\n|---|---|\n| disksim | corner |\n" in page.read_text()
    assert subprocess.run([*command, "--check"], capture_output=True, check=False).returncode == 0


def test_a_table_that_a_sweep_prints_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- printed: ./armature sweep scenarios/one_drive.toml --set spindle.rpm=7200,10000 --set workload.count=20 --figures mean; "
                    "columns rpm,mean, ms -->\n<!-- end of printed -->\n")
    command = [sys.executable, ROOT / "models/app/shell/printed_tables.py", WRAPPER, tmp_path]
    assert subprocess.run([*command, "--fast"], capture_output=True, check=False).returncode == 0
    assert "|---|" not in page.read_text()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\| rpm \| mean, ms \|\n\|---\|---\|\n\| 7200 \| [\d.]+ \|\n\| 10000 \| [\d.]+ \|\n<!-- end", page.read_text())


def test_a_cell_lies_below_its_heading() -> None:
    sys.path.insert(0, str(ROOT / "models/app/shell"))
    import printed_tables

    text = "drive   policy  power, W  saved, %\nlaptop  never     2.0006\nlaptop  fixed     1.0307     48.48\nlaptop: the oracle stops\n"
    assert printed_tables.aligned(text) == [["drive", "policy", "power, W", "saved, %"], ["laptop", "never", "2.0006", ""],
                                            ["laptop", "fixed", "1.0307", "48.48"]]


def test_the_command_of_a_table_may_stand_above_it() -> None:
    sys.path.insert(0, str(ROOT / "models/app/shell"))
    import printed_tables

    page = ("    ./armature seek a.toml\n\nText:\n\n    ./armature run b.toml\n    ./armature sweep 'c d.toml' \\\n        --set x=1  # so\n\n"
            "<!-- printed: above; columns x,y -->\n<!-- end of printed -->\n<!-- printed: above -->\n<!-- end of printed -->\n")
    regions = list(printed_tables.BEGIN.finditer(page))
    assert [printed_tables.command_of(region) for region in regions] == ["sweep 'c d.toml' --set x=1"] * 2
    assert regions[0]["columns"] == "x,y"
    with pytest.raises(SystemExit, match="no command above"):
        printed_tables.command_of(printed_tables.BEGIN.search("<!-- printed: above -->\n"))


def test_a_table_has_the_rows_and_columns_that_are_asked_for() -> None:
    sys.path.insert(0, str(ROOT / "models/app/shell"))
    import printed_tables

    rows = [["rpm", "arms", "drive", "mean, ms"], ["7200", "1", "a", "3"], ["7200", "1", "b", "4"], ["7200", "2", "a", "5"], ["5400", "2", "a", "6"]]
    region = printed_tables.BEGIN.match("<!-- printed: ./armature sweep s.toml; columns arms as of arms,rpm,mean, ms; rows drive=a; across rpm: mean, ms -->\n")
    assert printed_tables.table(rows, region) == ("| of arms | 7200: mean, ms | 5400: mean, ms |\n|---|---|---|\n| 1 | 3 |  |\n| 2 | 5 | 6 |\n")


def test_the_table_of_ata_commands_is_up_to_date() -> None:
    done = subprocess.run([WRAPPER, "gen", "ata", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_reader_that_goes_away_ends_samples_without_a_word(bench):
    bench.armature("run", "s.toml", "--quiet", "--waves", "--set", "workload.count=50")
    command = f"set -o pipefail; {bench.environment['ARMATURE_BINARY']} samples out --hz 1000000 | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=bench.directory, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGPIPE, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("time_s,")

"""The JSON schemas by which editors check files: shipped files are right by them, and what the program refuses is wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import fastjsonschema
import pytest
from conftest import ROOT


def schema(kind: str) -> dict:
    done = subprocess.run([os.environ["ARMATURE_BINARY"], "describe", "--schema", kind], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def check() -> dict:
    return {kind: fastjsonschema.compile(schema(kind)) for kind in ("scenario", "drive", "plant")}


def kind_of(path: Path) -> str | None:
    folder = path.relative_to(ROOT / "scenarios").parts[0]
    return {"drives": "drive", "servo": "plant"}.get(folder, "scenario" if path.parent.name == "scenarios" else None)


def shipped() -> list[Path]:
    files = (path for path in sorted((ROOT / "scenarios").rglob("*.toml")) if kind_of(path))
    others = ("[fleet]", "[[load]]")  # files of `fleet` and of `loads`
    return [path for path in files if not any(word in path.read_text() for word in others)]


def test_every_shipped_file_is_right_by_its_schema(check):
    files = shipped()
    assert len(files) > 60
    for path in files:
        try:
            check[kind_of(path)](tomllib.loads(path.read_text()))
        except fastjsonschema.JsonSchemaException as error:
            pytest.fail(f"{path.relative_to(ROOT)}: {error}")


WRONG = [
    ("workload.rate_per_sec = 5", "rate_per_sec"),
    ("workload.kind = \"opened\"", "kind"),
    ("workload.rate_per_s = -1", "rate_per_s"),
    ("drives.d.spindle.rpm = \"7200 ms\"", "rpm"),
    ("drives.d.spindel.rpm = 7200", "spindel"),
    ("host.tags = true", "tags"),
    ("[[faults]]\nat_s = 1\nknd = \"dead_head\"", "knd"),
]


@pytest.mark.parametrize("text, named", WRONG)
def test_what_the_program_refuses_is_wrong_by_the_schema(check, bench, text, named):
    whole = text + "\n"
    if "drives.d." not in text:
        whole += "[drives.d]\nmodel = \"drives/quantum_atlas_10k.toml\"\n"
    wrong = bench.write("wrong.toml", whole)
    assert subprocess.run([os.environ["ARMATURE_BINARY"], "check", wrong], capture_output=True, check=False).returncode == 2
    with pytest.raises(fastjsonschema.JsonSchemaException, match=named):
        check["scenario"](tomllib.loads(whole))


@pytest.mark.parametrize("text", ["workload.rate_per_s = \"50 requests/s\"", "drives.d.spindle.rpm = \"120 rev/s\"", "simulation.until_s = \"2 min\"",
                                  "workload.mix = [[1, 0.5, 0, 1, 1, 0, \"4 KiB\"]]"])
def test_quantities_with_units_are_right(check, text):
    check["scenario"](tomllib.loads(text))


def test_keys_say_what_they_mean(check):
    rpm = schema("drive")["properties"]["spindle"]["properties"]["rpm"]
    assert "60 to 60000 rpm" in rpm["description"] and rpm["default"] > 0


@pytest.fixture
def editor(tmp_path):
    """taplo, which VS Code's "Even Better TOML" is made of, in a tree with this one's .taplo.toml, scenarios and schemas."""
    taplo = Path(sys.executable).with_name("taplo")
    shutil.copy(ROOT / ".taplo.toml", tmp_path)
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios", ignore=lambda _, names: [n for n in names if "." in n and not n.endswith(".toml")])
    for name in re.findall(r'schema.path = "(.*)"', (ROOT / ".taplo.toml").read_text()):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(schema(path.stem)))

    def lint(*files: str) -> tuple[int, str]:
        done = subprocess.run([taplo, "lint", *files], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    return tmp_path, lint


def test_taplo_finds_every_shipped_file_right(editor):
    _, lint = editor
    status, said = lint()
    assert status == 0, said
    assert int(re.search(r"found files total=(\d+) excluded=", said)[1]) > 120


@pytest.mark.parametrize("file, key", [("scenarios/one_drive.toml", "rate_per_s"), ("scenarios/drives/quantum_atlas_10k.toml", "rpm"),
                                       ("scenarios/servo/rotary.toml", None), ("scenarios/linux/nearline.toml", None),
                                       ("scenarios/experiments/queueing/mg1/scenario.toml", None)])
def test_taplo_names_a_misspelt_key(editor, file, key):
    """In a file of each rule of .taplo.toml, with its line."""
    place, lint = editor
    lines = (place / file).read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if re.match(rf"{key or '[a-z_]+'} *=", line))
    lines[at] = "mis" + lines[at]
    (place / file).write_text("\n".join(lines) + "\n")
    status, said = lint(file)
    assert status != 0 and f"{file}:{at + 1}:" in said and f"'mis{lines[at].split('=')[0].strip()[3:]}'" in said

"""The table of pictures is complete: each picture of the docs has its commands there, and each entry is a picture that a page shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = tomllib.loads((ROOT / "testbench" / "pictures" / "pictures.toml").read_text())


def test_each_picture_has_its_commands_and_a_page():
    kept = {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    made = {name for name in kept if name.startswith("validation-")}  # by `armature validate --all`, with its page
    assert kept - made == set(TABLE)
    pages = "".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    assert {name for name in kept if f"pictures/{name})" not in pages} == set()


def test_commands_name_files_that_exist():
    for name, wanted in TABLE.items():
        lines = [*wanted["commands"], wanted.get("gtkwave", {}).get("view", "")]
        for path in re.findall(r"(?:scenarios|waveforms)/[\w./-]+", " ".join(lines)):
            assert (ROOT / path).exists(), f"{name}: {path}"


def test_a_name_that_is_none_gets_a_hint():
    done = subprocess.run([sys.executable, str(ROOT / "testbench" / "pictures"), "trak.svg"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "did you mean track.svg?" in done.stderr

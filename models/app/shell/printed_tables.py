"""Writes the tables in the pages of docs/lab that a command prints. A table lies between <!-- printed: ./armature COMMAND --> and
<!-- end of printed -->; COMMAND may end in "; columns A,B". Commands of the program print tab-separated lines, those of the study
(sweep, oracle) aligned columns.

    python3 models/app/shell/printed_tables.py ./armature docs/lab [--check] [--fast]

--fast leaves out the tables of the study, whose runs take up to two minutes each.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import marked_region

BEGIN = re.compile(r"<!-- printed: \./armature (?P<command>[^;>]+?)(?:; columns (?P<columns>[^>]+?))? -->\n")
END = "<!-- end of printed -->\n"
STUDY = ("sweep", "oracle")


def aligned(text: str) -> list[list[str]]:
    """The rows of the first table in `text`, up to a line of another shape. A cell begins or ends where its heading does."""
    lines = text.split("\n")
    headings = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\S+(?: \S+)*", lines[0])]
    rows = [[name for _, _, name in headings]]
    for line in lines[1:]:
        cells = [""] * len(headings)
        for match in re.finditer(r"\S+(?: \S+)*", line):
            found = [i for i, (begin, end, _) in enumerate(headings) if match.start() == begin or match.end() == end]
            if len(found) != 1:
                return rows
            cells[found[0]] = match[0]
        if sum(map(bool, cells)) < 2:
            return rows
        rows.append(cells)
    return rows


def rows_of(program: str, wrapper: Path, command: str) -> list[list[str]]:
    words = shlex.split(command)
    of_study = words[0] in STUDY
    with tempfile.TemporaryDirectory() as out:
        call = [str(wrapper), *words, "--out", out] if of_study else [program, *words]
        done = subprocess.run(call, cwd=wrapper.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command}: status {done.returncode}\n{done.stderr}")
    return aligned(done.stdout) if of_study else [line.split("\t") for line in done.stdout.splitlines()]


def table(rows: list[list[str]], command: str, columns: str | None) -> str:
    chosen = re.split(r",(?! )", columns) if columns else rows[0]  # "power, W" is one name
    if unknown := set(chosen) - set(rows[0]):
        raise SystemExit(f"{command}: no column {', '.join(sorted(unknown))}")
    places = [rows[0].index(name) for name in chosen]
    rows = [[row[place] for place in places] for row in rows]
    lines = [" | ".join(rows[0]), "|".join(["---"] * len(chosen)), *(" | ".join(row) for row in rows[1:])]
    return "".join(f"| {line} |\n" if "---" not in line else f"|{line}|\n" for line in lines)


def main() -> int:
    wrapper, pages = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    program = os.environ.get("ARMATURE_BINARY") or str(wrapper.parent / ".build/release/models/app/armature")
    status = 0
    for page in sorted(pages.glob("*.md")):
        for region in BEGIN.finditer(page.read_text()):
            command = region["command"]
            if "--fast" in sys.argv[3:] and command.split()[0] in STUDY:
                continue
            text = table(rows_of(program, wrapper, command), command, region["columns"])
            status |= marked_region.write(page, region[0], text, END, "gen tables", "--check" in sys.argv[3:])
    return status


if __name__ == "__main__":
    sys.exit(main())

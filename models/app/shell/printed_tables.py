"""Writes the tables in the pages of docs/lab that a command prints. A table lies between <!-- printed: ./armature COMMAND --> and
<!-- end of printed -->. Commands of the program print tab-separated lines, those of the study (sweep, oracle) aligned columns.
COMMAND is the last one of the indented block above if the line is <!-- printed: above -->. After it may stand, in this order:

    ; columns A,B as C   these columns, in this order; B is called C
    ; rows A=VALUE       the rows with this value
    ; across A,B: X,Y    X and Y beside each other for each value of A and B, in a row for each value of the other columns

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

BEGIN = re.compile(r"<!-- printed: (?:above|\./armature (?P<command>[^;>]+?))(?:; columns (?P<columns>[^;>]+?))?"
                   r"(?:; rows (?P<column>[^=;>]+)=(?P<value>[^;>]+?))?(?:; across (?P<keys>[^:;>]+): (?P<figures>[^>]+?))? -->\n")
END = "<!-- end of printed -->\n"
BLOCK = re.compile(r"(?:^ {4}.*\n)+", re.MULTILINE)
STUDY = ("sweep", "oracle")


def command_of(region: re.Match) -> str:
    if region["command"]:
        return region["command"]
    blocks = BLOCK.findall(region.string, 0, region.start())
    lines = blocks[-1].replace("\\\n", " ").splitlines() if blocks else [""]
    if not lines[-1].startswith("    ./armature "):
        raise SystemExit(f"{region[0].strip()}: no command above")
    return " ".join(shlex.quote(word) for word in shlex.split(lines[-1], comments=True)[1:])


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


def names(text: str) -> list[str]:
    return re.split(r",(?! )", text)  # "power, W" is one name


def picked(rows: list[list[str]], chosen: list[str], command: str) -> list[list[str]]:
    asked = [(name, heading or name) for name, _, heading in (one.partition(" as ") for one in chosen)]
    if unknown := {name for name, _ in asked} - set(rows[0]):
        raise SystemExit(f"{command}: no column {', '.join(sorted(unknown))}")
    places = [rows[0].index(name) for name, _ in asked]
    return [[heading for _, heading in asked], *([row[place] for place in places] for row in rows[1:])]


def beside(rows: list[list[str]], keys: list[str], figures: list[str], command: str) -> list[list[str]]:
    """A row for each value of the other columns, with `figures` for each value of `keys`, both in the order of their appearance."""
    others = [name for name in rows[0] if name not in (*keys, *figures)]
    cells: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}
    for other, key, told in zip(*(map(tuple, picked(rows, names_, command)[1:]) for names_ in (others, keys, figures))):
        cells.setdefault(other, {})[key] = list(told)
    values = list(dict.fromkeys(key for row in cells.values() for key in row))
    return [others + [f"{', '.join(key)}: {figure}" for key in values for figure in figures],
            *([*other, *(cell for key in values for cell in row.get(key, [""] * len(figures)))] for other, row in cells.items())]


def table(rows: list[list[str]], region: re.Match) -> str:
    command = command_of(region)
    if region["column"]:
        wanted = picked(rows, [region["column"]], command)
        rows = [rows[0], *(row for row, (told,) in zip(rows[1:], wanted[1:]) if told == region["value"])]
    if region["columns"]:
        rows = picked(rows, names(region["columns"]), command)
    if region["keys"]:
        rows = beside(rows, names(region["keys"]), names(region["figures"]), command)
    lines = [" | ".join(rows[0]), "|".join(["---"] * len(rows[0])), *(" | ".join(row) for row in rows[1:])]
    return "".join(f"| {line} |\n" if "---" not in line else f"|{line}|\n" for line in lines)


def main() -> int:
    wrapper, pages = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    program = os.environ.get("ARMATURE_BINARY") or str(wrapper.parent / ".build/release/models/app/armature")
    status = 0
    for page in sorted(pages.glob("*.md")):
        for number in range(len(BEGIN.findall(page.read_text()))):
            text = page.read_text()
            region = list(BEGIN.finditer(text))[number]
            command = command_of(region)
            if "--fast" in sys.argv[3:] and command.split()[0] in STUDY:
                continue
            written = table(rows_of(program, wrapper, command), region)
            status |= marked_region.write(page, text[:region.end()], written, END, "gen tables", "--check" in sys.argv[3:])
    return status


if __name__ == "__main__":
    sys.exit(main())

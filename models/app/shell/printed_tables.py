"""Writes the tables in the pages of docs/lab that a command of the program prints, tab-separated with a header line. A table lies
between <!-- printed: ./armature COMMAND --> and <!-- end of printed -->; COMMAND may end in "; columns A,B".

    python3 models/app/shell/printed_tables.py ./armature docs/lab [--check]
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import marked_region

BEGIN = re.compile(r"<!-- printed: \./armature (?P<command>[^;>]+?)(?:; columns (?P<columns>[\w,]+))? -->\n")
END = "<!-- end of printed -->\n"


def table(program: str, root: Path, command: str, columns: str | None) -> str:
    done = subprocess.run([program, *shlex.split(command)], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command}: status {done.returncode}\n{done.stderr}")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    chosen = columns.split(",") if columns else rows[0]
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
            text = table(program, wrapper.parent, region["command"], region["columns"])
            status |= marked_region.write(page, region[0], text, END, "gen tables", "--check" in sys.argv[3:])
    return status


if __name__ == "__main__":
    sys.exit(main())

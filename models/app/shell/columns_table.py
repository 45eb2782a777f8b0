"""Writes the table of the columns of requests.csv in docs/reference/results.md, as the program describes them.

    python3 models/app/shell/columns_table.py ./armature docs/reference/results.md [--check]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import marked_region

BEGIN, END = "<!-- columns: written by ./armature gen columns -->\n", "<!-- end of columns -->\n"


def table(program: str) -> str:
    done = subprocess.run([program, "describe", "requests.csv", "--tsv"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"describe requests.csv: status {done.returncode}\n{done.stderr}")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    lines = [f"| {' | '.join(rows[0])} |", "|---|---|---|"]
    lines += [f"| `{name}` | {unit} | {meaning} |" for name, unit, meaning in rows[1:]]
    return "\n".join(lines) + "\n"


def main() -> int:
    program, path = sys.argv[1], Path(sys.argv[2])
    return marked_region.write(path, BEGIN, table(program), END, "gen columns", "--check" in sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())

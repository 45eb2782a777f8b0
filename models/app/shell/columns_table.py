"""Writes the table of the columns of requests.csv in docs/reference/results.md, as the program describes them.

    python3 models/app/shell/columns_table.py ./armature docs/reference/results.md [--check]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
    page = path.read_text()
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{path}: no place for the table between {BEGIN.strip()} and {END.strip()}")
    text = before + BEGIN + table(program) + END + after
    if text == page:
        return 0
    if "--check" in sys.argv[3:]:
        print(f"{path} is out of date; ./armature gen columns writes it", file=sys.stderr)
        return 1
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the table of ATA commands in docs/reference/ata-commands.md from the firmware's table.

    python3 models/app/shell/ata_table.py ./armature docs/reference/ata-commands.md [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import marked_region

BEGIN, END = "<!-- commands: written by ./armature gen ata -->\n", "<!-- end of commands -->\n"
SOURCE = "models/firmware/src/commands/command_table.h"
ROW = re.compile(
    r'X\(0x(?P<code>[0-9A-F]{2}), "(?P<name>[^"]*)", FW_(?P<protocol>\w+), (?P<flags>[^,]+), (?P<handler>\w+), '
    r'"(?P<set>[^"]*)", "(?P<answer>[^"]*)"\)'
)
PROTOCOLS = {
    "ABSENT": "absent",
    "NON_DATA": "non-data",
    "PIO_IN": "PIO data-in",
    "PIO_OUT": "PIO data-out",
    "DMA_IN": "DMA data-in",
    "DMA_OUT": "DMA data-out",
    "QUEUED_IN": "queued data-in",
    "QUEUED_OUT": "queued data-out",
}


def table(source: Path) -> str:
    text = source.read_text()
    rows = list(ROW.finditer(text))
    if len(rows) != len(re.findall(r"^  X\(", text, re.MULTILINE)):
        raise SystemExit(f"{source}: a row of the table has another form")
    codes = [row["code"] for row in rows]
    if codes != sorted(set(codes)):
        raise SystemExit(f"{source}: the codes do not ascend")
    lines = ["| code | command | protocol | needed by | the drive |", "|---|---|---|---|---|"]
    for row in rows:
        answer = row["answer"] or "aborted: not claimed"
        lines.append(f"| {row['code']}h | {row['name']} | {PROTOCOLS[row['protocol']]} | {row['set']} | {answer} |")
    lines.append("| all others | | absent | | aborted |")
    return "\n".join(lines) + "\n"


def main() -> int:
    wrapper, path = Path(sys.argv[1]), Path(sys.argv[2])
    return marked_region.write(path, BEGIN, table(wrapper.parent / SOURCE), END, "gen ata", "--check" in sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())

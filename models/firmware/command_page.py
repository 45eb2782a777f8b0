"""Writes the table of ATA commands in docs/reference/ata-commands.md from the firmware's table.

    python3 models/firmware/command_page.py docs/reference/ata-commands.md [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

BEGIN, END = "<!-- commands: written by ./armature gen ata -->\n", "<!-- end of commands -->\n"
TABLE = Path(__file__).parent / "src/commands/command_table.h"
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


def table() -> str:
    text = TABLE.read_text()
    rows = list(ROW.finditer(text))
    if len(rows) != len(re.findall(r"^  X\(", text, re.MULTILINE)):
        raise SystemExit(f"{TABLE}: a row of the table has another form")
    codes = [row["code"] for row in rows]
    if codes != sorted(set(codes)):
        raise SystemExit(f"{TABLE}: the codes do not ascend")
    lines = ["| code | command | protocol | needed by | the drive |", "|---|---|---|---|---|"]
    for row in rows:
        answer = row["answer"] or "aborted: not claimed"
        lines.append(f"| {row['code']}h | {row['name']} | {PROTOCOLS[row['protocol']]} | {row['set']} | {answer} |")
    lines.append("| all others | | absent | | aborted |")
    return "\n".join(lines) + "\n"


def main() -> int:
    path = Path(sys.argv[1])
    page = path.read_text()
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{path}: no place for the table between {BEGIN.strip()} and {END.strip()}")
    text = before + BEGIN + table() + END + after
    if text == page:
        return 0
    if "--check" in sys.argv[2:]:
        print(f"{path} is out of date; ./armature gen ata writes it", file=sys.stderr)
        return 1
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

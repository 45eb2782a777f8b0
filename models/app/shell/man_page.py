"""Prints the man page armature(1), made from docs/reference/commands.md."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def escaped(line: str) -> str:
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


def main() -> int:
    text = Path(sys.argv[1]).read_text()
    lines = [
        '.TH ARMATURE 1 "" "Armature" "User Commands"',
        ".SH NAME",
        "armature \\- hardware\\-level model of storage drives",
        ".SH SYNOPSIS",
        ".B armature",
        ".I COMMAND",
        "[\\fIOPTION\\fR...]",
        ".SH DESCRIPTION",
        "Simulates hard disks and MEMS stores behind a drive controller with firmware and a SATA\\-like host interface.",
        "The pages in docs/ describe scenarios, drive files and results; docs/README.md says where to look.",
        ".SH COMMANDS",
    ]
    for name, body in re.findall(r"^## ([^\n]+)\n\n```\n(.*?)\n```$", text, flags=re.MULTILINE | re.DOTALL):
        lines += [f".SS armature {escaped(name)}", ".nf", *map(escaped, body.splitlines()), ".fi"]
    lines += [
        ".SH EXIT STATUS",
        "0 done; 1 a check failed or the model itself did; 2 bad input or a missing package; 3 no progress.",
    ]
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())

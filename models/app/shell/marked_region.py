"""A table in a page, between two marks, that a command writes or checks."""

from __future__ import annotations

import sys
from pathlib import Path


def write(path: Path, begin: str, table: str, end: str, command: str = "", check: bool = False) -> int:
    """Puts the table between the marks. With `check` it writes nothing: status 1, and the
    command that writes, if the page has another table."""
    page = path.read_text()
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{path}: no place for the table between {begin.strip()} and {end.strip()}")
    text = before + begin + table + end + after
    if text == page:
        return 0
    if check:
        print(f"{path} is out of date; ./armature {command} writes it", file=sys.stderr)
        return 1
    path.write_text(text)
    return 0

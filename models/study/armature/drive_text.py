"""The text of a drive file with some keys set; its remarks stay."""

from __future__ import annotations

import re


def _span(lines: list[str], start: int) -> int:
    """The line behind a key's value, which may go over several."""
    depth = 0
    for number in range(start, len(lines)):
        code = re.sub(r'"[^"]*"', "", lines[number]).split("#")[0]
        depth += code.count("[") - code.count("]")
        if depth <= 0:
            return number + 1
    return len(lines)


def with_keys(text: str, keys: dict[str, str], remark: str) -> str:
    """A drive file's text with some keys set: in their lines, or at the end of their sections."""
    lines = text.splitlines()
    for name, value in keys.items():
        section, key = name.split(".", 1)
        header = next((i for i, line in enumerate(lines) if re.match(rf"\s*\[{re.escape(section)}\]\s*(#.*)?$", line)), None)
        if header is None:
            lines += ["", f"[{section}]"]
            header = len(lines) - 1
        end = next((i for i in range(header + 1, len(lines)) if re.match(r"\s*\[[A-Za-z_.]+\]\s*(#.*)?$", lines[i])),
                   len(lines))
        at = next((i for i in range(header + 1, end) if re.match(rf"\s*{re.escape(key)}\s*=", lines[i])), None)
        new = [f"{key} = {value}  # {remark}"] if "\n" not in value else [f"# {remark}", *f"{key} = {value}".split("\n")]
        if at is not None:
            lines[at:_span(lines, at)] = new
        else:
            while end > header + 1 and not lines[end - 1].strip():
                end -= 1
            lines[end:end] = new
    return "\n".join(lines) + "\n"


def table_text(rows: list[list[float]]) -> str:
    text, line = "[\n", " "
    for distance, ms in rows:
        cell = f" [{distance:.0f}, {ms:.6g}],"
        if len(line) + len(cell) > 118:
            text += line + "\n"
            line = " "
        line += cell
    return text + line + "\n]"

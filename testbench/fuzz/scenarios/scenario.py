"""A scenario as data, so that it can be written, run and made smaller."""

from __future__ import annotations

import bz2
import copy
import gzip
import lzma
from dataclasses import dataclass, field
from pathlib import Path


def literal(value) -> str:
    """In TOML's syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {literal(v)}" for key, v in value.items()) + "}"
    return repr(value)


@dataclass
class Scenario:
    """Keys of all drives, keys of each drive (its file under "model"), and the lines of a trace if there is one."""

    shared: dict = field(default_factory=dict)
    drives: dict[str, dict] = field(default_factory=dict)
    trace: list[str] | None = None
    trace_head: list[str] = field(default_factory=list)
    trace_name: str = "load.csv"
    packing: str = ""  # gz, xz or bz2
    line_end: str = "\n"
    last_line_end: bool = True
    byte_order_mark: bool = False
    wrong_line: int | None = None  # of the file, from 1: the one that `check` and `run` must refuse; 0: there is nothing
    waves: list[str] = field(default_factory=lambda: ["--waves"])  # options of the second run
    shuffle: int = 0  # seed of a run beside another drive with simultaneous events in a random order; 0: there is none

    def copy(self) -> "Scenario":
        return copy.deepcopy(self)

    def text(self) -> str:
        sections: dict[str, list[str]] = {}
        for name, value in self.shared.items():
            section, _, key = name.partition(".")
            sections.setdefault(section, []).append(f"{key} = {literal(value)}")
        out = []
        for section, lines in sections.items():
            out += [f"[{section}]", *lines, ""]
        for name, keys in self.drives.items():
            out += [f"[drives.{name}]", *(f"{key} = {literal(value)}" for key, value in keys.items()), ""]
        return "\n".join(out)

    def write(self, directory: Path) -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        if self.trace is not None:
            (directory / self.trace_name).write_bytes(self.trace_file())
        path = directory / "scenario.toml"
        path.write_text(self.text())
        return path

    def trace_file(self) -> bytes:
        lines = self.trace_head + self.trace
        text = self.line_end.join(lines) + (self.line_end if self.last_line_end and lines else "")
        data = (b"\xef\xbb\xbf" if self.byte_order_mark else b"") + text.encode()
        if self.packing == "gz":
            return gzip.compress(data, 1, mtime=0)
        if self.packing == "xz":
            return lzma.compress(data, preset=0)
        return bz2.compress(data) if self.packing == "bz2" else data

    def value(self, drive: str, key: str, default=None):
        """What holds for a drive: its own key, or the one of all."""
        return self.drives[drive].get(key, self.shared.get(key, default))

    def any(self, *names: str) -> bool:
        """Whether a key of these names (or of a section, by a trailing dot) is set anywhere."""
        found = set(self.shared)
        for keys in self.drives.values():
            found |= set(keys)
        return any(key == name or (name.endswith(".") and key.startswith(name)) for key in found for name in names)

"""Where the program `armature` is: said by ARMATURE_BINARY, installed, or built in a clone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .errors import InputError

_BUILT = ("release", "bench")  # presets, in this order; others are slow
_NAME = "models/app/armature"


def _is_program(path: Path) -> bool:
    """The compiled program, which the wrapper of a clone is not: that is a script, which builds and may install packages."""
    try:
        with open(path, "rb") as stream:
            return stream.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def _built_in(clone: Path) -> Path | None:
    for preset in _BUILT:
        if _is_program(path := clone / ".build" / preset / _NAME):
            return path
    return None


def _clones() -> list[Path]:
    """Clones that may be meant: the one that this package lies in, the one of a wrapper in PATH, and the current folder or
    one above it."""
    near = [*Path(__file__).resolve().parents]
    if wrapper := shutil.which("armature"):
        near.append(Path(wrapper).resolve().parent)
    near += [Path.cwd(), *Path.cwd().parents]
    return [folder for folder in dict.fromkeys(near) if (folder / "armature").is_file() and (folder / "CMakePresets.json").is_file()]


def program_path() -> Path:
    """The program. InputError, which says where it was looked for, if there is none."""
    if told := os.environ.get("ARMATURE_BINARY"):
        return Path(told)  # whether it can be run is told by whoever runs it
    looked = ["ARMATURE_BINARY is not set"]
    installed = shutil.which("armature")
    if installed and _is_program(Path(installed)):
        return Path(installed)
    looked.append(f"{installed} is the wrapper of a clone" if installed else "no armature in PATH")
    for clone in _clones():
        if path := _built_in(clone):
            return path
        looked.append(f"{clone}/.build has no {' or '.join(_BUILT)} build (./armature build makes it)")
    if len(looked) == 2:
        looked.append("no clone at this package or above the current folder")
    raise InputError(f"the program armature was not found: {'; '.join(looked)}")

"""The examples of docs/extending.md: what its page changes is applied to a copy of the sources, built, and tried.

    python3 testbench/unit/extending_test.py register|job --build BUILD [--cc cc] [--cxx c++] [--nm nm]

`register`: the timer's new register is read through firmware's device file. Its generated headers are those of
testbench/unit/extending/register_generated.patch, because the generator is not there everywhere.
`job`: firmware with the new job is compiled, its calls keep to the layers, and the arm does what the job says.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SECTIONS = {"register": "A register", "job": "A job of the firmware"}
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]


def run(*command: str | Path, **options) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(str(part) for part in command)}\n{done.stdout}{done.stderr}")


def changes(section: str) -> list[str]:
    """The ```diff blocks of a section of the page."""
    page = (ROOT / "docs/extending.md").read_text()
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if not text:
        raise SystemExit(f"docs/extending.md has no section {section!r}")
    return re.findall(r"^```diff\n(.*?)^```$", text[1], re.MULTILINE | re.DOTALL)


def copied(place: Path, what: str) -> None:
    for folder in ("models/core", "models/controller", "models/firmware", "rtl/regs"):
        shutil.copytree(ROOT / folder, place / folder)
    applied = [*changes(SECTIONS[what])]
    if not applied:
        raise SystemExit("the section has no changes")
    if what == "register":
        applied.append((HERE / "extending/register_generated.patch").read_text())
    for change in applied:
        run("patch", "-p1", "--no-backup-if-mismatch", "--quiet", cwd=place, input=change)


def objects(options: argparse.Namespace, place: Path) -> list[Path]:
    """Firmware, compiled; each file in the folder of its layer."""
    firmware = place / "models/firmware"
    sources = [firmware / name for name in re.findall(r"src/[\w/]+\.c", (firmware / "sources.cmake").read_text())]
    flags = ["-std=c11", "-O1", "-ffreestanding", *WARNINGS, f"-I{firmware}/include", f"-I{firmware}/src"]

    def compiled(source: Path) -> Path:
        out = place / "objects" / source.parent.name / f"{source.stem}.c.o"
        out.parent.mkdir(parents=True, exist_ok=True)
        run(options.cc, *flags, "-c", source, "-o", out)
        return out

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(compiled, sources))


def try_register(options: argparse.Namespace, place: Path) -> None:
    models = place / "models"
    include = [f"-I{models}/core/include", f"-I{models}/controller/include", f"-I{models}/firmware/include", f"-I{models}/firmware/src"]
    flags = ["-std=c11", "-O1", "-ffreestanding", *WARNINGS, *include]
    run(options.cc, *flags, "-c", models / "firmware/src/devices/timer.c", "-o", place / "timer.o")
    core = options.build / "models/core/libarmature_core.a"
    sources = [HERE / "extending/register_check.cpp", models / "controller/src/timer.cpp"]
    libraries = [place / "timer.o", core, "-lsystemc", "-lfmt", "-lspdlog", "-ltomlplusplus", "-lpthread"]
    flags = ["-std=c++17", "-O0", "-DFMT_SHARED", f"-I{ROOT}/testbench", *include]
    run(options.cxx, *flags, *sources, *libraries, "-o", place / "register_check")
    run(place / "register_check", env={"SC_COPYRIGHT_MESSAGE": "DISABLE"})


def try_job(options: argparse.Namespace, place: Path) -> None:
    built = objects(options, place)
    run(sys.executable, HERE / "firmware_layers.py", "--nm", options.nm, *built)
    include = place / "models/firmware/include"
    run(options.cc, "-std=c11", "-O1", f"-I{include}", HERE / "extending/job_check.c", *built, "-o", place / "job_check")
    run(place / "job_check")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=SECTIONS)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--nm", default="nm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        copied(place, options.what)
        {"register": try_register, "job": try_job}[options.what](options, place)
    return 0


if __name__ == "__main__":
    sys.exit(main())

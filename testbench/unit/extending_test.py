"""The examples of docs/guide/extending.md: what its page changes is applied to a copy of the sources, built, and tried.

    python3 testbench/unit/extending_test.py EXAMPLE --build BUILD [--cc cc] [--cxx c++] [--nm nm]

`register`: the timer's new register is read through firmware's device file. Its generated headers are those of
testbench/unit/extending/register_generated.patch, because the generator is not there everywhere.
`job`: firmware with the new job is compiled, its calls keep to the layers, and the arm does what the job says.
`firmware_policy`, `ata_command`: the page's blocks are followed in a folder of a user's, with the program of the build.
`dispatch_policy`: the host's changed files are compiled, and the policy's order is tried.
`dispatch_policy_built`: the page's blocks are followed in a copy of the whole tree, which builds its own program.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SECTIONS = {
    "register": "A register",
    "job": "A job of the firmware",
    "firmware_policy": "A policy of the firmware",
    "ata_command": "An ATA command",
    "dispatch_policy": "A dispatch policy of the host",
    "dispatch_policy_built": "A dispatch policy of the host",
}
NEAR = 0.1  # numbers with a point in what a command prints may differ by so much: they are measurements
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]


def run(*command: str | Path, **options) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(str(part) for part in command)}\n{done.stdout}{done.stderr}")


def blocks(section: str) -> list[tuple[str, str]]:
    """The blocks of a section of the page: language and text."""
    page = (ROOT / "docs/guide/extending.md").read_text()
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if not text:
        raise SystemExit(f"docs/guide/extending.md has no section {section!r}")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text[1], re.MULTILINE | re.DOTALL)


def changes(section: str) -> list[str]:
    return [text for language, text in blocks(section) if language == "diff"]


def patch(change: str, place: Path) -> None:
    command = ["patch", "-p1", "--no-backup-if-mismatch"]
    done = subprocess.run(command, cwd=place, input=change, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\n{change}")


def same_word(expected: str, found: str) -> bool:
    if expected == found:
        return True
    try:
        one, other = float(expected.rstrip(",")), float(found.rstrip(","))
    except ValueError:
        return False
    return "." in expected and abs(one - other) <= NEAR * abs(one)


def same_line(expected: str, found: str) -> bool:
    """`...` stands for any words."""
    wanted, words = expected.split(), found.split()
    while wanted and wanted[0] != "...":
        if not words or not same_word(wanted.pop(0), words.pop(0)):
            return False
    if not wanted:
        return not words
    rest = " ".join(wanted[1:])
    return not rest or any(same_line(rest, " ".join(words[i:])) for i in range(len(words) + 1))


def compare(command: str, expected: list[str], printed: str) -> None:
    """A line `...` stands for any lines."""
    found = [line for line in printed.splitlines() if line.strip()]
    at, skips = 0, False
    for line in expected:
        if line.strip() == "...":
            skips = True
            continue
        while at < len(found) and skips and not same_line(line, found[at]):
            at += 1
        if at == len(found) or not same_line(line, found[at]):
            raise SystemExit(f"$ {command}\n{printed}\nthe page has: {line}")
        at, skips = at + 1, False
    if at < len(found) and not skips:
        raise SystemExit(f"$ {command}\n{printed}\nthe page does not have: {found[at]}")


def follow(section: str, place: Path, environment: dict[str, str]) -> None:
    """Applies the changes and types the commands, in the order of the page."""
    typed = 0
    for language, text in blocks(section):
        if language == "diff":
            patch(text, place)
        if language != "console":
            continue
        for command, *expected in (part.splitlines() for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]):
            done = subprocess.run(["bash", "-c", command], cwd=place, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"$ {command}\n{done.stdout}{done.stderr}\nstatus {done.returncode}")
            compare(command, expected, done.stdout)
            typed += 1
    if typed == 0:
        raise SystemExit(f"{section}: there is no command")


def copied(place: Path, what: str) -> None:
    for folder in ("models/core", "models/controller", "models/firmware", "models/host", "rtl/regs"):
        shutil.copytree(ROOT / folder, place / folder)
    applied = [*changes(SECTIONS[what])]
    if not applied:
        raise SystemExit("the section has no changes")
    if what == "register":
        applied.append((HERE / "extending/register_generated.patch").read_text())
    for change in applied:
        patch(change, place)


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


def try_folder(options: argparse.Namespace, place: Path) -> None:
    """In a folder beside the tree: what a user changes is there, the rest is the tree's."""
    for name in ("armature", "models", "scenarios"):
        (place / name).symlink_to(ROOT / name)
    program = options.build / "models/app/armature"
    follow(SECTIONS[options.what], place, dict(os.environ, ARMATURE_BINARY=str(program), COLUMNS="200"))


def try_dispatch_policy(options: argparse.Namespace, place: Path) -> None:
    models = place / "models"
    include = [f"-I{models}/core/include", f"-I{models}/host/include", *(f"-I{ROOT}/models/{name}/include" for name in ("workload", "sata"))]
    libraries = [options.build / f"models/{name}/libarmature_{name}.a" for name in ("host", "workload", "sata", "core")]
    sources = [HERE / "extending/dispatch_check.cpp", models / "host/src/dispatch_policy.cpp", models / "host/src/host_params.cpp"]
    system = ["-lsystemc", "-lfmt", "-lspdlog", "-ltomlplusplus", "-larchive", "-lz", "-lpthread"]
    flags = ["-std=c++17", "-O0", "-DFMT_SHARED", "-Wall", "-Wextra", "-Werror"]
    run(options.cxx, *flags, *include, *sources, *libraries, *system, "-o", place / "dispatch_check")
    run(place / "dispatch_check", env={"SC_COPYRIGHT_MESSAGE": "DISABLE"})


def try_built(options: argparse.Namespace, place: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in tracked.stdout.split("\0"):
        if not name or name.startswith("testbench/") or not (ROOT / name).is_file():
            continue
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name)
    shutil.copytree(ROOT / "testbench", place / "testbench", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if name != "ARMATURE_BINARY"}
    follow(SECTIONS[options.what], place, environment)


TRIES = {
    "register": try_register,
    "job": try_job,
    "firmware_policy": try_folder,
    "ata_command": try_folder,
    "dispatch_policy": try_dispatch_policy,
    "dispatch_policy_built": try_built,
}


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
        if TRIES[options.what] not in (try_folder, try_built):
            copied(place, options.what)
        TRIES[options.what](options, place)
    return 0


if __name__ == "__main__":
    sys.exit(main())

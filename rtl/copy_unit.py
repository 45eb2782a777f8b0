#!/usr/bin/env python3
"""A folder with a copy of the arm-arbitration unit, ready to be changed: ./armature rtl copy FOLDER [PATCH]."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

RTL = pathlib.Path(__file__).resolve().parent


def fail(text):
    print(f"armature rtl copy: {text}", file=sys.stderr)
    sys.exit(2)


def own_files(patch):
    """The files of rtl/aau that a patch changes; all of them without a patch."""
    if patch is None:
        return sorted(path.name for path in (RTL / "aau").glob("*.sv"))
    named = [line.split()[1] for line in patch.read_text().splitlines() if line.startswith("+++ ")]
    foreign = [name for name in named if not name.startswith("b/rtl/aau/")]
    if foreign or not named:
        fail(f"{patch}: a patch of files in rtl/aau is needed, as git diff writes it" +
             (f", not of {foreign[0]}" if foreign else ""))
    return [pathlib.Path(name).name for name in named]


def copy(folder, patch):
    own = own_files(patch)
    with tempfile.TemporaryDirectory() as whole:
        unit = pathlib.Path(whole) / "rtl/aau"
        shutil.copytree(RTL / "aau", unit)
        if patch is not None:
            done = subprocess.run(["patch", "-p1", "--forward", "--silent", "-d", whole, "-i", patch.resolve()],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                fail(f"{patch} does not apply to rtl/aau: {done.stdout.strip()}{done.stderr.strip()}")
        folder.mkdir(parents=True, exist_ok=True)
        for name in own:
            shutil.copy(unit / name, folder)
    lines = [name if name in own else name.removeprefix("../") if "/" in name else f"aau/{name}"
             for name in ["lint.vlt", "probes.vlt", *(RTL / "aau/sources.txt").read_text().split()]]
    (folder / "sources.txt").write_text("\n".join(lines) + "\n")
    return own


def main():
    parser = argparse.ArgumentParser(prog="armature rtl copy", description="Copies the arm-arbitration unit into a folder of your own: "
                                     "all of its files, or those that a patch changes. sources.txt names the rest where they are.")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="is made; must not hold a sources.txt yet")
    parser.add_argument("patch", type=pathlib.Path, metavar="PATCH", nargs="?", help="of files in rtl/aau, applied to the copy")
    parser.add_argument("--force", action="store_true", help="write over what FOLDER holds")
    options = parser.parse_args()
    if options.patch and not options.patch.is_file():
        fail(f"there is no file {options.patch}")
    if (options.folder / "sources.txt").exists() and not options.force:
        fail(f"{options.folder} holds RTL already; --force writes over it")
    for name in copy(options.folder, options.patch):
        print(options.folder / name)


if __name__ == "__main__":
    main()

"""Makes the pictures of the docs anew, as pictures.toml tells: `armature gen pictures`.

Commands run in a directory of their own, so that no run of the reader's is touched. A picture that needs a measured trace or a
program that is absent is left as it is, and the end says so.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "testbench" / "study"))


class Absent(Exception):
    """What a picture needs and this machine has not."""


class Failed(Exception):
    """A command that ended with another status than 0, and its last lines."""


def table() -> dict[str, dict]:
    return tomllib.loads((Path(__file__).with_name("pictures.toml")).read_text())


def command(line: str, directory: Path) -> None:
    """`armature ...`, in the directory; paths of the repository that it names are taken from there."""
    words = [str(ROOT / word) if word.startswith(("scenarios/", "waveforms/")) else word for word in shlex.split(line)]
    if words[0] == "armature":
        words[0] = str(ROOT / "armature")
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{line}\n" + "\n".join((done.stdout + done.stderr).splitlines()[-5:]))


def of_gtkwave(wanted: dict, directory: Path, png: Path) -> None:
    for program in ("gtkwave", "Xvfb"):
        if not shutil.which(program):
            raise Absent(f"{program} (apt-get install gtkwave xvfb)")
    command(shlex.join(["waveforms/screenshot.sh", wanted["waves"], wanted["view"], str(png), wanted["size"]]), directory)


def of_a_page(wanted: dict, directory: Path, png: Path) -> None:
    """The part of a page that the elements of `clip` (CSS selectors) take together, with a margin."""
    from browser import Browser

    try:
        browser = Browser(directory / "browser")
    except FileNotFoundError as error:
        raise Absent(f"{error} (apt-get install chromium)") from error
    try:
        browser.look(wanted.get("width", 1280))
        browser.open(directory / wanted["page"])
        box = browser.evaluate(f"""(() => {{
          const found = {wanted["clip"]!r}.map(s => document.querySelector(s));
          if (found.includes(null)) return null;
          const boxes = found.map(e => e.getBoundingClientRect()), most = 8;
          const x = Math.min(...boxes.map(b => b.left)) + scrollX - most, y = Math.min(...boxes.map(b => b.top)) + scrollY - most;
          return {{x, y, scale: 1, width: Math.max(...boxes.map(b => b.right)) + scrollX + most - x,
                   height: Math.max(...boxes.map(b => b.bottom)) + scrollY + most - y}};
        }})()""")
        if box is None:
            raise Failed(f"{wanted['page']} has no element {wanted['clip']}")
        browser.picture(png, box)
    finally:
        browser.close()


def make(name: str, wanted: dict) -> None:
    reference = Path(os.environ.get("ARMATURE_REFERENCE", ROOT.parent / "shared" / "reference")).resolve()
    if wanted.get("needs") == "traces" and not (reference / "traces").is_dir():
        raise Absent("the measured traces (ARMATURE_REFERENCE names their folder)")
    with tempfile.TemporaryDirectory(prefix="armature_pictures_", ignore_cleanup_errors=True) as place:
        directory = Path(place)
        for file, text in wanted.get("files", {}).items():
            (directory / file).write_text(Template(text).substitute(REFERENCE=reference / "traces", SCENARIOS=ROOT / "scenarios"))
        for line in wanted["commands"]:
            command(line, directory)
        made = directory / name
        if "gtkwave" in wanted:
            of_gtkwave(wanted["gtkwave"], directory, made)
        elif "page" in wanted:
            of_a_page(wanted, directory, made)
        else:
            made = directory / wanted["file"]
        if not made.exists():
            raise Failed(f"no file {made.name} was made")
        shutil.copyfile(made, PICTURES / name)


def chosen(names: list[str], known: dict[str, dict]) -> list[str]:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else "; --list shows them"
            print(f"armature gen pictures: there is no picture {name}{hint}", file=sys.stderr)
            raise SystemExit(2)
    return names or list(known)


def main() -> int:
    parser = argparse.ArgumentParser(prog="armature gen pictures", description="makes the pictures of docs/ anew")
    parser.add_argument("names", nargs="*", metavar="FILE", help="names in docs/pictures; without one, all")
    parser.add_argument("--list", action="store_true", help="list them with the commands they come from")
    options = parser.parse_args()
    known = table()
    names = chosen(options.names, known)
    if options.list:
        for name in names:
            print(name, *("    " + line for line in known[name]["commands"]), sep="\n")
        return 0
    absent, failed = [], []
    for number, name in enumerate(names, 1):
        begun = time.monotonic()
        print(f"[{number}/{len(names)}] {name} ", end="", flush=True)
        try:
            make(name, known[name])
            print(f"{time.monotonic() - begun:.0f} s", flush=True)
        except Absent as error:
            absent.append(name)
            print(f"left as it is: needs {error}", flush=True)
        except (Failed, TimeoutError, RuntimeError) as error:
            failed.append(name)
            print(f"failed: {error}", flush=True)
    print(f"{len(names) - len(absent) - len(failed)} made, {len(absent)} left as they are, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

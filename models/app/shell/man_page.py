"""Writes the man pages: armature(1), and one a command, armature-run(1), made from the commands' own help.

    python3 models/app/shell/man_page.py docs/reference/commands.md FOLDER    # what ./armature has
    python3 models/app/shell/man_page.py PROGRAM FOLDER             # what the program has by itself
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

Helps = list[tuple[str, str]]  # "mems seek" and its help text

STATUS = "0 done; 1 a check failed or the model itself did; 2 bad input or a missing package; 3 no progress."


def escaped(line: str) -> str:
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


def of_page(text: str) -> Helps:
    return re.findall(r"^## ([^\n]+)\n\n```\n(.*?)\n```$", text, flags=re.MULTILINE | re.DOTALL)


def of_program(program: str) -> Helps:
    environment = dict(os.environ, COLUMNS="100", LC_ALL="C.UTF-8")

    def printed(*words: str) -> str:
        done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, env=environment, check=True)
        return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())

    def below(text: str) -> list[str]:
        return re.findall(r"^(?: {2}| {4})([a-z]\w*) ", text.partition("\nSubcommands:\n")[2], flags=re.MULTILINE)

    helps: Helps = []
    for command in below(printed()):
        helps.append((command, printed(command)))
        helps += [(f"{command} {inner}", printed(command, inner)) for inner in below(helps[-1][1])]
    return helps


def verbatim(text: str) -> list[str]:
    return [".nf", *map(escaped, text.splitlines()), ".fi"]


def command_page(command: str, helps: Helps) -> str:
    text = dict(helps)[command]
    lines = [
        f'.TH ARMATURE\\-{command.upper()} 1 "" "Armature" "User Commands"',
        ".SH NAME",
        f"armature\\-{command} \\- {escaped(text.splitlines()[0])}",
        ".SH DESCRIPTION",
        *verbatim(text),
    ]
    for name, inner in helps:
        if name.startswith(f"{command} "):
            lines += [f".SS armature {escaped(name)}", *verbatim(inner)]
    return "\n".join([*lines, ".SH EXIT STATUS", STATUS, ".SH SEE ALSO", ".BR armature (1)"]) + "\n"


def overview(helps: Helps) -> str:
    lines = [
        '.TH ARMATURE 1 "" "Armature" "User Commands"',
        ".SH NAME",
        "armature \\- hardware\\-level model of storage drives",
        ".SH SYNOPSIS",
        ".B armature",
        ".I COMMAND",
        "[\\fIOPTION\\fR...]",
        ".SH DESCRIPTION",
        "Simulates hard disks and MEMS stores behind a drive controller with firmware and a SATA host interface.",
        "A scenario (TOML) names drives and a load; a run leaves its results in a folder.",
        ".SH COMMANDS",
    ]
    for name, text in helps:
        if " " not in name:
            lines += [".TP", f".BR armature\\-{name} (1)", escaped(text.splitlines()[0])]
    return "\n".join([*lines, ".SH EXIT STATUS", STATUS]) + "\n"


def main() -> int:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    helps = of_page(source.read_text()) if source.suffix == ".md" else of_program(str(source))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "armature.1").write_text(overview(helps))
    for name, _ in helps:
        if " " not in name:
            (folder / f"armature-{name}.1").write_text(command_page(name, helps))
    return 0


if __name__ == "__main__":
    sys.exit(main())

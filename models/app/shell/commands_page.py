"""Writes docs/reference/commands.md: the help of every command, as the commands print it.

    python3 models/app/shell/commands_page.py ./armature docs/reference/commands.md [--check]

The wrapper prints a section of this page where a command's own program is not built yet, and the man page is made from it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HEAD = """# Commands

Written by `./armature gen commands`; do not edit. The help of every command, as `./armature COMMAND --help` prints it.
"""


def printed(wrapper: str, *words: str) -> str:
    """What `./armature words...` prints, 100 columns wide."""
    environment = dict(os.environ, COLUMNS="100", LC_ALL="C.UTF-8")
    done = subprocess.run([wrapper, *words], capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0 or not done.stdout:
        raise SystemExit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def commands(wrapper: str) -> list[str]:
    return printed(wrapper, "__complete", "").splitlines()


def subcommands(text: str) -> list[str]:
    """Those that a help text lists below "Subcommands:"."""
    _, _, below = text.partition("\nSubcommands:\n")
    return re.findall(r"^(?: {2}| {4})([a-z]\w*) ", below, flags=re.MULTILINE)


def page(wrapper: str) -> str:
    parts = [HEAD]
    for command in commands(wrapper):
        if command == "help":
            continue
        text = printed(wrapper, command, "--help")
        parts.append(f"## {command}\n\n```\n{text}\n```\n")
        for inner in subcommands(text):
            parts.append(f"## {command} {inner}\n\n```\n{printed(wrapper, command, inner, '--help')}\n```\n")
    return "\n".join(parts)


def main() -> int:
    wrapper, path = sys.argv[1], Path(sys.argv[2])
    if not path.exists():
        path.write_text(HEAD)
    # Of a command whose sub-commands the page does not know yet, the wrapper prints the command's own help: once more.
    text = page(wrapper)
    if "--check" in sys.argv[3:]:
        if text != path.read_text():
            print(f"{path} is out of date; ./armature gen commands writes it", file=sys.stderr)
            return 1
        return 0
    while text != path.read_text():
        path.write_text(text)
        text = page(wrapper)
    return 0


if __name__ == "__main__":
    sys.exit(main())

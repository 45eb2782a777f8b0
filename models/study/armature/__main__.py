"""The commands of the wrapper `armature` that Python does (COMMANDS)."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import signal
import sys

from .arguments import program_name
from .errors import InputError
from .program import Program

COMMANDS = {
    "sweep": "run many configurations of a scenario; one table",
    "compare": "compare runs: figures with confidence intervals, differences, pictures",
    "reproduce": "run the experiments of scenarios/experiments and compare them with published figures",
    "validate": "compare a drive file with the measured times of a real drive",
    "fit": "fit a drive file to measured times (half to train, half to test)",
    "drive": "drive new: a drive file from the figures of a datasheet",
    "drives": "compare the shipped drives as delivered with their datasheets",
    "loads": "compare the shipped loads with what is published of them",
    "idle": "how long drives have nothing to do, and what the best spin-down policy could save",
    "oracle": "spin-down policies beside an oracle that knows when requests come",
    "export": "a run for other viewers: Perfetto, SCViewer, Surfer",
    "fleet": "thousands of drives of several classes by a sample of them, with confidence intervals",
    "envelope": "how many arms at what speed stay within a drive's thermal envelope: a picture of a sweep",
    "life": "how long drives and arrays live, by temperature, starts and load, with and without arms that degrade gracefully",
}


def main(arguments: list[str]) -> int:
    name = program_name()
    parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    wanted = arguments[0] if arguments else ""
    for command, text in COMMANDS.items():
        sub = commands.add_parser(command, help=text, description=text, allow_abbrev=False)
        if command == wanted:  # the others' modules are not needed
            module = importlib.import_module(f".commands.{command}", __package__)
            module.add_arguments(sub)
    empty = _empty_text(arguments)
    if empty:
        parser.error(f"{empty}: a value is expected, not an empty text")
    options = parser.parse_args(arguments)

    received = []

    def terminate(number: int, _frame: object) -> None:
        received.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGINT, terminate)
    try:
        binary = os.environ.get("ARMATURE_BINARY")
        if not binary:
            raise InputError("ARMATURE_BINARY does not say where the program is")
        status = module.command(options, Program(binary))
        sys.stdout.flush()  # a full disk behind it is told below, not by the interpreter's end
        return status
    except InputError as error:
        print(f"{name}: {error}" if "\n" not in str(error) else str(error), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + (received[0] if received else signal.SIGINT)
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        _drop_output()
        print(f"{name}: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}", file=sys.stderr)
        return 2


def _empty_text(arguments: list[str]) -> str:
    """The option, or the place, of an argument without text, "" if there is none: a script's variable that is not set."""
    for place, argument in enumerate(arguments):
        if not argument:
            before = arguments[place - 1] if place else ""
            return before if before.startswith("-") else f"argument {place + 1}"
        if re.fullmatch("--[a-z-]+=", argument):
            return argument[:-1]
    return ""


def _drop_output() -> None:
    """What is still to be printed goes nowhere, so that the interpreter does not try again as it ends."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

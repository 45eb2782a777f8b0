"""The commands sweep, compare, reproduce, validate and fit of the wrapper `armature`."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys

from .errors import InputError
from .program import Program
from .sweep import program_name

_COMMANDS = {
    "sweep": "run many configurations of a scenario; one table",
    "compare": "compare runs: figures with confidence intervals, differences, pictures",
    "reproduce": "run the experiments of scenarios/experiments and hold them against published figures",
    "validate": "hold a drive file against the times that a real drive took",
    "fit": "improve a drive file with the times that the real drive took",
}


def main(arguments: list[str]) -> int:
    name = program_name()
    parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    wanted = arguments[0] if arguments else ""
    for command, text in _COMMANDS.items():
        sub = commands.add_parser(command, help=text, description=text, allow_abbrev=False)
        if command == wanted:  # the others' modules are not needed
            module = importlib.import_module(f".{command}", __package__)
            module.add_arguments(sub)
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
        return module.command(options, Program(binary))
    except InputError as error:
        print(f"{name}: {error}" if "\n" not in str(error) else str(error), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + (received[0] if received else signal.SIGINT)
    except BrokenPipeError:
        return 141


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The calls between firmware's files, from their object files, against its layers (the folders of models/firmware/src).

    python3 testbench/unit/firmware_layers.py --nm nm OBJECT...            checks
    python3 testbench/unit/firmware_layers.py --nm nm --print OBJECT...    prints who uses what of whom
    python3 testbench/unit/firmware_layers.py --nm nm --compiler cc --plant OBJECT...

A file may use what files of its own layer and of lower ones define. A file of `devices` uses no other one. No two files use each
other, directly or through others. `--plant` compiles files that break each of these rules, and checks that they are caught.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

LAYERS = ("core", "devices", "engine", "jobs", "smart", "commands")  # the lowest first

Graph = dict[str, dict[str, set[str]]]


def name_of(path: Path) -> str:
    """`jobs/stream` of .../src/jobs/stream.c.o."""
    return f"{path.parent.name}/{path.name.split('.')[0]}"


def uses(nm: str, objects: list[Path]) -> Graph:
    """For each file the files that define what it uses, with the symbols."""
    defined: dict[str, str] = {}
    names = {str(path): name_of(path) for path in objects}
    wanted: dict[str, set[str]] = {name: set() for name in names.values()}
    for line in subprocess.run([nm, "-A", *names], capture_output=True, text=True, check=True).stdout.splitlines():
        path, symbols = line.rsplit(":", 1)
        kind, symbol = symbols.split()[-2:]
        if kind == "U":
            wanted[names[path]].add(symbol)
        elif kind.isupper():
            defined[symbol] = names[path]
    graph: Graph = {name: {} for name in wanted}
    for name, symbols in wanted.items():
        for symbol in symbols & defined.keys():
            graph[name].setdefault(defined[symbol], set()).add(symbol)
    return graph


def rank(name: str) -> int:
    layer = name.split("/")[0]
    if layer not in LAYERS:
        raise SystemExit(f"{name}: no layer of that name; there are {', '.join(LAYERS)}")
    return LAYERS.index(layer)


def circles(graph: Graph) -> list[list[str]]:
    """Files that use each other, directly or through others (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in graph:
        if name not in index:
            visit(name)
    return found


def faults(graph: Graph) -> list[str]:
    told = []
    for name, others in sorted(graph.items()):
        rank(name)
        for other, symbols in sorted(others.items()):
            what = ", ".join(sorted(symbols))
            if rank(other) > rank(name):
                told.append(f"{name} calls up: {what} of {other}")
            elif rank(name) == rank(other) == LAYERS.index("devices"):
                told.append(f"{name} uses another device: {what} of {other}")
    for group in circles(graph):
        lines = [f"    {name} -> {other}: {', '.join(sorted(graph[name][other]))}" for name in group for other in sorted(graph[name]) if other in group]
        told.append("files use each other in a circle:\n" + "\n".join(lines))
    return told


def planted(options: argparse.Namespace) -> int:
    """Files that break the rules, each of which must be caught."""
    plants = (
        ("devices", "fw_stream_read", "calls up"),
        ("engine", "fw_media_command", "calls up"),
        ("devices", "fw_show", "uses another device"),
    )
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:

        def compiled(layer: str, name: str, text: str) -> Path:
            folder = Path(scratch) / layer
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.c").write_text(text)
            subprocess.run([options.compiler, "-c", "-o", folder / f"{name}.c.o", folder / f"{name}.c"], check=True)
            return folder / f"{name}.c.o"

        for layer, symbol, told in plants:
            extra = compiled(layer, "planted", f"void {symbol}(void);\nvoid planted(void);\nvoid planted(void) {{ {symbol}(); }}\n")
            found = [line for line in faults(uses(options.nm, [*options.objects, extra])) if f"{layer}/planted" in line and told in line]
            if not found:
                print(f"not caught: {layer}/planted uses {symbol}")
                missed += 1
        pair = [
            compiled("jobs", "one", "void two(void);\nvoid one(void);\nvoid one(void) { two(); }\n"),
            compiled("jobs", "two", "void one(void);\nvoid two(void);\nvoid two(void) { one(); }\n"),
        ]
        if not any("circle" in line and "jobs/one" in line for line in faults(uses(options.nm, [*options.objects, *pair]))):
            print("not caught: jobs/one and jobs/two use each other")
            missed += 1
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("objects", nargs="+", type=Path)
    options = parser.parse_args()
    if options.plant:
        return planted(options)
    graph = uses(options.nm, options.objects)
    if options.print:
        for name, others in sorted(graph.items()):
            print(f"{name}: " + "; ".join(f"{other} ({', '.join(sorted(symbols))})" for other, symbols in sorted(others.items())))
    told = faults(graph)
    for line in told:
        print(line)
    print(f"{len(graph)} files, {sum(len(others) for others in graph.values())} uses")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())

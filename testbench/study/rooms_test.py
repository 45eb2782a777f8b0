"""How the package armature is built: no circles between its modules, results apart from commands, no long functions."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "models/study/armature"
_MOST_LINES = 60  # of a function


def modules(package: Path) -> dict[str, Path]:
    """Files by their module's name within the package: commands.sweep; the package itself is the empty name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: set[str]) -> set[str]:
    """Modules of the package that a module imports, within functions and for type checkers too."""
    here = name.split(".") if name else []
    if path.name != "__init__.py":
        here = here[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1]
            full = ".".join([*base, *(node.module.split(".") if node.module else [])])
            if not node.module:
                found |= {".".join([*base, alias.name]) for alias in node.names}
            elif full in known:
                found.add(full)
                found |= {f"{full}.{alias.name}" for alias in node.names} & known
            else:
                raise AssertionError(f"{path}: imports {full}, which there is not")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "armature":
            raise AssertionError(f"{path}: imports {node.module} by its full name")
    return found & known


def graph(package: Path) -> dict[str, set[str]]:
    files = modules(package)
    return {name: imports(name, path, set(files)) for name, path in files.items()}


def circle(of: dict[str, set[str]]) -> list[str]:
    """Modules that import one another in a ring; empty if there is none."""
    try:
        TopologicalSorter(of).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_one_another_in_a_circle():
    assert circle(graph(PACKAGE)) == []


def test_results_know_nothing_of_commands():
    """What computes, writes and draws can be imported without the options and messages of a command line."""
    wrong = {name: sorted(wanted) for name, of in graph(PACKAGE).items()
             if not name.startswith("commands") and (wanted := {one for one in of if one.startswith("commands")})}
    assert wrong == {}
    parsers = [name for name, path in modules(PACKAGE).items()
               if not name.startswith("commands") and "def add_arguments" in path.read_text()]
    assert parsers == []


def test_each_command_has_its_module():
    from armature.__main__ import COMMANDS

    there = {name.removeprefix("commands.") for name in modules(PACKAGE) if name.startswith("commands.")}
    assert there == set(COMMANDS)


@pytest.mark.parametrize("name", modules(PACKAGE))
def test_functions_are_short(name):
    tree = ast.parse(modules(PACKAGE)[name].read_text())
    long = {node.name: node.end_lineno - node.lineno + 1 for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno - node.lineno >= _MOST_LINES}
    assert long == {}


def test_a_circle_is_found(tmp_path):
    (tmp_path / "commands").mkdir()
    for place, text in {"__init__.py": "", "one.py": "from .two import x\n", "two.py": "def f():\n    from . import three\n",
                        "three.py": "if TYPE_CHECKING:\n    from .one import y\n", "commands/__init__.py": "",
                        "commands/go.py": "from ..one import x\n"}.items():
        (tmp_path / place).write_text(text)
    assert set(circle(graph(tmp_path))) == {"one", "two", "three"}
    (tmp_path / "three.py").write_text("")
    assert circle(graph(tmp_path)) == []

"""Who changes what of the firmware's context, against the owners that its structures state (models/firmware/src/core).

    python3 testbench/unit/firmware_owners.py            checks
    python3 testbench/unit/firmware_owners.py --print    prints who writes what
    python3 testbench/unit/firmware_owners.py --plant    checks that a foreign write, a pointer and an idle owner are found

A structure's comment says `Changed by: FILES.` A file is a path below src; `*` stands for any letters. Other files may read the fields;
they may not assign to them, nor have a pointer to the structure that is not const. A structure inside of another one that states no
owners has those of the outer one. commands/reset.c sets all of it at power-on. Whoever is stated must write something.
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import sys
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "models/firmware/src"
FREE = {"fw_context_base", "fw_arm", "fw_request"}  # of the platform; of every job
POWER_ON = "commands/reset.c"

STRUCTURE = re.compile(r"((?:^//[^\n]*\n)*)^struct (fw_\w+) \{\n(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"^\s+struct (fw_\w+) (\w+)(?:\[[^;]*)?;", re.M)
PATH = r"((?:\[[^\]]*\]+|\.\w+)*)"
WRITE = re.compile(r"(\+\+|--)?\bctx->(\w+)" + PATH + r"\s*(=(?!=)|\+=|-=|\|=|&=|\^=|<<=|>>=|\+\+|--)?")
POINTER = re.compile(r"(\bconst )?\bstruct (fw_\w+)\* ?(?:const )?\w+")
FILE = re.compile(r"[a-z]+/[a-z_*]+\.[ch]|\*(?=[.,\s])")

Texts = dict[str, str]


def read() -> Texts:
    return {str(p.relative_to(SOURCES)): p.read_text() for p in sorted(SOURCES.glob("*/*.[ch]"))}


class State:
    """The structures of the context: owners, and members that are structures."""

    def __init__(self, texts: Texts):
        self.owners: dict[str, list[str]] = {}
        self.members: dict[str, dict[str, str]] = {}
        for name, text in texts.items():
            if not (name.startswith("core/") and name.endswith(".h")):
                continue
            for comment, structure, body in STRUCTURE.findall(text):
                self.members[structure] = {member: kind for kind, member in MEMBER.findall(body)}
                stated = comment.replace("\n// ", " ").partition("Changed by:")[2]
                if stated:
                    self.owners[structure] = FILE.findall(stated)

    def owner_of(self, member: str, path: str) -> str | None:
        """The innermost structure with owners that a path of the context lies in."""
        kind = self.members["fw_context"].get(member)
        found = kind if kind in self.owners else None
        for word in re.findall(r"\.(\w+)", path):
            kind = self.members.get(kind or "", {}).get(word)
            if kind in self.owners:
                found = kind
        return found


def writers(texts: Texts, state: State) -> dict[str, dict[str, set[str]]]:
    """Of each structure with owners: the files that write it, and what."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, text in texts.items():
        if name == POWER_ON or (name.startswith("core/") and name.endswith(".h")):
            continue
        text = re.sub(r"//[^\n]*", "", text)
        for before, member, path, after in WRITE.findall(text):
            owned = state.owner_of(member, path)
            if (before or after) and owned:
                found[owned][name].add(member + re.sub(r"\[[^\]]*\]+", "", path))
        if name.endswith(".h"):
            continue
        for const, structure in POINTER.findall(text):
            if not const and structure in state.owners:
                found[structure][name].add(f"a pointer to struct {structure}")
    return found


def findings(texts: Texts) -> list[str]:
    state = State(texts)
    errors = [f"core: struct {kind} (fw_context.{member}) does not say who changes it"
              for member, kind in state.members["fw_context"].items() if kind not in state.owners and kind not in FREE]
    written = writers(texts, state)
    for structure, owners in sorted(state.owners.items()):
        files = written.get(structure, {})
        for name, what in sorted(files.items()):
            if not any(fnmatch.fnmatch(name, owner) for owner in owners):
                errors.append(f"{name} changes {', '.join(sorted(what))}: struct {structure} is of {', '.join(owners)}")
        for owner in owners:
            if owner != POWER_ON and not fnmatch.filter(files, owner):
                errors.append(f"core: struct {structure} names {owner}, which changes nothing of it")
    return errors


def plant(texts: Texts) -> int:
    """Each of these must be found, and nothing else."""
    plants = {
        "commands/plant.c": "  ctx->destage.urgent = true;\n",
        "jobs/plant.c": "  ctx->line_cache.line[3].dirty |= 1u;\n",
        "smart/plant.c": "  struct fw_segment* const segment = &ctx->read_cache.segment[0];\n",
        "core/plant.h": "// Changed by: jobs/nobody.c.\nstruct fw_planted {\n  uint32_t word;\n};\n",
    }
    missed = 0
    for name, text in plants.items():
        found = findings({**texts, name: text})
        wanted = "jobs/nobody.c" if name == "core/plant.h" else name
        if len(found) != 1 or wanted not in found[0]:
            print(f"{name}: {found or 'not found'}")
            missed += 1
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--plant", action="store_true")
    options = parser.parse_args()
    texts = read()
    if options.plant:
        return 1 if plant(texts) else 0
    if options.print:
        for structure, files in sorted(writers(texts, State(texts)).items()):
            print(structure)
            for name, what in sorted(files.items()):
                print(f"  {name}: {' '.join(sorted(what))}")
    errors = findings(texts)
    print(*errors, sep="\n", end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Quality of the RTL: lint, synthesis, netlists, proofs. What is done to which instance: flow.toml beside this file.

    flow.py lint [FOLDER] [--only TEXT]
                                      every instance, warnings are errors; with FOLDER the arm-arbitration unit in that
                                      folder of RTL; --only instances whose names contain TEXT
    flow.py synth [--write] [--check] [--only TEXT]
                                      cells, flip-flops, depth; --write puts the table into docs/guide/arm-arbitration.md,
                                      --check only tells whether that table is of the present RTL, --only shows the rows
                                      of instances whose names contain TEXT
    flow.py netlist NAME FILE         the synthesised netlist of [netlist.NAME] as Verilog
    flow.py coverage PROGRAM          lines and toggles that a share of the cosimulation reaches, with a floor
    flow.py prove [--short] [--planted] [ID...]   bounded proofs; --planted: each with its planted bug, which must fail
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOW = tomllib.loads((ROOT / "rtl/synthesis/flow.toml").read_text())
DOC = ROOT / "docs/guide/arm-arbitration.md"
SOLVER = ["-s", "z3", "--unroll"]  # without --unroll z3 4.8 does not come back from the first step


def files(unit: dict) -> list[str]:
    sources = list(unit["sources"])
    if "list" in unit:
        names = (ROOT / unit["list"]).read_text().split()
        sources += [f"{unit['folder']}/{name}" for name in names]
    return sources


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=ROOT, text=True, capture_output=True, **options)


def fail(text: str) -> None:
    print(text, file=sys.stderr)
    sys.exit(1)


def yosys(script: str, log: pathlib.Path) -> None:
    done = run(["yosys", "-q", "-l", str(log), "-p", script])
    if done.returncode != 0:
        fail(done.stdout + done.stderr)


def read_script(unit: dict, parameters: dict, options: str = "", replaced: dict | None = None) -> str:
    sources = [(replaced or {}).get(name, name) for name in files(unit)]
    values = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    return (f"read_verilog -sv {options} -I{unit['folder']} -Irtl/formal {' '.join(sources)}; "
            f"hierarchy -check -top {unit['top']} {values}; ")


# --- Lint ----------------------------------------------------------------------------------------------------------------


def refuse(text: str) -> None:
    print(text, file=sys.stderr)
    sys.exit(2)


def own_unit(folder: pathlib.Path) -> tuple[dict, list[str]]:
    """The arm-arbitration unit in a folder of one's own, and its waivers: as rtl/sources.cmake reads such a folder."""
    listed = folder / "sources.txt"
    if not listed.is_file():
        refuse(f"{folder}: there is no sources.txt, which lists the RTL's files, one a line, packages first: "
               'docs/guide/arm-arbitration.md, "Plugging your own RTL"')
    sources = []
    for number, line in enumerate(listed.read_text().splitlines(), 1):
        name = line.split("#")[0].strip()
        if not name:
            continue
        candidates = [path for path in (folder / name, ROOT / "rtl" / name) if path.exists()]
        if not candidates:
            refuse(f"{listed}:{number}: there is no file {name}, neither in {folder} nor in {ROOT / 'rtl'}")
        sources.append(str(candidates[0].resolve()))
    waivers = [str(path) for path in sorted(folder.glob("*.vlt")) if path.name != "probes.vlt"]
    if not any(path.endswith("/lint.vlt") for path in sources + waivers):
        waivers.append("rtl/aau/lint.vlt")
    return {"top": "arm_arbitration_unit", "sources": sources, "folder": str(folder)}, waivers


def lint(folder: str | None, only: str) -> None:
    own = own_unit(pathlib.Path(folder).absolute()) if folder else None
    failed = 0
    for instance in FLOW["instance"]:
        if not instance.get("lint", True) or only not in instance["name"]:
            continue
        if own:
            sled = instance["parameters"].get("COST_MODEL") and not any(s.endswith("/aau_sled_cost.sv") for s in own[0]["sources"])
            if instance["unit"] != "aau" or sled:
                continue
            unit, waivers = own
        else:
            unit, waivers = FLOW["unit"][instance["unit"]], []
            if (ROOT / unit["folder"] / "lint.vlt").exists():
                waivers = [f"{unit['folder']}/lint.vlt"]
        waivers = ["rtl/lint.vlt", *waivers]
        done = run(["verilator", "--lint-only", "-Wall", "--assert", "--top-module", unit["top"], f"-I{unit['folder']}",
                    *(f"-G{name}={value}" for name, value in instance["parameters"].items()), *waivers, *files(unit)])
        print(f"{'clean' if done.returncode == 0 else 'FAILED'}: {instance['name']}")
        if done.returncode != 0:
            print(done.stderr)
            failed += 1
    if failed:
        fail(f"{failed} instances with findings")


# --- Synthesis -----------------------------------------------------------------------------------------------------------

BEGIN = "<!-- begin: ./armature rtl synth --write; sources "
END = "<!-- end: ./armature rtl synth --write -->"


def digest() -> str:
    """Of everything that the table depends on."""
    total = hashlib.sha256()
    units = {instance["unit"] for instance in FLOW["instance"] if instance.get("synth")}
    names = {name for unit in units for name in files(FLOW["unit"][unit])}
    for name in sorted(names):
        total.update((ROOT / name).read_bytes())
    total.update(json.dumps([i for i in FLOW["instance"] if i.get("synth")], sort_keys=True).encode())
    return total.hexdigest()[:16]


def synthesise(instance: dict, folder: pathlib.Path) -> dict:
    """Cells after technology mapping to Yosys's gate library. Memories without a reset stay memories: their bits are
    counted apart, and a read of one is a cell of the longest path."""
    unit = FLOW["unit"][instance["unit"]]
    log = folder / "log"
    script = read_script(unit, instance["parameters"])
    script += ("proc; flatten; opt_expr; opt_clean; check -assert; opt -nodffe -nosdff; fsm; opt; wreduce; peepopt; "
               "opt_clean; alumacc; share; opt; memory_dff; memory_share; opt_clean; opt -fast -full; opt -fast; "
               "techmap; opt -fast; abc -fast; opt -fast; "
               f"tee -o {folder}/stat.json stat -json; tee -o {folder}/ltp ltp -noff")
    yosys(script, log)
    text = (folder / "stat.json").read_text()
    stat = json.loads(text[text.index("{"):text.rindex("}") + 1])["design"]
    cells = stat["num_cells_by_type"]
    latches = {kind: count for kind, count in cells.items() if "LATCH" in kind or kind.startswith("$_SR")}
    if latches:
        fail(f"{instance['name']}: latches {latches}")
    flip_flops = sum(count for kind, count in cells.items() if "DFF" in kind)
    memory = sum(count for kind, count in cells.items() if kind.startswith("$mem"))
    depth = int(re.search(r"length=(\d+)", (folder / "ltp").read_text()).group(1))
    return {"gates": sum(cells.values()) - flip_flops - memory, "flip_flops": flip_flops,
            "memory_bits": stat["num_memory_bits"], "depth": depth}


def place(instance: dict, folder: pathlib.Path) -> str:
    """Timing estimate of an HX8K, which has too few pins for the unit's ports: they are left unplaced."""
    unit = FLOW["unit"][instance["unit"]]
    netlist = folder / "ice40.json"
    yosys(read_script(unit, instance["parameters"]) + f"synth_ice40 -json {netlist}", folder / "ice40.log")
    pcf = folder / "empty.pcf"
    pcf.write_text("")
    done = run(["nextpnr-ice40", "--hx8k", "--package", "ct256", "--json", str(netlist), "--freq", "10",
                "--pcf-allow-unconstrained", "--pcf", str(pcf), "--seed", "1"])
    used = re.search(r"ICESTORM_LC:\s+(\d+)/\s*(\d+)", done.stderr)
    if used and int(used.group(1)) > int(used.group(2)):
        return f"too large: {int(used.group(1)):,} of {int(used.group(2)):,} logic cells"
    speeds = re.findall(r"Max frequency for clock[^:]*: ([0-9.]+) MHz", done.stderr)
    if done.returncode != 0 or not used or not speeds:
        fail(f"{instance['name']}: nextpnr-ice40\n{done.stderr[-2000:]}")
    return f"{float(speeds[-1]):.0f} MHz, {int(used.group(1)):,} of {int(used.group(2)):,} logic cells"


def synth(write: bool, check: bool, only: str | None) -> None:
    if check:
        present = re.search(re.escape(BEGIN) + r"([0-9a-f]+) -->", DOC.read_text())
        if not present or present.group(1) != digest():
            fail("the table of costs is not of the present RTL: ./armature rtl synth --write")
        print("the table of costs is of the present RTL")
        return
    rows = ["| instance | gates | flip-flops | memory bits | depth | iCE40 HX8K |", "|---|--:|--:|--:|--:|---|"]
    for instance in FLOW["instance"]:
        if not instance.get("synth") or (only and only not in instance["name"]):
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            cost = synthesise(instance, folder)
            timing = place(instance, folder) if instance.get("ice40") else ""
        rows.append(f"| {instance['name']} | {cost['gates']:,} | {cost['flip_flops']:,} | {cost['memory_bits']:,} | "
                    f"{cost['depth']} | {timing} |")
        print(f"{rows[-1]}  {time.monotonic() - begin:.0f} s", flush=True)
    if write:
        text = DOC.read_text()
        table = f"{BEGIN}{digest()} -->\n\n" + "\n".join(rows) + f"\n\n{END}"
        changed, count = re.subn(re.escape(BEGIN) + r".*?" + re.escape(END), lambda _: table, text, flags=re.S)
        if count != 1:
            fail(f"{DOC} has no place for the table: {BEGIN}... {END}")
        DOC.write_text(changed)


def netlist(name: str, output: str) -> None:
    entry = FLOW["netlist"][name]
    unit = FLOW["unit"][entry["unit"]]
    log = pathlib.Path(output + ".log")
    yosys(read_script(unit, entry["parameters"]) +
          f"synth -flatten -top {unit['top']}; check -assert; splitnets; rename {unit['top']} {unit['top']}_netlist; "
          f"select -assert-none t:$_DLATCH* t:$_SR* t:$mem*; write_verilog -noattr -simple-lhs {output}", log)


# --- Coverage ------------------------------------------------------------------------------------------------------------


def coverage(program: str) -> None:
    """Of the design alone: assertions, generated packages and ports that this build ties to 0 do not count."""
    failed = []
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([program], cwd=name, text=True, capture_output=True)
        if done.returncode != 0:
            fail(done.stdout + done.stderr)
        for unit, floor in FLOW["coverage"].items():
            reached: dict[tuple, bool] = {}
            for line in (pathlib.Path(name) / f"coverage_{unit}.dat").read_text().splitlines():
                if not line.startswith("C "):
                    continue
                point, count = re.fullmatch(r"C '(.*)' (\d+)", line).groups()
                keys = dict(part.split("\x02", 1) for part in point.split("\x01") if part)
                source = os.path.basename(keys["f"])
                if "assertions" in source or source.endswith("_pkg.sv"):
                    continue
                if re.match(floor.get("without", "$^"), keys.get("o", "")):
                    continue
                kind = keys["page"].split("/")[0]
                # Several instances of a module count as one.
                place = ("toggle" if "toggle" in kind else "line", source, keys["l"], keys.get("n"), keys.get("o"))
                reached[place] = reached.get(place, False) or int(count) > 0
            for kind in ("line", "toggle"):
                points = {place: hit for place, hit in reached.items() if place[0] == kind}
                percent = 100 * sum(points.values()) / max(len(points), 1)
                print(f"{unit}: {kind} {percent:.1f} % of {len(points)} points")
                for place in sorted((p for p, hit in points.items() if not hit), key=lambda p: (p[1], int(p[2])))[:40]:
                    print(f"    not reached: {place[1]}:{place[2]} {place[4]}")
                if percent < floor[kind] or len(points) < 20:
                    failed.append(f"{unit}: {kind} below {floor[kind]} %")
    if failed:
        fail("\n".join(failed))


# --- Proofs --------------------------------------------------------------------------------------------------------------


def prove_one(proof: dict, folder: pathlib.Path, replaced: dict | None = None) -> tuple[bool, float]:
    unit = FLOW["unit"][proof["unit"]]
    smt2 = folder / "model.smt2"
    script = read_script(unit, proof["parameters"], f"-formal -D {proof['macro']}", replaced)
    script += (f"proc; {proof.get('prepare', '')} prep -flatten -top {unit['top']}; memory_map; async2sync; dffunmap; "
               f"opt_clean; select -assert-any t:$assert; write_smt2 -wires {smt2}")
    yosys(script, folder / "log")
    mode = ["-i"] if proof["mode"] == "induction" else []
    begin = time.monotonic()
    passed = True
    # Induction needs its base as well: the first `depth` clocks from reset.
    for step in ([], mode) if mode else ([],):
        done = run(["yosys-smtbmc", *SOLVER, *step, "-t", str(proof["depth"]), "--noprogress", str(smt2)])
        if "Status: PASSED" in done.stdout:
            continue
        if "Status: FAILED" not in done.stdout:
            fail(f"{proof['id']}: no answer\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        passed = False
        failing = [line for line in done.stdout.splitlines() if "Assert failed" in line]
        print("\n".join(failing[:1]))
        break
    return passed, time.monotonic() - begin


def prove(ids: list[str], short: bool, planted: bool) -> None:
    wrong = 0
    chosen = [p for p in FLOW["proof"] if (not ids or p["id"] in ids) and (not short or p.get("short"))]
    if not chosen:
        fail("no such proof")
    for proof in chosen:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            replaced = None
            if planted:
                bug = proof["planted"]
                text = (ROOT / bug["file"]).read_text()
                if bug["old"] not in text:
                    fail(f"{proof['id']}: the planted bug no longer fits {bug['file']}")
                (folder / "planted.sv").write_text(text.replace(bug["old"], bug["new"], 1))
                replaced = {bug["file"]: str(folder / "planted.sv")}
            passed, seconds = prove_one(proof, folder, replaced)
        reach = "of any length, by induction over" if proof["mode"] == "induction" else "from reset,"
        print(f"{proof['id']}: {'holds' if passed else 'FAILS'} ({reach} {proof['depth']} clocks), {seconds:.1f} s",
              flush=True)
        wrong += passed == planted
    if wrong:
        fail(f"{wrong} proofs {'did not notice their planted bug' if planted else 'failed'}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="armature rtl", description="Quality of the RTL (docs/guide/arm-arbitration.md)")
    commands = parser.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("lint", help="Verilator -Wall over every instance")
    sub.add_argument("folder", nargs="?", help="of an arm-arbitration unit of your own, instead of rtl/")
    sub.add_argument("--only", metavar="TEXT", default="", help="only instances whose names contain TEXT")
    sub = commands.add_parser("synth", help="cells, flip-flops, depth, and an iCE40 estimate, an instance a row")
    sub.add_argument("--write", action="store_true", help="into docs/guide/arm-arbitration.md")
    sub.add_argument("--check", action="store_true", help="only: is the table there of the present RTL?")
    sub.add_argument("--only", metavar="TEXT", help="the rows of instances whose names contain TEXT")
    sub = commands.add_parser("netlist", help="a synthesised netlist as Verilog")
    sub.add_argument("name", choices=sorted(FLOW["netlist"]))
    sub.add_argument("output")
    sub = commands.add_parser("coverage", help="lines and toggles that a share of the cosimulation reaches")
    sub.add_argument("program")
    sub = commands.add_parser("prove", help="proofs by yosys-smtbmc")
    sub.add_argument("--short", action="store_true", help="those that the tests run")
    sub.add_argument("--planted", action="store_true", help="each with its planted bug: it must fail")
    sub.add_argument("ids", nargs="*")
    arguments = parser.parse_args()
    if arguments.command == "lint":
        lint(arguments.folder, arguments.only)
    elif arguments.command == "synth":
        if arguments.only and arguments.write:
            parser.error("synth: --write writes the whole table, --only shows some of its rows")
        synth(arguments.write, arguments.check, arguments.only)
    elif arguments.command == "netlist":
        netlist(arguments.name, os.path.abspath(arguments.output))
    elif arguments.command == "coverage":
        coverage(os.path.abspath(arguments.program))
    else:
        prove(arguments.ids, arguments.short, arguments.planted)


if __name__ == "__main__":
    main()

"""What background work on spare arms and sleds reads, and what it costs: the tables of docs/lab/spare-arms-results.md.

    python3 testbench/study/spare_arms.py [--only arms|list|sleds|seeds] [--count 10000] [--jobs 2] [--page docs/lab/spare-arms-results.md]

Runs scenarios/spare_arm_scan.toml and mems_scan.toml under each load with each budget (background.max_added_us); `list` is a list of
reads that the host names, the others are the media scan. All drives of a point have the same requests. `seeds` compares what is added at
500 us with what firmware estimates, over runs with other seeds, and has a rebuild's reads (spare_arm_rebuild.toml), too. --page writes the
tables into a page between their marks, <!-- spare arms --> and so on.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "models/app/shell"))

import marked_region  # noqa: E402


@dataclass(frozen=True)
class Table:
    scenario: str
    drives: dict[str, str]  # how the page names each
    rates: tuple[int, ...]  # request/s, beside one request always outstanding
    budgets: tuple[int, ...]  # us
    work: tuple[str, ...] = ()  # settings of the background work

    def loads(self) -> dict[str, list[str]]:
        open_ = {f"{rate} request/s": ["workload.outstanding=1", "workload.kind=open", f"workload.rate_per_s={rate}"] for rate in self.rates}
        return {"one always outstanding": []} | open_


ARMS = {"one_arm": "one arm", "sa2": "SA(2)", "ma2": "MA(2)", "mc2": "MC(2)"}
TABLES = {
    "arms": Table("spare_arm_scan", ARMS, (30, 80), (0, 100, 500, 2000)),
    "list": Table("spare_arm_scan", ARMS, (30, 80), (0, 100, 500, 2000),
                  ("background.scan_idle_ms=0", "host.background_outstanding=16", "host.background_sectors=128")),
    "sleds": Table("mems_scan", {"sled": "one sled", "two_sleds": "two sleds", "free_reads": "one sled, free reads"}, (400, 800),
                   (0, 20, 100, 400)),
}
SEEDS = range(1, 9)


def summary_of(binary: Path, scenario: str, settings: list[str]) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        command = [str(binary), "run", str(ROOT / f"scenarios/{scenario}.toml")]
        for each in [*settings, f"output.directory={folder}"]:
            command += ["--set", each]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        return json.loads((Path(folder) / "summary.json").read_text())


def run(binary: Path, count: int, table: Table, load: str, budget: int, seed: int = 1) -> dict[str, dict[str, float]]:
    """Of each drive: mean and p99, ms; MB/s of the background work; what firmware takes for added, us."""
    settings = [f"workload.count={count}", f"background.max_added_us={budget}", f"simulation.seed={seed}"]
    settings += table.work if budget else ["background.scan_idle_ms=0"]  # none: what the others are compared with
    summary = summary_of(binary, table.scenario, settings + table.loads()[load])
    drives = {drive["name"]: drive for drive in summary["drives"]}
    return {name: figures(drives[name]) for name in table.drives}


def figures(drive: dict) -> dict[str, float]:
    counters = drive["counters"]
    return {
        "mean": drive["response"]["all"]["mean_ms"],
        "p99": drive["response"]["all"]["p99_ms"],
        "rate": sum(counters.get(key, 0) for key in ("background_mb_per_s", "scanned_mb_per_s", "free_read_mb_s")),
        "estimate": counters.get("background_added_s", 0) * 1e6 / drive["completed"],
    }


def lines_of(table: Table, results: dict[tuple[str, int], dict[str, dict[str, float]]]) -> list[str]:
    lines = ["| load | drive | budget, us | background, MB/s | mean, ms | p99, ms | added, us | estimated, us |",
             "|---|---|--:|--:|--:|--:|--:|--:|"]
    for load in table.loads():
        shown_load = load  # load and drive stand in the first of their rows alone
        for name, shown in table.drives.items():
            without = results[load, 0][name]
            for budget in table.budgets:
                own = results[load, budget][name]
                added = f"{(own['mean'] - without['mean']) * 1e3:.0f}" if budget else ""
                estimate = f"{own['estimate']:.0f}" if budget else ""
                lines.append(f"| {shown_load} | {shown} | {budget or 'none'} | {own['rate']:.2f} | {own['mean']:.2f} | "
                             f"{own['p99']:.1f} | {added} | {estimate} |")
                shown_load = shown = ""
    return lines


def table_of(table: Table, binary: Path, count: int, pool: ThreadPoolExecutor) -> list[str]:
    points = [(load, budget) for load in table.loads() for budget in table.budgets]
    return lines_of(table, dict(zip(points, pool.map(lambda point: run(binary, count, table, *point), points))))


def rebuild(binary: Path, count: int, name: str, seed: int) -> tuple[float, float]:
    """What the rebuild of a mirror's member adds to the mean, and what firmware of the other takes for that, us."""
    arms = {"one_arm": ["arms.count=1", "arms.design=own"]}.get(name, ["arms.count=2", f"arms.design={name[:2].upper()}"])
    settings = [*arms, f"workload.count={count}", f"simulation.seed={seed}"]
    without, own = (summary_of(binary, "spare_arm_rebuild", [*settings, *more]) for more in (["array.spares=[]"], []))
    means = [summary["drives"][0]["response"]["all"]["mean_ms"] for summary in (without, own)]  # of the array
    estimate = max(drive["counters"].get("background_added_s", 0) for drive in own["drives"][1:])
    return (means[1] - means[0]) * 1e3, estimate * 1e6 / count


def seeds(binary: Path, count: int, pool: ThreadPoolExecutor) -> list[str]:
    """Mean of SEEDS runs and its standard error."""
    table, budget = TABLES["arms"], 500
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for load in list(table.loads())[:2]:
        runs = list(pool.map(lambda seed: [run(binary, count, table, load, us, seed) for us in (0, budget)], SEEDS))
        found[f"scan, {load}"] = {name: [((own[name]["mean"] - without[name]["mean"]) * 1e3, own[name]["estimate"])
                                         for without, own in runs] for name in table.drives}
    found["rebuild, 30 request/s"] = {name: list(pool.map(lambda seed: rebuild(binary, count, name, seed), SEEDS)) for name in table.drives}
    lines = ["| us | " + " | ".join(table.drives.values()) + " |", "|---|" + "--:|" * len(table.drives)]
    for work, drives in found.items():
        for which, told in enumerate(("added", "estimated")):
            values = [[pair[which] for pair in pairs] for pairs in drives.values()]
            cells = [f"{statistics.mean(each):.0f} ± {statistics.stdev(each) / len(each)**0.5:.1f}" for each in values]
            lines.append(f"| {work}: {told} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", type=Path, default=ROOT / ".build/release/models/app/armature")
    options.add_argument("--only", choices=[*TABLES, "seeds"], help="this table alone")
    options.add_argument("--count", type=int, default=10_000, help="requests of each run")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--page", type=Path, help="write the tables into this page, too")
    given = options.parse_args()
    for name in [*TABLES, "seeds"]:
        if given.only not in (None, name):
            continue
        with ThreadPoolExecutor(given.jobs) as pool:
            lines = seeds(given.binary, given.count, pool) if name == "seeds" else table_of(TABLES[name], given.binary, given.count, pool)
        print("\n".join(lines))
        if given.page:
            marked_region.write(given.page, f"<!-- spare {name} -->\n", "\n".join(lines) + "\n", f"<!-- end of spare {name} -->\n")


if __name__ == "__main__":
    main()

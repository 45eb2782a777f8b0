"""What background work on spare arms and sleds reads, and what it costs: the tables of docs/lab/spare-arms-results.md.

    python3 testbench/study/spare_arms.py [--only arms|list|sleds] [--count 10000] [--jobs 2] [--page docs/lab/spare-arms-results.md]

Runs scenarios/spare_arm_scan.toml and mems_scan.toml under each load with each budget (background.max_added_us); `list` is a list of
reads that the host names, the others are the media scan. All drives of a point have the same requests. --page writes the tables into a
page between their marks, <!-- spare arms --> and so on.
"""

from __future__ import annotations

import argparse
import json
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


def run(binary: Path, count: int, table: Table, load: str, budget: int) -> dict[str, dict[str, float]]:
    """Of each drive: mean and p99, ms; MB/s of the background work; what firmware takes for added, us."""
    with tempfile.TemporaryDirectory() as folder:
        settings = [f"workload.count={count}", f"background.max_added_us={budget}", f"output.directory={folder}"]
        settings += table.work if budget else ["background.scan_idle_ms=0"]  # none: what the others are compared with
        command = [str(binary), "run", str(ROOT / f"scenarios/{table.scenario}.toml")]
        for each in settings + table.loads()[load]:
            command += ["--set", each]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        summary = json.loads((Path(folder) / "summary.json").read_text())
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", type=Path, default=ROOT / ".build/release/models/app/armature")
    options.add_argument("--only", choices=TABLES, help="this table alone")
    options.add_argument("--count", type=int, default=10_000, help="requests of each run")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--page", type=Path, help="write the tables into this page, too")
    given = options.parse_args()
    for name, table in TABLES.items():
        if given.only not in (None, name):
            continue
        points = [(load, budget) for load in table.loads() for budget in table.budgets]
        with ThreadPoolExecutor(given.jobs) as pool:
            results = dict(zip(points, pool.map(lambda point, of=table: run(given.binary, given.count, of, *point), points)))
        lines = lines_of(table, results)
        print("\n".join(lines))
        if given.page:
            marked_region.write(given.page, f"<!-- spare {name} -->\n", "\n".join(lines) + "\n", f"<!-- end of spare {name} -->\n")


if __name__ == "__main__":
    main()

"""What background work on spare arms reads, and what it costs: the table of docs/guide/spare-arms.md.

    python3 testbench/study/spare_arms.py [--work scan] [--count 10000] [--jobs 2] [--page docs/guide/spare-arms.md]

Runs scenarios/spare_arm_scan.toml under each load with each budget (background.max_added_us), with the media scan or with a list of
reads that the host names. All drives of a point have the same requests. --page writes the table into a page between its marks,
<!-- spare arms --> for the scan and <!-- spare list --> for the list.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "scenarios/spare_arm_scan.toml"
DRIVES = {"one_arm": "one arm", "sa2": "SA(2)", "ma2": "MA(2)", "mc2": "MC(2)"}
LOADS = {
    "one always outstanding": [],
    "30 request/s": ["workload.kind=open", "workload.rate_per_s=30"],
    "80 request/s": ["workload.kind=open", "workload.rate_per_s=80"],
}
BUDGETS = (0, 100, 500, 2000)  # us
WORK = {"scan": [], "list": ["background.scan_idle_ms=0", "host.background_outstanding=16", "host.background_sectors=128"]}


def run(binary: Path, work: str, count: int, load: str, budget: int) -> dict[str, dict[str, float]]:
    """Of each drive: mean and p99, ms; MB/s of the background work; what firmware takes for added, us."""
    with tempfile.TemporaryDirectory() as folder:
        settings = [f"workload.count={count}", f"background.max_added_us={budget}", f"output.directory={folder}"]
        settings += WORK[work] if budget else ["background.scan_idle_ms=0"]  # none: what the others are compared with
        for key in ("workload.outstanding",) if LOADS[load] else ():
            settings.append(f"{key}=1")
        command = [str(binary), "run", str(SCENARIO)]
        for each in settings + LOADS[load]:
            command += ["--set", each]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        summary = json.loads((Path(folder) / "summary.json").read_text())
    drives = {drive["name"]: drive for drive in summary["drives"]}
    return {name: figures(drives[name]) for name in DRIVES}


def figures(drive: dict) -> dict[str, float]:
    counters = drive["counters"]
    seconds = drive["completed"] / drive["requests_per_s"]
    return {
        "mean": drive["response"]["all"]["mean_ms"],
        "p99": drive["response"]["all"]["p99_ms"],
        "rate": counters.get("background_mb_per_s", counters["scanned_sectors"] * 512 / 1e6 / seconds),
        "estimate": counters.get("background_added_s", 0) * 1e6 / drive["completed"],
    }


def table(results: dict[tuple[str, int], dict[str, dict[str, float]]]) -> list[str]:
    lines = ["| load | drive | budget, us | background, MB/s | mean, ms | p99, ms | added, us | estimated, us |",
             "|---|---|--:|--:|--:|--:|--:|--:|"]
    for load in LOADS:
        for name, shown in DRIVES.items():
            without = results[load, 0][name]
            for budget in BUDGETS:
                own = results[load, budget][name]
                added = f"{(own['mean'] - without['mean']) * 1e3:.0f}" if budget else ""
                estimate = f"{own['estimate']:.0f}" if budget else ""
                lines.append(f"| {load} | {shown} | {budget or 'none'} | {own['rate']:.2f} | {own['mean']:.2f} | "
                             f"{own['p99']:.1f} | {added} | {estimate} |")
    return lines


def write(page: Path, work: str, lines: list[str]) -> None:
    name = {"scan": "spare arms", "list": "spare list"}[work]
    first, last = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not end:
        sys.exit(f"{page}: there is no {first.strip()} with its end")
    page.write_text(before + first + "\n".join(lines) + "\n" + last + after)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", type=Path, default=ROOT / ".build/release/models/app/armature")
    options.add_argument("--work", choices=WORK, default="scan", help="what is read in the background")
    options.add_argument("--count", type=int, default=10_000, help="requests of each run")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--page", type=Path, help="write the table into this page, too")
    given = options.parse_args()
    points = [(load, budget) for load in LOADS for budget in BUDGETS]
    with ThreadPoolExecutor(given.jobs) as pool:
        results = dict(zip(points, pool.map(lambda point: run(given.binary, given.work, given.count, *point), points)))
    lines = table(results)
    print("\n".join(lines))
    if given.page:
        write(given.page, given.work, lines)


if __name__ == "__main__":
    main()

"""Power cuts at random instants, with power on and a read of everything that was written.

    python3 testbench/fuzz/power_cuts --program PROGRAM [--seed S] [--first N] [--count N] [--kind KIND] [--keep FOLDER]

A scenario of seed and number is always the same one. Each has drives, or an array, that lose their supply one to four times
under a load of writes, reads, flushes and FUA writes, and have it again after some milliseconds or seconds. The program
compares what the medium holds at each cut with what the host was told, and all that is read afterwards (host.verify,
host.read_back). This script also holds the journal (host.journal) to its rules. Kinds: disk, mems, raid; with work of their
own busy (disks), busy_mems, and busy_raid (a member fails, and a spare is rebuilt).
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scenarios"))
import own_work  # noqa: E402
import program as runner  # noqa: E402
from scenario import literal  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
DISKS_EACH = 10  # drives of a scenario
LOAD_S = 1.2
STORES = ("g1.toml", "g2.toml", "g2_dissertation.toml", "g3.toml")
CACHES = ("off", "on", "fua")  # the last one: a cache, and a host that forces every other write


def load(rng: Random, sectors: int, fua: float) -> str:
    """A trace in which writes meet in few places, so that old and new data lie beside each other."""
    rows = ["time_s,lbn,sectors,op,flags"]
    hot = rng.choice((256, 1024, 8192))
    first = rng.randrange(0, sectors - hot - 256) // 8 * 8
    reads, flushes = rng.choice((0.0, 0.2, 0.5)), rng.choice((0.01, 0.05, 0.15))
    time = 0.0
    step = rng.choice((0.0005, 0.002, 0.006))
    while time < LOAD_S and len(rows) < 900:
        time += rng.expovariate(1 / step)
        draw = rng.random()
        if draw < flushes:
            rows.append(f"{time:.9f},0,0,F,")
            continue
        size = rng.choice((8, 8, 16, 64, 128))
        lbn = first + rng.randrange(0, hot) // 8 * 8
        kind = "R" if draw < flushes + reads else "W"
        rows.append(f"{time:.9f},{lbn},{size},{kind},{'FUA' if kind == 'W' and rng.random() < fua else ''}")
    return "\n".join(rows) + "\n"


def cuts(rng: Random, name: str) -> tuple[str, int]:
    """Times of one drive's supply; some are told to stand by first. Returns the rows, and how many cuts."""
    text, time, count = "", 0.0, rng.randint(1, 4)
    for _ in range(count):
        time += rng.uniform(0.002, 0.5)
        if rng.random() < 0.15:
            text += f'[[{name}host.commands]]\ncommand = "standby immediate"\nat_s = {time:.9f}\ntimeout_s = 20\n'
            time += rng.uniform(0.0, 1.5)
        text += f'[[{name}host.commands]]\ncommand = "power off"\nat_s = {time:.12f}\n'
        time += rng.choice((rng.uniform(0.000001, 0.01), rng.uniform(0.01, 0.4), rng.uniform(0.4, 4)))
        text += f'[[{name}host.commands]]\ncommand = "power on"\nat_s = {time:.12f}\n'
    return text, count


def disk(rng: Random, cache: str, busy: Random | None = None, queued: bool = True) -> str:
    """Keys of a small disk. `queued`: it has a host that may send background reads; a member of an array has none."""
    keys = {
        "geometry.heads": rng.choice((1, 2, 4)),
        "seek.table": "[[1, 1], [10, 1.6], [100, 4], [999, 12]]",
        "media.contents": '"memory"',
        "buffer.size": rng.choice(('"512 KiB"', '"1 MiB"', '"4 MiB"')),
        "spindle.rpm": rng.choice((5400, 7200, 15000)),
        "spindle.spin_up_s": rng.choice((0.05, 0.3, 2.0)),
        "spindle.spin_down_s": rng.choice((0.1, 1.0)),
        "cache.write": "false" if cache == "off" else "true",
        "cache.look_ahead": rng.choice(("false", "true")),
        "host.policy": rng.choice(('"fcfs"', '"clook"')),
        "arms.count": rng.choice((1, 1, 1, 2, 4)),
    }
    if rng.random() < 0.6:
        keys |= {"seek.load_ms": rng.choice((4, 40, 200)), "seek.unload_ms": rng.choice((3, 30, 300))}
    large = rng.random() < 0.25
    if large:
        keys |= {"geometry.physical_sector_bytes": 4096}
    keys["geometry.zones"] = "[[0, 499, 104, 0, 0, 0], [500, 999, 80, 0, 0, 0]]"
    if rng.random() < 0.2:
        keys["host.ncq"] = "false"
    if busy is not None:  # own draws, so that the others are the same
        keys |= {"spindle.spin_up_s": 0.3, "spindle.spin_down_s": 0.2}  # and so of a change of speed
        keys |= {key: literal(value) for key, value in own_work.keys(busy, queued and "host.ncq" not in keys, powered=False).items()}
    processor = rng.random()
    if processor < 0.08:
        keys["controller.processor"] = '"iss"'
    elif processor < 0.16:
        keys |= {"controller.processor": '"iss"', "firmware.time": '"instructions"'}
    if rng.random() < 0.1:
        keys["arbiter.model"] = '"lockstep"'
    return "".join(f"{key} = {value}\n" for key, value in keys.items())


def disks(rng: Random, busy: Random | None = None) -> tuple[str, dict[str, int]]:
    text, planned = "", {}
    for number in range(DISKS_EACH):
        name, cache = f"d{number}", CACHES[number % 3]
        rows, planned[name] = cuts(rng, f"drives.{name}.")
        text += f"[drives.{name}]\n" + disk(rng, cache, busy) + rows
    return text, planned


def lines(keys: dict) -> str:
    return "".join(f"{key} = {literal(value)}\n" for key, value in keys.items())


def store(rng: Random, cache: str, busy: Random | None) -> str:
    model = ROOT / "scenarios/drives/mems" / rng.choice(STORES)
    return (
        f'model = "{model}"\nmedia.contents = "memory"\ncache.write = {"false" if cache == "off" else "true"}\n'
        f"host.depth = {rng.choice((1, 4, 32))}\n" + (lines(own_work.store_keys(busy, True)) if busy else "")
    )


def stores(rng: Random, busy: Random | None = None) -> tuple[str, dict[str, int]]:
    text, planned = "", {}
    for number, cache in enumerate(CACHES):
        name = f"m{number}"
        rows, planned[name] = cuts(rng, f"drives.{name}.")
        text += f"[drives.{name}]\n" + store(rng, cache, busy) + rows
    return text, planned


def raid(rng: Random, busy: Random | None = None) -> tuple[str, dict[str, int]]:
    """An array whose members lose their supply together, or one of them alone. What its level promises it keeps. A busy one
    has a spare, which loses it with the members."""
    members = rng.randint(3, 5)
    level = rng.choice(("raid5", "raid5", "raid4", "raid1"))
    cache = rng.choice(CACHES)
    same = disk(rng, cache, busy, queued=False).replace('host.policy = "clook"', 'host.policy = "fcfs"')
    text = f'[array]\nlevel = "{level}"\nmembers = [{", ".join(chr(34) + f"d{n}" + chr(34) for n in range(members))}]\n'
    text += f"stripe_unit = \"{rng.choice((4, 16, 64))} KiB\"\n"
    names = [f"d{number}" for number in range(members)]
    if busy is not None:
        text += 'spares = ["s0"]\n' + lines(own_work.array_keys(busy, range(members), to_end=True))
        names.append("s0")
    alone = rng.random() < 0.3
    rows, count = cuts(rng, "@")
    planned = {}
    for name in names:
        cut = not alone or name == "d0"
        planned[name] = count if cut else 0
        text += f"[drives.{name}]\n{same}" + (rows.replace("@", f"drives.{name}.") if cut else "")
    return text, planned


def busy(what: Callable[[Random, Random], tuple[str, dict[str, int]]]) -> Callable[[Random], tuple[str, dict[str, int]]]:
    """The same, with work of their own."""
    return lambda rng: what(rng, Random(rng.random()))


KINDS = {"disk": disks, "busy": busy(disks), "mems": stores, "busy_mems": busy(stores), "raid": raid, "busy_raid": busy(raid)}


def scenario(kind: str, seed: str, number: int) -> tuple[str, str, dict[str, int]]:
    """The scenario's text, its trace, and how often each drive loses its supply."""
    rng = Random(f"{seed}/{kind}/{number}")
    text, planned = KINDS[kind](rng)
    fua = rng.choice((0.0, 0.1, 0.5))
    head = (
        '[workload]\nkind = "trace"\nfile = "load.csv"\n[simulation]\n'
        f'seed = {rng.randrange(1, 1 << 30)}\nstall_s = 60\n[output]\ndirectory = "out"\n[host]\nverify = true\nread_back = true\n'
        "journal = true\n"
    )
    return head + text, load(rng, 60_000, fua), planned


def judge_journal(path: Path) -> list[str]:
    """What is wrong in a journal: a write that is durable before it is acknowledged, or told twice."""
    wrong = []
    ended = set()
    off = False
    with path.open() as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            if row["event"] != "write":
                if off == (row["event"] == "power off"):
                    wrong.append(f"{path}: {row['event']} twice")
                off = row["event"] == "power off"
                continue
            outcome = row["outcome"]
            if outcome == "durable" and not float(row["sent_s"]) <= float(row["acknowledged_s"]) <= float(row["durable_s"]):
                wrong.append(f"{path}: request {row['request']}: times go back")
            if outcome != "unknown":
                if row["request"] in ended:
                    wrong.append(f"{path}: request {row['request']} has two ends")
                ended.add(row["request"])
    return wrong


def judge(folder: Path, ended: runner.Ended, trace: str, planned: dict[str, int]) -> list[str]:
    if ended.status != 0 or ended.hung:
        return [f"status {ended.status}{' (hung)' if ended.hung else ''}: {ended.message} {ended.out[-2000:]}"]
    wrong = []
    summary = json.loads((folder / "out/summary.json").read_text())
    if "0 mismatches" not in ended.out:
        wrong.append("nothing was compared")
    for name, count in planned.items():
        counters = next(drive for drive in summary["drives"] if drive["name"] == name)["counters"]
        losses = counters.get("power_losses", 0)
        if losses != count:
            wrong.append(f"{name}: {losses} losses of power, {count} were planned")
    requests = trace.count("\n") - 1
    for path in sorted((folder / "out").rglob("journal.tsv")):
        wrong += judge_journal(path)
        with (path.parent / "requests.csv").open() as rows:
            completed = sum(1 for _ in rows) - 1
        if completed < requests:
            wrong.append(f"{path.parent}: {completed} of {requests} requests completed")
    return wrong


def run(options: argparse.Namespace, number: int) -> list[str]:
    text, trace, planned = scenario(options.kind, options.seed, number)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "run.toml").write_text(text)
        (folder / "load.csv").write_text(trace)
        ended = runner.start(options.program, ["run", "run.toml"], folder, cpu_seconds=options.cpu_seconds)
        wrong = judge(folder, ended, trace, planned)
        if wrong and options.keep:
            kept = Path(options.keep) / f"{options.kind}-{options.seed}-{number}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
            wrong.append(f"kept in {kept}")
        return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=lambda path: str(Path(path).resolve()), help="armature")
    parser.add_argument("--kind", choices=tuple(KINDS), default="disk")
    parser.add_argument("--seed", default="standard")
    parser.add_argument("--first", type=int, default=0, help="number of the first scenario")
    parser.add_argument("--count", type=int, default=3, help=f"scenarios: {DISKS_EACH} disks, 3 stores, or an array each")
    parser.add_argument("--only", type=int, nargs="+", help="these scenarios of the seed")
    parser.add_argument("--keep", help="folder for the inputs and results of scenarios that fail")
    parser.add_argument("--cpu-seconds", type=int, default=120)
    options = parser.parse_args()
    failed = drives = losses = 0
    numbers = options.only or range(options.first, options.first + options.count)
    for number in numbers:
        planned = scenario(options.kind, options.seed, number)[2]
        drives += len(planned)
        losses += sum(planned.values())
        for text in (wrong := run(options, number)):
            print(f"{options.kind} {options.seed} {number}: {text}", file=sys.stderr)
        failed += 1 if wrong else 0
    print(f"{len(numbers)} scenarios, {drives} drives, {losses} losses of power: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

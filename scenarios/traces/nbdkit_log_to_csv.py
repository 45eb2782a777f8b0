#!/usr/bin/env python3
"""Turn the log of nbdkit's `log` filter into Armature's trace CSV.

    nbdkit_log_to_csv.py [--about FILE] [--console FILE] requests.log > trace.csv
    nbdkit_log_to_csv.py --stats trace.csv

--about    text put before the header as comments
--console  console lines with the host's clock ("EPOCH TEXT"); every
           "PHASE name" line becomes a comment with its time. Two "STAT ..."
           lines (the guest's own counters, /sys/block/sda/stat) mark the
           start and the end: what lies before or after (firmware, kernel
           boot, power-off) is left out, and the reads, flushes and sectors
           kept must be exactly what the guest counted
--stats    print a summary (Markdown tables) of a CSV instead of converting

nbdkit must have run with TZ=UTC. Only the Python standard library is used.
"""
import argparse
import collections
import datetime
import re
import statistics
import sys

LINE = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6}) "
                  r"connection=(\d+) (\.\.\.)?(\w+)(.*)")
FIELD = re.compile(r"(\w+)=(\S+)")
OPS = {"Read": "R", "Write": "W", "Flush": "F"}
HEADER = "time_s,device,lbn,sectors,op,flags"


def parse(lines):
    """Yield (microseconds since the epoch, op, lbn, sectors, fua)."""
    days = {}
    for number, line in enumerate(lines, 1):
        m = LINE.match(line)
        if not m or m[10] in ("Connect", "Disconnect", "Extents", "Preconnect", "Cache"):
            continue
        fields = dict(FIELD.findall(m[11]))
        if m[9]:                                    # the answer to a request
            if fields.get("return") != "0":
                raise SystemExit(f"line {number}: request failed: {line.strip()}")
            continue
        if m[10] not in OPS:
            raise SystemExit(f"line {number}: {m[10]} has no place in the CSV")
        date = tuple(map(int, m.group(1, 2, 3)))
        if date not in days:
            days[date] = int(datetime.datetime(*date, tzinfo=datetime.timezone.utc).timestamp())
        time = ((days[date] + int(m[4]) * 3600 + int(m[5]) * 60 + int(m[6])) * 1000000
                + int(m[7]))
        op = OPS[m[10]]
        if op == "F":
            yield time, op, 0, 0, False
            continue
        offset, count = int(fields["offset"], 16), int(fields["count"], 16)
        if offset % 512 or count % 512 or not count:
            raise SystemExit(f"line {number}: not whole sectors: {line.strip()}")
        yield time, op, offset // 512, count // 512, fields.get("fua", "0") != "0"


def read_console(path):
    phases, counters = [], []
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = re.match(r"(\d+)[.,](\d{6}) PHASE (\S+)", line)
            if m:
                phases.append((int(m[1]) * 1000000 + int(m[2]), m[3]))
            m = re.match(r"(\d+)[.,](\d{6}) STAT ([\d ]+)", line)
            if m:
                counters.append((int(m[1]) * 1000000 + int(m[2]), [int(n) for n in m[3].split()]))
    if len(counters) != 2:
        raise SystemExit("the console must have two STAT lines")
    return phases, counters


def check(requests, counters):
    """The guest's counters must tell the same story as nbdkit's log.

    Write requests are not compared: the guest counts more, presumably empty flushes.
    """
    # fields of /sys/block/*/stat: 0 reads, 2 sectors read, 6 sectors written, 15 flushes
    guest = {i: counters[1][1][i] - counters[0][1][i] for i in (0, 2, 6, 15)}
    log = {0: sum(r[1] == "R" for r in requests),
           2: sum(r[3] for r in requests if r[1] == "R"),
           6: sum(r[3] for r in requests if r[1] == "W"),
           15: sum(r[1] == "F" for r in requests)}
    text = ", ".join(f"{name} {log[i]}" for i, name in
                     ((0, "reads"), (2, "sectors read"), (6, "sectors written"), (15, "flushes")))
    if guest != log:
        raise SystemExit(f"guest counted {guest}, the log has {log}")
    return f"the guest's own counters agree: {text}"


def convert(args):
    phases, counters = read_console(args.console) if args.console else ([], [])
    with open(args.file, encoding="ascii") as f:
        requests = list(parse(f))
    requests.sort(key=lambda r: r[0])               # stable: equal times keep the log's order
    notes = []
    if counters:
        kept = [r for r in requests if counters[0][0] <= r[0] <= counters[1][0]]
        notes.append(f"left out: the {len(requests) - len(kept)} requests of firmware, "
                     "kernel boot and power-off")
        requests = kept
        notes.append(check(requests, counters))
    if not requests:
        raise SystemExit("no requests")
    zero = requests[0][0]
    out = []
    if args.about:
        with open(args.about, encoding="utf-8") as f:
            out += [f"# {line.rstrip()}" for line in f]
    out += [f"# {note}" for note in notes]
    for time, name in phases:
        out.append(f"# phase {max(time - zero, 0) / 1e6:.6f} {name}")
    out.append(HEADER)
    for time, op, lbn, sectors, fua in requests:
        t = time - zero
        out.append(f"{t // 1000000}.{t % 1000000:06d},0,{lbn},{sectors},{op},{'fua' if fua else ''}")
    sys.stdout.write("\n".join(out) + "\n")


def percentile(ordered, p):
    return ordered[min(len(ordered) - 1, int(len(ordered) * p / 100))] if ordered else 0


def stats(args):
    phases, rows = [], []
    with (sys.stdin if args.file == "-" else open(args.file, encoding="utf-8")) as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("# phase "):
                _, _, t, name = line.split(" ", 3)
                phases.append((float(t), name))
            elif not line.startswith("#") and line != HEADER:
                t, device, lbn, sectors, op, flags = line.split(",")
                rows.append((float(t), int(lbn), int(sectors), op, flags))
    assert all(a[0] <= b[0] for a, b in zip(rows, rows[1:])), "times go back"
    by_op = collections.defaultdict(list)
    for r in rows:
        by_op[r[3]].append(r)
    data = [r for r in rows if r[3] != "F"]
    sequential = sum(b[1] == a[1] + a[2] for a, b in zip(data, data[1:]))
    touched = {s >> 11 for r in data for s in range(r[1], r[1] + r[2], 8)}
    gaps = sorted(b[0] - a[0] for a, b in zip(rows, rows[1:]))
    print("| what | value |\n|---|---|")
    print(f"| requests | {len(rows)} |")
    print(f"| duration | {rows[-1][0]:.3f} s |")
    for op, word in (("R", "reads"), ("W", "writes"), ("F", "flushes")):
        print(f"| {word} | {len(by_op[op])} ({100 * len(by_op[op]) / len(rows):.1f} %) |")
    print(f"| writes with FUA | {sum(r[4] == 'fua' for r in rows)} |")
    for op, word in (("R", "read"), ("W", "written")):
        print(f"| MiB {word} | {sum(r[2] for r in by_op[op]) / 2048:.1f} |")
    for op, word in (("R", "read"), ("W", "write")):
        sizes = sorted(r[2] for r in by_op[op])
        print(f"| sectors per {word}: least, median, mean, 90 %, most | {sizes[0]}, "
              f"{percentile(sizes, 50)}, {statistics.mean(sizes):.1f}, "
              f"{percentile(sizes, 90)}, {sizes[-1]} |")
    print(f"| lowest LBN, highest LBN | {min(r[1] for r in data)}, {max(r[1] + r[2] - 1 for r in data)} |")
    print(f"| 1 MiB pieces of the disk touched | {len(touched)} |")
    print(f"| starts where the request before ended | {100 * sequential / len(data):.1f} % |")
    print(f"| time between requests: median, 90 %, most | {percentile(gaps, 50) * 1e6:.0f} us, "
          f"{percentile(gaps, 90) * 1e6:.0f} us, {gaps[-1]:.3f} s |")
    print("\n| sectors | reads | writes |\n|---|---|---|")
    low = 0
    for high in (1, 2, 7, 8, 16, 64, 256, 1024, 65536):
        n = [sum(low < r[2] <= high for r in by_op[op]) for op in "RW"]
        if any(n):
            print(f"| {low + 1 if low + 1 < high else ''}{'-' if low + 1 < high else ''}{high} | {n[0]} | {n[1]} |")
        low = high
    if phases:
        print("\n| phase | from (s) | reads | writes | flushes | MiB read | MiB written |\n|---|---|---|---|---|---|---|")
        for i, (start, name) in enumerate(phases):
            end = phases[i + 1][0] if i + 1 < len(phases) else float("inf")
            part = [r for r in rows if start <= r[0] < end]
            if not part:
                continue
            n = collections.Counter(r[3] for r in part)
            mib = [sum(r[2] for r in part if r[3] == op) / 2048 for op in "RW"]
            print(f"| {name} | {start:.1f} | {n['R']} | {n['W']} | {n['F']} | {mib[0]:.1f} | {mib[1]:.1f} |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--about")
    p.add_argument("--console")
    p.add_argument("--stats", action="store_true")
    p.add_argument("file")
    args = p.parse_args()
    (stats if args.stats else convert)(args)


if __name__ == "__main__":
    main()

"""Plants bugs in copies of the schedule's files, one at a time: a test of unit_firmware_schedule must fail on each.

    python3 testbench/unit/firmware_schedule_plants.py --cc cc --cxx c++ --library LIB TEST_OBJECT...

Prints for each bug the tests that caught it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[2] / "models/firmware"
# What is planted, the file, the text and what takes its place.
PLANTS = [
    ("what has begun is moved", "schedule", "its->state == FW_BOOKING_BEGUN) return false;", "false) return false;"),
    ("a booking moves again and again", "schedule", "return !its->moved;", "return true;"),
    ("one that has asked is moved in any case", "schedule", "ctx->arm[n].state != FW_ARM_TRANSFER)) return false;", "false)) return false;"),
    ("work for nobody does not give way", "schedule", "if (priority(ctx, other) < priority(ctx, n)) return true;", ""),
    ("reading ahead is work for nobody", "schedule", "ctx->arm[n].job == FW_JOB_FILL ? FW_PRIORITY_AHEAD", "false ? FW_PRIORITY_AHEAD"),
    ("no gap", "schedule", "first + lasts + ctx->schedule.gap_ns >", "first + lasts >"),
    ("one channel too many", "schedule", "which))\n      others++;\n  return others < ctx", "which))\n      others++;\n  return others <= ctx"),
    ("the unit is not told that a booking has moved", "schedule", "  tell_later(ctx, n, ns, (uint32_t)", "  (void)(ns + (uint32_t)"),
    ("a moved booking is nobody's business", "schedule", "    fw_due(ctx, FW_DUE_MOVED);\n", ""),
    ("a grant forgets that its request was moved", "schedule", "ctx->requests[slot].moved,", "false,"),
    ("an extension for nobody moves others", "schedule", "return extend(ctx, n, end, MOVE_NONE);", "return extend(ctx, n, end, MOVE_PLANNED);"),
    ("extending shortens", "schedule", "if (lasts <= booking->lasts_ns) return true;", ""),
    ("an arm asks when its sector passes", "schedule", "wait_us - ctx->schedule.lead_us - TIMES_ERR_US", "wait_us - TIMES_ERR_US"),
    ("neighbours are two candidates", "slots", "joins_another(ctx, request) ? FW_WITHHELD_FOR_READ", "false ? FW_WITHHELD_FOR_READ"),
    ("what is withheld for a read stays so", "slots", ": reason(ctx, request);", ": before;"),
    ("limits are no reason to wait", "slots", "request->limit.index == 0 &&", "false &&"),
    ("a reservation outlasts its arm", "slots", "else if (request->reserved == n)", "else if (false)"),
    ("a read behind another one loses its arm", "slots", "if (read && !request->write &&", "if (false && !request->write &&"),
    ("a read that its arm comes too late for keeps it", "slots", "gap >= ctx->slots.reckoning.margin &&", "true &&"),
    ("a reservation moves nothing", "schedule", "    move_others(ctx, n, &booking);", "    (void)booking;"),
]  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cc", required=True)
    options.add_argument("--cxx", required=True)
    options.add_argument("--library", type=Path, required=True)
    options.add_argument("objects", nargs="+", type=Path)
    given = options.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, file, text, planted in PLANTS:
            source = (FIRMWARE / f"src/engine/{file}.c").read_text()
            if source.count(text) != 1:
                sys.exit(f"{name}: the text to change is there {source.count(text)} times")
            (folder / f"{file}.c").write_text(source.replace(text, planted))
            includes = [f"-I{FIRMWARE}/include", f"-I{FIRMWARE}/src"]
            subprocess.run(
                [given.cc, "-std=c11", "-ffreestanding", "-w", *includes, "-c", folder / f"{file}.c", "-o", folder / f"{file}.o"], check=True
            )
            program = folder / "test"
            libraries = [given.library, "-lgtest", "-lgtest_main", "-lpthread"]
            subprocess.run([given.cxx, *given.objects, folder / f"{file}.o", *libraries, "-o", program], check=True)
            run = subprocess.run([program], capture_output=True, text=True, timeout=60)
            caught = sorted(set(re.findall(r"^\[  FAILED  \] (\w+\.\w+)", run.stdout, re.MULTILINE)))
            print(f"{name}: {', '.join(caught) if caught else 'NOT CAUGHT' if run.returncode == 0 else 'crashed'}")
            missed += 0 if run.returncode else 1
    sys.exit(f"{missed} of {len(PLANTS)} were not caught" if missed else 0)


if __name__ == "__main__":
    main()

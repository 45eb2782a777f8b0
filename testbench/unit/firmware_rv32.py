"""Firmware compiles for the controller's processor, RV32IMAC without an operating system, with no warning, asks for nothing
that a machine without one does not have, and fits into the memories of rtl/regs/soc.rdl.

    python3 testbench/unit/firmware_rv32.py --compiler riscv64-unknown-elf-gcc [--folder models/firmware]
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = (
    "-std=c11 -march=rv32imac -mabi=ilp32 -ffreestanding -Os -Werror -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Wstrict-prototypes"
).split()
OF_THE_MACHINE = {"mmio_read32", "mmio_write32"}  # fw_abi.h
# A compiler without an operating system may ask for these (GCC's manual, "Standards").
OF_ANY_COMPILER = {"memcpy", "memmove", "memset", "memcmp"}
STACK_BYTES = 16 << 10
PROBE = '#include "core/context.h"\nextern char context[sizeof(struct fw_context)];\nchar context[sizeof(struct fw_context)];\n'


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(str(part) for part in command)}\n{done.stderr}")
    return done.stdout


def sources(folder: Path) -> list[Path]:
    """As CMake has them, and no file of the folder left out."""
    listed = [folder / name for name in re.findall(r"src/[\w/]+\.c", (folder / "sources.cmake").read_text())]
    if unlisted := sorted(set(folder.glob("src/**/*.c")) - set(listed)):
        raise SystemExit(f"not in sources.cmake: {', '.join(path.name for path in unlisted)}")
    return listed


def memory(name: str) -> int:
    """Bytes of a memory in soc.rdl, from the generated header."""
    header = (ROOT / "models/core/include/armature/regs/soc.h").read_text()
    return int(re.search(rf"k{name}MaxBytes = (0x[0-9A-F]+);", header)[1], 16)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--folder", type=Path, default=ROOT / "models/firmware")
    options = parser.parse_args()
    if not shutil.which(options.compiler):
        print(f"no compiler for RV32IMAC ({options.compiler}): install Debian's gcc-riscv64-unknown-elf, then configure anew")
        return 1
    prefix = options.compiler.removesuffix("gcc")
    compile_one = (options.compiler, *OPTIONS, f"-I{options.folder}/include", f"-I{options.folder}/src", "-c")
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)

        def built(source: Path) -> Path:
            out = place / f"{source.stem}.o"
            run(*compile_one, source, "-o", out)
            return out

        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(built, sources(options.folder)))
        # libgcc's arithmetic of 64 bits is part of the compiler.
        library = run(options.compiler, "-march=rv32imac", "-mabi=ilp32", "-print-libgcc-file-name").strip()
        whole = place / "firmware.o"
        run(f"{prefix}ld", "-m", "elf32lriscv", "-r", "-o", whole, *objects, library)
        missing = set(re.findall(r"\bU (\w+)", run(f"{prefix}nm", "-u", whole)))
        if foreign := missing - OF_THE_MACHINE - OF_ANY_COMPILER:
            print(f"firmware asks for what the machine does not have: {', '.join(sorted(foreign))}")
            return 1
        text, data, bss = (int(n) for n in run(f"{prefix}size", whole).splitlines()[1].split()[:3])
        probe = place / "context.c"
        probe.write_text(PROBE)
        run(*compile_one, probe, "-o", place / "context.o")
        context = int(re.search(r"^\w+ (\w+) \w context$", run(f"{prefix}nm", "-S", place / "context.o"), re.MULTILINE)[1], 16)
    code_bytes, data_bytes = memory("Code"), memory("Data")
    print(f"code {text} of {code_bytes} bytes; context {context}, variables {data + bss}, stack {STACK_BYTES}, of {data_bytes}")
    if data + bss:
        print("firmware has variables outside of its context; a second drive in the same process would share them")
        return 1
    if text > code_bytes or context + STACK_BYTES > data_bytes:
        print("firmware does not fit into the controller's memory")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

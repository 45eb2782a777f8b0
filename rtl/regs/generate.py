#!/usr/bin/env python3
"""Generates everything that names a register from the SystemRDL files in this folder.

    ./armature gen regs          (needs the PyPI package systemrdl-compiler; the wrapper brings it)
    ./armature gen regs --check  exit status 1 if a committed file differs from what would be generated

Writes, each with the sha256 of its source:
    models/core/include/armature/regs/<block>.h           C++: offsets, fields, table of the register bank
    models/firmware/include/armature/firmware/regs/<block>.h   C: offsets, masks, shifts
    rtl/regs/<block>_regs_pkg.sv                          SystemVerilog constants
    .../regs/interrupts.h, twice                          lines of the interrupt controller, and their handlers' costs
    docs/reference/registers.md                           reference page
    docs/reference/armature.svd                           CMSIS-SVD, for debuggers
"""
import argparse
import hashlib
import pathlib
import re
import sys
import xml.sax.saxutils

from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, MemNode, RegfileNode, RegNode
from systemrdl.rdltypes import OnReadType, OnWriteType

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def mask(field):
    return ((1 << field.width) - 1) << field.low


class Register:
    """What the outputs need of one register or register array; `group`: the register file that it stands in, null for none."""

    def __init__(self, node, group=None):
        outer = group if group is not None else node
        if group is not None and node.is_array:
            raise SystemExit(f"{group.inst_name}.{node.inst_name}: an array in a register file is not supported")
        self.name = node.inst_name if group is None else f"{group.inst_name}_{node.inst_name}"
        self.title = node.get_property("name")
        self.desc = node.get_property("desc") or ""
        self.offset = node.raw_address_offset + (group.raw_address_offset if group is not None else 0)
        self.count = outer.array_dimensions[0] if outer.is_array else 1
        self.stride = outer.array_stride if outer.is_array else 4
        self.is_array = outer.is_array
        self.fields = list(node.fields())
        self.reset = self.readable = self.writable = self.write_one_clears = self.pulses = 0
        for field in self.fields:
            m = mask(field)
            self.reset |= (field.get_property("reset") or 0) << field.low
            if field.is_sw_readable:
                self.readable |= m
            if field.is_sw_writable:
                self.writable |= m
            if field.get_property("onwrite") == OnWriteType.woclr:
                self.write_one_clears |= m
            elif field.get_property("onwrite") == OnWriteType.woset:  # the block sets it, if it may be set
                self.pulses |= m
            elif field.get_property("onwrite") is not None:
                raise SystemExit(f"{self.name}.{field.inst_name}: onwrite other than woclr and woset is not supported")
            if field.get_property("onread") is not None:
                raise SystemExit(f"{self.name}.{field.inst_name}: onread is not supported")
            if field.get_property("singlepulse"):
                self.pulses |= m
        # A field that software writes and cannot read is a command: the bank hands it to the callback and keeps nothing.
        self.pulses |= self.writable & ~self.readable

    def last_offset(self):
        return self.offset + (self.count - 1) * self.stride


class Block:
    def __init__(self, path):
        self.name = path.stem
        self.path = path
        self.sha = hashlib.sha256(path.read_bytes()).hexdigest()
        compiler = RDLCompiler()
        compiler.compile_file(str(path))
        self.node = compiler.elaborate(self.name).top
        self.title = self.node.get_property("name")
        self.comment = []
        for line in path.read_text().splitlines():
            if not line.startswith("//"):
                break
            self.comment.append(line[2:].strip())
        # A block that holds nothing but another one stands in its place: what software can tell of it is the other's; the words differ.
        inner = list(self.node.children())
        other = inner[0] if len(inner) == 1 and isinstance(inner[0], AddrmapNode) else None
        self.same_as = other.inst_name if other else None
        self.registers = []
        for n in (other or self.node).children():
            if isinstance(n, RegNode):
                self.registers.append(Register(n))
            elif isinstance(n, RegfileNode):
                self.registers.extend(Register(inner, n) for inner in n.children())

    def banner(self, mark):
        return f"{mark} Generated from rtl/regs/{self.path.name} (sha256 {self.sha}). Do not edit: ./armature gen regs\n"


def access(field):
    text = {(True, True): "rw", (True, False): "r", (False, True): "w"}[(field.is_sw_readable, field.is_sw_writable)]
    if field.get_property("onwrite") == OnWriteType.woclr:
        text += "1c"
    if field.get_property("onwrite") == OnWriteType.woset:
        text += "1s"
    return text


def cpp(block):
    out = [block.banner("//"), "#pragma once\n\n", '#include "armature/core/register_bank.h"\n\n']
    out.append(f"namespace armature::regs::{block.name} {{\n\nenum Offset : std::uint32_t {{\n")
    for r in block.registers:
        out.append(f"  k{camel(r.name)} = 0x{r.offset:04X},  ///< {r.title}\n")
    out.append("};\n")
    for r in block.registers:
        if r.is_array:
            out.append(f"inline constexpr std::uint32_t k{camel(r.name)}Count = {r.count};\n")
            out.append(f"inline constexpr std::uint32_t k{camel(r.name)}Stride = {r.stride};\n")
    for r in block.registers:
        out.append(f"\nnamespace {r.name} {{\n")
        for f in r.fields:
            desc = f.get_property("desc")
            out.append(f"using {camel(f.inst_name)} = Field<{f.low}, {f.width}>;" + (f"  ///< {desc}" if desc else "") + "\n")
        out.append(f"}}  // namespace {r.name}\n")
    out.append("\ninline constexpr RegisterInfo kTable[] = {\n")
    out.append("    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride\n")
    for r in block.registers:
        out.append(f'    {{"{r.name}", 0x{r.offset:X}, 0x{r.reset:X}, 0x{r.readable:X}, 0x{r.writable:X}, '
                   f"0x{r.write_one_clears:X}, 0x{r.pulses:X}, {r.count}, {r.stride}}},\n")
    out.append(f"}};\n\n}}  // namespace armature::regs::{block.name}\n")
    return "".join(out)


def c(block):
    upper = block.name.upper()
    guard = f"ARMATURE_FIRMWARE_REGS_{upper}_H"
    out = [block.banner("//"), f"#ifndef {guard}\n#define {guard}\n\n// {block.title}\n"]
    for r in block.registers:
        reg = f"{upper}_{r.name.upper()}"
        out.append(f"\n// {r.title}\n")
        if r.is_array:
            out.append(f"#define {reg}(n) (0x{r.offset:X}u + 0x{r.stride:X}u * (n))\n#define {reg}_COUNT {r.count}u\n")
        else:
            out.append(f"#define {reg} 0x{r.offset:X}u\n")
        for f in r.fields:
            name = f"{reg}_{f.inst_name.upper()}"
            out.append(f"#define {name}_SHIFT {f.low}u\n#define {name}_MASK 0x{mask(f):X}u\n")
    out.append("\n#endif\n")
    return "".join(out)


def sv(block):
    out = [block.banner("//"), f"package {block.name}_regs_pkg;\n"]
    for r in block.registers:
        out.append(f"  // {r.title}\n  localparam int unsigned {camel(r.name)}Offset = 32'h{r.offset:x};\n")
        if r.is_array:
            out.append(f"  localparam int unsigned {camel(r.name)}Count = {r.count};\n")
        for f in r.fields:
            name = camel(r.name) + camel(f.inst_name)
            out.append(f"  localparam int unsigned {name}Lsb = {f.low};\n  localparam int unsigned {name}Width = {f.width};\n")
    out.append("endpackage\n")
    return "".join(out)


def soc_instances(soc):
    for n in soc.node.children():
        yield (n.inst_name, n.raw_address_offset, n.array_stride if n.is_array else 0,
               n.array_dimensions[0] if n.is_array else 1, n)


def soc_cpp(soc):
    out = [soc.banner("//"), "#pragma once\n\n#include <cstdint>\n\nnamespace armature::regs::soc {\n\n"]
    for name, base, stride, count, node in soc_instances(soc):
        out.append(f"inline constexpr std::uint32_t k{camel(name)}Base = 0x{base:08X};\n")
        if stride:
            out.append(f"inline constexpr std::uint32_t k{camel(name)}Stride = 0x{stride:X};\n")
            out.append(f"inline constexpr std::uint32_t k{camel(name)}Count = {count};\n")
        if isinstance(node, AddrmapNode):  # whole pages of the bus
            out.append(f"inline constexpr std::uint32_t k{camel(name)}Bytes = 0x{-(-node.size // 0x1000) * 0x1000:X};\n")
        if isinstance(node, MemNode):
            out.append(f"inline constexpr std::uint32_t k{camel(name)}MaxBytes = 0x{node.size:X};\n")
    out.append("\n}  // namespace armature::regs::soc\n")
    return "".join(out)


def soc_c(soc):
    out = [soc.banner("//"), "#ifndef ARMATURE_FIRMWARE_REGS_SOC_H\n#define ARMATURE_FIRMWARE_REGS_SOC_H\n\n"]
    for name, base, stride, count, node in soc_instances(soc):
        if stride:
            out.append(f"#define SOC_{name.upper()}_BASE(n) (0x{base:08X}u + 0x{stride:X}u * (n))\n"
                       f"#define SOC_{name.upper()}_COUNT {count}u\n")
        else:
            out.append(f"#define SOC_{name.upper()}_BASE 0x{base:08X}u\n")
        if isinstance(node, MemNode):
            out.append(f"#define SOC_{name.upper()}_MAX_BYTES 0x{node.size:X}u\n")
    out.append("\n#endif\n")
    return "".join(out)


def interrupts(soc):
    """The controller's interrupts in order of their lines; the lines must follow on each other without a gap."""
    found = soc.node.get_property("interrupts")
    line = 0
    for one in found:
        if one.first != line:
            raise SystemExit(f"{soc.path.name}: the lines of {one.source} begin at {one.first}, and {line} is the next free one")
        line += one.count
    if line > 32:
        raise SystemExit(f"{soc.path.name}: {line} interrupt lines, and the controller has 32")
    return found


def interrupts_cpp(soc):
    found = interrupts(soc)
    out = [soc.banner("//"), "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\nnamespace armature::regs {\n\n",
           "/// Interrupt of a block: `count` lines from `first` on, one an instance.\nstruct Interrupt {\n",
           "  const char* source;\n  unsigned first;\n  unsigned count;\n",
           "  const char* handler;     ///< of firmware\n  const char* cycles_key;  ///< of the section `firmware`\n",
           "  std::int64_t cycles;     ///< of the processor, interrupt entry not included\n  const char* does;\n};\n\n",
           "/// In order of their lines, without a gap.\ninline constexpr Interrupt kInterrupts[] = {\n"]
    for one in found:
        out.append(f'    {{"{one.source}", {one.first}, {one.count}, "{one.handler}", "{one.handler}_cycles", {one.cycles},\n     "{one.does}"}},\n')
    out.append(f"}};\ninline constexpr std::size_t kInterruptCount = {len(found)};\n\n"
               "/// The interrupt that has `line`, null if none has.\ninline constexpr const Interrupt* interrupt_of(unsigned line) {\n"
               "  for (const Interrupt& one : kInterrupts)\n    if (line - one.first < one.count) return &one;\n  return nullptr;\n}\n\n}  // namespace armature::regs\n")
    return "".join(out)


def interrupts_c(soc):
    found = interrupts(soc)
    guard = "ARMATURE_FIRMWARE_REGS_INTERRUPTS_H"
    out = [soc.banner("//"), f"#ifndef {guard}\n#define {guard}\n\n",
           "// Lines of the interrupt controller; a lower number has priority. Of several instances the first one is named.\nenum fw_irq {\n"]
    for one in found:
        name = f"FW_IRQ_{one.source.upper()}{'0' if one.count > 1 else ''}"
        out.append(f"  {name} = {one.first},{f'  // to {one.first + one.count - 1}' if one.count > 1 else ''}\n")
    out.append(f"  FW_IRQ_COUNT = {found[-1].first + found[-1].count}\n}};\n\n#endif\n")
    return "".join(out)


def markdown(blocks, soc):
    out = ["<!-- " + " ".join(f"{b.path.name} {b.sha}" for b in [*blocks, soc]) + " -->\n",
           "# Registers\n\nGenerated from `rtl/regs/*.rdl` by `./armature gen regs`. All registers are 32 bits wide; addresses are in bytes.\n"
           "Access: r, w, rw; w1c clears by writing one, w1s sets. A write to a read-only bit has no effect, an address without a register is a bus error.\n\n"
           "| block | address | instances | what |\n|---|---|---|---|\n"]
    titles = {b.name: b.title for b in blocks}
    for name, base, stride, count, node in soc_instances(soc):
        where = f"0x{base:08X}" + (f" + n x 0x{stride:X}" if stride else "")
        out.append(f"| `{name}` | {where} | {count} | {titles.get(name, node.get_property('name'))} |\n")
        for b in blocks:
            if b.same_as == name:
                out.append(f"| `{b.name}` | as `{name}` | | {b.title}, in place of `{name}`: the same registers and fields |\n")
    out.append("\n## Interrupt lines\n\nThe lowest pending and enabled line is served first. A handler costs interrupt entry (`firmware.entry_cycles`) and its own\n"
               "cycles, which the key `firmware.<handler>_cycles` sets.\n\n| line | of | handler | cycles | what it does |\n|---|---|---|---|---|\n")
    for one in interrupts(soc):
        lines = f"{one.first} to {one.first + one.count - 1}" if one.count > 1 else f"{one.first}"
        out.append(f"| {lines} | `{one.source}` | `{one.handler}` | {one.cycles} | {one.does} |\n")
    for b in blocks:
        out.append(f"\n## `{b.name}`: {b.title}\n\n" + "\n".join(b.comment) + "\n\n| offset | register | bits | field | access | reset | meaning |\n|---|---|---|---|---|---|---|\n")
        for r in b.registers:
            where = f"0x{r.offset:03X}" + (f" + {r.stride} n, n < {r.count}" if r.is_array else "")
            for i, f in enumerate(r.fields):
                bits = f"{f.high}:{f.low}" if f.width > 1 else f"{f.low}"
                reset = f"0x{(f.get_property('reset') or 0):X}"
                out.append(f"| {where if i == 0 else ''} | {f'`{r.name}` {r.title}' if i == 0 else ''} | {bits} | `{f.inst_name}` "
                           f"| {access(f)} | {reset} | {f.get_property('desc') or ''} |\n")
    return "".join(out)


def enumerated(field, block, register):
    """Number, name and meaning of a field's values, where its description lists them: "0 FCFS, 1 SSTF", "0: ...; 1: ..."."""
    if (block, register, field.inst_name) == ("dbg", "state", "state"):
        abi = (ROOT / "models/firmware/include/armature/firmware/fw_abi.h").read_text()
        names = re.findall(r'X\(FW_STATE_\w+, +"(\w+)"\)', abi)
        return [(value, name, name.replace("_", " ")) for value, name in enumerate(names)]
    found = re.search(r"(?:^|: )(0:? .*)$", field.get_property("desc") or "")
    if not found:
        return []
    values = []
    for number, part in enumerate(re.split(r"[,;] (?=\d+:? )", found[1])):
        value, meaning = re.match(r"(\d+):? (.*)", part).groups()
        meaning = meaning.split(". ")[0].rstrip(".")
        words = re.sub(r"[^A-Za-z0-9 _-]", "", re.split(r"[:,;(]", meaning)[0]).lower()
        name = "_".join(re.split(r"[ _-]+", words)[:5]).strip("_")
        if int(value) != number or not name:
            return []
        values.append((number, name if name[0].isalpha() else f"value_{name}", meaning))
    fit = len(values) > 1 and len({name for _, name, _ in values}) == len(values) and len(values) <= 1 << field.width
    return values if fit else []


def svd(blocks, soc):
    esc = xml.sax.saxutils.escape
    out = ['<?xml version="1.0" encoding="utf-8"?>\n', "<!-- " + " ".join(f"{b.path.name} {b.sha}" for b in [*blocks, soc]) + " -->\n",
           '<device schemaVersion="1.3">\n  <name>armature</name>\n  <version>1</version>\n  <description>Drive controller</description>\n'
           "  <cpu><name>other</name><revision>r0p0</revision><endian>little</endian><mpuPresent>false</mpuPresent>"
           "<fpuPresent>false</fpuPresent><nvicPrioBits>0</nvicPrioBits><vendorSystickConfig>true</vendorSystickConfig></cpu>\n"
           "  <addressUnitBits>8</addressUnitBits>\n  <width>32</width>\n  <peripherals>\n"]
    by_name = {b.name: b for b in blocks}
    lines = [(f"{one.source}{n if one.count > 1 else ''}", one.first + n, one.does) for one in interrupts(soc) for n in range(one.count)]
    for name, base, stride, count, node in soc_instances(soc):
        if name not in by_name:
            continue
        b = by_name[name]
        for i in range(count):
            instance = f"{name}{i}" if stride else name
            derived = f' derivedFrom="{name}0"' if i else ""
            out.append(f"    <peripheral{derived}>\n      <name>{instance}</name>\n")
            if not i:
                out.append(f"      <description>{esc(b.title)}</description>\n")
            out.append(f"      <baseAddress>0x{base + i * stride:08X}</baseAddress>\n")
            if not i:
                size = max(r.last_offset() for r in b.registers) + 4
                out.append(f"      <addressBlock><offset>0</offset><size>0x{size:X}</size><usage>registers</usage></addressBlock>\n")
            for line, value, does in lines:
                if line == instance or line.startswith(instance + "_"):
                    out.append(f"      <interrupt><name>{line}</name><description>{esc(does)}</description><value>{value}</value></interrupt>\n")
            if not i:
                out.append("      <registers>\n")
                for r in b.registers:
                    dim = f"<dim>{r.count}</dim><dimIncrement>{r.stride}</dimIncrement>" if r.is_array else ""
                    out.append(f"        <register>{dim}<name>{r.name}{'[%s]' if r.is_array else ''}</name><description>{esc(r.title)}</description><addressOffset>0x{r.offset:X}</addressOffset>"
                               f"<size>32</size><resetValue>0x{r.reset:X}</resetValue><fields>\n")
                    for f in r.fields:
                        how = {"rw": "read-write", "r": "read-only", "w": "write-only", "rw1c": "read-write"}[access(f)]
                        extra = "<modifiedWriteValues>oneToClear</modifiedWriteValues>" if access(f).endswith("1c") else ""
                        values = enumerated(f, name, r.name)
                        if values:
                            extra += "<enumeratedValues>" + "".join(
                                f"<enumeratedValue><name>{value_name}</name><description>{esc(meaning)}</description><value>{value}</value></enumeratedValue>"
                                for value, value_name, meaning in values) + "</enumeratedValues>"
                        text = f.get_property("desc")
                        described = f"<description>{esc(text)}</description>" if text else ""
                        out.append(f"          <field><name>{f.inst_name}</name>{described}<bitOffset>{f.low}</bitOffset>"
                                   f"<bitWidth>{f.width}</bitWidth><access>{how}</access>{extra}</field>\n")
                    out.append("        </fields></register>\n")
                out.append("      </registers>\n")
            out.append("    </peripheral>\n")
    out.append("  </peripherals>\n</device>\n")
    return "".join(out)


def outputs():
    blocks = [Block(p) for p in sorted(HERE.glob("*.rdl")) if p.stem != "soc"]
    soc = Block(HERE / "soc.rdl")
    files = {}
    on_bus = {name for name, *_ in soc_instances(soc)}
    for b in blocks:
        if b.same_as:  # everything uses the other block's names
            continue
        files[ROOT / f"models/core/include/armature/regs/{b.name}.h"] = cpp(b)
        if b.name not in on_bus:  # firmware does not reach it, and there is no RTL
            continue
        files[ROOT / f"models/firmware/include/armature/firmware/regs/{b.name}.h"] = c(b)
        files[HERE / f"{b.name}_regs_pkg.sv"] = sv(b)
    files[ROOT / "models/core/include/armature/regs/soc.h"] = soc_cpp(soc)
    files[ROOT / "models/firmware/include/armature/firmware/regs/soc.h"] = soc_c(soc)
    files[ROOT / "models/core/include/armature/regs/interrupts.h"] = interrupts_cpp(soc)
    files[ROOT / "models/firmware/include/armature/firmware/regs/interrupts.h"] = interrupts_c(soc)
    files[ROOT / "docs/reference/registers.md"] = markdown(blocks, soc)
    files[ROOT / "docs/reference/armature.svd"] = svd(blocks, soc)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if something is out of date")
    arguments = parser.parse_args()
    stale = 0
    for path, text in outputs().items():
        if path.exists() and path.read_text() == text:
            continue
        if arguments.check:
            print(f"out of date: {path.relative_to(ROOT)}", file=sys.stderr)
            stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")
    return stale


if __name__ == "__main__":
    sys.exit(main())

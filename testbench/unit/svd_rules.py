#!/usr/bin/env python3
"""Holds docs/reference/armature.svd to the rules of the CMSIS-SVD schema 1.3 that a debugger relies on.

Order of elements, what is required, types of identifiers and numbers; and what no schema can say: no two registers at an
address, no two fields at a bit, values that fit their fields, one name for each interrupt line.

    svd_rules.py FILE
"""
import re
import sys
import xml.etree.ElementTree as ET

# Children in the order in which the schema has them (those that the generator writes); a plus marks what is required.
ORDER = {
    "device": ["name+", "version+", "description+", "cpu", "addressUnitBits+", "width+", "peripherals+"],
    "cpu": ["name+", "revision+", "endian+", "mpuPresent+", "fpuPresent+", "nvicPrioBits+", "vendorSystickConfig+"],
    "peripherals": ["peripheral+"],
    "peripheral": ["name+", "description", "baseAddress+", "addressBlock", "interrupt", "registers"],
    "addressBlock": ["offset+", "size+", "usage+"],
    "interrupt": ["name+", "description", "value+"],
    "registers": ["register+"],
    "register": ["dim", "dimIncrement", "name+", "description", "addressOffset+", "size", "resetValue", "fields"],
    "fields": ["field+"],
    "field": ["name+", "description", "bitOffset+", "bitWidth+", "access", "modifiedWriteValues", "enumeratedValues"],
    "enumeratedValues": ["enumeratedValue+"],
    "enumeratedValue": ["name+", "description", "value+"],
}
REPEATED = {"peripheral", "register", "field", "interrupt", "enumeratedValue"}
IDENTIFIER = re.compile(r"[_A-Za-z][_A-Za-z0-9]*(\[%s\])?$")
NUMBER = re.compile(r"(0x[0-9A-Fa-f]+|[0-9]+)$")
NUMBERS = {"dim", "dimIncrement", "baseAddress", "offset", "size", "value", "addressOffset", "resetValue", "bitOffset",
           "bitWidth", "addressUnitBits", "width", "nvicPrioBits"}
CHOICES = {
    "access": {"read-only", "write-only", "read-write", "writeOnce", "read-writeOnce"},
    "modifiedWriteValues": {"oneToClear", "oneToSet", "oneToToggle", "zeroToClear", "zeroToSet", "zeroToToggle", "clear",
                            "set", "modify"},
    "usage": {"registers", "buffer", "reserved"},
    "endian": {"little", "big", "selectable", "other"},
}


def number(element, tag, default=None):
    found = element.find(tag)
    return default if found is None else int(found.text, 0)


def structure(element, path, errors):
    """Order, presence and types of everything below an element."""
    order = ORDER.get(element.tag)
    here = f"{path}/{element.findtext('name') or element.tag}"
    if order is None:
        text = element.text or ""
        if not text.strip():
            errors.append(f"{path}: {element.tag} is empty")
        if element.tag == "name" and not IDENTIFIER.match(text):
            errors.append(f"{path}: {text} is no identifier")
        if element.tag in NUMBERS and not NUMBER.match(text):
            errors.append(f"{path}: {element.tag} {text} is no number")
        if element.tag in CHOICES and text not in CHOICES[element.tag]:
            errors.append(f"{path}: {element.tag} {text} is none of {sorted(CHOICES[element.tag])}")
        return
    names = [tag.rstrip("+") for tag in order]
    position = 0
    seen = set()
    for child in element:
        if child.tag not in names:
            errors.append(f"{here}: {child.tag} has no place in {element.tag}")
            continue
        if names.index(child.tag) < position:
            errors.append(f"{here}: {child.tag} stands behind what must follow it")
        if child.tag in seen and child.tag not in REPEATED:
            errors.append(f"{here}: {child.tag} stands twice")
        position = names.index(child.tag)
        seen.add(child.tag)
        structure(child, here, errors)
    if element.tag == "peripheral" and "derivedFrom" in element.attrib:
        return
    for tag in order:
        if tag.endswith("+") and tag[:-1] not in seen:
            errors.append(f"{here}: {tag[:-1]} is missing")


def once(values, what, errors):
    values = list(values)
    for value in sorted({v for v in values if values.count(v) > 1}, key=str):
        errors.append(f"{what}: {value} twice")


def fields(register, where, errors):
    taken = 0
    once((f.findtext("name") for f in register.iter("field")), where, errors)
    for field in register.iter("field"):
        low, width = number(field, "bitOffset"), number(field, "bitWidth")
        mask = ((1 << width) - 1) << low
        name = f"{where}.{field.findtext('name')}"
        if low + width > number(register, "size", 32):
            errors.append(f"{name}: bits behind the register's end")
        if taken & mask:
            errors.append(f"{name}: bits of another field")
        taken |= mask
        values = list(field.iter("enumeratedValue"))
        once((v.findtext("name") for v in values), name, errors)
        once((number(v, "value") for v in values), name, errors)
        for value in values:
            if number(value, "value") >= 1 << width:
                errors.append(f"{name}: {value.findtext('name')} does not fit")


def registers(peripheral, errors):
    where = peripheral.findtext("name")
    block = peripheral.find("addressBlock")
    words = []
    for register in peripheral.iter("register"):
        name = f"{where}.{register.findtext('name')}"
        step = number(register, "dimIncrement", 4)
        offsets = [number(register, "addressOffset") + i * step for i in range(number(register, "dim", 1))]
        if ("[%s]" in name) != (register.find("dim") is not None):
            errors.append(f"{name}: an array has dim and [%s], nothing else has")
        words += offsets
        if offsets[-1] + 4 > number(block, "offset") + number(block, "size"):
            errors.append(f"{name}: behind the block's end")
        fields(register, name, errors)
    once(words, f"{where}: address", errors)


def check(root):
    errors = []
    if root.tag != "device" or root.get("schemaVersion") != "1.3":
        return ["the root is no device of schema 1.3"]
    structure(root, "", errors)
    if errors:
        return errors
    peripherals = root.findall("peripherals/peripheral")
    names = [p.findtext("name") for p in peripherals]
    once(names, "peripherals", errors)
    once((number(p, "baseAddress") for p in peripherals), "base addresses", errors)
    once((i.findtext("name") for i in root.iter("interrupt")), "interrupts", errors)
    once((number(i, "value") for i in root.iter("interrupt")), "lines", errors)
    for i, peripheral in enumerate(peripherals):
        origin = peripheral.get("derivedFrom")
        if origin is not None and origin not in names[:i]:
            errors.append(f"{names[i]}: derived from {origin}, which does not stand before it")
        if origin is None:
            registers(peripheral, errors)
    if not any(root.iter("interrupt")) or not any(root.iter("enumeratedValue")) or root.find("cpu") is None:
        errors.append("no processor, no interrupts or no enumerated values")
    return errors


def planted(text):
    """The checks find what is wrong: one mistake each, with a word of its message."""
    swaps = [
        ("<endian>little</endian>", "<endian>middle</endian>", "endian"),
        ("<bitOffset>1</bitOffset>", "<bitOffset>0</bitOffset>", "another field"),
        ("<addressOffset>0x4</addressOffset>", "<addressOffset>0x0</addressOffset>", "address: 0 twice"),
        ("<version>1</version>\n", "", "version is missing"),
        ("<usage>registers</usage>", "", "usage is missing"),
        ("<value>17</value>", "<value>18</value>", "lines: 18 twice"),
        ("<name>fcfs</name>", "<name>f cfs</name>", "no identifier"),
        ("<width>32</width>", "", "width is missing"),
    ]
    missed = []
    for right, wrong, word in swaps:
        found = check(ET.fromstring(text.replace(right, wrong, 1)))
        if right not in text or not any(word in error for error in found):
            missed.append(f"{wrong or 'without ' + right}: found {found[:3]}")
    return missed


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    errors = check(ET.fromstring(text)) + [f"a planted mistake is not found: {m}" for m in planted(text)]
    print("\n".join(errors) or "in order")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

"""Commands of gdb for the drive's firmware. `armature gdb SCENARIO` loads them; docs/guide/firmware-debugging.md.

    fw-time                simulated time
    fw-regs BLOCK [REG]    registers of a block that differ from their reset values; or one: fw-regs aau slot_commit[3]
    fw-request N           what firmware holds of host request N (its number in requests.csv)
    fw-queue               the requests that firmware holds
    fw-break-request N     stop where firmware starts host request N
    fw-drive NAME          the drive that these commands speak of; the first at the beginning
    fw-connect SOCKET      connect to a run that waits for gdb there: firmware that runs as an ELF

Native firmware is a part of the program under gdb, so the commands call functions of the program. Of an ELF gdb sees the
drive's memory and registers, and the simulation around it answers gdb's `monitor`.
"""

import os
import re
import xml.etree.ElementTree

import gdb

SVD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/reference/armature.svd")
NO_ANSWER = (1 << 64) - 1
DATA_MEMORY = 0x10000000

drive = 0


def value(expression):
    return gdb.parse_and_eval(expression)


def as_elf():
    """gdb is connected to a run whose firmware is an ELF."""
    connection = gdb.selected_inferior().connection
    return connection is not None and connection.type == "remote"


def running():
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError("the simulation is not running; type run, or start with a breakpoint: break fw_isr")


def tell_thread():
    """The simulation learns which thread is selected when gdb reads something of it, and not from `monitor`."""
    gdb.selected_inferior().read_memory(DATA_MEMORY, 1)


def monitor(words):
    return gdb.execute(f"monitor {words}", to_string=True).strip()


def context():
    """The drive's fw_context, with its type."""
    running()
    if as_elf():
        return value("&fw_the_context")
    found = value(f"(struct fw_context *)armature_context({drive})")
    if int(found) == 0:
        raise gdb.GdbError("no drive yet; break fw_reset and run stops at the first instant of the drive's firmware")
    return found


def register_word(address):
    """None: nothing answers."""
    if not as_elf():
        word = int(value(f"armature_register({drive}, {address})"))
        return None if word == NO_ANSWER else word
    try:
        return int.from_bytes(gdb.selected_inferior().read_memory(address, 4).tobytes(), "little")
    except gdb.MemoryError:
        return None


def tag_of(request):
    """Tag of a host request at the drive; -1 if it is not there."""
    if not as_elf():
        return int(value(f"armature_tag_of({drive}, {request})"))
    found = re.search(r"under tag (\d+)", monitor(f"request {request}"))
    return int(found[1]) if found else -1


class Command(gdb.Command):
    """A command whose mistakes are one line."""

    def __init__(self, name, category=gdb.COMMAND_DATA):
        super().__init__(name, category)
        self.name = name

    def number(self, argument):
        try:
            return int(argument, 0)
        except ValueError:
            raise gdb.GdbError(f"{self.name}: the number of a request is expected, not {argument!r}") from None


class Time(Command):
    """Simulated time, and the handler that is at work."""

    def __init__(self):
        super().__init__("fw-time")

    def invoke(self, _argument, _from_tty):
        running()
        print(monitor("time").partition(",")[0] if as_elf() else value("armature_time()").string())


class Drive(Command):
    """fw-drive NAME: the drive that the fw- commands speak of."""

    def __init__(self):
        super().__init__("fw-drive")

    def invoke(self, argument, _from_tty):
        global drive
        running()
        if as_elf():
            threads = {thread.name: thread for thread in gdb.selected_inferior().threads()}
            if argument not in threads:
                raise gdb.GdbError(f"fw-drive: the drives are {', '.join(sorted(threads))}")
            threads[argument].switch()
            return
        names = []
        while int(name := value(f"armature_drive_name({len(names)})")):
            names.append(name.string())
        if argument not in names:
            raise gdb.GdbError(f"fw-drive: the drives are {', '.join(names) or 'not there yet'}")
        drive = names.index(argument)


def peripherals():
    """Base address and registers of each block, by name: registers as (name, offset, reset value, fields)."""
    blocks = {}
    root = xml.etree.ElementTree.parse(SVD).getroot()
    for peripheral in root.iter("peripheral"):
        name = peripheral.findtext("name").lower()
        base = int(peripheral.findtext("baseAddress"), 0)
        origin = peripheral.get("derivedFrom")
        registers = []
        for register in peripheral.iter("register"):
            fields = []
            for field in register.iter("field"):
                if field.find("bitRange") is not None:
                    high, low = field.findtext("bitRange").strip("[]").split(":")
                    low, width = int(low), int(high) - int(low) + 1
                elif field.find("bitOffset") is not None:
                    low, width = int(field.findtext("bitOffset"), 0), int(field.findtext("bitWidth"), 0)
                else:
                    low = int(field.findtext("lsb"), 0)
                    width = int(field.findtext("msb"), 0) - low + 1
                fields.append((field.findtext("name"), low, width))
            count = int(register.findtext("dim") or "0", 0)
            step = int(register.findtext("dimIncrement") or "0", 0)
            offset = int(register.findtext("addressOffset"), 0)
            reset = int(register.findtext("resetValue") or "0", 0)
            label = register.findtext("name").lower()
            for i in range(count or 1):
                registers.append((label.replace("%s", str(i)), offset + i * step, reset, fields))
        blocks[name] = (base, blocks[origin.lower()][1] if origin and not registers else registers)
    return blocks


def chosen(block, registers, name):
    """Registers with this name: one, all of an array whose index is left out, or without a name all of them."""
    found = [register for register in registers if not name or register[0] == name or register[0].startswith(name + "[")]
    if found:
        return found
    arrays = {}
    for register, *_ in registers:
        label, bracket, index = register.partition("[")
        arrays[label] = f"{label}[0..{index[:-1]}]" if bracket else label
    label = name.partition("[")[0]
    known = arrays[label] if label in arrays else ", ".join(arrays.values())
    raise gdb.GdbError(f"fw-regs: {block} has no register {name}, but {known}")


class Registers(Command):
    """fw-regs BLOCK [REGISTER]: registers and their fields, read without side effects: those that differ from their reset
    values, or the one that is named (fw-regs aau slot_commit[3]). Without BLOCK: the blocks."""

    def __init__(self):
        super().__init__("fw-regs")

    def invoke(self, argument, _from_tty):
        blocks = peripherals()
        block, _, name = argument.lower().partition(" ")
        if block not in blocks:
            raise gdb.GdbError(f"fw-regs: the blocks are {', '.join(sorted(blocks))}")
        base, registers = blocks[block]
        asked = chosen(block, registers, name.strip())
        running()
        hidden = 0
        for register, offset, reset, fields in asked:
            word = register_word(base + offset)
            if word is None:
                raise gdb.GdbError(f"fw-regs: nothing answers at {base + offset:#010x}: this drive has no block {block}")
            if word == reset and len(asked) > 1:
                hidden += 1
                continue
            parts = [f"{field.lower()} {word >> low & (1 << width) - 1:#x}" for field, low, width in fields]
            print(f"{register:<18} {word:#010x}  {'  '.join(parts) if len(parts) > 1 else ''}".rstrip())
        if hidden:
            print(f"{hidden} registers hold their reset values")

    def complete(self, text, word):
        blocks = peripherals()
        block, space, _ = text.lower().partition(" ")
        if not space:
            return [name for name in blocks if name.startswith(word.lower())]
        names = {register.partition("[")[0] for register, *_ in blocks.get(block, (0, []))[1]}
        return [name for name in sorted(names) if name.startswith(word.lower())]


def state(request):
    """Its state by name: FW_REQUEST_WAITS is "waits"."""
    name = str(request["state"].cast(gdb.lookup_type("enum fw_request_state")))
    return name.rsplit("FW_REQUEST_", 1)[-1].lower().replace("_", " ")


def held(request):
    return int(request["state"]) != 0


def summary(tag, request):
    kind = "write" if request["write"] else "read"
    arm = int(request["arm"])
    place = f"arm {arm}" if arm != 0xFF else "no arm"
    return (
        f"tag {tag}: {kind} of {int(request['sectors'])} sectors at {int(request['lba'])}, "
        f"{int(request['media_done'])} on or from the media, {int(request['link_done'])} over the link, {place}, {state(request)}"
    )


class Request(Command):
    """fw-request N: what firmware holds of host request N."""

    def __init__(self):
        super().__init__("fw-request")

    def invoke(self, argument, _from_tty):
        number = self.number(argument)
        ctx = context()
        tag = tag_of(number)
        if tag < 0:
            raise gdb.GdbError(f"fw-request: request {number} is not at the drive; fw-break-request {number} waits for it")
        request = ctx["requests"][tag]
        print(summary(tag, request) if held(request) else f"tag {tag}: on its way; firmware has not seen it yet")
        print(request.format_string(max_depth=2))


class Queue(Command):
    """fw-queue: the requests that firmware holds, by tag."""

    def __init__(self):
        super().__init__("fw-queue")

    def invoke(self, _argument, _from_tty):
        requests = context()["requests"]
        first, last = requests.type.range()
        tags = [tag for tag in range(first, last + 1) if held(requests[tag])]
        for tag in tags:
            print(summary(tag, requests[tag]))
        if not tags:
            print("firmware holds no request")


class Sent(gdb.Breakpoint):
    """The host sends the awaited request: from now on its tag is known."""

    def __init__(self, number):
        super().__init__("armature_request_sent", internal=True)
        self.silent = True
        self.awaited = number

    def stop(self):
        tag = int(gdb.newest_frame().read_var("tag"))
        Started.waiting[tag] = self.awaited
        gdb.execute("set var armature_awaited_request = ~0ul")
        return False


class Started(gdb.Breakpoint):
    """Firmware starts a request."""

    waiting = {}  # number by tag

    def stop(self):
        tag = int(gdb.newest_frame().read_var("tag"))
        if tag not in self.waiting:
            return False
        print(f"request {self.waiting.pop(tag)}, tag {tag}")
        return True


class BreakRequest(Command):
    """fw-break-request N: stop where firmware starts host request N (its number in requests.csv)."""

    def __init__(self):
        super().__init__("fw-break-request", gdb.COMMAND_BREAKPOINTS)
        self.placed = False

    def invoke(self, argument, _from_tty):
        number = self.number(argument)
        if as_elf():
            print(monitor(f"at request {number}"))
            return
        if not gdb.selected_inferior().pid:
            gdb.execute("tbreak fw_reset", to_string=True)
            gdb.execute("run", to_string=True)
        gdb.execute(f"set var armature_awaited_request = {number}")
        Sent(number)
        if not self.placed:
            Started("fw_start_request", internal=True)
        self.placed = True
        print(f"stops where firmware starts request {number}: continue")


class Run(gdb.Command):
    """Lets the simulation begin, which waits before firmware's first instruction."""

    def __init__(self):
        super().__init__("run", gdb.COMMAND_RUNNING)
        self.begun = False

    def invoke(self, _argument, _from_tty):
        if self.begun:
            raise gdb.GdbError("the simulation is running already: continue; to run it anew leave gdb and start it again")
        self.begun = True
        gdb.execute("continue")


class Connect(Command):
    """fw-connect SOCKET: connect to a run that waits there (armature run --gdb)."""

    def __init__(self):
        super().__init__("fw-connect", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_tty):
        gdb.execute(f"target remote {argument}")
        gdb.execute("define hook-monitor\npython tell_thread()\nend")
        Run()


for command in (Time, Drive, Registers, Request, Queue, BreakRequest, Connect):
    command()
gdb.execute("unset environment LD_PRELOAD")  # for gdb, not for the program: ptrace_xstate.c
gdb.execute("set print pretty on")
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("handle SIGPROF nostop noprint pass")

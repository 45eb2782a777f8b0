"""Pages of the repository: each link leads to a file and a heading that exist, each picture is a file, and each command line in
them has a command, options, keys and files that exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT / name for name in subprocess.check_output(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                                                                  cwd=ROOT, text=True).split()
               if (ROOT / name).exists() and "/templates/" not in name)  # of templates the pages are checked that they become
FENCE = re.compile(r"^( *)```([a-z]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
GENERATED = ("docs/reference/commands.md",)  # its commands are checked where it is made


def prose(text: str) -> str:
    """A page without its blocks of code and its spans of code."""
    return re.sub(r"`[^`]*`", "``", FENCE.sub("", text))


def anchors(text: str) -> set[str]:
    """Anchors of a page's headings, by the rule of GitHub: a heading that comes again gets a number."""
    seen: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", FENCE.sub("", text), re.MULTILINE):
        heading = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        seen[f"{name}-{seen[name]}" if seen[name] else name] = 0
    return set(seen)


def links(text: str) -> list[str]:
    written = prose(text)
    return [*re.findall(r"\]\(([^)\s]+)\)", written), *re.findall(r"(?:src|href)=\"([^\"]+)\"", written),
            *re.findall(r"^\[[^]^]+\]: *(\S+)", written, re.MULTILINE)]


def broken_links(page: Path, text: str) -> list[str]:
    wrong = []
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            wrong.append(f"{link}: no such file")
        elif not target.is_relative_to(ROOT):
            wrong.append(f"{link}: outside of the repository")
        elif anchor and target.suffix == ".md" and anchor not in anchors(text if target == page else target.read_text()):
            wrong.append(f"{link}: no such heading")
    notes = set(re.findall(r"\[\^(\w+)\](?!:)", prose(text)))
    return wrong + [f"[^{note}]: no such footnote" for note in notes ^ set(re.findall(r"^\[\^(\w+)\]:", text, re.MULTILINE))]


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])
def test_links_anchors_and_pictures_exist(page):
    assert broken_links(page, page.read_text()) == []


def test_a_broken_link_is_found():
    page = ROOT / "docs" / "README.md"
    text = ("# A heading\n## Twice\n## Twice\n[a](guide/waves.md) [b](#a-heading) [c](#twice-1) `[code](none.md)`\n"
            "[d](guide/none.md) [e](#twice-2) ![f](pictures/none.png) [g](guide/waves.md#none) [^h] [i](https://example.org)\n")
    assert [line.split(":")[0] for line in broken_links(page, text)] == [
        "guide/none.md", "#twice-2", "pictures/none.png", "guide/waves.md#none", "[^h]"]


def test_each_page_is_in_the_list_of_all_pages_and_in_a_folder():
    index = ROOT / "docs/README.md"
    named = {(index.parent / link.partition("#")[0]).resolve() for link in links(index.read_text().partition("## All pages")[2])}
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs") and page != index and page.parent.name != "platform"}
    assert {str(page.relative_to(ROOT)) for page in pages - named} == set()
    assert {page.parent.name for page in pages} <= {"guide", "reference", "lab", "decisions", "docs"}


def uneven_rows(text: str) -> list[str]:
    """Rows of tables with another number of cells than their table's second row."""
    wrong, cells = [], 0
    for line in FENCE.sub("", text).splitlines():
        if not line.startswith("|"):
            cells = 0
            continue
        count = len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", line)))
        if re.fullmatch(r"[|:\- ]+", line):
            cells = count
        elif cells and count != cells:
            wrong.append(line[:90])
    return wrong


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])
def test_rows_of_tables_have_their_cells(page):
    assert uneven_rows(page.read_text()) == []


def test_a_row_with_a_cell_too_many_is_found():
    assert uneven_rows("| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | `x|y` | 3 |\n") == ["| 1 | `x|y` | 3 |"]


# ---- Pages for tasks have no measurements: these are in docs/lab ----


GUIDE = [page for page in PAGES if page.parent == ROOT / "docs/guide"]
FIGURE = re.compile(r"[*~<>+-]*\d[\d,]*(\.\d+)?(e\d+)?( ?(±|\+-) ?[\d.,]+(e\d+)?)?( ?[%a-zA-Z/]{1,6})?\**")
NO_MEASUREMENTS = {  # page and first heading of a table with decimals: why it may stand there
    ("hosts.md", "step"): "sums of default times, which unit tests check",
    ("life.md", "assumption"): "defaults of options, with their sources",
    ("link-and-host.md", "frame"): "what the formulas above it give, which unit tests check",
    ("which-upgrade.md", "system"): "what a command of the tutorial prints",
    ("which-upgrade.md", "difference"): "the same",
}


def measured_tables(page: str, text: str) -> list[tuple[str, str]]:
    """Tables with decimals in two rows or more, and regions that a command writes."""
    found = [(page, region) for region in re.findall(r"^<!-- ((?:begin|printed|end)\b.*?) *-->", text, re.MULTILINE)]
    rows: list[list[str]] = []
    for line in [*FENCE.sub("", text).splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.sub(r"`[^`]*`", "`", line).replace("\\|", "/").strip("|").split("|")])
            continue
        decimals = [row for row in rows[2:]
                    if any("." in cell and all(FIGURE.fullmatch(part) for part in re.split(r", | / |; ", cell)) for cell in row)]
        if len(decimals) > 1:
            found.append((page, rows[0][0]))
        rows = []
    return found


def test_guide_has_no_measurements():
    found = [table for page in GUIDE for table in measured_tables(page.name, page.read_text())]
    assert set(found) - set(NO_MEASUREMENTS) == set(), "a table of measurements belongs to docs/lab"
    assert set(NO_MEASUREMENTS) - set(found) == set(), "an exception that nothing needs"


def test_a_measured_table_is_found():
    text = ("| key | value |\n|---|---|\n| `1.5` | 2.5 |\n| b | of 3.5 kinds |\n\n"  # one row with a decimal alone
            "| load | ms |\n|--:|--:|\n| 1 | 2.5 |\n| 2 | 12.78 ± 0.5 ms |\n\n"
            "| kind | first, last |\n|---|---|\n| a | 1.5, 2 |\n| b | **3.5** |\n\n<!-- a table -->\n<!-- end of a table -->\n")
    assert measured_tables("a.md", text) == [("a.md", "end of a table"), ("a.md", "load"), ("a.md", "kind")]


# ---- Command lines ----


def command_lines(text: str) -> list[str]:
    """Those of blocks and of spans of code, without their comments."""
    blocks = [block for _, language, block in FENCE.findall(text) if language in ("", "console", "sh", "text")]
    blocks += re.findall(r"(?:^ {4}.*\n)+", FENCE.sub("", text), re.MULTILINE)
    found = []
    for block in blocks:
        for line in re.sub(r"\\\n *", " ", block).splitlines():
            match = re.match(r" *(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\./)?armature( .*)", line)
            if match:
                found.append(match[1])
    # A span ends where its line or the next one closes it.
    outside = re.sub(r"^ {4}.*$", "", FENCE.sub("", text), flags=re.MULTILINE)
    return found + [" " + span.replace("\n", " ") for span in re.findall(r"`(?:\./)?armature ([^`]+)`", outside)]


@cache
def helps() -> dict[str, str]:
    """Help by command and sub-command, as docs/reference/commands.md has it."""
    parts = re.split(r"^## (.*)$", (ROOT / "docs/reference/commands.md").read_text(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def keys() -> frozenset[str]:
    def told(*words: str) -> list[str]:
        return subprocess.run([os.environ["ARMATURE_BINARY"], *words], capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()

    found = {line.split("\t")[0] for line in told("describe", "--tsv")[1:]}
    section = ""
    for line in told("mems", "keys"):  # those of a drive whose store is a MEMS store
        section = next(iter(re.findall(r"^\[(\w+)\]", line)), section)
        found |= {f"{section}.{key}" for key in re.findall(r"^  (\w+)  ", line)}
    return frozenset(found)


def is_key(name: str) -> bool:
    """A key of a scenario, or of one of its drives, or a section that a line gives whole. Tables have no names of their own."""
    name = re.sub(r"\[\d*\]", "", re.sub(r"^drives\.[^.]+\.", "", name))
    return name == "model" or any(re.sub(r"\[\d*\]", "", key) == name or key.startswith((f"{name}.", f"{name}[")) for key in keys())


def wrong_in(line: str) -> list[str]:
    """What a command line names and there is not."""
    cut = re.split(r"\s(?:>|\||&&|;|#|--|then:)\s| {3}", f"{line.strip()} ")[0]
    try:
        words = shlex.split(cut)
    except ValueError:
        return [f"{line.strip()}: quotes are not closed"]
    if not words or words[0] in ("COMMAND", "...", "--help", "--version"):
        return []
    sub = " ".join(words[:2])
    own = [word for word in re.split(r"\|", words[0])]
    if any(word not in helps() and word != "help" for word in own):
        return [f"{line.strip()}: no such command"]
    subs = [name for name in helps() if name.startswith(f"{words[0]} ")]
    text = helps().get(sub) or "".join(helps().get(word, "") for word in own)
    if len(words) > 1 and subs and sub not in helps() and re.fullmatch(r"[a-z]+", words[1]):
        return [f"{line.strip()}: no such sub-command"]
    if "options of run" in text or words[0] == "firmware":
        text += helps()["run"]
    wrong = []
    for word in words[1:]:
        option = re.match(r"\[?(--[a-z][\w-]*)", word)
        if option and not re.search(rf"{option[1]}(?![\w-])", text):
            wrong.append(f"{line.strip()}: no option {option[1]}")
        path = re.fullmatch(r"(?:scenarios|docs|models|rtl|testbench|waveforms)/[\w./-]+", word)
        if path and not (ROOT / word).exists():
            wrong.append(f"{line.strip()}: no {word}")
    if words[0] not in ("mems", "servo", "import", "fleet", "reproduce"):  # their --set have keys of other files
        for key in re.findall(r"--set[ =]'?([a-z][a-z0-9_.*\[\]]*)=", cut):
            if not is_key(key):
                wrong.append(f"{line.strip()}: no key {key}")
    return wrong


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES
                                  if str(page.relative_to(ROOT)) not in GENERATED])
def test_command_lines_exist(page):
    assert [fault for line in command_lines(page.read_text()) for fault in wrong_in(line)] == []


def test_a_wrong_command_line_is_found():
    page = ("    ./armature run scenarios/none.toml --set spindle.rmp=5 --wave   # --comment\n\n"
            "`./armature rum s.toml`, `armature mems\nseeek f.toml`\n\n```console\n$ ./armature run scenarios/mems.toml --set \\\n spindle.rpm=7200 -- --more\n```\n")
    faults = sorted(fault.split(": ")[1] for line in command_lines(page) for fault in wrong_in(line))
    assert faults == ["no key spindle.rmp", "no option --wave", "no scenarios/none.toml", "no such command", "no such sub-command"]


# ---- Scenarios in pages ----


OTHERS = ("class", "plant", "sweep", "claim", "title")  # of a fleet, a servo's plant, an experiment: readers of their own


def unknown_keys(text: str) -> list[str]:
    """Keys of a scenario or a drive file in a page that no reader knows. A page may show lines of a section without its name."""

    def walk(table: dict, at: str) -> list[str]:
        found = []
        for name, value in table.items():
            path = f"{at}.{name}" if at else name
            for one in value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]:
                found += walk(one, path) if isinstance(one, dict) else [path]
        return found

    told = tomllib.loads(text)
    if set(OTHERS) & set(told):
        return []
    within = {key.rpartition(".")[2] for key in keys()}
    return [key for key in walk(told, "") if not is_key(key) and key not in within]


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if "```toml" in page.read_text()])
def test_keys_of_scenarios_in_pages_exist(page):
    for _, language, block in FENCE.findall(page.read_text()):
        if language == "toml":
            assert unknown_keys(block) == [], block


def test_an_unknown_key_is_found():
    assert unknown_keys("[drives.a]\nspindle.rpm = 1\nspindle.rmp = 2\n[[host.commands]]\nnone = 1\n") == ["drives.a.spindle.rmp", "host.commands.none"]

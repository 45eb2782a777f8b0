#!/usr/bin/env python3
"""Fails on a function of models/ that is longer than LIMIT lines, from its signature to its closing brace.

Sources are laid out by clang-format, on which the reader below relies: a brace of a body has a space before it, a brace
of an initialiser has none or follows an equals sign. Lambdas count as part of the function around them.

    function_length.py DIRECTORY        checks the sources below it
    function_length.py --plant          checks that a function of one line too many is found, and one fewer is not
"""
import re
import sys
from pathlib import Path

LIMIT = 60

# Functions that are longer for a reason: "file: name" and the reason. Each must exist and be longer.
LONGER = {
    "iss/engine/instructions.cpp: Interpreter::run": "each instruction's code, which jumps to the next one's",
    "servo/src/seek.cpp: seek": "one seek from start to settled, whose steps share all of its state",
    "servo/src/seek_profile.cpp: seek_profile": "one velocity profile, computed backwards from its end",
}

CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
NAME = re.compile(r"([~\w:]+|operator\s*\S+?)\s*\(")
HIDDEN = re.compile(
    r'//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)*'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.S | re.M)


def plain(text):
    """`text` without comments, literals and directives, on the same lines."""
    return HIDDEN.sub(lambda match: "\n" * match.group().count("\n") or " ", text)


def functions(text):
    """Name, first line and length of each function of a source."""
    text = plain(text)
    found, stack, head = [], [], 0  # stack: what each open brace is
    for match in re.finditer(r"[{};]", text):
        at, sign = match.start(), match.group()
        if sign == "{":
            before = text[head:at]
            said = before.strip()
            outside = all(kind == "container" for kind, _, _ in stack)
            if not outside or not before[-1:].isspace() or said.endswith("=") or not said:
                stack.append(("other", None, 0))
            elif CONTAINER.search(said) and "(" not in re.sub(r"<[^{}]*>", "", said):
                stack.append(("container", None, 0))
            elif "(" in said:
                said = re.sub(r"^(?:\s*(?:public|protected|private):)+", "", said).lstrip()
                start = text.index(said, head)
                stack.append(("function", NAME.search(said).group(1), text.count("\n", 0, start) + 1))
            else:
                stack.append(("other", None, 0))
            if stack[-1][0] != "other":
                head = at + 1
        elif sign == "}" and stack:
            kind, name, first = stack.pop()
            if kind == "function":
                found.append((name, first, text.count("\n", 0, at) + 2 - first))
            if kind != "other":
                head = at + 1
        elif sign == ";" and all(kind == "container" for kind, _, _ in stack):
            head = at + 1
    if stack:
        raise SystemExit("a brace is not closed")
    return found


def too_long(files):
    """What is longer than LIMIT and not in LONGER, and what is wrong with LONGER."""
    count, wrong, excused = 0, [], set()
    for path, shown in files:
        for name, first, lines in functions(path.read_text()):
            count += 1
            if lines <= LIMIT:
                continue
            key = f"{shown}: {name}"
            if key in LONGER:
                excused.add(key)
            else:
                wrong.append(f"{shown}:{first}: {name} has {lines} lines; at most {LIMIT}")
    wrong += [f"{key}: no such long function, though LONGER lists it" for key in LONGER if key not in excused]
    return count, wrong


def planted():
    """A function of `lines` lines in the places where functions stand."""
    def body(lines, indent=""):
        return "".join(f"{indent}  call({i});\n" for i in range(lines - 2))
    shapes = {
        "f": lambda n: "namespace a {\nint f(int x) {\n" + body(n) + "}\n}\n",
        "A::A": lambda n: "A::A(int x) : a_{x}, b_(x) {\n" + body(n) + "}\n",
        "g": lambda n: "struct A {\n public:\n  void g() const {\n" + body(n, "  ") + "  }\n  int h = 1;\n};\n",
        "h": lambda n: "static void h(struct a* c)\n{\n" + body(n - 1) + "}\n",
        "p": lambda n: "static struct a *p(int x) {\n" + body(n) + "}\n",
        "q": lambda n: "template <class T>\nclass B : public C<int(T)> {\n  void q() {\n" + body(n, "  ") + "  }\n};\n",
        "k": lambda n: "void k() {  // a brace {\n  const char* s = \"{'\";\n" + body(n - 1) + "}\n",
        "m": lambda n: "void m() {\n  run([&] {\n" + body(n - 2, "  ") + "  });\n}\n",
    }
    for name, make in shapes.items():
        for lines in (LIMIT, LIMIT + 1):
            seen = functions(make(lines))
            assert [(n, length) for n, _, length in seen] == [(name, lines)], (name, lines, seen)
    assert functions("constexpr int kTable[] = {\n" + "  1,\n" * 100 + "};\n") == []


def main():
    if sys.argv[1:] == ["--plant"]:
        planted()
        return 0
    root = Path(sys.argv[1])
    files = sorted((path, str(path.relative_to(root))) for path in root.rglob("*") if path.suffix in (".h", ".cpp", ".c"))
    count, wrong = too_long(files)
    print(f"{count} functions in {len(files)} files")
    if count < 1000:
        wrong.append("fewer functions than there must be: they are not read right")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Builds the site of the documentation: README.md, docs/ and the files of the repository that they link to, with a search.

    ./armature docs [--out DIR]

Pages lie in one folder for mkdocs, which knows no page outside of it: each link to a file of the repository becomes one to a
page that shows the file, each link to a folder one to a list of its files. A link that leads nowhere is an error.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLACES = {"README.md": "index.md", "docs/README.md": "tasks.md"}  # others of docs/ keep their names
SECTIONS = (("guide", "Guide"), ("reference", "Reference"), ("lab", "Lab"), ("decisions", "Decisions"))
LANGUAGES = {".py": "python", ".h": "cpp", ".cpp": "cpp", ".c": "c", ".sv": "systemverilog", ".toml": "toml", ".json": "json"}
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
HIDDEN = "---\nsearch:\n  exclude: true\n---\n"  # sources are shown, and not searched


def title(text: str) -> str:
    return next(iter(re.findall(r"^# (.*)$", text, re.MULTILINE)), "").replace("`", "")


class Site:
    """Pages in the folder `pages`, each once: `wanted` are files of the repository whose pages are still to be written."""

    def __init__(self, pages: Path):
        self.pages = pages
        self._tracked = subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True).split("\0")[:-1]
        self._wanted: list[str] = []
        self._done: set[str] = set()

    def place(self, name: str) -> str:
        """Where the page or the file `name` of the repository is in the site."""
        if name in PLACES:
            return PLACES[name]
        if name.startswith("docs/") and name.endswith((".md", ".png", ".svg")):
            return name.removeprefix("docs/")
        if (ROOT / name).is_dir():
            return f"files/{name}/index.md"
        return f"files/{name}" if name.endswith((".md", ".png", ".svg")) else f"files/{name}.md"

    def write(self) -> None:
        self._wanted = ["README.md", *(name for name in self._tracked if name.startswith("docs/") and name.endswith(".md"))]
        while self._wanted:
            name = self._wanted.pop()
            if name in self._done:
                continue
            self._done.add(name)
            place = self.pages / self.place(name)
            place.parent.mkdir(parents=True, exist_ok=True)
            source = ROOT / name
            if source.is_dir():
                place.write_text(self._folder(name))
            elif name.endswith(".md"):
                place.write_text(self._page(name, source.read_text()))
            elif place.suffix == ".md":
                place.write_text(self._source(name, source.read_text()))
            else:
                shutil.copy(source, place)

    def _page(self, name: str, text: str) -> str:
        blocks = FENCE.findall(text)
        text = FENCE.sub("\0", text)
        here = self.place(name)

        def there(link: re.Match) -> str:
            if re.match(r"[a-z]+:", link[2]):
                return link[0]
            target = os.path.normpath(os.path.join(os.path.dirname(name), link[2]))
            if target not in self._tracked and not any(one.startswith(f"{target}/") for one in self._tracked):
                return link[0]  # mkdocs says that it leads nowhere
            self._wanted.append(target)
            return link[1] + os.path.relpath(self.place(target), os.path.dirname(here)) + link[3]

        text = LINK.sub(there, text)
        for block in blocks:
            text = text.replace("\0", block, 1)
        return text

    def _folder(self, name: str) -> str:
        files = [one for one in self._tracked if one.startswith(f"{name}/") and "/" not in one.removeprefix(f"{name}/")]
        folders = sorted({f"{name}/{one.removeprefix(f'{name}/').split('/')[0]}" for one in self._tracked if one.startswith(f"{name}/")} - set(files))
        self._wanted += [one for one in files if self._readable(one)]
        lines = [f"- `{one}/`" for one in folders]
        here = os.path.dirname(self.place(name))
        lines += [f"- [{one}]({os.path.relpath(self.place(one), here)})" if self._readable(one) else f"- `{one}`" for one in files]
        return HIDDEN + f"# {name}/\n\n" + "\n".join(lines) + "\n"

    def _readable(self, name: str) -> bool:
        try:
            (ROOT / name).read_text()
        except UnicodeDecodeError:
            return False
        return True

    def _source(self, name: str, text: str) -> str:
        language = LANGUAGES.get(Path(name).suffix, "text")
        return HIDDEN + f"# {name}\n\n`````{language}\n{text.rstrip()}\n`````\n"

    def navigation(self) -> list:
        found: list = [{"Armature": "index.md"}, {"How do I ...": "tasks.md"}]
        for folder, heading in SECTIONS:
            pages = {title(page.read_text()): f"{folder}/{page.name}" for page in (self.pages / folder).glob("*.md")}
            if pages:
                found.append({heading: [{html.escape(name, quote=False): pages[name]} for name in sorted(pages, key=str.lower)]})
        return found + [{title(page.read_text()): page.name} for page in sorted(self.pages.glob("*.md")) if page.name not in PLACES.values()]


def build(out: Path) -> int:
    """Status of mkdocs. `out` gets the site."""
    import yaml

    with tempfile.TemporaryDirectory(prefix="armature-docs-") as work:
        site = Site(Path(work) / "pages")
        site.write()
        (site.pages / "site").mkdir()
        shutil.copy(HERE / "wide.css", site.pages / "site")
        shutil.copy(HERE / "folder_worker.js", site.pages / "site/iframe-worker.js")
        more = {"docs_dir": f"{work}/pages", "site_dir": str(out), "nav": site.navigation()}
        config = Path(work) / "mkdocs.yml"
        config.write_text((HERE / "mkdocs.yml").read_text() + yaml.safe_dump(more, sort_keys=False))
        # Not --quiet: mkdocs counts the warnings that it prints.
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config]
        done = subprocess.run(command, env=dict(os.environ, NO_MKDOCS_2_WARNING="1"), stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.stderr.writelines(line for line in done.stderr.splitlines(keepends=True) if line.startswith(("WARNING", "ERROR")))
    return done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="armature docs", description="Builds the searchable site of the documentation; DIR/index.html is its first page.")
    parser.add_argument("--out", type=Path, default=ROOT / ".build" / "docs", metavar="DIR", help="folder of the site (.build/docs)")
    out = parser.parse_args().out.resolve()
    status = build(out)
    if not status:
        print(f"site: {out}/index.html")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())

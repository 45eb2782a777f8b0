"""The site of the documentation (./armature docs): built without a broken link, read and searched in a browser without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-docs/bin/python"


def build(root: Path, out: Path) -> subprocess.CompletedProcess:
    return subprocess.run([PYTHON, root / "docs/site/build.py", "--out", out], capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    if not PYTHON.exists():
        pytest.skip("no .venv-docs: ./armature docs prepares it")
    out = tmp_path_factory.mktemp("site")
    done = build(ROOT, out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_each_page_and_picture_is_in_the_site(site):
    for page in (ROOT / "docs").rglob("*.md"):
        name = "tasks" if page.name == "README.md" else str(page.relative_to(ROOT / "docs").with_suffix(""))
        assert (site / f"{name}.html").exists(), name
    assert {path.name for path in (ROOT / "docs/pictures").iterdir()} <= {path.name for path in (site / "pictures").iterdir()}
    assert "seagate_barracuda_es_750.toml.html" in (site / "files/scenarios/drives/index.html").read_text()


def test_no_page_asks_the_network_for_anything(site):
    for page in site.rglob("*.html"):
        wanted = re.findall(r"<(?:script|img|iframe)[^>]*\bsrc=\"?(\w+:[^\"> ]+)|<link[^>]*rel=\"?stylesheet[^>]*href=\"?(\w+:[^\"> ]+)", page.read_text())
        assert wanted == [], page


def test_the_search_of_a_page_opened_as_a_file_finds_a_word(site, browser):
    browser.look(1280)
    browser.open(site / "guide/waves.html")
    browser.evaluate("""(() => { document.getElementById('__search').click();
      const field = document.querySelector('.md-search__input'); field.focus(); field.value = 'missed revolution';
      field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true})); field.dispatchEvent(new Event('input', {bubbles: true})); })()""")
    until, found = time.monotonic() + 60, []
    while not found and time.monotonic() < until:
        browser.settle()
        found = browser.evaluate("[...document.querySelectorAll('.md-search-result__link')].map(a => a.getAttribute('href'))")
    assert any("results.html" in link for link in found), found
    assert browser.messages == []


def test_links_that_lead_nowhere_fail(site, tmp_path):
    """In a repository of two pages."""
    root = tmp_path / "root"
    shutil.copytree(ROOT / "docs/site", root / "docs/site")
    (root / "README.md").write_text("# Title\n\n[tasks](docs/README.md)\n")
    (root / "docs/README.md").write_text("# Tasks\n\n[a](../README.md#title) [b](guide/none.md) [c](../README.md#none)\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    done = build(root, tmp_path / "out")
    assert done.returncode == 1
    assert "guide/none.md" in done.stderr and "#none" in done.stderr and "#title" not in done.stderr

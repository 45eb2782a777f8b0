"""The notebooks run as they stand, and say what their text says. Their outputs are not in the repository."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "models/study/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path):
    book = nbformat.read(path, 4)
    nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None


def executed(path: Path, bench, monkeypatch) -> list[str]:
    """The texts that the code cells give, in order; "" where a cell gives none."""
    from nbclient import NotebookClient

    for name, value in bench.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(bench.directory / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(bench.directory / "ipython"))
    book = nbformat.read(path, 4)
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(bench.directory)}}).execute()
    texts = []
    for cell in book.cells:
        if cell.cell_type == "code":
            texts.append("".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs))
    return texts


@pytest.mark.full
def test_missed_revolution(bench, monkeypatch):
    texts = executed(ROOT / "models/study/notebooks/missed_revolution.ipynb", bench, monkeypatch)
    assert "late_servo" in texts[1]
    assert "cause late_servo, 1 turns of 8333 us" in texts[2]
    assert {"seek", "rotation", "transfer"} <= set(texts[3].split())


@pytest.mark.full
def test_arms_or_rpm(bench, monkeypatch):
    texts = executed(ROOT / "models/study/notebooks/arms_or_rpm.ipynb", bench, monkeypatch)
    assert texts[0] == "(18, 0)"
    assert "spindle" in texts[-1] and "controller" in texts[-1]


def test_there_are_two():
    assert [path.stem for path in NOTEBOOKS] == ["arms_or_rpm", "missed_revolution"]

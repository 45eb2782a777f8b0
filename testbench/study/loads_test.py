"""The shipped loads beside what is published of them."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from armature import loads
from armature.__main__ import main
from armature.errors import InputError
from armature.program import Program

_SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(os.environ["ARMATURE_BINARY"])


@pytest.fixture(scope="module")
def measured(program: Program) -> list[tuple[dict, list[loads.Figure]]]:
    return [(load, loads.figures(program, load)) for load in loads.published()]


def test_every_figure_is_within_three_percent_over_a_million_requests(measured):
    assert loads.REQUESTS == 1_000_000 and loads.TOLERANCE == 0.03
    assert sum(len(figures) for _, figures in measured) >= 29
    for load, figures in measured:
        for figure in figures:
            assert abs(figure.off) <= 0.03, (load["scenario"], figure)


def test_the_page_is_what_the_command_writes(measured):
    assert loads.PAGE.read_text() == loads.page(measured), "./armature loads --write"


def test_another_seed_agrees_too(program: Program, tmp_path: Path):
    """The agreement is not one of a lucky seed."""
    for load in loads.published():
        text = (_SCENARIOS / f"{load['scenario']}.toml").read_text()
        assert "seed = 1\n" in text
        other = tmp_path / "other.toml"
        other.write_text(text.replace("seed = 1\n", "seed = 77\n").replace('model = "drives/', f'model = "{_SCENARIOS}/drives/'))
        drawn = loads.profile(program, other, loads.REQUESTS)
        for asked in load["figures"]:
            assert abs(loads._figure(asked, drawn).off) <= 0.03, (load["scenario"], asked["name"])


def test_a_load_that_differs_is_seen(program: Program, tmp_path: Path, monkeypatch, capsys):
    """A share of writes that is 4.6 % too large: status 1, and the figure is named."""
    text = (_SCENARIOS / "tpcc_like.toml").read_text()
    spoiled = text.replace("0.8544,  ", "0.8100,  ").replace('model = "drives/', f'model = "{_SCENARIOS}/drives/')
    assert spoiled.count("0.8100") == 1
    for load in loads.published():
        (tmp_path / f"{load['scenario']}.toml").write_text(spoiled)
    monkeypatch.setattr(loads, "_SCENARIOS", tmp_path)
    assert main(["loads", "tpcc_like"]) == 1
    printed = capsys.readouterr()
    assert "| writes | % of requests | 14.56 |" in printed.out
    assert "tpcc_like: writes: 15." in printed.err and "beside 14.56" in printed.err


def test_figures_count_what_they_say():
    """By hand: stream 1 has 3 reads of 8 and 1 write of 16 sectors, stream 2 has 4 writes of 64."""
    drawn = loads.Profile({"request rate": 5.0, "gap variation": 0.5},
                          [(1, "R", 8, 3), (1, "W", 16, 1), (2, "W", 64, 4)])
    asked = {"name": "n", "unit": "%", "published": 50, "source": "s"}
    for count, of, wanted in (({"op": "R"}, {}, 37.5), ({"streams": [2]}, {"op": "W"}, 80), ({"op": "W", "most": 16}, {"op": "W"}, 20),
                              ({"least": 16, "most": 16}, {"streams": [1]}, 25), ({"op": "W", "least": 17}, {}, 50)):
        assert loads._figure({**asked, "count": count, "of": of}, drawn).ours == pytest.approx(wanted)
    assert loads._figure({**asked, "rate": True}, drawn).ours == 5
    figure = loads._figure({**asked, "variation": True}, drawn)
    assert figure.ours == 0.5 and dataclasses.replace(figure, ours=51.0).off == pytest.approx(0.02)


def test_mistakes_are_told(capsys):
    assert main(["loads", "spc2"]) == 2
    assert "spc2: no such load; there are spc1_like, tpcc_like, tpch_like" in capsys.readouterr().err
    assert main(["loads", "spc1_like", "--check"]) == 2
    assert "take all loads together: name none" in capsys.readouterr().err
    with pytest.raises(InputError, match="nowhere.toml"):
        loads.profile(Program(os.environ["ARMATURE_BINARY"]), Path("nowhere.toml"), 10)

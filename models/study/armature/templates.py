"""Pages whose prose lies beside the code: files NAME.in in templates/, where $name stands for what is put in."""

from __future__ import annotations

from pathlib import Path
from string import Template

_FOLDER = Path(__file__).resolve().parent / "templates"


def fill(name: str, **values: object) -> str:
    """The template with its places filled. KeyError if a value is missing, ValueError if a $ stands alone."""
    return Template((_FOLDER / f"{name}.in").read_text()).substitute(values)

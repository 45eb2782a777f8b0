"""Pages whose prose lies beside the code: templates of Jinja, NAME.in in templates/. Values of HTML pages are escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent / "templates"), undefined=jinja2.StrictUndefined,
                              autoescape=lambda name: name.endswith(".html.in"), trim_blocks=True, lstrip_blocks=True,
                              keep_trailing_newline=True)


def fill(name: str, **values: object) -> str:
    """The template with its places filled. UndefinedError if a value is missing."""
    return _environment().get_template(f"{name}.in").render(values)

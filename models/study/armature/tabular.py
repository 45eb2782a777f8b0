"""Tables as text: for a terminal, for pages in Markdown, as CSV and TSV files."""

from __future__ import annotations

import csv as csv_module
import io
import math
from collections.abc import Iterable, Sequence


def aligned(rows: list[list[str]], left: int = 1) -> str:
    """For a terminal: the first columns to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(cell.ljust(w) if i < left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
        for row in rows
    )


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Cells are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    stream = io.StringIO()
    writer = csv_module.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def tsv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Without quotes: what would be one is left out of texts. No number is an empty cell."""
    def cell(value: object) -> str:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return ""
        return (repr(value) if isinstance(value, float) else str(value)).replace("\t", " ").replace("\n", " ")

    return "".join("\t".join(map(cell, row)) + "\n" for row in [header, *rows])


def read(text: str, separator: str = "\t") -> list[dict[str, str]]:
    """Rows by the names of the header, as the program prints tables."""
    return list(csv_module.DictReader(io.StringIO(text), delimiter=separator, quoting=csv_module.QUOTE_NONE))

"""A printed page: the words of a PDF and their boxes, and its images, as poppler-utils tell them."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_SLACK = 1.5  # points by which the boxes of two words may meet: fonts reach out of their lines


@dataclass
class Word:
    text: str
    left: float  # points from the page's upper left corner
    top: float
    right: float
    bottom: float


@dataclass
class Page:
    width: float
    height: float
    words: list[Word]


def _ask(pdf: bytes, program: str, *options: str, last: tuple[str, ...] = ()) -> bytes:
    """What the program prints about the file. Raises FileNotFoundError if it is not installed."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "page.pdf"
        file.write_bytes(pdf)
        return subprocess.run([program, *options, str(file), *last], capture_output=True, check=True).stdout


def images(pdf: bytes) -> int:
    """Images in the file. A canvas on which nothing is drawn is none."""
    rows = [line.split() for line in _ask(pdf, "pdfimages", "-list").decode().splitlines()[2:]]  # below a heading
    return sum(row[2] == "image" for row in rows)  # others are their masks


def pages(pdf: bytes) -> list[Page]:
    told = _ask(pdf, "pdftotext", "-bbox", last=("-",))
    # What XML does not allow may be in a font's table of characters.
    tree = ElementTree.fromstring(re.sub(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", b"", told))
    found = []
    for page in tree.iter("{http://www.w3.org/1999/xhtml}page"):
        words = [Word((w.text or "").replace("\u200b", ""), *(float(w.get(side)) for side in ("xMin", "yMin", "xMax", "yMax"))) for w in page]
        found.append(Page(float(page.get("width")), float(page.get("height")), words))
    return found


def faults(pdf: bytes, wanted: str) -> list[str]:
    """Words that overlap or leave the paper, and words of the text `wanted` that are not on it."""
    told, here, stream = [], set(), ""
    for number, page in enumerate(pages(pdf), 1):
        here |= {w.text for w in page.words}
        stream += "".join(w.text for w in page.words)
        words = sorted(page.words, key=lambda w: w.top)
        for i, a in enumerate(words):
            if a.left < -_SLACK or a.right > page.width + _SLACK or a.top < -_SLACK or a.bottom > page.height + _SLACK:
                told.append(f'"{a.text}" leaves paper {number}')
            for b in words[i + 1 :]:
                if b.top > a.bottom:
                    break
                across = min(a.right, b.right) - max(a.left, b.left)
                down = min(a.bottom, b.bottom) - max(a.top, b.top)
                if across > _SLACK and down > max(_SLACK, 0.25 * min(a.bottom - a.top, b.bottom - b.top)):
                    told.append(f'"{a.text}" and "{b.text}" overlap on paper {number}')
    # A long word may stand on two lines, and two that are close to each other as one. Of words that stand aslant each letter
    # is a word of its own; in the order in which they were printed they follow each other.
    stream += "".join(_ask(pdf, "pdftotext", "-raw", last=("-",)).decode(errors="replace").replace("\u200b", "").split())
    return told + [f'"{w}" is not on the paper' for w in sorted(set(wanted.replace("\u200b", "").split()) - here) if w not in stream]

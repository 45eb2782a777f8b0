"""Types of the commands' options."""

from __future__ import annotations


def positive(text: str) -> int:
    """A whole number from 1 on. ValueError otherwise, which argparse reports."""
    value = int(text)
    if value < 1:
        raise ValueError
    return value

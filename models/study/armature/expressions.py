"""Arithmetic over the figures of a sweep's table: `3 * requests_per_s`, `sum(response.all.mean_ms) / 2`."""

from __future__ import annotations

import ast
import functools
import math
import operator
from typing import Callable

import numpy as np

from .errors import InputError

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_COMPARISONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def _quantile(values: np.ndarray, share: float) -> float:
    """Nearest rank, as in summary.json."""
    ordered = np.sort(np.asarray(values, float).ravel())
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if len(ordered) else math.nan


def _share(values: np.ndarray) -> float:
    return float(np.mean(np.asarray(values, float))) if np.size(values) else math.nan


def _autocorrelation(values: np.ndarray, lag: float) -> float:
    """Of a series with itself, this many places later."""
    apart = np.asarray(values, float).ravel()
    apart = apart - np.mean(apart) if len(apart) else apart
    whole = np.sum(apart * apart)
    return float(np.sum(apart[: -int(lag)] * apart[int(lag) :]) / whole) if lag >= 1 and whole > 0 else math.nan


_FUNCTIONS: dict[str, tuple[int, Callable]] = {  # with the number of arguments
    "sum": (1, np.sum),
    "mean": (1, np.mean),
    "min": (1, np.min),
    "max": (1, np.max),
    "sqrt": (1, np.sqrt),
    "abs": (1, np.abs),
    "log": (1, np.log),
    "exp": (1, np.exp),
    "count": (1, np.size),
    "deviation": (1, np.std),
    "diff": (1, np.diff),
    "quantile": (2, _quantile),
    "share": (1, _share),
    "autocorrelation": (2, _autocorrelation),
}

Named = Callable[[str], "np.ndarray | float"]


def _no_columns(name: str):
    raise InputError(f"column({name!r}): there are no requests here")


def _no_tables(text: str):
    raise InputError(f"cell({text!r}): there are no tables here")


def _value(node: ast.AST, text: str, figure: Named, sources: dict[str, Named]):
    """What a node of an expression comes to; `sources` are config(), column(), cell() and figure()."""

    def value(inner: ast.AST):
        return _value(inner, text, figure, sources)

    if isinstance(node, ast.Expression):
        return value(node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](value(node.left), value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return -value(node.operand) if isinstance(node.op, ast.USub) else value(node.operand)
    if isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops):
        sides = [value(side) for side in (node.left, *node.comparators)]
        true = [np.asarray(_COMPARISONS[type(op)](a, b)) for op, a, b in zip(node.ops, sides, sides[1:])]
        return np.logical_and.reduce(np.broadcast_arrays(*true)).astype(float)
    if isinstance(node, ast.BoolOp):
        parts = np.broadcast_arrays(*(np.asarray(value(part)) != 0 for part in node.values))
        return (np.logical_and if isinstance(node.op, ast.And) else np.logical_or).reduce(parts).astype(float)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name, arguments = node.func.id, node.args
        if name in sources and len(arguments) == 1:
            if isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
                return sources[name](arguments[0].value)
        if name in _FUNCTIONS and len(arguments) == _FUNCTIONS[name][0]:
            return _FUNCTIONS[name][1](*(value(argument) for argument in arguments))
    path: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        path.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        return figure(".".join([inner.id, *reversed(path)]))
    raise InputError(f"{text!r}: {ast.unparse(node) if isinstance(node, ast.expr) else 'this'} is not known here")


@functools.cache
def names(text: str) -> tuple[frozenset[str], bool]:
    """The names that an expression uses, functions apart, and whether it takes columns of requests, cells of tables or
    figures by their text."""
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval")
    except SyntaxError:
        raise InputError(f"{text!r}: not an expression") from None
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = {func.id for func in calls if isinstance(func, ast.Name)}
    used = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in calls)
    return used, not called.isdisjoint(("column", "cell", "figure"))


def evaluate(text: str, figure: Named, config: Named, column: Named = _no_columns, cell: Named = _no_tables) -> float:
    """The value of an expression. `figure` knows names, dotted ones too; `config("spindle.rpm")` gives a key's values,
    `column("seek_us")` those of all requests, `cell("layout/blocks/value")` one of a table, `figure("energy.rails.12V.peak_w")` a
    name that is none to this grammar. A comparison is 1 where it is true and 0 elsewhere.

    Several rows must agree, or be joined by sum, mean, min or max. InputError if the expression is not one.
    """
    try:
        with np.errstate(all="ignore"):
            tree = ast.parse(" ".join(text.split()), mode="eval")
            sources = {"config": config, "column": column, "cell": cell, "figure": figure}
            result = np.asarray(_value(tree, text, figure, sources), float)
    except SyntaxError:
        raise InputError(f"{text!r}: not an expression") from None
    except ZeroDivisionError:
        raise InputError(f"{text!r}: division by zero") from None
    except ValueError as error:
        raise InputError(f"{text!r}: {error}") from None
    if result.size == 0:
        raise InputError(f"{text!r}: no row of the sweep answers `where`")
    if not np.all(result == result.flat[0]):
        raise InputError(f"{text!r}: {result.size} rows with different values; join them by mean, sum, min or max")
    if not math.isfinite(result.flat[0]):
        raise InputError(f"{text!r}: not a finite number")
    return float(result.flat[0])

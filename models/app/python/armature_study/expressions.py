"""Arithmetic over the figures of a sweep's table: `3 * requests_per_s`, `sum(response.all.mean_ms) / 2`."""

from __future__ import annotations

import ast
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
_FUNCTIONS: dict[str, Callable] = {
    "sum": np.sum,
    "mean": np.mean,
    "min": np.min,
    "max": np.max,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "log": np.log,
    "exp": np.exp,
    "count": np.size,
}


def evaluate(text: str, figure: Callable[[str], np.ndarray | float], config: Callable[[str], np.ndarray]) -> float:
    """The value of an expression. `figure` knows names, dotted ones too; `config("spindle.rpm")` gives a key's values.

    Several rows must agree, or be joined by sum, mean, min or max. InputError if the expression is not one.
    """

    def value(node: ast.AST):
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return -value(node.operand) if isinstance(node.op, ast.USub) else value(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords and len(node.args) == 1:
            argument = node.args[0]
            if node.func.id == "config" and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                return config(argument.value)
            if node.func.id in _FUNCTIONS:
                return _FUNCTIONS[node.func.id](value(argument))
        path: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            path.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            return figure(".".join([inner.id, *reversed(path)]))
        raise InputError(f"{text!r}: {ast.unparse(node) if isinstance(node, ast.expr) else 'this'} is not known here")

    try:
        with np.errstate(all="ignore"):
            result = np.asarray(value(ast.parse(" ".join(text.split()), mode="eval")), float)
    except SyntaxError:
        raise InputError(f"{text!r}: not an expression") from None
    except ZeroDivisionError:
        raise InputError(f"{text!r}: division by zero") from None
    if result.size == 0:
        raise InputError(f"{text!r}: no row of the sweep answers `where`")
    if not np.all(result == result.flat[0]):
        raise InputError(f"{text!r}: {result.size} rows with different values; join them by mean, sum, min or max")
    if not math.isfinite(result.flat[0]):
        raise InputError(f"{text!r}: not a finite number")
    return float(result.flat[0])

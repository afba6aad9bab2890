"""The boundary rules. tools/generate writes this file from compiler/support/boundaries.def."""

from __future__ import annotations

from typing import Any

from ._boundary import Boundary

__all__ = [
    "constant",
    "gradient",
    "mirror_gradient",
    "fixed",
]

WITHOUT_VALUE = (
    "none",
    "clamp",
    "mirror",
    "odd",
    "symmetric",
    "antisymmetric",
    "linear",
    "periodic",
    "antiperiodic",
)


def constant(value: Any) -> Boundary:
    """``constant c``: ``c``, a constant (for a vector or structure: a value of its shape, or a
    scalar for all components), or a computed value."""
    return Boundary("constant", value)


def gradient(value: Any) -> Boundary:
    """``gradient g``: as ``symmetric``, plus the rise of the slope ``g`` along the outward normal:
    index -1 reads ``u0 + g * h``, -2 reads ``u1 + 3 * (g * h)``."""
    return Boundary("gradient", value)


def mirror_gradient(value: Any) -> Boundary:
    """``mirror gradient g``: as ``mirror``, plus that rise: index -1 reads ``u1 + 2 * (g * h)``, -2
    reads ``u2 + 4 * (g * h)``."""
    return Boundary("mirror gradient", value)


def fixed(value: Any) -> Boundary:
    """``fixed c``: the edge point itself has the value ``c``; index -k reads ``2 * c - uk``."""
    return Boundary("fixed", value)

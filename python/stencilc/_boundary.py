"""A boundary rule; _boundary_rules.py has the functions that make one."""

from __future__ import annotations

from typing import Any

from . import _expressions as ex


class Boundary:
    """The value beyond an edge: a keyword of the language, with its value if it takes one."""

    def __init__(self, name: str, value: Any = None):
        self.name = name
        self.value = None if value is None else ex.lift(value)

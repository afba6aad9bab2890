"""Declarations of a program in Python: grids, fields, stencil functions, and so on.

Each call makes an object that remembers what was declared, and the line of Python. The objects
belong to their grid; params, tables, types and functions belong to the programs that use them.
program() collects them and passes them to the builder of the library (``_build.py``).

Names. A declaration is named by ``name=``, or by the variable that its call is assigned to, or by
its function. A stencil function, an initial value, a reduction or a record that is declared again
under its name replaces the earlier one, so cells of a notebook may be executed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _boundary_rules, _core
from ._boundary import Boundary
from ._boundary_rules import *  # noqa: F401,F403  the functions that make rules
from ._blocks import Cycle, Statement, coarser, cycle, if_, repeat, start, step
from ._build import build
from ._declarations import (
    Declaration,
    assigned_names,
    bfloat,
    boolean,
    byte,
    double,
    float_,
    half,
    integer,
    long,
    param,
    real,
    short,
    table,
    type_,
    ubyte,
    ushort,
    vector,
)
from ._domains import Box, DerivedGrid, Domain, Grid, Region, Subgrid, box, grid, subgrid
from ._expressions import (
    Expr,
    Index,
    absolute,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cbrt,
    ceil,
    comprehension,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    exp2,
    first,
    floor,
    fma,
    hypot,
    indices,
    last,
    level,
    log,
    log2,
    log10,
    logical_and,
    logical_not,
    logical_or,
    lshr,
    max,
    min,
    origin,
    pi,
    position,
    pow,
    prod,
    random,
    record_of,
    rounded,
    rsqrt,
    select,
    sign,
    sin,
    sinh,
    spacing,
    sqrt,
    sum,
    tan,
    tanh,
    time,
    trunc,
    values,
    vector_of,
    within,
)
from ._fields import FieldExpr, coarse, field, fine, forward, points, series
from ._program import Program, _Source, make_options
from ._stencils import ArgumentExpr, Repeat, function, let, otherwise, piece, stencil
from ._values import init, record, reduce, require, stop, walk

__all__ = [
    *_boundary_rules.__all__,
    "Boundary",
    "Box",
    "Cycle",
    "DerivedGrid",
    "Domain",
    "Expr",
    "Grid",
    "Index",
    "Region",
    "Statement",
    "absolute",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bfloat",
    "boolean",
    "box",
    "byte",
    "cbrt",
    "ceil",
    "coarse",
    "coarser",
    "comprehension",
    "cos",
    "cosh",
    "cycle",
    "double",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "field",
    "fine",
    "first",
    "float_",
    "floor",
    "fma",
    "forward",
    "function",
    "grid",
    "half",
    "hypot",
    "if_",
    "indices",
    "init",
    "integer",
    "last",
    "let",
    "level",
    "log",
    "log10",
    "log2",
    "logical_and",
    "logical_not",
    "logical_or",
    "long",
    "lshr",
    "max",
    "min",
    "origin",
    "otherwise",
    "param",
    "pi",
    "piece",
    "points",
    "position",
    "pow",
    "prod",
    "program",
    "random",
    "real",
    "record",
    "record_of",
    "reduce",
    "repeat",
    "require",
    "rounded",
    "rsqrt",
    "select",
    "series",
    "short",
    "sign",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "start",
    "stencil",
    "step",
    "stop",
    "subgrid",
    "sum",
    "table",
    "tan",
    "tanh",
    "time",
    "trunc",
    "type_",
    "ubyte",
    "ushort",
    "values",
    "vector",
    "vector_of",
    "within",
]


def program(
    *items: Any, name: str | None = None, include: Sequence[Any] = (), **options: Any
) -> Program:
    """The program of a grid: ``p = st.program(G)``.

    items: the grid, or any declaration on it. include: further declarations, such as params that
    only a run uses. name: of the program; default: the variable that the result is assigned to.
    options: those of load(): real, fp, steps, open, fix, and values of params.

    Errors: P and S codes for errors in the program, with the line of Python.
    """
    owner = next((one.grid for one in items if getattr(one, "grid", None) is not None), None)
    if owner is None:
        raise TypeError("program() needs a grid, or a declaration on one")
    names = [name] if name else assigned_names()
    called = names[0] if names and names[0].isidentifier() else "program"
    built = build(called, _collect(owner, [*items, *include]))

    def read(core_options: Any) -> Any:
        return _core.Program.from_built(built, core_options)

    own = {
        k: options.pop(k) for k in ("params", "real", "fp", "steps", "open", "fix") if k in options
    }
    return Program(_Source(read, built.text, called), make_options(options, **own))


def _collect(owner: Grid, extra: list[Any]) -> list[Declaration]:
    """All declarations of the program, in their order."""
    found: dict[int, Declaration] = {}
    todo: list[Any] = [owner, *owner.items, *extra]
    while todo:
        fresh = []
        for one in walk(todo):
            if id(one) in found:
                continue
            found[id(one)] = one
            fresh += one.__dict__.get("required", [])
            attached = one.__dict__.get("attached_init")
            if attached is not None:
                fresh.append(attached)
        todo = fresh
    for one in found.values():
        if one.grid is not None and one.grid is not owner:
            raise TypeError(
                f"{one.name} is on another grid, {one.grid.name}: derive the further grids of a "
                "program, st.grid(of=G, by=2)"
            )
    nested = {id(inner) for one in found.values() if isinstance(one, Repeat) for inner in one.body}
    kept = [one for key, one in found.items() if key not in nested]
    kept = [one for one in kept if not isinstance(one, ArgumentExpr)]
    return sorted(_without_redeclared(owner, kept), key=lambda one: one.order)


def _without_redeclared(owner: Grid, items: list[Declaration]) -> list[Declaration]:
    """Leaves out fields, sub-grids and derived grids that were declared again and are not used."""
    kinds = (FieldExpr, Subgrid, DerivedGrid)
    newest: dict[str, Declaration] = {}
    for one in items:
        if isinstance(one, kinds) and one.order >= getattr(newest.get(one.name), "order", -1):
            newest[one.name] = one
    doubtful = [one for one in items if isinstance(one, kinds) and newest[one.name] is not one]
    if not doubtful:
        return items
    others = [one for one in items if not any(one is d for d in doubtful)]
    used = {id(one) for one in walk(others)}
    out = {id(d) for d in doubtful if id(d) not in used}
    return [one for one in items if id(one) not in out]

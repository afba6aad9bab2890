"""Grids, sub-grids, boxes and regions of programs in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import _expressions as ex
from ._declarations import Declaration, name_of
from ._expressions import Expr, ExprLike, Index

# --- Regions -------------------------------------------------------------------------------------


class Range:
    """low..high by stride, both ends included; `high` None: a single point."""

    def __init__(self, low: Any, high: Any = None, stride: Any = None, index: str | None = None):
        self.low = ex.lift(low)
        self.high = None if high is None else ex.lift(high)
        self.stride = None if stride is None else ex.lift(stride)
        self.index = index

    def expressions(self) -> Iterator[Expr]:
        for one in (self.low, self.high, self.stride):
            if one is not None:
                yield one


def as_range(given: Any) -> Range:
    """A range of a box: a point, (low, high), (low, high, stride) or range()."""
    if isinstance(given, Range):
        return given
    if isinstance(given, tuple):
        return Range(*given)
    if isinstance(given, range):
        if not len(given):
            raise TypeError(f"{given} has no points")
        stride = given.step if given.step != 1 else None
        return Range(given.start, given[-1], stride)
    return Range(given)


class Region:
    """Where a stencil function or a reduction is evaluated."""

    def __init__(self, source: Any, indices: Sequence[Index] = (), condition: Expr | None = None):
        self.source = source  # a Domain or a Box
        self.indices = tuple(indices)
        self.condition = condition

    def where(self, condition: ExprLike) -> Region:
        """Only the points at which the condition holds."""
        return Region(self.source, self.indices, ex.lift(condition))

    def at(self, *indices: Index) -> Region:
        """Names the coordinates of the points."""
        return Region(self.source, indices, self.condition)

    def _uses(self):
        yield self.source
        if self.condition is not None:
            yield self.condition


class Box:
    """A box of grid points: one range per dimension, the outermost first."""

    def __init__(self, ranges: Sequence[Range], domain: Any = None):
        self.ranges = list(ranges)
        self.domain = domain  # that it was made from; None for st.box()

    def where(self, condition: ExprLike) -> Region:
        """Only the points at which the condition holds."""
        return Region(self).where(condition)

    def at(self, *indices: Index) -> Region:
        """Names the coordinates of the points."""
        return Region(self, indices)

    def named(self, indices: Sequence[Index]) -> Box:
        """The box with names for its coordinates."""
        if len(indices) != len(self.ranges):
            raise TypeError(
                f"{len(indices)} names for the coordinates of {len(self.ranges)} dimensions"
            )
        ranges = [Range(r.low, r.high, r.stride, i.name) for r, i in zip(self.ranges, indices)]
        return Box(ranges, self.domain)

    def _uses(self):
        for one in self.ranges:
            yield from one.expressions()


def box(*ranges: Any) -> Box:
    """A box by grid coordinates: ``st.box((1, N - 2), 0)``; (low, high) includes both ends.

    A range is a coordinate, (low, high), (low, high, stride), or range().
    """
    return Box([as_range(one) for one in ranges])


class Domain(Declaration):
    """The grid, a sub-grid, or the domain of a set of points."""

    def where(self, condition: ExprLike) -> Region:
        """Only the points at which the condition holds."""
        return Region(self).where(condition)

    def at(self, *indices: Index) -> Region:
        """Names the coordinates of the points: ``G.at(i, j)``."""
        return Region(self, indices)


class _Boxed(Domain):
    """A domain with a box."""

    of_grid: Any  # the grid whose points its coordinates count
    edges: list[Range]  # its box, by first and last of that grid if levels have other bounds

    def interior(self, *margins: int) -> Box:
        """The points at least `margin` points from the edges: one for all, or for each dimension."""
        given = margins * len(self.edges) if len(margins) == 1 else margins
        if len(given) != len(self.edges):
            raise TypeError(
                f"interior() is given {len(given)} margins for {len(self.edges)} dimensions"
            )
        return Box(
            [
                Range(ex.plus(_number(r.low), m), ex.plus(_number(_high(r)), -m))
                for r, m in zip(self.edges, given)
            ],
            self,
        )

    def box(self, *ranges: Any) -> Box:
        """A box by grid coordinates, as st.box() makes it: ``G.box((1, N - 2), 0)``."""
        return Box([as_range(one) for one in ranges], self)

    def __getitem__(self, given: Any) -> Box:
        """A box by slices of grid coordinates, without their ends: ``G[1:N-1, 0]``.

        Negative numbers count from the end, as for lists: ``G[1:-1, -1]``.
        """
        listed = given if isinstance(given, tuple) else (given,)
        if len(listed) != len(self.edges):
            raise TypeError(f"a box of this grid has {len(self.edges)} ranges, not {len(listed)}")
        return Box([_sliced(r, one) for r, one in zip(self.edges, listed)], self)


def _high(given: Range) -> Expr:
    return given.low if given.high is None else given.high


def _number(x: Expr) -> Any:
    return x.data if x.kind == "literal" else x


def _sliced(of: Range, given: Any) -> Range:
    low, high = _number(of.low), _number(_high(of))

    def coordinate(value: Any) -> Any:
        negative = isinstance(value, int) and value < 0 and not (isinstance(low, int) and low < 0)
        return ex.plus(high, value + 1) if negative else value

    if not isinstance(given, slice):
        return Range(coordinate(given))
    first = low if given.start is None else coordinate(given.start)
    last = high if given.stop is None else ex.plus(coordinate(given.stop), -1)
    return Range(first, last, given.step)


class Grid(_Boxed):
    """The index space of a program; st.grid() makes it."""

    kind = "grid"

    def __init__(self, name, ranges, steps, origin, spacing, levels, by, cells):
        self._declare(name)
        self.grid = self.of_grid = self
        self.ranges = ranges
        self.steps = None if steps is None else ex.lift(steps)
        self.origin = per_dimension(origin)
        self.spacing = per_dimension(spacing)
        self.levels = None if levels is None else ex.lift(levels)
        self.by = per_dimension(by)
        self.cells = cells
        self.edges = ranges if levels is None else [Range(ex.first, ex.last) for _ in ranges]
        self.items: list[Any] = []

    def _uses(self):
        for one in self.ranges:
            yield from one.expressions()
        if self.steps is not None:
            yield self.steps
        if self.levels is not None:
            yield self.levels
        yield from self.by[1]
        yield from self.origin[1]
        yield from self.spacing[1]

    def __repr__(self) -> str:
        return f"<stencilc.Grid {self.name}: {len(self.ranges)} dimensions>"


class DerivedGrid(_Boxed):
    """A coarser grid; st.grid(of=F, by=2) makes it. `grid` is the first grid of the program."""

    kind = "grid"

    def __init__(self, name: str, parent: Any, by: Any, cells: bool):
        self._declare(name)
        self.grid = parent.grid
        self.of_grid = self
        self.parent = parent
        self.by = per_dimension(by)
        self.cells = cells
        self.edges = [Range(ex.first, ex.last) for _ in parent.edges]
        self.grid.items.append(self)

    def _uses(self):
        yield self.parent
        yield from self.by[1]

    def __repr__(self) -> str:
        return f"<stencilc.DerivedGrid {self.name} of {self.parent.name}>"


def per_dimension(given: Any) -> tuple[bool, list[Expr]]:
    """(one value for each dimension, the values)."""
    if given is None:
        return False, []
    if isinstance(given, (list, tuple)):
        return True, [ex.lift(x) for x in given]
    return False, [ex.lift(given)]


def grid(
    *extents: Any,
    steps: ExprLike | None = None,
    origin: Any = None,
    spacing: Any = None,
    levels: ExprLike | None = None,
    of: Any = None,
    by: Any = None,
    cells: bool = False,
    name: str | None = None,
) -> Any:
    """The grid of a program: ``G = st.grid(N, M, steps=100)``.

    extents: a number of points (coordinates from 0), or (low, high), both included; the last
    dimension is contiguous in memory. steps: the number of time steps; None: a run gives it.
    origin, spacing: physical coordinates, one value or a list of one for each dimension.
    levels: the number of levels, ``st.grid(N, N, levels=L, by=2)``; None: one.
    of: derives a coarser grid from another one, ``C = st.grid(of=G, by=2)``.
    by: the ratio from a level or grid to the next coarser one, one value or a list of one for each
    dimension. cells: the ratio is cell-centred, otherwise vertex-centred.
    """
    called = name_of(name, "grid")
    if of is None:
        ranges = [Range(*ex.bounds(one)) for one in extents]
        return Grid(called, ranges, steps, origin, spacing, levels, by, cells)
    if not isinstance(of, (Grid, DerivedGrid)):
        raise TypeError(f"{of!r} is no grid")
    if extents or not (steps is origin is spacing is levels is None):
        raise TypeError("a derived grid has only by and cells; the others are of the first grid")
    return DerivedGrid(called, of, by, cells)


def _has_bounds(given: Range) -> bool:
    todo = list(given.expressions())
    while todo:
        one = todo.pop()
        if one is ex.first or one is ex.last:
            return True
        todo += one.operands
    return False


def _within(given: Range, parent: Range) -> Range:
    """A range of a sub-grid with the bounds of its parent instead of first and last."""
    if not _has_bounds(given):
        return given

    def replaced(x: Expr) -> Expr:
        if x is ex.first:
            return parent.low
        if x is ex.last:
            return _high(parent)
        if not x.operands:
            return x
        operands = [replaced(one) for one in x.operands]
        return ex.Node(x.kind, operands, x.data, x.is_condition, x.place)

    return Range(replaced(given.low), replaced(_high(given)), given.stride)


class Subgrid(_Boxed):
    kind = "subgrid"

    def __init__(self, name: str, parent: Any, ranges: list[Range]):
        self._declare(name)
        self.grid = parent.grid
        self.of_grid = parent.of_grid
        self.parent = parent
        self.ranges = ranges
        self.edges = [_within(r, of) for r, of in zip(ranges, parent.edges)]
        parent.grid.items.append(self)

    def _uses(self):
        yield self.parent
        for one in self.ranges:
            yield from one.expressions()


def subgrid(parent: Any, *ranges: Any, name: str | None = None) -> Subgrid:
    """A named box of a grid: ``I = st.subgrid(G, (1, N - 2), 0)``, or ``st.subgrid(G, G[1:-1])``.

    In the ranges, st.first and st.last are the bounds of the parent.
    """
    if len(ranges) == 1 and isinstance(ranges[0], Box):
        listed = ranges[0].ranges
        if ranges[0].domain is not None and any(map(_has_bounds, listed)):
            parent = parent.of_grid  # the box is given by the bounds of the grid
    else:
        listed = [as_range(one) for one in ranges]
    return Subgrid(name_of(name, "subgrid"), parent, listed)

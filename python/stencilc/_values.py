"""Initial values, reductions, records and conditions of programs in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import _expressions as ex
from ._declarations import Declaration, ParamExpr, ScalarType, StructureType, VectorType, name_of
from ._domains import Box, Domain, Grid, Range, Region, per_dimension
from ._expressions import Expr, ExprLike, Node
from ._fields import Boundaries, FieldExpr, PlainFieldExpr, PointsExpr, owner_of
from ._stencils import LetExpr, add_item, as_region, as_value, place_of

# --- Initial values, reductions, records ---------------------------------------------------------


class Init(Declaration):
    kind = "init"

    def __init__(self, target, indices, value, at):
        self._declare(f"init {target.name}", at)
        self.target = target
        self.indices = indices
        self.value = value

    def _uses(self):
        yield self.target
        yield self.value


def init(target: FieldExpr, value: Any = None) -> Any:
    """The initial values of a field: ``st.init(A, lambda i, j: st.exp(-i * i - j * j))``, or::

        @st.init(A)
        def _(i, j):
            return st.exp(-i * i - j * j)

    value: a function of the coordinates, or an expression. For a set of points its places, for a
    series its values by step.
    """
    if value is None:
        return lambda body: init(target, body)
    named, found = as_value(value)
    place = place_of(found)
    made = Init(target, named, found, place)
    if target.grid is not None:
        made.grid = target.grid
        add_item(target.grid, made)
    else:  # a series without a grid, or a reduced profile: belongs to the programs that use it
        target.attached_init = made
    return value


class ReductionExpr(Expr, Declaration):
    """The value of a reduction, for stop(), stencil functions and further reductions."""

    __slots__ = ("name", "order", "declared_at", "options", "__dict__")

    def __init__(self, name: str, at: ex.Place, **options: Any):
        Expr.__init__(self, "ref", data=None)
        self._declare(name, at)
        self.data = self
        self.options = options

    def before(self) -> Expr:
        """The value of the step before."""
        return Node("before", [self])

    @property
    def previous(self) -> Expr:
        return self.before()

    def _uses(self):
        yield from (x for x in self.options.values() if x is not None)


def reduce(
    reducer: str,
    value: Any,
    on: Any,
    *,
    where: ExprLike | None = None,
    over: Any = None,
    every: ExprLike | None = None,
    initial: ExprLike | None = None,
    boundary: Any = None,
    name: str | None = None,
) -> Any:
    """A reduction: ``total = st.reduce("sum", A[0, 0], on=G, every=10)``.

    reducer: "sum", "prod", "min" or "max". value: an expression, or a function of the coordinates.
    over: the dimensions to reduce; the result is then a field along the others. every: steps
    between two evaluations. initial: ``previous`` in the first step.
    """
    if reducer not in ("sum", "prod", "min", "max"):
        raise TypeError(f"{reducer!r} is no reducer: give sum, prod, min or max")
    called = name_of(name, "reduce")
    named, found = as_value(value)
    region = as_region(on, named, where)
    source = region.source
    if isinstance(source, Box) and source.domain is not None:
        if source.domain.of_grid is not source.domain.grid:
            raise TypeError(
                f"a box in a reduction counts the points of {source.domain.grid.name}: name it, "
                f"I = st.subgrid({source.domain.name}, ...), and give on=I"
            )
    owner = _grid_of_reduction(region, found)
    common = {
        "reducer": reducer,
        "value": found,
        "region": region,
        "every": None if every is None else ex.lift(every),
        "initial": None if initial is None else ex.lift(initial),
    }
    if over is None:
        made: Any = ReductionExpr(called, place_of(found), **common)
    else:
        made = PlainFieldExpr(
            called, "reduce_over", over=per_dimension(over), boundary=Boundaries(boundary), **common
        )
    made.grid = owner
    add_item(owner, made)
    return made


def _grid_of_reduction(region: Region, value: Expr) -> Grid:
    """The grid of the region, or of the fields that the reduction reads."""
    source = region.source
    domain = source if isinstance(source, Domain) else source.domain
    if domain is not None:
        return owner_of(domain)
    for used in walk([value] if region.condition is None else [value, region.condition]):
        owner = getattr(used, "grid", None)
        if isinstance(owner, Grid):
            return owner
    raise TypeError(
        "the reduction reads no field, so its grid is unknown: make the box from the grid, as in "
        "on=G.box((1, N - 2), 0) or on=G[1:-1, 0]"
    )


class Record(Declaration):
    kind = "record"

    def __init__(self, name, rows, value, points, every, at):
        self._declare(name, at)
        self.rows = rows
        self.value = value
        self.points = points
        self.every = every

    def _uses(self):
        yield from self.rows.expressions()
        yield self.value
        yield self.points
        if self.every is not None:
            yield self.every


def record(
    rows: Any, value: Any, at: PointsExpr, *, every: ExprLike | None = None, name: str | None = None
) -> Record:
    """Values at points by step: ``traces = st.record(K, U[0, 0], at=mics)``.

    rows: their number, or (first, last). The result is an array of the shape (rows, points).
    """
    called = name_of(name, "record")
    found = ex.lift(value)
    made = Record(
        called,
        Range(*ex.bounds(rows)),
        found,
        at,
        None if every is None else ex.lift(every),
        place_of(found),
    )
    made.grid = at.grid
    add_item(at.grid, made)
    return made


class Condition(Declaration):
    def __init__(self, kind: str, condition: Expr):
        self._declare(kind, place_of(condition))
        self.kind = kind
        self.condition = condition

    def _uses(self):
        yield self.condition


def stop(condition: ExprLike) -> None:
    """Ends the run when a condition on reductions holds: ``st.stop(change < 1e-6)``."""
    made = Condition("stop", ex.lift(condition))
    for used in walk([made.condition]):
        owner = getattr(used, "grid", None)
        if isinstance(owner, Grid):
            made.grid = owner
            add_item(owner, made)
            return
    raise TypeError("stop() names no reduction")


def require(condition: ExprLike, *, grid: Grid | None = None) -> Declaration:
    """A condition on params that must hold: ``st.require(N >= 3)``.

    It belongs to the programs that use one of its params, or to that of `grid`.
    """
    made = Condition("require", ex.lift(condition))
    if grid is not None:
        grid.items.append(made)
        return made
    for used in walk([made.condition]):
        if isinstance(used, ParamExpr):
            used.__dict__.setdefault("required", []).append(made)
    return made


def walk(roots: Sequence[Any]) -> Iterator[Any]:
    """All declarations that the roots use, directly or not; each once."""
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        one = todo.pop()
        if one is None or isinstance(one, (str, bool, int, float, ScalarType)):
            continue
        if isinstance(one, (tuple, list)):
            todo += one
            continue
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Declaration):
            yield one
            todo += one._uses()
        elif isinstance(one, Range):
            todo += one.expressions()
        elif isinstance(one, VectorType):
            todo += [one.length, one.element]
        elif isinstance(one, StructureType):
            todo += one.members.values()
        elif isinstance(one, LetExpr):
            todo.append(one.value)
        elif isinstance(one, Expr):
            todo += one.operands
            if one.kind == "call":
                todo.append(one.data)
        elif hasattr(one, "_uses"):
            todo += one._uses()

"""Fields, profiles, series and points of programs in Python, and their boundaries."""

from __future__ import annotations

from typing import Any

from . import _boundary_rules
from . import _expressions as ex
from ._boundary import Boundary
from ._declarations import Declaration, as_type, boolean, name_of, real
from ._domains import Domain, Grid, Range, per_dimension
from ._expressions import Expr, ExprLike, Node

# --- Boundaries ----------------------------------------------------------------------------------

def _rule(given: Any) -> Boundary:
    if isinstance(given, Boundary):
        return given
    if given is None:
        return Boundary("none")
    if isinstance(given, str) and given in _boundary_rules.WITHOUT_VALUE:
        return Boundary(given)
    made = ", ".join(f"{name}(x)" for name in _boundary_rules.__all__)
    raise TypeError(
        f"{given!r} is no boundary rule: give one of {', '.join(_boundary_rules.WITHOUT_VALUE)}, "
        f"or {made}"
    )


class Boundaries:
    """(one entry for each dimension, [(low, high or None)])."""

    def __init__(self, given: Any):
        self.is_list = isinstance(given, list)
        self.sides: list[tuple[Boundary, Boundary | None]] = []
        if given is None:
            return
        for one in given if self.is_list else [given]:
            if isinstance(one, tuple):
                low, high = one
                self.sides.append((_rule(low), _rule(high)))
            else:
                self.sides.append((_rule(one), None))
        if not self.is_list and self.sides[0][1] is not None:
            raise TypeError(
                "rules for two sides belong to a dimension: boundary=[(low, high), ...]"
            )

    def _uses(self):
        for side in self.sides:
            for one in side:
                if one is not None and one.value is not None:
                    yield one.value


# --- Fields --------------------------------------------------------------------------------------


class FieldExpr(Expr, Declaration):
    """A field, a profile, a series, or a set of points: ``A[-1, 0]`` reads it at an offset.

    ``A.at(-1)`` is the level one step back, ``A.previous`` the same.
    """

    __slots__ = ("name", "order", "declared_at", "options", "__dict__")

    def __init__(self, name: str, kind: str, is_condition: bool = False, **options: Any):
        Expr.__init__(self, "ref", data=None, is_condition=is_condition)
        self._declare(name)
        self.data = self
        self.declares = kind
        self.options = options

    def at(self, steps: int) -> Expr:
        """The level -steps steps back: ``U.at(-1)[0, 0]``."""
        return Node("level", [self], int(steps), is_condition=self.is_condition)

    @property
    def previous(self) -> Expr:
        """The level one step back."""
        return self.at(-1)

    def _uses(self):
        yield from (x for x in self.options.values() if x is not None)


class PlainFieldExpr(FieldExpr):
    """A field that is no set of points; see Node."""

    __slots__ = ()


class PointsExpr(FieldExpr, Domain):
    """A set of points: the domain of fields on the points, and the sum of their weights."""

    at = FieldExpr.at  # type: ignore[assignment]
    where = Domain.where


def _on_level(field: Any, towards: int, word: str) -> ex.LevelExpr:
    if not isinstance(field, FieldExpr):
        raise TypeError(f"{word}() takes a field, not {field!r}; {word}(U).at(-1) is an older one")
    return ex.LevelExpr(field, towards)


def fine(field: FieldExpr) -> ex.LevelExpr:
    """The field on the next finer level of a grid with levels: ``st.fine(u)[0, 0]``."""
    return _on_level(field, -1, "fine")


def coarse(field: FieldExpr) -> ex.LevelExpr:
    """The field on the next coarser level: ``st.coarse(u)[0, 0]``. Functions take it, too."""
    return _on_level(field, 1, "coarse")


def owner_of(domain: Any) -> Grid:
    owner = domain.grid if isinstance(domain, Domain) else None
    if not isinstance(owner, Grid):
        raise TypeError(f"{domain!r} is no grid, sub-grid or set of points")
    return owner


def field(
    domain: Any,
    type: Any = real,
    *,
    history: ExprLike | None = None,
    constant: bool = False,
    boundary: Any = None,
    along: Any = None,
    name: str | None = None,
) -> FieldExpr:
    """A field on the grid, a sub-grid or a set of points: ``A = st.field(G, boundary="clamp")``.

    history: time levels kept. constant: read only; it needs values from init(), a file or an array.
    boundary: a rule for all edges ("clamp", "mirror", "periodic", constant(0), ...), or a list with
    an entry for each dimension: a rule, or (rule of the low side, rule of the high side).
    along: the dimensions of a profile, by number.
    """
    made = PlainFieldExpr(
        name_of(name, "field"),
        "field",
        is_condition=as_type(type) is boolean,
        type=as_type(type),
        domain=domain,
        history=None if history is None else ex.lift(history),
        constant=constant,
        boundary=Boundaries(boundary),
        along=per_dimension(along),
    )
    made.grid = owner_of(domain)
    made.grid.items.append(made)
    return made


def series(
    steps: Any,
    on: Any = None,
    type: Any = real,
    *,
    along: Any = None,
    boundary: Any = None,
    name: str | None = None,
) -> FieldExpr:
    """A value for every step: ``w = st.series(K, on=shots)``, read as ``w[st.time]``.

    steps: their number, or (first, last). on: a grid or a set of points; None: one value per step.
    """
    made = PlainFieldExpr(
        name_of(name, "series"),
        "series",
        type=as_type(type),
        times=Range(*ex.bounds(steps)),
        domain=on,
        along=per_dimension(along),
        boundary=Boundaries(boundary),
    )
    if on is not None:
        made.grid = owner_of(on)
        made.grid.items.append(made)
    return made


def points(
    domain: Any, numbers: Any, *, weights: ExprLike | None = None, name: str | None = None
) -> PointsExpr:
    """A set of points in a grid: ``shots = st.points(G, 3)``.

    numbers: how many, or (first, last). Their places come from init(), a file or an array of the
    shape (points, dimensions). Fields and series on the points are declared with
    ``st.field(shots)`` and ``st.series(K, on=shots)``, and read without offsets.
    """
    made = PointsExpr(
        name_of(name, "points"),
        "points",
        numbers=Range(*ex.bounds(numbers)),
        domain=domain,
        weights=None if weights is None else ex.lift(weights),
    )
    made.grid = owner_of(domain)
    made.grid.items.append(made)
    return made


class _Forward(Expr):
    """A reduction that is declared later, or that is being declared."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        super().__init__("index", data=name)
        self.name = name

    def before(self) -> Expr:
        return Node("named_level", data=(self.name, -1))

    def at(self, steps: int) -> Expr:
        return Node("named_level", data=(self.name, int(steps)))

    @property
    def previous(self) -> Expr:
        return self.before()


def forward(name: str) -> _Forward:
    """A reduction by name, above its declaration or in it: ``st.forward("peak").previous``."""
    return _Forward(name)

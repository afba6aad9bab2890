"""Declarations of a program in Python: grids, fields, stencil functions, and so on.

Each call makes an object that remembers what was declared, and the line of Python. The objects
belong to their grid; params, tables, types and functions belong to the programs that use them.
program() collects them and passes them to the builder of the library (``_build.py``).

Names. A declaration is named by ``name=``, or by the variable that its call is assigned to, or by
its function. A stencil function, an initial value, a reduction or a record that is declared again
under its name replaces the earlier one, so cells of a notebook may be executed again.
"""

from __future__ import annotations

import dis
import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from . import _expressions as ex
from ._expressions import (
    Expr,
    ExprLike,
    Index,
    Node,
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
    floor,
    fma,
    hypot,
    indices,
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
from ._program import Program, _Source, make_options

__all__ = [
    "Boundary",
    "Box",
    "Domain",
    "Expr",
    "Grid",
    "Index",
    "Region",
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
    "comprehension",
    "constant",
    "cos",
    "cosh",
    "double",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "field",
    "fixed",
    "float_",
    "floor",
    "fma",
    "forward",
    "function",
    "gradient",
    "grid",
    "half",
    "hypot",
    "indices",
    "init",
    "integer",
    "let",
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
    "mirror_gradient",
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
    "stencil",
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

_local = threading.local()


def _stack(name: str) -> list[Any]:
    if not hasattr(_local, name):
        setattr(_local, name, [])
    return getattr(_local, name)


# --- Names ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _instructions(code: Any) -> list[tuple[int, str, Any]]:
    return [(i.offset, i.opname, i.argval) for i in dis.get_instructions(code)]


def _assigned_names() -> list[str]:
    """The variables to which the running call of the caller is assigned."""
    frame = ex.caller()
    names: list[str] = []
    for offset, name, value in _instructions(frame.f_code):
        if offset <= frame.f_lasti or name in ("CACHE", "COPY", "DUP_TOP", "EXTENDED_ARG"):
            continue
        if name == "UNPACK_SEQUENCE" and not names:
            continue
        if name.startswith("STORE_") and name not in ("STORE_SUBSCR", "STORE_SLICE"):
            listed = value if isinstance(value, tuple) else (value,)
            if name == "STORE_FAST_LOAD_FAST":
                names.append(listed[0])
                break
            names += listed
            continue
        break
    return names


def _name_of(name: str | None, kind: str) -> str:
    if name is not None:
        return name
    names = _assigned_names()
    if names:
        return names[0]
    raise TypeError(f"{kind}() is not assigned to a variable: give it a name, {kind}(..., name='...')")


# --- Declarations --------------------------------------------------------------------------------


class Declaration:
    """What all declarations have; `order` is their place in the program."""

    kind = ""
    grid: Grid | None = None

    def _declare(self, name: str, at: ex.Place | None = None) -> None:
        self.name = name
        self.order: float = next(ex._counter)
        self.declared_at = at or ex.place()

    def _uses(self) -> Iterator[Any]:
        """Expressions, types and declarations that this one uses."""
        return iter(())


class ScalarType:
    """A scalar type of the language. Calling it converts to it: ``st.real(x)``."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, x: ExprLike) -> Expr:
        return ex.apply(self.name, x)

    def __repr__(self) -> str:
        return f"stencilc.{self.name}"


real = ScalarType("real")  #: float, or double with load(..., real="double")
float_ = ScalarType("float")
double = ScalarType("double")
integer = ScalarType("integer")  #: 32 bits
long = ScalarType("long")  #: 64 bits
half = ScalarType("half")
bfloat = ScalarType("bfloat")
byte = ScalarType("byte")
ubyte = ScalarType("ubyte")
short = ScalarType("short")
ushort = ScalarType("ushort")
boolean = ScalarType("bool")

_SCALARS = {
    t.name: t
    for t in (real, float_, double, integer, long, half, bfloat, byte, ubyte, short, ushort, boolean)
}


class VectorType:
    def __init__(self, length: ExprLike, element: Any):
        self.length = ex.lift(length)
        self.element = as_type(element)


class StructureType:
    def __init__(self, members: Mapping[str, Any]):
        self.members = {name: as_type(member) for name, member in members.items()}


class NamedType(Declaration):
    kind = "type"

    def __init__(self, name: str, definition: Any):
        self._declare(name)
        self.definition = definition

    def _uses(self):
        yield self.definition


def as_type(given: Any) -> Any:
    """A type: st.real, "real", {"rho": st.real, ...}, st.vector(3, st.real), st.type_(...)."""
    if isinstance(given, (ScalarType, VectorType, StructureType, NamedType)):
        return given
    if isinstance(given, str) and given in _SCALARS:
        return _SCALARS[given]
    if given is float:
        return real
    if given is int:
        return integer
    if given is bool:
        return boolean
    if isinstance(given, Mapping):
        return StructureType(given)
    raise TypeError(f"{given!r} is no type of the language: give one of {', '.join(_SCALARS)}")


def vector(length: ExprLike, element: Any = real) -> VectorType:
    """The type `vector length of element`."""
    return VectorType(length, element)


def type_(definition: Any, *, name: str | None = None) -> NamedType:
    """Names a type: ``cell = st.type_({"rho": st.real, "u": st.vector(2)})``."""
    return NamedType(_name_of(name, "type_"), as_type(definition))


class ParamExpr(Expr, Declaration):
    __slots__ = ("name", "order", "declared_at", "type", "default", "requirements", "__dict__")
    kind_of_declaration = "param"

    def __init__(self, name: str, type: Any, default: Expr | None):
        Expr.__init__(self, "ref", data=None)
        self._declare(name)
        self.data = self
        self.type = type
        self.default = default

    def _uses(self):
        yield self.type
        if self.default is not None:
            yield self.default


def param(value: Any = None, type: Any = None, *, name: str | None = None) -> ParamExpr:
    """A param: ``N = st.param(512)``, ``k = st.param(0.1)``, ``n = st.param(type=st.integer)``.

    value: the default: a number, an expression of other params, or a list or dictionary for a param
    of several components; None: a run must give it. type: integer for an int, else real.
    """
    if type is None:
        type = integer if isinstance(value, int) and not isinstance(value, bool) else real
    default = None if value is None else ex.lift(value)
    return ParamExpr(_name_of(name, "param"), as_type(type), default)


class TableExpr(Expr, Declaration):
    __slots__ = ("name", "order", "declared_at", "type", "extents", "contents", "__dict__")

    def __init__(self, name: str, type: Any, extents: list[Expr], contents: Expr):
        Expr.__init__(self, "ref", data=None)
        self._declare(name)
        self.data = self
        self.type = type
        self.extents = extents
        self.contents = contents

    def _uses(self):
        yield self.type
        yield from self.extents
        yield self.contents


def table(
    contents: Any,
    type: Any = real,
    *,
    extents: Sequence[ExprLike] | None = None,
    name: str | None = None,
) -> TableExpr:
    """A table of constants: ``w = st.table([[0, 1], [1, 0]])``, read as ``w[a, b]``.

    extents: its size, if it is not that of the nested lists.
    """
    if extents is None:
        found, rows = [], contents
        while isinstance(rows, (list, tuple)) or (hasattr(rows, "shape") and rows.shape):
            found.append(len(rows))
            rows = rows[0]
        extents = found
    return TableExpr(
        _name_of(name, "table"), as_type(type), [ex.lift(e) for e in extents], ex.lift(contents)
    )


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


def _range(given: Any) -> Range:
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

    def __init__(self, ranges: Sequence[Range]):
        self.ranges = list(ranges)

    def where(self, condition: ExprLike) -> Region:
        """Only the points at which the condition holds."""
        return Region(self).where(condition)

    def at(self, *indices: Index) -> Region:
        """Names the coordinates of the points."""
        return Region(self, indices)

    def named(self, indices: Sequence[Index]) -> Box:
        return Box(
            [Range(r.low, r.high, r.stride, i.name) for r, i in zip(self.ranges, indices, strict=True)]
        )

    def _uses(self):
        for one in self.ranges:
            yield from one.expressions()


def box(*ranges: Any) -> Box:
    """A box by grid coordinates: ``st.box((1, N - 2), 0)``; (low, high) includes both ends.

    A range is a coordinate, (low, high), (low, high, stride), or range().
    """
    return Box([_range(one) for one in ranges])


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

    ranges: list[Range]

    def interior(self, *margins: int) -> Box:
        """The points at least `margin` points from the edges: one for all, or for each dimension."""
        given = margins * len(self.ranges) if len(margins) == 1 else margins
        if len(given) != len(self.ranges):
            raise TypeError(f"interior() is given {len(given)} margins for {len(self.ranges)} dimensions")
        return Box(
            [
                Range(ex.plus(_number(r.low), m), ex.plus(_number(_high(r)), -m))
                for r, m in zip(self.ranges, given)
            ]
        )

    def __getitem__(self, given: Any) -> Box:
        """A box by slices of grid coordinates, without their ends: ``G[1:N-1, 0]``.

        Negative numbers count from the end, as for lists: ``G[1:-1, -1]``.
        """
        listed = given if isinstance(given, tuple) else (given,)
        if len(listed) != len(self.ranges):
            raise TypeError(f"a box of this grid has {len(self.ranges)} ranges, not {len(listed)}")
        return Box([_sliced(r, one) for r, one in zip(self.ranges, listed)])


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

    def __init__(self, name, ranges, steps, origin, spacing):
        self._declare(name)
        self.grid = self
        self.ranges = ranges
        self.steps = None if steps is None else ex.lift(steps)
        self.origin = _per_dimension(origin)
        self.spacing = _per_dimension(spacing)
        self.items: list[Any] = []

    def _uses(self):
        for one in self.ranges:
            yield from one.expressions()
        if self.steps is not None:
            yield self.steps
        yield from self.origin[1]
        yield from self.spacing[1]

    def __repr__(self) -> str:
        return f"<stencilc.Grid {self.name}: {len(self.ranges)} dimensions>"


def _per_dimension(given: Any) -> tuple[bool, list[Expr]]:
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
    name: str | None = None,
) -> Grid:
    """The grid of a program: ``G = st.grid(N, M, steps=100)``.

    extents: a number of points (coordinates from 0), or (low, high), both included; the last
    dimension is contiguous in memory. steps: the number of time steps; None: a run gives it.
    origin, spacing: physical coordinates, one value or a list of one for each dimension.
    """
    ranges = [Range(*ex.bounds(one)) for one in extents]
    return Grid(_name_of(name, "grid"), ranges, steps, origin, spacing)


class Subgrid(_Boxed):
    kind = "subgrid"

    def __init__(self, name: str, parent: Any, ranges: list[Range]):
        self._declare(name)
        self.grid = parent.grid
        self.parent = parent
        self.ranges = ranges
        parent.grid.items.append(self)

    def _uses(self):
        yield self.parent
        for one in self.ranges:
            yield from one.expressions()


def subgrid(parent: Any, *ranges: Any, name: str | None = None) -> Subgrid:
    """A named box of a grid: ``I = st.subgrid(G, (1, N - 2), 0)``, or ``st.subgrid(G, G[1:-1])``."""
    if len(ranges) == 1 and isinstance(ranges[0], Box):
        listed = ranges[0].ranges
    else:
        listed = [_range(one) for one in ranges]
    return Subgrid(_name_of(name, "subgrid"), parent, listed)


# --- Boundaries ----------------------------------------------------------------------------------

_PLAIN_RULES = ("none", "clamp", "mirror", "odd", "symmetric", "antisymmetric", "linear", "periodic")


class Boundary:
    """The value beyond an edge; constant(), gradient(), mirror_gradient() and fixed() make it."""

    def __init__(self, name: str, value: Any = None):
        self.name = name
        self.value = None if value is None else ex.lift(value)


def constant(value: Any) -> Boundary:
    """The boundary rule `constant value`."""
    return Boundary("constant", value)


def gradient(value: Any) -> Boundary:
    """The derivative along the outward normal, at a wall half a cell outside."""
    return Boundary("gradient", value)


def mirror_gradient(value: Any) -> Boundary:
    """The derivative along the outward normal, at a wall on the edge point."""
    return Boundary("mirror_gradient", value)


def fixed(value: Any) -> Boundary:
    """The value of the edge point itself."""
    return Boundary("fixed", value)


def _rule(given: Any) -> Boundary:
    if isinstance(given, Boundary):
        return given
    if given is None:
        return Boundary("none")
    if isinstance(given, str) and given in _PLAIN_RULES:
        return Boundary(given)
    raise TypeError(
        f"{given!r} is no boundary rule: give one of {', '.join(_PLAIN_RULES)}, or "
        "constant(x), gradient(x), mirror_gradient(x), fixed(x)"
    )


class _Boundaries:
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
            raise TypeError("rules for two sides belong to a dimension: boundary=[(low, high), ...]")

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


def _owner(domain: Any) -> Grid:
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
        _name_of(name, "field"),
        "field",
        is_condition=as_type(type) is boolean,
        type=as_type(type),
        domain=domain,
        history=None if history is None else ex.lift(history),
        constant=constant,
        boundary=_Boundaries(boundary),
        along=_per_dimension(along),
    )
    made.grid = _owner(domain)
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
        _name_of(name, "series"),
        "series",
        type=as_type(type),
        times=Range(*ex.bounds(steps)),
        domain=on,
        along=_per_dimension(along),
        boundary=_Boundaries(boundary),
    )
    if on is not None:
        made.grid = _owner(on)
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
        _name_of(name, "points"),
        "points",
        numbers=Range(*ex.bounds(numbers)),
        domain=domain,
        weights=None if weights is None else ex.lift(weights),
    )
    made.grid = _owner(domain)
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


# --- Bodies --------------------------------------------------------------------------------------


class LetExpr(Expr):
    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Expr):
        super().__init__("let", data=None, is_condition=value.is_condition)
        self.data = self
        self.name = name
        self.value = value


class Piece:
    def __init__(self, region: Any, value: Expr, indices: Sequence[Index], at: ex.Place):
        self.region = region  # None: everywhere else
        self.value = value
        self.indices = tuple(indices)
        self.place = at

    def _uses(self):
        if self.region is not None:
            yield self.region
        yield self.value


def let(value: Any, *, name: str | None = None) -> LetExpr:
    """A local value of the stencil function or function that is being traced: ``s = st.let(...)``."""
    bodies = _stack("bodies")
    if not bodies:
        raise TypeError("let() is used outside of a function with @stencil or @function")
    made = LetExpr(_name_of(name, "let"), ex.lift(value))
    bodies[-1].append(made)
    return made


def _value(given: Any) -> tuple[list[Index], Expr]:
    """The value of a piece: an expression, or a function of the coordinates."""
    if callable(given) and not isinstance(given, Expr):
        made, found = ex.call_with_indices(given)
        return made, ex.lift(found)
    return [], ex.lift(given)


def piece(region: Any, value: Any, *, where: ExprLike | None = None) -> Piece:
    """A piece of a stencil function: ``yield st.piece(region, value)``.

    value: an expression, or a function of the coordinates. where: a condition for its points.
    """
    made, found = _value(value)
    return Piece(_region(region, made, where), found, (), _place_of(found))


def otherwise(value: Any) -> Piece:
    """The value at all points that no piece writes: ``yield st.otherwise(value)``."""
    made, found = _value(value)
    return Piece(None, found, made, _place_of(found))


def _place_of(value: Expr) -> ex.Place:
    return value.place if value.kind not in ("ref", "let") else ex.place()


def _region(given: Any, indices: Sequence[Index], where: Any) -> Region:
    region = given if isinstance(given, Region) else Region(given)
    if not isinstance(region.source, (Domain, Box)):
        raise TypeError(f"{given!r} is no region: give a grid, a sub-grid, G[1:-1, 1:-1] or st.box()")
    if indices:
        region = region.at(*indices)
    condition = region.condition if where is None else ex.lift(where)
    return Region(region.source, region.indices, condition)


def _trace(body: Callable[..., Any], run: Callable[[], Any]) -> tuple[list[Any], Any]:
    """Calls a function; returns its lets and pieces, and its value."""
    bodies = _stack("bodies")
    items: list[Any] = []
    bodies.append(items)
    try:
        result = run()
        if hasattr(result, "__next__"):
            for one in result:
                if not isinstance(one, Piece):
                    raise TypeError(f"{body.__name__}() yields {one!r}: yield piece() or otherwise()")
                items.append(one)
            result = None
    finally:
        bodies.pop()
    return items, result


class StencilFunction(Declaration):
    """A stencil function; @stencil makes it."""

    kind = "stencil"

    def __init__(self, name, targets, items, every, at):
        self._declare(name, at)
        self.targets = targets
        self.items = items
        self.every = every

    def _uses(self):
        yield from (base for base, _ in self.targets)
        if self.every is not None:
            yield self.every
        for item in self.items:
            yield item.value if isinstance(item, LetExpr) else item

    def __repr__(self) -> str:
        return f"<stencilc stencil function {self.name}>"


class Repeat(Declaration):
    kind = "repeat"

    def __init__(self, count: Expr, at: ex.Place):
        self._declare("repeat", at)
        self.count = count
        self.body: list[Any] = []

    def _uses(self):
        yield self.count
        yield from self.body


def _target(given: Any) -> tuple[FieldExpr, list[str]]:
    members: list[str] = []
    while isinstance(given, Expr) and given.kind == "member":
        members.insert(0, given.data)
        given = given.operands[0]
    if not isinstance(given, FieldExpr):
        raise TypeError(f"a stencil function writes fields, not {given!r}")
    return given, members


def _add(grid: Grid, item: Declaration) -> None:
    """Adds an item to the program of a grid. It takes the place of one of its kind and name."""
    for index, old in enumerate(grid.items):
        same = type(old) is type(item) and old.name == item.name
        if same and not isinstance(item, (FieldExpr, Repeat)):
            item.order = old.order
            grid.items[index] = item
            return
    grid.items.append(item)


def stencil(
    *targets: Any,
    on: Any = None,
    where: ExprLike | None = None,
    every: ExprLike | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], StencilFunction]:
    """Makes a stencil function of a Python function, which is called once to trace it::

        @st.stencil(A, on=G.interior(1))
        def diffuse():
            return A[0, 0] + k * (A[-1, 0] + A[1, 0] - 2 * A[0, 0])

    targets: the fields, or members of fields, that it computes. For several, the function returns a
    dictionary. on: the region; default: the domain of the first field. where: a condition for its
    points. every: it runs in steps 0, n, 2n, ... only. Parameters of the Python function name the
    coordinates of the point: ``def diffuse(i, j)``.

    A function with several pieces yields them: ``yield st.piece(region, value)`` and
    ``yield st.otherwise(value)``. let() names a value.
    """
    found = [_target(one) for one in targets]
    if not found:
        raise TypeError("stencil() needs the field that the function computes")
    grid = found[0][0].grid
    if not isinstance(grid, Grid):
        raise TypeError(f"field {found[0][0].name} is not on a grid")

    def decorate(body: Callable[..., Any]) -> StencilFunction:
        at = (body.__code__.co_filename, body.__code__.co_firstlineno)
        named = [Index(one) for one in ex.parameter_names(body)]
        items, value = _trace(body, lambda: body(*named))
        if value is None and not any(isinstance(item, Piece) for item in items):
            raise TypeError(f"{body.__name__}() returns no value and yields no piece")
        if value is not None:
            region = on if on is not None else found[0][0].options["domain"]
            lifted = ex.lift(value)
            items.append(Piece(_region(region, named, where), lifted, (), _place_of(lifted)))
        elif on is not None or where is not None:
            raise TypeError(f"{body.__name__}() yields pieces, which have regions of their own")
        made = StencilFunction(
            name or body.__name__, found, items, None if every is None else ex.lift(every), at
        )
        made.grid = grid
        repeats = _stack("repeats")
        if repeats:
            repeats[-1].body.append(made)
            repeats[-1].grid = repeats[-1].grid or grid
        else:
            _add(grid, made)
        return made

    return decorate


@contextmanager
def repeat(count: ExprLike) -> Iterator[None]:
    """Stencil functions declared in the block run `count` times per step: ``with st.repeat(20):``."""
    repeats = _stack("repeats")
    made = Repeat(ex.lift(count), ex.place())
    repeats.append(made)
    try:
        yield
    finally:
        repeats.pop()
    if not made.body:
        raise TypeError("repeat() contains no stencil function")
    first = made.body[0].name
    made.name = f"repeat {first}"
    if repeats:
        repeats[-1].body.append(made)
        repeats[-1].grid = repeats[-1].grid or made.grid
        return
    for index, old in enumerate(made.grid.items):
        if isinstance(old, Repeat) and old.name == made.name:
            made.order = old.order
            made.grid.items[index] = made
            return
    made.grid.items.append(made)


class ArgumentExpr(FieldExpr):
    """An argument of a function that stands for a field."""

    __slots__ = ()

    def __init__(self, name: str):
        Expr.__init__(self, "field_argument", data=name)
        self.name = name
        self.options = {}


class LanguageFunction(Declaration):
    """A function of the language; @function makes it. Calls become part of the program."""

    kind = "function"

    def __init__(self, name, arguments, items, value, at):
        self._declare(name, at)
        self.arguments = arguments  # (name, is a field)
        self.items = items
        self.value = value

    def __call__(self, *arguments: Any) -> Expr:
        return Node("call", [ex.lift(x) for x in arguments], self)

    def _uses(self):
        for item in self.items:
            yield item.value
        yield self.value


def function(body: Callable[..., Any] | None = None, *, name: str | None = None, fields: Any = ()):
    """Makes a function of the language of a Python function, which is called once to trace it::

        @st.function
        def lap(u: st.field):
            return u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u[0, 0]

    Parameters with the annotation st.field, or named in `fields`, stand for fields; others for
    values. ``lap(U)[0, 1]`` evaluates a call at an offset. (A plain Python function works as well,
    but does not appear in the program.)
    """
    if body is None:
        return functools.partial(function, name=name, fields=fields)
    at = (body.__code__.co_filename, body.__code__.co_firstlineno)
    arguments = []
    made: list[Expr] = []
    for argument in ex.parameter_names(body):
        annotation = body.__annotations__.get(argument)
        is_field = argument in fields or annotation is field
        if isinstance(annotation, str):
            is_field = annotation.split(".")[-1] == "field"
        arguments.append((argument, is_field))
        made.append(ArgumentExpr(argument) if is_field else Node("value_argument", data=argument))
    items, value = _trace(body, lambda: body(*made))
    if value is None:
        raise TypeError(f"{body.__name__}() returns no value")
    return LanguageFunction(name or body.__name__, arguments, items, ex.lift(value), at)


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
    named, found = _value(value)
    place = _place_of(found)
    made = Init(target, named, found, place)
    if target.grid is not None:
        made.grid = target.grid
        _add(target.grid, made)
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
    called = _name_of(name, "reduce")
    named, found = _value(value)
    region = _region(on, named, where)
    owner = _grid_of_region(region, found)
    common = {
        "reducer": reducer,
        "value": found,
        "region": region,
        "every": None if every is None else ex.lift(every),
        "initial": None if initial is None else ex.lift(initial),
    }
    if over is None:
        made: Any = ReductionExpr(called, _place_of(found), **common)
    else:
        made = PlainFieldExpr(
            called, "reduce_over", over=_per_dimension(over), boundary=_Boundaries(boundary), **common
        )
    made.grid = owner
    _add(owner, made)
    return made


def _grid_of_region(region: Region, value: Expr) -> Grid:
    if isinstance(region.source, Domain):
        return _owner(region.source)
    for used in walk([value]):
        owner = getattr(used, "grid", None)
        if isinstance(owner, Grid):
            return owner
    raise TypeError("the reduction reads no field, so its grid is unknown: name the grid in `on`")


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
    called = _name_of(name, "record")
    found = ex.lift(value)
    made = Record(
        called,
        Range(*ex.bounds(rows)),
        found,
        at,
        None if every is None else ex.lift(every),
        _place_of(found),
    )
    made.grid = at.grid
    _add(at.grid, made)
    return made


class _Condition(Declaration):
    def __init__(self, kind: str, condition: Expr):
        self._declare(kind, _place_of(condition))
        self.kind = kind
        self.condition = condition

    def _uses(self):
        yield self.condition


def stop(condition: ExprLike) -> None:
    """Ends the run when a condition on reductions holds: ``st.stop(change < 1e-6)``."""
    made = _Condition("stop", ex.lift(condition))
    for used in walk([made.condition]):
        owner = getattr(used, "grid", None)
        if isinstance(owner, Grid):
            made.grid = owner
            _add(owner, made)
            return
    raise TypeError("stop() names no reduction")


def require(condition: ExprLike, *, grid: Grid | None = None) -> Declaration:
    """A condition on params that must hold: ``st.require(N >= 3)``.

    It belongs to the programs that use one of its params, or to that of `grid`.
    """
    made = _Condition("require", ex.lift(condition))
    if grid is not None:
        grid.items.append(made)
        return made
    for used in walk([made.condition]):
        if isinstance(used, ParamExpr):
            used.__dict__.setdefault("required", []).append(made)
    return made


# --- Programs ------------------------------------------------------------------------------------


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


def program(
    *items: Any, name: str | None = None, include: Sequence[Any] = (), **options: Any
) -> Program:
    """The program of a grid: ``p = st.program(G)``.

    items: the grid, or any declaration on it. include: further declarations, such as params that
    only a run uses. name: of the program; default: the variable that the result is assigned to.
    options: those of load(): real, fp, steps, open, fix, and values of params.

    Errors: P and S codes for errors in the program, with the line of Python.
    """
    from ._build import build

    owner = next((one.grid for one in items if getattr(one, "grid", None) is not None), None)
    if owner is None:
        raise TypeError("program() needs a grid, or a declaration on one")
    names = [name] if name else _assigned_names()
    called = names[0] if names and names[0].isidentifier() else "program"
    built = build(called, _collect(owner, [*items, *include]))
    from . import _core

    def read(core_options: Any) -> Any:
        return _core.Program.from_built(built, core_options)

    own = {k: options.pop(k) for k in ("params", "real", "fp", "steps", "open", "fix") if k in options}
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
                f"{one.name} is on another grid, {one.grid.name}: a program has one grid"
            )
    nested = {id(inner) for one in found.values() if isinstance(one, Repeat) for inner in one.body}
    kept = [one for key, one in found.items() if key not in nested]
    kept = [one for one in kept if not isinstance(one, ArgumentExpr)]
    return sorted(_without_redeclared(owner, kept), key=lambda one: one.order)


def _without_redeclared(owner: Grid, items: list[Declaration]) -> list[Declaration]:
    """Leaves out fields and sub-grids that were declared again and are not used."""
    last: dict[str, Declaration] = {}
    for one in items:
        if isinstance(one, (FieldExpr, Subgrid)) and one.order >= getattr(last.get(one.name), "order", -1):
            last[one.name] = one
    doubtful = [one for one in items if isinstance(one, (FieldExpr, Subgrid)) and last[one.name] is not one]
    if not doubtful:
        return items
    others = [one for one in items if not any(one is d for d in doubtful)]
    used = {id(one) for one in walk(others)}
    out = {id(d) for d in doubtful if id(d) not in used}
    return [one for one in items if id(one) not in out]

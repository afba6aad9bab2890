"""Stencil functions and functions of the language, traced from functions of Python."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _expressions as ex
from ._declarations import Declaration, name_of, stack
from ._domains import Box, Domain, Grid, Region
from ._expressions import Expr, ExprLike, Index, Node
from ._fields import FieldExpr, field

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
    bodies = stack("bodies")
    if not bodies:
        raise TypeError("let() is used outside of a function with @stencil or @function")
    made = LetExpr(name_of(name, "let"), ex.lift(value))
    bodies[-1].append(made)
    return made


def as_value(given: Any) -> tuple[list[Index], Expr]:
    """The value of a piece: an expression, or a function of the coordinates."""
    if callable(given) and not isinstance(given, Expr):
        made, found = ex.call_with_indices(given)
        return made, ex.lift(found)
    return [], ex.lift(given)


def piece(region: Any, value: Any, *, where: ExprLike | None = None) -> Piece:
    """A piece of a stencil function: ``yield st.piece(region, value)``.

    value: an expression, or a function of the coordinates. where: a condition for its points.
    """
    made, found = as_value(value)
    return Piece(as_region(region, made, where), found, (), place_of(found))


def otherwise(value: Any) -> Piece:
    """The value at all points that no piece writes: ``yield st.otherwise(value)``."""
    made, found = as_value(value)
    return Piece(None, found, made, place_of(found))


def place_of(value: Expr) -> ex.Place:
    return value.place if value.kind not in ("ref", "let") else ex.place()


def as_region(given: Any, indices: Sequence[Index], where: Any) -> Region:
    region = given if isinstance(given, Region) else Region(given)
    if not isinstance(region.source, (Domain, Box)):
        raise TypeError(
            f"{given!r} is no region: give a grid, a sub-grid, G[1:-1, 1:-1] or st.box()"
        )
    if indices:
        region = region.at(*indices)
    condition = region.condition if where is None else ex.lift(where)
    return Region(region.source, region.indices, condition)


def _trace(body: Callable[..., Any], run: Callable[[], Any]) -> tuple[list[Any], Any]:
    """Calls a function; returns its lets and pieces, and its value."""
    bodies = stack("bodies")
    items: list[Any] = []
    bodies.append(items)
    try:
        result = run()
        if hasattr(result, "__next__"):
            for one in result:
                if not isinstance(one, Piece):
                    raise TypeError(
                        f"{body.__name__}() yields {one!r}: yield piece() or otherwise()"
                    )
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
        self._check_boxes()

    def _check_boxes(self) -> None:
        """Boxes count the points of the grid of the targets."""
        target = self.targets[0][0]
        of_target = target.options.get("domain")
        for item in self.items:
            source = item.region.source if isinstance(item, Piece) and item.region else None
            if not isinstance(source, Box) or source.domain is None or of_target is None:
                continue
            if source.domain.of_grid is not of_target.of_grid:
                raise TypeError(
                    f"{self.name}() computes {target.name} in a box of {source.domain.name}, which "
                    f"is on another grid than {target.name}"
                )

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


def add_item(grid: Grid, item: Declaration) -> None:
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
            items.append(Piece(as_region(region, named, where), lifted, (), place_of(lifted)))
        elif on is not None or where is not None:
            raise TypeError(f"{body.__name__}() yields pieces, which have regions of their own")
        made = StencilFunction(
            name or body.__name__, found, items, None if every is None else ex.lift(every), at
        )
        made.grid = grid
        repeats = stack("repeats")
        if repeats:
            repeats[-1].body.append(made)
            repeats[-1].grid = repeats[-1].grid or grid
        else:
            add_item(grid, made)
        return made

    return decorate


@contextmanager
def repeated(count: Expr, at: ex.Place) -> Iterator[None]:
    repeats = stack("repeats")
    made = Repeat(count, at)
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

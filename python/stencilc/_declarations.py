"""Names, types, params and tables of programs in Python."""

from __future__ import annotations

import dis
import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _expressions as ex
from ._expressions import Expr, ExprLike

_local = threading.local()


def stack(name: str) -> list[Any]:
    if not hasattr(_local, name):
        setattr(_local, name, [])
    return getattr(_local, name)


# --- Names ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _instructions(code: Any) -> list[tuple[int, str, Any]]:
    return [(i.offset, i.opname, i.argval) for i in dis.get_instructions(code)]


def assigned_names() -> list[str]:
    """The variables to which the running call of the caller is assigned."""
    frame = ex.caller()
    names: list[str] = []
    of_object = False
    for offset, name, value in _instructions(frame.f_code):
        if offset <= frame.f_lasti or name in ("CACHE", "COPY", "DUP_TOP", "EXTENDED_ARG"):
            continue
        if name == "UNPACK_SEQUENCE" and not names:
            continue
        if name.startswith("LOAD_") and not names:  # of the object whose attribute is assigned
            of_object = True
            continue
        if of_object and name != "STORE_ATTR":
            break
        if name.startswith("STORE_") and name not in ("STORE_SUBSCR", "STORE_SLICE"):
            listed = value if isinstance(value, tuple) else (value,)
            if name == "STORE_FAST_LOAD_FAST":
                names.append(listed[0])
                break
            names += listed
            continue
        break
    return names


def name_of(name: str | None, kind: str) -> str:
    if name is not None:
        return name
    names = assigned_names()
    if names:
        return names[0]
    raise TypeError(
        f"{kind}() is not assigned to a variable: give it a name, {kind}(..., name='...')"
    )


# --- Declarations --------------------------------------------------------------------------------


class Declaration:
    """What all declarations have; `order` is their place in the program."""

    kind = ""
    grid: Any = None  # the grid that it belongs to; None: the programs that use it

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
    for t in (
        real,
        float_,
        double,
        integer,
        long,
        half,
        bfloat,
        byte,
        ubyte,
        short,
        ushort,
        boolean,
    )
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
    return NamedType(name_of(name, "type_"), as_type(definition))


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
    return ParamExpr(name_of(name, "param"), as_type(type), default)


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
        name_of(name, "table"), as_type(type), [ex.lift(e) for e in extents], ex.lift(contents)
    )

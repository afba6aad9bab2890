"""Expressions of the language, as Python objects.

Operators and functions make trees. Nothing is computed or checked here: `_build.py` passes the
trees to the builder of the library, and the compiler checks the program by its own rules. Each
tree remembers the line of Python that made it, for messages.
"""

from __future__ import annotations

import itertools
import numbers
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_counter = itertools.count()

Place = tuple[str, int]
ExprLike = Union["Expr", bool, int, float]


def caller() -> Any:
    """The innermost frame outside of the package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def place() -> Place:
    frame = caller()
    return frame.f_code.co_filename, frame.f_lineno


class Expr:
    """An expression of a stencil program; it has no value.

    Operators are those of the language: ``+ - * / %``, comparisons, ``& | ^ ~ << >>``, ``**`` for
    pow. ``&``, ``|`` and ``~`` mean `and`, `or` and `not` if an operand is a condition.
    ``/`` of two integers of the program truncates, as in the language; Python computes operations
    between numbers before. ``x[i, j]`` reads a field at an offset, or a component; ``x.name`` is a
    member of a structure.
    """

    __slots__ = ("kind", "data", "operands", "place", "is_condition")
    __array_ufunc__ = None  # operations with NumPy numbers come here
    __hash__ = object.__hash__

    def __init__(
        self,
        kind: str,
        operands: Sequence[Expr] = (),
        data: Any = None,
        is_condition: bool = False,
        at: Place | None = None,
    ):
        self.kind = kind
        self.operands = tuple(operands)
        self.data = data
        self.is_condition = is_condition
        self.place = at or place()

    # --- What has no meaning in a program ---

    def __bool__(self) -> bool:
        raise TypeError(
            "a stencil expression has no truth value: use select(condition, a, b) for a choice, "
            "& | ~ for and, or, not, min(a, b) of stencilc, and two comparisons for a < b < c"
        )

    def __iter__(self):
        raise TypeError("a stencil expression has no length: it cannot be iterated or unpacked")

    def __floordiv__(self, other: Any):
        raise TypeError(
            "// rounds down in Python, and / of integers truncates in the language: write / if that "
            "is meant, or floor(real(a) / b)"
        )

    __rfloordiv__ = __floordiv__

    def __index__(self) -> int:
        raise TypeError("a stencil expression is not a number")

    __int__ = __float__ = __index__

    # --- Operators ---

    def __add__(self, other):
        return apply("+", self, other)

    def __radd__(self, other):
        return apply("+", other, self)

    def __sub__(self, other):
        return apply("-", self, other)

    def __rsub__(self, other):
        return apply("-", other, self)

    def __mul__(self, other):
        return apply("*", self, other)

    def __rmul__(self, other):
        return apply("*", other, self)

    def __truediv__(self, other):
        return apply("/", self, other)

    def __rtruediv__(self, other):
        return apply("/", other, self)

    def __mod__(self, other):
        return apply("%", self, other)

    def __rmod__(self, other):
        return apply("%", other, self)

    def __pow__(self, other):
        return apply("pow", self, other)

    def __rpow__(self, other):
        return apply("pow", other, self)

    def __lshift__(self, other):
        return apply("<<", self, other)

    def __rlshift__(self, other):
        return apply("<<", other, self)

    def __rshift__(self, other):
        return apply(">>", self, other)

    def __rrshift__(self, other):
        return apply(">>", other, self)

    def __xor__(self, other):
        return apply("^", self, other)

    def __rxor__(self, other):
        return apply("^", other, self)

    def __and__(self, other):
        return _either("and", "&", self, other)

    def __rand__(self, other):
        return _either("and", "&", other, self)

    def __or__(self, other):
        return _either("or", "|", self, other)

    def __ror__(self, other):
        return _either("or", "|", other, self)

    def __invert__(self):
        return condition("not", self) if self.is_condition else apply("~", self)

    def __neg__(self):
        return apply("-", self)

    def __pos__(self):
        return self

    def __abs__(self):
        return apply("abs", self)

    def __eq__(self, other):  # type: ignore[override]
        return condition("==", self, other)

    def __ne__(self, other):  # type: ignore[override]
        return condition("!=", self, other)

    def __lt__(self, other):
        return condition("<", self, other)

    def __le__(self, other):
        return condition("<=", self, other)

    def __gt__(self, other):
        return condition(">", self, other)

    def __ge__(self, other):
        return condition(">=", self, other)

    def __getitem__(self, indices: Any) -> Expr:
        listed = indices if isinstance(indices, tuple) else (indices,)
        if any(isinstance(index, slice) for index in listed):
            raise TypeError("an access has an offset for each dimension, and no slices")
        return Node("at", [self, *map(lift, listed)], is_condition=self.is_condition)

    def member(self, name: str) -> Expr:
        """A member of a structure."""
        return Node("member", [self], name)

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.member(name)

    def __repr__(self) -> str:
        return f"<stencilc expression: {show(self)}>"


def _either(logical: str, bits: str, a: Any, b: Any) -> Expr:
    a, b = lift(a), lift(b)
    if a.is_condition or b.is_condition:
        return condition(logical, a, b)
    return apply(bits, a, b)


def apply(name: str, *operands: Any) -> Expr:
    """An operator, a function of the language or a conversion."""
    return Node("apply", [lift(x) for x in operands], name)


def condition(name: str, *operands: Any) -> Expr:
    return Node("apply", [lift(x) for x in operands], name, is_condition=True)


def lift(value: Any) -> Expr:
    """An expression from a Python value: numbers, lists of values, dictionaries of members."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return Node("literal", data=bool(value), is_condition=True)
    if isinstance(value, numbers.Integral):
        if not -(2**63) <= int(value) < 2**63:
            raise OverflowError(f"{value} has more than 64 bits")
        return Node("literal", data=int(value))
    if isinstance(value, numbers.Real):
        return Node("literal", data=float(value))
    if isinstance(value, Mapping):
        names = [key if isinstance(key, str) else target_name(key) for key in value]
        return Node("record", [lift(x) for x in value.values()], tuple(names))
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return lift(value.item())
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        elements = value.tolist() if hasattr(value, "tolist") else value
        return apply("values", *elements)
    raise TypeError(f"{type(value).__name__} cannot be used in a stencil expression: {value!r}")


def target_name(target: Any) -> str:
    """The name of a target in a record: of a field, or of a member."""
    if isinstance(target, Expr) and target.kind == "member":
        return target.data
    name = getattr(target, "name", None)
    if isinstance(name, str):
        return name
    raise TypeError(f"{target!r} is no field, and no member of one")


class Node(Expr):
    """An expression without a name.

    Python evaluates `a < b` as `b > a` if the class of b is derived from that of a. So no class of
    expressions is derived from the class of others.
    """

    __slots__ = ()


class Index(Expr):
    """A local name: a coordinate of a point, or the counter of a comprehension."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        super().__init__("index", data=name)
        self.name = name

    def over(self, low: ExprLike, high: ExprLike | None = None, stride: ExprLike | None = None):
        """A range of a box with this name: ``st.box(i.over(0, N - 1), 0)``, both ends included."""
        from ._trace import Range

        return Range(low, high, stride, self.name)


class LevelExpr(Expr):
    """A field on the next finer or coarser level; fine() and coarse() make it."""

    __slots__ = ()

    def __init__(self, field: Expr, towards: int, steps: int = 0):
        super().__init__("other_level", [field], (towards, steps), field.is_condition)

    def at(self, steps: int) -> LevelExpr:
        """The value -steps steps back: ``st.fine(U).at(-1)[0, 0]``."""
        return LevelExpr(self.operands[0], self.data[0], int(steps))

    @property
    def previous(self) -> LevelExpr:
        """The value one step back."""
        return self.at(-1)


def indices(*names: str) -> Any:
    """Names of coordinates: ``i, j = st.indices("i", "j")``."""
    made = tuple(Index(name) for one in names for name in one.split())
    return made[0] if len(made) == 1 else made


def parameter_names(function: Callable[..., Any]) -> list[str]:
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


def call_with_indices(function: Callable[..., Any]) -> tuple[list[Index], Any]:
    """Calls a function whose parameters name coordinates."""
    made = [Index(name) for name in parameter_names(function)]
    return made, function(*made)


def show(root: Expr, depth: int = 4) -> str:
    """A short text of an expression, for people."""
    parts = [show(x, depth - 1) if depth > 0 else "..." for x in root.operands]
    if root.kind == "literal":
        return repr(root.data)
    if root.kind == "apply":
        if len(parts) == 2 and not root.data.isalpha():
            return f"({parts[0]} {root.data} {parts[1]})"
        return f"{root.data}({', '.join(parts)})"
    if root.kind == "at":
        return f"{parts[0]}[{', '.join(parts[1:])}]"
    if root.kind == "member":
        return f"{parts[0]}.{root.data}"
    if root.kind in ("ref", "let", "call"):
        name = root.data.name
    else:
        name = root.data if isinstance(root.data, str) else root.kind
    return f"{name}({', '.join(parts)})" if parts else str(name)


# --- Functions of the language -----------------------------------------------------------------


def _unary(name: str, doc: str) -> Callable[[ExprLike], Expr]:
    def function(x: ExprLike) -> Expr:
        return apply(name, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


sqrt = _unary("sqrt", "The square root, correctly rounded.")
rsqrt = _unary("rsqrt", "1 / sqrt(x).")
floor = _unary("floor", "The greatest whole number that is not greater, of floating type.")
ceil = _unary("ceil", "The least whole number that is not less, of floating type.")
trunc = _unary("trunc", "Without the fraction, of floating type.")
sign = _unary("sign", "1, -1, or x if it is zero or NaN.")
exp = _unary("exp", "The exponential function.")
exp2 = _unary("exp2", "2 to the power of x.")
log = _unary("log", "The natural logarithm.")
log2 = _unary("log2", "The logarithm to the base 2.")
log10 = _unary("log10", "The logarithm to the base 10.")
cbrt = _unary("cbrt", "The cube root.")
sin = _unary("sin", "The sine.")
cos = _unary("cos", "The cosine.")
tan = _unary("tan", "The tangent.")
asin = _unary("asin", "The arc sine.")
acos = _unary("acos", "The arc cosine.")
atan = _unary("atan", "The arc tangent.")
sinh = _unary("sinh", "The hyperbolic sine.")
cosh = _unary("cosh", "The hyperbolic cosine.")
tanh = _unary("tanh", "The hyperbolic tangent.")
asinh = _unary("asinh", "The inverse hyperbolic sine.")
acosh = _unary("acosh", "The inverse hyperbolic cosine.")
atanh = _unary("atanh", "The inverse hyperbolic tangent.")
erf = _unary("erf", "The error function.")
erfc = _unary("erfc", "1 - erf(x).")
absolute = _unary("abs", "The absolute value; abs(x) is the same.")
rounded = _unary("round", "The nearest whole number, halves away from zero, of floating type.")
position = _unary("position", "The physical coordinate of the point, for an index.")
spacing = _unary("spacing", "The spacing of the grid, for an index or a dimension.")
origin = _unary("origin", "The origin of the grid, for an index or a dimension.")


def pow(x: ExprLike, y: ExprLike) -> Expr:
    """x to the power of y; ``x ** y`` is the same. Products for a whole y from -16 to 16."""
    return apply("pow", x, y)


def hypot(x: ExprLike, y: ExprLike) -> Expr:
    """The square root of x*x + y*y."""
    return apply("hypot", x, y)


def atan2(y: ExprLike, x: ExprLike) -> Expr:
    """The angle of the point (x, y)."""
    return apply("atan2", y, x)


def lshr(x: ExprLike, count: ExprLike) -> Expr:
    """x shifted right, with zeros from the top."""
    return apply("lshr", x, count)


def fma(a: ExprLike, b: ExprLike, c: ExprLike) -> Expr:
    """a * b + c with one rounding."""
    return apply("fma", a, b, c)


def select(condition: ExprLike, if_true: ExprLike, if_false: ExprLike) -> Expr:
    """if_true where the condition holds, else if_false. Both are evaluated."""
    return apply("select", condition, if_true, if_false)


def logical_and(a: ExprLike, b: ExprLike) -> Expr:
    """`a and b` of conditions; ``a & b`` is the same if an operand is known to be a condition."""
    return condition("and", a, b)


def logical_or(a: ExprLike, b: ExprLike) -> Expr:
    """`a or b` of conditions."""
    return condition("or", a, b)


def logical_not(a: ExprLike) -> Expr:
    """`not a` of a condition."""
    return condition("not", a)


def random(*coordinates_and_seed: ExprLike) -> Expr:
    """random(i, j, seed): a number in [0, 1) that depends only on its integer arguments."""
    return apply("random", *coordinates_and_seed)


def within(offset: ExprLike, bound: ExprLike) -> Expr:
    """An offset that is computed at run time, at most `bound` points: ``U[within(d, 2), 0]``."""
    return apply("within", offset, bound)


def values(*elements: Any) -> Expr:
    """A vector, a row of a table, or the members of a structure in order; a list is the same."""
    return apply("values", *elements)


def record_of(**members: Any) -> Expr:
    """A structure by member names; a dictionary is the same."""
    return lift(members)


time = Node("apply", data="time", at=("", 0))  #: the index of the current step, from 0
pi = Node("apply", data="pi", at=("", 0))  #: the number
level = Node("apply", data="level", at=("", 0))  #: the level of a function or block, from 0
first = Node("apply", data="first", at=("", 0))  #: in a box: the low bound of the grid
last = Node("apply", data="last", at=("", 0))  #: in a box: the high bound of the grid


def comprehension(kind: str, ranges: Iterable[tuple[Index, Any, Any]], body: Any) -> Expr:
    """sum, prod, min, max or vector of an expression over ranges: (index, low, high), inclusive."""
    listed = list(ranges)
    operands = [lift(x) for _, low, high in listed for x in (low, high)]
    names = tuple(index.name for index, _, _ in listed)
    return Node("comprehension", [*operands, lift(body)], (kind, names))


def _over(kind: str, body: Callable[..., Any], ranges: tuple[Any, ...]) -> Expr:
    made, value = call_with_indices(body)
    if len(made) != len(ranges):
        raise TypeError(
            f"{kind}() has {len(ranges)} ranges, but its function {len(made)} arguments"
        )
    return comprehension(kind, [(i, *bounds(r)) for i, r in zip(made, ranges)], value)


def bounds(given: Any) -> tuple[Any, Any]:
    """(low, high), both inclusive, from a pair, a range or a number of points."""
    if isinstance(given, range):
        if given.step != 1 or len(given) == 0:
            raise TypeError(f"{given} has no points, or a step")
        return given.start, given.stop - 1
    if isinstance(given, tuple):
        low, high = given
        return low, high
    return 0, plus(given, -1)


def plus(value: Any, count: int) -> Any:
    """value + count, with constants added at once."""
    if not isinstance(value, Expr):
        return value + count
    if value.kind == "apply" and value.data in ("+", "-") and len(value.operands) == 2:
        left, right = value.operands
        if right.kind == "literal" and type(right.data) is int:
            return plus(left, (right.data if value.data == "+" else -right.data) + count)
    if count == 0:
        return value
    return value + count if count > 0 else value - -count


def sum(body: Callable[..., Any], *ranges: Any) -> Expr:
    """The sum over ranges: ``st.sum(lambda a, b: w[a+1, b+1] * A[a, b], (-1, 1), (-1, 1))``.

    A range is (low, high), both inclusive, a range(), or a number of values from 0. The last one
    varies fastest.
    """
    return _over("sum", body, ranges)


def prod(body: Callable[..., Any], *ranges: Any) -> Expr:
    """The product over ranges, as sum()."""
    return _over("prod", body, ranges)


def vector_of(body: Callable[..., Any], *ranges: Any) -> Expr:
    """A vector of the values over ranges, as sum()."""
    return _over("vector", body, ranges)


def min(*operands: Any) -> Expr:
    """The least operand; with a function and ranges, the least value, as sum()."""
    if callable(operands[0]) and not isinstance(operands[0], Expr):
        return _over("min", operands[0], operands[1:])
    return apply("min", *operands)


def max(*operands: Any) -> Expr:
    """The greatest operand; with a function and ranges, the greatest value, as sum()."""
    if callable(operands[0]) and not isinstance(operands[0], Expr):
        return _over("max", operands[0], operands[1:])
    return apply("max", *operands)

"""Passes declarations to the builder of the library, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._blocks import Cycle, Statement
from ._declarations import Declaration, ScalarType, StructureType, VectorType
from ._domains import Box, Range, Region
from ._errors import Error
from ._expressions import Expr
from ._fields import Boundaries, Boundary, FieldExpr
from ._stencils import LanguageFunction, LetExpr, place_of
from ._values import ReductionExpr


def build(name: str, items: Sequence[Declaration]) -> _core.BuiltProgram:
    """The program of these declarations. Raises Error with the line of Python."""
    made = _Build(name, items[0].declared_at if items else ("", 0))
    for item in items:
        made.declare(item)
    made.finish_cycles(items)
    program, messages = made.builder.finish(False, {})
    errors = [message for message in messages if message.is_error]
    if program is not None:
        return program
    first = errors[0]
    raise Error(
        first.code,
        first.message,
        first.hint,
        "".join(message.text for message in errors),
        (first.file, first.line, None) if first.file else None,
    )


class _Build:
    def __init__(self, name: str, at: tuple[str, int]):
        self.builder = _core.Builder(name, *at)
        self.handles: dict[int, Any] = {}  # by id of the declaration or let
        self.applied: dict[tuple[type, str], Any] = {}  # declarations that blocks may apply

    # --- Expressions ---

    def expr(self, root: Expr) -> _core.Expr:
        """The handle of an expression. Iterates, because sums of Python loops are deep."""
        memo: dict[int, Any] = {}
        todo = [(root, False)]
        while todo:
            node, ready = todo.pop()
            if id(node) in memo:
                continue
            if not ready and node.operands:
                todo.append((node, True))
                todo += [(operand, False) for operand in node.operands if id(operand) not in memo]
                continue
            memo[id(node)] = self.make(node, [memo[id(operand)] for operand in node.operands])
        return memo[id(root)]

    def optional(self, root: Expr | None) -> _core.Expr | None:
        return None if root is None else self.expr(root)

    def make(self, node: Expr, operands: list[Any]) -> Any:
        kind, data = node.kind, node.data
        if kind == "literal":
            if isinstance(data, bool):
                return _core.boolean(data)
            return _core.integer(data) if isinstance(data, int) else _core.number(data)
        if kind == "apply":
            return _core.apply(data, operands)
        if kind == "at":
            return _core.at_indices(operands[0], operands[1:])
        if kind == "member":
            return _core.member(operands[0], data)
        if kind == "record":
            return _core.record(list(zip(data, operands)))
        if kind == "index":
            return _core.Index(data)
        if kind == "field_argument":
            return _core.FieldArgument(data)
        if kind == "value_argument":
            return _core.ValueArgument(data)
        if kind == "level":
            return _core.level(operands[0], data)
        if kind == "other_level":
            towards, steps = data
            return _core.other_level(operands[0], towards, steps)
        if kind == "named_level":
            return _core.level(_core.FieldArgument(data[0]), data[1])
        if kind == "before":
            return _core.before(operands[0])
        if kind == "comprehension":
            reducer, names = data
            pairs = zip(names, operands[0::2], operands[1::2])
            ranges = [_core.make_range(name, low, high, None) for name, low, high in pairs]
            return _core.comprehend(reducer, ranges, operands[-1])
        if kind == "call":
            return self.handle(data).call(operands)
        if kind in ("ref", "let"):
            found = self.handle(data)
            return found.places if isinstance(found, _core.Points) else found
        raise AssertionError(kind)

    def handle(self, declared: Any) -> Any:
        """The handle of a declaration. One that comes later in the program is meant by its name."""
        found = self.handles.get(id(declared))
        if found is not None:
            return found
        if isinstance(declared, FieldExpr):
            return _core.FieldArgument(declared.name)
        if isinstance(declared, ReductionExpr):
            return _core.Reduction(declared.name)
        if isinstance(declared, LanguageFunction):
            raise TypeError(f"function {declared.name} is called before its declaration")
        return _core.Index(declared.name)

    # --- Boxes, types, boundaries ---

    def range(self, given: Range) -> Any:
        return _core.make_range(
            given.index,
            self.expr(given.low),
            self.optional(given.high),
            self.optional(given.stride),
        )

    def region(self, given: Region) -> Any:
        source = given.source
        if isinstance(source, Box):
            named = source.named(given.indices) if given.indices else source
            region = _core.region_of_box([self.range(one) for one in named.ranges])
        else:
            region = _core.region_of_domain(self.domain(source), self.indices(given.indices))
        if given.condition is None:
            return region
        return _core.region_where(region, self.expr(given.condition))

    def indices(self, given: Sequence[Any]) -> list[Any]:
        return [_core.Index(index.name) for index in given]

    def domain(self, given: Declaration) -> Any:
        found = self.handles.get(id(given))
        if found is None:
            raise TypeError(f"{given.name} is used before its declaration")
        return found.domain if isinstance(found, _core.Points) else found

    def type(self, given: Any) -> Any:
        if isinstance(given, ScalarType):
            return _core.scalar_type(given.name)
        if isinstance(given, VectorType):
            return _core.vector_type(self.expr(given.length), self.type(given.element))
        if isinstance(given, StructureType):
            members = [(name, self.type(member)) for name, member in given.members.items()]
            return _core.structure_type(members)
        return self.handles[id(given)]

    def boundary(self, given: Boundaries) -> Any:
        def rule(one: Boundary | None) -> Any:
            return None if one is None else _core.rule(one.name, self.optional(one.value))

        return _core.boundary(given.is_list, [(rule(low), rule(high)) for low, high in given.sides])

    def per_dimension(self, given: tuple[bool, list[Expr]]) -> Any:
        return _core.per_dimension(given[0], [self.expr(one) for one in given[1]])

    # --- Declarations ---

    def declare(self, item: Any) -> None:
        maker = getattr(self, "_" + type(item).__name__.lstrip("_"))
        self.handles[id(item)] = maker(item, item.declared_at)
        self.applied[type(item), item.name] = item

    def _ParamExpr(self, item: Any, at: tuple[str, int]) -> Any:
        return self.builder.param(item.name, self.type(item.type), self.optional(item.default), *at)

    def _Grid(self, item: Any, at: tuple[str, int]) -> Any:
        return self.builder.grid(
            item.name,
            [self.range(one) for one in item.ranges],
            self.optional(item.steps),
            self.per_dimension(item.origin),
            self.per_dimension(item.spacing),
            self.optional(item.levels),
            self.per_dimension(item.by),
            item.cells,
            *at,
        )

    def _DerivedGrid(self, item: Any, at: tuple[str, int]) -> Any:
        by = self.per_dimension(item.by)
        return self.builder.derived_grid(item.name, self.domain(item.parent), by, item.cells, *at)

    def _Subgrid(self, item: Any, at: tuple[str, int]) -> Any:
        ranges = [self.range(one) for one in item.ranges]
        return self.builder.subgrid(item.name, self.domain(item.parent), ranges, *at)

    def _NamedType(self, item: Any, at: tuple[str, int]) -> Any:
        return self.builder.type(item.name, self.type(item.definition), *at)

    def _TableExpr(self, item: Any, at: tuple[str, int]) -> Any:
        extents = [self.expr(one) for one in item.extents]
        contents = self.expr(item.contents)
        return self.builder.table(item.name, self.type(item.type), extents, contents, *at)

    def _FieldExpr(self, item: Any, at: tuple[str, int]) -> Any:
        return getattr(self, "_declare_" + item.declares)(item, item.options, at)

    _PlainFieldExpr = _PointsExpr = _FieldExpr

    def _declare_field(self, item: Any, given: dict[str, Any], at: tuple[str, int]) -> Any:
        return self.builder.field(
            item.name,
            self.type(given["type"]),
            self.domain(given["domain"]),
            self.optional(given["history"]),
            given["constant"],
            self.boundary(given["boundary"]),
            self.per_dimension(given["along"]),
            *at,
        )

    def _declare_series(self, item: Any, given: dict[str, Any], at: tuple[str, int]) -> Any:
        return self.builder.series(
            item.name,
            self.type(given["type"]),
            self.range(given["times"]),
            None if given["domain"] is None else self.domain(given["domain"]),
            self.per_dimension(given["along"]),
            self.boundary(given["boundary"]),
            *at,
        )

    def _declare_points(self, item: Any, given: dict[str, Any], at: tuple[str, int]) -> Any:
        return self.builder.points(
            item.name,
            self.range(given["numbers"]),
            self.domain(given["domain"]),
            self.optional(given["weights"]),
            *at,
        )

    def _declare_reduce_over(self, item: Any, given: dict[str, Any], at: tuple[str, int]) -> Any:
        return self.builder.reduce_over(
            item.name,
            self.per_dimension(given["over"]),
            given["reducer"],
            self.expr(given["value"]),
            self.region(given["region"]),
            self.optional(given["every"]),
            self.optional(given["initial"]),
            self.boundary(given["boundary"]),
            *at,
        )

    def _ReductionExpr(self, item: Any, at: tuple[str, int]) -> Any:
        given = item.options
        return self.builder.reduce(
            item.name,
            given["reducer"],
            self.expr(given["value"]),
            self.region(given["region"]),
            self.optional(given["every"]),
            self.optional(given["initial"]),
            *at,
        )

    def _Record(self, item: Any, at: tuple[str, int]) -> Any:
        self.builder.record(
            item.name,
            self.range(item.rows),
            self.expr(item.value),
            self.handles[id(item.points)],
            self.optional(item.every),
            *at,
        )

    def _LanguageFunction(self, item: Any, at: tuple[str, int]) -> Any:
        made = self.builder.function(item.name, item.arguments, *at)
        for one in item.items:
            self.handles[id(one)] = made.let(one.name, self.expr(one.value), *one.place)
        made.value(self.expr(item.value), *place_of(item.value))
        return made

    def _StencilFunction(self, item: Any, at: tuple[str, int]) -> Any:
        targets = [
            _core.target(self.handles[id(field)], members) for field, members in item.targets
        ]
        if len(item.items) == 1:  # written in one line, which has one place: that of the value
            at = item.items[0].place
        made = self.builder.stencil(item.name, targets, *at)
        if item.every is not None:
            made.every(self.expr(item.every), *at)
        for one in item.items:
            if isinstance(one, LetExpr):
                self.handles[id(one)] = made.let(one.name, self.expr(one.value), *one.place)
            elif one.region is None:
                made.otherwise(self.expr(one.value), self.indices(one.indices), *one.place)
            else:
                made.piece(self.region(one.region), self.expr(one.value), *one.place)
        return made

    def _Repeat(self, item: Any, at: tuple[str, int]) -> Any:
        failures: list[BaseException] = []

        def body() -> None:  # exceptions must not pass through the library
            try:
                for one in item.body:
                    self.declare(one)
            except BaseException as error:
                failures.append(error)

        self.builder.repeat(self.expr(item.count), body, *at)
        if failures:
            raise failures[0]

    # --- Blocks ---

    def block(self, given: Sequence[Statement]) -> list[Any]:
        return [self.statement(one) for one in given]

    def statement(self, given: Statement) -> Any:
        if given.kind == "apply":
            # One that was declared again has the handle of the newer one.
            found = self.applied.get((type(given.applied), given.applied.name))
            if found is None or found.grid is not given.applied.grid:
                raise TypeError(f"a block applies {given.applied.name}, which the program lacks")
            return _core.apply_statement(self.handles[id(found)], *given.place)
        blocks = [self.block(one) for one in given.blocks]
        if given.kind == "repeat":
            return _core.repeat_statement(self.expr(given.value), *blocks, *given.place)
        if given.kind == "if":
            return _core.if_statement(self.expr(given.value), *blocks, *given.place)
        return _core.coarser_statement(*blocks, *given.place)

    def _Cycle(self, item: Any, at: tuple[str, int]) -> Any:
        return self.builder.cycle(item.name, *at)

    def finish_cycles(self, items: Sequence[Declaration]) -> None:
        """Bodies come last, because cycles may apply each other."""
        for item in items:
            if isinstance(item, Cycle) and item.block is not None:
                self.handles[id(item)].body(self.block(item.block), *item.body_at)

    def _BlockItem(self, item: Any, at: tuple[str, int]) -> None:
        getattr(self.builder, item.kind)(self.block(item.block), *at)

    def _Init(self, item: Any, at: tuple[str, int]) -> Any:
        field = self.handle(item.target)
        field = field.places if isinstance(field, _core.Points) else field
        self.builder.init(field, self.indices(item.indices), self.expr(item.value), *at)

    def _Condition(self, item: Any, at: tuple[str, int]) -> None:
        getattr(self.builder, item.kind)(self.expr(item.condition), *at)

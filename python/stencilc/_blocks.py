"""Blocks of statements of programs in Python: cycles, the step and the start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import _expressions as ex
from ._declarations import Declaration, name_of
from ._domains import Grid
from ._expressions import Expr, ExprLike
from ._fields import PlainFieldExpr
from ._stencils import StencilFunction, repeated
from ._values import ReductionExpr


class Statement:
    """A statement of a block; repeat(), if_() and coarser() make those with blocks of their own."""

    def __init__(
        self,
        kind: str,
        value: Expr | None = None,
        blocks: Sequence[list[Statement]] = (),
        applied: Any = None,
    ):
        self.kind = kind  # "apply", "repeat", "if" or "coarser"
        self.value = value  # the count or the condition
        self.blocks = blocks
        self.applied = applied  # a stencil function, a cycle or a reduction
        self.place = ex.place()

    # Functions and reductions belong to their grid. They are meant by their names, so that one that
    # is declared again replaces the earlier one.
    def _uses(self) -> Iterator[Any]:
        if self.value is not None:
            yield self.value
        yield from self.blocks
        if isinstance(self.applied, Cycle):
            yield self.applied


def as_block(given: Any) -> list[Statement]:
    """The statements of a list; lists in it are part of it."""
    if not isinstance(given, (list, tuple)):
        return as_block([given])
    made: list[Statement] = []
    for one in given:
        if isinstance(one, (list, tuple)):
            made += as_block(one)
        elif isinstance(one, Statement):
            made.append(one)
        elif isinstance(one, (StencilFunction, Cycle, ReductionExpr)) or _is_profile(one):
            made.append(Statement("apply", applied=one))
        else:
            raise TypeError(
                f"a block applies stencil functions, cycles and reductions, not {one!r}"
            )
    return made


def _is_profile(given: Any) -> bool:
    return isinstance(given, PlainFieldExpr) and given.declares == "reduce_over"


class Cycle(Declaration):
    """A named block; cycle() makes it. It belongs to the programs that apply it."""

    kind = "cycle"

    def __init__(self, name: str):
        self._declare(name)
        self.block: list[Statement] | None = None
        self.body_at = self.declared_at

    def body(self, *statements: Any) -> Cycle:
        """Sets the statements. They may apply this cycle."""
        self.block = as_block(statements)
        self.body_at = ex.place()
        return self

    def _uses(self):
        yield self.block or []

    def __repr__(self) -> str:
        return f"<stencilc cycle {self.name}>"


class BlockItem(Declaration):
    """The step or the start of a program."""

    def __init__(self, kind: str, block: list[Statement], grid: Grid):
        self._declare(kind)
        self.kind = kind
        self.block = block
        self.grid = grid

    def _uses(self):
        yield self.block


def cycle(*statements: Any, name: str | None = None) -> Cycle:
    """A cycle: statements that a step applies by a name, on the current level.

    A cycle that applies itself is declared first and gets its body last::

        v = st.cycle()
        v.body(
            st.repeat(2, smooth),
            st.if_(st.level < L - 1,
                   [residual, st.coarser(restrict, zero, v), correct],
                   [st.repeat(8, smooth)]),
        )
        st.step(v, residual)
    """
    made = Cycle(name_of(name, "cycle"))
    return made.body(*statements) if statements else made


def if_(condition: ExprLike, then: Any, otherwise: Any = ()) -> Statement:
    """`if condition { ... } else { ... }` in a block.

    then, otherwise: a statement or a list of them.
    """
    return Statement("if", ex.lift(condition), [as_block(then), as_block(otherwise)])


def coarser(*statements: Any) -> Statement:
    """`coarser { ... }` in a block: the statements on the next coarser level."""
    return Statement("coarser", blocks=[as_block(statements)])


def repeat(count: ExprLike, *statements: Any) -> Any:
    """Stencil functions declared in the block run `count` times per step: ``with st.repeat(20):``.

    In a block of statements: ``st.repeat(2, smooth)``.
    """
    if statements:
        return Statement("repeat", ex.lift(count), [as_block(statements)])
    return repeated(ex.lift(count), ex.place())


def step(*statements: Any, grid: Grid | None = None) -> None:
    """What a step applies, instead of the stencil functions in their order: ``st.step(v, norm)``.

    Statements are stencil functions, cycles, reductions, repeat(), if_() and coarser(). A block
    replaces an earlier one. grid: the grid of the program, if no statement applies a function.
    """
    _add_block("step", statements, grid)


def start(*statements: Any, grid: Grid | None = None) -> None:
    """What is applied once, before the first step: ``st.start(full)``; see step()."""
    _add_block("start", statements, grid)


def _add_block(kind: str, statements: Any, grid: Grid | None) -> None:
    block = as_block(statements)
    owner = grid.grid if grid is not None else _grid_of(block)
    if owner is None:
        raise TypeError(f"{kind}() applies no stencil function: give grid=G")
    owner.items = [
        one for one in owner.items if not (isinstance(one, BlockItem) and one.kind == kind)
    ]
    owner.items.append(BlockItem(kind, block, owner))


def _grid_of(block: list[Statement]) -> Any:
    seen: set[int] = set()
    todo = list(block)
    while todo:
        one = todo.pop(0)
        for inner in one.blocks:
            todo += inner
        if isinstance(one.applied, Cycle):
            if id(one.applied) not in seen:
                seen.add(id(one.applied))
                todo += one.applied.block or []
        elif one.applied is not None:
            return one.applied.grid
    return None

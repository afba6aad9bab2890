"""Makes a program in Python from the syntax tree of its text (`stencilc --emit ast`).

Every construct becomes the call that a user would write for it.
"""

import copy

import stencilc as st
from stencilc import _domains, _fields, _values


class Node:
    def __init__(self, line):
        self.line = line
        self.children = []

    @property
    def words(self):
        return self.line.split()

    def part(self, label):
        return next(
            (c for c in self.children if c.line == label or c.line.split(" of ")[0] == label), None
        )


def parse(text):
    """The tree of a dump: one node per line, children indented by two."""
    root = Node("")
    stack = [(-1, root)]
    for line in text.splitlines():
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip(" "))
        node = Node(line.strip())
        while stack[-1][0] >= indent:
            stack.pop()
        stack[-1][1].children.append(node)
        stack.append((indent, node))
    return root.children[0]


def dump(node, indent=0):
    lines = [" " * indent + node.line]
    for child in node.children:
        lines.append(dump(child, indent + 2))
    return "\n".join(lines)


# In Python a name exists after its declaration, so what others name comes first.
_ORDER = ("param", "type", "grid", "subgrid", "points", "table", "function", "series", "field")


def in_order_of_python(program):
    """Declarations of several fields as one declaration each, and functions before their uses.

    The language allows items of different kinds in any order.
    """
    out = Node(program.line)
    for item in program.children:
        if item.words[0] in ("field", "series", "points") and ", " in item.line:
            names, _, rest = item.line.partition(" on ")
            kind, _, names = names.partition(" ")
            for name in names.split(", "):
                single = copy.copy(item)
                single.line = f"{kind} {name}" + (f" on {rest}" if rest else " ")
                single.line = single.line.strip()
                out.children.append(single)
        else:
            out.children.append(item)
    out.children.sort(key=lambda item: (_ORDER + (item.words[0],)).index(item.words[0]))
    return out


_UNARY = {"-": lambda x: -x, "not": st.logical_not, "~": lambda x: ~x}
_BINARY = {
    "or": st.logical_or,
    "and": st.logical_and,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
}
_FUNCTIONS = {"abs": st.absolute, "round": st.rounded, "real": st.real, "float": st.float_}
_FUNCTIONS |= {"double": st.double, "integer": st.integer, "long": st.long}
_COMPREHENSIONS = ("sum", "prod", "min", "max", "vector")


def function_of(names, run):
    """A function whose parameters have these names, which may be keywords of Python."""
    places = ", ".join(f"p{i}" for i in range(len(names)))
    made = eval(f"lambda {places}: run({places})", {"run": run})
    made.__code__ = made.__code__.replace(co_varnames=tuple(names))
    return made


class Translator:
    def __init__(self):
        self.names = {}  # what a name means
        self.applied = {}  # stencil functions and cycles
        self.bodies = []
        self.made = []
        self.grid = None

    # --- Expressions ---

    def expr(self, node):
        words = node.words
        kind = words[0]
        x = node.children
        if kind == "integer":
            return int(words[1])
        if kind == "real":
            return float(words[1])
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "name":
            return self.name(words[1])
        if kind == "level":
            field, _, back = words[-1].partition("@-")
            found = self.names.get(field)
            if len(words) > 2:
                there = st.fine(found) if words[1] == "fine" else st.coarse(found)
                return there.at(-int(back)) if back else there
            if found is None:
                return st.forward(field).at(-int(back))
            return (
                found.before() if isinstance(found, _values.ReductionExpr) else found.at(-int(back))
            )
        if kind == "unary":
            return _UNARY[words[1]](self.lifted(x[0]))
        if kind == "binary":
            return _BINARY[words[1]](self.lifted(x[0]), self.lifted(x[1]))
        if kind == "call":
            return self.call(words[1], [self.expr(one) for one in x])
        if kind == "comprehension":
            ranges = [
                (st.Index(one.words[1]), *map(self.expr, one.children))
                for one in x
                if one.words[0] == "binder"
            ]
            return st.comprehension(words[1], ranges, self.expr(x[-1]))
        if kind == "bracket":
            return self.lifted(x[0])[tuple(self.expr(one) for one in x[1:])]
        if kind == "member":
            return self.lifted(x[0]).member(words[1])
        if kind == "within":
            return st.within(self.expr(x[0]), self.expr(x[1]))
        if kind == "aggregate":
            if x and x[0].line.endswith(" ="):
                return {one.line[:-2]: self.expr(one.children[0]) for one in x}
            return [self.expr(one) for one in x]
        raise AssertionError(node.line)

    def lifted(self, node):
        """An operand: Python would compute operations between numbers itself."""
        return st._expressions.lift(self.expr(node))

    def name(self, name):
        if name in self.names:
            return self.names[name]
        if name in ("time", "level", "first", "last"):
            return getattr(st, name)
        return st.pi if name == "pi" else st.Index(name)

    def call(self, name, arguments):
        if name in self.names:
            return self.names[name](*arguments)
        if name in ("min", "max"):
            return st._expressions.apply(name, *arguments) if len(arguments) else None
        return _FUNCTIONS.get(name, getattr(st, name, None))(*arguments)

    def optional(self, node, label):
        part = node.part(label)
        return None if part is None else self.expr(part.children[0])

    # --- Boxes, types, boundaries ---

    def ranges(self, box):
        out = []
        for one in box.children:
            stride = self.optional(one, "by")
            plain = [self.expr(x) for x in one.children if x.line != "by"]
            high = plain[1] if len(plain) > 1 else None
            index = one.words[1] if len(one.words) > 1 else None
            out.append(_domains.Range(plain[0], high, stride, index))
        return out

    def plain(self, box):
        return [(r.low, r.high) for r in self.ranges(box)]

    def region(self, node, box=st.box):
        if node.words[0] == "box":
            return box(*self.ranges(node))
        indices = [st.Index(one.words[1]) for one in node.children]
        domain = self.names[node.words[1]]
        if isinstance(domain, _fields.PointsExpr):
            return st.Region(domain, indices)
        return domain.at(*indices) if indices else domain

    def type(self, node):
        name = node.words[1]
        if name == "vector" and node.children:
            return st.vector(self.expr(node.children[0]), self.type(node.children[1]))
        if name == "structure" and node.children:
            return {m.words[1]: self.type(m.children[0]) for m in node.children}
        return self.names.get(name, name)

    def type_of(self, item):
        return self.type(next(one for one in item.children if one.words[0] == "type"))

    def rule(self, node):
        keyword = node.line.split(" ", 1)[1]
        if not node.children:
            return keyword
        return getattr(st, keyword.replace(" ", "_"))(self.expr(node.children[0]))

    def boundary(self, item):
        for one in item.children:
            if one.line.startswith("boundary "):
                return self.rule(one)
            if one.line != "boundary":
                continue
            sides = []
            for side in one.children:
                if side.words[0] == "high":
                    sides[-1] = (sides[-1], self.rule(side))
                else:
                    sides.append(self.rule(side))
            return sides
        return None

    def per_dimension(self, item, label):
        for one in item.children:
            if one.line == label:
                return self.expr(one.children[0])
            if one.line == label + " of each dimension":
                return [self.expr(x) for x in one.children]
        return None

    # --- Items ---

    def declare(self, name, made):
        self.names[name] = made
        return made

    def param(self, item):
        name = item.words[1]
        made = st.param(self.optional(item, "value"), self.type_of(item), name=name)
        return self.declare(name, made)

    def grid_(self, item):
        name = item.words[1]
        ratio = {"by": self.per_dimension(item, "by"), "cells": item.part("cells") is not None}
        if len(item.words) > 2:
            return self.declare(name, st.grid(of=self.names[item.words[3]], name=name, **ratio))
        self.grid = st.grid(
            *self.plain(item.children[0]),
            steps=self.optional(item, "steps"),
            origin=self.per_dimension(item, "origin"),
            spacing=self.per_dimension(item, "spacing"),
            levels=self.optional(item, "levels"),
            name=name,
            **ratio,
        )
        return self.declare(name, self.grid)

    def subgrid(self, item):
        _, name, _, parent = item.words
        return self.declare(
            name, st.subgrid(self.names[parent], *self.ranges(item.children[0]), name=name)
        )

    def type_item(self, item):
        name = item.words[1]
        return self.declare(name, st.type_(self.type(item.children[0]), name=name))

    def field(self, item):
        _, name, _, domain = item.words
        made = st.field(
            self.names[domain],
            self.type_of(item),
            history=self.optional(item, "history"),
            constant=item.part("constant") is not None,
            boundary=self.boundary(item),
            along=self.per_dimension(item, "along"),
            name=name,
        )
        return self.declare(name, made)

    def series(self, item):
        name = item.words[1]
        on = self.names[item.words[3]] if len(item.words) > 3 else None
        times = next(one for one in item.children if one.line == "box")
        made = st.series(
            self.plain(times)[0],
            on,
            self.type_of(item),
            along=self.per_dimension(item, "along"),
            boundary=self.boundary(item),
            name=name,
        )
        return self.declare(name, made)

    def points(self, item):
        _, name, _, domain = item.words
        numbers = self.plain(item.children[0])[0]
        weights = self.optional(item, "weights")
        return self.declare(
            name, st.points(self.names[domain], numbers, weights=weights, name=name)
        )

    def table(self, item):
        name = item.words[1]
        extents = [self.expr(one) for one in item.part("extents").children]
        contents = self.optional(item, "value")
        made = st.table(contents, self.type_of(item), extents=extents, name=name)
        return self.declare(name, made)

    def function(self, item):
        name = item.words[1]
        arguments = [one for one in item.children if one.words[0] == "argument"]
        listed = [one.words[1] for one in arguments]

        def run(*handles):
            outer = self.names
            self.names = {**outer, **dict(zip(listed, handles))}
            for one in item.children:
                if one.words[0] == "let":
                    label = one.words[1]
                    self.names[label] = st.let(self.expr(one.children[0]), name=label)
            value = self.optional(item, "value")
            self.names = outer
            return value

        body = function_of(listed, run)
        fields = [one.words[1] for one in arguments if one.line.endswith(": field")]
        return self.declare(name, st.function(body, name=name, fields=fields))

    def stencil(self, item):
        head, _, targets = item.line.partition(" : ")
        name = head.split()[1]
        listed = []
        for target in targets.split(", "):
            field, *members = target.split(".")
            made = self.names[field]
            for member in members:
                made = made.member(member)
            listed.append(made)

        @st.stencil(*listed, every=self.optional(item, "every"), name=name)
        def body():
            outer = self.names
            self.names = dict(outer)
            for one in item.children:
                if one.words[0] == "let":
                    label = one.words[1]
                    self.names[label] = st.let(self.expr(one.children[0]), name=label)
                elif one.line == "piece":
                    yield self.piece(one)
            self.names = outer

        self.applied[name] = body
        return body

    def block(self, node):
        return self.statements(node.children)

    def statements(self, nodes):
        made = []
        for node in nodes:
            kind = node.words[0]
            # The parts of a statement follow it as nodes of their own.
            if kind == "apply":
                name = node.words[1]
                made.append(self.applied.get(name, self.names.get(name)))
            elif kind in ("repeat", "if"):
                made.append((kind, self.lifted(node.children[0])))
            elif kind in ("body", "then"):
                of, value = made.pop()
                blocks = [st._blocks.as_block(self.block(node))]
                made.append(st._blocks.Statement(of, value, blocks + [[]] * (of == "if")))
            elif kind == "else":
                made[-1].blocks[1] = st._blocks.as_block(self.block(node))
            else:
                made.append(st.coarser(*self.block(node)))
        return made

    def cycle(self, item):
        name = item.words[1]
        self.applied[name] = st.cycle(name=name)
        self.bodies.append((self.applied[name], item))
        return self.applied[name]

    def step(self, item):
        st.step(*self.block(item), grid=self.grid)

    def start(self, item):
        st.start(*self.block(item), grid=self.grid)

    def piece(self, node):
        region = node.children[0]
        value = self.optional(node, "value")
        if region.line.split(" ")[0:2] in (["region", "else"], ["region"], ["region", ""]):
            names = [one.words[1] for one in region.children]
            if not names:
                return st.otherwise(value)
            return st.otherwise(function_of(names, lambda *_: value))
        return st.piece(self.region(region), value, where=self.optional(node, "where"))

    def init(self, item):
        names = [one.words[1] for one in item.children if one.words[0] == "index"]
        value = self.optional(item, "value")
        body = function_of(names, lambda *_: value) if names else value
        st.init(self.names[item.words[1]], body)

    def reduce(self, item):
        _, name, _, reducer = item.words
        region = next(one for one in item.children if one.words[0] in ("box", "region"))
        made = st.reduce(
            reducer,
            self.optional(item, "value"),
            self.region(region, self.grid.box),
            where=self.optional(item, "where"),
            over=self.per_dimension(item, "over"),
            every=self.optional(item, "every"),
            initial=self.optional(item, "initial"),
            boundary=self.boundary(item),
            name=name,
        )
        return self.declare(name, made)

    def record(self, item):
        _, name, _, points = item.words
        rows = self.plain(item.children[0])[0]
        value = self.optional(item, "value")
        every = self.optional(item, "every")
        made = st.record(rows, value, at=self.names[points], every=every, name=name)
        return self.declare(name, made)

    def stop(self, item):
        st.stop(self.expr(item.children[0]))

    def require(self, item):
        return st.require(self.expr(item.children[0]))


def translate(tree, name):
    translator = Translator()
    # Items and types have methods of the same names.
    items = {"grid": translator.grid_, "type": translator.type_item}
    kinds = {
        kind: getattr(translator, kind)
        for kind in (
            "param",
            "subgrid",
            "field",
            "series",
            "points",
            "table",
            "function",
            "stencil",
            "cycle",
            "step",
            "start",
            "init",
            "reduce",
            "record",
            "stop",
            "require",
        )
    } | items

    def item(node, rest):
        if node.words[0] == "repeat":
            with st.repeat(translator.expr(node.children[0])):
                for inner in rest:
                    if inner.line == "end of repeat":
                        return
                    item(inner, rest)
        translator.made.append(kinds[node.words[0]](node))

    rest = iter(tree.children)
    for node in rest:
        item(node, rest)
    for made, body in translator.bodies:
        made.body(*translator.block(body))
    return st.program(translator.grid, name=name, include=translator.made)

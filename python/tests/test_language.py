"""Programs written in Python: what they mean, and messages with the line of Python."""

import inspect
import re

import numpy as np
import pytest

import stencilc as st


def heat(n=16):
    N = st.param(n)
    G = st.grid(N, N, steps=10)
    A = st.field(G, boundary="clamp")
    k = st.param(0.1)

    @st.stencil(A, on=G.interior(1))
    def diffuse():
        return A[0, 0] + k * (A[-1, 0] + A[1, 0] + A[0, -1] + A[0, 1] - 4 * A[0, 0])

    @st.init(A)
    def _(i, j):
        return st.select((i == N / 2) & (j == 3), 1.0, 0.0)

    return G


class Model:
    pass


def test_names_of_attributes_and_of_several_variables():
    model = Model()
    model.G = st.grid(4, 4, steps=1)
    model.A = st.field(model.G)
    first = second = st.param(1)
    (third := st.param(2))
    assert [x.name for x in (model.G, model.A, first, third)] == ["G", "A", "first", "third"]
    assert second is first
    with pytest.raises(TypeError, match="give it a name"):
        [st.param(1)]
    with pytest.raises(TypeError, match="give it a name"):
        print(st.param(1), model)
    i, j = st.indices("i j")
    assert (i.name, j.name) == ("i", "j")


def line_of(pattern, function):
    lines, first = inspect.getsourcelines(function)
    return first + next(n for n, line in enumerate(lines) if re.search(pattern, line))


def test_names_come_from_variables():
    p = st.program(heat())
    assert p.name == "p" and list(p.params) == ["N", "k"] and list(p.fields) == ["A"]
    assert "stencil diffuse : A[1..N - 2, 1..N - 2]" in p.text
    assert st.program(heat(), name="warm", N=8).fields["A"].shape == (8, 8)
    sim = p.start("reference", k=0.2)
    sim.run()
    assert sim["A"].sum() == pytest.approx(1, abs=0.2)


def test_errors_name_the_line_of_python():
    def model():
        G = st.grid(8, steps=1)
        A = st.field(G)

        @st.stencil(A)
        def shift():
            x = st.let(2 * A[0])
            return x + A[-1]  # leaves the grid

        return st.program(G)

    with pytest.raises(st.Error) as raised:
        model()
    assert raised.value.code == "S031"
    assert raised.value.place == (__file__, line_of("leaves the grid", model), None)
    assert "give the field a boundary" in raised.value.hint


def test_a_function_of_one_line():
    G = st.grid(8, steps=1)
    A = st.field(G)

    @st.stencil(A)
    def shift():
        return A[0] + A[-1]  # leaves the grid

    with pytest.raises(st.Error) as raised:
        st.program(G)
    assert raised.value.place[1] == line_of("leaves the grid", test_a_function_of_one_line)


def test_the_builder_reports_misuse():
    def model():
        G = st.grid(8, steps=1)
        A = st.field(G, name="for")  # a word of Python and of the language?

        @st.stencil(A, name="a b")
        def s():
            return A[0]

        return st.program(G)

    with pytest.raises(st.Error) as raised:
        model()
    assert raised.value.code.startswith("P") and raised.value.place[0] == __file__


@pytest.mark.parametrize(
    "mistake, message",
    [
        (lambda A, G: 1 if A[0, 0] > 0 else 2, "no truth value"),
        (lambda A, G: min(A[0, 0], 0), "no truth value"),
        (lambda A, G: A[0, 0] // 2, "rounds down"),
        (lambda A, G: A[0:2, 0], "no slices"),
        (lambda A, G: list(A[0, 0]), "iterated"),
        (lambda A, G: float(A[0, 0]), "not a number"),
        (lambda A, G: A[0, 0] + "x", "cannot be used"),
        (lambda A, G: st.let(A[0, 0]), "outside of a function"),
        (lambda A, G: st.field(G), "not assigned"),
        (lambda A, G: st.field(G, boundary="sticky", name="b"), "no boundary rule"),
        (lambda A, G: st.field(A, name="b"), "no grid"),
        (lambda A, G: st.stencil(A)(lambda: None), "returns no value"),
        (lambda A, G: st.stencil(A[0, 0]), "writes fields"),
        (lambda A, G: st.stencil(A, on=3)(lambda: A[0, 0]), "no region"),
        (lambda A, G: G[1], "ranges"),
        (lambda A, G: st.field(G, "complex", name="c"), "no type"),
    ],
)
def test_mistakes_of_python_are_type_errors(mistake, message):
    G = st.grid(8, 8, steps=1)
    A = st.field(G)
    with pytest.raises(TypeError, match=message):
        mistake(A, G)


def test_cells_may_be_executed_again():
    G = heat()
    first = st.program(G).text
    A = next(one for one in G.items if getattr(one, "name", "") == "A")

    @st.stencil(A, on=G.interior(1))
    def diffuse():
        return A[0, 0] + 1

    second = st.program(G).text
    assert second.count("stencil diffuse") == 1 and second != first
    assert "k : real" not in second, "params belong to programs that use them"


def test_everything_in_the_language():
    K = st.param(4)
    N = st.param(12)
    S = st.param(2)
    dx = st.param(0.5)
    G = st.grid((0, N - 1), (0, 9), steps=K, origin=[0, -1], spacing=dx)
    inner = st.subgrid(G, G[1:-1, 2:8])
    cell = st.type_({"rho": st.real, "u": st.vector(2)})
    U = st.field(G, history=2, boundary=[("mirror", st.constant(0)), "periodic"])
    V = st.field(G, cell)
    R = st.field(G)
    L = st.field(G, "bool", constant=True)
    depth = st.field(G, along=[0], constant=True)
    shots = st.points(G, S)
    w = st.series(K, on=shots, boundary=st.constant(0))
    mics = st.points(G, (0, 2))
    weights = st.table([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])

    @st.function
    def lap(u: st.field, scale):
        s = st.let(scale * 2)
        return s * st.sum(lambda a, b: weights[a + 1, b + 1] * u[a, b], (-1, 1), (-1, 1))

    fastest = st.reduce("max", st.absolute(U[0, 0]), on=G, initial=1)
    column = st.reduce("sum", U[0, 0], on=G, over=1, boundary="clamp")

    @st.stencil(U, on=inner)
    def wave(i, j):
        fresh = 2 * U[0, 0] - U.previous[0, 0] + 0.01 * lap(U, depth[0])
        return fresh + w[st.time] / (1 + fastest) + 0.0 * column[0] + 0 * st.position(i)

    @st.stencil(V.rho, V.u)
    def flow():
        yield st.piece(
            inner, {"rho": U[0, 0], "u": [1, st.min(2, 3)]}, where=L[0, 0] & ~(U[0, 0] > 5)
        )
        yield st.otherwise(lambda i, j: {"rho": i % 3, "u": V[0, 0].u})

    with st.repeat(2):

        @st.stencil(R, every=2, on=st.box((2, 8, 3), 4))
        def relax():
            return 0.5 * U[0, 0]

    st.record(K, U[0, 0], at=mics, name="traces")
    st.require((N >= 4) & (K < 100))
    st.stop(fastest > 1e6)
    st.init(U, lambda i, j: st.exp(-((i - 6) ** 2) / 2.0) * (1 + 0.0 * st.random(i, j, 7)))
    st.init(L, lambda i, j: (i & 1) == 0)
    st.init(depth, lambda i: 1.0)
    st.init(shots, lambda p: [3.0 + p, 4.5])
    st.init(w, lambda t, p: st.select(t == 0, 1.0, 0.0))
    st.init(mics, lambda p: [p, p])
    everything = st.program(G)
    again = st.compile(everything.text)
    assert again.fields == everything.fields
    sim, expected = everything.start("reference"), again.start("reference")
    sim.run()
    expected.run()
    for name in everything.fields:
        if everything.fields[name].type:
            np.testing.assert_array_equal(sim[name], expected[name])
    assert np.abs(sim["U"]).sum() > 0 and sim["traces"].shape == (4, 3)


def test_a_program_is_saved_as_text(tmp_path):
    p = st.program(heat())
    p.save(tmp_path / "heat.stn")
    assert st.load(tmp_path / "heat.stn").fields == p.fields


def test_deep_sums():
    G = st.grid(8, steps=1)
    A = st.field(G, boundary="clamp")

    @st.stencil(A)
    def s():
        total = A[0]
        for _ in range(1500):
            total = total + 1
        return total

    p = st.program(G)
    sim = p.start("reference")
    sim.run()
    assert sim["A"][0] == 1500


def test_the_grid_of_a_reduction():
    """A box that is made from a domain, or a field in the condition, names the grid."""
    G = st.grid(8, 6, steps=1)
    A = st.field(G, boundary="clamp")

    @st.stencil(A)
    def s():
        return A[0, 0]

    k = st.param(0.5, name="k")
    boxes = {"a": G.box((1, 6, 2), 3), "b": G[1:7:2, 3], "c": G.interior(1)}
    for name, box in boxes.items():
        st.reduce("sum", 2 * k, on=box, name=name)
    st.reduce("sum", 1.0, on=st.box((1, 6), 3), where=A[0, 0] > 0, name="d")
    with pytest.raises(TypeError, match="make the box from the grid"):
        st.reduce("sum", 2 * k, on=st.box((1, 6), 3), name="e")
    lines = st.program(G, s).text.split("\n")
    assert [line.split(" on ")[1] for line in lines if line.startswith("reduce")] == [
        "[1..6 by 2, 3];",
        "[1..6 by 2, 3];",
        "[1..6, 1..4];",
        "[1..6, 3] where A[0, 0] > 0;",
    ]

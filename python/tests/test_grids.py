"""Programs in Python on several grids and levels, with cycles."""

import inspect
import pathlib
import re

import numpy as np
import pytest

import stencilc as st

MULTIGRID = pathlib.Path(__file__).resolve().parents[2] / "examples" / "multigrid"


def vcycle7(visits=1):
    N = st.param(128)
    L = st.param(6)
    smoothing = st.param(6)
    coarsest = st.param(24)
    w = st.param(st._expressions.lift(2.0) / 3)
    G = st.grid(N, N, N, levels=L, by=2, cells=True, steps=10)
    u = st.field(G, boundary="antisymmetric")
    f = st.field(G, boundary=st.constant(0))
    r = st.field(G, boundary=st.constant(0))
    st.init(f, lambda i, j, k: st.random(i, j, k) - 0.5)

    @st.function
    def around(v: st.field):
        return v[-1, 0, 0] + v[1, 0, 0] + v[0, -1, 0] + v[0, 1, 0] + v[0, 0, -1] + v[0, 0, 1]

    def defect():
        return f[0, 0, 0] - (6 * u[0, 0, 0] - around(u))

    @st.stencil(u)
    def smooth():
        return u[0, 0, 0] + w / 6 * defect()

    @st.stencil(r)
    def residual():
        return defect()

    @st.stencil(f)
    def restrict():
        return 0.5 * st.sum(lambda a, b, c: st.fine(r)[a, b, c], (0, 1), (0, 1), (0, 1))

    @st.stencil(u)
    def zero():
        return 0

    @st.stencil(u)
    def correct():
        return u[0, 0, 0] + st.coarse(u)[0, 0, 0]

    v = st.cycle()
    v.body(
        st.if_(
            st.level < L - 1,
            [
                st.repeat(smoothing, smooth),
                residual,
                st.coarser(restrict, zero, [v] * visits),
                correct,
                st.repeat(smoothing, smooth),
            ],
            st.repeat(coarsest, smooth),
        )
    )
    st.step(v, residual)
    st.reduce("max", st.absolute(r[0, 0, 0]), on=G, name="norm")
    return G


def test_a_cycle_has_the_results_of_its_text():
    sizes = {"N": 16, "L": 3, "steps": 2, "fp": "strict"}
    p = st.program(vcycle7(), **sizes)
    expected = st.load(MULTIGRID / "vcycle7.stn", **sizes)
    assert set(p.fields) == set(expected.fields) and "u_2" in p.fields
    found, wanted = p.start("reference"), expected.start("reference")
    found.run()
    wanted.run()
    for name in p.fields:
        np.testing.assert_array_equal(found[name], wanted[name])
    assert found.reductions == wanted.reductions and np.abs(found["u"]).max() > 0
    assert st.program(vcycle7(2), **sizes).text.count("v;") == p.text.count("v;") + 1


def test_derived_grids():
    N = st.param(17)
    F = st.grid(N, N, steps=2)
    C = st.grid(of=F, by=2)
    D = st.grid(of=C, by=[3, 1], cells=True)
    inner = st.subgrid(C, C.interior(1))
    part = st.subgrid(inner, inner[1:-1, 2])
    named = st.subgrid(inner, (st.first + 1, st.last), st.first)
    u = st.field(F, boundary=st.constant(0))
    e = st.field(C, boundary="mirror")
    g = st.field(D, constant=True, boundary="clamp")
    st.init(u, lambda i, j: st.random(i, j, 7))
    st.init(g, lambda i, j: 1)

    @st.stencil(e, on=inner)
    def restrict():
        return 0.25 * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1]) + g[0, 0]

    @st.stencil(u, on=F.interior(1))
    def correct():
        return u[0, 0] + 0.5 * (e[0, 0] + e[1, 1])

    @st.stencil(e)
    def edges():
        yield st.piece(named.interior(1, 0), e[0, 0])

    st.reduce("max", e[0, 0], on=part, name="largest")
    p = st.program(F)
    lines = p.text.splitlines()
    assert "grid C of F by 2;" in lines and "grid D of C by [3, 1] cells;" in lines
    assert "subgrid inner of C = [first + 1..last - 1, first + 1..last - 1];" in lines
    # The box is given by the bounds of the grid, so it is a part of the grid.
    assert "subgrid part of C = [1..last - 2, 2];" in lines
    assert "subgrid named of inner = [first + 1..last, first];" in lines
    assert "stencil correct : u[1..N - 2, 1..N - 2] = u[0, 0] + 0.5 * (e[0, 0] + e[1, 1]);" in lines
    assert "stencil edges : e[first + 3..last - 2, first + 1..first + 1] = e[0, 0];" in lines
    assert p.fields["e"].shape == (9, 9) and p.fields["g"].shape == (3, 9)
    p.start("reference").run()


def test_levels_have_bounds_of_their_own():
    G = st.grid(8, 8, levels=2, by=2, cells=True, steps=1)
    u = st.field(G, history=2, boundary="clamp")

    @st.stencil(u, on=G.interior(1))
    def s():
        return st.coarse(u)[0, 0] + st.coarse(u).previous[0, 0]

    st.step(s)
    text = st.program(G).text
    assert "grid G = [0..7, 0..7] levels 2 by 2 cells steps 1;" in text
    assert "u[first + 1..last - 1, first + 1..last - 1] = coarse u[0, 0] + coarse u@-1[0, 0]" in text


def small(levels=2):
    G = st.grid(8, levels=levels, by=2, cells=True, steps=1)
    u = st.field(G, boundary="clamp")

    @st.stencil(u)
    def smooth():
        return 0.5 * u[0]

    @st.stencil(u)
    def correct():
        return u[0] + st.coarse(u)[0]

    return G, u, smooth, correct


def test_start_and_reductions_in_a_step():
    G = st.grid(8, 8, levels=2, by=2, cells=True, steps=1)
    u = st.field(G, boundary="clamp")
    smooth = st.stencil(u, name="smooth")(lambda: 0.5 * u[0, 0])
    correct = st.stencil(u, name="correct")(lambda: u[0, 0] + st.coarse(u)[0, 0])
    norm = st.reduce("max", u[0, 0], on=G)
    mean = st.reduce("sum", u[0, 0], on=G, over=0)
    down = st.cycle(st.if_(st.level == 0, [st.coarser(smooth), correct], smooth))
    st.start(st.repeat(2, down))
    st.step(smooth, norm, mean, st.if_(st.level == 0, [correct]))
    text = st.program(G).text
    assert text.index("cycle down {") < text.index("start {\n  repeat 2 {\n    down;")
    assert "step {\n  smooth;\n  norm;\n  mean;\n  if level == 0 {\n    correct;\n  }\n}\n" in text


def test_cells_with_blocks_may_be_executed_again():
    G, u, smooth, correct = small()
    v = st.cycle(smooth)
    st.step(v)
    st.program(G)

    @st.stencil(u)
    def smooth():
        return 0.25 * u[0]

    text = st.program(G).text
    assert "0.25 * u[0]" in text and "0.5 * u[0]" not in text
    v.body(smooth, st.repeat(2, smooth))
    st.step(v, correct)
    text = st.program(G).text
    assert text.count("step {") == 1 and "  v;\n  correct;\n" in text and "repeat 2 {" in text


def line_of(pattern, function):
    lines, first = inspect.getsourcelines(function)
    return first + next(n for n, line in enumerate(lines) if re.search(pattern, line))


def test_errors_name_the_line_of_python():
    def open_cycle():
        G, u, smooth, correct = small()
        v = st.cycle()  # wrong
        st.step(v, smooth)
        return st.program(G)

    def no_coarser_level():
        G, u, smooth, correct = small()
        st.step(
            smooth,
            st.coarser(correct),  # wrong
        )
        return st.program(G)

    def no_levels():
        G = st.grid(8, steps=1)
        u = st.field(G, boundary="clamp")

        @st.stencil(u)
        def s():
            return st.coarse(u)[0]  # wrong

        return st.program(G)

    def without_ratio():
        G = st.grid(8, levels=2, steps=1)  # wrong
        u = st.field(G)

        @st.stencil(u)
        def s():
            return u[0]

        return st.program(G)

    for model, code in (
        (open_cycle, "P023"),
        (no_coarser_level, "S099"),
        (no_levels, "S099"),
        (without_ratio, "P023"),
    ):
        with pytest.raises(st.Error) as raised:
            model()
        assert raised.value.code == code, raised.value.text
        if model is not no_coarser_level:  # the message names the access
            assert raised.value.place == (__file__, line_of("# wrong", model), None)


@pytest.mark.parametrize(
    "mistake, message",
    [
        (lambda G, u, C: st.step(u[0]), "a block applies"),
        (lambda G, u, C: st.step(u), "a block applies"),
        (lambda G, u, C: st.step(), "give grid=G"),
        (lambda G, u, C: st.cycle(), "not assigned"),
        (lambda G, u, C: st.fine(u[0]), "takes a field"),
        (lambda G, u, C: st.coarse(u.previous), "takes a field"),
        (lambda G, u, C: st.grid(of=C, by=2, steps=3, name="D"), "derived grid"),
        (lambda G, u, C: st.grid(of=u, by=2, name="D"), "no grid"),
        (lambda G, u, C: st.stencil(u, on=C.interior(1))(lambda: 0), "on another grid"),
        (lambda G, u, C: st.reduce("sum", 1, on=C.interior(1), name="s"), "st.subgrid"),
    ],
)
def test_mistakes_of_python_are_type_errors(mistake, message):
    G = st.grid(8, steps=1)
    u = st.field(G)
    C = st.grid(of=G, by=1, cells=True)
    with pytest.raises(TypeError, match=message):
        mistake(G, u, C)


def test_functions_of_other_programs_are_refused():
    G, u, smooth, correct = small()
    other = small()[2]
    st.step(smooth, st.if_(st.level == 0, other))
    with pytest.raises(TypeError, match="which the program lacks"):
        st.program(G)

"""Programs from files and text: what they declare, and errors in them."""

import os
import pickle

import pytest

import stencilc as st

HEAT = """
param N : integer = 16;
param k : real = 0.1;
grid G = [0..N-1, 0..2*N-1] steps 20 origin [1, 0] spacing [0.5, 0.25];
field T : real on G boundary clamp;
field c : real on G constant;
stencil heat : T on G = T[0,0] + k * c[0,0] * (T[-1,0] + T[1,0] + T[0,-1] + T[0,1] - 4 * T[0,0]);
reduce hottest = max(T[0,0]) on G every 5;
init T[i,j] = select(i == 3 and j == 4, 1.0, 0.0);
init c[i,j] = 1;
"""


def test_a_program_describes_its_declarations():
    p = st.compile(HEAT)
    assert list(p.fields) == ["T", "c"]
    field = p.fields["T"]
    assert field.type == "float" and field.shape == (16, 32) and field.array_shape == (16, 32)
    assert field.position == (1, 0) and field.spacing == (0.5, 0.25)
    assert field.halo == ((1, 1), (1, 1)) and p.fields["c"].halo == ((0, 0), (0, 0))
    assert field.written and not field.constant and p.fields["c"].constant
    assert p.params["N"].value == 16 and not p.params["N"].at_start
    assert p.params["k"].at_start and p.params["k"].type == "float"
    assert p.reductions["hottest"].every == 5
    assert p.rank == 2 and p.steps == 20 and p.axes == ["y", "x"]
    assert "halo 1+1 x 1+1" in repr(p) and "stencil heat" in repr(p)


def test_params_become_part_of_the_code():
    assert st.compile(HEAT, N=8).fields["T"].shape == (8, 16)
    p = st.compile(HEAT)
    assert p.define(N=4).fields["T"].shape == (4, 8)
    assert p.fields["T"].shape == (16, 32)
    assert st.compile(HEAT, steps=3, real="double").fields["T"].type == "double"
    opened = st.compile(HEAT, open="N")
    assert opened.fields["T"].shape is None and opened.params["N"].at_start
    assert opened.start("reference", N=5)["T"].shape == (5, 10)
    # A run may change params that are part of the code.
    assert p.start("reference", N=5)["T"].shape == (5, 10)


def test_a_file_is_read(tmp_path):
    file = tmp_path / "warm.stn"
    file.write_text(HEAT)
    p = st.load(file, N=8)
    assert p.name == "warm" and p.fields["T"].shape == (8, 16)
    assert st.load("heat3d.stn").name == "heat3d"
    with pytest.raises(st.Error) as raised:
        st.load(tmp_path / "absent.stn")
    assert raised.value.code == "R010"


def test_errors_have_a_code_a_place_and_a_hint():
    text = HEAT.replace("T[0,-1]", "T[0,-1,0]").replace("c[0,0]", "b[0,0]")
    with pytest.raises(st.Error) as raised:
        st.compile(text)
    error = raised.value
    assert error.code == "S004" and "'b'" in error.message
    assert error.place == ("program.stn", 7, text.splitlines()[6].index("b[0,0]") + 1)
    assert "S014" in error.text, "all errors are in the text"
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.place, again.text) == (error.code, error.place, error.text)


@pytest.mark.parametrize(
    "call, code",
    [
        (lambda p: p.start("reference", M=3), "R070"),
        (lambda p: p.start("reference", k="fast"), "R051"),
        (lambda p: p.start("reference", k=[1, 2]), "R051"),
        (lambda p: p.start("abacus"), "R040"),
        (lambda p: p.start("reference", arrays={"T@-1": 0}), "R070"),
        (lambda p: p.start("reference", arrays={"T.rho": 0}), "R070"),
        (lambda p: st.compile(HEAT, real="half"), "R051"),
        (lambda p: st.compile(HEAT, fp="exact"), "R051"),
        (lambda p: p.define(Q=1), ""),
        (lambda p: p.function(outputs=["c"]), "R070"),
    ],
)
def test_misuse_is_refused(call, code):
    with pytest.raises(st.Error) as raised:
        call(st.compile(HEAT))
    assert raised.value.code.startswith(code)


def test_a_wrong_name_gets_a_suggestion():
    with pytest.raises(st.Error, match="did you mean 'T'"):
        st.compile(HEAT).start("reference", t=1)


def test_the_package_has_its_files():
    package = os.path.dirname(st.__file__)
    assert os.access(os.path.join(package, "bin", "stencilc"), os.X_OK)
    assert os.path.exists(os.path.join(package, "py.typed"))
    assert st.__version__.count(".") == 2

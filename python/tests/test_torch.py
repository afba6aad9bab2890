"""Programs as operators of PyTorch."""

import numpy as np
import pytest
from test_programs import HEAT
from test_simulations import WAVE

import stencilc as st

torch = pytest.importorskip("torch")


def test_a_program_is_an_operator():
    import stencilc.torch

    p = st.compile(WAVE)
    step = stencilc.torch.register(p, "wave_test", steps=3)
    u = torch.linspace(0, 1, 32)
    v = torch.full((32,), 0.25)
    expected = p.function(3)(u.numpy(), v.numpy())
    np.testing.assert_array_equal(step(u, v).numpy(), expected)
    torch.library.opcheck(step, (u, v), test_utils=("test_schema", "test_faketensor"))


def test_gradients_are_refused():
    import stencilc.torch

    heat = stencilc.torch.register(st.compile(HEAT), "heat_test", steps=1)
    T = torch.ones(16, 32, requires_grad=True)
    with pytest.raises(Exception, match="requires a gradient"):
        heat(T, torch.ones(16, 32))
    with pytest.raises(st.Error, match="requires a gradient"):
        st.compile(HEAT).start("reference", T=T)
    with torch.no_grad():
        heat(T.detach(), torch.ones(16, 32), k=0.2)


def test_tensors_are_used_in_place():
    u = torch.linspace(0, 1, 32)
    sim = st.compile(WAVE).start("reference", U=u, v=0.25)
    sim.advance(1)
    assert sim["U"].__array_interface__["data"][0] == u.data_ptr()

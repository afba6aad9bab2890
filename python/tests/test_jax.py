"""Programs as functions of JAX."""

import numpy as np
import pytest
from test_programs import HEAT
from test_simulations import WAVE

import stencilc as st

jax = pytest.importorskip("jax")


def test_a_program_is_a_function_in_jit_and_vmap():
    import stencilc.jax

    p = st.compile(WAVE)
    step = stencilc.jax.register(p, steps=3, device="reference")
    u = np.linspace(0, 1, 32, dtype=np.float32)
    v = np.full(32, 0.25, np.float32)
    expected = p.function(3, device="reference")(u, v)
    direct = step(jax.numpy.asarray(u), jax.numpy.asarray(v))
    assert isinstance(direct, jax.Array)
    np.testing.assert_array_equal(direct, expected)
    np.testing.assert_allclose(jax.jit(lambda a, b: 2 * step(a, b))(u, v), 2 * expected)
    batch = jax.vmap(step, in_axes=(0, None))(np.stack([u, 2 * u]), v)
    np.testing.assert_array_equal(batch[0], expected)


def test_params_and_derivatives():
    import stencilc.jax

    heat = stencilc.jax.register(st.compile(HEAT), steps=1, inputs=["T"], device="reference")
    T = jax.numpy.ones((16, 32))
    np.testing.assert_array_equal(heat(T, k=0.2), T)
    with pytest.raises(st.Error, match="derivative"):
        jax.grad(lambda x: heat(x).sum())(T)
    with pytest.raises(TypeError, match="takes 1 arrays"):
        heat()


def test_arrays_of_jax_are_read_in_place_and_not_written():
    p = st.compile(WAVE)
    v = jax.numpy.full(32, 0.25, dtype=jax.numpy.float32)
    sim = p.start("reference", v=v)
    assert sim["v"].__array_interface__["data"][0] == v.unsafe_buffer_pointer()
    with pytest.raises(st.Error, match="read-only"):
        p.start("reference", U=v, v=v)
    result = p.function(1, device="reference")(v, v)
    assert isinstance(result, np.ndarray) or isinstance(result, jax.Array)

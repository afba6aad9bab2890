"""Programs as functions of JAX."""

import os

import numpy as np
import pytest
from test_programs import HEAT
from test_simulations import FLOW, SHOTS, WAVE

import stencilc as st

jax = pytest.importorskip("jax")

import stencilc.jax  # noqa: E402

jnp = jax.numpy


@pytest.fixture(params=[True, False], ids=["ffi", "callback"])
def way(request, monkeypatch):
    """Both ways to call a program, as far as the package has them."""
    if request.param and not stencilc.jax.uses_ffi:
        pytest.skip("the package was built without XLA's headers")
    monkeypatch.setattr(stencilc.jax, "uses_ffi", request.param)
    stencilc.jax._operation.cache_clear()
    yield request.param
    stencilc.jax._operation.cache_clear()


def test_the_handlers_are_built_where_this_is_promised():
    if os.environ.get("TEST_FFI"):
        assert stencilc.jax.uses_ffi
    heat = jax.jit(stencilc.jax.register(st.compile(HEAT)))
    text = heat.lower(jnp.ones((16, 32)), jnp.ones((16, 32)))
    assert ("@stencilc(" in text.as_text()) == stencilc.jax.uses_ffi


def test_a_program_is_a_function_in_jit_and_vmap(way, device):
    p = st.compile(WAVE)
    step = stencilc.jax.register(p, steps=3, device=device)
    u = np.linspace(0, 1, 32, dtype=np.float32)
    v = np.full(32, 0.25, np.float32)
    expected = p.function(3, device=device)(u, v)
    direct = step(jnp.asarray(u), jnp.asarray(v))
    assert isinstance(direct, jax.Array)
    np.testing.assert_array_equal(direct, expected)
    np.testing.assert_allclose(jax.jit(lambda a, b: 2 * step(a, b))(u, v), 2 * expected)
    batch = jax.vmap(step, in_axes=(0, None))(np.stack([u, 2 * u]), v)
    np.testing.assert_array_equal(batch[0], expected)
    np.testing.assert_array_equal(batch[1], p.function(3, device=device)(2 * u, v))
    looped = jax.jit(lambda a: jax.lax.fori_loop(0, 3, lambda _, x: step(x, v), a))(u)
    for _ in range(3):
        u = p.function(3, device=device)(u, v)
    np.testing.assert_array_equal(looped, u)


def test_params_and_derivatives(way):
    heat = stencilc.jax.register(st.compile(HEAT), steps=1, inputs=["T"], device="reference")
    T = jnp.ones((16, 32))
    np.testing.assert_array_equal(heat(T, k=0.2), T)
    hot = T.at[8, 8].set(2)
    assert not np.array_equal(heat(hot, k=0.2), heat(hot, k=np.float32(0.1)))
    for derivative in (jax.grad, jax.jacfwd, jax.jacrev):
        with pytest.raises(st.Error, match="R073: a derivative"):
            derivative(lambda x: heat(x).sum())(T)
    with pytest.raises(TypeError, match="takes 1 arrays"):
        heat()
    with pytest.raises(st.Error, match="static_argnames"):
        jax.jit(lambda x, k: heat(x, k=k))(T, 0.2)
    with pytest.raises(st.Error, match="R070"):
        heat(T, q=1)
    with pytest.raises(st.Error, match="'c' is a field"):
        heat(T, c=1)


def test_a_param_that_changes_the_shape(way):
    p = st.compile(
        "param N : integer = 4; grid G = [0..N-1]; field A : real on G; stencil s : A on G = A[0] + N;"
    )
    f = stencilc.jax.register(p, steps=2, device="reference")
    np.testing.assert_array_equal(f(jnp.zeros(4)), np.full(4, 8))
    np.testing.assert_array_equal(f(jnp.zeros(6), N=6), np.full(6, 12))


def test_levels_of_a_field(way, device):
    """Both levels go in and out, so calls can follow each other."""
    p = st.compile(WAVE)
    names = ["U", "U@-1"]
    step = stencilc.jax.register(
        p, steps=3, inputs=[*names, "v"], outputs=names, device=device
    )
    u = np.linspace(0, 1, 32, dtype=np.float32) ** 2
    v = np.full(32, 0.25, np.float32)
    half = step(u, u, v)
    whole = step(half["U"], half["U@-1"], v)
    np.testing.assert_array_equal(whole["U"], p.function(6, device=device)(u, v))
    with pytest.raises(st.Error, match="no input gives 'U'"):
        stencilc.jax.register(p, inputs=["U@-1", "v"])(u, v)


def test_arguments_are_not_changed(way):
    """XLA copies an argument that the kernels would overwrite, unless it is donated."""
    p = st.compile(WAVE)
    step = stencilc.jax.register(p, steps=3, device="reference")
    u = np.linspace(0, 1, 32, dtype=np.float32)
    x = jnp.asarray(u.copy())
    expected = p.function(3, device="reference")(u, u)
    np.testing.assert_array_equal(step(x, x), expected)
    np.testing.assert_array_equal(jax.jit(lambda a: step(a, a) + a)(x), expected + u)
    np.testing.assert_array_equal(x, u)
    given = jnp.asarray(u.copy())
    donated = jax.jit(step, donate_argnums=0)(given, x)
    np.testing.assert_array_equal(donated, expected)
    np.testing.assert_array_equal(x, u)


def test_kernels_work_in_the_memory_of_xla(monkeypatch):
    if not stencilc.jax.uses_ffi:
        pytest.skip("the package was built without XLA's headers")
    from stencilc import _calls

    seen = []

    def on_host(self, operands, results):
        for source, result in zip(self.sources, results):
            seen.append(result.ctypes.data == operands[source].ctypes.data)
            assert not operands[source].flags.writeable and result.flags.writeable

    monkeypatch.setattr(_calls.Call, "on_host", on_host)
    step = stencilc.jax.register(st.compile(WAVE), steps=4, device="reference")
    jax.jit(step)(jnp.ones(32), jnp.ones(32)).block_until_ready()
    assert seen == [True, True]  # two levels of U


def test_components_and_types(way, device):
    p = st.compile(FLOW)
    random = np.random.default_rng(1)
    S = random.random((6, 4, 3), np.float32)
    b = random.random((6, 4)) > 0.5
    n = np.arange(24, dtype=np.int32).reshape(6, 4)
    expected = p.function(2, device=device)(S, b, n)
    found = jax.jit(stencilc.jax.register(p, steps=2, device=device))(S, b, n)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    # Components by name, and a field that has its initial values.
    some = stencilc.jax.register(
        p, steps=2, inputs=["b", "n"], outputs=["S.u[1]", "n"], device=device
    )(b, n)
    np.testing.assert_array_equal(some["n"], expected["n"])
    np.testing.assert_array_equal(some["S.u[1]"], np.full((6, 4), 8))


def test_points_series_and_records(way, device):
    p = st.compile(SHOTS)
    function = p.function(5, device=device)
    assert function.inputs == ("shots", "mics", "U", "w")
    step = stencilc.jax.register(function)
    shots = np.array([[4.0], [5.5]])
    mics = np.array([[2.0], [7.0], [12.0]])
    U = np.linspace(0, 1, 20, dtype=np.float32)
    w = np.linspace(0, 2, 24, dtype=np.float32).reshape(12, 2)
    expected = function(shots, mics, U, w)
    found = jax.jit(step)(shots, mics, U, w)
    for name in ("U", "traces"):
        np.testing.assert_array_equal(found[name], expected[name])


def test_errors(way):
    p = st.compile(WAVE)
    step = stencilc.jax.register(p, steps=3, device="reference")
    u = jnp.ones(32)
    for array, code, text in (
        (jnp.ones(31), "R071", "shape .31,., but the field has .32,."),
        (jnp.ones(32, jnp.int32), "R072", "astype.'float32'."),
    ):
        with pytest.raises(st.Error, match=text) as raised:
            jax.jit(step)(array, u)
        assert raised.value.code == code
    if not jax.config.jax_enable_x64:
        with pytest.raises(st.Error, match="jax_enable_x64"):
            stencilc.jax.register(st.compile(WAVE, real="double"))(u, u)
    with pytest.raises(st.Error, match="does not compute 'v'"):
        stencilc.jax.register(p, outputs=["v"])
    with pytest.raises(st.Error, match="R070"):
        stencilc.jax.register(p, inputs=["q"])
    # Errors of the run are exceptions of JAX.
    with pytest.raises(Exception, match="'v'"):
        stencilc.jax.register(p, inputs=["U"], device="reference")(u).block_until_ready()
    np.testing.assert_array_equal(step(u, 0.25), step(u, 0.25 * u))


def test_code_of_another_process_is_not_misread():
    from stencilc import _calls

    text = _calls.take_steps("unknown", -1, 0, [], [])
    assert text is not None and "does not know" in text


def test_arrays_of_jax_are_read_in_place_and_not_written():
    p = st.compile(WAVE)
    v = jnp.full(32, 0.25, dtype=jnp.float32)
    sim = p.start("reference", v=v)
    assert sim["v"].__array_interface__["data"][0] == v.unsafe_buffer_pointer()
    with pytest.raises(st.Error, match="read-only"):
        p.start("reference", U=v, v=v)
    result = p.function(1, device="reference")(v, v)
    assert isinstance(result, np.ndarray) or isinstance(result, jax.Array)

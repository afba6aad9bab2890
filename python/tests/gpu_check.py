#!/usr/bin/env python3
"""Checks arrays on a GPU with PyTorch, CuPy, Numba and JAX. Run it on a machine with an NVIDIA GPU:

    python3 python/tests/gpu_check.py
    compute-sanitizer --tool memcheck --report-api-errors no python3 python/tests/gpu_check.py

The package must be importable. Libraries that are not installed are skipped. Each check compares
with the bits of the device `host` (or `reference`), and checks that addresses do not change, on a
stream other than the default one. The last line says OK; the exit status is 1 if a check fails.
"""

import sys
import time
import traceback

import numpy as np

import stencilc as st

WAVE = """
param dt2 : real = 0.2;
grid G = [0..127, 0..255] steps 60;
field U : real on G history 2 boundary clamp;
field c : real on G constant;
stencil wave : U on G = 2*U[0,0] - U@-1[0,0]
  + dt2 * c[0,0] * (U[-1,0] + U[1,0] + U[0,-1] + U[0,1] - 4*U[0,0]);
"""
HEAT = """
param k : real = 0.2;
grid G = [0..127, 0..255] steps 50;
field T : real on G boundary clamp;
field c : real on G constant;
stencil heat : T on G = T[0,0] + k * c[0,0] * (T[-1,0] + T[1,0] + T[0,-1] + T[0,1] - 4*T[0,0]);
init c[i,j] = 1;
"""
SHOTS = """
grid G = [0..63, 0..95] steps 20;
points shots [0..1] on G;
points mics [0..0] on G;
series w : real [0..19] on shots;
field U : real on G boundary clamp;
stencil s : U on G = 0.5 * U[0,0] + 0.25 * (U[-1,0] + U[1,0]) + w[time];
record traces [0..19] = U[0,0] at mics;
reduce total = sum(U[0,0]) on G every 4;
"""
STEPS = (1, 2, 7, 30)


def inputs():
    random = np.random.default_rng(1)
    return (
        random.random((128, 256), np.float32),
        random.random((128, 256), np.float32),
    )


def expected_wave():
    u, c = inputs()
    sim = st.compile(WAVE, fp="strict").start("reference", U=u, c=c)
    out = []
    for steps in STEPS:
        sim.advance(steps)
        out.append((u.copy(), sim["U@-1"].copy()))
    return out


def wave(name, upload, download, address, stream, on_stream, clone):
    """The wave on arrays of a library: in place, on a stream, with changes between calls."""
    u, c = inputs()
    with on_stream():
        device_u, device_c = upload(u), upload(c)
        before = clone(device_u)
        addresses = [address(x) for x in (device_u, before, device_c)]
        p = st.compile(WAVE, fp="strict")
        sim = p.start(arrays={"U": device_u, "U@-1": before, "c": device_c})
        assert sim.device == "cuda" and sim.stream == stream, (sim.stream, stream)
        assert sim["U"] is device_u and sim["U@-1"] is before
        for steps, (newest, older) in zip(STEPS, expected_wave()):
            sim.advance(steps)
            np.testing.assert_array_equal(download(device_u), newest, err_msg=f"{name} {steps}")
            np.testing.assert_array_equal(download(before), older, err_msg=f"{name} {steps}")
        assert addresses == [address(x) for x in (device_u, before, device_c)]
        # One array is enough: the older level starts with a copy.
        fresh = upload(u)
        alone = p.start(U=fresh, c=device_c)
        alone.advance(3)
        alone.wait()
        single = u.copy()
        host = p.start("reference", U=single, c=c)
        host.advance(3)
        np.testing.assert_array_equal(download(fresh), single)


def function(name, upload, download, address, on_stream):
    u, c = inputs()
    p = st.compile(HEAT, fp="strict")
    expected = p.function(20, device="reference")(u, c, k=0.1)
    with on_stream():
        a, b = upload(u), upload(c)
        result = p.function(20)(a, b, k=0.1)
        assert type(result) is type(a) and address(result) != address(a)
        np.testing.assert_array_equal(download(result), expected)
        np.testing.assert_array_equal(download(a), u)
        out = upload(np.zeros_like(u))
        at = address(out)
        assert p.function(20)(a, b, k=0.1, out=out) is out and address(out) == at
        np.testing.assert_array_equal(download(out), expected)


def sources(upload, download):
    """Points, series and records in host memory beside a field on the GPU."""
    p = st.compile(SHOTS, fp="strict")
    w = np.random.default_rng(2).random((20, 2), np.float32)
    u = np.zeros((64, 96), np.float32)
    given = {"shots": [[10.25, 20.0], [40.0, 50.5]], "mics": [[5.0, 6.0]], "w": w}
    host = p.start("reference", U=u, **given)
    host.advance(20)
    array = upload(np.zeros((64, 96), np.float32))
    sim = p.start(U=array, **given)
    sim.advance(20)
    sim.wait()
    np.testing.assert_array_equal(download(array), u)
    np.testing.assert_array_equal(sim["traces"], host["traces"])
    assert sim.reductions == host.reductions


def refusals(upload):
    u, c = inputs()
    p = st.compile(HEAT)
    for array, code in (
        (upload(u)[::2], "R071"),
        (upload(u).T, "R071"),
        (upload(u[:, :8]), "R071"),
    ):
        try:
            p.start(T=array)
        except st.Error as error:
            assert error.code == code, error
        else:
            raise AssertionError("not refused")
    try:
        p.start(T=upload(u), gpus=2)
    except st.Error as error:
        assert error.code == "R045"
    sim = p.start(T=upload(u))  # c has its initial values in the library's memory
    sim.advance(1)
    assert sim["c"].min() == 1
    try:
        sim["T"] = u
    except st.Error as error:
        assert error.code == "R073"


def check_torch():
    import contextlib

    import torch

    stream = torch.cuda.Stream()

    def on_stream():
        return torch.cuda.stream(stream)

    def upload(array):
        return torch.from_numpy(np.ascontiguousarray(array)).cuda()

    def download(tensor):
        return tensor.cpu().numpy()

    wave(
        "torch",
        upload,
        download,
        lambda t: t.data_ptr(),
        stream.cuda_stream,
        on_stream,
        torch.clone,
    )
    function("torch", upload, download, lambda t: t.data_ptr(), on_stream)
    wave(
        "torch, default stream",
        upload,
        download,
        lambda t: t.data_ptr(),
        torch.cuda.current_stream().cuda_stream,
        contextlib.nullcontext,
        torch.clone,
    )
    refusals(upload)
    sources(upload, download)
    import stencilc.torch

    p = st.compile(HEAT, fp="strict")
    operator = stencilc.torch.register(p, "gpu_check_heat", steps=20)
    u, c = inputs()
    expected = p.function(20, device="reference")(u, c, k=0.1)
    with on_stream():
        result = operator(upload(u), upload(c), k=0.1)
        np.testing.assert_array_equal(download(result), expected)
    compiled = torch.compile(lambda a, b: operator(a, b) + 1, backend="eager")
    compiled(upload(u), upload(c))
    tensor = upload(u).requires_grad_()
    for call in (lambda: operator(tensor, upload(c)), lambda: p.start(T=tensor)):
        try:
            call()
        except Exception as error:
            assert "gradient" in str(error), error
        else:
            raise AssertionError("a gradient is not refused")


def check_cupy():
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)

    def on_stream():
        return stream

    wave("cupy", cupy.asarray, cupy.asnumpy, lambda a: a.data.ptr, stream.ptr, on_stream, cupy.copy)
    function("cupy", cupy.asarray, cupy.asnumpy, lambda a: a.data.ptr, on_stream)
    refusals(cupy.asarray)
    sources(cupy.asarray, cupy.asnumpy)


def check_numba():
    import contextlib

    from numba import cuda

    def address(array):
        return array.__cuda_array_interface__["data"][0]

    def clone(array):
        return cuda.to_device(array.copy_to_host())

    wave(
        "numba",
        cuda.to_device,
        lambda a: a.copy_to_host(),
        address,
        0,
        contextlib.nullcontext,
        clone,
    )


def check_jax():
    import jax
    import stencilc.jax

    if jax.default_backend() != "gpu":
        raise ImportError("JAX has no GPU here")
    assert stencilc.jax.uses_ffi
    u, c = inputs()
    expected = expected_wave()[2][0]
    steps = sum(STEPS[:3])
    p = st.compile(WAVE, fp="strict")
    names = ["U", "U@-1"]
    wave_of = stencilc.jax.register(p, steps=steps, inputs=[*names, "c"])
    # Work of XLA before and after it, on the same stream.
    step = jax.jit(lambda a, b: wave_of(2 * a, 2 * a, b) / 2)
    text = step.lower(u, c).compile().as_text()
    assert "stencilc" in text and "callback" not in text
    exact = p.function(steps, device="reference")(2 * u, c) / 2
    for _ in range(20):
        np.testing.assert_array_equal(step(u, c), exact)
    np.testing.assert_array_equal(wave_of(u, u, c), expected)
    batch = jax.vmap(wave_of, in_axes=(0, 0, None))(np.stack([u, u]), np.stack([u, u]), c)
    np.testing.assert_array_equal(batch[1], expected)
    kept = jax.device_put(u)
    at = kept.unsafe_buffer_pointer()
    donated = jax.jit(wave_of, donate_argnums=0)(kept, jax.device_put(u), c)
    np.testing.assert_array_equal(donated, expected)
    assert donated.unsafe_buffer_pointer() == at
    # Fields that the library keeps, positions of points, records.
    heat = stencilc.jax.register(st.compile(HEAT, fp="strict"), steps=20, inputs=["T"])
    found = heat(u, k=0.1)
    again = st.compile(HEAT, fp="strict").function(20, device="reference")
    np.testing.assert_array_equal(found, again(u, np.ones_like(u), k=0.1))
    q = st.compile(SHOTS, fp="strict")
    w = np.random.default_rng(2).random((20, 2), np.float32)
    given = (
        np.float32([[10.25, 20.0], [40.0, 50.5]]),
        np.float32([[5.0, 6.0]]),
        w,
        np.zeros((64, 96), np.float32),
    )
    order = ["shots", "mics", "w", "U"]
    found = jax.jit(stencilc.jax.register(q, steps=20, inputs=order))(*given)
    known = q.function(20, device="reference")(**dict(zip(order, given)))
    for name in ("U", "traces"):
        np.testing.assert_array_equal(found[name], known[name], err_msg=name)
    # A device that cannot use arrays of a GPU is called on the host.
    host = stencilc.jax.register(p, steps=steps, device="reference")
    np.testing.assert_array_equal(jax.jit(host)(u, c), expected)
    try:
        jax.grad(lambda x: wave_of(x, x, c).sum())(u)
    except st.Error as error:
        assert error.code == "R073"
    else:
        raise AssertionError("a gradient is not refused")


def check_host_arrays():
    """NumPy arrays on the device cuda are copied; the results have the same bits."""
    u, c = inputs()
    p = st.compile(WAVE, fp="strict")
    sim = p.start("cuda", U=u, c=c)
    sim.advance(10)
    single = u.copy()
    host = p.start("reference", U=single, c=c)
    host.advance(10)
    np.testing.assert_array_equal(sim["U"], single)
    assert not sim["U"].flags.writeable


def check_graphs():
    import gpu_graphs

    gpu_graphs.main()


def check_overhead():
    """The time of a call that queues one step on a small grid, for information."""
    import torch

    p = st.compile(HEAT)
    sim = p.start(T=torch.zeros(128, 256, device="cuda"))
    sim.advance(10)
    sim.wait()
    begin = time.perf_counter()
    for _ in range(1000):
        sim.advance(1)
    queued = time.perf_counter() - begin
    sim.wait()
    print(
        f"advance(1): {queued * 1000:.1f} us to queue, {(time.perf_counter() - begin) * 1000:.1f} us to do"
    )


def main():
    failed = 0
    for check in (
        check_host_arrays,
        check_torch,
        check_cupy,
        check_numba,
        check_jax,
        check_graphs,
        check_overhead,
    ):
        name = check.__name__
        try:
            check()
            print(f"{name}: ok", flush=True)
        except ImportError as error:
            print(f"{name}: skipped, {error}", flush=True)
        except Exception:
            traceback.print_exc()
            print(f"{name}: FAILED", flush=True)
            failed += 1
    print("FAILED" if failed else "OK")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

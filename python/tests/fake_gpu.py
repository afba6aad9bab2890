"""Runs on the fake CUDA driver of the tests, whose device memory is that of the host and whose kernels
do nothing: test_gpu.py starts it. The driver refuses copies on the default stream. Prints OK."""

import ctypes

import gpu_graphs
import numpy as np
from test_arrays import Foreign, OnGpu
from test_simulations import FLOW, SHOTS, WAVE

import stencilc as st
from stencilc._calls import Call, Slot, keep, take_steps


def aligned(shape, dtype=np.float32):
    """Memory at a multiple of 32 bytes, as cudaMalloc gives it."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, np.uint8)
    offset = -raw.__array_interface__["data"][0] % 64
    return raw[offset : offset + size].view(dtype).reshape(shape)


def refused(code, call):
    try:
        call()
    except st.Error as error:
        assert error.code == code, error
        return error
    raise AssertionError(f"{code} expected")


def calls_of_xla():
    """What a handler of XLA passes: addresses on the GPU, and a stream."""
    driver = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)

    def allocated(array):
        """A copy in memory that the driver knows."""
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(array.nbytes + 64)) == 0
        begin = address.value + -address.value % 64
        bytes_there = (ctypes.c_uint8 * array.nbytes).from_address(begin)
        made = np.frombuffer(bytes_there, array.dtype).reshape(array.shape)
        made[...] = array
        return made

    given = {
        "shots": allocated(np.array([[4.0], [5.0]])),
        "U": allocated(np.zeros(20, np.float32)),
        "w": allocated(np.zeros((12, 2), np.float32)),
    }
    traces = allocated(np.full((12, 3), 7, np.float32))

    def slot(name, array):
        return Slot(name, array.shape, array.dtype, on_host=name == "shots")

    def passed(array):
        return array.ctypes.data, array.nbytes

    operands = [passed(array) for array in given.values()]
    call = keep(
        Call(
            program=st.compile(SHOTS),
            device="auto",
            schedule=None,
            steps=5,
            params={},
            operands=tuple(slot(*one) for one in given.items()),
            results=(slot("U", given["U"]), slot("traces", traces)),
        )
    )
    results = [passed(given["U"]), passed(traces)]
    said = take_steps(call.key, 0, 5, operands, results)
    assert said is None, said
    assert not traces.any()  # copied from the memory of the library
    # A result with memory of its own begins as a copy of its operand.
    given["U"][...] = np.arange(20)
    apart = allocated(np.zeros(20, np.float32))
    said = take_steps(call.key, 0, 5, operands, [passed(apart), passed(traces)])
    assert said is None, said
    assert (apart == given["U"]).all()  # the kernels of the fake driver do nothing
    wrong = [passed(given["U"]), passed(traces[1:])]
    assert "other sizes" in take_steps(call.key, 0, 5, operands, wrong)
    # The default stream reaches the driver, which refuses copies on it.
    assert "R044" in take_steps(call.key, 0, 0, operands, results)


def main():
    calls_of_xla()
    gpu_graphs.main(results=False)
    p = st.compile(WAVE)
    arrays = {
        "U": OnGpu(aligned(32), stream=5),
        "U@-1": OnGpu(aligned(32), stream=5),
        "v": OnGpu(aligned(32), stream=5),
    }
    sim = p.start(arrays=arrays)
    assert sim.device == "cuda" and sim.stream == 5
    assert all(sim[name] is array for name, array in arrays.items())
    assert sim.advance(3).steps == 3
    sim.wait()
    assert sim.step == 3
    assert p.start(arrays=arrays, stream=7).stream == 7

    # The producer of an array gets the stream. The simulation runs on the device of its arrays.
    foreign = {name: Foreign(aligned(32), device=(2, 1)) for name in arrays}
    sim = p.start(arrays=foreign, stream=9)
    assert foreign["U"].asked["stream"] == 9 and sim["U"] is foreign["U"]
    refused("R073", lambda: p.start(arrays={**arrays, "v": foreign["v"]}))  # another GPU

    # Types, shapes and layouts are checked.
    for array, code in (
        (OnGpu(aligned(31)), "R071"),
        (OnGpu(aligned(32, np.float64)), "R072"),
        (OnGpu(aligned(64)[::2], strides=(8,)), "R073"),
        (OnGpu(aligned(32), read_only=True), "R073"),
        (OnGpu(aligned(40)[1:33]), "R073"),  # the alignment
    ):
        refused(code, lambda array=array: p.start(arrays={**arrays, "U": array}))
    p.start(arrays={**arrays, "v": OnGpu(aligned(32), read_only=True)}).advance(1)

    # Arrays of this kind cannot be made here, so each level has to be given.
    refused("R073", lambda: p.start(U=arrays["U"], v=arrays["v"]))
    refused("R073", lambda: p.start(arrays={**arrays, "U@-1": aligned(32)}))

    # Other fields are in memory of the library; host arrays are copied there.
    sim = p.start(arrays={"U": arrays["U"], "U@-1": arrays["U@-1"], "v": np.full(32, 0.5)})
    assert sim["v"].tolist() == [0.5] * 32
    sim["v"] = 0.25
    assert sim["v"][0] == 0.25
    sim.advance(1)
    assert "write into that array" in refused("R073", lambda: sim.set(U=np.zeros(32))).hint
    refused("R073", lambda: sim.save("/tmp/never.ckpt"))

    # Positions of points are in host memory.
    q = st.compile(SHOTS)
    field = OnGpu(aligned(20), stream=5)
    sim = q.start(arrays={"U": field, "shots": [[4.0], [5.0]], "w": np.zeros((12, 2))})
    assert sim["shots"].tolist() == [4, 5]
    refused("R045", lambda: q.start(arrays={"shots": OnGpu(aligned(2, np.float64), stream=5)}))

    # Every component of a structure has an array of its own.
    flow = st.compile(FLOW)
    parts = {name: OnGpu(aligned((6, 4)), stream=5) for name in ("S.rho", "S.u[0]", "S.u[1]")}
    flow.start(arrays={**parts, "b": np.zeros((6, 4), bool)}).advance(1)
    refused("R073", lambda: flow.start(arrays={"S": OnGpu(aligned((6, 4, 3)))}))

    # Host arrays on this device are copied.
    sim = p.start("cuda", U=np.arange(32, dtype=np.float32), v=0.5)
    assert sim.stream is None and sim["U"].tolist() == list(range(32))
    assert not sim["U"].flags.writeable
    print("OK")


if __name__ == "__main__":
    main()

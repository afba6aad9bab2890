#!/usr/bin/env python3
"""Steps in CUDA graphs that the caller captures, on a machine with an NVIDIA GPU:

    python3 python/tests/gpu_graphs.py
    compute-sanitizer --tool memcheck --report-api-errors all python3 python/tests/gpu_graphs.py

Captures use the strictest mode and no call comes before them, so code that is loaded late would fail.
Results are compared with the bits of the device `reference`. PyTorch is not necessary, but its graphs
are checked if it is installed. fake_gpu.py runs the same calls on the fake driver, without results."""

import ctypes
import sys

import numpy as np

import stencilc as st

HEAT = """
param k : real = 0.2;
grid G = [0..63, 0..95, 0..31] steps 50;
field T : real on G boundary clamp;
field c : real on G constant;
stencil heat : T on G = T[0,0,0] + k * c[0,0,0] *
  (T[-1,0,0] + T[1,0,0] + T[0,-1,0] + T[0,1,0] + T[0,0,-1] + T[0,0,1] - 6*T[0,0,0]);
"""
WAVE = """
grid G = [0..126, 0..94] steps 60;
field U : real on G history 2 boundary clamp;
field V : real on G history 2;
stencil wave : U on G = 1.5*U[0,0] - 0.5*U@-1[0,0] + 0.1 * (U[-1,0] + U[1,0] + U[0,-1] + U[0,1] - 4*U[0,0]);
stencil follow : V on G = 0.5*V[0,0] - 0.25*V@-1[0,0] + U[0,0];
"""
SMOOTH = """
param N : integer;
grid G = [0..N-1, 0..N-1] steps 1;
field u, f : real on G;
stencil smooth : u[1..N-2, 1..N-2] =
  u[0,0] + 0.2 * (f[0,0] - (4*u[0,0] - (u[-1,0] + u[1,0] + u[0,-1] + u[0,1])));
"""
RESTRICT = """
param N : integer;
grid F = [0..N-1, 0..N-1] steps 1;
grid C of F by 2;
field u, f, r : real on F;
field source, error : real on C;
subgrid inner of C = [first+1..last-1, first+1..last-1];
stencil residual : r[1..N-2, 1..N-2] = f[0,0] - (4*u[0,0] - (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]));
stencil down : source on inner = sum(a in -1..1, b in -1..1 : r[a,b]) * 0.5;
stencil zero : error on C = 0;
"""
CORRECT = """
param N : integer;
grid F = [0..N-1, 0..N-1] steps 1;
grid C of F by 2;
field u : real on F;
field error : real on C;
stencil correct : u[1..N-2, 1..N-2] = u[0,0] + 0.25 * sum(a in 0..1, b in 0..1 : error[a,b]);
"""
MULTIGRID = """
param N : integer = 65;
grid G = [0..N-1, 0..N-1] levels 4 by 2 steps 9;
subgrid inner of G = [first+1..last-1, first+1..last-1];
field u, f, r : real on G boundary constant 0;
stencil smooth : u on inner =
  u[0,0] + 0.2 * (f[0,0] - (4*u[0,0] - (u[-1,0] + u[1,0] + u[0,-1] + u[0,1])));
stencil residual : r on inner = f[0,0] - (4*u[0,0] - (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]));
stencil down : f on inner = sum(a in -1..1, b in -1..1 : fine r[a,b]) * 0.5;
stencil zero : u on G = 0;
stencil correct : u on inner = u[0,0] + 0.25 * sum(a in 0..1, b in 0..1 : coarse u[a,b]);
cycle v {
  repeat 2 { smooth; }
  if level < 3 { residual; coarser { down; zero; v; } correct; } else { repeat 8 { smooth; } }
  smooth;
}
step { v; }
"""
REFUSED = {
    "reduction 'total'": "reduce total = sum(T[0,0]) on G;",
    "the stop condition": "reduce total = sum(T[0,0]) on G; stop when total < 0;",
    "the number of the step": "stencil t : S on G = S[0,0] + time;",
}


class Gpu:
    """The first GPU, its driver, and a stream."""

    def __init__(self):
        self.cu = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        self.stream = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)

    def call(self, name, *arguments):
        code = getattr(self.cu, name)(*arguments)
        assert code == 0, f"{name}: error {code}"

    def array(self, values):
        return OnGpu(self, values)

    def graph(self, work):
        """What the function queues, as a graph."""
        graph, instance = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamBeginCapture_v2", self.stream, 0)
        try:
            work()
        finally:
            self.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(instance), graph, ctypes.c_uint64(0))
        return instance

    def launch(self, graph, times):
        for _ in range(times):
            self.call("cuGraphLaunch", graph, self.stream)
        self.call("cuStreamSynchronize", self.stream)


class OnGpu:
    """An array on the GPU."""

    def __init__(self, gpu, values):
        self.gpu, self.shape, self.type = gpu, values.shape, values.dtype
        address = ctypes.c_uint64()
        gpu.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(values.nbytes + 64))
        self.address = ctypes.c_uint64(address.value + -address.value % 64)
        values = np.ascontiguousarray(values)
        size = ctypes.c_size_t(values.nbytes)
        gpu.call("cuMemcpyHtoDAsync_v2", self.address, ctypes.c_void_p(values.ctypes.data), size, gpu.stream)
        gpu.call("cuStreamSynchronize", gpu.stream)
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (self.address.value, False),
            "strides": None,
            "stream": gpu.stream.value,
            "version": 3,
        }

    def values(self):
        out = np.empty(self.shape, self.type)
        size = ctypes.c_size_t(out.nbytes)
        stream = self.gpu.stream
        self.gpu.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(out.ctypes.data), self.address, size, stream)
        self.gpu.call("cuStreamSynchronize", stream)
        return out


def equal(found, expected, results, message):
    if results:
        np.testing.assert_array_equal(found, expected, err_msg=message)


def random(*shape):
    return np.random.default_rng(len(shape)).random(shape, np.float32)


def check_schedules(gpu, results):
    """Odd numbers of steps, with every kind of schedule."""
    t, c = random(64, 96, 32), random(64, 96, 32)
    p = st.compile(HEAT, fp="strict")
    for schedule in (
        "auto",
        "direct",
        "overlapped T=2 block=32x8",
        "streaming T=3",
        "streaming T=2 loads=async",
        "streaming T=2 loads=bulk",
    ):
        if schedule.endswith("bulk") and not results:
            continue  # the fake driver has no tensor maps
        single = t.copy()
        host = p.start("reference", T=single, c=c)
        array = gpu.array(t)
        try:
            sim = p.start("cuda", schedule, arrays={"T": array, "c": gpu.array(c)}, stream=gpu.stream.value)
        except st.Error as error:
            if error.code == "R073" or not results:
                raise
            print(f"  {schedule}: left out, {error}")
            continue
        graph = gpu.graph(lambda sim=sim: (sim.advance(7), sim.advance(4)))
        assert sim.step == 0
        gpu.launch(graph, 3)
        sim.advance(1)
        sim.wait()
        host.advance(3 * 11 + 1)
        equal(array.values(), single, results, schedule)
        assert sim.step == 1


def check_levels(gpu, results):
    """Levels of arrays, and of a field in memory of the library."""
    u = random(127, 95)
    p = st.compile(WAVE, fp="strict")
    single, older = u.copy(), u.copy()
    host = p.start("reference", arrays={"U": single, "U@-1": older})
    arrays = {"U": gpu.array(u), "U@-1": gpu.array(u)}
    sim = p.start("cuda", "direct", arrays=arrays, stream=gpu.stream.value)
    for steps in (1, 2, 5):
        graph = gpu.graph(lambda steps=steps: sim.advance(steps))
        gpu.launch(graph, 3)
        host.advance(3 * steps)
        equal(arrays["U"].values(), single, results, "U")
        equal(arrays["U@-1"].values(), older, results, "U@-1")
        equal(sim["V"], host["V"], results, "V")
        equal(sim["V@-1"], host["V@-1"], results, "V@-1")


def check_programs(gpu, results):
    """A cycle of several programs on shared arrays, and the same cycle as one program."""
    f = random(65, 65) - np.float32(0.5)
    shapes = {"u": 65, "f": 65, "source": 33, "error": 33}

    def cycle(arrays, device, **options):
        def start(text, points, **names):
            program = st.compile(text, fp="strict", N=points)
            given = {field: arrays[name] for field, name in names.items()}
            return program.start(device, arrays=given, **options)

        smooth = start(SMOOTH, 65, u="u", f="f")
        down = start(RESTRICT, 65, u="u", f="f", source="source", error="error")
        coarse = start(SMOOTH, 33, u="error", f="source")
        correct = start(CORRECT, 65, u="u", error="error")

        def take():
            smooth.advance(3)
            down.advance(1)
            coarse.advance(20)
            correct.advance(1)
            smooth.advance(2)

        return take

    def zeros(name):
        return f if name == "f" else np.zeros((shapes[name], shapes[name]), np.float32)

    host = {name: zeros(name).copy() for name in shapes}
    take = cycle(host, "reference")
    arrays = {name: gpu.array(zeros(name)) for name in shapes}
    captured = cycle(arrays, "cuda", stream=gpu.stream.value)  # outlives the graph
    graph = gpu.graph(captured)
    for _ in range(4):
        take()
    gpu.launch(graph, 4)
    del captured
    for name in shapes:
        equal(arrays[name].values(), host[name], results, name)

    p = st.compile(MULTIGRID, fp="strict")
    single = np.zeros((65, 65), np.float32)
    host = p.start("reference", arrays={"u": single, "f": f.copy()})
    array = gpu.array(np.zeros((65, 65), np.float32))
    sim = p.start("cuda", arrays={"u": array, "f": gpu.array(f)}, stream=gpu.stream.value)
    graph = gpu.graph(lambda: sim.advance(1))
    gpu.launch(graph, 5)
    host.advance(5)
    equal(array.values(), single, results, "multigrid")


def check_refusals(gpu, results):
    del results
    array = gpu.array(np.zeros((8, 8), np.float32))

    def refused(call):
        try:
            call()
        except st.Error as error:
            assert error.code == "R047", error
            return str(error)
        raise AssertionError("not refused")

    for what, text in REFUSED.items():
        program = st.compile(
            "grid G = [0..7, 0..7] steps 4; field T, S : real on G; init S[i,j] = 0; stencil s : T on G = 0.5*T[0,0] + S[0,0];"
            + text
        )
        sim = program.start("cuda", arrays={"T": array}, stream=gpu.stream.value)
        messages = []
        gpu.graph(lambda sim=sim: messages.append(refused(lambda: sim.advance(2))))
        assert what in messages[0], messages
        sim.advance(2)
        sim.wait()
    p = st.compile(HEAT)
    heat = gpu.array(np.zeros((64, 96, 32), np.float32))
    sim = p.start("cuda", arrays={"T": heat, "c": 1.0}, stream=gpu.stream.value)

    def calls():
        sim.advance(3)
        refused(sim.wait)
        refused(lambda: sim["c"])
        refused(lambda: p.start("cuda", arrays={"T": heat, "c": 1.0}, stream=gpu.stream.value))

    gpu.launch(gpu.graph(calls), 2)
    sim.wait()


def check_torch(gpu, results):
    del gpu, results
    import torch

    t, c = random(64, 96, 32), random(64, 96, 32)
    p = st.compile(HEAT, fp="strict")
    single = t.copy()
    host = p.start("reference", T=single, c=c)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tensor, factor = torch.from_numpy(t).cuda(), torch.from_numpy(c).cuda()
        sim = p.start(arrays={"T": tensor, "c": factor})
    assert sim.stream == stream.cuda_stream
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        sim.advance(5)
        tensor.mul_(0.5)  # work of the caller between two calls
        sim.advance(2)
    for _ in range(4):
        graph.replay()
        host.advance(5)
        single *= np.float32(0.5)
        host.advance(2)
    torch.cuda.synchronize()
    np.testing.assert_array_equal(tensor.cpu().numpy(), single)


def main(results=True):
    gpu = Gpu()
    for check in (check_schedules, check_levels, check_programs, check_refusals, check_torch):
        if check is check_torch and not results:
            continue
        try:
            check(gpu, results)
            print(f"graphs, {check.__name__}: ok", flush=True)
        except ImportError as error:
            print(f"graphs, {check.__name__}: skipped, {error}", flush=True)


if __name__ == "__main__":
    main()
    print("OK")
    sys.exit(0)

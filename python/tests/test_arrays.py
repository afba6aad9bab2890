"""Arrays of other libraries, by __dlpack__ and __cuda_array_interface__."""

import ctypes

import numpy as np
import pytest
from conftest import present
from test_simulations import WAVE

import stencilc as st
from stencilc import _arrays, _core


class Foreign:
    """An array that only has __dlpack__, as that of another library."""

    def __init__(self, array, device=(1, 0)):
        self.array = array
        self.device = device
        self.asked = None

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        self.asked = dict(keywords)
        keywords.pop("stream", None)
        return self.array.__dlpack__()


class OnGpu:
    """An array with __cuda_array_interface__; its memory is that of the host."""

    def __init__(self, array, stream=None, read_only=False, strides=None):
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.__array_interface__["data"][0], read_only),
            "strides": strides,
            "stream": stream,
            "version": 3,
        }


def test_dlpack_describes_an_array():
    array = np.arange(12, dtype=np.float64).reshape(3, 4)[:, ::2]
    described = _arrays.describe("A", Foreign(array))
    assert described.shape == (3, 2) and described.strides == (4, 2)
    assert described.type == _arrays.DOUBLE and described.device == ("cpu", 0)
    assert described.address == array.__array_interface__["data"][0]
    assert not described.dense
    with pytest.raises(TypeError):
        _core.Dlpack(array)


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float16", "float32", "float64"],
)
def test_every_type_passes_through_dlpack(dtype):
    described = _arrays.describe("A", Foreign(np.zeros(3, dtype)))
    assert _arrays.dtype_of(described.type) == np.dtype(dtype)


def test_arrays_of_other_libraries_are_used_in_place(device):
    u = np.linspace(0, 1, 32, dtype=np.float32)
    sim = st.compile(WAVE).start(device, U=Foreign(u), v=Foreign(np.full(32, 0.25, np.float32)))
    before = u.copy()
    sim.advance(2)
    assert not np.array_equal(u, before)
    assert sim["U"].__array_interface__["data"][0] == u.__array_interface__["data"][0]


def test_the_consumer_names_its_stream():
    foreign = Foreign(np.zeros(4, np.float32), device=(2, 0))
    described = _arrays.describe("A", foreign, stream=1234)
    assert foreign.asked["stream"] == 1234 and described.device == ("cuda", 0)
    _arrays.describe("A", foreign, stream=0)
    assert foreign.asked["stream"] == 1, "the legacy default stream"


def test_other_devices_are_refused():
    with pytest.raises(st.Error, match="on a device"):
        _arrays.describe("A", Foreign(np.zeros(4, np.float32), device=(10, 0)))


def test_cuda_array_interface():
    array = np.zeros((4, 8), np.float32)
    described = _arrays.describe("A", OnGpu(array, stream=7))
    assert described.on_gpu and described.dense and described.strides == (8, 1)
    assert _arrays.current_stream([OnGpu(array, stream=7)]) == 7
    assert _arrays.current_stream([OnGpu(array)]) == 0
    strided = _arrays.describe("A", OnGpu(array, strides=(64, 4), read_only=True))
    assert strided.strides == (16, 1) and not strided.writable


def test_arrays_on_a_gpu_need_the_device_cuda():
    if present("cuda"):
        pytest.skip("a GPU is present: gpu_check.py tests it")
    array = OnGpu(np.zeros(32, np.float32))
    with pytest.raises(st.Error) as raised:
        st.compile(WAVE).start(U=array, v=array)
    assert raised.value.code == "R041"
    for device in ("host", "reference", "opencl", "cuda:1"):
        with pytest.raises(st.Error, match="but the run is on"):
            st.compile(WAVE).start(device, U=array, v=array)
    with pytest.raises(st.Error, match="this GPU alone"):
        st.compile(WAVE).start(U=array, v=array, gpus=2)


def test_gradients_are_refused():
    class Tensor(Foreign):
        requires_grad = True

    with pytest.raises(st.Error) as raised:
        st.compile(WAVE).start("reference", v=Tensor(np.zeros(32, np.float32)))
    assert "gradient" in raised.value.message and "detach" in raised.value.hint
    with pytest.raises(st.Error, match="gradient"):
        st.compile(WAVE).function(1)(np.zeros(32, np.float32), Tensor(np.zeros(32, np.float32)))


def test_streams():
    class Stream:
        def __cuda_stream__(self):
            return (0, 99)

    class Cupy:
        ptr = 98

    class Numba:
        handle = ctypes.c_void_p(97)

    from stencilc._stores import _stream_of

    assert [_stream_of(s) for s in (Stream(), Cupy(), Numba(), 5)] == [99, 98, 97, 5]
    with pytest.raises(st.Error):
        _stream_of("fast")


def test_bfloat_and_half(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    text = "grid G = [0..7] steps 2; field A : bfloat on G; field B : half on G;"
    p = st.compile(text + "stencil a : A on G = A[0] + 1; stencil b : B on G = B[0] + 0.5;")
    a = np.ones(8, ml_dtypes.bfloat16)
    sim = p.start(device, A=a, B=np.zeros(8, np.float16))
    sim.run()
    assert sim["A"] is a and float(a[0]) == 3 and float(sim["B"][7]) == 1
    sim["A"] = np.arange(8.0)
    assert float(a[5]) == 5

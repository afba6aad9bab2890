"""Arrays of other libraries: what they are, and how kernels and copies may use them.

An array is described by its address, its shape, its strides in elements, its element type and its
device. NumPy arrays are read directly, because ``ml_dtypes.bfloat16`` and read-only arrays cannot
pass through every version of DLPack. Everything else is read by ``__dlpack__``, or by
``__cuda_array_interface__`` if it has no ``__dlpack__``.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy as np

from . import _core
from ._errors import Error

# Element types by number, in the order of stencil::ElementType.
BOOL, BYTE, UBYTE, SHORT, USHORT, INT, LONG, HALF, BFLOAT, FLOAT, DOUBLE = range(11)
TYPE_NAMES = _core.TYPE_NAMES

_DTYPES = {
    BOOL: np.dtype(np.bool_),
    BYTE: np.dtype(np.int8),
    UBYTE: np.dtype(np.uint8),
    SHORT: np.dtype(np.int16),
    USHORT: np.dtype(np.uint16),
    INT: np.dtype(np.int32),
    LONG: np.dtype(np.int64),
    HALF: np.dtype(np.float16),
    FLOAT: np.dtype(np.float32),
    DOUBLE: np.dtype(np.float64),
}
_TYPES = {dtype: number for number, dtype in _DTYPES.items()}

# (code, bits) of DLPack.
_DLPACK_TYPES = {
    (0, 8): BYTE,
    (0, 16): SHORT,
    (0, 32): INT,
    (0, 64): LONG,
    (1, 8): UBYTE,
    (1, 16): USHORT,
    (2, 16): HALF,
    (2, 32): FLOAT,
    (2, 64): DOUBLE,
    (4, 16): BFLOAT,
    (6, 8): BOOL,
}
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # device types of DLPack


def dtype_of(element_type: int) -> np.dtype:
    """The NumPy type of an element type. bfloat needs the package ml_dtypes."""
    if element_type == BFLOAT:
        try:
            import ml_dtypes
        except ImportError:
            raise Error(
                "R072",
                "a field of type bfloat needs the package ml_dtypes for its NumPy arrays",
                "pip install ml_dtypes",
            ) from None
        return np.dtype(ml_dtypes.bfloat16)
    return _DTYPES[element_type]


def _type_of_dtype(dtype: np.dtype) -> int | None:
    found = _TYPES.get(dtype)
    if found is None and dtype.name == "bfloat16":
        return BFLOAT
    return found


def dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides, in elements, of an array in C order."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 1, 0, -1):
        strides[d - 1] = strides[d] * shape[d]
    return tuple(strides)


@dataclasses.dataclass(frozen=True)
class Described:
    """What kernels need to know about an array. It may be given in place of the array."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # elements
    type: int | None  # None: no element type of the language
    type_name: str  # for messages
    writable: bool
    device: tuple[str, int]  # ("cpu", 0) or ("cuda", number)
    owner: Any  # keeps the memory alive
    stream: int | None = None  # the stream that __cuda_array_interface__ names

    @property
    def on_gpu(self) -> bool:
        return self.device[0] == "cuda"

    @property
    def dense(self) -> bool:
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if extent > 1 and stride != expected:
                return False
            expected *= extent
        return True

    def core(self) -> _core.Array:
        return _core.Array(self.address, self.shape, self.strides, self.type, self.writable)


class _Memory:
    """Host memory of another library; NumPy arrays on it keep the owner alive."""

    def __init__(self, described: Described, dtype: np.dtype):
        self.owner = described.owner
        self.__array_interface__ = {
            "version": 3,
            "shape": described.shape,
            "typestr": f"|V{dtype.itemsize}" if dtype.kind == "V" else dtype.str,
            "data": (described.address, not described.writable),
            "strides": tuple(stride * dtype.itemsize for stride in described.strides),
        }


def as_numpy(described: Described) -> np.ndarray:
    """A NumPy array on the memory of a host array."""
    if isinstance(described.owner, np.ndarray):
        return described.owner
    dtype = dtype_of(described.type)
    return np.asarray(_Memory(described, dtype)).view(dtype)


def is_array(value: Any) -> bool:
    """Whether the value is an array, in contrast to a number."""
    if isinstance(value, (np.ndarray, Described)):
        return True
    return not np.isscalar(value) and (
        hasattr(value, "__dlpack__")
        or hasattr(value, "__cuda_array_interface__")
        or hasattr(value, "__array__")
        or isinstance(value, (list, tuple))
    )


def _describe_numpy(array: np.ndarray) -> Described:
    interface = array.__array_interface__
    size = array.itemsize or 1
    if any(stride % size for stride in array.strides):
        array = np.ascontiguousarray(array)
        return _describe_numpy(array)
    if not array.dtype.isnative:
        return _describe_numpy(array.astype(array.dtype.newbyteorder("=")))
    return Described(
        address=interface["data"][0],
        shape=array.shape,
        strides=tuple(stride // size for stride in array.strides),
        type=_type_of_dtype(array.dtype),
        type_name=array.dtype.name,
        writable=array.flags.writeable,
        device=("cpu", 0),
        owner=array,
    )


def _describe_dlpack(array: Any, stream: int | None) -> Described:
    kind, number = array.__dlpack_device__()
    kind = int(kind)
    keywords: dict[str, Any] = {}
    if kind in (_CUDA, _CUDA_MANAGED):
        # The producer makes this stream wait until the array is ready. 1 is the legacy default
        # stream; DLPack does not allow 0.
        keywords["stream"] = stream if stream else 1
    elif kind not in (_CPU, _CUDA_HOST):
        raise Error(
            "R073",
            f"the array of type {type(array).__name__} is on a device that stencilc cannot use",
            "copy it to the CPU or to an NVIDIA GPU",
        )
    try:
        capsule = array.__dlpack__(**keywords, max_version=(1, 0))
    except TypeError:  # an older producer
        capsule = array.__dlpack__(**keywords)
    tensor = _core.Dlpack(capsule)
    code, bits, lanes = tensor.dtype
    return Described(
        address=tensor.address,
        shape=tuple(tensor.shape),
        strides=tuple(tensor.strides),
        type=_DLPACK_TYPES.get((code, bits)) if lanes == 1 else None,
        type_name=str(getattr(array, "dtype", "unknown")),
        writable=tensor.writable and _mutable(array),
        device=("cuda", number) if kind in (_CUDA, _CUDA_MANAGED) else ("cpu", 0),
        owner=(array, tensor),
    )


def _mutable(array: Any) -> bool:
    """Arrays of JAX must not be changed, which version 0 of DLPack cannot say."""
    return not type(array).__module__.startswith(("jax", "jaxlib"))


def _describe_cuda_interface(array: Any) -> Described:
    interface = array.__cuda_array_interface__
    dtype = np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    address, read_only = interface["data"]
    if interface.get("mask") is not None:
        raise Error("R073", "an array with a mask cannot be used", "give the data without the mask")
    strides = interface.get("strides")
    if strides is None:
        strides = dense_strides(shape)
    else:
        strides = [stride // dtype.itemsize for stride in strides]
    return Described(
        address=address or 0,
        shape=shape,
        strides=tuple(strides),
        type=_type_of_dtype(dtype),
        type_name=dtype.name,
        writable=not read_only,
        device=("cuda", _device_number(array)),
        owner=array,
        stream=interface.get("stream"),
    )


def _device_number(array: Any) -> int:
    """The GPU of an array with __cuda_array_interface__, which does not name it."""
    for path in (("device", "id"), ("device", "index"), ("gpu_data", "device", "id")):
        value = array
        for name in path:
            value = getattr(value, name, None)
        if isinstance(value, int):
            return value
    return 0


def describe(name: str, value: Any, stream: int | None = None) -> Described:
    """Describes an array.

    name: of the field, for messages. stream: the CUDA stream on which the array will be used.
    """
    if getattr(value, "requires_grad", False):
        raise Error(
            "R073",
            f"the array for '{name}' requires a gradient, and stencilc computes no derivatives",
            "pass tensor.detach(), or call it under torch.no_grad() with tensors without gradients",
        )
    if isinstance(value, Described):
        return value
    if isinstance(value, np.ndarray):
        return _describe_numpy(value)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        if getattr(value, "is_conj", lambda: False)() or getattr(value, "is_neg", lambda: False)():
            value = value.resolve_conj().resolve_neg()
        return _describe_dlpack(value, stream)
    if hasattr(value, "__cuda_array_interface__"):
        return _describe_cuda_interface(value)
    return _describe_numpy(np.asarray(value))


def current_stream(values: list[Any]) -> int:
    """The stream on which the caller's library works now, as an address.

    PyTorch and CuPy have a current stream. For other arrays it is the stream that their
    __cuda_array_interface__ names, or the legacy default stream (0).
    """
    for value in values:
        module = type(value).__module__.split(".")[0]
        if module == "torch":
            torch = sys.modules["torch"]
            if value.is_cuda:
                return int(torch.cuda.current_stream(value.device).cuda_stream)
        elif module == "cupy":
            return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    for value in values:
        interface = getattr(value, "__cuda_array_interface__", None)
        stream = interface.get("stream") if interface else None
        if stream is not None:
            return int(stream)
    return 0


def like(template: Any, source: Any = None) -> Any:
    """A new dense array of the same library, device, shape and type as the template.

    source: an array of any library whose values it gets; without it, its values are undefined.
    """
    module = type(template).__module__.split(".")[0]
    if module == "torch":
        torch = sys.modules["torch"]
        if source is None:
            return torch.empty_like(template, memory_format=torch.contiguous_format)
        copied = torch.as_tensor(source, dtype=template.dtype, device=template.device)
        return copied.clone(memory_format=torch.contiguous_format)
    if module == "cupy":
        cupy = sys.modules["cupy"]
        with template.device:
            if source is None:
                return cupy.empty(template.shape, template.dtype)
            return cupy.array(source, dtype=template.dtype, order="C", copy=True)
    if module == "numba":
        from numba import cuda

        if source is not None and hasattr(source, "copy_to_host"):
            source = source.copy_to_host()
        if source is not None:
            return cuda.to_device(np.ascontiguousarray(source, dtype=template.dtype))
        return cuda.device_array(template.shape, template.dtype)
    if isinstance(template, np.ndarray):
        if source is None:
            return np.empty(template.shape, template.dtype)
        return np.array(source, dtype=template.dtype, order="C", copy=True)
    raise Error(
        "R073",
        f"stencilc cannot allocate an array of type {type(template).__name__}",
        "give the arrays of all levels and components yourself",
    )


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A dense NumPy array whose memory begins at a cache line."""
    line = 64
    count = int(np.prod(shape, dtype=np.int64)) if shape else 1
    raw = np.empty(count * dtype.itemsize + line, np.uint8)
    offset = -raw.__array_interface__["data"][0] % line
    return raw[offset : offset + count * dtype.itemsize].view(dtype).reshape(shape)

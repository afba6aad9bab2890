"""Calls of programs on arrays that XLA owns; stencilc.jax makes them.

XLA passes the addresses of operands and results. A result that continues an operand usually has its
address, because stencilc.jax declares them as aliases: XLA copies the operand first if it is still
needed. So kernels work in XLA's memory, and this module neither allocates nor copies fields, except:

- an operand whose result has another address is copied there (XLA does this in loops, as of vmap);
- fields that no operand gives are in memory of the library, and copied into their results;
- positions of points on a GPU are copied to the host, which reads them.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _arrays
from ._errors import Error
from ._program import Program


@dataclasses.dataclass(frozen=True)
class Slot:
    """An array of a call: a level of a component, or the positions of a set of points."""

    name: str  #: such as "U", "U@-1", "S.rho"
    shape: tuple[int, ...]
    dtype: np.dtype
    on_host: bool = False  #: the host reads it, also if the call is on a GPU

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


@dataclasses.dataclass(frozen=True, eq=False)
class Call:
    """Steps of a program from given arrays."""

    program: Program
    device: str
    schedule: str | None
    steps: int
    params: Mapping[str, str]
    operands: tuple[Slot, ...]
    results: tuple[Slot, ...]

    @functools.cached_property
    def sources(self) -> tuple[int | None, ...]:
        """The operand that each result continues; None: no operand gives the field."""
        at = {slot.name: i for i, slot in enumerate(self.operands)}
        return tuple(at.get(slot.name) for slot in self.results)

    @functools.cached_property
    def key(self) -> str:
        """Names the call in compiled code. It is the same in every process that makes this call."""
        parts = (
            self.program.text,
            sorted((name, repr(value)) for name, value in self.program._options.items()),
            (self.device, self.schedule, self.steps, sorted(self.params.items())),
            [(slot.name, slot.shape, slot.dtype.name) for slot in (*self.operands, *self.results)],
            len(self.operands),
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def on_host(self, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        """Takes the steps on arrays in host memory, and fills the results."""
        arrays = {slot.name: array for slot, array in zip(self.operands, operands)}
        for slot, source, result in zip(self.results, self.sources, results):
            if source is not None:
                if _address(result) != _address(operands[source]):
                    np.copyto(result, operands[source])
                arrays[slot.name] = result
        simulation = self._advanced(arrays, None)
        for slot, result in zip(self.results, results):
            found = simulation[slot.name]
            if _address(found) != _address(result):
                np.copyto(result, found)

    def on_gpu(
        self, gpu: int, stream: int, operands: Sequence[int], results: Sequence[int]
    ) -> None:
        """Queues the steps on a stream, on arrays at these addresses of a GPU."""
        arrays: dict[str, Any] = {}
        for slot, address in zip(self.operands, operands):
            if slot.on_host:
                arrays[slot.name] = _download(slot, address, stream)
            elif slot.size == 0:
                arrays[slot.name] = np.empty(slot.shape, slot.dtype)
            else:
                arrays[slot.name] = _on_gpu(slot, address, gpu, writable=False)
        for slot, source, address in zip(self.results, self.sources, results):
            if source is None or slot.size == 0:
                continue
            if address != operands[source]:
                _copy(slot, operands[source], address, stream)
            arrays[slot.name] = _on_gpu(slot, address, gpu, writable=True)
        simulation = self._advanced(arrays, stream)
        for slot, source, address in zip(self.results, self.sources, results):
            if source is None and slot.size > 0:
                _upload(simulation[slot.name], address, stream)

    def _advanced(self, arrays: dict[str, Any], stream: int | None) -> Any:
        simulation = self.program.start(
            self.device, self.schedule, arrays=arrays, params=self.params, stream=stream
        )
        simulation.advance(self.steps)
        return simulation


# Compiled code has the key of a call, so calls are kept for as long as the process lives.
_calls: dict[str, Call] = {}


def keep(call: Call) -> Call:
    """Makes a call known to take_steps()."""
    return _calls.setdefault(call.key, call)


def take_steps(
    key: str,
    gpu: int,
    stream: int,
    operands: Sequence[tuple[int, int]],
    results: Sequence[tuple[int, int]],
) -> str | None:
    """What the handlers of stencilc._xla call. Returns the text of an error, or None.

    gpu: the number of the GPU, or -1: the arrays are in host memory. stream: a CUDA stream.
    operands, results: addresses and sizes in bytes.
    """
    try:
        call = _calls.get(key)
        if call is None:
            raise RuntimeError(
                "this compiled function calls a program that the process does not know; call "
                "stencilc.jax.register() and the function as in the process that compiled it"
            )
        for slots, given in ((call.operands, operands), (call.results, results)):
            if [slot.size for slot in slots] != [size for _, size in given]:
                raise Error("R071", "XLA passes arrays of other sizes than the call has")
        addresses = [address for address, _ in operands]
        found = [address for address, _ in results]
        if gpu >= 0:
            call.on_gpu(gpu, stream, addresses, found)
        else:
            call.on_host(
                [_on_host(*one, writable=False) for one in zip(call.operands, addresses)],
                [_on_host(*one, writable=True) for one in zip(call.results, found)],
            )
    except Error as error:
        return error.text.rstrip("\n")
    except BaseException as error:  # an exception cannot pass through XLA
        return f"{type(error).__name__}: {error}"
    return None


def _address(array: Any) -> int:
    return _arrays.describe("", array).address


def _described(slot: Slot, address: int, device: tuple[str, int], writable: bool) -> Any:
    strides = _arrays.dense_strides(slot.shape)
    kind = _arrays._type_of_dtype(slot.dtype)
    name = slot.dtype.name
    return _arrays.Described(address, slot.shape, strides, kind, name, writable, device, None)


def _on_host(slot: Slot, address: int, writable: bool) -> np.ndarray:
    if slot.size == 0:
        return np.empty(slot.shape, slot.dtype)
    return _arrays.as_numpy(_described(slot, address, ("cpu", 0), writable))


def _on_gpu(slot: Slot, address: int, gpu: int, writable: bool) -> Any:
    return _described(slot, address, ("cuda", gpu), writable)


@functools.cache
def _driver() -> Any:
    driver = ctypes.CDLL("libcuda.so.1")
    pointer, address, size = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t
    driver.cuMemcpyDtoDAsync_v2.argtypes = [address, address, size, pointer]
    driver.cuMemcpyDtoHAsync_v2.argtypes = [pointer, address, size, pointer]
    driver.cuMemcpyHtoDAsync_v2.argtypes = [address, pointer, size, pointer]
    driver.cuStreamSynchronize.argtypes = [pointer]
    return driver


def _checked(status: int) -> None:
    if status != 0:
        raise Error("R044", f"the CUDA driver could not copy an array of XLA: error {status}")


def _copy(slot: Slot, source: int, address: int, stream: int) -> None:
    _checked(_driver().cuMemcpyDtoDAsync_v2(address, source, slot.size, stream))


def _download(slot: Slot, address: int, stream: int) -> np.ndarray:
    array = np.empty(slot.shape, slot.dtype)
    if array.size:
        _checked(_driver().cuMemcpyDtoHAsync_v2(array.ctypes.data, address, array.nbytes, stream))
        _checked(_driver().cuStreamSynchronize(stream))
    return array


def _upload(array: np.ndarray, address: int, stream: int) -> None:
    array = np.ascontiguousarray(array)
    _checked(_driver().cuMemcpyHtoDAsync_v2(address, array.ctypes.data, array.nbytes, stream))
    _checked(_driver().cuStreamSynchronize(stream))  # the array of the host ends with this call

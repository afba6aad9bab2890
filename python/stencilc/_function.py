"""Programs as functions of arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._errors import Error

if TYPE_CHECKING:
    from ._program import Program


class Function:
    """A program as a function of arrays; Program.function() makes it.

    ``f(U, c, k=0.1)`` starts a run with these fields and params, takes the steps, and returns the
    fields that the program computes: an array if there is one, else a dictionary by name.
    Positional arguments are the fields in the order of ``f.inputs``.

    No argument is changed. The results are new arrays of the library of the arguments (NumPy,
    PyTorch, CuPy, JAX), on their device. ``out=array`` or ``out={name: array}`` gives arrays for
    results. On a GPU the work is queued on the current stream.
    """

    def __init__(
        self,
        program: Program,
        steps: int | None,
        device: str,
        schedule: str | None,
        outputs: Iterable[str] | None,
    ):
        self.program = program
        self.steps = steps if steps is not None else (program.steps or 1)
        self.device = device
        self.schedule = schedule
        #: the fields that a call takes, in program order
        self.inputs = tuple(
            f.name for f in program.fields.values() if not _is_result_only(program, f)
        )
        computed = tuple(f.name for f in program.fields.values() if f.written)
        #: the fields that a call returns
        self.outputs = computed if outputs is None else tuple(outputs)
        for name in self.outputs:
            if name not in computed:
                raise Error(
                    "R070",
                    f"the program computes no field '{name}'",
                    "it has " + ", ".join(computed),
                )
        self.__name__ = program.name
        self.__doc__ = f"{self.steps} steps of {program.name}: {', '.join(map(str, self.inputs))}"

    def __repr__(self) -> str:
        inputs, outputs = ", ".join(self.inputs), ", ".join(self.outputs)
        return f"<stencilc.Function {self.program.name}({inputs}) -> {outputs}, {self.steps} steps>"

    def __call__(self, *arrays: Any, out: Any = None, stream: Any = None, **values: Any) -> Any:
        if len(arrays) > len(self.inputs):
            raise TypeError(f"{self!r} takes {len(self.inputs)} arrays, but got {len(arrays)}")
        for name, array in zip(self.inputs, arrays):
            if name in values:
                raise TypeError(f"{self.program.name}() got two arrays for '{name}'")
            values[name] = array
        given, params = self.program._sort(values, None, None)
        results = self._results(out)
        for name, array in given.items():
            _arrays.describe(name, array)  # refuses gradients
        work = {}
        for name, array in given.items():
            field = self.program.fields[name]
            if not field.written:
                work[name] = array
            elif name in results:
                work[name] = _fill(name, results[name], array)
            else:
                work[name] = _copy(array, _dtype(field))
        for name, array in results.items():
            if name not in work:
                raise Error(
                    "R073",
                    f"there is a result array for '{name}', but no input",
                    f"give '{name}' too, or leave out its result array",
                )
        sim = self.program.start(
            self.device, self.schedule, arrays=work, params=params, stream=stream
        )
        sim.advance(self.steps)
        found = {name: self._result(sim, name, given, results) for name in self.outputs}
        return found[self.outputs[0]] if len(found) == 1 else found

    def _results(self, out: Any) -> dict[str, Any]:
        if out is None:
            return {}
        if isinstance(out, dict):
            unknown = set(out) - set(self.outputs)
            if unknown:
                raise Error(
                    "R070", f"no result '{unknown.pop()}'", "it has " + ", ".join(self.outputs)
                )
            return dict(out)
        if len(self.outputs) != 1:
            raise Error("R070", "there are several results", "pass out={name: array, ...}")
        return {self.outputs[0]: out}

    def _result(self, sim: Any, name: str, given: dict[str, Any], results: dict[str, Any]) -> Any:
        array = sim[name]
        if name in results:
            return _fill(name, results[name], array)
        if isinstance(array, np.ndarray) and not array.flags.writeable:
            array.flags.writeable = True  # a copy from the device, which is the caller's now
        template = next((a for n, a in given.items() if n == name), None)
        template = template if template is not None else next(iter(given.values()), None)
        if isinstance(array, np.ndarray) and not isinstance(template, np.ndarray):
            return _to_library(template, array)
        return array


def _is_result_only(program: Program, field: Any) -> bool:
    """Records and reduced profiles are results, not arguments."""
    is_record = field.written and -1 in field.dimensions
    return is_record or field.name in program.reductions


def _dtype(field: Any) -> np.dtype | None:
    return _arrays.dtype_of(_arrays.TYPE_NAMES.index(field.type)) if field.type else None


def _copy(array: Any, dtype: np.dtype | None) -> Any:
    """A copy for the simulation to work in."""
    module = type(array).__module__.split(".")[0]
    if module in ("torch", "cupy", "numba"):
        return _arrays.like(array, array)
    return np.array(array, dtype=dtype if isinstance(array, (list, tuple)) else None, order="C")


def _fill(name: str, result: Any, array: Any) -> Any:
    """Copies an argument into its result array, in which the simulation then works."""
    if result is array:
        return result
    if tuple(result.shape) != tuple(array.shape):
        raise Error(
            "R071", f"out for '{name}' has shape {tuple(result.shape)}, not {tuple(array.shape)}"
        )
    if hasattr(result, "copy_"):  # PyTorch
        result.copy_(array)
    elif hasattr(result, "copy_to_device"):  # Numba
        result.copy_to_device(array)
    else:
        result[...] = array
    return result


def _to_library(template: Any, array: np.ndarray) -> Any:
    module = type(template).__module__.split(".")[0]
    if module == "torch":
        import torch

        return torch.from_numpy(array if array.flags.writeable else array.copy()).to(
            template.device
        )
    if module in ("jax", "jaxlib"):
        import jax.numpy

        return jax.numpy.asarray(array)
    return array

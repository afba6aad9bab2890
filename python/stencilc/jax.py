"""Programs as functions of JAX: `stencilc.jax.register(p)`.

The function can be used in jax.jit() and jax.vmap(). It calls the host (jax.pure_callback): arrays
on a GPU are copied to the host and back. It has no derivatives.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from . import _arrays
from ._errors import Error
from ._function import Function
from ._program import Program


def register(
    program: Program | Function,
    *,
    steps: int | None = None,
    inputs: Any = None,
    outputs: Any = None,
    device: str = "auto",
) -> Any:
    """A function of JAX arrays: f(U, c, k=0.1) takes the steps and returns the new fields.

    program: a Program, or a Function of one. steps, outputs, device: as for Program.function().
    inputs: the fields that it takes, in their order; default: those of the Function. Keyword
    arguments are params of a run; they are Python numbers, not traced values.

    Returns an array, or a dictionary by name if there are several. jax.grad() is refused.
    """
    function = (
        program
        if isinstance(program, Function)
        else program.function(steps, outputs=outputs, device=device)
    )
    program = function.program
    taken = tuple(inputs) if inputs is not None else function.inputs
    shapes = {}
    for name in function.outputs:
        field = program.fields[name]
        if field.shape is None or not field.type:
            raise Error("R071", f"the shape or the type of field '{name}' is not known")
        dtype = _arrays.dtype_of(_arrays.TYPE_NAMES.index(field.type))
        shapes[name] = jax.ShapeDtypeStruct(field.array_shape, dtype)

    def on_host(arrays: Any, params: dict[str, Any]) -> dict[str, np.ndarray]:
        given = {}
        for name, array in zip(taken, arrays):
            given[name] = np.ascontiguousarray(array)
        found = function(**given, **params)
        found = found if isinstance(found, dict) else {function.outputs[0]: found}
        return {name: np.asarray(value, shapes[name].dtype) for name, value in found.items()}

    def compute(arrays: Any, params: tuple[tuple[str, Any], ...]) -> Any:
        return jax.pure_callback(
            lambda *given: on_host(given, dict(params)), shapes, *arrays, vmap_method="sequential"
        )

    call = jax.custom_jvp(compute, nondiff_argnums=(1,))

    @call.defjvp
    def _(params: Any, primals: Any, tangents: Any) -> Any:
        raise Error(
            "R073",
            f"a derivative of {program.name} is asked for, and stencilc computes none",
            "use jax.lax.stop_gradient() on its arguments",
        )

    def f(*arrays: Any, **params: Any) -> Any:
        if len(arrays) != len(taken):
            raise TypeError(f"{program.name}() takes {len(taken)} arrays ({', '.join(taken)})")
        found = call(tuple(arrays), tuple(sorted(params.items())))
        return found[function.outputs[0]] if len(found) == 1 else found

    f.__name__ = program.name
    f.__doc__ = function.__doc__
    return f

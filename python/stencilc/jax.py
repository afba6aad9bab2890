"""Programs as functions of JAX: `stencilc.jax.register(p)`.

The function can be used in jax.jit() and jax.vmap(). It has no derivatives.

If `uses_ffi` is True, the function is an operator of XLA (jax.ffi): kernels work in XLA's memory,
on a GPU on XLA's stream and without copies to the host. If it is False, the function calls the host
(jax.pure_callback), and arrays on a GPU are copied to the host and back. It is False if the package
was built without XLA's headers, or for a newer interface than the installed jaxlib has.
"""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Mapping
from typing import Any, Callable

import jax
import jax.numpy
import numpy as np

from . import _arrays
from ._calls import Call, Slot, keep, take_steps
from ._errors import Error
from ._function import Function
from ._program import Field, Program, text_of
from ._stores import Names, key_name, run_fields, type_number

_TARGET = "stencilc"


def _installed_version() -> tuple[int, int] | None:
    """The version of XLA's foreign function interface that the installed jaxlib has."""
    try:
        import jax.ffi

        header = pathlib.Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text()
    except (ImportError, AttributeError, OSError):
        return None
    found = [re.search(rf"define XLA_FFI_API_{part} (\d+)", header) for part in ("MAJOR", "MINOR")]
    major, minor = (int(one[1]) if one else -1 for one in found)
    return major, minor


def _register_handlers() -> bool:
    """Registers the handlers, if the package has them and XLA can call them."""
    try:
        from . import _xla
    except ImportError:
        return False
    built, installed = _xla.API_VERSION, _installed_version()
    # XLA calls handlers of its own version and of older ones.
    if installed is None or built[0] != installed[0] or built[1] > installed[1]:
        return False
    for platform, handler in _xla.handlers(take_steps).items():
        jax.ffi.register_ffi_target(_TARGET, handler, platform=platform)
    return True


#: whether functions are operators of XLA; otherwise they use jax.pure_callback
uses_ffi: bool = _register_handlers()


def register(
    program: Program | Function,
    *,
    steps: int | None = None,
    inputs: Any = None,
    outputs: Any = None,
    device: str = "auto",
) -> Any:
    """A function of JAX arrays: f(U, c, k=0.1) takes the steps and returns the new fields.

    program: a Program, or a Function of one. steps, device: as for Program.function().
    inputs: the fields that it takes, in their order; default: those of the Function. outputs: the
    fields that it returns; default: all fields that the program computes. Both may contain levels
    ("U@-1") and components ("S.rho"). An older level that is not an input starts with a copy of the
    newest one. Keyword arguments are params of a run; they are Python numbers, not traced values.

    Returns an array, or a dictionary by name if there are several. jax.grad() is refused (R073).
    Other errors: R070 to R072 about names, shapes and types, when the function is traced; errors of
    the run are exceptions of JAX, with the text of the error.
    """
    function = program if isinstance(program, Function) else program.function(steps, device=device)
    taken = tuple(inputs) if inputs is not None else function.inputs
    returned = tuple(outputs) if outputs is not None else function.outputs
    names = Names(function.program.fields)
    for name in taken:
        names.find(name)
    for name in returned:
        if not names.find(name)[0].written:
            computed = ", ".join(f.name for f in names.fields.values() if f.written)
            raise Error("R070", f"the program does not compute '{name}'", f"it computes {computed}")
    variants: dict[Any, _Variant] = {}

    def f(*arrays: Any, **params: Any) -> Any:
        if len(arrays) != len(taken):
            raise TypeError(
                f"{function.program.name}() takes {len(taken)} arrays ({', '.join(taken)})"
            )
        texts = _texts(function.program, params)
        if texts not in variants:
            variants[texts] = _Variant(function, taken, returned, dict(texts))
        return variants[texts](arrays)

    f.__name__ = function.program.name
    f.__doc__ = f"{function.steps} steps of {function.program.name}: {', '.join(taken)}"
    return f


def _texts(program: Program, params: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The params as text, which is a key."""
    fields, values = program._sort(params, None, None)
    for name in fields:
        raise Error("R070", f"'{name}' is a field, but keyword arguments are params")
    for name, value in values.items():
        if isinstance(value, jax.core.Tracer):
            raise Error(
                "R051",
                f"param '{name}' is a traced value",
                "params are Python numbers: name it in static_argnames of jax.jit()",
            )
    return tuple(sorted((name, text_of(name, value)) for name, value in values.items()))


class _Variant:
    """A function with given values of the params: shapes may depend on them."""

    def __init__(self, function: Function, taken: Any, returned: Any, params: dict[str, str]):
        self.function = function
        self.program, self.params = function.program._with_params(params)
        self.names = Names(run_fields(self.program, self.params))
        self.taken = [(name, *self.names.find(name)) for name in taken]
        self.returned = [(name, *self.names.find(name)) for name in returned]
        for name, field, path, _ in (*self.taken, *self.returned):
            if path is None and not field.type:
                raise Error(
                    "R073",
                    f"the components of field '{name}' differ in type, so one array cannot hold them",
                    f"name one component at a time, such as '{name + field.components[0][0]}'",
                )

    def __call__(self, arrays: Any) -> Any:
        operands: dict[str, Any] = {}
        slots: dict[str, Slot] = {}
        for (name, field, path, level), value in zip(self.taken, arrays):
            for slot, part in _parts(name, field, path, level, value):
                slots[slot.name] = slot
                operands[slot.name] = part
        self._add_older_levels(slots, operands)
        results = [slot for slot in slots.values() if self._find(slot.name)[0].written]
        known = {slot.name for slot in results}
        for _, field, path, level in self.returned:
            results += [s for s in _slots(field, path, level) if s.name not in known]
            known |= {slot.name for slot in results}
        call = keep(
            Call(
                self.program,
                self.function.device,
                self.function.schedule,
                self.function.steps,
                self.params,
                tuple(slots.values()),
                tuple(results),
            )
        )
        found = dict(zip((slot.name for slot in results), _operation(call)(*operands.values())))
        out = {}
        for name, field, path, level in self.returned:
            parts = [found[slot.name] for slot in _slots(field, path, level)]
            out[name] = parts[0] if len(parts) == 1 else jax.numpy.stack(parts, axis=-1)
        return next(iter(out.values())) if len(out) == 1 else out

    def _find(self, name: str) -> tuple[Field, str | None, int]:
        return self.names.find(name)

    def _add_older_levels(self, slots: dict[str, Slot], operands: dict[str, Any]) -> None:
        """Completes the levels of each field, and checks its components."""
        for name in dict.fromkeys(field.name for _, field, _, _ in self.taken):
            field = self.names.fields[name]
            if field._places:
                continue
            for path, _ in field.components:
                newest = key_name(field, path, 0)
                if newest not in slots:
                    raise Error(
                        "R073",
                        f"no input gives '{newest}'",
                        f"the inputs name a part of field '{name}': name all components, and the "
                        "newest level",
                    )
                for level in range(1, field.levels):
                    older = key_name(field, path, level)
                    if older not in slots:
                        (slots[older],) = _slots(field, path, level)
                        operands[older] = operands[newest]


def _slots(field: Field, path: str | None, level: int) -> list[Slot]:
    """The arrays of a field, or of one component."""
    out = []
    for component, _ in field.components:
        if path is None or component == path:
            dtype = _arrays.dtype_of(type_number(field, component))
            _check_enabled(field.name, dtype)
            assert field.shape is not None  # the params have values
            out.append(Slot(key_name(field, component, level), field.shape, dtype))
    return out


def _parts(name: str, field: Field, path: str | None, level: int, value: Any) -> Any:
    """The arrays of an argument: one for each component."""
    if field._places:  # the library converts them
        array = jax.numpy.asarray(value)
        return [(Slot(name, array.shape, np.dtype(array.dtype), on_host=True), array)]
    slots = _slots(field, path, level)
    shape = field.shape if path is not None else field.array_shape
    dtype = slots[0].dtype
    if np.isscalar(value):
        array = jax.numpy.full(shape, value, dtype)
    else:
        array = jax.numpy.asarray(value)
    if tuple(array.shape) != shape:
        raise Error(
            "R071",
            f"the array for '{name}' has shape {tuple(array.shape)}, but the field has {shape}",
        )
    if array.dtype != dtype:
        raise Error(
            "R072",
            f"the array for '{name}' has elements of type {array.dtype.name}, but the field has "
            f"{dtype.name}",
            f"convert it with astype('{dtype.name}')",
        )
    if len(slots) == 1:
        return [(slots[0], array)]
    return [(slot, array[..., index]) for index, slot in enumerate(slots)]


def _check_enabled(name: str, dtype: np.dtype) -> None:
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        raise Error(
            "R072",
            f"field '{name}' has elements of type {dtype.name}, which JAX does not use by default",
            "jax.config.update('jax_enable_x64', True)",
        )


@functools.cache
def _operation(call: Call) -> Callable[..., Any]:
    """The function of JAX that makes a call: operands to results."""
    shapes = [jax.ShapeDtypeStruct(slot.shape, slot.dtype) for slot in call.results]

    def by_ffi(*operands: Any) -> Any:
        aliases = {source: i for i, source in enumerate(call.sources) if source is not None}
        operator = jax.ffi.ffi_call(
            _TARGET, shapes, vmap_method="sequential", input_output_aliases=aliases
        )
        return tuple(operator(*operands, key=call.key))

    def on_host(*operands: Any) -> Any:
        results = [np.empty(slot.shape, slot.dtype) for slot in call.results]
        call.on_host([np.asarray(operand, order="C") for operand in operands], results)
        return tuple(results)

    def by_callback(*operands: Any) -> Any:
        return jax.pure_callback(on_host, tuple(shapes), *operands, vmap_method="sequential")

    def compute(*operands: Any) -> Any:
        if not uses_ffi:
            return by_callback(*operands)
        # Other devices cannot use arrays on a GPU.
        cuda = by_ffi if call.device == "auto" or call.device.startswith("cuda") else by_callback
        return jax.lax.platform_dependent(*operands, cpu=by_ffi, cuda=cuda, default=by_callback)

    operation = jax.custom_jvp(jax.jit(compute))

    @operation.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        raise Error(
            "R073",
            f"a derivative of {call.program.name} is asked for, and stencilc computes none",
            "use jax.lax.stop_gradient() on its arguments",
        )

    return operation

"""Simulations: runs of a program on a device.

There are three kinds, which differ in where the fields are:

- on ``host`` and ``reference`` the fields are NumPy arrays, and the kernels work in them;
- with arrays on a GPU, the kernels work in these arrays;
- otherwise the fields are in memory of the device, and arrays are copied in and out.
"""

from __future__ import annotations

import atexit
import dataclasses
import re
import sys
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Callable

import numpy as np

from . import _arrays, _core
from ._errors import Error
from ._program import Field, Program, _did_you_mean, _field, text_of

# Calls that update fewer points end within milliseconds, so Ctrl-C is handled after them.
_BRIEF_UPDATES = 2_000_000

_NAME = re.compile(r"^(?P<field>\w+)(?P<component>[.\[][^@]*)?(?:@-(?P<level>\d+))?$")


@dataclasses.dataclass
class Frame:
    """A moment of a run, from Simulation.every()."""

    step: int  #: steps taken
    fields: Mapping[str, Any]  #: arrays by name; on the host they change when the run continues

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    @property
    def array(self) -> Any:
        """The array, if one field was asked for."""
        (only,) = self.fields.values()
        return only


class _Names:
    """Finds fields, components and levels by name."""

    def __init__(self, fields: Mapping[str, Field]):
        self.fields = fields

    def find(self, name: str) -> tuple[Field, str | None, int]:
        """(field, path of a component or None, level). R070 if there is none."""
        match = _NAME.match(name)
        field = self.fields.get(match["field"]) if match else None
        if match is None or field is None:
            raise Error("R070", f"no field '{name}'", _did_you_mean(name, [*self.fields]))
        path = match["component"]
        paths = [path for path, _ in field.components]
        if path is not None and path not in paths:
            names = [field.name + p for p in paths]
            raise Error("R070", f"no component '{name}'", _did_you_mean(name, names))
        if path is None and len(paths) == 1:
            path = paths[0]
        level = int(match["level"] or 0)
        if level >= field.levels:
            raise Error("R070", f"no level '{name}'", f"its history is {field.levels}")
        return field, path, level


def _type_number(field: Field, path: str | None) -> int:
    for component, name in field.components:
        if path is None or component == path:
            return _arrays.TYPE_NAMES.index(name)
    raise AssertionError(path)


def _expected(field: Field, path: str | None) -> str:
    shape = field.shape if path is not None else field.array_shape
    return f"{_arrays.TYPE_NAMES[_type_number(field, path)]} of shape {shape}"


def _check(name: str, field: Field, path: str | None, array: _arrays.Described, strict: bool):
    """Shape and, if `strict`, type and layout of an array that kernels shall work in."""
    shape = field.shape if path is not None else field.array_shape
    if array.shape != shape:
        raise Error(
            "R071",
            f"the array for '{name}' has shape {array.shape}, but the field is "
            f"{_expected(field, path)}",
        )
    if not strict:
        return
    wanted = _type_number(field, path)
    if array.type != wanted:
        dtype = _arrays.dtype_of(wanted).name
        raise Error(
            "R072",
            f"the array for '{name}' has elements of type {array.type_name}, but the field is "
            f"{_expected(field, path)} ({dtype})",
            f"convert it to {dtype}, or pass copy=True",
        )
    if not array.dense:
        raise Error(
            "R073",
            f"the array for '{name}' has strides {array.strides} (in elements), but kernels need "
            "dense rows in C order",
            "pass a contiguous array, or copy=True",
        )
    if field.written and not array.writable:
        raise Error(
            "R073",
            f"the array for '{name}' is read-only, but the program computes the field",
            "pass copy=True, or use Program.function()",
        )


def _stream_of(stream: Any) -> int:
    """The address of a CUDA stream."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        value = getattr(value, "value", value)
        if isinstance(value, int):
            return value
    raise Error("R073", f"stream is {type(stream).__name__}, which is no CUDA stream")


class _Given:
    """The arrays that the caller gives, described and sorted by field."""

    def __init__(self, names: _Names, arrays: Mapping[str, Any], stream: Any):
        on_gpu = [v for v in arrays.values() if _on_gpu(v)]
        self.stream = _stream_of(stream) if stream is not None else _arrays.current_stream(on_gpu)
        self.entries: dict[tuple[str, str | None, int], tuple[str, Any, _arrays.Described]] = {}
        for name, value in arrays.items():
            field, path, level = names.find(name)
            if not _arrays.is_array(value):
                value = np.full(
                    field.shape if path is not None else field.array_shape,
                    value,
                    _arrays.dtype_of(_type_number(field, path)),
                )
            elif isinstance(value, (list, tuple)):
                value = np.asarray(value, _arrays.dtype_of(_type_number(field, path)))
            entry = (name, value, _arrays.describe(name, value, self.stream))
            self.entries[field.name, path, level] = entry

    def gpu(self) -> int | None:
        """The number of the GPU that has arrays; None if none is on a GPU."""
        numbers = {d.device[1] for _, _, d in self.entries.values() if d.on_gpu}
        if len(numbers) > 1:
            raise Error("R073", f"the arrays are on different GPUs: {sorted(numbers)}")
        return numbers.pop() if numbers else None


def _on_gpu(value: Any) -> bool:
    if getattr(value, "requires_grad", False):
        return False  # describe() refuses it
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[0]) in (_arrays._CUDA, _arrays._CUDA_MANAGED)
    return hasattr(value, "__cuda_array_interface__")


def _run_fields(program: Program, params: dict[str, str]) -> Mapping[str, Field]:
    """The fields with the shapes of this run."""
    if all(field.shape is not None for field in program.fields.values()):
        return program.fields
    infos = program._core.fields_with(params)
    points = frozenset(f.name for f in program.fields.values() if f._places)
    return MappingProxyType({i.name: _field(program._core, i, points) for i in infos})


def start(
    program: Program,
    *,
    device: str,
    schedule: str | None,
    arrays: Mapping[str, Any],
    params: dict[str, str],
    copy: bool,
    stream: Any,
    gpus: int | str | None,
    ranks: Any,
    exchange: int,
    stage: Callable[[str], Any] | None,
) -> Simulation:
    fields = _run_fields(program, params)
    given = _Given(_Names(fields), arrays, stream)
    gpu = given.gpu()
    if gpu is not None:
        if gpus is not None or ranks is not None:
            raise Error(
                "R045",
                "arrays on a GPU can only be used by a run on this GPU alone",
                "give host arrays, or leave out gpus and ranks",
            )
        if device in ("auto", "cuda"):
            device = f"cuda:{gpu}"
        kernel = program.kernel(device, schedule, dense=True, stage=stage)
        return Simulation(program, kernel, fields, _DeviceArrays(kernel, fields, given, params, copy))
    parts = "" if gpus is None else str(gpus)
    if gpus is not None and device == "auto":
        device = "cuda"
    if ranks is not None:
        join_ranks(ranks)
        kernel = program.kernel(
            device, schedule, parts=parts, ranks=True, exchange=exchange, stage=stage
        )
        if kernel.serves():
            kernel.serve()
            return None  # type: ignore[return-value]
        out = Simulation(program, kernel, fields, _OwnArrays(kernel, fields, given, params))
        _ranked.add(out)
        return out
    kernel = program.kernel(device, schedule, parts=parts, exchange=exchange, stage=stage)
    if kernel.device.name in ("host", "reference") and not parts:
        return Simulation(program, kernel, fields, _HostArrays(kernel, fields, given, params, copy))
    return Simulation(program, kernel, fields, _OwnArrays(kernel, fields, given, params))


def join_ranks(communicator: Any) -> tuple[int, int]:
    """Joins the processes of a communicator of mpi4py; returns (rank, size). Collective."""
    from mpi4py import MPI

    return _core.join_ranks(MPI._addressof(communicator))


# Simulations of several processes. The other ranks wait until they are closed, which has to be
# before MPI is finalised.
_ranked: weakref.WeakSet[Simulation] = weakref.WeakSet()


@atexit.register
def _close_ranked() -> None:
    for simulation in list(_ranked):
        simulation.close()


def _assembled(parts: list[Any]) -> np.ndarray:
    return np.stack(parts, axis=-1)


def _converted(name: str, field: Field, path: str | None, value: Any) -> np.ndarray:
    """A NumPy array of the field's type, for a copy into the field."""
    dtype = _arrays.dtype_of(_type_number(field, path))
    shape = field.shape if path is not None else field.array_shape
    if hasattr(value, "get") and type(value).__module__.startswith("cupy"):
        value = value.get()
    elif hasattr(value, "detach") and type(value).__module__.startswith("torch"):
        value = value.detach().cpu().numpy()
    elif hasattr(value, "copy_to_host"):
        value = value.copy_to_host()
    array = np.asarray(value)
    if array.shape == (*shape, 1) and path == "[0]":  # places of points in one dimension
        array = array[..., 0]
    if array.ndim and array.shape != shape:
        raise Error(
            "R071",
            f"the array for '{name}' has shape {array.shape}, but the field is "
            f"{_expected(field, path)}",
        )
    number = array.dtype.kind in "iufb" or array.dtype.name == "bfloat16"
    fits = number and (
        dtype.name == "bfloat16"
        or array.dtype.name == "bfloat16"
        or np.can_cast(array.dtype, dtype, "same_kind")
        or (array.dtype.kind in "iu" and dtype.kind in "iu" and _in_range(array, dtype))
    )
    if not fits:
        raise Error(
            "R072",
            f"the array for '{name}' has elements of type {array.dtype.name}, but the field is "
            f"{_expected(field, path)}",
            f"convert it with astype({dtype.name!r})",
        )
    return np.ascontiguousarray(np.broadcast_to(array, shape), dtype)


def _in_range(array: np.ndarray, dtype: np.dtype) -> bool:
    limits = np.iinfo(dtype)
    return array.size == 0 or (int(array.min()) >= limits.min and int(array.max()) <= limits.max)


class _OwnArrays:
    """Fields in memory of the device. Arrays are copied in and out."""

    live = False  # arrays that get() returned do not change

    def __init__(self, kernel, fields, given: _Given, params):
        self.fields = fields
        self.run = kernel.start(params)
        for (name, path, level), (label, value, _) in given.entries.items():
            self.set(label, fields[name], path, level, value)

    def set(self, label: str, field: Field, path: str | None, level: int, value: Any) -> None:
        if path is None and not field.type:
            raise Error(
                "R073",
                f"the components of field '{field.name}' differ in type, so one array cannot hold "
                "them",
                f"set one component at a time, such as '{field.name + field.components[0][0]}'",
            )
        array = _converted(label, field, path, value)
        described = _arrays._describe_numpy(array)
        self.run.set(label, described.core())

    def get(self, label: str, field: Field, path: str | None, level: int) -> Any:
        if path is None and not field.type:
            raise Error(
                "R073",
                f"the components of field '{field.name}' differ in type, so one array cannot hold "
                "them",
                f"read one component at a time, such as '{field.name + field.components[0][0]}'",
            )
        shape = tuple(self.run.shape_of(label))
        array = np.empty(shape, _arrays.dtype_of(_type_number(field, path)))
        self.run.get(label, _arrays._describe_numpy(array).core())
        array.flags.writeable = False  # a change would not reach the device
        return array

    def waits(self) -> bool:
        """Whether advance() returns when the steps are done."""
        return True


def _key_name(field: Field, path: str, level: int) -> str:
    return field.name + path + (f"@-{level}" if level else "")


class _HostArrays(_OwnArrays):
    """Fields in NumPy arrays, in which the kernels work."""

    live = True

    def __init__(self, kernel, fields, given: _Given, params, copy: bool):
        self.fields = fields
        self.homes: dict[tuple[str, str, int], np.ndarray] = {}
        self.wholes: dict[tuple[str, int], np.ndarray] = {}
        self.filled: set[str] = set()
        initialise = []
        later = []
        for field in fields.values():
            entries = [e for e in given.entries.items() if e[0][0] == field.name]
            if field._places or field.shape is None or 0 in field.shape:
                later += entries  # the library keeps the positions of points
                continue
            self._provide(field, entries, copy)
            if entries:
                self.filled.add(field.name)
            else:
                initialise.append(field.name)
        attached = []
        for (name, path, level), array in self.homes.items():
            attached.append(
                (_key_name(fields[name], path, level), _arrays._describe_numpy(array).core())
            )
        self.run = kernel.attach(attached, params, initialise)
        for (name, path, level), (label, value, _) in later:
            _OwnArrays.set(self, label, fields[name], path, level, value)

    def _provide(self, field: Field, entries: list, copy: bool) -> None:
        """Finds or allocates the array of each level and component."""
        newest: dict[str, np.ndarray] = {}
        for level in range(field.levels):
            block = self._block(field, level)
            for index, (path, _) in enumerate(field.components):
                array = block[index]
                own = _entry(entries, path, level)
                whole = _entry(entries, None, level) if len(field.components) > 1 else None
                if own is not None:
                    array = self._taken(field, path, own, array, copy)
                    if array is not block[index]:
                        self.wholes.pop((field.name, level), None)
                elif whole is not None:
                    label, value, described = whole
                    _check(label, field, None, described, False)
                    values = _converted(label, field, None, value)
                    np.copyto(array, values[..., index])
                elif entries and level > 0 and path in newest:
                    np.copyto(array, newest[path])
                elif entries:
                    array.fill(0)
                self.homes[field.name, path, level] = array
                newest.setdefault(path, array)

    def _block(self, field: Field, level: int) -> list[np.ndarray]:
        """Arrays for the components of a level. Those of one type are parts of one array."""
        count = len(field.components)
        if field.type:
            dtype = _arrays.dtype_of(_type_number(field, None))
            block = _arrays.aligned_empty((count, *field.shape), dtype)
            self.wholes[field.name, level] = np.moveaxis(block, 0, -1)
            return list(block) if field.shape else [block[i : i + 1].reshape(()) for i in range(count)]
        return [
            _arrays.aligned_empty(field.shape, _arrays.dtype_of(_type_number(field, path)))
            for path, _ in field.components
        ]

    def _taken(self, field: Field, path: str, entry: tuple, own: np.ndarray, copy: bool):
        """The caller's array, or `own` with a copy of its values."""
        label, value, described = entry
        if copy or described.on_gpu:
            _check(label, field, path, described, False)
            np.copyto(own, _converted(label, field, path, value))
            return own
        _check(label, field, path, described, True)
        return _arrays.as_numpy(described)

    def set(self, label: str, field: Field, path: str | None, level: int, value: Any) -> None:
        known = field.written or field.name in self.filled
        if not known or (field.name, field.components[0][0], level) not in self.homes:
            _OwnArrays.set(self, label, field, path, level, value)  # the library notes the values
            if path is None or len(field.components) == 1:
                self.filled.add(field.name)
            return
        if path is not None:
            home = self.homes[field.name, path, level]
            if value is home:
                return
            np.copyto(home, _converted(label, field, path, value))
            return
        values = _converted(label, field, None, value)
        for index, (component, _) in enumerate(field.components):
            np.copyto(self.homes[field.name, component, level], values[..., index])

    def get(self, label: str, field: Field, path: str | None, level: int) -> Any:
        if path is not None:
            home = self.homes.get((field.name, path, level))
            return home if home is not None else _OwnArrays.get(self, label, field, path, level)
        whole = self.wholes.get((field.name, level))
        if whole is not None:
            return whole
        return _OwnArrays.get(self, label, field, path, level)


def _entry(entries: list, path: str | None, level: int):
    for (_, component, at), entry in entries:
        if component == path and at == level:
            return entry
    return None


class _DeviceArrays(_OwnArrays):
    """Fields in arrays on a GPU, in which the kernels work. Other fields are in the library."""

    live = True

    def __init__(self, kernel, fields, given: _Given, params, copy: bool):
        self.fields = fields
        self.stream = given.stream
        self.homes: dict[tuple[str, str, int], Any] = {}
        self.owners: list[Any] = []
        attached = []
        later = []
        for field in fields.values():
            entries = [e for e in given.entries.items() if e[0][0] == field.name]
            if not any(entry[2].on_gpu for _, entry in entries):
                later += entries
                continue
            self._provide(field, entries, copy)
            for path, _ in field.components:
                for level in range(field.levels):
                    name = _key_name(field, path, level)
                    home = self.homes[field.name, path, level]
                    described = _arrays.describe(name, home, self.stream)
                    self.owners.append(described.owner)
                    attached.append((name, described.core()))
        self.run = kernel.attach_device(attached, self.stream, params)
        for (name, path, level), (label, value, _) in later:
            _OwnArrays.set(self, label, fields[name], path, level, value)

    def _provide(self, field: Field, entries: list, copy: bool) -> None:
        for path, _ in field.components:
            for level in range(field.levels):
                entry = _entry(entries, path, level)
                if entry is not None:
                    label, value, described = entry
                    if not described.on_gpu:
                        raise Error(
                            "R073",
                            f"the array for '{label}' is in host memory, but others of the field "
                            "are on a GPU",
                        )
                    _check(label, field, path, described, True)
                    home = _arrays.like(value, value) if copy else value
                elif level > 0:
                    home = _arrays.like(self.homes[field.name, path, 0], self.homes[field.name, path, 0])
                else:
                    name = _key_name(field, path, level)
                    raise Error(
                        "R073",
                        f"there is no array for '{name}'",
                        f"give an array for every component of '{field.name}', or for none",
                    )
                self.homes[field.name, path, level] = home

    def set(self, label: str, field: Field, path: str | None, level: int, value: Any) -> None:
        if path is None or (field.name, path, level) not in self.homes:
            _OwnArrays.set(self, label, field, path, level, value)
            return
        raise Error(
            "R073",
            f"field '{label}' is in an array of the caller",
            "write into that array",
        )

    def get(self, label: str, field: Field, path: str | None, level: int) -> Any:
        if path is not None and (field.name, path, level) in self.homes:
            return self.homes[field.name, path, level]
        return _OwnArrays.get(self, label, field, path, level)

    def waits(self) -> bool:
        return False


class _Progress:
    """Shows the progress of a call: with tqdm if it is installed, else as a line of text."""

    def __init__(self, what: bool | Callable[..., Any]):
        self.bar: Any = None
        self.function = what if callable(what) else None
        self.last = 0.0

    def __call__(self, done: int, total: int, seconds: float, updates: float, elapsed: float):
        rate = updates / seconds * 1e-9 if seconds > 0 else 0.0
        if self.function is not None:
            return self.function(done, total)
        if self.bar is None:
            try:
                from tqdm.auto import tqdm

                self.bar = tqdm(total=total, unit="step")
            except ImportError:
                self.bar = False
        if self.bar:
            self.bar.update(done - self.bar.n)
            self.bar.set_postfix_str(f"{rate:.3g} GCells/s", refresh=False)
        elif time.monotonic() - self.last > 1:
            self.last = time.monotonic()
            print(f"{done} of {total} steps, {rate:.3g} GCells/s", file=sys.stderr)
        return None

    def close(self, report: Any = None) -> None:
        if self.bar:
            if report is not None:
                self.bar.update(report.steps - self.bar.n)
            self.bar.close()


class Simulation:
    """A run of a program on a device; Program.start() makes it.

    ``sim["U"]`` is the array of a field, ``sim["U@-1"]`` that of an older level, ``sim["S.rho"]``
    that of a component. If a field has several components of one type, they are the last dimension
    of its array.

    On ``host`` and ``reference`` the array is the memory of the simulation: nothing is copied, it
    shows the newest values after every call, and it may be written to between calls. If the fields
    are in arrays on a GPU, these arrays are returned. On other devices the array is a read-only
    copy. ``sim["U"] = array`` sets a field on every device, and converts the type.

    A simulation may be used by one thread at a time. Steps are taken without the GIL.
    """

    def __init__(self, program: Program, kernel: _core.Kernel, fields, store):
        self._program = program
        self._kernel: _core.Kernel | None = kernel
        self._names = _Names(fields)
        self._store = store
        self._run: _core.Run = store.run
        self._history: list[tuple[int, dict[str, float]]] = []
        points = 1
        for field in fields.values():
            if field.shape and len(field.shape) >= program.rank:
                points = max(points, int(np.prod(field.shape, dtype=np.int64)))
        # Brief calls handle no signals; on arrays of a GPU, calls only queue their steps.
        self._brief = _BRIEF_UPDATES // points if store.waits() else sys.maxsize

    # --- What it is ---

    @property
    def program(self) -> Program:
        return self._program

    @property
    def device(self) -> str:
        """The device, such as "host"."""
        return self._require_kernel().device.name

    @property
    def schedule(self) -> str:
        """The schedule line; empty on "reference"."""
        return self._require_kernel().schedule

    @property
    def parts(self) -> str:
        """How the grid is divided among GPUs or ranks; empty if it is not."""
        return self._require_kernel().parts

    @property
    def stream(self) -> int | None:
        """The CUDA stream on which steps are queued, for arrays on a GPU; else None."""
        return getattr(self._store, "stream", None)

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields with the shapes of this run."""
        return self._names.fields

    @property
    def step(self) -> int:
        """Steps taken since the start."""
        return self._run.step

    @property
    def stopped(self) -> bool:
        """Whether the stop condition of the program held."""
        return self._run.stopped

    @property
    def steps_left(self) -> int | None:
        """Steps to the end of the program; None if the program gives no number."""
        try:
            return self._run.steps_left()
        except Error as error:
            if error.code == "R053":
                return None
            raise

    def __repr__(self) -> str:
        if self._kernel is None:
            return f"<stencilc.Simulation of {self._program.name!r}, closed>"
        line = f"<stencilc.Simulation of {self._program.name!r} on {self.device}"
        return f"{line} ({self._kernel.brief_schedule}), at step {self.step}>"

    # --- Its data ---

    def __getitem__(self, name: str) -> Any:
        field, path, level = self._names.find(name)
        return self._store.get(name, field, path, level)

    def __setitem__(self, name: str, value: Any) -> None:
        field, path, level = self._names.find(name)
        self._store.set(name, field, path, level, value)

    def box(self, name: str, origin: Sequence[int], shape: Sequence[int]) -> np.ndarray:
        """A copy of a part of a field; only these points leave the device.

        origin: grid coordinates of the first point; shape: points per dimension. R082 if the box is
        not within the field.
        """
        field, path, _ = self._names.find(name)
        extents = (*shape, len(field.components)) if path is None else tuple(shape)
        array = np.empty(extents, _arrays.dtype_of(_type_number(field, path)))
        core = _arrays._describe_numpy(array).core()
        self._run.get_box(name, list(origin), list(shape), core)
        return array

    def set(self, **values: Any) -> None:
        """Sets float params (from the next step on) and fields, by name.

        Errors: R074 for a param that is part of the code or an integer; R070 to R073 for fields.
        """
        for name, value in values.items():
            if name in self.fields:
                self[name] = value
            else:
                self._run.set_param(name, text_of(name, value))

    @property
    def reductions(self) -> dict[str, float | int | None]:
        """The reductions at their last evaluation; None: not evaluated yet."""
        out: dict[str, float | int | None] = {}
        kinds = self._program.reductions
        for value in self._run.reductions():
            if kinds[value.name].profile:
                continue
            whole = kinds[value.name].type in ("integer", "long")
            number = value.integer if whole else value.value
            out[value.name] = number if value.evaluations else None
        return out

    @property
    def history(self) -> dict[str, np.ndarray]:
        """Evaluations of reductions during run(): the array "step", and one for each reduction.

        A reduction that was not evaluated at a step has NaN there.
        """
        names = [r.name for r in self._program.reductions.values() if not r.profile]
        out = {"step": np.array([step for step, _ in self._history], np.int64)}
        for name in names:
            out[name] = np.array([v.get(name, np.nan) for _, v in self._history], np.float64)
        return out

    def statistics(self, name: str) -> _core.Statistics:
        """points, nans, least, greatest, mean and l2 of the newest level of a component."""
        return self._run.statistics(name)

    def non_finite(self) -> list[dict[str, Any]]:
        """The NaN and infinite values of all fields; see Simulation.run()."""
        return self._run.non_finite()

    # --- Steps ---

    def advance(self, steps: int = 1, progress: bool | Callable[[int, int], Any] = False):
        """Takes steps; fewer only if the stop condition of the program holds.

        progress: True shows a progress bar; a function is called with (steps done, steps to do), a
        few times per second, and ends the call by returning False.

        Ctrl-C ends the call after the running time tile with KeyboardInterrupt; the simulation can
        then continue. With arrays on a GPU the steps are queued on the stream, and the call returns
        at once. Returns a report: steps, seconds, updates, gcells_per_second, stopped.
        Errors: R043, R044 from the device; R057 if a field has no values.
        """
        if progress is False:
            try:
                if steps <= self._brief:
                    return self._run.advance(steps)
                return self._run.advance_watched(steps, None)
            except Error as error:
                raise _for_python(error) from None
        shown = _Progress(progress)
        try:
            report = self._run.advance_watched(steps, shown)
            shown.close(report)
            return report
        except Error as error:
            raise _for_python(error) from None
        finally:
            shown.close()

    def run(
        self,
        progress: bool | Callable[[int, int], Any] = False,
        *,
        on_nan: str = "stop",
        outputs: Sequence[Any] = (),
        every: int = 0,
        checkpoint: str = "",
        checkpoint_every: int = 0,
        checkpoint_seconds: float = 0,
        history: str = "",
    ):
        """Takes the steps that remain of the program's number, and writes files.

        progress: as for advance().
        on_nan: "stop" ends the run when a reduction becomes NaN, "continue" does not, "ignore" also
            omits the search for NaN and infinity at the end. Findings are warnings, and
            report.became_non_finite.
        outputs: files: "U.npy" (the field U) or output(...). The extension is the format: .npy,
            .nc, .vti, .png, .gif, .apng. every: also a file after each `every` steps.
        checkpoint: a file for restore(), also written every checkpoint_every steps and every
            checkpoint_seconds seconds. history: a .csv file of the reductions.

        Returns a report; see advance(). Errors: those of advance(); R053 if the program has no
        number of steps; R01x, R03x about files.
        """
        shown = _Progress(progress) if progress is not False else None
        files = [_output(self._program, entry) for entry in outputs]
        try:
            if not (files or checkpoint or history or self._program.reductions):
                report = self._run.run(shown, on_nan)
            else:
                report, evaluated = self._run.run_files(
                    shown,
                    on_nan,
                    files,
                    every,
                    str(checkpoint),
                    checkpoint_every,
                    checkpoint_seconds,
                    str(history),
                )
                self._history += evaluated
            if shown is not None:
                shown.close(report)
        except Error as error:
            raise _for_python(error) from None
        finally:
            if shown is not None:
                shown.close()
        _warn(report)
        return report

    def every(self, steps: int, *names: str) -> Iterator[Frame]:
        """Takes the remaining steps of the program, and yields a Frame after each `steps` of them.

        names: the fields of the frames; default: all fields that the program computes. A last frame
        comes at the end of the program. Without a number of steps it goes on until the loop ends.
        """
        if steps < 1:
            raise Error("R053", f"every() is given {steps} steps", "give at least 1")
        shown = names or tuple(f.name for f in self.fields.values() if f.written)
        for name in shown:
            self._names.find(name)
        while not self.stopped:
            left = self.steps_left
            now = steps - self.step % steps
            if left is not None:
                now = min(now, left)
            if now == 0:
                return
            self.advance(now)
            yield Frame(self.step, {name: self[name] for name in shown})

    def wait(self) -> None:
        """Waits for steps that are queued on a GPU. R044 if they failed."""
        self._run.wait()

    # --- Files ---

    def save(self, path: Any) -> None:
        """Saves everything needed to continue with the same results, on any device. R011."""
        self._run.save(str(path))

    def restore(self, path: Any) -> None:
        """Continues from a file of save() or of a run's checkpoint. R010, R060 to R063."""
        self._run.restore(str(path))
        for code, message, _ in self._run.warnings:
            warnings.warn(f"{code}: {message}", RuntimeWarning, stacklevel=2)

    def read(self, name: str, path: Any) -> None:
        """Sets a field from a .npy file. R010, R020 to R023."""
        self._run.read(name, str(path))

    def write(self, *outputs: Any) -> None:
        """Writes files: "U.npy" (the field U) or output(...). All of them, or none."""
        self._run.write([_output(self._program, entry) for entry in outputs])

    # --- Pictures ---

    def plot(self, name: str | None = None, **options: Any):
        """Draws a field with matplotlib; returns the axes. See stencilc._plot.plot()."""
        from . import _plot

        return _plot.plot(self, name, **options)

    def animate(self, name: str | None = None, every: int = 1, **options: Any):
        """Takes the remaining steps and returns an animation, which notebooks show inline."""
        from . import _plot

        return _plot.animate(self, name, every, **options)

    # --- Its end ---

    def close(self) -> None:
        """Releases the memory of the run. Needed only for runs of several processes (ranks)."""
        self._run = _Closed()  # type: ignore[assignment]
        self._store = None
        self._kernel = None

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.close()

    def _require_kernel(self) -> _core.Kernel:
        if self._kernel is None:
            raise RuntimeError("the simulation is closed")
        return self._kernel


class _Closed:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("the simulation is closed")


def output(
    path: Any,
    *fields: str,
    plane: Sequence[int | None] = (),
    range: tuple[float, float] | None = None,
    plain: bool = False,
    flip: bool = False,
    every: int | None = None,
    fps: float = 15,
) -> _core.Output:
    """A file of a run: fields as arrays or as a picture; see docs/reference/files.md.

    fields: names; none means all fields, for .vti and .nc. plane: for pictures, the coordinates of
    all dimensions but the last two. range: values of the first and last colour.
    """
    return _core.Output(str(path), list(fields), list(plane), range, plain, flip, every, fps)


def _output(program: Program, entry: Any) -> _core.Output:
    if isinstance(entry, _core.Output):
        return entry
    path = str(entry)
    if path.endswith((".vti", ".nc")):
        return output(path)
    stem = re.split(r"[/\\]", path)[-1].split(".")[0]
    if stem in program.fields:
        return output(path, stem)
    raise Error(
        "R070",
        f"the file {path} is not named after a field",
        f"name the field: output({path!r}, 'FIELD')",
    )


def _for_python(error: Error) -> Error:
    """The error with a hint for users of Python in place of that for the command line."""
    if error.code != "R057":
        return error
    name = error.message.split("'")[1]
    return Error(
        error.code,
        error.message,
        f"assign them, sim['{name}'] = array, or give {name}=array to start(); or write an init in "
        "the program",
    )


def _warn(report: Any) -> None:
    if report.nan is not None:
        warnings.warn(report.nan.rstrip("\n"), RuntimeWarning, stacklevel=3)
    for found in report.became_non_finite:
        warnings.warn(
            f"'{found['field']}' has {found['nans']} NaN and {found['infinities']} infinite values "
            f"at step {found['last']}, first seen at step {found['step']}",
            RuntimeWarning,
            stacklevel=3,
        )

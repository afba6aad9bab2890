"""Where the fields of a simulation are.

There are three kinds:

- on ``host`` and ``reference`` the fields are NumPy arrays, and the kernels work in them;
- with arrays on a GPU, the kernels work in these arrays;
- otherwise the fields are in memory of the device, and arrays are copied in and out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from . import _arrays
from ._errors import Error
from ._program import Field, Program, _did_you_mean, _field

_NAME = re.compile(r"^(?P<field>\w+)(?P<component>[.\[][^@]*)?(?:@-(?P<level>\d+))?$")


class Names:
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


def type_number(field: Field, path: str | None) -> int:
    for component, name in field.components:
        if path is None or component == path:
            return _arrays.TYPE_NAMES.index(name)
    raise AssertionError(path)


def _expected(field: Field, path: str | None) -> str:
    shape = field.shape if path is not None else field.array_shape
    return f"{_arrays.TYPE_NAMES[type_number(field, path)]} of shape {shape}"


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
    wanted = type_number(field, path)
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


class Given:
    """The arrays that the caller gives, described and sorted by field."""

    def __init__(self, names: Names, arrays: Mapping[str, Any], stream: Any):
        on_gpu = [v for v in arrays.values() if _on_gpu(v)]
        self.stream = _stream_of(stream) if stream is not None else _arrays.current_stream(on_gpu)
        self.entries: dict[tuple[str, str | None, int], tuple[str, Any, _arrays.Described]] = {}
        for name, value in arrays.items():
            field, path, level = names.find(name)
            if not _arrays.is_array(value):
                value = np.full(
                    field.shape if path is not None else field.array_shape,
                    value,
                    _arrays.dtype_of(type_number(field, path)),
                )
            elif isinstance(value, (list, tuple)):
                value = np.asarray(value, _arrays.dtype_of(type_number(field, path)))
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
    if isinstance(value, _arrays.Described):
        return value.on_gpu
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[0]) in (_arrays._CUDA, _arrays._CUDA_MANAGED)
    return hasattr(value, "__cuda_array_interface__")


def run_fields(program: Program, params: dict[str, str]) -> Mapping[str, Field]:
    """The fields with the shapes of this run."""
    if all(field.shape is not None for field in program.fields.values()):
        return program.fields
    infos = program._core.fields_with(params)
    points = frozenset(f.name for f in program.fields.values() if f._places)
    return MappingProxyType({i.name: _field(program._core, i, points) for i in infos})


def _converted(name: str, field: Field, path: str | None, value: Any) -> np.ndarray:
    """A NumPy array of the field's type, for a copy into the field."""
    dtype = _arrays.dtype_of(type_number(field, path))
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


class OwnArrays:
    """Fields in memory of the device. Arrays are copied in and out."""

    def __init__(self, kernel, fields, given: Given, params):
        self.fields = fields
        self.run = kernel.start(params)
        for (name, path, level), (label, value, _) in given.entries.items():
            self.set(label, fields[name], path, level, value)
            older = range(1, fields[name].levels) if level == 0 else ()
            for other in older:  # they start with a copy, unless they are given
                if (name, path, other) not in given.entries:
                    self.set(f"{label}@-{other}", fields[name], path, other, value)

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
        array = np.empty(shape, _arrays.dtype_of(type_number(field, path)))
        self.run.get(label, _arrays._describe_numpy(array).core())
        array.flags.writeable = False  # a change would not reach the device
        return array

    def waits(self) -> bool:
        """Whether advance() returns when the steps are done."""
        return True


def key_name(field: Field, path: str, level: int) -> str:
    return field.name + path + (f"@-{level}" if level else "")


class HostArrays(OwnArrays):
    """Fields in NumPy arrays, in which the kernels work."""

    def __init__(self, kernel, fields, given: Given, params, copy: bool):
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
            if entries and not _has_newest(field, entries):
                later += entries  # beside initial values
                entries = []
            self._provide(field, entries, copy)
            if entries:
                self.filled.add(field.name)
            else:
                initialise.append(field.name)
        attached = []
        for (name, path, level), array in self.homes.items():
            attached.append(
                (key_name(fields[name], path, level), _arrays._describe_numpy(array).core())
            )
        self.run = kernel.attach(attached, params, initialise)
        for (name, path, level), (label, value, _) in later:
            OwnArrays.set(self, label, fields[name], path, level, value)

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
                elif entries:  # an older level
                    np.copyto(array, newest[path])
                self.homes[field.name, path, level] = array
                newest.setdefault(path, array)

    def _block(self, field: Field, level: int) -> list[np.ndarray]:
        """Arrays for the components of a level. Those of one type are parts of one array."""
        count = len(field.components)
        if field.type:
            dtype = _arrays.dtype_of(type_number(field, None))
            block = _arrays.aligned_empty((count, *field.shape), dtype)
            self.wholes[field.name, level] = np.moveaxis(block, 0, -1)
            return (
                list(block) if field.shape else [block[i : i + 1].reshape(()) for i in range(count)]
            )
        return [
            _arrays.aligned_empty(field.shape, _arrays.dtype_of(type_number(field, path)))
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
            OwnArrays.set(self, label, field, path, level, value)  # the library notes the values
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
            return home if home is not None else OwnArrays.get(self, label, field, path, level)
        whole = self.wholes.get((field.name, level))
        if whole is not None:
            return whole
        return OwnArrays.get(self, label, field, path, level)


def _has_newest(field: Field, entries: list) -> bool:
    """Whether there is an array for the newest level of every component."""
    if _entry(entries, None, 0) is not None:
        return True
    return all(_entry(entries, path, 0) is not None for path, _ in field.components)


def _entry(entries: list, path: str | None, level: int):
    for (_, component, at), entry in entries:
        if component == path and at == level:
            return entry
    return None


class DeviceArrays(OwnArrays):
    """Fields in arrays on a GPU, in which the kernels work. Other fields are in the library."""

    def __init__(self, kernel, fields, given: Given, params, copy: bool):
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
                    name = key_name(field, path, level)
                    home = self.homes[field.name, path, level]
                    described = _arrays.describe(name, home, self.stream)
                    self.owners.append(described.owner)
                    attached.append((name, described.core()))
        self.run = kernel.attach_device(attached, self.stream, params)
        for (name, path, level), (label, value, _) in later:
            OwnArrays.set(self, label, fields[name], path, level, value)
        if later:
            self.run.wait()  # completes set(): a call that is captured in a graph cannot

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
                    home = _arrays.like(
                        self.homes[field.name, path, 0], self.homes[field.name, path, 0]
                    )
                else:
                    name = key_name(field, path, level)
                    raise Error(
                        "R073",
                        f"there is no array for '{name}'",
                        f"give an array for every component of '{field.name}', or for none",
                    )
                self.homes[field.name, path, level] = home

    def set(self, label: str, field: Field, path: str | None, level: int, value: Any) -> None:
        if path is None or (field.name, path, level) not in self.homes:
            OwnArrays.set(self, label, field, path, level, value)
            return
        raise Error(
            "R073",
            f"field '{label}' is in an array of the caller",
            "write into that array",
        )

    def get(self, label: str, field: Field, path: str | None, level: int) -> Any:
        if path is not None and (field.name, path, level) in self.homes:
            return self.homes[field.name, path, level]
        return OwnArrays.get(self, label, field, path, level)

    def waits(self) -> bool:
        return False

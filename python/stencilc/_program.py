"""Programs: from files, from text, and from Python (``_trace.py``)."""

from __future__ import annotations

import dataclasses
import numbers
import os
from builtins import open as _open
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Callable

from . import _arrays, _core
from ._errors import Error

if TYPE_CHECKING:
    from ._function import Function
    from ._simulation import Simulation


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a program: also a profile, a series, a set of points or a record."""

    name: str
    type: str  #: the element type in the language, such as "float"; "" if components differ
    components: tuple[tuple[str, str], ...]  #: (path, element type), such as (".rho", "float")
    levels: int  #: time levels kept: "U", "U@-1", ...
    constant: bool  #: declared constant
    written: bool  #: a stencil function or a reduction computes it
    shape: tuple[int, ...] | None  #: points per dimension; None if it depends on a param
    origin: tuple[int, ...] | None  #: grid coordinates of the first point
    position: tuple[float, ...] | None  #: physical position of the first point
    spacing: tuple[float, ...] | None  #: distance between points
    dimensions: tuple[int, ...]  #: dimensions of the grid; -1: steps, -2: numbers of points
    halo: tuple[tuple[int, int], ...]  #: how far one step reads, (low, high) per dimension

    @property
    def array_shape(self) -> tuple[int, ...] | None:
        """The shape of an array for the whole field: components are the last dimension."""
        if self.shape is None or len(self.components) == 1:
            return self.shape
        return (*self.shape, len(self.components))

    @property
    def is_points(self) -> bool:
        return len(self.components) > 0 and self.dimensions == (-2,) and self._places

    _places: bool = dataclasses.field(default=False, repr=False)

    def __str__(self) -> str:
        size = " x ".join(map(str, self.shape)) if self.shape is not None else "open"
        what = self.type or "{" + ", ".join(f"{p}: {t}" for p, t in self.components) + "}"
        notes = ["constant"] if self.constant else []
        if self.levels > 1:
            notes.append(f"{self.levels} levels")
        if self.halo:
            notes.append("halo " + " x ".join(f"{low}+{high}" for low, high in self.halo))
        return f"{self.name}: {what}[{size}]" + (f" ({', '.join(notes)})" if notes else "")


@dataclasses.dataclass(frozen=True)
class Param:
    """A param of a program."""

    name: str
    type: str
    value: float | int | None  #: its default, or the value that was given; None: it has none
    at_start: bool  #: Program.start() may set it without compiling again
    derived_from: str  #: the params from which it follows unless it is given; "" if none

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + ("" if self.value is None else f" = {self.value}")


@dataclasses.dataclass(frozen=True)
class Reduction:
    """A reduction of a program."""

    name: str
    type: str
    every: int  #: steps between two evaluations
    profile: bool  #: it reduces some of the dimensions; the result is the field of this name


def text_of(name: str, value: Any) -> str:
    """The value of a param as text that gives exactly this number."""
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if getattr(value, "shape", None) == ():
        return text_of(name, value.item())
    raise Error(
        "R051",
        f"param '{name}' is given {type(value).__name__}, which is not a number",
        "give an int or a float",
    )


@dataclasses.dataclass(frozen=True)
class _Source:
    """Where a program comes from. Reading it again gives the program with other options."""

    read: Callable[[_core.Options], _core.Program]
    text: str
    label: str


def _field(core: _core.Program, info: _core.FieldInfo, place_names: frozenset[str]) -> Field:
    types = tuple((c.path, _arrays.TYPE_NAMES[c.type]) for c in info.components)
    known = len(info.shape) == info.rank
    same = {name for _, name in types}
    return Field(
        name=info.name,
        type=same.pop() if len(same) == 1 else "",
        components=types,
        levels=info.levels,
        constant=info.constant,
        written=info.written,
        shape=tuple(info.shape) if known else None,
        origin=tuple(info.origin) if known else None,
        position=tuple(info.position) if known and info.position else None,
        spacing=tuple(info.spacing) if known and info.spacing else None,
        dimensions=tuple(info.dimensions),
        halo=tuple(core.halo(info.name)) if place_names is not None else (),
        _places=info.name in (place_names or ()),
    )


class Program:
    """A stencil program that has been read and checked.

    load(), compile() and program() make programs. A Program is immutable: define() returns another
    one with other values of params.
    """

    def __init__(self, source: _Source, options: dict[str, Any]):
        self._source = source
        self._options = options
        definitions = {n: text_of(n, v) for n, v in options["definitions"].items()}
        self._core = source.read(
            _core.Options(
                definitions=definitions,
                open=list(options["open"]),
                fixed=list(options["fix"]),
                real_is_double=_choice("real", options["real"], ("float", "double")) == "double",
                fp=_choice("fp", options["fp"], ("strict", "contract", "fast")),
                steps=options["steps"],
                name=options["name"],
            )
        )
        self._kernels: dict[Any, _core.Kernel] = {}
        self._fields: Mapping[str, Field] | None = None

    # --- What it declares ---

    @property
    def name(self) -> str:
        """The name of the program; functions in emitted files begin with it."""
        return self._core.name

    @property
    def text(self) -> str:
        """The program as text of the language."""
        return self._source.text

    @property
    def warnings(self) -> str:
        """Warnings of the compiler with their lines; empty if there are none."""
        return self._core.warnings

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields by name, in program order."""
        if self._fields is None:
            points = frozenset(f.name for f in self._core.fields if _is_point_set(f))
            fields = {f.name: _field(self._core, f, points) for f in self._core.fields}
            self._fields = MappingProxyType(fields)
        return self._fields

    @property
    def params(self) -> Mapping[str, Param]:
        """The params by name, in program order."""
        out = {}
        for info in self._core.params:
            value = info.value
            kind = _arrays.TYPE_NAMES[info.type]
            if value is not None and kind in ("integer", "long"):
                value = int(value)
            out[info.name] = Param(info.name, kind, value, info.given_later, info.derived_from)
        return MappingProxyType(out)

    @property
    def reductions(self) -> Mapping[str, Reduction]:
        """The reductions by name, in program order."""
        return MappingProxyType(
            {
                r.name: Reduction(r.name, _arrays.TYPE_NAMES[r.type], r.every, r.profile)
                for r in self._core.reductions
            }
        )

    @property
    def rank(self) -> int:
        """The number of dimensions of the grid."""
        return self._core.rank

    @property
    def axes(self) -> list[str]:
        """Names of the dimensions, the outermost first: [..., "z", "y", "x"]."""
        return self._core.axes

    @property
    def steps(self) -> int | None:
        """The number of steps of a run; None if the program gives none, or if it is open."""
        try:
            return self._core.steps({})
        except Error:
            return None

    def __repr__(self) -> str:
        lines = [f"<stencilc.Program {self.name!r}: rank {self.rank}"]
        lines[0] += f", {self.steps} steps" if self.steps is not None else ""
        if self.params:
            lines.append("  params: " + ", ".join(map(str, self.params.values())))
        lines += [f"  field {field}" for field in self.fields.values()]
        for reduction in self.reductions.values():
            if not reduction.profile:
                lines.append(f"  reduction {reduction.name}: {reduction.type}")
        return "\n".join(lines) + ">\n" + self.text.rstrip("\n")

    def define(self, **params: Any) -> Program:
        """The same program with other values of params, which become part of the code."""
        return self._with(definitions={**self._options["definitions"], **params})

    def _with(self, **changed: Any) -> Program:
        return Program(self._source, {**self._options, **changed})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text of the program, for example as a .stn file for the command line."""
        with _open(path, "w", encoding="utf-8") as stream:
            stream.write(self.text)

    # --- Running it ---

    def kernel(
        self,
        device: str = "auto",
        schedule: str | None = None,
        *,
        dense: bool = False,
        parts: str = "",
        ranks: bool = False,
        exchange: int = 0,
        stage: Callable[[str], Any] | None = None,
    ) -> _core.Kernel:
        """Compiles the program for a device; start() does this.

        The result has the attributes device, schedule, brief_schedule, schedule_origin and parts,
        and the method code(kind) with the kind "source", "ptx" or "binary". If the schedule is
        chosen while runs advance, its attribute race tells which schedules were tried (tried,
        changes, gain, lost and saved seconds) and the present one (schedule); otherwise race is
        None. Errors: R040 to R045 about the device; L codes about the schedule.
        """
        key = (device, schedule, dense, parts, exchange)
        if not ranks and key in self._kernels:
            return self._kernels[key]
        kernel = self._core.compile(
            device, schedule or "auto", dense, self._options["steps"], parts, ranks, exchange, stage
        )
        if not ranks:  # the other ranks serve a kernel for as long as rank 0 holds it
            self._kernels[key] = kernel
        return kernel

    def start(
        self,
        device: str = "auto",
        schedule: str | None = None,
        *,
        arrays: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        copy: bool = False,
        stream: int | Any | None = None,
        gpus: int | str | None = None,
        ranks: Any = None,
        exchange: int = 0,
        stage: Callable[[str], Any] | None = None,
        **values: Any,
    ) -> Simulation:
        """Starts a run at step 0.

        device: "auto", "cuda[:NUMBER]", "opencl[:NAME]", "host" or "reference".
        schedule: a line such as "overlapped T=4 block=32x8"; None: the compiler chooses.
        values: arrays of fields and values of params, by name.
        arrays: arrays whose names are no identifiers: "U@-1" (a level), "S.rho" (a component).
        params: params whose names are taken by other arguments.
        copy: False: the simulation works in the given arrays and changes them, if a device can use
            them where they are. Their type and memory layout must then be those of the field.
            True: the arrays are copied, and converted to the type of the field.
        stream: the CUDA stream for arrays on a GPU, as an address or an object with
            __cuda_stream__, cuda_stream or ptr; None: the current stream of the arrays' library.
        gpus: the number of GPUs, or a division such as "2x2" (x first).
        ranks: a communicator of mpi4py: the grid is divided among its processes. All processes call
            start() alike. Rank 0 gets the simulation. The others take part in it, and get None when
            rank 0 has closed it.
        exchange: steps between two halo exchanges of gpus or ranks; 0: the model chooses.
        stage: called with a text before each stage of compiling.

        Fields without an array have their initial values. An array for "U" is the newest level;
        older levels without arrays start with a copy of it. A param that is part of the code gets
        another value by compiling the program again.

        Errors: R050, R051, R070 about params; R070 to R073 about arrays; R040 to R045 about the
        device; L codes about the schedule.
        """
        from ._start import start

        given_arrays, given_params = self._sort(values, arrays, params)
        program, at_start = self._with_params(given_params)
        return start(
            program,
            device=device,
            schedule=schedule,
            arrays=given_arrays,
            params=at_start,
            copy=copy,
            stream=stream,
            gpus=gpus,
            ranks=ranks,
            exchange=exchange,
            stage=stage,
        )

    def _sort(
        self,
        values: Mapping[str, Any],
        arrays: Mapping[str, Any] | None,
        params: Mapping[str, Any] | None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Sorts keyword arguments into arrays and params."""
        found_arrays = dict(arrays or {})
        found_params = dict(params or {})
        known = self.params
        for name, value in values.items():
            if name in self.fields:
                found_arrays[name] = value
            elif name in known:
                found_params[name] = value
            else:
                names = [*self.fields, *known]
                raise Error(
                    "R070",
                    f"the program has no field or param '{name}'",
                    _did_you_mean(name, names),
                )
        for name in found_params:
            if name not in known:
                raise Error(
                    "R070", f"the program has no param '{name}'", _did_you_mean(name, [*known])
                )
        return found_arrays, found_params

    def _with_params(self, params: Mapping[str, Any]) -> tuple[Program, dict[str, str]]:
        """The program with compiled-in params at these values, and the other values as text."""
        known = self.params
        compiled = {}
        at_start = {}
        for name, value in params.items():
            if known[name].at_start:
                at_start[name] = text_of(name, value)
            elif known[name].value is None or text_of(name, known[name].value) != text_of(
                name, value
            ):
                compiled[name] = value
        return (self.define(**compiled) if compiled else self), at_start

    def function(
        self,
        steps: int | None = None,
        *,
        device: str = "auto",
        schedule: str | None = None,
        outputs: Iterable[str] | None = None,
    ) -> Function:
        """A function of arrays: f(U, c, k=0.1) takes steps and returns the new fields.

        steps: how many; None: the steps of the program, or 1 if it has none.
        outputs: the fields to return; default: all fields that the program computes.

        The function changes no argument. See Function.
        """
        from ._function import Function

        return Function(self, steps, device, schedule, outputs)

    # --- Tools ---

    def explain(
        self, schedule: str | None = None, device: str | None = None, **options: Any
    ) -> str:
        """The report of `stencilc explain`: halos, the chosen schedule and why, and refusals.

        options: options of the command, such as machine="sm_90", full=True or counts=True.
        """
        from . import _tools

        return _tools.explain(self, schedule=schedule, device=device, **options)

    def explore(self, device: str | None = None, **options: Any) -> dict[str, Any]:
        """Ranks all schedules: the report of `stencilc explore --json`, as a dictionary.

        options: options of the command, such as measure=True, budget=20 or machine="sm_90".
        """
        from . import _tools

        return _tools.explore(self, device=device, **options)

    def schedules(self, device: str | None = None, **options: Any) -> list[dict[str, Any]]:
        """The schedules of explore(), the best first."""
        return self.explore(device, **options)["candidates"]

    def verify(self, device: str | None = None, **options: Any):
        """Compares devices and schedules with the reference interpreter: `stencilc verify`.

        options: options of the command, such as quick=True, budget=60 or schedule="direct".
        Returns a Verification, which is true if all results agree.
        """
        from . import _tools

        return _tools.verify(self, device=device, **options)

    def emit(self, target: str, **options: Any) -> str:
        """The code for a target: "cuda", "hip", "opencl" or "cpp"; or a stage of the compiler:
        "ast", "stn", "ir", "kernel-ir" or "host-ir".

        options: options of `stencilc`, such as schedule="streaming T=4", machine="sm_90" or
        main=True.
        """
        from . import _tools

        return _tools.emit(self, target, **options)


def _is_point_set(info: _core.FieldInfo) -> bool:
    """Sets of points are the fields over points whose components are places: vectors of double."""
    return list(info.dimensions) == [-2] and info.components[0].path in ("[0]", ".at[0]")


def _did_you_mean(name: str, names: list[str]) -> str:
    import difflib

    near = [one for one in names if one.lower() == name.lower()]
    near = near or difflib.get_close_matches(name, names, 1)
    if near:
        return f"did you mean '{near[0]}'?"
    return "the program has " + ", ".join(names) if names else ""


def _choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value in choices:
        return value
    raise Error("R051", f"{name} is {value!r}", "give " + " or ".join(f"'{c}'" for c in choices))


def make_options(
    definitions: Mapping[str, Any],
    *,
    params: Mapping[str, Any] | None = None,
    real: str = "float",
    fp: str = "contract",
    steps: int | None = None,
    open: Iterable[str] = (),
    fix: Iterable[str] = (),
    name: str = "",
) -> dict[str, Any]:
    return {
        "definitions": {**definitions, **(params or {})},
        "real": real,
        "fp": fp,
        "steps": steps,
        "open": tuple([open] if isinstance(open, str) else open),
        "fix": tuple([fix] if isinstance(fix, str) else fix),
        "name": name,
    }


def load(path: str | os.PathLike[str], **options: Any) -> Program:
    """Reads a program from a .stn file.

    path: the file, or the name of an example, such as "heat3d.stn", if there is no such file.
    options: values of params by name (they become part of the code), and:

    - real: "float" or "double", the meaning of the type `real`;
    - fp: "strict", "contract" or "fast";
    - steps: the number of steps, in place of the program's;
    - open: integer params whose values start() gives; fix: float params to compile in;
    - name: of the program; params: a dictionary of params, for names like those above.

    Errors: R010 if the file cannot be read; P and S codes for errors in the program.
    """
    path = os.fspath(path)
    file = path
    if not os.path.exists(path) and os.path.basename(path) == path:
        example = os.path.join(os.path.dirname(__file__), "examples", path)
        for candidate in (example, example + ".stn"):
            if os.path.exists(candidate):
                file = candidate
                break
    text = ""
    if os.path.isfile(file):
        with _open(file, encoding="utf-8", errors="replace") as stream:
            text = stream.read()

    def read(core_options: _core.Options) -> _core.Program:
        return _core.Program.from_file(file, core_options)

    return Program(_Source(read, text, path), _split(options))


def compile(text: str, **options: Any) -> Program:
    """Reads a program from text. The options are those of load()."""

    def read(core_options: _core.Options) -> _core.Program:
        return _core.Program.from_text(text, core_options, "program.stn")

    return Program(_Source(read, text, "program.stn"), _split(options))


_OPTION_NAMES = ("params", "real", "fp", "steps", "open", "fix", "name")


def _split(options: Mapping[str, Any]) -> dict[str, Any]:
    own = {name: options[name] for name in _OPTION_NAMES if name in options}
    definitions = {name: value for name, value in options.items() if name not in own}
    return make_options(definitions, **own)

"""Simulations: runs of a program on a device."""

from __future__ import annotations

import dataclasses
import re
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable

import numpy as np

from . import _arrays, _core
from ._errors import Error
from ._program import Field, Program, text_of
from ._stores import Names, type_number

# Calls that update fewer points end within milliseconds, so Ctrl-C is handled after them.
_BRIEF_UPDATES = 2_000_000


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
        self._names = Names(fields)
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
        array = np.empty(extents, _arrays.dtype_of(type_number(field, path)))
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
        at once. While the stream is being captured in a CUDA graph, the steps are taken by each
        launch of the graph instead, and the simulation must outlive the graph.

        Returns a report: steps, seconds, updates, gcells_per_second, stopped.
        Errors: R043, R044 from the device; R047 in a capture if the steps need the host; R057 if a
        field has no values.
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
            scalars = any(not r.profile for r in self._program.reductions.values())
            if not (files or checkpoint or history or scalars):
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

"""Pictures of fields with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from ._simulation import Simulation


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot() and animate() need matplotlib: pip install matplotlib") from None
    return pyplot


def _first(sim: Simulation, name: str | None) -> str:
    if name is not None:
        return name
    return next(field.name for field in sim.fields.values() if field.written)


class _Shown:
    """The part of a field that is drawn: one or two dimensions, at positions."""

    def __init__(self, sim: Simulation, name: str, plane: Any):
        self.name = name
        self.field, path, _ = sim._names.find(name)
        if path is None:
            raise Error(
                "R033",
                f"a picture shows one component, but '{name}' has {len(self.field.components)}",
                f"name one, such as '{name}{self.field.components[0][0]}'",
            )
        rank = len(self.field.shape)
        outer = rank - 2 if rank > 2 else 0
        given = (
            list(plane if isinstance(plane, (tuple, list)) else [plane])
            if plane is not None
            else []
        )
        given += [None] * (outer - len(given))
        self.index = tuple(
            self.field.shape[d] // 2 if at is None else at - self.field.origin[d]
            for d, at in enumerate(given[:outer])
        )
        self.dimensions = list(range(outer, rank))
        axes = sim.program.axes
        self.labels = []
        for d in self.dimensions:
            of = self.field.dimensions[d]
            self.labels.append({-1: "step", -2: "point"}.get(of) or axes[of])

    def of(self, sim: Simulation) -> np.ndarray:
        values = np.asarray(sim[self.name])[self.index]
        return values.astype(np.float32) if values.dtype.name in ("bfloat16", "bool") else values

    def coordinates(self, d: int) -> tuple[float, float]:
        """The position of the first point, and the distance between points."""
        field = self.field
        if field.position is None or field.dimensions[d] < 0:
            return float(field.origin[d]), 1.0
        return field.position[d], field.spacing[d]

    def extent(self) -> list[float]:
        """The edges of the picture: left, right, bottom, top; rows go down."""
        edges = []
        for d in reversed(self.dimensions):
            start, step = self.coordinates(d)
            edges.append((start - step / 2, start + (self.field.shape[d] - 0.5) * step))
        (left, right), (top, bottom) = edges
        return [left, right, bottom, top]


def _draw(shown: _Shown, axes: Any, values: np.ndarray, options: dict[str, Any]) -> Any:
    if values.ndim == 1:
        start, step = shown.coordinates(shown.dimensions[0])
        (artist,) = axes.plot(start + step * np.arange(len(values)), values, **options)
        axes.set_xlabel(shown.labels[0])
        axes.set_ylabel(shown.name)
        return artist
    artist = axes.imshow(
        values, extent=shown.extent(), aspect=options.pop("aspect", "auto"), **options
    )
    axes.set_xlabel(shown.labels[-1])
    axes.set_ylabel(shown.labels[-2])
    return artist


def plot(
    sim: Simulation, name: str | None = None, *, plane: Any = None, ax: Any = None, **options: Any
) -> Any:
    """Draws a field: a curve in one dimension, a picture in two, a plane in three and more.

    name: a field or a component; default: the first field that the program computes.
    plane: the coordinates of the outer dimensions; default: the middle. ax: axes of matplotlib.
    options: those of imshow() or plot(), such as cmap="RdBu", vmin=-1, vmax=1.
    Returns the axes. Positions come from the grid's origin and spacing.
    """
    pyplot = _pyplot()
    shown = _Shown(sim, _first(sim, name), plane)
    axes = ax if ax is not None else pyplot.subplots()[1]
    artist = _draw(shown, axes, shown.of(sim), options)
    if hasattr(artist, "get_cmap"):
        axes.figure.colorbar(artist, ax=axes, label=shown.name)
    axes.set_title(f"{sim.program.name}, step {sim.step}")
    return axes


class Animation:
    """Frames of a run. Notebooks show it inline; save() writes a file; `animation` is matplotlib's."""

    def __init__(self, animation: Any, figure: Any, frames: int):
        self.animation = animation
        self.figure = figure
        self.frames = frames

    def save(self, path: Any, **options: Any) -> None:
        """Writes a file with matplotlib, such as "U.gif" (which needs Pillow)."""
        self.animation.save(str(path), **options)

    def _repr_html_(self) -> str:
        return self.animation.to_jshtml()


def animate(
    sim: Simulation,
    name: str | None = None,
    every: int = 1,
    *,
    plane: Any = None,
    frames: int | None = None,
    interval: int = 50,
    **options: Any,
) -> Animation:
    """Takes the remaining steps and returns an animation with a frame after each `every` steps.

    frames: at most so many; needed if the program has no number of steps. interval: milliseconds
    between frames. options: those of plot(). Without vmin and vmax, colours cover the values of all
    frames.
    """
    pyplot = _pyplot()
    from matplotlib.animation import FuncAnimation

    shown = _Shown(sim, _first(sim, name), plane)
    if frames is None and sim.steps_left is None:
        raise Error("R053", "the program has no number of steps", "give frames=N")
    kept = [(sim.step, shown.of(sim).copy())]
    for frame in sim.every(every, shown.name):
        kept.append((frame.step, shown.of(sim).copy()))
        if frames is not None and len(kept) >= frames:
            break
    low = min(float(np.nanmin(values)) for _, values in kept)
    high = max(float(np.nanmax(values)) for _, values in kept)
    figure, axes = pyplot.subplots()
    two = kept[0][1].ndim == 2
    if two:
        options = {"vmin": low, "vmax": high, **options}
    artist = _draw(shown, axes, kept[0][1], options)
    if two:
        figure.colorbar(artist, ax=axes, label=shown.name)
    elif high > low:
        axes.set_ylim(low, high)
    title = axes.set_title("")

    def show(number: int) -> list[Any]:
        step, values = kept[number]
        if two:
            artist.set_data(values)
        else:
            artist.set_ydata(values)
        title.set_text(f"{sim.program.name}, step {step}")
        return [artist, title]

    made = FuncAnimation(figure, show, frames=len(kept), interval=interval)
    pyplot.close(figure)  # else notebooks would also show the figure
    return Animation(made, figure, len(kept))

"""The common style of the charts docs/papers/*.svg, drawn by matplotlib.

Curves (`lines`) and grouped bars (`bars`), returned as the text of an SVG file that depends only on the
values and the version of matplotlib: no date, no random ids, no user settings. The background is
transparent. Text, axes and grid use the SVG's `color`, which follows the reader's colour scheme; series
colours have a contrast of at least 3 on white and on black (WCAG 2.1, 1.4.11). Series also differ by
marker and dash.

Without matplotlib there are no charts: `AVAILABLE` is false, and the functions must not be called.
"""
import io

try:
    import matplotlib.style
    from cycler import cycler
    from matplotlib.figure import Figure
except ImportError:
    matplotlib = None

AVAILABLE = matplotlib is not None
MISSING = "no matplotlib (Debian: python3-matplotlib): charts stay as they are"

WIDTH, HEIGHT, NOTE_HEIGHT = 7.92, 4.17, 0.63  # inches; 760 x 400 and 760 x 60 CSS pixels
COLOURS = ("#3584d6", "#d07020", "#2f9e68", "#b765c9", "#d04a46", "#808690", "#96811a", "#2b8f94")
MARKERS = "osD^vXPh"
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 3)), (0, (1, 3)), (0, (9, 3)), (0, (2, 2)))
INK, DARK_INK = "#4b535c", "#b6bec8"  # text, axes and grid, on light and on dark pages

SCHEME = f"""<style>
 svg {{ color: {INK} }}
 @media (prefers-color-scheme: dark) {{ svg {{ color: {DARK_INK} }} }}
</style>
"""


def settings():
    """Settings that differ from matplotlib's defaults. Text stays text, in the reader's sans-serif font."""
    return {
        "svg.fonttype": "none", "text.parse_math": False, "font.sans-serif": ["DejaVu Sans", "Verdana"], "svg.hashsalt": "stencilc", "savefig.transparent": True,
        "font.size": 9, "axes.titlesize": 9, "figure.titlesize": 10, "figure.titleweight": "bold",
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
        "grid.color": INK, "grid.alpha": 0.25, "grid.linewidth": 0.8, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "legend.handlelength": 3,
        "lines.linewidth": 1.5, "lines.markersize": 4.5, "figure.constrained_layout.use": True,
        "axes.prop_cycle": cycler(color=COLOURS, marker=list(MARKERS), linestyle=DASHES),
    }


def _drawn(title, height, draw):
    """The SVG of a figure with this title; `draw` draws the rest."""
    with matplotlib.style.context(["default", settings()]):
        figure = Figure(figsize=(WIDTH, height))
        figure.suptitle(title, x=0.01, ha="left")
        draw(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    text = file.getvalue().replace(INK, "currentColor")
    start = text.index(">", text.index("<svg")) + 2  # after the line with <svg ...>
    return text[:start] + SCHEME + text[start:]


def _axes(figure, y_title):
    """Axes with y from 0 and horizontal grid lines."""
    axes = figure.add_subplot()
    axes.grid(axis="y")
    axes.set_ylabel(y_title)
    return axes


def _finish(axes):
    """Limits and legend, once everything is drawn."""
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0)


def nothing(title):
    """A placeholder for a chart without measurements."""
    return _drawn(title, NOTE_HEIGHT, lambda figure: figure.text(0.01, 0.2, "Not measured yet."))


def lines(title, x_title, y_title, series):
    """A chart of curves. series: list of (name, [(x, y), ...]); y >= 0, points with y None are skipped.
    Without any point, the result is a placeholder. Curve i is the SVG group `series-i`."""
    series = [(name, [point for point in points if point[1] is not None]) for name, points in series]
    if not any(points for _, points in series):
        return nothing(title)

    def draw(figure):
        axes = _axes(figure, y_title)
        axes.set_xlabel(x_title)
        for i, (name, points) in enumerate(series):
            axes.plot([x for x, _ in points], [y for _, y in points], label=name if points else None, gid=f"series-{i}")
        _finish(axes)
    return _drawn(title, HEIGHT, draw)


def bars(title, y_title, names, groups):
    """A bar chart. names: the bars within a group; groups: list of (name, [value or None, ...]). Without
    any value, the result is a placeholder. Bar i of group g is the SVG group `bar-g-i`."""
    if not any(value is not None for _, values in groups for value in values):
        return nothing(title)

    def draw(figure):
        axes = _axes(figure, y_title)
        width = 0.8 / len(names)
        for i, name in enumerate(names):
            present = [(g, values[i]) for g, (_, values) in enumerate(groups) if values[i] is not None]
            places = [g + (i - (len(names) - 1) / 2) * width for g, _ in present]
            drawn = axes.bar(places, [value for _, value in present], 0.92 * width, label=name if present else None,
                             color=COLOURS[i % len(COLOURS)])
            for (g, _), bar in zip(present, drawn):
                bar.set_gid(f"bar-{g}-{i}")
        slanted = {"rotation": 30, "ha": "right"} if len(groups) > 6 else {}
        axes.set_xticks(range(len(groups)), [group for group, _ in groups], **slanted)
        _finish(axes)
    return _drawn(title, HEIGHT, draw)

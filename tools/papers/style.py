"""Charts as SVG: the one look of docs/papers/*.svg.

Lines over a scale (`lines`), bars by group (`bars`). The background is transparent; colours are of
middle lightness, and text and axes change with the reader's colour scheme, so that a chart is
legible on white and on black. Series differ by marker and dash besides their colour. The text of a
chart depends on its values alone. Python's standard library is all it takes.
"""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 30, 46
COLOURS = ("#3584d6", "#dd7a22", "#2f9e68", "#b765c9", "#d04a46", "#8a8f98", "#a08a1e", "#3aa3a8")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 5", "1 4", "12 4", "3 2")
STYLE = """<style>
  text { fill: #4b535c; font: 12px sans-serif }
  .title { font-weight: bold; font-size: 13px }
  .axis { stroke: #7b838c; stroke-width: 1; fill: none }
  .grid { stroke: #7b838c; stroke-opacity: .25; stroke-width: 1 }
  @media (prefers-color-scheme: dark) { text { fill: #b6bec8 } }
</style>
"""


def ticks(low, high, count=6):
    """Round numbers from low to high, about `count` of them."""
    step = 10 ** math.floor(math.log10((high - low) / count))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if (high - low) / (step * factor) <= count)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def marker(shape, x, y, colour):
    """One of four marks."""
    if shape % 4 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>'
    if shape % 4 == 1:
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>'
    corners = ((0, -4), (4, 3), (-4, 3)) if shape % 4 == 2 else ((0, -4), (4, 0), (0, 4), (-4, 0))
    return f'<path d="M{" L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners)} Z" fill="{colour}"/>'


class _Frame:
    """Axes, legend and the mapping of values to places."""

    def __init__(self, title, x_title, y_title, names, x_range, y_top, x_log=False, filled=False):
        self.parts, self.x_range, self.y_top, self.x_log = [], x_range, y_top, x_log
        legend_x, legend_y = LEFT, TOP + 8
        for i, name in enumerate(names):
            width = (30 if filled else 42) + 7.2 * len(name)
            if legend_x + width > WIDTH - RIGHT and legend_x > LEFT:
                legend_x, legend_y = LEFT, legend_y + 18
            self.key(i, legend_x, legend_y, name, filled)
            legend_x += width
        self.top = legend_y + 18
        self.add(f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>')
        self.add(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_title)}</text>')
        middle = (self.top + HEIGHT - BOTTOM) / 2
        self.add(f'<text x="14" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 14 {middle:.0f})">{escape(y_title)}</text>')
        for value in ticks(0, y_top):
            y = self.y(value)
            self.add(f'<path class="grid" d="M{LEFT} {y:.1f} H{WIDTH - RIGHT}"/>')
            self.add(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        self.add(f'<path class="axis" d="M{LEFT} {self.top} V{HEIGHT - BOTTOM} H{WIDTH - RIGHT}"/>')

    def key(self, i, x, y, name, filled):
        colour = COLOURS[i % len(COLOURS)]
        if filled:
            self.add(f'<rect x="{x:.0f}" y="{y - 5}" width="11" height="11" fill="{colour}"/>')
            self.add(f'<text x="{x + 16:.0f}" y="{y + 4}">{escape(name)}</text>')
            return
        self.add(f'<path d="M{x:.0f} {y} h22" stroke="{colour}" stroke-width="2" stroke-dasharray="{DASHES[i % len(DASHES)]}"/>')
        self.add(marker(i, x + 11, y, colour))
        self.add(f'<text x="{x + 27:.0f}" y="{y + 4}">{escape(name)}</text>')

    def add(self, text):
        self.parts.append(text + "\n")

    def x(self, value):
        low, high = self.x_range
        if self.x_log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return LEFT + 8 + (value - low) / ((high - low) or 1) * (WIDTH - RIGHT - LEFT - 16)

    def y(self, value):
        return HEIGHT - BOTTOM - value / self.y_top * (HEIGHT - BOTTOM - self.top - 4)

    def x_tick(self, x, text):
        self.add(f'<path class="axis" d="M{x:.1f} {HEIGHT - BOTTOM} v4"/>')
        self.add(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{escape(text)}</text>')

    def text(self, title):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                f'height="{HEIGHT}" role="img">\n<title>{escape(title)}</title>\n{STYLE}{"".join(self.parts)}</svg>\n')


def nothing(title):
    """What stands for a chart of which nothing has been measured."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 60" width="{WIDTH}" height="60" '
            f'role="img">\n<title>{escape(title)}</title>\n{STYLE}<text class="title" x="{LEFT}" y="18">'
            f'{escape(title)}</text>\n<text x="{LEFT}" y="42">Not measured yet.</text>\n</svg>\n')


def lines(title, x_title, y_title, series, x_log=False):
    """A chart of curves. series: (name, [(x, y), ...]) each; y is not negative, points without a y are
    left out. A note instead of axes if there is no point at all."""
    series = [(name, [point for point in points if point[1] is not None]) for name, points in series]
    every = [point for _, points in series for point in points]
    if not every:
        return nothing(title)
    xs = [point[0] for point in every]
    frame = _Frame(title, x_title, y_title, [name for name, _ in series], (min(xs), max(xs)),
                   1.06 * max(point[1] for point in every) or 1, x_log)
    if x_log:
        powers = [2 ** i for i in range(math.floor(math.log2(max(xs))) + 1) if 2 ** i >= min(xs)]
    for value in powers if x_log else ticks(min(xs), max(xs), 10) if min(xs) < max(xs) else [min(xs)]:
        frame.x_tick(frame.x(value), f"{value:g}")
    for i, (_, points) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        places = [(frame.x(x), frame.y(y)) for x, y in points]
        if len(places) > 1:
            path = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            frame.add(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2" '
                      f'stroke-dasharray="{DASHES[i % len(DASHES)]}"/>')
        for x, y in places:
            frame.add(marker(i, x, y, colour))
    return frame.text(title)


def bars(title, y_title, names, groups):
    """A chart of bars. names: of the bars of a group; groups: (name, [value or None, ...]) each. A note
    instead of axes if there is no value at all."""
    values = [value for _, each in groups for value in each if value is not None]
    if not values:
        return nothing(title)
    frame = _Frame(title, "", y_title, names, (0, 1), 1.06 * max(values) or 1, filled=True)
    room = (WIDTH - RIGHT - LEFT) / len(groups)
    width = 0.8 * room / len(names)
    for g, (group, each) in enumerate(groups):
        left = LEFT + g * room + 0.1 * room
        for i, value in enumerate(each):
            if value is None:
                continue
            y = frame.y(value)
            frame.add(f'<rect x="{left + i * width:.1f}" y="{y:.1f}" width="{width * 0.92:.1f}" '
                      f'height="{HEIGHT - BOTTOM - y:.1f}" fill="{COLOURS[i % len(COLOURS)]}"/>')
        frame.x_tick(LEFT + (g + 0.5) * room, group)
    return frame.text(title)

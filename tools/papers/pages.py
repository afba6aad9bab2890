"""Markdown tables, and their placeholders in pages.

A page is hand-written prose with placeholders for tables:

    <!-- table:fig6 -->
    previous content
    <!-- /table -->

Every table needs exactly one placeholder, and every placeholder a table; otherwise Problem is raised.
"""
import re

from measurements import Problem

PLACE = re.compile(r"<!-- table:([\w-]+) -->\n.*?<!-- /table -->", re.S)
NOTHING = "–"


def number(value, digits=3):
    """A number with a few significant digits, large ones rounded to integers; texts unchanged; a dash for None."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    if isinstance(value, int) or abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.{digits}g}"


def measured(value):
    """A figure of this project in a table with figures of the paper."""
    return "not measured" if value is None else value


def ratio(value, of):
    """value / of with two decimals, or a dash."""
    return NOTHING if not value or not of else f"{value / of:.2f}"


def percent(value, of):
    """value / of in percent, or a dash."""
    return NOTHING if not value or not of else f"{100 * value / of:.0f} %"


def code(text):
    """A schedule line, or a dash."""
    return f"`{text}`" if text else NOTHING


def table(head, rows):
    """A Markdown table of texts and numbers."""
    lines = [head, ["---"] * len(head), *[[number(cell) for cell in row] for row in rows]]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def content(text, table):
    """What stands in the place of a table."""
    found = re.search(rf"<!-- table:{re.escape(table)} -->\n(.*?)<!-- /table -->", text, re.S)
    if not found:
        raise Problem(f"there is no place for the table {table}")
    return found[1]


def fill(text, tables, name):
    """The page with its tables filled in. `name`: of the page, for messages."""
    places = PLACE.findall(text)
    for wanted, had, what in ((places, tables, "has a place for an unknown table"),
                              (tables, places, "has no place for the table")):
        for each in wanted:
            if each not in had:
                raise Problem(f"{name} {what}: {each}; a place is <!-- table:{each} --> ... <!-- /table -->")
    def put(match):
        return f"<!-- table:{match[1]} -->\n{tables[match[1]].rstrip()}\n<!-- /table -->"
    return PLACE.sub(put, text)

"""Docstrings of the Python package as Markdown, for the reference of the site.

In the package, a line `name: text` describes an argument, and its later lines are indented. Such lines become a list.
"""
import re

import griffe

ARGUMENT = re.compile(r"([a-z_][a-z0-9_]*): (.*)")


def as_markdown(text):
    lines, in_list = [], False
    for line in text.split("\n"):
        line = re.sub(r"::$", ":", line)
        argument = ARGUMENT.match(line)
        if argument:
            if not in_list and lines and lines[-1]:
                lines.append("")
            line, in_list = f"- `{argument[1]}`: {argument[2]}", True
        elif not line:
            in_list = False
        lines.append(re.sub(r"^Errors: ", "**Errors:** ", line))
    return re.sub(r"(?<!`)\b(__\w+__)\b", r"`\1`", "\n".join(lines))   # else bold


class Docstrings(griffe.Extension):
    def on_object(self, *, obj, **kwargs):
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)

    def on_package(self, *, pkg, **kwargs):
        self.on_object(obj=pkg)

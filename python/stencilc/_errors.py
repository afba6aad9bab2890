"""The exception of the package."""

from __future__ import annotations

import re

_PLACE = re.compile(r"^(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): error", re.M)
_WRITTEN = re.compile(r"^ *= written at (?P<file>[^\n]*):(?P<line>\d+)$", re.M)


def _place_in(text: str) -> tuple[str, int, int | None] | None:
    """The place of the first error in rendered messages."""
    first = _PLACE.search(text)
    if first is None:
        return None
    following = _PLACE.search(text, first.end())
    block = text[first.start() : following.start() if following else len(text)]
    written = _WRITTEN.search(block)
    if written is not None:  # the program was written in Python
        return written["file"], int(written["line"]), None
    return first["file"], int(first["line"]), int(first["column"])


class Error(Exception):
    """An operation of the compiler or of a run failed.

    Attributes:
        code: the code of the error, such as ``"S031"``; docs/reference/errors.md lists all codes.
        message: one sentence, with the name of the field, file or device.
        hint: what to do; may be empty.
        place: ``(file, line, column)`` of the error, or None if it concerns no text. For a program
            written in Python the file is a Python file, and the column is None.
        text: the complete message, with all errors of a program and their lines.
    """

    def __init__(self, code: str, message: str, hint: str = "", diagnostics: str = "", place=None):
        self.code = code
        self.message = message
        self.hint = hint
        if diagnostics:
            self.text = diagnostics
        else:
            self.text = f"error{' ' + code if code else ''}: {message}\n"
            if hint:
                self.text += f"  hint: {hint}\n"
        self.place = place if place is not None else _place_in(diagnostics)
        super().__init__(self.text.rstrip("\n"))

    def __reduce__(self):
        return _rebuild, (self.code, self.message, self.hint, self.text, self.place)


def _rebuild(code, message, hint, text, place):
    error = Error(code, message, hint, text, place)
    return error

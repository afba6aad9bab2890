#!/usr/bin/env python3
"""Runs the commands of a documentation page and compares what they print.

    run_page.py PAGE STENCILC

Fenced blocks with a file name behind the language (```stn heat.stn) become files. Blocks of the language `console` hold commands
behind "$ " and what each prints below it. In expected lines, "..." stands for any text; a line of "..." alone stands for
any number of lines. Everything runs in one empty directory. Exit status 1 names the first line that differs.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(page):
    """(line number, info words, lines) of every fenced block."""
    info, start, lines = None, 0, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            if info is None:
                info, start, lines = line[3:].split(), number, []
            else:
                yield start, info, lines
                info = None
        elif info is not None:
            lines.append(line)


def sessions(start, lines):
    """(line number, command, expected lines) of a console block."""
    session = None
    for number, line in enumerate(lines, start + 1):
        if line.startswith("$ "):
            if session:
                yield session
            session = (number, line[2:], [])
        elif session:
            session[2].append(line)
    if session:
        yield session


def same_line(expected, found):
    pattern = ".*".join(re.escape(part) for part in expected.rstrip().split("..."))
    return re.fullmatch(pattern, found.rstrip()) is not None


def matches(expected, found):
    """Whether the found lines are what the expected ones describe."""
    if not expected:
        return not found
    if expected[0].strip() == "...":
        return any(matches(expected[1:], found[skip:]) for skip in range(len(found) + 1))
    return bool(found) and same_line(expected[0], found[0]) and matches(expected[1:], found[1:])


def main():
    page, stencilc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    ran = 0
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, STENCIL_CACHE=directory + "/cache", STENCIL_TUNED="off",
                           PATH=f"{stencilc.resolve().parent}:{os.environ['PATH']}")
        for start, info, lines in blocks(page):
            if len(info) == 2:
                pathlib.Path(directory, info[1]).write_text("\n".join(lines) + "\n")
            if info != ["console"]:
                continue
            for number, command, expected in sessions(start, lines):
                result = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                found = result.stdout.splitlines()
                while expected and not expected[-1].strip():
                    expected.pop()
                if not matches(expected, found):
                    print(f"{page}:{number}: $ {command}\nexpected:")
                    print("\n".join(expected))
                    print("found:")
                    print(result.stdout)
                    return 1
                ran += 1
    print(f"{page.name}: {ran} commands")
    return 0 if ran else 1


sys.exit(main())

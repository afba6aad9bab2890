#!/usr/bin/env python3
"""Runs the commands of examples/multigrid/README.md at small sizes, and repeats the runs of its tables.

    multigrid_test.py SOURCE_DIRECTORY STENCILC

Commands run on the device `host` with few points and steps. Residuals and errors must have the
printed digits. Exit status 1 names what differs.
"""
import csv
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SMALL = {"vcycle7": (16, 3), "variable": (16, 3)}  # cells; the other programs have vertices
DEFINED = {"Jacobi": 0, "red-black": 1, "Chebyshev": 2}  # -D smoother


def run(command, directory, stencilc):
    environment = dict(os.environ, STENCIL_CACHE=f"{directory}/cache", STENCIL_TUNED="off")
    words = [str(stencilc), *command[1:]]
    done = subprocess.run(words, cwd=directory, env=environment, text=True, capture_output=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"$ {shlex.join(command)}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def small(command):
    """The command on `host`, with few points and steps instead of its own."""
    words, kept = iter(command), []
    for word in words:
        if word in ("-D", "--device"):
            value = next(words)
            if word == "-D" and not re.match("[NL]=", value):
                kept += [word, value]
        else:
            kept.append(word)
    program = pathlib.Path(kept[2]).stem
    points, levels = SMALL.get(program, (17, 3))
    if "--gpus" in kept:  # subdomains have room for their halos
        points = 2 * points - points % 2
    return [*kept, "-D", f"N={points}", "-D", f"L={levels}", "--steps", "2", "--device", "host"]


def history(program, arguments, column, directory, stencilc):
    file = f"examples/multigrid/{program}.stn"
    options = ["--real", "double", "--device", "host", "--history", "history.csv"]
    run(["stencilc", "run", file, *options, *arguments], directory, stencilc)
    with open(f"{directory}/history.csv", encoding="utf-8") as lines:
        return [float(row[column]) for row in csv.DictReader(lines) if row[column]]


def digits(value, shown):
    """The value with as many digits as the text has."""
    count = len(re.sub(r"e.*|[.]|^0[.]0*", "", shown))
    return f"{value:.{count}g}"


def compare(what, values, shown):
    found = [digits(value, text) for value, text in zip(values, shown)]
    if len(values) < len(shown) or [float(text) for text in shown] != [float(text) for text in found]:
        sys.exit(f"{what}: the page has {shown}, but the program computes {found}")


def rows(text):
    """The cells of the rows of all tables, without their headers' rules."""
    for line in text.splitlines():
        if line.startswith("| ") and "---" not in line:
            yield [cell.strip() for cell in line.strip("| ").split("|")]


def main():
    source, stencilc = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    text = (source / "examples/multigrid/README.md").read_text(encoding="utf-8")
    commands = tables = 0
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(source / "examples", f"{directory}/examples")
        for line in text.splitlines():
            if not line.startswith("    stencilc "):
                continue
            command = small(shlex.split(line))
            run(command, directory, stencilc)
            written = [command[w + 1] for w, word in enumerate(command) if word == "--history"]
            for file in written:
                if not os.path.getsize(f"{directory}/{file}"):
                    sys.exit(f"{line}: no {file}")
            commands += 1
        sizes = []
        for row in rows(text):
            named = re.match(r"`(\w+)`", row[0])
            listed = re.match(r"\[`(\w+).stn`\]", row[0])
            if listed:
                said = run(["stencilc", "explain", f"examples/multigrid/{listed[1]}.stn"], directory, stencilc)
                if "phase" not in said:
                    sys.exit(f"explain {listed[1]}: no phases")
            if named and len(row) == 7:
                size = 64 if named[1] in SMALL else 65
                arguments = ["-D", f"N={size}", "-D", "L=5", "--steps", "5"]
                for name, number in DEFINED.items():
                    if name in row[0]:
                        arguments += ["-D", f"smoother={number}"]
                values = history(named[1], arguments, "norm", directory, stencilc)
                compare(row[0], values, row[1:6])
                compare(row[0], [values[-1] / values[-2]], row[6:])
                tables += 1
            if row[0] == "points per dimension":
                sizes = row[1:]
            if row[0] == "error":
                found = []
                for points in sizes:
                    levels = (int(points) - 1).bit_length() - 1
                    arguments = ["-D", f"N={points}", "-D", f"L={levels}", "--steps", "8"]
                    found.append(history("full", arguments, "error", directory, stencilc)[-1])
                compare("error", found, row[1:])
                tables += 1
    print(f"{commands} commands, {tables} rows of tables")
    return 0 if commands == 3 and tables == 11 else 1


sys.exit(main())

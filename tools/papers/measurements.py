"""Suites of a paper, the script that measures them, and the results.

A paper is a module (such as holewinski_2012.py) with

    NAME, TITLE               base of its file names, heading of messages
    timed(scale)              entries of a suite whose jobs are timed (docs/contributing.md, Suites)
    counted(scale)            entries whose kernels are counted: stencil_bench --counts
    commands(scale)           additional calls of stencilc, a list of Command
    tables(results)           name -> Markdown, for the markers of docs/papers/NAME.md
    plots(results)            name -> chart (style.py), for docs/papers/NAME-*.svg
    faults(results)           deviations from the expected results, as text

`make` writes suites and the script `measure` into a directory. `measure` only needs Bash and the two
binaries, so it runs on any machine with a GPU. `Results` reads its output. Rates are in GCells/s,
10^9 point updates per second; times are in ms; counts are for a full time tile unless noted
otherwise.
"""
import dataclasses
import itertools
import json
import os
import pathlib
import re
import shlex
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Problem(Exception):
    """An error with reason and remedy, printed without a stack trace."""


@dataclasses.dataclass(frozen=True)
class Scale:
    """Extent of the runs: everything, or the small sizes of --quick."""
    quick: bool = False
    stand_in: str = ""  # schedule line that replaces all presets; empty: use the presets

    def line(self, schedule):
        """The line that replaces `schedule` in suites and results."""
        return self.stand_in if self.stand_in and schedule.startswith("@") else schedule


@dataclasses.dataclass(frozen=True)
class Command:
    """A call of stencilc, whose output becomes NAME.txt in the results. `field`: a field that the run
    writes; its SHA-256 becomes the last line of the text, and the .npy file is deleted. `device`: accepts
    --device. `file`: an option that takes the name of a JSON file to keep. `shared`: common to all
    papers, so it runs once."""
    name: str
    arguments: tuple
    field: str = ""
    device: bool = False
    file: str = ""
    shared: bool = False

    def stem(self, paper):
        """The name of its results, without extension."""
        return self.name if self.shared else f"{paper.NAME}-{self.name}"


# Calibration of the machine: docs/design/measure.md.
DEVICES = Command("devices", ("devices", "--measure"), device=True, file="--json", shared=True)


def write_whole(path, text):
    """Writes a file atomically."""
    path = pathlib.Path(path)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_json(path, value):
    write_whole(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def expand(line):
    """Expands the braces of a schedule line like stencil_bench and a shell (no nesting)."""
    parts = [part.split(",") if i % 2 else [part] for i, part in enumerate(re.split(r"\{([^}]*)\}", line))]
    return ["".join(choice) for choice in itertools.product(*parts)]


def suite_of(entries, scale):
    """A suite whose presets are replaced by the stand-in."""
    return [{**entry, "schedules": [scale.line(line) for line in entry["schedules"]]} for entry in entries]


SCRIPT = """#!/usr/bin/env bash
# Measures the suites beside this file, written by tools/papers/run. Run from the root of the repository:
#
#   measure BIN DEVICE OUT [--budget S] [--continue] [--threads N] [--check-only]
#
# BIN: directory of stencilc and stencil_bench. DEVICE: cuda, opencl, host. OUT: directory for results.
# Further arguments go to stencil_bench for timed suites. With --continue, successful calls of stencilc
# are not repeated. If a part fails, the others still run; the exit status is that of the last failure.
set -u
bin=$1 device=$2 out=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out" || exit 2
failed=0
case " $* " in *" --continue "*) continued=yes ;; *) continued= ;; esac

note() {
  local status=$?
  rm -f "$out/$1.failed"
  if [ "$status" -ne 0 ]; then
    failed=$status
    echo "measure: $1: status $status" >&2
    : >"$out/$1.failed"
  fi
}
timed() {
  "$bin/stencil_bench" "$here/$1.json" --device "$device" --out "$out/$1.json" "${@:2}"
  note "$1"
}
counted() {
  "$bin/stencil_bench" "$here/$1-counts.json" --counts --out "$out/$1-counts.json"
  note "$1-counts"
}
called() {  # NAME FIELD ARGUMENTS: hashes the output of FIELD, unless FIELD is empty
  local array="$out/$1.npy"
  [ -n "$continued" ] && [ -f "$out/$1.txt" ] && [ ! -f "$out/$1.failed" ] && return
  "$bin/stencilc" "${@:3}" ${2:+--out "$2=$array"} >"$out/$1.txt" 2>&1
  note "$1"
  [ ! -f "$array" ] || printf 'sha256 %s\\n' "$(sha256sum <"$array" | cut -d' ' -f1)" >>"$out/$1.txt"
  rm -f "$array"
}

"""


def call_of(paper, command):
    """The script line for a call."""
    words = ("called", command.stem(paper), command.field, *command.arguments)
    text = " ".join(shlex.quote(word) for word in words)
    text += ' --device "$device"' if command.device else ""
    if command.file:
        text += f' {command.file} "$out/{command.stem(paper)}.json"'
    return text


PARTS = ("timed", "counts", "calls")


def make(papers, scale, directory, parts=PARTS):
    """Writes the suites of papers and the script `measure` into a new directory. `parts`: of each
    paper."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    lines = []
    for paper in papers:
        suites = {"timed": ("", paper.timed(scale)), "counts": ("-counts", paper.counted(scale))}
        for suffix, entries in (suite for part, suite in suites.items() if part in parts):
            if entries:
                write_json(directory / f"{paper.NAME}{suffix}.json", suite_of(entries, scale))
                lines.append(f"counted {paper.NAME}" if suffix else f'timed {paper.NAME} "$@"')
        calls = [call_of(paper, command) for command in paper.commands(scale) if "calls" in parts]
        lines += [call for call in calls if call not in lines]
    script = directory / "measure"
    write_whole(script, SCRIPT + "\n".join(lines) + '\nexit "$failed"\n')
    script.chmod(0o755)


def read_json(path):
    """The content of a JSON file. Raises Problem for other files."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Problem(f"{path} is not JSON: {error}; measure it again") from error


def verdict(record):
    """Why a job has no result, as text; None if it has one."""
    for key in ("error", "refused", "left_out"):
        if key in record:
            return str(record[key]).strip()
    passed = record.get("check", "passed") == "passed"
    return "" if passed else f'results differ: {record["check"]}'


class Results:
    """The output of `measure` for one paper, from several directories; the first directory with a file
    wins. Missing values are None and become dashes in tables."""

    def __init__(self, paper, directories, scale, counters=None):
        self.paper, self.scale = paper, scale
        self.directories = [pathlib.Path(each) for each in directories]
        self.commands = {command.name: command for command in paper.commands(scale)}
        self.timing = self._json(paper.NAME) or {}
        self.counting = self._json(f"{paper.NAME}-counts") or {}
        self.counters = counters or {}  # from ncu: kernel name -> counter -> value (counters.py)

    def _path(self, name):
        paths = [directory / name for directory in self.directories]
        return next((path for path in paths if path.exists()), None)

    def _json(self, stem):
        path = self._path(f"{stem}.json")
        return path and read_json(path)

    def anything(self):
        """Whether any file of the paper exists."""
        stems = [self.paper.NAME, f"{self.paper.NAME}-counts"]
        stems += [command.stem(self.paper) for command in self.commands.values() if not command.shared]
        return any(self._path(stem + ending) for stem in stems for ending in (".json", ".txt"))

    def _select(self, records, program, line, conditions):
        wanted = None if line is None else {self.scale.line(each) for each in expand(line)}
        for record in records:
            if program not in (None, record["program"]) or (wanted and record["schedule"] not in wanted):
                continue
            define = record.get("define", {})
            if all((define if key in define else record).get(key) == value for key, value in conditions.items()):
                yield record

    def timed(self, program=None, line=None, **conditions):
        """Records of timed jobs of a program and a schedule line (braces: all alternatives; None: any)
        whose params or members have the given values."""
        return list(self._select(self.timing.get("results", []), program, line, conditions))

    def best(self, program, line, **conditions):
        """The fastest record among these, or None."""
        found = [each for each in self.timed(program, line, **conditions) if "gcells" in each and not verdict(each)]
        return max(found, key=lambda each: each["gcells"], default=None)

    def rate(self, program, line, **conditions):
        """GCells/s of the fastest record, or None."""
        record = self.best(program, line, **conditions)
        return record and record["gcells"]

    def counts(self, program, line, **conditions):
        """The counts of a job, or None."""
        found = self._select(self.counting.get("results", []), program, line, conditions)
        return next((each["counts"] for each in found if "counts" in each), None)

    def per_point(self, counts, key):
        """A count per useful point and step, or None."""
        return counts[key] / (counts["points"] * counts["steps"]) if counts and key in counts else None

    def text(self, name):
        """The output of a command, or None."""
        path = name in self.commands and self._path(f"{self.commands[name].stem(self.paper)}.txt")
        return None if not path else path.read_text(encoding="utf-8", errors="replace")

    def file(self, name):
        """The JSON file of a command, or None."""
        return self._json(self.commands[name].stem(self.paper)) if name in self.commands else None

    def machine(self):
        """Figures, curves and machine of the first measured device (docs/design/measure.md), or None."""
        found = self.file(DEVICES.name)
        return found["devices"][0] if found and found["devices"] else None

    def device(self):
        """Description of the machine of the timed jobs."""
        return self.timing.get("machine", "no device yet")

    def failures(self):
        """Jobs that failed, were refused or left out, by name."""
        out = []
        for records in (self.timing.get("results", []), self.counting.get("results", [])):
            for record in records:
                if verdict(record):
                    title = f'{record["program"]} {record.get("real", "")} by "{record["schedule"]}"'
                    out.append(f"{self.paper.NAME}: {title}: {verdict(record)}")
        return out

    def missing(self, parts=PARTS):
        """Missing files of these parts."""
        names = [f"{self.paper.NAME}.json"] if "timed" in parts else []
        names += [f"{self.paper.NAME}-counts.json"] if "counts" in parts else []
        names += [command.stem(self.paper) + (".json" if command.file else ".txt")
                  for command in self.commands.values() if "calls" in parts]
        where = " and ".join(map(str, self.directories))
        return [f"{self.paper.NAME}: there is no {name} in {where}" for name in names if not self._path(name)]

    KEPT = ("program", "real", "fp", "define", "steps", "schedule", "settings", "chosen", "registers", "local_bytes",
            "shared_bytes", "gcells", "time_ms", "copy_gbs", "copy_gcells", "check", "checked_against", "refused",
            "error", "left_out", "counts")

    def figures(self):
        """All figures of a paper as one value, for docs/papers/NAME.json."""
        def kept(record):
            out = {key: record[key] for key in self.KEPT if key in record}
            if "counts" in out:
                out["counts"] = {key: value for key, value in out["counts"].items() if key != "kernels"}
            return out
        out = {"paper": self.paper.TITLE}
        out |= {key: self.timing[key] for key in ("device", "machine") if key in self.timing}
        out["timed"] = [kept(record) for record in self.timing.get("results", [])]
        out["counted"] = [kept(record) for record in self.counting.get("results", [])]
        out["calls"] = {name: self.file(name) if command.file else self.text(name)
                        for name, command in self.commands.items()}
        if self.counters:
            out["counters"] = self.counters
        return out


def unpack(paper, figures, directory):
    """Writes the files that Results reads from the figures of a page."""
    head = {key: figures[key] for key in ("device", "machine") if key in figures}
    write_json(directory / f"{paper.NAME}.json", head | {"results": figures["timed"]})
    write_json(directory / f"{paper.NAME}-counts.json", head | {"results": figures["counted"]})
    for command in paper.commands(Scale()):
        value = figures["calls"].get(command.name)
        if value is None:
            continue
        path = directory / (command.stem(paper) + (".json" if command.file else ".txt"))
        if command.file:
            write_json(path, value)
        else:
            write_whole(path, value)

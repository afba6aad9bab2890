"""What the command line does and the library does not: explain, explore, verify, emit, cache.

These functions run the program `stencilc` of the package. Keyword arguments are its options:
``budget=20`` is ``--budget 20``, ``full=True`` is ``--full``.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from .__main__ import program as _command
from ._errors import Error

if TYPE_CHECKING:
    from ._program import Program

_ERROR = re.compile(r"^(?:[^\n]*: )?error (?P<code>[A-Z]\d+): (?P<message>.*)$", re.M)
_HINT = re.compile(r"^ *(?:= )?hint: (?P<hint>.*)$", re.M)


def _options(options: Mapping[str, Any]) -> list[str]:
    out = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        elif isinstance(value, (list, tuple)):
            for one in value:
                out += [flag, str(one)]
        else:
            out += [flag, str(value)]
    return out


def _program_options(program: Program) -> list[str]:
    given = program._options
    out = []
    from ._program import text_of

    for name, value in given["definitions"].items():
        out += ["-D", f"{name}={text_of(name, value)}"]
    for name in given["open"]:
        out += ["--open", name]
    for name in given["fix"]:
        out += ["--fix", name]
    out += ["--real", given["real"], "--fp", given["fp"]]
    if given["steps"] is not None:
        out += ["--steps", str(given["steps"])]
    return out


def _call(arguments: list[str], accepted: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [_command(), *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode in accepted:
        return done
    said = done.stderr.strip() or done.stdout.strip()
    error = _ERROR.search(said)
    hint = _HINT.search(said)
    raise Error(
        error["code"] if error else "",
        error["message"] if error else said or f"stencilc ended with status {done.returncode}",
        hint["hint"] if hint else "",
        said + "\n",
    )


def _on_program(
    command: list[str],
    program: Program,
    arguments: list[str],
    accepted: tuple[int, ...] = (0,),
) -> subprocess.CompletedProcess:
    """Runs a command on a program, which gets a file of its own."""
    with tempfile.TemporaryDirectory(prefix="stencilc-") as directory:
        file = os.path.join(directory, program.name + ".stn")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(program.text)
        return _call([*command, file, *_program_options(program), *arguments], accepted)


def explain(program: Program, **options: Any) -> str:
    return _on_program(["explain"], program, _options(options)).stdout


def explore(program: Program, **options: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="stencilc-") as directory:
        report = os.path.join(directory, "report.json")
        _on_program(["explore"], program, [*_options(options), "--json", report])
        with open(report, encoding="utf-8") as stream:
            return json.load(stream)


@dataclasses.dataclass(frozen=True)
class Verification:
    """The result of Program.verify()."""

    ok: bool  #: all cases that were run agree with the reference interpreter
    text: str  #: the report: cases, differences

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text


def verify(program: Program, **options: Any) -> Verification:
    done = _on_program(["verify"], program, _options(options), accepted=(0, 1))
    if done.returncode == 1 and _ERROR.search(done.stderr):
        _ERROR_IN = _ERROR.search(done.stderr)
        raise Error(_ERROR_IN["code"], _ERROR_IN["message"], "", done.stderr)
    return Verification(done.returncode == 0, done.stdout)


_STAGES = ("ast", "stn", "ir", "kernel-ir", "host-ir", "cuda", "hip", "opencl", "cpp")
_EXTENSIONS = {"cuda": ".cu", "hip": ".hip", "opencl": ".cl", "cpp": ".cpp"}


def emit(program: Program, target: str, **options: Any) -> str:
    if target not in _STAGES:
        raise Error("R051", f"no target '{target}'", "give one of " + ", ".join(_STAGES))
    if target not in _EXTENSIONS:
        return _on_program([], program, ["--emit", target, *_options(options)]).stdout
    with tempfile.TemporaryDirectory(prefix="stencilc-") as directory:
        file = os.path.join(directory, program.name + _EXTENSIONS[target])
        _on_program([], program, ["--target", target, "-o", file, *_options(options)])
        with open(file, encoding="utf-8") as stream:
            return stream.read()


def devices() -> list[_core.Device]:
    """The kinds of devices, in the order in which "auto" prefers them.

    A device has the attributes name, description, available, reason (why it is absent) and
    takes_pointers.
    """
    return _core.devices()


def choose_device(name: str = "auto") -> _core.Device:
    """The device of this name. R040 for an unknown name, R041 if it is absent."""
    return _core.choose_device(name)


def cache(clear: bool = False) -> str:
    """What the kernel cache holds, as text; clear=True empties it."""
    return _call(["cache", *(["--clear"] if clear else [])]).stdout


@dataclasses.dataclass(frozen=True)
class Lifted:
    """A program that a C or C++ file was lifted to."""

    text: str  #: of the program
    program: Program
    assumed: list[str]  #: assumptions beyond the C code
    verified: bool  #: the program gives the results of the original
    proof: str  #: what was compared, or why nothing was


def lift(
    file: str | os.PathLike[str],
    function: str = "",
    *,
    flags: Iterable[str] = (),
    params: Iterable[str] = (),
    compile_commands: str = "",
    unroll: int = 32,
    verify: bool = True,
    seed: int = 1,
    **options: Any,
) -> Lifted:
    """Lifts loops of C or C++ to a program; see docs/guide/lift.md.

    function: the function to lift; "": the region of #pragma scop, or the only grid loop.
    flags: for the C compiler, such as "-DN=512". params: macros and constants that become params.
    verify: compile and run the original in a confined process, and compare the results.
    options: options of load() for the program.

    Errors: C codes if the file cannot be lifted, with the line; C030 if results differ; R041
    without the host compiler.
    """
    from ._program import compile

    lifted = _core.lift_source(
        os.fspath(file), function, list(flags), compile_commands, unroll, verify, seed, list(params)
    )
    program = compile(lifted.text, **options)
    return Lifted(lifted.text, program, lifted.assumed, lifted.verified, lifted.proof)

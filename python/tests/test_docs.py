"""The reference and the stub are up to date."""

import pathlib
import re
import subprocess
import sys

import stencilc as st
from stencilc import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_reference_page_is_that_of_the_docstrings():
    package = str(pathlib.Path(st.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "docs" / "python", "--check"],
        env={"PYTHONPATH": package, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_everything_public_has_a_docstring():
    for name in st.__all__:
        thing = getattr(st, name)
        if callable(thing) and not isinstance(thing, st.Expr):
            assert thing.__doc__, name


def test_the_stub_names_everything():
    text = (pathlib.Path(st.__file__).parent / "_core.pyi").read_text()
    named = set(re.findall(r"^(?:class|def) (\w+)|^(\w+):", text, re.M))
    named = {name for pair in named for name in pair if name}
    assert {name for name in dir(_core) if not name.startswith("_")} <= named

"""The commands of docs/guide/python.md print what the page says."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import present

import stencilc as st

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_guide(binaries, tmp_path):
    if not present("host"):
        pytest.skip("the device host is absent")
    # `python3` of the page is this Python.
    (tools := tmp_path / "tools").mkdir()
    python = tools / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    shutil.copy(os.path.join(binaries, "stencilc"), tools / "stencilc")
    package = pathlib.Path(st.__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": f"{package}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "tests" / "docs" / "run_page.py",
            ROOT / "docs" / "guide" / "python.md",
            tools / "stencilc",
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

"""Random programs, made in Python from their syntax trees, have the syntax trees of their texts."""

import glob
import os
import pathlib
import subprocess

import pytest
from translate import dump, in_order_of_python, parse, translate

import stencilc as st

MULTIGRID = pathlib.Path(__file__).resolve().parents[2] / "examples" / "multigrid"
PROGRAMS = 500 if os.environ.get("STENCIL_LONG") else 20


def tree_of(binaries, text, directory):
    file = directory / "random.stn"
    file.write_text(text)
    done = subprocess.run(
        [os.path.join(binaries, "stencilc"), str(file), "--emit", "ast"],
        capture_output=True,
        text=True,
        check=True,
    )
    return in_order_of_python(parse(done.stdout))


def compare(binaries, text, directory):
    expected = tree_of(binaries, text, directory)
    made = translate(expected, "random")
    assert dump(tree_of(binaries, made.text, directory)) == dump(expected)
    return made


def test_random_programs_are_equal_to_their_text(binaries, tmp_path):
    generator = os.path.join(binaries, "property_test")
    if not os.path.exists(generator):
        pytest.skip("property_test is not built")
    failed = {}
    for seed in range(1, PROGRAMS + 1):
        printed = subprocess.run(
            [generator, "--print", str(seed)], capture_output=True, text=True, check=True
        )
        try:
            made = compare(binaries, printed.stdout, tmp_path)
            assert made.fields.keys() == st.compile(printed.stdout).fields.keys()
        except Exception as error:
            failed[seed] = f"{type(error).__name__}: {error}"
    assert not failed, f"{len(failed)} of {PROGRAMS} programs: {failed}"


def test_examples_are_equal_to_their_text(binaries, tmp_path):
    examples = os.path.join(os.path.dirname(st.__file__), "examples")
    files = sorted(glob.glob(os.path.join(examples, "*.stn")))
    multigrid = sorted(glob.glob(os.path.join(MULTIGRID, "*.stn")))
    assert len(files) > 30 and len(multigrid) > 5
    for file in (files if os.environ.get("STENCIL_LONG") else files[::4]) + multigrid:
        with open(file) as stream:
            compare(binaries, stream.read(), tmp_path)

"""Random programs, made in Python from their syntax trees, have the syntax trees of their texts."""

import os
import subprocess

import pytest
from translate import dump, in_order_of_python, parse, translate

import stencilc as st

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


def is_beyond_python(program):
    """Whether the program has several grids, levels, or blocks: only texts have them."""
    for item in program.children:
        kind = item.words[0]
        if kind in ("step", "start", "cycle"):
            return True
        if kind == "grid" and (" of " in item.line or item.part("levels")):
            return True
    return False


def compare(binaries, text, directory):
    expected = tree_of(binaries, text, directory)
    if is_beyond_python(expected):
        return None
    made = translate(expected, "random")
    assert dump(tree_of(binaries, made.text, directory)) == dump(expected)
    return made


def test_random_programs_are_equal_to_their_text(binaries, tmp_path):
    generator = os.path.join(binaries, "property_test")
    if not os.path.exists(generator):
        pytest.skip("property_test is not built")
    failed = {}
    compared = 0
    for seed in range(1, PROGRAMS + 1):
        printed = subprocess.run(
            [generator, "--print", str(seed)], capture_output=True, text=True, check=True
        )
        try:
            made = compare(binaries, printed.stdout, tmp_path)
            if made is None:
                continue
            compared += 1
            assert made.fields.keys() == st.compile(printed.stdout).fields.keys()
        except Exception as error:
            failed[seed] = f"{type(error).__name__}: {error}"
    assert not failed, f"{len(failed)} of {PROGRAMS} programs: {failed}"
    assert compared > PROGRAMS // 2


def test_examples_are_equal_to_their_text(binaries, tmp_path):
    examples = os.path.join(os.path.dirname(st.__file__), "examples")
    names = sorted(name for name in os.listdir(examples) if name.endswith(".stn"))
    assert len(names) > 30
    for name in names if os.environ.get("STENCIL_LONG") else names[::4]:
        with open(os.path.join(examples, name)) as stream:
            compare(binaries, stream.read(), tmp_path)

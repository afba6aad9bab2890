"""Runs the tests of the package with pytest: run.py STENCILC [ARGUMENTS]. Status 77: no pytest."""

import os
import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as error:
    print(f"skipped: {error}; install it: {sys.executable} -m pip install numpy pytest")
    sys.exit(77)

os.environ["TEST_STENCILC"] = sys.argv[1]
os.environ.setdefault("STENCIL_CACHE", "off")
os.environ.setdefault("STENCIL_TUNED", "off")
directory = os.path.dirname(os.path.abspath(__file__))
sys.exit(pytest.main([directory, "-q", "-p", "no:cacheprovider", *sys.argv[2:]]))

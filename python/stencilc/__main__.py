"""The command line: `python -m stencilc` and the script `stencilc` run the same program."""

from __future__ import annotations

import os
import sys


def program() -> str:
    """The file of the program `stencilc`."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stencilc")


def main() -> None:
    from . import _nvrtc

    file = program()
    _nvrtc.announce()
    try:
        os.execv(file, ["stencilc", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"stencilc: {file}: {error.strerror}")


if __name__ == "__main__":
    main()

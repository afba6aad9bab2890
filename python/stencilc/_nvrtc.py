"""Finds NVIDIA's wheels, which hold the compiler of CUDA kernels (NVRTC).

The library looks for NVRTC in the system first, and then in the directories that STENCIL_NVRTC_PATH
names.
"""

from __future__ import annotations

import glob
import importlib.util
import os


def directories() -> list[str]:
    """The directories of the installed wheels that hold NVRTC."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    found = []
    for place in spec.submodule_search_locations or []:
        for file in sorted(glob.glob(os.path.join(place, "*", "lib", "libnvrtc.so.*"))):
            found.append(os.path.dirname(file))
    return list(dict.fromkeys(found))


def announce() -> None:
    """Names the directories to the library, and to programs that this process starts."""
    found = directories()
    if found:
        os.environ.setdefault("STENCIL_NVRTC_PATH", os.pathsep.join(found))

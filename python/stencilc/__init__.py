"""stencilc: stencil programs from Python.

A program comes from a file, from text, or from Python::

    import stencilc as st

    p = st.load("heat.stn", N=512)
    p = st.compile("grid G = ...; ...")

    N = st.param(512)
    G = st.grid(N, N, steps=100)
    A = st.field(G, boundary="clamp")
    k = st.param(0.1)

    @st.stencil(A, on=G.interior(1))
    def diffuse():
        return A[0, 0] + k * (A[-1, 0] + A[1, 0] + A[0, -1] + A[0, 1] - 4 * A[0, 0])

    p = st.program(G)

Each gives a Program, which runs on the devices of this machine::

    sim = p.start(A=array)
    sim.run(progress=True)
    print(sim["A"].max())

docs/guide/python.md is the guide, docs/reference/language.md defines the language.
"""

from __future__ import annotations

from . import _core, _nvrtc
from ._errors import Error
from ._function import Function
from ._program import Field, Param, Program, Reduction, compile, load
from ._simulation import Frame, Simulation, output
from ._start import join_ranks
from ._tools import Lifted, Verification, cache, choose_device, devices, lift
from ._trace import *  # noqa: F401,F403  the names of the language
from ._trace import __all__ as _language

__version__: str = _core.version()

_nvrtc.announce()

__all__ = [
    "Error",
    "Field",
    "Frame",
    "Function",
    "Lifted",
    "Param",
    "Program",
    "Reduction",
    "Simulation",
    "Verification",
    "cache",
    "choose_device",
    "compile",
    "devices",
    "join_ranks",
    "lift",
    "load",
    "output",
    *_language,
]

"""Tools, the command line, pictures."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import present
from test_programs import HEAT

import stencilc as st


def test_explain_explore_verify_emit():
    p = st.compile(HEAT, N=24)
    assert "halo" in p.explain(machine="sm_90")
    report = p.explore(machine="sm_80", target="cuda")
    assert len(p.schedules(machine="sm_80", target="cuda")) == len(report["candidates"]) > 3
    assert "__global__" in p.emit("cuda", machine="sm_80", schedule="direct")
    assert "stencil heat" in p.emit("ast")
    assert "heat_run" in p.define(N=8).emit("cpp", main=True) or "program_run" in p.emit("cpp")
    result = p.verify("host", quick=True, schedule="direct", budget=300)
    assert result and str(result)


def test_errors_of_tools_are_exceptions():
    p = st.compile(HEAT)
    with pytest.raises(st.Error) as raised:
        p.explain(schedule="diagonal T=3")
    assert raised.value.code.startswith("L") and raised.value.text
    with pytest.raises(st.Error, match="no target"):
        p.emit("fortran")


def test_devices_and_cache():
    names = [device.name for device in st.devices()]
    assert names == ["cuda", "host", "opencl", "reference"]
    assert st.choose_device("reference").available
    with pytest.raises(st.Error) as raised:
        st.choose_device("abacus")
    assert raised.value.code == "R040"
    assert isinstance(st.cache(), str)


def test_lift(tmp_path):
    if not present("host"):
        pytest.skip("lifting needs the host compiler")
    file = tmp_path / "blur.c"
    file.write_text(
        "#define N 64\n"
        "void blur(float a[N], float b[N]) {\n"
        "  for (int i = 1; i < N - 1; ++i) b[i] = 0.25f * (a[i-1] + 2 * a[i] + a[i+1]);\n"
        "}\n"
    )
    lifted = st.lift(file, "blur")
    assert lifted.verified and set(lifted.program.fields) == {"a", "b"}
    with pytest.raises(st.Error) as raised:
        st.lift(file, "sharpen")
    assert raised.value.code.startswith("C")


def test_the_command_line_is_part_of_the_package():
    done = subprocess.run(
        [sys.executable, "-m", "stencilc", "--version"], capture_output=True, text=True, check=True
    )
    assert st.__version__ in done.stdout


def test_nvrtc_is_found_in_wheels(tmp_path, monkeypatch):
    from stencilc import _nvrtc

    lib = tmp_path / "nvidia" / "cuda_nvrtc" / "lib"
    lib.mkdir(parents=True)
    (lib / "libnvrtc.so.12").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("STENCIL_NVRTC_PATH", raising=False)
    monkeypatch.setenv("STENCIL_NVRTC_PATH", "")
    os.environ.pop("STENCIL_NVRTC_PATH")
    sys.modules.pop("nvidia", None)
    assert _nvrtc.directories() == [str(lib)]
    _nvrtc.announce()
    assert os.environ["STENCIL_NVRTC_PATH"] == str(lib)


def test_pictures(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    sim = st.compile(HEAT).start("reference")
    axes = sim.plot("T", cmap="viridis")
    assert axes.get_title() == "program, step 0" and axes.get_xlabel() == "x"
    assert axes.images[0].get_extent() == [-0.125, 7.875, 8.75, 0.75]
    made = sim.animate(every=5)
    assert made.frames == 5 and sim.step == 20
    assert "<img" in made._repr_html_() or "<script" in made._repr_html_()
    cube = st.load("heat3d.stn", N=8).start("reference")
    assert cube.plot(plane=0).images[0].get_array().min() == 100
    line = st.compile("grid G = [0..7] steps 1; field A : real on G; stencil s : A on G = 1;")
    assert np.allclose(line.start("reference").plot().lines[0].get_ydata(), 0)
    flow = st.compile(
        "grid G = [0..7] steps 1; field A : vector 2 of real on G; stencil s : A on G = 1;"
    )
    with pytest.raises(st.Error, match="one component"):
        flow.start("reference").plot()

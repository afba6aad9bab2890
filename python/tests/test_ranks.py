"""Runs of several processes with mpi4py."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import present

HERE = pathlib.Path(__file__).resolve().parent


def test_two_processes():
    pytest.importorskip("mpi4py")
    launcher = shutil.which("mpiexec")
    if launcher is None or not present("host"):
        pytest.skip("no mpiexec, or no device host")
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    done = subprocess.run(
        [launcher, "-n", "2", sys.executable, HERE / "ranks.py"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0 and "OK" in done.stdout, done.stdout + done.stderr


def test_subdomains_of_one_process(device):
    import numpy as np
    from test_programs import HEAT

    import stencilc as st

    if device != "host":
        pytest.skip("one device is enough")
    p = st.compile(HEAT, N=48)
    expected = p.start("reference")
    expected.run()
    sim = p.start("host", gpus=2)
    assert sim.parts.startswith("2")
    sim.run()
    np.testing.assert_array_equal(sim["T"], expected["T"])

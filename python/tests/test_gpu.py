"""Arrays on a GPU: with the fake driver of the tests; gpu_check.py needs a real GPU."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent


def test_arrays_on_the_fake_gpu(binaries):
    driver = pathlib.Path(binaries).parent / "fake_cuda"
    if not (driver / "libcuda.so.1").exists():
        pytest.skip("the fake driver is not built")
    paths = [str(driver), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, paths))}
    probe = "import stencilc as st; print(st.devices()[0].description, st.devices()[0].reason)"
    said = subprocess.run(
        [sys.executable, "-c", probe], env=environment, capture_output=True, text=True, check=True
    ).stdout
    if "Fake A" not in said:
        pytest.skip(f"no CUDA: {said}")
    done = subprocess.run(
        [sys.executable, HERE / "fake_gpu.py"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.endswith("OK\n"), done.stdout + done.stderr


def test_a_real_gpu():
    if not os.path.exists("/dev/nvidiactl"):
        pytest.skip("no GPU")
    done = subprocess.run([sys.executable, HERE / "gpu_check.py"], check=False)
    assert done.returncode == 0

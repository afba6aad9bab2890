"""What the tests share."""

import os
import shutil

import pytest

os.environ.setdefault("STENCIL_CACHE", "off")
os.environ.setdefault("STENCIL_TUNED", "off")

import stencilc as st  # noqa: E402


@pytest.fixture(scope="session")
def binaries():
    """The directory with stencilc and the other programs of the build."""
    command = os.environ.get("TEST_STENCILC") or shutil.which("stencilc")
    if not command:
        pytest.skip("the tests do not know where the build is")
    return os.path.dirname(os.path.abspath(command))


def present(name):
    return any(device.name == name and device.available for device in st.devices())


@pytest.fixture(scope="session", params=["host", "reference"])
def device(request):
    """The devices that work in NumPy arrays."""
    if not present(request.param):
        pytest.skip("the device host is absent")
    return request.param

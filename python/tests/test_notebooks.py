"""The notebooks of docs/ run with this package."""

import pathlib

import pytest
from conftest import present

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
NOTEBOOKS = sorted(p for p in DOCS.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path, tmp_path):
    if not present("host"):
        pytest.skip("the device host is absent")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    client.execute(cwd=tmp_path)  # a cell that fails raises CellExecutionError
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells and all(cell.execution_count for cell in cells)
    assert any("image/png" in out.get("data", {}) for cell in cells for out in cell.outputs)

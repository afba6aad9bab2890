#!/usr/bin/env python3
"""Executes the notebooks of docs/ into build/site-notebooks, if the package stencilc is installed.

A notebook is executed again if it or the package has changed. A cell that fails is an error.
"""
import hashlib
import pathlib
import sys

import nbclient
import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
OUT = ROOT / "build/site-notebooks"


def package():
    """The files of the installed package; none if it cannot be imported."""
    try:
        import stencilc
    except ImportError:
        return []
    return sorted(path for place in stencilc.__path__ for path in pathlib.Path(place).rglob("*") if path.is_file())


def main():
    files = [path for path in package() if "__pycache__" not in path.parts]
    if not files:
        return 0
    state = "".join(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}\n" for path in files)
    for path in sorted(DOCS.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        out = OUT / path.relative_to(DOCS)
        stamp = out.with_suffix(".stamp")
        digest = hashlib.sha256((state + path.read_text()).encode()).hexdigest()
        if out.exists() and stamp.exists() and stamp.read_text() == digest:
            continue
        print(f"site: executing {path.relative_to(ROOT)}", flush=True)
        notebook = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=path.parent)
        out.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, out)
        stamp.write_text(digest)
    return 0


if __name__ == "__main__":
    sys.exit(main())

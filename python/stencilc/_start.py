"""Starts simulations: chooses the device for the given arrays, and joins processes."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Mapping
from typing import Any, Callable

from . import _core
from ._errors import Error
from ._program import Program
from ._simulation import Simulation
from ._stores import DeviceArrays, Given, HostArrays, Names, OwnArrays, run_fields


def start(
    program: Program,
    *,
    device: str,
    schedule: str | None,
    arrays: Mapping[str, Any],
    params: dict[str, str],
    copy: bool,
    stream: Any,
    gpus: int | str | None,
    ranks: Any,
    exchange: int,
    stage: Callable[[str], Any] | None,
) -> Simulation:
    fields = run_fields(program, params)
    given = Given(Names(fields), arrays, stream)
    gpu = given.gpu()
    if gpu is not None:
        if gpus is not None or ranks is not None:
            raise Error(
                "R045",
                "arrays on a GPU can only be used by a run on this GPU alone",
                "give host arrays, or leave out gpus and ranks",
            )
        device = _device_of_arrays(device, gpu)
        kernel = program.kernel(device, schedule, dense=True, stage=stage)
        return Simulation(
            program, kernel, fields, DeviceArrays(kernel, fields, given, params, copy)
        )
    parts = "" if gpus is None else str(gpus)
    if gpus is not None and device == "auto":
        device = "cuda"
    if ranks is not None:
        join_ranks(ranks)
        kernel = program.kernel(
            device, schedule, parts=parts, ranks=True, exchange=exchange, stage=stage
        )
        if kernel.serves():
            kernel.serve()
            return None  # type: ignore[return-value]
        out = Simulation(program, kernel, fields, OwnArrays(kernel, fields, given, params))
        _ranked.add(out)
        return out
    kernel = program.kernel(device, schedule, parts=parts, exchange=exchange, stage=stage)
    if kernel.device.name in ("host", "reference") and not parts:
        return Simulation(program, kernel, fields, HostArrays(kernel, fields, given, params, copy))
    return Simulation(program, kernel, fields, OwnArrays(kernel, fields, given, params))


def _device_of_arrays(device: str, gpu: int) -> str:
    """The device for arrays on a GPU: no other one can use their addresses."""
    own = f"cuda:{gpu}"
    if device in ("auto", "cuda", own):
        return own
    raise Error(
        "R045",
        f"the arrays are on the GPU {own}, but the run is on {device}",
        f"leave out device, or copy the arrays to {'the host' if device[:4] != 'cuda' else device}",
    )


def join_ranks(communicator: Any) -> tuple[int, int]:
    """Joins the processes of a communicator of mpi4py; returns (rank, size). Collective."""
    from mpi4py import MPI

    return _core.join_ranks(MPI._addressof(communicator))


# Simulations of several processes. The other ranks wait until they are closed, which has to be
# before MPI is finalised.
_ranked: weakref.WeakSet[Simulation] = weakref.WeakSet()


@atexit.register
def _close_ranked() -> None:
    for simulation in list(_ranked):
        simulation.close()

"""Programs as custom operators of PyTorch: `stencilc.torch.register(p)`.

The operator takes tensors, on the CPU or on a GPU, and returns new ones; on a GPU it works on the
current stream, without copies to the host. It computes no derivatives: tensors that require a
gradient are refused.
"""

from __future__ import annotations

from typing import Any

import torch

from ._errors import Error
from ._function import Function
from ._program import Program

_TYPES = {
    "bool": torch.bool,
    "byte": torch.int8,
    "ubyte": torch.uint8,
    "short": torch.int16,
    "integer": torch.int32,
    "long": torch.int64,
    "half": torch.float16,
    "bfloat": torch.bfloat16,
    "float": torch.float32,
    "double": torch.float64,
}

# A library of operators lives as long as the process.
_libraries: list[torch.library.Library] = []


def register(
    program: Program | Function,
    name: str | None = None,
    *,
    steps: int | None = None,
    inputs: Any = None,
    outputs: Any = None,
) -> Any:
    """Registers a program as the operator `stencilc::NAME`, and returns it.

    program: a Program, or a Function of one. name: default: the name of the program.
    steps: as for Program.function(). inputs: the fields that the operator takes; default: all
    fields that need values and all that the program computes. outputs: the fields it returns.

    The operator takes a tensor for each input, in this order, and the params of a run as keyword
    arguments. It returns a tensor, or a tuple of them. It can be used in torch.compile() and has
    shapes for fake tensors.

    Example::

        heat = stencilc.torch.register(p, steps=10)
        T = heat(T, c, k=0.2)          # or torch.ops.stencilc.heat(T, c, k=0.2)
    """
    function = (
        program if isinstance(program, Function) else program.function(steps, outputs=outputs)
    )
    program = function.program
    called = name or program.name
    taken = tuple(inputs) if inputs is not None else _needed(function)
    for one in (*taken, *function.outputs):
        if one not in program.fields:
            raise Error("R070", f"no field '{one}'")
        if not program.fields[one].type or program.fields[one].type not in _TYPES:
            raise Error("R072", f"field '{one}' has a type that no tensor has")
    for one in function.outputs:
        if one not in taken and program.fields[one].shape is None:
            raise Error(
                "R071",
                f"the shape of field '{one}' is not known",
                "give the param of its size a value",
            )
    params = [p for p in program.params.values() if p.at_start and p.value is not None]
    schema = ", ".join(f"Tensor {one}" for one in taken)
    if params:
        schema += ", *" if schema else "*"
        for p in params:
            kind = "int" if p.type in ("integer", "long") else "float"
            schema += f", {kind} {p.name}={p.value!r}"
    results = ", ".join("Tensor" for _ in function.outputs)
    results = f"({results})" if len(function.outputs) != 1 else results

    def compute(*tensors: torch.Tensor, **values: Any) -> Any:
        if any(t.requires_grad for t in tensors) and torch.is_grad_enabled():
            _refuse_gradient(called)
        given = {one: tensor.detach() for one, tensor in zip(taken, tensors)}
        # Params that follow from others are given only if they differ from their defaults.
        changed = {p.name: values[p.name] for p in params if values.get(p.name, p.value) != p.value}
        found = function(**given, **changed)
        found = tuple(found.values()) if isinstance(found, dict) else (found,)
        return found if len(found) != 1 else found[0]

    def shapes(*tensors: torch.Tensor, **values: Any) -> Any:
        given = dict(zip(taken, tensors))
        found = tuple(
            torch.empty(
                given[one].shape if one in given else program.fields[one].array_shape,
                dtype=_TYPES[program.fields[one].type],
                device=tensors[0].device if tensors else "cpu",
            )
            for one in function.outputs
        )
        return found if len(found) != 1 else found[0]

    def backward(ctx: Any, *gradients: Any) -> Any:
        _refuse_gradient(called)

    library = torch.library.Library("stencilc", "FRAGMENT")
    library.define(f"{called}({schema}) -> {results}")
    library.impl(called, compute, "CPU")
    library.impl(called, compute, "CUDA")
    torch.library.register_fake(f"stencilc::{called}", shapes, lib=library)
    torch.library.register_autograd(
        f"stencilc::{called}", backward, setup_context=_setup(called), lib=library
    )
    _libraries.append(library)
    return getattr(torch.ops.stencilc, called)


def _setup(called: str) -> Any:
    def setup(ctx: Any, inputs: Any, output: Any, keyword_only_inputs: Any = None) -> None:
        if any(isinstance(one, torch.Tensor) and one.requires_grad for one in inputs):
            _refuse_gradient(called)

    return setup


def _refuse_gradient(called: str) -> None:
    raise Error(
        "R073",
        f"a tensor for stencilc::{called} requires a gradient, and stencilc computes no derivatives",
        "pass tensor.detach(), or call the operator under torch.no_grad()",
    )


def _needed(function: Function) -> tuple[str, ...]:
    fields = function.program.fields
    return tuple(one for one in function.inputs if fields[one].written or fields[one].constant)

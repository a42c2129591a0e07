"""``specialize``: sizes of arrays and integer arguments become known, as at a launch.

A nest may be written for arrays of any size, ``memref<?x?xf32>``, and take integers: row counts,
strides, a column. The machine's loops, checks and addresses need numbers, so a program is made for
the arguments that it is to run on. Preserved: what the function does with these arguments.

An argument is given as text: ``n=5``, ``table=10x8`` (sizes) or ``table=10x8:12x1`` (sizes and
strides in elements). Integers that nothing uses, and sizes that are in the type, need not be given.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..errors import CompileError, refuse
from ..streams import is_integer


def given(arguments: Mapping[str, np.ndarray | int]) -> tuple[str, ...]:
    """A caller's arguments as options of the pass; arrays give their sizes and strides."""
    return tuple(
        f"{name}={_extents(value)}" if isinstance(value, np.ndarray) else f"{name}={int(value)}"
        for name, value in arguments.items()
        # An array without dimensions has no sizes.
        if not isinstance(value, np.ndarray) or value.ndim
    )


def _extents(array: np.ndarray) -> str:
    sizes = "x".join(map(str, array.shape))
    return f"{sizes}:{'x'.join(str(stride // array.itemsize) for stride in array.strides)}"


@dataclass(frozen=True)
class SpecializePass(ModulePass):
    """Puts in what is known of the arguments; preserves what the function does with them."""

    name = "specialize"

    arguments: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        values = dict(map(_read, self.arguments))
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                _specialize(function, values)


def check_names(module: ModuleOp, arguments: Sequence[str]) -> None:
    """Refuse a name that no function has for an argument.

    Raises
    ------
    CompileError
        The message names it.
    """
    functions = [f for f in module.ops if isinstance(f, func.FuncOp) and f.body.blocks]
    known = {_name(argument) for f in functions for argument in f.body.block.args}
    for text in arguments:
        name, _ = _read(text)
        if name not in known:
            raise CompileError(f"no function has an argument %{name}, which is given")


def _name(argument: SSAValue) -> str:
    """What an argument is called, also if the text has no name."""
    assert isinstance(argument, BlockArgument)
    return argument.name_hint or f"arg{argument.index}"


def _read(text: str) -> tuple[str, tuple[list[int], list[int] | None]]:
    """An option's name, its numbers and its strides."""
    match = re.fullmatch(r"([^=]+)=(-?\d+(?:x\d+)*)(?::(-?\d+(?:x-?\d+)*))?", text)
    if match is None:
        raise CompileError(
            f"an argument must be given as n=5, table=10x8 or table=10x8:12x1, not {text!r}"
        )
    name, sizes, strides = match.groups()
    numbers = [int(n) for n in sizes.split("x")]
    distances = None if strides is None else [int(n) for n in strides.split("x")]
    if distances is not None and len(distances) != len(numbers):
        raise CompileError(f"{name} has {len(numbers)} sizes, but {len(distances)} strides")
    return name, (numbers, distances)


def _specialize(
    function: func.FuncOp, values: Mapping[str, tuple[list[int], list[int] | None]]
) -> None:
    block = function.body.block
    for argument in block.args:
        name = _name(argument)
        if is_integer(argument.type):
            _integer(function, argument, name, values)
        elif isinstance(argument.type, MemRefType):
            kind = _sized(function, argument.type, name, values.get(name))
            if kind != argument.type:
                Rewriter.replace_value_with_new_type(argument, kind)
    outputs = function.function_type.outputs.data
    function.properties["function_type"] = FunctionType.from_lists(block.arg_types, outputs)


def _integer(
    function: func.FuncOp,
    argument: BlockArgument,
    name: str,
    values: Mapping[str, tuple[list[int], list[int] | None]],
) -> None:
    if not argument.uses:
        return
    if name not in values:
        raise refuse(
            function,
            f"%{name} is only known at a launch: give its value, as in {name}=5, to compile for it",
        )
    numbers, strides = values[name]
    if len(numbers) != 1 or strides is not None:
        raise refuse(function, f"%{name} is of type {argument.type}: give one number for it")
    kind = argument.type
    assert isinstance(kind, IndexType | IntegerType)
    constant = arith.ConstantOp(IntegerAttr(numbers[0], kind))
    constant.result.name_hint = argument.name_hint
    first = function.body.block.first_op
    assert first is not None
    function.body.block.insert_op_before(constant, first)
    argument.replace_all_uses_with(constant.result)


def _sized(
    function: func.FuncOp,
    kind: MemRefType,
    name: str,
    value: tuple[list[int], list[int] | None] | None,
) -> MemRefType:
    """The type with all that was unknown in it, or the refusal that says what is not given."""
    shape = list(kind.get_shape())
    layout = kind.layout
    unknown = DYNAMIC_INDEX in shape or DYNAMIC_INDEX in _numbers(layout)
    if value is None and not unknown:
        return kind
    if value is None:
        sizes = "x".join(["8"] * len(shape))
        raise refuse(
            function,
            f"the sizes of %{name} ({kind}) are only known at a launch: give them, as in "
            f"{name}={sizes}, to compile for them",
        )
    numbers, strides = value
    _agree(function, name, kind, "sizes", shape, numbers)
    if isinstance(layout, StridedLayoutAttr):
        wanted = _numbers(layout)
        if strides is None:
            strides = _dense(numbers) if DYNAMIC_INDEX in wanted else wanted
        # The only element of a dimension has no distance from another one.
        triples = zip(numbers, strides, wanted, strict=True)
        strides = [w if n <= 1 and w != DYNAMIC_INDEX else s for n, s, w in triples]
        _agree(function, name, kind, "strides", wanted, strides)
        offset = layout.get_offset()
        layout = StridedLayoutAttr(strides, offset or 0)
    elif strides is not None and isinstance(layout, NoneAttr):
        dense = _dense(numbers)
        pairs = zip(numbers, dense, strides, strict=True)
        if all(numbers) and any(n > 1 and d != s for n, d, s in pairs):
            raise refuse(function, f"%{name} ({kind}) has strides {dense}, not {strides}")
    return MemRefType(kind.element_type, numbers, layout)


def _agree(
    function: func.FuncOp,
    name: str,
    kind: MemRefType,
    what: str,
    known: list[int],
    numbers: list[int],
) -> None:
    pairs = list(zip(known, numbers, strict=False))
    if len(known) != len(numbers) or any(k not in (DYNAMIC_INDEX, n) for k, n in pairs):
        text = "x".join(map(str, numbers))
        raise refuse(function, f"the {what} of %{name} must be those of {kind}, not {text}")


def _numbers(layout: Attribute) -> list[int]:
    """The strides of a layout, which may be unknown ones."""
    if not isinstance(layout, StridedLayoutAttr):
        return []
    return [DYNAMIC_INDEX if s is None else s for s in layout.get_strides()]


def _dense(sizes: list[int]) -> list[int]:
    """Strides of an array without gaps."""
    strides = [1]
    for size in reversed(sizes[1:]):
        strides.insert(0, strides[0] * size)
    return strides

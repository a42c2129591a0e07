"""What the function of a nest takes: arrays and integers, by name."""

from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, Float64Type, MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from .errors import CompileError, refuse
from .frontend.vector_elements import Access as VectorAccess
from .frontend.vector_elements import array_of, is_store
from .interpret.values import dtype_of
from .slc.decouple import root
from .streams import is_integer


@dataclass(frozen=True)
class Argument:
    """An argument, without anything of xDSL.

    Attributes
    ----------
    name, type : str
        As in the text, ``t`` and ``memref<9x?xf32>``; ``arg0``, .. where it has no name.
    dtype : str
        NumPy's name of its elements' type; of an integer's own.
    shape : tuple of (int or None), or None
        None in it is known at a launch only; instead of it, for an integer.
    strides : tuple of (int or None), or None
        Elements; None for an array without gaps.
    written : bool
        Whether the function stores to it.
    """

    name: str
    type: str
    dtype: str
    shape: tuple[int | None, ...] | None
    strides: tuple[int | None, ...] | None
    written: bool


def signature(module: ModuleOp) -> tuple[str, list[Argument]]:
    """The name of a module's only function, and its arguments.

    Raises
    ------
    CompileError
        There is none or more than one; an argument is neither an array nor an integer, or is not
        to be told from another one.
    """
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    if len(functions) != 1:
        names = ", ".join(function.sym_name.data for function in functions)
        raise CompileError(
            f"a module to be run must have 1 function with a body, not {len(functions)}"
            + (f": {names}" if names else "")
        )
    [function] = functions
    stored = {root(array) for array in map(_stored, function.walk()) if array is not None}
    found: dict[str, Argument] = {}
    for value in function.body.block.args:
        # Passes ask for the name of an array.
        value.name_hint = value.name_hint or f"arg{value.index}"
        argument = _argument(function, value, value in stored)
        if argument.name in found:
            raise refuse(
                function,
                f"two arguments are called %{argument.name}: a number after an underscore at the "
                "end is no part of a name",
            )
        found[argument.name] = argument
    return function.sym_name.data, list(found.values())


def _stored(op: Operation) -> SSAValue | None:
    """The array that an operation stores to."""
    if isinstance(op, memref.StoreOp):
        return op.memref
    return array_of(op) if isinstance(op, VectorAccess) and is_store(op) else None


def _argument(function: func.FuncOp, value: BlockArgument, written: bool) -> Argument:
    name, kind = str(value.name_hint), value.type
    if is_integer(kind):
        return Argument(name, str(kind), _dtype(function, name, kind, kind), None, None, False)
    if not isinstance(kind, MemRefType):
        raise refuse(function, f"%{name} is of type {kind}: a nest takes arrays and integers")
    strides = kind.get_strides()
    if strides is None or kind.get_offset() not in (0, None):
        raise refuse(
            function, f"%{name} is of type {kind}: an array must have strides, and no offset"
        )
    return Argument(
        name, str(kind), _dtype(function, name, kind, kind.element_type),
        tuple(None if n == DYNAMIC_INDEX else n for n in kind.get_shape()),
        None if isinstance(kind.layout, NoneAttr) else tuple(strides), written,
    )  # fmt: skip


def _dtype(function: func.FuncOp, name: str, kind: Attribute, element: Attribute) -> str:
    """NumPy's name of a type; of f64, too, of which the passes say what can be done."""
    if isinstance(element, Float64Type):
        return "float64"
    try:
        return dtype_of(element).__name__.rstrip("_")
    except TypeError:
        raise refuse(function, f"%{name} is of type {kind}, which NumPy does not have") from None

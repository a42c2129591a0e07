"""Running a module on NumPy arrays, whatever form it is in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, InterpreterFunctions
from xdsl.interpreters.func import FuncFunctions
from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from ..dlc import dialect as dlc
from ..slc import dialect as slc
from .dlc import DlcFunctions
from .dlc_access import AccessFunctions
from .dlc_execute import ExecuteFunctions
from .errors import InterpretError, fail
from .faults import Fault
from .loops import AssertFunctions, LoopFunctions
from .memory import MemoryFunctions
from .queues import Queues
from .scalars import ScalarFunctions
from .slc import SlcFunctions
from .values import argument

Function = func.FuncOp | slc.FuncOp | dlc.FuncOp

#: Walked by their parents, not run by themselves.
STRUCTURE = (
    func.FuncOp, slc.FuncOp, dlc.FuncOp, dlc.TraversalOp, dlc.PushOp, dlc.TokenOp, dlc.StoreOp,
    dlc.RowsOp, dlc.LiteralOp, dlc.CallbackOp,
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What a run did, beside changing arrays.

    Attributes
    ----------
    faults : list of Fault
        What the access unit would report. After one the output is not to be used.
    queues : list of Queues
        Of DLC: what crossed the queues, segment by segment.
    """

    faults: list[Fault] = field(default_factory=list)
    queues: list[Queues] = field(default_factory=list)


def interpret(
    module: ModuleOp,
    arguments: Mapping[str, Any],
    function: str | None = None,
    *,
    fiber_lanes: int = 1,
    addr_width: int = 64,
) -> Outcome:
    """Run a function of a module; arrays are read and written in place.

    Parameters
    ----------
    module : ModuleOp
        SCF (``func.func``), SLC (``slc.func``) or DLC (``dlc.func``).
    arguments : mapping
        Arguments by name, ``arg0``, ``arg1``, .. where the text has none: an ndarray of the
        type's shape, element type and strides for a ``memref``, an integer or a float.
    function : str or None
        Its name; not needed if the module has only one.
    fiber_lanes : int
        Lanes that DLC's outermost iterations are dealt to.
    addr_width : int
        Bits of the access unit's integers.

    Raises
    ------
    InterpretError
        The program does what its form does not allow (an access out of range, a register that is
        read before it is written, an operand that nobody pops), or has an operation that is not
        interpreted; the message says where and what.
    KeyError
        An argument is missing.
    TypeError, ValueError
        An argument does not have its type, or there is no such function.
    """
    subject = _function(module, function)
    given = _arguments(subject, arguments)
    access = AccessFunctions(addr_width)
    execute = ExecuteFunctions()
    dlc_functions = DlcFunctions(fiber_lanes, access, execute)
    slc_functions = SlcFunctions(addr_width)
    interpreter = Interpreter(module)
    known: set[type[Operation]] = set()
    every: list[InterpreterFunctions] = [
        ScalarFunctions(), MemoryFunctions(), LoopFunctions(), AssertFunctions(), FuncFunctions(),
        slc_functions, dlc_functions, access, execute,
    ]  # fmt: skip
    for functions in every:
        interpreter.register_implementations(functions)
        known |= {kind for kind, _ in functions._impls()}
    for op in subject.walk():
        if type(op) not in known and not isinstance(op, STRUCTURE):
            raise fail(op, "this operation is not interpreted")
    try:
        with np.errstate(all="ignore"):
            if isinstance(subject, slc.FuncOp):
                slc_functions.run(interpreter, subject, given)
            elif isinstance(subject, dlc.FuncOp):
                dlc_functions.run(interpreter, subject, given)
            else:
                interpreter.call_op(subject, given)
    except InterpretError as error:
        # xDSL has added the whole module to it, once for each operation around.
        raise InterpretError(str(error)) from None
    except InterpretationError as error:
        raise InterpretError(f"{subject.sym_name.data}: {error}") from None
    return Outcome(slc_functions.faults + access.faults, dlc_functions.queues)


def _function(module: ModuleOp, name: str | None) -> Function:
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, Function)}
    names = ", ".join(functions)
    if name is None and len(functions) == 1:
        [name] = functions
    if name is None:
        raise ValueError(f"function must be one of {names or 'none'}, as there is not just one")
    if name not in functions:
        raise ValueError(f"function must be one of {names or 'none'}, not {name!r}")
    return functions[name]


def _arguments(subject: Function, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    blocks = subject.body.blocks
    if not blocks:
        raise fail(subject, "has no body")
    values = blocks[0].args
    names = [value.name_hint or f"arg{n}" for n, value in enumerate(values)]
    unknown = arguments.keys() - set(names)
    if unknown:
        raise ValueError(
            f"arguments must be among {', '.join(names)}, not {', '.join(sorted(unknown))}"
        )
    for name in names:
        if name not in arguments:
            raise KeyError(f"argument {name} is missing")
    return tuple(
        argument(name, value.type, arguments[name])
        for name, value in zip(names, values, strict=True)
    )

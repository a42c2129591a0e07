"""DLC: the access region runs and fills the queues, then the execute region empties them.

The two halves share nothing but the queues: tokens and operands, lane by lane.
"""

from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import VectorType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from ..dlc import dialect as dlc
from ..dlc.resources import store_of, traversal_units
from .dlc_access import AccessFunctions, Walk
from .dlc_execute import ExecuteFunctions
from .errors import fail
from .queues import Queues
from .registers import Stored
from .values import lanes_of


@register_impls
@dataclass
class DlcFunctions(InterpreterFunctions):
    """Segments, one after the other; an object is good for one run."""

    fiber_lanes: int
    access: AccessFunctions
    execute: ExecuteFunctions
    #: What each segment put into the queues.
    queues: list[Queues] = field(default_factory=list)

    def run(self, interpreter: Interpreter, function: dlc.FuncOp, args: PythonValues) -> None:
        """Run a whole function."""
        interpreter.run_ssacfg_region(function.body, args, function.sym_name.data)

    @impl(dlc.SegmentOp)
    def segment(self, interpreter: Interpreter, op: dlc.SegmentOp, args: PythonValues):
        queues = Queues(self.fiber_lanes)
        self.queues.append(queues)
        Walk(interpreter, self.access, op, queues).run()
        if store_of(op) is not None:
            return ()
        row = traversal_units(op)[-1]
        assert isinstance(row, dlc.RowOp)
        kind = dlc.element_of(row.data)
        self.execute.lanes = lanes_of(kind) if isinstance(kind, VectorType) else 1
        self.execute.fibers = self.fiber_lanes
        self.execute.literal = None
        self.execute.faulty = bool(self.access.faults)
        callbacks: dict[str, dlc.CallbackOp] = {}
        resumed: Stored | None = None
        for inner in op.execute.block.ops:
            if isinstance(inner, dlc.RowsOp):
                [self.execute.out] = interpreter.get_values([inner.out])
                resumed = self._resumed(inner)
            elif isinstance(inner, dlc.LiteralOp):
                self.execute.literal = np.uint32(inner.bits).view(np.float32)
            elif isinstance(inner, dlc.CallbackOp):
                callbacks[inner.sym_name.data] = inner
            else:
                raise fail(inner, "is not an operation of an execute region")
        for number, works in enumerate(queues.lanes):
            self.execute.lane(interpreter, number, works, callbacks, None if number else resumed)
        return ()

    def _resumed(self, op: dlc.RowsOp) -> Stored | None:
        """The row that a segment goes on with."""
        if op.resumed is None:
            return None
        try:
            return self.execute.resume(op.resumed.value.data)
        except (IndexError, ValueError) as error:
            raise fail(op, str(error)) from None

"""``scf``: loops whose induction variable is a Python integer; the rest is xDSL's. Assertions."""

from xdsl.dialects import cf, scf
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.interpreters.scf import ScfFunctions

from .errors import fail


@register_impls
class LoopFunctions(ScfFunctions):
    """``scf.for`` on plain integers; ``scf.if`` and ``scf.while`` are xDSL's own."""

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        start, stop, step, *carried = args
        if step < 1:
            raise fail(op, f"the step must be at least 1, not {step}")
        state: PythonValues = tuple(carried)
        for i in range(start, stop, step):
            state = interpreter.run_ssacfg_region(op.body, (i, *state), "for")
        return state


@register_impls
class AssertFunctions(InterpreterFunctions):
    """``cf.assert``."""

    @impl(cf.AssertOp)
    def run_assert(self, _: Interpreter, op: cf.AssertOp, args: PythonValues) -> PythonValues:
        if not args[0]:
            raise fail(op, f"does not hold: {op.msg.data}")
        return ()

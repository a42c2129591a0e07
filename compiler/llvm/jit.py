"""LLVM IR to machine code in this process."""

import ctypes
import weakref
from collections.abc import Sequence

from llvmlite import binding

from .host import target_machine
from .module import ENTRY, HostModule
from .report import Buffer, Failure


class Function:
    """An operation as machine code; several threads may call it at once.

    Parameters
    ----------
    module : HostModule
        It is verified before it is optimized.
    """

    def __init__(self, module: HostModule):
        self.arrays = module.arrays
        # Each has its own context: compilations of different threads share nothing.
        context = binding.create_context()
        llvm = binding.parse_assembly(module.text, context)
        llvm.verify()
        host = module.host
        machine = target_machine(host.triple, host.cpu, host.features)
        _optimize(llvm, machine)
        engine = binding.create_mcjit_compiler(llvm, machine)
        # The engine has a module in the context: garbage collection would know no order.
        weakref.finalize(self, _close, engine, context)
        engine.finalize_object()
        self._pointers = ctypes.c_void_p * max(1, len(self.arrays))
        kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
        self._entry = kind(engine.get_function_address(ENTRY))

    def __call__(self, addresses: Sequence[int]) -> Failure | None:
        """Run on the arrays at ``addresses``, in the order of ``arrays``.

        Nothing is checked but what the code checks; the arrays must have the compiled shapes.

        Returns
        -------
        What failed first, and then the outputs are not to be used; or None.
        """
        report = Buffer()
        if self._entry(self._pointers(*addresses), report):
            return Failure.read(report)
        return None


def _close(*owners: binding.ffi.ObjectRef) -> None:
    for owner in owners:
        owner.close()


def _optimize(llvm: binding.ModuleRef, machine: binding.TargetMachine) -> None:
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    passes = binding.create_pass_builder(machine, options)
    passes.getModulePassManager().run(llvm, passes)

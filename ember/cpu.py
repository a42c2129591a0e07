"""Bags as machine code of the processor that this process runs on."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import parts
from .lookup import Request


class CpuProgram:
    """A compiled operation, made into machine code.

    Parameters
    ----------
    compilation : :class:`ember.compiler.pipeline.Compilation`

    Attributes
    ----------
    seconds : wall-clock time that it took, without loading LLVM

    Raises
    ------
    RunError
        llvmlite is missing.
    """

    def __init__(self, compilation: Any) -> None:
        host, module, jit = parts.llvm()
        target = host.host()
        started = time.perf_counter()
        self._module = module.lower_bags(
            compilation.config, compilation.specs, compilation.opt, target
        )
        self._function = jit.Function(self._module)
        self.seconds = time.perf_counter() - started

    def run(self, addresses: dict[tuple[str, str], int]) -> Any:
        """Run on arrays at ``addresses`` in this process: :func:`array_addresses`.

        Nothing is checked but what the machine checks, too: indices and offsets.

        Returns
        -------
        The :class:`ember.compiler.llvm.report.Failure` that was met first, or None. After a
        failure the outputs are not to be used.
        """
        return self._function([addresses[array] for array in self._function.arrays])

    def table_of(self, segment: int) -> str:
        """Name of the table that a segment works on."""
        return self._module.segments[segment]


def array_addresses(
    requests: Sequence[Request], outputs: Sequence[np.ndarray]
) -> dict[tuple[str, str], int]:
    """Where the arrays of requests lie in this process: (table name, role) -> address."""
    addresses = {}
    for r, output in zip(requests, outputs, strict=True):
        arrays = {
            "table": r.table, "indices": r.indices, "offsets": r.offsets, "weights": r.weights,
            "out": output,
        }  # fmt: skip
        for role, array in arrays.items():
            if array is not None:
                addresses[r.name, role] = array.__array_interface__["data"][0]
    return addresses

"""What a run gives back."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .board import BoardFacts
from .bound import Addresses, Bound, port_bound
from .lookup import Request
from .options import RunOptions
from .parts import Config, DramStatistics
from .recorded import Launch


@dataclass(frozen=True, eq=False)
class Result:
    """Outputs of a run, and what it took.

    Attributes
    ----------
    outputs : float32 [bags, dim] of each lookup, in order
    requests : what ran, as checked
    config : of the machine
    opt : optimization level of the compiler
    options : of the run
    launches : starts of the machine (more than one if the loop nests do not fit its memories)
    cycles : ``counters["cycles"]``, the machine's own count from start to done, all launches
        together; None with an engine without a clock
    counters : name of :data:`ember.hw.isa.COUNTERS` -> value, all launches (peaks: the highest);
        empty with an engine without a clock
    addresses : where the arrays lay
    dram : what the memory did, all launches together, where it is a DRAM
    board : the board that it ran on, where it is one
    recorded : every launch, if ``timeline`` or ``trace`` asked for it; else empty
    compile_seconds, run_seconds : wall-clock time; loading the compiler and building the
        simulator are not included
    """

    outputs: tuple[np.ndarray, ...]
    requests: tuple[Request, ...]
    config: Config
    opt: str
    options: RunOptions
    launches: int
    cycles: int | None
    counters: dict[str, int]
    addresses: Addresses
    compile_seconds: float
    run_seconds: float
    dram: DramStatistics | None = None
    recorded: tuple[Launch, ...] = ()
    board: BoardFacts | None = None

    @property
    def output(self) -> np.ndarray:
        """The output, float32 [bags, dim], of a run with one lookup.

        Of :func:`ember.embedding` it has the shape of the indices, and the row's elements last.

        Raises
        ------
        ValueError
            There are several.
        """
        if len(self.outputs) != 1:
            raise ValueError(f"result has {len(self.outputs)} outputs: use outputs or concatenated")
        shape = self.requests[0].output_shape
        return self.outputs[0] if shape is None else self.outputs[0].reshape(shape)

    @property
    def concatenated(self) -> np.ndarray:
        """float32 [bags, sum of dim]: the outputs side by side, as FBGEMM lays them out.

        Raises
        ------
        ValueError
            The lookups differ in their number of bags.
        """
        bags = {request.bag.bags for request in self.requests}
        if len(bags) != 1:
            found = ", ".join(map(str, sorted(bags)))
            raise ValueError(f"outputs must have the same number of bags, not {found}")
        return np.concatenate(self.outputs, axis=1)

    @cached_property
    def bound(self) -> Bound:
        """Lines that must move."""
        return port_bound(self.requests, self.addresses, self.config.line_bytes)

    @property
    def bags(self) -> int:
        """Output rows of all lookups."""
        return sum(request.bag.bags for request in self.requests)

    @property
    def lookups(self) -> int:
        """Entries of all bags, padding included."""
        return sum(request.bag.lookups for request in self.requests)

    @property
    def bound_cycles(self) -> int:
        """Cycles that the busier memory port needs at least, see :class:`ember.bound.Bound`."""
        return self.bound.cycles

    @property
    def utilization(self) -> float | None:
        """``bound_cycles / cycles``; None if cycles were not measured or nothing had to run."""
        return self.bound.cycles / self.cycles if self.cycles else None

    @property
    def bytes_per_cycle(self) -> float | None:
        """Bytes of the lines that must move, reads and writes, per cycle."""
        return self.bound.lines * self.bound.line_bytes / self.cycles if self.cycles else None

    @property
    def cycles_per_lookup(self) -> float | None:
        """Cycles per entry."""
        return self.cycles / self.lookups if self.cycles and self.lookups else None

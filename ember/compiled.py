"""Embedding-bag operations compiled for one machine."""

import time
from collections.abc import Sequence
from functools import cached_property

from . import parts
from .bag import NO_POOLING, Bag, choice
from .cpu import CpuProgram
from .lookup import Lookup, Request
from .options import LEVELS, RunOptions, run_options
from .parts import Config
from .placement import check_space
from .result import Result
from .validate import check_lookups

STAGES = ("scf", "slc", "dlc", "asm", "json", "llvm")


class CompiledBags:
    """Bags compiled for a configuration: print the stages, run them on arrays.

    Parameters
    ----------
    bags : shapes, one per table, with different names
    config : of the machine
    opt : optimization level, ``"O0"`` .. ``"O3"``

    Raises
    ------
    TypeError, ValueError
        An argument of a wrong type or value; something that the machine is too small for.
    """

    def __init__(self, bags: Sequence[Bag], config: Config, opt: str = "O3") -> None:
        if not isinstance(config, Config):
            raise TypeError(f"config must be a Config, not {type(config).__name__}")
        choice(opt, "opt", LEVELS)
        if not isinstance(bags, Sequence) or isinstance(bags, str):
            raise TypeError(f"bags must be a list of Bag, not {type(bags).__name__}")
        if not bags:
            raise ValueError("bags must not be empty")
        for position, bag in enumerate(bags):
            if not isinstance(bag, Bag):
                raise TypeError(f"bags[{position}] must be a Bag, not {type(bag).__name__}")
        self.bags, self.config, self.opt = tuple(bags), config, opt
        names = [bag.name for bag in self.bags]
        if len(set(names)) != len(names):
            raise ValueError(f"bags must have different names, not {', '.join(names)}")
        #: What has an output; the rest needs no machine.
        self.active = tuple(bag for bag in self.bags if bag.bags and bag.dim)
        for bag in self.active:
            check_space(bag, config)
        if self.active:
            parts.compiler()  # loaded before the clock starts
        started = time.perf_counter()
        self._compilation = _compile(self.active, config, opt) if self.active else None
        #: Wall-clock time of the compilation, without loading the compiler.
        self.seconds = time.perf_counter() - started

    def text(self, stage: str) -> str:
        """One stage as text: ``"scf"``, ``"slc"``, ``"dlc"``, ``"asm"``, ``"json"`` or ``"llvm"``.

        Raises
        ------
        ValueError
            No such stage; nothing was compiled because there is no output.
        RunError
            ``"llvm"``, without llvmlite.
        """
        choice(stage, "stage", STAGES)
        if self._compilation is None:
            raise ValueError(
                "bags must have at least 1 output value, or there is nothing to compile"
            )
        if stage == "llvm":
            parts.llvm()
        return self._compilation.text(stage)

    @cached_property
    def cpu(self) -> CpuProgram:
        """The operation as machine code of this processor; made when it is first asked for.

        Raises
        ------
        RunError
            llvmlite is missing.
        """
        assert self._compilation is not None
        return CpuProgram(self._compilation)

    def link(self, addresses: dict[tuple[str, str], int]) -> list:
        """The launches, :class:`ember.hw.program.Program` each, for arrays at ``addresses``."""
        return self._compilation.link(addresses) if self._compilation else []

    def table_of(self, launch: int, segment: int) -> str:
        """Name of the table that a segment of a launch works on."""
        assert self._compilation is not None  # or there would be no launch
        entry = self._compilation.templates[launch].segments[segment]
        output = (entry.store or entry.execute)["base"]
        return output.table  # type: ignore[union-attr]

    def run(self, *lookups: Lookup, **options) -> Result:
        """Run on arrays, one :class:`Lookup` per bag; options as :class:`RunOptions`.

        Raises
        ------
        TypeError, ValueError
            Arrays that are wrong, or of another shape than was compiled.
        RuntimeError
            The run failed: a hang, a missing tool, a machine that reports an error.
        """
        requests = check_lookups(lookups, config=self.config)
        return self.run_checked(requests, run_options(options))

    def run_checked(self, requests: Sequence[Request], options: RunOptions) -> Result:
        """As :meth:`run`, for requests that were checked."""
        from .execute import execute

        if len(requests) != len(self.bags):
            raise ValueError(f"lookups must be {len(self.bags)}, one per bag, not {len(requests)}")
        for bag, request in zip(self.bags, requests, strict=True):
            for field in bag.__dataclass_fields__:
                was, now = getattr(bag, field), getattr(request.bag, field)
                if was != now:
                    raise ValueError(
                        f"bag {bag.name!r} was compiled for {field} = {was!r}, but runs on "
                        f"{field} = {now!r}"
                    )
        return execute(self, requests, options)


def _compile(bags: Sequence[Bag], config: Config, opt: str):
    spec, pipeline = parts.compiler()
    specs = [
        spec.BagSpec(
            name=bag.name, rows=bag.rows, dim=bag.dim, bags=bag.bags, lookups=bag.lookups,
            index_type=bag.index_type, offset_type=bag.offset_type, mode=bag.mode,
            weighted=bag.weighted, padding_idx=bag.padding_idx, nan=bag.nan, fma=bag.fma,
            out_stride=bag.dim, pooling=1 if bag.mode == NO_POOLING else None,
        )
        for bag in bags
    ]  # fmt: skip
    return pipeline.compile_bags(config, specs, opt=opt)

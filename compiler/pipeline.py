"""From bag specifications to programs: the named pipelines and :func:`compile_bags`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..hw.config import Config
from ..hw.program import Program
from .codegen import Piece, launches, pieces
from .dlc.drop_operands import DropOperandsPass
from .dlc.from_slc import SlcToDlcPass
from .frontend.bag import bag_module
from .frontend.coo_to_csr import CooToCsrPass, before
from .frontend.fuse_lookups import FuseLookupsPass
from .frontend.roll_lookups import RollLookupsPass
from .frontend.separate_lookups import SeparateLookupsPass
from .frontend.tile_columns import TileColumnsPass
from .frontend.two_dimensions import TwoDimensionsPass
from .frontend.unroll_blocks import UnrollBlocksPass
from .frontend.unroll_outer import UnrollOuterPass
from .shapes import check_extents, narrow, place, shape
from .slc.bufferize import BufferizePass
from .slc.check_bounds import CheckBoundsPass
from .slc.collapse_loops import CollapseLoopsPass
from .slc.decouple import DecouplePass
from .slc.drop_streams import DropStreamsPass
from .slc.flatten_addresses import FlattenAddressesPass
from .slc.fold_addresses import FoldAddressesPass
from .slc.fuse_tokens import FuseTokensPass
from .slc.pair_loads import PairLoadsPass
from .slc.promote_accumulator import PromoteAccumulatorPass
from .slc.queue_align import QueueAlignPass
from .slc.raise_min_max import RaiseMinMaxPass
from .slc.rebase_loops import RebaseLoopsPass
from .slc.split_layers import SplitLayersPass
from .slc.store_streams import StoreStreamsPass
from .slc.vectorize import VectorizePass
from .spec import BagSpec
from .template import Template

LEVELS = ("O0", "O1", "O2", "O3")


def pipeline(config: Config, opt: str = "O3", arguments: tuple[str, ...] = ()) -> list[ModulePass]:
    """The passes of an optimization level, from SCF to DLC.

    ``arguments`` says what is known of the function's arguments, see
    :mod:`ember.compiler.frontend.specialize`; a function whose types say all needs none.

    ========  ======================================================================
    level     what crosses the queues per lookup of D elements, n = ceil(D / lanes)
    ========  ======================================================================
    O0        D tokens, 3 D scalars: output row, element index, element
    O1        n tokens, each with two scalars and a vector
    O2        1 token, 1 scalar (the output row), n vectors
    O3        1 token, n vectors
    ========  ======================================================================

    Raises
    ------
    ValueError
        No such level.
    """
    if opt not in LEVELS:
        raise ValueError(f"opt must be one of {', '.join(LEVELS)}, not {opt!r}")
    level = LEVELS.index(opt)
    passes: list[ModulePass] = [
        # Shared with those who ask what is converted before a launch.
        *before(arguments),
        # When each nest writes one array; a nest that fills the rows can then become a part of it.
        CooToCsrPass(),
        # When each nest writes one array, and while lookups of one iteration are as they were.
        RollLookupsPass(config.layers),
        # When each nest writes one array, and before nests are counted against layers.
        FuseLookupsPass(config.layers),
        # When a nest has all that works on its rows, and before nests are counted, too.
        UnrollBlocksPass(),
        UnrollOuterPass(config.layers, config.segments),
        # While stores are still in their loops.
        TwoDimensionsPass(),
        # Before decoupling, while a row is still one loop: rows longer than a register.
        TileColumnsPass(config.max_dim),
        # After tiles, of which each has its registers, and what could become one loop.
        SeparateLookupsPass(),
        DecouplePass(),
        # While arrays have their shapes: afterwards an address is one number.
        CheckBoundsPass(),
        # After the checks, which look at each bound by itself.
        PairLoadsPass(),
        FlattenAddressesPass(),
        # Now that an address is one sum.
        FoldAddressesPass(),
        # Now that equal sums are one, and before rows are dealt to lanes.
        CollapseLoopsPass(),
        # Always: the execute unit has no loads.
        PromoteAccumulatorPass(config.max_dim, config.fiber_lanes),
        # Before vectorize: comparisons have no vector form.
        RaiseMinMaxPass(),
        # After what has made them, before anything counts loads and operands.
        DropStreamsPass(),
    ]
    if level >= 1:
        passes.append(VectorizePass(config.lanes))
    if config.store_streams:
        # After vectorize: lines are written, not elements. Before a row's callbacks are merged.
        passes.append(StoreStreamsPass(config.execute))
    if level >= 2:
        # After vectorize: a buffer holds vectors.
        passes.append(BufferizePass())
    if level >= 3:
        passes += [
            # After bufferize, which took the element index out of the DataQ.
            QueueAlignPass(),
            # After queue-align: the callbacks around a loop read no stream any more.
            FuseTokensPass(),
        ]
    # Last: they look at what is left for each layer to do.
    passes += [RebaseLoopsPass(), SplitLayersPass(config.layers), SlcToDlcPass(config.layers)]
    if level >= 3:
        # Where a callback's address is needed shows only in instructions.
        passes.append(DropOperandsPass())
    return passes


@dataclass(frozen=True)
class Compilation:
    """Compiled bag operations: programs to link, and the text of every stage.

    ``specs`` and ``config`` are what was asked for; ``templates`` are the launches.
    """

    config: Config
    specs: tuple[BagSpec, ...]
    opt: str
    templates: tuple[Template, ...]

    def link(self, addresses: Mapping[tuple[str, str], int]) -> list[Program]:
        """The launches with every array at its byte address.

        Parameters
        ----------
        addresses : mapping
            ``(table name, role)`` to byte address; roles as in ``ember.compiler.spec.ROLES``.

        Raises
        ------
        KeyError
            An address is missing.
        TypeError, ValueError
            An address is not an integer, not a multiple of 4, or out of reach.
        """
        return [template.link(addresses, self.config) for template in self.templates]

    @cached_property
    def stages(self) -> list[tuple[str, str]]:
        """The name of each pass and the text after it; the first is the front end's.

        The text is of the whole operation, with every table and tile.
        """
        return [(name, str(module)) for name, module in run(self.config, self.specs, self.opt)]

    def _number(self, name: str) -> int:
        """The number of a pass's stage."""
        return [stage for stage, _ in self.stages].index(name)

    def text(self, stage: str) -> str:
        """The text of a stage: ``scf``, ``slc``, ``dlc``, ``asm``, ``json`` or ``llvm``.

        In ``asm`` and ``json`` addresses are symbols, ``table.role``. ``llvm`` is for the processor
        that this process runs on.

        Raises
        ------
        ValueError
            No such stage.
        ModuleNotFoundError
            ``llvm``, without llvmlite.
        """
        from .asm import disassemble, to_json

        if stage == "asm":
            return "\n".join(disassemble(template, self.config) for template in self.templates)
        if stage == "json":
            return to_json(self.templates)
        if stage == "llvm":
            from .llvm.host import host
            from .llvm.module import lower_bags

            return lower_bags(self.config, self.specs, self.opt, host()).text
        numbers: dict[str, Callable[[], int]] = {
            "scf": lambda: 0,
            "slc": lambda: self._number(SplitLayersPass.name),
            "dlc": lambda: len(self.stages) - 1,
        }
        if stage not in numbers:
            known = ", ".join([*numbers, "asm", "json", "llvm"])
            raise ValueError(f"stage must be one of {known}, not {stage!r}")
        return self.stages[numbers[stage]()][1]


def run(
    config: Config, specs: Sequence[BagSpec], opt: str = "O3", *, verify_each: bool = True
) -> Iterator[tuple[str, ModuleOp]]:
    """The module after the front end, then after each pass; one module, changed in place.

    Every pass's result is verified, or (three times faster) only those that end SLC and DLC.
    """
    module = bag_module(specs)
    yield "frontend", module
    yield from apply(pipeline(config, opt), module, verify_each=verify_each)


def apply(
    passes: Sequence[ModulePass], module: ModuleOp, *, verify_each: bool = True
) -> Iterator[tuple[str, ModuleOp]]:
    """The module after each pass, with the pass's name; see :func:`run`."""
    context = Context()
    for step, following in zip_longest(passes, passes[1:]):
        step.apply(context, module)
        if verify_each or following is None or following.name == SlcToDlcPass.name:
            module.verify()
        yield step.name, module


def compile_bags(config: Config, tables: Sequence[BagSpec], opt: str = "O3") -> Compilation:
    """Compile the bag operations of one call: segments in the order of the tables and columns.

    The passes run once for each shape of table, see :mod:`ember.compiler.shapes`.

    Parameters
    ----------
    config : Config
        The machine.
    tables : sequence of BagSpec
        At least one; names are unique.
    opt : str
        ``O0`` to ``O3``, see :func:`pipeline`.

    Raises
    ------
    ValueError
        No table, a name twice, an unknown level, or something that does not fit the machine.
    """
    specs = tuple(tables)
    if not specs:
        raise ValueError("there must be at least 1 table, not 0")
    for name, count in Counter(spec.name for spec in specs).items():
        if count > 1:
            raise ValueError(f"table names must be unique, but {name!r} occurs {count} times")
    for spec in specs:
        check_extents(spec, config)
    return Compilation(config, specs, opt, tuple(launches(_placed(config, specs, opt), config)))


def _placed(config: Config, specs: Sequence[BagSpec], opt: str) -> Iterator[Piece]:
    """The segments of all tables; tables of one shape are compiled once."""
    compiled: dict[BagSpec, list[Piece]] = {}
    for spec in specs:
        small = narrow(spec, config.max_dim)
        key = shape(small)
        if key not in compiled:
            *_, (_, module) = run(config, [small], opt, verify_each=False)
            compiled[key] = pieces(module, config)
        yield from place(compiled[key], spec, config)

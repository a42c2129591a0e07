"""The dialects and passes for stock ``xdsl-opt``, through the ``xdsl.universe`` entry point.

Each is imported when it is asked for, so that other users of xDSL do not pay for them.
"""

from collections.abc import Callable
from importlib import import_module

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe

#: Pass name: module and class.
PASSES = {
    "narrow-f64": ("frontend.narrow_f64", "NarrowF64Pass"),
    "specialize": ("frontend.specialize", "SpecializePass"),
    "simplify": ("frontend.simplify", "SimplifyPass"),
    "fold-views": ("frontend.fold_views", "FoldViewsPass"),
    "roll-columns": ("frontend.roll_columns", "RollColumnsPass"),
    "unpack-vectors": ("frontend.unpack_vectors", "UnpackVectorsPass"),
    "split-ranges": ("frontend.split_ranges", "SplitRangesPass"),
    "count-entries": ("frontend.count_entries", "CountEntriesPass"),
    "carry-in-memory": ("frontend.carry_in_memory", "CarryInMemoryPass"),
    "one-branch": ("frontend.one_branch", "OneBranchPass"),
    "innermost-elements": ("frontend.innermost_elements", "InnermostElementsPass"),
    "split-outputs": ("frontend.split_outputs", "SplitOutputsPass"),
    "split-elements": ("frontend.split_elements", "SplitElementsPass"),
    "coo-to-csr": ("frontend.coo_to_csr", "CooToCsrPass"),
    "roll-lookups": ("frontend.roll_lookups", "RollLookupsPass"),
    "fuse-lookups": ("frontend.fuse_lookups", "FuseLookupsPass"),
    "unroll-blocks": ("frontend.unroll_blocks", "UnrollBlocksPass"),
    "unroll-outer": ("frontend.unroll_outer", "UnrollOuterPass"),
    "two-dimensions": ("frontend.two_dimensions", "TwoDimensionsPass"),
    "tile-columns": ("frontend.tile_columns", "TileColumnsPass"),
    "separate-lookups": ("frontend.separate_lookups", "SeparateLookupsPass"),
    "decouple": ("slc.decouple", "DecouplePass"),
    "check-bounds": ("slc.check_bounds", "CheckBoundsPass"),
    "pair-loads": ("slc.pair_loads", "PairLoadsPass"),
    "flatten-addresses": ("slc.flatten_addresses", "FlattenAddressesPass"),
    "fold-addresses": ("slc.fold_addresses", "FoldAddressesPass"),
    "collapse-loops": ("slc.collapse_loops", "CollapseLoopsPass"),
    "promote-accumulator": ("slc.promote_accumulator", "PromoteAccumulatorPass"),
    "raise-min-max": ("slc.raise_min_max", "RaiseMinMaxPass"),
    "drop-streams": ("slc.drop_streams", "DropStreamsPass"),
    "vectorize": ("slc.vectorize", "VectorizePass"),
    "store-streams": ("slc.store_streams", "StoreStreamsPass"),
    "bufferize": ("slc.bufferize", "BufferizePass"),
    "queue-align": ("slc.queue_align", "QueueAlignPass"),
    "fuse-tokens": ("slc.fuse_tokens", "FuseTokensPass"),
    "rebase-loops": ("slc.rebase_loops", "RebaseLoopsPass"),
    "split-layers": ("slc.split_layers", "SplitLayersPass"),
    "slc-to-dlc": ("dlc.from_slc", "SlcToDlcPass"),
    "drop-operands": ("dlc.drop_operands", "DropOperandsPass"),
}


def _slc() -> Dialect:
    from .slc.dialect import SLC

    return SLC


def _dlc() -> Dialect:
    from .dlc.dialect import DLC

    return DLC


def _pass(module: str, name: str) -> Callable[[], type[ModulePass]]:
    return lambda: getattr(import_module(f".{module}", __package__), name)


UNIVERSE = Universe(
    all_dialects={"slc": _slc, "dlc": _dlc},
    all_passes={name: _pass(*where) for name, where in PASSES.items()},
)

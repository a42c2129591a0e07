"""What is measured: the whole machine, and its blocks by name."""

from collections.abc import Callable

from amaranth.lib import wiring

from ..hw.config import Config
from ..hw.control import Control
from ..hw.core.core import Core
from ..hw.core.fp.divide import VectorDivider
from ..hw.core.fp.lane import FpLane
from ..hw.core.operation import stored_chunk
from ..hw.core.row_store import RowStore
from ..hw.layouts import token, vector
from ..hw.mem.read_cache import ReadCache
from ..hw.queues.queue import Queue
from ..hw.tmu.align import Align
from ..hw.tmu.line_ring import LineRing
from ..hw.tmu.load_unit import LoadUnit, stream_order
from ..hw.tmu.marshal import Marshal
from ..hw.tmu.row_layer import RowLayer
from ..hw.tmu.scalar_layer import ScalarLayer
from ..hw.tmu.store_stream import StoreStream
from ..hw.tmu.tmu import Tmu, error_sources
from ..hw.top import Machine

#: The whole design.
MACHINE = "machine"


def blocks(config: Config) -> dict[str, Callable[[], wiring.Component]]:
    """Name -> what makes the component; the whole machine first, parts behind their block.

    A block that the machine has several times (an FP lane) is there once.
    """
    layers = {
        f"tmu.layer{n}": lambda n=n: ScalarLayer(config, n) for n in range(config.scalar_layers)
    }
    return {
        MACHINE: lambda: Machine(config),
        "control": lambda: Control(config, error_sources(config) + 1),
        "tmu": lambda: Tmu(config),
        **layers,
        "tmu.row": lambda: RowLayer(config),
        "tmu.ring": lambda: LineRing(config),
        "tmu.align": lambda: Align(config),
        **({"tmu.marshal": lambda: Marshal(config)} if config.execute else {}),
        **({"tmu.store": lambda: StoreStream(config)} if config.store_streams else {}),
        "tmu.loads": lambda: LoadUnit(config, stream_order(config)),
        **({"cache": lambda: ReadCache(config)} if config.cache_lines else {}),
        **(_execute(config) if config.execute else {"store": lambda: RowStore(config)}),
    }


def _execute(config: Config) -> dict[str, Callable[[], wiring.Component]]:
    """The execute pipeline and the queues in front of it."""
    return {
        "dataq": lambda: Queue(vector(config), config.dataq_depth),
        "ctrlq": lambda: Queue(token(config), config.ctrlq_depth),
        "core": lambda: Core(config),
        "core.fp_lane": FpLane,
        "core.divider": lambda: VectorDivider(
            config.lanes, config.div_interval, stored_chunk(config).size
        ),
    }

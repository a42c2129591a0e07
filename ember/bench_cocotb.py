"""The speed of the same run under cocotb, for comparison with the native engine."""

from .bench import Point
from .errors import RunError
from .options import RunOptions
from .parts import Config


def cycles_per_second(config: Config, point: Point, options: RunOptions, *, rows: int) -> float:
    """Simulated cycles per second of ``point``'s run under cocotb, builds not included.

    Raises
    ------
    RunError
        It cannot be run.
    """
    raise RunError("the comparison with cocotb is not built yet")

"""The same run on the native engine and under cocotb, side by side."""

from dataclasses import asdict, dataclass, replace

from . import parts
from .api import compile_bags
from .bench_shape import Shape, shape_lookups
from .engines import borrowed
from .options import RunOptions
from .parts import Config
from .placement import place
from .validate import check_lookups

#: Lines that move in the compared run: a second or more under cocotb.
LINES = 4_000


@dataclass(frozen=True)
class Speeds:
    """Simulated cycles per second of wall-clock time, builds and loading not included."""

    dim: int
    pooling: int | str
    mode: str
    cycles: int
    native: float
    cocotb: float

    @property
    def ratio(self) -> float:
        """How many times as fast the native engine is."""
        return self.native / self.cocotb

    def to_dict(self) -> dict:
        """For the report; speeds are those of the host, unlike cycles."""
        return {**asdict(self), "ratio": self.ratio}


def compare_speed(config: Config, shape: Shape, opt: str, options: RunOptions) -> Speeds | None:
    """Run the same program on both simulators; None where cocotb is not installed.

    Raises
    ------
    RuntimeError
        A run failed, or the two disagree on the number of cycles.
    """
    speed = parts.cocotb_speed()
    if speed is None:
        return None
    shape = replace(shape, tables=1, bags=None, lines=LINES)
    requests = check_lookups(shape_lookups(config, shape, options.seed))
    placement = place(requests, config)
    compiled = compile_bags([requests[0].bag], config, opt)
    program = compiled.link(placement.addresses)[0]
    latency = options.latency_model()
    with borrowed(config, options.progress) as engine:
        native = engine.run(program, placement.memory, latency=latency, seed=options.seed)
    other = speed.timed_run(config, program, placement.memory, latency, progress=options.progress)
    if other.cycles != native.cycles and not isinstance(options.latency, tuple):
        raise RuntimeError(
            f"cocotb must take the native engine's {native.cycles} cycles, not {other.cycles}"
        )
    return Speeds(
        shape.dim, shape.pooling, shape.mode, native.cycles, native.cycles / native.wall_seconds,
        other.cycles / other.seconds,
    )  # fmt: skip

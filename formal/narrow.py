"""Small configurations: what a block does with an address does not depend on its width."""

from ember.hw.config import Config


class Narrow(Config):
    """One lane, few lines in memory."""

    @property
    def line_addr_width(self) -> int:
        return 3


def narrow(**changes: int) -> Config:
    """One fiber lane and the least of all that ``changes`` do not name."""
    least = dict(
        lanes=1, layers=2, fiber_lanes=1, mshrs=2, addr_width=32, dataq_depth=2, ctrlq_depth=2,
        row_chunks=2, segments=1, code_depth=16, line_slots=2, run_ahead=2, fiber_depth=1,
        div_interval=26,
    )  # fmt: skip
    return Narrow(**{**least, **changes})

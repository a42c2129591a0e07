"""The buses that a machine can have, by name."""

from amaranth.lib import wiring

from ...hw.config import Config
from ...hw.top import Machine
from .axi_machine import AxiMachine
from .wishbone_machine import WishboneMachine

BUSES = ("axi4", "wishbone", "native")


def machine(
    config: Config, bus: str, data_width: int | None = None, id_width: int | None = None
) -> wiring.Component:
    """The machine with ``bus`` around it, not yet elaborated.

    Raises
    ------
    TypeError, ValueError
        No such bus, a width that it does not have, or see :mod:`.widths`.
    """
    if bus not in BUSES:
        raise ValueError(f"bus must be one of {', '.join(BUSES)}, not {bus!r}")
    if id_width is not None and bus != "axi4":
        raise ValueError(f"id_width must come with bus 'axi4', not {bus!r}")
    if data_width is not None and bus == "native":
        raise ValueError("data_width must come with bus 'axi4' or 'wishbone', not 'native'")
    if bus == "axi4":
        return AxiMachine(config, data_width, id_width)
    if bus == "wishbone":
        return WishboneMachine(config, data_width)
    return Machine(config)

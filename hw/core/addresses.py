"""The output address of each fiber lane."""

from amaranth.hdl import Array, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from .operation import lane_update


def products(m: Module, factor: Value, stride: Value) -> list[Value]:
    """What adds up to ``factor * stride``, a cycle later.

    Products of 16-bit halves: each is one DSP block on the FPGAs of interest.
    """
    low, high = slice(0, 16), slice(16, 32)
    partial = []
    for x, y, shift in (
        (low, low, 0), (low, high, 16), (high, low, 16), (high, high, 32)
    ):  # fmt: skip
        product = Signal(32, name=f"partial{len(partial)}")
        m.d.sync += product.eq(factor[x] * stride[y])
        partial.append(product << shift)
    return partial


class RowAddresses(wiring.Component):
    """Sets, bumps and reads one lane's address per cycle, in program order.

    All three are ``(base or address) + factor * row_stride``, with the factor a lane number, a
    scalar register, or the number of lanes. The multiplication is pipelined in front of the
    addresses and its result is only needed when the FP lanes deliver, so that even a row number
    from a register costs no issue slot.

    Parameters
    ----------
    config : Config

    Members
    -------
    update : In(lane_update), in stage 1
    start : In(1), all addresses become 0
    address : Out(addr_width), the lane's address before a bump, in stage 1 + LATENCY

    Latency: :data:`LATENCY` cycles. Throughput: 1 per cycle. Back-pressure: none.
    """

    #: Cycles from ``update`` to ``address``.
    LATENCY = 3

    update: data.View
    start: Signal
    address: Signal

    def __init__(self, config: Config):
        self._config = config
        super().__init__(
            {
                "update": In(lane_update(config)),
                "start": In(1),
                "address": Out(config.addr_width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = self._config.addr_width
        lanes = self._config.fiber_lanes

        partial = products(m, self.update.factor, self.update.row_stride)
        control = data.StructLayout(
            {"lane": self.update.lane.shape(), "set": 1, "bump": 1, "base": width}
        )
        stages = [self.update]
        for n in (2, 3):
            stage = Signal(control, name=f"control{n}")
            m.d.sync += [stage[f].eq(stages[-1][f]) for f in control.members]
            stages.append(stage)
        offset = Signal(width)
        m.d.sync += offset.eq(sum(partial[1:], partial[0]))

        addresses = [Signal(width, name=f"address{n}") for n in range(lanes)]
        last = stages[-1]
        old = Signal(width)
        new = Signal(width)
        m.d.comb += [
            old.eq(Array(addresses)[last.lane]),
            new.eq(Mux(last.set, last.base, old) + offset),
        ]
        m.d.sync += self.address.eq(old)
        for n, address in enumerate(addresses):
            with m.If((last.set | last.bump) & (last.lane == n)):
                m.d.sync += address.eq(new)
            with m.If(self.start):
                m.d.sync += address.eq(0)
        return m

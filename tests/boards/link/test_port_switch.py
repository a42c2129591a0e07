"""One memory for two: each gets its own answers, and ports change hands when nothing is open."""

import random

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator
from ember.boards.link.port_switch import PortSwitch
from ember.boards.memory.line_ram import LineRam
from ember.hw.config import Config

from ..memory.memory_traffic import Traffic

TINY = Config.preset("tiny")


class Side:
    """A pair of ports, as a memory that traffic can be sent to."""

    def __init__(self, read, write):
        self.read, self.write = read, write


def test_two_users(seed):
    rng = random.Random(seed)
    m = Module()
    m.submodules.switch = switch = PortSwitch(TINY)
    m.submodules.ram = ram = LineRam(TINY, 64)
    wiring.connect(m, switch.read, ram.read)
    wiring.connect(m, switch.write, ram.write)
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    # Halves of the memory, so that each knows what is in its lines.
    machine = Traffic(
        TINY, lambda r: r.randrange(32), f"{seed} m", stall=0.2, count=150, limit=9000
    )
    link = Traffic(
        TINY, lambda r: 32 + r.randrange(32), f"{seed} l", stall=0.2, count=20, limit=9000
    )
    turns = []

    async def machines(ctx):
        await machine.run(ctx, Side(switch.machine_read, switch.machine_write))

    async def links(ctx):
        for _ in range(6):
            await ctx.tick().repeat(rng.randrange(30, 60))
            ctx.set(switch.claim, 1)
            await ctx.tick()
            link.count = 20
            before = link.reads + link.writes
            await link.run(ctx, Side(switch.link_read, switch.link_write))
            turns.append(link.reads + link.writes - before)
            ctx.set(switch.claim, 0)

    simulator.add_testbench(machines)
    simulator.add_testbench(links)
    simulator.run()
    assert turns == [20] * 6
    assert machine.reads + machine.writes == 150 and machine.reads > 30

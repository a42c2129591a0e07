"""The window to a memory's control registers: accesses, the machine's half, what is lost."""

from amaranth.hdl import Fragment
from amaranth.sim import Simulator
from ember.boards.link.control_window import ControlWindow
from ember.boards.link.protocol import Window


def simulate(bench) -> None:
    window = ControlWindow()
    simulator = Simulator(Fragment.get(window, None))
    simulator.add_clock(1e-6)

    async def run(ctx):
        await bench(ctx, window)

    simulator.add_testbench(run)
    simulator.run()


async def write(ctx, window, address, value) -> None:
    ctx.set(window.link.address, address)
    ctx.set(window.link.write_data, value)
    ctx.set(window.link.write, 1)
    await ctx.tick()
    ctx.set(window.link.write, 0)


async def read(ctx, window, address) -> int:
    ctx.set(window.link.address, address)
    await ctx.tick()
    return ctx.get(window.link.read_data)


def test_a_write_and_a_read():
    async def bench(ctx, window):
        await write(ctx, window, Window.ADDRESS, 0x403)
        await write(ctx, window, Window.DATA, 0x12345678)
        bus = window.control
        for _ in range(3):  # as long as it takes
            assert ctx.get(bus.request) and ctx.get(bus.write)
            assert (ctx.get(bus.address), ctx.get(bus.write_data)) == (0x403, 0x12345678)
            assert await read(ctx, window, Window.STATE) == 1
        ctx.set(bus.done, 1)
        await ctx.tick()
        ctx.set(bus.done, 0)
        assert not ctx.get(bus.request)
        await write(ctx, window, Window.READ, 0)
        assert ctx.get(bus.request) and not ctx.get(bus.write)
        ctx.set(bus.read_data, 0xDEADBEEF)
        ctx.set(bus.done, 1)
        await ctx.tick()
        ctx.set(bus.done, 0)
        ctx.set(bus.read_data, 0)
        assert await read(ctx, window, Window.DATA) == 0xDEADBEEF
        assert await read(ctx, window, Window.STATE) == 0
        assert not ctx.get(window.machine.write)

    simulate(bench)


def test_what_comes_too_early_is_lost_and_says_so():
    async def bench(ctx, window):
        bus = window.control
        await write(ctx, window, Window.ADDRESS, 7)
        await write(ctx, window, Window.DATA, 1)
        await write(ctx, window, Window.ADDRESS, 8)
        await write(ctx, window, Window.DATA, 2)
        assert (ctx.get(bus.address), ctx.get(bus.write_data)) == (7, 1)
        ctx.set(bus.done, 1)
        await ctx.tick()
        ctx.set(bus.done, 0)
        assert await read(ctx, window, Window.STATE) == 2
        await write(ctx, window, Window.STATE, 0)
        assert await read(ctx, window, Window.STATE) == 0

    simulate(bench)


def test_the_lower_half_is_the_machine_s():
    async def bench(ctx, window):
        ctx.set(window.machine.read_data, 77)
        for address in (0, 4, 0x7FFFF):
            ctx.set(window.link.address, address)
            ctx.set(window.link.write, 1)
            ctx.set(window.link.write_data, address + 1)
            assert ctx.get(window.machine.write)
            assert ctx.get(window.machine.address) == address
            assert ctx.get(window.machine.write_data) == address + 1
            await ctx.tick()
            assert ctx.get(window.link.read_data) == 77 and not ctx.get(window.control.request)
        ctx.set(window.link.address, Window.STATE)
        assert not ctx.get(window.machine.write)

    simulate(bench)

# amaranth: UnusedElaboratable=no
"""The register file, against its page: docs/csr.md and hw/isa.py's tables."""

import random
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from ember.hw import isa
from ember.hw.config import ISA_VERSION, Config
from ember.hw.control import Control
from ember.hw.isa_docs import docs_csr, docs_isa

CONFIG = Config.preset("tiny")
REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}
COUNTER = {name: isa.COUNTER_BASE + 2 * n for n, (name, _) in enumerate(isa.COUNTERS)}
#: Cycles that a snapshot takes at most, and two around it.
SAVED_WITHIN = 2 * len(isa.COUNTERS) + 6
DOCS = Path(__file__).parents[2] / "docs"


def simulate(bench, sources: int = 2, config: Config = CONFIG, cycles: int = 5000) -> None:
    """Run ``bench(ctx, dut, host)``; a bench that never ends fails after ``cycles``."""
    dut = Control(config, sources)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)

    async def testbench(ctx):
        ctx.set(dut.done, 1)
        await bench(ctx, dut, Host(ctx, dut))

    async def watchdog(ctx):
        for _ in range(cycles):
            await ctx.tick()
        raise TimeoutError(f"bench must end within {cycles} cycles")

    simulator.add_testbench(testbench)
    simulator.add_testbench(watchdog, background=True)
    simulator.run()


class Host:
    def __init__(self, ctx, dut):
        self._ctx, self._dut = ctx, dut

    async def write(self, address: int, value: int) -> None:
        bus = self._dut.bus
        self._ctx.set(bus.address, address)
        self._ctx.set(bus.write_data, value)
        self._ctx.set(bus.write, 1)
        await self._ctx.tick()
        self._ctx.set(bus.write, 0)

    async def read(self, address: int) -> int:
        self._ctx.set(self._dut.bus.address, address)
        await self._ctx.tick()
        return self._ctx.get(self._dut.bus.read_data)

    async def read64(self, address: int) -> int:
        return await self.read(address) | await self.read(address + 1) << 32

    async def status(self) -> int:
        return await self.read(REGISTER["STATUS"])

    async def start(self) -> None:
        """Start, and play the core: done falls in the cycle after the pulse."""
        await self.write(REGISTER["CONTROL"], 1)
        assert self._ctx.get(self._dut.start)
        await self._ctx.tick()
        self._ctx.set(self._dut.done, 0)
        assert not self._ctx.get(self._dut.start)

    async def finish(self) -> None:
        """The core says done; wait for the counters to be saved."""
        self._ctx.set(self._dut.done, 1)
        await self._ctx.tick().repeat(2)
        cycles = 0
        while self._ctx.get(self._dut.busy):
            cycles += 1
            assert cycles <= SAVED_WITHIN
            await self._ctx.tick()

    async def snapshot(self) -> dict[str, int]:
        """Take one, wait for it and read it, all in the way the page says."""
        await self.write(REGISTER["SNAPSHOT"], 0)
        cycles = 0
        while await self.read(REGISTER["SNAPSHOT"]) & 1:
            cycles += 1
            assert cycles <= SAVED_WITHIN
        return {name: await self.read64(address) for name, address in COUNTER.items()}


def test_identity():
    async def bench(ctx, dut, host):
        assert await host.read(REGISTER["ID"]) == int.from_bytes(b"EMBR", "little")
        assert await host.read(REGISTER["VERSION"]) == ISA_VERSION
        assert f"{await host.read(REGISTER['CONFIG_HASH']):08x}" == CONFIG.hash
        await host.write(REGISTER["ID"], 0)
        assert await host.read(REGISTER["ID"]) == isa.ID_VALUE

    simulate(bench)


def test_every_other_address_reads_0():
    taken = {a for a in REGISTER.values()} | {REGISTER["ERROR_POSITION"] + 1}
    taken |= {REGISTER["ERROR_VALUE"] + 1}

    async def bench(ctx, dut, host):
        # A reset asks for the first snapshot, which is all 0.
        await ctx.tick().repeat(SAVED_WITHIN)
        for address in [*range(0x200), 1 << 16, 4 << 16, isa.COUNTER_BASE | 1 << 19]:
            if address not in taken:
                assert await host.read(address) == 0, hex(address)

    simulate(bench)


def test_address_to_data_is_one_cycle_and_every_cycle():
    async def bench(ctx, dut, host):
        ctx.set(dut.bus.address, REGISTER["ID"])
        await ctx.tick()
        ctx.set(dut.bus.address, REGISTER["VERSION"])
        assert ctx.get(dut.bus.read_data) == isa.ID_VALUE
        await ctx.tick()
        assert ctx.get(dut.bus.read_data) == ISA_VERSION

    simulate(bench)


def test_run():
    async def bench(ctx, dut, host):
        assert await host.status() == 0
        assert not ctx.get(dut.busy)
        await host.start()
        assert await host.status() == 1
        assert ctx.get(dut.busy)
        await ctx.tick().repeat(10)
        assert await host.status() == 1
        await host.finish()
        assert await host.status() == 2
        assert not ctx.get(dut.busy)

    simulate(bench)


def test_core_that_is_done_at_once():
    async def bench(ctx, dut, host):
        # done is still up in the cycle of the pulse, falls for one cycle, and rises again.
        await host.start()
        await host.finish()
        assert await host.status() == 2
        assert await host.read64(COUNTER["cycles"]) == 2

    simulate(bench)


def test_start_while_busy_is_ignored():
    async def bench(ctx, dut, host):
        await host.start()
        await host.write(REGISTER["CONTROL"], 1)
        assert not ctx.get(dut.start)
        await ctx.tick().repeat(5)
        await host.finish()
        # Restarted, the counter would have lost the cycles before.
        assert await host.read64(COUNTER["cycles"]) == 8

    simulate(bench)


def test_interrupt():
    async def bench(ctx, dut, host):
        await host.start()
        await host.finish()
        assert not ctx.get(dut.irq)
        await host.write(REGISTER["IRQ_ENABLE"], 1)
        assert await host.read(REGISTER["IRQ_ENABLE"]) == 1
        assert ctx.get(dut.irq)
        await host.write(REGISTER["CONTROL"], 2)
        assert not ctx.get(dut.irq)
        assert await host.status() == 0
        await host.start()
        assert not ctx.get(dut.irq)
        await host.finish()
        assert ctx.get(dut.irq)
        # A start takes the interrupt back too.
        await host.start()
        assert not ctx.get(dut.irq)

    simulate(bench)


def test_interrupt_comes_with_the_final_counters():
    async def bench(ctx, dut, host):
        await host.write(REGISTER["IRQ_ENABLE"], 1)
        await host.start()
        ctx.set(dut.events.tokens, 1)
        await ctx.tick().repeat(3)
        ctx.set(dut.done, 1)
        ctx.set(dut.bus.address, COUNTER["tokens"])
        while not ctx.get(dut.irq):
            await ctx.tick()
        await ctx.tick()
        # Three cycles and the one in which done rose.
        assert ctx.get(dut.bus.read_data) == 4
        await ctx.tick().repeat(5)
        assert await host.read64(COUNTER["tokens"]) == 4

    simulate(bench)


@pytest.mark.parametrize("value", [1, 2, CONFIG.segments])
def test_segments(value):
    async def bench(ctx, dut, host):
        assert await host.read(REGISTER["SEGMENTS"]) == 1
        await host.write(REGISTER["SEGMENTS"], value)
        assert await host.read(REGISTER["SEGMENTS"]) == value
        assert ctx.get(dut.segments) == value

    simulate(bench)


@pytest.mark.parametrize("value", [0, CONFIG.segments + 1, 1 << 16 | 3, (1 << 32) - 1])
def test_illegal_segments_are_ignored(value):
    async def bench(ctx, dut, host):
        await host.write(REGISTER["SEGMENTS"], 2)
        await host.write(REGISTER["SEGMENTS"], value)
        assert await host.read(REGISTER["SEGMENTS"]) == 2

    simulate(bench)


def test_segments_while_busy_are_ignored():
    async def bench(ctx, dut, host):
        await host.write(REGISTER["SEGMENTS"], 2)
        await host.start()
        await host.write(REGISTER["SEGMENTS"], 3)
        assert await host.read(REGISTER["SEGMENTS"]) == 2

    simulate(bench)


def test_segments_of_a_machine_with_one():
    async def bench(ctx, dut, host):
        await host.write(REGISTER["SEGMENTS"], 1)
        assert await host.read(REGISTER["SEGMENTS"]) == 1
        await host.write(REGISTER["SEGMENTS"], 2)
        assert await host.read(REGISTER["SEGMENTS"]) == 1

    simulate(bench, config=CONFIG.replace(segments=1))


def test_program_words():
    async def bench(ctx, dut, host):
        for window, _, entries in isa.windows(CONFIG).values():
            for entry, word in ((0, 0), (entries - 1, 2)):
                address = window << isa.WINDOW_SHIFT | entry << isa.ENTRY_SHIFT | word
                await host.write(address, 0xDEAD0000 | address & 0xFFFF)
                port = dut.program
                seen = [ctx.get(x) for x in (port.window, port.entry, port.word, port.value)]
                assert seen == [window, entry, word, 0xDEAD0000 | address & 0xFFFF]
                await ctx.tick()
                assert ctx.get(port.window) == 0

    simulate(bench)


@pytest.mark.parametrize(
    "address", [0, 5, 3 << 16, 8 << 16, 15 << 16, 1 << 16 | 8 << 5, 7 << 16 | 32 << 5]
)
def test_what_is_no_program_word(address):
    # tiny has two scalar layers, so no window 3; 8 segments; 32 instructions.
    async def bench(ctx, dut, host):
        await host.write(address, 1)
        assert ctx.get(dut.program.window) == 0

    simulate(bench)


def test_program_words_while_busy_are_ignored():
    async def bench(ctx, dut, host):
        await host.start()
        await host.write(1 << isa.WINDOW_SHIFT, 1)
        assert ctx.get(dut.program.window) == 0
        await host.finish()
        await host.write(1 << isa.WINDOW_SHIFT, 1)
        assert ctx.get(dut.program.window) == 1

    simulate(bench)


def report(ctx, dut, source, kind, **fields):
    values = {"segment": 0, "layer": 0, "position": 0, "value": 0, **fields}
    ctx.set(dut.errors[source], {"valid": 1, "report": {"kind": kind, **values}})


async def read_error(host):
    return (
        await host.read(REGISTER["ERROR_KIND"]),
        await host.read(REGISTER["ERROR_SEGMENT"]),
        await host.read(REGISTER["ERROR_LAYER"]),
        await host.read64(REGISTER["ERROR_POSITION"]),
        await host.read64(REGISTER["ERROR_VALUE"]),
    )


def test_first_error_is_kept():
    config = CONFIG.replace(addr_width=48)
    first = dict(segment=3, layer=1, position=0x1234_5678_9ABC, value=0xFEDC_BA98_7654_3210)

    async def bench(ctx, dut, host):
        await host.start()
        report(ctx, dut, 1, isa.Error.INDEX, **first)
        await ctx.tick()
        ctx.set(dut.errors[1].valid, 0)
        report(ctx, dut, 0, isa.Error.WRITE, position=9)
        await ctx.tick()
        ctx.set(dut.errors[0].valid, 0)
        assert await host.status() == 5
        assert await read_error(host) == (isa.Error.INDEX, *first.values())
        await host.finish()
        assert await host.status() == 6
        assert await read_error(host) == (isa.Error.INDEX, *first.values())
        await host.start()
        assert await host.status() == 1
        assert await read_error(host) == (0, 0, 0, 0, 0)

    simulate(bench, config=config)


def test_lowest_source_wins():
    async def bench(ctx, dut, host):
        await host.start()
        for source in (3, 1, 2):
            report(ctx, dut, source, isa.Error.READ, position=source)
        await ctx.tick()
        assert (await read_error(host))[3] == 1

    simulate(bench, sources=4)


def test_clear_forgets_the_error():
    async def bench(ctx, dut, host):
        # Errors outside a run are kept too: an answer that nobody asked for, say.
        report(ctx, dut, 0, isa.Error.UNKNOWN_TAG, value=77)
        await ctx.tick()
        ctx.set(dut.errors[0].valid, 0)
        await ctx.tick()  # a report counts from the next cycle on
        assert await host.status() == 4
        assert await read_error(host) == (isa.Error.UNKNOWN_TAG, 0, 0, 0, 77)
        await host.write(REGISTER["CONTROL"], 2)
        assert await host.status() == 0
        assert await read_error(host) == (0, 0, 0, 0, 0)

    simulate(bench)


def test_counters():
    plain = [name for name, _ in isa.COUNTERS if name != "cycles" and name[-5:] != "_peak"]

    async def bench(ctx, dut, host):
        for run in range(2):
            for name in plain:
                ctx.set(getattr(dut.events, name), 1)
            ctx.set(dut.events.outstanding_sum, 7)
            await ctx.tick().repeat(9)  # not busy: not counted
            for name in plain:
                ctx.set(getattr(dut.events, name), 0)
            await ctx.tick()
            await host.start()
            for n, name in enumerate(plain):
                event = getattr(dut.events, name)
                ctx.set(event, 5 if name == "outstanding_sum" else 1)
                await ctx.tick().repeat(n + 1 + run)
                ctx.set(event, 0)
            for level in (1, 2, 0, 1):
                for name in ("dataq_peak", "ctrlq_peak", "outstanding_peak"):
                    ctx.set(getattr(dut.events, name), level)
                await ctx.tick()
            await host.finish()
            ctx.set(dut.events.dataq_peak, 3)
            ctx.set(dut.events.rows, 1)
            await ctx.tick().repeat(3)
            ctx.set(dut.events.rows, 0)
            ctx.set(dut.events.dataq_peak, 0)
            for n, name in enumerate(plain):
                times = 5 if name == "outstanding_sum" else 1
                assert await host.read64(COUNTER[name]) == times * (n + 1 + run), name
            for name in ("dataq_peak", "ctrlq_peak", "outstanding_peak"):
                assert await host.read64(COUNTER[name]) == 2, name
            total = sum(n + 1 + run for n in range(len(plain)))
            # The pulse's cycle, the events, four levels, and the cycle in which done is seen.
            assert await host.read64(COUNTER["cycles"]) == 1 + total + 4 + 1

    simulate(bench, cycles=20_000)


def test_snapshot_while_running(seed):
    rng = random.Random(seed)

    async def bench(ctx, dut, host):
        await host.start()
        seen, last = 0, {}
        ctx.set(dut.events.rows, 1)
        ctx.set(dut.events.outstanding_sum, 5)
        for level in (1, 2, 0, 1):
            ctx.set(dut.events.dataq_peak, level)
            await ctx.tick().repeat(rng.randrange(1, 200))
            found = await host.snapshot()
            # Events and cycles count alike, two cycles apart: the pulse, and the register.
            assert found["rows"] == found["cycles"] - 1 > seen
            assert found["outstanding_sum"] == 5 * found["rows"]
            assert found["dataq_peak"] == max(level, last.get("dataq_peak", 0))
            seen, last = found["cycles"], found
        ctx.set(dut.events.rows, 0)
        await host.finish()
        final = {name: await host.read64(address) for name, address in COUNTER.items()}
        assert final["cycles"] > seen
        # It is the end's snapshot that is read; another one is the same.
        assert await host.snapshot() == final

    simulate(bench, cycles=10_000)


def test_snapshot_number():
    async def bench(ctx, dut, host):
        number = REGISTER["SNAPSHOT"]
        assert await host.read(number) == 0xFFFF
        await ctx.tick().repeat(SAVED_WITHIN)
        assert await host.read(number) == 0
        await host.write(number, 7)
        assert await host.read(number) == 1
        await ctx.tick().repeat(SAVED_WITHIN)
        assert await host.read(number) == 2
        # A start takes one, and so does an end.
        await host.start()
        assert await host.read(number) == 3
        await ctx.tick().repeat(SAVED_WITHIN)
        assert await host.read(number) == 4
        await host.finish()
        assert await host.read(number) == 6

    simulate(bench)


def test_start_clears_what_is_read():
    async def bench(ctx, dut, host):
        ctx.set(dut.events.rows, 1)
        await host.start()
        await ctx.tick().repeat(20)
        await host.finish()
        assert await host.read64(COUNTER["rows"]) == 22
        await host.start()
        await ctx.tick().repeat(len(isa.COUNTERS) + 4)
        assert await host.read(REGISTER["SNAPSHOT"]) & 1 == 0
        assert await host.read64(COUNTER["rows"]) == 0

    simulate(bench)


def test_a_host_that_asks_for_snapshots_does_not_put_off_the_end():
    async def bench(ctx, dut, host):
        await host.start()
        ctx.set(dut.done, 1)
        for _ in range(SAVED_WITHIN):
            await host.write(REGISTER["SNAPSHOT"], 1)
        assert not ctx.get(dut.busy)

    simulate(bench)


def test_runs_of_any_length(seed):
    """A short run ends before the snapshot of its start does."""
    rng = random.Random(seed)

    async def bench(ctx, dut, host):
        ctx.set(dut.events.rows, 1)
        await ctx.tick()
        for _ in range(20):
            cycles = rng.randrange(200)
            await host.start()
            await ctx.tick().repeat(cycles)
            await host.finish()
            assert await host.read64(COUNTER["rows"]) == cycles + 2
            assert await host.read64(COUNTER["cycles"]) == cycles + 2

    simulate(bench, cycles=10_000)


def test_no_sources():
    with pytest.raises(ValueError, match=r"^sources must be at least 1, not 0$"):
        Control(CONFIG, 0)


def test_pages_are_up_to_date():
    hint = "run `python -m ember.hw.isa_docs docs`"
    assert (DOCS / "isa.md").read_text() == docs_isa(), hint
    assert (DOCS / "csr.md").read_text() == docs_csr(), hint


def test_pages_name_everything():
    registers, microcode = docs_csr(), docs_isa()
    for name, *_ in isa.REGISTERS:
        assert f"`{name}`" in registers
    for name, _ in isa.COUNTERS:
        assert f"| 0x{COUNTER[name]:02X} | `{name}` |" in registers
    for layout in (f for _, f, _ in isa.windows(Config.preset("paper")).values()):
        for field in layout.fields:
            assert f"| `{field.name}` |" in microcode

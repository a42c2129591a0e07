"""cocotb tests of a machine on AXI; run by test_buses.py."""

import cocotb
from axi_memory import Lines, Shuffling, pause, slave
from axi_rules import AxiRules
from bus_case import REGISTER, Case, launch
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from cocotbext.axi.constants import AxiResp
from ember.hw import isa
from ember.hw.layouts import tag
from ember.sim.cocotb_drivers import bench_config, bench_seed, start

CONFIG = bench_config()


class Host:
    """The host of cocotbext-axi, word by word."""

    def __init__(self, dut, stall: float = 0.0):
        self._master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        if stall:
            read, write = self._master.read_if, self._master.write_if
            channels = {"ar": read.ar_channel, "r": read.r_channel, "aw": write.aw_channel}
            pause({**channels, "w": write.w_channel, "b": write.b_channel}, bench_seed(), stall)

    async def write(self, address: int, value: int) -> None:
        response = await self._master.write(4 * address, value.to_bytes(4, "little"))
        assert response.resp == AxiResp.OKAY

    async def read(self, address: int) -> int:
        response = await self._master.read(4 * address, 4)
        assert response.resp == AxiResp.OKAY
        return int.from_bytes(response.data, "little")

    async def write_bytes(self, address: int, data: bytes) -> AxiResp:
        """A write that does not select whole words."""
        return (await self._master.write(address, data)).resp


async def begin(dut, stall: float = 0.0) -> tuple[Case, Host, AxiRules]:
    case, host, rules = Case(CONFIG, bench_seed()), Host(dut, stall), AxiRules(dut, CONFIG)
    await start(dut, 4)
    return case, host, rules


@cocotb.test()
async def in_order(dut):
    """The memory of cocotbext-axi, without a stall: two launches."""
    case, host, rules = await begin(dut)
    slave(dut, Lines(case.memory, CONFIG), bench_seed(), 0.0)
    for _ in range(2):
        case.clear()
        assert await launch(dut, host, case) == 2
        case.check()
    beats = 8 * CONFIG.line_bytes // len(dut.m_axi_rdata)
    assert rules.reads > 100 and rules.writes > 50 and rules.beats == rules.reads * beats


@cocotb.test()
async def stalled(dut):
    """Every channel, the host's too, rests at random."""
    case, host, rules = await begin(dut, 0.4)
    slave(dut, Lines(case.memory, CONFIG), bench_seed(), 0.5)
    assert await launch(dut, host, case) == 2
    case.check()
    assert rules.most > 2


@cocotb.test()
async def shuffled(dut):
    """Answers in any order, beats of several bursts interleaved."""
    case, host, rules = await begin(dut, 0.2)
    memory = Shuffling(dut, Lines(case.memory, CONFIG), bench_seed(), 0.2)
    for _ in range(2):
        case.clear()
        assert await launch(dut, host, case) == 2
        case.check()
    assert memory.reordered > 20
    if len(dut.m_axi_rdata) < 8 * CONFIG.line_bytes:
        assert memory.interleaved > 20
    assert rules.most <= 1 << len(dut.m_axi_arid)


async def _errors(dut, kind: isa.Error, shuffle: bool, **errors):
    case, host, _ = await begin(dut)
    lines = {name: [getattr(case, line)] for name, line in errors.items()}
    failing = Lines(case.memory, CONFIG, **lines)
    if shuffle:
        Shuffling(dut, failing, bench_seed(), 0.1)
    else:
        slave(dut, failing, bench_seed(), 0.0)
    assert await launch(dut, host, case) == 6
    assert await host.read(REGISTER["ERROR_KIND"]) == kind
    # The next run is clean again.
    failing.__init__(case.memory, CONFIG)
    case.clear()
    assert await launch(dut, host, case) == 2
    case.check()


@cocotb.test()
@cocotb.parametrize(shuffle=[False, True])
async def read_error(dut, shuffle):
    """SLVERR and DECERR in one of a line's beats are the line's error."""
    await _errors(dut, isa.Error.READ, shuffle, read_errors="table_line")


@cocotb.test()
@cocotb.parametrize(shuffle=[False, True])
async def write_error(dut, shuffle):
    """So are those of a write."""
    await _errors(dut, isa.Error.WRITE, shuffle, write_errors="out_line")


@cocotb.test()
async def reset(dut):
    """A reset of everything in the middle of bursts leaves nothing behind."""
    case, host, rules = await begin(dut)
    memory = Shuffling(dut, Lines(case.memory, CONFIG), bench_seed(), 0.2)
    for cycles in (40, 97, 211):
        for address, value in case.program.image(CONFIG):
            await host.write(address, value)
        await host.write(REGISTER["SEGMENTS"], len(case.program.segments))
        await host.write(REGISTER["CONTROL"], 1)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        before = rules.reads
        assert before
        memory.stop()
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
            await FallingEdge(dut.clk)
            assert not any(
                int(getattr(dut, f"{name}valid").value)
                for name in ("m_axi_ar", "m_axi_aw", "m_axi_w", "s_axil_b", "s_axil_r")
            )
        memory.restart()
        dut.rst.value = 0
        assert await host.read(REGISTER["STATUS"]) == 0
    case.clear()
    assert await launch(dut, host, case) == 2
    case.check()


@cocotb.test()
async def words(dut):
    """Registers have whole words: a write with some strobes is refused, one with none ignored."""
    case, host, _ = await begin(dut, 0.3)
    slave(dut, Lines(case.memory, CONFIG), bench_seed(), 0.0)
    segments = 4 * REGISTER["SEGMENTS"]
    await host.write(REGISTER["SEGMENTS"], 3)
    assert await host.write_bytes(segments, b"\x02") == AxiResp.SLVERR
    assert await host.write_bytes(segments + 2, b"\x00\x00") == AxiResp.SLVERR
    assert await host.read(REGISTER["SEGMENTS"]) == 3
    await host.write(REGISTER["ID"], 1)
    assert await host.read(REGISTER["ID"]) == isa.ID_VALUE
    assert await host.read((1 << isa.BUS_ADDR_WIDTH) - 1) == 0
    assert tag(CONFIG).size >= len(dut.m_axi_arid)

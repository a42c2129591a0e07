"""cocotb tests of a machine on Wishbone; run by test_buses.py."""

import cocotb
from bus_case import REGISTER, Case, launch
from cocotb.triggers import FallingEdge
from ember.hw import isa
from ember.sim.cocotb_drivers import bench_config, bench_seed, start
from wishbone_models import Host, WishboneMemoryModel, WishboneRules

CONFIG = bench_config()


async def begin(dut, pipelined: bool = True) -> tuple[Case, Host, WishboneRules]:
    case, host = Case(CONFIG, bench_seed()), Host(dut, pipelined, bench_seed())
    rules = WishboneRules(dut, CONFIG)
    await start(dut, 4)
    return case, host, rules


def memory(dut, case: Case, **options) -> WishboneMemoryModel:
    return WishboneMemoryModel(dut, case.memory, CONFIG, bench_seed(), **options)


@cocotb.test()
async def quick(dut):
    """Never a stall: two launches."""
    case, host, rules = await begin(dut)
    memory(dut, case)
    for _ in range(2):
        case.clear()
        assert await launch(dut, host, case) == 2
        case.check()
    assert rules.reads > 100 and rules.writes > 50 and 1 < rules.turns < rules.reads


@cocotb.test()
async def stalled(dut):
    """Requests stalled, answers late, a classic host."""
    case, host, rules = await begin(dut, pipelined=False)
    memory(dut, case, stall=0.5, latency=30)
    assert await launch(dut, host, case) == 2
    case.check()
    assert rules.most > 3


@cocotb.test()
@cocotb.parametrize(latency=[0, 5])
async def classic(dut, latency):
    """A classic slave, with the stall that belongs to it; its answer may come at once."""
    case, host, _ = await begin(dut)
    memory(dut, case, classic=True, latency=latency)
    assert await launch(dut, host, case) == 2
    case.check()


@cocotb.test()
@cocotb.parametrize(kind=["READ", "WRITE"])
async def error(dut, kind):
    """An err in a line is the line's error; the next run is clean."""
    case, host, _ = await begin(dut)
    lines = {"READ": case.table_line, "WRITE": case.out_line}
    model = memory(dut, case, latency=4, errors=[lines[kind]])
    assert await launch(dut, host, case) == 6
    assert await host.read(REGISTER["ERROR_KIND"]) == isa.Error[kind]
    model.errors.clear()
    case.clear()
    assert await launch(dut, host, case) == 2
    case.check()


@cocotb.test()
async def reset(dut):
    """A reset of everything in the middle of a cycle leaves nothing behind."""
    case, host, rules = await begin(dut)
    memory(dut, case, stall=0.2, latency=20)
    for cycles in (40, 97, 211):
        for address, value in case.program.image(CONFIG):
            await host.write(address, value)
        await host.write(REGISTER["SEGMENTS"], len(case.program.segments))
        await host.write(REGISTER["CONTROL"], 1)
        for _ in range(cycles):
            await FallingEdge(dut.clk)
        assert rules.most
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        assert not int(dut.wbm_cyc.value) and not int(dut.wbm_stb.value)
        dut.rst.value = 0
        assert await host.read(REGISTER["STATUS"]) == 0
    case.clear()
    assert await launch(dut, host, case) == 2
    case.check()


@cocotb.test()
@cocotb.parametrize(pipelined=[False, True])
async def words(dut, pipelined):
    """Registers have whole words: a write that selects some is refused, one of none ignored."""
    case, host, _ = await begin(dut, pipelined)
    memory(dut, case)
    await host.write(REGISTER["SEGMENTS"], 3)
    for sel in (1, 2, 12, 7):
        assert await host.write(REGISTER["SEGMENTS"], 2, sel)
    assert not await host.write(REGISTER["SEGMENTS"], 2, 0)
    assert await host.read(REGISTER["SEGMENTS"]) == 3
    assert not await host.write(REGISTER["ID"], 1)
    assert await host.read(REGISTER["ID"]) == isa.ID_VALUE
    assert await host.read((1 << isa.BUS_ADDR_WIDTH) - 1) == 0

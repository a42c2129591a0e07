"""Compiled programs behind a bus: arrays, a host's steps, and what must come out."""

import numpy as np
from cocotb.triggers import FallingEdge
from ember.compiler.pipeline import compile_bags
from ember.compiler.spec import BagSpec
from ember.hw import isa
from ember.hw.config import Config
from ember.sim.golden import bitwise_equal, embedding_bag
from ember.sim.memory import Memory

REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}
#: Where arrays begin: in the last line before a multiple of 4 KiB.
_START = 0x1F00


class Case:
    """Three tables of random bags, one after the other in one program.

    Parameters
    ----------
    config : Config
    seed : int
    """

    def __init__(self, config: Config, seed: int):
        rng = np.random.default_rng(seed)
        self.config, self.memory = config, Memory(config)
        self.memory.map(_START, np.zeros(0x100, np.uint8))
        specs, addresses = [], {}
        self._outputs: list[tuple[np.ndarray, np.ndarray]] = []
        for name, mode in (("a", "sum"), ("b", "mean"), ("c", "max")):
            rows, dim = int(rng.integers(5, 40)), int(rng.integers(3, 20))
            lengths = rng.integers(0, 7, 12)
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
            table = rng.standard_normal((rows, dim)).astype(np.float32)
            indices = rng.integers(0, rows, offsets[-1]).astype(np.int64)
            out = np.full((len(lengths), dim), 7.0, np.float32)
            specs.append(
                BagSpec(
                    name, rows=rows, dim=dim, bags=len(lengths), lookups=len(indices),
                    index_type="i64", offset_type="i32", mode=mode,
                )
            )  # fmt: skip
            arrays = {"table": table, "indices": indices, "offsets": offsets, "out": out}
            for role, array in arrays.items():
                # Anywhere in a line.
                offset = array.itemsize * int(rng.integers(config.line_bytes // array.itemsize))
                addresses[name, role] = self.memory.place(
                    array, writable=role == "out", offset=offset
                )
            expected = embedding_bag(table, indices, offsets, mode, include_last_offset=True)
            self._outputs.append((out, expected))
        (self.program,) = compile_bags(config, specs).link(addresses)
        #: The lines that the first table's rows and outputs begin in.
        self.table_line = addresses["a", "table"] // config.line_bytes
        self.out_line = addresses["a", "out"] // config.line_bytes

    def clear(self) -> None:
        """Forget the results of a run."""
        for out, _ in self._outputs:
            out[:] = 7.0

    def check(self) -> None:
        """All results are the golden reference's, to the last bit."""
        for out, expected in self._outputs:
            result = bitwise_equal(out, expected)
            assert result, result


async def launch(dut, host, case: Case, cycles: int = 60_000) -> int:
    """Load and run the program as docs/csr.md says; returns STATUS at the interrupt.

    Raises
    ------
    TimeoutError
        There was none within ``cycles``.
    """
    assert await host.read(REGISTER["ID"]) == isa.ID_VALUE
    assert f"{await host.read(REGISTER['CONFIG_HASH']):08x}" == case.config.hash
    for address, value in case.program.image(case.config):
        await host.write(address, value)
    await host.write(REGISTER["SEGMENTS"], len(case.program.segments))
    assert await host.read(REGISTER["SEGMENTS"]) == len(case.program.segments)
    await host.write(REGISTER["IRQ_ENABLE"], 1)
    await host.write(REGISTER["CONTROL"], 2)
    await host.write(REGISTER["CONTROL"], 1)
    for _ in range(cycles):
        await FallingEdge(dut.clk)
        if int(dut.irq.value):
            return await host.read(REGISTER["STATUS"])
    raise TimeoutError(f"the program must end within {cycles} cycles")

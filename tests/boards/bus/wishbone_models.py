"""Wishbone B4: hosts and memories, classic and pipelined, and the rules for the design."""

import random
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from ember.hw.config import Config
from ember.sim.cocotb_drivers import known
from ember.sim.memory import Memory

_LIMIT = 100  # cycles until an answer


class Host:
    """A master on ``wbs``, one access at a time.

    Parameters
    ----------
    pipelined : bool
        Take ``stall`` for the acceptance, and ``stb`` away then; else hold it until the answer.
    """

    def __init__(self, dut, pipelined: bool, seed: int):
        self._dut, self._pipelined = dut, pipelined
        self._random = random.Random(f"{seed} host")
        dut.wbs_cyc.value = dut.wbs_stb.value = dut.wbs_we.value = 0

    async def write(self, address: int, value: int, sel: int = 15) -> bool:
        """Returns whether it was refused."""
        return (await self._access(address, 1, value, sel))[0]

    async def read(self, address: int) -> int:
        refused, value = await self._access(address, 0, 0, 15)
        assert not refused
        return value

    async def _access(self, address: int, we: int, value: int, sel: int) -> tuple[bool, int]:
        dut = self._dut
        for _ in range(self._random.randrange(3)):
            await FallingEdge(dut.clk)
        dut.wbs_cyc.value = dut.wbs_stb.value = 1
        dut.wbs_we.value, dut.wbs_adr.value = we, address
        dut.wbs_dat_w.value, dut.wbs_sel.value = value, sel
        taken = False
        for _ in range(_LIMIT):
            await FallingEdge(dut.clk)
            if taken:
                dut.wbs_stb.value = 0
            if known(dut.wbs_ack) | known(dut.wbs_err):
                break
            taken = self._pipelined and not known(dut.wbs_stall)
        else:
            raise TimeoutError(f"an access must be answered within {_LIMIT} cycles")
        refused, data = bool(known(dut.wbs_err)), known(dut.wbs_dat_r)
        await FallingEdge(dut.clk)
        dut.wbs_cyc.value = dut.wbs_stb.value = 0
        return refused, data


class WishboneMemoryModel:
    """A memory on ``wbm``.

    Parameters
    ----------
    memory : Memory
    config : Config
    seed : int
    stall : float
        Chance of a cycle in which no request is taken.
    latency : int
        Most cycles from a request to its answer.
    classic : bool
        A classic slave, which answers one request after the other, with the ``stall`` made of its
        answers that B4 gives for a pipelined master.
    errors : lines whose accesses fail
    """

    def __init__(
        self, dut, memory: Memory, config: Config, seed: int, *, stall: float = 0.0,
        latency: int = 1, classic: bool = False, errors=(),
    ):  # fmt: skip
        self._dut, self._memory, self._config = dut, memory, config
        self._random = random.Random(f"{seed} memory")
        self._stall, self._latency = stall, latency
        self._bytes = len(dut.wbm_dat_w) // 8
        self.errors = set(errors)
        for name in ("ack", "err", "dat_r"):
            getattr(dut, f"wbm_{name}").value = 0
        dut.wbm_stall.value = 1
        cocotb.start_soon(self._classic() if classic else self._pipelined())

    def _answer(self) -> tuple[int, bool]:
        """Carries out the request that is offered: data and whether it failed."""
        dut, size = self._dut, self._bytes
        address = known(dut.wbm_adr) * size
        if address // self._config.line_bytes in self.errors:
            return 0, True
        if not known(dut.wbm_we):
            return int.from_bytes(self._memory.load(address, size).tobytes(), "little"), False
        data = known(dut.wbm_dat_w).to_bytes(size, "little")
        for byte in range(0, size, 4):
            selected = known(dut.wbm_sel) >> byte & 15
            assert selected in (0, 15), "words are written whole"
            if selected:
                self._memory.store(address + byte, memoryview(data[byte : byte + 4]))
        return 0, False

    def _show(self, answer: tuple[int, bool] | None) -> None:
        data, error = answer or (self._random.getrandbits(8 * self._bytes), False)
        self._dut.wbm_ack.value = int(answer is not None and not error)
        self._dut.wbm_err.value = int(answer is not None and error)
        self._dut.wbm_dat_r.value = data

    async def _pipelined(self) -> None:
        dut, cycle = self._dut, 0
        answers: deque[tuple[int, tuple[int, bool]]] = deque()
        while True:
            await FallingEdge(dut.clk)
            cycle += 1
            due = answers and answers[0][0] <= cycle
            self._show(answers.popleft()[1] if due else None)
            stall = self._random.random() < self._stall
            dut.wbm_stall.value = int(stall)
            await ReadOnly()
            if known(dut.rst):
                answers.clear()
            elif known(dut.wbm_cyc) and known(dut.wbm_stb) and not stall:
                wait = self._random.randint(1, self._latency)
                answers.append((cycle + wait, self._answer()))

    async def _classic(self) -> None:
        dut, wait = self._dut, None
        while True:
            await FallingEdge(dut.clk)
            asked = not known(dut.rst) and known(dut.wbm_cyc) and known(dut.wbm_stb)
            if asked and wait is None:
                wait = self._random.randint(0, self._latency)
            answered = bool(asked) and wait == 0
            self._show(self._answer() if answered else None)
            dut.wbm_stall.value = int(not answered)
            wait = None if answered or not asked else wait - 1


class WishboneRules:
    """Watches both ports of a WishboneMachine; a rule that is broken fails the test.

    Attributes
    ----------
    reads, writes : lines that have been asked for and written
    turns : cycles (in Wishbone's sense) that have begun
    most : highest number of beats that were not answered
    """

    def __init__(self, dut, config: Config):
        self._dut, self._beats = dut, config.line_bytes * 8 // len(dut.wbm_dat_w)
        self.reads = self.writes = self.turns = self.most = 0
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut = self._dut
        held, direction, waiting, beat, first = None, None, 0, 0, 0
        while True:
            await FallingEdge(dut.clk)
            await ReadOnly()
            if known(dut.rst):
                held, direction, waiting, beat = None, None, 0, 0
                continue
            cyc, stb, we = known(dut.wbm_cyc), known(dut.wbm_stb), known(dut.wbm_we)
            assert cyc or not stb
            assert cyc or not waiting, "cyc must stay high until all is answered"
            if not cyc:
                direction = None
            elif direction is None:
                direction, self.turns = we, self.turns + 1
            assert not cyc or we == direction, "a cycle must have one direction"
            names = ("adr", "we", "dat_w", "sel")
            offer = tuple(known(getattr(dut, f"wbm_{n}")) for n in names) if stb else None
            assert held in (None, offer), f"wbm must hold {held}, not {offer}"
            taken = stb and not known(dut.wbm_stall)
            held = offer if stb and not taken else None
            if taken:
                address = known(dut.wbm_adr)
                first = first if beat else address
                assert address == first + beat and first % self._beats == 0
                assert we or known(dut.wbm_sel) == (1 << len(dut.wbm_sel)) - 1
                beat = (beat + 1) % self._beats
                waiting += 1
                self.reads += beat == 0 and not we
                self.writes += beat == 0 and bool(we)
            waiting -= bool(cyc and (known(dut.wbm_ack) or known(dut.wbm_err)))
            assert waiting >= 0
            self.most = max(self.most, waiting)
            self._slave()

    def _slave(self) -> None:
        dut = self._dut
        answers = known(dut.wbs_ack) + known(dut.wbs_err)
        assert answers <= 1 and known(dut.wbs_stall) == 1 - answers
        assert not answers or (known(dut.wbs_cyc) and known(dut.wbs_stb))

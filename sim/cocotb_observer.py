"""Monitors of a probed machine under cocotb: what the native engine records, from the ports."""

from typing import Any

import cocotb
import numpy as np
from amaranth.lib import data
from cocotb.triggers import FallingEdge, ReadOnly

from ..hw import isa, layouts
from ..hw.config import Config
from ..hw.top import probe_state
from .cocotb_drivers import RegisterBusDriver, known
from .packing import Packed, pack, unpack
from .result import ErrorReport, Observed, RunResult, Traffic

_REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}


class MachineObserver:
    """Watches the queues' inputs and the read port of ``Machine(config, probes=True)``.

    The definitions are those of sim/observer.h: see :class:`ember.sim.result.Observed`. Writes are
    left to the native engine.
    """

    def __init__(self, dut: Any, config: Config):
        self._dut, self._config = dut, config
        self.clear()
        cocotb.start_soon(self._run())

    def clear(self) -> None:
        """Forget everything, for the next run."""
        self.cycles = 0
        self.tokens: list[Packed] = []
        self.vectors: list[list[int]] = []
        self._token_states: list[int] = []
        self._vector_states: list[int] = []
        self._answers = np.zeros((8, 8), np.uint64)
        self._held = {"ctrlq": False, "dataq": False}
        self._asked: dict[int, tuple[int, int]] = {}  # tag -> number of the request, hint
        self._requests = self._newest = self.reads = self.answers = 0

    async def result(self, bus: RegisterBusDriver, counters: dict[str, int]) -> RunResult:
        """What has been seen since :meth:`clear`, with the error registers."""
        return RunResult(
            cycles=counters["cycles"], counters=counters, error=await first_error(bus),
            tokens=self._token_table(),
            vectors=np.array(self.vectors, np.uint32).reshape(-1, self._config.lanes),
            wall_seconds=0.0, traffic=Traffic(reads=self.reads, read_answers=self.answers),
            observed=Observed(
                np.array(self._token_states, np.uint8), np.array(self._vector_states, np.uint8),
                self._answers, np.zeros(8, np.uint64),
            ),
        )  # fmt: skip

    def _token_table(self) -> np.ndarray:
        names = [str(name) for name, _ in layouts.token(self._config)]
        table = np.zeros(len(self.tokens), [(name, np.uint32) for name in names])
        for n, token in enumerate(self.tokens):
            table[n] = tuple(token[name] for name in names)
        return table

    async def _run(self) -> None:
        dut, config = self._dut, self._config
        state_layout = probe_state(config)
        request, response = layouts.read_request(config), layouts.read_response(config)
        while True:
            await FallingEdge(dut.clk)
            await ReadOnly()
            self.cycles += 1
            if known(dut.rst):
                continue
            state = unpack(state_layout, known(dut.probe_state))
            if config.execute:
                self._queues(state)
            if known(dut.read__request__valid) and known(dut.read__request__ready):
                asked = unpack(request, known(dut.read__request__payload))
                self._requests += 1
                self.reads += 1
                self._asked[pack(request["tag"].shape, asked["tag"])] = self._requests, asked["nt"]
            if known(dut.read__response__valid):
                answer = unpack(response, known(dut.read__response__payload))
                self._answered(pack(response["tag"].shape, answer["tag"]), answer)

    def _queues(self, state: Packed) -> None:
        """What enters the queues."""
        dut, token, vector = self._dut, layouts.token(self._config), layouts.vector(self._config)
        if state["ctrlq"]["valid"] or self._held["ctrlq"]:
            if self._push("ctrlq", state, self._token_states):
                self.tokens.append(unpack(token, _payload(dut.probe_token, token)))
        if state["dataq"]["valid"] or self._held["dataq"]:
            if self._push("dataq", state, self._vector_states):
                self.vectors.append(unpack(vector, _payload(dut.probe_vector, vector)))

    def _push(self, queue: str, state: Packed, states: list[int]) -> bool:
        """Whether there was a push; notes the queue's state before it."""
        stream, held = state[queue], self._held[queue]
        pushed = bool(stream["valid"] and stream["ready"])
        if pushed:
            oldest = min((number for number, _ in self._asked.values()), default=self._newest)
            level = state[f"{queue}_level"]
            states.append((2 if held else 1 if level else 0) + 4 * (oldest < self._newest))
        self._held[queue] = bool(stream["valid"] and not stream["ready"])
        return pushed

    def _answered(self, tag: int, answer: Packed) -> None:
        if tag not in self._asked:
            return  # nobody asked for it
        number, hint = self._asked.pop(tag)
        flags = int(number < self._newest) + 2 * hint + 4 * answer["error"]
        self._answers[answer["tag"]["stream"]][flags] += 1
        self._newest = max(self._newest, number)
        self.answers += 1


def _payload(handle: Any, shape: data.Layout) -> int:
    """The payload of a probe of {valid, payload}."""
    layout = data.StructLayout({"valid": 1, "payload": shape})
    return known(handle) >> layout["payload"].offset


async def first_error(bus: RegisterBusDriver) -> ErrorReport | None:
    """The error registers, or None while STATUS shows no error."""
    if not await bus.read(_REGISTER["STATUS"]) & 4:
        return None

    async def wide(name: str) -> int:
        low = await bus.read(_REGISTER[name])
        return low | await bus.read(_REGISTER[name] + 1) << 32

    return ErrorReport(
        kind=isa.Error(await bus.read(_REGISTER["ERROR_KIND"])),
        segment=await bus.read(_REGISTER["ERROR_SEGMENT"]),
        layer=await bus.read(_REGISTER["ERROR_LAYER"]),
        position=await wide("ERROR_POSITION"),
        value=await wide("ERROR_VALUE"),
    )

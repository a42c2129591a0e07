"""Runs programs on a board: the same calls and results as those of the RTL engine."""

import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ...hw import isa
from ...hw.config import Config
from ...hw.program import Program
from ...sim.hang import describe
from ...sim.result import ConfigMismatch, ErrorReport, RunResult, Traffic
from .client import Client, Identity, wait_cycles
from .dram import initialize
from .dram_phy import PHYS
from .errors import BoardError

REGISTER = {name: address for name, address, _, _ in isa.REGISTERS}

#: The machine's memory starts at address 0; a region is (base, size, bytes, writable).
Region = tuple[int, int, np.ndarray, bool]


class HostMemory(Protocol):
    """What a session needs of a memory."""

    def segments(self) -> Sequence[Region]:
        """(base, size in bytes, bytes as a 1-D uint8 view, writable) of each segment."""
        ...


class Session:
    """A board that was found to be the right one.

    Parameters
    ----------
    client : Client
    config : Config
        What its machine must be.
    patience : float, seconds
        As the client's.

    Attributes
    ----------
    identity : what the board says of itself

    Raises
    ------
    ConfigMismatch
        The board's machine is another one.
    BoardError
        It does not answer, or still runs what somebody else started.
    """

    def __init__(self, client: Client, config: Config, patience: float = 0.5):
        self._client, self._config = client, config
        self.identity: Identity = client.identify()
        self._wait_cycles = wait_cycles(self.identity.clock_hz, patience)
        if self.identity.config_hash != config.hash:
            raise ConfigMismatch(
                f"program is for configuration {config.hash}, but board {self.identity.board} has "
                f"{self.identity.config_hash}: choose its preset, or build and program it again"
            )
        if self.identity.board in PHYS:
            initialize(client, self.identity.board)
        if not client.wait(self._wait_cycles):
            raise BoardError(
                f"board {self.identity.board} still runs an earlier program: wait, or press its "
                f"reset button"
            )

    def run(
        self,
        program: Program,
        memory: HostMemory,
        *,
        max_cycles: int = 1_000_000_000,
        max_seconds: float = 3600.0,
    ) -> RunResult:
        """Load ``memory`` and ``program``, run it, bring back what is writable.

        Raises
        ------
        ValueError
            The program or the memory does not fit.
        Hang
            A limit was reached.
        BoardError
            The board does not answer, or refuses.
        """
        self.load(memory)
        result = self.launch(program, max_cycles=max_cycles, max_seconds=max_seconds)
        self.store(memory)
        return result

    def load(self, memory: HostMemory) -> None:
        """Bring every array to the board, outputs too: what a run does not write stays.

        Raises
        ------
        ValueError
            An array ends beyond the board's memory.
        """
        regions = memory.segments()
        size = self.identity.memory_bytes
        for base, length, _, _ in regions:
            if base + length > size:
                raise ValueError(
                    f"arrays must end within the {size} bytes of the board's memory, but one of "
                    f"{length} bytes is at {base:#x}"
                )
        for base, _, data, _ in regions:
            content = _whole_words(data)
            words = np.frombuffer(content, "<u4")
            if len(words) > 4 and (words == words[0]).all():
                self._client.fill_memory(base, len(words), int(words[0]))
            else:
                self._client.write_memory(base, content)

    def store(self, memory: HostMemory) -> None:
        """Bring every writable array back."""
        for base, length, data, writable in memory.segments():
            if writable:
                content = self._client.read_memory(base, -(-length // 4) * 4)
                data[:] = np.frombuffer(content, np.uint8)[:length]

    def launch(self, program: Program, *, max_cycles: int, max_seconds: float) -> RunResult:
        """Load ``program`` and run it on what is in the board's memory."""
        client = self._client
        # The interrupt is what a board's lamp for a finished run shows.
        client.write_registers(
            [
                *program.image(self._config),
                (REGISTER["CONTROL"], 2),
                (REGISTER["IRQ_ENABLE"], 1),
                (REGISTER["SEGMENTS"], len(program.segments)),
            ]
        )
        started = time.monotonic()
        client.write_registers([(REGISTER["CONTROL"], 1)])
        spent, limit = 0, None
        while limit is None:
            bound = max(1, min(self._wait_cycles, max_cycles - spent))
            if client.wait(bound):
                break
            spent += bound
            if spent >= max_cycles:
                limit = f"within {max_cycles} cycles"
            elif time.monotonic() - started > max_seconds:
                limit = f"within {max_seconds:g} s ({spent} cycles)"
        wall = time.monotonic() - started
        if limit is not None:
            status = client.read_registers(REGISTER["STATUS"], 1)[0]
            raise describe(limit, status, {}, self._snapshot(), Traffic())
        counters = self._counters()
        return RunResult(
            cycles=counters["cycles"], counters=counters, error=self._error(), tokens=None,
            vectors=None, wall_seconds=wall,
        )  # fmt: skip

    def _counters(self) -> dict[str, int]:
        names = [name for name, _ in isa.COUNTERS]
        words = self._client.read_registers(isa.COUNTER_BASE, 2 * len(names))
        return {
            name: low | high << 32
            for name, low, high in zip(names, words[::2], words[1::2], strict=True)
        }

    def _snapshot(self) -> dict[str, int]:
        """The counters of a machine that runs; a request takes longer than a snapshot."""
        self._client.write_registers([(REGISTER["SNAPSHOT"], 1)])
        return self._counters()

    def _error(self) -> ErrorReport | None:
        first = REGISTER["STATUS"]
        words = self._client.read_registers(first, REGISTER["ERROR_VALUE"] + 2 - first)
        found = {name: words[at - first] for name, at in REGISTER.items() if at >= first}
        if not found["STATUS"] & 4:
            return None

        def wide(name: str) -> int:
            return found[name] | words[REGISTER[name] + 1 - first] << 32

        return ErrorReport(
            kind=isa.Error(found["ERROR_KIND"]),
            segment=found["ERROR_SEGMENT"],
            layer=found["ERROR_LAYER"],
            position=wide("ERROR_POSITION"),
            value=wide("ERROR_VALUE"),
        )


def _whole_words(data: np.ndarray) -> bytes:
    """Padded to words: after each array at least a line is free."""
    content = data.tobytes()
    return content + bytes(-len(content) % 4)

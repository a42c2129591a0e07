"""Initializes a board's DDR3 memory: what a processor's boot program does elsewhere, over the link.

LiteDRAM's control registers drive the memory's pins one command at a time until the memory is set
up; then they hand it over to the controller. The time between two requests of the link is longer
than any time of the memory's data sheet that is not kept by a wait here.
"""

import random
import time
from dataclasses import dataclass, replace

from ..link.protocol import Window
from .client import Client
from .dram_phy import PHYS, Phy
from .errors import BoardError

#: Bits of the control register, and of a command.
_HARDWARE, _CKE, _ODT, _RESET_N = 1, 2, 4, 8
_CS, _WE, _CAS, _RAS, _WRITE_DATA, _READ_DATA = 1, 2, 4, 8, 16, 32
#: Mode registers, after JESD79-3, with what LiteDRAM takes: number, value, in the order in which
#: they are set. CAS write latency 5; terminations. Then comes the PHY's own value of register 0.
MODES = ((2, 0x200), (3, 0x000), (1, 0x006))
#: Address bit of a long calibration.
_ZQ_LONG = 0x400
#: Delays of a byte that are tried with each other setting.
_COARSE = 8
#: Patterns that must come back with a setting for it to count.
_PATTERNS = 3


def initialize(client: Client, board: str) -> None:
    """Set the memory of ``board``, one of :data:`.dram_phy.PHYS`, up, if it is not yet.

    Raises
    ------
    BoardError
        No setting of a byte's delays brings back what was written, or the link fails.
    """
    phy = PHYS[board]
    memory = _Control(client, phy.registers)
    if memory.read("ddrctrl_init_done"):
        return
    memory.write(_one("ddrctrl_init_done", 0))
    _sequence(memory, phy)
    if phy.modules:
        _level(memory, phy, board)
    memory.write(_one("sdram_dfii_control", _HARDWARE))
    memory.write(_one("ddrctrl_init_done"))


class _Control:
    """The memory's control registers, through the window."""

    def __init__(self, client: Client, addresses: dict[str, int]):
        self._client, self._addresses = client, addresses

    def write(self, *values: "_Write") -> None:
        """Registers by name, one after the other, in one request: some cycles apart."""
        pairs = [(Window.STATE, 0)]
        for name, value, offset in values:
            address = self._addresses[name] // 4 + offset
            pairs += [(Window.ADDRESS, address), (Window.DATA, value)]
        self._client.write_registers(pairs)
        self._check()

    def read(self, name: str, offset: int = 0) -> int:
        """A register, or the one ``offset`` words behind it."""
        address = self._addresses[name] // 4 + offset
        self._client.write_registers(
            [(Window.STATE, 0), (Window.ADDRESS, address), (Window.READ, 0)]
        )
        self._check()
        return self._client.read_registers(Window.DATA, 1)[0]

    def _check(self) -> None:
        state = self._client.read_registers(Window.STATE, 1)[0]
        if state:
            raise BoardError(
                f"control registers of the board's memory do not answer: state {state}"
            )


#: Register, value, and how many words behind the register's first.
_Write = tuple[str, int, int]


def _one(name: str, value: int = 1, offset: int = 0) -> _Write:
    return name, value, offset


def _command(phase: int, bits: int, *, bank: int = 0, address: int = 0) -> list[_Write]:
    """One command to the memory."""
    pi = f"sdram_dfii_pi{phase}"
    return [
        _one(f"{pi}_address", address), _one(f"{pi}_baddress", bank), _one(f"{pi}_command", bits),
        _one(f"{pi}_command_issue"),
    ]  # fmt: skip


def _sequence(memory: _Control, phy: Phy) -> None:
    """Power-up, mode registers, calibration."""
    if "ddrphy_rst" in phy.registers:
        memory.write(_one("ddrphy_rst"), _one("ddrphy_rst", 0))
    memory.write(_one("sdram_dfii_control", 0))
    time.sleep(0.001)  # 200 us of reset
    memory.write(_one("sdram_dfii_control", _ODT | _RESET_N))
    time.sleep(0.001)  # 500 us until the clock is enabled
    memory.write(_one("sdram_dfii_control", _CKE | _ODT | _RESET_N))
    time.sleep(0.001)
    for bank, value in (*MODES, (0, phy.mode)):
        memory.write(*_command(0, _RAS | _CAS | _WE | _CS, bank=bank, address=value))
    memory.write(*_command(0, _WE | _CS, address=_ZQ_LONG))


@dataclass(frozen=True)
class _Setting:
    """Of one byte: whole bits when it is written and when it is read, and parts of one."""

    write_slip: int
    bitslip: int
    delay: int


def _level(memory: _Control, phy: Phy, board: str) -> None:
    """Give each byte the delay in the middle of those with which it reads right.

    All bytes are tried at once. First some delays with each choice of whole bits: most of them read
    right with the right choice. Then all delays with that one.
    """
    coarse = range(0, phy.delays, phy.delays // _COARSE)
    widest: list[tuple[int, _Setting]] = [(0, _Setting(0, 0, 0))] * phy.modules
    for write_slip in phy.write_slips:
        for bitslip in range(phy.bitslips):
            tries = [[_Setting(write_slip, bitslip, delay)] * phy.modules for delay in coarse]
            for module, run in enumerate(_runs(memory, phy, tries)):
                if len(run) > widest[module][0]:
                    widest[module] = len(run), run[len(run) // 2]
    for module, (width, _) in enumerate(widest):
        if not width:
            count = len(phy.write_slips) * phy.bitslips * _COARSE
            raise BoardError(
                f"memory of board {board} does not read back what is written to its byte "
                f"{module}: tried {count} delays"
            )
    chosen = [setting for _, setting in widest]
    if len(coarse) < phy.delays:
        tries = [[replace(s, delay=delay) for s in chosen] for delay in range(phy.delays)]
        runs = _runs(memory, phy, tries)
        chosen = [run[len(run) // 2] if run else s for run, s in zip(runs, chosen, strict=True)]
    _set(memory, phy, chosen)


def _runs(memory: _Control, phy: Phy, tries: list[list[_Setting]]) -> list[list[_Setting]]:
    """For each byte the longest run of tries with which it reads right; a try sets all bytes."""
    longest, runs = [[] for _ in range(phy.modules)], [[] for _ in range(phy.modules)]
    for settings in tries:
        _set(memory, phy, settings)
        good = set(range(phy.modules))
        for seed in range(_PATTERNS):
            good &= _come_back(memory, phy, seed) if good else good
        for module, setting in enumerate(settings):
            runs[module] = [*runs[module], setting] if module in good else []
            longest[module] = max(longest[module], runs[module], key=len)
    return longest


def _set(memory: _Control, phy: Phy, settings: list[_Setting]) -> None:
    """Give each byte its setting."""
    writes = []
    for module, setting in enumerate(settings):
        writes += [_one("ddrphy_dly_sel", 1 << module)]
        if len(phy.write_slips) > 1:
            writes += [_one("ddrphy_wdly_dq_bitslip_rst")]
            writes += [_one("ddrphy_wdly_dq_bitslip")] * setting.write_slip
        writes += [_one("ddrphy_rdly_dq_bitslip_rst")]
        writes += [_one("ddrphy_rdly_dq_bitslip")] * setting.bitslip
        writes += [_one("ddrphy_rdly_dq_rst")]
        writes += [_one("ddrphy_rdly_dq_inc")] * setting.delay
    memory.write(*writes, _one("ddrphy_dly_sel", 0))


def _come_back(memory: _Control, phy: Phy, seed: int) -> set[int]:
    """Write a burst of 8 words of 16 bits, read it: the bytes that are right in each word.

    All commands are in one request: a row may not stay open for longer than 70 us.
    """
    rng = random.Random(seed)
    words = {
        (phase, word): rng.getrandbits(32)
        for phase in range(phy.phases) for word in range(phy.words)
    }  # fmt: skip
    memory.write(
        *(_one(f"sdram_dfii_pi{n}_wrdata", value, word) for (n, word), value in words.items()),
        *_command(0, _RAS | _CS),  # activate row 0
        *_command(phy.write_phase, _CAS | _WE | _CS | _WRITE_DATA),
        *([_one("ddrphy_burstdet_clr")] if phy.tells_bursts else []),
        *_command(phy.read_phase, _CAS | _CS | _READ_DATA),
        *_command(0, _RAS | _WE | _CS),  # precharge
    )
    good = set(range(phy.modules))
    if phy.tells_bursts:
        seen = memory.read("ddrphy_burstdet_seen")
        good = {module for module in good if seen >> module & 1}
    for (n, word), value in words.items():
        if good:  # most settings fail in the first word
            wrong = memory.read(f"sdram_dfii_pi{n}_rddata", word) ^ value
            good = {module for module in good if not wrong & 0x00FF00FF << 8 * module}
    return good

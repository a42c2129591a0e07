"""Initializes a board's DDR3 memory: what a processor's boot program does elsewhere, over the link.

LiteDRAM's control registers drive the memory's pins one command at a time until the memory is set
up; then they hand it over to the controller. The time between two requests of the link is longer
than any time of the memory's data sheet that is not kept by a wait here.
"""

import random
import time

from ..link.protocol import Window
from .client import Client
from .errors import BoardError

#: Byte address of each control register, with LiteDRAM's ECP5 PHY and with its model of a memory.
#: ``pi0`` and ``pi1`` are the two commands of a clock cycle.
PHY_REGISTERS = {
    "ddrctrl_init_done": 0x000, "ddrphy_dly_sel": 0x800, "ddrphy_rdly_dq_rst": 0x804,
    "ddrphy_rdly_dq_inc": 0x808, "ddrphy_rdly_dq_bitslip_rst": 0x80C,
    "ddrphy_rdly_dq_bitslip": 0x810, "ddrphy_burstdet_clr": 0x814, "ddrphy_burstdet_seen": 0x818,
    "sdram_dfii_control": 0x1000, "sdram_dfii_pi0_command": 0x1004,
    "sdram_dfii_pi0_command_issue": 0x1008, "sdram_dfii_pi0_address": 0x100C,
    "sdram_dfii_pi0_baddress": 0x1010, "sdram_dfii_pi0_wrdata": 0x1014,
    "sdram_dfii_pi0_rddata": 0x101C, "sdram_dfii_pi1_command": 0x1024,
    "sdram_dfii_pi1_command_issue": 0x1028, "sdram_dfii_pi1_address": 0x102C,
    "sdram_dfii_pi1_baddress": 0x1030, "sdram_dfii_pi1_wrdata": 0x1034,
    "sdram_dfii_pi1_rddata": 0x103C,
}  # fmt: skip
MODEL_REGISTERS = {
    "ddrctrl_init_done": 0x000, "sdram_dfii_control": 0x800, "sdram_dfii_pi0_command": 0x804,
    "sdram_dfii_pi0_command_issue": 0x808, "sdram_dfii_pi0_address": 0x80C,
    "sdram_dfii_pi0_baddress": 0x810,
}  # fmt: skip

#: Bits of the control register, and of a command.
_HARDWARE, _CKE, _ODT, _RESET_N = 1, 2, 4, 8
_CS, _WE, _CAS, _RAS, _WRITE_DATA, _READ_DATA = 1, 2, 4, 8, 16, 32
#: Mode registers in the order in which they are set: number, value. CAS latency 6, CAS write
#: latency 5, bursts of 8, DLL reset. After JESD79-3, with what LiteDRAM takes for ECP5.
MODES = ((2, 0x200), (3, 0x000), (1, 0x006), (0, 0x320))
#: Address bit of a long calibration.
_ZQ_LONG = 0x400
#: Read phase and write phase of LiteDRAM's ECP5 PHY.
_READ_PHASE, _WRITE_PHASE = 0, 1
_MODULES, _DELAYS, _BITSLIPS = 2, 8, 4
#: Patterns that must come back with a setting for it to count.
_PATTERNS = 3


def initialize(client: Client, board: str) -> None:
    """Set the memory of ``board`` up, if it is not yet.

    Raises
    ------
    BoardError
        No setting of a byte's delays brings back what was written, or the link fails.
    """
    if board == "dram-sim":
        memory = _Control(client, MODEL_REGISTERS)
    else:
        memory = _Control(client, PHY_REGISTERS)
    if memory.read("ddrctrl_init_done"):
        return
    memory.write(_one("ddrctrl_init_done", 0))
    _sequence(memory)
    if board != "dram-sim":
        for module in range(_MODULES):
            _level(memory, module, board)
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


def _sequence(memory: _Control) -> None:
    """Power-up, mode registers, calibration."""
    memory.write(_one("sdram_dfii_control", 0))
    time.sleep(0.001)  # 200 us of reset
    memory.write(_one("sdram_dfii_control", _ODT | _RESET_N))
    time.sleep(0.001)  # 500 us until the clock is enabled
    memory.write(_one("sdram_dfii_control", _CKE | _ODT | _RESET_N))
    time.sleep(0.001)
    for bank, value in MODES:
        memory.write(*_command(0, _RAS | _CAS | _WE | _CS, bank=bank, address=value))
    memory.write(*_command(0, _WE | _CS, address=_ZQ_LONG))


def _level(memory: _Control, module: int, board: str) -> None:
    """Find the delay, in whole cycles and parts of one, in the middle of those that read right."""
    best: tuple[int, int, int] | None = None  # how many, bitslip, delay in the middle
    for bitslip in range(_BITSLIPS):
        good = []
        for delay in range(_DELAYS):
            _set(memory, module, bitslip, delay)
            if all(_comes_back(memory, module, seed) for seed in range(_PATTERNS)):
                good.append(delay)
        run = _longest(good)
        if run and (best is None or len(run) > best[0]):
            best = (len(run), bitslip, run[len(run) // 2])
    if best is None:
        raise BoardError(
            f"memory of board {board} does not read back what is written to its byte {module}: "
            f"tried {_BITSLIPS * _DELAYS} delays"
        )
    _set(memory, module, best[1], best[2])


def _longest(numbers: list[int]) -> list[int]:
    """The longest run of numbers without a gap."""
    found, run = [], []
    for number in numbers:
        run = [*run, number] if run and number == run[-1] + 1 else [number]
        found = max(found, run, key=len)
    return found


def _set(memory: _Control, module: int, bitslip: int, delay: int) -> None:
    memory.write(
        _one("ddrphy_dly_sel", 1 << module),
        _one("ddrphy_rdly_dq_bitslip_rst"),
        *[_one("ddrphy_rdly_dq_bitslip")] * bitslip,
        _one("ddrphy_rdly_dq_rst"),
        *[_one("ddrphy_rdly_dq_inc")] * delay,
        _one("ddrphy_dly_sel", 0),
    )


def _comes_back(memory: _Control, module: int, seed: int) -> bool:
    """Write a burst of 8 words of 16 bits, read it, compare the byte of ``module`` in each.

    All commands are in one request: a row may not stay open for longer than 70 us.
    """
    rng = random.Random(seed)
    places = [(phase, half) for phase in range(2) for half in range(2)]
    words = {place: rng.getrandbits(32) for place in places}
    memory.write(
        *(_one(f"sdram_dfii_pi{n}_wrdata", words[n, half], half) for n, half in places),
        *_command(0, _RAS | _CS),  # activate row 0
        *_command(_WRITE_PHASE, _CAS | _WE | _CS | _WRITE_DATA),
        _one("ddrphy_burstdet_clr"),
        *_command(_READ_PHASE, _CAS | _CS | _READ_DATA),
        *_command(0, _RAS | _WE | _CS),  # precharge
    )
    mask = 0x00FF00FF << 8 * module
    same = all(
        (memory.read(f"sdram_dfii_pi{n}_rddata", half) ^ words[n, half]) & mask == 0
        for n, half in places
    )
    return same and bool(memory.read("ddrphy_burstdet_seen") >> module & 1)

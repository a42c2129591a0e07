"""Setting up a DDR3 memory, against a model of its control registers and of its read delays."""

import pytest
from ember.boards.host.dram import MODES, initialize
from ember.boards.host.dram_phy import ARTIX7, ECP5, PHYS, Phy
from ember.boards.host.errors import BoardError
from ember.boards.link.protocol import Window

CS, WE, CAS, RAS, WRDATA, RDDATA = 1, 2, 4, 8, 16, 32


#: Registers of each part of a setting, and how many it has.
KNOBS = (
    ("wdly_dq_bitslip", "_rst", "", lambda phy: phy.bitslips),
    ("rdly_dq_bitslip", "_rst", "", lambda phy: phy.bitslips),
    ("rdly_dq", "_rst", "_inc", lambda phy: phy.delays),
)


class Memory:
    """A client whose board has a PHY and one row of a memory.

    ``good`` are each byte's settings: how many whole bits later it is written, and read, and how
    many parts of a bit.
    """

    def __init__(self, phy: Phy, good: list[set[tuple[int, int, int]]], *, stuck: bool = False):
        self.phy, self.good, self.stuck = phy, good, stuck
        self.names = {address // 4: name for name, address in phy.registers.items()}
        self.address = self.came = 0
        self.values = dict.fromkeys(phy.registers, 0)
        self.wide = {}  # (register, word) -> value
        self.settings = [[0, 0, 0] for _ in good]
        self.modes, self.control, self.resets = [], [], []
        self.burst, self.open, self.bursts = None, False, 0

    def write_registers(self, pairs):
        for at, value in pairs:
            if at == Window.ADDRESS:
                self.address = value
            elif at == Window.DATA:
                self.store(value)
            elif at == Window.READ:
                self.came = self.load()

    def read_registers(self, at, count):
        assert count == 1
        return [{Window.DATA: self.came, Window.STATE: int(self.stuck)}[at]]

    def place(self):
        known = self.address if self.address in self.names else self.address - 1
        return self.names[known], self.address - known

    def load(self):
        name, offset = self.place()
        if name.endswith("rddata"):
            return self.wide[name, offset]
        return self.values[name]

    def store(self, value):
        name, offset = self.place()
        self.values[name] = value
        if name.endswith("wrdata"):
            self.wide[name, offset] = value
        elif name == "sdram_dfii_control":
            self.control.append(value)
        elif name.endswith("command_issue"):
            self.issue(int(name[len("sdram_dfii_pi")]))
        elif name == "ddrphy_rst":
            self.resets.append(value)
        for module, setting in enumerate(self.settings):
            if not self.values["ddrphy_dly_sel"] >> module & 1:
                continue
            for n, (knob, reset, step, steps) in enumerate(KNOBS):
                if name == f"ddrphy_{knob}{reset}":
                    setting[n] = 0
                elif name == f"ddrphy_{knob}{step}":
                    setting[n] = (setting[n] + 1) % steps(self.phy)

    def issue(self, phase):
        command = self.values[f"sdram_dfii_pi{phase}_command"]
        bank = self.values[f"sdram_dfii_pi{phase}_baddress"]
        address = self.values[f"sdram_dfii_pi{phase}_address"]
        if command == RAS | CAS | WE | CS:
            self.modes.append((bank, address))
        elif command == RAS | CS:
            self.open = True
        elif command == RAS | WE | CS:
            self.open = False
        elif command == CAS | WE | CS | WRDATA:
            assert self.open and phase == self.phy.write_phase
            self.burst = {key: word for key, word in self.wide.items() if "wrdata" in key[0]}
            assert len(self.burst) == 4
        elif command == CAS | CS | RDDATA:
            assert self.open and phase == self.phy.read_phase and self.burst is not None
            self.bursts += 1
            seen = wrong = 0
            for module, setting in enumerate(self.settings):
                right = tuple(setting) in self.good[module]
                seen |= right << module
                wrong |= 0 if right else 0x00FF00FF << 8 * module
            for (name, offset), word in self.burst.items():
                self.wide[name.replace("wrdata", "rddata"), offset] = word ^ wrong
            if self.phy.tells_bursts:
                self.values["ddrphy_burstdet_seen"] = seen


def eye(write_slip: int, bitslip: int, delays: range) -> set[tuple[int, int, int]]:
    return {(write_slip, bitslip, delay) for delay in delays}


def test_delays_in_the_middle_of_the_widest_run():
    good = [
        eye(0, 1, range(2, 3)) | eye(0, 2, range(3, 6)) | eye(0, 2, range(7, 8)),
        eye(0, 0, range(2)) | eye(0, 3, range(6, 7)),
    ]
    memory = Memory(ECP5, good)
    initialize(memory, "ecpix-5")
    assert memory.settings == [[0, 2, 4], [0, 0, 1]]
    assert memory.modes == [*MODES, (0, 0x320)] and not memory.open
    assert memory.control[:3] == [0, 12, 14] and memory.control[-1] == 1
    assert memory.values["ddrctrl_init_done"] == 1
    memory.modes.clear()
    initialize(memory, "ecpix-5")  # it is
    assert memory.modes == []


@pytest.mark.parametrize("write_slip", ARTIX7.write_slips)
@pytest.mark.parametrize("bitslip", [0, 5, 7])
def test_an_artix_has_to_find_when_to_write_too(write_slip, bitslip):
    """The middle is that of all delays, though not all are tried with each choice."""
    good = [
        eye(write_slip, bitslip, range(7, 22)) | eye(2, 1, range(5)),
        eye(6 - write_slip, 7 - bitslip, range(17, 32)) | eye(4, 4, range(11, 17)),
    ]
    memory = Memory(ARTIX7, good)
    initialize(memory, "arty-a7-ddr3")
    assert memory.settings == [[write_slip, bitslip, 14], [6 - write_slip, 7 - bitslip, 24]]
    assert memory.modes == [*MODES, (0, 0x930)] and memory.resets == [1, 0]
    assert memory.values["ddrctrl_init_done"] == 1 and memory.control[-1] == 1
    assert memory.bursts < 700  # a burst for most settings, and not for each of 1024


def test_a_byte_that_reads_right_by_chance():
    """It does with the coarse delays and never again: its setting stays."""
    memory = Memory(ARTIX7, [eye(2, 3, range(8, 20)), eye(0, 0, range(12, 13))])
    issue = memory.issue

    def later(phase):
        if memory.bursts > 256 + 2 * 2 * 3:
            memory.good[1] = set()
        issue(phase)

    memory.issue = later
    initialize(memory, "arty-a7-ddr3")
    assert memory.settings == [[2, 3, 14], [0, 0, 12]]


@pytest.mark.parametrize(("board", "count"), [("versa-ecp5", 32), ("arty-a7-ddr3", 256)])
def test_a_byte_that_never_reads_right(board, count):
    with pytest.raises(BoardError) as error:
        initialize(Memory(PHYS[board], [eye(0, 1, range(1, 12)), set()]), board)
    assert str(error.value) == (
        f"memory of board {board} does not read back what is written to its byte 1: "
        f"tried {count} delays"
    )


def test_registers_that_do_not_answer():
    with pytest.raises(BoardError) as error:
        initialize(Memory(ECP5, [set(), set()], stuck=True), "ecpix-5")
    assert str(error.value) == (
        "control registers of the board's memory do not answer: state 1"
    )

"""Setting up a DDR3 memory, against a model of its control registers and of its read delays."""

import pytest
from ember.boards.host.dram import MODES, PHY_REGISTERS, initialize
from ember.boards.host.errors import BoardError
from ember.boards.link.protocol import Window

NAMES = {address // 4: name for name, address in PHY_REGISTERS.items()}
CS, WE, CAS, RAS, WRDATA, RDDATA = 1, 2, 4, 8, 16, 32


class Memory:
    """A client whose board has a PHY and one row of a memory; ``good`` are each byte's settings."""

    def __init__(self, good: list[set[tuple[int, int]]], *, stuck: bool = False):
        self.good, self.stuck = good, stuck
        self.address = self.came = 0
        self.values = dict.fromkeys(PHY_REGISTERS, 0)
        self.wide = {}  # (register, word) -> value
        self.settings = [[0, 0] for _ in good]  # bitslip, delay
        self.modes, self.control, self.burst, self.open = [], [], None, False

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
        known = self.address if self.address in NAMES else self.address - 1
        return NAMES[known], self.address - known

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
        for module, setting in enumerate(self.settings):
            if not self.values["ddrphy_dly_sel"] >> module & 1:
                continue
            if name == "ddrphy_rdly_dq_bitslip_rst":
                setting[0] = 0
            elif name == "ddrphy_rdly_dq_bitslip":
                setting[0] = (setting[0] + 1) % 4
            elif name == "ddrphy_rdly_dq_rst":
                setting[1] = 0
            elif name == "ddrphy_rdly_dq_inc":
                setting[1] = (setting[1] + 1) % 8

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
            assert self.open and phase == 1
            self.burst = {key: word for key, word in self.wide.items() if "wrdata" in key[0]}
        elif command == CAS | CS | RDDATA:
            assert self.open and phase == 0 and self.burst is not None
            seen = 0
            masks = []
            for module, setting in enumerate(self.settings):
                right = tuple(setting) in self.good[module]
                seen |= right << module
                masks.append(0 if right else 0x00FF00FF << 8 * module)
            for (name, offset), word in self.burst.items():
                wrong = masks[0] | masks[1]
                self.wide[name.replace("wrdata", "rddata"), offset] = word ^ wrong
            self.values["ddrphy_burstdet_seen"] = seen


def test_delays_in_the_middle_of_the_widest_run():
    good = [{(1, 2), (2, 3), (2, 4), (2, 5), (2, 7)}, {(0, 0), (0, 1), (3, 6)}]
    memory = Memory(good)
    initialize(memory, "ecpix-5")
    assert memory.settings == [[2, 4], [0, 1]]
    assert memory.modes == list(MODES) and not memory.open
    assert memory.control[:3] == [0, 12, 14] and memory.control[-1] == 1
    assert memory.values["ddrctrl_init_done"] == 1
    memory.modes.clear()
    initialize(memory, "ecpix-5")  # it is
    assert memory.modes == []


def test_a_byte_that_never_reads_right():
    with pytest.raises(BoardError) as error:
        initialize(Memory([{(0, 1), (0, 2)}, set()]), "versa-ecp5")
    assert str(error.value) == (
        "memory of board versa-ecp5 does not read back what is written to its byte 1: "
        "tried 32 delays"
    )


def test_registers_that_do_not_answer():
    with pytest.raises(BoardError) as error:
        initialize(Memory([set(), set()], stuck=True), "ecpix-5")
    assert str(error.value) == (
        "control registers of the board's memory do not answer: state 1"
    )

"""A netlist of ECP5 cells, as Yosys writes it for nextpnr, as Verilog that simulates fast.

Cells of which a chip has tens of thousands become expressions and registers, each as Yosys' own
simulation model of it says (``cells_sim.v``; that they are the same is proven in the tests). Of the
others there are models in ``ecp5_cells.v`` and ``ecp5_blocks.v``.
"""

from collections import defaultdict
from collections.abc import Iterator

from .lut import lut

#: Cells that stay cells.
_INSTANCES = ("DP16KD", "MULT18X18D", "EHXPLLL", "SGSR", "ODDRX1F")
#: Direction of a pad -> cell.
_PADS = {"INPUT": "IB", "OUTPUT": "OBZ", "BIDIR": "BB"}
_LOW = "1'b0"
_PAD_PINS = {"IB": {"B": "I", "O": "O"}, "OBZ": {"I": "I", "T": "T", "B": "O"}}


def gates(module: dict, name: str = "top") -> str:
    """Verilog of ``module``, one of a netlist in Yosys' JSON.

    Raises
    ------
    ValueError
        It has a cell, or a setting of one, that is not known here.
    """
    return "\n".join(_Writer(module).lines(name)) + "\n"


class _Writer:
    def __init__(self, module: dict):
        self._module = module
        self._pins: dict[int, str] = {}  # bit of a bidirectional port -> its name
        self._memories: dict[tuple, list] = defaultdict(list)
        self._registers: dict[tuple, list] = defaultdict(list)

    def lines(self, name: str) -> Iterator[str]:
        ports = self._module["ports"]
        yield f"module {name}({', '.join(ports)});"
        for port, facts in ports.items():
            yield f"  {facts['direction']} [{len(facts['bits']) - 1}:0] {port};"
            if facts["direction"] == "inout":
                self._pins |= {bit: f"{port}[{n}]" for n, bit in enumerate(facts["bits"])}
        body = list(self._body())
        registers = {q for all_of in self._registers.values() for q, _ in all_of}
        bits = {
            bit for cell in self._module["cells"].values()
            for pin in cell["connections"].values() for bit in pin if isinstance(bit, int)
        }  # fmt: skip
        bits |= {bit for facts in ports.values() for bit in facts["bits"] if isinstance(bit, int)}
        for bit in sorted(bits - set(self._pins)):
            yield f"  {'reg' if self._net(bit) in registers else 'wire'} {self._net(bit)};"
        for port, facts in ports.items():
            for n, bit in enumerate(facts["bits"]):
                if facts["direction"] == "input":
                    yield f"  assign {self._net(bit)} = {port}[{n}];"
                elif facts["direction"] == "output":
                    yield f"  assign {port}[{n}] = {self._net(bit)};"
        yield from body
        yield from self._all_memories()
        yield from self._all_registers()
        yield "endmodule"

    def _net(self, bit: int | str) -> str:
        if isinstance(bit, str):
            return "1'b1" if bit == "1" else _LOW  # one that is not defined may be either
        return self._pins.get(bit, f"n{bit}")

    def _body(self) -> Iterator[str]:
        for number, (name, cell) in enumerate(self._module["cells"].items()):
            kind = cell["type"]
            # Yosys marks strings that look like numbers with a space.
            given = {key: value.strip() for key, value in cell["parameters"].items()}
            nets = {
                pin: [self._net(bit) for bit in bits] for pin, bits in cell["connections"].items()
            }
            pins = {pin: found[0] for pin, found in nets.items() if len(found) == 1}
            if kind == "LUT4":
                inputs = [pins[pin] for pin in "ABCD"]
                yield f"  assign {pins['Z']} = {lut(int(given['INIT'], 2), inputs)};"
            elif kind == "PFUMX":
                yield f"  assign {pins['Z']} = {pins['C0']} ? {pins['ALUT']} : {pins['BLUT']};"
            elif kind == "L6MUX21":
                yield f"  assign {pins['Z']} = {pins['SD']} ? {pins['D1']} : {pins['D0']};"
            elif kind == "CCU2C":
                yield from self._carry(number, given, pins)
            elif kind == "TRELLIS_FF":
                self._register(name, given, pins)
            elif kind == "TRELLIS_DPR16X4":
                _only(name, given, {"WCKMUX": "WCK", "WREMUX": "WRE"})
                key = (pins["WCK"], pins["WRE"], *nets["WAD"], *nets["RAD"])
                table = given.get("INITVAL", "0").replace("x", "0")
                self._memories[key].append((nets["DI"], nets["DO"], table))
            elif kind == "TRELLIS_IO":
                pad = _PADS[given["DIR"]]
                names = _PAD_PINS.get(pad, {pin: pin for pin in pins})
                yield _instance(pad, number, {}, {names[pin]: net for pin, net in pins.items()})
            elif kind in _INSTANCES:
                yield _instance(kind, number, given, pins)
            else:
                raise ValueError(f"netlist must be of cells that have a model, not {kind} {name!r}")

    def _carry(self, number: int, given: dict[str, str], pins: dict[str, str]) -> Iterator[str]:
        carry = pins.get("CIN", _LOW)
        for half, out in (("0", f"c{number}"), ("1", pins.get("COUT"))):
            table = int(given[f"INIT{half}"], 2)
            inputs = [pins[f"{pin}{half}"] for pin in "ABCD"]
            passes, made = f"p{number}_{half}", lut(table & 15, inputs[:2])
            injected = given.get(f"INJECT1_{half}", "YES") == "YES"
            yield f"  wire {passes} = {lut(table, inputs)};"
            if f"S{half}" in pins:
                yield f"  assign {pins[f'S{half}']} = {passes} ^ {_LOW if injected else carry};"
            if half == "0":
                yield f"  wire {out};"
            if out is not None:
                yield f"  assign {out} = {passes} ? {carry} : {_LOW if injected else made};"
            carry = f"c{number}"

    def _register(self, name: str, given: dict[str, str], pins: dict[str, str]) -> None:
        _only(name, given, {"CLKMUX": "CLK", "LSRMUX": "LSR", "LSRMODE": "LSR"})
        choice = given.get("CEMUX", "1")
        enable = {"1": "1'b1", "0": _LOW, "INV": f"~{pins.get('CE')}"}
        key = (
            pins["CLK"], enable.get(choice, pins.get("CE", _LOW)), pins.get("LSR", _LOW),
            given.get("SRMODE", "LSR_OVER_CE") == "ASYNC", given.get("REGSET") == "SET",
        )  # fmt: skip
        self._registers[key].append((pins["Q"], pins["DI"]))

    def _all_registers(self) -> Iterator[str]:
        for (clock, enable, reset, asynchronous, value), registers in self._registers.items():
            edges = f"posedge {clock}"
            if asynchronous and reset != _LOW:
                edges += f", posedge {reset}"
            yield f"  always @({edges})"
            if reset != _LOW:
                yield f"    if ({reset}) begin"
                yield from (f"      {q} <= 1'b{int(value)};" for q, _ in registers)
                yield "    end else"
            yield f"    if ({enable}) begin" if enable != "1'b1" else "    begin"
            yield from (f"      {q} <= {data};" for q, data in registers)
            yield "    end"
            yield "  initial begin"
            yield from (f"    {q} = 1'b{int(value)};" for q, _ in registers)
            yield "  end"

    def _all_memories(self) -> Iterator[str]:
        """Those with the same addresses are one memory."""
        for number, (key, parts) in enumerate(self._memories.items()):
            (clock, enable), write, read = key[:2], key[2:6], key[6:]
            name, top = f"m{number}", 4 * len(parts) - 1
            data = _joined(net for inputs, _, _ in parts for net in inputs)
            out = _joined(net for _, outputs, _ in parts for net in outputs)
            yield f"  reg [{top}:0] {name} [0:15];"
            yield f"  always @(posedge {clock}) if ({enable}) {name}[{_joined(write)}] <= {data};"
            yield f"  assign {out} = {name}[{_joined(read)}];"
            yield "  initial begin"
            for word in range(16):
                nibbles = [int(table, 2) >> 4 * word & 15 for _, _, table in reversed(parts)]
                digits = "".join(f"{nibble:x}" for nibble in nibbles)
                yield f"    {name}[{word}] = {top + 1}'h{digits};"
            yield "  end"


def _joined(nets) -> str:
    """A vector, of its bits from the lowest on."""
    return f"{{{', '.join(reversed(list(nets)))}}}"


def _only(name: str, given: dict[str, str], allowed: dict[str, str]) -> None:
    for key, value in allowed.items():
        if given.get(key, value) != value:
            raise ValueError(f"{key} of cell {name!r} must be {value}, not {given[key]}")


def _instance(kind: str, number: int, given: dict[str, str], pins: dict[str, str]) -> str:
    settings = ", ".join(f".{key}({_constant(value)})" for key, value in given.items())
    nets = ", ".join(f".{pin}({net})" for pin, net in pins.items())
    return f"  {kind} {f'#({settings}) ' if settings else ''}i{number} ({nets});"


def _constant(text: str) -> str:
    """A parameter: bits, or anything else as a string."""
    return f"{len(text)}'b{text}" if text and not set(text) - {"0", "1"} else f'"{text}"'

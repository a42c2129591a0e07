"""The register map as files: every address and access is that of hw/isa.py."""

import json
from xml.etree import ElementTree

import pytest
from ember.boards.ip.register_files import as_json, svd, systemrdl
from ember.boards.ip.registers import register_map
from ember.hw import isa
from ember.hw.config import PRESETS, Config

PRESET = [Config.preset(name) for name in PRESETS]
CONFIG = Config.preset("tiny")


def addresses() -> dict[str, tuple[int, str]]:
    """Byte address and access of each register, from the machine's own table."""
    found = {}
    for name, address, access, _ in isa.REGISTERS:
        wide = name in ("ERROR_POSITION", "ERROR_VALUE")
        for n, suffix in enumerate(("_LO", "_HI") if wide else ("",)):
            found[name + suffix] = 4 * (address + n), access
    for n, (name, _) in enumerate(isa.COUNTERS):
        for part, suffix in enumerate(("_LO", "_HI")):
            found[name.upper() + suffix] = 4 * (isa.COUNTER_BASE + 2 * n + part), "r"
    return found


def windows(config: Config) -> dict[str, tuple[int, int]]:
    """Byte address and bytes of each program memory."""
    stride = 4 << isa.ENTRY_SHIFT
    return {
        name.upper(): (4 * (number << isa.WINDOW_SHIFT), entries * stride)
        for name, (number, _, entries) in isa.windows(config).items()
    }


@pytest.mark.parametrize("config", PRESET, ids=list(PRESETS))
def test_json(config):
    found = json.loads(as_json(register_map(config)))
    assert found["config_hash"] == config.hash and found["config"] == config.to_dict()
    assert {r["name"]: (r["address"], r["access"]) for r in found["registers"]} == addresses()
    places = {m["name"]: (m["address"], m["entries"] * m["stride"]) for m in found["memories"]}
    assert places == windows(config)
    resets = {r["name"]: r["reset"] for r in found["registers"] if r["reset"]}
    assert resets == {
        "ID": isa.ID_VALUE, "VERSION": found["version"], "CONFIG_HASH": int(config.hash, 16),
        "SEGMENTS": 1,
    }  # fmt: skip


def test_bits_have_names():
    """The numbers are those in the text of hw/isa.py, where each is named once."""
    registers = {r.name: r for r in register_map(CONFIG).registers}
    bits = {
        name: [(field.name, field.low, field.width) for field in registers[name].fields]
        for name in ("CONTROL", "STATUS", "IRQ_ENABLE", "ERROR_KIND", "SEGMENTS")
    }
    assert bits == {
        "CONTROL": [("start", 0, 1), ("clear", 1, 1)],
        "STATUS": [("busy", 0, 1), ("done", 1, 1), ("error", 2, 1)],
        "IRQ_ENABLE": [("done", 0, 1)],
        "ERROR_KIND": [("value", 0, 3)],
        "SEGMENTS": [("value", 0, 32)],
    }
    assert registers["STATUS"].fields[2].doc == "an error was seen"
    assert registers["ERROR_KIND"].fields[0].values is isa.Error


def test_a_bit_without_a_name_is_noticed(monkeypatch):
    name, address, access, text = next(r for r in isa.REGISTERS if r[0] == "STATUS")
    changed = ((name, address, access, f"{text}; bit 3: it is warm"),)
    monkeypatch.setattr(isa, "REGISTERS", changed)
    with pytest.raises(ValueError) as caught:
        register_map(CONFIG)
    assert str(caught.value) == "STATUS must have names for its bits 3"


@pytest.mark.parametrize("config", PRESET, ids=list(PRESETS))
def test_svd(config):
    device = ElementTree.fromstring(svd(register_map(config)).partition("\n")[2])
    access = {"read-only": "r", "write-only": "w", "read-write": "rw"}
    found, memories = {}, {}
    for node in device.iter("register"):
        text = {child.tag: child.text or "" for child in node}
        address = int(text["addressOffset"], 16)
        if "dim" in text:
            assert (text["access"], text["dimIncrement"]) == ("write-only", "4")
            memories[text["name"].removesuffix("[%s]")] = address, 4 * int(text["dim"])
        else:
            found[text["name"]] = address, access[text["access"]]
    assert found == addresses() and memories == windows(config)
    kinds = {v.findtext("name"): int(v.findtext("value") or -1)
             for v in device.iter("enumeratedValue")}  # fmt: skip
    assert kinds == {kind.name: kind.value for kind in isa.Error}
    blocks = [
        (int(b.findtext("offset") or "", 16), int(b.findtext("size") or "", 16))
        for b in device.iter("addressBlock")
    ]
    assert blocks[1:] == list(windows(config).values())
    assert all(address < blocks[0][1] for address, _ in addresses().values())


def test_systemrdl_is_legal_and_complete(tmp_path):
    compiler_module = pytest.importorskip("systemrdl.compiler", reason="PeakRDL is not installed")
    node_module = pytest.importorskip("systemrdl.node")
    path = tmp_path / "registers.rdl"
    path.write_text(systemrdl(register_map(CONFIG)))
    compiler = compiler_module.RDLCompiler()
    compiler.compile_file(str(path))
    top = compiler.elaborate("ember").top
    found, memories = {}, {}
    for child in top.children():
        if isinstance(child, node_module.MemNode):
            memories[child.inst_name] = child.absolute_address, child.total_size
            assert child.get_property("sw").name == "w"
        else:
            access = {field.get_property("sw").name for field in child.fields()}
            assert len(access) == 1
            found[child.inst_name] = child.absolute_address, access.pop()
    assert found == addresses() and memories == windows(CONFIG)
    reset = {child.inst_name: child.fields()[0].get_property("reset")
             for child in top.children() if child.inst_name in ("ID", "CONFIG_HASH")}  # fmt: skip
    assert reset == {"ID": isa.ID_VALUE, "CONFIG_HASH": int(CONFIG.hash, 16)}

"""The register map as files: SystemRDL, CMSIS-SVD and JSON."""

import json
from xml.etree import ElementTree

from ...hw.config import ISA_VERSION
from .registers import Field, Register, RegisterMap

#: Name of the block in every file.
NAME = "ember"


def systemrdl(registers: RegisterMap) -> str:
    """SystemRDL 2.0."""
    config = registers.config
    lines = [
        f"// Registers of an Ember machine, configuration {config.hash}. Made by `ember export`.",
        f"addrmap {NAME} {{",
        f'    name = "Ember, configuration {config.hash}";',
        f'    desc = "{_settings(registers)}";',
        "    default regwidth = 32;",
        "    default accesswidth = 32;",
        "    addressing = compact;",
        "    littleendian;",
        "",
    ]
    for register in registers.registers:
        lines += [
            "    reg {",
            f'        name = "{register.name}";',
            f"        desc = {_quoted(register.doc)};",
            *(f"        {line}" for field in register.fields for line in _rdl(register, field)),
            f"    }} {register.name} @ {register.address:#x};",
        ]
    for window in registers.windows:
        lines += [
            "    external mem {",
            f'        name = "{window.name}";',
            f"        desc = {_quoted(window.doc)};",
            f"        mementries = {window.entries * window.stride // 4};",
            "        memwidth = 32;",
            "        sw = w;",
            f"    }} {window.name} @ {window.address:#x};",
        ]
    return "\n".join([*lines, "};", ""])


def _rdl(register: Register, field: Field) -> list[str]:
    # What a read gives is what the hardware drives; only these two registers keep a value.
    kept = register.name in ("SEGMENTS", "IRQ_ENABLE")
    constant = register.name in ("ID", "VERSION", "CONFIG_HASH")
    hardware = {"w": "r", "r": "na" if constant else "w", "rw": "r" if kept else "rw"}
    top = field.low + field.width - 1
    lines = ["field {", f"    desc = {_quoted(field.doc)};"]
    lines += [f"    sw = {register.access};", f"    hw = {hardware[register.access]};"]
    if register.access == "w":
        lines.append("    singlepulse;")
    if field.values is not None:
        members = " ".join(f"{m.name} = {m.value};" for m in field.values)
        lines.append(f"    enum {register.name.lower()}_e {{ {members} }};")
        lines.append(f"    encode = {register.name.lower()}_e;")
    reset = register.reset >> field.low & ((1 << field.width) - 1)
    return [*lines, f"}} {field.name}[{top}:{field.low}] = {reset:#x};"]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _settings(registers: RegisterMap) -> str:
    return " ".join(f"{key}={value}" for key, value in registers.config.to_dict().items())


_SVD_ACCESS = {"r": "read-only", "w": "write-only", "rw": "read-write"}


def svd(registers: RegisterMap) -> str:
    """CMSIS-SVD 1.3: a device with one peripheral at address 0, to be put where it is mapped."""
    device = ElementTree.Element(
        "device",
        {
            "schemaVersion": "1.3",
            "xmlns:xs": "http://www.w3.org/2001/XMLSchema-instance",
            "xs:noNamespaceSchemaLocation": "CMSIS-SVD.xsd",
        },
    )
    _texts(
        device, name=NAME.upper(), version=str(ISA_VERSION),
        description=f"Ember, configuration {registers.config.hash}: {_settings(registers)}",
        addressUnitBits="8", width="32", size="32",
    )  # fmt: skip
    peripheral = ElementTree.SubElement(ElementTree.SubElement(device, "peripherals"), "peripheral")
    _texts(
        peripheral, name=NAME.upper(), description="embedding machine", baseAddress="0x0",
    )  # fmt: skip
    for offset, size, usage in _blocks(registers):
        block = ElementTree.SubElement(peripheral, "addressBlock")
        _texts(block, offset=hex(offset), size=hex(size), usage=usage)
    interrupt = ElementTree.SubElement(peripheral, "interrupt")
    _texts(interrupt, name=NAME.upper(), description="a run is done", value="0")
    table = ElementTree.SubElement(peripheral, "registers")
    for register in registers.registers:
        node = ElementTree.SubElement(table, "register")
        _texts(
            node, name=register.name, description=register.doc,
            addressOffset=hex(register.address), size="32", access=_SVD_ACCESS[register.access],
            resetValue=hex(register.reset),
        )  # fmt: skip
        fields = ElementTree.SubElement(node, "fields")
        for field in register.fields:
            entry = ElementTree.SubElement(fields, "field")
            _texts(
                entry, name=field.name.upper(), description=field.doc,
                bitOffset=str(field.low), bitWidth=str(field.width),
            )  # fmt: skip
            if field.values is not None:
                values = ElementTree.SubElement(entry, "enumeratedValues")
                for member in field.values:
                    value = ElementTree.SubElement(values, "enumeratedValue")
                    _texts(value, name=member.name, value=str(member.value))
    for window in registers.windows:
        node = ElementTree.SubElement(table, "register")
        _texts(
            node, dim=str(window.entries * window.stride // 4), dimIncrement="4",
            name=f"{window.name}[%s]", description=window.doc, addressOffset=hex(window.address),
            size="32", access="write-only",
        )  # fmt: skip
    ElementTree.indent(device)
    text = ElementTree.tostring(device, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _blocks(registers: RegisterMap) -> list[tuple[int, int, str]]:
    """(offset, bytes, usage) of what is there: registers, then each program memory."""
    end = registers.registers[-1].address + 4
    blocks = [(0, end, "registers")]
    return blocks + [(w.address, w.entries * w.stride, "buffer") for w in registers.windows]


def _texts(node: ElementTree.Element, **texts: str) -> None:
    for name, text in texts.items():
        ElementTree.SubElement(node, name).text = text


def as_json(registers: RegisterMap) -> str:
    """The map, the configuration and its hash, as JSON."""
    value = {
        "name": NAME,
        "version": ISA_VERSION,
        "config_hash": registers.config.hash,
        "config": registers.config.to_dict(),
        "size": registers.size,
        "registers": [
            {
                "name": register.name,
                "address": register.address,
                "access": register.access,
                "reset": register.reset,
                "description": register.doc,
                "fields": [_field(field) for field in register.fields],
            }
            for register in registers.registers
        ],
        "memories": [
            {
                "name": window.name,
                "address": window.address,
                "entries": window.entries,
                "stride": window.stride,
                "words": window.words,
                "access": "w",
                "description": window.doc,
            }
            for window in registers.windows
        ],
    }
    return json.dumps(value, indent=2) + "\n"


def _field(field: Field) -> dict:
    value = {
        "name": field.name,
        "low": field.low,
        "width": field.width,
        "description": field.doc,
    }
    if field.values is not None:
        value["values"] = {member.name: member.value for member in field.values}
    return value

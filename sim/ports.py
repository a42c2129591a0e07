"""C++ access to a component's ports, generated from its signature and layouts."""

from collections.abc import Iterator

from amaranth.hdl import Shape, ShapeLike, Value, ValueCastable
from amaranth.lib import data, wiring

_HEAD = """\
// Generated from the component's signature: ports by name, packed fields by type.
#pragma once
#include "Vtop.h"
#include "fields.h"

"""


def ports(component: wiring.Component) -> Iterator[tuple[tuple[str, ...], ShapeLike]]:
    """Path and shape of every port of ``component``, in the order of its signature."""
    for path, member, value in component.signature.flatten(component):
        if isinstance(value, (Value, ValueCastable)):
            yield tuple(map(str, path)), member.shape


def mangled(name: str) -> str:
    """Verilator's C++ name of a Verilog port: it keeps no two underscores in a row."""
    return name.replace("__", "___05F")


def ports_header(component: wiring.Component) -> str:
    """Text of ``ports.h``.

    For a port with path ``read.request.payload``: macro ``PORT_read_request_payload``, function
``port::read_request_payload(top)``, a reference to it, and for every field of its layout, at
    any depth, the type ``field::read_request_payload::line`` = ``Field<offset, width>`` and the
    macro ``FIELD_read_request_payload_line``. The whole port is the type
    ``field::read_request_payload::all``., a reference to it, and for every field of its layout, at
    any depth, the type ``field::read_request_payload::line`` = ``Field<offset, width>``. The
    whole port is the type ``field::read_request_payload::all``.
    """
    out = [_HEAD]
    for path, shape in ports(component):
        name = "_".join(path)
        out.append(f"#define PORT_{name} 1\n")
        out.append(
            f"namespace port {{ inline auto& {name}(Vtop& top) "
            f"{{ return top.{mangled('__'.join(path))}; }} }}\n"
        )
        fields = list(leaves(shape))
        out += [f"#define FIELD_{name}_{'_'.join(inner)} 1\n" for inner, _, _ in fields]
        out.append(f"namespace field {{ namespace {name} {{\n")
        out.append(f"using all = Field<0, {Shape.cast(shape).width}>;\n")
        for inner, offset, width in fields:
            out.append(f"using {'_'.join(inner)} = Field<{offset}, {width}>;\n")
        out.append("} }\n\n")
    return "".join(out)


def leaves(
    shape: ShapeLike | None, path: tuple[str, ...] = (), offset: int = 0
) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Fields of a layout as (path, bit offset, width): structs inside structs too, arrays whole."""
    if not isinstance(shape, data.StructLayout):
        return
    for name, field in shape:
        at = offset + field.offset
        yield (*path, str(name)), at, field.width
        yield from leaves(field.shape, (*path, str(name)), at)

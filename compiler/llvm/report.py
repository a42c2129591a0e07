"""The first failed check: five 64-bit integers, as the machine's error registers have them.

"First" is the lowest segment, then layer, then position: what the driver reports for every engine.
"""

import ctypes
from dataclasses import dataclass

from llvmlite import ir

from ...hw import isa
from . import emit
from .emit import I64, PTR, Value

FIELDS = ("kind", "segment", "layer", "position", "value")
#: What the caller of a compiled operation passes, zeroed.
Buffer = ctypes.c_uint64 * len(FIELDS)


@dataclass(frozen=True)
class Failure:
    """A failed check; ``value`` is what was loaded, zero-extended."""

    kind: isa.Error
    segment: int
    layer: int
    position: int
    value: int

    @staticmethod
    def read(buffer: "ctypes.Array[ctypes.c_uint64]") -> "Failure":
        """From what the compiled code left in a :data:`Buffer`."""
        kind, *rest = buffer
        return Failure(isa.Error(kind), *rest)


def report(module: ir.Module) -> ir.Function:
    """The function ``void report(ptr, i64 kind, i64 segment, i64 layer, i64 position, i64 value)``
    of a module: keeps a failure that comes before the one that is kept."""
    if known := module.globals.get("report"):
        return known
    kind = ir.FunctionType(ir.VoidType(), [PTR, *[I64] * len(FIELDS)])
    function = ir.Function(module, kind, "report")
    function.linkage = "internal"
    for attribute in ("noinline", "nounwind", "cold"):
        function.attributes.add(attribute)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    place, *new = function.args

    def kept(name: str) -> Value:
        index = FIELDS.index(name)
        return builder.load(emit.element(builder, place, index, I64), typ=I64)

    # Segments run in order, so that the one that is kept is not a later one.
    _, segment, layer, position, _ = new
    none = builder.icmp_unsigned("==", kept("kind"), I64(0))
    same = builder.icmp_unsigned("==", segment, kept("segment"))
    outer = builder.icmp_unsigned("<", layer, kept("layer"))
    level = builder.icmp_unsigned("==", layer, kept("layer"))
    before = builder.icmp_unsigned("<", position, kept("position"))
    earlier = builder.and_(same, builder.or_(outer, builder.and_(level, before)))
    with builder.if_then(builder.or_(none, earlier)):
        for index, number in enumerate(new):
            builder.store(number, emit.element(builder, place, index, I64))
    builder.ret_void()
    return function

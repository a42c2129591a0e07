"""Reading MLIR text in every dialect that the compiler uses."""

from ember.compiler.dlc.dialect import DLC
from ember.compiler.slc.dialect import SLC
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, math, memref, scf, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

DIALECTS = (
    builtin.Builtin, arith.Arith, func.Func, math.Math, memref.MemRef, scf.Scf, vector.Vector,
    SLC, DLC,
)  # fmt: skip


def parse(text: str) -> ModuleOp:
    """A verified module."""
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module

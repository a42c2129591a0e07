"""EmbeddingBag to SCF.

One function per table, whose arguments are named after :data:`ember.compiler.spec.ROLES`. The
function is the definition of the operation: nothing below it knows what a bag is.

The number of entries in a bag lives in a cell, ``memref<i32>``, because the modes that need it
(mean's divisor, max's first entry) read it on the execute side.
"""

from collections.abc import Callable, Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, math, memref, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    f32,
    i32,
)
from xdsl.ir import Block, Region, SSAValue

from ..spec import NO_POOLING, BagSpec


def bag_module(specs: Sequence[BagSpec]) -> ModuleOp:
    """A module with one function per table, in order."""
    return ModuleOp([bag_function(spec) for spec in specs])


def argument_types(spec: BagSpec) -> dict[str, MemRefType]:
    """The type of each argument, by role."""
    types = {}
    for role, array in spec.arrays.items():
        element = f32 if array.element == "f32" else IntegerType(8 * array.element_bytes)
        plain = len(array.sizes) == 1 or (role == "table" and array.strides[0] == array.sizes[1])
        layout = NoneAttr() if plain else StridedLayoutAttr(array.strides)
        types[role] = MemRefType(element, array.sizes, layout)
    return types


def bag_function(spec: BagSpec) -> func.FuncOp:
    """One table's function."""
    types = argument_types(spec)
    function = func.FuncOp(spec.name, (list(types.values()), []))
    for role, argument in zip(types, function.body.block.args, strict=True):
        argument.name_hint = role
    with ImplicitBuilder(function.body):
        _BagBody(spec, dict(zip(types, function.body.block.args, strict=True))).build()
        func.ReturnOp()
    return function


class _BagBody:
    """The loop nest of one table."""

    def __init__(self, spec: BagSpec, arguments: dict[str, SSAValue]):
        self.spec, self.arguments = spec, arguments
        self.counts = spec.mode in ("mean", "max")

    def build(self) -> None:
        spec = self.spec
        self.zero, self.one = _index(0, "c0"), _index(1, "c1")
        self.dim = _index(spec.dim, "dim")
        bags = _index(spec.bags, "bags")
        self.none = _named(arith.ConstantOp(FloatAttr(0.0, f32)).result, "zero")
        self.no_entries = _named(arith.ConstantOp(IntegerAttr(0, i32)).result, "none")
        self.one_entry = _named(arith.ConstantOp(IntegerAttr(1, i32)).result, "one")
        if spec.pooling is not None:
            self.pooling = _index(spec.pooling, "pooling")
        if spec.padding_idx is not None:
            index = IntegerType(int(spec.index_type[1:]))
            padding = arith.ConstantOp(IntegerAttr(spec.padding_idx, index))
            self.padding = _named(padding.result, "padding")

        def row(b: SSAValue) -> None:
            entry = self._bound(_load(self.arguments["indices"], [b], "i"), "row")
            self._loop("e", self.zero, self.dim, lambda e: self._copy(b, e, entry))

        def bag(b: SSAValue) -> None:
            cell = self._begin(b)
            first, last = self._bounds(b)
            self._loop("j", first, last, lambda j: self._lookup(b, j, cell))
            self._finish(b, cell)

        self._loop("b", self.zero, bags, row if spec.mode == NO_POOLING else bag)

    def _copy(self, b: SSAValue, e: SSAValue, row: SSAValue) -> None:
        x = _load(self.arguments["table"], [row, e], "x")
        memref.StoreOp.get(x, self.arguments["out"], [b, e])

    def _bounds(self, b: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The bag's entries in the index array."""
        if self.spec.pooling is not None:
            first = arith.MuliOp(b, self.pooling).result
            last = arith.AddiOp(first, self.pooling).result
            return _named(first, "first"), _named(last, "last")
        offsets = self.arguments["offsets"]
        first = self._bound(_load(offsets, [b], "p"), "first")
        after = _named(arith.AddiOp(b, self.one).result, "next")
        return first, self._bound(_load(offsets, [after], "q"), "last")

    def _begin(self, b: SSAValue) -> SSAValue | None:
        out = self.arguments["out"]
        cell = None
        if self.counts:
            cell = _named(memref.AllocaOp.get(i32, shape=[]).memref, "count")
            memref.StoreOp.get(self.no_entries, cell, [])
        self._loop("e", self.zero, self.dim, lambda e: memref.StoreOp.get(self.none, out, [b, e]))
        return cell

    def _lookup(self, b: SSAValue, j: SSAValue, cell: SSAValue | None) -> None:
        spec, arguments = self.spec, self.arguments
        entry = _load(arguments["indices"], [j], "i")

        def accumulate() -> None:
            row = _named(arith.IndexCastOp(entry, IndexType()).result, "row")
            weight = _load(arguments["weights"], [j], "w") if spec.weighted else None
            self._loop("e", self.zero, self.dim, lambda e: self._element(b, e, row, weight, cell))
            if cell is not None:
                seen = arith.AddiOp(memref.LoadOp.get(cell, []), self.one_entry)
                memref.StoreOp.get(seen, cell, [])

        if spec.padding_idx is None:
            accumulate()
        else:
            wanted = arith.CmpiOp(entry, self.padding, "ne").result
            self._if(_named(wanted, "wanted"), accumulate)

    def _element(
        self,
        b: SSAValue,
        e: SSAValue,
        row: SSAValue,
        weight: SSAValue | None,
        cell: SSAValue | None,
    ) -> None:
        table, out = self.arguments["table"], self.arguments["out"]
        x = _load(table, [row, e], "x")
        acc = _load(out, [b, e], "acc")
        if self.spec.mode == "max":
            assert cell is not None
            result = self._maximum(x, acc, cell)
        elif weight is None:
            result = arith.AddfOp(acc, x).result
        elif self.spec.fused_multiply_add:
            result = math.FmaOp(x, weight, acc).result
        else:
            result = arith.AddfOp(acc, arith.MulfOp(x, weight)).result
        memref.StoreOp.get(_named(result, "r"), out, [b, e])

    def _maximum(self, x: SSAValue, acc: SSAValue, cell: SSAValue) -> SSAValue:
        """The first entry initializes; a later one replaces only if it is greater."""
        seen = memref.LoadOp.get(cell, [])
        take: SSAValue = arith.CmpiOp(seen, self.no_entries, "eq").result
        take = arith.OrIOp(arith.CmpfOp(x, acc, "ogt"), take).result
        if self.spec.nan == "propagate":
            only_x = arith.AndIOp(arith.CmpfOp(x, x, "uno"), arith.CmpfOp(acc, acc, "ord"))
            take = arith.OrIOp(take, only_x).result
        return arith.SelectOp(take, x, acc).result

    def _finish(self, b: SSAValue, cell: SSAValue | None) -> None:
        if self.spec.mode != "mean":
            return
        assert cell is not None
        out = self.arguments["out"]
        seen = memref.LoadOp.get(cell, []).res

        def divide() -> None:
            count = _named(arith.UIToFPOp(seen, f32).result, "n")

            def element(e: SSAValue) -> None:
                mean = arith.DivfOp(_load(out, [b, e], "acc"), count)
                memref.StoreOp.get(mean, out, [b, e])

            self._loop("e", self.zero, self.dim, element)

        self._if(arith.CmpiOp(seen, self.no_entries, "ne").result, divide)

    def _bound(self, value: SSAValue, name: str) -> SSAValue:
        return _named(arith.IndexCastOp(value, IndexType()).result, name)

    def _loop(
        self, name: str, start: SSAValue, stop: SSAValue, body: Callable[[SSAValue], object]
    ) -> None:
        block = Block(arg_types=[IndexType()])
        block.args[0].name_hint = name
        with ImplicitBuilder(block):
            body(block.args[0])
            scf.YieldOp()
        scf.ForOp(start, stop, self.one, [], Region(block))

    def _if(self, condition: SSAValue, body: Callable[[], object]) -> None:
        block = Block()
        with ImplicitBuilder(block):
            body()
            scf.YieldOp()
        scf.IfOp(condition, [], Region(block))


def _named(value: SSAValue, name: str) -> SSAValue:
    value.name_hint = name
    return value


def _index(value: int, name: str) -> SSAValue:
    return _named(arith.ConstantOp(IntegerAttr(value, IndexType())).result, name)


def _load(array: SSAValue, indices: list[SSAValue], name: str) -> SSAValue:
    return _named(memref.LoadOp.get(array, indices).res, name)

"""What a kernel takes: addresses of arrays, and the numbers that differ between equal tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from ...hw.config import Config
from ..codegen import element_size, extent, range_limit
from ..dlc import dialect as dlc
from ..errors import CompileError
from ..slc.decouple import root
from ..template import Address
from .emit import I64, PTR, Value

Load = dlc.MemOp | dlc.MemPairOp


@dataclass(frozen=True)
class Limit:
    """A range check's limit: loaded values are below it. ``wide`` if they have 64 bits."""

    role: str
    value: int
    wide: bool


@dataclass(frozen=True)
class Length:
    """The number of elements of an array."""

    role: str
    value: int


Parameter = Address | Limit | Length


class Parameters:
    """The parameters of a segment's kernel, in order: ``values`` has what they are here."""

    def __init__(
        self,
        function: dlc.FuncOp,
        segment: dlc.SegmentOp,
        config: Config,
        walked: dlc.MemOp | None,
    ):
        self._function = function
        self.values: list[Parameter] = []
        self.arrays: dict[SSAValue, int] = {}
        self.limits: dict[Load, int] = {}
        self.length: int | None = None
        for op in (*segment.access.block.ops, *segment.execute.block.ops):
            if isinstance(op, dlc.MemOp | dlc.MemPairOp | dlc.RowOp):
                self._array(op.array)
            elif isinstance(op, dlc.RowsOp | dlc.StoreOp):
                self._array(op.out)
            if isinstance(op, dlc.MemOp | dlc.MemPairOp) and op.below is not None:
                kind, limit = op.array.type, op.below.value.data
                assert isinstance(kind, MemRefType)
                wide = element_size(kind) == 8
                limit = range_limit(function.sym_name.data, limit, wide, config)
                self.limits[op] = self._add(Limit(self._role(op.array), limit, wide))
        if walked is not None:
            kind = walked.array.type
            assert isinstance(kind, MemRefType)
            elements = extent(kind) // element_size(kind)
            self.length = self._add(Length(self._role(walked.array), elements))

    @property
    def types(self) -> list[ir.Type]:
        """LLVM's type of each parameter."""
        return [PTR if isinstance(p, Address) else I64 for p in self.values]

    def arguments(self, function: ir.Function) -> "Arguments":
        """The first arguments of a function, with names that tell what they are."""
        ends = {Address: "", Limit: ".below", Length: ".length"}
        for parameter, value in zip(self.values, function.args, strict=False):
            value.name = parameter.role + ends[type(parameter)]
        return Arguments(self, function.args)

    def _add(self, parameter: Parameter) -> int:
        self.values.append(parameter)
        return len(self.values) - 1

    def _array(self, array: SSAValue) -> None:
        if array in self.arrays:
            return
        kind, whole = array.type, root(array).type
        assert isinstance(kind, MemRefType) and isinstance(whole, MemRefType)
        size, start = element_size(kind), kind.get_offset() or 0
        table = self._function.sym_name.data
        address = Address(table, self._role(array), start * size, extent(whole), size)
        self.arrays[array] = self._add(address)

    def _role(self, array: SSAValue) -> str:
        base = root(array)
        arguments = list(self._function.body.block.args)
        if base not in arguments:
            raise CompileError(f"{self._function.sym_name.data}: an array must be an argument")
        return base.name_hint or f"arg{arguments.index(base)}"  # type: ignore[arg-type]


@dataclass(frozen=True)
class Arguments:
    """The parameters as values in a function."""

    parameters: Parameters
    values: Sequence[Value]

    def array(self, array: SSAValue) -> Value:
        """The address of an array's first element."""
        return self.values[self.parameters.arrays[array]]

    def limit(self, op: Load) -> Value:
        """The limit of a load's check."""
        return self.values[self.parameters.limits[op]]

    @property
    def length(self) -> Value:
        """Elements of the array that is read ahead."""
        assert self.parameters.length is not None
        return self.values[self.parameters.length]

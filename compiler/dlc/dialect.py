"""The DLC dialect: what each unit runs, one step above the microcode.

A ``dlc.segment`` has two regions. In ``access`` each layer of the access unit has one traversal
unit (``dlc.tu.*``) and the streams computed in it; a stream's type says its layer, and it reaches
the next layer only by ``dlc.fwd``. ``dlc.push`` and ``dlc.token`` attach operands and tokens to
the events of a traversal unit. ``execute`` has the callbacks that the tokens start, as
instructions on the execute unit's registers: these are state, so they are attributes, not values.

Grammar: docs/dlc.md. What an instruction does: docs/machine.md, section 5.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    FlatSymbolRefAttr,
    Float32Type,
    FloatAttr,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.utils import EnumAttribute, parse_func_op_like, print_func_op_like
from xdsl.ir import (
    Attribute,
    Block,
    Dialect,
    Operation,
    ParametrizedAttribute,
    Region,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ...hw import isa
from ..streams import INT, float_bits, integer, is_integer


@irdl_attr_definition
class StreamType(ParametrizedAttribute, TypeAttribute):
    """``!dlc.stream<1, i64>``: one value per iteration of layer 1."""

    name = "dlc.stream"

    layer: IntAttr
    element: Attribute

    @staticmethod
    def of(layer: int, element: Attribute) -> "StreamType":
        return StreamType(IntAttr(layer), element)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            layer = parser.parse_integer(allow_negative=False, allow_boolean=False)
            parser.parse_punctuation(",")
            return IntAttr(layer), parser.parse_type()

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.layer.data}, ")
            printer.print_attribute(self.element)

    def verify(self) -> None:
        scalar = (IndexType, IntegerType, Float32Type, VectorType)
        if not isinstance(self.element, scalar):
            raise VerifyException(f"a stream carries integers, f32 or vectors, not {self.element}")


def layer_of(value: SSAValue) -> int:
    """The layer of a stream."""
    assert isinstance(value.type, StreamType)
    return value.type.layer.data


def element_of(value: SSAValue) -> Attribute:
    """The element type of a stream."""
    assert isinstance(value.type, StreamType)
    return value.type.element


class Event(StrEnum):
    """Events of a traversal unit."""

    BEG = "beg"
    ITE = "ite"
    END = "end"


@irdl_attr_definition
class EventAttr(EnumAttribute[Event], SpacedOpaqueSyntaxAttribute):
    name = "dlc.event"


class Alu(StrEnum):
    """Operations of the integer unit, as in isa.AluOp."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    SHL = "shl"


@irdl_attr_definition
class AluAttr(EnumAttribute[Alu], SpacedOpaqueSyntaxAttribute):
    name = "dlc.alu_op"


class Vreg(StrEnum):
    """Vector registers."""

    V0 = "v0"
    V1 = "v1"


@irdl_attr_definition
class VregAttr(EnumAttribute[Vreg], SpacedOpaqueSyntaxAttribute):
    name = "dlc.vreg"


class First(StrEnum):
    """First operands, as in isa.SrcA."""

    DATAQ = "dataq"
    V0 = "v0"
    V1 = "v1"
    ONE = "one"


@irdl_attr_definition
class FirstAttr(EnumAttribute[First], SpacedOpaqueSyntaxAttribute):
    name = "dlc.first"


class Scale(StrEnum):
    """Multipliers, as in isa.SrcB."""

    ARG = "arg"
    R0 = "r0"
    R1 = "r1"
    R2 = "r2"
    R3 = "r3"
    LITERAL = "literal"


@irdl_attr_definition
class ScaleAttr(EnumAttribute[Scale], SpacedOpaqueSyntaxAttribute):
    name = "dlc.scale"


class Addend(StrEnum):
    """Addends, as in isa.SrcC."""

    ZERO = "zero"
    V0 = "v0"
    V1 = "v1"


@irdl_attr_definition
class AddendAttr(EnumAttribute[Addend], SpacedOpaqueSyntaxAttribute):
    name = "dlc.addend"


class Sreg(StrEnum):
    """Scalar registers."""

    R0 = "r0"
    R1 = "r1"
    R2 = "r2"
    R3 = "r3"


@irdl_attr_definition
class SregAttr(EnumAttribute[Sreg], SpacedOpaqueSyntaxAttribute):
    name = "dlc.sreg"


class Count(StrEnum):
    """Counter updates, as in isa.Count; KEEP is not written."""

    CLEAR = "clear"
    INC = "inc"
    FUSED = "fused"


@irdl_attr_definition
class CountAttr(EnumAttribute[Count], SpacedOpaqueSyntaxAttribute):
    name = "dlc.count"


class Emit(StrEnum):
    """When a result is stored, as in isa.Emit; NEVER is not written."""

    ALWAYS = "always"
    LAST = "last"


@irdl_attr_definition
class EmitAttr(EnumAttribute[Emit], SpacedOpaqueSyntaxAttribute):
    name = "dlc.emit"


# Structure --------------------------------------------------------------------------------


@irdl_op_definition
class FuncOp(IRDLOperation):
    """``dlc.func @name(%array: memref<..>, ..) { segments }``"""

    name = "dlc.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def __init__(self, name: str, inputs: Sequence[Attribute], body: Region):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(inputs, []),
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        name, inputs, _, body, attributes, _, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type")
        )
        op = cls(name, inputs, body)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            self.attributes,
            reserved_attr_names=("sym_name", "function_type"),
        )

    def verify_(self) -> None:
        if self.function_type.inputs.data != tuple(self.body.block.arg_types):
            raise VerifyException("arguments must have the types of the function type")


@irdl_op_definition
class SegmentOp(IRDLOperation):
    """``dlc.segment access { .. } execute { .. }``: one loop nest."""

    name = "dlc.segment"

    access = region_def("single_block")
    execute = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(self, access: Region, execute: Region):
        super().__init__(regions=[access, execute])

    @classmethod
    def parse(cls, parser: Parser) -> "SegmentOp":
        regions = []
        for name in ("access", "execute"):
            parser.parse_keyword(name)
            region = parser.parse_region()
            if not region.blocks:
                region.add_block(Block())
            regions.append(region)
        return cls(*regions)

    def print(self, printer: Printer) -> None:
        for name, region in (("access", self.access), ("execute", self.execute)):
            printer.print_string(f" {name} ")
            printer.print_region(region, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        from .resources import check_segment

        check_segment(self)


# Traversal units --------------------------------------------------------------------------


class TraversalOp(IRDLOperation):
    """A traversal unit; its result is the induction variable's stream."""

    ite = result_def(StreamType)

    @property
    def layer(self) -> int:
        """The layer that it walks."""
        return layer_of(self.results[0])


@irdl_op_definition
class OnceOp(TraversalOp):
    """``%i = dlc.tu.once``: one iteration; the layer is passed through."""

    name = "dlc.tu.once"

    assembly_format = "attr-dict `:` type($ite)"

    def __init__(self, layer: int):
        super().__init__(result_types=[StreamType.of(layer, IndexType())])


class CountedOp(TraversalOp):
    """A loop with a step, which may be the one that sets first and last."""

    step = prop_def(INT)
    fused = opt_prop_def(UnitAttr)

    def verify_(self) -> None:
        if not 1 <= self.step.value.data < 1 << 16:
            raise VerifyException(f"step must be 1..65535, not {self.step.value.data}")


@irdl_op_definition
class DenseOp(CountedOp):
    """``%i = dlc.tu.dense 0 to 32 step 1``: constant bounds."""

    name = "dlc.tu.dense"

    start = prop_def(INT)
    stop = prop_def(INT)

    assembly_format = "$start `to` $stop `step` $step (`fused` $fused^)? attr-dict `:` type($ite)"

    def __init__(self, layer: int, start: int, stop: int, step: int, *, fused: bool = False):
        super().__init__(
            properties={
                "start": integer(start),
                "stop": integer(stop),
                "step": integer(step),
                "fused": UnitAttr() if fused else None,
            },
            result_types=[StreamType.of(layer, IndexType())],
        )


@irdl_op_definition
class RangeOp(CountedOp):
    """``%i = dlc.tu.range %p to %q step 1``: both bounds are the parent's streams."""

    name = "dlc.tu.range"

    start = operand_def(StreamType)
    stop = operand_def(StreamType)

    assembly_format = (
        "$start `to` $stop `step` $step (`fused` $fused^)? attr-dict "
        "`:` type($start) `,` type($stop) `->` type($ite)"
    )

    def __init__(
        self, layer: int, start: SSAValue, stop: SSAValue, step: int, *, fused: bool = False
    ):
        super().__init__(
            operands=[start, stop],
            properties={"step": integer(step), "fused": UnitAttr() if fused else None},
            result_types=[StreamType.of(layer, IndexType())],
        )


@irdl_op_definition
class IndexOp(CountedOp):
    """``%i = dlc.tu.index %p for 20 step 1``: the start is the parent's, the length constant."""

    name = "dlc.tu.index"

    start = operand_def(StreamType)
    length = prop_def(INT)

    assembly_format = (
        "$start `for` $length `step` $step (`fused` $fused^)? attr-dict "
        "`:` type($start) `->` type($ite)"
    )

    def __init__(self, layer: int, start: SSAValue, length: int, step: int, *, fused: bool = False):
        super().__init__(
            operands=[start],
            properties={
                "length": integer(length),
                "step": integer(step),
                "fused": UnitAttr() if fused else None,
            },
            result_types=[StreamType.of(layer, IndexType())],
        )


@irdl_op_definition
class RowOp(TraversalOp):
    """``%x, %e = dlc.tu.row %table[%base] offset 8 dim 33``: consecutive fp32 elements.

    The data's type is ``vector<lanes x f32>`` with a masked tail, or ``f32``. The second result
    is the element index. Without ``[%base]`` the row starts at element 0; ``offset`` is added.
    """

    name = "dlc.tu.row"

    array = operand_def(MemRefType)
    start = opt_operand_def(StreamType)
    offset = opt_prop_def(INT)
    dim = prop_def(INT)
    data = result_def(StreamType)

    assembly_format = (
        "$array (`[` $start^ `:` type($start) `]`)? (`offset` $offset^)? `dim` $dim attr-dict "
        "`:` type($array) `->` type($data) `,` type($ite)"
    )

    def __init__(
        self,
        layer: int,
        array: SSAValue,
        start: SSAValue | None,
        dim: int,
        data: Attribute,
        offset: int = 0,
    ):
        super().__init__(
            operands=[array, start],
            properties={"dim": integer(dim), "offset": integer(offset) if offset else None},
            result_types=[StreamType.of(layer, data), StreamType.of(layer, IndexType())],
        )

    def verify_(self) -> None:
        if self.dim.value.data < 1:
            raise VerifyException(f"dim must be at least 1, not {self.dim.value.data}")


# Streams ----------------------------------------------------------------------------------


@irdl_op_definition
class MemOp(IRDLOperation):
    """``%x = dlc.mem %array[%i] offset 1 below 100 skip 3``: a load per iteration.

    ``offset`` is added to the index. A value not ``below`` the limit is an error; it, and the
    ``skip`` value, leave out the rest of the iteration.
    """

    name = "dlc.mem"

    array = operand_def(MemRefType)
    at = operand_def(StreamType)
    offset = opt_prop_def(INT)
    below = opt_prop_def(INT)
    skip = opt_prop_def(INT)
    result = result_def(StreamType)

    assembly_format = (
        "$array `[` $at `]` (`offset` $offset^)? (`below` $below^)? (`skip` $skip^)? attr-dict "
        "`:` type($array) `,` type($at) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue,
        at: SSAValue,
        offset: int = 0,
        below: int | None = None,
        skip: int | None = None,
    ):
        assert isinstance(array.type, MemRefType)
        super().__init__(
            operands=[array, at],
            properties={
                "offset": integer(offset) if offset else None,
                "below": None if below is None else integer(below),
                "skip": None if skip is None else integer(skip),
            },
            result_types=[StreamType.of(layer_of(at), array.type.element_type)],
        )


@irdl_op_definition
class MemPairOp(IRDLOperation):
    """``%p, %q = dlc.mem_pair %array[%i] below 100``: the elements ``%i`` and ``%i + 1``."""

    name = "dlc.mem_pair"

    array = operand_def(MemRefType)
    at = operand_def(StreamType)
    below = opt_prop_def(INT)
    result = result_def(StreamType)
    following = result_def(StreamType)

    assembly_format = (
        "$array `[` $at `]` (`below` $below^)? attr-dict "
        "`:` type($array) `,` type($at) `->` type($result) `,` type($following)"
    )

    def __init__(self, array: SSAValue, at: SSAValue, below: int | None = None):
        assert isinstance(array.type, MemRefType)
        kind = StreamType.of(layer_of(at), array.type.element_type)
        super().__init__(
            operands=[array, at],
            properties={"below": None if below is None else integer(below)},
            result_types=[kind, kind],
        )


@irdl_op_definition
class ConstOp(IRDLOperation):
    """``%c = dlc.const 3``: a number that is the same in every iteration.

    A layer has room for one that is not 0, which is also the literal of its integer operation.
    """

    name = "dlc.const"

    value = prop_def(INT)
    result = result_def(StreamType)

    assembly_format = "$value attr-dict `:` type($result)"

    def __init__(self, layer: int, value: int):
        super().__init__(
            properties={"value": integer(value)}, result_types=[StreamType.of(layer, IndexType())]
        )

    @property
    def number(self) -> int:
        """The value."""
        return self.value.value.data

    def verify_(self) -> None:
        if not 0 <= self.number < 1 << 32:
            raise VerifyException(f"a constant must be 0..{(1 << 32) - 1}, not {self.number}")


@irdl_op_definition
class AluOp(IRDLOperation):
    """``%r = dlc.alu mul %a, 64`` or with a second stream: an integer operation."""

    name = "dlc.alu"

    op = prop_def(AluAttr)
    lhs = operand_def(StreamType)
    rhs = opt_operand_def(StreamType)
    literal = opt_prop_def(INT)
    result = result_def(StreamType)

    assembly_format = (
        "$op $lhs (`,` $rhs^ `:` type($rhs))? (`by` $literal^)? attr-dict "
        "`:` type($lhs) `->` type($result)"
    )

    def __init__(self, op: str, lhs: SSAValue, rhs: SSAValue | int):
        super().__init__(
            operands=[lhs, None if isinstance(rhs, int) else rhs],
            properties={
                "op": AluAttr(Alu(op)),
                "literal": integer(rhs) if isinstance(rhs, int) else None,
            },
            result_types=[lhs.type],
        )

    def verify_(self) -> None:
        if (self.rhs is None) == (self.literal is None):
            raise VerifyException("must have a second stream or a literal")
        if self.rhs is not None and self.op.data in (Alu.MUL, Alu.SHL):
            raise VerifyException(f"the second operand of {self.op.data} must be a literal")
        if self.literal is not None and not 0 <= self.literal.value.data < 1 << 32:
            raise VerifyException(
                f"the literal must be 0..{(1 << 32) - 1}, not {self.literal.value.data}"
            )
        if self.op.data is Alu.SHL and self.literal is not None and self.literal.value.data > 63:
            raise VerifyException(f"a shift must be 0..63, not {self.literal.value.data}")
        for value in (self.lhs, self.rhs):
            if value is not None and not is_integer(element_of(value)):
                raise VerifyException(f"operands must be integers, not {element_of(value)}")


@irdl_op_definition
class FwdOp(IRDLOperation):
    """``%y = dlc.fwd %x``: the parent layer's value, repeated in every iteration."""

    name = "dlc.fwd"

    source = operand_def(StreamType)
    result = result_def(StreamType)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue):
        super().__init__(
            operands=[source],
            result_types=[StreamType.of(layer_of(source) + 1, element_of(source))],
        )

    def verify_(self) -> None:
        if layer_of(self.result) != layer_of(self.source) + 1:
            raise VerifyException(
                f"must go to the next layer, {layer_of(self.source) + 1}, "
                f"not {layer_of(self.result)}"
            )
        if element_of(self.result) != element_of(self.source):
            raise VerifyException(
                f"must keep the type {element_of(self.source)}, not {element_of(self.result)}"
            )


@irdl_op_definition
class PushOp(IRDLOperation):
    """``dlc.push ite of %e, %x``: an operand for the DataQ at an event of ``%e``'s loop."""

    name = "dlc.push"

    event = prop_def(EventAttr)
    loop = operand_def(StreamType)
    operand = operand_def(StreamType)

    assembly_format = "$event `of` $loop `,` $operand attr-dict `:` type($loop) `,` type($operand)"

    def __init__(self, event: str, loop: SSAValue, operand: SSAValue):
        super().__init__(operands=[loop, operand], properties={"event": EventAttr(Event(event))})


@irdl_op_definition
class TokenOp(IRDLOperation):
    """``dlc.token beg of %e, @callback arg %w``: a token for the CtrlQ at an event."""

    name = "dlc.token"

    event = prop_def(EventAttr)
    loop = operand_def(StreamType)
    callback = prop_def(FlatSymbolRefAttr)
    arg = opt_operand_def(StreamType)

    assembly_format = (
        "$event `of` $loop `,` $callback (`arg` $arg^ `:` type($arg))? attr-dict `:` type($loop)"
    )

    def __init__(self, event: str, loop: SSAValue, callback: str, arg: SSAValue | None = None):
        super().__init__(
            operands=[loop, arg],
            properties={"event": EventAttr(Event(event)), "callback": SymbolRefAttr(callback)},
        )


@irdl_op_definition
class StoreOp(IRDLOperation):
    """``dlc.store %x, %out[%b : !dlc.stream<1, index>]``: a store stream.

    The access unit stores the row's data ``%x`` as row ``%b``, a stream of the parent's layer.
    """

    name = "dlc.store"

    data = operand_def(StreamType)
    out = operand_def(MemRefType)
    row = operand_def(StreamType)

    assembly_format = (
        "$data `,` $out `[` $row `:` type($row) `]` attr-dict `:` type($data) `,` type($out)"
    )

    def __init__(self, data: SSAValue, out: SSAValue, row: SSAValue):
        super().__init__(operands=[data, out, row])


# Execute ----------------------------------------------------------------------------------


@irdl_op_definition
class RowsOp(IRDLOperation):
    """``dlc.rows %out resumed 3 : memref<..>``: the array whose rows the callbacks store.

    ``resumed 3``: the segment goes on with row 3, which the segment before has stored last: it is
    in ``v0`` of fiber lane 0, the only one of both.
    """

    name = "dlc.rows"

    out = operand_def(MemRefType)
    resumed = opt_prop_def(INT)

    assembly_format = "$out (`resumed` $resumed^)? attr-dict `:` type($out)"

    def __init__(self, out: SSAValue, resumed: int | None = None):
        number = None if resumed is None else integer(resumed)
        super().__init__(operands=[out], properties={"resumed": number})


@irdl_op_definition
class LiteralOp(IRDLOperation):
    """``dlc.literal 0.5 : f32``: the factor that instructions call ``literal``."""

    name = "dlc.literal"

    value = prop_def(FloatAttr)

    assembly_format = "$value attr-dict"

    def __init__(self, value: FloatAttr):
        super().__init__(properties={"value": value})

    @property
    def bits(self) -> int:
        """The binary32 word."""
        return float_bits(self.value)

    def verify_(self) -> None:
        if not isinstance(self.value.type, Float32Type):
            raise VerifyException(f"must be an f32, not {self.value.type}")


@irdl_op_definition
class CallbackOp(IRDLOperation):
    """``dlc.callback @name { instructions }``"""

    name = "dlc.callback"

    sym_name = prop_def(SymbolNameConstraint())
    body = region_def("single_block")

    traits = traits_def(NoTerminator())
    assembly_format = "$sym_name $body attr-dict"

    def __init__(self, name: str, ops: Sequence[Operation]):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[Region(Block(ops))])

    def verify_(self) -> None:
        if not self.body.block.ops:
            raise VerifyException("must have at least 1 instruction")
        for op in self.body.block.ops:
            if not isinstance(op, InstructionOp):
                raise VerifyException(f"must hold instructions, not {op.name}")


class InstructionOp(IRDLOperation):
    """An instruction of the execute unit: attributes only."""

    CODE: ClassVar[isa.Op]


@irdl_op_definition
class NopOp(InstructionOp):
    """``dlc.nop count inc``: only the counter."""

    name = "dlc.nop"
    CODE: ClassVar = isa.Op.NOP

    count = opt_prop_def(CountAttr)

    assembly_format = "(`count` $count^)? attr-dict"

    def __init__(self, count: str | None = None):
        super().__init__(properties={"count": None if count is None else CountAttr(Count(count))})


@irdl_op_definition
class PopOp(InstructionOp):
    """``dlc.pop r0``: a scalar from the DataQ."""

    name = "dlc.pop"
    CODE: ClassVar = isa.Op.POP

    rd = prop_def(SregAttr)

    assembly_format = "$rd attr-dict"

    def __init__(self, rd: str):
        super().__init__(properties={"rd": SregAttr(Sreg(rd))})


@irdl_op_definition
class SetaOp(InstructionOp):
    """``dlc.seta``: the address is the lane's first row."""

    name = "dlc.seta"
    CODE: ClassVar = isa.Op.SETA

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class SetrOp(InstructionOp):
    """``dlc.setr r0``: the address is row r0."""

    name = "dlc.setr"
    CODE: ClassVar = isa.Op.SETR

    at = prop_def(SregAttr)

    assembly_format = "$at attr-dict"

    def __init__(self, at: str):
        super().__init__(properties={"at": SregAttr(Sreg(at))})


class RowInstruction(InstructionOp):
    """An instruction on a row, or on a part of it.

    ``at_chunk r`` and ``at_element r`` work on the chunk or element that r names; otherwise on
    the whole row, which may then be stored (``emit``).
    """

    dst = prop_def(VregAttr)
    init = opt_prop_def(UnitAttr)
    at_chunk = opt_prop_def(SregAttr)
    at_element = opt_prop_def(SregAttr)
    count = opt_prop_def(CountAttr)
    emit = opt_prop_def(EmitAttr)
    div = opt_prop_def(UnitAttr)
    bump = opt_prop_def(UnitAttr)

    def __init__(
        self,
        dst: str,
        *,
        init: bool = False,
        at_chunk: str | None = None,
        at_element: str | None = None,
        **sources: Attribute,
    ):
        super().__init__(
            properties={
                "dst": VregAttr(Vreg(dst)),
                "init": UnitAttr() if init else None,
                "at_chunk": SregAttr(Sreg(at_chunk)) if at_chunk else None,
                "at_element": SregAttr(Sreg(at_element)) if at_element else None,
                **sources,
            }
        )

    def verify_(self) -> None:
        if self.at_chunk is not None and self.at_element is not None:
            raise VerifyException("must work on a chunk or on an element, not on both")
        part = self.at_chunk is not None or self.at_element is not None
        if part and self.emit is not None:
            raise VerifyException("only a whole row can be emitted")
        if self.emit is None and (self.div is not None or self.bump is not None):
            raise VerifyException("div and bump belong to emit")


_MODIFIERS = (
    " (`init` $init^)? (`at_chunk` $at_chunk^)? (`at_element` $at_element^)?"
    " (`count` $count^)? (`emit` $emit^)? (`div` $div^)? (`bump` $bump^)? attr-dict"
)


@irdl_op_definition
class MovOp(RowInstruction):
    """``dlc.mov v0, zero``: dst = c"""

    name = "dlc.mov"
    CODE: ClassVar = isa.Op.MOV

    c = prop_def(AddendAttr)

    assembly_format = "$dst `,` $c" + _MODIFIERS

    def __init__(self, dst: str, c: str, **rest):
        super().__init__(dst, c=AddendAttr(Addend(c)), **rest)


@irdl_op_definition
class NegOp(RowInstruction):
    """``dlc.neg v0, dataq``: dst = a with its sign flipped"""

    name = "dlc.neg"
    CODE: ClassVar = isa.Op.NEG

    a = prop_def(FirstAttr)

    assembly_format = "$dst `,` $a" + _MODIFIERS

    def __init__(self, dst: str, a: str, **rest):
        super().__init__(dst, a=FirstAttr(First(a)), **rest)


class BinaryOp(RowInstruction):
    """An instruction on ``a`` and ``c``."""

    a = prop_def(FirstAttr)
    c = prop_def(AddendAttr)

    assembly_format = "$dst `,` $a `,` $c" + _MODIFIERS

    def __init__(self, dst: str, a: str, c: str, **rest):
        super().__init__(dst, a=FirstAttr(First(a)), c=AddendAttr(Addend(c)), **rest)


@irdl_op_definition
class AddOp(BinaryOp):
    """``dlc.add v0, dataq, v0``: dst = a + c"""

    name = "dlc.add"
    CODE: ClassVar = isa.Op.ADD


@irdl_op_definition
class SubOp(BinaryOp):
    """``dlc.sub v0, dataq, v0``: dst = a - c"""

    name = "dlc.sub"
    CODE: ClassVar = isa.Op.SUB


@irdl_op_definition
class RsubOp(BinaryOp):
    """``dlc.rsub v0, dataq, v0``: dst = c - a"""

    name = "dlc.rsub"
    CODE: ClassVar = isa.Op.RSUB


@irdl_op_definition
class MulOp(RowInstruction):
    """``dlc.mul v1, dataq, arg``: dst = a * b"""

    name = "dlc.mul"
    CODE: ClassVar = isa.Op.MUL

    a = prop_def(FirstAttr)
    b = prop_def(ScaleAttr)

    assembly_format = "$dst `,` $a `,` $b" + _MODIFIERS

    def __init__(self, dst: str, a: str, b: str, **rest):
        super().__init__(dst, a=FirstAttr(First(a)), b=ScaleAttr(Scale(b)), **rest)


@irdl_op_definition
class FmaOp(RowInstruction):
    """``dlc.fma v0, dataq, arg, v0``: dst = a * b + c, one rounding"""

    name = "dlc.fma"
    CODE: ClassVar = isa.Op.FMA

    a = prop_def(FirstAttr)
    b = prop_def(ScaleAttr)
    c = prop_def(AddendAttr)

    assembly_format = "$dst `,` $a `,` $b `,` $c" + _MODIFIERS

    def __init__(self, dst: str, a: str, b: str, c: str, **rest):
        super().__init__(
            dst,
            a=FirstAttr(First(a)),
            b=ScaleAttr(Scale(b)),
            c=AddendAttr(Addend(c)),
            **rest,
        )


class CompareOp(BinaryOp):
    """One of ``a`` and ``c``; with ``init``, ``a`` while the counter is 0."""


@irdl_op_definition
class MaxOp(CompareOp):
    """``dlc.max v0, dataq, v0``: dst = a > c ? a : c"""

    name = "dlc.max"
    CODE: ClassVar = isa.Op.MAX


@irdl_op_definition
class MaxNOp(CompareOp):
    """``dlc.maxn v0, dataq, v0``: as max, but the first NaN stays"""

    name = "dlc.maxn"
    CODE: ClassVar = isa.Op.MAXN


@irdl_op_definition
class MinOp(CompareOp):
    """``dlc.min v0, dataq, v0``: dst = a < c ? a : c"""

    name = "dlc.min"
    CODE: ClassVar = isa.Op.MIN


@irdl_op_definition
class MaximumOp(CompareOp):
    """``dlc.maximum v0, dataq, v0``: as IEEE 754-2019 has it"""

    name = "dlc.maximum"
    CODE: ClassVar = isa.Op.MAXIMUM


@irdl_op_definition
class MinimumOp(CompareOp):
    """``dlc.minimum v0, dataq, v0``: as IEEE 754-2019 has it"""

    name = "dlc.minimum"
    CODE: ClassVar = isa.Op.MINIMUM


#: Operations whose results are streams of a layer, beside the traversal unit's own.
Stream = MemOp | MemPairOp | AluOp | FwdOp | ConstOp

DLC = Dialect(
    "dlc",
    [
        FuncOp,
        SegmentOp,
        OnceOp,
        DenseOp,
        RangeOp,
        IndexOp,
        RowOp,
        MemOp,
        MemPairOp,
        ConstOp,
        AluOp,
        FwdOp,
        PushOp,
        TokenOp,
        StoreOp,
        RowsOp,
        LiteralOp,
        CallbackOp,
        NopOp,
        PopOp,
        SetaOp,
        SetrOp,
        MovOp,
        NegOp,
        AddOp,
        SubOp,
        RsubOp,
        MulOp,
        FmaOp,
        MaxOp,
        MaxNOp,
        MinOp,
        MaximumOp,
        MinimumOp,
    ],
    [
        StreamType,
        EventAttr,
        AluAttr,
        VregAttr,
        FirstAttr,
        ScaleAttr,
        AddendAttr,
        SregAttr,
        CountAttr,
        EmitAttr,
    ],
)

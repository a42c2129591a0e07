"""The SLC dialect: the loop nest, and what in it belongs to the access unit.

Everything outside a callback runs on the access unit: loops, loads, integer operations, checks.
Their results are *streams*, one value per iteration. A ``slc.callback`` runs on the execute unit
and sees a stream only through ``slc.to_val``. The position of a callback says its event: before
the inner loop ``beg``, in the innermost loop ``ite``, after the inner loop ``end``.

The grammar and the names of the published dialects are in docs/slc.md.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    Float32Type,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    AttrSizedRegionSegments,
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_region_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ..streams import (
    INT,
    integer,
    is_integer,
    parse_stream,
    parse_stream_or_integer,
    print_stream_or_integer,
)

Scalar = base(IndexType) | base(IntegerType) | base(Float32Type)
Integer = base(IndexType) | base(IntegerType)


@irdl_op_definition
class FuncOp(IRDLOperation):
    """``slc.func @name(%array: memref<..>, ..) { .. }``: one operation."""

    name = "slc.func"

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
class LoopOp(IRDLOperation):
    """``slc.loop (%i = start to stop step 1) masked fused resumed { .. }``: one hardware loop.

    ``for i in range(start, stop, step): body``. A bound is a stream or a literal.

    ``masked``: the loop walks vectors, and in its last iteration elements at or past ``stop`` do
    not exist: a load gives +0.0 there.

    ``fused``: the ``first`` and ``last`` regions of the callback inside belong to this loop. A
    loop without iterations runs both, one after the other.

    ``resumed``: an outermost loop of one iteration, which goes on with the row that the nest before
    has stored last: the register still has it.
    """

    name = "slc.loop"

    start = opt_operand_def(Integer)
    stop = opt_operand_def(Integer)
    start_literal = opt_prop_def(INT)
    stop_literal = opt_prop_def(INT)
    step = prop_def(INT)
    masked = opt_prop_def(UnitAttr)
    fused = opt_prop_def(UnitAttr)
    resumed = opt_prop_def(UnitAttr)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoTerminator())

    def __init__(
        self,
        start: SSAValue | int,
        stop: SSAValue | int,
        step: int,
        body: Region | None = None,
        *,
        masked: bool = False,
        fused: bool = False,
        resumed: bool = False,
    ):
        literal = {
            "start_literal": integer(start) if isinstance(start, int) else None,
            "stop_literal": integer(stop) if isinstance(stop, int) else None,
        }
        super().__init__(
            operands=[
                None if isinstance(start, int) else start,
                None if isinstance(stop, int) else stop,
            ],
            properties={
                **literal,
                "step": integer(step),
                "masked": UnitAttr() if masked else None,
                "fused": UnitAttr() if fused else None,
                "resumed": UnitAttr() if resumed else None,
            },
            regions=[body or Region(Block(arg_types=[IndexType()]))],
        )

    @property
    def induction(self) -> SSAValue:
        """The induction variable."""
        return self.body.block.args[0]

    @property
    def bounds(self) -> tuple[SSAValue | int, SSAValue | int]:
        """Start and stop."""
        return _either(self.start, self.start_literal), _either(self.stop, self.stop_literal)

    @property
    def stride(self) -> int:
        """The step as a number."""
        return self.step.value.data

    @property
    def trip_count(self) -> int | None:
        """Iterations, if the bounds are literals."""
        start, stop = self.bounds
        if isinstance(start, int) and isinstance(stop, int):
            return max(0, -(-(stop - start) // self.stride))
        return None

    @classmethod
    def parse(cls, parser: Parser) -> "LoopOp":
        with parser.in_parens():
            induction = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            start = parse_stream_or_integer(parser)
            parser.parse_keyword("to")
            stop = parse_stream_or_integer(parser)
            parser.parse_keyword("step")
            step = parser.parse_integer()
        masked = parser.parse_optional_keyword("masked") is not None
        fused = parser.parse_optional_keyword("fused") is not None
        resumed = parser.parse_optional_keyword("resumed") is not None
        body = parser.parse_region([induction.resolve(IndexType())])
        return cls(start, stop, step, body, masked=masked, fused=fused, resumed=resumed)

    def print(self, printer: Printer) -> None:
        start, stop = self.bounds
        printer.print_string(" (")
        printer.print_ssa_value(self.induction)
        printer.print_string(" = ")
        print_stream_or_integer(printer, start)
        printer.print_string(" to ")
        print_stream_or_integer(printer, stop)
        printer.print_string(f" step {self.stride})")
        printer.print_string(" masked" if self.masked else "")
        printer.print_string(" fused" if self.fused else "")
        printer.print_string(" resumed" if self.resumed else "")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        _one_of(self.start, self.start_literal, "start")
        _one_of(self.stop, self.stop_literal, "stop")
        if self.stride < 1:
            raise VerifyException(f"step must be at least 1, not {self.stride}")
        if self.resumed and (self.trip_count != 1 or isinstance(self.parent_op(), LoopOp)):
            raise VerifyException("a resumed loop must be an outermost one, with 1 iteration")
        if len(self.body.block.args) != 1:
            count = len(self.body.block.args)
            raise VerifyException(f"a loop must have 1 induction variable, not {count}")
        if not isinstance(self.induction.type, IndexType):
            kind = self.induction.type
            raise VerifyException(f"the induction variable must be index, not {kind}")
        if self.masked and self.trip_count is None:
            raise VerifyException("a masked loop must have literal bounds")


@irdl_op_definition
class ConstOp(IRDLOperation):
    """``%c = slc.const 3 : index``: a stream that is the same in every iteration.

    Literals stand in the operations that use them where these allow it: this is for an index, and
    for the first operand of a subtraction.
    """

    name = "slc.const"

    value = prop_def(INT)
    result = result_def(Integer)

    assembly_format = "$value attr-dict `:` type($result)"

    def __init__(self, value: int, kind: Attribute | None = None):
        super().__init__(properties={"value": integer(value)}, result_types=[kind or IndexType()])

    @property
    def number(self) -> int:
        """The value."""
        return self.value.value.data


class _Arithmetic(IRDLOperation):
    """``%r = slc.<op> %a, %b : type`` or with a literal: integer operation on streams.

    The second operand may have another integer type; the result has the first one's.
    """

    lhs = operand_def(Integer)
    rhs = opt_operand_def(Integer)
    literal = opt_prop_def(INT)
    result = result_def(Integer)

    def __init__(self, lhs: SSAValue, rhs: SSAValue | int):
        super().__init__(
            operands=[lhs, None if isinstance(rhs, int) else rhs],
            properties={"literal": integer(rhs) if isinstance(rhs, int) else None},
            result_types=[lhs.type],
        )

    @property
    def second(self) -> SSAValue | int:
        """The second operand."""
        return _either(self.rhs, self.literal)

    @classmethod
    def parse(cls, parser: Parser):
        lhs = parse_stream(parser)
        parser.parse_punctuation(",")
        rhs = parse_stream_or_integer(parser)
        parser.parse_punctuation(":")
        start = parser.pos
        kind = parser.parse_type()
        if kind != lhs.type:
            parser.raise_error(f"the first operand is {lhs.type}, not {kind}", start)
        return cls(lhs, rhs)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.lhs)
        printer.print_string(", ")
        print_stream_or_integer(printer, self.second)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        _one_of(self.rhs, self.literal, "second operand")
        if self.lhs.type != self.result.type:
            raise VerifyException(
                f"the result must have the first operand's type {self.lhs.type}, "
                f"not {self.result.type}"
            )


@irdl_op_definition
class AddOp(_Arithmetic):
    """a + b"""

    name = "slc.add"


@irdl_op_definition
class SubOp(_Arithmetic):
    """a - b"""

    name = "slc.sub"


@irdl_op_definition
class MulOp(_Arithmetic):
    """a * b"""

    name = "slc.mul"


@irdl_op_definition
class ShlOp(_Arithmetic):
    """a << b"""

    name = "slc.shl"


class _Load(IRDLOperation):
    """Text and checks of the loads, and of the store."""

    array = operand_def(MemRefType)
    indices = var_operand_def(Integer)

    @classmethod
    def parse_access(cls, parser: Parser) -> tuple[SSAValue, list[SSAValue], MemRefType]:
        array = parse_stream(parser)
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_stream(parser)
        )
        parser.parse_punctuation(":")
        start = parser.pos
        kind = parser.parse_type()
        if kind != array.type or not isinstance(kind, MemRefType):
            parser.raise_error(f"the array is {array.type}, not {kind}", start)
        return array, indices, kind

    def print_access(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.array)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        printer.print_string(" : ")
        printer.print_attribute(self.array.type)

    def verify_access(self) -> None:
        kind = self.array.type
        assert isinstance(kind, MemRefType)
        if kind.get_num_dims() != len(self.indices):
            raise VerifyException(
                f"the array has {kind.get_num_dims()} dimensions, "
                f"but there are {len(self.indices)} indices"
            )


@irdl_op_definition
class LoadOp(_Load):
    """``%x = slc.load %array[%i] : memref<..>``: a stream from memory.

    With ``, vector<..>`` after the type: consecutive elements from ``%i`` on, those past a
    masked loop's end being +0.0.
    """

    name = "slc.load"

    result = result_def(Scalar | base(VectorType))

    def __init__(
        self, array: SSAValue, indices: Sequence[SSAValue], vector: VectorType | None = None
    ):
        assert isinstance(array.type, MemRefType)
        super().__init__(
            operands=[array, indices], result_types=[vector or array.type.element_type]
        )

    @classmethod
    def parse(cls, parser: Parser) -> "LoadOp":
        array, indices, _ = cls.parse_access(parser)
        vector = None
        if parser.parse_optional_punctuation(","):
            start = parser.pos
            vector = parser.parse_type()
            if not isinstance(vector, VectorType):
                parser.raise_error(f"expected a vector type, not {vector}", start)
        return cls(array, indices, vector)

    def print(self, printer: Printer) -> None:
        self.print_access(printer)
        if isinstance(self.result.type, VectorType):
            printer.print_string(", ")
            printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        self.verify_access()
        kind, result = self.array.type, self.result.type
        assert isinstance(kind, MemRefType)
        if isinstance(result, VectorType):
            if result.get_num_dims() != 1:
                raise VerifyException(
                    f"a loaded vector must have 1 dimension, not {result.get_num_dims()}"
                )
            result = result.element_type
        if result != kind.element_type:
            raise VerifyException(
                f"the array holds {kind.element_type}, but the result is of {result}"
            )


@irdl_op_definition
class LoadPairOp(_Load):
    """``%x, %y = slc.load_pair %array[%i] : memref<..>``: the elements ``%i`` and ``%i + 1``."""

    name = "slc.load_pair"

    result = result_def(Scalar)
    following = result_def(Scalar)

    def __init__(self, array: SSAValue, indices: Sequence[SSAValue]):
        assert isinstance(array.type, MemRefType)
        kind = array.type.element_type
        super().__init__(operands=[array, indices], result_types=[kind, kind])

    @classmethod
    def parse(cls, parser: Parser) -> "LoadPairOp":
        array, indices, _ = cls.parse_access(parser)
        return cls(array, indices)

    def print(self, printer: Printer) -> None:
        self.print_access(printer)

    def verify_(self) -> None:
        self.verify_access()
        kind = self.array.type
        assert isinstance(kind, MemRefType)
        if self.result.type != kind.element_type or self.following.type != kind.element_type:
            raise VerifyException(
                f"the array holds {kind.element_type}, but the results are of "
                f"{self.result.type} and {self.following.type}"
            )


@irdl_op_definition
class StoreOp(_Load):
    """``slc.store %x, %out[%b, %e] : vector<8xf32>, memref<..>``: a store stream.

    The access unit stores what the loop around it loads, vector by vector: elements from ``%e`` on,
    the loop's variable, of row ``%b``. Elements at or past a masked loop's end are not stored.
    """

    name = "slc.store"

    value = operand_def(base(VectorType))

    def __init__(self, value: SSAValue, array: SSAValue, indices: Sequence[SSAValue]):
        super().__init__(operands=[value, array, indices])

    @classmethod
    def parse(cls, parser: Parser) -> "StoreOp":
        value = parse_stream(parser)
        parser.parse_punctuation(",")
        array = parse_stream(parser)
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_stream(parser)
        )
        parser.parse_punctuation(":")
        for each in (value, array):
            start = parser.pos
            kind = parser.parse_type()
            if kind != each.type:
                parser.raise_error(f"the value is {each.type}, not {kind}", start)
            if each is value:
                parser.parse_punctuation(",")
        return cls(value, array, indices)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.array)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.array.type)

    def verify_(self) -> None:
        self.verify_access()
        loop, load = self.parent_op(), self.value.owner
        if not isinstance(loop, LoopOp) or self.indices[-1] is not loop.induction:
            raise VerifyException("the last index must be the variable of the loop around it")
        if not isinstance(load, LoadOp) or load.parent_op() is not loop:
            raise VerifyException("must store what the loop around it loads")


@irdl_op_definition
class CheckOp(IRDLOperation):
    """``slc.check %i below 100 : i64``: an error if the unsigned value is not below the limit.

    The error is reported and the rest of the iteration is left out.
    """

    name = "slc.check"

    T: ClassVar = VarConstraint("T", Integer)
    value = operand_def(T)
    limit = prop_def(INT)

    assembly_format = "$value `below` $limit attr-dict `:` type($value)"

    def __init__(self, value: SSAValue, limit: int):
        super().__init__(operands=[value], properties={"limit": integer(limit)})

    def verify_(self) -> None:
        if self.limit.value.data < 0:
            raise VerifyException(f"limit must be at least 0, not {self.limit.value.data}")


@irdl_op_definition
class SkipOp(IRDLOperation):
    """``slc.skip %i equal 3 : i64``: if so, the rest of this iteration is left out."""

    name = "slc.skip"

    T: ClassVar = VarConstraint("T", Integer)
    value = operand_def(T)
    unwanted = prop_def(INT)

    assembly_format = "$value `equal` $unwanted attr-dict `:` type($value)"

    def __init__(self, value: SSAValue, unwanted: int):
        super().__init__(operands=[value], properties={"unwanted": integer(unwanted)})


@irdl_op_definition
class CallbackOp(IRDLOperation):
    """``slc.callback { .. }``: what the execute unit does at this event.

    ``slc.callback first { .. } each { .. } last { .. }``: of the fused loop around it, in the
    first iteration also (before) ``first``, in the last also (after) ``last``; these two run
    even in an iteration that is left out.
    """

    name = "slc.callback"

    first = opt_region_def("single_block")
    body = region_def("single_block")
    last = opt_region_def("single_block")

    irdl_options = (AttrSizedRegionSegments(as_property=True),)
    traits = traits_def(NoTerminator())

    def __init__(self, body: Region, first: Region | None = None, last: Region | None = None):
        super().__init__(
            regions=[[] if first is None else [first], body, [] if last is None else [last]]
        )

    @classmethod
    def parse(cls, parser: Parser) -> "CallbackOp":
        first = last = None
        if parser.parse_optional_keyword("first"):
            first = _parse_body(parser)
            parser.parse_keyword("each")
        body = _parse_body(parser)
        if parser.parse_optional_keyword("last"):
            last = _parse_body(parser)
        return cls(body, first, last)

    def print(self, printer: Printer) -> None:
        if self.first is not None:
            printer.print_string(" first ")
            _print_body(printer, self.first)
            printer.print_string(" each")
        printer.print_string(" ")
        _print_body(printer, self.body)
        if self.last is not None:
            printer.print_string(" last ")
            _print_body(printer, self.last)

    def verify_(self) -> None:
        if (self.first is None) != (self.last is None):
            raise VerifyException("first and last regions must come together")
        for region in (self.first, self.last):
            if region is not None and any(isinstance(op, ToValOp) for op in region.walk()):
                raise VerifyException(
                    "first and last regions must not read streams: an empty loop has none"
                )
        if self.first is not None and not any(loop.fused for loop in enclosing_loops(self)):
            raise VerifyException("a callback with first and last must be inside a fused loop")


@irdl_op_definition
class ToValOp(IRDLOperation):
    """``%v = slc.to_val %x : f32``: a stream's value in a callback.

    It travels through the DataQ, or with ``token`` in the token that starts the callback. Of a
    buffer: the whole row, as memory.
    """

    name = "slc.to_val"

    T: ClassVar = VarConstraint("T", AnyAttr())
    stream = operand_def(T)
    token = opt_prop_def(UnitAttr)
    value = result_def(T)

    assembly_format = "$stream (`token` $token^)? attr-dict `:` type($stream)"

    def __init__(self, stream: SSAValue, *, token: bool = False):
        super().__init__(
            operands=[stream],
            properties={"token": UnitAttr() if token else None},
            result_types=[stream.type],
        )

    def verify_(self) -> None:
        if self.token is not None and not isinstance(self.stream.type, Float32Type):
            raise VerifyException(f"a token carries an f32, not {self.stream.type}")
        if not _in_callback(self):
            raise VerifyException("must be inside a callback")


@irdl_op_definition
class BufferOp(IRDLOperation):
    """``%row = slc.buffer : memref<40xf32>``: what one run of an inner loop pushes."""

    name = "slc.buffer"

    buffer = result_def(MemRefType)

    assembly_format = "attr-dict `:` type($buffer)"

    def __init__(self, kind: MemRefType):
        super().__init__(result_types=[kind])


@irdl_op_definition
class PushOp(IRDLOperation):
    """``slc.push %x to %row : vector<8xf32>, memref<40xf32>``: append to a buffer."""

    name = "slc.push"

    stream = operand_def(base(VectorType) | base(Float32Type))
    buffer = operand_def(MemRefType)

    assembly_format = "$stream `to` $buffer attr-dict `:` type($stream) `,` type($buffer)"

    def __init__(self, stream: SSAValue, buffer: SSAValue):
        super().__init__(operands=[stream, buffer])


@irdl_op_definition
class RowOp(IRDLOperation):
    """``%acc = slc.row %out[%b] : memref<4x33xf32> to memref<33xf32>``: a row in a register.

    The register is the execute unit's: what it holds reaches memory only by ``slc.emit``. It is
    as long as whole vectors, so its type may be longer than the row. Without ``[%b]`` the row is
    the one that the execute unit's own counter is at.
    """

    name = "slc.row"

    out = operand_def(MemRefType)
    index = opt_operand_def(IndexType)
    register = result_def(MemRefType)

    assembly_format = "$out (`[` $index^ `]`)? attr-dict `:` type($out) `to` type($register)"

    def __init__(self, out: SSAValue, index: SSAValue | None, kind: Attribute):
        super().__init__(operands=[out, index], result_types=[kind])

    def verify_(self) -> None:
        out, register = self.out.type, self.register.type
        assert isinstance(out, MemRefType) and isinstance(register, MemRefType)
        if out.get_num_dims() != 2 or register.get_num_dims() != 1:
            raise VerifyException(
                f"out must have 2 dimensions and the register 1, "
                f"not {out.get_num_dims()} and {register.get_num_dims()}"
            )
        if register.get_shape()[0] < out.get_shape()[1]:
            raise VerifyException(
                f"a register of {register.get_shape()[0]} elements cannot hold "
                f"a row of {out.get_shape()[1]}"
            )
        if not _in_callback(self):
            raise VerifyException("must be inside a callback")


@irdl_op_definition
class EmitOp(IRDLOperation):
    """``slc.emit %acc : memref<33xf32>``: store the register to its row.

    If the row is the counter's, the counter goes on to the next row.
    """

    name = "slc.emit"

    register = operand_def(MemRefType)

    assembly_format = "$register attr-dict `:` type($register)"

    def __init__(self, register: SSAValue):
        super().__init__(operands=[register])

    def verify_(self) -> None:
        if not isinstance(self.register.owner, RowOp):
            raise VerifyException("only the result of slc.row can be emitted")


@irdl_op_definition
class RewindOp(IRDLOperation):
    """``slc.rewind %out : memref<4x33xf32>``: the execute unit's row counter goes to the start."""

    name = "slc.rewind"

    out = operand_def(MemRefType)

    assembly_format = "$out attr-dict `:` type($out)"

    def __init__(self, out: SSAValue):
        super().__init__(operands=[out])


class ChoiceOp(IRDLOperation):
    """An operation that gives one of two operands, bit for bit."""

    T: ClassVar = VarConstraint("T", base(Float32Type) | base(VectorType))
    value = operand_def(T)
    current = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$value `,` $current attr-dict `:` type($result)"

    def __init__(self, value: SSAValue, current: SSAValue):
        super().__init__(operands=[value, current], result_types=[value.type])


@irdl_op_definition
class MaxOp(ChoiceOp):
    """``slc.max %x, %c : f32``: x > c ? x : c, so c if either is a NaN or they are equal."""

    name = "slc.max"


@irdl_op_definition
class MaxNOp(ChoiceOp):
    """``slc.maxn %x, %c : f32``: as ``slc.max``, but the first NaN stays."""

    name = "slc.maxn"


@irdl_op_definition
class MinOp(ChoiceOp):
    """``slc.min %x, %c : f32``: x < c ? x : c, so c if either is a NaN or they are equal."""

    name = "slc.min"


def enclosing_loops(op: Operation) -> list[LoopOp]:
    """The loops around an operation, innermost first."""
    loops, parent = [], op.parent_op()
    while parent is not None:
        if isinstance(parent, LoopOp):
            loops.append(parent)
        parent = parent.parent_op()
    return loops


def enclosing_callback(op: Operation) -> CallbackOp:
    """The callback around an operation."""
    parent = op.parent_op()
    while not isinstance(parent, CallbackOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent


def inner_loops(block: Block) -> list[LoopOp]:
    """The loops directly in a block."""
    return [op for op in block.ops if isinstance(op, LoopOp)]


def _in_callback(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, CallbackOp):
        parent = parent.parent_op()
    return parent is not None


def _either(value: SSAValue | None, literal) -> SSAValue | int:
    if value is not None:
        return value
    return literal.value.data if literal is not None else 0


def _one_of(value: SSAValue | None, literal, what: str) -> None:
    if (value is None) == (literal is None):
        raise VerifyException(f"{what} must be a stream or a literal")
    if value is not None and not is_integer(value.type):
        raise VerifyException(f"{what} must be an integer, not {value.type}")


def _parse_body(parser: Parser) -> Region:
    region = parser.parse_region()
    if not region.blocks:
        region.add_block(Block())
    return region


def _print_body(printer: Printer, region: Region) -> None:
    printer.print_region(region, print_entry_block_args=False, print_empty_block=False)


SLC = Dialect(
    "slc",
    [
        FuncOp,
        LoopOp,
        ConstOp,
        AddOp,
        SubOp,
        MulOp,
        ShlOp,
        LoadOp,
        LoadPairOp,
        StoreOp,
        CheckOp,
        SkipOp,
        CallbackOp,
        ToValOp,
        BufferOp,
        PushOp,
        RowOp,
        EmitOp,
        RewindOp,
        MaxOp,
        MaxNOp,
        MinOp,
    ],
)

"""One segment as LLVM functions: the two halves fused, and the access half's checks alone."""

from collections.abc import Mapping

from llvmlite import ir
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from ...hw import isa
from ...hw.config import Config
from ..dlc import dialect as dlc
from ..dlc.resources import store_of
from ..errors import CompileError
from ..template import Address
from . import emit
from .emit import F32, I1, I8, I64, PTR, Builder, Flag, Number, Value
from .execute import Execute, Token
from .operands import Events
from .parameters import Arguments, Parameters
from .report import report
from .run_ahead import Slice, address_slice, prefetch
from .traversal import Traversal

#: ``i1 (ptr arrays, ptr numbers, ptr report, i64 segment)``: of :attr:`Kernel.call`.
CALL = ir.FunctionType(I1, [PTR, PTR, PTR, I64])


class Kernel:
    """The functions of a segment, in a module.

    Attributes
    ----------
    parameters : what ``run`` and ``check`` take
    run : ``i1 (parameters)``: does the work; true if a check failed, and then the output is not
        to be used
    check : ``void (parameters, ptr report, i64 segment)``: reports every failed check
    call : unpacks the parameters and runs; if a check failed, reports it and returns true. In
        ``numbers``, an array is its place in ``arrays`` and an offset in bytes.
    """

    def __init__(
        self,
        module: ir.Module,
        name: str,
        function: dlc.FuncOp,
        segment: dlc.SegmentOp,
        config: Config,
        width: int,
    ):
        path = address_slice(segment)
        self.parameters = Parameters(function, segment, config, path and path.load)
        types = self.parameters.types
        self.run = ir.Function(module, ir.FunctionType(I1, types), name)
        self.check = ir.Function(
            module, ir.FunctionType(ir.VoidType(), [*types, PTR, I64]), f"{name}.check"
        )
        self.call = ir.Function(module, CALL, f"{name}.call")
        for llvm in (self.run, self.check, self.call):
            llvm.linkage = "internal"
            for attribute in ("noinline", "nounwind"):
                llvm.attributes.add(attribute)
        self._emit_run(segment, config, width, path)
        self._emit_check(segment)
        self._emit_call()
        emit.opaque(self.call)

    def _emit_run(
        self, segment: dlc.SegmentOp, config: Config, width: int, path: Slice | None
    ) -> None:
        builder = ir.IRBuilder(self.run.append_basic_block("entry"))
        arguments = self.parameters.arguments(self.run)
        events, store, execute = Events(segment), store_of(segment), None
        if store is not None:
            out = arguments.array(store.out)
        else:
            [rows] = [op for op in segment.execute.block.ops if isinstance(op, dlc.RowsOp)]
            out = arguments.array(rows.out)
            execute = Execute(builder, segment, events, out, config.lanes, width)
        # What is stored to, nothing else points to.
        out.add_attribute("noalias")
        failed = self.run.append_basic_block("failed")
        Fused(builder, segment, arguments, events, execute, path, failed).emit()
        builder.ret(I1(0))
        builder.position_at_end(failed)
        builder.ret(I1(1))

    def _emit_check(self, segment: dlc.SegmentOp) -> None:
        builder = ir.IRBuilder(self.check.append_basic_block("entry"))
        self.check.args[-2].name, self.check.args[-1].name = "report", "segment"
        Checked(builder, segment, self.parameters.arguments(self.check)).emit()
        builder.ret_void()

    def _emit_call(self) -> None:
        builder = ir.IRBuilder(self.call.append_basic_block("entry"))
        for argument, name in zip(
            self.call.args, ("arrays", "numbers", "report", "segment"), strict=True
        ):
            argument.name = name
        arrays, numbers, place, segment = self.call.args
        values, at = [], 0

        def number() -> Value:
            nonlocal at
            at += 1
            return builder.load(emit.element(builder, numbers, at - 1, I64), typ=I64)

        for parameter in self.parameters.values:
            value = number()
            if isinstance(parameter, Address):
                base = builder.load(emit.element(builder, arrays, value, PTR), typ=PTR)
                value = emit.element(builder, base, number(), I8)
            values.append(value)
        failed = builder.call(self.run, values)
        with builder.if_then(failed, likely=False):
            builder.call(self.check, [*values, place, segment])
        builder.ret(failed)


class Fused(Traversal):
    """Callbacks are inlined at their events; the first failed check ends the run.

    ``execute`` is None where the access unit stores the rows.
    """

    def __init__(
        self,
        builder: Builder,
        segment: dlc.SegmentOp,
        arguments: Arguments,
        events: Events,
        execute: Execute | None,
        path: Slice | None,
        failed: ir.Block,
    ):
        super().__init__(builder, segment, arguments)
        self.store = store_of(segment)
        self.events, self.execute, self.path, self.leave = events, execute, path, failed

    def failed(
        self, condition: Flag, kind: isa.Error, layer: int, position: Number, value: Value
    ) -> Flag:
        good = self.builder.append_basic_block("good")
        branch = self.builder.cbranch(condition, self.leave, good)
        branch.set_weights([1, 1 << 20])
        self.builder.position_at_end(good)
        return False

    def ahead(self, layer: int, ite: Value) -> None:
        if self.path is not None and self.path.layer == layer:
            prefetch(self, self.path, ite)

    def event(self, name: str, values: Mapping[SSAValue, Value]) -> None:
        self._token(name, self.events.pushed(name), values)

    def skipped(self, values: Mapping[SSAValue, Value], first: Flag, last: Flag) -> None:
        if (op := self.events.token("row_beg")) is not None:
            # The argument is not looked at: whatever the instruction, its result is c.
            assert self.execute is not None
            self.execute.run(op, [], Token(first, last, skip=True), values)

    def row(self, values: Mapping[SSAValue, Value], first: Flag, last: Flag) -> None:
        unit = self.units[-1]
        assert isinstance(unit, dlc.RowOp)
        builder, events = self.builder, self.events
        start: Number = 0 if unit.start is None else values[unit.start]
        if unit.offset is not None:
            start = emit.add(builder, start, unit.offset.value.data)
        row = emit.element(builder, self.arguments.array(unit.array), start, F32)
        if self.store is not None:
            self._copy(self.store, values[self.store.row], row)
            return

        def token(name: str, operands: list) -> None:
            self._token(name, operands, values, first, last, row)

        if events.token("row_beg") is not None:
            token("row_beg", events.of_row_beg())
        elif events.pushed("row_beg") or (
            events.token("row_ite") is None and events.pushed("row_ite")
        ):
            raise CompileError("what a row pushes first must belong to a token")
        if events.token("row_ite") is not None:
            self._beats(lambda beat, final: token("row_ite", events.of_row_ite(beat, final)))
        token("row_end", events.pushed("row_end"))

    def _copy(self, store: dlc.StoreOp, number: Value, row: Value) -> None:
        """A row is stored as it is, whatever its bits."""
        builder, kind = self.builder, store.out.type
        assert isinstance(kind, MemRefType)
        stride = (kind.get_strides() or (0,))[0] or 0
        start = builder.mul(number, I64(stride))
        place = emit.element(builder, self.arguments.array(store.out), start, F32)
        types = [PTR, PTR, I64, I1]
        copy = emit.intrinsic(builder, "llvm.memcpy.p0.p0.i64", ir.VoidType(), types)
        builder.call(copy, [place, row, I64(4 * kind.get_shape()[1]), I1(0)])

    def _beats(self, body) -> None:
        """A loop over the beats; the last one stands apart, because it may be a shorter one."""
        builder, final = self.builder, self.events.beats - 1
        if final:
            before = builder.block
            loop = builder.append_basic_block("beat")
            done = builder.append_basic_block("beat.last")
            builder.branch(loop)
            builder.position_at_end(loop)
            beat = builder.phi(I64, name="beat")
            beat.add_incoming(I64(0), before)
            body(beat, False)
            following = builder.add(beat, I64(1), flags=("nuw",))
            beat.add_incoming(following, builder.block)
            more = builder.icmp_unsigned("<", following, I64(final))
            builder.cbranch(more, loop, done)
            builder.position_at_end(done)
        body(final, True)

    def _token(
        self,
        name: str,
        operands: list,
        values: Mapping[SSAValue, Value],
        first: Flag = False,
        last: Flag = False,
        row: Value | None = None,
    ) -> None:
        op = self.events.token(name)
        if op is not None:
            arg = None if op.arg is None else values[op.arg]
            assert self.execute is not None
            self.execute.run(op, operands, Token(first, last, arg=arg), values, row)


class Checked(Traversal):
    """Only the checks: what fails is reported, and left out as the machine leaves it out."""

    def failed(
        self, condition: Flag, kind: isa.Error, layer: int, position: Number, value: Value
    ) -> Flag:
        with emit.when(self.builder, condition) as needed:
            if needed:
                place, segment = self.check_arguments
                numbers = [I64(kind), segment, I64(layer), emit.value(position), value]
                self.builder.call(report(self.builder.module), [place, *numbers])
        return condition

    @property
    def check_arguments(self) -> tuple[Value, Value]:
        """The report, and the segment's number."""
        *_, place, segment = self.builder.function.args
        return place, segment

    def ahead(self, layer: int, ite: Value) -> None:
        pass

    def event(self, name: str, values: Mapping[SSAValue, Value]) -> None:
        pass

    def row(self, values: Mapping[SSAValue, Value], first: Flag, last: Flag) -> None:
        pass

    def skipped(self, values: Mapping[SSAValue, Value], first: Flag, last: Flag) -> None:
        pass

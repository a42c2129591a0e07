"""A whole operation as one LLVM module: kernels, and the function that calls them in order.

Tables of one shape share their kernels, as they share their microcode (``compiler/shapes.py``):
what differs between them is in the kernels' parameters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from llvmlite import ir
from xdsl.dialects.builtin import MemRefType, ModuleOp

from ...hw.config import Config
from ..codegen import range_limit
from ..dlc import dialect as dlc
from ..dlc.resources import traversal_units
from ..errors import CompileError
from ..pipeline import run
from ..shapes import limits, narrow, shape, tiles
from ..spec import BagSpec
from ..template import Address
from . import emit
from .emit import I1, I64, PTR, Builder, Value
from .host import Host
from .kernel import CALL, Kernel
from .parameters import Length, Limit, Parameter

ENTRY = "ember"

#: An array: table and role, as in :meth:`ember.compiler.pipeline.Compilation.link`.
Array = tuple[str, str]


@dataclass(frozen=True)
class HostModule:
    """LLVM IR of an operation, for one processor.

    Attributes
    ----------
    text : the module. Its function ``i1 ember(ptr arrays, ptr report)`` runs all segments in
        order and returns true if a check failed; ``report`` is a
        :data:`ember.compiler.llvm.report.Buffer` of zeros.
    arrays : whose addresses ``arrays`` has, in order
    segments : whose table each segment works on; a report has the segment's number
    host : the processor
    """

    text: str
    arrays: tuple[Array, ...]
    segments: tuple[str, ...]
    host: Host


def lower(module: ModuleOp, config: Config, host: Host) -> HostModule:
    """LLVM IR of a DLC module: its functions' segments, in order.

    Raises
    ------
    CompileError
        A segment is no legal program of ``config``; the message says why.
    """
    work = _Work(config, host)
    arrays: list[Array] = []
    for function in module.ops:
        if isinstance(function, dlc.FuncOp):
            table = function.sym_name.data
            for number, argument in enumerate(function.body.block.args):
                if isinstance(argument.type, MemRefType):
                    arrays.append((table, argument.name_hint or f"arg{number}"))
            for kernel in work.kernels(function):
                work.call(kernel, table, kernel.parameters.values)
    return work.finish(arrays)


def lower_bags(config: Config, specs: Sequence[BagSpec], opt: str, host: Host) -> HostModule:
    """LLVM IR of bag operations, as :func:`ember.compiler.pipeline.compile_bags` makes programs.

    Raises
    ------
    CompileError
        As :func:`lower`.
    """
    work = _Work(config, host)
    compiled: dict[BagSpec, list[Kernel]] = {}
    for spec in specs:
        small = narrow(spec, config.max_dim)
        key = shape(small)
        if key not in compiled:
            *_, (_, module) = run(config, [small], opt, verify_each=False)
            compiled[key] = [
                kernel
                for function in module.ops
                if isinstance(function, dlc.FuncOp)
                for kernel in work.kernels(function)
            ]
        for kernel, parameters in _placed(compiled[key], spec, config):
            work.call(kernel, spec.name, parameters)
    return work.finish([(spec.name, role) for spec in specs for role in spec.roles])


def _placed(
    kernels: Sequence[Kernel], spec: BagSpec, config: Config
) -> Iterator[tuple[Kernel, list[Parameter]]]:
    """All segments of ``spec``, from the kernels of a narrow table of its shape."""
    arrays = spec.arrays
    below, lengths = limits(spec), {"indices": spec.lookups, "weights": spec.lookups}

    def moved(parameter: Parameter, elements: int) -> Parameter:
        role = parameter.role
        if isinstance(parameter, Address):
            bytes_ = elements * parameter.size if len(arrays[role].sizes) == 2 else 0
            return replace(
                parameter, table=spec.name, offset=parameter.offset + bytes_,
                extent=arrays[role].extent,
            )  # fmt: skip
        if isinstance(parameter, Limit):
            return replace(
                parameter, value=range_limit(spec.name, below[role], parameter.wide, config)
            )
        return Length(role, lengths[role])

    for number, start in tiles(spec, config.max_dim):
        kernel = kernels[number]
        yield kernel, [moved(parameter, start) for parameter in kernel.parameters.values]


class _Work:
    """A module that grows."""

    def __init__(self, config: Config, host: Host):
        self.config, self.host = config, host
        self.module = ir.Module("ember")
        self.module.triple, self.module.data_layout = host.triple, host.layout
        self.count = 0
        self.calls: list[tuple[Kernel, str, Sequence[Parameter]]] = []

    def kernels(self, function: dlc.FuncOp) -> list[Kernel]:
        """The kernels of a function's segments."""
        made = []
        for op in function.body.block.ops:
            if isinstance(op, dlc.SegmentOp):
                self._check(function, op)
                name = f"kernel{self.count}"
                self.count += 1
                made.append(Kernel(self.module, name, function, op, self.config, self.host.lanes))
        return made

    def _check(self, function: dlc.FuncOp, segment: dlc.SegmentOp) -> None:
        """What the machine would not run is not run here either."""
        layers = len(traversal_units(segment))
        if layers != self.config.layers:
            raise CompileError(
                f"table {function.sym_name.data!r} has {layers} layers, "
                f"but the configuration has {self.config.layers}"
            )

    def call(self, kernel: Kernel, table: str, parameters: Sequence[Parameter]) -> None:
        """One more segment."""
        self.calls.append((kernel, table, parameters))

    def finish(self, arrays: Sequence[Array]) -> HostModule:
        """The module, with its entry: a loop over the segments, so that many tables are data."""
        places = {array: number for number, array in enumerate(arrays)}
        numbers: list[int] = []
        starts: list[ir.Constant] = []
        for kernel, _, parameters in self.calls:
            starts.append(ir.Constant.literal_struct([kernel.call, I64(len(numbers))]))
            for parameter in parameters:
                numbers += _numbers(parameter, places)
        segments = self._constant("segments", ir.LiteralStructType([PTR, I64]), starts)
        data = self._constant("numbers", I64, [I64(number) for number in numbers])
        self._entry(segments, data)
        header = (
            f"; for {self.host.cpu}, {self.host.lanes} floats in a vector register\n"
            f"; configuration {self.config.hash}\n"
        )
        tables = tuple(table for _, table, _ in self.calls)
        return HostModule(f"{header}{self.module}", tuple(arrays), tables, self.host)

    def _constant(self, name: str, kind: ir.Type, values: Sequence[ir.Constant]) -> Value:
        array = ir.ArrayType(kind, len(values))
        made = ir.GlobalVariable(self.module, array, name)
        made.linkage, made.global_constant = "internal", True
        made.initializer = ir.Constant(array, list(values))  # type: ignore[assignment]
        return emit.opaque(made)

    def _entry(self, segments: Value, data: Value) -> None:
        function = ir.Function(self.module, ir.FunctionType(I1, [PTR, PTR]), ENTRY)
        function.attributes.add("nounwind")
        builder: Builder = ir.IRBuilder(function.append_basic_block("entry"))
        for argument, name in zip(function.args, ("arrays", "report"), strict=True):
            argument.name = name
        if not self.calls:
            builder.ret(I1(0))
            return
        pair = ir.LiteralStructType([PTR, I64])
        before = builder.block
        body, failed, good, done = (
            function.append_basic_block(name) for name in ("segment", "failed", "good", "done")
        )
        builder.branch(body)
        builder.position_at_end(body)
        number = builder.phi(I64, name="number")
        number.add_incoming(I64(0), before)
        entry = builder.load(emit.element(builder, segments, number, pair), typ=pair)
        start = emit.element(builder, data, builder.extract_value(entry, 1), I64)
        arguments = [function.args[0], start, function.args[1], number]
        wrong = emit.call(builder, builder.extract_value(entry, 0), CALL, arguments)
        builder.cbranch(wrong, failed, good).set_weights([1, 1 << 20])
        builder.position_at_end(failed)
        builder.ret(I1(1))
        builder.position_at_end(good)
        following = builder.add(number, I64(1), flags=("nuw",))
        number.add_incoming(following, good)
        more = builder.icmp_unsigned("<", following, I64(len(self.calls)))
        builder.cbranch(more, body, done)
        builder.position_at_end(done)
        builder.ret(I1(0))


def _numbers(parameter: Parameter, places: Mapping[Array, int]) -> list[int]:
    """What a kernel unpacks its parameter from: number of the array and bytes, or the number."""
    if isinstance(parameter, Address):
        return [places[parameter.table, parameter.role], parameter.offset]
    return [parameter.value]

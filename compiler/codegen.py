"""DLC to microcode: fields of ``hw/isa.py``, with the arrays' addresses still symbols.

Streams get their selectors and environment slots, callbacks that are equal share their code, and
segments are divided into launches.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    Float32Type,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Block, SSAValue

from ..hw import isa
from ..hw.config import Config
from .dlc import dialect as dlc
from .dlc.resources import environment, event_name, store_of, traversal_units
from .errors import CompileError
from .slc.decouple import root
from .template import Address, Template, TemplateFields, TemplateSegment, check_reach

Code = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Piece:
    """One segment, and the callbacks that it starts, by marshal field."""

    segment: TemplateSegment
    callbacks: tuple[tuple[str, tuple[Code, ...]], ...]
    #: The segment goes on with the row that the one before has left, so in the same launch.
    resumed: bool = False


def generate(module: ModuleOp, config: Config) -> list[Template]:
    """The launches of a DLC module: its :func:`pieces`, :func:`launches` of them.

    Raises
    ------
    CompileError
        A segment does not fit the configuration by itself.
    """
    return launches(pieces(module, config), config)


def pieces(module: ModuleOp, config: Config) -> list[Piece]:
    """The segments of a DLC module, in order.

    Raises
    ------
    CompileError
        A segment does not fit the configuration.
    """
    return [
        _Segment(function, op, config).piece()
        for function in module.ops
        if isinstance(function, dlc.FuncOp)
        for op in function.body.block.ops
        if isinstance(op, dlc.SegmentOp)
    ]


def launches(pieces: Iterable[Piece], config: Config) -> list[Template]:
    """As few programs as hold the segments, in order; equal callbacks share their code.

    Raises
    ------
    CompileError
        The callbacks of a segment do not fit the configuration.
    """
    result: list[_Launch] = []
    for group in _groups(pieces):
        if not result or not result[-1].add(group):
            result.append(_Launch(config))
            if not result[-1].add(group):
                raise CompileError(_too_much(group, config))
    return [launch.template() for launch in result]


def _groups(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Segments that go on with each other's rows."""
    group: list[Piece] = []
    for piece in pieces:
        if group and not piece.resumed:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _too_much(group: list[Piece], config: Config) -> str:
    """Why a program cannot hold segments that go on with each other."""
    if len(group) > config.segments:
        return (
            f"a row needs {len(group)} segments of one program, but a program has "
            f"{config.segments} segments"
        )
    size = sum(map(len, {code: None for piece in group for _, code in piece.callbacks}))
    return f"callbacks need {size} instructions, but code_depth is {config.code_depth}"


class _Launch:
    """A program that grows by segments that go on with each other's rows."""

    def __init__(self, config: Config):
        self.config = config
        self.code: list[Code] = []
        self.starts: dict[tuple[Code, ...], int] = {}
        self.segments: list[TemplateSegment] = []

    def add(self, group: Sequence[Piece]) -> bool:
        """Add segments; False, and nothing changed, if they do not all fit."""
        codes = [code for piece in group for _, code in piece.callbacks]
        new = dict.fromkeys(code for code in codes if code not in self.starts)
        size = len(self.code) + sum(map(len, new))
        segments = len(self.segments) + len(group)
        if segments > self.config.segments or size > self.config.code_depth:
            return False
        for code in new:
            self.starts[code] = len(self.code)
            self.code += code
        for piece in group:
            marshal = dict(piece.segment.marshal)
            for field, code in piece.callbacks:
                marshal[field] = self.starts[code]
            s = piece.segment
            self.segments.append(TemplateSegment(s.layers, s.row, marshal, s.execute, s.store))
        return True

    def template(self) -> Template:
        code = tuple(dict(instruction) for instruction in self.code)
        return Template(self.config.hash, tuple(self.segments), code)


class _Segment:
    """The fields of one segment."""

    def __init__(self, function: dlc.FuncOp, op: dlc.SegmentOp, config: Config):
        self.op, self.config = op, config
        self.table = function.sym_name.data
        self.arguments = function.body.block.args
        self.units = traversal_units(op)
        if len(self.units) != config.layers:
            raise CompileError(
                f"table {self.table!r} has {len(self.units)} layers, "
                f"but the configuration has {config.layers}"
            )
        self.slots: dict[SSAValue, int] = {}
        self.selectors: dict[SSAValue, isa.Sel] = {}

    def piece(self) -> Piece:
        layers: list[TemplateFields] = []
        for layer in range(self.config.scalar_layers):
            layers.append(self._layer(layer))
        store = store_of(self.op)
        if store is not None:
            fields = self._store(store)
            return Piece(TemplateSegment(tuple(layers), self._row(), {}, {}, fields), ())
        if not self.config.execute:
            raise CompileError(
                f"table {self.table!r} has callbacks, but the configuration has no execute unit"
            )
        marshal, callbacks = self._marshal()
        segment = TemplateSegment(tuple(layers), self._row(), marshal, self._execute())
        [rows] = [op for op in self.op.execute.block.ops if isinstance(op, dlc.RowsOp)]
        return Piece(segment, callbacks, rows.resumed is not None)

    def _address(self, array: SSAValue, offset: int = 0) -> Address:
        """Where element ``offset`` of an array is."""
        base = root(array)
        kind, whole = array.type, base.type
        assert isinstance(kind, MemRefType) and isinstance(whole, MemRefType)
        size, start = element_size(kind), kind.get_offset() or 0
        role = base.name_hint or f"arg{list(self.arguments).index(base)}"  # type: ignore[arg-type]
        address = Address(self.table, role, (start + offset) * size, extent(whole), size)
        check_reach(address, 0, self.config)
        return address

    # Scalar layers ------------------------------------------------------------------------

    def _layer(self, layer: int) -> TemplateFields:
        unit = self.units[layer]
        fields = self._bounds(unit)
        self.selectors[unit.ite] = isa.Sel.ITE
        mine = [
            op
            for op in self.op.access.block.ops
            if op.results and op not in self.units and dlc.layer_of(op.results[0]) == layer
        ]
        for op in mine:
            if isinstance(op, dlc.FwdOp) and not isinstance(dlc.element_of(op.result), Float32Type):
                self.selectors[op.result] = isa.Sel(isa.Sel.ENV0 + self.slots[op.source])
            if isinstance(op, dlc.ConstOp):
                self.selectors[op.result] = isa.Sel.IMM if op.number else isa.Sel.ZERO
                fields |= {"alu_imm": op.number} if op.number else {}
        loads = [op for op in mine if isinstance(op, dlc.MemOp | dlc.MemPairOp)]
        special = [op for op in loads if isinstance(op, dlc.MemPairOp) or op.skip is not None]
        ordered = [*special, *(op for op in loads if op not in special)]
        for stream, op in enumerate(ordered):
            fields |= self._memory(layer, stream, op)
        for op in mine:
            if isinstance(op, dlc.AluOp):
                fields |= self._integer(op)
        integers, scalars = environment(self.op, layer)
        for slot, value in enumerate(integers):
            self.slots[value] = slot
            fields[f"e{slot}"] = self.selectors[value]
        for value in scalars:
            if not isinstance(value.owner, dlc.FwdOp):
                fields["arg"] = isa.ArgSel.MEM0 + ordered.index(value.owner)  # type: ignore[arg-type]
        events = [
            event_name(self.op, op)
            for op in self.op.access.block.ops
            if isinstance(op, dlc.PushOp | dlc.TokenOp)
        ]
        for event in ("beg", "end"):
            if f"l{layer}_{event}" in events:
                fields[f"mark_{event}"] = 1
        return {name: value for name, value in fields.items() if value != 0}

    def _bounds(self, unit: dlc.TraversalOp) -> TemplateFields:
        fields: TemplateFields = {}
        if isinstance(unit, dlc.DenseOp):
            fields = {"start": unit.start.value.data, "stop": unit.stop.value.data}
            fields["kind"] = isa.Kind.DENSE
        elif isinstance(unit, dlc.RangeOp):
            fields = {"start_sel": self.slots[unit.start], "stop_sel": self.slots[unit.stop]}
            fields["kind"] = isa.Kind.RANGE
        elif isinstance(unit, dlc.IndexOp):
            fields = {"start_sel": self.slots[unit.start], "stop": unit.length.value.data}
            fields["kind"] = isa.Kind.INDEX
        if isinstance(unit, dlc.CountedOp):
            fields["step"] = unit.step.value.data
            fields["flags"] = int(unit.fused is not None)
        else:
            fields["step"] = 1
        return fields

    def _memory(self, layer: int, stream: int, op: dlc.MemOp | dlc.MemPairOp) -> TemplateFields:
        prefix = f"m{stream}"
        offset = op.offset.value.data if isinstance(op, dlc.MemOp) and op.offset else 0
        address = self._address(op.array, offset)
        at_zero = isinstance(op.at.owner, dlc.ConstOp)
        assert isinstance(op.array.type, MemRefType)
        wide = element_size(op.array.type) == 8
        fields: TemplateFields = {
            f"{prefix}_en": 1,
            f"{prefix}_base": address,
            # The items that the outermost layer gets have zeros for values.
            f"{prefix}_at": isa.Sel.ENV0 if at_zero else self.selectors[op.at],
            f"{prefix}_size": int(wide),
        }
        if self.config.cache_lines and self._read_once(layer, op):
            fields[f"{prefix}_nt"] = 1
        if op.below is not None:
            fields[f"{prefix}_check"] = 1
            limit = range_limit(self.table, op.below.value.data, wide, self.config)
            fields[f"{prefix}_limit"] = limit
        self.selectors[op.result] = (isa.Sel.MEM0, isa.Sel.MEM1)[stream]
        if isinstance(op, dlc.MemPairOp):
            fields["m0_pair"] = 1
            self.selectors[op.following] = isa.Sel.NEXT
        elif op.skip is not None:
            unwanted = op.skip.value.data & ((1 << (64 if wide else 32)) - 1)
            if unwanted > highest(wide, self.config):
                raise CompileError(
                    f"table {self.table!r} skips {op.skip.value.data}, whose bits are {unwanted}, "
                    f"but the configuration allows {highest(wide, self.config)}"
                )
            fields |= {"m0_skip_en": 1, "m0_skip": unwanted}
        return fields

    def _read_once(self, layer: int, op: dlc.MemOp | dlc.MemPairOp) -> bool:
        """Whether elements are not read again once the loop has passed them: those that the
        outermost loop walks over, or a loop between loaded bounds, as in CSR. A cache then better
        keeps other lines, which is all that depends on it.
        """
        unit = self.units[layer]
        outermost = all(isinstance(outer, dlc.OnceOp) for outer in self.units[:layer])
        return op.at is unit.ite and (outermost or isinstance(unit, dlc.RangeOp))

    def _integer(self, op: dlc.AluOp) -> TemplateFields:
        self.selectors[op.result] = isa.Sel.ALU
        fields: TemplateFields = {
            "alu_op": isa.AluOp[op.op.data.name],
            "alu_a": self.selectors[op.lhs],
        }
        if op.literal is not None:
            fields["alu_imm"] = op.literal.value.data
            if op.op.data in (dlc.Alu.ADD, dlc.Alu.SUB):
                fields["alu_b"] = isa.Sel.IMM
        elif op.rhs is not None:
            fields["alu_b"] = self.selectors[op.rhs]
        return fields

    # Row, events, output ------------------------------------------------------------------

    def _row(self) -> TemplateFields:
        row = self.units[-1]
        assert isinstance(row, dlc.RowOp)
        dim, kind = row.dim.value.data, dlc.element_of(row.data)
        self._check_row(dim)
        offset = row.offset.value.data if row.offset else 0
        fields: TemplateFields = {"base": self._address(row.array, offset), "dim": dim}
        if row.start is not None:
            fields |= {"index": 1, "start_sel": self.slots[row.start]}
        if isinstance(kind, VectorType):
            if kind.get_shape()[0] != self.config.lanes:
                raise CompileError(
                    f"table {self.table!r} uses vectors of {kind.get_shape()[0]} elements, "
                    f"but the configuration has {self.config.lanes} lanes"
                )
            fields["vector"] = 1
        if store_of(self.op) is not None and self.config.execute:
            fields["stored"] = 1
        return {name: value for name, value in fields.items() if value != 0}

    def _store(self, op: dlc.StoreOp) -> TemplateFields:
        """The store stream's entry."""
        if not self.config.store_streams:
            raise CompileError(
                f"table {self.table!r} is stored by the access unit, but the configuration has no "
                "store streams"
            )
        fields: TemplateFields = {
            "base": self._address(op.out),
            "row_stride": self._row_stride(op.out),
            "row_sel": self.slots[op.row],
            "tail": (self._dim(op.out) - 1) % self.config.lanes + 1,
        }
        return {name: value for name, value in fields.items() if value != 0}

    def _check_row(self, dim: int) -> None:
        if dim > self.config.max_dim:
            raise CompileError(
                f"table {self.table!r} has rows of {dim} elements, "
                f"but a register holds {self.config.max_dim} (max_dim)"
            )

    def _marshal(self) -> tuple[TemplateFields, tuple[tuple[str, tuple[Code, ...]], ...]]:
        row = self.units[-1]
        assert isinstance(row, dlc.RowOp)
        code = {
            op.sym_name.data: _callback(op.body.block)
            for op in self.op.execute.block.ops
            if isinstance(op, dlc.CallbackOp)
        }
        fields: TemplateFields = {}
        callbacks: list[tuple[str, tuple[Code, ...]]] = []
        counts: dict[str, int] = {}
        for op in self.op.access.block.ops:
            if isinstance(op, dlc.PushOp):
                event = event_name(self.op, op)
                number = counts.get(event, 0)
                counts[event] = number + 1
                fields[f"{event}_op{number}"] = self._operand(op.operand, row)
            elif isinstance(op, dlc.TokenOp):
                event = event_name(self.op, op)
                fields[f"{event}_token"] = 1
                callbacks.append((f"{event}_pc", code[op.callback.root_reference.data]))
        return fields, tuple(callbacks)

    def _operand(self, value: SSAValue, row: dlc.RowOp) -> isa.Operand:
        if value is row.data:
            return isa.Operand.DATA
        if value is row.ite:
            return isa.Operand.ITE
        if isinstance(dlc.element_of(value), Float32Type):
            return isa.Operand.ARG
        return isa.Operand(isa.Operand.ENV0 + self.slots[value])

    def _execute(self) -> TemplateFields:
        [rows] = [op for op in self.op.execute.block.ops if isinstance(op, dlc.RowsOp)]
        dim = self._dim(rows.out)
        self._check_row(dim)
        chunks = -(-dim // self.config.lanes)
        fields: TemplateFields = {
            "base": self._address(rows.out),
            "row_stride": self._row_stride(rows.out),
            "chunks": chunks,
            "tail": dim - (chunks - 1) * self.config.lanes,
        }
        literals = [op for op in self.op.execute.block.ops if isinstance(op, dlc.LiteralOp)]
        return fields | ({"literal": literals[0].bits} if literals else {})

    def _dim(self, out: SSAValue) -> int:
        kind = out.type
        assert isinstance(kind, MemRefType)
        return kind.get_shape()[1]

    def _row_stride(self, out: SSAValue) -> int:
        """Bytes from one output row to the next."""
        kind = out.type
        assert isinstance(kind, MemRefType)
        stride = (kind.get_strides() or (None,))[0]
        if stride is None or 4 * stride >= 1 << 32:
            raise CompileError(
                f"output rows of table {self.table!r} must be less than {1 << 32} bytes apart"
            )
        return 4 * stride


def range_limit(table: str, limit: int, wide: bool, config: Config) -> int:
    """A limit that also rejects negative values, which are loaded as large ones.

    Raises
    ------
    CompileError
        The configuration has no limit as high.
    """
    if not wide:
        limit = min(limit, 1 << 31)
    if limit > highest(wide, config):
        raise CompileError(
            f"table {table!r} needs a range check against {limit}, "
            f"but the configuration allows {highest(wide, config)}"
        )
    return limit


def highest(wide: bool, config: Config) -> int:
    """The largest value that a loaded one can be compared with.

    With one lane only the low half of an element of 8 bytes is read.
    """
    return (1 << (32 if wide and config.lanes == 1 else config.addr_width)) - 1


def element_size(kind: MemRefType) -> int:
    """Bytes of an array's element; an ``index`` has 8."""
    element = kind.element_type
    wide = isinstance(element, IntegerType) and element.width.data == 64
    return 8 if wide or isinstance(element, IndexType) else 4


def extent(kind: MemRefType) -> int:
    """Bytes from an array's first element to the end of its last."""
    shape, strides = kind.get_shape(), kind.get_strides() or ()
    if not all(shape):
        return 0
    elements = 1 + sum((n - 1) * (s or 0) for n, s in zip(shape, strides, strict=True))
    return elements * element_size(kind)


def _callback(block: Block) -> tuple[Code, ...]:
    """The instructions of a callback, as fields that are not 0."""
    instructions = []
    for op in block.ops:
        assert isinstance(op, dlc.InstructionOp)
        fields = _instruction(op)
        if op is block.last_op:
            fields["ret"] = 1
        instructions.append(tuple((name, int(value)) for name, value in fields.items() if value))
    return tuple(instructions)


def _instruction(op: dlc.InstructionOp) -> dict[str, int]:
    fields: dict[str, int] = {"op": op.CODE}
    kinds: Sequence[tuple[str, type]] = (
        ("a", isa.SrcA),
        ("b", isa.SrcB),
        ("c", isa.SrcC),
        ("count", isa.Count),
        ("emit", isa.Emit),
    )
    for name, kind in kinds:
        if name in op.properties:
            fields[name] = kind[op.properties[name].data.name]  # type: ignore[attr-defined]
    for name in ("dst", "rd", "at"):
        if name in op.properties:
            fields[name] = _number(op.properties[name])
    for name, span in (("at_chunk", isa.Span.CHUNK), ("at_element", isa.Span.ELEMENT)):
        if name in op.properties:
            fields |= {"span": span, "at": _number(op.properties[name])}
    for name in ("init", "div", "bump"):
        if name in op.properties:
            fields[name] = 1
    return fields


def _number(register) -> int:
    """2 for ``r2``."""
    return int(register.data.value[1:])

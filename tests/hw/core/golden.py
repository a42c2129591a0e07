"""The execute section of docs/machine.md, word for word, one element at a time."""

import struct
from dataclasses import dataclass, field

import softfloatpy as softfloat
from ember.hw import isa
from ember.hw.config import Config
from ember.hw.isa import Count, Emit, Op, Span, SrcA, SrcB, SrcC
from ember.hw.program import Fields

_NAN = 0x7FC00000
_COMPARE = (Op.MAX, Op.MAXN, Op.MIN, Op.MAXIMUM, Op.MINIMUM)
_VECTOR = (Op.MOV, Op.NEG, Op.ADD, Op.SUB, Op.RSUB, Op.MUL, Op.FMA, *_COMPARE)


def _soft(bits: int) -> softfloat.Float32:
    return softfloat.Float32.from_bytes(bits.to_bytes(4, "big"))


def _bits(value: softfloat.Float32) -> int:
    return int.from_bytes(value.to_bytes(), "big")


def is_nan(bits: int) -> bool:
    return bits & 0x7FFFFFFF > 0x7F800000


def _arithmetic(value: softfloat.Float32) -> int:
    bits = _bits(value)
    return _NAN if is_nan(bits) else bits


def _greater(a: int, b: int) -> bool:
    x, y = struct.unpack("<2f", struct.pack("<2I", a, b))
    return x > y


def _order(bits: int) -> int:
    """Numbers in order, -0.0 below +0.0."""
    return -(bits & 0x7FFFFFFF) - 1 if bits >> 31 else bits


def operate(op: int, a: int, b: int, c: int) -> int:
    """One element of any vector operation but MOV."""
    if op == Op.NEG:
        return a ^ 1 << 31
    if op == Op.ADD:
        return _arithmetic(softfloat.f32_add(_soft(a), _soft(c)))
    if op == Op.SUB:
        return _arithmetic(softfloat.f32_sub(_soft(a), _soft(c)))
    if op == Op.RSUB:
        return _arithmetic(softfloat.f32_sub(_soft(c), _soft(a)))
    if op == Op.MUL:
        return _arithmetic(softfloat.f32_mul(_soft(a), _soft(b)))
    if op == Op.FMA:
        return _arithmetic(softfloat.f32_mul_add(_soft(a), _soft(b), _soft(c)))
    if op in (Op.MAXIMUM, Op.MINIMUM):
        if is_nan(a) or is_nan(c):
            return _NAN
        low, high = sorted((a, c), key=_order)
        return high if op == Op.MAXIMUM else low
    takes_a = _greater(c, a) if op == Op.MIN else _greater(a, c)
    if op == Op.MAXN:
        takes_a = takes_a or (is_nan(a) and not is_nan(c))
    return a if takes_a else c


def divide(value: int, count: int) -> int:
    divisor = softfloat.ui32_to_f32(softfloat.UInt32.from_int(count))
    return _arithmetic(softfloat.f32_div(_soft(value), divisor))


@dataclass
class Row:
    """A stored row: byte address and words."""

    address: int
    words: list[int]


@dataclass
class _Lane:
    registers: list[list[int]]
    address: int = 0
    count: int = 0


@dataclass
class Golden:
    """Runs tokens in order and keeps the rows they store.

    ``segments`` are execute_segment entries, ``code`` execute entries.
    """

    config: Config
    segments: list[Fields]
    code: list[Fields]
    rows: list[Row] = field(default_factory=list)
    popped: int = 0

    def run(self, tokens: list[Fields], vectors: list[list[int]]) -> None:
        """``vectors`` is the whole DataQ, lowest element first; ``halt`` ends the run."""
        config = self.config
        self._vectors = iter(vectors)
        size = config.row_chunks * config.lanes
        self._lanes = [_Lane([[0] * size, [0] * size]) for _ in range(config.fiber_lanes)]
        for token in tokens:
            if token["halt"]:
                return
            self._callback(token)

    def memory(self) -> dict[int, int]:
        """Word address -> value after all stores in order."""
        image = {}
        for row in self.rows:
            for n, word in enumerate(row.words):
                image[(row.address + 4 * n) % (1 << self.config.addr_width)] = word
        return image

    def lines(self) -> list[set[int]]:
        """The lines that each row touches."""
        modulus = 1 << self.config.addr_width
        return [
            {(r.address + 4 * n) % modulus >> self.config.line_shift for n in range(len(r.words))}
            for r in self.rows
        ]

    def _pop(self) -> list[int]:
        self.popped += 1
        return next(self._vectors)

    def _callback(self, token: Fields) -> None:
        self._scalars = [0, 0, 0, 0]
        pc = token["pc"]
        while True:
            instruction = {f.name: 0 for f in isa.execute(self.config).fields} | self.code[pc]
            self._instruction(token, instruction)
            if instruction["ret"]:
                return
            pc += 1

    def _instruction(self, token: Fields, i: Fields) -> None:
        config = self.config
        lane = self._lanes[token["lane"]]
        segment = self.segments[token["segment"]]
        base, stride = segment["base"], segment["row_stride"]
        modulus = 1 << config.addr_width

        before = after = lane.count
        match i["count"]:
            case Count.CLEAR:
                before = after = 0
            case Count.INC:
                after = lane.count + (0 if token["skip"] else 1)
            case Count.FUSED:
                before = 0 if token["first"] else lane.count
                after = before + (0 if token["skip"] else 1)
        lane.count = after

        if i["op"] == Op.POP:
            self._scalars[i["rd"]] = self._pop()[0]
        elif i["op"] == Op.SETA:
            lane.address = (base + token["lane"] * stride) % modulus
        elif i["op"] == Op.SETR:
            lane.address = (base + self._scalars[i["at"]] * stride) % modulus
        elif i["op"] in _VECTOR:
            self._vector(token, i, lane, segment, before, after)

    def _vector(
        self, token: Fields, i: Fields, lane: _Lane, segment: Fields, before: int, after: int
    ) -> None:
        config = self.config
        width = config.lanes
        element = self._scalars[i["at"]]
        chunks = [element // width]
        if i["span"] == Span.ROW:
            chunks = list(range(segment["chunks"]))
        fresh = bool(i["init"]) and before == 0
        if i["b"] == SrcB.ARG:
            b = token["arg"]
        elif i["b"] == SrcB.LITERAL:
            b = segment["literal"]
        else:
            b = self._scalars[i["b"] - SrcB.R0]
        dst = lane.registers[i["dst"]]
        for chunk in chunks:
            elements = range(chunk * width, (chunk + 1) * width)
            if i["span"] == Span.ELEMENT:
                elements = range(element, element + 1)
            vector = None
            if not token["skip"] and i["op"] != Op.MOV and i["a"] == SrcA.DATAQ:
                vector = self._pop()
            results = []
            for n in elements:
                c = 0
                if not fresh and i["c"] != SrcC.ZERO:
                    c = lane.registers[i["c"] - SrcC.V0][n]
                if token["skip"] or i["op"] == Op.MOV:
                    results.append(c)
                    continue
                if i["a"] == SrcA.ONE:
                    a = 0x3F800000
                elif vector is None:
                    a = lane.registers[i["a"] - SrcA.V0][n]
                else:
                    a = vector[0 if i["span"] == Span.ELEMENT else n % width]
                if fresh and i["op"] in _COMPARE:
                    results.append(a)
                else:
                    results.append(operate(i["op"], a, b, c))
            dst[elements.start : elements.stop] = results

        if i["emit"] == Emit.ALWAYS or (i["emit"] == Emit.LAST and token["last"]):
            words = dst[: (segment["chunks"] - 1) * width + segment["tail"]]
            if i["div"] and after != 0:
                words = [divide(word, after) for word in words]
            self.rows.append(Row(lane.address, words))
            if i["bump"]:
                step = config.fiber_lanes * segment["row_stride"]
                lane.address = (lane.address + step) % (1 << config.addr_width)

"""The execute half of the functional model: runs the callbacks and stores the output rows."""

from dataclasses import dataclass

import numpy as np

from ..hw.config import Config
from ..hw.isa import VECTOR_OPS, Count, Emit, Op, Span, SrcA, SrcB, SrcC
from ..hw.program import Program
from . import fp32
from .memory import Memory
from .model_queues import LaneQueue, LaneQueues, ModelError, Token

_U32 = 0xFFFFFFFF
_ZERO, _ONE = np.zeros(1, np.float32), np.ones(1, np.float32)
_COMPARE = {
    Op.MAX: fp32.maximum, Op.MAXN: fp32.maximum_nan,
    Op.MIN: fp32.minimum, Op.MAXIMUM: fp32.maximum_ieee, Op.MINIMUM: fp32.minimum_ieee,
}  # fmt: skip


@dataclass
class ExecuteResult:
    """What the execute pipeline did.

    Attributes
    ----------
    popped : int
        DataQ vectors.
    stores : int
        Output rows stored.
    lines_out : int
        Lines that the stored rows touch, each row counted apart.
    """

    popped: int = 0
    stores: int = 0
    lines_out: int = 0


class _Instruction:
    """One instruction's fields as attributes, absent ones 0."""

    def __init__(self, fields: dict[str, int]):
        get = fields.get
        self.op, self.dst = get("op", 0), get("dst", 0)
        self.a, self.b, self.c = get("a", 0), get("b", 0), get("c", 0)
        self.init, self.count = get("init", 0), get("count", 0)
        self.span, self.at, self.rd = get("span", 0), get("at", 0), get("rd", 0)
        self.emit, self.div, self.bump = get("emit", 0), get("div", 0), get("bump", 0)
        self.ret = get("ret", 0)
        self.is_vector = self.op in VECTOR_OPS


class _Output:
    """A segment's output rows, as the execute pipeline stores them."""

    def __init__(self, fields: dict[str, int], config: Config):
        self.base = fields.get("base", 0)
        self.stride = fields.get("row_stride", 0)
        self.chunks = fields.get("chunks", 0)
        self.literal = fields.get("literal", 0)
        self.dim = (self.chunks - 1) * config.lanes + fields.get("tail", 0)


class _Lane:
    """State of one fiber lane, and its half of the queues."""

    def __init__(self, config: Config, queue: LaneQueue, faulty: bool):
        size = config.max_dim
        self.registers = [np.zeros(size, np.float32) for _ in range(2)]
        # What a fault left out cannot have written the register that a later callback reads.
        self.defined = [np.full(size, faulty) for _ in range(2)]
        self.address = 0
        self.cnt = 0
        self.data = np.ascontiguousarray(queue.vectors).view(np.float32)
        self.head = 0


class Execute:
    """One run of the execute pipeline. Lanes share no state, so they run one after the other."""

    def __init__(self, program: Program, config: Config, memory: Memory):
        self.config = config
        self.memory = memory
        self.code = [_Instruction(fields) for fields in program.code]
        self.outputs = [_Output(s.execute, config) for s in program.segments]
        self.mask = (1 << config.addr_width) - 1
        self.result = ExecuteResult()

    def run(self, queues: LaneQueues) -> None:
        """All tokens of all lanes."""
        for queue in queues.lanes:
            self.lane(queue, bool(queues.errors))

    def lane(self, queue: LaneQueue, faulty: bool) -> None:
        """All tokens of one lane; ``faulty``: the access unit has reported an error."""
        lane = _Lane(self.config, queue, faulty)
        for number, token in enumerate(queue.tokens):
            where = f"token {number} of lane {token.lane} (pc {token.pc})"
            before = lane.head
            self.callback(lane, token, where)
            if lane.head - before != token.vectors:
                raise ModelError(
                    f"{where} must pop the {token.vectors} vectors that were pushed for it, "
                    f"not {lane.head - before}"
                )
        if lane.head != len(lane.data):
            raise ModelError(
                f"tokens must pop all {len(lane.data)} vectors of their lane, not {lane.head}"
            )
        self.result.popped += lane.head
        for _, address, words in queue.stored:
            self.write(address, words.view(np.float32))

    def callback(self, lane: _Lane, token: Token, where: str) -> None:
        """One token: instructions up to the first with ``ret``."""
        output = self.outputs[token.segment]
        scalars: list[np.ndarray | None] = [None] * 4
        for instruction in self.code[token.pc :]:
            before, after = self.count(lane, token, instruction)
            if instruction.is_vector:
                self.vector(lane, token, instruction, output, scalars, before, after, where)
            elif instruction.op == Op.POP:
                scalars[instruction.rd] = self.pop(lane, 1, where)[:1]
            elif instruction.op == Op.SETA:
                lane.address = (output.base + token.lane * output.stride) & self.mask
            elif instruction.op == Op.SETR:
                row = self.scalar(scalars, instruction.at, where)
                lane.address = (output.base + row * output.stride) & self.mask
            if instruction.ret:
                return
        raise ModelError(f"{where} must return before the end of the code")

    def count(self, lane: _Lane, token: Token, instruction: _Instruction) -> tuple[int, int]:
        """Update the entry counter; returns (before, after)."""
        entry = 0 if token.skip else 1
        before = after = lane.cnt
        if instruction.count == Count.CLEAR:
            before = after = 0
        elif instruction.count == Count.INC:
            after = before + entry & _U32
        elif instruction.count == Count.FUSED:
            before = 0 if token.first else before
            after = before + entry & _U32
        lane.cnt = after
        return before, after

    def vector(
        self,
        lane: _Lane,
        token: Token,
        instruction: _Instruction,
        output: _Output,
        scalars: list[np.ndarray | None],
        before: int,
        after: int,
        where: str,
    ) -> None:
        """A vector operation on the elements of its span."""
        span = self.span(instruction, output, scalars, where)
        fresh = instruction.init and before == 0
        if token.skip:
            result = self.addend(lane, instruction, span, fresh, output, where)
        else:
            result = self.compute(lane, token, instruction, span, fresh, output, scalars, where)
        register = lane.registers[instruction.dst]
        register[span] = result
        lane.defined[instruction.dst][span] = True
        if instruction.emit == Emit.ALWAYS or (instruction.emit == Emit.LAST and token.last):
            row = register[: output.dim]
            if instruction.div and after:
                row = fp32.div(row, np.array([after], np.float32))
            self.store(lane, instruction, output, row)

    def span(
        self,
        instruction: _Instruction,
        output: _Output,
        scalars: list[np.ndarray | None],
        where: str,
    ) -> slice:
        """The elements an instruction works on."""
        if instruction.span == Span.ROW:
            return slice(0, output.chunks * self.config.lanes)
        element = self.scalar(scalars, instruction.at, where)
        if element >= output.dim:
            raise ModelError(f"{where} must select element 0..{output.dim - 1}, not {element}")
        if instruction.span == Span.ELEMENT:
            return slice(element, element + 1)
        chunk = element - element % self.config.lanes
        return slice(chunk, chunk + self.config.lanes)

    def compute(
        self,
        lane: _Lane,
        token: Token,
        instruction: _Instruction,
        span: slice,
        fresh: int,
        output: _Output,
        scalars: list[np.ndarray | None],
        where: str,
    ) -> np.ndarray:
        """The result for a token that is not skipped."""
        op = instruction.op
        if op == Op.MOV:
            return self.addend(lane, instruction, span, fresh, output, where)
        if instruction.a == SrcA.DATAQ:
            a = self.pop(lane, -(-(span.stop - span.start) // self.config.lanes), where)
            if instruction.span == Span.ELEMENT:
                a = a[:1]
        elif instruction.a == SrcA.ONE:
            a = _ONE
        else:
            a = self.read(lane, instruction.a - SrcA.V0, span, output, where)
        if op == Op.NEG:
            return fp32.negate(a)
        if op in (Op.MUL, Op.FMA):
            b = self.multiplier(token, instruction, output, scalars, where)
            if op == Op.MUL:
                return fp32.mul(a, b)
            c = self.addend(lane, instruction, span, fresh, output, where)
            return fp32.fma(a, b, c)
        if fresh and op in _COMPARE:
            return a
        c = self.addend(lane, instruction, span, fresh, output, where)
        if op == Op.ADD:
            return fp32.add(a, c)
        if op in (Op.SUB, Op.RSUB):
            return fp32.sub(a, c) if op == Op.SUB else fp32.sub(c, a)
        return _COMPARE[Op(op)](a, c)

    def addend(
        self,
        lane: _Lane,
        instruction: _Instruction,
        span: slice,
        fresh: int,
        output: _Output,
        where: str,
    ) -> np.ndarray:
        """Operand c."""
        if fresh or instruction.c == SrcC.ZERO:
            return _ZERO
        return self.read(lane, instruction.c - SrcC.V0, span, output, where)

    def read(
        self, lane: _Lane, register: int, span: slice, output: _Output, where: str
    ) -> np.ndarray:
        """Elements of a vector register; those past the row's end may be anything."""
        known = lane.defined[register][span.start : min(span.stop, output.dim)]
        if not known.all():
            raise ModelError(f"{where} must not read register V{register} before it is written")
        return lane.registers[register][span]

    def multiplier(
        self,
        token: Token,
        instruction: _Instruction,
        output: _Output,
        scalars: list[np.ndarray | None],
        where: str,
    ) -> np.ndarray:
        """Operand b: float32, shape (1,)."""
        if instruction.b in (SrcB.ARG, SrcB.LITERAL):
            word = token.arg if instruction.b == SrcB.ARG else output.literal
            return np.array([word], np.uint32).view(np.float32)
        value = scalars[instruction.b - SrcB.R0]
        if value is None:
            raise ModelError(f"{where} must pop r{instruction.b - SrcB.R0} before using it")
        return value

    def scalar(self, scalars: list[np.ndarray | None], number: int, where: str) -> int:
        """A scalar register as an unsigned integer."""
        value = scalars[number]
        if value is None:
            raise ModelError(f"{where} must pop r{number} before using it")
        return int(value.view(np.uint32)[0])

    def pop(self, lane: _Lane, count: int, where: str) -> np.ndarray:
        """The next vectors of the DataQ, one after the other: float32, shape (count * lanes,)."""
        if lane.head + count > len(lane.data):
            raise ModelError(
                f"{where} must pop at most the {len(lane.data) - lane.head} vectors left, "
                f"not {count}"
            )
        data = lane.data[lane.head : lane.head + count].reshape(-1)
        lane.head += count
        return data

    def store(
        self, lane: _Lane, instruction: _Instruction, output: _Output, row: np.ndarray
    ) -> None:
        """Write one output row at the lane's address."""
        self.write(lane.address, row)
        if instruction.bump:
            step = self.config.fiber_lanes * output.stride
            lane.address = (lane.address + step) & self.mask

    def write(self, address: int, row: np.ndarray) -> None:
        """Write one row, whoever stores it."""
        try:
            self.memory.store(address, row)
        except ValueError as error:
            raise ModelError(str(error)) from None
        shift = self.config.line_shift
        self.result.stores += 1
        self.result.lines_out += ((address + 4 * len(row) - 1) >> shift) - (address >> shift) + 1


def execute(program: Program, config: Config, queues: LaneQueues, memory: Memory) -> ExecuteResult:
    """Run every token's callback and store the output rows in ``memory``.

    Raises
    ------
    ModelError
        A callback does not pop exactly its token's vectors, reads what was never written
        (without an error in ``queues``), selects an element outside the row, or stores outside
        writable memory.
    """
    run = Execute(program, config, memory)
    run.run(queues)
    return run.result

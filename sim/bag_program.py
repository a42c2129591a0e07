"""Fused embedding-bag programs, as the compiler's highest optimization level writes them."""

from dataclasses import dataclass

import numpy as np

from ..hw.config import Config
from ..hw.isa import AluOp, ArgSel, Count, Emit, Kind, Op, Operand, Sel, SrcA, SrcB, SrcC
from ..hw.program import Fields, Program, Segment
from .memory import Memory


@dataclass(frozen=True)
class Bags:
    """The look-ups of one table.

    Attributes
    ----------
    table : ndarray, float32, shape (rows, dim)
    indices : ndarray, int32 or int64, shape (n,)
    offsets : ndarray, int32 or int64, shape (bags + 1,), the last one is n
    mode : str
        ``sum``, ``mean`` or ``max``.
    weights : ndarray or None, float32, shape (n,)
        Only with ``sum``.
    padding_idx : int or None
        Entries with this index are left out.
    fma : bool or None
        Weighted: one rounding, or two. None: as torch does, two with a ``padding_idx``.
    nan : str
        ``max``: ``torch`` or ``propagate``.
    """

    table: np.ndarray
    indices: np.ndarray
    offsets: np.ndarray
    mode: str = "sum"
    weights: np.ndarray | None = None
    padding_idx: int | None = None
    fma: bool | None = None
    nan: str = "torch"

    def __post_init__(self) -> None:
        if self.mode not in ("sum", "mean", "max"):
            raise ValueError(f"mode must be sum, mean or max, not {self.mode!r}")
        if self.weights is not None and self.mode != "sum":
            raise ValueError(f"mode must be sum with weights, not {self.mode!r}")


def fused_bag_program(
    config: Config,
    memory: Memory,
    tables: Bags | list[Bags],
    offset_bytes: int = 0,
) -> tuple[Program, list[np.ndarray]]:
    """Place the operands in ``memory`` and write the program that pools every bag.

    One token and ``ceil(dim / lanes)`` vectors per entry, one token per empty bag. A row that is
    longer than a vector register becomes several segments, each for a slice of the columns.

    Parameters
    ----------
    tables : Bags or list of Bags
        One segment or more each, in this order.
    offset_bytes : int
        A multiple of 8 that shifts every array off its line boundary.

    Returns
    -------
    (Program, list of ndarray)
        The outputs are float32, shape (bags, dim), filled with NaN and mapped writable.

    Raises
    ------
    ValueError
        The machine has no two scalar layers, too few segments, or too little memory.
    """
    if config.scalar_layers < 2:
        raise ValueError(f"layers must be at least 3 for bags, not {config.layers}")
    segments: list[Segment] = []
    code: list[Fields] = []
    outputs: list[np.ndarray] = []
    set_address = _append(code, [dict(op=Op.SETA, ret=1)])
    for bags in [tables] if isinstance(tables, Bags) else tables:
        outputs.append(_add_table(config, memory, bags, offset_bytes, segments, code, set_address))
    return Program(config.hash, tuple(segments), tuple(code)), outputs


def _add_table(
    config: Config,
    memory: Memory,
    bags: Bags,
    offset: int,
    segments: list[Segment],
    code: list[Fields],
    set_address: int,
) -> np.ndarray:
    rows, dim = bags.table.shape
    count = len(bags.offsets) - 1
    output = np.full((count, dim), np.nan, np.float32)
    table = memory.place(bags.table, offset=offset, name="table")
    indices = memory.place(bags.indices, offset=offset, name="indices")
    offsets = memory.place(bags.offsets, offset=offset, name="offsets")
    out = memory.place(output, writable=True, offset=offset, name="output")
    outer: Fields = dict(
        kind=Kind.DENSE, stop=count, step=1,
        m0_en=1, m0_base=offsets, m0_at=Sel.ITE, m0_size=_size(bags.offsets), m0_pair=1,
        m0_check=1, m0_limit=len(bags.indices) + 1,
        e0=Sel.MEM0, e1=Sel.NEXT, mark_beg=1,
    )  # fmt: skip
    inner: Fields = dict(
        kind=Kind.RANGE, start_sel=0, stop_sel=1, step=1, flags=1,
        m0_en=1, m0_base=indices, m0_at=Sel.ITE, m0_size=_size(bags.indices),
        m0_check=1, m0_limit=rows,
        alu_op=AluOp.MUL, alu_a=Sel.MEM0, alu_imm=dim, e0=Sel.ALU,
    )  # fmt: skip
    if bags.padding_idx is not None:
        inner |= dict(m0_skip_en=1, m0_skip=bags.padding_idx % rows)
    if bags.weights is not None:
        weights = memory.place(bags.weights, offset=offset, name="weights")
        inner |= dict(m1_en=1, m1_base=weights, m1_at=Sel.ITE, arg=ArgSel.MEM1)
    forward: Fields = dict(kind=Kind.ONCE, step=1, e0=Sel.ENV0, arg=ArgSel.PARENT)
    layers = (outer, inner, *[forward] * (config.scalar_layers - 2))

    pc = _append(code, _pool(bags))
    for column in range(0, dim, config.max_dim):
        part = min(config.max_dim, dim - column)
        chunks = -(-part // config.lanes)
        segment = Segment(
            layers=layers,
            row=dict(base=table + 4 * column, index=1, start_sel=0, dim=part, vector=1),
            marshal=dict(
                l0_beg_token=1, l0_beg_pc=set_address,
                row_beg_token=1, row_beg_pc=pc, row_ite_op0=Operand.DATA,
            ),
            execute=dict(
                base=out + 4 * column, row_stride=4 * dim, chunks=chunks,
                tail=part - (chunks - 1) * config.lanes,
            ),
        )  # fmt: skip
        segments.append(segment)
    if len(segments) > config.segments:
        raise ValueError(
            f"tables need {len(segments)} segments, but the machine has {config.segments}"
        )
    return output


def _pool(bags: Bags) -> list[Fields]:
    """The callback of one entry: accumulate in register 0, store after the last one."""
    last: Fields = dict(
        c=SrcC.V0, init=1, count=Count.FUSED, emit=Emit.LAST, bump=1, ret=1,
        div=int(bags.mode == "mean"),
    )  # fmt: skip
    if bags.mode == "max":
        return [dict(op=Op.MAX if bags.nan == "torch" else Op.MAXN, a=SrcA.DATAQ, **last)]
    if bags.weights is None:
        return [dict(op=Op.ADD, a=SrcA.DATAQ, **last)]
    if bags.padding_idx is None if bags.fma is None else bags.fma:
        return [dict(op=Op.FMA, a=SrcA.DATAQ, b=SrcB.ARG, **last)]
    product: Fields = dict(op=Op.MUL, a=SrcA.DATAQ, b=SrcB.ARG, dst=1)
    return [product, dict(op=Op.ADD, a=SrcA.V1, **last)]


def _append(code: list[Fields], callback: list[Fields]) -> int:
    """Add a callback unless the code already has it; returns its address."""
    for pc in range(len(code) - len(callback) + 1):
        if code[pc : pc + len(callback)] == callback:
            return pc
    code.extend(callback)
    return len(code) - len(callback)


def _size(array: np.ndarray) -> int:
    return {4: 0, 8: 1}[array.itemsize]

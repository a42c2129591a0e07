"""The microcode, as one table.

A program is a list of *segments* (one loop nest each, for example the lookups of one table) and
the code of the execute pipeline's callbacks. A segment is one entry in each of these memories:
a :func:`scalar_layer` entry per scalar layer, a :func:`row_layer`, a :func:`marshal` and an
:func:`execute_segment` entry, and a :func:`store_segment` entry if the access unit can store. An
item that walks through the machine carries its segment number, and each block reads its own entry
when the item arrives, so segments follow each other without a drain.

The decoders in the RTL, the assembler, the disassembler, the functional model and the ISA page
of the documentation are made from these tables; nothing else knows a bit position.
"""

import enum
from dataclasses import dataclass

from .config import Config
from .occupancy import BINS


class Kind(enum.IntEnum):
    """How a traversal unit finds its bounds."""

    ONCE = 0  # one iteration with ite = 0: the layer is passed through
    DENSE = 1  # start .. stop, both constants
    RANGE = 2  # env[start_sel] .. env[stop_sel]
    INDEX = 3  # env[start_sel] .. env[start_sel] + stop


class Sel(enum.IntEnum):
    """A stream of a scalar layer."""

    ZERO = 0
    ITE = 1  # induction variable
    MEM0 = 2  # value loaded by memory stream 0 (the first of the pair, if it loads pairs)
    MEM1 = 3  # value loaded by memory stream 1
    NEXT = 4  # second value of memory stream 0's pair
    ALU = 5  # result of the integer unit
    ENV0 = 6  # the parent's values, forwarded
    ENV1 = 7
    ENV2 = 8
    IMM = 9  # alu_imm


class AluOp(enum.IntEnum):
    """Integer operation on streams; modulo 2**addr_width."""

    ADD = 0  # a + b
    SUB = 1  # a - b
    MUL = 2  # a * alu_imm
    SHL = 3  # a << alu_imm[0:6]


class ArgSel(enum.IntEnum):
    """Source of the 32-bit scalar that rides in the row's token."""

    PARENT = 0
    MEM0 = 1
    MEM1 = 2


class Operand(enum.IntEnum):
    """What an event pushes into the DataQ: one vector each."""

    NONE = 0
    DATA = 1  # the loaded vector (vector mode) or element (element 0; scalar mode)
    ITE = 2  # element index, within the row, of the first element of this vector
    ENV0 = 3  # low 32 bits of the row's (or marker's) environment
    ENV1 = 4
    ENV2 = 5
    ARG = 6  # the 32-bit scalar


class Op(enum.IntEnum):
    """Operation of an execute instruction."""

    NOP = 0
    POP = 1  # r[rd] = element 0 of the next DataQ vector
    SETA = 2  # address = base + lane * row_stride
    SETR = 3  # address = base + r[at] * row_stride
    MOV = 4  # dst = c
    NEG = 5  # dst = a with its sign bit flipped
    ADD = 6  # dst = a + c
    SUB = 7  # dst = a - c
    RSUB = 8  # dst = c - a
    MUL = 9  # dst = a * b
    FMA = 10  # dst = a * b + c, one rounding
    MAX = 11  # dst = a > c ? a : c           (false if either is NaN)
    MAXN = 12  # dst = a > c or (isnan(a) and not isnan(c)) ? a : c
    MIN = 13  # dst = a < c ? a : c           (false if either is NaN)
    MAXIMUM = 14  # as IEEE 754-2019 says: NaN if either is one; -0.0 is below +0.0
    MINIMUM = 15


#: Operations that write a vector register: MOV and all that follow it.
VECTOR_OPS = frozenset(op for op in Op if op >= Op.MOV)


class SrcA(enum.IntEnum):
    """First operand: the multiplicand, or what is added or compared."""

    DATAQ = 0  # pops one vector per chunk
    V0 = 1
    V1 = 2
    ONE = 3  # 1.0 in every element, so that FMA adds a scalar


class SrcB(enum.IntEnum):
    """Multiplier: one scalar for the whole row."""

    ARG = 0  # the token's scalar
    R0 = 1
    R1 = 2
    R2 = 3
    R3 = 4
    LITERAL = 5  # the segment's constant


class SrcC(enum.IntEnum):
    """Addend, or what is compared against."""

    ZERO = 0  # +0.0
    V0 = 1
    V1 = 2


class Count(enum.IntEnum):
    """Update of the fiber lane's entry counter, which the mean divides by."""

    KEEP = 0
    CLEAR = 1  # before = after = 0
    INC = 2  # before = n; after = n + not skip
    FUSED = 3  # before = 0 if token.first else n; after = before + not skip


class Span(enum.IntEnum):
    """Which elements of the row an instruction works on."""

    ROW = 0  # every chunk in order
    CHUNK = 1  # the chunk that holds element r[at]
    ELEMENT = 2  # element r[at] only; DATAQ supplies it in element 0


class Emit(enum.IntEnum):
    """Whether the result is also stored at ``address``."""

    NEVER = 0
    ALWAYS = 1
    LAST = 2  # only if token.last


@dataclass(frozen=True)
class Field:
    """One field of a format: its width in bits, meaning, and value names if it has them."""

    name: str
    width: int
    doc: str
    values: type[enum.IntEnum] | None = None


@dataclass(frozen=True)
class Format:
    """One entry of a program memory: fields from bit 0 upwards."""

    name: str
    doc: str
    fields: tuple[Field, ...]

    @property
    def width(self) -> int:
        """Bits of an entry."""
        return sum(f.width for f in self.fields)

    @property
    def words(self) -> int:
        """32-bit words of an entry, least significant first."""
        return (self.width + 31) // 32

    def encode(self, values: dict[str, int]) -> int:
        """Pack field values; absent fields are 0.

        Raises
        ------
        ValueError
            An unknown field, or a value that does not fit.
        """
        known = {f.name for f in self.fields}
        for name in values:
            if name not in known:
                raise ValueError(f"{self.name} has no field {name!r}")
        word = offset = 0
        for f in self.fields:
            value = int(values.get(f.name, 0))
            if not 0 <= value < 1 << f.width:
                raise ValueError(
                    f"{self.name}.{f.name} must be 0..{(1 << f.width) - 1}, not {value}"
                )
            if f.values is not None and value not in f.values._value2member_map_:
                names = ", ".join(f"{v.name}={v.value}" for v in f.values)
                raise ValueError(f"{self.name}.{f.name} must be one of {names}, not {value}")
            word |= value << offset
            offset += f.width
        return word

    def decode(self, word: int) -> dict[str, int]:
        """Unpack an entry into every field's value."""
        values, offset = {}, 0
        for f in self.fields:
            values[f.name] = (word >> offset) & ((1 << f.width) - 1)
            offset += f.width
        return values


def _log2(n: int) -> int:
    return max(1, (n - 1).bit_length())


def scalar_layer(config: Config) -> Format:
    """Entry of a scalar layer: bounds, up to two loads and an integer operation per iteration."""
    a = config.addr_width
    return Format(
        "scalar_layer",
        "One loop of the nest above the row.",
        (
            Field("kind", 2, "how the bounds are found", Kind),
            Field("start", a, "DENSE: first iteration"),
            Field("stop", a, "DENSE: end (exclusive); INDEX: distance from start to end"),
            Field("start_sel", 2, "RANGE, INDEX: environment slot of the start"),
            Field("stop_sel", 2, "RANGE: environment slot of the end"),
            Field("step", 16, "distance of two iterations, at least 1"),
            Field("m0_en", 1, "memory stream 0 loads one value per iteration"),
            Field("m0_base", a, "its byte address"),
            Field("m0_at", 4, "its element: ITE or ENV0..ENV2", Sel),
            Field("m0_size", 1, "element size: 0 = 4 bytes, 1 = 8 bytes"),
            Field("m0_pair", 1, "also loads the next element (needs m0_at = ITE and step = 1)"),
            Field("m0_check", 1, "the loaded value must be below m0_limit"),
            Field("m0_limit", a, "see m0_check"),
            Field("m0_skip_en", 1, "an iteration whose loaded value is m0_skip is skipped"),
            Field("m0_skip", a, "see m0_skip_en"),
            Field("m0_nt", 1, "non-temporal hint of its requests"),
            Field("m1_en", 1, "memory stream 1 loads one value per iteration"),
            Field("m1_base", a, "its byte address"),
            Field("m1_at", 4, "its element: ITE or ENV0..ENV2", Sel),
            Field("m1_size", 1, "element size: 0 = 4 bytes, 1 = 8 bytes"),
            Field("m1_check", 1, "the loaded value must be below m1_limit"),
            Field("m1_limit", a, "see m1_check"),
            Field("m1_nt", 1, "non-temporal hint of its requests"),
            Field("alu_op", 2, "integer operation", AluOp),
            Field("alu_a", 4, "its first operand (any but ALU)", Sel),
            Field("alu_b", 4, "its second operand for ADD and SUB (any but ALU)", Sel),
            Field("alu_imm", 32, "its constant"),
            Field("e0", 4, "child's environment slot 0", Sel),
            Field("e1", 4, "child's environment slot 1", Sel),
            Field("e2", 4, "child's environment slot 2", Sel),
            Field("arg", 2, "child's 32-bit scalar", ArgSel),
            Field("flags", 1, "this loop sets first and last; an empty fiber sends a skip item"),
            Field("mark_beg", 1, "a beg marker goes down before the first iteration"),
            Field("mark_end", 1, "an end marker goes down after the last iteration"),
        ),
    )


def row_layer(config: Config) -> Format:
    """Entry of the row layer: a contiguous run of FP32 elements.

    ``stored`` is there if the machine has both ways for a row.
    """
    a = config.addr_width
    stored = (
        Field("stored", 1, "the access unit stores the row (needs vector); it enters no queue"),
    )
    return Format(
        "row_layer",
        "The innermost loop: dim elements from element start of the array at base.",
        (
            Field("base", a, "byte address of the array, a multiple of 4"),
            Field("index", 1, "1: start is env[start_sel] (INDEX); 0: start is a constant (DENSE)"),
            Field("start", a, "DENSE: first element"),
            Field("start_sel", 2, "INDEX: environment slot of the first element"),
            Field("dim", _log2(config.max_dim + 1), "elements of the row, 1..max_dim"),
            Field("vector", 1, "1: vectors of `lanes` elements, masked tail; 0: single elements"),
            Field("nt", 1, "non-temporal hint of its requests"),
            *(stored if config.store_streams and config.execute else ()),
        ),
    )


def store_segment(config: Config) -> Format:
    """Entry of the access unit's store stream."""
    return Format(
        "store_segment",
        "Place of the output rows that the access unit stores; with `store_streams` only.",
        (
            Field("base", config.addr_width, "byte address of output row 0, a multiple of 4"),
            Field("row_stride", 32, "bytes from one output row to the next, a multiple of 4"),
            Field("row_sel", 2, "environment slot of the output row's number, its low 32 bits"),
            Field("tail", _log2(config.lanes + 1), "elements of the last vector, 1..lanes"),
        ),
    )


def _event(prefix: str, operands: int, pc: int, what: str) -> tuple[Field, ...]:
    return (
        Field(f"{prefix}_token", 1, f"{what}: push a token"),
        Field(f"{prefix}_pc", pc, f"{what}: the token's callback"),
        *(
            Field(f"{prefix}_op{n}", 3, f"{what}: operand {n}", Operand)
            for n in range(operands)
        ),
    )


#: Operands that each event may push, by event kind.
MARKER_OPERANDS = 3
ROW_OPERANDS = {"row_beg": 2, "row_ite": 3, "row_end": 1}


def marshal(config: Config) -> Format:
    """Entry of the marshaling stage: what each event pushes into the two queues."""
    pc = _log2(config.code_depth)
    fields: tuple[Field, ...] = ()
    for layer in range(config.scalar_layers):
        for event in ("beg", "end"):
            what = f"{event} of layer {layer}'s loop"
            fields += _event(f"l{layer}_{event}", MARKER_OPERANDS, pc, what)
    fields += _event("row_beg", ROW_OPERANDS["row_beg"], pc, "beg of the row")
    fields += _event("row_ite", ROW_OPERANDS["row_ite"], pc, "each vector (or element) of the row")
    fields += _event("row_end", ROW_OPERANDS["row_end"], pc, "end of the row")
    return Format("marshal", "Operands and tokens of each event, in push order.", fields)


def execute_segment(config: Config) -> Format:
    """Entry of the execute pipeline's segment constants."""
    return Format(
        "execute_segment",
        "Shape and place of the output rows.",
        (
            Field("base", config.addr_width, "byte address of output row 0, a multiple of 4"),
            Field("row_stride", 32, "bytes from one output row to the next, a multiple of 4"),
            Field("chunks", _log2(config.row_chunks + 1), "vectors of a row, 1..row_chunks"),
            Field("tail", _log2(config.lanes + 1), "elements of the last vector, 1..lanes"),
            Field("literal", 32, "binary32 constant, see SrcB"),
        ),
    )


def execute(config: Config) -> Format:
    """One instruction of a callback. The same layout for every configuration."""
    del config
    return Format(
        "execute",
        "One operation on a row, its effect on the entry counter, and what is stored.",
        (
            Field("op", 4, "operation", Op),
            Field("dst", 1, "destination vector register"),
            Field("a", 2, "first operand", SrcA),
            Field("b", 3, "multiplier of MUL and FMA", SrcB),
            Field("c", 2, "addend", SrcC),
            Field("init", 1, "if the counter was 0: c is +0.0; MAX .. MINIMUM copy a instead"),
            Field("count", 2, "entry counter", Count),
            Field("span", 2, "elements worked on", Span),
            Field("at", 2, "scalar register with the element index (CHUNK, ELEMENT) or row (SETR)"),
            Field("rd", 2, "scalar register that POP writes"),
            Field("emit", 2, "store the result row (span ROW only)", Emit),
            Field("div", 1, "stored values are divided by the counter, unless it is 0"),
            Field("bump", 1, "when emitting: address += fiber_lanes * row_stride"),
            Field("ret", 1, "last instruction of the callback"),
        ),
    )


# Control registers ------------------------------------------------------------------------

#: Word addresses of the control registers: name, address, access, meaning.
REGISTERS = (
    ("ID", 0x00, "r", "0x52424D45, the bytes of EMBR"),
    ("VERSION", 0x01, "r", "microcode version"),
    ("CONFIG_HASH", 0x02, "r", "first 32 bits of the configuration hash"),
    ("CONTROL", 0x03, "w", "bit 0: start (ignored while busy); bit 1: clear done and first error"),
    ("STATUS", 0x04, "r", "bit 0: busy; bit 1: done; bit 2: an error was seen"),
    ("SEGMENTS", 0x05, "rw", "segments to run, 1..segments"),
    ("IRQ_ENABLE", 0x06, "rw", "bit 0: the interrupt output follows done"),
    (
        "SNAPSHOT", 0x07, "rw",
        "write: take a snapshot of the counters; read: its number, odd while it is being taken",
    ),
    ("ERROR_KIND", 0x08, "r", "first error, see Error"),
    ("ERROR_SEGMENT", 0x09, "r", "its segment (table)"),
    ("ERROR_LAYER", 0x0A, "r", "its layer"),
    ("ERROR_POSITION", 0x0C, "r", "its iteration (position), 64 bits, low word first"),
    ("ERROR_VALUE", 0x0E, "r", "its value or address, 64 bits, low word first"),
)  # fmt: skip
ID_VALUE = int.from_bytes(b"EMBR", "little")

#: Units whose activity is counted, in pipeline order, of the largest machine.
UNITS = ("layer0", "layer1", "layer2", "row", "loads", "dataq", "ctrlq", "execute", "store")


def units(config: Config) -> tuple[str, ...]:
    """Units of a machine, in pipeline order."""
    missing = {f"layer{n}" for n in range(config.scalar_layers, len(UNITS))}
    if not config.execute:
        missing |= {"dataq", "ctrlq", "execute"}
    return tuple(u for u in UNITS if u not in missing)


def _filled(k: int) -> str:
    if k in (0, BINS - 1):
        return "was full" if k else "was empty"
    return f"was filled to part {k} of {BINS - 2} between empty and full"


#: First counter's word address; counter n is the 64-bit pair at COUNTER_BASE + 2 n, low word first.
COUNTER_BASE = 0x100

#: 64-bit counters of the last run: name and meaning. Cleared by start, final with done.
COUNTERS = (
    ("cycles", "cycles from start to done"),
    ("tokens", "tokens dispatched"),
    ("vectors", "vectors popped from the DataQ"),
    ("rows", "rows read"),
    ("lines_l0m0", "lines requested by layer 0, memory stream 0"),
    ("lines_l0m1", "lines requested by layer 0, memory stream 1"),
    ("lines_l1m0", "lines requested by layer 1, memory stream 0"),
    ("lines_l1m1", "lines requested by layer 1, memory stream 1"),
    ("lines_l2m0", "lines requested by layer 2, memory stream 0"),
    ("lines_l2m1", "lines requested by layer 2, memory stream 1"),
    ("lines_row", "lines requested by the row layer"),
    ("lines_out", "lines written"),
    ("lines_memory", "lines requested from the memory"),
    ("cache_hits", "requests whose line was in the read cache"),
    ("cache_merged", "requests whose line was on its way to the read cache"),
    ("cache_misses", "requests for which the read cache fetched and kept a line"),
    ("cache_bypassed", "requests that passed by the read cache"),
    ("port_busy", "cycles in which the read port took a request"),
    ("port_mshr", "cycles in which a request waited because all MSHRs were in use"),
    ("port_memory", "cycles in which a request waited for the memory"),
    ("port_ring", "cycles in which a row waited for a free ring slot and nothing was requested"),
    ("port_idle", "cycles without a request"),
    ("exec_busy", "cycles in which the execute pipeline issued"),
    ("exec_token", "cycles in which it waited for a token"),
    ("exec_data", "cycles in which it waited for the DataQ"),
    ("exec_hazard", "cycles in which it waited for an earlier result of the same row"),
    ("exec_store", "cycles in which it waited for the store unit"),
    ("dataq_full", "cycles in which a full DataQ held back a push"),
    ("ctrlq_full", "cycles in which a full CtrlQ held back a push"),
    ("dataq_high", "cycles in which three quarters of the DataQ or more were in use"),
    ("ctrlq_high", "cycles in which three quarters of the CtrlQ or more were in use"),
    ("dataq_peak", "highest DataQ level"),
    ("ctrlq_peak", "highest CtrlQ level"),
    ("outstanding_peak", "most loads outstanding"),
    ("outstanding_sum", "loads outstanding, summed over the cycles"),
    *(
        (f"{unit}_{state}", f"cycles in which the unit `{unit}` was {state}")
        for unit in UNITS
        for state in ("busy", "blocked", "starved")
    ),
    *(
        (f"{queue.lower()}_bin{k}", f"cycles in which the {queue} {_filled(k)}")
        for queue in ("DataQ", "CtrlQ")
        for k in range(BINS)
    ),
)


class Error(enum.IntEnum):
    """Kind of the first error."""

    NONE = 0
    INDEX = 1  # a checked value was not below its limit; position = iteration, value = the value
    BOUNDS = 2  # a RANGE whose start is above its end; position = start, value = end
    READ = 3  # a read response with its error bit; value = 0
    WRITE = 4  # a write response with its error bit
    UNKNOWN_TAG = 5  # a response that nobody asked for; value = the tag


#: Program memories on the register bus: word address = window << 16 | entry << 5 | word.
WINDOW_SHIFT = 16
ENTRY_SHIFT = 5
BUS_ADDR_WIDTH = 20


def windows(config: Config) -> dict[str, tuple[int, Format, int]]:
    """Program memories: name -> (window number, format, entries)."""
    layer, n = scalar_layer(config), config.segments
    table = {f"layer{i}": (1 + i, layer, n) for i in range(config.scalar_layers)}
    table["row"] = (4, row_layer(config), n)
    if config.execute:
        table["marshal"] = (5, marshal(config), n)
        table["execute_segment"] = (6, execute_segment(config), n)
        table["code"] = (7, execute(config), config.code_depth)
    if config.store_streams:
        table["store"] = (8, store_segment(config), n)
    return table

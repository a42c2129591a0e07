"""What a program must keep to for the contract (docs/machine.md) to say what it does."""

from ..hw import isa
from ..hw.config import Config
from ..hw.isa import Operand, Sel
from ..hw.program import Fields, Program, Segment

_AT = {Sel.ITE, Sel.ENV0, Sel.ENV1, Sel.ENV2}
_NOT_IN_ROW_ENDS = {Operand.DATA, Operand.ITE}


def check(program: Program, config: Config) -> None:
    """Refuse a program that has no meaning on a machine of this configuration.

    Raises
    ------
    ValueError
        A field does not fit, or breaks a rule of the contract; the message names it.
    """
    program.image(config)
    for number, segment in enumerate(program.segments):
        for layer, fields in enumerate(segment.layers):
            _check_layer(f"segment {number} layer {layer}", fields)
        _check_row(f"segment {number}", segment, config)
        if config.execute:
            _check_marshal(f"segment {number}", segment.marshal, program, config)
    if program.code and not program.code[-1].get("ret", 0):
        raise ValueError(f"instruction {len(program.code) - 1}, the last one, must have ret set")
    for pc, fields in enumerate(program.code):
        if fields.get("emit", 0) and fields.get("span", 0) != isa.Span.ROW:
            raise ValueError(f"instruction {pc} emits: its span must be ROW")


def _check_layer(where: str, fields: Fields) -> None:
    get = fields.get
    if get("step", 0) < 1:
        raise ValueError(f"{where}: step must be at least 1, not {get('step', 0)}")
    for slot in ("start_sel", "stop_sel"):
        if get(slot, 0) > 2:
            raise ValueError(f"{where}: {slot} must be 0..2, not {get(slot, 0)}")
    for stream in ("m0", "m1"):
        at = get(f"{stream}_at", 0)
        if get(f"{stream}_en", 0) and at not in _AT:
            raise ValueError(f"{where}: {stream}_at must be ITE or ENV0..ENV2, not {Sel(at).name}")
        base, size = get(f"{stream}_base", 0), 8 if get(f"{stream}_size", 0) else 4
        if get(f"{stream}_en", 0) and base % size:
            raise ValueError(f"{where}: {stream}_base must be a multiple of {size}, not {base:#x}")
    if get("m0_pair", 0) and (get("m0_at", 0) != Sel.ITE or get("step", 0) != 1):
        raise ValueError(f"{where}: m0_pair needs m0_at = ITE and step = 1")
    for operand in ("alu_a", "alu_b"):
        if get(operand, 0) == Sel.ALU:
            raise ValueError(f"{where}: {operand} must not be ALU")


def _check_row(where: str, segment: Segment, config: Config) -> None:
    row = segment.row
    dim = row.get("dim", 0)
    if not 1 <= dim <= config.max_dim:
        raise ValueError(f"{where}: dim must be 1..{config.max_dim}, not {dim}")
    if row.get("start_sel", 0) > 2:
        raise ValueError(f"{where}: row start_sel must be 0..2, not {row['start_sel']}")
    stored = row.get("stored", 0) or not config.execute
    outs = [segment.store] if stored else []
    if stored:
        _check_stored(where, row, segment.store, config)
    # What is stored otherwise are rows of markers' callbacks.
    if segment.execute or not stored:
        outs.append(segment.execute)
        chunks, tail = (segment.execute.get(name, 0) for name in ("chunks", "tail"))
        if not (1 <= chunks <= config.row_chunks and 1 <= tail <= config.lanes):
            raise ValueError(
                f"{where}: chunks must be 1..{config.row_chunks} and tail 1..{config.lanes}, "
                f"not {chunks} and {tail}"
            )
    words = [("row base", row.get("base", 0))]
    for out in outs:
        words.append(("output base", out.get("base", 0)))
        words.append(("row_stride", out.get("row_stride", 0)))
    for name, value in words:
        if value % 4:
            raise ValueError(f"{where}: {name} must be a multiple of 4, not {value:#x}")


def _check_stored(where: str, row: Fields, store: Fields, config: Config) -> None:
    if not row.get("vector", 0):
        raise ValueError(f"{where}: vector must be 1 where the access unit stores, not 0")
    if store.get("row_sel", 0) > 2:
        raise ValueError(f"{where}: row_sel must be 0..2, not {store['row_sel']}")
    tail = (row["dim"] - 1) % config.lanes + 1
    if store.get("tail", 0) != tail:
        raise ValueError(
            f"{where}: tail must be {tail}, as dim is {row['dim']}, not {store.get('tail', 0)}"
        )


def _check_marshal(where: str, fields: Fields, program: Program, config: Config) -> None:
    events = [f"l{n}_{e}" for n in range(config.scalar_layers) for e in ("beg", "end")]
    for event in [*events, *isa.ROW_OPERANDS]:
        pc = fields.get(f"{event}_pc", 0)
        if fields.get(f"{event}_token", 0) and pc >= len(program.code):
            raise ValueError(f"{where}: {event}_pc must be 0..{len(program.code) - 1}, not {pc}")
        for n in range(isa.ROW_OPERANDS.get(event, isa.MARKER_OPERANDS)):
            operand = fields.get(f"{event}_op{n}", 0)
            if event != "row_ite" and operand in _NOT_IN_ROW_ENDS:
                raise ValueError(f"{where}: {event}_op{n} must not be {Operand(operand).name}")

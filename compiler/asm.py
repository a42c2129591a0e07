"""Programs as text: assembler, disassembler and JSON, made from the tables of ``hw/isa.py``.

::

    program 04de8bc4
    segment 0
      layer0 kind=DENSE stop=4 step=1 m0_en=1 m0_base=C1.offsets m0_at=ITE e0=MEM0
      layer1 ..
      row base=C1.table index=1 dim=33 vector=1
      marshal l0_beg_token=1 row_beg_token=1 row_beg_pc=1 row_ite_op0=DATA
      execute base=C1.out row_stride=132 chunks=5 tail=1
    code
      0: op=SETA ret=1

Lines of a segment that the configuration has no memory for are not there; ``store`` is there if it
has store streams, and may be left out if it has an execute unit too. Fields that are 0 are not
written. A value is a number, a name of the field's enumeration, or the symbol of an address,
``table.role`` or ``table.role+offset``, for which the assembler needs a table of symbols; an
unusual name is in double quotes. ``#`` starts a comment. A file may hold several programs.
"""

import json
import re
from collections.abc import Mapping, Sequence

from ..hw import isa
from ..hw.config import Config
from ..hw.program import Fields, Program, Segment
from .template import Address, Template, TemplateFields

#: The lines of a segment behind its layers.
_AFTER_LAYERS = ("row", "marshal", "execute", "store")


def _formats(config: Config) -> dict[str, isa.Format]:
    """The formats by the first word of their lines."""
    layer = isa.scalar_layer(config)
    formats = {f"layer{n}": layer for n in range(config.scalar_layers)}
    formats["row"] = isa.row_layer(config)
    if config.execute:
        formats |= {"marshal": isa.marshal(config), "execute": isa.execute_segment(config)}
    if config.store_streams:
        formats["store"] = isa.store_segment(config)
    return formats


# Disassembler -----------------------------------------------------------------------------


def disassemble(program: Program | Template, config: Config) -> str:
    """The text of a program; its addresses are symbols if it is not linked.

    Raises
    ------
    ValueError
        A field that the format does not have.
    """
    formats, code = _formats(config), isa.execute(config)
    lines = [f"program {program.config_hash}"]
    for number, segment in enumerate(program.segments):
        lines.append(f"segment {number}")
        if len(segment.layers) != config.scalar_layers:
            raise ValueError(
                f"segment {number} must have {config.scalar_layers} scalar layers, "
                f"not {len(segment.layers)}"
            )
        entries = {f"layer{n}": fields for n, fields in enumerate(segment.layers)}
        entries |= {name: getattr(segment, name) for name in _AFTER_LAYERS}
        for name, fields in entries.items():
            if name in formats:
                lines.append(f"  {name}{_text(formats[name], fields)}")
            elif fields:
                raise ValueError(f"the configuration has no {name}, but segment {number} has")
    lines.append("code")
    lines += [f"  {pc}:{_text(code, fields)}" for pc, fields in enumerate(program.code)]
    return "\n".join(lines) + "\n"


def _text(layout: isa.Format, fields: Mapping[str, int | Address]) -> str:
    unknown = fields.keys() - {f.name for f in layout.fields}
    if unknown:
        raise ValueError(f"{layout.name} has no field {sorted(unknown)[0]!r}")
    words = []
    for f in layout.fields:
        value = fields.get(f.name, 0)
        if not isinstance(value, Address) and value and f.values is not None:
            value = f.values(value).name if value in f.values._value2member_map_ else value
        if value:
            words.append(f" {f.name}={value if isinstance(value, (str, Address)) else int(value)}")
    return "".join(words)


# Assembler --------------------------------------------------------------------------------


def assemble(text: str, config: Config, symbols: Mapping[str, int] | None = None) -> list[Program]:
    """The programs of a text.

    Parameters
    ----------
    symbols : mapping or None
        ``table.role`` to byte address.

    Raises
    ------
    ValueError
        The text is not a program of this configuration; the message starts with the line.
    """
    return _Assembler(config, symbols or {}).run(text)


_WORD = re.compile(r"""#.*|[^\s#"]*"(?:[^"\\]|\\.)*"[^\s#]*|[^\s#]+""")


class _Assembler:
    """One pass over the lines; ``number`` is the line that errors are about."""

    def __init__(self, config: Config, symbols: Mapping[str, int]):
        self.config, self.symbols = config, symbols
        self.formats, self.code_format = _formats(config), isa.execute(config)
        self.number = 0
        self.programs: list[Program] = []
        self.hash: str | None = None

    def run(self, text: str) -> list[Program]:
        for self.number, line in enumerate(text.splitlines(), 1):
            words = [word for word in _WORD.findall(line) if not word.startswith("#")]
            if words:
                self._line(words)
        self._end()
        if not self.programs:
            raise self._error("a text must have at least 1 program, not 0")
        return self.programs

    def _error(self, message: str) -> ValueError:
        return ValueError(f"line {self.number}: {message}")

    def _line(self, words: list[str]) -> None:
        head, rest = words[0], words[1:]
        if head == "program":
            self._end()
            if len(rest) != 1:
                raise self._error("program must be followed by the configuration's hash")
            if rest[0] != self.config.hash:
                raise self._error(
                    f"program must be for configuration {self.config.hash}, not {rest[0]}"
                )
            self.hash = rest[0]
            self.segments: list[dict[str, Fields]] = []
            self.code: list[Fields] = []
            self.in_code = False
        elif self.hash is None:
            raise self._error(f"a text must start with program, not {head!r}")
        elif head == "segment":
            self._expect_number(rest, len(self.segments), "segment")
            if self.in_code:
                raise self._error("segments must come before code")
            self.segments.append({})
        elif head == "code":
            self.in_code = True
        elif self.in_code:
            self._expect_number([head.removesuffix(":")], len(self.code), "instruction")
            self.code.append(self._fields(self.code_format, rest))
        elif head in self.formats and self.segments:
            if head in self.segments[-1]:
                raise self._error(f"{head} must occur once in a segment")
            self.segments[-1][head] = self._fields(self.formats[head], rest)
        else:
            allowed = ", ".join(["segment", "code", *self.formats])
            raise self._error(f"a line must start with one of {allowed}, not {head!r}")

    def _expect_number(self, words: list[str], number: int, what: str) -> None:
        if words != [str(number)]:
            raise self._error(f"{what} number must be {number}, not {' '.join(words)!r}")

    def _fields(self, layout: isa.Format, words: list[str]) -> Fields:
        known = {f.name: f for f in layout.fields}
        fields: Fields = {}
        for word in words:
            name, equals, text = word.partition("=")
            if not equals:
                raise self._error(f"a field must be name=value, not {word!r}")
            if name not in known:
                raise self._error(f"{layout.name} has no field {name!r}")
            if name in fields:
                raise self._error(f"field {name} must be given once")
            fields[name] = self._value(known[name], text)
        try:
            layout.encode(fields)
        except ValueError as error:
            raise self._error(str(error)) from None
        return {name: value for name, value in fields.items() if value}

    def _value(self, field: isa.Field, text: str) -> int:
        if field.values is not None and text in field.values.__members__:
            return int(field.values[text])
        try:
            return int(text, 0)
        except ValueError:
            pass
        symbol, offset = re.fullmatch(r"(.*?)(?:\+(-?[0-9]+))?", text).groups()  # type: ignore
        if symbol.startswith('"') and symbol.endswith('"'):
            symbol = json.loads(symbol)
        if symbol in self.symbols:
            return int(self.symbols[symbol]) + int(offset or 0)
        if field.values is not None:
            names = ", ".join(field.values.__members__)
            raise self._error(f"{field.name} must be a number or one of {names}, not {text!r}")
        raise self._error(f"{field.name} must be a number or a known symbol, not {text!r}")

    def _end(self) -> None:
        """Finish the program that is being read."""
        if self.hash is None:
            return
        for number, entries in enumerate(self.segments):
            for name in self.formats:
                # Who stores by callbacks need not say that the access unit does not.
                needed = name != "store" or not self.config.execute
                if needed and name not in entries:
                    raise self._error(f"segment {number} must have a line {name}")
        layers = [name for name in self.formats if name.startswith("layer")]
        segments = tuple(
            Segment(
                tuple(s[name] for name in layers), *(s.get(name, {}) for name in _AFTER_LAYERS)
            )
            for s in self.segments
        )
        self.programs.append(Program(self.hash, segments, tuple(self.code)))
        self.hash = None


# JSON -------------------------------------------------------------------------------------


def to_json(programs: Sequence[Program | Template]) -> str:
    """Programs as a JSON list; addresses that are not linked are strings."""
    return json.dumps(
        [
            {
                "config_hash": program.config_hash,
                "segments": [
                    {
                        "layers": [_plain(layer) for layer in segment.layers],
                        **{name: _plain(getattr(segment, name)) for name in _AFTER_LAYERS},
                    }
                    for segment in program.segments
                ],
                "code": [_plain(fields) for fields in program.code],
            }
            for program in programs
        ],
        indent=2,
    )


def _plain(fields: Fields | TemplateFields) -> dict[str, int | str]:
    return {
        name: str(value) if isinstance(value, Address) else int(value)
        for name, value in fields.items()
    }


def from_json(text: str) -> list[Program]:
    """The inverse of :func:`to_json` for linked programs.

    Raises
    ------
    ValueError
        The text is not such a list.
    """
    try:
        return [
            Program(
                entry["config_hash"],
                tuple(
                    Segment(
                        tuple(map(_numbers, s["layers"])),
                        _numbers(s["row"]),
                        _numbers(s["marshal"]),
                        _numbers(s["execute"]),
                        _numbers(s.get("store", {})),
                    )
                    for s in entry["segments"]
                ),
                tuple(map(_numbers, entry["code"])),
            )
            for entry in json.loads(text)
        ]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"text must be a JSON list of programs: {error!r}") from None


def _numbers(fields: Mapping[str, int]) -> Fields:
    for name, value in fields.items():
        if not isinstance(value, int):
            raise ValueError(f"{name} must be a number, not {value!r}: link the program first")
    return dict(fields)

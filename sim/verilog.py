"""Verilog text of a component: the same bytes each time, with nothing about where it was made."""

import gc
import re
from collections.abc import Iterator

from amaranth.back import verilog
from amaranth.hdl import Value, ValueCastable
from amaranth.lib import wiring

#: The Yosys banner names its build; the cache key has the tool versions already.
_BANNER = re.compile(r"\A/\*.*?\*/\n+", re.DOTALL)

#: Yosys gives `always @*` blocks something to wait for, so that they run once at the start. It
#: forgets blocks that assign constants; `always_comb` runs at the start by definition.
_TRIGGER = re.compile(
    r"^  reg \\\$auto\$verilog_backend\S+  = 0;\n"
    r"|^ +if \(\\\$auto\$verilog_backend\S+ \) begin end\n",
    re.MULTILINE,
)

_MODULE = re.compile(r"^module (\\\S+ |\w+).*?^endmodule\n", re.MULTILINE | re.DOTALL)
#: An instance inside a module: its type, before its name and an opening bracket.
_INSTANCE = re.compile(r"^  (\\\S+)  ((?:\\\S+ |\w+) \()", re.MULTILINE)


def to_verilog(component: wiring.Component, name: str = "top") -> str:
    """Verilog (with SystemVerilog's ``always_comb``) of ``component`` as module ``name``.

    Ports are named after the path of the member, joined by two underscores
    (``read__request__valid``), plus ``clk`` and ``rst``; a port with a layout is one packed port.
    Modules with the same content become one, which has the name of the first.

    Amaranth components can be elaborated once: pass a fresh one.
    """
    # Nothing that elaboration allocates is garbage, and looking for some takes half the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        text = verilog.convert(component, name=name, emit_src=False, strip_internal_attrs=True)
    finally:
        if collecting:
            gc.enable()
    return _cleaned(text)


def from_rtlil(text: str) -> str:
    """The same of RTLIL that Amaranth wrote, all its modules included."""
    convert = verilog._convert_rtlil_text  # pyright: ignore[reportAttributeAccessIssue]
    return _cleaned(convert(text, strip_internal_attrs=True))


def _cleaned(text: str) -> str:
    text = _TRIGGER.sub("", _BANNER.sub("", text))
    text = text.replace("always @*", "always_comb")
    return "\n".join(_distinct(text))


def registered_inputs(component: wiring.Component, name: str, inner: str) -> str:
    """Verilog of module ``name``: ``inner``, with a register in front of every input, reset too.

    A simulator then sets the inputs of cycle t + 1 while cycle t ends, and evaluates each cycle
    once, instead of once for the clock edge and again for the inputs. The registers start at 0.
    """
    inputs, outputs = {"rst": 1}, {}
    for path, member, value in component.signature.flatten(component):
        if isinstance(value, (Value, ValueCastable)):
            ports = inputs if member.flow == wiring.In else outputs
            ports["__".join(map(str, path))] = len(Value.cast(value))
    lines = [f"module {name}({', '.join(['clk', *inputs, *outputs])});"]
    lines += ["  input clk;"]
    lines += [f"  input [{width - 1}:0] {port};" for port, width in inputs.items()]
    lines += [f"  output [{width - 1}:0] {port};" for port, width in outputs.items()]
    lines += [f"  reg [{width - 1}:0] {port}__now = 0;" for port, width in inputs.items()]
    lines += ["  always @(posedge clk) begin"]
    lines += [f"    {port}__now <= {port};" for port in inputs]
    lines += ["  end", f"  {inner} {inner} ("]
    pins = [("clk", "clk"), *((port, f"{port}__now") for port in inputs)]
    pins += [(port, port) for port in outputs]
    lines += ["    " + ", ".join(f".{port}({net})" for port, net in pins)]
    lines += ["  );", "endmodule", ""]
    return "\n".join(lines)


def _distinct(text: str) -> Iterator[str]:
    """The modules without those that repeat another one, submodules before their users."""
    texts = {match[1].strip(): match[0] for match in _MODULE.finditer(text)}
    names: dict[str, str] = {}  # module -> the one that stands for it
    kept: dict[str, str] = {}  # content -> module

    def visit(name: str) -> str:
        if name not in names:
            body = _INSTANCE.sub(
                lambda m: f"  {visit(m[1])}  {m[2]}" if m[1] in texts else m[0], texts[name]
            )
            content = body.replace(f"module {name}", "module", 1)
            names[name] = kept.setdefault(content, name)
            texts[name] = body
        return names[name]

    for name in texts:
        visit(name)
    for name, body in texts.items():
        if names[name] == name:
            yield body

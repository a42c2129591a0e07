"""Documents about the ports: the list, the black box and the example."""

from ...hw.config import Config
from .ports import GROUPS, Port, group

#: Name of the module.
TOP = "ember"


def port_list(config: Config, bus: str, ports: list[Port]) -> str:
    """``ports.md``."""
    lines = [
        f"# Ports of `{TOP}`",
        "",
        f"Bus `{bus}`, configuration {config.hash}: "
        + " ".join(f"{key}={value}" for key, value in config.to_dict().items()),
    ]
    last = None
    for port in ports:
        if group(port) != last and GROUPS[group(port)][1]:
            last = group(port)
            lines += ["", GROUPS[last][1], "", "| port | direction | bits | fields |"]
            lines += ["|---|---|---|---|"]
        fields = ", ".join(
            f"`{name}` {low + width - 1}:{low}" if width > 1 else f"`{name}` {low}"
            for name, low, width in port.fields
        )
        lines.append(f"| `{port.name}` | {port.flow} | {port.width} | {fields} |")
    return "\n".join([*lines, ""])


def stub(ports: list[Port]) -> str:
    """``ember_stub.v``: the module without its inside, for tools that only need the ports."""
    declared = [f"  {port.flow} wire {port.range}{port.name}" for port in ports]
    return (
        "// Black box: ports alone.\n"
        f"(* black_box *)\nmodule {TOP} (\n" + ",\n".join(declared) + "\n);\nendmodule\n"
    )


def example(ports: list[Port]) -> str:
    """``ember_example.v``: the machine in a module that hands on all of its ports."""
    declared = [f"  {port.flow} wire {port.range}{port.name}" for port in ports]
    pins = [f"    .{port.name}({port.name})" for port in ports]
    return (
        "// The smallest design with an Ember machine: everything goes to the ports. Connect the\n"
        "// memory and the host here instead; see docs/export.md.\n"
        f"module {TOP}_example (\n" + ",\n".join(declared) + "\n);\n"
        f"  {TOP} {TOP}_i (\n" + ",\n".join(pins) + "\n  );\nendmodule\n"
    )

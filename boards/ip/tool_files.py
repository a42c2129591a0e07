"""Files for other people's tools: FuseSoC's core description and Verilator's waivers."""

from .port_files import TOP

#: Rule of `verilator -Wall` -> why what it finds is no mistake. All of it is generated code.
WAIVERS = {
    "ASCRANGE": "a number that can only be 0 has no bits",
    "CASEINCOMPLETE": "a case without a match leaves what was assigned above it",
    "DECLFILENAME": "all modules are in one file",
    "PROCASSINIT": "registers have first values, as FPGAs load them, beside their reset",
    "UNSIGNED": "a comparison with the lowest value, in a loop over all values",
    "UNUSEDSIGNAL": "fields of structures that this configuration or this bus does not look at",
    "VARHIDDEN": "an instance and a signal inside it have the same name",
    "WIDTHEXPAND": "constants have the fewest digits; operands are extended by zeros",
    "WIDTHTRUNC": "the lowest bit of a shifted word is the bit that is looked for",
}


def fusesoc_core(version: str, config_hash: str, bus: str) -> str:
    """``ember.core``: CAPI 2, for FuseSoC and Edalize.

    Parameters
    ----------
    version : of Ember
    config_hash, bus : what was exported
    """
    return f"""\
CAPI=2:
name: ember:ember:{TOP}:{version}
description: Ember embedding machine, configuration {config_hash}, bus {bus}

filesets:
  rtl:
    files:
      - {TOP}.sv
    file_type: systemVerilogSource
  example:
    files:
      - {TOP}_example.v
    file_type: verilogSource
  lint:
    files:
      - {TOP}.vlt
    file_type: vlt

targets:
  default:
    filesets: [rtl]
    toplevel: {TOP}
  lint:
    filesets: [lint, rtl, example]
    toplevel: {TOP}_example
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
"""


def waivers() -> str:
    """``ember.vlt``: with it, ``verilator --lint-only -Wall`` is silent."""
    lines = ["`verilator_config"]
    for rule, reason in WAIVERS.items():
        lines += [f"// {reason}", f'lint_off -rule {rule} -file "*{TOP}.sv"']
    return "\n".join([*lines, ""])

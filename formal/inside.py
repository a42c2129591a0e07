"""The local signals of a block, for lemmas about its state: no block changes for its proof."""

import sys
from types import SimpleNamespace

from amaranth.hdl import Fragment, Signal


def look_inside(block) -> SimpleNamespace:
    """Elaborate ``block`` now and return the local variables of its ``elaborate``.

    The module that came out is used when the block is elaborated as a submodule later, so that
    the signals returned are those of the netlist that is proven.
    """
    code = type(block).elaborate.__code__
    found: dict[str, object] = {}

    def profile(frame, event, arg):
        if event == "return" and frame.f_code is code and frame.f_locals.get("self") is block:
            found.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        module = block.elaborate(None)
    finally:
        sys.setprofile(before)
    block.elaborate = lambda platform: module
    found["self"] = block
    return SimpleNamespace(**found)


def registers(block) -> dict[str, Signal]:
    """The registers of ``block`` itself by name, for those that helper functions make."""
    fragment = Fragment.get(block, None)
    fragment.origins = ()  # set again when the block takes its place in the netlist
    block.elaborate = lambda platform: fragment
    return {
        signal.name: signal
        for domain, statements in fragment.statements.items()
        if domain != "comb"
        for statement in statements
        for signal in statement._lhs_signals()
    }

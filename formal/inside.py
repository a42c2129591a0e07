"""The local signals of a block, for lemmas about its state: no block changes for its proof."""

import sys
from types import SimpleNamespace

from amaranth.hdl import Fragment, Signal


def locals_of(elaborate, block, platform=None) -> tuple[object, dict[str, object]]:
    """Call ``elaborate`` of ``block``: what it returns, and its local variables by then."""
    code = elaborate.__code__
    found: dict[str, object] = {}

    def profile(frame, event, arg):
        if event == "return" and frame.f_code is code and frame.f_locals.get("self") is block:
            found.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        module = elaborate(block, platform)
    finally:
        sys.setprofile(before)
    return module, found


def look_inside(block) -> SimpleNamespace:
    """Elaborate ``block`` now and return the local variables of its ``elaborate``.

    The module that came out is used when the block is elaborated as a submodule later, so that
    the signals returned are those of the netlist that is proven. A second look would be at other
    signals, which are in no netlist.
    """
    if "elaborate" in vars(block):
        raise ValueError(f"{type(block).__name__} must not be looked into twice")
    module, found = locals_of(type(block).elaborate, block)
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

"""The rules of a stream: what is offered stays until it is taken."""

from amaranth.hdl import Value
from amaranth.lib import stream
from amaranth.lib.wiring import In

from .bench import Bench, implies


def _is_kept(bench: Bench, port):
    """The payload offered in the last cycle, if it was not taken, is offered again."""
    waits = bench.past(port.valid & ~port.ready)
    payload = Value.cast(port.payload)
    return implies(waits, port.valid & (payload == bench.past(payload)))


def assume_held(bench: Bench, port) -> None:
    """The other side holds ``valid`` and the payload."""
    bench.assume(_is_kept(bench, port))


def prove_held(bench: Bench, port, name: str) -> None:
    """The block holds ``valid`` and the payload."""
    bench.prove(_is_kept(bench, port), f"{name} holds valid and its payload until taken")


def find_streams(block):
    """(name, is it an input, port) of every stream of a component, inside other ports too."""

    def walk(signature, interface, name, flipped):
        for key, member in signature.members.items():
            if not member.is_signature:
                continue
            ports = [(f"{name}{key}", getattr(interface, key))]
            for size in member.dimensions:
                ports = [(f"{n}[{k}]", p[k]) for n, p in ports for k in range(size)]
            is_input = (member.flow == In) != flipped
            for port_name, port in ports:
                if isinstance(port.signature, stream.Signature) or hasattr(port, "payload"):
                    yield port_name, is_input, port
                else:
                    # A flow seen through an In port is turned around.
                    yield from walk(member.signature, port, f"{port_name}.", is_input)

    yield from walk(block.signature, block, "", False)


def free_inputs(bench: Bench, block, except_for=()) -> None:
    """Let the solver choose every input of a component; its input streams keep the rules."""
    for path, member, port in block.signature.flatten(block):
        if member.flow == In and path[0] not in except_for:
            bench.free(port)
    for _, is_input, port in find_streams(block):
        if is_input:
            assume_held(bench, port)

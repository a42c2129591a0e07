"""Counts of RTL whose parts are known."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Array, Cat, Module, Mux, Signal
from ember.hw.block_ram import BlockRam
from ember.synth.cells import KINDS, count

A, B, C = Signal(12), Signal(7), Signal()


def counted(value) -> dict[str, int]:
    """Of a module that drives one output with ``value``, only what is not 0."""
    module, out = Module(), Signal(40)
    module.d.comb += out.eq(value)
    return {k: n for k, n in count(rtlil.convert(module, ports=[A, B, C, out])).items() if n}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (A, {}),
        (A + B, {"sum": 12}),
        (A - B, {"sum": 12}),
        (A < B, {"sum": 12}),
        (A == B, {"equal": 12}),
        (A.any(), {"equal": 12}),
        (A & B, {"gate": 12}),
        (Mux(C, A, B), {"mux": 12}),
        (A << B[:3], {"shift": 19 * 3}),
        (A * B, {"multiplier": 1}),
        (Cat(A, B) * A, {"multiplier": 2}),
    ],
)
def test_operators(value, found):
    assert counted(value) == found


def test_registers_and_the_choice_of_their_next_value():
    module, out = Module(), Signal(9)
    with module.If(C):
        module.d.sync += out.eq(A)
    with module.Elif(B[0]):
        module.d.sync += out[2:5].eq(B)
    found = count(rtlil.convert(module, ports=[A, B, C, out]))
    # A reset is one more choice of all bits.
    assert found["register"] == 9
    assert found["mux"] == 9 + 3 + 9


def test_an_array_is_as_many_choices_as_it_has_places():
    assert counted(Array([A, B, A + 1, B + 1])[A[:2]])["mux"] == 4 * 13


@pytest.mark.parametrize(
    ("shape", "depth", "blocks"),
    [(36, 512, 1), (37, 512, 2), (36, 513, 2), (18, 1024, 1), (300, 16, 9), (1, 16384, 1)],
)
def test_block_rams(shape, depth, blocks):
    found = count(rtlil.convert(BlockRam(shape=shape, depth=depth)))
    assert found["block"] == blocks
    assert (found["small_memory"], found["register"]) == (0, 0)


def test_all_kinds_are_always_there():
    assert tuple(count(rtlil.convert(BlockRam(shape=1, depth=2)))) == KINDS

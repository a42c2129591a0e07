"""Block RAM whose undefined reads are something else than what the RTL happens to give."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from amaranth.hdl import Value
from amaranth.hdl._ast import AnySeq
from ember.hw.block_ram import BlockRam

from .inside import locals_of


def anything(value: Value) -> Value:
    """What the solver chooses, for proofs."""
    return AnySeq(len(value))


def inverted(value: Value) -> Value:
    """Wrong in each bit, for simulations."""
    return ~value


@contextmanager
def garbage(choose: Callable[[Value], Value]) -> Iterator[None]:
    """All that is elaborated within reads garbage where it reads what is being written.

    Parameters
    ----------
    choose : makes of a part of a word, as it was before the write, what is read instead
    """
    original = BlockRam.elaborate

    def elaborate(self, platform):
        m, inside = locals_of(original, self, platform)
        # By its own name, so that `look_inside` finds it here too.
        ram, word, read = inside["ram"], inside["word"], inside["read"]  # noqa: F841
        same = self.read_enable & (self.read_address == self.write_address)
        size = len(word) // len(self.write_enable)
        for k in range(len(self.write_enable)):
            part = slice(k * size, (k + 1) * size)
            # A later assignment to the register takes the place of the block's own.
            with m.If(same & self.write_enable[k]):
                m.d.sync += word[part].eq(choose(read.data[part]))
        return m

    BlockRam.elaborate = elaborate
    try:
        yield
    finally:
        BlockRam.elaborate = original

"""How blocks are changed for proofs that have to fail."""

import pytest
from ember.hw.queues import queue

from formal.mutant import Edit, load
from formal.proofs import PROOFS


def test_a_mutant_is_a_copy() -> None:
    name = "ember.hw.queues.queue"
    copy = load(name, (Edit("BLOCK_RAM_DEPTH = 32", "BLOCK_RAM_DEPTH = 7"),))
    assert copy.BLOCK_RAM_DEPTH == 7
    assert queue.BLOCK_RAM_DEPTH == 32
    assert load(name) is queue


def test_a_change_of_the_block_is_noticed() -> None:
    with pytest.raises(ValueError, match="^'no such text' must occur once in .*, not 0 times$"):
        load("ember.hw.queues.queue", (Edit("no such text", ""),))


def test_every_block_has_a_mutant() -> None:
    """Without one, nothing says that the assumptions of a proof can be met at all."""
    blocks = {(proof.module, proof.bench.__name__) for proof in PROOFS}
    assert {(p.module, p.bench.__name__) for p in PROOFS if p.mutants} == blocks

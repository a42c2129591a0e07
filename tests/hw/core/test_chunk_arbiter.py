"""Rows of two sources stay whole, keep their order, and nobody starves."""

import random

import pytest
from ember.hw.config import Config
from ember.hw.core.chunk_arbiter import ChunkArbiter

from ...support.streams import Bench

CONFIG = Config.preset("tiny")


def _rows(source: int, lengths: list[int]) -> list[dict]:
    return [
        {
            "data": [source, row, n, 0],
            "chunk": {"first": n == 0, "last": n == length - 1, "words": 4, "address": row},
        }
        for row, length in enumerate(lengths)
        for n in range(length)
    ]


def _run(first: list[int], second: list[int], seed: int, stall: float):
    dut = ChunkArbiter(CONFIG)
    bench = Bench(dut, seed, stall=stall)
    bench.produce(dut.first, _rows(0, first))
    bench.produce(dut.second, _rows(1, second))
    got = bench.consume(dut.o, sum(first) + sum(second), lambda payload: tuple(payload.data)[:3])
    bench.run()
    return got, bench.cycles


@pytest.mark.parametrize("stall", (0.0, 0.4, 0.8))
def test_rows_are_whole_and_in_order(stall: float, seed: int) -> None:
    rng = random.Random(seed)
    first, second = ([rng.choice([1, 2, 5]) for _ in range(40)] for _ in range(2))
    got, _ = _run(first, second, seed, stall)
    for source, lengths in enumerate((first, second)):
        mine = [(row, n) for row, length in enumerate(lengths) for n in range(length)]
        assert [(row, n) for s, row, n in got if s == source] == mine
    for (s, row, n), (s2, row2, n2) in zip(got, got[1:], strict=False):
        if n + 1 < (first, second)[s][row]:
            assert (s2, row2, n2) == (s, row, n + 1), "a row was interrupted"


def test_both_get_their_turn() -> None:
    got, cycles = _run([2] * 20, [3] * 20, 1, 0.0)
    order = [source for source, _, n in got if n == 0]
    assert order[:20] == [order[0], 1 - order[0]] * 10
    assert cycles <= 101


def test_one_alone_is_not_slowed_down() -> None:
    _, cycles = _run([], [1] * 50, 1, 0.0)
    assert cycles <= 51

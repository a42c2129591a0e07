"""The store unit: every line once, whatever the alignment."""

import random

import pytest
from ember.hw.config import Config
from ember.hw.core.store import Store

from ...support.streams import Bench


def _chunks(config: Config, address: int, words: list[int]) -> list[dict]:
    """A row at a word address as the emission stage sends it."""
    out = []
    for start in range(0, len(words), config.lanes):
        part = words[start : start + config.lanes]
        chunk = {
            "first": start == 0,
            "last": start + config.lanes >= len(words),
            "words": len(part),
            # Only the first chunk's address counts.
            "address": address if start == 0 else 0x123,
        }
        out.append({"data": part + [0xDEAD] * (config.lanes - len(part)), "chunk": chunk})
    return out


def _lines(config: Config, address: int, count: int) -> set[int]:
    return {(address + n) // config.lanes for n in range(count)}


def _request(payload) -> tuple[int, int, list[int]]:
    return payload.line, payload.mask, list(payload.data)


def _run(config: Config, rows, requests: int, seed: int, stall: float):
    """Send ``rows``; ``requests`` is how many writes to wait for. Returns them and the cycles."""
    dut = Store(config)
    bench = Bench(dut, seed, stall=stall)
    bench.produce(dut.i, [c for address, words in rows for c in _chunks(config, address, words)])
    seen = bench.consume(dut.write.request, requests, _request)
    pending = []

    async def acknowledge(ctx):
        rng = random.Random(seed)
        delayed: list[int] = []
        while True:
            _, _, taken, idle = await ctx.tick().sample(dut.line_written, dut.idle)
            assert not (idle and delayed), "idle with writes on the way"
            if ctx.get(dut.write.response.valid):
                delayed.pop()
            delayed += [1] * taken
            ctx.set(dut.write.response.valid, bool(delayed) and rng.random() < 0.6)
            pending[:] = delayed

    bench.process(acknowledge)
    bench.run(extra_cycles=2 * requests + 50)
    assert not pending, "the test's own acknowledgements are late"
    return seen, bench.cycles


def _check(config: Config, rows, seen) -> None:
    image, expected = {}, {}
    for line, mask, words in seen:
        assert mask
        image |= {line * config.lanes + n: w for n, w in enumerate(words) if mask >> n & 1}
    for address, words in rows:
        expected |= {address + n: w for n, w in enumerate(words)}
    assert image == expected


@pytest.mark.parametrize("lanes", [1, 4, 16])
@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_rows_far_apart(lanes, stall):
    seed = 100 + lanes
    print("seed", seed)
    rng = random.Random(seed)
    config = Config(lanes=lanes, row_chunks=8)
    rows = []
    for n in range(60):
        count = rng.randint(1, 4 * lanes)
        # An odd distance in lines: neighbours never share one.
        address = (2 * n + 1) * 5 * lanes + rng.randrange(lanes)
        rows.append((address, [rng.getrandbits(32) for _ in range(count)]))
    most = sum(len(_lines(config, address, len(words))) for address, words in rows)
    seen, cycles = _run(config, rows, most, seed, stall)
    _check(config, rows, seen)
    if not stall:
        # Each cycle sends a line.
        assert cycles <= most + 6, (cycles, most)


def test_contiguous_rows_fill_lines():
    config = Config(lanes=8, row_chunks=8)
    rng = random.Random(5)
    rows = [(3 + 5 * n, [rng.getrandbits(32) for _ in range(5)]) for n in range(64)]
    total = len(_lines(config, 3, 5 * 64))
    seen, cycles = _run(config, rows, total, 5, 0.0)
    _check(config, rows, seen)
    assert cycles <= 64 + 6


def test_rows_may_overlap_in_order():
    """The later row wins, in a shared line as well."""
    config = Config(lanes=4, row_chunks=8)
    rng = random.Random(6)
    rows = [(n % 3, [rng.getrandbits(32) for _ in range(2)]) for n in range(3)]
    seen, _ = _run(config, rows, 1, 6, 0.0)
    _check(config, rows, seen)
    assert len(seen) == 1


def test_last_line_of_a_row_does_not_wait_for_another_row():
    config = Config(lanes=4)
    seen, cycles = _run(config, [(1, [7])], 1, 0, 0.0)
    ((line, mask, words),) = seen
    assert (line, mask, words[1]) == (0, 0b0010, 7)
    assert cycles <= 6


def test_line_address_wraps_around():
    config = Config(lanes=4, addr_width=32)
    top = (1 << 30) - 2
    seen, _ = _run(config, [(top, [1, 2, 3, 4])], 2, 0, 0.0)
    assert [(line, mask) for line, mask, _ in seen] == [((1 << 28) - 1, 0b1100), (0, 0b0011)]

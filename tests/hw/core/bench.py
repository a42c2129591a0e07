"""Drives the Core under cocotb and checks it against the golden executor."""

import json
import os
import random
from dataclasses import dataclass, field

import cocotb
from amaranth.lib import data
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from ember.hw import isa, layouts
from ember.hw.config import Config
from golden import Golden
from stimulus import Stimulus

EVENTS = ("busy", "wait_token", "wait_data", "wait_hazard", "wait_store")


def config_of_test() -> Config:
    """The configuration that the design under test was built with."""
    return Config(**json.loads(os.environ["EMBER_TEST_CONFIG"]))


def _pack(layout: data.StructLayout, fields: dict[str, int]) -> int:
    value = 0
    for name, place in layout:
        value |= fields[name] << place.offset
    return value


@dataclass
class Stalls:
    """Probabilities: a source idles, the memory is not ready, an acknowledgement is late."""

    token: float = 0.0
    vector: float = 0.0
    request: float = 0.0
    response: float = 0.0


@dataclass
class Run:
    """What a run did."""

    cycles: int = 0
    events: list[str] = field(default_factory=list)  # one name per cycle
    writes: list[tuple[int, int, int]] = field(default_factory=list)  # line, mask, data
    tokens: int = 0
    vectors: int = 0
    lines: int = 0
    errors: int = 0


class Bench:
    """One Core with a memory that acknowledges writes whenever it likes."""

    def __init__(self, dut, config: Config, rng: random.Random):
        self.dut, self.config, self.rng = dut, config, rng
        self.token_layout = layouts.token(config)
        self.request_layout = layouts.write_request(config)

    async def reset(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
        for name in (
            "token_i__valid", "token_i__payload", "vector_i__valid", "vector_i__payload", "start",
            "write__request__ready", "write__response__valid", "write__response__payload",
            "program__window", "program__entry", "program__word", "program__value",
        ):  # fmt: skip
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0

    async def load(self, stimulus: Stimulus) -> None:
        dut = self.dut
        windows = isa.windows(self.config)
        for name, entries in (("execute_segment", stimulus.segments), ("code", stimulus.code)):
            window, layout, _ = windows[name]
            for n, fields in enumerate(entries):
                value = layout.encode(fields)
                for index in range(layout.words):
                    dut.program__window.value = window
                    dut.program__entry.value = n
                    dut.program__word.value = index
                    dut.program__value.value = value >> 32 * index & 0xFFFFFFFF
                    await RisingEdge(dut.clk)
        dut.program__window.value = 0

    async def run(
        self, stimulus: Stimulus, stalls: Stalls, *, limit: int, error_rate: float = 0.0
    ) -> Run:
        """Start, feed everything, and wait for ``done``; at most ``limit`` cycles."""
        dut, rng = self.dut, self.rng
        tokens = [_pack(self.token_layout, fields) for fields in stimulus.tokens]
        vectors = [
            sum(word << 32 * n for n, word in enumerate(vector)) for vector in stimulus.vectors
        ]
        line = self.request_layout["line"]
        mask = self.request_layout["mask"]
        lines = self.request_layout["data"]
        result = Run()
        unacknowledged = 0
        token_valid = vector_valid = False
        offered = None
        dut.start.value = 1
        for cycle in range(limit):
            # Inputs of this cycle; a source that was refused keeps offering.
            if not token_valid:
                token_valid = result.tokens < len(tokens) and rng.random() >= stalls.token
                dut.token_i__valid.value = token_valid
                if token_valid:
                    dut.token_i__payload.value = tokens[result.tokens]
            if not vector_valid:
                vector_valid = result.vectors < len(vectors) and rng.random() >= stalls.vector
                dut.vector_i__valid.value = vector_valid
                if vector_valid:
                    dut.vector_i__payload.value = vectors[result.vectors]
            write_ready = rng.random() >= stalls.request
            dut.write__request__ready.value = write_ready
            respond = unacknowledged > 0 and rng.random() >= stalls.response
            bad = respond and rng.random() < error_rate
            dut.write__response__valid.value = respond
            dut.write__response__payload.value = bad

            # What it makes of them.
            await FallingEdge(dut.clk)
            if bad:
                result.errors += 1
            report = int(dut.error.value)
            assert report & 1 == bad, f"cycle {cycle}: error is {report & 1}, not {bad}"
            assert not bad or report >> 1 == isa.Error.WRITE, f"report {report >> 1:x}"
            done = int(dut.done.value) and cycle > 0
            if done:
                assert unacknowledged == 0, f"done with {unacknowledged} writes on the way"
                assert not int(dut.write__request__valid.value), "done before the last write"
            if cycle > 0 and not done:
                active = [name for name in EVENTS if int(getattr(dut, name).value)]
                assert len(active) == 1, f"cycle {cycle}: events {active}"
                result.events.append(active[0])
            unacknowledged -= respond
            if token_valid and int(dut.token_i__ready.value):
                result.tokens += 1
                token_valid = False
                assert int(dut.token_popped.value)
            else:
                assert not int(dut.token_popped.value)
            if vector_valid and int(dut.vector_i__ready.value):
                result.vectors += 1
                vector_valid = False
                assert int(dut.vector_popped.value)
            else:
                assert not int(dut.vector_popped.value)
            request = None
            if int(dut.write__request__valid.value):
                request = int(dut.write__request__payload.value)
            if offered is not None:
                assert request == offered, "a write request changed while it waited"
            offered = request if not write_ready else None
            if request is not None and write_ready:
                result.writes.append(
                    tuple(request >> f.offset & (1 << f.width) - 1 for f in (line, mask, lines))
                )
                unacknowledged += 1
            result.lines += int(dut.line_written.value)
            await RisingEdge(dut.clk)
            dut.start.value = 0
            if done:
                result.cycles = cycle
                return result
        raise TimeoutError(
            f"not done in {limit} cycles: {result.tokens} of {len(tokens)} tokens and "
            f"{result.vectors} of {len(vectors)} vectors popped, {len(result.writes)} writes, "
            f"last events {result.events[-5:]}"
        )

    def check(self, stimulus: Stimulus, run: Run) -> None:
        """Every word that was stored, and how often each line was written."""
        golden = Golden(self.config, stimulus.segments, stimulus.code)
        golden.run(stimulus.tokens, stimulus.vectors)
        image: dict[int, int] = {}
        for line, mask, words in run.writes:
            assert mask, f"line {line:x} is written with an empty mask"
            for n in range(self.config.lanes):
                if mask >> n & 1:
                    address = (line << self.config.line_shift) + 4 * n
                    image[address] = words >> 32 * n & 0xFFFFFFFF
        expected = golden.memory()
        wrong = {a for a in expected.keys() | image.keys() if expected.get(a) != image.get(a)}
        for address in sorted(wrong)[:4]:
            cocotb.log.error(
                "word %x is %s, not %s", address,
                *(f"{x:08x}" if x is not None else "-" for x in (
                    image.get(address), expected.get(address)
                )),
            )  # fmt: skip
        assert not wrong, f"{len(wrong)} of {len(expected)} words are wrong"
        assert run.tokens == len(stimulus.tokens)
        assert run.vectors == golden.popped == len(stimulus.vectors)
        assert run.lines == len(run.writes)

        # Each row's lines once each; a line that two neighbouring rows share may be written once.
        rows = golden.lines()
        most = sum(map(len, rows))
        shared = sum(1 for a, b in zip(rows, rows[1:], strict=False) if a & b)
        assert most - shared <= len(run.writes) <= most, (
            f"{len(run.writes)} writes for {most} lines of rows, {shared} of them shared"
        )

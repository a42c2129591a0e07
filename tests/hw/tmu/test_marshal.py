"""Marshaling against the contract: push order, tokens ahead of operands, rate."""

import random

import pytest
from ember.hw import isa
from ember.hw.config import Config
from ember.hw.tmu.item import ItemType
from ember.hw.tmu.marshal import Marshal

from ...support.program import load_memory
from ...support.streams import Bench


def _random_entry(config: Config, rng: random.Random) -> dict[str, int]:
    entry: dict[str, int] = {}
    scalars = [isa.Operand.NONE, isa.Operand.ENV0, isa.Operand.ENV2, isa.Operand.ARG]
    for layer in range(config.scalar_layers):
        for event in ("beg", "end"):
            entry[f"l{layer}_{event}_token"] = 1
            entry[f"l{layer}_{event}_pc"] = rng.randrange(config.code_depth)
            for n in range(isa.MARKER_OPERANDS):
                entry[f"l{layer}_{event}_op{n}"] = rng.choice(scalars)
    for event, count in isa.ROW_OPERANDS.items():
        choices = [*scalars, isa.Operand.DATA, isa.Operand.ITE] if event == "row_ite" else scalars
        entry[f"{event}_token"] = rng.random() < 0.7
        entry[f"{event}_pc"] = rng.randrange(config.code_depth)
        for n in range(count):
            entry[f"{event}_op{n}"] = rng.choice(choices)
    return entry


def _beats(config: Config, rng: random.Random, count: int) -> list[dict]:
    beats = []
    while len(beats) < count:
        item = {
            "lane": rng.randrange(config.fiber_lanes),
            "segment": rng.randrange(config.segments),
            "env": [rng.getrandbits(config.addr_width) for _ in range(3)],
            "arg": rng.getrandbits(32),
        }
        kind = rng.random()
        if kind < 0.2:
            layer, end = rng.randrange(config.scalar_layers), rng.getrandbits(1)
            item |= {"type": ItemType.MARK, "mark_layer": layer, "mark_end": end}
            beats.append({"item": item, "beg": 1, "end": 1})
        elif kind < 0.4:
            item |= {"type": ItemType.ITEM, "skip": 1, "first": 1, "last": rng.getrandbits(1)}
            beats.append({"item": item, "beg": 1, "end": 1})
        else:
            item |= {"type": ItemType.ITEM, "first": rng.getrandbits(1), "last": rng.getrandbits(1)}
            length = rng.randint(1, 4)
            for n in range(length):
                words = [rng.getrandbits(32) for _ in range(config.lanes)]
                beats.append(
                    {
                        "item": item,
                        "data": words,
                        "has_data": 1,
                        "beg": n == 0,
                        "end": n == length - 1,
                        "position": n * config.lanes,
                    }
                )
    return beats


def _golden(config: Config, entries: list[dict[str, int]], beats: list[dict]):
    """Tokens and vectors in order, straight from docs/machine.md section 4."""
    tokens: list[tuple] = []
    vectors: list[tuple] = []

    def push(event: str, beat: dict, operands: int) -> None:
        item, entry = beat["item"], entries[beat["item"]["segment"]]
        if entry.get(f"{event}_token"):
            flags = tuple(item.get(f, 0) for f in ("first", "last", "skip"))
            pc, lane, segment = entry[f"{event}_pc"], item["lane"], item["segment"]
            tokens.append((pc, lane, segment, *flags, item["arg"]))
        for n in range(operands):
            operand = entry.get(f"{event}_op{n}", 0)
            value = {
                isa.Operand.ITE: beat.get("position", 0),
                isa.Operand.ENV0: item["env"][0],
                isa.Operand.ENV1: item["env"][1],
                isa.Operand.ENV2: item["env"][2],
                isa.Operand.ARG: item["arg"],
            }.get(operand)
            if operand == isa.Operand.DATA:
                vectors.append(tuple(beat["data"]))
            elif value is not None:
                vectors.append((value & 0xFFFFFFFF, *[0] * (config.lanes - 1)))

    for beat in beats:
        item = beat["item"]
        if item["type"] == ItemType.MARK:
            event = f"l{item['mark_layer']}_{'end' if item['mark_end'] else 'beg'}"
            push(event, beat, isa.MARKER_OPERANDS)
            continue
        if beat["beg"]:
            push("row_beg", beat, 0 if item.get("skip") else isa.ROW_OPERANDS["row_beg"])
        if not item.get("skip"):
            push("row_ite", beat, isa.ROW_OPERANDS["row_ite"])
            if beat["end"]:
                push("row_end", beat, isa.ROW_OPERANDS["row_end"])
    return tokens, vectors


def _unpack(token) -> tuple:
    return (
        token.pc, token.lane, token.segment, token.first, token.last, token.skip, token.arg,
    )  # fmt: skip


@pytest.mark.parametrize("preset", ("tiny", "default", "paper"))
@pytest.mark.parametrize("stall", (0.0, 0.5))
def test_push_order(preset: str, stall: float, seed: int) -> None:
    config = Config.preset(preset)
    rng = random.Random(seed)
    entries = [_random_entry(config, rng) for _ in range(config.segments)]
    beats = _beats(config, rng, 200)
    tokens, vectors = _golden(config, entries, beats)
    dut = Marshal(config)
    bench = Bench(dut, seed, stall=stall)
    start = load_memory(bench, dut.program, config, "marshal", entries)
    bench.produce(dut.i, beats, start=start)
    got_tokens = bench.consume(dut.token_o, len(tokens), _unpack)
    got_vectors = bench.consume(dut.vector_o, len(vectors), tuple)
    bench.run()
    assert got_tokens == tokens
    assert got_vectors == vectors


def test_a_token_comes_before_its_operands(seed: int) -> None:
    """While the CtrlQ takes nothing, no operand of a token still to come is offered."""
    config = Config.preset("tiny")
    entry = {"row_ite_token": 1, "row_ite_op0": isa.Operand.DATA, "row_ite_op1": isa.Operand.ITE}
    dut = Marshal(config)
    bench = Bench(dut, seed)
    start = load_memory(bench, dut.program, config, "marshal", [entry])
    item = {"type": ItemType.ITEM}
    bench.produce(dut.i, [{"item": item, "has_data": 1, "beg": 1, "end": 1}], start=start)
    offered = []

    async def watch(ctx):
        ctx.set(dut.vector_o.ready, 1)
        for _ in range(start + 20):
            offered.append(ctx.get(dut.vector_o.valid))
            await ctx.tick()
        ctx.set(dut.token_o.ready, 1)
        for _ in range(5):
            offered.append(ctx.get(dut.vector_o.valid))
            await ctx.tick()

    bench.process(watch)
    bench.run(extra_cycles=start + 30)
    # The operand stands in the marshaling stage's output register a cycle later.
    assert offered == [0] * (start + 20) + [0, 1, 1, 0, 0]


def test_stop_waits_for_every_lane() -> None:
    config = Config.preset("default")
    dut = Marshal(config)
    bench = Bench(dut, 1)
    stops = [{"item": {"type": ItemType.STOP, "lane": k}} for k in range(config.fiber_lanes)]
    bench.produce(dut.i, stops * 2)
    halts = bench.consume(dut.token_o, 2, lambda token: token.halt)
    bench.run()
    assert halts == [1, 1]


def test_full_rate() -> None:
    """The optimized shape, one token and n vectors per row, takes n cycles."""
    config = Config.preset("default")
    entry = {"row_beg_token": 1, "row_ite_op0": isa.Operand.DATA}
    dut = Marshal(config)
    bench = Bench(dut, 1)
    start = load_memory(bench, dut.program, config, "marshal", [entry])
    item = {"type": ItemType.ITEM}
    beats = [{"item": item, "has_data": 1, "beg": 1, "end": 1} for _ in range(200)]
    bench.produce(dut.i, beats, start=start)
    bench.consume(dut.token_o, 200)
    bench.consume(dut.vector_o, 200)
    bench.run()
    assert bench.cycles <= start + 206

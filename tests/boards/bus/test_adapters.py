"""The adapters alone: order, errors, IDs and how many cycles they take."""

import random

import pytest
from amaranth.sim import Simulator
from ember.boards.bus.axi_lite_control import OKAY, AxiLiteControl
from ember.boards.bus.axi_read import AxiRead
from ember.boards.bus.axi_write import AxiWrite
from ember.boards.bus.widths import data_width, id_width
from ember.boards.bus.wishbone_memory import READS, RUN, WRITES, WishboneMemory
from ember.hw.config import Config
from ember.hw.layouts import tag
from ember.sim.packing import pack

from ...support.streams import Bench

CONFIG = Config.preset("tiny")
TAGS = [{"slot": slot, "stream": stream} for stream in (0, 2, 7) for slot in range(8)]
WIDTHS = [None, 64, 32]


def beats_of(width: int | None) -> int:
    return 8 * CONFIG.line_bytes // (width or 8 * CONFIG.line_bytes)


def line_data(line: int) -> list[int]:
    return [(line << 8 | n) * 0x9E3779B1 & 0xFFFFFFFF for n in range(CONFIG.lanes)]


def beat_data(line: int, beat: int, width: int) -> int:
    packed = sum(word << 32 * n for n, word in enumerate(line_data(line)))
    return packed >> beat * width & ((1 << width) - 1)


@pytest.mark.parametrize("stall", [0.0, 0.4])
@pytest.mark.parametrize("ids", [None, 2, 4])
@pytest.mark.parametrize("width", WIDTHS)
def test_axi_read(width, ids, stall, seed):
    """Requests in order; answers shuffled and interleaved reach their tags, errors with them."""
    rng = random.Random(f"{seed} {width} {ids} {stall}")
    beats, bits = beats_of(width), data_width(CONFIG, width)
    dut = AxiRead(CONFIG, width, ids)
    bench = Bench(dut, seed, stall=stall)
    count = 300
    # As in the machine, a tag is used again only when its answer has come.
    free, given, answered = list(TAGS), {}, []
    open_bursts: dict[int, list] = {}

    async def requests(ctx):
        port = dut.port.request
        for line in range(count):
            while not free or rng.random() < stall:
                await ctx.tick()
            own = free.pop(rng.randrange(len(free)))
            given[line] = own
            ctx.set(port.payload, {"line": line, "tag": own, "nt": line & 1})
            ctx.set(port.valid, 1)
            await ctx.tick().until(port.ready)
            ctx.set(port.valid, 0)

    async def addresses(ctx):
        seen = 0
        while True:
            ready = rng.random() >= stall
            ctx.set(dut.ar.ready, ready)
            _, _, valid, payload = await ctx.tick().sample(dut.ar.valid, dut.ar.payload)
            if valid and ready:
                assert payload.line == seen and payload.id not in open_bursts
                if ids is None:
                    assert payload.id == pack(tag(CONFIG), given[seen])
                open_bursts[payload.id] = [payload.line, 0]
                seen += 1

    async def data(ctx):
        while True:
            few = len(open_bursts) < 3 and rng.random() < 0.8
            if not open_bursts or few or rng.random() < stall:
                await ctx.tick()
                continue
            number = rng.choice(list(open_bursts))
            line, beat = open_bursts[number]
            error = line % 7 == 3 and beat == line % beats
            ctx.set(
                dut.r.payload,
                {"data": beat_data(line, beat, bits), "id": number, "error": error},
            )
            ctx.set(dut.r.valid, 1)
            await ctx.tick().until(dut.r.ready)
            ctx.set(dut.r.valid, 0)
            if beat + 1 == beats:
                del open_bursts[number]
            else:
                open_bursts[number][1] += 1

    def convert(payload):
        own = {"slot": payload.tag.slot, "stream": payload.tag.stream}
        (line,) = [n for n, other in given.items() if other == own]
        assert [payload.data[n] for n in range(CONFIG.lanes)] == line_data(line)
        assert payload.error == (line % 7 == 3)
        return line

    seen = bench.consume(dut.port.response, count, convert)

    async def recycle(ctx):
        while True:
            await ctx.tick()
            while len(answered) < len(seen):
                answered.append(seen[len(answered)])
                free.append(given.pop(answered[-1]))

    for process in (requests, addresses, data, recycle):
        bench.process(process)
    bench.run()
    assert sorted(seen) == list(range(count)) != seen


def rate(dut, ports, cycles: int = 400):
    """Transfers of each stream in ``cycles`` from the 100th on, all that is not named being ready.

    ``ports`` are names and functions of the context that set what a cycle needs.
    """
    counts = dict.fromkeys(ports, 0)
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)

    async def testbench(ctx):
        for cycle in range(100 + cycles):
            for _, drive in ports.values():
                drive(ctx)
            fired = {n: ctx.get(s.valid) and ctx.get(s.ready) for n, (s, _) in ports.items()}
            if cycle >= 100:
                for name, moved in fired.items():
                    counts[name] += bool(moved)
            await ctx.tick()

    simulator.add_testbench(testbench)
    simulator.run()
    return counts


@pytest.mark.parametrize("ids", [None, 5])
@pytest.mark.parametrize("width", WIDTHS)
def test_axi_read_moves_a_beat_in_every_cycle(width, ids):
    dut = AxiRead(CONFIG, width, ids)
    beats, waiting, line = beats_of(width), [], 0
    delayed: list = []

    def ask(ctx):
        ctx.set(dut.port.request.valid, 1)
        ctx.set(dut.port.request.payload.tag.slot, line)

    def take(ctx):
        ctx.set(dut.ar.ready, 1)
        if ctx.get(dut.ar.valid):
            delayed.append(ctx.get(dut.ar.payload.id))

    def answer(ctx):
        # Ten cycles after its request.
        if delayed[:-10]:
            waiting.extend([delayed.pop(0)] * beats)
        ctx.set(dut.r.valid, bool(waiting))
        if waiting:
            ctx.set(dut.r.payload.id, waiting[0])
            if ctx.get(dut.r.ready):
                waiting.pop(0)

    def respond(ctx):
        ctx.set(dut.port.response.ready, 1)

    ports = {
        "request": (dut.port.request, ask), "ar": (dut.ar, take), "r": (dut.r, answer),
        "response": (dut.port.response, respond),
    }  # fmt: skip
    counts = rate(dut, ports)
    assert counts["r"] == 400
    assert counts["response"] == 400 // beats
    if beats == 1:
        assert counts["request"] == 400


@pytest.mark.parametrize("stall", [0.0, 0.4])
@pytest.mark.parametrize("width", WIDTHS)
def test_axi_write(width, stall, seed):
    """Addresses and beats in order, strobes of the mask, answers counted; a beat per cycle."""
    rng = random.Random(f"{seed} {width} {stall}")
    beats, bits = beats_of(width), data_width(CONFIG, width)
    dut = AxiWrite(CONFIG, width)
    bench = Bench(dut, seed, stall=stall)
    count = 200
    masks = [rng.randrange(1 << CONFIG.lanes) for _ in range(count)]
    bench.produce(
        dut.port.request,
        [{"line": n, "data": line_data(n), "mask": mask} for n, mask in enumerate(masks)],
    )
    lines = bench.consume(dut.aw, count, lambda payload: payload.line)
    data = bench.consume(dut.w, count * beats, lambda p: (p.data, p.strobe, p.last))
    errors = [rng.random() < 0.3 for _ in range(count)]
    bench.produce(dut.b, [{"error": error} for error in errors])
    answers = bench.consume(dut.port.response, count, lambda payload: bool(payload.error))
    bench.run()
    assert lines == list(range(count)) and answers == errors
    expected = []
    for line, mask in enumerate(masks):
        for beat in range(beats):
            words = mask >> beat * bits // 32 & ((1 << bits // 32) - 1)
            strobe = sum(15 << 4 * n for n in range(bits // 32) if words >> n & 1)
            expected.append((beat_data(line, beat, bits), strobe, beat == beats - 1))
    assert data == expected
    if not stall:
        assert bench.cycles <= count * beats + 8


def test_axi_lite_alternates_writes_and_reads():
    """A write in every second cycle, and reads in between: neither waits for the other."""
    dut = AxiLiteControl()
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    counts = {"b": 0, "r": 0}

    async def testbench(ctx):
        for channel in (dut.aw, dut.w, dut.ar):
            ctx.set(channel.valid, 1)
        ctx.set(dut.w.payload.strobe, 15)
        ctx.set(dut.aw.payload, 0x14)
        ctx.set(dut.ar.payload, 0x3FFFFC)
        ctx.set(dut.b.ready, 1)
        ctx.set(dut.r.ready, 1)
        for _ in range(600):
            if ctx.get(dut.bus.write):
                assert ctx.get(dut.bus.address) == 5
            for name in counts:
                counts[name] += ctx.get(getattr(dut, name).valid)
            assert ctx.get(dut.b.payload) == OKAY
            await ctx.tick()

    simulator.add_testbench(testbench)
    simulator.run()
    assert counts["b"] >= 298 and counts["r"] >= 149


class WishboneSlave:
    """Answers every request ``latency`` cycles later, in every cycle if asked to."""

    def __init__(self, dut, latency: int):
        self._dut, self._latency = dut, latency
        self.asked = self.turns = self.cycles = 0
        self.most = self.open = 0

    async def run(self, ctx):
        dut, answers = self._dut, []
        before = 0
        while True:
            self.cycles += 1
            due = bool(answers) and answers[0] <= self.cycles
            ctx.set(dut.ack, due)
            if due:
                answers.pop(0)
            cyc = ctx.get(dut.cyc)
            self.turns += cyc and not before
            before = cyc
            if ctx.get(dut.stb):
                self.asked += 1
                answers.append(self.cycles + self._latency)
            self.most = max(self.most, len(answers))
            await ctx.tick()


@pytest.mark.parametrize("width", WIDTHS)
def test_wishbone_moves_a_beat_in_every_cycle(width, seed):
    beats, count = beats_of(width), 300
    dut = WishboneMemory(CONFIG, width)
    bench, slave = Bench(dut, seed), WishboneSlave(dut, 10)
    bench.process(slave.run)
    requests = [{"line": n, "tag": TAGS[n % 24], "nt": 0} for n in range(count)]
    bench.produce(dut.read.request, requests)
    tags = bench.consume(dut.read.response, count, lambda p: (p.tag.slot, p.tag.stream))
    bench.run()
    assert tags == [(t["tag"]["slot"], t["tag"]["stream"]) for t in requests]
    assert slave.asked == count * beats and slave.turns == 1
    assert bench.cycles <= count * beats + 24


def test_wishbone_takes_turns(seed):
    """With both directions always waiting, each has RUN lines at a time; rooms are kept."""
    count = 20 * RUN
    dut = WishboneMemory(CONFIG)
    bench, slave = Bench(dut, seed), WishboneSlave(dut, 3)
    bench.process(slave.run)
    bench.produce(
        dut.read.request, [{"line": n, "tag": TAGS[n % 24], "nt": 0} for n in range(count)]
    )
    bench.produce(
        dut.write.request, [{"line": n, "data": line_data(n), "mask": 15} for n in range(count)]
    )
    bench.consume(dut.read.response, count)
    bench.consume(dut.write.response, count)
    bench.run()
    assert slave.turns == 2 * count // RUN


def test_wishbone_asks_for_no_more_than_it_has_room_for(seed):
    """Responses that nobody takes hold back requests, not answers."""
    for half, most in (("read", READS), ("write", WRITES)):
        dut = WishboneMemory(CONFIG)
        bench, slave = Bench(dut, seed), WishboneSlave(dut, 2)
        bench.process(slave.run)
        request = {"line": 1, "tag": TAGS[0], "nt": 0}
        if half == "write":
            request = {"line": 1, "data": line_data(1), "mask": 15}
        port = getattr(dut, half).request

        async def ask(ctx, port=port, request=request):
            ctx.set(port.payload, request)
            ctx.set(port.valid, 1)

        bench.process(ask)
        bench.run(extra_cycles=300)
        assert slave.asked == most


@pytest.mark.parametrize(
    ("function", "width", "error", "message"),
    [
        (data_width, 16, ValueError, "data_width must be a power of two from 32 to 128, the bits "
         "of a line, not 16"),
        (data_width, 96, ValueError, "data_width must be a power of two from 32 to 128, the bits "
         "of a line, not 96"),
        (data_width, 256, ValueError, "data_width must be a power of two from 32 to 128, the bits "
         "of a line, not 256"),
        (data_width, "32", TypeError, "data_width must be an integer, not '32'"),
        (data_width, True, TypeError, "data_width must be an integer, not True"),
        (id_width, 0, ValueError, "id_width must be 1..6, the bits of a read tag, not 0"),
        (id_width, 7, ValueError, "id_width must be 1..6, the bits of a read tag, not 7"),
        (id_width, 2.0, TypeError, "id_width must be an integer, not 2.0"),
    ],
)  # fmt: skip
def test_wrong_widths(function, width, error, message):
    with pytest.raises(error) as caught:
        function(CONFIG, width)
    assert str(caught.value) == message

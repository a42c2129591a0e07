"""An optional cache between the load unit and the memory's read port."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ..config import Config
from ..layouts import NO_STREAM, ReadPort, read_request, read_response, tag, vector
from ..queues.queue import Queue
from .answers import Answers
from .directory import Directory
from .fetches import Fetches
from .generation import Generation
from .layouts import line, sets
from .waiters import Waiters

#: Misses, and lines, that may be inside a pipeline with its queue, and the fewest hits: enough that
#: a place is given back before the next one is needed.
_DEPTH = 16


def cache_events() -> data.StructLayout:
    """What the performance counters see of the cache: what became of a request in this cycle."""
    return data.StructLayout({"hit": 1, "merged": 1, "missed": 1, "bypassed": 1})


class ReadCache(wiring.Component):
    """Non-blocking, set-associative: hits overtake misses, a line on its way is asked for once.

    A request whose line is here is answered from the data memory. One whose line is on its way
    waits for it in that line's list. Any other one goes to the memory, with the tag it came with;
    the line gets a place, unless the request has the non-temporal hint or all lines of its set are
    on their way. A line that comes with an error is handed to all that wait for it and not kept.

    Parameters
    ----------
    config : Config
        With ``cache_lines``.

    Members
    -------
    port : In(ReadPort), the load unit's. Tags are unique among the requests not yet answered
    memory : Out(ReadPort)
    flush : In(1), forget all lines. Requests wait until all earlier ones are answered; then lines
        are forgotten in one cycle, and once in 255 flushes in as many cycles as there are tags or
        sets
    events : Out(cache_events)

    A response that the memory was not asked for is passed on with stream number ``NO_STREAM``,
    which the load unit reports: with its own tag it could be taken for the answer to a request
    that the memory has not seen.

    Latency: a hit is answered 4 cycles after its request, 5 from 32 MSHRs on; a miss leaves 3
    cycles after its request and is answered 4 cycles after the memory's response. Those that wait
    with it follow, one per cycle.
    Throughput: one request and one response per cycle, whatever is mixed.
    Back-pressure: requests wait while misses fill a queue of 16, or hits one of as many as there
    are MSHRs; misses wait while ``cache_fetches`` lines are on their way. Responses of the memory
    wait while earlier lines are being answered. Answering never waits for a request or for the
    memory, and misses wait for nothing else, so everything is answered in the end.

    Raises
    ------
    ValueError
        ``config`` has no cache.
    """

    port: wiring.PureInterface
    memory: wiring.PureInterface
    flush: Signal
    events: data.View

    def __init__(self, config: Config):
        if not config.cache_lines:
            raise ValueError("cache_lines must be above 0 for a cache, not 0")
        self._config = config
        super().__init__(
            {
                "port": In(ReadPort(config)),
                "memory": Out(ReadPort(config)),
                "flush": In(1),
                "events": Out(cache_events()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        tags = 1 << tag(config).size
        request, answer = self.port.request, self.port.response
        m.submodules.generation = generation = Generation(max(sets(config), tags))
        m.submodules.directory = directory = Directory(config)
        m.submodules.fetches = fetches = Fetches(config)
        m.submodules.waiters = waiters = Waiters(tag(config), line(config))
        for part in (directory, fetches):
            m.d.comb += [
                part.generation.eq(generation.number),
                part.sweeping.eq(generation.sweeping),
                part.entry.eq(generation.entry),
            ]

        # A request is taken when there is room for whatever becomes of it: from then on it never
        # stalls. What it did not need is given back.
        m.submodules.misses = misses = Queue(read_request(config), _DEPTH)
        # While lines come, hits wait. All that may be outstanding have room, so that they never
        # hold up the misses behind them.
        depth = max(_DEPTH, config.mshrs)
        m.submodules.hits = hits = Queue(answer.payload.shape(), depth)
        hit_left, miss_left = Signal(), Signal()
        verdict = directory.o
        decided, taken = Signal(), Signal()
        room = Signal()
        hit_room = self._room(m, "hit_room", depth, taken, decided & ~verdict.hit, hit_left)
        miss_room = self._room(m, "miss_room", _DEPTH, taken, decided & ~verdict.get, miss_left)
        flushing = self._flush(m, generation, taken, answer)
        m.d.comb += [
            room.eq((hit_room != 0) & (miss_room != 0)),
            request.ready.eq(room & ~flushing & ~generation.sweeping),
            taken.eq(request.valid & request.ready),
            directory.lookup.valid.eq(taken),
            directory.lookup.request.eq(request.payload),
            decided.eq(verdict.hit | verdict.wait | verdict.get),
            self.events.hit.eq(verdict.hit),
            self.events.merged.eq(verdict.wait),
            self.events.missed.eq(verdict.get & verdict.fetch.keep),
            self.events.bypassed.eq(verdict.get & ~verdict.fetch.keep),
        ]

        # Misses: to the memory, and a list of those who wait.
        m.d.comb += [
            misses.i.valid.eq(verdict.get),
            misses.i.payload.line.eq(verdict.line),
            misses.i.payload.tag.eq(verdict.tag),
            misses.i.payload.nt.eq(verdict.nt),
            fetches.issue.valid.eq(verdict.get),
            fetches.issue.tag.eq(verdict.tag),
            fetches.issue.fetch.eq(verdict.fetch),
            waiters.create.valid.eq(verdict.get),
            waiters.create.tag.eq(verdict.tag),
            waiters.push.valid.eq(verdict.wait),
            waiters.push.first.eq(verdict.first),
            waiters.push.tag.eq(verdict.tag),
        ]
        on_their_way = Signal(range(config.cache_fetches + 1))
        may_go = Signal()
        m.d.comb += [
            may_go.eq(on_their_way != config.cache_fetches),
            self.memory.request.valid.eq(misses.o.valid & may_go),
            self.memory.request.payload.eq(misses.o.payload),
            misses.o.ready.eq(self.memory.request.ready & may_go),
            miss_left.eq(misses.o.valid & misses.o.ready),
        ]
        m.d.sync += on_their_way.eq(on_their_way + miss_left - fetches.o.known)

        # Lines from memory: look up the fetch, then put the line into its place and let those
        # who wait have it. In that cycle one more may still join them; the queue keeps their list
        # from being read before.
        came = self.memory.response
        m.submodules.lines = lines = Queue(waiters.i.payload.shape(), _DEPTH)
        came1, line1 = Signal(), Signal(read_response(config))
        came2, line2 = Signal(), Signal(read_response(config))
        known2, fetch2 = Signal(), Signal.like(fetches.o.fetch)
        line_room = self._room(
            m, "line_room", _DEPTH, came.valid & came.ready, 0, lines.o.valid & lines.o.ready
        )
        m.d.comb += [
            came.ready.eq(line_room != 0),
            fetches.arrive.valid.eq(came.valid & came.ready),
            fetches.arrive.tag.eq(came.payload.tag),
        ]
        m.d.sync += [
            came1.eq(came.valid & came.ready),
            line1.eq(came.payload),
            came2.eq(came1),
            line2.eq(line1),
            known2.eq(fetches.o.known),
            fetch2.eq(fetches.o.fetch),
        ]
        m.d.comb += [
            directory.done.valid.eq(came2 & known2 & fetch2.keep),
            directory.done.place.eq(fetch2.place),
            directory.done.turn.eq(fetch2.turn),
            directory.done.good.eq(~line2.error),
            lines.i.valid.eq(came2),
            lines.i.payload.alone.eq(~known2),
            lines.i.payload.tag.eq(line2.tag),
            lines.i.payload.payload.data.eq(line2.data),
            lines.i.payload.payload.error.eq(line2.error),
            lines.i.payload.payload.known.eq(known2),
        ]
        wiring.connect(m, lines.o, waiters.i)

        # Hits: read the line. Its place cannot be given away and filled so soon.
        m.submodules.ram = ram = memory.Memory(
            shape=vector(config), depth=max(2, config.cache_lines), init=[]
        )
        write, read = ram.write_port(), ram.read_port()
        found, found_tag = Signal(), Signal(tag(config))
        m.d.sync += [found.eq(verdict.hit), found_tag.eq(verdict.tag)]
        m.d.comb += [
            write.en.eq(directory.done.valid),
            write.addr.eq(fetch2.place.as_value()),
            write.data.eq(line2.data),
            read.en.eq(verdict.hit),
            read.addr.eq(verdict.fetch.place.as_value()),
            hits.i.valid.eq(found),
            hits.i.payload.tag.eq(found_tag),
            hits.i.payload.data.eq(read.data),
            hit_left.eq(hits.o.valid & hits.o.ready),
        ]

        m.submodules.answers = answers = Answers(config)
        wiring.connect(m, waiters.o, answers.lines)
        wiring.connect(m, hits.o, answers.hits)
        wiring.connect(m, answers.o, wiring.flipped(answer))
        return m

    @staticmethod
    def _room(m, name: str, depth: int, taken, unused, left) -> Signal:
        """Free entries of a queue, those promised to what is on its way not counted."""
        room = Signal(range(depth + 1), init=depth, name=name)
        m.d.sync += room.eq(room - taken + unused + left)
        return room

    def _flush(self, m, generation, taken, answer) -> Signal:
        """A new generation, as soon as no request is inside; a reset needs one, too."""
        flushing = Signal(init=1)
        inside = Signal(range((1 << tag(self._config).size) + 1))
        answered = Signal()
        m.d.comb += [
            answered.eq(
                answer.valid & answer.ready & (answer.payload.tag.stream != NO_STREAM)
            ),
            generation.advance.eq(flushing & (inside == 0) & ~generation.sweeping),
        ]
        m.d.sync += inside.eq(inside + taken - answered)
        with m.If(self.flush):
            m.d.sync += flushing.eq(1)
        with m.Elif(generation.advance):
            m.d.sync += flushing.eq(0)
        return flushing

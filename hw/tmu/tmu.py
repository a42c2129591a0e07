"""The tensor marshaling unit: wiring of its layers, load unit and marshaling stage."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..activity import access_units, activity, activity_of
from ..config import Config
from ..core.operation import chunk
from ..layouts import ReadPort, error_report, scalar_stream, token, vector
from ..program_memory import ProgramWrite
from .align import Align
from .line_ring import LineRing
from .load_addresses import STREAMS
from .load_unit import LoadUnit, stream_order
from .marshal import Marshal
from .row_layer import RowLayer
from .row_window import RowWindow
from .scalar_layer import ScalarLayer
from .sequencer import Sequencer
from .store_stream import StoreStream


def tmu_events(config: Config) -> data.StructLayout:
    """What the performance counters see of the access unit in a cycle."""
    return data.StructLayout(
        {
            "rows": 1,
            "granted": len(stream_order(config)),
            "port_mshr": 1,
            "port_memory": 1,
            "port_ring": 1,
            "outstanding": range(config.mshrs + 1),
        }
    )


def stream_state(config: Config) -> data.StructLayout:
    """Where data stands in the access unit, stream by stream: for the dump of a hang."""
    handshake = data.StructLayout({"valid": 1, "ready": 1})
    layers = [f"layer{n}" for n in range(config.scalar_layers)]
    names = ("segments", *layers, "rows", "spans", "lines", "beats")
    if config.store_streams:
        names += ("chunks",)
    return data.StructLayout({name: handshake for name in names})


def error_sources(config: Config) -> int:
    """Error reports of the access unit."""
    return 2 * config.scalar_layers + 2


class Tmu(wiring.Component):
    """Walks the loop nest, loads, and marshals operands and tokens: docs/machine.md 1-4 and 6.

    Parameters
    ----------
    config : Config

    Members
    -------
    start : In(1), segments : In(range(config.segments + 1)): see Sequencer
    program : In(ProgramWrite)
    read : Out(ReadPort)
    token_o : Out(stream of token), vector_o : Out(stream of vector), with an execute unit
    vector_popped : In(1), one leaves the DataQ; only with a ``row_window``
    chunk_o : Out(stream of :func:`~ember.hw.core.operation.chunk`), stored_idle, ended : Out(1),
        see StoreStream; only with ``store_streams``
    errors : Out(ArrayLayout of {valid, report}), a cycle late
    events : Out(tmu_events), a cycle late
    state : Out(stream_state)
    activity : Out(activity of access_units), a cycle late

    Latency: three dependent loads and about 45 cycles from start to the first token.
    Throughput: one line request per cycle.

    Raises
    ------
    TypeError
        ``config`` is not a Config.
    """

    start: Signal
    segments: Signal
    program: wiring.PureInterface
    read: wiring.PureInterface
    token_o: stream.Interface
    vector_o: stream.Interface
    vector_popped: Signal
    chunk_o: stream.Interface
    stored_idle: Signal
    ended: Signal
    errors: data.View
    events: data.View
    state: data.View
    activity: data.View

    def __init__(self, config: Config):
        if not isinstance(config, Config):
            raise TypeError(f"config must be a Config, not {config!r}")
        self._config = config
        report = data.StructLayout({"valid": 1, "report": error_report(config)})
        ways = {}
        if config.execute:
            ways["token_o"] = Out(stream.Signature(token(config)))
            ways["vector_o"] = Out(stream.Signature(vector(config)))
        if config.row_window:
            ways["vector_popped"] = In(1)
        if config.store_streams:
            ways["chunk_o"] = Out(stream.Signature(chunk(config)))
            ways |= {"stored_idle": Out(1), "ended": Out(1)}
        super().__init__(
            {
                "start": In(1),
                "segments": In(range(config.segments + 1)),
                "program": In(ProgramWrite()),
                "read": Out(ReadPort(config)),
                **ways,
                "errors": Out(data.ArrayLayout(report, error_sources(config))),
                "events": Out(tmu_events(config)),
                "state": Out(stream_state(config)),
                "activity": Out(activity(access_units(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        order = stream_order(config)
        m.submodules.sequencer = sequencer = Sequencer(config)
        m.submodules.loads = loads = LoadUnit(config, order)
        m.d.comb += [sequencer.start.eq(self.start), sequencer.segments.eq(self.segments)]
        wiring.connect(m, loads.read, wiring.flipped(self.read))

        above, errors, unknown = sequencer.o, [], []
        streams = {"segments": sequencer.o}
        for number in range(config.scalar_layers):
            layer = ScalarLayer(config, number)
            m.submodules[f"layer{number}"] = layer
            wiring.connect(m, wiring.flipped(self.program), layer.program)
            wiring.connect(m, above, layer.i)
            m.d.comb += layer.flush.eq(self.start)
            for k in range(STREAMS):
                port = order.index(scalar_stream(number, k))
                beyond = self._connect_loads(m, loads, port, layer.requests[k], layer.fills[k])
                unknown.append(beyond)
            above = streams[f"layer{number}"] = layer.o
            errors += [layer.errors[0], layer.errors[1]]
            waits = Cat(r.valid & ~r.ready for r in layer.requests).any()
            m.d.sync += self.activity[f"layer{number}"].eq(
                activity_of(layer.o.valid & layer.o.ready, layer.o.valid | waits)
            )
            unknown.append(layer.unknown)

        m.submodules.row = row = RowLayer(config)
        m.submodules.ring = ring = LineRing(config)
        m.submodules.align = align = Align(config)
        marshal = Marshal(config) if config.execute else None
        store = StoreStream(config) if config.store_streams else None
        if marshal is not None:
            m.submodules.marshal = marshal
        if store is not None:
            m.submodules.store = store
        wiring.connect(m, wiring.flipped(self.program), row.program)
        for end in (marshal, store):
            if end is not None:
                wiring.connect(m, wiring.flipped(self.program), end.program)
        wiring.connect(m, above, row.i)
        wiring.connect(m, row.rows, align.rows)
        if config.row_window and marshal is not None:
            m.submodules.window = window = RowWindow(config)
            wiring.connect(m, row.spans, window.i)
            wiring.connect(m, window.o, ring.spans)
            m.d.comb += [
                window.row_pushed.eq(marshal.row_pushed),
                window.vector_pushed.eq(marshal.pushed),
                window.vector_popped.eq(self.vector_popped),
            ]
        else:
            wiring.connect(m, row.spans, ring.spans)
        wiring.connect(m, ring.o, align.lines)
        self._connect_beats(m, align.o, marshal, store)
        if marshal is not None:
            wiring.connect(m, marshal.token_o, wiring.flipped(self.token_o))
            wiring.connect(m, marshal.vector_o, wiring.flipped(self.vector_o))
        if store is not None:
            wiring.connect(m, store.o, wiring.flipped(self.chunk_o))
            m.d.comb += [
                store.start.eq(self.start),
                self.stored_idle.eq(store.idle),
                self.ended.eq(store.ended),
            ]
            streams["chunks"] = store.o
        beyond = self._connect_loads(m, loads, len(order) - 1, ring.request, ring.fill)
        unknown += [ring.unknown, beyond]
        errors += [align.error, loads.error]

        streams |= {"rows": row.rows, "spans": row.spans, "lines": ring.o, "beats": align.o}
        for name, stream_o in streams.items():
            m.d.comb += [
                self.state[name].valid.eq(stream_o.valid),
                self.state[name].ready.eq(stream_o.ready),
            ]
        m.d.comb += loads.unknown.eq(Cat(unknown).any())
        m.d.sync += [
            *(self.errors[k].eq(error) for k, error in enumerate(errors)),
            self.events.rows.eq(align.row_read),
            self.events.granted.eq(loads.granted),
            self.events.port_mshr.eq(loads.blocked_mshr),
            self.events.port_memory.eq(loads.blocked_memory),
            self.events.port_ring.eq(ring.full),
            self.events.outstanding.eq(loads.outstanding),
            self.activity.row.eq(
                activity_of(
                    align.o.valid & align.o.ready,
                    align.o.valid | ring.full | (ring.request.valid & ~ring.request.ready),
                )
            ),
            self.activity.loads.eq(
                activity_of(loads.granted.any(), loads.blocked_mshr | loads.blocked_memory)
            ),
        ]
        return m

    @staticmethod
    def _connect_beats(m, beats, marshal: Marshal | None, store: StoreStream | None):
        """Rows go to the queues or to memory, as their segment says where both are there."""
        if store is None or marshal is None:
            for end in (marshal, store):
                if end is not None:
                    wiring.connect(m, beats, end.i)
            return
        # An item without data goes where markers and the program's end go.
        stored = beats.payload.stored & beats.payload.has_data
        m.d.comb += [
            marshal.i.payload.eq(beats.payload),
            marshal.i.valid.eq(beats.valid & ~stored),
            store.i.payload.eq(beats.payload),
            store.i.valid.eq(beats.valid & stored),
            beats.ready.eq(Mux(stored, store.i.ready, marshal.i.ready)),
        ]

    @staticmethod
    def _connect_loads(m, loads, port, request, fill):
        """Returns a signal: the response's tag has a slot number that this stream does not have.

        A tag's slot is as wide as the largest stream needs. Cut to the width of a smaller one, it
        could name a slot that waits for another response.
        """
        taken, answer = loads.requests[port], loads.fills[port]
        beyond = answer.slot[len(fill.slot) :].any()
        m.d.comb += [
            taken.valid.eq(request.valid),
            taken.payload.line.eq(request.payload.line),
            taken.payload.slot.eq(request.payload.slot),
            taken.payload.nt.eq(request.payload.nt),
            request.ready.eq(taken.ready),
            fill.valid.eq(answer.valid & ~beyond),
            fill.slot.eq(answer.slot),
            fill.data.eq(answer.data),
            fill.error.eq(answer.error),
        ]
        return answer.valid & beyond

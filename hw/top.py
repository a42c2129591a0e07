"""The whole machine: control, access unit, queues, execute pipeline. Wiring and nothing else."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

from .activity import Activity, access_units, activity, activity_of, units
from .config import Config
from .control import Control
from .core.core import Core
from .core.row_store import RowStore
from .layouts import ROW_STREAM, ReadPort, RegisterBus, WritePort, token, vector
from .mem.read_cache import ReadCache
from .occupancy import BINS, occupancy
from .queues.queue import Queue
from .tmu.load_unit import stream_order
from .tmu.tmu import Tmu, error_sources, stream_state


def probe_state(config: Config) -> data.StructLayout:
    """What a hang dump shows: who holds what, and who waits for whom."""
    handshake = data.StructLayout({"valid": 1, "ready": 1})
    queues, levels, waits = {}, {}, {}
    if config.execute:
        queues = {"dataq": handshake, "ctrlq": handshake}
        levels = {
            "dataq_level": range(config.dataq_depth + 1),
            "ctrlq_level": range(config.ctrlq_depth + 1),
        }
        waits = {f"exec_{what}": 1 for what in ("token", "data", "hazard", "store")}
    return data.StructLayout(
        {
            "running": 1,
            "tmu": stream_state(config),
            **queues,
            "read": handshake,
            "memory": handshake,
            "write": handshake,
            **levels,
            "outstanding": range(config.mshrs + 1),
            "port_mshr": 1,
            "port_memory": 1,
            "port_ring": 1,
            **waits,
            "activity": activity(units(config)),
        }
    )


class Machine(wiring.Component):
    """A decoupled access-execute machine for embedding operations.

    Parameters
    ----------
    config : Config
    probes : bool
        Add outputs that show every transfer into the queues and the state for a hang dump. They
        change nothing else.

    Members
    -------
    bus : RegisterBus, docs/csr.md
    read : Out(ReadPort), write : Out(WritePort)
    irq : Out(1)
    probe_token, probe_vector : Out({valid, payload}), with ``probes`` and an execute unit
    probe_state : Out(probe_state), with ``probes``

    Throughput: one line read, one line written and one vector operation per cycle.

    Raises
    ------
    TypeError
        ``config`` is not a Config, or ``probes`` not a bool.
    """

    bus: wiring.PureInterface
    read: wiring.PureInterface
    write: wiring.PureInterface
    irq: Signal
    probe_token: data.View
    probe_vector: data.View
    probe_state: data.View

    def __init__(self, config: Config, *, probes: bool = False):
        if not isinstance(config, Config):
            raise TypeError(f"config must be a Config, not {config!r}")
        if not isinstance(probes, bool):
            raise TypeError(f"probes must be a bool, not {probes!r}")
        self._config, self._probes = config, probes
        members = {
            "bus": Out(RegisterBus()),
            "read": Out(ReadPort(config)),
            "write": Out(WritePort(config)),
            "irq": Out(1),
        }
        if probes:
            queued = {"token": token(config), "vector": vector(config)} if config.execute else {}
            for name, shape in queued.items():
                layout = data.StructLayout({"valid": 1, "payload": shape})
                members[f"probe_{name}"] = Out(layout)
            members["probe_state"] = Out(probe_state(config))
        super().__init__(members)

    @property
    def config(self) -> Config:
        """The machine's parameters."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.control = control = Control(config, error_sources(config) + 1)
        m.submodules.tmu = tmu = Tmu(config)
        queues = {}
        if config.execute:
            m.submodules.dataq = queues["dataq"] = Queue(vector(config), config.dataq_depth)
            m.submodules.ctrlq = queues["ctrlq"] = Queue(token(config), config.ctrlq_depth)
            m.submodules.core = core = Core(config)
        else:
            m.submodules.core = core = RowStore(config)

        wiring.connect(m, wiring.flipped(self.bus), control.bus)
        wiring.connect(m, control.program, tmu.program)
        if config.execute:
            wiring.connect(m, control.program, core.program)
        if config.cache_lines:
            m.submodules.cache = cache = ReadCache(config)
            wiring.connect(m, tmu.read, cache.port)
            wiring.connect(m, cache.memory, wiring.flipped(self.read))
            m.d.comb += [
                cache.flush.eq(control.start),
                control.events.cache_hits.eq(cache.events.hit),
                control.events.cache_merged.eq(cache.events.merged),
                control.events.cache_misses.eq(cache.events.missed),
                control.events.cache_bypassed.eq(cache.events.bypassed),
            ]
        else:
            wiring.connect(m, tmu.read, wiring.flipped(self.read))
        wiring.connect(m, core.write, wiring.flipped(self.write))
        if config.execute:
            wiring.connect(m, tmu.token_o, queues["ctrlq"].i)
            wiring.connect(m, tmu.vector_o, queues["dataq"].i)
            wiring.connect(m, queues["ctrlq"].o, core.token_i)
            wiring.connect(m, queues["dataq"].o, core.vector_i)
        done = core.done
        if config.store_streams:
            wiring.connect(m, tmu.chunk_o, core.chunk_i)
            # With an execute unit `halt` comes last: nothing is in front of it any more.
            done &= tmu.stored_idle & (tmu.ended | bool(config.execute))
        m.d.comb += [
            self.irq.eq(control.irq),
            tmu.start.eq(control.start),
            tmu.segments.eq(control.segments),
            *([core.start.eq(control.start)] if config.execute else ()),
            control.done.eq(done),
        ]
        if config.row_window:
            m.d.comb += tmu.vector_popped.eq(core.vector_popped)
        for k in range(error_sources(config)):
            m.d.comb += control.errors[k].eq(tmu.errors[k])
        m.d.comb += control.errors[error_sources(config)].eq(core.error)

        doing = Signal(activity(units(config)))
        stored = core.write.request
        m.d.comb += [
            *(doing[name].eq(tmu.activity[name]) for name in access_units(config)),
            *(
                doing[name].eq(
                    activity_of((q.i.valid & q.i.ready) | (q.o.valid & q.o.ready), q.o.valid)
                )
                for name, q in queues.items()
            ),
        ]
        if config.execute:
            waits = core.wait_hazard | core.wait_store
            m.d.comb += doing.execute.eq(activity_of(core.busy, waits))
        m.d.comb += [
            doing.store.eq(activity_of(core.line_written, stored.valid)),
        ]

        # Counters: one entry of isa.COUNTERS each.
        events, seen, granted = control.events, tmu.events, tmu.events.granted
        requested = granted.any()
        if config.execute:
            m.d.comb += [
                events.tokens.eq(core.token_popped & ~queues["ctrlq"].o.payload.halt),
                events.vectors.eq(core.vector_popped),
            ]
        m.d.comb += [
            events.rows.eq(seen.rows),
            events.lines_out.eq(core.line_written),
            events.lines_memory.eq(self.read.request.valid & self.read.request.ready),
            events.port_busy.eq(requested),
            events.port_mshr.eq(seen.port_mshr),
            events.port_memory.eq(seen.port_memory),
            events.port_ring.eq(
                seen.port_ring & ~Cat(requested, seen.port_mshr, seen.port_memory).any()
            ),
            events.port_idle.eq(
                ~Cat(requested, seen.port_mshr, seen.port_memory, seen.port_ring).any()
            ),
        ]
        if config.execute:
            m.d.comb += [
                events.exec_busy.eq(core.busy),
                # Whatever else it does not wait for: so the five add up to all cycles.
                events.exec_token.eq(
                    ~Cat(core.busy, core.wait_data, core.wait_hazard, core.wait_store).any()
                ),
                events.exec_data.eq(core.wait_data),
                events.exec_hazard.eq(core.wait_hazard),
                events.exec_store.eq(core.wait_store),
            ]
        m.d.comb += [
            *(events[f"{name}_full"].eq(q.i.valid & ~q.i.ready) for name, q in queues.items()),
            *(events[f"{name}_high"].eq(q.high_water) for name, q in queues.items()),
            *(events[f"{name}_peak"].eq(q.level) for name, q in queues.items()),
            events.outstanding_peak.eq(seen.outstanding),
            events.outstanding_sum.eq(seen.outstanding),
        ]
        for name in units(config):
            for state in Activity:
                m.d.comb += events[f"{name}_{state.name.lower()}"].eq(doing[name] == state)
        for name, q in queues.items():
            bins = occupancy(q.level, q.depth)
            m.d.comb += [events[f"{name}_bin{k}"].eq(bins[k]) for k in range(BINS)]
        for k, number in enumerate(stream_order(config)):
            name = "row" if number == ROW_STREAM else f"l{number // 2}m{number % 2}"
            m.d.comb += getattr(events, f"lines_{name}").eq(granted[k])

        if self._probes:
            if config.execute:
                probes = {"ctrlq": self.probe_token, "dataq": self.probe_vector}
                for name, probe in probes.items():
                    m.d.comb += [
                        probe.valid.eq(queues[name].i.valid & queues[name].i.ready),
                        probe.payload.eq(queues[name].i.payload),
                    ]
            state = self.probe_state
            handshakes = {
                **{name: q.i for name, q in queues.items()}, "read": tmu.read.request,
                "memory": self.read.request, "write": core.write.request,
            }  # fmt: skip
            for name, stream in handshakes.items():
                m.d.comb += [
                    state[name].valid.eq(stream.valid),
                    state[name].ready.eq(stream.ready),
                ]
            m.d.comb += [
                state.running.eq(control.running),
                state.tmu.eq(tmu.state),
                *(state[f"{name}_level"].eq(q.level) for name, q in queues.items()),
                state.outstanding.eq(seen.outstanding),
                state.port_mshr.eq(seen.port_mshr),
                state.port_memory.eq(seen.port_memory),
                state.port_ring.eq(seen.port_ring),
            ]
            if config.execute:
                m.d.comb += [
                    state.exec_token.eq(core.wait_token),
                    state.exec_data.eq(core.wait_data),
                    state.exec_hazard.eq(core.wait_hazard),
                    state.exec_store.eq(core.wait_store),
                ]
            m.d.comb += state.activity.eq(doing)
        return m

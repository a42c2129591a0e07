"""The execute pipeline."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..config import Config
from ..isa import Error
from ..layouts import WritePort, error_report, token, vector
from ..program_memory import ProgramWrite
from ..queues.queue import Queue
from ..queues.stage import Stage
from .chunk_arbiter import ChunkArbiter
from .delay import delay
from .emission import Emission
from .fetch import Fetch
from .issue import Issue
from .operation import chunk
from .stages import RESULT
from .store import Store
from .vector_unit import VectorUnit
from .walk import Walk


class Core(wiring.Component):
    """Runs the tokens' callbacks on the DataQ's vectors and stores the result rows.

    ::

        token_i -> Fetch -> Walk -> Issue -> VectorUnit -> Emission -> Store -> write
                        vector_i ----^               chunk_i -----^

    Parameters
    ----------
    config : Config

    Members
    -------
    token_i : In(stream of token), vector_i : In(stream of vector), the queues' read ends
    program : In(ProgramWrite)
    chunk_i : In(stream of :func:`~.operation.chunk`), rows of the access unit, which share the
        store unit; only with ``store_streams``
    write : Out(WritePort)
    start : In(1), begin a run; ignored by what is still running, so wait for ``done``
    done : Out(1), ``halt`` was executed and every write acknowledged; until the next ``start``
    error : Out(struct of ``valid`` and ``report``), one cycle per error
    token_popped, vector_popped, line_written : Out(1), events for the performance counters
    busy, wait_token, wait_data, wait_hazard, wait_store : Out(1), exactly one in each cycle from
        the one after ``start`` to ``done``

    Latency: 4 cycles from a token to the issue of its first instruction, RESULT + 7 more to the
    first write request. Throughput: 1 chunk per cycle, if the results that it needs are
    ADD_STAGES chunks away.
    Back-pressure: on both inputs.

    Raises
    ------
    TypeError
        ``config`` is not a Config.

    Ref: docs/machine.md, section 5.
    """

    token_i: stream.Interface
    vector_i: stream.Interface
    chunk_i: stream.Interface
    program: wiring.PureInterface
    write: wiring.PureInterface
    start: Signal
    done: Signal
    error: data.View
    token_popped: Signal
    vector_popped: Signal
    line_written: Signal
    busy: Signal
    wait_token: Signal
    wait_data: Signal
    wait_hazard: Signal
    wait_store: Signal

    def __init__(self, config: Config):
        if not isinstance(config, Config):
            raise TypeError(f"config must be a Config, not {config!r}")
        self._config = config
        rows = {"chunk_i": In(stream.Signature(chunk(config)))} if config.store_streams else {}
        super().__init__(
            {
                "token_i": In(stream.Signature(token(config))),
                "vector_i": In(stream.Signature(vector(config))),
                **rows,
                "program": In(ProgramWrite()),
                "write": Out(WritePort(config)),
                "start": In(1),
                "done": Out(1),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
                "token_popped": Out(1),
                "vector_popped": Out(1),
                "line_written": Out(1),
                "busy": Out(1),
                "wait_token": Out(1),
                "wait_data": Out(1),
                "wait_hazard": Out(1),
                "wait_store": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.fetch = fetch = Fetch(config)
        m.submodules.walk = walk = Walk(config)
        m.submodules.issue = issue = Issue(config)
        m.submodules.vector_unit = vector_unit = VectorUnit(config)
        m.submodules.emission = emission = Emission(config)
        m.submodules.store = store = Store(config)

        # Keeps what the issue is ready for away from the CtrlQ.
        m.submodules.tokens = tokens = Queue(token(config), 2)
        connect(m, flipped(self.token_i), tokens.i)
        connect(m, tokens.o, fetch.token_i)
        # What comes out of block RAM late in the cycle.
        m.submodules.vectors = vectors = Stage(vector(config))
        connect(m, flipped(self.vector_i), vectors.i)
        connect(m, vectors.o, issue.vector_i)
        connect(m, flipped(self.program), fetch.program)
        connect(m, fetch.o, walk.i)
        connect(m, walk.o, issue.i)
        # What the write port is ready for ends here.
        m.submodules.chunks = chunks = Queue(store.i.payload.shape(), 2)
        if config.store_streams:
            m.submodules.arbiter = arbiter = ChunkArbiter(config)
            connect(m, emission.o, arbiter.first)
            connect(m, flipped(self.chunk_i), arbiter.second)
            connect(m, arbiter.o, chunks.i)
        else:
            connect(m, emission.o, chunks.i)
        connect(m, chunks.o, store.i)
        connect(m, store.write, flipped(self.write))
        m.d.comb += [
            fetch.start.eq(self.start),
            walk.start.eq(self.start),
            walk.popping.eq(issue.popping),
            issue.at.eq(fetch.at),
            fetch.scalar.eq(issue.scalar),
            emission.start.eq(self.start),
            issue.store_ready.eq(emission.ready),
            vector_unit.operation.eq(issue.operation),
            vector_unit.a_address.eq(issue.a_address),
            vector_unit.stages.eq(issue.stages),
            vector_unit.valid.eq(issue.valid),
            emission.update.eq(issue.update),
            emission.emission.eq(issue.emission),
            emission.reserve.eq(issue.reserve),
            emission.result.eq(vector_unit.result),
        ]

        # `halt` walks down the pipeline like any other instruction, so that nothing of this run
        # is left to happen when the next one starts.
        running = Signal()
        halting = Signal()
        halted = Signal()
        with m.If(issue.halt):
            m.d.sync += halting.eq(1)
        with m.If(delay(m, issue.halt, RESULT, "halt")):
            m.d.sync += halted.eq(1)
        m.d.comb += self.done.eq(halted & emission.idle & ~chunks.o.valid & store.idle)
        with m.If(self.done):
            m.d.sync += running.eq(0)
        with m.If(self.start):
            m.d.sync += [running.eq(1), halting.eq(0), halted.eq(0)]

        active = running & ~self.done
        m.d.comb += [
            self.busy.eq(issue.busy),
            self.wait_data.eq(issue.wait_data),
            self.wait_hazard.eq(issue.wait_hazard),
            self.wait_store.eq(issue.wait_store | (active & halting)),
            self.wait_token.eq(active & issue.wait_token & ~halting),
            self.token_popped.eq(self.token_i.valid & self.token_i.ready),
            self.vector_popped.eq(self.vector_i.valid & self.vector_i.ready),
            self.line_written.eq(store.line_written),
            self.error.valid.eq(store.error),
            self.error.report.kind.eq(Error.WRITE),
        ]
        return m

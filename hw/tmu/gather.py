"""Back of a scalar layer: loads of each step, then checks, integer operation and the new item."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..block_ram import BlockRam
from ..config import Config
from ..layouts import error_report, index_width, vector
from ..program_memory import ProgramWrite
from ..queues.queue import Queue
from ..queues.stage import Stage
from .evaluate import Evaluate, pick
from .item import item
from .iterate import StepType, step
from .line_buffer import LineBuffer
from .load_addresses import STREAMS, LoadAddresses, loads

#: Items that may be between the pending queue and the output.
_OUT_DEPTH = 16
#: Steps in front of the pending queue and behind it, at most.
_AROUND = 16


class Gather(wiring.Component):
    """Loads what each step needs and computes the items for the layer below.

    Steps wait in order in a queue of ``run_ahead`` entries while their lines are on the way, so
    that many loads are in flight; the line buffers keep their slots. What of a step only travels
    with it waits in a memory of its own, from the input until the step's loads are there.

    Parameters
    ----------
    config : Config
    layer : int
        Number of the scalar layer.
    contexts : int
        Lanes with state of their own (the first element of a pair).

    Members
    -------
    flush : In(1), start of a run
    program : In(ProgramWrite)
    i : In(stream of step), o : Out(stream of item)
    requests : Out(2 streams of {line, slot, nt}), one per memory stream
    fills : In(ArrayLayout of {valid, slot, data, error}), responses of each memory stream
    unknown : Out(1), a response was not asked for
    error : Out({valid, report}), a failed check or load

    Latency: 18 cycles plus the load's. Throughput: one step per cycle.
    Back-pressure: a step is accepted while the pending queue and the line buffers have room.
    """

    flush: Signal
    program: wiring.PureInterface
    i: stream.Interface
    o: stream.Interface
    requests: list[stream.Interface]
    fills: data.View
    unknown: Signal
    error: data.View

    def __init__(self, config: Config, layer: int, contexts: int):
        self._config, self._layer, self._contexts = config, layer, contexts
        slot = index_width(config.line_slots)
        request = data.StructLayout({"line": config.line_addr_width, "slot": slot, "nt": 1})
        fill = data.StructLayout({"valid": 1, "slot": slot, "data": vector(config), "error": 1})
        super().__init__(
            {
                "flush": In(1),
                "program": In(ProgramWrite()),
                "i": In(stream.Signature(step(config))),
                "o": Out(stream.Signature(item(config))),
                "requests": Out(stream.Signature(request)).array(STREAMS),
                "fills": In(data.ArrayLayout(fill, STREAMS)),
                "unknown": Out(1),
                "error": Out(data.StructLayout({"valid": 1, "report": error_report(config)})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.addresses = addresses = LoadAddresses(config, self._layer)
        m.submodules.evaluate = evaluate = Evaluate(config, self._layer, self._contexts)
        wiring.connect(m, wiring.flipped(self.program), addresses.program)
        wiring.connect(m, wiring.flipped(self.program), evaluate.program)
        wiring.connect(m, wiring.flipped(self.i), addresses.i)

        # Each pending step may hold a claim on a slot of each line buffer.
        claims = config.run_ahead + 2
        buffers = []
        for k in range(STREAMS):
            m.submodules[f"lines{k}"] = b = LineBuffer(config, claims)
            m.d.comb += [
                b.flush.eq(self.flush),
                b.fill.eq(self.fills[k]),
            ]
            buffers.append(b)
        m.d.comb += self.unknown.eq(buffers[0].unknown | buffers[1].unknown)

        # Steps as they came: written at one end of the pipeline and read at the other.
        depth = 1 << (config.run_ahead + _AROUND - 1).bit_length()
        m.submodules.steps = steps = BlockRam(step(config), depth)
        came, went = Signal(range(depth)), Signal(range(depth))
        m.d.comb += [
            steps.write_address.eq(came),
            steps.write_data.eq(self.i.payload),
            steps.write_enable.eq(self.i.valid & self.i.ready),
            steps.read_address.eq(went),
            evaluate.step.eq(steps.read_data),
        ]
        m.d.sync += came.eq(came + steps.write_enable)

        # Lookup -----------------------------------------------------------------------------
        slot = index_width(config.line_slots)
        claim = data.StructLayout({"pick": pick(config), "slot": slot})
        pending = data.StructLayout(
            {
                "type": StepType,
                "segment": index_width(config.segments),
                "claim": data.ArrayLayout(claim, STREAMS),
            }
        )
        m.submodules.present = present = Stage(loads(config))
        m.submodules.pending = waiting = Queue(pending, config.run_ahead)
        wiring.connect(m, addresses.o, present.i)
        now = present.o.payload
        all_ok, looks_up = Signal(), Signal()
        m.d.comb += [
            all_ok.eq((buffers[0].ok | ~now.en[0]) & (buffers[1].ok | ~now.en[1])),
            present.o.ready.eq(waiting.i.ready & all_ok),
            looks_up.eq(present.o.valid & present.o.ready),
            waiting.i.valid.eq(present.o.valid & all_ok),
            waiting.i.payload.type.eq(now.type),
            waiting.i.payload.segment.eq(now.segment),
        ]
        requests = [Queue(port.payload.shape(), 2) for port in self.requests]
        for k, b in enumerate(buffers):
            m.submodules[f"requests{k}"] = requests[k]
            m.d.comb += [
                b.line.eq(addresses.o.payload.address[k] >> config.line_shift),
                b.load.eq(addresses.o.valid & addresses.o.ready),
                b.lookup.eq(looks_up & now.en[k]),
                waiting.i.payload.claim[k].pick.en.eq(now.en[k]),
                waiting.i.payload.claim[k].pick.word.eq(now.address[k][2 : config.line_shift]),
                waiting.i.payload.claim[k].pick.wide.eq(now.wide[k]),
                waiting.i.payload.claim[k].slot.eq(b.slot),
                requests[k].i.valid.eq(b.request.valid),
                requests[k].i.payload.line.eq(b.request.payload.line),
                requests[k].i.payload.slot.eq(b.request.payload.slot),
                b.request.ready.eq(requests[k].i.ready),
            ]
            # The hint goes with the request, which leaves one cycle after the lookup. A lookup that
            # finds its line must not change the hint of a request that still waits.
            hint = Signal(name=f"hint{k}")
            with m.If(b.lookup & (~b.request.valid | b.request.ready)):
                m.d.sync += hint.eq(now.nt[k])
            m.d.comb += requests[k].i.payload.nt.eq(hint)
            # What the read port is ready for must not reach the lookup in the same cycle.
            wiring.connect(m, requests[k].o, wiring.flipped(self.requests[k]))

        # Pop when every line is there and the output has room for what is on the way.
        m.submodules.out = out = Queue(item(config), _OUT_DEPTH)
        wiring.connect(m, out.o, wiring.flipped(self.o))
        credit = Signal(range(_OUT_DEPTH + 1), init=_OUT_DEPTH)
        # Two at the front: whether the line of the second is there is found out before it moves up.
        m.submodules.second = second = Stage(pending)
        m.submodules.oldest = oldest = Stage(pending)
        wiring.connect(m, waiting.o, second.i)
        wiring.connect(m, second.o, oldest.i)
        head = oldest.o.payload
        fire = Signal()
        filled = [b.filled | ~head.claim[k].pick.en for k, b in enumerate(buffers)]
        m.d.comb += [
            fire.eq(oldest.o.valid & filled[0] & filled[1] & (credit != 0)),
            oldest.o.ready.eq(fire),
        ]
        for k, b in enumerate(buffers):
            m.d.comb += [
                b.check.eq(head.claim[k].slot),
                b.moves.eq(oldest.i.ready),
                b.following.eq(second.o.payload.claim[k].slot),
                b.release.eq(fire & head.claim[k].pick.en),
            ]
        yields = head.type != StepType.PRIME
        with m.If((fire & yields) & ~(out.o.valid & out.o.ready)):
            m.d.sync += credit.eq(credit - 1)
        with m.Elif(~(fire & yields) & (out.o.valid & out.o.ready)):
            m.d.sync += credit.eq(credit + 1)

        # What was read in the cycle of the pop arrives with it; what does not pop is not valid.
        picked = Signal(data.ArrayLayout(pick(config), STREAMS))
        picked_valid = Signal()
        m.d.sync += [picked_valid.eq(fire), went.eq(went + picked_valid)]
        m.d.comb += [
            evaluate.segment.eq(head.segment),
            evaluate.valid.eq(picked_valid),
            evaluate.picks.eq(picked),
            out.i.valid.eq(evaluate.o_valid),
            out.i.payload.eq(evaluate.o),
            self.error.eq(evaluate.error),
        ]
        for k, b in enumerate(buffers):
            m.d.sync += picked[k].eq(head.claim[k].pick)
            m.d.comb += [
                evaluate.lines[k].data.eq(b.data),
                evaluate.lines[k].error.eq(b.error),
            ]
        return m

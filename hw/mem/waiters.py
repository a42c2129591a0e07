"""Who waits for a line: lists of requests, answered one per cycle when the line has come."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out


class Waiters(wiring.Component):
    """Linked lists of tags. A list is named by its first tag.

    The tag of a request is its own node, because no two requests have the same at a time: the
    link from one tag to the next is stored under the tag, and the last tag of a list under the
    first. So there is room for every request, and nothing has to be searched or freed.

    Parameters
    ----------
    tag : ShapeLike
    payload : ShapeLike
        What every waiter gets.

    Members
    -------
    create : In({valid, tag}), a list of this tag alone
    push : In({valid, first, tag}), append ``tag`` to the list ``first``; not in the cycle of a
        ``create``, and not once the list is offered at ``i``
    i : In(stream of {alone, tag, payload}), answer the list of this name, which was created in an
        earlier cycle and is no more then; with ``alone`` this tag only, which names no list
    o : Out(stream of {tag, payload}), answers in list order

    Latency: 1 cycle. Throughput: one create or push and one answer per cycle.
    Back-pressure: ``i`` is taken when its predecessor's last answer leaves.
    """

    create: data.View
    push: data.View
    i: stream.Interface
    o: stream.Interface

    def __init__(self, tag, payload):
        self._tag = tag
        answer = data.StructLayout({"tag": tag, "payload": payload})
        super().__init__(
            {
                "create": In(data.StructLayout({"valid": 1, "tag": tag})),
                "push": In(data.StructLayout({"valid": 1, "first": tag, "tag": tag})),
                "i": In(
                    stream.Signature(
                        data.StructLayout({"alone": 1, "tag": tag, "payload": payload})
                    )
                ),
                "o": Out(stream.Signature(answer)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = len(Value.cast(self.push.tag))
        depth = 1 << width
        m.submodules.tails = tails = memory.Memory(shape=width, depth=depth, init=[])
        tail_write = tails.write_port()
        pushed_tail = tails.read_port(transparent_for=(tail_write,))
        tail = tails.read_port(transparent_for=(tail_write,))
        m.submodules.links = links = memory.Memory(shape=width, depth=depth, init=[])
        link_write = links.write_port()
        link = links.read_port(transparent_for=(link_write,))

        # Appending takes two cycles: read the list's last tag, then write behind it.
        changes, appends = Signal(), Signal()
        name, node = Signal(width), Signal(width)
        m.d.sync += [
            changes.eq(self.create.valid | self.push.valid),
            appends.eq(self.push.valid),
            name.eq(Mux(self.create.valid, self.create.tag, self.push.first)),
            node.eq(Mux(self.create.valid, self.create.tag, self.push.tag)),
        ]
        m.d.comb += [
            pushed_tail.addr.eq(self.push.first),
            tail_write.en.eq(changes),
            tail_write.addr.eq(name),
            tail_write.data.eq(node),
            link_write.en.eq(appends),
            link_write.addr.eq(pushed_tail.data),
            link_write.data.eq(node),
        ]

        # Answering follows the links to the list's last tag.
        active, alone = Signal(), Signal()
        current, following = Signal(width), Signal(width)
        payload = Signal(self.o.payload.payload.shape())
        last, leaves, loads = Signal(), Signal(), Signal()
        m.d.comb += [
            last.eq(alone | (current == tail.data)),
            leaves.eq(active & self.o.ready),
            self.i.ready.eq(~active | (leaves & last)),
            loads.eq(self.i.valid & self.i.ready),
            following.eq(link.data),
            tail.addr.eq(self.i.payload.tag),
            tail.en.eq(loads),
            link.addr.eq(Mux(loads, self.i.payload.tag, following)),
            link.en.eq(loads | leaves),
            self.o.valid.eq(active),
            self.o.payload.tag.eq(current),
            self.o.payload.payload.eq(payload),
        ]
        with m.If(loads):
            m.d.sync += [
                active.eq(1),
                alone.eq(self.i.payload.alone),
                current.eq(self.i.payload.tag),
                payload.eq(self.i.payload.payload),
            ]
        with m.Elif(leaves):
            m.d.sync += [active.eq(~last), current.eq(following)]
        return m

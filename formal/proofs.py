"""All proofs, in the order of docs/formal.md."""

from . import (
    align,
    arbiter,
    buses,
    credits,
    divider,
    gather,
    lanes,
    line_buffer,
    line_ring,
    load_unit,
    queue,
    read_cache,
    row_stores,
    row_window,
    stage,
    store,
    stream_registers,
    waiters,
)
from .mutant import Edit
from .proof import Mutant, Proof

_QUEUE_MUTANTS = (
    Mutant("ready-ignores-full", "self.i.ready.eq(ready)", "self.i.ready.eq(1)"),
    Mutant("level-off-by-one", "self.level.eq(q.level)", "self.level.eq(q.level + 1)"),
    Mutant("dropped-pop", "q.r_en.eq(self.o.ready)", "q.r_en.eq(0)"),
    Mutant("valid-drops", "self.o.valid.eq(q.r_rdy)", "self.o.valid.eq(q.r_rdy & ~self.i.valid)"),
    Mutant("early-high-water", "(3 * self._depth + 3) // 4", "(3 * self._depth) // 4"),
)
_FIFO_MUTANTS = (
    Mutant("reads-what-is-written", "(inner_level != 0) & (~self.r_rdy | self.r_en)",
           "((inner_level != 0) | writes) & (~self.r_rdy | self.r_en)"),
    Mutant("reads-without-room", "(inner_level != 0) & (~self.r_rdy | self.r_en)",
           "inner_level != 0"),
    Mutant("overwrites", "self.w_rdy.eq(self.level != self.depth)", "self.w_rdy.eq(1)"),
    Mutant("wraps-early", "pointer == inner_depth - 1", "pointer == inner_depth - 2"),
)  # fmt: skip
#: Makes small queues of the kind that is used from 32 entries on.
_BLOCK_RAM = (Edit("BLOCK_RAM_DEPTH = 32", "BLOCK_RAM_DEPTH = 3"),)


def _queues():
    # 16 entries: the emission queue, which is the same FIFO without the Queue around it.
    for depth in (1, 2, 3, 4, 16, 31):
        yield Proof(
            f"queue-{depth}", "ember.hw.queues.queue", queue.queue, {"depth": depth},
            mutants=_QUEUE_MUTANTS if depth == 3 else (),
        )  # fmt: skip
    for depth in (3, 4):
        yield Proof(
            f"queue-block-ram-{depth}", "ember.hw.queues.queue", queue.queue, {"depth": depth},
            edits=_BLOCK_RAM, mutants=_QUEUE_MUTANTS[:3] if depth == 3 else (),
        )  # fmt: skip
    for depth in (32, 33, 64):
        yield Proof(
            f"queue-{depth}", "ember.hw.queues.queue", queue.queue, {"depth": depth},
        )  # fmt: skip
    for depth in (3, 4):
        yield Proof(
            f"block-fifo-{depth}", "ember.hw.queues.block_fifo", queue.block_fifo,
            {"depth": depth}, mutants=_FIFO_MUTANTS if depth == 4 else (),
        )  # fmt: skip
    yield Proof(
        "stage", "ember.hw.queues.stage", stage.stage,
        mutants=(
            Mutant("overwrites", "with m.If(self.i.ready):", "with m.If(1):"),
            Mutant("ready-ignores-full", "self.i.ready.eq(~self.o.valid | self.o.ready)",
                   "self.i.ready.eq(1)"),
            Mutant("loses", "self.o.valid.eq(self.i.valid)",
                   "self.o.valid.eq(self.i.valid & ~self.o.valid)"),
            Mutant("doubles", "self.o.valid.eq(self.i.valid)",
                   "self.o.valid.eq(self.i.valid | self.o.valid)"),
        ),
    )  # fmt: skip


def _arbiters():
    stuck = Mutant("stuck", "Cat(self.choice < k for k in range(n))", "0")
    same = Mutant("keeps-the-choice", "self.choice < k", "self.choice <= k")
    nobody = Mutant("chooses-nobody", "self.choice.eq(low)", "self.choice.eq(0)")
    for count in (1, 2, 3, 4, 8):
        yield Proof(
            f"round-robin-{count}", "ember.hw.tmu.arbiter", arbiter.round_robin, {"count": count},
            mutants=(stuck, same, nobody) if count == 3 else (),
        )  # fmt: skip


_RING_MUTANTS = (
    Mutant("frees-early", "(used != 0) & ~waiting.bit_select(oldest, 1)", "(used != 0)"),
    Mutant("ignores-full", "self.spans.valid & (used != n)", "self.spans.valid"),
    Mutant("no-room", "& (room != 0)", "", also=(Edit("_OUT_DEPTH = 4", "_OUT_DEPTH = 1"),)),
    Mutant("takes-unknown", "ram.write_enable.eq(known)", "ram.write_enable.eq(self.fill.valid)"),
    Mutant("reads-what-comes", "~waiting.bit_select(oldest, 1) & (room",
           "(~waiting.bit_select(oldest, 1) | (known & (self.fill.slot == oldest))) & (room"),
    Mutant("skips-a-line", "self.spans.payload.line + done", "self.spans.payload.line + 1"),
)  # fmt: skip
_BUFFER_MUTANTS = (
    Mutant("replaces-claimed", "~(claimed | match)", "~match"),
    Mutant("replaces-the-present", "~(claimed | match)", "~claimed"),
    Mutant("first-release-frees", "with m.If(release_last):", "with m.If(1):"),
    Mutant("asks-again", "stays = there & ~stale", "stays = there & ~stale & ~waiting"),
    Mutant("reads-the-victim", "read_address.eq(self.check)", "read_address.eq(victim)"),
    Mutant("reads-what-comes", "m.d.sync += self.filled.eq(~still)",
           "m.d.comb += self.filled.eq(~waiting.bit_select(self.check, 1) | "
           "(known_fill & (self.fill.slot == self.check)))"),
    Mutant("overwrites-request", "hit | (request_free & free)", "hit | free"),
)  # fmt: skip
_LOAD_MUTANTS = (
    Mutant("one-too-many", "self.outstanding != config.mshrs", "self.outstanding <= config.mshrs"),
    Mutant("miscounts", "(came & ~unknown)", "came"),
    Mutant("wrong-stream", "self.fills[k].valid.eq(came & mine)", "self.fills[k].valid.eq(came)"),
    Mutant("wrong-tag", "out.i.payload.tag.stream.eq(number)", "out.i.payload.tag.stream.eq(k)"),
    Mutant("wrong-order", "reversed(range(count))", "range(count)"),
)


def _memory_side():
    for slots in (2, 4, 8):
        yield Proof(
            f"line-ring-{slots}", "ember.hw.tmu.line_ring", line_ring.line_ring, {"slots": slots},
            mutants=_RING_MUTANTS if slots == 2 else (),
        )  # fmt: skip
    for slots, claims in ((2, 1), (2, 2), (2, 3), (4, 4)):
        yield Proof(
            f"line-buffer-{slots}-{claims}", "ember.hw.tmu.line_buffer", line_buffer.line_buffer,
            {"slots": slots, "claims": claims},
            mutants=_BUFFER_MUTANTS if claims == 3 else (),
        )  # fmt: skip
    for mshrs in (1, 2, 4):
        yield Proof(
            f"load-unit-{mshrs}", "ember.hw.tmu.load_unit", load_unit.load_unit, {"mshrs": mshrs},
            mutants=_LOAD_MUTANTS if mshrs == 2 else (),
        )  # fmt: skip


_WAITER_MUTANTS = (
    Mutant("loses-the-last", "current == tail.data", "following == tail.data"),
    Mutant("old-last", "pushed_tail = tails.read_port(transparent_for=(tail_write,))",
           "pushed_tail = tails.read_port()"),
    Mutant("old-link", "link = links.read_port(transparent_for=(link_write,))",
           "link = links.read_port()"),
    Mutant("links-to-the-first", "link_write.addr.eq(pushed_tail.data)",
           "link_write.addr.eq(name)"),
    Mutant("goes-on", "link.en.eq(loads | leaves)", "link.en.eq(1)"),
)  # fmt: skip


def _read_cache():
    for width in (1, 2):
        yield Proof(
            f"waiters-{width}", "ember.hw.mem.waiters", waiters.waiters, {"width": width},
            mutants=_WAITER_MUTANTS if width == 2 else (),
        )  # fmt: skip
    yield Proof(
        "fetches", "ember.hw.mem.fetches", read_cache.fetches,
        mutants=(
            Mutant("takes-all", "awaited & ~self.sweeping", "~self.sweeping"),
            Mutant("old-response", "came = came_ram.read_port(transparent_for=(came_write,))",
                   "came = came_ram.read_port()"),
            Mutant("forgets", "asked_write.data.asked.eq(~last.data)",
                   "asked_write.data.asked.eq(1)"),
        ),
    )  # fmt: skip
    yield Proof(
        "answers", "ember.hw.mem.answers", read_cache.answers,
        mutants=(
            Mutant("takes-back", "(hit_offered | ~line.valid)", "~line.valid"),
            Mutant("takes-both", "line.ready.eq(o.ready)", "line.ready.eq(1)"),
            Mutant("keeps-strays", "line_data.known, tag.stream", "1, tag.stream"),
        ),
    )  # fmt: skip
    yield Proof(
        "credits-ReadCache", "ember.hw.mem.read_cache", read_cache.credits,
        edits=(Edit("_DEPTH = 16", "_DEPTH = 2"),),
        mutants=(
            Mutant("no-room-for-misses", "room.eq((hit_room != 0) & (miss_room != 0))",
                   "room.eq(hit_room != 0)"),
            Mutant("no-room-for-lines", "came.ready.eq(line_room != 0)", "came.ready.eq(1)"),
            Mutant("sends-too-many", "self.memory.request.valid.eq(misses.o.valid & may_go)",
                   "self.memory.request.valid.eq(misses.o.valid)"),
        ),
    )  # fmt: skip


def _held(name: str, module: str, *mutants: Mutant, **parameters):
    def bench(block, *arguments, **rest):
        return stream_registers.held(block, name, *rest.pop("arguments", ()), **rest)

    return Proof(f"held-{name}", f"ember.hw.{module}", bench, parameters, mutants=mutants)


def _stream_registers():
    yield _held(
        "Sequencer", "tmu.sequencer",
        Mutant("goes-on", "with m.If(self.o.ready):", "with m.If(1):"),
        steady=("segments",), segments=2,
    )  # fmt: skip
    yield _held(
        "Iterate", "tmu.iterate",
        Mutant("overwrites", "turn.active & (~self.o.valid | self.o.ready)", "turn.active"),
        arguments=(0, 1),
    )  # fmt: skip
    yield _held(
        "Gather", "tmu.gather",
        Mutant("gives-up", "wiring.connect(m, requests[k].o, wiring.flipped(self.requests[k]))",
               "m.d.comb += [self.requests[k].valid.eq(requests[k].o.valid | self.i.valid), "
               "self.requests[k].payload.eq(requests[k].o.payload), "
               "requests[k].o.ready.eq(self.requests[k].ready)]", depth=4),
        arguments=(0, 1), queues=("out", "requests"),
    )  # fmt: skip
    yield _held(
        "RowLayer", "tmu.row_layer",
        Mutant("gives-up", "wiring.connect(m, rows.o, wiring.flipped(self.rows))",
               "m.d.comb += [self.rows.valid.eq(rows.o.valid & ~self.i.valid), "
               "self.rows.payload.eq(rows.o.payload), rows.o.ready.eq(self.rows.ready)]"),
        queues=("rows", "spans"), fiber_lanes=2, segments=2,
    )  # fmt: skip
    yield _held(
        "RowWindow", "tmu.row_window",
        Mutant("offers-once", "begins | (self.i.valid & offered)", "begins"),
        row_window=1,
    )  # fmt: skip
    yield Proof(
        "held-Align", "ember.hw.tmu.align", align.align, {"lanes": 2},
        mutants=(
            Mutant("goes-on", "with m.If(emit & is_row):", "with m.If(self.o.valid & is_row):"),
            Mutant("looks-behind-the-row", "(hold.vector & (left > n))", "hold.vector"),
        ),
    )  # fmt: skip
    yield _held(
        "Marshal", "tmu.marshal",
        Mutant("gives-up", "left_tokens.eq(later_tokens)", "left_tokens.eq(0)", depth=8),
        queues=("ahead",), segments=2,
    )  # fmt: skip
    yield _held(
        "Fetch",
        "core.fetch",
        Mutant("overwrites", "advance = ~self.o.valid | self.o.ready", "advance = full"),
    )
    yield _held(
        "Store", "core.store",
        Mutant("overwrites", "free.eq(~request.valid | request.ready)", "free.eq(1)"),
        lanes=2,
    )  # fmt: skip


def _row_window():
    for rows in (1, 2, 3, 4):
        yield Proof(
            f"row-window-{rows}", "ember.hw.tmu.row_window", row_window.row_window,
            {"rows": rows},
            mutants=(
                Mutant("ignores-the-window", "~offered & (rows != n)", "~offered"),
                Mutant("forgets-a-row", "rows.eq(rows + begins - consumed)",
                       "rows.eq(rows + (begins & ~consumed) - consumed)"),
            ) if rows == 2 else (),
        )  # fmt: skip


def _marshal():
    one = (Edit("_DEPTH = 4", "_DEPTH = 1"),)
    yield Proof(
        "credits-Marshal", "ember.hw.tmu.marshal", credits.marshal,
        mutants=(
            Mutant("no-room", "self.i.ready.eq(room != 0)", "self.i.ready.eq(1)", 8, also=one),
            Mutant("returns-early", "(ahead.o.valid & ahead.o.ready)", "ahead.o.ready", 8,
                   also=one),
        ),
    )  # fmt: skip


def _row_stores():
    yield Proof(
        "store", "ember.hw.core.store", store.store,
        mutants=(
            Mutant("loses", "free.eq(~request.valid | request.ready)",
                   "free.eq(~request.valid | request.ready | self.i.valid)"),
            Mutant("doubles", "valid.eq(next_valid)", "valid.eq(next_valid | self.i.valid)"),
            Mutant("takes-early", "self.i.ready.eq(~next_valid | next_ready)",
                   "self.i.ready.eq(1)"),
            Mutant("idle-early", "& ~held & ~request.valid & (outstanding == 0)",
                   "& ~held & (outstanding == 0)"),
        ),
    )  # fmt: skip
    yield Proof(
        "chunk-arbiter", "ember.hw.core.chunk_arbiter", row_stores.arbiter,
        mutants=(
            Mutant("interrupts", "self.o.ready & self.o.payload.chunk.last", "self.o.ready"),
            Mutant("takes-back", "kept.eq(~(self.o.ready &", "kept.eq(self.o.ready & ~("),
            Mutant("starves", "waiting[~owner] ^ owner",
                   "waiting[~owner] & ~waiting[owner] ^ owner"),
        ),
    )  # fmt: skip
    one = (Edit("_DEPTH = 8", "_DEPTH = 1"),)
    yield Proof(
        "store-stream", "ember.hw.tmu.store_stream", row_stores.store_stream,
        mutants=(
            Mutant("no-room", "self.i.ready.eq(pieces.i.ready & (room != 0))",
                   "self.i.ready.eq(pieces.i.ready)", 8, also=one),
            Mutant("returns-early", "(places.o.valid & places.o.ready)", "places.o.valid", 16,
                   also=one),
            Mutant("takes-back", "self.o.valid.eq(pieces.o.valid & places.o.valid)",
                   "self.o.valid.eq(pieces.o.valid & places.o.valid & ~self.i.valid)", 16),
        ),
    )  # fmt: skip


def _gather():
    yield Proof(
        "load-addresses", "ember.hw.tmu.load_addresses", gather.load_addresses,
        mutants=(
            Mutant("no-room", "self.i.ready.eq(room != 0)", "self.i.ready.eq(1)",
                   also=(Edit("_DEPTH = 8", "_DEPTH = 1"),)),
            Mutant("returns-twice", "(ahead.o.valid & ahead.o.ready)", "ahead.o.valid",
                   also=(Edit("_DEPTH = 8", "_DEPTH = 1"),)),
            Mutant("early-type", "stage2.type.eq(type1)", "stage2.type.eq(step0.type)"),
        ),
    )  # fmt: skip
    none = {"loads": False}
    yield Proof(
        "gather-steps", "ember.hw.tmu.gather", gather.steps,
        mutants=(
            Mutant("too-few-words", "_AROUND = 16", "_AROUND = 0", parameters=none),
            Mutant("overwrites", "came + steps.write_enable", "came", parameters=none),
            Mutant("reads-the-first", "went + picked_valid", "went", 16, parameters=none),
            Mutant("reads-ahead", "went + picked_valid", "went + fire", 16, parameters=none),
        ),
    )  # fmt: skip
    one = (Edit("_OUT_DEPTH = 16", "_OUT_DEPTH = 1"),)
    yield Proof(
        "credits-Gather", "ember.hw.tmu.gather", gather.credits,
        mutants=(
            Mutant("no-room", "& (credit != 0)", "", 20, also=one, parameters=none),
            Mutant("returns-early", "~(fire & yields) & (out.o.valid & out.o.ready)",
                   "~(fire & yields) & evaluate.valid", 20, also=one, parameters=none),
        ),
    )  # fmt: skip


def _lanes():
    keeps = Mutant("keeps-without-work", "removed = self.done & self.remove", "removed = 0")
    forgets = Mutant("forgets", "choose.any | left", "choose.any")
    leaves = Mutant("moves-early", "moves.eq(~self.active | self.done)", "moves.eq(1)")
    for count in (1, 3, 8):
        yield Proof(
            f"turn-{count}", "ember.hw.tmu.turn", lanes.turn, {"count": count},
            mutants=(keeps, forgets, leaves) if count == 3 else (),
        )  # fmt: skip
    yield Proof(
        "takes-Iterate", "ember.hw.tmu.iterate", lanes.iterate,
        mutants=(Mutant("takes-anything", "advance.eq(turn.active & ", "advance.eq("),),
    )  # fmt: skip
    for depth in (1, 2, 3):
        yield Proof(
            f"fibers-{depth}", "ember.hw.tmu.fibers", lanes.fibers, {"depth": depth},
            mutants=(
                Mutant("no-room", "Array(room != 0 for room in rooms)[new_lane]", "1"),
                Mutant("returns-early", "rooms[k] + self.take[k]",
                       "rooms[k] + self.heads[k].valid"),
                Mutant("slot-given-twice", "places[k].eq(places[k] + 1)", "places[k].eq(0)"),
                Mutant("shares-slots", "[:place_bits], new_lane)", "[:place_bits], new_lane & 0)"),
                Mutant("bounds-of-another", "bounds_write.addr.eq(last.slot)",
                       "bounds_write.addr.eq(slot1)"),
            ) if depth == 2 else (),
        )  # fmt: skip
    for depth in (1, 2, 3):
        yield Proof(
            f"row-layer-{depth}", "ember.hw.tmu.row_layer", lanes.row_layer, {"depth": depth},
            mutants=(
                Mutant("no-room", "Array(room != 0 for room in rooms)[new.lane]", "1"),
                Mutant("returns-twice", "+ (arrives & ~sends)", "+ arrives", 18),
                Mutant("slot-given-twice", "Mux(places[k] == depth - 1, 0, places[k] + 1)", "0"),
                Mutant("reads-what-comes", "read.addr.eq(now.slot)", "read.addr.eq(slot3)"),
            ) if depth == 2 else (),
        )  # fmt: skip


def _pipelines():
    for interval in (2, 13, 26):
        yield Proof(
            f"divider-{interval}", "ember.hw.core.fp.divide", divider.divider,
            {"interval": interval},
            mutants=(
                Mutant("takes-early", "wait.eq(self._interval - 1)", "wait.eq(0)", depth=36),
            ) if interval == 13 else (),
        )  # fmt: skip
    yield Proof(
        "held-VectorDivider", "ember.hw.core.fp.divide", divider.divider_held, {"interval": 26},
        mutants=(
            Mutant("valid-drops", "self.o.valid.eq(head_valid)",
                   "self.o.valid.eq(head_valid | self.i.valid)"),
        ),
    )  # fmt: skip
    for interval in (2, 26):
        yield Proof(
            f"credits-Emission-{interval}", "ember.hw.core.emission", credits.emission,
            {"interval": interval},
            mutants=(
                Mutant("free-too-late", "left | Mux(self.reserve, free > 1, free != 0)", "1",
                       also=(Edit("QUEUE_DEPTH = 16", "QUEUE_DEPTH = 1"),)),
                Mutant("takes-back", "(front.o.valid & around)", "(around & self.start)"),
                Mutant("idle-early", "idle.eq(pending == 0)", "idle.eq(pending <= 1)"),
            ) if interval == 26 else (),
        )  # fmt: skip


def _buses():
    boards = "ember.boards.bus"
    for beats, width, ids in (("1", 64, None), ("1-table", 64, 1), ("2", 32, None)):
        yield Proof(
            f"axi-read-{beats}", f"{boards}.axi_read", buses.read_channels,
            {"data_width": width, "id_width": ids},
            mutants=(
                Mutant("gives-up", "wiring.connect(m, requests.o, wiring.flipped(self.ar))",
                       "m.d.comb += [self.ar.valid.eq(requests.o.valid & ~request.valid), "
                       "self.ar.payload.eq(requests.o.payload), "
                       "requests.o.ready.eq(self.ar.ready)]"),
            ) if beats == "1" else (),
        )  # fmt: skip
    for beats, width in ((1, 64), (2, 32)):
        yield Proof(
            f"axi-write-{beats}", f"{boards}.axi_write", buses.write_channels,
            {"data_width": width},
            mutants=(
                Mutant("gives-up", "wiring.connect(m, beats.o, wiring.flipped(self.w))",
                       "m.d.comb += [self.w.valid.eq(beats.o.valid & self.aw.ready), "
                       "self.w.payload.eq(beats.o.payload), beats.o.ready.eq(self.w.ready)]"),
            ) if beats == 1 else (),
        )  # fmt: skip
    yield Proof(
        "line-assembly", f"{boards}.line_assembly", buses.line_assembly,
        mutants=(
            Mutant("one-for-all", "lines.write_address.eq(beat.id)", "lines.write_address.eq(0)"),
            Mutant("forgets-errors", "write.data.error.eq(state.error | beat.error)",
                   "write.data.error.eq(0)"),
            Mutant("overwrites", "move.eq(~self.o.valid | self.o.ready)", "move.eq(1)"),
        ),
    )  # fmt: skip
    yield Proof(
        "id-table", f"{boards}.id_table", buses.id_table, depth=10, bounded=True,
        mutants=(
            Mutant("given-twice", "queue.o.ready.eq(self.take & ~any_fresh)",
                   "queue.o.ready.eq(0)"),
            Mutant("always-free", "self.free.eq(any_fresh | queue.o.valid)", "self.free.eq(1)"),
        ),
    )  # fmt: skip
    yield Proof(
        "axi-lite", f"{boards}.axi_lite_control", buses.lite,
        mutants=(
            Mutant("half-a-word", "self.bus.write.eq(writes & w.strobe.all())",
                   "self.bus.write.eq(writes & w.strobe.any())"),
            Mutant("answers-early", "writes.eq(aw_full & w_full & ~self.b.valid)",
                   "writes.eq(aw_full & w_full)"),
            Mutant("reads-late", "reads.eq(ar_full & ~self.r.valid & ~reading & ~writes)",
                   "reads.eq(ar_full & ~self.r.valid & ~reading)"),
        ),
    )  # fmt: skip
    yield Proof(
        "wishbone-slave", f"{boards}.wishbone_control", buses.wishbone_slave, depth=6,
        mutants=(
            Mutant("answers-twice", "self.cyc & self.stb & self.stall", "self.cyc & self.stb"),
            Mutant("half-a-word", "self.we & self.sel.all()", "self.we & self.sel.any()"),
            Mutant("takes-back", "self.ack.eq(~refused), self.err", "self.ack.eq(1), self.err"),
        ),
    )  # fmt: skip
    small = (Edit("READS, WRITES = 32, 16", "READS, WRITES = 2, 2"), Edit("RUN = 16", "RUN = 2"))
    for beats, width in ((1, 64), (2, 32)):
        yield Proof(
            f"wishbone-master-{beats}", f"{boards}.wishbone_memory", buses.wishbone_master,
            {"data_width": width}, depth=9, bounded=True, edits=small,
            mutants=(
                Mutant("turns-around", "Mux(self.cyc, self.we, can_write", "Mux(0, 0, can_write"),
                Mutant("leaves-early", "self.cyc.eq(left != 0)", "self.cyc.eq(0)"),
                Mutant("no-room", "read.valid & (reads != READS)", "read.valid"),
            ) if beats == 1 else (),
        )  # fmt: skip


PROOFS: tuple[Proof, ...] = (
    *_queues(),
    *_arbiters(),
    *_memory_side(),
    *_read_cache(),
    *_stream_registers(),
    *_row_window(),
    *_lanes(),
    *_gather(),
    *_marshal(),
    *_row_stores(),
    *_pipelines(),
    *_buses(),
)

"""The scalar layers of the functional model: walks the loop nests and feeds the marshaling."""

from collections.abc import Sequence

from ..hw import isa
from ..hw.config import Config
from ..hw.isa import AluOp, ArgSel, Kind, Sel
from ..hw.program import Program
from .legal import check
from .memory import Memory
from .model_marshal import Marshal
from .model_queues import Item, LaneQueues, ModelError, Report

#: Iterations whose loads are done together.
_BLOCK = 4096
_U32 = 0xFFFFFFFF


class _Stream:
    """One memory stream of a layer; remembers which lines it has touched."""

    def __init__(self, fields: dict[str, int], name: str, access: "Access", lines: set[int]):
        self.base = fields.get(f"{name}_base", 0)
        self.enabled = fields.get(f"{name}_en", 0)
        self.at = fields.get(f"{name}_at", 0)
        self.size = 8 if fields.get(f"{name}_size", 0) else 4
        self.limit = fields.get(f"{name}_limit", 0) if fields.get(f"{name}_check", 0) else None
        self._lines = lines
        self._memory = access.memory
        self._bad_lines = access.bad_lines
        self._end = 1 << access.config.addr_width
        self._shift = access.config.line_shift
        # One line of a single-lane machine holds the low half of an 8-byte element.
        self._bytes = min(self.size, access.config.line_bytes)

    def load(self, ats: Sequence[int]) -> tuple[list[int], list[bool] | None]:
        """Values of elements ``ats``, and which came with an error (None: no one did)."""
        addresses = [(self.base + at * self.size) % self._end for at in ats]
        lines = [address >> self._shift for address in addresses]
        self._lines.update(lines)
        errors = None
        if self._bad_lines:
            errors = [line in self._bad_lines for line in lines]
        first, span = addresses[0], addresses[-1] - addresses[0] + self.size
        if span == self.size * len(ats) and first + span <= self._end and len(ats) > 1:
            words = self._memory.load(first, span).view("<u8" if self.size == 8 else "<u4")
            values = words.tolist()
            if self._bytes < self.size:
                values = [value & _U32 for value in values]
        elif addresses[0] == addresses[-1]:
            values = [self._one(first)] * len(ats)
        else:
            values = [self._one(address) for address in addresses]
        return values, errors

    def _one(self, address: int) -> int:
        return int.from_bytes(self._memory.load(address, self._bytes).tobytes(), "little")


class _Layer:
    """A scalar layer's entry of one segment, unpacked."""

    def __init__(
        self, fields: dict[str, int], layer: int, access: "Access", lines: list[set[int]]
    ):
        get = fields.get
        self.kind = get("kind", 0)
        self.start, self.stop, self.step = get("start", 0), get("stop", 0), get("step", 0)
        self.start_sel, self.stop_sel = get("start_sel", 0), get("stop_sel", 0)
        self.m0 = _Stream(fields, "m0", access, lines[0])
        self.m1 = _Stream(fields, "m1", access, lines[1])
        self.pair = get("m0_pair", 0)
        self.skip_value = get("m0_skip", 0) if get("m0_skip_en", 0) else None
        self.alu_op, self.alu_imm = get("alu_op", 0), get("alu_imm", 0)
        self.alu_a, self.alu_b = get("alu_a", 0), get("alu_b", 0)
        self.env = get("e0", 0), get("e1", 0), get("e2", 0)
        self.uses_alu = Sel.ALU in self.env
        self.arg = get("arg", 0)
        self.flags = get("flags", 0)
        self.mark_beg, self.mark_end = get("mark_beg", 0), get("mark_end", 0)
        self.mask = (1 << access.config.addr_width) - 1

    def bounds(self, env: tuple[int, ...]) -> tuple[int, int]:
        """(start, stop) of a fiber."""
        if self.kind == Kind.ONCE:
            return 0, 1
        if self.kind == Kind.DENSE:
            return self.start, self.stop
        if self.kind == Kind.RANGE:
            return env[self.start_sel], env[self.stop_sel]
        return env[self.start_sel], (env[self.start_sel] + self.stop) & self.mask

    def alu(self, values: list[int]) -> int:
        """The integer operation on one iteration's streams."""
        a = values[self.alu_a]
        if self.alu_op == AluOp.ADD:
            result = a + values[self.alu_b]
        elif self.alu_op == AluOp.SUB:
            result = a - values[self.alu_b]
        elif self.alu_op == AluOp.MUL:
            result = a * self.alu_imm
        else:
            result = a << (self.alu_imm & 63)
        return result & self.mask


class Access:
    """One run of the access unit. See :func:`access`; ``marshal`` takes what it walks."""

    #: Makes the marshaling stage.
    make_marshal = Marshal

    def __init__(
        self,
        program: Program,
        config: Config,
        memory: Memory,
        max_items: int,
        bad_lines: frozenset[int],
    ):
        self.config = config
        self.memory = memory
        self.bad_lines = bad_lines
        self.marshal = self.make_marshal(program, config, memory, bad_lines)
        self.max_items = max_items
        self.left = max_items
        self.errors: list[Report] = []
        # The line buffers outlive a segment, so its sets are per layer and stream.
        layers = range(config.scalar_layers)
        self.lines: list[list[set[int]]] = [[set(), set()] for _ in layers]
        self.nests = [
            [_Layer(fields, n, self, self.lines[n]) for n, fields in enumerate(s.layers)]
            for s in program.segments
        ]

    def run(self) -> LaneQueues:
        """Every segment in order; a layer passes what it makes straight to the next one."""
        for segment in range(len(self.nests)):
            self.fiber(0, Item(segment, 0, 0, 0, (0, 0, 0), 0))
        lines = {
            f"lines_l{layer}m{stream}": len(self.lines[layer][stream])
            for layer in range(self.config.scalar_layers)
            for stream in range(2)
        }
        lines["lines_row"] = self.marshal.lines
        return LaneQueues(
            lanes=self.marshal.queues(),
            errors=self.errors + self.marshal.errors,
            rows=self.marshal.rows,
            lines=lines,
        )

    def spend(self, items: int) -> None:
        """Count work, so that bounds from a wild pointer end in a message and not in a hang."""
        self.left -= items
        if self.left < 0:
            raise ModelError(f"program must send at most {self.max_items} items (max_items)")

    def mark(self, layer: int, edge: str, item: Item) -> None:
        """A marker: lower layers pass it on unchanged, in order, so it goes to marshaling."""
        lanes = range(self.config.fiber_lanes) if layer == 0 else (item.lane,)
        for lane in lanes:
            self.marshal.mark(layer, edge, item._replace(lane=lane))

    def fiber(self, layer: int, item: Item) -> None:
        """An ITEM without ``skip`` arrives at scalar layer ``layer``."""
        entry = self.nests[item.segment][layer]
        start, stop = entry.bounds(item.env)
        if entry.kind == Kind.RANGE and start > stop:
            self.report(isa.Error.BOUNDS, layer, item, start, stop)
            stop = start
        if entry.mark_beg:
            self.mark(layer, "beg", item)
        ites = range(start, stop, entry.step)
        # len() refuses ranges of 2**63 and more.
        count = max(0, -(-(stop - start) // entry.step))
        self.spend(1 + count)
        # The flags that this loop's first and last iteration pass on.
        outer = item._replace(first=1, last=1) if entry.flags else item
        if not count and (entry.flags or item.first or item.last):
            self.marshal.skip(outer)
        for number in range(0, count, _BLOCK):
            self.block(entry, layer, outer, ites[number : number + _BLOCK], number, count)
        if entry.mark_end:
            self.mark(layer, "end", item)

    def block(
        self, entry: _Layer, layer: int, item: Item, ites: range, number: int, count: int
    ) -> None:
        """Iterations ``ites``, of which the first has number ``number`` of ``count``."""
        segment, lane, first, last, env, arg = item
        mem0, nexts, mem1, bad = self.loads(entry, layer, item, ites)
        mask, skip_value, selected = entry.mask, entry.skip_value, entry.env
        last_layer = layer == self.config.scalar_layers - 1
        values = [0, 0, 0, 0, 0, 0, *env, entry.alu_imm]
        for n, ite in enumerate(ites):
            zero, one = mem0[n], mem1[n]
            values[Sel.ITE] = ite
            values[Sel.MEM0] = zero & mask
            values[Sel.MEM1] = one & mask
            values[Sel.NEXT] = nexts[n] & mask
            if entry.uses_alu:
                values[Sel.ALU] = entry.alu(values)
            if entry.arg != ArgSel.PARENT:
                arg = (zero if entry.arg == ArgSel.MEM0 else one) & _U32
            at = number + n
            child = Item(
                segment,
                at % self.config.fiber_lanes if layer == 0 else lane,
                first if at == 0 else 0,
                last if at == count - 1 else 0,
                (values[selected[0]], values[selected[1]], values[selected[2]]),
                arg,
            )
            if n in bad or zero == skip_value:
                self.marshal.skip(child)
            elif last_layer:
                self.spend(self.marshal.beats(segment))
                self.marshal.row(child)
            else:
                self.fiber(layer + 1, child)

    def loads(
        self, entry: _Layer, layer: int, item: Item, ites: range
    ) -> tuple[list[int], list[int], list[int], set[int]]:
        """Loaded values (stream 0, its pairs' second ones, stream 1) and the bad iterations."""
        none = [0] * len(ites)
        values, nexts, failed = [none, none], none, []
        for number, stream in enumerate((entry.m0, entry.m1)):
            if not stream.enabled:
                continue
            if number == 0 and entry.pair:
                # Neighbours share the elements between them: one more than iterations.
                both, errors = stream.load(range(ites[0], ites[-1] + 2))
                values[0], nexts = both[:-1], both[1:]
                if errors:
                    failed += [errors[:-1], errors[1:]]
                continue
            if stream.at == Sel.ITE:
                ats: Sequence[int] = ites
            else:
                ats = [item.env[stream.at - Sel.ENV0]] * len(ites)
            values[number], errors = stream.load(ats)
            if errors:
                failed.append(errors)

        checks = [(values[0], entry.m0.limit), (values[1], entry.m1.limit)]
        if entry.pair:
            checks.insert(1, (nexts, entry.m0.limit))
        bounded = [(loaded, limit) for loaded, limit in checks if limit is not None]
        bad: set[int] = set()
        if failed or any(max(loaded) >= limit for loaded, limit in bounded):
            bad = self.judge(layer, item, ites, bounded, failed)
        return values[0], nexts, values[1], bad

    def judge(
        self,
        layer: int,
        item: Item,
        ites: range,
        checks: list[tuple[list[int], int]],
        failed: list[list[bool]],
    ) -> set[int]:
        """Report what is wrong, in the contract's order; returns the bad iterations' numbers."""
        bad: set[int] = set()
        for n, ite in enumerate(ites):
            if any(errors[n] for errors in failed):
                bad.add(n)
                self.report(isa.Error.READ, layer, item, ite, 0)
            for loaded, limit in checks:
                if loaded[n] >= limit:
                    bad.add(n)
                    self.report(isa.Error.INDEX, layer, item, ite, loaded[n])
        return bad

    def report(self, kind: isa.Error, layer: int, item: Item, position: int, value: int) -> None:
        """An error that is met in the fiber ``item``."""
        self.errors.append(Report(kind, item.segment, layer, position, value, item.lane))


def access(
    program: Program,
    config: Config,
    memory: Memory,
    max_items: int = 10_000_000,
    bad_lines: frozenset[int] = frozenset(),
) -> LaneQueues:
    """What the access unit pushes into the two queues when it runs ``program``.

    Parameters
    ----------
    max_items : int
        Bound on fibers, iterations and row beats together.
    bad_lines : frozenset of int
        Numbers of lines whose read responses carry an error.

    Raises
    ------
    ValueError
        The program is not legal.
    ModelError
        It would send more than ``max_items`` items.
    """
    check(program, config)
    return Access(program, config, memory, max_items, bad_lines).run()

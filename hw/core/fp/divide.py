"""Division of a vector by one scalar."""

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, Value, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .bits import leading_zeros, round_half_even, shift_right_sticky
from .layout import CANONICAL_NAN, F32, INFINITY

__all__ = ["DIGITS", "DIV_INTERVALS", "DIV_LATENCY", "VectorDivider"]

#: Quotient bits: 24, one more because a quotient of significands may be below 1, one to round.
DIGITS = 26
#: Initiation intervals: the divisors of ``DIGITS``.
DIV_INTERVALS = (1, 2, 13, 26)
#: Cycles from a payload's transfer on ``i`` to its first cycle on ``o``.
DIV_LATENCY = 2 + DIGITS + 3

_ONE = 0x3F800000


class _Kind:
    """What a lane's result is, apart from its sign."""

    FINITE, ZERO, INF, NAN = range(4)


class VectorDivider(wiring.Component):
    """Divide each binary32 element of a vector by one binary32 divisor, correctly rounded.

    Any operands are allowed, and results are those of IEEE-754 to nearest even, subnormals
    included. A NaN that comes out of a division is 0x7fc00000. With ``bypass`` the data pass
    unchanged, NaNs included, and in order.

    The quotient comes one bit at a time from ``DIGITS // interval`` physical stages, each of
    which works ``interval`` cycles on a vector. The lanes share the divisor and the control;
    each has its remainder, quotient, exponent, sign and kind.

    Parameters
    ----------
    lanes : int, elements, at least 1
        Elements of a vector.
    interval : int, cycles, one of ``DIV_INTERVALS``
        Least number of cycles between two vectors.
    meta_width : int, bits, at least 0
        Width of what travels along unchanged.

    Members
    -------
    i : In(stream.Signature(i_layout))
        ``data`` (``lanes`` of 32 bits), ``divisor`` (32), ``bypass`` (1; the divisor is then
        ignored), ``meta`` (``meta_width``).
    o : Out(stream.Signature(o_layout))
        ``data``, ``meta``; in the order of ``i``.

    Latency: ``DIV_LATENCY`` cycles (31) while ``o`` is ready, for every interval.
    Throughput: ``1 / interval`` vectors per cycle.
    Back-pressure: two payloads wait at ``o``; with the second one everything stops, ``i``
    included. ``i.ready`` and ``o.valid`` come from registers and depend on no input.

    Raises
    ------
    TypeError
        A parameter is not an integer.
    ValueError
        A parameter is out of its range.

    Ref: IEEE Std 754-2019, clause 5.4.1; Ercegovac and Lang, Digital Arithmetic, chapter 5.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, lanes, interval, meta_width):
        for name, value in (("lanes", lanes), ("interval", interval), ("meta_width", meta_width)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"Divider {name} must be an integer, not {value!r}")
        if lanes < 1:
            raise ValueError(f"Divider lanes must be at least 1, not {lanes!r}")
        if interval not in DIV_INTERVALS:
            raise ValueError(f"Divider interval must be one of {DIV_INTERVALS}, not {interval!r}")
        if meta_width < 0:
            raise ValueError(f"Divider meta_width must be at least 0, not {meta_width!r}")
        self._lanes = lanes
        self._interval = interval
        self._meta_width = meta_width
        vector = data.ArrayLayout(32, lanes)
        super().__init__(
            {
                "i": In(
                    stream.Signature(
                        data.StructLayout(
                            {"data": vector, "divisor": 32, "bypass": 1, "meta": meta_width}
                        )
                    )
                ),
                "o": Out(stream.Signature(data.StructLayout({"data": vector, "meta": meta_width}))),
            }
        )

    @property
    def lanes(self):
        """Elements of a vector."""
        return self._lanes

    @property
    def interval(self):
        """Least number of cycles between two vectors."""
        return self._interval

    @property
    def meta_width(self):
        """Bits that travel along unchanged."""
        return self._meta_width

    def elaborate(self, platform):
        m = Module()
        go = Signal()  # no stall
        state = self._unpack(m, go, self._accept(m, go))
        for index in range(DIGITS // self._interval):
            state = self._digits(m, go, state, index)
        state = self._register(m, go, "raw", state)
        state = self._scale(m, go, state)
        state = self._denormalize(m, go, state)
        self._output(m, go, self._pack(state))
        return m

    # A stage's state is a pair: a dict of values that the lanes share, always with "valid" and
    # "meta", and a list of one dict for each lane.

    def _register(self, m, go, name, state):
        """One pipeline stage: everything of ``state`` one cycle later."""
        shared, lanes = state

        def register(value, field):
            reg = Signal(Shape.cast(value.shape()), name=f"{name}_{field}", reset_less=True)
            with m.If(go & shared["valid"]):
                m.d.sync += reg.eq(value)
            return reg

        valid = Signal(name=f"{name}_valid")
        with m.If(go):
            m.d.sync += valid.eq(shared["valid"])
        return (
            {
                field: valid if field == "valid" else register(value, field)
                for field, value in shared.items()
            },
            [
                {field: register(value, f"{field}_{lane}") for field, value in values.items()}
                for lane, values in enumerate(lanes)
            ],
        )

    def _accept(self, m, go):
        """Take a payload at most every ``interval`` cycles; count leading zeros."""
        wait = Signal(range(self._interval))
        m.d.comb += self.i.ready.eq(go & (wait == 0))
        accept = self.i.valid & self.i.ready
        if self._interval > 1:
            with m.If(accept):
                m.d.sync += wait.eq(self._interval - 1)
            with m.Elif(go & (wait != 0)):
                m.d.sync += wait.eq(wait - 1)

        # Dividing by 1 passes everything but the payloads of NaNs, for which the significand of
        # the quotient is used as it is.
        payload = self.i.payload
        divisor = Signal(32)
        m.d.comb += divisor.eq(Mux(payload.bypass, _ONE, payload.divisor))

        def unpacked(word):
            return {"word": word, "zeros": leading_zeros(F32(word).significand())}

        return self._register(
            m,
            go,
            "in",
            (
                {
                    "valid": accept,
                    "meta": payload.meta,
                    "bypass": payload.bypass,
                    **unpacked(divisor),
                },
                [unpacked(payload.data[lane]) for lane in range(self._lanes)],
            ),
        )

    def _unpack(self, m, go, state):
        """Normalize significands, subtract exponents and sort out the special cases.

        This is combinational: the first digit stage has the registers.
        """
        shared, lanes = state
        d = F32(shared["word"])
        divisor = Signal(24)
        # What to add to the exponent of the dividend for that of the quotient, less one.
        bias = Signal(signed(10))
        m.d.comb += [
            divisor.eq(d.significand() << shared["zeros"]),
            bias.eq(126 - d.exponent() + shared["zeros"]),
        ]
        d_zero, d_inf, d_nan = d.is_zero(), d.is_inf(), d.is_nan()

        def lane(index, word, zeros):
            x = F32(word)
            remainder = Signal(25, name=f"dividend_{index}")
            exp = Signal(signed(10), name=f"exp_{index}")
            m.d.comb += [
                remainder.eq((x.significand() << zeros)[:24]),
                exp.eq(Mux(x.exp.any(), x.exp, 1 - zeros) + bias),
            ]
            kind = Signal(2, name=f"kind_{index}")
            x_zero, x_inf = x.is_zero(), x.is_inf()
            with m.If(x.is_nan() | d_nan | (x_zero & d_zero) | (x_inf & d_inf)):
                m.d.comb += kind.eq(_Kind.NAN)
            with m.Elif(x_inf | d_zero):
                m.d.comb += kind.eq(_Kind.INF)
            with m.Elif(x_zero | d_inf):
                m.d.comb += kind.eq(_Kind.ZERO)
            return {
                "remainder": remainder,
                "quotient": Const(0, 0),
                "exp": exp,
                "sign": x.sign ^ d.sign,
                "kind": kind,
            }

        return (
            {name: shared[name] for name in ("valid", "meta", "bypass")} | {"divisor": divisor},
            [lane(index, **values) for index, values in enumerate(lanes)],
        )

    def _digits(self, m, go, state, index):
        """Registers of a digit stage, and the step of restoring division behind them.

        The remainder R is kept below twice the divisor D: q = (R >= D), R' = 2 (R - q D).
        """
        shared, lanes = state
        interval = self._interval
        name = f"digit{index}"
        load = Signal(name=f"{name}_load")
        step = Signal(name=f"{name}_step")
        valid = Signal(name=f"{name}_valid")
        m.d.comb += [load.eq(go & shared["valid"]), step.eq(go & valid)]
        if interval == 1:
            done = valid
            with m.If(go):
                m.d.sync += valid.eq(shared["valid"])
        else:
            # A register, because enables of all the next stage's registers depend on it. The
            # state still steps while it is handed over, to nothing that is used.
            done = Signal(name=f"{name}_done")
            count = Signal(range(interval), name=f"{name}_count")
            with m.If(load):
                m.d.sync += [valid.eq(1), done.eq(0), count.eq(0)]
            with m.Elif(step):
                m.d.sync += [
                    valid.eq(~done),
                    done.eq(count == interval - 2),
                    count.eq(count + 1),
                ]

        def constant(value, field):
            reg = Signal(Shape.cast(value.shape()), name=f"{name}_{field}", reset_less=True)
            with m.If(load):
                m.d.sync += reg.eq(value)
            return reg

        held = {field: constant(v, field) for field, v in shared.items() if field != "valid"}

        def lane(number, values):
            remainder = Signal(25, name=f"{name}_remainder_{number}", reset_less=True)
            # Digits of the stages before, and up to interval - 1 of this one.
            quotient = Signal(
                (index + 1) * interval - 1, name=f"{name}_quotient_{number}", reset_less=True
            )
            difference = Signal(signed(26), name=f"{name}_difference_{number}")
            m.d.comb += difference.eq(remainder - held["divisor"])
            digit = ~difference[-1]
            remainder_next = Cat(0, Mux(digit, difference, remainder)[:24])
            quotient_next = Cat(digit, quotient)
            with m.If(load):
                m.d.sync += [remainder.eq(values["remainder"]), quotient.eq(values["quotient"])]
            if interval > 1:
                with m.Elif(step):
                    m.d.sync += [remainder.eq(remainder_next), quotient.eq(quotient_next)]
            return {
                "remainder": remainder_next,
                "quotient": quotient_next,
                **{
                    field: constant(values[field], f"{field}_{number}")
                    for field in ("exp", "sign", "kind")
                },
            }

        return (
            {"valid": done, **held},
            [lane(number, values) for number, values in enumerate(lanes)],
        )

    def _scale(self, m, go, state):
        """Shift a quotient below 1 up; find how far a subnormal result is to be shifted down."""
        shared, lanes = state

        def lane(index, remainder, quotient, exp, sign, kind):
            small = ~quotient[-1]
            exp_next = Signal(signed(10), name=f"scaled_exp_{index}")
            shift = Signal(9, name=f"scaled_shift_{index}")
            subnormal = exp_next[-1]
            m.d.comb += [
                exp_next.eq(exp - small),
                shift.eq(Mux(subnormal, small - exp, 0)),
            ]
            return {
                # 24 bits, a rounding bit and a sticky bit.
                "bits": Mux(
                    small,
                    Cat(remainder.any(), quotient[:25]),
                    Cat(remainder.any() | quotient[0], quotient[1:]),
                ),
                "shift": Cat(shift[:5], shift[5:].any()),
                "exp": Mux(subnormal, 0, exp_next)[:9],
                "sign": sign,
                "kind": kind,
            }

        return self._register(
            m,
            go,
            "scaled",
            (
                {name: shared[name] for name in ("valid", "meta", "bypass")},
                [lane(index, **values) for index, values in enumerate(lanes)],
            ),
        )

    def _denormalize(self, m, go, state):
        """Shift subnormal results down."""
        shared, lanes = state

        def lane(bits, shift, exp, sign, kind):
            shifted = shift_right_sticky(bits, shift, (4, 3, 2, 1, 0))
            gone = Cat(bits.any(), Const(0, len(bits) - 1))
            return {
                "bits": Mux(shift[5], gone, shifted),
                "exp": exp,
                "sign": sign,
                "kind": kind,
            }

        return self._register(m, go, "final", (shared, [lane(**values) for values in lanes]))

    def _pack(self, state):
        """Round, or insert the special result."""
        shared, lanes = state

        def lane(bits, exp, sign, kind):
            rounded = round_half_even(bits[1:], bits[0], exp[:8])
            finite = Mux(exp >= 254, INFINITY, rounded)
            # Under bypass the significand is that of the data, whatever their exponent.
            fraction = Mux(kind == _Kind.NAN, CANONICAL_NAN, 0)[:23]
            special = Cat(Mux(shared["bypass"], bits[2:25], fraction), Const(0xFF, 8))
            magnitude = Mux(kind == _Kind.FINITE, finite, Mux(kind == _Kind.ZERO, 0, special))
            negative = sign & (shared["bypass"] | (kind != _Kind.NAN))
            return Cat(magnitude[:31], negative)

        return shared, [lane(**values) for values in lanes]

    def _output(self, m, go, state):
        """Two payloads of buffer, so that ``go`` is a register's output."""
        shared, lanes = state
        payload = Cat(*lanes, shared["meta"])
        head = Signal(len(payload), reset_less=True)
        spare = Signal(len(payload), reset_less=True)
        head_valid = Signal()
        spare_valid = Signal()
        m.d.comb += [
            go.eq(~spare_valid),
            self.o.valid.eq(head_valid),
            Value.cast(self.o.payload).eq(head),
        ]
        with m.If(~head_valid | self.o.ready):
            m.d.sync += [head_valid.eq(spare_valid | shared["valid"]), spare_valid.eq(0)]
            with m.If(spare_valid):
                m.d.sync += head.eq(spare)
            with m.Elif(shared["valid"]):
                m.d.sync += head.eq(payload)
        with m.Elif(go & shared["valid"]):
            m.d.sync += [spare.eq(payload), spare_valid.eq(1)]
